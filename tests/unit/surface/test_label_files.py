"""Files of trusted labels in the forms that people write, each beside the same labels by id."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

import errbar
from errbar.base.remarks import above
from errbar.cli import main
from errbar.errors import InputError

JUDGED: dict[str, list[Any]] = {"id": [f"q{at}" for at in range(60)], "outcome": [1, 1, 0] * 20}
LABELS = {f"q{at}": int(at % 5 < 3) for at in range(0, 60, 2)}
WORDS = {1: "good", 0: "bad"}


def value(labels: Any, judged: Any = JUDGED, **how: Any) -> float:
    found: float = errbar.load(judged, labels=labels, **how).score("avg")[0].value
    return found


def said(labels: Any, judged: Any = JUDGED, **how: Any) -> str:
    return " ".join(above(errbar.load(judged, labels=labels, **how).score("avg").notes()))


def by_id(column: str = "label") -> list[dict[str, Any]]:
    return [{"id": name, column: label} for name, label in LABELS.items()]


def test_labels_in_any_form_are_the_same(tmp_path: Path) -> None:
    expected = value(by_id())
    frame = pd.DataFrame(by_id())
    blank = pd.DataFrame({"id": JUDGED["id"], "label": [LABELS.get(i) for i in JUDGED["id"]]})
    words = frame.assign(label=frame["label"].map({1: "pass", 0: "fail"}))
    for at, table in enumerate((frame, blank, words, frame.iloc[::-1])):
        path = tmp_path / f"{at}.csv"
        table.to_csv(path, index=False)
        assert value(path) == pytest.approx(expected, abs=1e-12)
    (tmp_path / "by_id.json").write_text(json.dumps(LABELS), "utf-8")
    assert value(tmp_path / "by_id.json") == pytest.approx(expected, abs=1e-12)


def test_words_given_as_right_may_be_those_of_the_labels() -> None:
    words = [{"id": name, "label": WORDS[label]} for name, label in LABELS.items()]
    assert value(words, right=["good"]) == value(by_id())
    judged = {**JUDGED, "outcome": [WORDS[outcome] for outcome in JUDGED["outcome"]]}
    assert value(words, judged, right=["good"]) == value(by_id())
    assert value(by_id(), judged, right=["good"]) == value(by_id())
    with pytest.raises(InputError, match="'fine', which was given as right"):
        value(by_id(), right=["fine"])


def test_the_column_of_the_labels_is_named() -> None:
    both = [{**row, "outcome": 1} for row in by_id()]  # the judge's outcomes are there too
    with pytest.raises(InputError, match="two columns of the labels could have them: 'outcome'"):
        value(both)
    assert value(both, label="label") == value(by_id())
    assert value(both, label="outcome") != value(by_id())
    with pytest.raises(InputError, match="label='COLUMN'"):
        value(by_id("human"))
    assert value(by_id("human"), label="human") == value(by_id())
    with pytest.raises(InputError, match="people"):
        value(by_id("human"), label="people")


def test_how_the_labels_were_read_stands_above_the_numbers(tmp_path: Path) -> None:
    assert "Columns of the labels: question = id, outcome = label" in said(by_id())
    twice = [*by_id(), {"id": "q0", "label": 0}]
    assert "1 question with several labels: their mean is the label" in said(twice)
    trials = {"id": JUDGED["id"] * 2, "outcome": JUDGED["outcome"] * 2}
    assert "and so was the trial of each label" in said(by_id(), trials)
    assert "and so was" not in said(by_id())
    for name, rows in (("judged", JUDGED), ("labels", by_id("human"))):
        pd.DataFrame(rows).to_csv(tmp_path / f"{name}.csv", index=False)
    paths = [str(tmp_path / "judged.csv"), "--labels", str(tmp_path / "labels.csv")]
    result = CliRunner().invoke(main, ["score", *paths, "--label", "human"])
    assert result.exit_code == 0, result.output
    assert "(--label to change)" in " ".join(result.output.split())


def test_labels_of_other_questions_are_refused() -> None:
    other = [{"id": f"z{name}", "label": label} for name, label in LABELS.items()]
    with pytest.raises(
        InputError, match=r"none of the labelled questions \('zq0'.*write their ids"
    ):
        value(other)
    some = [*by_id(), *other[:3]]
    assert value(some) == value(by_id())


def test_labels_without_ids_need_a_row_for_each_row() -> None:
    plain = {"outcome": JUDGED["outcome"]}
    whole = [{"label": LABELS.get(name)} for name in JUDGED["id"]]
    assert value(whole, plain) == pytest.approx(value(by_id()), abs=1e-12)
    few = [{"label": label} for label in LABELS.values()]
    for judged in (plain, JUDGED):
        with pytest.raises(InputError, match="matched by question ids, but ids are missing"):
            value(few, judged)
