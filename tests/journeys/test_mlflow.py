"""Scores in MLflow, with the real package in the environment that scripts/harness makes."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import errbar
from documented import blocks, example_data
from errbar.errors import InputError
from errbar.integrations import mlflow as tracker
from logs import FIXTURES, REPOSITORY, harness

PAGE = REPOSITORY / "docs" / "how-to" / "track-with-mlflow.md"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the page logged, and what was read back."""
    python = str(harness("mlflow"))
    place = tmp_path_factory.mktemp("mlflow")
    example_data(place)
    (code,) = (block.text for block in blocks(PAGE) if block.is_code)
    (place / "page.py").write_text(code, encoding="utf-8")
    places = [str(Path(errbar.__file__).parent.parent), sysconfig.get_path("purelib")]
    command = [python, str(FIXTURES / "run_mlflow.py"), *places, "page.py"]
    done = subprocess.run(
        command, env={**os.environ}, capture_output=True, text=True, check=False, cwd=place
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.strip().splitlines()[-1])
    (expected,) = errbar.load(place / "runs" / "v1.2.csv").score("pass@1").only(task="aime")
    return {**found, "expected": expected}


def test_metrics_have_their_intervals(ran: dict[str, Any]) -> None:
    expected = ran["expected"]
    logged = [ran["metrics"][f"aime/pass_at_1{end}"] for end in ("", "_low", "_high")]
    assert logged == [expected.value, expected.low, expected.high]
    assert ran["params"] == {
        "errbar.level": "0.95",
        "errbar.covers": "population",
        "errbar.errors": "fail",
    }


def test_table_outcomes_and_report_are_artefacts(ran: dict[str, Any]) -> None:
    files = {"outcomes.parquet", "report.html", "scores.json", "scores.md"}
    assert {name.removeprefix("errbar/") for name in ran["artefacts"]} == files


def test_runs_are_read_back_in_order(ran: dict[str, Any]) -> None:
    values = {record["task"]: record["value"] for record in ran["read"]}
    assert values["aime"] == ran["expected"].value
    assert ran["runs"] == ["v1.2", "v1.9", "v1.10"]
    assert "has no outcomes of errbar" in ran["refused"]


def test_a_run_is_started_and_ended_if_none_is_active(ran: dict[str, Any]) -> None:
    assert ran["alone"] == [1.0, 1.0, "FINISHED"]


def test_a_missing_package_is_stated_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(InputError, match=r"pip install 'errbar\[mlflow\]'"):
        tracker.log([[1, 0], [0, 1]])
