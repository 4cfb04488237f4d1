"""Test runs of deepeval."""

import json
import shutil
from pathlib import Path

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from logs import FIXTURES, agreements_of, claims_of, real, remarks_of, rows_of

LOGS = FIXTURES / "deepeval"
NAMED = LOGS / "named" / "test_run.json"
NUMBERED = LOGS / "numbered" / "test_run.json"
SAID = {0: ["0", "0", "1"], 1: ["2", "?", "200"], 2: ["5", "6", "4"]}


def test_cases_of_one_name_are_trials() -> None:
    found = {(row["question"], row["trial"]): row for row in rows_of(NAMED)}
    assert {key: (row["outcome"], row["answer"]) for key, row in found.items()} == {
        (f"double {n}", repeat): (float(said == str(2 * n)), said)
        for n, of_one in SAID.items()
        for repeat, said in enumerate(of_one)
    }
    assert [key for key, row in found.items() if row["status"] == "error"] == [("double 1", 1)]
    assert {(row["system"], row["target"]) for row in found.values()} == {
        *(("adder", "0"), ("adder", "2"), ("adder", "4")),
    }


def test_cases_without_a_name_are_distinguished_by_their_input() -> None:
    runs = errbar.load(NUMBERED)
    assert {row["question"] for row in rows_of(runs)} == {f"Twice {n}?" for n in SAID}
    assert "9 cases have no name" in remarks_of(runs)


@pytest.mark.parametrize(
    ("scorer", "right", "failed", "stated"),
    [
        (None, 4, 1, ["share of tests passed", "testPassed", "testPassed and testFailed"]),
        ("Exact", 4, 1, ["testPassed and testFailed", "passes of Exact"]),
        ("Short", 8, 0, ["testPassed and testFailed", "share passed of Short", "passes of Short"]),
        ("Exact/score", 4, 1, ["testPassed and testFailed"]),
    ],
)
def test_a_metric_can_be_scored(
    scorer: str | None, right: int, failed: int, stated: list[str]
) -> None:
    runs = errbar.load(NAMED, scorer=scorer)
    found = rows_of(runs)
    assert sum(row["outcome"] == 1 for row in found) == right
    assert sum(row["status"] == "error" for row in found) == failed
    assert sorted(claims_of(runs)) == sorted(stated)
    told = "which is a mean over rows" in remarks_of(runs)
    assert told == (scorer == "Exact")  # of whose questions one has an error fewer to count


def test_a_run_of_many_cases_is_known_by_the_first(tmp_path: Path) -> None:
    log = json.loads(NAMED.read_text())
    log["testCases"][-1]["input"] += " really" * 20_000
    ordered = {"testCases": log.pop("testCases"), **log}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(ordered))
    assert len(rows_of(path)) == 9


def test_a_run_without_cases_is_named(tmp_path: Path) -> None:
    shutil.copy(NAMED, tmp_path / "a.json")
    emptied = json.loads(NAMED.read_text()) | {"testCases": None}
    (tmp_path / "b.json").write_text(json.dumps(emptied))
    said = "Not read: b.json (it has no test cases, though it says that 9 were run)."
    assert said in remarks_of(tmp_path).splitlines()


def test_metrics_of_one_name_are_distinguished(tmp_path: Path) -> None:
    log = json.loads(NAMED.read_text())
    for case in log["testCases"]:
        case["metricsData"] += [{"name": "Exact", "success": True, "score": 0.5}]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(log))
    assert {row["outcome"] for row in rows_of(path, scorer="Exact (2)/score")} == {0.5}
    assert sum(row["outcome"] == 1 for row in rows_of(path, scorer="Exact")) == 4


def test_a_second_run_adds_trials(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        shutil.copy(NAMED, tmp_path / name)
    runs = errbar.load(tmp_path)
    assert {row["trial"] for row in rows_of(runs)} == set(range(6))
    assert not runs.agreements()


def test_the_latest_run_is_read_from_under_its_key(tmp_path: Path) -> None:
    path = tmp_path / "latest.json"
    path.write_text(json.dumps({"testRunData": json.loads(NAMED.read_text())}))
    assert len(rows_of(path)) == 9


def test_the_latest_run_is_found_in_its_hidden_folder(tmp_path: Path) -> None:
    folder = tmp_path / ".deepeval"
    folder.mkdir()
    whole = {"testRunData": json.loads(NAMED.read_text(encoding="utf-8"))}
    (folder / ".latest_test_run.json").write_text(json.dumps(whole), encoding="utf-8")
    assert len(rows_of(folder)) == 9


def test_the_reported_counts_come_out() -> None:
    runs = errbar.load(real("deepeval"))
    found = rows_of(runs)
    assert (sum(row["outcome"] == 1 for row in found), len(found)) == (17, 30)
    assert sum(row["status"] == "error" for row in found) == 1
    assert runs.score("avg")[0].value == pytest.approx(17 / 30, abs=1e-12)
    assert agreements_of(runs)


def test_broken_logs(tmp_path: Path) -> None:
    require_read_or_refused(NAMED, tmp_path, reader="deepeval")
    require_clear_refusals(NAMED, tmp_path, reader="deepeval")
