"""Result files in shapes that papers, leaderboards and scripts write, each counted by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError

GOOD = [1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1]  # 9 of 12
POOR = [0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0]  # 3 of 12
TRUE, FALSE = ([bool(right) for right in some] for some in (GOOD, POOR))


def written(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def means(data: Any, **told: Any) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")
    return {f"{score.system}{score.task and ' '}{score.task}": score.value for score in scores}


def marked(data: Any) -> str:
    remarks = above(errbar.load(data).source.origin.remarks)
    return " ".join(remark for remark in remarks if remark.startswith(MARK))


def table(path: Path, rows: list[dict[str, Any]]) -> Path:
    return written(path, "".join(json.dumps(row) + "\n" for row in rows))


def rows_of(outcomes: list[Any], name: str, **beside: Any) -> list[dict[str, Any]]:
    return [{"id": f"q{at}", **beside, name: outcome} for at, outcome in enumerate(outcomes)]


TEXTS = ["What is x?", "Which is true?"] * 6
DOCUMENTS: dict[str, Any] = {
    "scores by id beside answers by id": {
        "raw_generations": {f"s{at}": ["f(1)"] for at in range(12)},
        "raw_scored_generations": {f"s{at}": [right] for at, right in enumerate(TRUE)},
        "pass_at_1": 75.0,
    },
    "records by id beside totals": {
        "aggregate": {"task_goal_completion": 75.0},
        "individual": {
            f"t{at}": {"success": right, "passes": [{"label": "no_op"}], "failures": []}
            for at, right in enumerate(TRUE)
        },
    },
    "records by id beside nothing but totals": {
        "metrics": {"accuracy": 0.75},
        "per_question": {f"t{at}": {"correct": right} for at, right in enumerate(TRUE)},
    },
    "lists in some of the records by id": {
        f"t{at}": {"correct": [right], "note": "x"} if at else {"correct": [right]}
        for at, right in enumerate(TRUE)
    },
    "one text for several ids": {
        str(at): {"question": TEXTS[at], "prediction": "3", "true_false": right}
        for at, right in enumerate(TRUE)
    },
    "rows in a list for each verdict": {
        "acc": 75.0,
        "correct": [{"question_id": at, "pred": "A"} for at in range(9)],
        "incorrect": [{"question_id": at, "pred": "B"} for at in range(9, 12)],
    },
    "trials under entries": {
        "meta": {},
        "entries": [
            {"item": {"uid": f"u{at}"}, "attempts": [{"ok": right}, {"ok": True}]}
            for at, right in enumerate(FALSE[:6] + TRUE[:6])
        ],
    },
}


SYSTEMS: dict[str, Any] = {
    "a record for each system in a row": [
        {"id": f"q{at}", "models": {"gpt": {"correct": gpt}, "qwen": {"correct": qwen}}}
        for at, (gpt, qwen) in enumerate(zip(TRUE, FALSE, strict=True))
    ],
    "a list of results for each question": [
        {"id": f"q{at}", "results": [{"model": "gpt", "ok": gpt}, {"model": "qwen", "ok": qwen}]}
        for at, (gpt, qwen) in enumerate(zip(TRUE, FALSE, strict=True))
    ],
    "texts that repeat under the ids of each system": {
        name: {f"q{at}": {"question": TEXTS[at], "correct": right} for at, right in enumerate(some)}
        for name, some in (("gpt", TRUE), ("qwen", FALSE))
    },
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_document_of_two_systems(name: str, tmp_path: Path) -> None:
    runs = errbar.load(written(tmp_path / "a.json", SYSTEMS[name]))
    scores = {each.system: (each.value, each.questions) for each in runs.score("avg")}
    assert scores == {"gpt": (0.75, 12), "qwen": (0.25, 12)}


def test_a_system_without_a_record_in_a_row_has_no_outcome_there(tmp_path: Path) -> None:
    rows: list[Any] = SYSTEMS["a record for each system in a row"]
    lost = [
        *rows[1:],
        {"id": "q0", "models": {"gpt": {"correct": True, "system": "x"}, "qwen": None}},
    ]
    scores = errbar.load(written(tmp_path / "a.json", lost)).score("avg", errors="missing")
    assert {score.system: score.questions for score in scores} == {"gpt": 12, "qwen": 11}


def test_keys_of_lists_that_share_no_question_are_tasks(tmp_path: Path) -> None:
    lists = {
        name: [{"id": f"{name}{at}", "correct": right} for at, right in enumerate(some)]
        for name, some in (("algebra", TRUE), ("geometry", FALSE))
    }
    file = written(tmp_path / "a.json", lists)
    assert means(file) == {" algebra": 0.75, " geometry": 0.25}
    assert means(file, keys="systems") == {"algebra": 0.75, "geometry": 0.25}


def test_passed_of_a_total_of_tests_is_a_share(tmp_path: Path) -> None:
    rows = [{"id": at, "tests": {"passed": 5 * right, "total": 5}} for at, right in enumerate(GOOD)]
    file = table(tmp_path / "a.jsonl", rows)
    assert means(file) == {"": 0.75}
    assert "divided by 'tests.total'" in marked(file)


def test_raters_are_no_systems(tmp_path: Path) -> None:
    rows = [{"id": at, "annotator_1": each, "annotator_2": 1} for at, each in enumerate(GOOD)]
    with pytest.raises(InputError, match="annotator_1, annotator_2"):
        errbar.load(table(tmp_path / "a.jsonl", rows))


def test_a_list_of_outcomes_beside_their_mean_and_the_model(tmp_path: Path) -> None:
    whole = {"model": "gpt", "accuracy": 0.75, "correct": TRUE}
    assert means(written(tmp_path / "a.json", whole)) == {"gpt": 0.75}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_gives_the_number_that_was_counted(name: str, tmp_path: Path) -> None:
    file = written(tmp_path / "a.json", DOCUMENTS[name])
    (score,) = errbar.load(file).score("avg")
    expected = 20 / 24 if name == "trials under entries" else 0.75
    assert (round(score.value, 9), score.questions) == (round(expected, 9), 12)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("score", [f"{7 * right}/7" for right in GOOD]),
        ("scores", [[{"name": "exact_match", "value": right}] for right in GOOD]),
        ("davinci_correct", TRUE),
        ("hit", GOOD),
    ],
)
def test_an_outcome_in_another_form(name: str, cells: list[Any], tmp_path: Path) -> None:
    rows = rows_of(cells, name, answer="B", prediction="B")
    assert means(table(tmp_path / "a.jsonl", rows)) == {"": pytest.approx(0.75)}


def test_points_of_different_maxima_are_shares_and_said(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "id,score\na,1/2\nb,3/4\nc,n/a\n")
    scores = errbar.load(file).score("avg", errors="missing")
    assert [score.value for score in scores] == [pytest.approx(0.625)]
    assert "points out of a maximum (with 2 different maxima)" in str(scores)
    with pytest.raises(InputError, match="7/0"):
        means(written(tmp_path / "b.csv", "id,score\na,1/2\nb,7/0\n"))


def test_scores_of_one_response_are_no_systems(tmp_path: Path) -> None:
    shares = [{"id": at, "fact_rate": 0.5, "tone_score": 0.25, "email_output": "x"} for at in "abc"]
    with pytest.raises(InputError, match="fact_rate, tone_score"):
        errbar.load(table(tmp_path / "a.jsonl", shares))
    metrics = {"config": "a", "metrics": {"faithfulness": 0.2, "context_recall": 0.4}}
    with pytest.raises(InputError, match=r"metrics\.faithfulness"):
        errbar.load(written(tmp_path / "b.json", {"results": [metrics]}))
    confident = [{"id": at, "confidence_score": 1, "hallucination_rate": 0} for at in "abc"]
    with pytest.raises(InputError, match="outcome"):
        errbar.load(table(tmp_path / "c.jsonl", confident))


def test_options_of_a_question_are_no_systems(tmp_path: Path) -> None:
    rows = [
        {"id": at, "3": "True" if at % 2 else "False", "a_correct": GOOD[at], "b_correct": POOR[at]}
        for at in range(12)
    ]
    assert means(table(tmp_path / "a.jsonl", rows)) == {"a_correct": 0.75, "b_correct": 0.25}


def test_what_solved_a_question_is_no_system(tmp_path: Path) -> None:
    def method(right: bool) -> str:
        return "rule" if right else "search"

    rows = [
        {"task_hex": f"{at:x}", "status": "correct" if right else "incorrect", "correct": right}
        | {"method": method(right)}
        for at, right in enumerate(TRUE)
    ]
    assert means(written(tmp_path / "a.json", {"tasks": rows})) == {"": 0.75}
    nameless = [{"correct": right, "method": method(right)} for right in TRUE]
    file = table(tmp_path / "b.jsonl", nameless)
    assert "rows cannot be paired" in marked(file)
    assert means(file, system=None) == {"": 0.75}
    both = [
        {"task": at, "method": name, "correct": right}
        for name in "ab"
        for at, right in enumerate(TRUE)
    ]
    assert means(table(tmp_path / "c.jsonl", both)) == {"a": 0.75, "b": 0.75}


def test_the_model_of_a_grader_is_no_system(tmp_path: Path) -> None:
    for name, outcomes in (("ours", TRUE), ("base", FALSE)):
        rows = [
            {"question_id": at, "autoeval_label": {"model": "gpt-4o", "label": right}}
            for at, right in enumerate(outcomes)
        ]
        table(tmp_path / f"{name}.jsonl", rows)
    assert means(tmp_path) == {"base": 0.25, "ours": 0.75}


def test_an_id_inside_an_object_pairs_systems(tmp_path: Path) -> None:
    for name, order in (("a", range(12)), ("b", range(11, -1, -1))):
        rows = [{"meta": {"qid": f"q{at}"}, "eval": {"correct": TRUE[at]}} for at in order]
        table(tmp_path / f"{name}.jsonl", rows)
    (pair,) = errbar.load(tmp_path).compare("avg")
    assert (pair.wins, pair.losses) == (0, 0)


def test_files_of_one_response_each_are_questions(tmp_path: Path) -> None:
    for system, outcomes in (("gpt", GOOD), ("qwen", POOR)):
        for at, right in enumerate(outcomes):
            whole = {"query_id": str(at), "response": "r", "judge_result": {"correct": bool(right)}}
            written(tmp_path / system / f"run_{at}_eval.json", whole)
    assert means(tmp_path) == {"gpt": 0.75, "qwen": 0.25}


def test_names_of_files_that_contain_benchmarks_have_two_readings(tmp_path: Path) -> None:
    for model, outcomes in (("gpt", GOOD), ("qwen", POOR)):
        for task in ("gsm8k", "mmlu"):
            rows = [{"id": f"{task}{at}", "correct": right} for at, right in enumerate(outcomes)]
            table(tmp_path / f"{model}_{task}.jsonl", rows)
    assert means(tmp_path).keys() == {"gpt_gsm8k", "gpt_mmlu", "qwen_gsm8k", "qwen_mmlu"}
    assert "contain benchmarks (gsm8k, mmlu)" in marked(tmp_path)
    by_task = {"gpt gsm8k": 0.75, "gpt mmlu": 0.75, "qwen gsm8k": 0.25, "qwen mmlu": 0.25}
    assert means(tmp_path, files="tasks") == by_task


def test_one_share_is_a_total(tmp_path: Path) -> None:
    file = written(tmp_path / "a.csv", "id,accuracy\ngsm8k,0.83\n")
    with pytest.raises(InputError, match="only totals"):
        errbar.load(file)
    assert means(file, question="id") == {"": 0.83}


def test_an_unknown_outcome_is_refused_with_the_columns_that_may_be_it(tmp_path: Path) -> None:
    rows = [{"question_id": at, "ex": right, "time": 0.5} for at, right in enumerate(GOOD)]
    with pytest.raises(InputError, match="only right and wrong values: 'ex'"):
        errbar.load(table(tmp_path / "a.jsonl", rows))
