"""Rows and files without outcomes: empty files, tables of totals, and rows of averages."""

import math
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import Above, some_of, warning
from errbar.data.columns import ROW, TOTALS, plain_name
from errbar.data.engines.duckdb import (
    literal_path,
    own_engine,
    plain_errors,
    quoted,
    text_literal,
    text_of,
)
from errbar.data.outcome_words import number_in
from errbar.data.queries.expressions import FILE, HIDDEN, Columns
from errbar.data.readers.file_content import begins_as_document, text_lines
from errbar.data.readers.file_formats import CSV, JSON, JUNIT, MARKDOWN, PARQUET, kind_of
from errbar.data.readers.finding import head_of, keep_as_utf8, size_of
from errbar.data.readers.tables.markdown_tables import markdown_tables
from errbar.errors import InputError, NoOutcomes, NotThere

EMPTY = "it is empty"
NO_TABLE = "there is no table in it"
NO_ROWS = "it has the names of columns and no rows"
_PAGE = "it is a web page, perhaps of an error; download the file itself"
_NO_TABLES = {
    b"version https://git-lfs": "it is a pointer of Git LFS to the file; git lfs pull fetches it",
    b"<!doctype html": _PAGE,
    b"<html": _PAGE,
}


def why_no_rows(file: Path) -> str:
    """Reason a file has no rows; empty if it has some, or if that is checked elsewhere.

    Text that is not UTF-8 is kept as such from then on.
    """
    kind = kind_of(file)
    keep_as_utf8(file)
    if kind == JSON and begins_as_document(file):
        return ""  # it may be a single line, which need not be read for that
    start = head_of(file, 64).lstrip().lower() if kind != JUNIT and size_of(file) else b""
    for begin, reason in _NO_TABLES.items():
        if start.startswith(begin):
            return reason
    if not size_of(file):
        return EMPTY
    looks = {CSV: _of_text, JSON: _of_text, PARQUET: _of_parquet, MARKDOWN: _of_markdown}
    look = looks.get(kind or "")
    try:
        with plain_errors():
            return look(file) if look else ""
    except NotThere:
        return EMPTY
    except InputError:  # an invalid file raises an error when it is read
        return ""


def _of_text(file: Path) -> str:
    """Reason for a text file: it has a row if there is a line below the first."""
    lines = (line for part in text_lines(file) for line in part.splitlines() if line.strip())
    first = list(islice(lines, 2))
    has_rows = len(first) > 1 or kind_of(file) == JSON or (first and _are_numbers(first[0]))
    return "" if has_rows else NO_ROWS


def _of_parquet(file: Path) -> str:
    rows = own_engine().execute("SELECT count(*) FROM read_parquet(?)", [literal_path(file)])
    return "" if rows.fetchall()[0][0] else NO_ROWS


def _of_markdown(file: Path) -> str:
    try:
        return "" if markdown_tables(file) else NO_TABLE
    except NoOutcomes:
        return NO_TABLE


def _are_numbers(line: str) -> bool:
    """Whether a line is a row of a matrix rather than a header."""
    cells = line.replace(";", ",").replace("\t", ",").split(",")
    return all(not cell.strip() or number_in(cell) is not None for cell in cells)


REASON = "totals of the other rows, by their ids and outcomes"
BLANK = "blank rows"
STRAY = "no id, no outcome, and other fields than the other rows"
_STATISTICS = frozenset(
    {
        *(
            "std",
            "sd",
            "stddev",
            "stderr",
            "se",
            "sem",
            "var",
            "min",
            "max",
            "median",
            "count",
            "n",
        ),
        *("25%", "50%", "75%", "unique", "top", "freq"),
    }
)
_SHOWN = 3
# A quick look that no empty id and no name of a total fails: most ids have a digit.
_MAY_BE_TOTAL = r"regexp_matches({0}, '\A[^0-9]*\z|(?i:avg|average|mean|total|overall|%)')"
_PART_TOTAL = "(^|.*[^a-z])(avg|average|mean|total|subtotal|overall)([^a-z]*)|(sub)?total[^a-z].*"


class _Total(NamedTuple):
    """A row that may be a total."""

    group: tuple[str, ...]
    id: str | None
    outcome: float | None

    @property
    def is_statistic(self) -> bool:
        """Whether its id is the name of another statistic than the mean and the sum."""
        return plain_name(self.id or "") in _STATISTICS

    @property
    def is_of_part(self) -> bool:
        """Whether its id has a word for a total besides other words."""
        return plain_name(self.id or "") not in {*TOTALS, *_STATISTICS, ""}


class WithoutTotals(NamedTuple):
    """Rows without totals and blank rows, those left out by reason, and remarks."""

    rows: Any
    left_out: dict[str, Any]
    remarks: list[Above]


def without_totals(rows: Any, columns: Columns, *, by_file: bool = False) -> WithoutTotals:
    """Leave out rows that are totals of the others, and rows without anything in them.

    `by_file` says that systems are named after files, and not in the rows.
    """
    if columns["question"] == ROW or "outcome" not in columns:
        return WithoutTotals(rows, {}, [])
    empty = f"trim({text_of(columns['question'])}) = ''"
    kinds = rows.schema
    is_text = kinds[columns["question"]] == "VARCHAR"
    if not rows.totals(doubtful_ids(rows, columns))[0]:  # the common case
        return WithoutTotals(rows, {}, [])
    words = " OR ".join([empty, *(_names_of_totals(columns) if is_text else ())])
    ids = rows.project(quoted(columns["question"])).distinct()
    ids = ids.filter(_MAY_BE_TOTAL.format(text_of(columns["question"]))) if is_text else ids
    lost, named_or_lost = ids.aggregate(
        f"count(*) FILTER ({empty}), count(*) FILTER ({words})"
    ).fetchall()[0]
    if not named_or_lost:
        return WithoutTotals(rows, {}, [])
    kept = WithoutTotals(rows, {}, [])
    if lost:
        kept = _without_blank_rows(rows, columns, empty, by_file=by_file)
    rows = kept.rows
    condition = _is_named(rows, columns)
    named = _rows_of_totals(rows, columns, condition)
    if not named:
        return kept
    others = _others(rows, columns, condition)
    nameless = Counter(row.group for row in named if not row.id)
    totals = [row for row in named if _is_total(row, others)]
    totals = [row for row in totals if row.id or nameless[row.group] == 1]
    groups = {total.group for total in totals}
    totals += [row for row in named if row.is_statistic and row.group in groups]
    doubtful = [row for row in named if row not in totals and row.id and not row.is_statistic]
    remarks = [_doubt(row, others) for row in doubtful[:_SHOWN]]
    if not totals:
        return kept._replace(remarks=[*kept.remarks, *remarks])
    condition = " OR ".join(_condition(total, columns) for total in dict.fromkeys(totals))
    ids = list(dict.fromkeys(repr(total.id or "") for total in totals))
    plural = "s" if len(totals) > 1 else ""
    listed = some_of(ids, _MOST_IDS)
    remark = warning(f"{len(totals)} row{plural} left out ({listed}): {REASON}.")
    remarks += [_disagreement(total, others) for total in totals if _disagrees(total, others)]
    return WithoutTotals(
        rows.filter(f"NOT coalesce({condition}, false)"),
        {**kept.left_out, REASON: rows.filter(condition)},
        [remark, *kept.remarks, *remarks],
    )


def doubtful_ids(rows: Any, columns: Columns) -> str:
    """SQL: the number of rows whose id is empty or may be the name of a total."""
    text = text_of(columns["question"])
    is_text = rows.schema[columns["question"]] == "VARCHAR"
    condition = _MAY_BE_TOTAL.format(text) if is_text else f"trim({text}) = ''"
    return f"count(*) FILTER ({condition})"


_MOST_IDS = 6


def _without_blank_rows(
    rows: Any, columns: Columns, nameless: str, *, by_file: bool
) -> WithoutTotals:
    """Leave out rows without an id in which all cells that others have are empty.

    Spreadsheets have blank rows, and logs a line of totals with other fields at the end.
    """
    keys = {columns[meaning] for meaning in ("system", "task", "question") if meaning in columns}
    cells = [name for name in rows.columns if name not in {*keys, *HIDDEN}]
    shares = rows.aggregate(
        ", ".join(f"2 * count(nullif(trim({text_of(name)}), '')) > count(*)" for name in cells)
    ).fetchall()[0]
    usual = [name for name, often in zip(cells, shares, strict=True) if often]
    usual = list(dict.fromkeys([columns["outcome"], *usual]))
    blank = " AND ".join([nameless, *(f"trim({text_of(name)}) = ''" for name in cells)])
    stray = " AND ".join([nameless, *(f"trim({text_of(name)}) = ''" for name in usual)])
    if "system" in columns and not by_file:
        stray += f" AND trim({text_of(columns['system'])}) = ''"
    files = f"count(DISTINCT {quoted(FILE)})" if FILE in rows.columns else "1"
    blanks, strays, places = rows.aggregate(
        f"count(*) FILTER ({blank}), count(*) FILTER ({stray} AND NOT ({blank})), {files}"
    ).fetchall()[0]
    left_out = {BLANK: rows.filter(blank)} if blanks else {}
    if not 0 < strays <= _SHOWN * places:
        kept = rows.filter(f"NOT ({blank})") if blanks else rows
        return WithoutTotals(kept, left_out, [])
    left_out[STRAY] = rows.filter(f"{stray} AND NOT ({blank})")
    remark = warning(f"{strays} row{'s' * (strays > 1)} left out: {STRAY}.")
    return WithoutTotals(rows.filter(f"NOT ({blank}) AND NOT ({stray})"), left_out, [remark])


def _keys(columns: Columns) -> list[str]:
    return [text_of(columns[meaning]) for meaning in ("system", "task") if meaning in columns]


def _names_of_totals(columns: Columns) -> tuple[str, str]:
    """SQL: whether an id is empty or a word for a total, and whether it has such a word."""
    text = f"lower(trim({text_of(columns['question'])}))"
    words = ", ".join(text_literal(word.lower()) for word in sorted(TOTALS | _STATISTICS))
    named = f"({text} = '' OR regexp_replace({text}, '[\\s_-]+', '', 'g') IN ({words}))"
    return named, f"regexp_full_match({text}, {text_literal(_PART_TOTAL)})"


def _is_named(rows: Any, columns: Columns) -> str:
    """SQL: whether the id of a row is empty, or a word for a total.

    A word for a total among others, as in `algebra average`, counts if such rows have fractions
    and all other rows are right or wrong.
    """
    named, of_part = _names_of_totals(columns)
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    share = f"{outcome} NOT IN (0, 1)"
    parts, others = rows.aggregate(
        f"count(*) FILTER ({of_part} AND {share}), "
        f"count(*) FILTER (NOT {of_part} AND NOT {named} AND {share})"
    ).fetchall()[0]
    return f"({named} OR {of_part})" if parts and not others else named


def _rows_of_totals(rows: Any, columns: Columns, condition: str) -> list[_Total]:
    question = f"CAST({quoted(columns['question'])} AS VARCHAR)"
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    shown = ", ".join([*_keys(columns), question, outcome])
    some = rows.filter(condition).project(shown).limit(1000)
    return [_Total(tuple(row[:-2]), row[-2], row[-1]) for row in some.fetchall()]


class _Others(NamedTuple):
    """The rows of a system and task that are not named as totals."""

    number: int
    total: float
    mean: float  # over questions
    fractions: int  # outcomes other than 0 and 1

    def explains(self, value: float) -> bool:
        """Whether a value is the mean, the sum or the number of these rows."""
        statistics = (self.mean, self.total / self.number, 100 * self.mean, self.total, self.number)
        return any(_agrees(value, statistic) for statistic in statistics)


def _others(rows: Any, columns: Columns, condition: str) -> dict[tuple[str, ...], _Others]:
    """The other rows of every system and task, without named totals."""
    keys = _keys(columns)
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    rest = rows.filter(f"NOT coalesce({condition}, false)")
    names = [f"{key} AS k{at}" for at, key in enumerate(keys)]
    each = rest.aggregate(
        ", ".join(
            [
                *names,
                f"count({outcome}) AS n",
                f"sum({outcome}) AS total",
                f"avg({outcome}) AS mean",
                f"count(*) FILTER ({outcome} NOT IN (0, 1)) AS shares",
            ]
        ),
        ", ".join([*keys, quoted(columns["question"])]),
    )
    places = ", ".join(f"k{at}" for at in range(len(keys)))
    counted = each.aggregate(
        f"{places}{', ' * bool(places)}sum(n)::BIGINT, sum(total), avg(mean), sum(shares)::BIGINT",
        places,
    )
    found = {tuple(row[:-4]): _Others(*row[-4:]) for row in counted.fetchall()}
    return {subject: others for subject, others in found.items() if others.total is not None}


def _is_total(candidate: _Total, others: dict[tuple[str, ...], _Others]) -> bool:
    if candidate.is_statistic:
        return False
    if candidate.group not in others:  # a total of all systems names none
        return bool(others and candidate.id) and "" in candidate.group
    if candidate.is_of_part:
        return True
    if candidate.outcome is None:
        return bool(candidate.id)
    known = others[candidate.group]
    is_share = candidate.id and not known.fractions and candidate.outcome not in (0, 1)
    return bool(is_share) or known.explains(candidate.outcome)


def _disagrees(total: _Total, others: dict[tuple[str, ...], _Others]) -> bool:
    """Whether a row for the mean of a system is far from the mean of its other rows."""
    known, value = others.get(total.group), total.outcome
    if known is None or value is None or not math.isfinite(value) or total.is_statistic:
        return False
    return not total.is_of_part and not known.explains(value)


def _disagreement(total: _Total, others: dict[tuple[str, ...], _Others]) -> Above:
    subject = f"{total.group[0]}: " if total.group and total.group[0] else ""
    known = others[total.group]
    return warning(
        f"{subject}the row {total.id!r} states {total.outcome:.4g}, and the mean of the other rows "
        f"is {known.total / known.number:.4g}: rows may be missing."
    )


def _agrees(value: float, statistic: float) -> bool:
    """Whether a value equals a statistic, possibly rounded to two or more decimals."""
    if math.isclose(value, statistic, rel_tol=1e-9, abs_tol=1e-12):
        return True
    decimals = len(repr(value).partition(".")[2])
    return decimals > 1 and abs(value - statistic) <= 0.5000001 * 10.0**-decimals


def _doubt(total: _Total, others: dict[tuple[str, ...], _Others]) -> Above:
    subject = f"{total.group[0]}: " if total.group and total.group[0] else ""
    known = others.get(total.group)
    without = (
        f" The mean of the rows without it is {known.total / known.number:.4g}" if known else ""
    )
    both = (known.total + (total.outcome or 0)) / (known.number + 1) if known else 0.0
    with_it = f", with it {both:.4g}" if known else ""
    return warning(
        f"{subject}the id {total.id!r} is a common name for a total, but its outcome "
        f"{total.outcome:.4g} is "
        f"neither the mean nor the sum of the other rows, so it is read as a question."
        f"{without}{with_it}{'.' * bool(known)} Delete the row if it is a total."
    )


def _condition(total: _Total, columns: Columns) -> str:
    names = [*_keys(columns), text_of(columns["question"])]
    parts = zip(names, (*total.group, total.id or ""), strict=True)
    return "(" + " AND ".join(f"{name} = {text_literal(text)}" for name, text in parts) + ")"
