"""Results of Terminal-Bench, of a run and of its trials."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, claims_of, remarks_of, rows_of, values_of

HERE = FIXTURES / "terminal_bench"
(RUN,) = HERE.iterdir()
LOG = RUN / "results.json"
STATUSES = {
    (True, "agent_timeout"): "ok",
    (False, "agent_timeout"): "limit",
    (False, "context_length_exceeded"): "limit",
    (False, "unknown_agent_error"): "error",
    (None, "agent_installation_failed"): "error",
    (None, "test_timeout"): "timeout",
}


def told() -> dict[str, Any]:
    return json.loads(LOG.read_text(encoding="utf-8"))


def test_a_row_for_each_trial() -> None:
    expected = [
        (
            one["task_id"],
            one["trial_name"],
            one["is_resolved"],
            STATUSES.get((one["is_resolved"], one["failure_mode"]), "ok"),
        )
        for one in told()["results"]
    ]
    rows = rows_of(LOG)
    keys = ("question", "trial", "outcome", "status")
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    names = {(row["system"], row["task"]) for row in rows}
    assert names == {("terminus · toy/model", "terminal-bench-core 0.1.1")}


@pytest.mark.parametrize("path", [HERE, RUN, LOG], ids=["all runs", "a run", "a file"])
def test_numbers_of_the_harness(path: Path) -> None:
    assert claims_of(path) == ["accuracy", "pass_at_k 2", "pass_at_k 3"]


def test_failures_of_the_infrastructure_can_be_left_out() -> None:
    resolved = [1, 1, 1], [0, 1, 0], [0], [0, 1]
    each = [sum(one) / len(one) for one in resolved]
    assert values_of(LOG, "avg", errors="missing") == pytest.approx([sum(each) / 4])
    assert "agent_installation_failed 1" in remarks_of(LOG)


def test_trials_are_counted_once_with_and_without_the_file_of_the_run(tmp_path: Path) -> None:
    assert "12 trials have a file" in remarks_of(RUN)
    shutil.copytree(RUN, tmp_path / "run")
    (tmp_path / "run" / "results.json").unlink()
    key = lambda row: row["trial"]  # noqa: E731
    files = sorted((tmp_path / "run").rglob("results.json"))
    assert sorted(rows_of(files), key=key) == sorted(rows_of(LOG), key=key)


def test_runs_of_one_agent_are_told_apart(tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copytree(RUN, tmp_path / name)
    names = {one.of.system for one in errbar.load(tmp_path).score("avg").estimates}
    assert names == {"terminus · toy/model (first)", "terminus · toy/model (second)"}


def test_a_run_without_metadata_goes_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    shutil.copy(LOG, tmp_path / "run")
    assert {row["system"] for row in rows_of(tmp_path / "run" / LOG.name)} == {"run"}


def test_an_accuracy_of_trials_is_not_held_against_one_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    whole = told()
    del whole["results"][0]
    del whole["pass_at_k"]
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert claims_of(path) == []
    assert "tasks have 2 to 3 trials" in remarks_of(path)


def trial(**changes: Any) -> str:
    whole = {"task_id": "a", "trial_name": "a.1", "is_resolved": True}
    return json.dumps({"results": [whole, {**whole, "trial_name": "a.2", **changes}]})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOG.read_text(encoding="utf-8")[:900], "it is not JSON"),
        (trial(task_id=None), "trial 1: there is no 'task_id'"),
        (trial(task_id={}), "trial 1, task_id: an id is text or a whole number"),
        (trial(is_resolved="yes"), "trial 1, is_resolved: true or false is expected"),
        (trial(is_resolved=float("nan")), "trial 1, is_resolved: true or false is expected"),
        (trial(trial_name=None), "trial 1, trial_name: an id is text or a whole number"),
        ('{"results": [3]}', "trial 0: an object is expected"),
        ('{"results": {"a": 3}}', "results: an array is expected"),
        ('{"results": []}', "no row to score"),
        ('{"results": ' + DEEP, "nested too deeply"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal(path, reader="terminal_bench")


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path, reader="terminal_bench")
    one = next(file for file in RUN.rglob("results.json") if file != LOG)
    require_read_or_refused(one, tmp_path, reader="terminal_bench")
