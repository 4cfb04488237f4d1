"""Outputs of promptfoo."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

import errbar
from broken_logs import require_clear_refusals, require_read_or_refused
from logs import FIXTURES, agreements_of, real, rows_of

LOG = FIXTURES / "promptfoo" / "out.json"


def test_repeats_of_a_test_are_trials_of_one_question() -> None:
    found = rows_of(LOG)
    told = json.loads(LOG.read_text())["results"]["results"]
    trials = Counter((row["system"], row["question"]) for row in found)
    assert set(trials.values()) == {2}
    assert len(trials) == 12
    assert {row["trial"] for row in found} == {0, 1}
    assert {row["question"] for row in found} == {"n=0", "n=1", "n=2"}
    by_system = Counter(row["system"] for row in found if row["outcome"] == 1)
    assert by_system == Counter(
        f"{row['provider']['label']} ({row['prompt']['label']})" for row in told if row["success"]
    )


def test_a_result_without_a_grade_is_an_error() -> None:
    (failed,) = [row for row in rows_of(LOG) if row["status"] == "error"]
    assert (failed["system"], failed["question"]) == ("weak (Twice {{n}}?)", "n=1")
    assert failed["answer"] is None


@pytest.mark.parametrize(("scorer", "claims"), [(None, 4), ("exact", 3), ("short", 3)])
def test_the_stated_numbers_come_out(scorer: str | None, claims: int) -> None:
    runs = errbar.load(LOG, scorer=scorer)
    assert len(agreements_of(runs)) == claims
    told = [one for one in runs.source.origin.remarks if "that is a mean over rows" in one]
    assert bool(told) == (claims == 3)
    assert all(one.startswith("weak (Twice {{n}}?)") for one in told)


def test_tests_that_differ_in_their_assertions_are_two_questions(tmp_path: Path) -> None:
    told = json.loads(LOG.read_text())
    for row in told["results"]["results"]:
        if row["testIdx"] == 1:
            row["testCase"]["assert"] = []
    (tmp_path / "out.json").write_text(json.dumps(told))
    found = rows_of(tmp_path / "out.json")
    assert {row["question"] for row in found} == {"n=0", "n=0 (2)", "n=1", "n=2"}


def test_lines_are_read_too(tmp_path: Path) -> None:
    told = json.loads(LOG.read_text())["results"]["results"]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in told))
    kept = [(row["system"], row["question"], row["trial"], row["outcome"]) for row in rows_of(path)]
    assert sorted(kept) == sorted(
        (row["system"], row["question"], row["trial"], row["outcome"]) for row in rows_of(LOG)
    )


def test_a_second_run_adds_trials(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        shutil.copy(LOG, tmp_path / name)
    runs = errbar.load(tmp_path)
    assert {row["trial"] for row in rows_of(runs)} == set(range(4))
    assert not runs.agreements()


def test_the_reported_counts_come_out() -> None:
    runs = errbar.load(real("promptfoo"))
    found = rows_of(runs)
    counts = Counter("error" if row["status"] == "error" else row["outcome"] for row in found)
    assert counts == {1.0: 66, 0.0: 49, "error": 5}
    assert {row["trial"] for row in found} == {0, 1, 2}
    values = {one.system: one.value for one in runs.score("avg")}
    assert values == pytest.approx({"strong": 43 / 60, "weak": 23 / 60}, abs=1e-12)
    assert agreements_of(runs)


def test_broken_logs(tmp_path: Path) -> None:
    require_read_or_refused(LOG, tmp_path, reader="promptfoo")
    require_clear_refusals(LOG, tmp_path, reader="promptfoo")
