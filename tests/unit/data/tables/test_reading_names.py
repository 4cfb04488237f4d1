"""What the names of columns and files say: systems, trials, parts of a table, summaries."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import above

STRONG = [1] * 18 + [0] * 2
WEAK = [0, 1, 0, 0, 1] * 4


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: round(score.value, 4) for score in scores}


def said_above(data: object, **told: object) -> str:
    return " ".join(above(errbar.load(data, **told).score("avg").notes()))  # type: ignore[arg-type]


def table(columns: Mapping[str, Sequence[object]], place: Path, name: str = "a.csv") -> Path:
    pd.DataFrame(columns).to_csv(place / name, index=False)
    return place / name


def two_systems(column: str) -> dict[str, Sequence[object]]:
    names = ["gpt"] * 20 + ["qwen"] * 20
    return {"id": [*range(20)] * 2, column: [*names], "correct": [*STRONG, *WEAK]}


# Which column names the system.


@pytest.mark.parametrize(
    "column",
    [
        "llm",
        "LLM name",
        "provider_model",
        "hfModel",
        "model_path",
        "model_version",
        "Modell",
        "模型",
    ],
)
def test_a_column_called_after_a_model_names_the_system(column: str, tmp_path: Path) -> None:
    file = table(two_systems(column), tmp_path)
    assert means(file) == {"gpt": 0.9, "qwen": 0.4}
    assert f"system = {column}" in said_above(file)


@pytest.mark.parametrize("column", ["Correct?", "Resolved ?", "score:", "Accuracy*"])
def test_marks_at_the_end_of_a_heading_are_no_part_of_its_name(column: str, tmp_path: Path) -> None:
    file = table({"Task ID?": range(20), column: STRONG}, tmp_path)
    assert means(file) == {"": 0.9}
    assert f"outcome = {column}" in said_above(file)


@pytest.mark.parametrize("column", ["deployment", "bot", "classifier", "submission", "engine"])
def test_what_was_varied_and_may_be_a_system_is_one_and_marked(column: str, tmp_path: Path) -> None:
    file = table(two_systems(column), tmp_path)
    assert means(file) == {"gpt": 0.9, "qwen": 0.4}
    assert f"each '{column}'" in said_above(file)


@pytest.mark.parametrize("column", ["judge_model", "grader_llm", "reward_model"])
def test_the_model_that_judges_is_not_the_system(column: str, tmp_path: Path) -> None:
    rows = {"id": [*range(20)], column: ["gpt", "qwen"] * 10, "correct": [*STRONG]}
    assert means(table(rows, tmp_path)) == {"": 0.9}


def test_a_model_version_beside_a_model_does_not_replace_it(tmp_path: Path) -> None:
    version = {"model_version": ["v1", "v2"] * 20}
    file = table({**two_systems("model"), **version}, tmp_path)
    assert means(file) == {"gpt": 0.9, "qwen": 0.4}


# Which columns of a wide table are trials.


@pytest.mark.parametrize(
    "names",
    [
        ("pass_1", "pass_2", "pass_3"),
        ("is_correct_0", "is_correct_1", "is_correct_2"),
        ("accuracy 1", "accuracy 2", "accuracy 3"),
        ("acc_seed1", "acc_seed2", "acc_seed3"),
        ("seed42_acc", "seed1337_acc", "seed7_acc"),
        ("pass@1_run_1", "pass@1_run_2", "pass@1_run_3"),
    ],
)
def test_numbered_outcomes_are_trials_of_one_system(names: tuple[str, ...], tmp_path: Path) -> None:
    columns = dict(zip(names, ([*STRONG], [*WEAK], [*STRONG]), strict=True))
    file = table({"id": [*range(20)], **columns}, tmp_path)
    scores = errbar.load(file).score("avg", "pass@3")
    assert [(score.system, round(score.value, 4)) for score in scores] == [("", 0.7333), ("", 0.95)]


def test_words_before_the_number_of_a_run_are_systems(tmp_path: Path) -> None:
    columns = {"gpt_run1": STRONG, "gpt_run2": STRONG, "qwen_run1": WEAK, "qwen_run2": STRONG}
    file = table({"id": [*range(20)], **{name: [*v] for name, v in columns.items()}}, tmp_path)
    assert means(file) == {"gpt": 0.9, "qwen": 0.65}
    assert "trials" in said_above(file)
    assert "of gpt, qwen" in said_above(file)


def test_numbers_with_gaps_are_not_trials(tmp_path: Path) -> None:
    columns = {"pass_1": WEAK, "pass_5": STRONG, "pass_10": STRONG}
    file = table({"id": [*range(20)], **{name: [*v] for name, v in columns.items()}}, tmp_path)
    assert "differ only by a number" in said_above(file)


def test_ratings_by_several_raters_are_not_trials(tmp_path: Path) -> None:
    file = table({"id": [*range(20)], "rating_1": [*STRONG], "rating_2": [*WEAK]}, tmp_path)
    assert "⚠" in str(errbar.load(file).score("avg"))


# Which columns of a wide table follow from others.


@pytest.mark.parametrize(
    "name", ["diff", "Delta", "improvement", "agree", "both", "best_of", "avg"]
)
def test_a_summary_of_the_row_is_not_a_system(name: str, tmp_path: Path) -> None:
    rows = {"id": [*range(20)], "gpt": [*STRONG], "qwen": [*WEAK], name: [1, 0] * 10}
    assert means(table(rows, tmp_path)) == {"gpt": 0.9, "qwen": 0.4}


def test_a_column_equal_to_the_mean_of_the_others_is_left_out_and_said(tmp_path: Path) -> None:
    first, second = [at / 40 for at in range(20)], [at * at / 400 for at in range(20)]
    pairs = zip(first, second, strict=True)
    rows = {"id": [*range(20)], "gpt": first, "qwen": second, "q": [(a + b) / 2 for a, b in pairs]}
    file = table({name: [*values] for name, values in rows.items()}, tmp_path)
    assert means(file) == {"gpt": 0.2375, "qwen": 0.3087}
    assert "q is the mean of gpt, qwen in every row" in said_above(file)


def test_a_column_equal_to_a_difference_is_left_out_and_said(tmp_path: Path) -> None:
    weak = [low and high for low, high in zip(WEAK, STRONG, strict=True)]
    gap = [high - low for low, high in zip(weak, STRONG, strict=True)]
    rows = {"id": [*range(20)], "gpt": [*STRONG], "qwen": [*weak], "gpt - qwen": [*gap]}
    file = table(rows, tmp_path)
    assert set(means(file)) == {"gpt", "qwen"}
    assert "gpt less qwen in every row" in said_above(file)


def test_questions_that_happen_to_add_up_are_kept(tmp_path: Path) -> None:
    rows: dict[str, Sequence[object]] = {"model": [f"m{at}" for at in range(12)]}
    rows |= {"q1": [1] * 11 + [0], "q2": [0, 1] * 6, "q3": [1, 0] * 5 + [1, 0]}
    rows["q3"] = [first - second for first, second in zip([1] * 12, [0, 1] * 6, strict=True)]
    scores = means(table(rows, tmp_path))
    assert scores["m0"] == round(2 / 3, 4)


# Which files are parts of one table.


def lines(rows: Sequence[Mapping[str, object]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def halves(place: Path, *names: str, outcomes: Sequence[int] = STRONG) -> list[Path]:
    """Write the first half of the questions to the first file, the others to the second."""
    for at, name in enumerate(names):
        rows = [{"id": i, "correct": outcomes[i]} for i in range(10 * at, 10 * at + 10)]
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(lines(rows))
    return [place / name for name in names]


@pytest.mark.parametrize(
    "names",
    [
        ("shard_0.jsonl", "shard_1.jsonl"),
        ("rank0.jsonl", "rank1.jsonl"),
        ("gpt-4o_chunk-01.jsonl", "gpt-4o_chunk-02.jsonl"),
        ("out_0_of_2.jsonl", "out_1_of_2.jsonl"),
    ],
)
def test_shards_that_share_no_question_are_one_table(
    names: tuple[str, str], tmp_path: Path
) -> None:
    files = halves(tmp_path, *names)
    assert means(files) == {"": 0.9}
    assert "parts of one table" in said_above(files)
    assert len(means(files, files="systems")) == 2


def test_shards_of_two_models_are_two_systems(tmp_path: Path) -> None:
    files = halves(tmp_path, "gpt_shard0.jsonl", "gpt_shard1.jsonl")
    files += halves(tmp_path, "qwen_shard0.jsonl", "qwen_shard1.jsonl", outcomes=WEAK)
    assert means(files) == {"gpt": 0.9, "qwen": 0.4}
    assert means(files, files="parts") == {"gpt": 0.9, "qwen": 0.4}


def test_shards_that_share_questions_stay_apart_with_a_warning(tmp_path: Path) -> None:
    files = [halves(tmp_path, "shard_0.jsonl")[0], tmp_path / "shard_1.jsonl"]
    files[1].write_text(lines([{"id": i, "correct": WEAK[i]} for i in range(10)]))
    assert means(files) == {"shard_0": 1.0, "shard_1": 0.4}
    assert "files='parts'" in said_above(files)


def test_parts_without_ids_are_different_questions(tmp_path: Path) -> None:
    files = [tmp_path / "part-00000.jsonl", tmp_path / "part-00001.jsonl"]
    for at, file in enumerate(files):
        file.write_text(lines([{"correct": right} for right in STRONG[10 * at : 10 * at + 10]]))
    (score,) = errbar.load(files).score("avg")
    assert (score.questions, round(score.value, 4)) == (20, 0.9)


def test_the_same_ids_in_two_parts_of_a_table_are_marked(tmp_path: Path) -> None:
    files = [tmp_path / "r-00000-of-00002.jsonl", tmp_path / "r-00001-of-00002.jsonl"]
    for file, outcomes in zip(files, (STRONG, WEAK), strict=True):
        file.write_text(lines([{"id": i, "correct": outcomes[i]} for i in range(10)]))
    assert "10 ids are in two parts of one table" in said_above(files)


@pytest.mark.parametrize(
    ("settings", "column"),
    [
        ({"config": {"model": "gpt-x", "temperature": 0}}, "config.model"),
        ({"args": {"model_name": "gpt-x", "judge_model": "other"}}, "args.model_name"),
        ({"run": {"settings": {"llm": {"name": "gpt-x", "k": 1}}}}, "run.settings.llm"),
    ],
)
def test_a_model_in_the_settings_beside_a_list_names_the_system(
    settings: Mapping[str, object], column: str, tmp_path: Path
) -> None:
    rows = [{"id": "a", "correct": True}, {"id": "b", "correct": False}]
    path = tmp_path / "out.json"
    path.write_text(json.dumps({**settings, "results": rows}), encoding="utf-8")
    assert means(path) == {"gpt-x": 0.5}
    assert f"system = {column}" in said_above(path)
    assert means(path, system=None) == {"": 0.5}


@pytest.mark.parametrize(
    "settings",
    [
        {"config": {"system": "You are a helpful assistant."}},
        {"config": {"model": "gpt-x", "agent": "other"}},  # which of them is meant is unclear
        {"config": {"judge_model": "gpt-x"}},
    ],
)
def test_settings_that_do_not_name_one_model_name_no_system(
    settings: Mapping[str, object], tmp_path: Path
) -> None:
    rows = [{"id": "a", "correct": True}, {"id": "b", "correct": False}]
    path = tmp_path / "out.json"
    path.write_text(json.dumps({**settings, "results": rows}), encoding="utf-8")
    assert means(path) == {"": 0.5}


def test_only_files_whose_name_decided_are_said_to(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("id,system,correct\nq1,gpt,1\nq2,gpt,0\n", encoding="utf-8")
    for name in ("llama", "qwen"):
        (tmp_path / f"{name}.csv").write_text("id,correct\nq1,1\nq2,1\n", encoding="utf-8")
    runs = errbar.load(tmp_path)
    assert [row.system for row in runs.score("avg")] == ["gpt", "llama", "qwen"]
    said = [text for text in above(runs.score("avg").remarks) if text.startswith("Systems:")]
    assert [text.partition(" (")[0] for text in said] == [
        "Systems: llama, qwen are named after their files; the other files name their systems"
    ]
