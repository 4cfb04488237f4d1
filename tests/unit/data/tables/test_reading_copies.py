"""Copies, scales and ids that do not match, and how CSV files are written: said or read right."""

from pathlib import Path

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import MARK, above
from errbar.errors import InputError

RESULTS = "id,score\n" + "".join(f"q{at},{int(at % 4 != 0)}\n" for at in range(8))  # .75


def write(place: Path, text: str, name: str = "a.csv") -> Path:
    (place / name).write_text(text, encoding="utf-8")
    return place / name


def means(data: object) -> dict[str, float]:
    return {each.system: round(each.value, 4) for each in errbar.load(data).score("avg")}


def warnings_of(data: object) -> str:
    notes = errbar.load(data).score("avg").notes()
    return " ".join(each for each in above(notes) if each.startswith(MARK))


# Scales.


@pytest.mark.parametrize("values", [(0.85, 0.9), (1, 0)])
def test_systems_on_two_scales_have_a_warning(values: tuple[float, float], tmp_path: Path) -> None:
    for name, factor in (("gpt", 1), ("qwen", 100)):
        lines = "".join(f"q{at},{value * factor}\n" for at, value in enumerate(values))
        write(tmp_path, f"id,score\n{lines}", f"{name}.csv")
    assert "Scales differ: gpt" in warnings_of(tmp_path)


def test_frames_on_two_scales_have_a_warning() -> None:
    ids = [1, 2]
    frames = {
        "a": pd.DataFrame({"id": ids, "score": [0.5, 0.7]}),
        "b": pd.DataFrame({"id": ids, "score": [50.0, 70.0]}),
    }
    assert "Scales differ" in warnings_of(frames)


def test_a_number_far_beyond_the_others_has_a_warning(tmp_path: Path) -> None:
    file = write(tmp_path, "id,score\na,0.8\nb,0.9\nc,85\n")
    assert "two scales may be mixed" in warnings_of(file)


@pytest.mark.parametrize(
    ("values", "code", "means"),
    [
        ((1, 0, 1, -1), -1, ("0.25", "0.6667")),
        ((7, 9, 10, -1), -1, ("6.25", "8.667")),
        ((0.8, 0.9, -999), -999, ("-332.4", "0.85")),
        ((1, 5, 4, 999), 999, ("252.2", "3.333")),
        ((1, 5, 100, 100), 100, ("51.5", "3")),
    ],
)
def test_a_number_that_may_stand_for_no_result_has_both_means(
    values: tuple[float, ...], code: int, means: tuple[str, str], tmp_path: Path
) -> None:
    rows = "".join(f"q{at},{value}\n" for at, value in enumerate(values))
    said = warnings_of(write(tmp_path, f"id,score\n{rows}"))
    assert f"outcomes are {code}, the others" in said
    assert f"(mean of all rows {means[0]}); if it stands for no result" in said
    assert f"(mean {means[1]})" in said


@pytest.mark.parametrize(
    ("values", "warning"),
    [
        ((-1, 1, 1, -1), ""),
        ((-1.5, -0.5, 0.2, 1), ""),
        ((-0.07, 0.4, 0.9, 1), ""),  # less a penalty: codes are whole numbers
        ((1, 2, 3, 40), "⚠ the rewards are skewed"),
    ],
)
def test_rewards_of_either_sign_and_outliers_are_not_taken_for_codes(
    values: tuple[float, ...], warning: str, tmp_path: Path
) -> None:
    rows = "".join(f"q{at},{value}\n" for at, value in enumerate(values))
    found = warnings_of(write(tmp_path, f"id,score\n{rows}"))
    assert found.startswith(warning)
    assert "stands for no result" not in found
    assert found.count("⚠") == bool(warning)


def test_rewards_on_one_scale_have_none(tmp_path: Path) -> None:
    file = write(tmp_path, "id,score\na,1\nb,5\nc,4\n")
    assert warnings_of(file) == ""
    assert "Rewards are taken to lie" in " ".join(above(errbar.load(file).score("avg").notes()))


# Copies.


@pytest.mark.parametrize(
    ("name", "said"),
    [("results (1).csv", "the same content as another"), ("other.csv", "Identical content")],
)
def test_files_with_the_same_bytes_have_a_warning(name: str, said: str, tmp_path: Path) -> None:
    write(tmp_path, RESULTS, "results.csv")
    write(tmp_path, RESULTS, name)
    assert said in warnings_of(tmp_path)
    write(tmp_path, RESULTS.replace("q1,1", "q1,0"), name)
    assert said not in warnings_of(tmp_path)


def test_a_file_that_is_given_twice_is_read_once(tmp_path: Path) -> None:
    file = write(tmp_path, RESULTS)
    assert means([file, tmp_path / ".." / tmp_path.name / "a.csv"]) == {"": 0.75}


@pytest.mark.parametrize("form", ["file", "frame"])
def test_rows_that_all_occur_twice_have_a_warning(form: str, tmp_path: Path) -> None:
    file = write(tmp_path, RESULTS + RESULTS.partition("\n")[2])
    data = file if form == "file" else pd.read_csv(file)
    assert "every row occurs 2 times" in warnings_of(data)


def test_trials_that_agree_now_and_then_are_no_copies(tmp_path: Path) -> None:
    assert warnings_of(write(tmp_path, "id,score\na,1\na,1\nb,1\nb,0\n")) == ""


# Ids.


@pytest.mark.parametrize("ids", [("Q1", "q1"), ("001", "1"), ("1.0", "1"), ("'a '", "'a'")])
def test_ids_that_are_written_otherwise_have_a_warning(
    ids: tuple[str, str], tmp_path: Path
) -> None:
    for name, first in zip(("gpt", "qwen"), ids, strict=True):
        write(tmp_path, f"id,correct\n{first},1\nx,0\n".replace("'", '"'), f"{name}.csv")
    assert "share 1 questions of 2 and 2, and 2 without regard to case" in warnings_of(tmp_path)


def test_systems_that_share_no_question_have_a_warning(tmp_path: Path) -> None:
    write(tmp_path, "id,correct\na,1\nb,0\n", "gpt.csv")
    write(tmp_path, "id,correct\nx,1\ny,1\n", "qwen.csv")
    assert "share 0 questions" in warnings_of(tmp_path)


# How files are written.


@pytest.mark.parametrize(
    "above_names", ["# model: gpt\n# of: 2025, May\n", "\n\n", "sep=,\n", "#\n\nsep=,\n"]
)
def test_lines_above_the_names_are_skipped(above_names: str, tmp_path: Path) -> None:
    file = write(tmp_path, above_names + RESULTS)
    assert means(file) == {"": 0.75}
    assert errbar.load(file).score("avg")[0].questions == 8


def test_a_name_may_begin_with_a_hash(tmp_path: Path) -> None:
    (score,) = errbar.load(write(tmp_path, "#,correct\n1,1\n2,0\n")).score("avg")
    assert score.questions == 2


def test_a_decimal_comma_is_read_and_a_thousand_is_refused(tmp_path: Path) -> None:
    assert means(write(tmp_path, "id;score\na;0,5\nb;1\nc;0,75\n")) == {"": 0.75}
    assert means(write(tmp_path, 'id,score\na,"50,0%"\nb,"0,0%"\n')) == {"": 0.25}
    with pytest.raises(InputError, match="'1,000'"):
        means(write(tmp_path, "id;score\na;1,000\nb;2,500\n"))


@pytest.mark.parametrize("name", ["a.csv.bz2", "a.csv.xz"])
def test_what_is_not_unpacked_says_so(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"whatever")
    for data in (tmp_path, tmp_path / name):
        with pytest.raises(InputError, match="unpack it first"):
            means(data)


def test_a_lock_of_a_workbook_is_no_workbook_and_home_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, RESULTS)
    write(tmp_path, "lock", "~$a.xlsx")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert means(tmp_path) == means("~/a.csv") == {"": 0.75}
