"""Lines of a table that are not rows: repeated headers, and notes such as "* excludes errors"."""

from collections.abc import Collection, Sequence
from typing import Any

from errbar.base.remarks import Above, guess, warning
from errbar.data.columns import ROW
from errbar.data.engines.duckdb import ALL_ROWS, numbers_in, quoted, text_literal, text_of
from errbar.data.queries.expressions import HIDDEN, Columns

HEADERS = "lines that repeat the names of the columns"
NOTES = "notes below the table"
_MARK = (
    r"\s*([*†‡§#]|(notes?|nb|n\.b\.|sources?|legend|remarks?|footnotes?|comments?|caveats?|hinweis"
    r"|quelle|anmerkung|fuente|nota|source)\b\s*[:.])"
)
_SENTENCE = r"\S\s+\S+\s+\S"
_SHOWN = 60  # characters of a note in a message


def without_notes(
    rows: Any, columns: Columns
) -> tuple[Any, tuple[tuple[str, Any], ...], list[Above]]:
    """Leave out rows that have only a note in the column of the id.

    A note starts with a mark or a word such as `Source:`, or is a sentence where no id is one.
    """
    kinds = rows.schema
    if columns["question"] == ROW or kinds[columns["question"]] != "VARCHAR":
        return rows, (), []
    number, scored = rows.totals(ALL_ROWS, numbers_in(columns["outcome"]))
    if scored == number:  # a note has no outcome
        return rows, (), []
    text = text_of(columns["question"])
    sentence = f"regexp_matches({text}, {text_literal(_SENTENCE)})"
    marked = f"regexp_matches(lower({text}), {text_literal(f'^{_MARK}')})"
    unscored = rows.filter(f"trim({text_of(columns['outcome'])}) = ''")
    if not unscored.filter(f"{marked} OR {sentence}").aggregate("count(*)").fetchall()[0][0]:
        return rows, (), []  # the common case, without a look at other columns
    named = {columns[meaning] for meaning in ("system", "task", "trial") if meaning in columns}
    cells = [name for name in rows.columns if name not in {*named, columns["question"], *HIDDEN}]
    alone = " AND ".join(f"trim({text_of(name)}) = ''" for name in cells)
    found, sentences = rows.aggregate(
        f"count(*) FILTER (({marked} OR {sentence}) AND {alone}), "
        f"count(*) FILTER ({sentence} AND NOT ({alone}))"
    ).fetchall()[0]
    if not found:
        return rows, (), []
    note = f"{alone} AND ({marked}{'' if sentences else f' OR {sentence}'})"
    lost = rows.filter(note)
    texts = [value for (value,) in lost.project(text).distinct().limit(2).fetchall()]
    if not texts:
        return rows, (), []
    shown = ", ".join(repr(value[:_SHOWN]) for value in texts)
    number = lost.aggregate("count(*)").fetchall()[0][0]
    what = "1 row" if number == 1 else f"{number} rows"
    remark = warning(f"{what} left out: {NOTES} ({shown}), with nothing in the other columns.")
    return rows.filter(f"NOT coalesce({note}, false)"), ((NOTES, lost),), [remark]


def without_headers(
    rows: Any, columns: Columns, words: Collection[str] | None
) -> tuple[Any, tuple[tuple[str, Any], ...]]:
    """Leave out lines that repeat the names of the columns, as in files that were concatenated.

    The second line of a header counts too, if it names the id and, under each system, the outcome.
    `words` are all outcomes that are not numbers, in lower case; None if they are not known.
    """
    question = columns["question"]
    outcome = columns["correct"] if "correct" in columns else columns["outcome"]
    kinds = rows.schema
    if question == ROW or {kinds[question], kinds[outcome]} != {"VARCHAR"}:
        return rows, ()
    names_of_outcome = {outcome.strip().lower(), *_OUTCOMES}
    if words is not None and names_of_outcome.isdisjoint(words):
        return rows, ()
    named = " AND ".join(
        f"lower(trim({quoted(name)})) IN ({', '.join(map(text_literal, words))})"
        for name, words in (
            (question, {question.strip().lower(), "id", *(f"{word}_id" for word in _ASKED)}),
            (outcome, names_of_outcome),
        )
    )
    if not rows.aggregate(f"count(*) FILTER ({named})").fetchall()[0][0]:
        return rows, ()
    return rows.filter(f"NOT coalesce({named}, false)"), ((HEADERS, rows.filter(named)),)


def header_remark(left_out: Sequence[tuple[str, Any]]) -> list[Above]:
    """Remark on lines of a header that are left out."""
    counts = [some.aggregate("count(*)").fetchall()[0][0] for _, some in left_out]
    return [guess(f"{number} rows left out: {HEADERS}") for number in counts]


_ASKED = ("question", "task", "problem", "item", "example", "sample", "doc", "instance")
_OUTCOMES = ("correct", "is_correct", "score", "accuracy", "acc")
