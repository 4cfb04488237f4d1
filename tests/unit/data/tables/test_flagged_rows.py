"""Columns that mark rows, files of one system, and columns of trials: both readings are said."""

import json
from pathlib import Path

import pytest

import errbar
from errbar.base.remarks import above
from errbar.errors import InputError


def csv(place: Path, text: str, name: str = "a.csv") -> Path:
    (place / name).write_text(text.replace(" ", "\n") + "\n", encoding="utf-8")
    return place / name


def means(data: object, **told: object) -> dict[str, float]:
    scores = errbar.load(data, **told).score("avg")  # type: ignore[arg-type]
    return {score.system: round(score.value, 4) for score in scores}


def said_above(data: object, **told: object) -> str:
    return " ".join(above(errbar.load(data, **told).score("avg").notes()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "flags"),
    [
        ("error", (",", "RateLimit,", ",", ",")),
        ("exclude", ("no,", "yes,", "no,", "no,")),
        ("is_valid", ("1,", "0,", "1,", "1,")),
        ("Skipped", ("False,", "True,", "False,", "False,")),
    ],
)
def test_rows_that_a_column_marks_have_both_means(
    name: str, flags: tuple[str, ...], tmp_path: Path
) -> None:
    rows = [f"{at},{flag}{int(at != 1)}" for at, flag in enumerate(flags)]
    file = csv(tmp_path, " ".join([f"id,{name},correct", *rows]))
    assert means(file) == {"": 0.75}
    said, how = said_above(file), "with something in" if name == "error" else "marked by"
    assert f"⚠ 1 of 4 scored rows are {how} {name!r}" in said
    assert "(mean of all rows 0.75, 1 without them)" in said


@pytest.mark.parametrize("rows", ["1,oops,1 2,oops,0 3,,1", "1,,1 2,,0 3,,1", "1,x,0 2,,0 3,,0"])
def test_marks_that_change_no_mean_or_were_graded_have_no_warning(
    rows: str, tmp_path: Path
) -> None:
    assert "scored rows" not in said_above(csv(tmp_path, f"id,error,correct {rows}"))


def test_one_system_in_two_files_is_warned_of(tmp_path: Path) -> None:
    for name, outcomes in (("cold", (1, 1, 0)), ("warm", (0, 0, 1))):
        rows = [{"model": "m", "id": at, "correct": v} for at, v in enumerate(outcomes)]
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, encoding="utf-8")
    said = said_above(tmp_path)
    assert "⚠ 2 files have outcomes of 'm' for the same questions" in said
    assert "(means: cold.jsonl 0.6667, warm.jsonl 0.3333)" in said
    assert means(tmp_path, files="systems") == {"m/cold": 0.6667, "m/warm": 0.3333}
    assert "⚠" not in said_above(tmp_path, files="trials")
    parts = [{"model": "m", "id": at + 3, "correct": 1} for at in range(3)]
    text = "".join(f"{json.dumps(row)}\n" for row in parts)
    (tmp_path / "warm.jsonl").write_text(text, encoding="utf-8")
    assert "⚠" not in said_above(tmp_path)


def test_runs_with_names_may_be_trials(tmp_path: Path) -> None:
    file = csv(tmp_path, "id,run,correct 1,a,1 2,a,0 1,b,1 2,b,1")
    assert "⚠ The 2 values of 'run' are read as systems" in said_above(file)
    assert means(file, trial="run") == {"": 0.75}


@pytest.mark.parametrize("names", ["run_a,run_b", "Attempt 1,Attempt 2,Best", "try 1,try 2,notes"])
def test_columns_of_trials(names: str, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    rest = ",1" if names.count(",") > 1 else ""
    file.write_text(f"id,{names}\n1,1,0{rest}\n2,0,0{rest}\n", encoding="utf-8")
    assert means(file) == {"": 0.25}


def test_a_row_for_each_category_has_only_totals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only totals, the 'accuracy' of each 'category'"):
        means(csv(tmp_path, "category,accuracy,count algebra,.7,100 logic,.9,60"))
    assert means(csv(tmp_path, "category,accuracy algebra,1 logic,0")) == {"": 0.5}


def test_a_run_that_was_broken_off_is_warned_of(tmp_path: Path) -> None:
    text = "id,run_id,correct 1,x,1 2,x,1 1,y,0 2,y,1 3,y,0 4,y,0"
    said = said_above(csv(tmp_path, text), trial="run_id")
    assert "⚠ 'x' of 'run_id' has 2 of 4 questions, as if it had been broken off" in said
    assert "(means of questions: x 1 of 2, y 0.25 of 4)" in said
    whole = f"{text} 3,x,1 4,x,0"
    assert "broken off" not in said_above(csv(tmp_path, whole), trial="run_id")
    numbered = text.replace("x", "0").replace("y", "1")
    assert "broken off" not in said_above(csv(tmp_path, numbered), trial="run_id")
