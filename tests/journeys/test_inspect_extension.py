"""The inspect_ai extension in real evals, in the environment that scripts/harness makes."""

import json
import math
import os
import subprocess
import sysconfig
from typing import Any

import pytest

import errbar
from documented import blocks
from logs import FIXTURES, REPOSITORY, harness


@pytest.fixture(scope="module", params=["inspect_ai", "inspect_ai_oldest"])
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What evals with the extension gave, and what was printed."""
    place = tmp_path_factory.mktemp("inspect")
    script = str(FIXTURES / "run_inspect_extension.py")
    page = REPOSITORY / "docs" / "how-to" / "inside-inspect.md"
    (code,) = (block.text for block in blocks(page) if block.is_code)
    (place / "task.py").write_text(code, encoding="utf-8")
    places = [sysconfig.get_path("purelib"), str(place), str(place / "task.py")]
    command = [str(harness(request.param)), script, *places]
    environment = {**os.environ, "ERRBAR_INSPECT": "pass@2", "HOME": str(place)}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=place
    )
    assert done.returncode == 0, done.stderr
    *printed, last = done.stdout.strip().splitlines()
    return {**json.loads(last), "printed": "\n".join(printed)}


def _require_early_stopping(ran: dict[str, Any]) -> None:
    if not ran["can_stop"]:
        pytest.skip("this version of inspect_ai cannot stop an eval early")


def test_inspect_finds_the_extension_by_its_entry_point(ran: dict[str, Any]) -> None:
    assert ran["registered"]


def test_metrics_in_the_log_are_those_of_errbar_on_the_log(ran: dict[str, Any]) -> None:
    for name in ("avg", "pass@2") if ran["sees_epochs"] else ("avg",):
        (found,) = errbar.score(ran["log"], name)
        logged = [ran["metrics"][key] for key in (name, f"{name} low", f"{name} high")]
        assert logged == pytest.approx([found.value, found.interval.low, found.interval.high])
    assert ran["metrics"]["accuracy"] == pytest.approx(ran["metrics"]["avg"])


def test_versions_that_reduce_epochs_first_have_no_metrics_of_several_draws(
    ran: dict[str, Any],
) -> None:
    assert math.isnan(ran["metrics"]["pass@2"]) == (not ran["sees_epochs"])


def test_a_metric_that_needs_more_epochs_does_not_end_the_eval(ran: dict[str, Any]) -> None:
    assert math.isnan(ran["metrics"]["maj@9"])


def test_epochs_are_reduced_by_a_metric_without_bias(ran: dict[str, Any]) -> None:
    (found,) = errbar.score(ran["log"], "pass^2")
    assert ran["reduced"] == pytest.approx(found.value)


def test_the_hook_prints_the_scores_of_each_run(ran: dict[str, Any]) -> None:
    lines = str(errbar.score(ran["log"], "pass@2")).splitlines()
    (row,) = (line for line in lines if line.startswith("mockllm/model  "))
    assert row in ran["printed"]


def test_an_eval_stops_when_it_is_decided(ran: dict[str, Any]) -> None:
    _require_early_stopping(ran)
    for rate, decision in (("1.0", "pass"), ("0.1", "fail")):
        stop = ran["stops"][rate]
        assert stop["decision"] == decision
        assert stop["completed"] == 12 * 2 * stop["looks"] < 12 * 8  # rounds of two epochs
        assert (stop["low"] > 0.6) == (decision == "pass")
        assert (stop["high"] < 0.6) == (decision == "fail")


def test_a_log_of_a_stopped_run_is_read_with_a_warning(ran: dict[str, Any]) -> None:
    _require_early_stopping(ran)
    read = " ".join(str(errbar.load(ran["stopped"]).inspect()).split())
    assert "the run was stopped early" in read
    assert "NOT THE SAME" not in read


def test_samples_are_left_out_only_of_a_shuffled_data_set(ran: dict[str, Any]) -> None:
    _require_early_stopping(ran)
    assert "needs a shuffled data set" in ran["unshuffled"]


def test_the_task_of_the_page_runs(ran: dict[str, Any]) -> None:
    assert ran["page"]["avg"] == 1.0
    if ran["sees_epochs"]:
        assert ran["page"]["pass@4"] == 1.0
        assert ran["page"]["pass@4 low"] < 1.0
