"""Ordinary data beside those that a rule of reading is for, and that it must leave alone.

Every table has what triggers a rule too eagerly applied: a name, a value or a shape that also
means something else. The numbers are counted by hand.
"""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError

Row = dict[str, Any]
SYSTEMS = ("gpt", "qwen")
RIGHT = [at % 4 > 0 for at in range(12)]  # 9 of 12


def means(data: Any, **how: Any) -> dict[str, float]:
    return {score.system: score.value for score in errbar.load(data, **how).score("avg")}


def marked(data: Any) -> str:
    remarks = above(errbar.load(data).score("avg").notes())
    return " ".join(remark for remark in remarks if remark.startswith(MARK))


def said(data: Any) -> str:
    return " ".join(above(errbar.load(data).score("avg").notes()))


def written(path: Path, value: Any) -> Path:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def of_systems(**beside: Any) -> list[Row]:
    """Rows of two systems, right in 9 and 3 of 12, without a column of ids."""
    return [
        {"model": system, "correct": right == (system == "gpt")}
        | {name: make(at, system) for name, make in beside.items()}
        for system in SYSTEMS
        for at, right in enumerate(RIGHT)
    ]


# Names.


def test_seconds_of_the_system_are_no_systems() -> None:
    rows = [
        {"id": at, "correct": right, "real": 1.5, "user": 1.25, "sys": 0.01 * (at % 3)}
        for at, right in enumerate(RIGHT)
    ]
    assert means(rows) == {"": 0.75}
    sizes = [{**row, "model": size} for size in (0.5, 1.5) for row in rows]
    assert means(sizes) == {"0.5": 0.75, "1.5": 0.75}


@pytest.mark.parametrize("nested", [True, False])
def test_the_name_of_a_question_beside_its_id_is_no_task(nested: bool) -> None:
    rows: list[Row] = [
        {"task": {"id": f"t{at}", "name": f"Mend {at}"}, "result": {"success": right}}
        if nested
        else {"task_id": f"t{at}", "task_name": f"Mend {at}", "success": right}
        for at, right in enumerate(RIGHT)
    ]
    (score,) = errbar.load(rows).score("avg")
    assert (score.task, score.value, score.questions) == ("", 0.75, 12)


def test_names_of_data_sets_beside_their_totals_are_tasks() -> None:
    totals = [
        {"task_id": at, "task_name": name, "accuracy": 0.3 + at / 20}
        for at, name in enumerate(("mmlu", "gsm8k", "arc", "math"))
    ]
    scores = errbar.load(totals).score("avg")
    assert {score.task for score in scores} == {"mmlu", "gsm8k", "arc", "math"}


@pytest.mark.parametrize("inside", ["name", "id"])
def test_objects_that_are_systems_and_tasks_have_the_names_inside(inside: str) -> None:
    rows = [
        {"id": at, "model": {inside: system, "k": 1}, "dataset": {"name": task}, "success": right}
        for system in SYSTEMS
        for task in ("arc", "gsm8k")
        for at, right in enumerate(RIGHT)
    ]
    scores = errbar.load(rows).score("avg")
    assert {(score.system, score.task) for score in scores} == {
        (system, task) for system in SYSTEMS for task in ("arc", "gsm8k")
    }
    assert not marked(rows)


def test_an_agent_of_several_models_does_not_make_them_one(tmp_path: Path) -> None:
    rows = [{"id": at, "correct": right} for at, right in enumerate(RIGHT)]
    weak = [{**row, "correct": not row["correct"]} for row in rows]
    for settings in (
        lambda system: {"agent_info": {"name": "hands"}, "config": {"model": system}},
        lambda system: {"agent": {"name": "hands", "llm_config": {"model": system}}},
        lambda system: {"method_details": {"name": "greedy"}, "args": {"model_name": system}},
    ):
        for system, results in zip(SYSTEMS, (rows, weak), strict=True):
            written(tmp_path / f"{system[0]}.json", {**settings(system), "results": results})
        assert means(tmp_path) == {"gpt": 0.75, "qwen": 0.25}


def test_agents_of_one_model_are_apart(tmp_path: Path) -> None:
    rows = [{"id": at, "correct": right} for at, right in enumerate(RIGHT)]
    for agent in ("plan", "react"):
        settings = {"agent": {"name": agent, "llm": {"name": "gpt"}}}
        written(tmp_path / f"{agent[0]}.json", {**settings, "results": rows})
    assert means(tmp_path) == {"gpt/plan": 0.75, "gpt/react": 0.75}


@pytest.mark.parametrize(
    "name",
    [
        *("result_chars", "feedback_words", "eval_round", "pass_k", "success_criteria"),
        *("correct_choice", "right_option", "depth_limit", "quality_tier"),
    ],
)
def test_a_word_for_a_score_in_another_noun_names_no_score(name: str) -> None:
    rows = [{"id": at, name: at % 4} for at in range(12)]
    with pytest.raises(InputError, match="no column of the data looks like outcome"):
        errbar.load(rows)


def test_upper_case_words_that_end_in_id_are_no_ids() -> None:
    rows = of_systems(VALID=lambda at, _: str(at))
    assert "question = VALID" not in said(rows)


@pytest.mark.parametrize("name", ["max_new_tokens", "num_layers", "turns", "context_len"])
def test_a_setting_that_all_systems_have_is_no_id(name: str) -> None:
    rows = of_systems(**{name: lambda at, _: at * 10 + 10})
    assert f"question = {name}" not in said(rows)


def test_totals_of_the_same_benchmarks_are_marked_or_refused() -> None:
    shares: list[Row] = [
        {"model": system, "bench": name, "accuracy": 0.3 + at / 20}
        for system in SYSTEMS
        for at, name in enumerate(("mmlu", "gsm8k", "arc", "math"))
    ]
    assert "'accuracy' is a share in 8 of 8 rows" in marked(shares)
    budgets = [{**row, "budget": 2**at} for at, row in enumerate(shares[:4] * 2)]
    budgets = [{"model": r["model"], "budget": r["budget"], "accuracy": 0.5} for r in budgets]
    with pytest.raises(InputError, match="only totals"):
        errbar.load(budgets)


# Classes.


def test_a_key_is_the_id_if_no_other_column_is() -> None:
    rows = [{"key": at % 6, "gpt": int(right), "qwen": 0} for at, right in enumerate(RIGHT)]
    assert means(rows) == {"gpt": 0.75, "qwen": 0.0}


def test_whether_a_class_was_correct_is_no_true_class() -> None:
    rows = [{"id": at, "correct_class": int(x), "other": at % 2} for at, x in enumerate(RIGHT)]
    assert means(rows) == {"correct_class": 0.75, "other": 0.5}


# Documents.


@pytest.mark.parametrize(
    "value",
    [
        {
            "q1": {"task_id": "q1", "success": True},
            "q2": {"task_id": "q2", "success": False, "error": "timeout"},
        },
        {
            "a": {"question": "What?", "correct": True},
            "b": {"question": "Why?", "correct": False, "comment": "vague"},
        },
    ],
)
def test_rows_by_id_with_different_fields_are_no_sections_of_one_row(
    value: Any, tmp_path: Path
) -> None:
    (score,) = errbar.load(written(tmp_path / "a.json", value)).score("avg")
    assert (score.value, score.questions) == (0.5, 2)


def test_results_beside_a_summary_with_the_same_fields_are_rows(tmp_path: Path) -> None:
    rows = [{"score": 5 * right, "max_score": 5} for right in RIGHT]
    value = {"model": "gpt", "results": rows, "summary": {"score": 45, "max_score": 60}}
    assert means(written(tmp_path / "a.json", value)) == {"gpt": 0.75}


def test_questions_called_like_flags_are_questions_if_rows_are_systems() -> None:
    results = {"is_prime": True, "is_palindrome": False, "has_cycle": True, "sort_list": True}
    rows = [{"model": system, "results": results} for system in SYSTEMS]
    assert means(rows) == {"gpt": 0.75, "qwen": 0.75}
    checks = [{"model": system, "checks": results} for system in SYSTEMS for _ in range(9)]
    with pytest.raises(InputError, match=r"checks\.is_prime"):
        errbar.load(checks)


# Counts and points.


@pytest.mark.parametrize("share", ["share", "fraction", "proportion"])
def test_the_share_of_a_file_of_some_size_is_no_count_of_trials(share: str) -> None:
    rows = [{"id": at, share: at / 37, "size": 1000 + 7 * at} for at in range(12)]
    with pytest.raises(InputError, match=f"outcome='{share}'"):
        errbar.load(rows)


def test_shares_are_not_divided_by_a_total_of_something_else() -> None:
    rows = [{"id": at, "judge_score": 0.75, "total": 500 + at} for at in range(12)]
    assert means(rows) == {"": 0.75}
    assert "If 'total' is its maximum, divide it first" in marked(rows)
    points = [{**row, "judge_score": 250 + at / 2} for at, row in enumerate(rows)]
    assert means(points) == {"": pytest.approx(0.5)}


# Tables of files.


@pytest.mark.parametrize("words", [("pass", "fail"), ("correct", "wrong")])
def test_a_row_with_a_note_is_no_header(words: tuple[str, str], tmp_path: Path) -> None:
    rows = [f"q{at},{words[at % 2]},{words[0]},{'slow' * (at in (1, 4))}" for at in range(6)]
    file = written(tmp_path / "a.csv", "\n".join(["id,gpt,qwen,", *rows]))
    assert means(file) == {"gpt": 0.5, "qwen": 1.0}


@pytest.mark.parametrize("key", ["id", "question_id"])
def test_the_model_that_wrote_a_question_is_no_system(key: str, tmp_path: Path) -> None:
    file = tmp_path / "evals.db"
    with closing(sqlite3.connect(file)) as base, base:
        base.execute(f"create table questions ({key} integer, text text, model text)")
        base.execute("create table results (question_id integer, correct integer)")
        for at, right in enumerate(RIGHT):
            base.execute("insert into questions values (?, ?, ?)", (at, "?", SYSTEMS[at % 2]))
            base.execute("insert into results values (?, ?)", (at, int(right)))
    assert means(file) == {"": 0.75}


def test_a_run_of_each_system_is_no_sign_of_trials_in_ids() -> None:
    rows = [
        {"model": system, "run_id": run, "id": f"q{at}", "correct": right}
        for run, system in enumerate(SYSTEMS)
        for at, right in enumerate(RIGHT)
    ]
    assert means(rows) == {"gpt": 0.75, "qwen": 0.75}
    assert not marked(rows)
    trials = [{**row, "run_id": k, "id": f"{row['id']}-{k}"} for row in rows for k in range(2)]
    assert "contains the number of the trial" in marked(trials)


def test_a_row_without_values_is_no_level_of_a_header(tmp_path: Path) -> None:
    text = "id,correct,correct\nq1,1,0\nq2,,\nq3,1,1\nq4,0,1\n"
    with pytest.raises(InputError, match="two columns are named 'correct'"):
        errbar.load(written(tmp_path / "a.csv", text))
