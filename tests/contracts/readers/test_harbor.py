"""Jobs of Harbor and their trials."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import refusal, require_clear_refusals, require_read_or_refused
from errbar.base.remarks import MARK, above
from errbar.data.readers.choices import Choice
from errbar.data.readers.harbor import READER
from errbar.errors import InputError
from logs import FIXTURES, claims_of, remarks_of, rows_of, runs_of, values_of

HERE = FIXTURES / "harbor"
JOB = HERE / "2026-01-02__03-04-05"
RUBRIC = HERE / "rubric"
SYSTEM = "terminus-2 · toy/model"
# Of whether there is a reward that is not 0, and the exception: the rest is as the reward says.
STATUSES = {
    (0.0, "AgentTimeoutError"): "limit",
    (0.0, "NonZeroAgentExitCodeError"): "error",
    (None, "VerifierTimeoutError"): "timeout",
    (None, "RewardFileNotFoundError"): "error",
    (None, "CancelledError"): "error",
}


def trials(job: Path) -> list[dict[str, Any]]:
    return [json.loads(file.read_text()) for file in sorted(job.glob("*/result.json"))]


def changed(file: Path, **changes: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | changes), encoding="utf-8")


def copied(place: Path, job: str, mark: str = "") -> Path:
    """A copy of a job whose trials are others where there is a mark."""
    shutil.copytree(JOB, place / job)
    if mark:
        changed(place / job / "result.json", id=mark)
    for file in (place / job).glob("*/result.json") if mark else ():
        changed(file, id=f"{mark} {file.parent.name}")
    return place / job


def test_a_row_for_each_trial() -> None:
    expected = []
    for trial in trials(JOB):
        reward = trial["verifier_result"] and trial["verifier_result"]["rewards"]["reward"]
        exception = trial["exception_info"] and trial["exception_info"]["exception_type"]
        used = trial["agent_result"] or {}
        expected.append(
            (
                trial["task_name"],
                trial["trial_name"],
                reward,
                STATUSES.get((reward, exception), "ok"),
                exception,
                used.get("cost_usd"),
                used.get("n_input_tokens"),
                used.get("n_output_tokens"),
            )
        )
    rows = rows_of(JOB)
    counts = ("cost", "input_tokens", "output_tokens")
    keys = ("question", "trial", "outcome", "status", "exception", *counts)
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    assert {(row["system"], row["task"]) for row in rows} == {(SYSTEM, "toy-bench")}


def test_numbers_of_the_job() -> None:
    names = ["mean", "trials with reward 1", "n_total_trials", "pass_at_k 2", "pass_at_k 4"]
    assert claims_of(JOB) == names
    stats = json.loads((JOB / "result.json").read_text())["stats"]
    (told,) = stats["evals"].values()
    assert values_of(JOB, "avg") == pytest.approx([told["metrics"][0]["mean"]])


def test_trials_without_the_file_of_the_job() -> None:
    files = sorted(JOB.glob("*/result.json"))
    assert rows_of(files) == rows_of(JOB)
    assert claims_of(files) == []


def test_a_job_without_its_trials_is_refused() -> None:
    assert "it has only totals of a job" in refusal(JOB / "result.json")


def test_one_of_several_rewards_is_chosen() -> None:
    (said,) = above(runs_of(RUBRIC).source.origin.remarks)
    assert "Trials have the rewards tests, style; using 'tests'" in said
    assert values_of(RUBRIC, "avg") == pytest.approx([(0.75 + 0.75 + 0.25 + 0) / 4])
    assert values_of(RUBRIC, "avg", scorer="style") == pytest.approx([(0.5 + 0.5 + 1 + 0) / 4])
    assert "mean" in claims_of(RUBRIC, scorer="style")
    with pytest.raises(InputError, match="there is no reward 'speed'"):
        errbar.load(RUBRIC, scorer="speed")


def test_metrics_that_are_no_means_are_not_taken_for_such(tmp_path: Path) -> None:
    shutil.copytree(RUBRIC, tmp_path / "rubric")
    changed(tmp_path / "rubric" / "config.json", metrics=[{"type": "max"}])
    assert "mean" not in claims_of(tmp_path)


def test_data_sets_with_other_rewards_are_each_scored_by_their_own() -> None:
    assert {row["system"]: row["status"] for row in rows_of(HERE)}.keys() == {
        SYSTEM,
        "oracle · toy/model",
    }
    counts = Counter(row["outcome"] is None for row in rows_of(HERE))
    assert counts == {False: 9 + 3, True: 3 + 1}


def test_jobs_of_one_agent_are_joined_and_stated(tmp_path: Path) -> None:
    copied(tmp_path, "first")
    copied(tmp_path, "second", "other")
    rows = rows_of(tmp_path)
    assert {row["system"] for row in rows} == {SYSTEM}
    assert len({(row["question"], row["trial"]) for row in rows}) == len(rows) == 24
    assert claims_of(tmp_path) == ["mean of 2 jobs", "trials with reward 1 of 2 jobs"]
    (said,) = above(runs_of(tmp_path).source.origin.remarks)
    assert "those of 2 jobs (first, second) are joined (files='systems' to change)" in said
    log = READER.read(sorted(tmp_path.rglob("result.json")), Choice(files="systems"))
    assert Counter(log.columns["system"]) == {f"{SYSTEM} (first)": 12, f"{SYSTEM} (second)": 12}


def test_copies_of_trials_are_counted_once(tmp_path: Path) -> None:
    copied(tmp_path, "first")
    copied(tmp_path, "second")
    assert len(rows_of(tmp_path)) == 12
    assert "the same content as another" in remarks_of(tmp_path)
    for file in (tmp_path / "second").glob("*/result.json"):
        file.write_text(file.read_text() + "\n")
    assert len(rows_of(tmp_path)) == 12
    assert "12 trials are copies of others by their ids" in remarks_of(tmp_path)


def test_trials_in_the_file_of_the_job_are_counted_once(tmp_path: Path) -> None:
    job = copied(tmp_path, "job")
    changed(job / "result.json", trial_results=trials(job))
    assert rows_of(tmp_path) == rows_of(JOB)
    assert rows_of(job / "result.json") == rows_of(JOB)


def test_an_agent_of_another_version_is_another_system(tmp_path: Path) -> None:
    copied(tmp_path, "first")
    for file in copied(tmp_path, "second", "other").glob("*/result.json"):
        info = json.loads(file.read_text())["agent_info"]
        changed(file, agent_info={**info, "version": "2.0.0"})
    names = Counter(row["system"] for row in rows_of(tmp_path))
    assert names == {f"{SYSTEM} (version=1.0.0)": 12, f"{SYSTEM} (version=2.0.0)": 12}


def test_agents_that_name_no_model_are_not_merged_over_jobs(tmp_path: Path) -> None:
    for job in ("opus", "sonnet"):
        for file in copied(tmp_path, job, job).glob("*/result.json"):
            info = json.loads(file.read_text())["agent_info"] | {"model_info": None}
            changed(file, agent_info=info, config={})
    names = Counter(row["system"] for row in rows_of(tmp_path))
    assert names == {"terminus-2 (opus)": 12, "terminus-2 (sonnet)": 12}
    assert "trials that name no model are separated by job" in remarks_of(tmp_path)


def test_a_later_grade_takes_the_place_of_the_earlier(tmp_path: Path) -> None:
    copied(tmp_path, "first")
    for file in copied(tmp_path, "second", "regrade").glob("*/result.json"):
        whole = json.loads(file.read_text())
        source = json.loads((JOB / file.parent.name / "result.json").read_text())["id"]
        config = {**whole["config"], "source_trial": {"action": "regrade", "trial_id": source}}
        changed(
            file, config=config, verifier_result={"rewards": {"reward": 1}}, exception_info=None
        )
    assert {row["outcome"] for row in rows_of(tmp_path)} == {1.0}
    assert "12 trials were regraded" in remarks_of(tmp_path)


def test_a_trial_with_neither_reward_nor_exception_is_not_scored(tmp_path: Path) -> None:
    job = copied(tmp_path, "job")
    changed(next(job.glob("hello*/result.json")), verifier_result=None, exception_info=None)
    assert Counter(row["status"] for row in rows_of(job))["unscored"] == 1
    said = above(runs_of(job).source.origin.remarks)
    assert any("1 trials have neither a reward nor an exception" in each for each in said)
    assert claims_of(job) == []


def test_trials_of_steps_have_the_exception_and_the_costs_of_these(tmp_path: Path) -> None:
    job = copied(tmp_path, "job")
    file = next(job.glob("hello*/result.json"))
    step = {
        "step_name": "one",
        "agent_result": {"cost_usd": 0.5, "n_input_tokens": 7},
        "exception_info": {"exception_type": "AgentTimeoutError"},
    }
    changed(file, verifier_result=None, agent_result=None, step_results=[step, step])
    (row,) = [row for row in rows_of(job) if row["trial"] == file.parent.name]
    assert (row["status"], row["cost"], row["input_tokens"]) == ("timeout", 1.0, 14)


@pytest.mark.parametrize(
    ("stats", "said"),
    [
        ({"n_completed_trials": 13}, "n_completed_trials 13; its trials give 12"),
        ({"n_errored_trials": 2}, "n_errored_trials 2; its trials give 7"),
        ({"cost_usd": 1.0}, "cost_usd 1; its trials give"),
        ({"n_input_tokens": 5}, "n_input_tokens 5; its trials give"),
        ({"n_pending_trials": 3}, "the job is not finished (n_pending_trials 3)"),
        ({"evals": {"x__y__z": {}}}, "scores of x__y__z, but none of its trials is in the data"),
    ],
)
def test_a_job_that_contradicts_its_trials_is_warned_of(
    stats: dict[str, Any], said: str, tmp_path: Path
) -> None:
    job = copied(tmp_path, "job")
    whole = json.loads((job / "result.json").read_text())
    changed(job / "result.json", stats=whole["stats"] | stats)
    (found,) = above(runs_of(job).source.origin.remarks)
    assert said in found
    assert found.startswith(MARK)


def test_a_mean_that_is_not_that_of_the_trials_is_warned_of(tmp_path: Path) -> None:
    job = copied(tmp_path, "job")
    file = job / "result.json"
    file.write_text(file.read_text().replace('"mean": 0.41', '"mean": 0.51'), encoding="utf-8")
    assert "the job states mean of terminus-2__model__toy-bench 0.516667" in remarks_of(job)
    assert not all(agreement.holds for agreement in runs_of(job).agreements())


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    (tmp_path / "clear").mkdir()
    (tmp_path / "folder").mkdir()
    log = next(JOB.glob("hello*/result.json"))
    require_read_or_refused(log, tmp_path / "file", reader="harbor")
    require_clear_refusals(log, tmp_path / "clear", reader="harbor")
    require_read_or_refused(RUBRIC, tmp_path / "folder", reader="harbor")
