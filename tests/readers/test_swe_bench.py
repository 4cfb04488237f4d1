"""Reports of SWE-bench, of runs and of instances."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from broken_logs import DEEP, refusal, require_read_or_refused
from logs import FIXTURES, claims_of, real, remarks_of, rows_of, values_of

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
            found |= {(run, one): meaning for one in whole[key]}
        found |= {(run, one): (0.0, "error") for one in whole["infra_failure_ids"]}
    return found


def judged(rows: list[dict[str, Any]]) -> dict[tuple[str, str], tuple[float | None, str]]:
    return {(row["trial"], row["question"]): (row["outcome"], row["status"]) for row in rows}


def test_runs_are_trials_and_lists_are_outcomes() -> None:
    rows = rows_of(REPORTS)
    assert len(rows) == 18
    assert judged(rows) == expected()
    assert {(row["system"], row["repo"]) for row in rows} == {("toy__agent", "toy/sums")}


def test_the_share_of_resolved_instances() -> None:
    assert claims_of(HERE) == ["resolved_instances / total_instances, mean of 3 runs"]
    assert values_of(HERE, "avg", "pass@3", "pass^3") == pytest.approx([9 / 18, 5 / 6, 1 / 6])


def test_instances_of_a_run_with_a_report_are_not_counted_again() -> None:
    files = list(HERE.rglob("*.json"))
    assert judged(rows_of(files)) == expected()
    said = remarks_of(HERE)
    assert said.count("counted once") == 3
    assert "1 empty patches are wrong, as in SWE-bench" in said


def test_instances_that_say_otherwise_than_the_report_are_told_of(tmp_path: Path) -> None:
    shutil.copytree(HERE, tmp_path / "run")
    file = next((tmp_path / "run" / "logs").rglob("first/*/toy__sums-1/report.json"))
    file.write_text(file.read_text().replace('"resolved": true', '"resolved": false'))
    assert "1 say otherwise, as toy__sums-1" in remarks_of(tmp_path / "run")
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
        other[key] = [one.replace("sums", "other") for one in other[key]]
    for file in (REPORTS[1], REPORTS[2]):
        shutil.copy(file, tmp_path)
    (tmp_path / "toy__agent.other.json").write_text(json.dumps(other), encoding="utf-8")
    assert len(rows_of(list(tmp_path.iterdir()))) == 18
    assert "6 instances of other runs are not named: not of this run" in remarks_of(tmp_path)


def test_real_reports() -> None:
    folder = real("swe-bench")
    assert claims_of(folder)
    resolved = [len(json.loads(one.read_text())["resolved_ids"]) for one in folder.glob("*.json")]
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
        (report()[:-9], "it is not JSON"),
        (report(unresolved_ids=["a-1"]), "'a-1' stands in two lists that exclude each other"),
        (report(unresolved_ids="a-2"), "unresolved_ids: an array is expected"),
        (report(unresolved_ids=[None]), "unresolved_ids: an id is text or a whole number"),
        (report(unresolved_ids=[float("nan")]), "unresolved_ids: an id is text"),
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
    assert "1 submitted ids are in no other list" in remarks_of(path)


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(REPORTS[0], tmp_path, reader="swe_bench")
    folder = tmp_path / "run" / "model" / "toy__sums-1"
    folder.mkdir(parents=True)
    log = next(TREE.rglob("report.json"))
    require_read_or_refused(log, folder, reader="swe_bench")
