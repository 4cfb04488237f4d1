"""The id of a question is checked against the other columns that could identify it."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import above

RIGHT = {"a": [1, 1, 0, 1, 0, 1], "b": [0, 1, 0, 0, 0, 1]}


def written(place: Path, rows: dict[str, list[dict[str, Any]]]) -> Path:
    for name, some in rows.items():
        text = "".join(f"{json.dumps(row)}\n" for row in some)
        (place / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return place


def said_above(data: object, **told: Any) -> str:
    return " ".join(above(errbar.load(data, **told).score("avg").notes()))


def differences(data: object, **told: Any) -> list[float]:
    return [pair.difference for pair in errbar.load(data, **told).compare("avg")]


def test_a_number_of_samples_is_not_the_question(tmp_path: Path) -> None:
    rows = [
        {"id": problem, "sample_id": sample, "correct": (problem + sample) % 2}
        for problem in range(12)
        for sample in range(3)
    ]
    place = written(tmp_path, {"run": rows})
    said = said_above(place)
    assert "question = id, trial = sample_id" in said
    assert "⚠ Every 'id' has rows under several values of 'sample_id'" in said
    assert "question = sample_id" in said_above(place, question="sample_id")


def test_an_id_that_systems_share_comes_before_the_name_of_a_task(tmp_path: Path) -> None:
    rows = {
        name: [
            {"task_id": "sums" if at < 2 else "words", "id": at, "correct": value}
            for at, value in enumerate(RIGHT[name])
        ]
        for name in RIGHT
    }
    said = said_above(written(tmp_path, rows))
    assert "question = id" in said
    assert "⚠ 'task_id' repeats" in said
    mean = sum(map(sum, RIGHT.values())) / 12
    assert f"(mean of all systems {mean:.4g})" in said
    assert "(mean 0.5625)" in said  # a: 1 and 0.5, b: 0.5 and 0.25


@pytest.mark.parametrize("other", ["custom_id", "prompt"])
def test_systems_are_paired_by_the_column_that_they_share(other: str, tmp_path: Path) -> None:
    rows = {
        name: [
            {"id": f"{name}-{at}", other: f"what is {at} plus {at}?", "correct": value}
            for at, value in enumerate(values)
        ]
        for name, values in RIGHT.items()
    }
    place = written(tmp_path, rows)
    assert f"⚠ No two systems share a value of 'id', and they share {other!r}" in said_above(place)
    assert differences(place) == pytest.approx([2 / 6])
    assert "share 0 questions" in said_above(place, question="id")


def shuffled(place: Path, order: list[int]) -> Path:
    asked = [f"what is {at} squared?" for at in range(6)]
    rows = {
        "a": [{"index": at, "prompt": asked[at], "correct": v} for at, v in enumerate(RIGHT["a"])],
        "b": [
            {"index": at, "prompt": asked[k], "correct": RIGHT["b"][k]}
            for at, k in enumerate(order)
        ],
    }
    return written(place, rows)


def test_a_place_in_a_shuffled_file_is_not_the_question(tmp_path: Path) -> None:
    place = shuffled(tmp_path, [3, 4, 5, 0, 1, 2])
    said = said_above(place)
    assert "⚠ 6 of 6 ids stand for other questions in another system" in said
    assert "question = prompt" in said
    assert "question = index" in said_above(place, question="index")


def test_a_few_ids_for_other_questions_are_warned_of(tmp_path: Path) -> None:
    said = said_above(shuffled(tmp_path, [1, 0, 2, 3, 4, 5]))
    assert "⚠ 2 of 6 ids stand for other questions in another system by 'prompt'" in said
    assert "question = index" in said


def test_prompts_of_each_systems_own_template_contradict_no_id(tmp_path: Path) -> None:
    rows = {
        name: [
            {"id": at, "prompt": f"{name}: what is {at} squared?", "correct": value}
            for at, value in enumerate(values)
        ]
        for name, values in RIGHT.items()
    }
    said = said_above(written(tmp_path, rows))
    assert "⚠" not in said
    assert "question = id" in said


def test_names_of_prompts_are_no_questions(tmp_path: Path) -> None:
    rows = {
        name: [
            {"id": f"{name}-{at}", "prompt": f"style {at % 2}", "correct": value}
            for at, value in enumerate(values)
        ]
        for name, values in RIGHT.items()
    }
    said = said_above(written(tmp_path, rows))
    assert "question = id" in said
    assert "share 0 questions" in said


def test_files_of_different_kinds_are_paired_by_the_text_too(tmp_path: Path) -> None:
    place = shuffled(tmp_path, [3, 4, 5, 0, 1, 2])
    frame = pd.read_json(place / "b.jsonl", lines=True)
    (place / "b.jsonl").unlink()
    frame.to_csv(place / "b.csv", index=False)
    assert "⚠ 6 of 6 ids stand for other questions" in said_above(place)


def test_frames_whose_ids_stand_for_other_questions_are_warned_of(tmp_path: Path) -> None:
    place = shuffled(tmp_path, [3, 4, 5, 0, 1, 2])
    frames = {name: pd.read_json(place / f"{name}.jsonl", lines=True) for name in "ab"}
    assert "⚠ 6 of 6 ids stand for other questions in b than in a" in said_above(frames)
    assert "⚠" not in said_above(frames, question="prompt")
    assert "⚠" not in said_above({"a": frames["a"], "b": frames["a"]})


def test_a_text_under_several_ids_may_be_one_question(tmp_path: Path) -> None:
    rows = [
        {"id": f"cmpl-{at}", "prompt": f"what is {at // 3} squared?", "correct": at % 2}
        for at in range(12)
    ]
    place = written(tmp_path, {"run": rows})
    assert "⚠ Every 'prompt' occurs 3 times, each time under another 'id'" in said_above(place)
    assert "(4 questions of 3 trials)" in said_above(place)
    other = [row | {"context": f"passage {at}"} for at, row in enumerate(rows)]
    assert "⚠" not in said_above(written(tmp_path, {"run": other}))


def test_ids_that_contain_the_trial_are_warned_of(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": f"q{at // 2}-{at % 2}", "seed": at % 2, "correct": min(1, at % 3)}
        for at in range(12)
    ]
    place = written(tmp_path, {"run": rows})
    said = said_above(place)
    assert "⚠ Every question has one trial, though 'seed' has 2 values with 6 rows each" in said
    unlike = [row | {"seed": at} for at, row in enumerate(rows)]
    assert "⚠" not in said_above(written(tmp_path, {"run": unlike}))


def test_an_id_of_many_groups_is_their_cluster(tmp_path: Path) -> None:
    rows = {
        name: [
            {"question_id": at // 2, "sample_id": f"s{at}", "correct": (at + shift) % 3 % 2}
            for at in range(24)
        ]
        for name, shift in (("a", 0), ("b", 1))
    }
    said = said_above(written(tmp_path, rows))
    assert "question = sample_id" in said
    assert "cluster = question_id" in said
    several = [row | {"model": name} for name, some in rows.items() for row in some]
    (place := tmp_path / "several").mkdir()
    assert "cluster = question_id (" in said_above(written(place, {"all": several}))


def test_an_id_of_signs_only_is_an_id(tmp_path: Path) -> None:
    rows = [{"id": name, "correct": 1} for name in ("a", "-", "__", "b")]
    assert errbar.load(written(tmp_path, {"run": rows})).score("avg")[0].questions == 4
