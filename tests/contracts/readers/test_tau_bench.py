"""Results of τ-bench."""

import json
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, real, remarks_of, rows_of, values_of

LOG = FIXTURES / "tau_bench" / "tool-calling-toy.json"


def told() -> list[dict[str, Any]]:
    return json.loads(LOG.read_text(encoding="utf-8"))


def test_a_row_for_each_trial() -> None:
    rows = rows_of(LOG)
    expected = [(str(each["task_id"]), each["trial"], each["reward"]) for each in told()]
    assert [(row["question"], row["trial"], row["outcome"]) for row in rows] == expected
    assert [row["status"] == "error" for row in rows] == [
        "error" in each["info"] for each in told()
    ]
    assert {row["system"] for row in rows} == {"tool-calling-toy"}


@pytest.mark.parametrize("k", [1, 2, 3])
def test_pass_hat_k_as_tau_bench_has_it(k: int) -> None:
    right = [sum(each["reward"] for each in told() if each["task_id"] == task) for task in range(5)]
    expected = sum(Fraction(comb(int(c), k), comb(3, k)) for c in right) / 5
    assert values_of(LOG, f"pass^{k}") == pytest.approx([float(expected)], abs=1e-12)


def test_errors_count_as_wrong_or_are_left_out_and_are_reported() -> None:
    assert values_of(LOG, "avg") == pytest.approx([7 / 15])
    each = [Fraction(3, 3), Fraction(2, 3), Fraction(0), Fraction(1, 2), Fraction(1, 1)]
    assert values_of(LOG, "avg", errors="missing") == pytest.approx([float(sum(each) / 5)])
    (remark,) = errbar.load(LOG).inspect().origin.remarks
    assert "3 of 15" not in remark  # another remark counts rows without a result
    assert "APIConnectionError" in remark


def test_parts_of_a_reward_are_no_success_unless_they_are_requested(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    rows = told()
    rows[0]["reward"], rows[1]["reward"] = 0.5, 1 - 1e-9
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert [row["outcome"] for row in rows_of(path)][:2] == [0.0, 1.0]
    assert rows_of(path, scorer="reward")[0]["outcome"] == 0.5
    assert "Using scorer 'success'" in remarks_of(path)


def test_rewards_with_bonuses_and_penalties_are_rewards(tmp_path: Path) -> None:
    """Where no reward is 1 any more, no trial would be a success."""
    path = tmp_path / "a.json"
    rows = [row | {"reward": row["reward"] * 1.02 - 0.07} for row in told()]
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert [row["outcome"] for row in rows_of(path)] == [row["reward"] for row in rows]
    assert {row["outcome"] for row in rows_of(path, scorer="success")} == {0.0}
    remarks = remarks_of(path)
    mean = sum(row["reward"] for row in rows) / len(rows)
    assert f"15 of 15 rewards are neither 0 nor 1: the mean is {mean:.4g} of the rewards" in remarks
    assert "Using scorer 'reward'" in remarks


def test_real_results() -> None:
    folder = real("tau-bench")
    airline, retail = folder / "gpt-4o-airline.json", next(folder.glob("tool-calling*"))
    values = values_of(airline, "pass^1", "pass^2", "pass^3", "pass^4")
    assert [f"{value:.3f}" for value in values] == ["0.420", "0.273", "0.220", "0.200"]
    assert values_of(retail, "avg") == pytest.approx([0.28696], abs=5e-6)
    assert values_of(retail, "avg", errors="missing") == pytest.approx([0.4125])
    assert {row["task"] for row in rows_of(folder)} == {"airline", "retail"}


def run(path: Path, tasks: list[str], policy: str = "# Policy") -> Path:
    rows = [
        {
            "task_id": at,
            "reward": float(at % 2),
            "info": {"task": {"instruction": task}} if task else {"error": "reset by peer"},
            "traj": [{"role": "system", "content": policy}] if task else [],
            "trial": 0,
        }
        for at, task in enumerate(tasks)
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_files_of_two_domains_are_two_tasks(tmp_path: Path) -> None:
    run(tmp_path / "gpt-airline.json", ["fly", "land"], "# Airline Agent Policy\n\nBe polite.")
    run(tmp_path / "gemini.json", ["exchange", ""], "# Retail agent policy")
    found = {(row["system"], row["task"]) for row in rows_of(tmp_path)}
    assert found == {("gpt", "airline"), ("gemini", "retail")}
    assert "Tasks: retail, airline, by the policy" in remarks_of(tmp_path)


def test_the_domain_may_be_in_the_name_of_a_file(tmp_path: Path) -> None:
    run(tmp_path / "gpt-airline.json", ["fly"])
    run(tmp_path / "gpt-retail.json", ["exchange"])
    found = {(row["system"], row["task"]) for row in rows_of(tmp_path)}
    assert found == {("gpt", "airline"), ("gpt", "retail")}


def test_questions_that_info_says_differ_are_not_paired(tmp_path: Path) -> None:
    run(tmp_path / "a.json", ["fly", "land", "same"])
    run(tmp_path / "b.json", ["exchange", "", "same"])
    run(tmp_path / "c.json", ["exchange", "return", ""])
    questions = {
        system: [row["question"] for row in rows_of(tmp_path) if row["system"] == system]
        for system in "abc"
    }
    assert questions["a"] == ["0", "1", "2"]
    assert questions["b"][::2] == ["0 (2)", "2"]
    assert questions["c"] == ["0 (2)", "1 (2)", "2 (2)"]
    assert "⚠ 2 of 3 task ids have different tasks in info.task" in remarks_of(tmp_path)


def test_a_file_without_a_system_is_named_in_remarks(tmp_path: Path) -> None:
    run(tmp_path / "a.json", ["fly", ""])
    run(tmp_path / "b.json", ["exchange", "return"])
    assert "a: the error is" in remarks_of(tmp_path, files="tasks")


def row(**changes: Any) -> str:
    whole = {"task_id": 0, "reward": 1.0, "info": {}, "traj": [], "trial": 0}
    return json.dumps([whole, {**whole, "task_id": 1, **changes}])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOG.read_text(encoding="utf-8")[:900], "this is not valid JSON"),
        (row(task_id=None), "row 1, task_id: an id must be text or an integer; found null"),
        (row(task_id=[]), "row 1, task_id: an id must be text or an integer"),
        (row(trial="first"), "row 1, trial: expected a trial number"),
        (row()[:-1] + ", null]", "row 2: expected an object"),
        (row()[:-1] + ", " + DEEP, "nested too deeply"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal(path)


@pytest.mark.parametrize("reward", [None, "1", float("nan"), float("inf"), [1.0]])
def test_a_reward_that_is_no_number_is_no_result(reward: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(row(reward=reward), encoding="utf-8")
    assert [each["status"] for each in rows_of(path)] == ["ok", "unscored"]


def test_trials_without_a_number_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(row(trial=None, task_id=0), encoding="utf-8")
    assert [each["trial"] for each in rows_of(path)] == [0, 1]
    assert "numbered by order" in remarks_of(path)


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path, reader="tau_bench")
