"""Logs of inspect_ai, made by the package itself: rows, and its own numbers."""

import json
import math
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import errbar
from errbar.data.readers.logs import TALLIES
from errbar.errors import InputError
from inspect_logs import (
    ARCHIVES,
    LOGS,
    PLACE,
    REFERENCE,
    archived,
    members,
    sample,
    samples,
    saved,
    small,
    write,
)
from logs import FIXTURES, agreements_of, claims_of, harness, real, remarks_of, rows_of

WITH_ROWS = [name for name in LOGS if name != "header_only.json"]
SCORED = [(name, scorer) for name in LOGS for scorer in REFERENCE["logs"][name]["scores"]]

# As the documentation of the package has it, without its code and without ours.
NUMBERS = {"C": 1, "I": 0, "P": 0.5, "N": 0, "yes": 1, "0.5": 0.5}


def number(value: Any) -> float | None:
    if isinstance(value, str):
        return NUMBERS[value]
    return None if value is None or math.isnan(value) else value


def part(score: dict[str, Any] | None, scorer: str) -> Any:
    """The value of a score, or of the part that the scorer's name ends in."""
    value = None if score is None else score["value"]
    key = scorer.partition("/")[2]
    if isinstance(value, dict):
        return value[key]
    return value[int(key)] if isinstance(value, list) else value


@pytest.mark.parametrize("name", WITH_ROWS)
def test_every_sample_is_a_row(name: str) -> None:
    held = samples(PLACE / name)
    found = rows_of(PLACE / name)
    assert len(held) == len(found) == REFERENCE["logs"][name]["samples"]
    expected = {(str(each["id"]), each["epoch"]) for each in held}
    assert {(row["question"], row["trial"]) for row in found} == expected


@pytest.mark.parametrize(("name", "scorer"), SCORED)
def test_outcomes_are_the_values_of_the_scorer(name: str, scorer: str) -> None:
    expected = {
        (str(sample["id"]), sample["epoch"]): number(
            part((sample.get("scores") or {}).get(scorer.partition("/")[0]), scorer)
        )
        for sample in samples(PLACE / name)
    }
    found = {
        (row["question"], row["trial"]): row["outcome"]
        for row in rows_of(PLACE / name, scorer=scorer)
    }
    assert found == expected


@pytest.mark.parametrize("name", WITH_ROWS)
def test_statuses_are_counted_as_the_samples_say(name: str) -> None:
    expected: Counter[str] = Counter()
    for each in samples(PLACE / name):
        score = next(iter((each.get("scores") or {}).values()), None)
        scored = score is not None and number(part(score, "")) is not None
        failed = "error" if each.get("error") and not scored else ""
        limit = "limit" if each.get("limit") else ""
        expected[failed or limit or ("ok" if scored else "unscored")] += 1
    assert Counter(row["status"] for row in rows_of(PLACE / name)) == expected


def test_both_formats_give_the_same_rows() -> None:
    def ordered(name: str) -> list[dict[str, Any]]:
        return sorted(rows_of(PLACE / name), key=lambda row: (row["question"], row["trial"]))

    assert ordered("failures.eval") == ordered("failures.json")


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_packed_by_deflate_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    write(tmp_path / "log.eval", members(PLACE / name))
    assert rows_of(tmp_path / "log.eval") == rows_of(PLACE / name)


def test_answers_targets_and_metadata_are_columns() -> None:
    found = {(row["question"], row["trial"]): row for row in rows_of(PLACE / "values.eval")}
    row = found["two/2 ü 😀 \"'", 1]
    assert row["target"] == '["42", "forty-two"]'
    assert (row["answer"], row["level"]) == ("42", len("two/2 ü 😀 \"'"))
    assert found["03", 1]["target"] == "42"
    by = errbar.load(PLACE / "epochs.eval").score("avg", by=["level"])
    assert by[0].value == REFERENCE["logs"]["epochs.eval"]["scores"]["grade"]["accuracy"]


# What the package says


@pytest.mark.parametrize(("name", "scorer"), SCORED)
def test_the_mean_of_the_outcomes_is_the_packages(name: str, scorer: str) -> None:
    by_question: dict[str, list[float]] = {}
    for row in rows_of(PLACE / name, scorer=scorer):
        if row["outcome"] is not None:
            by_question.setdefault(row["question"], []).append(row["outcome"])
    mine = fmean(fmean(each) for each in by_question.values())
    said = REFERENCE["logs"][name]["scores"][scorer]
    assert mine == pytest.approx(said["accuracy"], abs=1e-14)
    assert mine == pytest.approx(said["mean"], abs=1e-14)


BINARY = [
    (name, scorer)
    for name, scorer in SCORED
    if name != "values.eval" and (name, scorer) != ("epochs.eval", "number")
]


@pytest.mark.parametrize(("name", "scorer"), [*BINARY, ("values.eval", "listed/1")])
def test_scores_are_the_packages(name: str, scorer: str) -> None:
    runs = errbar.load(PLACE / name, scorer=scorer)
    said = REFERENCE["logs"][name]["scores"][scorer]
    (mine,) = runs.score("avg", errors="missing")
    assert mine.value == pytest.approx(said["accuracy"], abs=1e-14)
    if "pass@2" in said:
        (mine,) = runs.score("pass@2", errors="missing", short="drop")
        assert mine.value == pytest.approx(said["pass@2"], abs=1e-14)


@pytest.mark.parametrize(("name", "scorer"), BINARY)
def test_what_a_log_states_comes_out(name: str, scorer: str) -> None:
    found = {each.claim.metric for each in agreements_of(PLACE / name, scorer=scorer)}
    stated = found - set(TALLIES)
    expected = {"avg", "pass@2", "pass^2"} if name == "epochs.eval" else {"avg"}
    ended = name not in ("crashed.eval", "set/second_error.eval")
    assert stated == (expected if ended else set())


def test_a_part_is_compared_with_what_is_stated_of_it() -> None:
    for scorer in ("parts/a", "parts/b"):
        claims = errbar.load(PLACE / "values.eval", scorer=scorer).source.origin.claims
        said = REFERENCE["logs"]["values.eval"]["scores"][scorer]
        assert {claim.name: claim.value for claim in claims if claim.metric not in TALLIES} == {
            "accuracy": pytest.approx(said["accuracy"]),
            "mean": pytest.approx(said["mean"]),
        }


def partly_right(path: Path) -> Path:
    """A log that states pass@1 of grades between right and wrong."""
    stated = {"name": "s", "reducer": "pass_at_1", "metrics": {"mean": {"value": 0.5}}}
    graded = [sample("a", 1, "C"), sample("b", 1, "P"), sample("c", 1, "I")]
    return saved(path, small(graded, results={"scores": [stated]}, task="partly"))


def test_what_errbar_has_no_metric_for_says_why(tmp_path: Path) -> None:
    (agreement,) = errbar.load(partly_right(tmp_path / "log.json")).agreements()
    assert not agreement.holds
    assert "needs outcomes of 0 and 1; there are 0, 0.5, 1" in str(agreement)


def test_the_mean_of_grades_between_right_and_wrong_comes_out() -> None:
    assert claims_of(PLACE / "values.eval") == ["total_samples", "scored_samples", "accuracy"]


def test_one_log_that_cannot_be_compared_does_not_hide_the_others(tmp_path: Path) -> None:
    partly_right(tmp_path / "log.json")
    shutil.copy(PLACE / "epochs.eval", tmp_path)
    agreements = errbar.load(tmp_path).agreements()
    assert {agreement.claim.task: agreement.holds for agreement in agreements} == {
        "partly": False,
        "epochs": True,
    }


def test_the_package_still_says_what_is_written_down() -> None:
    script = FIXTURES / "reference_inspect_ai.py"
    run = subprocess.run(
        [harness("inspect_ai"), script, PLACE],
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    assert json.loads(run.stdout) == REFERENCE


# Which scorer


def test_of_several_scorers_the_first_is_scored_and_the_others_are_named() -> None:
    said = remarks_of(PLACE / "epochs.eval")
    assert "Using scorer 'grade' (also: number; choose with scorer=)." in said
    said = remarks_of(PLACE / "epochs.eval", scorer="number")
    assert "Using scorer 'number' (also: grade; choose with scorer=)." in said


def test_a_scorer_that_is_not_there_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"no scorer 'parts'; there are: grade, number, parts/a"):
        errbar.load(PLACE / "values.eval", scorer="parts")


def test_the_headline_of_a_task_comes_first(tmp_path: Path) -> None:
    scores = {"s": {"value": 0}, "t": {"value": {"u": 1}}}
    headline = {"scorer": "t", "score": "u", "metric": "mean"}
    log = small([sample() | {"scores": scores}], results={"headline": headline})
    (row,) = rows_of(saved(tmp_path / "log.json", log))
    assert row["outcome"] == 1


def test_every_task_has_its_own_scorer() -> None:
    found = rows_of(PLACE / "set")
    assert {(row["task"], row["question"]): row["outcome"] for row in found} == {
        ("first", "p"): 1,
        ("first", "q"): 0,
        ("second", "p"): 1,
        ("second", "r"): 0,
    }


def test_a_scorer_that_only_some_logs_have_leaves_the_others_out_and_says_so() -> None:
    found = rows_of(PLACE / "set", scorer="number")
    assert {row["task"] for row in found} == {"second"}
    said = remarks_of(PLACE / "set", scorer="number")
    assert "1 logs lack the scorer and are left out: first_success.eval (grade)." in said


def test_parts_may_have_slashes_and_a_scorer_without_a_score_is_not_one_of_them(
    tmp_path: Path,
) -> None:
    values = [{"a/b": 1, "c": 0}, float("nan")]
    log = small([sample(epoch=at, value=value) for at, value in enumerate(values, start=1)])
    path = saved(tmp_path / "log.json", log)
    assert [row["outcome"] for row in rows_of(path)] == [1, None]
    assert "(also: s/c; choose with scorer=)" in remarks_of(path)


def test_a_claim_is_of_the_same_scorer_where_two_have_parts_of_one_name(tmp_path: Path) -> None:
    scores = {"s": {"value": {"a": 1}}, "t": {"value": {"a": 0}}}
    stated = [
        {"name": "a", "scorer": name, "metrics": {"mean": {"value": value}}}
        for name, value in (("s", 1), ("t", 0))
    ]
    log = small([sample() | {"scores": scores}], results={"scores": stated})
    for scorer in ("s/a", "t/a"):
        assert len(agreements_of(saved(tmp_path / "log.json", log), scorer=scorer)) == 1


# Several logs


def test_runs_with_the_same_settings_are_joined_and_others_are_systems() -> None:
    found = rows_of(PLACE / "again")
    assert Counter((row["system"], row["question"], row["trial"]) for row in found) == Counter(
        [
            *(('mockllm/model (words="plain")', q, t) for q in "pq" for t in (1, 2)),
            *(('mockllm/model (words="rich")', q, 1) for q in "pq"),
        ]
    )
    said = remarks_of(PLACE / "again")
    assert "their trials are numbered across logs, and what each log states is not compared" in said
    claims = errbar.load(PLACE / "again").source.origin.claims
    assert {claim.system for claim in claims} == {'mockllm/model (words="rich")'}


def test_of_a_run_and_its_retry_the_better_counts_and_the_other_is_named() -> None:
    said = remarks_of(PLACE / "set")
    left = "second_error.eval (error) is of the same run as second_success.eval (success)"
    assert f"{left}, and left out." in said
    assert "not read" not in said  # of logs.json and eval-set.json


def test_long_settings_are_cut_and_stay_separate(tmp_path: Path) -> None:
    for at in range(3):
        prompt = {"prompt": "x" * 99 + str(at)}
        saved(tmp_path / f"{at}.json", small(task_id=str(at), task_args=prompt))
    names = {row["system"] for row in rows_of(tmp_path)}
    assert len(names) == 3
    assert all(len(name) < 70 for name in names)


def test_a_solver_and_the_models_that_help_tell_runs_apart(tmp_path: Path) -> None:
    settings: list[dict[str, Any]] = [{"solver": "react"}, {"model_roles": {"grader": "g"}}, {}]
    for at, told in enumerate(settings):
        saved(tmp_path / f"{at}.json", small(task_id=str(at), **told))
    assert {row["system"] for row in rows_of(tmp_path)} == {
        'm (solver="react", grader=none)',
        'm (solver=none, grader="g")',
        "m (solver=none, grader=none)",
    }


def test_many_logs_are_read_at_once(tmp_path: Path) -> None:
    for at in range(200):
        told = {"task": f"t{at % 20}", "model": f"m{at // 20}", "task_id": str(at)}
        archived(tmp_path / f"{at}.eval", small([sample(id) for id in "abc"], **told))
    (tmp_path / "notes.txt").write_text("not a log", encoding="utf-8")
    inspection = errbar.load(tmp_path).inspect()
    assert inspection.summary() == "3 questions x 20 tasks x 10 systems, 600 rows"
    why = "not a log, while other files are, and no table by its ending"
    assert any(f"Not read: notes.txt ({why})" in note for note in inspection.notes())


# Runs that did not end well


def test_a_crashed_run_is_read_from_its_journal() -> None:
    assert "header.json" not in members(PLACE / "crashed.eval")
    said = remarks_of(PLACE / "crashed.eval")
    assert "the run ended as 'unfinished'; 10 of 11 samples are in the log." in said


def test_the_later_part_of_a_journal_counts(tmp_path: Path) -> None:
    held = {
        name: member for name, member in members(PLACE / "crashed.eval").items() if "10" not in name
    }
    for at, grade in ((2, "I"), (10, "C"), (9, "I")):
        again = sample("again") | {"scores": {"grade": {"value": grade}}}
        held[f"_journal/summaries/{at}.json"] = json.dumps([again]).encode()
    path = write(tmp_path / "log.eval", held)
    (row,) = [row for row in rows_of(path) if row["question"] == "again"]
    assert row["outcome"] == 1
    assert "2 rows left out: samples that occur again later." in remarks_of(path)


def test_samples_without_a_summary_are_read_themselves(tmp_path: Path) -> None:
    held = {
        name: member
        for name, member in members(PLACE / "crashed.eval").items()
        if "summaries" not in name
    }
    path = write(tmp_path / "log.eval", held)
    assert Counter(map(str, rows_of(path))) == Counter(map(str, rows_of(PLACE / "crashed.eval")))


def test_samples_in_chunks_are_read_too(tmp_path: Path) -> None:
    held = {
        name.replace(".json", "/sample.json") if name.startswith("samples/") else name: member
        for name, member in members(PLACE / "crashed.eval").items()
        if "summaries" not in name
    }
    held["samples/3_epoch_1/messages/0.json"] = b'[{"role": "user"}]'
    assert len(rows_of(write(tmp_path / "log.eval", held))) == 10


def test_a_cancelled_run_says_so() -> None:
    said = remarks_of(PLACE / "cancelled.eval")
    assert "cancelled.eval: the run ended as 'cancelled'; 3 samples are in the log." in said


def test_success_without_any_is_stated_loudly() -> None:
    said = remarks_of(PLACE / "all_raise.eval")
    assert "the log says success, but every sample ended in an error." in said
    (each,) = errbar.load(PLACE / "all_raise.eval").score("avg")
    assert each.value == 0


@pytest.mark.parametrize("ended", ["success", "error"])
def test_a_log_in_which_nothing_was_scored_is_not_wrong(ended: str, tmp_path: Path) -> None:
    bare = {"scores": None, "score": None}
    samples = [
        sample("a") | bare,
        sample("b") | bare | {"limit": {"type": "token", "limit": 9}},
        sample("c") | bare | {"error": {"message": "boom"}},
    ]
    path = saved(tmp_path / "log.json", small(samples) | {"status": ended})
    assert [(row["outcome"], row["status"]) for row in rows_of(path)] == [(None, "unscored")] * 3


def test_of_two_logs_of_one_run_that_with_samples_counts(tmp_path: Path) -> None:
    saved(tmp_path / "a.json", small([], task_id="1"))
    saved(tmp_path / "b.json", small([sample("a")], task_id="1") | {"status": "error"})
    assert [row["question"] for row in rows_of(tmp_path)] == ["a"]
    assert "Not read: a.json (it has only a header (status 'success'))." in remarks_of(tmp_path)


def test_samples_that_are_not_there_are_seen(tmp_path: Path) -> None:
    stated = {"total_samples": 3, "completed_samples": 3}
    path = saved(tmp_path / "log.json", small([sample("a"), sample("b")], results=stated))
    found = {
        agreement.claim.name: (agreement.claim.value, agreement.value)
        for agreement in errbar.load(path).agreements()
    }
    assert found == {"total_samples": (3, 2), "samples not completed": (0, 0)}


def test_samples_that_were_scored_in_spite_of_an_error_count_and_are_reported() -> None:
    said = remarks_of(PLACE / "scored_errors.eval")
    assert "1 samples ended in an error but were scored" in said


def test_a_log_without_samples_cannot_be_scored() -> None:
    with pytest.raises(InputError, match=r"only a header \(status 'success'\)"):
        errbar.load(PLACE / "header_only.json")


def test_a_log_without_samples_among_others_is_reported(tmp_path: Path) -> None:
    for name in ("header_only.json", "epochs.eval"):
        shutil.copy(PLACE / name, tmp_path)
    said = "it has only a header (status 'success'); 2 samples planned, 0 in the log"
    assert f"Not read: header_only.json ({said})." in remarks_of(tmp_path)
    assert {agreement.claim.system for agreement in errbar.load(tmp_path).agreements()} == {
        "mockllm/model"
    }


def test_invalid_samples_are_reported(tmp_path: Path) -> None:
    path = saved(tmp_path / "log.json", small() | {"invalidated": True})
    assert "samples were declared invalid after the run" in remarks_of(path)


# Logs of others


def test_real_models_have_the_accuracies_that_their_logs_state() -> None:
    runs = errbar.load(real("inspect_ai") / "real_10x5")
    mine = {each.system: each for each in runs.score("avg")}
    assert {name: round(each.value, 4) for name, each in mine.items()} == {
        "openai/gpt-5": 0.6,
        "google/gemini-2.5-pro": 0.7,
        "anthropic/claude-sonnet-4-20250514": 0.66,
    }
    assert claims_of(runs) == 3 * [
        *("total_samples", "samples not completed", "scored_samples", "accuracy"),
    ]


def test_logs_of_every_version_are_read_or_have_no_samples() -> None:
    read = 0
    for path in sorted((real("inspect_ai") / "versions").iterdir()):
        held = samples(path)
        if not held:
            with pytest.raises(InputError, match="only a header"):
                errbar.load(path)
            continue
        assert len(rows_of(path)) == len(held)
        agreements_of(path)
        read += 1
    assert read == 9
