"""Outcomes of text by the texts that occur: the same numbers as by all words that might occur."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

import errbar
from errbar.data.engines.duckdb import store_columns
from errbar.data.outcome_words import NOTHING, WORDS
from errbar.data.readers.tables import outcome_text
from errbar.data.readers.tables.outcome_text import counted_words, number_by_text, unusual_texts
from errbar.errors import InputError

TEXTS = [
    *("1", "0", " 1 ", "1e-3", "0.5", "-2", "+1", "1_000", "1e400", "inf", "-inf", "Infinity"),
    *("nan", "NaN", "NaN%", "50%", " 85 %", "%", "12%%", "-", " ", "\t", "\t1", "1\n", "0x1", "1."),
    *("True", " FALSE ", "Pass", "it's", "a'; --", "☑", "ＴＲＵＥ", "İ", "straße", "1,5", "1,000"),
    *("A", "maybe", ".", "1e", "--1", '"1"', "[1]", "true\n", "\u00a01"),
]
_FEW = 25  # texts at once


def _rows(texts: Sequence[str]) -> Any:
    return store_columns(duckdb.connect(), {"outcome": [*texts, None]})


def _parts(texts: Sequence[str]) -> list[Sequence[str]]:
    return [texts[at : at + _FEW] for at in range(0, len(texts), _FEW)]


@pytest.mark.parametrize("texts", _parts([*TEXTS, *WORDS, *NOTHING]), ids=repr)
def test_numbers_are_those_of_the_expression_with_all_words(texts: list[str]) -> None:
    rows = _rows(texts)
    found = unusual_texts(rows, "outcome")
    assert found is not None
    short, whole = number_by_text("outcome", found), outcome_text._as_number("outcome")
    apart = rows.project(f"outcome, {short} AS short, {whole} AS whole")
    assert apart.filter("short IS DISTINCT FROM whole").fetchall() == []
    strange = {text for text, number in apart.project("outcome, isinf(whole)").fetchall() if number}
    assert {each.text for each in found if each.is_strange} == strange
    assert counted_words(found) == outcome_text._counted_words(rows, "outcome")


@pytest.mark.parametrize("texts", [[f"word {at}" for at in range(60)], ["a" * 401], ["a\0b"]])
def test_many_and_long_texts_have_no_cases_of_their_own(texts: list[str]) -> None:
    engine = duckdb.connect()
    engine.execute("CREATE TEMP TABLE texts AS SELECT unnest($1::VARCHAR[]) AS outcome", [texts])
    assert unusual_texts(engine.table("texts"), "outcome") is None


def test_every_number_of_a_column_of_numbers_is_usual() -> None:
    assert unusual_texts(_rows([str(at / 1000) for at in range(1000)]), "outcome") == []


def _score(path: Path) -> float:
    return next(iter(errbar.load(path).score("avg"))).value


def _with_a_broken_response(file: Path, names: bytes, line: bytes) -> Path:
    lines = [line % (at // 4, at % 3 > 0, at % 4) for at in range(4000)]
    lines[3000] = lines[3000].replace(b"\xc3\xa9", b"\xe9")  # in Latin-1
    file.write_bytes(b"\n".join([names, *lines]))
    return file


def test_a_broken_cell_of_a_column_that_nobody_asks_for_stops_no_score(tmp_path: Path) -> None:
    names, line = b"question,outcome,trial,response", b"q%d,%d,%d,caf\xc3\xa9"
    file = _with_a_broken_response(tmp_path / "a.csv", names, line)
    assert _score(file) == pytest.approx(sum(at % 3 > 0 for at in range(4000)) / 4000)


def test_a_broken_cell_is_named_where_rows_are_compared_in_every_column(tmp_path: Path) -> None:
    names, line = b"question,outcome,response", b"q%d,%d,caf\xc3\xa9 %d"
    file = _with_a_broken_response(tmp_path / "a.csv", names, line)
    with pytest.raises(InputError, match=r"a\.csv, line 3002: it is not UTF-8 text"):
        _score(file)


def test_answers_next_to_a_reference_are_not_said_to_need_a_word(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,prediction,gold\nq1,A,B\nq2,B,B\nq3,D,A\n", encoding="utf-8")
    with pytest.raises(InputError, match="'gold' like the reference") as refused:
        errbar.load(file, outcome="prediction").score("avg")
    assert "right=" not in str(refused.value)
    file.write_text("id,prediction\nq1,A\nq2,B\nq3,D\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Say which words are right with right=\['WORD'\]"):
        errbar.load(file, outcome="prediction").score("avg")


def test_one_row_without_an_outcome_has_none(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,correct\nq1,1\nq2,\nq3,0\nq4,1\n", encoding="utf-8")
    assert any("1 of 4 rows has no outcome" in text for text in errbar.load(file).score().remarks)
    file.write_text("id,correct\nq1,1\nq2,\nq3,\nq4,1\n", encoding="utf-8")
    assert any("2 of 4 rows have no outcome" in text for text in errbar.load(file).score().remarks)


_ROWS = "id,correct\nq1,1\nqé,0\n"
_LINES = '{"id": "q1", "correct": 1}\n{"id": "qé", "correct": 0}\n'


def test_verdicts_of_judges_of_programs_are_right_or_wrong_and_a_crash_has_no_outcome() -> None:
    words = ["Accepted", "Wrong Answer", "time_limit_exceeded", "Compile Error", "Runtime Error"]
    rows = [{"id": at, "verdict": word} for at, word in enumerate(words)]
    scores = errbar.load(rows, outcome="verdict").score("avg")
    assert scores[0].value == 0.2
    without = errbar.load(rows, outcome="verdict").score("avg", errors="missing")
    assert without[0].value == 0.25


@pytest.mark.parametrize(("ending", "text"), [("csv", _ROWS), ("jsonl", _LINES)])
def test_damaged_text_is_refused_with_its_place_and_what_to_do(
    tmp_path: Path, ending: str, text: str
) -> None:
    file = tmp_path / f"a.{ending}"
    content = text.replace("q1", "ü").encode().replace("é".encode(), b"\xe9")
    file.write_bytes(content)
    place = content.index(b"\xe9")
    with pytest.raises(InputError, match=rf"a\.{ending}, line .*byte {place}\b.*") as refused:
        errbar.load(file).score()
    assert "save it as UTF-8" in str(refused.value).replace("Save", "save")


@pytest.mark.parametrize(
    ("cells", "advice"),
    [
        (["3 of 5", "4 of 5"], "two columns, successes and trials"),
        (["1,000", "1,250", "2,000,000"], "without separators"),
        (["great", "3/5"], "Say which words are right"),
    ],
)
def test_a_refusal_of_text_says_what_helps(tmp_path: Path, cells: list[str], advice: str) -> None:
    file = tmp_path / "a.csv"
    rows = "".join(f'q{at},"{cell}"\n' for at, cell in enumerate(cells))
    file.write_text(f"id,passed\n{rows}", encoding="utf-8")
    with pytest.raises(InputError, match=advice):
        errbar.load(file).score("avg")
