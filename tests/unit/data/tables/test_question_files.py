"""Files with one question each: the folder, or the rest of the name, is the system.

The right number of a system is the mean over its questions of the mean over their attempts.
"""

import json
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

import errbar
from errbar.base.remarks import above
from errbar.data.readers.tables.question_files import without_id
from errbar.data.sources.tables import TableSource

REWARDS = {
    (system, f"task_{at:02d}"): [((at * step + trial) % 5) / 2 for trial in range(2 + at % 3)]
    for (system, step), at in product((("low", 2), ("high", 3)), range(6))
}
BY_HAND = {
    system: mean(mean(rewards) for (name, _), rewards in REWARDS.items() if name == system)
    for system in ("low", "high")
}

Tree = Callable[[str, str, list[float]], dict[str, Any]]


def attempts(rewards: list[float]) -> list[dict[str, Any]]:
    return [{"attempt": at, "reward": reward} for at, reward in enumerate(rewards, 1)]


def table(*head: str, rows: list[tuple[Any, ...]]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in [head, *rows])


TREES: dict[str, Tree] = {
    "a list of attempts": lambda m, t, r: {
        f"{m}/{t}.json": {"task_name": t, "attempts": attempts(r)}
    },
    "one folder deeper": lambda m, t, r: {
        f"{m}/tasks/{t}.json": {"task": t, "attempts": attempts(r)}
    },
    "a folder per question": lambda m, t, r: {
        f"{m}/{t}/result.json": {"id": t, "attempts": attempts(r)}
    },
    "lists of numbers": lambda m, t, r: {f"{m}/{t}.json": {"task_name": t, "attempts": r}},
    "names with system and question": lambda m, t, r: {
        f"{m}_{t}.json": {"task_name": t, "attempts": attempts(r)}
    },
    "rows that name the system": lambda m, t, r: {
        f"{m}_{t}.json": [{"model": m, "task_name": t, **row} for row in attempts(r)]
    },
    "an object per attempt": lambda m, t, r: {
        f"{m}/{t}_{at}.json": {"task_name": t, **row} for at, row in enumerate(attempts(r))
    },
    "CSV without a number of the trial": lambda m, t, r: {
        f"{m}/{t}.csv": table("task_id", "reward", rows=[(t, each) for each in r])
    },
    "no id but the name of the file": lambda m, t, r: {f"{m}/{t}.json": {"attempts": attempts(r)}},
    "CSV without ids": lambda m, t, r: {
        f"{m}/{t}.csv": table("attempt", "reward", rows=list(enumerate(r)))
    },
}


def write(place: Path, tree: Tree) -> Path:
    for (system, task), rewards in REWARDS.items():
        for name, value in tree(system, task, rewards).items():
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(value if isinstance(value, str) else json.dumps(value))
    return place


def found(place: Path, **told: Any) -> dict[str, float]:
    return {each.system: each.value for each in errbar.load(place, **told).score("avg")}


@pytest.mark.parametrize("name", TREES)
def test_a_file_per_question_is_not_a_system(name: str, tmp_path: Path) -> None:
    place = write(tmp_path, TREES[name])
    scores = errbar.load(place).score("avg")
    assert {score.system: score.value for score in scores} == pytest.approx(BY_HAND)
    assert {score.questions for score in scores} == {6}
    if "model" not in json.dumps(TREES[name]("m", "t", [1.0])):
        assert "files='systems'" in " ".join(above(scores.notes()))


def test_a_single_system_with_a_file_per_question(tmp_path: Path) -> None:
    write(tmp_path, TREES["a list of attempts"])
    assert found(tmp_path / "low") == pytest.approx({"": BY_HAND["low"]})


def test_files_are_questions_or_systems_if_one_says_so(tmp_path: Path) -> None:
    place = write(
        tmp_path, lambda m, t, r: {f"{m}/{t}.csv": table("reward", rows=[(each,) for each in r])}
    )
    assert len(found(place)) == len(found(place, files="systems")) == 12
    assert found(place, files="questions") == pytest.approx(BY_HAND)
    assert found(place / "low", files="questions") == pytest.approx({"": BY_HAND["low"]})


def test_models_with_one_question_are_no_questions(tmp_path: Path) -> None:
    for at, model in enumerate(("gpt", "qwen", "llama")):
        rows = [("poem", trial, (at + trial) % 2) for trial in range(4)]
        file = tmp_path / f"{model}.csv"
        file.write_text(table("id", "attempt", "correct", rows=rows))
    assert set(found(tmp_path)) == {"gpt", "qwen", "llama"}


def test_queries_of_many_files_do_not_list_them(tmp_path: Path) -> None:
    for system, at in product(("low", "high"), range(30)):
        file = tmp_path / system / f"task_{at:02d}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"id": f"task_{at:02d}", "correct": at % 3 > 0}))
    runs = errbar.load(tmp_path)
    assert [row["system"] for row in runs.score("avg").to_dicts()] == ["high", "low"]
    assert isinstance(runs.source, TableSource)
    assert "task_07" not in runs.source.frame.to_native().sql_query()


@pytest.mark.parametrize(
    "id_", ["a", "B-1", "a a", "1", "q1_b", "a/b", "é", "", "--", "Q1", "b.a-1"]
)
@pytest.mark.parametrize(
    "part", ["a", "A_b-1", "a a a", "q1-b_a", "xa", "a1", "b__a.1", "", "q1", "1.a-b", "é_a"]
)
def test_an_id_is_left_out_of_a_name_as_by_a_regular_expression(part: str, id_: str) -> None:
    words = [re.escape(word) for word in re.split(r"[^0-9A-Za-z]+", id_) if word]
    text = rf"(?<![0-9A-Za-z]){'[^0-9A-Za-z]+'.join(words)}(?![0-9A-Za-z])"
    found = list(re.finditer(text, part, re.IGNORECASE)) if words else []
    sides = (part[: found[-1].start()], part[found[-1].end() :]) if found else ()
    expected = "_".join(filter(None, (side.strip("_-. ") for side in sides)))
    assert without_id(part, id_) == (expected if found else part)
