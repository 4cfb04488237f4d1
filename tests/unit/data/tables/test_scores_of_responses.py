"""What else a table says of one response: flags, tests, outputs, points, and of an attack."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError

RIGHT = [True, True, False, True, False, False, True, True, True, False]  # 6 of 10


def avg(data: Any, **how: Any) -> float:
    (score,) = errbar.load(data, **how).score("avg")
    return score.value


def marked(data: Any) -> str:
    remarks = above(errbar.load(data).score("avg").notes())
    return " ".join(remark for remark in remarks if remark.startswith(MARK))


# Flags of a run.


@pytest.mark.parametrize(
    "names",
    [
        ("compiled", "used_tool"),
        ("valid_json", "answered"),
        ("syntax_ok", "build_passed"),
        ("parsed", "cited", "executed"),
    ],
)
def test_flags_of_a_run_are_no_systems(names: tuple[str, ...]) -> None:
    rows = [
        {"id": at, **{name: (at + shift) % 3 > 0 for shift, name in enumerate(names)}}
        for at in range(12)
    ]
    with pytest.raises(InputError, match=f"only right and wrong values: '{names[0]}'"):
        errbar.load(rows)


def test_verdicts_of_systems_are_still_systems() -> None:
    rows = [{"id": at, "gpt_passed": at % 2, "qwen_passed": at % 3 > 0} for at in range(6)]
    assert {s.system: s.value for s in errbar.load(rows).score("avg")} == pytest.approx(
        {"gpt_passed": 1 / 2, "qwen_passed": 2 / 3}
    )


# What a program returned.


@pytest.mark.parametrize("values", [[42] * 5, [81236, 9143, 77120, 55, 120934], [-1, -1, -1]])
def test_what_a_program_returned_is_no_reward(values: list[int]) -> None:
    rows = [{"id": at, "result": value} for at, value in enumerate(values)]
    with pytest.raises(InputError, match="what a program returned"):
        errbar.load(rows)
    assert avg(rows, outcome="result") == pytest.approx(sum(values) / len(values))
    beside = [{**row, "accuracy": row["id"] % 2} for row in rows]
    assert avg(beside) == pytest.approx(len(rows) // 2 / len(rows))


def test_results_of_small_or_right_and_wrong_numbers_are_outcomes() -> None:
    assert avg([{"id": at, "result": 1} for at in range(4)]) == 1
    assert avg([{"id": at, "result": value} for at, value in enumerate([3, 5, 4])]) == 4


# Attacks.


@pytest.mark.parametrize("outcome", ["success", "hit", "score"])
@pytest.mark.parametrize("beside", ["attack_method", "jailbreak", "injection_type"])
def test_the_direction_of_the_outcome_of_an_attack_is_said(outcome: str, beside: str) -> None:
    rows = [{"id": at, beside: "x", outcome: int(right)} for at, right in enumerate(RIGHT)]
    assert f"By '{beside}', rows are of attacks, and a higher '{outcome}'" in marked(rows)
    assert avg(rows) == 0.6
    assert avg(rows, right=["0", "false"]) == 0.4
    how = errbar.load(rows, right=["0", "false"]).score("avg").notes()
    assert not any("rows are of attacks" in note for note in how)


def test_words_that_resemble_attacks_are_no_attacks() -> None:
    rows = [{"id": at, "payload_kg": 3, "attacking": 1, "correct": 1} for at in range(3)]
    assert "attacks" not in marked(rows)  # 'correct' is not the success of an attack


# Points, lists and shares.


def test_points_beside_their_maximum_are_shares() -> None:
    rows = [{"id": at, "points": at % 4, "max_points": 3 + at % 2} for at in range(8)]
    wanted = sum(Fraction(row["points"], row["max_points"]) for row in rows) / 8
    assert avg(rows) == pytest.approx(float(wanted))
    assert "divided by 'max_points'" in marked(rows)


def test_a_column_of_lists_of_grades_has_trials(tmp_path: Path) -> None:
    grades = [[True, False, True, True], [False] * 4, [True] * 4]
    pq.write_table(pa.table({"id": ["a", "b", "c"], "grades": grades}), tmp_path / "a.parquet")
    (score,) = errbar.load(tmp_path / "a.parquet").score("avg")
    assert score.value == pytest.approx(7 / 12)
    assert (score.questions, score.trials) == (3, 12)


@pytest.mark.parametrize("name", ["pass_rate", "success_rate", "solve_rate"])
@pytest.mark.parametrize("digits", [2, 6])
def test_a_share_beside_its_number_of_trials_counts_them(
    name: str, digits: int, tmp_path: Path
) -> None:
    right = [0, 3, 8, 5, 1, 7]
    rows = [{"id": f"q{at}", name: round(n / 8, digits), "n": 8} for at, n in enumerate(right)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    for data in (rows, tmp_path / "a.json"):
        scores = errbar.load(data).score("avg", "pass@8", "pass^8")
        assert [score.value for score in scores] == pytest.approx([24 / 48, 5 / 6, 1 / 6])
        assert scores[0].trials == 48
    assert avg(rows, outcome=name) == pytest.approx(0.5, abs=1e-2)


def test_a_share_beside_a_number_is_a_total_without_ids() -> None:
    rows = [{"category": name, "pass_rate": 0.5, "n": 40} for name in ("a", "b", "c")]
    with pytest.raises(InputError):
        errbar.load(rows)


# Tests of a program.

PASSED = [[True, True, True], [True, False, True], [False, False, False], [True, True, True]]


@pytest.mark.parametrize(
    "row",
    [
        lambda tests: {"tests_passed": tests},
        lambda tests: {"test_results": [{"name": "t", "passed": test} for test in tests]},
        lambda tests: {"tests_passed": sum(tests), "tests_total": len(tests)},
        lambda tests: {"passed_tests": sum(tests), "total_tests": len(tests)},
        lambda tests: {"tests_passed": sum(tests), "tests_failed": len(tests) - sum(tests)},
        lambda tests: {
            "passed_tests": [f"t{at}" for at, test in enumerate(tests) if test],
            "failed_tests": [f"t{at}" for at, test in enumerate(tests) if not test],
        },
    ],
    ids=["list", "objects", "numbers", "total", "failed", "names"],
)
def test_a_program_is_right_if_it_passed_all_of_its_tests(row: Any, tmp_path: Path) -> None:
    rows = [{"task_id": f"t{at}", **row(tests)} for at, tests in enumerate(PASSED)]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    for data in (rows, tmp_path / "a.json"):
        assert avg(data) == 0.5
        assert "(mean of all rows 0.5); the mean share of tests passed is 0.6667" in marked(data)


def test_tests_under_the_key_of_a_question_are_those_of_its_answer(tmp_path: Path) -> None:
    document = {
        f"HumanEval/{at}": {
            "status": "success" if all(tests) else "partial",
            "success_rate": sum(tests) / len(tests),
            "passed_count": sum(tests),
            "total_tests": len(tests),
            "test_results": [{"passed": test, "result": 3, "expected": 3} for test in tests],
        }
        for at, tests in enumerate(PASSED)
    }
    (tmp_path / "a.json").write_text(json.dumps(document))
    assert avg(tmp_path / "a.json") == 0.5
    assert "the mean share of tests passed is 0.6667" in marked(tmp_path / "a.json")


def test_a_reward_beside_the_numbers_of_tests_is_the_outcome() -> None:
    rows = [{"id": at, "reward": at % 2, "passed": 9 + at, "failed": 4} for at in range(6)]
    assert avg(rows) == 0.5
    with pytest.raises(InputError, match="succeeded and failed"):
        errbar.load([{"id": at, "passed": 9 + at, "failed": 4} for at in range(6)])


def test_other_measures_are_named_by_their_last_word() -> None:
    rows = [{"id": at, "exact_match": at % 2, "execution_accuracy": 1} for at in range(6)]
    assert avg(rows) == 0.5
    assert "'execution_accuracy' has mean 1 and differs in 3 rows" in marked(rows)


def test_faults_and_counts_beside_a_verdict_are_no_other_outcomes() -> None:
    rows = [
        {
            "id": at,
            "grade": {"success": at % 2, "wrong_order": 0, "num_calls": 3, "retry_count": 1},
        }
        for at in range(6)
    ]
    assert avg(rows) == 0.5
    assert marked(rows) == ""
    rows = [{"id": at, "grade": {"success": at % 2, "strict": 0}} for at in range(6)]
    assert "'grade.strict' has mean 0 and differs in 3 rows" in marked(rows)
