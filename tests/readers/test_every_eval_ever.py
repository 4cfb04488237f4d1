"""Samples in the schema of Every Eval Ever."""

from pathlib import Path

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


def test_broken_logs(tmp_path: Path) -> None:
    require_read_or_refused(SAMPLES, tmp_path, reader="every_eval_ever")
    require_clear_refusals(SAMPLES, tmp_path, reader="every_eval_ever")
