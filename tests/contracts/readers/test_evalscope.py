"""Reviews of EvalScope, held against their maker and the means that its reports state."""

import json
from pathlib import Path

import pytest

from broken_logs import refusal, require_read_or_refused
from logs import FIXTURES, agreements_of, remarks_of, rows_of, values_of

HERE = FIXTURES / "evalscope"
NEW, OLD = HERE / "20260101_100000", HERE / "20240601_100000"
SUMS = NEW / "reviews" / "small" / "sums_main.jsonl"
ESSAYS = NEW / "reviews" / "small" / "essays_all.jsonl"


def test_generations_of_a_sample_are_its_trials() -> None:
    found = [(row["question"], row["trial"], row["outcome"]) for row in rows_of(SUMS)]
    expected = [("0", 1, 1), ("1", 1, 0), ("2", 0, 0)]  # both generations of each sample
    assert found == [
        (name, trial, float(right)) for name, *both in expected for trial, right in enumerate(both)
    ]
    assert values_of(SUMS, "avg", "pass@2") == [0.5, pytest.approx(2 / 3)]


def test_the_main_score_is_taken_and_another_can_be() -> None:
    assert {row["outcome"] for row in rows_of(SUMS, scorer="length")} == {8.0}
    assert "using score 'acc' (also: length" in remarks_of(SUMS)
    assert "there is no score 'x'; there are: acc, length" in refusal(SUMS, scorer="x")


def test_what_a_judge_failed_to_score_is_unscored() -> None:
    statuses = [row["status"] for row in rows_of(ESSAYS)]
    assert statuses == ["ok", "unscored", "ok", "ok"]
    assert "1 samples have no rubric (parse_error 1)" in remarks_of(ESSAYS)
    assert values_of(ESSAYS, "avg") == [pytest.approx(7 / 12)]


def test_means_of_the_reports_come_out() -> None:
    names = {(each.claim.name, each.claim.task) for each in agreements_of(NEW)}
    assert names == {
        *(("acc", "sums_main"), ("num of acc", "sums_main")),
        *(("rubric", "essays_all"), ("num of rubric", "essays_all")),
    }


def test_reports_and_predictions_are_no_systems() -> None:
    rows = rows_of(NEW)
    assert {row["system"] for row in rows} == {"small"}
    assert len(rows) == 10
    assert "load the folder reviews/" in refusal(NEW / "reports").lower()
    assert "load the folder reviews/" in refusal(NEW / "predictions").lower()


def test_reviews_before_version_1_are_read() -> None:
    found = [(row["system"], row["question"], row["outcome"]) for row in rows_of(OLD)]
    assert found == [("old", "0", 1.0), ("old", "1", 0.0), ("old", "2", 1.0)]


def test_a_further_run_of_a_model_goes_on(tmp_path: Path) -> None:
    for run in ("run1", "run2"):
        place = tmp_path / run / "reviews" / "small"
        place.mkdir(parents=True)
        (place / SUMS.name).write_text(SUMS.read_text(encoding="utf-8"), encoding="utf-8")
    trials = [row["trial"] for row in rows_of(tmp_path) if row["question"] == "1"]
    assert trials == [0, 1, 2, 3]
    assert "read as further trials of small" in remarks_of(tmp_path)


@pytest.mark.parametrize("log", [SUMS, OLD / "reviews" / "old" / "sums_main.jsonl"])
def test_spoiled_reviews_are_read_or_refused(log: Path, tmp_path: Path) -> None:
    require_read_or_refused(log, tmp_path)


def test_a_sample_without_an_id_is_refused(tmp_path: Path) -> None:
    row = json.loads(SUMS.read_text(encoding="utf-8").splitlines()[0])
    row["index"] = None
    row["sample_score"] |= {"group_id": None, "sample_id": None}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(row), encoding="utf-8")
    assert "line 1, group_id" in refusal(path)
