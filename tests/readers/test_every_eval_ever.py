"""Samples in the schema of Every Eval Ever."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from errbar.errors import InputError
from logs import FIXTURES, rows_of

LOGS = FIXTURES / "every_eval_ever"
(SAMPLES,) = LOGS.glob("*_samples.jsonl")
RIGHT = [[1, 1], [0, 1], [0, 0]]


def test_records_of_one_sample_are_trials() -> None:
    runs = errbar.load(LOGS)
    found = {(row["question"], row["trial"]): row for row in rows_of(runs)}
    assert {key: row["outcome"] for key, row in found.items()} == {
        (f"double-{sample}", repeat): right
        for sample, marks in enumerate(RIGHT)
        for repeat, right in enumerate(marks)
    }
    one = found["double-1", 0]
    assert (one["system"], one["task"]) == ("mock/adder", "doubles")
    assert (one["answer"], one["target"]) == ("3", "2")
    assert found["double-2", 1]["status"] == "error"
    assert any("6 records are of other results" in said for said in runs.source.origin.remarks)


@pytest.mark.parametrize("result", ["doubles/exact", "doubles/short"])
@pytest.mark.parametrize("scorer", ["score", "is_correct"])
def test_the_stated_score_comes_out(result: str, scorer: str) -> None:
    (one,) = errbar.load(LOGS, filter=result, scorer=scorer).agreements()
    assert one.holds


def test_a_result_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="there is no result 'x'; there are: doubles/exact"):
        errbar.load(LOGS, filter="x")


def with_metadata(place: Path, metadata: list[Any]) -> Path:
    """As many records of the log as there are metadata, each with its own."""
    lines = SAMPLES.read_text().splitlines()[::2][: len(metadata)]
    records = [
        json.loads(line) | {"metadata": one} for line, one in zip(lines, metadata, strict=True)
    ]
    file = place / SAMPLES.name
    file.write_text("".join(json.dumps(one) + "\n" for one in records))
    return file


def test_metadata_are_columns_but_never_those_of_the_table(tmp_path: Path) -> None:
    known = [{"subject": "sums", "status": "done", "n": 3}, None, {"subject": "doubles"}]
    found = rows_of(errbar.load(with_metadata(tmp_path, known)))
    assert [row["subject"] for row in found] == ["sums", None, "doubles"]
    assert {row["status"] for row in found} == {"ok"}
    assert "n" not in found[0]


def test_columns_that_errbar_wrote_are_what_they_were(tmp_path: Path) -> None:
    known = [
        {"errbar.trial": "10", "errbar.status": "limit", "errbar.confidence": "0.5"},
        {"errbar.trial": "007", "errbar.status": "strange", "errbar.confidence": "x"},
    ]
    found = rows_of(errbar.load(with_metadata(tmp_path, known)))
    assert [(row["trial"], row["status"]) for row in found] == [("10", "limit"), ("007", "ok")]
    assert found[0]["confidence"] == 0.5


def test_metadata_without_end_are_cut_off_and_counted(tmp_path: Path) -> None:
    known = [{f"name {at}": "x" for at in range(start, start + 60)} for start in (0, 60)]
    runs = errbar.load(with_metadata(tmp_path, known))
    assert "name 99" in rows_of(runs)[0]
    assert "name 100" not in rows_of(runs)[0]
    assert "20 kinds of metadata are left out; 100 are columns." in runs.source.origin.remarks


def test_broken_logs_that_errbar_wrote(tmp_path: Path) -> None:
    errbar.write_every_eval_ever(errbar.load(FIXTURES / "nemo_skills"), tmp_path)
    place = tmp_path / "broken"
    place.mkdir()
    (log, *_) = sorted(tmp_path.glob("*_samples.jsonl"))
    require_read_or_refused(log, place, reader="every_eval_ever")


def test_broken_logs(tmp_path: Path) -> None:
    require_read_or_refused(SAMPLES, tmp_path, reader="every_eval_ever")
    require_clear_refusals(SAMPLES, tmp_path, reader="every_eval_ever")
