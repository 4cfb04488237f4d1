"""Runs that score the items of a questionnaire, loaded like any other log."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from errbar.readers.item_runs import read_item_runs
from errbar.selective import estimate
from logs import rows_of

ITEMS = ("Sleep", "Mood")


def participant(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "participant_id": number,
        "success": True,
        "predicted_items": {"Sleep": number % 3, "Mood": None if number % 4 == 0 else 1},
        "ground_truth_items": {"Sleep": number % 2, "Mood": 1},
        "evidence_counts": {"Sleep": number, "Mood": number % 5},
        **changes,
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    people = [participant(number) for number in range(12)]
    people.append(participant(12, success=False))
    people.append(participant(13, ground_truth_items={"Sleep": 1, "Mood": None}))
    told = {"experiments": [{"name": "few-shot", "results": {"results": people}}]}
    path = tmp_path / "run.json"
    path.write_text(json.dumps(told))
    return path


def test_an_item_of_a_participant_is_a_question(run: Path) -> None:
    found = {row["question"]: row for row in rows_of(run)}
    assert len(found) == 25
    for number in range(12):
        sleep, mood = found[f"{number} · Sleep"], found[f"{number} · Mood"]
        assert sleep["outcome"] == float(number % 3 == number % 2)
        assert (mood["status"] == "abstained") == (number % 4 == 0)
        assert (sleep["confidence"], sleep["cluster"], sleep["item"]) == (
            number,
            str(number),
            "Sleep",
        )
    assert {row["system"] for row in found.values()} == {"few-shot"}


def test_what_is_left_out_is_counted(run: Path) -> None:
    (said,) = errbar.load(run).source.origin.remarks
    assert "1 failed participant and 1 item without a truth left out" in said


def test_ranking_gives_what_the_command_for_such_runs_gives(run: Path) -> None:
    loaded = errbar.load(run).selective("aurc")[0]
    (own,) = read_item_runs(run)
    assert loaded.value == pytest.approx(
        estimate("aurc", own.predictions("zero-one"), rng=0).value, abs=1e-12
    )


def test_two_files_with_one_name_are_told_apart(run: Path) -> None:
    (run.parent / "other.json").write_text(run.read_text())
    assert {row["system"] for row in rows_of(run.parent)} == {
        *("few-shot (run)", "few-shot (other)"),
    }


def test_a_run_without_evidence_has_no_confidence(run: Path) -> None:
    told = json.loads(run.read_text())
    for one in told["experiments"][0]["results"]["results"]:
        del one["evidence_counts"]
    run.write_text(json.dumps(told))
    assert all(row["confidence"] is None for row in rows_of(run))


def test_broken_logs(run: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    require_read_or_refused(run, broken, reader="item_runs")
    require_clear_refusals(run, broken, reader="item_runs")
