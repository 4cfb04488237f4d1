"""Sets of files: parts of a table, trees of systems and tasks, and runs that were resumed."""

import json
from pathlib import Path

import pytest

import errbar
from errbar.base.remarks import above

Scores = dict[tuple[str, str], float]


def write(file: Path, outcomes: list[int], first: int = 0, **more: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    rows = [{"id": f"q{at}", "correct": v, **more} for at, v in enumerate(outcomes, first)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def scores(data: object, **told: object) -> Scores:
    found = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {(score.system, score.task): round(score.value, 4) for score in found}


def said_above(data: object, **told: object) -> str:
    return " ".join(above(errbar.load(data, **told).score("avg").notes()))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["part-{:05d}-of-00004", "train-{:05d}-of-00004"])
def test_a_part_of_a_table_that_is_not_there_is_warned_of(name: str, tmp_path: Path) -> None:
    for part in (0, 1, 3):
        write(tmp_path / f"{name.format(part)}.jsonl", [1, 0], 2 * part)
    assert "3 of 4 parts are there, by the names of the files (not there: 2)" in said_above(
        tmp_path
    )
    write(tmp_path / f"{name.format(2)}.jsonl", [1, 1], 4)
    assert "⚠" not in said_above(tmp_path)
    assert scores(tmp_path) == {("", ""): 0.625}


def test_parts_may_be_counted_from_one(tmp_path: Path) -> None:
    for part in (1, 2):
        write(tmp_path / f"x-{part:05d}-of-00002.jsonl", [1, 0], 2 * part)
    assert "⚠" not in said_above(tmp_path)


def tree(place: Path, folders: tuple[str, str], files: tuple[str, str]) -> Path:
    outcomes = iter(([1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 0]))
    for folder in folders:
        for file in files:
            write(place / folder / f"{file}.jsonl", next(outcomes))
    return place


def test_folders_with_files_of_the_same_names_may_be_tasks(tmp_path: Path) -> None:
    said = said_above(tree(tmp_path, ("north", "south"), ("gpt", "qwen")))
    assert "⚠ Each of 2 folders has the same 2 files (north/gpt …)" in said


def test_a_folder_named_as_a_benchmark_is_the_task(tmp_path: Path) -> None:
    place = tree(tmp_path, ("gsm8k", "mmlu"), ("gpt", "qwen"))
    found = {("gpt", "gsm8k"): 0.6667, ("qwen", "gsm8k"): 0.3333}
    assert scores(place, files="tasks") == found | {("gpt", "mmlu"): 1.0, ("qwen", "mmlu"): 0.0}
    assert "the folder names the task" in said_above(place, files="tasks")


@pytest.mark.parametrize("name", ["run_resumed", "run-cont", "run.part2", "run_retry1"])
def test_a_file_named_as_the_rest_of_another_is_warned_of(name: str, tmp_path: Path) -> None:
    write(tmp_path / "run.jsonl", [1, 0, 0])
    write(tmp_path / f"{name}.jsonl", [1, 1, 1], 2)
    assert f"⚠ {name} is named as a continuation of run" in said_above(tmp_path)
    assert scores(tmp_path, files="parts", repeats="last") == {("", ""): 0.8}
