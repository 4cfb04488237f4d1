"""Convert outcomes, confidences and trials from text to numbers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from errbar.base.remarks import Above, guess
from errbar.data.columns import TOTALS
from errbar.data.engines.duckdb import quoted, text_literal, text_of
from errbar.data.outcome_words import (
    MARKS,
    NO_OUTCOME,
    NOTHING,
    WORDS,
    in_order,
    known_word,
    number_in,
    refuse_grades,
    refuse_right,
    words_remark,
)
from errbar.data.queries.expressions import STRANGE, TRIAL_NUMBER, Columns
from errbar.data.readers.tables.printed_values import number_in_text, with_decimal_points
from errbar.errors import InputError

LONGEST = 400  # characters of a number or a word
_MOST = 50  # most cases of an expression


class UnusualText(NamedTuple):
    """A text, the number of rows with it, and how DuckDB parses it."""

    text: str
    rows: int
    word: str  # lower case, stripped
    number: float | None
    share: float | None  # value of a percentage, divided by 100

    @property
    def worth(self) -> float | None:
        """Outcome: a number, None for a missing value, infinity for anything else."""
        word = known_word(self.word)
        if word in WORDS or word in NO_OUTCOME:
            return WORDS.get(word)
        value = self.share if self.word.endswith("%") else self.number
        return math.inf if value is None else value

    @property
    def is_strange(self) -> bool:
        """Whether it is neither a number nor a word for right, wrong or missing."""
        return self.worth is not None and math.isinf(self.worth)


def unusual_texts(rows: Any, name: str) -> list[UnusualText] | None:
    """Texts of a column that are not finite numbers; None if there are many or long ones."""
    short = f"left({quoted(name)}, {LONGEST + 1})"
    word = "lower(trim(text))"
    finite = f"length(text) <= {LONGEST} AND isfinite(TRY_CAST(text AS DOUBLE))"
    number, share = f"TRY_CAST({word} AS DOUBLE)", f"TRY_CAST(rtrim({word}, '% ') AS DOUBLE) / 100"
    found = (
        rows.aggregate(f"{short} AS text, count(*) AS n", short)
        .filter(f"text IS NOT NULL AND NOT coalesce({finite}, false)")
        .project(f"text, n, {word}, {number}, {share}")
        .limit(_MOST + 1)
        .fetchall()
    )
    texts = [UnusualText(*row) for row in found]
    plain = all(len(text.text) <= LONGEST and "\0" not in text.text for text in texts)
    return texts if plain and len(texts) <= _MOST else None


def number_by_text(name: str, texts: Sequence[UnusualText]) -> str:
    """SQL for a column as numbers, given all its texts that are not finite numbers."""
    column = quoted(name)
    # DuckDB pushes a bare TRY_CAST into the CSV reader, which raises an error if it fails.
    cases = [f"WHEN {column} = '1' THEN 1", f"WHEN {column} = '0' THEN 0"]
    cases += [
        f"WHEN {column} = {text_literal(text.text)} THEN {_literal(text.worth)}" for text in texts
    ]
    return f"CASE {' '.join(cases)} ELSE TRY_CAST({column} AS DOUBLE) END"


def _literal(number: float | None) -> str:
    return "NULL" if number is None else f"'{number!r}'::DOUBLE"


def counted_words(texts: Sequence[UnusualText]) -> dict[str, int]:
    """Number of rows per word that is not a number."""
    counts: dict[str, int] = {}
    for text in texts:
        if text.number is None and not text.word.endswith("%") and text.word not in NOTHING:
            word = known_word(text.word)
            counts[word] = counts.get(word, 0) + text.rows
    return in_order(counts.items())


def with_numbers(rows: Any, names: Sequence[str]) -> Any:
    """Convert text columns to numbers; anything else becomes null."""
    kinds = rows.schema
    texts = [name for name in names if kinds[name] == "VARCHAR"]
    if not texts:
        return rows
    cast = ", ".join(f"TRY_CAST({quoted(name)} AS DOUBLE) AS {quoted(name)}" for name in texts)
    return rows.project(f"* REPLACE ({cast})")


def numbers_of_text(
    rows: Any,
    columns: Columns,
    looked: Mapping[str, list[Any]],
    right: Sequence[str],
    texts: Sequence[UnusualText] | None,
    *,
    are_large: bool,
) -> tuple[Any, list[Above]]:
    """Convert outcome, confidence, cost, weight and trial to numbers where they were read as text.

    `texts` are the unusual texts of the outcome; None if there are many, or if files are large.
    """
    kinds = rows.schema
    replaced, added, remarks = [], [], []
    outcome = columns["outcome"]
    if right:
        remarks = _right_words(rows, outcome, right)
        replaced.append(f"{_is_right(outcome, right)} AS {quoted(outcome)}")
    elif kinds[outcome] == "VARCHAR":
        if not are_large and (texts is None or any("," in text.text for text in texts)):
            rows, remarks = with_decimal_points(rows, outcome, "Outcomes")
            texts = unusual_texts(rows, outcome) if remarks else texts
        if not are_large and (texts is None or any("/" in text.text for text in texts)):
            rows, notes = _with_quotients(rows, outcome)
            texts, remarks = unusual_texts(rows, outcome) if notes else texts, [*remarks, *notes]
        number = _as_number(outcome) if texts is None else number_by_text(outcome, texts)
        replaced.append(f"{number} AS {quoted(outcome)}")
        if texts is None or any(text.is_strange for text in texts):
            strange = f"CASE WHEN isinf({number}) THEN {quoted(outcome)} END"
            added.append(f"{strange} AS {quoted(STRANGE)}")
        if not are_large or _words_in(looked[outcome]):
            words = _words_among(rows, columns, texts)
            refuse_grades(words, outcome)
            remarks = [*remarks, *words_remark(words, WORDS)]
    for meaning in ("confidence", "cost", "weight"):
        if meaning in columns and kinds[columns[meaning]] == "VARCHAR":
            name = columns[meaning]
            rows, notes = with_decimal_points(rows, name, f"{meaning.capitalize()}s")
            cast, others = number_in_text(rows, name, meaning)
            replaced += cast
            remarks = [*remarks, *notes, *others]
    if "trial" in columns and kinds[columns["trial"]] == "VARCHAR":
        trial = quoted(columns["trial"])
        added.append(f"TRY_CAST({trial} AS INTEGER) AS {quoted(TRIAL_NUMBER)}")
    if not (replaced or added):
        return rows, remarks
    some = f" REPLACE ({', '.join(replaced)})" if replaced else ""
    return rows.project(", ".join([f"*{some}", *added])), remarks


def _with_quotients(rows: Any, name: str) -> tuple[Any, list[Above]]:
    """Replace points out of a maximum, such as 7/10, by shares, if all outcomes are written so."""
    text = f"trim({quoted(name)})"
    points, most = (f"TRY_CAST(trim(split_part({text}, '/', {at})) AS DOUBLE)" for at in (1, 2))
    nothing = ", ".join(map(text_literal, NOTHING))
    some = f"{text} IS NOT NULL AND lower({text}) NOT IN ({nothing})"
    fits = f"regexp_full_match({text}, '[0-9.]+ ?/ ?[0-9.]+') AND {points} BETWEEN 0 AND {most}"
    rest, number, example, scales = rows.aggregate(
        f"count(*) FILTER ({some} AND NOT coalesce({fits} AND {most} > 0, false)), "
        f"count(*) FILTER ({some}), any_value({text}) FILTER ({some}), "
        f"count(DISTINCT {most}) FILTER ({some})"
    ).fetchall()[0]
    if rest or not number:
        return rows, []
    value = f"CASE WHEN {some} THEN CAST({points} / {most} AS VARCHAR) END"
    unlike = f" (with {scales} different maxima)" if scales > 1 else ""
    remark = guess(
        f"Outcomes: {number} of them are points out of a maximum{unlike}, such as {example!r}, and "
        f"are read as shares"
    )
    return rows.project(f"* REPLACE ({value} AS {quoted(name)})"), [remark]


def _words_among(rows: Any, columns: Columns, texts: Sequence[Any] | None) -> dict[str, int]:
    """Number of rows per word; raises an error if only some numbers are percentages."""
    name = columns["outcome"]
    if texts is None or any(text.word.endswith("%") for text in texts):
        words = ", ".join(text_literal(word) for word in sorted(TOTALS))
        own = f"regexp_replace(lower({text_of(columns['question'])}), '[\\s_-]+', '', 'g')"
        _refuse_mixed_percentages(rows.filter(f"{own} NOT IN ({words})"), name)
    return _counted_words(rows, name) if texts is None else counted_words(texts)


def number_expression(rows: Any, name: str, kind: str) -> str | None:
    """SQL for a column as a number, infinite for other text; None for a nested column."""
    if kind == "VARCHAR":
        texts = unusual_texts(rows, name)
        return _as_number(name) if texts is None else number_by_text(name, texts)
    plain = kind == "BOOLEAN" or "INT" in kind or kind in ("DOUBLE", "FLOAT", "REAL")
    return f"CAST({quoted(name)} AS DOUBLE)" if plain or kind.startswith("DECIMAL") else None


def _refuse_mixed_percentages(rows: Any, name: str) -> None:
    """Raise an error for a column that mixes percentages and plain numbers."""
    text = f"trim({quoted(name)})"
    shares = f"any_value({text}) FILTER (ends_with({text}, '%')), "
    shares += f"count(*) FILTER (ends_with({text}, '%')), "
    plain = f"TRY_CAST({text} AS DOUBLE) <> 0"
    counted = rows.aggregate(
        f"{shares}any_value({text}) FILTER ({plain}), count(*) FILTER ({plain})"
    ).fetchall()
    share, often, number, others = counted[0]
    if often and others:
        raise InputError(
            f"{often} rows of the column {name!r:.80} are percentages ({share}), and {others} are "
            f"numbers without the sign ({number}), which may be on another scale. Write all of "
            f"them alike."
        )


def _words_in(values: Sequence[Any]) -> set[str]:
    texts = {value.strip().lower() for value in values if isinstance(value, str)}
    return {text for text in texts if text.endswith("%") or number_in(text) is None}


def _counted_words(rows: Any, name: str) -> dict[str, int]:
    """Number of rows per word that is not a number."""
    text = f"lower(trim(left({quoted(name)}, {LONGEST})))"
    marks = " ".join(
        f"WHEN starts_with(word, {text_literal(mark)}) THEN {text_literal(mark)}" for mark in MARKS
    )
    known = " OR ".join(f"word = {text_literal(word)}" for word in WORDS if word[0] in MARKS)
    word = f"CASE WHEN {known} THEN word {marks} ELSE word END"
    words = (
        rows.project(f"{text} AS word")
        .project(f"{word} AS word")
        .filter(
            "word IS NOT NULL AND TRY_CAST(word AS DOUBLE) IS NULL "
            "AND word NOT LIKE '%\\%' ESCAPE '\\'"
        )
    )
    counted = words.aggregate("word, count(*) AS n", "word").filter(
        " AND ".join(f"word <> {text_literal(word)}" for word in NOTHING)
    )
    return in_order(counted.fetchall())


def _right_words(rows: Any, name: str, right: Sequence[str]) -> list[Above]:
    """Number of rows per value, and the values that are right; raises an error if none is."""
    text = f"lower(trim(CAST({quoted(name)} AS VARCHAR)))"
    counted = rows.project(f"{text} AS word, {_is_right(name, right)} AS worth").aggregate(
        "word, worth, count(*) AS n", "word, worth"
    )
    found = [(word, worth, n) for word, worth, n in counted.fetchall() if worth is not None]
    worth = {word: float(value) for word, value, _ in found}
    counts = in_order((word, n) for word, _, n in found)
    if 1.0 not in worth.values():
        refuse_right(right, counts, name)
    return words_remark(counts, worth)


def _is_right(name: str, right: Sequence[str]) -> str:
    """SQL: 1 for right words, 0 for all others, null if missing."""
    text = f"lower(trim(CAST({quoted(name)} AS VARCHAR)))"
    words = [word.strip().lower() for word in right]
    same = [f"{text} = {text_literal(word)}" for word in words]
    numbers = [number_in(word) for word in words]
    same += [
        f"TRY_CAST({text} AS DOUBLE) = {number!r}"
        for number in numbers
        if number is not None and math.isfinite(number)
    ]
    nothing = " OR ".join(f"{text} = {text_literal(word)}" for word in NOTHING)
    return (
        f"CASE WHEN {text} IS NULL OR {nothing} THEN NULL WHEN {' OR '.join(same)} THEN 1.0 "
        f"ELSE 0.0 END"
    )


def _as_number(name: str) -> str:
    """SQL: a number, null if missing, infinity for anything else, such as a long text."""
    plain, text = quoted(name), f"lower(trim(left({quoted(name)}, {LONGEST})))"
    words = " ".join(
        f"WHEN {text} = {text_literal(word)} THEN {worth:g}" for word, worth in WORDS.items()
    )
    words += " ".join(
        f" WHEN starts_with({text}, {text_literal(mark)}) THEN {WORDS[mark]:g}" for mark in MARKS
    )
    # DuckDB turns an IN with this many words into a join.
    nothing = " OR ".join(f"{text} = {text_literal(word)}" for word in NO_OUTCOME)
    share = f"TRY_CAST(rtrim({text}, '% ') AS DOUBLE) / 100"
    finite = f"CASE WHEN ends_with({text}, '%') THEN {share} ELSE TRY_CAST({text} AS DOUBLE) END"
    rest = f"coalesce({finite}, 'inf'::DOUBLE)"
    # The common case, 0 or 1, comes first.
    seen = f"WHEN {plain} = '1' THEN 1 WHEN {plain} = '0' THEN 0"
    inner = f"CASE {words} WHEN {text} IS NULL OR {nothing} THEN NULL ELSE {rest} END"
    return f"CASE {seen} WHEN length({plain}) > {LONGEST} THEN 'inf'::DOUBLE ELSE {inner} END"
