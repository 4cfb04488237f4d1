"""Inputs that look like something else: the right number, both readings, or a refusal."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import errbar
from errbar.base.remarks import above
from errbar.errors import InputError, NoOutcomes, UnknownColumn
from logs import REPOSITORY


def csv(place: Path, text: str, name: str = "a.csv") -> Path:
    (place / name).write_text(text.replace(" ", "\n") + "\n", encoding="utf-8")
    return place / name


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: round(score.value, 4) for score in scores}


def said_above(data: object) -> str:
    return " ".join(above(errbar.load(data).score("avg").notes()))


# Which values are right.


@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_numbers_that_are_right_leave_all_others_wrong(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "score": [5, 4, 5, 1]})
    data: object = frame
    if form != "frame":
        data = tmp_path / f"a.{form}"
        getattr(frame, f"to_{form}")(data, index=False)
    assert means(data, right="5") == {"": 0.5}
    assert means(data, right=["5", "4"]) == {"": 0.75}


def test_false_may_be_right() -> None:
    frame = pd.DataFrame({"id": [1, 2, 3, 4], "hallucinated": [True, False, False, False]})
    assert means(frame, outcome="hallucinated", right="false") == {"": 0.75}


def test_what_is_right_and_never_occurs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no row.*'correct'.*'true' \(2\)"):
        means(csv(tmp_path, "id,correct 1,True 2,False 3,True"), right="correct")


def test_what_is_said_of_rows_is_refused_where_there_are_none(tmp_path: Path) -> None:
    counts = csv(tmp_path, "id,n,c 1,5,3 2,5,5", "counts.csv")
    matrix = csv(tmp_path, "1,0,1 0,0,1", "matrix.csv")
    log = REPOSITORY / "tests" / "fixtures" / "human_eval"
    for file in (counts, matrix, log):
        with pytest.raises(InputError, match="is for"):
            means(file, right="1")
    for file in (counts, matrix):
        with pytest.raises(InputError, match="is for"):
            means(file, rows="questions")


# Matrices.


@pytest.mark.parametrize("text", ["0,1,2 1,0,1 0,0,1 1,1,1", ",0,1,2 0,1,0,1 1,0,0,1 2,1,1,1"])
def test_a_line_that_numbers_columns_is_no_question(text: str, tmp_path: Path) -> None:
    file = csv(tmp_path, text)
    assert means(file) == {"": 0.6667}
    assert "Matrix: 3 rows are questions, 3 columns are trials" in said_above(file)


def test_a_column_that_counts_up_is_no_trial(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="counts up"):
        means(csv(tmp_path, "1,1 2,0 3,1 4,1"))


# Rows of pandas that have names.


def test_an_index_pairs_the_rows_of_systems() -> None:
    frame = pd.DataFrame({"id": list("abcd"), "correct": [1, 0, 1, 1]}).set_index("id")
    (pair,) = errbar.load({"a": frame, "b": frame.iloc[::-1]}).compare("avg")
    assert (pair.wins, pair.ties, pair.losses) == (0, 4, 0)
    series = frame["correct"]
    (pair,) = errbar.load({"a": series, "b": series.iloc[::-1]}).compare("avg")
    assert (pair.wins, pair.ties, pair.losses) == (0, 4, 0)


def test_an_index_may_name_systems() -> None:
    columns = {"model": list("xxyy"), "id": [1, 2, 1, 2], "correct": [1, 0, 1, 1]}
    assert means(pd.DataFrame(columns).set_index(["model", "id"])) == {"x": 0.5, "y": 1.0}


def test_series_by_name_are_columns_where_they_are_called_so() -> None:
    columns = {"id": pd.Series([1, 2, 3]), "correct": pd.Series([1, 0, 1])}
    assert means(columns) == {"": 0.6667}


def test_arrays_in_cells_are_trials() -> None:
    rows = [{"id": 1, "correct": np.array([1, 0])}, {"id": 2, "correct": np.array([1, 1])}]
    assert means(rows) == means(pd.DataFrame(rows)) == {"": 0.75}


# Tables.


def test_a_column_that_is_left_out_of_a_wide_table_is_named(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,gpt,qwen,llama 1,1,0,1 2,0,0,1 3,1,1,timeout")
    assert means(file) == {"gpt": 0.6667, "qwen": 0.3333}
    assert "⚠ Wide table" in said_above(file)
    assert "llama" in said_above(file)


def test_a_total_that_may_be_of_tokens_is_refused_with_both_readings(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,correct,total 1,1,153 2,0,99 3,1,201")
    with pytest.raises(InputError, match=r"outcome='correct'.*trials='total', correct='correct'"):
        means(file)
    assert means(file, outcome="correct") == {"": 0.6667}
    assert means(csv(tmp_path, "id,correct,total 1,3,5 2,0,5", "b.csv")) == {"": 0.3}


def test_a_summary_beside_results_is_named_and_not_read(tmp_path: Path) -> None:
    csv(tmp_path, "id,model,correct 1,gpt,1 2,gpt,0 1,qwen,1 2,qwen,1", "results.csv")
    csv(tmp_path, "model,accuracy gpt,0.5 qwen,1.0", "summary.csv")
    assert means(tmp_path) == {"gpt": 0.5, "qwen": 1.0}
    assert "⚠ Not read: summary.csv" in said_above(tmp_path)


def test_rows_without_a_system_among_others_are_warned_of(tmp_path: Path) -> None:
    file = csv(tmp_path, "model,id,correct gpt,1,1 ,2,0 qwen,1,1 ,2,1")
    assert "⚠ 2 of 4 rows name no system, though others do" in said_above(file)


def test_other_numbers_among_right_and_wrong_are_warned_of(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,correct 1,1 2,1 3,-1 4,-1")
    assert "⚠ 2 rows of 'correct' are neither 0 nor 1" in said_above(file)


def test_files_of_one_row_with_the_same_id_are_systems(tmp_path: Path) -> None:
    for name, value in (("gpt", 1), ("qwen", 0), ("phi", 0)):
        (tmp_path / f"{name}.json").write_text(f'[{{"id": "q1", "correct": {value}}}]')
    assert means(tmp_path) == {"gpt": 1, "phi": 0, "qwen": 0}


def test_systems_may_be_given_in_any_form(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [1, 2], "correct": [1, 0]})
    file = csv(tmp_path, "id,correct 1,1 2,1")
    assert means({"a": frame, "b": str(file), "c": [1, 0, 0, 0]}) == {"a": 0.5, "b": 1, "c": 0.25}
    assert means({"a": {"q1": 1, "q2": 0, "q3": 1}, "b": {"q1": 1, "q2": 1, "q3": 1}}) == {
        "a": 0.6667,
        "b": 1.0,
    }
    with pytest.raises(InputError, match="must all be paths, records or outcomes"):
        errbar.load([file, frame])


def test_a_column_that_is_not_used_is_named_where_ids_repeat(tmp_path: Path) -> None:
    file = csv(tmp_path, "model,tone,id,correct m,bio,1,1 m,law,1,0 m,bio,2,1 m,bio,2,1")
    assert "(not used: tone)" in said_above(file)


def test_a_known_word_far_down_a_table_is_known(tmp_path: Path) -> None:
    rows = " ".join(f"{at},{at % 2}" for at in range(3000))
    file = csv(tmp_path, f"id,correct {rows} x,pass y,fail")
    assert means(file) == {"": 0.5}
    assert "right: pass 1; wrong: fail 1" in said_above(file)


# Scores of one response are neither questions nor systems.


def scored(key: str = "id", name: str = "scores", rows: int = 4) -> list[dict[str, object]]:
    return [{key: f"a{at}", name: {"exact": at % 4 == 0, "close": 1}} for at in range(rows)]


@pytest.mark.parametrize("rows", [2, 4], ids=["as many as metrics", "more than metrics"])
@pytest.mark.parametrize("key", ["id", "prompt", "task_id"])
def test_scores_of_a_row_that_names_its_question_are_metrics(key: str, rows: int) -> None:
    data = scored(key, rows=rows)
    with pytest.raises(InputError, match=r"2 scores \(scores\.exact, scores\.close\).*outcome="):
        means(data)
    assert means(data, outcome="scores.exact") == {"": 1 / rows}


def test_scores_of_a_named_system_are_metrics_as_well() -> None:
    data = [{"model": "gpt", **row} for row in scored()]
    with pytest.raises(InputError, match=r"scores\.exact, scores\.close.*outcome="):
        means(data)
    assert means(data, outcome="scores.exact") == {"gpt": 0.25}


def test_checks_of_a_task_are_not_its_questions() -> None:
    data = scored("task_id", "checks")
    assert means(data, outcome="checks.exact") == {"": 0.25}
    assert "the keys of 'checks'" not in said_above(data)


def test_scores_by_question_of_a_run_are_questions() -> None:
    runs = [{"id": run, "scores": {"q1": 1, "q2": 0, "q3": right}} for run, right in ("a1", "b0")]
    assert "Questions: the keys of 'scores', of which there are 3" in said_above(runs)
    by_model = [{"model": "gpt", "scores": {"first": 1, "second": 0}}]
    assert means(by_model) == {"gpt": 0.5}


@pytest.mark.parametrize("response", ["response", "output", "Prediction"])
def test_columns_that_score_one_response_are_no_systems(response: str) -> None:
    columns = {"user_input": list("abcd"), "faithful": [1, 1, 0, 1], "relevant": [0, 0, 1, 0]}
    frame = pd.DataFrame({**columns, response: list("wxyz")})
    with pytest.raises(InputError, match=rf"one '{response}'.*faithful, relevant"):
        means(frame)
    assert means(frame, outcome="faithful") == {"": 0.75}
    assert means(pd.DataFrame(columns)) == {"faithful": 0.75, "relevant": 0.25}


# Tables in JSON, as pandas and trackers write them.


@pytest.mark.parametrize("form", ["split", "columns", "table", "records"])
def test_tables_that_pandas_writes_as_json_are_read(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": list("abcd"), "correct": [1, 0, 1, 1], "note": "x"})
    frame.to_json(tmp_path / "a.json", orient=form)
    assert means(tmp_path) == {"": 0.75}


def test_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    text = '{"columns": ["id", "correct", "correct"], "data": [["a", 1, 0], ["b", 1, 1]]}'
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="two of its columns have the same name"):
        means(tmp_path)


def test_rows_whose_scores_have_names_of_their_own_are_listed(tmp_path: Path) -> None:
    rows = [
        {"inputs.query": f"q{at}", "inputs.response": "r", "outputs.a.fluent": at % 2, "b": 1}
        for at in range(4)
    ]
    whole = {"rows": rows, "metrics": {"a.fluent": 0.5}}
    (tmp_path / "a.json").write_text(json.dumps(whole), encoding="utf-8")
    with pytest.raises(InputError, match=r"one 'inputs\.response'.*outputs\.a\.fluent, b"):
        means(tmp_path)
    assert means(tmp_path, outcome="outputs.a.fluent") == {"": 0.5}


def test_objects_of_attempts_are_trials() -> None:
    rows = [
        {"task_id": f"t{at}", "attempt_1": {"correct": at < 1}, "attempt_2": {"correct": at < 2}}
        for at in range(4)
    ]
    rows[3]["attempt_2"] = None  # type: ignore[assignment]
    runs = errbar.load(rows)
    assert "Trials: the columns attempt_1, attempt_2" in said_above(rows)
    assert runs.score("avg").estimates[0].value == (1 + 0.5 + 0 + 0) / 4
    assert runs.score("pass@1", short="drop").estimates[0].value == (1 + 0.5 + 0 + 0) / 4
    assert means(rows, outcome="attempt_2.correct") == {"": 0.5}


def test_attempts_without_an_id_are_of_one_row() -> None:
    rows = [{"attempt_1": {"correct": 1}, "attempt_2": {"correct": 0}} for _ in range(3)]
    scores = errbar.load(rows).score("avg", "pass@2")
    assert [score.value for score in scores] == [0.5, 1.0]


def test_an_id_inside_an_object_names_the_question() -> None:
    rows = [{"meta": {"task_id": name}, "correct": 1} for name in "aab"]
    assert "question = meta.task_id" in said_above(rows)
    rows = [{"meta": {"id": "x"}, "correct": 1} for _ in range(3)]
    assert "every row is a question" in said_above(rows)


def test_counts_of_passed_and_failed_trials_are_not_rewards(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("model,question,passed,failed,skipped\na,q1,3,1,0\na,q2,0,4,0\na,q3,2,0,2\n")
    with pytest.raises(UnknownColumn, match="'passed' and 'failed' look like the trials"):
        errbar.load(path)
    assert [row.value for row in errbar.load(path, outcome="passed").score("avg")] == [5 / 3]


def test_truths_of_passed_and_failed_are_outcomes(tmp_path: Path) -> None:
    path = tmp_path / "truths.csv"
    path.write_text("model,question,passed,failed\na,q1,1,0\na,q2,0,1\na,q3,1,0\na,q4,1,0\n")
    assert [row.value for row in errbar.load(path).score("avg")] == [0.75]


# Weights under other names.


@pytest.mark.parametrize("name", ["Weight (%)", "questionWeight", "points", "max points"])
def test_a_column_that_may_weigh_questions_has_both_means(name: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(f"id,correct,{name}\n1,1,6\n2,0,2\n3,1,1\n4,0,1\n", encoding="utf-8")
    assert means(file) == {"": 0.5}
    said = said_above(file)
    assert f"⚠ {name!r} (1 to 6) is not used: if it is the weight of a question" in said
    assert "(mean of all rows 0.7 instead of 0.5)" in said
    assert means(file, weight=name) == {"": 0.7}


def test_a_version_of_the_outcome_has_its_mean_said(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,acc,acc_norm,acc_stderr 1,1,0,.1 2,0,0,.1 3,1,1,.2 4,1,0,.3")
    said = said_above(file)
    assert "⚠ The outcome is 'acc' (mean of all rows 0.75)" in said
    assert "'acc_norm' has mean 0.25 and differs in 2 rows. Choose" in said


# Totals.


@pytest.mark.parametrize("name", ["model", "system"])
def test_a_leaderboard_has_no_questions(name: str, tmp_path: Path) -> None:
    text = f"{name},MMLU,GSM8K,Average gpt,.7,.8,.75 qwen,.6,.9,.75"
    with pytest.raises(UnknownColumn, match=r"only totals, a score of each '\w+' for MMLU, GSM8K"):
        means(csv(tmp_path, text))
    assert means(tmp_path / "a.csv", question="MMLU,GSM8K") == {"gpt": 0.75, "qwen": 0.75}


@pytest.mark.parametrize("text", ["model,q1,q2 a,.5,1 b,0,.9", "model,x,y a,1,1 b,0,1"])
def test_columns_may_be_questions(text: str, tmp_path: Path) -> None:
    assert means(csv(tmp_path, text)) in ({"a": 0.75, "b": 0.45}, {"a": 1, "b": 0.5})


@pytest.mark.parametrize(
    "total", [",0.5", ",2", "Gesamt,50", "平均,0.5", "Subtotal,2", "algebra avg,0.5", "total 1,.5"]
)
def test_a_total_under_any_name_is_left_out(total: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(f"id,correct\n1,1\n2,0\n3,1\n4,0\n{total}\n", encoding="utf-8")
    assert means(file) == {"": 0.5}
    assert "⚠ 1 row left out" in said_above(file)
    (account,) = errbar.load(file).source.origin.accounts.values()
    assert (account.rows, sum(account.left_out.values())) == (5, 1)


def test_questions_about_averages_are_questions(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,correct average-speed,1 mean_value,0 total-cost,1 x,1")
    assert means(file) == {"": 0.75}
    assert "left out" not in said_above(file)


def test_blank_rows_are_left_out_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,correct,note\n1,1,x\n,, \n2,0,\n,,\n", encoding="utf-8")
    assert means(file) == {"": 0.5}
    (account,) = errbar.load(file).source.origin.accounts.values()
    assert dict(account.left_out) == {"blank rows": 2}
    file.write_text("id,correct,note\n1,1,x\n,1,\n,0,y\n2,0,\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"2 rows have no question id.*delete the rows"):
        means(file)


def test_lines_that_repeat_the_header_are_left_out(tmp_path: Path) -> None:
    file = csv(tmp_path, "ID,correct 1,1 2,0 id,Correct 3,1 4,0")
    assert means(file) == {"": 0.5}
    assert "1 rows left out: lines that repeat the names of the columns" in said_above(file)
    (account,) = errbar.load(file).source.origin.accounts.values()
    assert sum(account.left_out.values()) == 1


def test_the_second_line_of_a_header_is_no_question(tmp_path: Path) -> None:
    file = csv(tmp_path, ",gpt,qwen id,correct,correct 1,1,0 2,0,0 3,1,1 4,0,0")
    assert means(file) == {"gpt": 0.5, "qwen": 0.25}


def test_a_row_that_says_correct_is_a_question(tmp_path: Path) -> None:
    assert means(csv(tmp_path, "id,verdict 1,correct 2,incorrect")) == {"": 0.5}


# Names of systems.


def test_names_that_differ_in_spelling_are_warned_of(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("model,id,correct\ngpt-4,1,1\nGPT-4 ,2,0\n", encoding="utf-8")
    assert "⚠ 'GPT-4 ' and 'gpt-4' differ only in case and spaces" in said_above(file)


def test_names_in_merged_cells_are_refused(tmp_path: Path) -> None:
    file = csv(tmp_path, "model,id,correct a,1,1 ,2,0 ,3,1 b,1,0 ,2,0 ,3,1")
    with pytest.raises(InputError, match="merged cells"):
        means(file)
    assert means(file, system=None) == {"": 0.5}


# Counts.


@pytest.mark.parametrize(
    "text", ["id,passed,n 1,true,5 2,false,5", "id,solved,n 1,True,1 2,False,3"]
)
def test_truths_are_no_counts(text: str, tmp_path: Path) -> None:
    assert means(csv(tmp_path, text)) == {"": 0.5}


def test_right_or_wrong_beside_a_number_of_trials_has_both_readings(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,solved,trials 1,1,1 2,0,2 3,1,2")
    assert means(file) == {"": 0.5}
    assert "'solved' is 0 or 1 in every row" in said_above(file)
    assert "(mean 0.6667)" in said_above(file)


@pytest.mark.parametrize("names", ["n_correct,n_total", "pass_count,n_attempts"])
def test_usual_names_of_counts(names: str, tmp_path: Path) -> None:
    assert means(csv(tmp_path, f"task_id,{names} 1,3,4 2,1,4")) == {"": 0.5}


def test_values_of_a_single_metric_are_outcomes(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,metric,value 1,acc,1 2,acc,0")
    assert means(file) == {"": 0.5}
    with pytest.raises(InputError, match="several scores of one answer"):
        means(csv(tmp_path, "id,metric,value 1,acc,1 1,f1,.5 2,acc,0 2,f1,.3"))


def test_failed_attempts_before_a_scored_one_may_be_retries(tmp_path: Path) -> None:
    rows = [{"id": f"q{at}", "attempt": 1, "correct": at < 14} for at in range(15)]
    for at in range(15, 20):
        rows += [
            {"id": f"q{at}", "attempt": 1, "correct": None, "status": "error"},
            {"id": f"q{at}", "attempt": 2, "correct": True},
        ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = " ".join(above(errbar.load(path).score("avg").notes()))
    assert "5 ids have a row without an outcome and a scored row after it" in said
    assert "0.825 as trials, 0.95 by the last rows" in said
    (score,) = errbar.load(path, trial=None, repeats="last").score("avg")
    assert score.value == pytest.approx(19 / 20)


def test_the_id_of_a_nested_question_is_its_id(tmp_path: Path) -> None:
    rows = [
        {"sample": {"id": f"q{at}"}, "result": {"correct": (at + trial) % 2 == 0}}
        for trial in range(3)
        for at in range(10)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (score,) = errbar.load(path).score("avg")
    assert (score.questions, score.trials) == (10, 30)


def test_a_row_for_each_model_with_its_accuracy_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text("model,accuracy\na,0.5\nb,0.61\nc,0.7\n", encoding="utf-8")
    with pytest.raises(NoOutcomes, match="it has only totals, the 'accuracy' of each 'model'"):
        errbar.load(path)


@pytest.mark.parametrize("column", ["name", "model", "system"])
def test_a_row_for_each_name_with_its_score_on_benchmarks_is_refused(
    column: str, tmp_path: Path
) -> None:
    path = csv(tmp_path, f"{column},gsm8k,mmlu A,0.81,0.70 B,0.79,0.72")
    with pytest.raises(UnknownColumn, match=f"only totals, a score of each '{column}' for gsm8k"):
        errbar.load(path)


def test_names_of_questions_beside_systems_are_read(tmp_path: Path) -> None:
    shares = csv(tmp_path, "name,gpt,qwen A,0.81,0.70 B,0.79,0.72")
    assert means(shares, system="gpt,qwen") == {"gpt": 0.8, "qwen": 0.71}
    partial = csv(tmp_path, "name,gpt,qwen A,0.81,1 B,0,0.72", "b.csv")
    assert set(means(partial)) == {"gpt", "qwen"}


def test_an_answer_next_to_a_prediction_is_the_reference(tmp_path: Path) -> None:
    path = csv(tmp_path, "id,prediction,answer 1,A,A 2,B,A 3,C,C")
    with pytest.raises(UnknownColumn, match="'answer' looks like the reference") as refused:
        errbar.load(path)
    advice = "frame['correct'] = frame['prediction'] == frame['answer']"
    assert advice in str(refused.value)
    frame = pd.read_csv(path)
    exec(advice, {"frame": frame})
    assert means(frame) == {"": round(2 / 3, 4)}


def test_accuracies_of_runs_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    lines = "".join(f"{at},gpt,{0.5 + at / 50}\n" for at in range(8))
    path.write_text(f"machine,model,accuracy\n{lines}", encoding="utf-8")
    said = " ".join(above(errbar.load(path).score("avg").notes()))
    assert "'accuracy' is a share in 8 of 8 rows" in said


def test_questions_in_lists_of_tasks_are_questions_of_those_tasks(tmp_path: Path) -> None:
    tasks = [
        {"name": name, "items": [{"id": at, "correct": at < right} for at in range(10)]}
        for name, right in (("sums", 6), ("words", 9))
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"model": "gpt", "tasks": tasks}), encoding="utf-8")
    scores = errbar.load(path).score("avg")
    assert {score.task: score.value for score in scores} == {"sums": 0.6, "words": 0.9}
    assert {score.trials for score in scores} == {10}


def test_turns_of_a_conversation_are_not_taken_for_trials_without_a_warning(tmp_path: Path) -> None:
    rows = [
        {"id": at, "turns": [{"turn": 1, "score": int(at < 9)}, {"turn": 2, "score": int(at < 3)}]}
        for at in range(12)
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "The same ids occur under several values of 'turn'" in said_above(path)
    same = [{"id": row["id"], "turns": [{"score": 1}, {"score": 0}]} for row in rows]
    path.write_text("".join(json.dumps(row) + "\n" for row in same), encoding="utf-8")
    assert "Trials: the entries of the lists in 'turns'" in said_above(path)
