"""Outputs of MathArena, held against the pass_at_1 that each problem states."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, agreements_of, claims_of, remarks_of, rows_of, runs_of

HERE = FIXTURES / "matharena"
PLACE = HERE / "outputs" / "aime" / "aime_2025"
ONE, TWO = PLACE / "acme" / "toy-1", PLACE / "acme" / "toy-2"


def told(path: Path) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return whole


def test_a_row_for_each_position_of_the_lists() -> None:
    expected = {}
    for folder in (ONE, TWO):
        for path in folder.iterdir():
            for trial, each in enumerate(told(path)["correct"]):
                outcome = float(each) if isinstance(each, bool) else None
                expected[f"acme/{folder.name}", path.stem, trial] = outcome
    rows = rows_of(HERE)
    found = {(row["system"], row["question"], row["trial"]): row["outcome"] for row in rows}
    assert found == expected
    assert len(rows) == len(expected) == 32
    assert {row["task"] for row in rows} == {"aime/aime_2025"}


def test_answers_targets_costs_and_types() -> None:
    (row,) = [row for row in rows_of(ONE) if (row["question"], row["trial"]) == ("3", 2)]
    assert (row["answer"], row["target"], row["cost"]) == ("1", "16", 0.5)
    assert row["type"] == "Algebra, Number Theory"


def test_where_no_answer_was_found_there_is_none() -> None:
    (row,) = [row for row in rows_of(TWO) if (row["question"], row["trial"]) == ("2", 1)]
    assert (row["answer"], row["outcome"]) == (None, 0.0)


def test_the_mean_that_the_problems_state() -> None:
    means = [told(path)["pass_at_1"] for path in ONE.iterdir()]
    (value,) = [estimate.value for estimate in errbar.load(ONE).score("avg").estimates]
    assert value == pytest.approx(sum(means) / len(means))
    assert claims_of(ONE) == ["N (sum of the problems)", "pass_at_1 (mean of the problems)"]


def test_what_is_still_to_be_graded_has_no_result() -> None:
    left = [row for row in rows_of(HERE) if row["status"] == "unscored"]
    assert [(row["system"], row["question"], row["outcome"]) for row in left] == [
        ("acme/toy-2", "4", None)
    ]
    assert "1 trials are not graded yet" in remarks_of(HERE)
    assert claims_of(TWO) == ["N (sum of the problems)"]


def test_gradings_set_by_hand_are_reported() -> None:
    assert "acme/toy-1 · aime/aime_2025: 1 gradings were set by hand" in remarks_of(HERE)


def test_every_file_is_accounted_for() -> None:
    accounts = runs_of(HERE).source.origin.accounts
    assert {path: account.rows for path, account in accounts.items()} == {
        path: len(told(path)["correct"]) for path in HERE.rglob("*.json")
    }


def test_answers_that_nothing_grades_have_no_result(tmp_path: Path) -> None:
    path = tmp_path / "1.json"
    path.write_text(json.dumps({**told(ONE / "1.json"), "correct": [True]}), encoding="utf-8")
    assert [row["outcome"] for row in rows_of(path)] == [1.0, None, None, None]


def test_a_problem_goes_by_the_name_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "1.json"
    path.write_text(json.dumps({**told(ONE / "1.json"), "idx": 0}), encoding="utf-8")
    assert {row["question"] for row in rows_of(path)} == {"1"}
    assert "in 1 files 'idx' differs from the number in the file name" in remarks_of(path)


@pytest.mark.parametrize(
    ("folder", "system", "task"),
    [
        ("outputs/aime/aime_2025/acme/toy", "acme/toy", "aime/aime_2025"),
        ("outputs/aime_2025/acme/toy", "acme/toy", "aime_2025"),
        ("outputs/aime_2025/toy", "toy", "aime_2025"),
        ("aime_2025/toy", "toy", "aime_2025"),
    ],
)
def test_folders_name_the_model_and_the_competition(
    folder: str, system: str, task: str, tmp_path: Path
) -> None:
    place = tmp_path / folder
    place.mkdir(parents=True)
    shutil.copy(ONE / "1.json", place)
    assert {(row["system"], row["task"]) for row in rows_of(tmp_path)} == {(system, task)}
    assert ("Systems and tasks: the two folders" in remarks_of(tmp_path)) is (
        "outputs" not in folder
    )


def test_a_further_file_of_a_problem_has_further_trials(tmp_path: Path) -> None:
    for run in ("a", "b"):
        place = tmp_path / run / "outputs" / "aime" / "toy"
        place.mkdir(parents=True)
        shutil.copy(ONE / "1.json", place)
    assert sorted(row["trial"] for row in rows_of(tmp_path)) == list(range(8))
    assert "1 files repeat a problem of another file" in remarks_of(tmp_path)


def test_a_wrong_statement_is_found(tmp_path: Path) -> None:
    path = tmp_path / "1.json"
    path.write_text(json.dumps({**told(ONE / "1.json"), "pass_at_1": 0.5}), encoding="utf-8")
    with pytest.raises(AssertionError, match="NOT THE SAME"):
        agreements_of(path)


def test_a_problem_without_trials_is_missing(tmp_path: Path) -> None:
    shutil.copy(ONE / "1.json", tmp_path)
    empty = {**told(ONE / "2.json"), "correct": [], "answers": [], "N": 0, "pass_at_1": None}
    (tmp_path / "2.json").write_text(json.dumps(empty), encoding="utf-8")
    assert [row["status"] for row in rows_of(tmp_path)] == ["ok"] * 4 + ["missing"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"correct": ["yes"]}, "correct, 0: true, false or a share of points is expected"),
        ({"correct": {"a": 1}}, "correct: expected an array"),
        ({"correct": None}, "there is no 'correct'"),
        ({"answers": "70"}, "answers: expected an array"),
    ],
)
def test_what_is_broken_is_named(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "1.json"
    path.write_text(json.dumps({**told(ONE / "1.json"), **change}), encoding="utf-8")
    assert said in refusal(path, reader="matharena")


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "1.json"
    path.write_text('{"idx": 1, "problem": ' + DEEP, encoding="utf-8")
    assert "nested too deeply" in refusal(path, reader="matharena")


def test_broken_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(ONE, tmp_path, reader="matharena")
