"""Columns whose role their values tell where their names do not, each with the numbers by hand."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError, UnknownColumn

Row = dict[str, Any]
GRADES = [0, 1, 2, 3, 4, 5, 5, 5, 4, 1, 3, 3]  # 36 / 12
SYSTEMS = ("gpt", "qwen")


def means(data: Any, **how: Any) -> dict[str, float]:
    return {score.system: score.value for score in errbar.load(data, **how).score("avg")}


def said(data: Any) -> str:
    return " ".join(above(errbar.load(data).score("avg").notes()))


def marked(data: Any) -> str:
    remarks = above(errbar.load(data).score("avg").notes())
    return " ".join(remark for remark in remarks if remark.startswith(MARK))


def lines(path: Path, rows: list[Row]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def of_systems(name: str, values: list[Any], **beside: list[Any]) -> list[Row]:
    """The values for gpt, and reversed for qwen, with an id of every question."""
    return [
        {"id": at, "model": system, name: value}
        | {other: column[at % len(column)] for other, column in beside.items()}
        for system, own in zip(SYSTEMS, (values, values[::-1]), strict=True)
        for at, value in enumerate(own)
    ]


# Scores.


@pytest.mark.parametrize(
    "name", ["soft_score", "judge_rating", "Mark", "Punkte", "evalScore", "total_score", "quality"]
)
@pytest.mark.parametrize(
    "beside", [{}, {"latency_s": [0.5, 0.25], "max_tokens": [5, 3], "is_hard": [1, 0]}]
)
def test_the_only_column_of_scores_is_the_outcome(name: str, beside: dict[str, list[Any]]) -> None:
    rows = of_systems(name, GRADES, **beside)
    assert means(rows) == {"gpt": 3.0, "qwen": 3.0}
    assert f"outcome = {name}" in said(rows)


@pytest.mark.parametrize(
    ("right", "wrong"), [("👍", "👎"), ("Correct", "Incorrect"), ("PASS ✅", "FAIL ❌")]
)
def test_words_of_verdicts_are_outcomes_whatever_their_column_is_called(
    right: str, wrong: str, tmp_path: Path
) -> None:
    values = [right, right, right, wrong] * 3
    assert means(of_systems("annotation", values)) == {"gpt": 0.75, "qwen": 0.75}
    file = lines(tmp_path / "a.jsonl", of_systems("annotation", values))
    assert means(file) == {"gpt": 0.75, "qwen": 0.75}


@pytest.mark.parametrize("name", ["multi_hop", "seen", "build_passed", "is_hard", "has_rating"])
def test_yes_and_no_need_a_name_that_says_what_of(name: str) -> None:
    with pytest.raises(UnknownColumn, match=rf"for example with outcome='{name}'"):
        errbar.load(of_systems(name, [True, False, True] * 4))


@pytest.mark.parametrize(
    "others",
    [
        {"fluency": [5, 1, 2, 3, 4, 5, 0]},
        {"adequacy": [1, 2, 3, 4, 5, 0, 2]},  # a name that is not known, with the same grades
        {"second_score": [3, 3, 4]},
    ],
)
def test_of_two_columns_of_scores_none_is_taken(others: dict[str, list[Any]]) -> None:
    (name,) = others
    rows = of_systems("own_rating", GRADES, **others)
    with pytest.raises(UnknownColumn, match="Columns of ratings or scores") as refused:
        errbar.load(rows)
    assert f"'{name}'" in str(refused.value)
    assert means(rows, outcome="own_rating") == {"gpt": 3.0, "qwen": 3.0}


@pytest.mark.parametrize(
    "name",
    ["max_score", "confidence_score", "difficulty_rating", "n_correct_calls", "reference_score"],
)
def test_what_is_no_score_by_its_name_is_not_taken(name: str) -> None:
    with pytest.raises(UnknownColumn):
        errbar.load(of_systems(name, GRADES))


@pytest.mark.parametrize(
    ("earned", "most"),
    [
        ("marks_awarded", "marks_available"),
        ("points", "points_attainable"),
        ("judge_score", "max_score"),
        ("grade", "maximum_grade"),
    ],
)
def test_points_are_divided_by_their_maximum(earned: str, most: str) -> None:
    rows = of_systems(earned, GRADES, **{most: [5, 5, 10]})
    shares = [grade / (10 if at % 3 == 2 else 5) for at, grade in enumerate(GRADES)]
    assert means(rows)["gpt"] == pytest.approx(sum(shares) / 12)
    assert f"divided by '{most}'" in marked(rows)


# Ids and systems.


def test_values_that_every_system_has_once_are_ids() -> None:
    rows: list[Row] = [
        {"Modell": system, "Frage-Nr.": at, "korrekt": at % (2 + shift), "Antwort": f"{system}{at}"}
        for shift, system in enumerate(SYSTEMS)
        for at in range(12)
    ]
    assert "question = Frage-Nr." in said(rows)
    shuffled = sorted(rows, key=lambda row: (row["Modell"], row["Frage-Nr."] * 7 % 12))
    assert means(rows) == means(shuffled)
    (pair,) = errbar.load(shuffled).compare("avg")
    assert abs(pair.difference) == pytest.approx(means(rows)["qwen"] - means(rows)["gpt"])


def test_upper_case_ids_and_raters_of_translations_are_recognised() -> None:
    rows: list[Row] = [
        {"SYS": system, "SEGID": at, "RATER": f"r{rater}", "SCORE": 50 + at + 5 * shift}
        for shift, system in enumerate(SYSTEMS)
        for at in range(8)
        for rater in (at % 3, at % 3 + 1)
    ]
    with pytest.raises(InputError, match="a row for each 'RATER'"):
        errbar.load(rows)
    assert means(rows, rows="trials") == {"gpt": 53.5, "qwen": 58.5}


def test_rows_without_ids_warn_of_a_column_that_may_name_systems() -> None:
    rows: list[Row] = [
        {"arch": arch, "Antwort": f"{arch} {at}", "correct": at % 3 > 0}
        for arch in ("rnn", "transformer")
        for at in range(12)
    ]
    assert means(rows) == {"": pytest.approx(2 / 3)}
    assert "'arch' (rnn, transformer)" in marked(rows)
    assert means(rows, system="arch") == {"rnn": 2 / 3, "transformer": 2 / 3}
    topics = [{"topic": f"t{at % 2}", "correct": at % 3 > 0} for at in range(24)]
    assert not marked(topics)


def test_an_object_is_no_name_but_has_names_in_it() -> None:
    rows: list[Row] = [
        {"run": {"model": system, "seed": seed}, "item": f"i{at}", "passed": (at + seed) % 4 > 0}
        for system in SYSTEMS
        for seed in (1, 2)
        for at in range(8)
    ]
    assert means(rows) == {"gpt": 0.75, "qwen": 0.75}
    assert "system = run.model" in said(rows)


def test_flags_under_a_key_are_no_systems() -> None:
    rows: list[Row] = [
        {"id": at, "checks": {"format_ok": at % 4 > 0, "has_source": at % 3 > 0, "safe": True}}
        for at in range(12)
    ]
    for beside in ({}, {"response": "text"}):
        with pytest.raises(InputError, match=r"checks\.format_ok"):
            errbar.load([{**row, **beside} for row in rows])
    assert means(rows, outcome="checks.format_ok") == {"": 0.75}


# Predictions.


def test_answers_are_compared_with_a_key() -> None:
    rows: list[Row] = [
        {"qid": at, "model": system, "answer": "ABCD"[(at * 3 + shift) % 4], "key": "ABCD"[at % 4]}
        for shift, system in enumerate(SYSTEMS)
        for at in range(12)
    ]
    right = {
        system: sum(r["answer"] == r["key"] for r in rows if r["model"] == system) / 12
        for system in SYSTEMS
    }
    assert means(rows) == right
    assert "'answer' is right where it equals 'key'" in said(rows)


def test_columns_of_answers_are_compared_with_the_correct_option() -> None:
    rows: list[Row] = [
        {"#": at, "correct_option": "ABCD"[at % 4], "gpt-4o": "ABCD"[at * 3 % 4], "gemini": "A"}
        for at in range(12)
    ]
    assert means(rows) == {"gpt-4o": 0.5, "gemini": 0.25}


# Counts.


@pytest.mark.parametrize(
    ("right", "wrong"), [("True", "False"), ("n_right", "n_wrong"), ("pass_count", "fail_count")]
)
def test_numbers_of_right_and_wrong_trials_are_counts(right: str, wrong: str) -> None:
    rows: list[Row] = [{"question": f"q{at}", right: at % 5, wrong: 4 - at % 5} for at in range(10)]
    assert means(rows) == {"": 0.5}
    (score,) = errbar.load(rows).score("pass@4")
    assert score.value == pytest.approx(0.8)  # of 10 questions 2 have no right trial
    uneven = [{**row, wrong: row[wrong] + at % 2} for at, row in enumerate(rows)]
    with pytest.raises(InputError):
        errbar.load(uneven)


@pytest.mark.parametrize("share", ["mean", "average", "pass_rate"])
def test_means_and_sizes_of_groups_are_counts(share: str) -> None:
    rows: list[Row] = [
        {"model": system, "question": f"q{at}", share: (at + shift) % 5 / 4, "count": 4}
        for shift, system in enumerate(SYSTEMS)
        for at in range(10)
    ]
    assert means(rows) == {"gpt": 0.5, "qwen": 0.5}
    assert errbar.load(rows).score("pass@4")[0].value == pytest.approx(0.8)
    rewards = [{**row, share: (row[share] + 0.1) / 2} for row in rows]
    if share == "pass_rate":
        assert means(rewards)["gpt"] == pytest.approx(0.3)
    else:  # nothing says of what
        with pytest.raises(InputError, match=f"outcome='{share}'"):
            errbar.load(rewards)


# Headers, totals and containers.


def test_a_header_of_several_levels_is_joined(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        [
            {"qid": f"q{at:02}", "model": system, "seed": seed, "correct": (at + seed) % 3 > shift}
            for shift, system in enumerate(SYSTEMS)
            for seed in (0, 1, 2)
            for at in range(12)
        ]
    )
    expected = frame.groupby("model").correct.mean().to_dict()
    for levels in (["model", "seed"], ["seed", "model"]):
        file = tmp_path / "pivot.csv"
        frame.pivot(index="qid", columns=levels, values="correct").astype(int).to_csv(file)
        assert means(file) == pytest.approx(expected), levels
        assert errbar.load(file).score("pass@3")[0].value == pytest.approx(1.0)


def test_a_sheet_may_have_a_title_empty_columns_and_totals(tmp_path: Path) -> None:
    file = tmp_path / "LLM eval - Sheet1.csv"
    body = "".join(f"{at},Question {at}?,{at % 2},{int(at % 4 > 0)},\n" for at in range(12))
    file.write_text(f"LLM eval (final),,,,\n,,,,\nID,Question,GPT-4o,Claude,\n{body},TOTAL,6,9,\n")
    assert means(file) == {"GPT-4o": 0.5, "Claude": 0.75}


def test_a_total_may_be_a_percentage_of_right_and_wrong(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    body = "".join(f"q{at},{at % 2},{int(at % 4 > 0)}\n" for at in range(12))
    file.write_text(f"Question,GPT-4o,Claude\n{body}Accuracy,50.0%,75.0%\n")
    assert means(file) == {"GPT-4o": 0.5, "Claude": 0.75}
    file.write_text(f"Question,GPT-4o,Claude\n{body}q12,50.0%,75.0%\n")
    with pytest.raises(InputError, match="percentages"):
        errbar.load(file)


@pytest.mark.parametrize("key", ["run_id", "id"])
def test_rows_of_a_database_are_of_the_model_of_their_run(key: str, tmp_path: Path) -> None:
    file = tmp_path / "evals.db"
    with closing(sqlite3.connect(file)) as base, base:
        base.execute(f"create table runs ({key} integer primary key, model text)")
        base.execute("create table results (run_id int, question_id text, is_correct int)")
        for run, system in enumerate(SYSTEMS, 1):
            base.execute("insert into runs values (?, ?)", (run, system))
            for at in range(8):
                row = (run, f"q{at}", int(at % 4 >= run))
                base.execute("insert into results values (?, ?, ?)", row)
    assert means(file) == {"gpt": 0.75, "qwen": 0.5}
    assert "system = runs.model" in said(file)


class Labelled:
    """An array with named dimensions, with the two methods of xarray that are used."""

    def __init__(self, values: np.ndarray, dims: Mapping[str, list[Any]]) -> None:
        self.values, self.labels, self.name = values, dims, None

    @property
    def dims(self) -> tuple[str, ...]:
        return tuple(self.labels)

    def to_dataframe(self, name: str) -> pd.DataFrame:
        index = pd.MultiIndex.from_product(self.labels.values(), names=self.dims)
        return pd.DataFrame({name: self.values.ravel()}, index=index)


def test_named_dimensions_of_an_array_are_systems_questions_and_trials() -> None:
    values = np.array([[[1, 1], [1, 0]], [[0, 0], [0, 1]]])
    dims: dict[str, list[Any]] = {"model": list(SYSTEMS), "question": [0, 1], "trial": [0, 1]}
    assert means(Labelled(values, dims)) == {"gpt": 0.75, "qwen": 0.25}


def test_texts_of_json_are_to_be_parsed_first() -> None:
    with pytest.raises(InputError, match=r"json\.loads"):
        errbar.load([json.dumps({"id": at, "correct": True}) for at in range(4)])


def test_models_in_the_index_and_questions_in_columns_are_no_systems() -> None:
    values = (np.arange(60).reshape(3, 20) % 3 > 0).astype(int)
    frame = pd.DataFrame(values, ["a", "b", "c"], [f"q{at}" for at in range(20)])
    with pytest.raises(InputError, match="it is unclear which of them are systems"):
        errbar.load(frame)
    assert means(frame.rename_axis("model")) == pytest.approx(
        dict(zip("abc", values.mean(1), strict=True))
    )


def test_seeds_of_tasks_of_models_are_read_as_such_by_the_option_that_is_named(
    tmp_path: Path,
) -> None:
    for shift, system in enumerate(SYSTEMS):
        for task in ("gsm8k", "arc"):
            for seed in range(3):
                file = tmp_path / system / task / f"seed_{seed}.json"
                file.parent.mkdir(parents=True, exist_ok=True)
                rows = [{"idx": at, "correct": (at + seed) % 4 > shift} for at in range(8)]
                file.write_text(json.dumps(rows))
    assert "files='tasks'" in marked(tmp_path)
    scores = errbar.load(tmp_path, files="tasks").score("avg")
    assert {(score.system, score.task): score.value for score in scores} == {
        (system, task): value
        for system, value in (("gpt", 0.75), ("qwen", 0.5))
        for task in ("arc", "gsm8k")
    }


def test_a_file_of_questions_next_to_results_is_no_system(tmp_path: Path) -> None:
    lines(tmp_path / "results.jsonl", [{"id": at, "correct": at % 4 > 0} for at in range(12)])
    about = lines(
        tmp_path / "questions.jsonl", [{"id": at, "quality_rating": at % 5} for at in range(12)]
    )
    assert means(tmp_path) == {"": 0.75}
    runs = errbar.load(tmp_path)
    assert "no column is called an outcome" in str(runs.source.origin)
    assert means([tmp_path / "results.jsonl", about]).keys() == {"results", "questions"}
    only = lines(tmp_path / "a" / "x.jsonl", of_systems("own_rating", GRADES))
    assert means(only.parent) == {"gpt": 3.0, "qwen": 3.0}
