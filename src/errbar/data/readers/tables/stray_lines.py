"""Lines of a table that are not rows: titles, headers, and notes such as "* excludes errors"."""

import csv
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above, guess, some_of, warning
from errbar.data.columns import ROW
from errbar.data.engines.duckdb import ALL_ROWS, numbers_in, quoted, text_literal, text_of
from errbar.data.outcome_words import number_in
from errbar.data.queries.expressions import HIDDEN, Columns
from errbar.data.readers.file_content import text_lines
from errbar.data.readers.tables.nested_names import names_in_parts

HEADERS = "lines that repeat the names of the columns"
NOTES = "notes below the table"
_MARK = (
    r"\s*([*†‡§#]|(notes?|nb|n\.b\.|sources?|legend|remarks?|footnotes?|comments?|caveats?|hinweis"
    r"|quelle|anmerkung|fuente|nota|source)\b\s*[:.])"
)
_SENTENCE = r"\S\s+\S+\s+\S"
_SHOWN = 60  # characters of a note in a message
_DIGITS = re.compile(r"\d+")
_MOST_LEVELS = 4  # lines of a header
_MOST_ABOVE = 50  # lines among which the header of a CSV file is looked for


def without_notes(
    rows: Any, columns: Columns
) -> tuple[Any, tuple[tuple[str, Any], ...], list[Above]]:
    """Leave out rows that have only a note in the column of the id.

    A note starts with a mark or a word such as `Source:`, or is a sentence while ids are not.
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


def lines_above(file: Path) -> int:
    """Number of lines above the header: blank lines, comments, Excel's sep=;, or a title."""
    above = 0
    for line in text_lines(file):
        text = line.strip().lower()
        if not text or text.startswith("#") or re.fullmatch(r"sep=.", text):
            above += 1
            continue
        cells = re.split(r"[,;\t|]", line.replace('"', ""))
        return above if names_in_parts(map(str.strip, cells), "outcome") else _titles_above(file)
    return 0


def _titles_above(file: Path) -> int:
    """Number of lines above the first that has as many cells as all below, such as "Model: gpt".

    Each line above has a single cell; or that line names an outcome, and no name is also a value of
    its column, as where only some rows fill the last one.
    """
    sample = list(islice(text_lines(file), _MOST_ABOVE))
    lines = csv.reader(sample, delimiter=separator_in("".join(sample), ",;\t|"))
    rows, before = [], 0
    with suppress(csv.Error):
        for cells in lines:
            if any(map(str.strip, cells)):
                rows.append((before, cells))
            before = lines.line_num
    rows = rows[:-1] if len(sample) == _MOST_ABOVE else rows  # the last line may be cut off
    sizes = [len(list(without_end(cells))) for _, cells in rows]
    width = max(sizes, default=0)  # the last columns of a sheet may be empty
    at = sizes.index(width) if sizes else 0
    if not at or width < 2 or len({len(cells) for _, cells in rows[at:]}) > 1:
        return 0
    above, head = rows[at][0], [cell.strip() for cell in rows[at][1]][:width]
    is_header = not any(number_in(cell) is not None for cell in head) and len({*head}) == width
    others = ([cell.strip() for cell in cells][:width] for _, cells in rows[:at] + rows[at + 1 :])
    is_row = any(cell == name for cells in others for cell, name in zip(cells, head, strict=False))
    sure = max(sizes[:at]) == 1 or (names_in_parts(head, "outcome") and not is_row)
    return above if is_header and sure and max(sizes[:at]) < width else 0


def above_remarks(file: Path, above: int) -> tuple[Above, ...]:
    """Remark on lines above the header that are not comments."""
    lines = [line.strip(" ,;\t\r\n") for line in islice(text_lines(file), above)]
    titles = [line for line in lines if line and not line.startswith("#") and line[:4] != "sep="]
    if not titles:
        return ()
    return (guess(f"{file.name}: left out above the header: {some_of(map(repr, titles), 3)}"),)


def levels_of(file: Path, above: int, mark: str) -> tuple[list[str], int] | None:
    """Names of columns from a header of several levels, as pandas writes them, and its lines.

    The last line has only the name of the index. A number follows the name of its level, as in
    gpt_seed0, and a measure stands last, as in gpt_acc.
    """
    rows = list(csv.reader(islice(text_lines(file), above, above + _MOST_LEVELS), delimiter=mark))
    ends = (list(without_end(row)) for row in rows)
    named = [(at, len(end)) for at, end in enumerate(ends) if all(end) and len(end) < len(rows[0])]
    if not named or not named[0][0] or len({*map(len, rows)}) > 1:
        return None
    at, width = named[0]
    if len({_DIGITS.sub("", row[0]) for row in rows[at : at + 2]}) == 1:
        return None  # an id like the next one, of a row without values
    levels = [(row[width - 1].strip(), row[width:]) for row in rows[:at]]
    labels = [
        [f"{name or 'run'}{value}" if value.isdecimal() else value for value in values]
        for name, values in levels
    ]
    measured = [names_in_parts(values, "outcome") for values in labels]
    pairs = sorted(zip(measured, labels, strict=True), key=itemgetter(0))
    ordered = [values for _, values in pairs]
    names = [
        *rows[at][:width],
        *("_".join(filter(None, parts)) for parts in zip(*ordered, strict=True)),
    ]
    return (names, at + 1) if len({*names}) == len(names) else None


def without_end(cells: Sequence[str]) -> Iterator[str]:
    """Strip empty cells from the end."""
    last = max((at for at, cell in enumerate(cells) if cell.strip()), default=-1)
    return iter(cells[: last + 1])


def separator_in(line: str, marks: str) -> str:
    """The separator that occurs most often outside quotes."""
    return max(marks, key=re.sub(r'"(?:[^"]|"")*"', "", line).count)
