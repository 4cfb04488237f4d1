"""Evaluations of verifiers, before and since version 0.2."""

import json
import shutil
from pathlib import Path

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from logs import FIXTURES, agreements_of, claims_of, real, remarks_of, rows_of

LOGS = FIXTURES / "verifiers"
RESULTS = LOGS / "doubles--mock--adder" / "results" / "results.jsonl"
TRACES = LOGS / "traces" / "traces.jsonl"


def test_rollouts_are_trials_and_errors_have_a_status() -> None:
    found = rows_of(RESULTS)
    told = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    assert [row["outcome"] for row in found] == [row["reward"] for row in told]
    assert [row["status"] == "error" for row in found] == [bool(row["error"]) for row in told]
    assert [(row["question"], row["trial"]) for row in found] == [
        (str(question), trial) for question in range(4) for trial in range(3)
    ]
    assert {(row["system"], row["task"]) for row in found} == {("mock/adder", "doubles")}
    assert found[3]["target"] == "2"


@pytest.mark.parametrize("scorer", [None, "exact"])
def test_the_stated_mean_comes_out(scorer: str | None) -> None:
    counts = ["num_examples", "num_examples times rollouts_per_example"]
    mean = "avg_reward" if scorer is None else f"avg_metrics {scorer}"
    assert claims_of(RESULTS, scorer=scorer) == [mean, *counts]


def test_without_metadata_the_folder_names_the_model(tmp_path: Path) -> None:
    place = tmp_path / "doubles--mock--adder" / "results"
    place.mkdir(parents=True)
    shutil.copy(RESULTS, place)
    runs = errbar.load(tmp_path)
    assert {(row["system"], row["task"]) for row in rows_of(runs)} == {("mock/adder", "doubles")}
    assert not runs.agreements()


def test_a_second_run_adds_trials(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(RESULTS.parent, tmp_path / name)
    results = tmp_path / "b" / RESULTS.name
    results.write_text(results.read_text() + "\n")  # the same bytes would be a copy
    runs = errbar.load(tmp_path)
    assert {row["trial"] for row in rows_of(runs)} == set(range(6))
    assert not runs.agreements()
    assert "further trials" in remarks_of(runs)


def test_traces_of_the_agent_that_counts_are_trials() -> None:
    runs = errbar.load(TRACES)
    found = {(row["question"], row["trial"]): row for row in rows_of(runs)}
    assert len(found) == 13
    assert {key: row["status"] for key, row in found.items() if row["status"] != "ok"} == {
        ("3", 2): "error",
        ("2", 1): "limit",
        ("0", 3): "timeout",
    }
    right = {key for key, row in found.items() if row["outcome"] == 1}
    assert right == {(str(q), r) for q in range(4) for r in range(3) if r >= q - 1} - {("3", 2)}
    assert {row["system"] for row in found.values()} == {"mock/adder"}
    assert "12 rows left out: traces of agents that are not scored." in remarks_of(runs)
    assert "1 row added: episodes without a trace to score." in remarks_of(runs)


def test_a_metric_of_traces_can_be_scored() -> None:
    found = rows_of(TRACES, scorer="digits")
    assert sum(row["outcome"] == 1 for row in found) == 11


def test_the_reported_means_come_out() -> None:
    runs = errbar.load(real("verifiers"))
    assert runs.score("avg")[0].value == pytest.approx(0.6375, abs=1e-12)
    finished = [row["outcome"] for row in rows_of(runs) if row["status"] == "ok"]
    assert sum(finished) / len(finished) == pytest.approx(0.68, abs=1e-12)
    # Questions with errors have fewer rollouts left, and count as much as the others.
    assert runs.score("avg", errors="missing")[0].value == pytest.approx(0.6791666667, abs=1e-9)
    assert agreements_of(runs)
    assert sum(row["status"] == "error" for row in rows_of(runs)) == 5


@pytest.mark.parametrize("log", [RESULTS, TRACES], ids=["results", "traces"])
def test_broken_logs(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="verifiers")
    require_clear_refusals(log, tmp_path, reader="verifiers")
