"""Runs that score the items of a questionnaire, loaded like any other log."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from errbar.base.remarks import above
from errbar.data.readers.item_runs import is_item_run, read_item_runs
from errbar.errors import InputError
from errbar.selective import estimate
from logs import FIXTURES, remarks_of, rows_of

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


def test_what_is_left_out_is_counted_by_reason(run: Path) -> None:
    source = errbar.load(run).source
    (account,) = source.origin.accounts.values()
    rows = json.loads(run.read_text())["experiments"][0]["results"]["results"]
    assert account.rows == sum(len(row["ground_truth_items"]) for row in rows) == 28
    assert account.left_out == {
        "items of participants whose run failed": 2,
        "items without a truth": 1,
    }
    assert "1 failed participant and 1 item without a truth left out" in remarks_of(run)


def test_a_failed_participant_without_items_is_left_out_as_one_row(run: Path) -> None:
    edit(run, lambda rows: rows[12].update(predicted_items={}, ground_truth_items={}))
    (account,) = errbar.load(run).source.origin.accounts.values()
    assert account.left_out["items of participants whose run failed"] == 1


def edit(run: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    told = json.loads(run.read_text())
    change(told["experiments"][0]["results"]["results"])
    run.write_text(json.dumps(told))


def with_signals(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        row["item_signals"] = {
            item: {"llm_evidence_count": n, "token_pe": n / 10, "evidence_source": "llm"}
            for item, n in row.pop("evidence_counts").items()
        }


def test_a_signal_is_chosen_and_which_it_was_stands_above_the_numbers(run: Path) -> None:
    before = [row["confidence"] for row in rows_of(run)]
    assert above(errbar.load(run).source.origin.remarks) == [
        "Confidence: llm_evidence_count (signal='-llm_evidence_count' to change)."
    ]
    edit(run, with_signals)
    runs = errbar.load(run)
    assert [row["confidence"] for row in rows_of(runs)] == before
    assert above(runs.source.origin.remarks) == [
        "Confidence: llm_evidence_count (also: token_pe) (signal='token_pe' to change)."
    ]
    runs = errbar.load(run, signal="token_pe")
    assert [row["confidence"] for row in rows_of(runs)] == [-n / 10 for n in before]
    with pytest.raises(InputError, match="no signal 'x'; there are: llm_evidence_count, token_pe"):
        errbar.load(run, signal="x")


def test_the_number_of_items_that_participants_state_comes_out(run: Path) -> None:
    def stating(rows: list[dict[str, Any]]) -> None:
        del rows[13]  # an item of which has no truth
        for row in rows:
            scores = list(row["predicted_items"].values())
            row["na_items"] = scores.count(None)
            row["available_items"] = len(scores) - row["na_items"]

    edit(run, stating)
    (agreement,) = errbar.load(run).agreements()
    assert (agreement.holds, agreement.value) == (True, 24)


def test_ranking_gives_what_the_command_for_such_runs_gives(run: Path) -> None:
    loaded = errbar.load(run).selective("aurc")[0]
    (own,) = read_item_runs(run)
    assert loaded.value == pytest.approx(
        estimate("aurc", own.predictions("zero-one"), rng=0).value, abs=1e-12
    )


def test_two_files_with_one_name_are_distinguished(run: Path) -> None:
    (run.parent / "other.json").write_text(run.read_text())
    assert {row["system"] for row in rows_of(run.parent)} == {
        *("few-shot (run)", "few-shot (other)"),
    }


def test_a_run_without_evidence_has_no_confidence(run: Path) -> None:
    told = json.loads(run.read_text())
    for result in told["experiments"][0]["results"]["results"]:
        del result["evidence_counts"]
    run.write_text(json.dumps(told))
    assert all(row["confidence"] is None for row in rows_of(run))


def test_files_with_one_name_in_two_folders_are_two_systems(run: Path) -> None:
    for name in ("small", "large"):
        (run.parent / name).mkdir()
        (run.parent / name / "run.json").write_text(run.read_text())
    run.unlink()
    found = {row["system"] for row in rows_of(run.parent)}
    assert found == {"few-shot (small)", "few-shot (large)"}


def test_the_command_and_the_loader_know_such_runs_by_one_rule(run: Path, tmp_path: Path) -> None:
    assert is_item_run(run)
    assert not is_item_run(tmp_path / "nothing.json")
    assert not is_item_run(tmp_path)
    others = [file for file in FIXTURES.rglob("*.json") if is_item_run(file)]
    assert others == []


def test_broken_logs(run: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    require_read_or_refused(run, broken, reader="item_runs")
    require_clear_refusals(run, broken, reader="item_runs")
