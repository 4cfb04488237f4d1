"""Columns and rows of tables that are no outcomes: totals, labels, settings, numbers of runs."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError

RIGHT = [at % 4 != 0 for at in range(8)]  # .75
LESS = [at % 2 == 1 for at in range(8)]  # .5


def table(place: Path, text: str, name: str = "a.csv") -> Path:
    (place / name).write_text(text, encoding="utf-8")
    return place / name


def rows_of(head: str, line: Callable[[int], str], number: int = 8) -> str:
    return head + "\n" + "".join(line(at) + "\n" for at in range(number))


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: round(score.value, 4) for score in scores}


def size(data: object, **told: object) -> tuple[int, int]:
    (score,) = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return score.questions, score.trials


def warnings_of(data: object, **told: object) -> str:
    notes = errbar.load(data, **told).score("avg").notes()  # type: ignore[arg-type]
    return " ".join(each for each in above(notes) if each.startswith(MARK))


def said_of(data: object, **told: object) -> str:
    return " ".join(above(errbar.load(data, **told).score("avg").notes()))  # type: ignore[arg-type]


RESULTS = rows_of("id,score", lambda at: f"q{at},{int(RIGHT[at])}")


# Totals.


@pytest.mark.parametrize(
    "total", ["Average,0.75", "TOTAL,6", "overall,0.75", "macro avg,0.75", "Σ,6", "all,75"]
)
def test_a_total_is_left_out_and_counted(total: str, tmp_path: Path) -> None:
    file = table(tmp_path, f"{RESULTS}{total}\n")
    assert size(file) == (8, 8)
    assert means(file) == {"": 0.75}
    assert "1 row left out" in warnings_of(file)
    runs = errbar.load(file)
    assert sum(runs.source.origin.accounts[file].left_out.values()) == 1
    assert runs.inspect()  # the accounts close


def test_a_total_is_known_by_its_rounded_mean(tmp_path: Path) -> None:
    file = table(tmp_path, "id,score\na,1\nb,1\nc,0\nmean,0.667\nstd,0.471\n")
    assert size(file) == (3, 3)


def test_a_row_that_is_only_called_a_total_is_kept_with_both_means(tmp_path: Path) -> None:
    file = table(tmp_path, f"{RESULTS}all,1\n")
    assert size(file) == (9, 9)
    assert "without it is 0.75, with it 0.7778" in warnings_of(file)


def test_totals_of_every_system_are_left_out(tmp_path: Path) -> None:
    lines = rows_of("id,gpt,qwen", lambda at: f"q{at},{int(RIGHT[at])},{int(LESS[at])}")
    file = table(tmp_path, f"{lines}mean,0.75,0.5\n")
    assert means(file) == {"gpt": 0.75, "qwen": 0.5}
    assert {each.questions for each in errbar.load(file).score("avg")} == {8}


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_a_total_in_a_frame_is_left_out(kind: Callable[..., object]) -> None:
    ids = [*(f"q{at}" for at in range(8)), "Average"]
    assert size(kind({"id": ids, "score": [*map(float, RIGHT), 0.75]})) == (8, 8)


# Percentages.


@pytest.mark.parametrize("other", ["90", "0.9", "1"])
def test_a_percentage_beside_a_plain_number_is_refused(other: str, tmp_path: Path) -> None:
    file = table(tmp_path, f"id,score\na,85%\nb,{other}\nc,70%\n")
    with pytest.raises(InputError, match=r"2 rows .* are percentages"):
        means(file)


def test_zero_needs_no_sign(tmp_path: Path) -> None:
    assert means(table(tmp_path, "id,score\na,50%\nb,0\n")) == {"": 0.25}


# Settings beside results.


@pytest.mark.parametrize("name", ["config.json", "train_args.json", "anything.json"])
def test_settings_are_not_a_system(name: str, tmp_path: Path) -> None:
    table(tmp_path, RESULTS, "gpt.csv")
    table(tmp_path, RESULTS.replace(",0", ",1"), "qwen.csv")
    table(tmp_path, json.dumps({"do_sample": True, "stream": False}), name)
    assert means(tmp_path) == {"gpt": 0.75, "qwen": 1.0}
    assert f"Not read: {name}" in warnings_of(tmp_path)


def test_settings_beside_outcomes_by_key_are_no_system(tmp_path: Path) -> None:
    table(tmp_path, json.dumps({f"q{at}": each for at, each in enumerate(RIGHT)}), "gpt.json")
    table(tmp_path, json.dumps({"do_sample": True, "stream": False}), "metadata.json")
    assert size(tmp_path) == (8, 8)


def test_outcomes_by_key_are_read_whatever_their_file_is_called(tmp_path: Path) -> None:
    table(tmp_path, json.dumps({f"q{at}": each for at, each in enumerate(RIGHT)}), "config.json")
    table(tmp_path, RESULTS, "gpt.csv")
    assert len(means(tmp_path)) == 2


# Columns of a wide table.


@pytest.mark.parametrize(
    ("name", "value"),
    [("temperature", 0.7), ("p_value", 0.04), ("Length Ratio", 0.5), ("is_hard", 1), ("mean", 0.5)],
)
def test_properties_are_no_systems(name: str, value: float, tmp_path: Path) -> None:
    lines = rows_of(f"id,gpt,qwen,{name}", lambda at: f"q{at},{at / 10},{at / 20},{value}")
    file = table(tmp_path, lines)
    assert set(means(file)) == {"gpt", "qwen"}
    assert f"not used: {name}" in said_of(file)


def test_fractions_beside_right_and_wrong_are_no_system_unless_told(tmp_path: Path) -> None:
    lines = rows_of("id,gpt,qwen,other", lambda at: f"q{at},{int(RIGHT[at])},{at % 2},{at / 10}")
    file = table(tmp_path, lines)
    assert set(means(file)) == {"gpt", "qwen"}
    assert "Left out" in warnings_of(file)
    assert "other" in warnings_of(file)
    assert means(file, system="gpt,other") == {"gpt": 0.75, "other": 0.35}


def test_columns_are_listed_as_trials(tmp_path: Path) -> None:
    file = table(tmp_path, rows_of("id,x1,x2", lambda at: f"q{at},{at % 2},{int(RIGHT[at])}"))
    assert "differ only by a number" in warnings_of(file)
    assert size(file, trial="x1,x2") == (8, 16)
    with pytest.raises(InputError, match="no column 'x3'"):
        means(file, trial="x1,x3")


# Several scores of a row.


@pytest.mark.parametrize("values", [(0.5, 1.0), (3, 4)])
def test_scorers_are_chosen_from_and_are_no_questions(
    values: tuple[float, float], tmp_path: Path
) -> None:
    scores = {"relevance": values[0], "fluency": values[1]}
    lines = "".join(json.dumps({"id": at, "scores": scores}) + "\n" for at in range(8))
    file = table(tmp_path, lines, "a.jsonl")
    with pytest.raises(InputError, match=r"2 scores.*outcome='scores\.relevance'"):
        means(file)
    assert means(file, outcome="scores.fluency") == {"": values[1]}


def test_rows_of_several_metrics_are_no_trials(tmp_path: Path) -> None:
    lines = rows_of("id,metric,score", lambda at: f"q{at},rouge,0.5\nq{at},bleu,0.25")
    with pytest.raises(InputError, match=r"'metric' \(bleu, rouge\)"):
        means(table(tmp_path, lines))
    assert size(table(tmp_path, lines), rows="trials") == (8, 16)


# Labels and predictions.


@pytest.mark.parametrize(
    "names",
    [
        ("label", "model_output"),
        ("expected", "result"),
    ],
)
def test_a_reference_answer_is_no_outcome(names: tuple[str, str], tmp_path: Path) -> None:
    lines = rows_of(f"id,{','.join(names)}", lambda at: f"q{at},{at % 2},{int(RIGHT[at])}")
    with pytest.raises(InputError, match="says whether a row is right"):
        means(table(tmp_path, lines))


def test_a_label_that_grades_a_response_is_the_outcome(tmp_path: Path) -> None:
    lines = rows_of("id,response,label", lambda at: f"q{at},some text {at},{int(RIGHT[at])}")
    assert means(table(tmp_path, lines)) == {"": 0.75}


# Numbers of runs.


@pytest.mark.parametrize("name", ["run", "Iteration", "sample_idx", "attempt_number", "rep"])
def test_whole_numbers_that_tell_repeats_apart_are_trials(name: str, tmp_path: Path) -> None:
    lines = rows_of(f"id,{name},correct", lambda at: f"q{at // 3},{at % 3},{at % 2}", 24)
    file = table(tmp_path, lines)
    assert size(file) == (8, 24)
    assert f"trial = {name} (if these are systems: system={name!r})" in said_of(file)
    assert len(means(file, system=name)) == 3
    assert size(pd.read_csv(file)) == (8, 24)


def test_runs_with_names_are_systems(tmp_path: Path) -> None:
    lines = rows_of("id,run,correct", lambda at: f"q{at // 2},{['old', 'new'][at % 2]},{at % 2}")
    assert means(table(tmp_path, lines)) == {"new": 1.0, "old": 0.0}


# Ids that begin anew.


@pytest.mark.parametrize("form", ["file", "frame"])
def test_ids_that_begin_anew_in_every_part_are_other_questions(form: str, tmp_path: Path) -> None:
    law = "".join(f"law,{at},{at % 2}\n" for at in range(6))
    maths = rows_of("subject,id,correct", lambda at: f"maths,{at},{int(RIGHT[at])}")
    file = table(tmp_path, maths + law)
    data = file if form == "file" else pd.read_csv(file)
    assert size(data) == (14, 14)
    assert means(data) == {"": round(9 / 14, 4)}
    assert "'subject'" in warnings_of(data)
    assert "mean of all ids 0.6875" in warnings_of(data)
    assert size(data, rows="trials") == (8, 14)


def test_versions_of_a_question_are_a_cluster(tmp_path: Path) -> None:
    lines = rows_of("lang,id,correct", lambda at: f"{['en', 'de'][at % 2]},{at // 2},{at % 2}")
    runs = errbar.load(table(tmp_path, lines))
    assert "cluster" in runs.source.columns  # type: ignore[attr-defined]
    assert size(table(tmp_path, lines)) == (8, 8)


# Words and names.


@pytest.mark.parametrize(
    "head",
    ["Question ID,Is Correct", "question-id,is-correct", "QuestionId,isCorrect", " id , score "],
)
def test_names_are_read_without_case_spaces_and_hyphens(head: str, tmp_path: Path) -> None:
    file = table(tmp_path, RESULTS.replace("id,score", head))
    assert means(file) == {"": 0.75}
    assert means(pd.read_csv(file)) == {"": 0.75}


@pytest.mark.parametrize("form", ["file", "frame"])
def test_statuses_are_read_without_regard_to_case(form: str, tmp_path: Path) -> None:
    lines = "id,correct,status\na,1,OK\nb,,Error\nc,,Timed Out\nd,1,completed\ne,,Not scored\n"
    file = table(tmp_path, lines)
    runs = errbar.load(file if form == "file" else pd.read_csv(file))
    assert runs.source.statuses() == {"ok": 2, "error": 1, "timeout": 1, "unscored": 1}
    assert runs.score("avg")[0].value == 0.5


def test_rows_whose_judge_failed_were_never_scored(tmp_path: Path) -> None:
    file = table(tmp_path, "id,pass,status\na,True,SCORED\nb,,JUDGE_ERROR\nc,False,SCORED\n")
    for data in (file, pd.read_csv(file)):
        runs = errbar.load(data)
        assert runs.source.statuses() == {"ok": 2, "unscored": 1}
        assert runs.score("avg")[0].value == 0.5


def test_p_values_are_no_systems(tmp_path: Path) -> None:
    lines = "network,start,p_vs_normal\nroads,1.0,0.0\nlinks,1.0,0.0\ncities,1.0,0.0\n"
    with pytest.raises(InputError, match="no column of the data looks like"):
        means(table(tmp_path, lines))


def test_grades_are_no_words_for_right_and_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'c'"):
        means(table(tmp_path, "id,grade\na,C\nb,F\nc,C\n"))


# Nested documents.


def test_records_by_system_and_question_are_two_levels(tmp_path: Path) -> None:
    document = {
        name: {f"q{at}": {"correct": outcome, "cost": 0.5} for at, outcome in enumerate(outcomes)}
        for name, outcomes in (("gpt", RIGHT), ("qwen", LESS))
    }
    file = table(tmp_path, json.dumps(document), "a.json")
    assert means(file) == {"gpt": 0.75, "qwen": 0.5}


def test_scores_of_a_few_tasks_are_no_outcomes(tmp_path: Path) -> None:
    document = {"gpt": {"maths": 0.8, "law": 0.7, "bio": 0.5}, "qwen": {"maths": 0.6, "law": 0.5}}
    with pytest.raises(InputError, match="totals"):
        means(table(tmp_path, json.dumps(document), "a.json"))


@pytest.mark.parametrize("weight", ["heavy", "50%"])
def test_a_weight_that_is_no_number_is_named(weight: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="which is not a number"):
        means(table(tmp_path, f"id,correct,weight\na,1,{weight}\nb,0,1\n"))
