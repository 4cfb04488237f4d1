"""Results of aider's benchmark, held against their maker and counted by hand."""

import json
from pathlib import Path
from typing import Any

from broken_logs import refusal, require_read_or_refused
from logs import FIXTURES, remarks_of, rows_of, values_of

HERE = FIXTURES / "aider"
FIRST, AGAIN = sorted(HERE.iterdir())


def outcomes(source: Any, **chosen: Any) -> dict[tuple[Any, ...], Any]:
    keys = ("task", "question", "trial")
    return {tuple(row[key] for key in keys): row["outcome"] for row in rows_of(source, **chosen)}


def test_a_second_try_is_no_trial() -> None:
    assert outcomes(FIRST) == {
        ("go", "bowling", 0): 1.0,
        ("go", "zipper", 0): None,
        ("python", "bowling", 0): 1.0,
        ("python", "poker", 0): 0.0,
        ("python", "zipper", 0): 1.0,
    }


def test_the_first_try_alone_is_one_option_away() -> None:
    found = outcomes(AGAIN, scorer="pass_rate_1")
    assert sum(found.values()) == 2
    assert len(found) == 5
    assert "Using outcome 'pass_rate_2' (also: pass_rate_1" in remarks_of(AGAIN)
    assert "there is no scorer 'pass_rate_3'" in refusal(AGAIN, scorer="pass_rate_3")


def test_runs_of_a_model_are_trials() -> None:
    rows = rows_of(HERE)
    assert {row["system"] for row in rows} == {"toy/small"}
    assert sorted(row["trial"] for row in rows) == [0] * 5 + [1] * 5
    assert "runs of one model and edit format; 5 exercises were run again" in remarks_of(HERE)
    apart = {row["system"] for row in rows_of(HERE, files="systems")}
    assert apart == {FIRST.name, AGAIN.name}


def test_an_exception_is_of_its_run_and_counts_as_not_passed() -> None:
    failed = [row for row in rows_of(FIRST) if row["status"] == "error"]
    assert [(row["system"], row["question"]) for row in failed] == [("toy/small", "zipper")]
    assert values_of(FIRST / "go", "avg") == [0.5]


def test_edit_formats_of_a_model_are_systems(tmp_path: Path) -> None:
    for run, form in (("a", "diff"), ("b", "whole")):
        place = tmp_path / run / "bowling"
        place.mkdir(parents=True)
        result = {"testcase": "bowling", "model": "m", "edit_format": form}
        text = json.dumps({**result, "tests_outcomes": [form == "diff"]})
        (place / ".aider.results.json").write_text(text, encoding="utf-8")
    found = {row["system"]: row["outcome"] for row in rows_of(tmp_path)}
    assert found == {"m (diff)": 1.0, "m (whole)": 0.0}


def test_spoiled_results_are_read_or_refused(tmp_path: Path) -> None:
    log = FIRST / "python" / "exercises" / "practice" / "bowling" / ".aider.results.json"
    require_read_or_refused(log, tmp_path)
    cut = tmp_path / "cut.json"
    cut.write_text(log.read_text(encoding="utf-8")[:-4], encoding="utf-8")
    assert "cut.json" in refusal(cut)
