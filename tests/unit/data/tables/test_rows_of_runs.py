"""Rows that are no questions, outcomes by other names, and ids listed by verdict."""

import json
from pathlib import Path

import pytest

import errbar
from errbar.base.remarks import above
from errbar.errors import InputError


def written(folder: Path, text: str, name: str = "data.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def means(path: Path, **how: object) -> dict[str, float]:
    return {each.system: each.value for each in errbar.load(path, **how).score("avg")}  # type: ignore[arg-type]


def warnings_on(path: Path, **how: object) -> str:
    notes = errbar.load(path, **how).score("avg").notes()  # type: ignore[arg-type]
    return " ".join(each for each in above(notes) if each.startswith("⚠"))


@pytest.mark.parametrize(
    ("header", "row", "reason"),
    [
        ("step,train_loss,train_acc,valid_acc", "{at},0.3,0.{at},0.{at}", "'step' numbers"),
        ("Step,gpt - eval/acc,qwen - eval/acc", "{at},0.{at},0.{at}", "'Step' numbers"),
        ("epoch,train_acc,val_acc", "{at},0.{at},0.{at}", "'epoch' numbers"),
        ("seed,accuracy", "{at},0.{at}", "only totals, the 'accuracy' of each 'seed'"),
        ("layer,model,accuracy", "{at},gpt,0.{at}", "only totals, the 'accuracy' of each 'layer'"),
        ("subject,accuracy", "s{at},0.{at}", "only totals, the 'accuracy' of each 'subject'"),
        ("step_num,reward,done", "{at},0,false", "'step_num' numbers"),
    ],
)
def test_rows_of_runs_are_no_questions(tmp_path: Path, header: str, row: str, reason: str) -> None:
    rows = "\n".join(row.format(at=at) for at in range(1, 9))
    path = written(tmp_path, f"{header}\n{rows}\n")
    with pytest.raises(InputError, match=reason):
        errbar.load(path).score("avg")


def test_a_step_beside_an_id_is_not_looked_at(tmp_path: Path) -> None:
    rows = "\n".join(f"q{at},{at},{at % 2}" for at in range(8))
    assert means(written(tmp_path, f"id,step,correct\n{rows}\n")) == {"": 0.5}


def test_totals_beside_results_are_skipped(tmp_path: Path) -> None:
    written(tmp_path, "id,correct\n1,1\n2,0\n", "gpt.csv")
    written(tmp_path, "id,correct\n1,1\n2,1\n", "qwen.csv")
    written(tmp_path, "model,accuracy\ngpt,0.51\nqwen,0.99\n", "summary.csv")
    assert means(tmp_path) == {"gpt": 0.5, "qwen": 1.0}
    assert "Not read: summary.csv" in warnings_on(tmp_path)


def test_settings_of_several_runs_are_no_questions(tmp_path: Path) -> None:
    rows = "\n".join(f"agent,{at},{at % 2},true,false" for at in range(8))
    path = written(tmp_path, f"agent,steps_taken,finished,ended,cut\n{rows}\n")
    with pytest.raises(InputError, match="'agent' names systems too"):
        errbar.load(path).score("avg")


@pytest.mark.parametrize(
    "document",
    [
        {f"t{at}": {"runs": [{"success": True}, {"success": False}]} for at in range(6)},
        {f"t{at}": [{"correct": 1}, {"correct": 0}] for at in range(6)},
        {f"t{at}": {"note": "n", "results": [{"correct": 1}, {"correct": 0}]} for at in range(6)},
    ],
)
def test_lists_of_runs_without_ids_are_trials_of_their_key(
    tmp_path: Path, document: object
) -> None:
    path = written(tmp_path, json.dumps(document), "runs.json")
    (score,) = errbar.load(path).score("avg")
    assert (score.value, score.questions, score.trials) == (0.5, 6, 12)
    assert len(means(path, keys="systems")) == 6


@pytest.mark.parametrize(
    ("document", "mean"),
    [
        ({"passed": ["a"], "failed": ["b", "c", "d"]}, 0.25),
        ({"results": {"successful_tasks": ["a"], "failed_tasks": ["b"], "accuracy": 0.5}}, 0.5),
        ({"solved": ["a", "b"], "unsolved": [], "errors": ["c", "d"]}, 0.5),
    ],
)
def test_ids_listed_by_verdict(tmp_path: Path, document: object, mean: float) -> None:
    path = written(tmp_path, json.dumps(document), "run.json")
    assert means(path) == {"": mean}


def test_ids_in_no_list_of_a_verdict_are_named(tmp_path: Path) -> None:
    document = {"passed": ["a"], "failed": ["b"], "skipped": ["c", "d"]}
    path = written(tmp_path, json.dumps(document), "run.json")
    assert "2 ids in 'skipped' are not read" in warnings_on(path)
    only = written(tmp_path, json.dumps({"solved": ["a"]}), "only.json")
    with pytest.raises(InputError, match="lists only the ids in 'solved'"):
        errbar.load(only)


@pytest.mark.parametrize(
    ("lines", "mean"),
    [
        ('{"id": 1, "status": "passed"}\n{"id": 2, "status": "failed"}\n', 0.5),
        ('{"id": 1, "result": {"status": "PASS"}}\n{"id": 2, "result": {"status": "FAIL"}}\n', 0.5),
        ('{"id": 1, "rewards": [1, 0]}\n{"id": 2, "rewards": [1, 1]}\n', 0.75),
        ('{"id": 1, "scores": [1, 0]}\n{"id": 2, "scores": [0, 0]}\n', 0.25),
    ],
)
def test_outcomes_by_other_names(tmp_path: Path, lines: str, mean: float) -> None:
    assert means(written(tmp_path, lines, "a.jsonl")) == {"": mean}


def test_a_status_of_a_call_is_no_outcome(tmp_path: Path) -> None:
    path = written(tmp_path, "id,status\n1,OK\n2,Timeout\n")
    with pytest.raises(InputError, match="no column of the data looks like outcome"):
        errbar.load(path)


def test_lists_and_objects_as_python_and_numpy_print_them(tmp_path: Path) -> None:
    assert means(written(tmp_path, "id,correct\n1,[1 0 1 1]\n2,[0 0 1 0]\n")) == {"": 0.5}
    text = 'id,result\n1,"{\'correct\': True, \'why\': ""it\'s so""}"\n2,"{\'correct\': False}"\n'
    assert means(written(tmp_path, text)) == {"": 0.5}


def test_a_number_of_the_right_option_is_no_outcome(tmp_path: Path) -> None:
    rows = "\n".join(f"{at},{at % 4},{(at + at // 4) % 4}" for at in range(12))
    path = written(tmp_path, f"id,correct,predicted\n{rows}\n")
    with pytest.raises(InputError, match="'correct' looks like the reference answer"):
        errbar.load(path)


def test_the_category_of_a_question_is_no_class(tmp_path: Path) -> None:
    path = written(tmp_path, "question_id,category,score\n1,maths,0.5\n2,law,1\n")
    assert means(path) == {"": 0.75}


def test_outcomes_of_which_lower_is_better_are_marked(tmp_path: Path) -> None:
    path = written(tmp_path, "id,failed\n1,1\n2,0\n3,0\n4,0\n")
    with pytest.raises(InputError, match=r"If 'failed' marks what is wrong, use outcome='failed'"):
        errbar.load(path)
    assert "by its name 'failed' marks what is wrong" in warnings_on(path, outcome="failed")
    assert means(path, outcome="failed", right=["0", "false"]) == {"": 0.75}
    assert warnings_on(path, outcome="failed", right=["0", "false"]) == ""
    path = written(tmp_path, "id,wer\n1,0.25\n2,0.5\n")
    assert "by its name lower is better" in warnings_on(path, outcome="wer")


def test_a_run_without_any_result_is_marked(tmp_path: Path) -> None:
    bad = "".join(f'{{"id": {at}, "correct": null, "status": "error"}}\n' for at in range(4))
    good = "".join(f'{{"id": {at}, "correct": true, "status": "ok"}}\n' for at in range(4))
    written(tmp_path, bad, "bad.jsonl")
    written(tmp_path, good, "good.jsonl")
    said = warnings_on(tmp_path)
    assert "bad: none of 4 rows has a result, so the score only shows that the run failed" in said
    assert "never scored" not in said
