"""Results of OpenCompass."""

import json
import shutil
from pathlib import Path

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from errbar.errors import InputError
from logs import FIXTURES, agreements_of, real, remarks_of, rows_of

LOGS = FIXTURES / "opencompass"
REPEATED = LOGS / "results" / "adder" / "doubles.json"
ONCE = LOGS / "results" / "adder" / "greedy-doubles.json"
RIGHT = [[1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 0, 0]]


def test_repeats_are_trials() -> None:
    found = rows_of(REPEATED)
    assert [row["outcome"] for row in found] == [mark for marks in RIGHT for mark in marks]
    assert [row["trial"] for row in found] == [0, 1, 2, 3] * 3
    row = found[5]
    assert (row["system"], row["task"], row["question"]) == ("adder", "doubles", "doubles_1")
    assert (row["answer"], row["target"]) == ("3", "2")


def test_details_of_one_run_are_read_too() -> None:
    found = rows_of(ONCE)
    assert [(row["question"], row["outcome"], row["answer"]) for row in found] == [
        *(("0", 1, "0"), ("1", 0, "3"), ("2", 1, "4")),
    ]


def test_the_stated_numbers_come_out() -> None:
    agreements = agreements_of(LOGS)
    assert len(agreements) == 15


def test_trials_that_are_not_there_are_seen(tmp_path: Path) -> None:
    told = json.loads(REPEATED.read_text())
    for key in ("correct", "pred", "answer"):
        told["details"][1][key].pop()
    (tmp_path / "doubles.json").write_text(json.dumps(told))
    (found,) = [
        agreement
        for agreement in errbar.load(tmp_path).agreements()
        if agreement.claim.metric == "rows"
    ]
    assert (found.claim.name, found.claim.value, found.value) == ("4 runs of 3 questions", 12, 11)


def test_a_second_run_adds_trials_and_states_nothing(tmp_path: Path) -> None:
    for time in ("1", "2"):
        (tmp_path / time / "adder").mkdir(parents=True)
        shutil.copy(REPEATED, tmp_path / time / "adder")
    runs = errbar.load(tmp_path)
    assert {row["trial"] for row in rows_of(runs)} == set(range(8))
    assert not runs.agreements()
    assert "2 runs (" in remarks_of(runs)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"example_abbr": None}, r"details\[1\].example_abbr: an id must be text"),
        ({"pred": ["1"]}, r"details\[1\]: there are 1 of 'pred' for 4 trials"),
        ({"correct": []}, r"details\[1\].correct: the list is empty"),
    ],
)
def test_fields_of_the_wrong_kind_are_refused(
    tmp_path: Path, change: dict[str, object], said: str
) -> None:
    told = json.loads(REPEATED.read_text())
    told["details"][1] |= change
    (tmp_path / "doubles.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match=said):
        errbar.load(tmp_path / "doubles.json")


def test_details_that_say_nothing_are_refused(tmp_path: Path) -> None:
    told = {"score": 3, "details": {"type": "GEN", "0": {"predictions": "a", "references": "b"}}}
    (tmp_path / "other.json").write_text(json.dumps(told))
    with pytest.raises(InputError, match=r"details.0: no field says whether the answer is right"):
        errbar.load(tmp_path / "other.json")


def test_the_numbers_of_the_real_evaluator_come_out() -> None:
    runs = errbar.load(real("opencompass"))
    asked = ["avg", *(f"g-pass@4_{tau}" for tau in (0.0, 0.25, 0.5, 0.75, 1.0)), "mg-pass@4"]
    values = [round(100 * each.value, 3) for each in runs.score(*asked)]
    assert values == [56.25, 91.714, 91.714, 67.357, 44.429, 21.5, 32.964]
    assert len(agreements_of(runs)) == 20


@pytest.mark.parametrize("log", [REPEATED, ONCE], ids=["repeated", "once"])
def test_broken_logs(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="opencompass")
    require_clear_refusals(log, tmp_path, reader="opencompass")
