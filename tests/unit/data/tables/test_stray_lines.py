"""Lines that are not rows of a question: notes below a table, totals, the index of a data frame."""

from pathlib import Path

import pandas as pd
import pytest

import errbar
from errbar.base.remarks import above
from errbar.data.readers.tables import first_look, frames
from errbar.errors import InputError

ROWS = "".join(f"q{at},{int(at % 5 > 0)}\n" for at in range(10))  # 8 of 10 are right


def scored(place: Path, text: str, **told: str) -> dict[str, tuple[float, int]]:
    """Value and number of questions of every system."""
    (place / "a.csv").write_text(text, encoding="utf-8")
    scores = errbar.load(place / "a.csv", **told).score("avg")  # type: ignore[arg-type]
    return {each.system: (round(each.value, 4), each.questions) for each in scores}


def said_above(place: Path) -> str:
    return " ".join(above(errbar.load(place / "a.csv").score("avg").notes()))


# Notes below a table.


@pytest.mark.parametrize(
    "note",
    [
        "* excludes errors\n",
        "* excludes errors,\n",
        "\nNote: run on 2024-05-01\n",
        "\n\nAll runs used the default prompt\n* without tools\n",
    ],
)
def test_a_note_below_the_table_is_not_a_question(note: str, tmp_path: Path) -> None:
    assert scored(tmp_path, f"id,correct\n{ROWS}{note}") == {"": (0.8, 10)}
    assert "notes below the table" in said_above(tmp_path)


def test_every_line_is_accounted_for(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"id,correct\n{ROWS}* excludes errors\n")
    (account,) = errbar.load(tmp_path / "a.csv").source.origin.accounts.values()
    assert account.rows == 11
    assert account.left_out == {"notes below the table": 1}


def test_a_short_line_within_the_table_is_still_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 12"):
        scored(tmp_path, f"id,correct\n{ROWS}q10\n{ROWS.replace('q', 'r')}")


def test_a_last_row_without_an_outcome_is_no_note(tmp_path: Path) -> None:
    assert scored(tmp_path, f"id,correct\n{ROWS}q10,\n") == {"": (0.7273, 11)}


def test_questions_that_are_sentences_are_no_notes(tmp_path: Path) -> None:
    rows = "".join(f"what is {at} plus two,{int(at % 5 > 0)}\n" for at in range(10))
    assert scored(tmp_path, f"prompt,correct\n{rows}what is the sum,\n")[""][1] == 11


# Rows of totals.


def test_a_total_that_names_no_system_is_left_out(tmp_path: Path) -> None:
    rows = "".join(f"q{at},m,{int(at % 5 > 0)}\n" for at in range(10))
    assert scored(tmp_path, f"id,model,correct\n{rows}Average,,0.71\n") == {"m": (0.8, 10)}


def test_a_fraction_called_average_among_right_and_wrong_is_a_total(tmp_path: Path) -> None:
    assert scored(tmp_path, f"id,correct\n{ROWS}Average,0.71\n") == {"": (0.8, 10)}
    assert "'Average' states 0.71, and the mean of the other rows is 0.8" in said_above(tmp_path)


def test_sums_below_a_wide_table_are_left_out(tmp_path: Path) -> None:
    text = "id,gpt,qwen\nq1,1,0\nq2,0,0\nq3,1,1\nq4,1,0\nSum,3,1\n"
    assert scored(tmp_path, text) == {"gpt": (0.75, 4), "qwen": (0.25, 4)}


def test_the_rows_of_a_description_by_pandas_are_left_out(tmp_path: Path) -> None:
    described = "count,10\nmean,0.8\nstd,0.42\nmin,0\n25%,1\n50%,1\n75%,1\nmax,1\n"
    assert scored(tmp_path, f"id,correct\n{ROWS}{described}") == {"": (0.8, 10)}


def test_a_last_line_with_other_fields_is_left_out_and_said(tmp_path: Path) -> None:
    rows = "".join(f'{{"id": "q{at}", "correct": {at % 5 > 0:d}}}\n' for at in range(10))
    (tmp_path / "a.jsonl").write_text(f'{rows}{{"model": null, "seconds": 12}}\n')
    (score,) = errbar.load(tmp_path / "a.jsonl").score("avg")
    assert (score.value, score.questions) == (0.8, 10)
    notes = " ".join(above(errbar.load(tmp_path / "a.jsonl").score("avg").notes()))
    assert "other fields than the other rows" in notes


@pytest.mark.parametrize("name", ["subject", "model"])
def test_counts_with_one_row_for_each_part_or_system_are_marked(name: str, tmp_path: Path) -> None:
    scored(tmp_path, f"{name},correct,total\nfirst,70,100\nsecond,25,50\n")
    assert f"one row for each '{name}'" in said_above(tmp_path)


def test_scores_by_several_judging_models_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"q{at},{judge},{at % 2}\n" for at in range(10) for judge in ("a", "b"))
    with pytest.raises(InputError, match="several scores of one answer"):
        scored(tmp_path, f"id,judge_model,correct\n{rows}")


# The index of data frames that were concatenated.


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "index"])
def test_an_index_that_repeats_is_marked(name: str, tmp_path: Path) -> None:
    rows = "".join(f"{at % 5},{int(at % 3 > 0)}\n" for at in range(10))
    scored(tmp_path, f"{name},correct\n{rows}")
    assert "tables that were concatenated" in said_above(tmp_path)


def test_an_index_with_different_texts_is_not_the_question(tmp_path: Path) -> None:
    rows = "".join(f"{at % 5},what is {at} plus two,{int(at % 3 > 0)}\n" for at in range(10))
    assert scored(tmp_path, f",prompt,correct\n{rows}") == {"": (0.6, 10)}
    assert "the question is 'prompt'" in said_above(tmp_path)


def test_an_index_with_one_text_each_numbers_questions(tmp_path: Path) -> None:
    rows = "".join(f"{at % 5},what is {at % 5} plus two,{int(at % 3 > 0)}\n" for at in range(10))
    assert scored(tmp_path, f",prompt,correct\n{rows}")[""][1] == 5
    assert "concatenated" not in said_above(tmp_path)


def test_systems_are_paired_by_the_index_and_not_by_position() -> None:
    first = {"Unnamed: 0": [*range(20)], "model": ["a"] * 20, "correct": [1] * 10 + [0] * 10}
    last = {"Unnamed: 0": [*range(19, -1, -1)], "model": ["b"] * 20, "correct": [0] * 10 + [1] * 10}
    frame = pd.concat([pd.DataFrame(first), pd.DataFrame(last)], ignore_index=True)
    (comparison,) = errbar.load(frame).compare("avg")
    assert comparison.difference == 0
    assert comparison.sd < 0.1  # they agree on every question; unpaired it is 0.16


# Words of other languages.


def test_truth_values_of_localized_spreadsheets(tmp_path: Path) -> None:
    assert scored(tmp_path, "Frage;Modell;richtig\n1;m;WAHR\n2;m;FALSCH\n3;m;WAHR\n") == {
        "m": (0.6667, 3)
    }


# What is not checked.


def test_large_files_are_said_to_be_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_look, "_WRITTEN_BY_HAND", 10)
    scored(tmp_path, f"id,correct\n{ROWS}")
    assert "columns are chosen by their names alone" in said_above(tmp_path)


def test_long_parquet_files_are_said_to_be_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_look, "_MOST_ROWS", 10)
    frame = pd.DataFrame({"id": range(20), "correct": [1, 0] * 10})
    frame.to_parquet(tmp_path / "a.parquet")
    notes = above(errbar.load(tmp_path / "a.parquet").score("avg").notes())
    assert any("The table has more than 10 rows" in note for note in notes)


def test_long_data_frames_are_said_to_be_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_LOOKED_INTO", 10)
    frame = pd.DataFrame({"id": range(20), "correct": [1, 0] * 10, "note": "a"})
    notes = above(errbar.load(frame).score("avg").notes())
    assert any("The table has more than 10 rows" in note for note in notes)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_byte_order_mark_is_skipped(ending: str, tmp_path: Path) -> None:
    text = "id,correct\nq1,1\n" if ending == "csv" else '{"id": "q1", "correct": 1}\n'
    (tmp_path / f"a.{ending}").write_text(text, encoding="utf-8-sig")
    (score,) = errbar.load(tmp_path / f"a.{ending}").score("avg")
    assert score.value == 1
