"""Logs of OpenAI evals: records of oaieval, and output items of the Evals API."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from broken_logs import DEEP, refusal, require_read_or_refused
from errbar.data.readers.choices import Choice
from errbar.data.readers.openai_evals import READER
from logs import FIXTURES, claims_of, remarks_of, rows_of, runs_of, values_of

HERE = FIXTURES / "openai_evals"
RECORDS, GRADED, ITEMS = HERE / "records", HERE / "graded", HERE / "items"
ONE = RECORDS / "toy-1_arithmetic.jsonl"
PAGE, RUN = ITEMS / "evalrun_1_items.json", ITEMS / "evalrun_1.json"


def told(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def items(path: Path = PAGE) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["data"]
    return found


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_row_for_each_sample_of_a_record() -> None:
    expected: dict[tuple[str, str], float | None] = {}
    for path in RECORDS.iterdir():
        events = [row for row in told(path) if "type" in row]
        for row in events:
            expected.setdefault((path.name[:5], row["sample_id"]), None)
        for row in events:
            if row["type"] == "match":
                expected[path.name[:5], row["sample_id"]] = float(row["data"]["correct"])
    rows = rows_of(RECORDS)
    assert {(row["system"], row["question"]): row["outcome"] for row in rows} == expected
    assert len(rows) == len(expected) == 12
    assert {row["task"] for row in rows} == {"arithmetic.dev.v0"}


def test_the_accuracy_of_the_final_reports() -> None:
    assert claims_of(RECORDS) == ["accuracy", "accuracy"]
    stated = told(ONE)[-1]["final_report"]["accuracy"]
    assert values_of(ONE, "avg", errors="missing") == pytest.approx([stated])


def test_a_sample_that_failed_is_an_error() -> None:
    failed = [row for row in rows_of(ONE) if row["status"] == "error"]
    assert [(row["question"], row["outcome"]) for row in failed] == [("arithmetic.dev.5", None)]


def test_metrics_are_scored_where_nothing_is_matched() -> None:
    rows = rows_of(GRADED)
    scores = [
        row["data"]["score"] for row in told(next(GRADED.iterdir())) if row.get("type") == "metrics"
    ]
    assert [row["outcome"] for row in rows] == scores
    assert claims_of(GRADED) == ["score"]
    assert [row["status"] for row in rows].count("unscored") == scores.count(None) == 1


def test_each_eval_has_a_scorer_of_its_own() -> None:
    assert len(rows_of(HERE)) == 27
    assert [row["status"] for row in rows_of(HERE)].count("unscored") == 1
    assert "there is no scorer 'x'; there are: match" in refusal(ONE, scorer="x")


def test_a_scorer_is_chosen_among_match_and_metrics(tmp_path: Path) -> None:
    rows = told(ONE)
    for at in (2, 4):
        more = {"accuracy": 1.0, "f1_score": 0.25 * at}
        rows.append({**rows[at], "type": "metrics", "data": more})
    path = write(tmp_path / "log.jsonl", rows)
    assert "Using scorer 'match' (also: accuracy, f1_score" in remarks_of(path)
    found = [row["outcome"] for row in rows_of(path, scorer="f1_score")]
    assert sorted(each for each in found if each is not None) == [0.5, 1.0]


def test_several_scores_of_a_sample_are_trials_and_reported(tmp_path: Path) -> None:
    rows = told(ONE)
    path = write(tmp_path / "log.jsonl", [*rows, rows[2]])
    assert len(rows_of(path)) == 7
    remarks = remarks_of(path)
    assert "1 samples have several 'match' scores" in remarks
    assert "which is a mean over events" in remarks


def test_runs_of_one_model_are_trials_and_systems_on_request(tmp_path: Path) -> None:
    shutil.copy(ONE, tmp_path / "a.jsonl")
    text = ONE.read_text(encoding="utf-8").replace("DPM75QNS", "OTHERRUN")
    (tmp_path / "b.jsonl").write_text(text, encoding="utf-8")
    assert {row["trial"] for row in rows_of(tmp_path)} == {0, 1}
    assert len(rows_of(tmp_path)) == 12
    assert "2 runs (23041722081DPM75QNS …) are read as trials" in remarks_of(tmp_path)
    assert claims_of(tmp_path) == ["accuracy, mean of 2 runs"]
    apart = READER.read(sorted(tmp_path.iterdir()), Choice(files="systems"))
    assert len(set(apart.columns["system"])) == 2


def test_a_run_that_broke_off_is_reported(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", told(ONE)[:-1])
    assert "there is no final report" in remarks_of(path)


def test_old_specs_name_models(tmp_path: Path) -> None:
    rows = told(ONE)
    del rows[0]["spec"]["completion_fns"]
    rows[0]["spec"]["model_names"] = {"completions": ["davinci"], "ranking": None}
    assert {row["system"] for row in rows_of(write(tmp_path / "log.jsonl", rows))} == {"davinci"}


def test_a_row_for_each_output_item() -> None:
    expected = {
        (item["sample"]["model"], str(item["datasource_item_id"])): (
            None if item["status"] == "error" else float(item["status"] == "pass")
        )
        for path in ITEMS.glob("*_items.json")
        for item in items(path)
    }
    rows = rows_of(ITEMS)
    assert {(row["system"], row["question"]): row["outcome"] for row in rows} == expected
    assert len(rows) == len(expected) == 10
    assert [row["status"] for row in rows].count("error") == 1


def test_the_counts_of_runs_are_checked() -> None:
    names = ["total", "passed", "errored", "passed + failed + errored"]
    assert claims_of(ITEMS) == [f"result_counts.{name}" for name in names] * 2


def test_graders_are_scorers() -> None:
    assert "(also: String check, Helpful, String check/score" in remarks_of(PAGE)
    passed = [row["outcome"] for row in rows_of(PAGE, scorer="Helpful")]
    assert passed == [float(item["results"][1]["passed"]) for item in items()]
    scores = [row["outcome"] for row in rows_of(PAGE, scorer="Helpful/score")]
    assert scores == [item["results"][1]["score"] for item in items()]


def test_items_in_an_array_or_on_lines(tmp_path: Path) -> None:
    whole = [row["outcome"] for row in rows_of(PAGE)]
    lines = write(tmp_path / "items.jsonl", items())
    assert [row["outcome"] for row in rows_of(lines)] == whole
    array = tmp_path / "items.json"
    array.write_text(json.dumps(items()), encoding="utf-8")
    assert [row["outcome"] for row in rows_of(array)] == whole


def test_pages_that_are_missing_or_given_twice_are_reported(tmp_path: Path) -> None:
    page = json.loads(PAGE.read_text(encoding="utf-8"))
    for at, (first, last, more) in enumerate([(0, 3, True), (2, 5, False)]):
        part = {**page, "data": page["data"][first:last], "has_more": more}
        (tmp_path / f"page{at}.json").write_text(json.dumps(part), encoding="utf-8")
    assert len(rows_of(tmp_path)) == 5
    assert "1 row left out: output items that were read before" in remarks_of(tmp_path)
    assert "has_more" not in remarks_of(tmp_path)
    (tmp_path / "page1.json").unlink()
    assert "there are more output items than were loaded" in remarks_of(tmp_path)


def test_runs_of_one_model_are_systems_and_trials_on_request(tmp_path: Path) -> None:
    shutil.copy(PAGE, tmp_path / "a.json")
    text = PAGE.read_text(encoding="utf-8").replace("evalrun_1", "evalrun_3")
    (tmp_path / "b.json").write_text(text.replace("outputitem_1", "outputitem_3"), encoding="utf-8")
    assert {row["system"] for row in rows_of(tmp_path)} == {
        "toy-1 (evalrun_1)",
        "toy-1 (evalrun_3)",
    }
    assert "Systems: the runs, since some share a model" in remarks_of(tmp_path)
    joined = READER.read(sorted(tmp_path.iterdir()), Choice(files="trials"))
    assert set(joined.columns["system"]) == {"toy-1"}
    assert set(joined.columns["trial"]) == {0, 1}


def test_a_run_alone_holds_only_totals() -> None:
    assert "a run of the Evals API has only totals" in refusal(RUN)


def test_every_file_is_accounted_for() -> None:
    accounts = runs_of(HERE).source.origin.accounts
    assert {path.name: account.rows for path, account in accounts.items()} == {
        "toy-1_arithmetic.jsonl": 6,
        "toy-2_arithmetic.jsonl": 6,
        "toy-1_grading.jsonl": 5,
        "evalrun_1_items.json": 5,
        "evalrun_2_items.json": 5,
        "evalrun_1.json": 0,
        "evalrun_2.json": 0,
    }


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"type": "match", "sample_id": None, "data": {}}, "there is no 'sample_id'"),
        ({"type": "match", "sample_id": "a", "data": {"correct": 2}}, "expected true or false"),
        ({"other": 1}, "expected a spec, a final_report or an event"),
    ],
)
def test_what_is_broken_is_named(row: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [*told(ONE), row])
    assert f"line {len(told(ONE)) + 1}" in refusal(path)
    assert said in refusal(path)


def test_an_item_without_its_id_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "items.jsonl", [{**items()[0], "datasource_item_id": None}])
    assert "there is no 'datasource_item_id'" in refusal(path)


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"spec": ' + DEEP, encoding="utf-8")
    assert "nested too deeply" in refusal(path, reader="openai_evals")


@pytest.mark.parametrize("log", [ONE, PAGE, GRADED], ids=["record", "items", "graded"])
def test_broken_logs_are_read_or_refused(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path, reader="openai_evals")
