"""Ordinary inputs, tried as a new user has them: each gives the number that a person counts."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import above
from errbar.errors import InputError

GPT, QWEN = [1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0], [0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0]
IDS = [f"t{at}" for at in range(12)]
BOTH = {"gpt": 8 / 12, "qwen": 4 / 12}


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: score.value for score in scores}


def said_above(data: object) -> str:
    return " ".join(above(errbar.load(data).score("avg").notes()))


def write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = value if isinstance(value, str) else json.dumps(value)
    path.write_text(text, encoding="utf-8")
    return path


# Files with one question each.


def test_every_folder_has_its_own_files_of_questions(tmp_path: Path) -> None:
    for system, outcomes in (("gpt", GPT), ("qwen", QWEN)):
        for at, outcome in enumerate(outcomes):
            write(tmp_path / system / f"{at}.json", {"task_id": at, "score": outcome, "steps": [1]})
    assert means(tmp_path) == pytest.approx(BOTH)
    assert "their folder" in said_above(tmp_path)


def test_a_folder_for_each_question_belongs_to_the_system_above(tmp_path: Path) -> None:
    for system, outcomes in (("gpt", GPT), ("qwen", QWEN)):
        for id_, outcome in zip(IDS, outcomes, strict=True):
            write(tmp_path / system / id_ / "result.json", {"task_id": id_, "reward": outcome})
    assert means(tmp_path) == pytest.approx(BOTH)


def test_files_of_one_question_in_its_folder_are_trials(tmp_path: Path) -> None:
    for system, some in (("a", (GPT, QWEN)), ("b", (QWEN, QWEN))):
        for trial, outcomes in enumerate(some):
            for id_, outcome in zip(IDS, outcomes, strict=True):
                write(tmp_path / system / id_ / f"{trial}.json", {"id": id_, "passed": outcome})
    assert means(tmp_path) == pytest.approx({"a": 0.5, "b": 4 / 12})
    (score, _) = errbar.load(tmp_path).score("avg")
    assert (score.questions, score.trials) == (12, 24)


# Tables of agents: the task is the question.


def long_table(**extra: list[int]) -> pd.DataFrame:
    table = pd.DataFrame({"model": ["gpt"] * 12 + ["qwen"] * 12, "task": IDS * 2})
    return table.assign(**extra, success=GPT + QWEN)


@pytest.mark.parametrize("trial", ["trial", "attempt", "seed", None])
def test_a_task_with_a_few_rows_each_is_a_question(trial: str | None, tmp_path: Path) -> None:
    tables = [long_table(**({trial: [at] * 24} if trial else {})) for at in range(3)]
    pd.concat(tables).to_csv(tmp_path / "a.csv", index=False)
    assert means(tmp_path / "a.csv") == pytest.approx(BOTH)
    (score, _) = errbar.load(tmp_path / "a.csv").score("avg")
    assert (score.task, score.questions, score.trials) == ("", 12, 36)


def test_samples_of_a_few_tasks_are_questions(tmp_path: Path) -> None:
    table = long_table().assign(task=["gsm8k"] * 6 + ["mmlu"] * 6 + ["gsm8k"] * 6 + ["mmlu"] * 6)
    table.assign(sample=[*range(6)] * 4).to_csv(tmp_path / "a.csv", index=False)
    runs = errbar.load(tmp_path / "a.csv")
    found = {(each.system, each.task): (each.value, each.questions) for each in runs.score("avg")}
    assert found["gpt", "gsm8k"] == (4 / 6, 6)
    assert len(runs.compare("avg")) == 2


def test_two_columns_may_number_the_trials_together(tmp_path: Path) -> None:
    rows = [
        f"{id_},{seed},{epoch},{outcome}"
        for id_, outcome in zip(IDS, GPT, strict=True)
        for seed in (1, 2)
        for epoch in (1, 2)
    ]
    path = write(tmp_path / "a.csv", "\n".join(["id,seed,epoch,correct", *rows]))
    (score,) = errbar.load(path).score("avg")
    assert (score.value, score.trials) == pytest.approx((8 / 12, 48))
    assert "'epoch' and 'seed' together" in said_above(path)


def test_rows_without_ids_are_paired_within_one_table(tmp_path: Path) -> None:
    long_table()[["model", "success"]].to_csv(tmp_path / "a.csv", index=False)
    (pair,) = errbar.load(tmp_path / "a.csv").compare("avg")
    assert (pair.difference, pair.questions) == pytest.approx((4 / 12, 12))


# Names of columns.


@pytest.mark.parametrize(
    ("question", "outcome"),
    [
        ("Prompt #", "Correct?"),
        ("question_no", "match"),
        ("nodeid", "outcome"),
        ("inputs", "answer_correctness/v1/score"),
    ],
)
def test_common_names_of_ids_and_outcomes_are_known(
    question: str, outcome: str, tmp_path: Path
) -> None:
    table = long_table().rename(columns={"task": question, "success": outcome})
    table.to_csv(tmp_path / "a.csv", index=False)
    assert means(tmp_path / "a.csv") == pytest.approx(BOTH)
    assert f"question = {question}" in said_above(tmp_path / "a.csv")


def test_marks_are_shares_of_the_most(tmp_path: Path) -> None:
    table = pd.DataFrame({"question_no": IDS, "marks_awarded": [4 * each for each in GPT]})
    table.assign(max_marks=8).to_csv(tmp_path / "a.csv", index=False)
    assert means(tmp_path / "a.csv") == pytest.approx({"": 4 / 12})


# Words instead of an outcome.


@pytest.mark.parametrize("word", ["NOT_ATTEMPTED", "error", "Timed out", "#N/A", "#DIV/0!", "--"])
def test_words_for_no_outcome_are_no_outcomes(word: str, tmp_path: Path) -> None:
    words = ["CORRECT" if each else "INCORRECT" for each in GPT[:9]] + [word] * 3
    table = pd.DataFrame({"id": IDS, "grade": words})
    for data in (table, tmp_path / "a.csv"):
        table.to_csv(tmp_path / "a.csv", index=False)
        runs = errbar.load(data)
        assert [each.value for each in runs.score("avg")] == pytest.approx([6 / 12])
        assert [each.value for each in runs.score("avg", errors="missing")] == pytest.approx(
            [6 / 9]
        )
    counted = f"no outcome: {word.lower()} 3"
    assert (counted in said_above(table)) == word[0].isalpha()


def test_what_is_right_leaves_such_words_wrong(tmp_path: Path) -> None:
    words = ["CORRECT" if each else "NOT_ATTEMPTED" for each in GPT]
    pd.DataFrame({"id": IDS, "grade": words}).to_csv(tmp_path / "a.csv", index=False)
    (score,) = errbar.load(tmp_path / "a.csv", right="correct").score("avg", errors="missing")
    assert (score.value, score.questions) == pytest.approx((8 / 12, 12))


# Several scores of a question.


def test_turns_with_a_judge_of_their_own_are_questions_of_one_cluster(tmp_path: Path) -> None:
    rows = [
        {
            "question_id": id_,
            "model": "gpt",
            "judge": f"single-{turn}",
            "turn": turn,
            "score": grade,
        }
        for id_, outcome in zip(IDS, GPT, strict=True)
        for turn, grade in ((1, 9 * outcome + 1), (2, 5))
    ]
    path = write(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    (score,) = errbar.load(path).score("avg")
    assert (score.value, score.questions, score.clusters) == pytest.approx((6.0, 24, 12))


def test_several_scores_can_be_scored_separately(tmp_path: Path) -> None:
    rows = [f"{id_},{name},{value}" for id_ in IDS for name, value in (("em", 1), ("f1", 0.5))]
    path = write(tmp_path / "a.csv", "\n".join(["id,metric,value", *rows]))
    with pytest.raises(InputError, match="task='metric' scores them separately"):
        errbar.load(path)
    scores = errbar.load(path, task="metric").score("avg")
    assert {score.task: score.value for score in scores} == {"em": 1.0, "f1": 0.5}


# Nested documents and indices.


@pytest.mark.parametrize("outer", ["system", "task"])
def test_lists_by_system_and_benchmark_are_questions_of_tasks(outer: str, tmp_path: Path) -> None:
    value: dict[str, dict[str, list[int]]] = {
        "gpt": {"gsm8k": GPT, "mmlu": QWEN},
        "qwen": {"gsm8k": QWEN, "mmlu": QWEN},
    }
    if outer == "task":
        value = {task: {name: value[name][task] for name in value} for task in value["gpt"]}
    scores = errbar.load(write(tmp_path / "a.json", value)).score("avg")
    found = {(score.system, score.task): (score.value, score.questions) for score in scores}
    assert found["gpt", "gsm8k"] == pytest.approx((8 / 12, 12))
    assert {outcome for _, outcome in found.values()} == {12}


def test_objects_that_only_hold_another_are_no_systems(tmp_path: Path) -> None:
    by_system = {
        name: {"results": {id_: {"correct": each} for id_, each in zip(IDS, some, strict=True)}}
        for name, some in (("gpt", GPT), ("qwen", QWEN))
    }
    assert means(write(tmp_path / "a.json", {"runs": by_system})) == pytest.approx(BOTH)


def test_the_keys_of_joined_tables_are_systems() -> None:
    tables = {
        name: pd.DataFrame({"id": IDS, "correct": some})
        for name, some in (("gpt", GPT), ("qwen", QWEN))
    }
    assert means(pd.concat(tables)) == pytest.approx(BOTH)
    without = {name: table[["correct"]] for name, table in tables.items()}
    assert means(pd.concat(without)) == pytest.approx(BOTH)
    models = {name: table.assign(model="m") for name, table in tables.items()}
    assert "'level_0' (means: gpt 0.6667, qwen 0.3333)" in said_above(pd.concat(models))


def test_tables_joined_without_keys_or_ids_are_warned_about() -> None:
    table = pd.DataFrame({"correct": GPT})
    assert "index of tables that were concatenated" in said_above(pd.concat([table, table]))


def test_a_packed_folder_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "runs.tar.gz").write_bytes(gzip.compress(b"runs/"))
    with pytest.raises(InputError, match="unpack it first"):
        errbar.load(tmp_path / "runs.tar.gz")
