"""`errbar items`: from outcomes to flagged questions, adjusted scores and subsets."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import errbar
from errbar.base.tables import in_percent
from errbar.cli import main
from errbar.errors import InputError


def board(systems: int = 24, questions: int = 30, trials: int = 2) -> list[dict[str, Any]]:
    """Outcomes by the model of Rasch, but for question q00, which better systems fail."""
    rng = np.random.default_rng(5)
    abilities = np.linspace(-2.0, 2.0, systems)
    logits = abilities[:, None] - rng.normal(0.0, 1.0, questions)
    logits[:, 0] = -2.0 * abilities
    right = rng.random((trials, *logits.shape)) < 1.0 / (1.0 + np.exp(-logits))
    return [
        {"system": f"s{s:02}", "question": f"q{q:02}", "trial": t, "outcome": int(right[t, s, q])}
        for s in range(systems)
        for q in range(questions)
        for t in range(trials)
    ]


def test_a_question_that_better_systems_fail_is_the_first_to_look_at() -> None:
    found = errbar.items(board())
    assert found.suspects[0].question == "q00"
    assert found.suspects[0].flags[0] == "inverted"
    said = found.conclusion()
    assert said is not None
    assert said[:2] == ("1 of 30 questions looks wrong: 1 inverted, 1 flat", ".")
    places = [int(row.system[1:]) for row in found.systems]  # from the ablest down
    assert np.corrcoef(places, range(24))[0, 1] < -0.9
    alone = errbar.items(board(3))
    assert not alone.suspects  # three systems show nothing about a question
    assert not alone.subsets


def test_scores_are_adjusted_for_the_questions_that_a_system_was_given() -> None:
    rows = board()
    hard = sorted(errbar.items(rows).rows, key=lambda row: row.value)[15:]
    names = {row.question for row in hard}
    kept = [row for row in rows if row["system"] != "s12" or row["question"] in names]
    whole = {row.system: row for row in errbar.items(rows).systems}
    found = errbar.items(kept)
    part = {row.system: row for row in found.systems}
    assert part["s12"].questions == 15
    assert part["s12"].score < whole["s12"].score - 0.15
    assert part["s12"].adjusted_low < whole["s12"].score < part["s12"].adjusted_high
    naive, adjusted = part["s12"].score, part["s12"].adjusted
    assert abs(adjusted - whole["s12"].score) < 0.6 * abs(naive - whole["s12"].score)
    assert part["s03"].adjusted == pytest.approx(part["s03"].score)
    assert "adjusted score" in str(found)
    assert "15 of 720 answers are missing" in str(found)


def test_an_adjusted_score_has_no_interval_if_everything_was_solved() -> None:
    """No ability is too high for such a system, and missing answers are predicted by it."""
    rows = [row for row in board(5, 20, 1) if row["system"] != "s04" or row["question"] < "q12"]
    solved = [row | {"outcome": 1} if row["system"] == "s04" else row for row in rows]
    own = next(row for row in errbar.items(solved).systems if row.system == "s04")
    assert own.score == 1.0 > own.adjusted
    assert np.isnan([own.sd, own.adjusted_sd, own.adjusted_low, own.adjusted_high]).all()


def test_all_scores_of_a_table_are_in_percent_or_none() -> None:
    rows = [row for row in board(5, 20, 1) if row["system"] != "s04" or row["question"] < "q12"]
    found = errbar.items(rows)
    with in_percent():
        heads = [column[0] for part in found.parts() for column in getattr(part, "columns", [])]
        text = str(found)
    for name in ("solved", "score", "score off by", "adjusted score"):
        assert name not in heads
        assert any(head.startswith(f"{name} %") for head in heads)
    assert f"  {100 * found.systems[-1].score:.1f}  " in text


def test_two_parameters_find_the_discrimination_that_differs() -> None:
    rng = np.random.default_rng(3)
    abilities, slopes = np.linspace(-2.0, 2.0, 60), np.repeat([0.5, 2.0], 15)
    logits = slopes * (abilities[:, None] - rng.normal(0.0, 1.0, 30))
    right = (rng.random(logits.shape) < 1.0 / (1.0 + np.exp(-logits))).astype(int)
    data = {f"s{at}": row[:, None] for at, row in enumerate(right)}
    found = [row.discrimination for row in errbar.items(data, model="2pl")]
    assert np.mean(found[15:]) > 1.6 * np.mean(found[:15])
    assert {row.discrimination for row in errbar.items(data)} == {1.0}


def test_the_command_writes_the_questions_of_a_subset(tmp_path: Path) -> None:
    path = tmp_path / "board.json"
    path.write_text(json.dumps(board()), encoding="utf-8")
    wanted = ["items", str(path), "--subset", "6", "--ids", str(tmp_path / "ids.txt")]
    ended = CliRunner().invoke(main, [*wanted, "--format", "json"])
    assert ended.exit_code == 0, ended.output
    document = json.loads(ended.stdout)
    names = (tmp_path / "ids.txt").read_text("utf-8").split()
    assert len(names) == 6 == len({*names} - {"q00"})
    (only,) = document["subsets"]
    assert only["questions"] == ", ".join(names)
    assert 0.0 < only["swapped"] < 0.3
    assert len(document["systems"]) == 24
    assert len(document["rows"]) == 30
    refused = CliRunner().invoke(main, ["items", str(path), "--ids", str(tmp_path / "x")])
    assert refused.exit_code == 2
    assert "--subset" in refused.output


def test_what_says_nothing_about_questions_is_refused() -> None:
    with pytest.raises(InputError, match="on every question all systems are equally right"):
        errbar.items({"a": [[1], [0]], "b": [[1], [0]]})
    with pytest.raises(InputError, match="right or wrong"):
        errbar.items({"a": [[0.2], [0.7]], "b": [[0.1], [0.6]]})
    with pytest.raises(InputError, match="needs more than 30"):
        errbar.items(board(), subset=30)
    with pytest.raises(InputError, match="at least two systems"):
        errbar.items({"a": [[1], [0]]})


def test_a_system_that_solves_all_that_another_does_is_not_known_to_be_far_ahead() -> None:
    """The sandwich alone gave 3.3 ± 0.3: few questions that look alike leave it next to nothing."""
    better, worse = [[1]] * 6 + [[0]] * 4, [[1]] * 2 + [[0]] * 8
    found = errbar.items({"a": better, "b": worse})
    by_name = {row.system: row for row in found.systems}
    assert by_name["a"].interval.low < 0.0 < by_name["b"].interval.high


def test_difficulties_that_do_not_differ_have_no_interval() -> None:
    rows = {"a": [[1, 1, 0, 0]] * 20, "b": [[1, 0, 0, 0]] * 20}
    found = errbar.items(rows)
    assert all(np.isnan([row.sd, row.interval.low, row.interval.high]).all() for row in found)
    assert any("do not show that questions differ in difficulty" in note for note in found.remarks)
