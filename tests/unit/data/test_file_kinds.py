"""Files as trials, tasks and parts; rows that were run again."""

import json
from pathlib import Path

import pytest

import errbar
from errbar.data.readers.tables.naming import name_systems
from errbar.data.readers.tables.repeat_numbers import repeats_of
from errbar.errors import InputError
from logs import REPOSITORY

Rows = list[tuple[int, float | None]]


def write(path: Path, rows: Rows) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        json.dumps({"id": at, "correct": value, "status": "error" if value is None else "ok"})
        for at, value in rows
    )
    path.write_text("\n".join(lines) + "\n")
    return path


def means(runs: errbar.Runs) -> dict[tuple[str, str], float]:
    return {(each.system, each.task): each.value for each in runs.score("avg")}


def warnings_of(runs: errbar.Runs) -> str:
    return " ".join(note for note in runs.score("avg").notes() if note.startswith("⚠"))


@pytest.mark.parametrize(
    ("names", "systems"),
    [
        (["llama-7b/seed1", "llama-7b/seed2", "llama-13b/seed1"], ["llama-7b"] * 2 + ["llama-13b"]),
        (["gpt-4o_run1", "gpt-4o_run2", "gpt-4_run1"], ["gpt-4o", "gpt-4o", "gpt-4"]),
        (["qwen2.5_1", "qwen2.5_2", "qwen3_run1"], ["qwen2.5", "qwen2.5", "qwen3"]),
        (["2025-01-03/gpt-4o", "2025-01-04/gpt-4o"], ["gpt-4o", "gpt-4o"]),
        (["out (1)", "out (2)"], ["out", "out"]),
        (["a-7b_1", "a-7b_2", "a-13b_1"], ["a-7b", "a-7b", "a-13b"]),
    ],
)
def test_only_the_number_that_counts_repeats_is_dropped(
    names: list[str], systems: list[str]
) -> None:
    assert repeats_of(names) == systems


@pytest.mark.parametrize(
    "names", [["llama-7b", "llama-13b"], ["a_1_1", "a_1_2", "a_2_1"], ["m1/arc", "m2/arc"]]
)
def test_trials_are_refused_where_no_number_counts_repeats(names: list[str]) -> None:
    files = [Path(f"/logs/{name}.csv") for name in names]
    if "/" in names[0]:
        files += [Path(f"/logs/{name.replace('arc', 'gsm')}.csv") for name in names]
    with pytest.raises(InputError, match="counts repeats"):
        name_systems(files, files_are="trials")


def test_models_of_two_sizes_are_not_joined(tmp_path: Path) -> None:
    for size, right in (("7b", 0), ("13b", 1)):
        for seed in (1, 2):
            write(tmp_path / f"llama-{size}_seed{seed}.jsonl", [(0, right), (1, right)])
    runs = errbar.load(tmp_path, files="trials")
    assert means(runs) == {("llama-7b", ""): 0, ("llama-13b", ""): 1}
    assert "llama-7b = llama-7b_seed1, llama-7b_seed2" in " ".join(runs.score("avg").notes())


def test_files_are_tasks_of_one_system(tmp_path: Path) -> None:
    write(tmp_path / "gsm8k.jsonl", [(0, 1), (1, 1), (2, 0), (3, 0)])
    write(tmp_path / "mmlu.jsonl", [(0, 1), (1, 1), (2, 1), (3, 0)])
    assert "Files may be tasks" in warnings_of(errbar.load(tmp_path))
    runs = errbar.load(tmp_path, files="tasks")
    assert means(runs) == {("", "gsm8k"): 0.5, ("", "mmlu"): 0.75}
    assert warnings_of(runs) == ""


def test_in_a_tree_the_folder_is_the_system_and_seeds_are_trials(tmp_path: Path) -> None:
    for model, right in (("gpt-4o", 1), ("qwen3", 0)):
        for task in ("sums", "words"):
            for seed in (0, 1):
                place = tmp_path / model / task / f"seed_{seed}" / "results.jsonl"
                write(place, [(0, right), (1, seed)])
    runs = errbar.load(tmp_path, files="tasks")
    expected = {"gpt-4o": 0.75, "qwen3": 0.25}
    tasks = ("sums", "words")
    assert means(runs) == {(name, task): expected[name] for name in expected for task in tasks}


def test_one_task_of_two_models_is_a_task_of_both(tmp_path: Path) -> None:
    for model, right in (("a", 1), ("b", 0)):
        write(tmp_path / model / "arc.jsonl", [(0, right), (1, 1)])
    runs = errbar.load(tmp_path, files="tasks")
    assert means(runs) == {("a", "arc"): 1, ("b", "arc"): 0.5}


def test_parts_of_a_run_that_was_resumed_are_one_system(tmp_path: Path) -> None:
    write(tmp_path / "results.jsonl", [(0, 1), (1, 0)])
    write(tmp_path / "results_resumed.jsonl", [(2, 1), (3, 1)])
    assert "No question is in two of the 2 files" in warnings_of(errbar.load(tmp_path))
    assert means(errbar.load(tmp_path, files="parts")) == {("", ""): 0.75}


def test_systems_that_share_questions_are_not_warned_of(tmp_path: Path) -> None:
    write(tmp_path / "gpt.jsonl", [(0, 1), (1, 0)])
    write(tmp_path / "qwen.jsonl", [(0, 1), (1, 1)])
    assert warnings_of(errbar.load(tmp_path)) == ""


def test_a_retry_after_a_failure_is_said_in_both_readings(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [(0, None), (1, 1), (2, 0), (3, 1), (0, 1)])
    said = warnings_of(errbar.load(path))
    assert "1 ids have a row without an outcome" in said
    assert "0.625 as trials, 0.75 by the last rows" in said
    runs = errbar.load(path, repeats="last")
    assert means(runs) == {("", ""): 0.75}
    assert "1 rows left out: a later row" in " ".join(runs.score("avg").notes())


def test_a_failure_that_is_last_stays_one(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", [(0, 1), (1, 1), (0, None)])
    assert "run again" not in warnings_of(errbar.load(path))
    assert means(errbar.load(path, repeats="last")) == {("", ""): 0.5}


def test_a_role_that_files_of_a_log_cannot_have_is_refused() -> None:
    log = REPOSITORY / "tests" / "fixtures" / "verifiers"
    with pytest.raises(
        InputError, match="files='tasks' does not apply to logs of verifiers, which"
    ):
        errbar.load(log, files="tasks")
    log = REPOSITORY / "tests" / "fixtures" / "evalplus"
    with pytest.raises(InputError, match="they take files='systems' or files='trials'"):
        errbar.load(log, files="parts")


def test_the_last_row_is_that_of_each_condition(tmp_path: Path) -> None:
    """Two methods with a retried failure each: the last row of an id is no retry of the other."""
    rows = [
        "method,id,correct",
        "base,a,",
        "ours,a,1",
        "base,a,0",
        "base,b,1",
        "ours,b,",
        "ours,b,0",
    ]
    file = tmp_path / "runs.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    scores = errbar.load(file, repeats="last").score("avg")
    assert {score.system: score.value for score in scores} == {"base": 0.5, "ours": 0.5}
