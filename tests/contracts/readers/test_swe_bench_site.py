"""The leaderboards of the site of SWE-bench."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import refusal, require_clear_refusals, require_read_or_refused
from logs import FIXTURES, claims_of, remarks_of, rows_of

LOG = FIXTURES / "swe_bench_site" / "leaderboards.json"


def boards() -> list[dict[str, Any]]:
    return json.loads(LOG.read_text(encoding="utf-8"))["leaderboards"]


def test_a_row_for_each_instance_with_details() -> None:
    expected = [
        (result["name"], board["name"], name, told["resolved"], told["cost"], told["api_calls"])
        for board in boards()
        for result in board["results"]
        for name, told in result.get("per_instance_details", {}).items()
    ]
    keys = ("system", "task", "question", "outcome", "cost", "api_calls")
    rows = rows_of(LOG)
    assert [tuple(row[key] for key in keys) for row in rows] == expected
    assert len(rows) == 16


def test_the_shares_are_those_of_the_site() -> None:
    assert claims_of(LOG) == ["resolved, in per cent"] * 2
    shares = {
        estimate.of.system: estimate.value for estimate in errbar.load(LOG).score("avg").estimates
    }
    assert shares == pytest.approx({"toy large": 6 / 8, "toy small": 3 / 8})


def test_submissions_with_totals_alone_are_counted() -> None:
    assert "Verified: 2 submissions have only totals" in remarks_of(LOG)


def test_totals_alone_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "leaderboards.json"
    path.write_text(json.dumps({"leaderboards": boards()[1:]}), encoding="utf-8")
    assert "it has only totals, the resolved share of each of 2" in refusal(path)


def test_submissions_of_one_name_are_distinguished(tmp_path: Path) -> None:
    path = tmp_path / "leaderboards.json"
    (board, _) = boards()
    for entry in board["results"]:
        entry["name"] = "same"
    path.write_text(json.dumps({"leaderboards": [board]}), encoding="utf-8")
    names = {row["system"] for row in rows_of(path)}
    assert names == {"same (20250101_toy-large)", "same (20250101_toy-small)"}


def test_details_of_models_alone(tmp_path: Path) -> None:
    path = tmp_path / "info_for_leaderboard.json"
    whole = {result["name"]: result["per_instance_details"] for result in boards()[0]["results"]}
    path.write_text(json.dumps(whole), encoding="utf-8")
    shares = {
        estimate.of.system: estimate.value for estimate in errbar.load(path).score("avg").estimates
    }
    assert shares == pytest.approx({"toy large": 6 / 8, "toy small": 3 / 8})


def test_spoiled_logs_are_read_or_refused(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path, reader="swe_bench_site")
    require_clear_refusals(LOG, tmp_path, reader="swe_bench_site")
