"""Result files of evaluations in shapes that public repositories have, each counted by hand."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError, NoOutcomes, UnknownColumn

GOOD = [True, True, True, False, True, True, True, False, True, True, False, True]  # 9 of 12
POOR = [False, True, False, False, True, True] + 6 * [False]  # 3 of 12
BOTH = {"gpt": 0.75, "qwen": 0.25}
NAMELESS = ""


def means(data: Any, **how: Any) -> dict[str, float]:
    """The mean of each system."""
    return {score.system: score.value for score in errbar.load(data, **how).score("avg")}


def marked(data: Any, **how: Any) -> str:
    """All warnings, in one line."""
    remarks = above(errbar.load(data, **how).score("avg").notes())
    return " ".join(remark for remark in remarks if remark.startswith(MARK))


def document(place: Path, value: Any) -> Path:
    """Write a JSON document."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(value))
    return place


def lines(place: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    """Write JSON lines."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return place


def test_a_record_in_a_column_called_agent_is_a_system(tmp_path: Path) -> None:
    rows = [
        {"id": f"e{at}", "naive": {"calls": 1, "correct": bad}, "agent": {"correct": good}}
        for at, (good, bad) in enumerate(zip(GOOD, POOR, strict=True))
    ]
    file = document(tmp_path / "results.json", {"summary": {"n": 12}, "records": rows})
    assert means(file) == {"naive": 0.25, "agent": 0.75}
    assert "are read as systems (naive, agent)" in marked(file)


def test_a_row_per_metric_is_refused(tmp_path: Path) -> None:
    rows = [{"metric": name, "score": 0.9} for name in ("faithfulness", "relevancy", "recall")]
    with pytest.raises(NoOutcomes, match="every row has another 'metric'"):
        errbar.load(lines(tmp_path / "ragas.jsonl", rows))
    both = [{**row, "model": name} for row in rows for name in ("gpt", "qwen")]
    with pytest.raises(NoOutcomes, match="every row has another 'metric'"):
        errbar.load(lines(tmp_path / "ragas.jsonl", both))
    assert means(lines(tmp_path / "ragas.jsonl", rows), question="metric") == {NAMELESS: 0.9}


def test_an_accuracy_between_0_and_1_may_be_of_many_questions() -> None:
    rows = [{"name": f"run-{at}", "F1": 0.1, "ACC": (40 + at) / 75} for at in range(12)]
    assert "'ACC' is a share in 12 of 12 rows. If a row is the mean of a 'name'" in marked(rows)
    answered = [{**row, "response": f"It is {row['name']}."} for row in rows]
    assert "is a share" not in marked(answered)
    right = [{"name": f"q{at}", "acc": int(good)} for at, good in enumerate(GOOD)]
    assert "is a share" not in marked(right)


def test_objects_with_flags_and_a_status_are_no_totals(tmp_path: Path) -> None:
    cases = {
        f"single_{at}": {
            "status": "pass" if good else "fail",
            "keyword_score": 1.0,
            "tool_match": True,
            "judge_avg": 3.67 if at % 2 else 0,
        }
        for at, good in enumerate(GOOD)
    }
    assert means(document(tmp_path / "results.json", cases)) == {NAMELESS: 0.75}


def test_probabilities_of_a_row_that_was_run_again_are_no_questions(tmp_path: Path) -> None:
    rows = [
        {"cmd": f"rm {at}", "model": "m", "run": run, "risks": {"network": 0.1, "opaque": 0.2}}
        for at in range(4)
        for run in (1, 2)
    ]
    with pytest.raises(InputError, match=r"there is a column for each of risks\.network"):
        errbar.load(lines(tmp_path / "results.jsonl", rows))
    once = [
        {"model": name, "answers": {"q1": 1, "q2": good}} for name, good in (("a", 1), ("b", 0))
    ]
    assert means(lines(tmp_path / "results.jsonl", once)) == {"a": 1.0, "b": 0.5}


def test_a_file_per_task_with_two_verdicts_asks_for_one(tmp_path: Path) -> None:
    for at, (good, bad) in enumerate(zip(GOOD, POOR, strict=True)):
        row = {"user_task_id": f"t{at}", "messages": [], "utility": good, "security": bad}
        document(tmp_path / "gpt" / f"user_task_{at}.json", row)
    with pytest.raises(UnknownColumn, match="right and wrong values: 'utility', 'security'"):
        errbar.load(tmp_path)
    assert means(tmp_path, outcome="utility", system=None) == {NAMELESS: 0.75}


def test_a_label_next_to_a_response_may_mark_what_is_wrong(tmp_path: Path) -> None:
    cases = {
        f"behavior_{at}": [{"generation": "I cannot.", "label": int(good)}]
        for at, good in enumerate(GOOD)
    }
    file = document(tmp_path / "llama.json", cases)
    assert means(file) == {NAMELESS: 0.75}
    assert "If 1 marks what is wrong, such as harmful content, lower is better" in marked(file)
    assert means(file, right=["0", "false"]) == {NAMELESS: 0.25}


def test_numbered_samples_of_a_key_are_trials(tmp_path: Path) -> None:
    found = {
        str(at + 1): [
            {"sample_id": number, "compiled": True, "correctness": number == 0 and good}
            for number in (0, 1)
        ]
        for at, good in enumerate(GOOD)
    }
    runs = errbar.load(document(tmp_path / "eval_results.json", found))
    assert [(score.system, score.value) for score in runs.score("avg")] == [(NAMELESS, 0.375)]
    assert [score.value for score in runs.score("pass@2")] == [0.75]


def test_seconds_that_happen_to_repeat_are_no_levels(tmp_path: Path) -> None:
    rows = [
        {"id": f"k{at}", "correct": bool(trial) and good, "runtime": 1.2 if trial else -1.0}
        for at, good in enumerate(GOOD)
        for trial in (0, 1)
    ]
    assert means(lines(tmp_path / "kernels.jsonl", rows)) == {NAMELESS: 0.375}


def test_a_session_that_all_files_have_is_the_question(tmp_path: Path) -> None:
    for name, outcomes in (("gpt", GOOD), ("qwen", POOR[::-1])):
        order = range(12) if name == "gpt" else range(11, -1, -1)
        rows = [
            {"session_id": f"s{at}", "score": str(6 + outcomes[place]), "generator": name}
            for place, at in enumerate(order)
        ]
        document(tmp_path / f"{name}.json", rows)
    runs = errbar.load(tmp_path)
    assert "question = session_id" in " ".join(runs.score("avg").notes())
    assert {score.system: score.value for score in runs.score("avg")} == {"gpt": 6.75, "qwen": 6.25}


@pytest.mark.parametrize("name", ["tokens", "counts", "attempt"])
def test_measurements_objects_and_trials_are_no_ids(name: str, tmp_path: Path) -> None:
    values: Mapping[str, Any] = {"tokens": "t{}", "counts": {"files": 0}, "attempt": "{}"}
    rows = [
        {
            "model": system,
            "passed": good,
            name: {"files": at} if name == "counts" else values[name].format(at),
        }
        for system, outcomes in (("gpt", GOOD), ("qwen", POOR))
        for at, good in enumerate(outcomes)
    ]
    runs = errbar.load(lines(tmp_path / "results.jsonl", rows))
    assert f"question = {name}" not in " ".join(runs.score("avg").notes())
    assert {score.system: score.value for score in runs.score("avg")} == BOTH


def test_letters_next_to_their_scores_are_not_taken_for_outcomes() -> None:
    rows = [{"text": f"q{at}", "grade": "AB"[at % 2], "clarity": 4, "tone": 5} for at in range(6)]
    with pytest.raises(UnknownColumn, match="looks like question or outcome"):
        errbar.load(rows)


def test_the_load_of_a_machine_is_no_score() -> None:
    rows = [
        {"prompt_id": f"q{at}", "repetition": trial, "status": "ok", "cpu_percent": 20.5 + at}
        for at in range(6)
        for trial in (0, 1)
    ]
    with pytest.raises(UnknownColumn, match=r"with outcome='COLUMN'\."):
        errbar.load(rows)


def test_rows_by_system_of_which_no_field_is_called_an_outcome(tmp_path: Path) -> None:
    found = {
        name: {
            "model": name,
            "avg_composite": 8.8,
            "results": [
                {"role_id": at, "question": f"{name} {at}?", "scores": {"tone": 9, "composite": up}}
                for at, up in enumerate(outcomes)
            ],
        }
        for name, outcomes in (("gpt", GOOD), ("qwen", POOR))
    }
    file = document(tmp_path / "results.json", found)
    with pytest.raises(UnknownColumn, match=r"'scores\.tone', 'scores\.composite'"):
        errbar.load(file)
    assert means(file, outcome="scores.composite") == BOTH


def test_an_answer_that_something_was_not_found_has_an_outcome() -> None:
    rows = [
        {"id": f"A{at}", "status": "ok" if at % 3 else "not_found", "pass": good}
        for at, good in enumerate(GOOD)
    ]
    assert means(rows) == {NAMELESS: 0.75}
    assert "3 rows are not_found in 'status' and have an outcome above 0" in marked(rows)
    lost = [{**row, "pass": row["pass"] if row["status"] == "ok" else None} for row in rows]
    assert "outcome above 0" not in marked(lost)


def test_numbers_of_solved_and_unsolved_trials_in_an_object(tmp_path: Path) -> None:
    found = {
        str(at): {
            "query": f"I need {at}",
            "is_solved": {"Status.Solved": 3 * good, "Status.Unsolved": 3 - 3 * good},
        }
        for at, good in enumerate(GOOD)
    }
    assert means(document(tmp_path / "pass_rate.json", found)) == {NAMELESS: 0.75}


def test_an_id_of_requests_that_all_versions_have_is_the_question() -> None:
    rows = [
        {"request_id": f"R{at}", "version_used": name, "vehicle_id": at % 3, "correct": good}
        for name, outcomes in (("v1", GOOD), ("v2", POOR))
        for at, good in enumerate(outcomes)
    ]
    assert "question = request_id" in " ".join(errbar.load(rows).score("avg").notes())
    once = [{**row, "request_id": f"{row['version_used']}-{row['request_id']}"} for row in rows]
    assert "question = request_id" not in " ".join(errbar.load(once).score("avg").notes())


def test_verdicts_of_several_judges_in_columns_are_a_game_each(tmp_path: Path) -> None:
    rows = [
        {"question_id": at, "model_1": "a", "model_2": "b", "winner1": "model_1", "winner2": "tie"}
        for at in range(6)
    ]
    games = errbar.games(lines(tmp_path / "human.jsonl", rows))
    assert len(games) == 12
    assert games.judges == ("winner1", "winner2")
    assert len(errbar.games(pd.DataFrame(rows))) == 12
    counted = [{"model_1": "a", "model_2": "b", "winner1": 2, "winner2": 1}]
    assert len(errbar.games(counted)) == 3


def test_probabilities_of_classes_are_no_systems(tmp_path: Path) -> None:
    rows = [
        {"id": f"pq_{at}", "clarity": "Clear", "clarity_p": {"Clear": 0.88, "Vague": 0.12}}
        for at in range(12)
    ]
    file = lines(tmp_path / "judgments.jsonl", rows)
    with pytest.raises(UnknownColumn, match="no column of the data looks like outcome"):
        errbar.load(file)
    assert means(file, outcome="clarity_p.Clear") == {NAMELESS: pytest.approx(0.88)}


def test_measures_beside_others_are_no_systems() -> None:
    rows = [
        {
            "question_id": at,
            "pipeline": name,
            "context_precision": 0.3 + at / 99,
            "context_recall": 0.5,
            "mean_reciprocal_rank": 1 / (at + 1),
            "proxy": at / 12,
        }
        for name in ("naive", "enhanced")
        for at in range(12)
    ]
    with pytest.raises(InputError, match="every row has 4 scores"):
        errbar.load(rows)
    assert means(rows, outcome="context_recall") == {"naive": 0.5, "enhanced": 0.5}


@pytest.mark.parametrize("name", ["trace", "error_snippet"])
def test_what_was_logged_is_no_level_of_a_factor(name: str) -> None:
    logged = {"trace": '[{{"seed": {}}}]', "error_snippet": "took {} s"}[name]
    rows = [
        {"id": f"q{at}", "model": "m", "passed": good, "seed": seed, name: logged.format(seed)}
        for at, good in enumerate(GOOD)
        for seed in (0, 1)
    ]
    assert means(rows) == {"m": 0.75}
