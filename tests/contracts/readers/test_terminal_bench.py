"""Results of Terminal-Bench, of a run and of its trials."""

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from errbar.base.remarks import MARK, above
from errbar.data.readers.choices import Choice
from errbar.data.readers.terminal_bench import READER
from logs import FIXTURES, claims_of, real, remarks_of, rows_of, runs_of, values_of

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


def remarks_of_all(path: Path) -> tuple[str, ...]:
    return runs_of(path).source.origin.remarks


def test_a_row_for_each_trial() -> None:
    expected = [
        (
            result["task_id"],
            result["trial_name"],
            result["is_resolved"],
            STATUSES.get((result["is_resolved"], result["failure_mode"]), "ok"),
        )
        for result in told()["results"]
    ]
    rows = rows_of(LOG)
    keys = ("question", "trial", "outcome", "status")
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    names = {(row["system"], row["task"]) for row in rows}
    assert names == {("terminus · toy/model", "terminal-bench-core 0.1.1")}


@pytest.mark.parametrize("path", [HERE, RUN, LOG], ids=["all runs", "a run", "a file"])
def test_numbers_of_the_harness(path: Path) -> None:
    assert claims_of(path) == [
        "accuracy",
        "n_resolved",
        "resolved_ids",
        "n_resolved + n_unresolved",
        "pass_at_k 2",
        "pass_at_k 3",
    ]


def test_failures_of_the_infrastructure_can_be_left_out() -> None:
    resolved = [1, 1, 1], [0, 1, 0], [0], [0, 1]
    each = [sum(each) / len(each) for each in resolved]
    assert values_of(LOG, "avg", errors="missing") == pytest.approx([sum(each) / 4])
    assert "agent_installation_failed 1" in remarks_of(LOG)


def test_trials_are_counted_once_with_and_without_the_file_of_the_run(tmp_path: Path) -> None:
    assert "12 rows left out: trials that are also in the file of their run" in remarks_of(RUN)
    shutil.copytree(RUN, tmp_path / "run")
    (tmp_path / "run" / "results.json").unlink()
    key = lambda row: row["trial"]  # noqa: E731
    files = sorted((tmp_path / "run").rglob("results.json"))
    assert sorted(rows_of(files), key=key) == sorted(rows_of(LOG), key=key)


def a_run(place: Path, name: str, **metadata: Any) -> Path:
    """Another run of the same agent, of which the first trial of a task is resolved."""
    whole = told()
    whole["id"] = name
    for at, result in enumerate(whole["results"]):
        result["trial_name"] = result["trial_name"].replace(RUN.name, name)
        result["is_resolved"] = at < 4
    resolved = [result["task_id"] for result in whole["results"][:4]]
    whole |= {"n_resolved": 4, "n_unresolved": 8, "resolved_ids": resolved, "accuracy": 4 / 12}
    whole |= {
        "unresolved_ids": [result["task_id"] for result in whole["results"][4:]],
        "pass_at_k": {},
    }
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(whole), encoding="utf-8")
    if metadata:
        metadata |= {"dataset_name": "terminal-bench-core", "dataset_version": "0.1.1"}
        place.with_name("run_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
    return place


SAME = {"agent_name": "terminus", "model_name": "toy/model"}


def test_runs_of_one_agent_are_trials_of_it(tmp_path: Path) -> None:
    shutil.copytree(RUN, tmp_path / RUN.name)
    a_run(tmp_path / "again" / "results.json", "again", **SAME)
    rows = rows_of(tmp_path)
    assert {row["system"] for row in rows} == {"terminus · toy/model"}
    assert len({(row["question"], row["trial"]) for row in rows}) == len(rows) == 24
    assert values_of(tmp_path, "avg") == pytest.approx([(5 + 4) / 24])
    assert claims_of(tmp_path) == [
        "accuracy, mean of 2 runs",
        "n_resolved of 2 runs",
        "resolved_ids of 2 runs",
        "n_resolved + n_unresolved of 2 runs",
    ]
    (said,) = above(remarks_of_all(tmp_path))
    assert "2 runs of one agent, model and data set" in said
    assert "are read as trials of one system (files='systems' to change)" in said


def test_runs_of_one_agent_can_be_separated(tmp_path: Path) -> None:
    shutil.copytree(RUN, tmp_path / RUN.name)
    a_run(tmp_path / "again" / "results.json", "again", **SAME)
    log = READER.read(sorted(tmp_path.rglob("results.json")), Choice(files="systems"))
    assert Counter(log.columns["system"]) == {
        f"terminus · toy/model ({RUN.name})": 12,
        "terminus · toy/model (again)": 12,
    }


def test_agents_of_other_arguments_are_other_systems(tmp_path: Path) -> None:
    for name in ("low", "high"):
        a_run(tmp_path / name / "results.json", name, **SAME, agent_kwargs={"effort": name})
    names = Counter(row["system"] for row in rows_of(tmp_path))
    assert names == {
        "terminus · toy/model (effort=low)": 12,
        "terminus · toy/model (effort=high)": 12,
    }


def test_runs_whose_trials_have_the_same_names_are_still_other_trials(tmp_path: Path) -> None:
    for name in ("first", "second"):
        file = a_run(tmp_path / name / "results.json", "same", **SAME)
        file.write_text(file.read_text().replace('"id": "same"', f'"id": "{name}"'))
    rows = rows_of(tmp_path)
    assert len({(row["question"], row["trial"]) for row in rows}) == len(rows) == 24


def test_a_copy_of_a_run_is_counted_once_and_stated(tmp_path: Path) -> None:
    for name in ("first", "second"):
        shutil.copytree(RUN, tmp_path / name)
    assert len(rows_of(tmp_path)) == 12
    assert "the same content as another" in remarks_of(tmp_path)
    for name in ("first", "second"):
        (tmp_path / name / "results.json").unlink()
    assert len(rows_of(tmp_path)) == 12


def test_files_side_by_side_without_metadata_are_runs_of_their_folder(tmp_path: Path) -> None:
    for agent in ("20250829_goose_opus", "20250829_goose_sonnet"):
        for day in range(1, 6):
            name = f"2025-08-0{day}__10-00-00"
            a_run(tmp_path / agent / f"{name}_results.json", f"{agent} {name}")
    rows = rows_of(tmp_path)
    assert Counter(row["system"] for row in rows) == {"opus": 60, "sonnet": 60}
    assert set(Counter((row["system"], row["question"]) for row in rows).values()) == {15}
    assert "opus: 5 runs of one folder" in remarks_of(tmp_path)
    log = READER.read(sorted(tmp_path.rglob("*.json")), Choice(files="systems"))
    assert set(Counter(log.columns["system"]).values()) == {12}


def test_files_that_have_names_are_never_merged(tmp_path: Path) -> None:
    for name in ("gpt", "claude"):
        a_run(tmp_path / f"{name}_results.json", name)
    assert Counter(row["system"] for row in rows_of(tmp_path)) == {"gpt": 12, "claude": 12}


def test_folders_named_by_a_time_alone_are_separated_and_stated(tmp_path: Path) -> None:
    times = ("2025-08-01__10-00-00", "2025-08-02__10-00-00")
    for name in times:
        a_run(tmp_path / "runs" / name / "results.json", name)
    assert Counter(row["system"] for row in rows_of(tmp_path)) == dict.fromkeys(times, 12)
    assert "named by a time or number" in above(remarks_of_all(tmp_path))[0]
    log = READER.read(sorted(tmp_path.rglob("*.json")), Choice(files="trials"))
    assert Counter(log.columns["system"]) == {"runs": 24}


def test_folders_named_by_the_number_of_a_run_are_separated_and_stated(tmp_path: Path) -> None:
    for agent in ("20250811_cursor", "20250811_goose"):
        for name in ("run1_2025-08-10__05-27-18", "run2_2025-08-10__21-53-39"):
            a_run(tmp_path / agent / name / "results.json", f"{agent} {name}")
    assert set(Counter(row["system"] for row in rows_of(tmp_path)).values()) == {12}
    assert "named by a time or number" in above(remarks_of_all(tmp_path))[0]
    log = READER.read(sorted(tmp_path.rglob("*.json")), Choice(files="trials"))
    assert Counter(log.columns["system"]) == {"cursor": 24, "goose": 24}


def test_an_agent_without_a_model_is_not_merged_over_folders(tmp_path: Path) -> None:
    for model in ("opus", "sonnet"):
        for at in (1, 2):
            name = f"{model} {at}"
            a_run(tmp_path / model / f"run{at}" / "results.json", name, agent_name="goose")
    names = Counter(row["system"] for row in rows_of(tmp_path))
    assert names == {"goose (opus)": 24, "goose (sonnet)": 24}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("accuracy", 0.5),
        ("n_resolved", 7),
        ("n_unresolved", 9),
        ("resolved_ids", ["x"]),
        ("unresolved_ids", ["x"]),
        ("pass_at_k", {"2": 0.9}),
    ],
)
def test_a_run_that_contradicts_itself_is_warned_of(key: str, value: Any, tmp_path: Path) -> None:
    shutil.copytree(RUN, tmp_path / RUN.name)
    other = a_run(tmp_path / "again" / "results.json", "again", **SAME)
    other.write_text(json.dumps(json.loads(other.read_text()) | {key: value}), encoding="utf-8")
    said = above(remarks_of_all(tmp_path))[0]
    assert f"{other}: the run states {key}" in said
    assert said.startswith(MARK)


def test_real_runs_side_by_side() -> None:
    folder = real("wild") / "terminal-bench"
    shares = {
        estimate.of.system: estimate.value
        for estimate in errbar.load(folder).score("avg").estimates
    }
    assert shares == pytest.approx({"claude-4-opus": 0.4525, "claude-4-sonnet": 0.4125})
    assert len(claims_of(folder)) == 8


def test_a_run_without_metadata_goes_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    shutil.copy(LOG, tmp_path / "run")
    assert {row["system"] for row in rows_of(tmp_path / "run" / LOG.name)} == {"run"}


def test_an_accuracy_of_trials_is_not_compared_with_one_of_tasks(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    whole = told()
    del whole["results"][0]
    whole = {"results": whole["results"], "accuracy": 4 / 11}
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert claims_of(path) == []
    assert "tasks have 2 to 3 trials" in remarks_of(path)


def trial(**changes: Any) -> str:
    whole = {"task_id": "a", "trial_name": "a.1", "is_resolved": True}
    return json.dumps({"results": [whole, {**whole, "trial_name": "a.2", **changes}]})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOG.read_text(encoding="utf-8")[:900], "this is not valid JSON"),
        (trial(task_id=None), "trial 1: there is no 'task_id'"),
        (trial(task_id={}), "trial 1, task_id: an id must be text or an integer"),
        (trial(is_resolved="yes"), "trial 1, is_resolved: expected true or false"),
        (trial(is_resolved=float("nan")), "trial 1, is_resolved: expected true or false"),
        (trial(trial_name=None), "trial 1, trial_name: an id must be text or an integer"),
        ('{"results": [3]}', "results[0]: expected an object"),
        ('{"results": {"a": 3}}', "results: expected an array"),
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
    results = next(file for file in RUN.rglob("results.json") if file != LOG)
    require_read_or_refused(results, tmp_path, reader="terminal_bench")


def test_runs_in_one_folder_that_name_no_agent_are_warned_of(tmp_path: Path) -> None:
    for day in range(1, 4):
        a_run(tmp_path / "all" / f"2025-08-0{day}__10-00-00_results.json", f"run {day}")
    (said,) = [each for each in above(remarks_of_all(tmp_path)) if "name no agent" in each]
    assert said.startswith("⚠ 3 runs (from ")
    assert "files='systems'" in said
    a_run(tmp_path / "other" / "2025-08-09__10-00-00_results.json", "run 9")
    assert not [each for each in above(remarks_of_all(tmp_path)) if "name no agent" in each]


def test_how_trials_failed_is_stated_once_for_all_systems(tmp_path: Path) -> None:
    for name, whole in (("one", told()), ("two", told())):
        (tmp_path / name).mkdir()
        if name == "two":  # not a copy of the other
            whole["results"] = whole["results"][1:]
        (tmp_path / name / "results.json").write_text(json.dumps(whole), encoding="utf-8")
    said = [remark for remark in remarks_of_all(tmp_path) if "did not finish" in remark]
    assert len(said) == 1
    assert "one (" in said[0]
    assert "), two (" in said[0]
