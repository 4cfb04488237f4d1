"""Results of τ²-bench, as one document and as a folder."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, claims_of, real, remarks_of, rows_of, values_of

HERE = FIXTURES / "tau2_bench"
LOG = HERE / "one" / "toy_airline.json"
STATUSES = {
    "user_stop": "ok",
    "agent_stop": "ok",
    "agent_error": "ok",
    "max_steps": "limit",
    "too_many_errors": "limit",
    "infrastructure_error": "error",
}


def told() -> dict[str, Any]:
    return json.loads(LOG.read_text(encoding="utf-8"))


def written(path: Path, **changes: Any) -> Path:
    """The log with something changed in the first of its simulations."""
    whole = told()
    whole["simulations"][0] |= changes
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_a_row_for_each_simulation() -> None:
    expected = [
        (
            simulation["task_id"],
            simulation["trial"],
            simulation["reward_info"]["reward"] if simulation["reward_info"] else None,
            STATUSES[simulation["termination_reason"]],
            simulation["termination_reason"],
        )
        for simulation in told()["simulations"]
    ]
    rows = rows_of(LOG)
    keys = ("question", "trial", "outcome", "status", "ended_by")
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    assert {(row["system"], row["task"]) for row in rows} == {
        ("toy-agent (user toy-user)", "airline")
    }


def test_a_folder_is_the_same_run() -> None:
    files = sorted((HERE / "folder").rglob("*.json"))
    key = lambda row: (row["question"], row["trial"])  # noqa: E731
    assert sorted(rows_of(files), key=key) == sorted(rows_of(LOG), key=key)
    assert values_of(HERE / "folder", "avg") == values_of(LOG, "avg") == pytest.approx([4 / 9])


def test_what_tau2_bench_counts_is_what_is_left_without_errors() -> None:
    each = [2 / 3, 1 / 2, 1 / 3]
    assert values_of(LOG, "avg", errors="missing") == pytest.approx([sum(each) / 3])
    said = remarks_of(LOG)
    assert "leaves out what ended in an infrastructure_error" in said
    assert "max_steps 1" in said


def test_simulations_of_document_and_folder_are_counted_once(tmp_path: Path) -> None:
    shutil.copytree(HERE / "folder", tmp_path / "run")
    shutil.copy(LOG, tmp_path / "run" / "results.json")
    runs = errbar.load(tmp_path / "run")
    assert values_of(tmp_path / "run", "avg") == values_of(LOG, "avg")
    assert "9 rows left out: simulations that are also in another file" in remarks_of(runs)


def test_simulations_without_task_and_trial_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    whole = told()
    for simulation in whole["simulations"]:
        simulation |= {"task_id": None, "trial": None}
    path.write_text(json.dumps(whole), encoding="utf-8")
    rows = rows_of(path)
    assert [(row["question"], row["trial"]) for row in rows] == [(f"#{at}", 0) for at in range(9)]
    assert "9 of 9 simulations do not name their task" in remarks_of(path)


def test_simulations_that_lack_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    whole = told()
    del whole["simulations"][5:]
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert "9 simulations were planned, 5 are in the log" in remarks_of(path)
    whole["simulations"] = []
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert "the run has 3 tasks, but no simulation" in refusal(path)


def test_a_document_is_read_with_its_folder() -> None:
    document = HERE / "folder" / "results.json"
    key = lambda row: (row["question"], row["trial"])  # noqa: E731
    assert sorted(rows_of(document), key=key) == sorted(rows_of(LOG), key=key)
    assert claims_of(document) == ["simulations in the index", "rewards of 1 in the index"]


def test_files_that_lack_are_read_from_the_index(tmp_path: Path) -> None:
    shutil.copytree(HERE / "folder", tmp_path / "run")
    for file in (tmp_path / "run" / "simulations").glob("book-*.json"):
        file.unlink()
    key = lambda row: (row["question"], row["trial"])  # noqa: E731
    assert sorted(rows_of(tmp_path / "run"), key=key) == sorted(rows_of(LOG), key=key)
    assert "3 simulations are in the index of results.json and not" in remarks_of(tmp_path / "run")


def test_files_that_the_index_lacks_are_reported(tmp_path: Path) -> None:
    shutil.copytree(HERE / "folder", tmp_path / "run")
    document = tmp_path / "run" / "results.json"
    whole = json.loads(document.read_text(encoding="utf-8"))
    del whole["simulation_index"][:2]
    document.write_text(json.dumps(whole), encoding="utf-8")
    runs = errbar.load(tmp_path / "run")
    assert len(rows_of(runs)) == 9
    assert "2 simulations in the folder are not in the index" in remarks_of(runs)
    assert [agreement.holds for agreement in runs.agreements()] == [False, False]


def test_a_folder_without_its_document_goes_by_its_name(tmp_path: Path) -> None:
    shutil.copytree(HERE / "folder" / "simulations", tmp_path / "mine" / "simulations")
    assert {row["system"] for row in rows_of(tmp_path / "mine")} == {"mine"}


def test_runs_with_the_same_settings_are_trials(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        whole = told()
        for simulation in whole["simulations"]:
            simulation["id"] += name
        (tmp_path / name).write_text(json.dumps(whole), encoding="utf-8")
    rows = rows_of(tmp_path)
    assert len(rows) == 18
    assert {row["trial"] for row in rows} == set(range(6))
    assert "2 files are runs of toy-agent (user toy-user) with the same settings" in remarks_of(
        tmp_path
    )


def test_runs_with_other_settings_are_other_systems(tmp_path: Path) -> None:
    for name, heat in (("a.json", 0.0), ("b.json", 1.0)):
        whole = told()
        whole["info"]["agent_info"]["llm_args"] = {"temperature": heat}
        (tmp_path / name).write_text(json.dumps(whole), encoding="utf-8")
    assert {row["system"] for row in rows_of(tmp_path)} == {
        f"toy-agent (user toy-user) ({name})" for name in ("a", "b")
    }


def test_folders_of_two_runs_stay_separate(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(HERE / "folder", tmp_path / name)
    document = tmp_path / "b" / "results.json"
    document.write_text(document.read_text().replace("toy-agent", "other-agent"))
    rows = rows_of(tmp_path)
    assert len(rows) == 18
    assert {row["system"] for row in rows} == {
        "toy-agent (user toy-user)",
        "other-agent (user toy-user)",
    }


def test_a_copy_of_a_file_is_counted_once(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        shutil.copy(LOG, tmp_path / name)
    assert len(rows_of(tmp_path)) == 9
    assert "the same content as another" in remarks_of(tmp_path)


def test_a_document_that_says_nothing_of_itself_goes_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(told() | {"info": {}}), encoding="utf-8")
    assert {row["system"] for row in rows_of(path, reader="tau2_bench")} == {"mine"}


def test_simulations_of_one_id_in_one_file_are_all_kept(tmp_path: Path) -> None:
    whole = told()
    for simulation in whole["simulations"]:
        simulation["id"] = "same"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert len(rows_of(path)) == 9


def test_real_results() -> None:
    folder = real("tau2-bench")
    assert values_of(folder / "gpt-4.1_telecom_no-user_4trials_5tasks.json", "avg") == [16 / 20]
    assert values_of(folder / "gpt-4.1_airline_1trials.json", "avg") == [0.5]
    assert "no simulation" in refusal(folder / "qwen2.5-7b_telecom_no-user_4trials_5tasks.json")
    broken, fixed = sorted(folder.glob("toolorchestra*"))
    assert values_of(broken, "avg") == values_of(fixed, "avg") == pytest.approx([28 / 50])
    assert values_of([broken, fixed], "avg") == pytest.approx([28 / 50])
    said = remarks_of([broken, fixed])
    assert "50 rows left out: simulations that are also in another file" in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"task_id": [1]}, "simulation 0, task_id: an id must be text or an integer"),
        ({"task_id": float("nan")}, "simulation 0, task_id: an id must be text or an integer"),
        ({"trial": "a"}, "simulation 0, trial: expected a trial number"),
    ],
)
def test_a_broken_simulation_is_named(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", **changes)
    assert said in refusal(path)


@pytest.mark.parametrize("info", [None, "x", {"reward": "1"}, {"reward": float("inf")}])
def test_a_reward_that_is_no_number_is_no_result(info: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "a.json", reward_info=info)
    assert rows_of(path)[0]["status"] == "unscored"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOG.read_text(encoding="utf-8")[:1500], "this is not valid JSON"),
        ('{"info": 3, "simulations": []}', "info: expected an object"),
        ('{"info": {}, "simulations": 3}', "simulations: expected an array"),
        ('{"info": {}, "simulations": [3]}', "simulation 0: expected an object"),
        ('{"info": {}, "tasks": ' + DEEP, "nested too deeply"),
    ],
)
def test_a_broken_document_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal(path, reader="tau2_bench")


@pytest.mark.parametrize("log", [LOG, HERE / "folder"], ids=["one", "folder"])
def test_spoiled_logs_are_read_or_refused(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="tau2_bench")
