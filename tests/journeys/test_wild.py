"""Real public data as people have them, unprepared, with the numbers counted from them by hand."""

import csv

import numpy as np
import pytest

import errbar
from errbar.base.remarks import above
from logs import agreements_of, real


def means(name: str, **told: str) -> dict[str, float]:
    scores = errbar.load(real(f"wild/{name}"), **told).score("avg")  # type: ignore[arg-type]
    return {score.system: score.value for score in scores}


def test_five_runs_of_an_agent_are_five_trials_of_one_system() -> None:
    runs = errbar.load(real("wild/terminal-bench"))
    scores = {score.system: score for score in runs.score("avg")}
    assert {name: score.value for name, score in scores.items()} == pytest.approx(
        {"claude-4-opus": 0.4525, "claude-4-sonnet": 0.4125}
    )
    assert {(score.questions, score.trials) for score in scores.values()} == {(80, 400)}
    assert len(runs.source.origin.accounts) == 10
    assert len(agreements_of(runs)) >= 8
    apart = sorted(means("terminal-bench", files="systems").values())
    assert apart == pytest.approx(
        sorted([0.4875, 0.45, 0.4875, 0.425, 0.4125, 0.4, 0.4, 0.4, 0.4, 0.4625])
    )


def test_the_id_of_an_instance_is_in_its_report() -> None:
    (score,) = errbar.load(real("wild/swe-bench-official")).score("avg")
    assert (score.value, score.questions, score.trials) == (39 / 40, 40, 40)


def test_outcomes_by_id_in_a_folder_per_system() -> None:
    assert means("swe-bench-pro") == pytest.approx(
        {"claude-4sonnet-10132025": 240 / 562, "gpt-4o-paper": 36 / 619}
    )


def test_a_file_per_model() -> None:
    scores = errbar.load(real("wild/one-file-per-model")).score("avg")
    found = {score.system: (round(score.value, 4), score.questions) for score in scores}
    assert found == {
        "anthropic_claude-opus-4-0": (0.8041, 97),
        "anthropic_claude-sonnet-4-0": (0.7732, 97),
        "gemini_gemma-3-27b-it": (0.7887, 71),
        "lmstudio_google_gemma-3-12b": (0.6186, 97),
        "lmstudio_qwen_qwen3-14b": (0.7216, 97),
        "openai_gpt-4o": (0.7113, 97),
        "openai_gpt-4o-mini": (0.6598, 97),
    }


def test_samples_of_one_problem_have_both_readings() -> None:
    scores = errbar.load(real("wild/livecodebench")).score("avg")
    said = " ".join(note for note in above(scores.notes()) if note.startswith("⚠"))
    assert "the question is 'sample_id' (mean of all systems 39.92)" in said
    assert "question='question_id' reads rows with the same 'question_id' as trials" in said
    for apart in (means("livecodebench"), means("livecodebench", rows="questions")):
        assert len(apart) == 37
        assert apart["Claude-3-Opus"] == pytest.approx(47.286, abs=5e-4)
        assert apart["Claude-2"] == pytest.approx(42.756, abs=5e-4)
    trials = errbar.load(real("wild/livecodebench"), question="question_id").score("avg")
    said = " ".join(above(trials.notes()))
    assert "Claude-2 is 43.85 as trials, 42.76 as questions" in said


def test_leaderboards_with_responses_by_question() -> None:
    scores = errbar.load(real("leaderboards/swebench_verified")).score("avg")
    assert len(scores) == 134
    assert {score.questions for score in scores} == {500}
    assert max(score.value for score in scores) == 396 / 500
    counts = errbar.load(real("leaderboards/terminalbench")).score("avg")
    assert (len(counts), {score.questions for score in counts}) == (83, {88})


def test_abilities_and_difficulties_are_those_of_the_published_fit() -> None:
    found = errbar.items(real("leaderboards/swebench_verified"))
    for name, column, rows in (
        ("abilities", "theta", {row.system: row for row in found.systems}),
        ("items", "b", {row.question: row for row in found if 0.0 < row.solved < 1.0}),
    ):
        with real(f"leaderboards/swebench_verified/{name}.csv").open(encoding="utf-8") as file:
            known = [line for line in csv.DictReader(file) if line[""] in rows]
        published = np.array(
            [[float(line[column]), float(line[f"{column}_std"])] for line in known]
        )
        mine = np.array([rows[line[""]].value for line in known])
        assert len(mine) == len(rows)
        assert np.corrcoef(published[:, 0], mine)[0, 1] > 0.999
        apart = published[:, 0] - mine  # the origin differs, and the prior stretches by 1%
        assert np.std((apart - apart.mean()) / published[:, 1]) < 0.5
    assert [len(found.rows) - 468, found.tasks[0].all_wrong] == [32, 32]


def test_a_newcomer_sees_the_verdict_within_five_lines() -> None:
    terminals = pytest.importorskip("terminals", reason="Windows has no such terminals")
    text = terminals.plain(terminals.shown(str(real("inspect_ai/real_10x5")), columns=80))
    lines = text.splitlines()
    assert any("any of the 3 systems may be the best" in line for line in lines[:5])
    assert max(map(len, lines)) <= 80


def test_the_published_intraclass_correlation_of_an_agent() -> None:
    found = errbar.noise(real("tau-bench/gpt-4o-airline.json"))
    assert round(found[0].icc.value, 3) == 0.405
    assert found[0].icc.low < 0.3
    assert found[0].icc.high > 0.5
