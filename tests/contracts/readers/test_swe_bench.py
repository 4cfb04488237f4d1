"""Reports of SWE-bench, of runs and of instances."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from broken_logs import DEEP, refusal, require_read_or_refused
from errbar.base.remarks import above
from errbar.data.readers.choices import Choice
from errbar.data.readers.swe_bench import READER
from errbar.data.readers.swe_bench_runs import repositories_of
from logs import FIXTURES, claims_of, real, remarks_of, rows_of, runs_of, values_of

HERE = FIXTURES / "swe_bench"
REPORTS = sorted(HERE.glob("*.json"))
TREE = HERE / "logs"
MEANINGS = {
    "resolved_ids": (1.0, "ok"),
    "unresolved_ids": (0.0, "ok"),
    "empty_patch_ids": (0.0, "ok"),
    "error_ids": (None, "error"),
    "incomplete_ids": (None, "missing"),
}


def expected() -> dict[tuple[str, str], tuple[float | None, str]]:
    """By run and instance, from the lists of every report."""
    found: dict[tuple[str, str], tuple[float | None, str]] = {}
    for file in REPORTS:
        whole = json.loads(file.read_text(encoding="utf-8"))
        run = file.stem.split(".")[-1]
        for key, meaning in MEANINGS.items():
            found |= {(run, name): meaning for name in whole[key]}
        found |= {(run, name): (0.0, "error") for name in whole["infra_failure_ids"]}
    return found


def judged(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[float | None, str]]:
    return {(row["trial"], row["question"]): (row["outcome"], row["status"]) for row in rows}


def test_runs_are_trials_and_lists_are_outcomes() -> None:
    rows = rows_of(REPORTS)
    assert len(rows) == 18
    assert judged(rows) == expected()
    assert {(row["system"], row["repo"]) for row in rows} == {("toy__agent", "toy/sums")}


def test_the_share_of_resolved_instances() -> None:
    assert claims_of(HERE) == [
        "total_instances, sum of 3 runs",
        "resolved_instances, sum of 3 runs",
        "resolved_instances / total_instances, mean of 3 runs",
    ]
    assert values_of(HERE, "avg", "pass@3", "pass^3") == pytest.approx([9 / 18, 5 / 6, 1 / 6])


def test_instances_of_a_run_with_a_report_are_not_counted_again() -> None:
    files = list(HERE.rglob("*.json"))
    assert judged(rows_of(files)) == expected()
    said = remarks_of(HERE)
    assert said.count("which agree with") == 3
    reports = len(list(TREE.rglob("report.json")))
    assert f"{reports} rows left out: instances that the report of their run has too" in said
    assert "1 empty patch counts as wrong, as in SWE-bench" in said


def test_instances_that_say_otherwise_than_the_report_are_reported(tmp_path: Path) -> None:
    shutil.copytree(HERE, tmp_path / "run")
    file = next((tmp_path / "run" / "logs").rglob("first/*/toy__sums-1/report.json"))
    file.write_text(file.read_text().replace('"resolved": true', '"resolved": false'))
    (said,) = above(runs_of(tmp_path / "run").source.origin.remarks)
    assert "1 differs from toy__agent.first.json" in said
    assert "toy__sums-1" in said
    assert values_of(tmp_path / "run", "avg") == values_of(HERE, "avg")


def test_instances_alone() -> None:
    found = judged(rows_of(list(TREE.rglob("report.json"))))
    empty = ("first", "toy__sums-4")  # an empty patch is not run, so nothing tells of it
    kept = {
        key: value for key, value in expected().items() if key != empty and key[1] != "toy__sums-6"
    }
    assert found == {**kept, empty: (None, "missing")}


def test_a_point_in_the_name_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "model-1.5.first.json"
    shutil.copy(REPORTS[0], path)
    assert {row["system"] for row in rows_of(path)} == {"model-1.5"}
    assert "last point" in remarks_of(path)


def test_reports_on_different_data_are_not_filled_up(tmp_path: Path) -> None:
    other = json.loads(REPORTS[0].read_text(encoding="utf-8"))
    for key in (*MEANINGS, "completed_ids", "submitted_ids"):
        other[key] = [name.replace("sums", "other") for name in other[key]]
    for file in (REPORTS[1], REPORTS[2]):
        shutil.copy(file, tmp_path)
    (tmp_path / "toy__agent.other.json").write_text(json.dumps(other), encoding="utf-8")
    assert len(rows_of(list(tmp_path.iterdir()))) == 18
    assert "6 instances of other runs are not named in this report" in remarks_of(tmp_path)


def test_real_reports() -> None:
    folder = real("swe-bench")
    assert claims_of(folder)
    resolved = [len(json.loads(file.read_text())["resolved_ids"]) for file in folder.glob("*.json")]
    assert values_of(folder, "avg") == pytest.approx([sum(resolved) / 36])


def report(**changes: Any) -> str:
    whole = {
        "total_instances": 2,
        "submitted_instances": 2,
        "resolved_instances": 1,
        "resolved_ids": ["a-1"],
        "unresolved_ids": ["a-2"],
    }
    return json.dumps({**whole, **changes})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (report()[:-9], "this is not valid JSON"),
        (report(unresolved_ids=["a-1"]), "'a-1' is in two lists that exclude each other"),
        (report(unresolved_ids="a-2"), "unresolved_ids: expected an array"),
        (report(unresolved_ids=[None]), "unresolved_ids: an id must be text or an integer"),
        (report(unresolved_ids=[float("nan")]), "unresolved_ids: an id must be text"),
        (report(resolved_ids=[], unresolved_ids=[]), "no row to score"),
        (report()[:-1] + ', "x": ' + DEEP, "nested too deeply"),
    ],
)
def test_what_is_broken_is_named(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "model.run.json"
    path.write_text(text, encoding="utf-8")
    assert said in refusal(path)


def test_an_instance_that_is_neither_resolved_nor_not_has_no_result(tmp_path: Path) -> None:
    path = tmp_path / "model.run.json"
    path.write_text(report(completed_ids=["a-1", "a-3"], submitted_ids=["a-9"]), encoding="utf-8")
    found = judged(rows_of(path))
    assert found["run", "a-3"] == (None, "unscored")
    assert "1 row left out: submitted ids that are in no other list" in remarks_of(path)
    assert "states total_instances 2; its lists give 4" in remarks_of(path)


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(REPORTS[0], tmp_path, reader="swe_bench")
    folder = tmp_path / "run" / "model" / "toy__sums-1"
    folder.mkdir(parents=True)
    log = next(TREE.rglob("report.json"))
    require_read_or_refused(log, folder, reader="swe_bench")


def instance(folder: Path, name: str, resolved: bool) -> Path:
    """The report of an instance in a folder of any name."""
    told = {"patch_exists": True, "patch_successfully_applied": True, "resolved": resolved}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "report.json"
    path.write_text(json.dumps({name: told}), encoding="utf-8")
    return path


def by_system(rows: list[dict[str, Any]]) -> dict[str, dict[str, float | None]]:
    found: dict[str, dict[str, float | None]] = {}
    for row in rows:
        found.setdefault(row["system"], {})[row["question"]] = row["outcome"]
    assert sum(map(len, found.values())) == len(rows)
    return found


def test_an_instance_is_the_key_in_its_report_and_no_folder(tmp_path: Path) -> None:
    for at in range(4):
        time = f"2026052{at}T000000Z"
        instance(tmp_path / "mine" / f"a__b-{at}" / time / "official_eval", f"a__b-{at}", at > 0)
    (tmp_path / "mine" / "notes").mkdir()
    rows = rows_of(tmp_path / "mine")
    assert by_system(rows) == {"mine": {f"a__b-{at}": float(at > 0) for at in range(4)}}
    assert {row["trial"] for row in rows} == {1}


def test_reports_of_one_instance_at_several_times_are_its_trials(tmp_path: Path) -> None:
    for at, resolved in enumerate((True, False, True)):
        instance(tmp_path / "mine" / "a__b-1" / f"2026052{at}T000000Z", "a__b-1", resolved)
    instance(tmp_path / "mine" / "a__b-2" / "20260520T000000Z", "a__b-2", False)
    rows = rows_of(tmp_path / "mine")
    found = sorted((row["question"], row["trial"], row["outcome"]) for row in rows)
    assert found == [("a__b-1", 1, 1.0), ("a__b-1", 2, 0.0), ("a__b-1", 3, 1.0), ("a__b-2", 1, 0.0)]
    assert "1 instances have several reports, which are trials" in remarks_of(tmp_path / "mine")


def test_folders_of_instances_are_systems_by_default(tmp_path: Path) -> None:
    for system in ("one", "two"):
        instance(tmp_path / system / "a__b-1", "a__b-1", system == "one")
    assert by_system(rows_of(tmp_path)) == {"one": {"a__b-1": 1.0}, "two": {"a__b-1": 0.0}}
    assert "named after the 2 folders" in remarks_of(tmp_path)
    log = READER.read(sorted(tmp_path.rglob("report.json")), Choice(files="trials"))
    assert (log.columns["system"], log.columns["trial"]) == (["", ""], [1, 2])


def test_real_reports_by_time() -> None:
    folder = real("wild") / "swe-bench-official"
    assert len(rows_of(folder)) == 40
    assert values_of(folder, "avg") == pytest.approx([39 / 40])


def submission(
    place: Path, resolved: list[int], no_generation: list[int], total: int | None = None
) -> Path:
    """A submission by results.json, with the totals of its repository if there are any."""
    results = place / "results"
    results.mkdir(parents=True)
    whole = {"no_generation": no_generation, "no_logs": [], "resolved": resolved}
    named = {key: [f"a__b-{n}" for n in each] for key, each in whole.items()}
    (results / "results.json").write_text(json.dumps(named), encoding="utf-8")
    if total is not None:
        told = {"a/b": {"resolved": len(resolved), "total": total}}
        (results / "resolved_by_repo.json").write_text(json.dumps(told), encoding="utf-8")
    (place / "metadata.yaml").write_text("info:\n  name: it\n", encoding="utf-8")
    return place


def test_submissions_side_by_side_are_systems(tmp_path: Path) -> None:
    for system, resolved in (("20240101_one", 1), ("20240202_two", 3)):
        for at in range(4):
            folder = tmp_path / "verified" / system / "logs" / f"a__b-{at}"
            instance(folder, f"a__b-{at}", at < resolved)
        broken = tmp_path / "verified" / system / "logs" / "a__b-9"
        broken.mkdir()
        (broken / "patch.diff").write_text("diff", encoding="utf-8")
        (tmp_path / "verified" / system / "logs" / "empty").mkdir()
    rows = rows_of(tmp_path)
    assert {row["task"] for row in rows} == {"verified"}
    expected = {
        system: {**{f"a__b-{at}": float(at < n) for at in range(4)}, "a__b-9": None}
        for system, n in (("20240101_one", 1), ("20240202_two", 3))
    }
    assert by_system(rows) == expected
    assert "5 of the 500 instances of 'verified' have logs" in remarks_of(tmp_path)


def test_results_without_a_total_are_refused(tmp_path: Path) -> None:
    place = submission(tmp_path / "mine", [1, 2], [3])
    said = refusal(place / "results" / "results.json")
    assert "lists 2 resolved, 1 no_generation, but not the instances that were run" in said
    assert "the number of instances is unknown" in said


def test_results_with_a_total_are_scored_by_it(tmp_path: Path) -> None:
    submission(tmp_path / "one", [1, 2], [3], total=10)
    submission(tmp_path / "two", [2, 4, 5], [], total=10)
    found = by_system(rows_of(tmp_path))
    assert {len(each) for each in found.values()} == {10}
    assert found["one"].keys() == found["two"].keys()
    assert sum(name.startswith("a__b-not named") for name in found["one"]) == 5
    assert {name for name, outcome in found["one"].items() if outcome} == {"a__b-1", "a__b-2"}
    assert len(claims_of(tmp_path)) == 4
    (said,) = above(runs_of(tmp_path).source.origin.remarks)
    assert "10 in all, by resolved_by_repo.json" in said
    assert "5 are named by no file and only numbered" in said


def test_the_folder_of_a_benchmark_says_how_many_instances_there_are(tmp_path: Path) -> None:
    submission(tmp_path / "evaluation" / "lite" / "one", [1, 2, 3], [4])
    assert values_of(tmp_path, "avg") == pytest.approx([3 / 300])
    assert "300 in all, by the folder 'lite'" in remarks_of(tmp_path)


def test_submissions_on_different_numbers_of_instances_are_refused(tmp_path: Path) -> None:
    submission(tmp_path / "one", [1], [], total=10)
    submission(tmp_path / "two", [1], [], total=11)
    assert "differ in how many instances there are: 10, and 11 for two" in refusal(tmp_path)


def test_results_are_filled_by_logs_and_compared_with_them(tmp_path: Path) -> None:
    place = submission(tmp_path / "mine", [0, 1], [7])
    for at in range(4):
        instance(place / "logs" / f"a__b-{at}", f"a__b-{at}", at < 2)
    expected = {"a__b-0": 1.0, "a__b-1": 1.0, "a__b-2": 0.0, "a__b-3": 0.0, "a__b-7": 0.0}
    assert by_system(rows_of(tmp_path)) == {"mine": expected}
    assert claims_of(tmp_path) == ["resolved (results.json)"]
    instance(place / "logs" / "a__b-3", "a__b-3", True)
    assert by_system(rows_of(tmp_path)) == {"mine": expected}
    (said,) = above(runs_of(tmp_path).source.origin.remarks)
    assert "By the reports 3 are resolved, by results.json 2" in said


def test_a_part_of_the_logs_does_not_stand_for_all(tmp_path: Path) -> None:
    place = submission(tmp_path / "mine", [0, 1], [])
    instance(place / "logs" / "a__b-0", "a__b-0", True)
    assert "the number of instances is unknown" in refusal(place)


def test_old_results_that_name_all_instances(tmp_path: Path) -> None:
    lists = {
        "no_generation": ["a__b-1"],
        "generated": ["a__b-2", "a__b-3", "a__b-4"],
        "with_logs": ["a__b-2", "a__b-3", "a__b-4"],
        "no_apply": ["a__b-3"],
        "applied": ["a__b-2", "a__b-4"],
        "test_timeout": ["a__b-4"],
        "resolved": ["a__b-2"],
    }
    path = tmp_path / "mine" / "results.json"
    path.parent.mkdir()
    path.write_text(json.dumps(lists), encoding="utf-8")
    expected = {"a__b-1": 0.0, "a__b-2": 1.0, "a__b-3": 0.0, "a__b-4": None}
    assert by_system(rows_of(path)) == {"mine": expected}


def test_details_of_every_instance(tmp_path: Path) -> None:
    place = submission(tmp_path / "mine", [1], [3])
    told = {
        f"a__b-{at}": {"resolved": at == 1, "cost": at / 10, "api_calls": at} for at in range(1, 4)
    }
    (place / "per_instance_details.json").write_text(json.dumps(told), encoding="utf-8")
    rows = rows_of(tmp_path)
    assert by_system(rows) == {"mine": {"a__b-1": 1.0, "a__b-2": 0.0, "a__b-3": 0.0}}
    assert [row["cost"] for row in rows] == [0.1, 0.2, 0.3]
    assert claims_of(tmp_path) == ["resolved (results.json)"]
    for at in range(1, 4):
        instance(place / "logs" / f"a__b-{at}", f"a__b-{at}", at == 2)
    assert by_system(rows_of(tmp_path)) == {"mine": {"a__b-1": 1.0, "a__b-2": 0.0, "a__b-3": 0.0}}
    assert len(above(runs_of(tmp_path).source.origin.remarks)) == 1
    shutil.rmtree(place / "results")
    assert len(rows_of(tmp_path)) == 3
    shutil.rmtree(place / "logs")
    require_read_or_refused(place / "per_instance_details.json", tmp_path, reader="swe_bench")


def test_spoiled_lists_are_read_or_refused(tmp_path: Path) -> None:
    whole = {"generated": ["a__b-1", "a__b-2"], "resolved": ["a__b-1"], "no_generation": ["a__b-3"]}
    path = tmp_path / "lite" / "results.json"
    path.parent.mkdir()
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert len(rows_of(path)) == 3
    other = tmp_path / "copy" / "lite"
    other.mkdir(parents=True)
    require_read_or_refused(path, other, reader="swe_bench")


@pytest.mark.parametrize(
    "instances",
    [
        ["a__b-1", "a__b-2", "c__d-e-1", "c__d-e-2", "f__g-1"],
        ["f__g-1", "a__b-2", "f__g-2", "a__b-1"],
        ["a__b-1", "a__b-c-1", "a__b-2"],
        ["a__b-c-1", "a__b-2"],
        ["a__b-1", "a__b.c-1", "a__b"],
        ["a__b-1\na__b-2", "q"],
        [f"r{at}__x-1" for at in range(100)],
        [],
    ],
)
def test_the_repository_is_the_id_before_its_last_hyphen_in_any_order(instances: list[str]) -> None:
    alone = [instance.rpartition("-")[0].replace("__", "/") for instance in instances]
    assert repositories_of(instances) == alone


def test_a_submission_alone_is_not_named_after_its_folder_of_logs(tmp_path: Path) -> None:
    report = {"patch_exists": True, "patch_successfully_applied": True, "resolved": True}
    for at in range(2):
        path = tmp_path / "agent" / "logs" / str(at) / "report.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({f"a__b-{at}": report}))
    assert {row["system"] for row in rows_of(tmp_path / "agent")} == {"agent"}
