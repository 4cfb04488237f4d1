"""What other columns say of rows and outcomes.

Rows may be marked as failed or excluded while they have an outcome that counts, and other columns
may be the outcome as well.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.remarks import Above, mapping, some_of, warning
from errbar.data.columns import (
    ANSWERS,
    MEASURES,
    PROPERTIES,
    REFERENCES,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import quoted, text_literal, text_of
from errbar.data.outcome_words import FREQUENCIES, MAXIMA, NOTHING
from errbar.data.queries.expressions import Columns
from errbar.data.readers.tables.competing_outcomes import (
    LISTS,
    free_columns,
    worth_of,
)
from errbar.data.readers.tables.outcome_text import number_expression
from errbar.data.readers.tables.score_columns import scored_columns

# Columns with the text of an error, empty where there was none.
ERROR_TEXTS = frozenset(
    map(
        plain_name,
        ("error", "errors", "error_message", "err", "exception", "error_msg", "traceback"),
    )
)
# Columns that take rows out of an evaluation, and those that keep them in it.
_OUT = frozenset(
    map(
        plain_name,
        (
            *("exclude", "excluded", "skip", "skipped", "ignore", "ignored", "invalid", "discard"),
            *("discarded", "dropped", "filtered_out", "is_excluded", "is_invalid", "is_skipped"),
        ),
    )
)
_IN = frozenset(
    map(plain_name, ("include", "included", "valid", "is_valid", "keep", "is_included", "usable"))
)
_NO_VERSIONS = (PROPERTIES | REFERENCES | ANSWERS | MAXIMA | FREQUENCIES) | frozenset(
    {"id", "index", "option", "type", "text", "reason", "by", "at", "min", "range", "ids"}
)
_FAULT = re.compile(
    r"fail|error|timeout|timed_out|empty|invalid|missing|skipped|wrong|violat"
    r"|^(?:num|n|number_of)_|_(?:count|calls|tokens|steps|turns|seconds|ms|usd|cost|latency)$",
    re.IGNORECASE,
)
_NUMBERS_LISTED = re.compile(r"VARCHAR$|(DOUBLE|FLOAT|[A-Z]*INT(EGER)?|BOOLEAN)\[\]$")
_SHOWN = 3
_NO = ("", "false", "0", "0.0", "no", "n", "none", "null", "nan", "[]", "{}", "f", "ok")
_YES = ("true", "1", "1.0", "yes", "y", "t", "x", "✓")


def flagged_rows(rows: Any, columns: Columns) -> list[Above]:
    """Warnings with the mean with and without such rows, if they change it."""
    free = free_columns(rows.columns, columns)
    value = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    remarks = []
    for names, words, negated in (
        (ERROR_TEXTS, _NO, True),
        (_OUT, _YES, False),
        (_IN, _NO[1:], False),
    ):
        listed = ", ".join(map(text_literal, words))
        for name in named_like(free, names):
            marked = f"lower(trim({text_of(name)})) {'NOT ' if negated else ''}IN ({listed})"
            number, scored, least, most, mean, rest = rows.aggregate(
                f"count({value}) FILTER ({marked}), count({value}), min({value}) FILTER ({marked}),"
                f" max({value}) FILTER ({marked}), avg({value}), avg({value}) FILTER (NOT {marked})"
            ).fetchall()[0]
            failed = least == most == 0  # an error that was graded has other outcomes too
            if 0 < number < scored and mean != rest and (failed or not negated):
                what = "with something in" if negated else "marked by"
                remarks.append(
                    warning(
                        f"{number} of {scored} scored rows are {what} {name!r}, and their outcomes "
                        f"count (mean of all rows {mean:.4g}, {rest:.4g} without them). If they "
                        f"have no result, empty their outcomes; if they do not belong to the "
                        f"evaluation, delete them."
                    )
                )
    return remarks


def other_outcomes(rows: Any, columns: Columns) -> list[Above]:
    """Remark on other columns that could be the outcome and disagree, with their means."""
    if "outcome" not in columns.guessed:
        return []
    name = columns["outcome"]
    kinds = rows.schema
    free = free_columns(rows.columns, columns)
    group = name.rpartition(".")[0]
    others = [column for column in columns.also if column in free]
    inside = [column for column in free if group and column.startswith(f"{group}.")]
    others += [name for name in inside if not _is_beside(name.rpartition(".")[2])]
    others += [*filter(_is_measure, free), *(o for o in free if _is_variant(o, name))]
    others += _on_its_scale(rows.head(), name, free)
    lists = [column for column in named_like(free, LISTS) if _NUMBERS_LISTED.match(kinds[column])]
    found = []
    for column in dict.fromkeys([*others, *lists]):
        number = number_expression(rows, column, kinds[column])
        if column in lists:  # the mean over the trials that it lists
            number = f"list_avg(TRY_CAST({quoted(column)} AS DOUBLE[]))"
        if number is None:
            continue
        both = f"{quoted(name)} IS NOT NULL AND {number} IS NOT NULL"
        own = f"CAST({quoted(name)} AS DOUBLE)"
        strange, differ, mine, mean = rows.aggregate(
            f"count(*) FILTER (isinf({number})), "
            f"count(*) FILTER ({both} AND abs({own} - {number}) > 1e-6), avg({own}), avg({number})"
        ).fetchall()[0]
        if not strange and differ and mean is not None and mine is not None:
            found.append((column, differ, mine, mean))
    if not found or not math.isfinite(found[0][2]):
        return []
    each = (
        f"{column!r} has mean {mean:.4g} and differs in {differ:,} rows"
        for column, differ, _, mean in found
    )
    listed = some_of(each, _SHOWN, "; ")
    choose = mapping("outcome", found[0][0])
    return [
        warning(
            f"The outcome is {name!r} (mean of all rows {found[0][2]:.4g}), and other columns "
            f"could be it: {listed}. Choose another with {choose}."
        )
    ]


def _is_measure(column: str) -> bool:
    """Whether a name is that of a measure, or ends in one.

    Examples
    --------
    >>> [_is_measure(name) for name in ("f1", "execution_accuracy", "token_f1", "accuracy_note")]
    [True, True, True, False]
    """
    ends = [plain_name(column), plain_name(re.split(r"[\s_.-]+", column.strip())[-1])]
    return any(end in MEASURES for end in ends) and not _FAULT.search(column)


def _on_its_scale(looked: Mapping[str, Sequence[Any]], name: str, free: Sequence[str]) -> list[str]:
    """Columns of numbers with the maximum of a graded outcome, of which a rubric has several."""
    highest = max(filter(None, map(worth_of, looked.get(name, []))), default=0)
    found = []
    for column in free if highest > 1 else ():
        values = [worth_of(value) for value in looked.get(column, []) if value is not None]
        numbers = [value for value in values if value is not None and value >= 0]
        if len(numbers) == len(values) > 0 and max(numbers) == highest:
            found.append(column)
    found = [column for column in found if plain_name(column) not in _NO_VERSIONS]
    return found if len(found) > 1 else []


def _is_beside(part: str) -> bool:
    """Whether a field next to an outcome is no version of it: a text, a count, what went wrong."""
    return plain_name(part) in _NO_VERSIONS or _FAULT.search(part) is not None


def _is_variant(column: str, outcome: str) -> bool:
    """Whether a column is another version of the outcome, such as acc_norm beside acc.

    Examples
    --------
    >>> [_is_variant(name, "acc") for name in ("acc_norm", "acc_stderr", "accent", "acc")]
    [True, False, False, False]
    """
    version = re.fullmatch(rf"{re.escape(outcome)}[_\W]+(\w+)", column, re.IGNORECASE)
    return version is not None and not {plain_name(version[1]), plain_name(column)} & _NO_VERSIONS


def is_filled(value: object) -> bool:
    """Whether a value is not null, and no text that stands for nothing, such as n/a."""
    return value is not None and str(value).strip().lower() not in NOTHING


def graded_scores(flat: Mapping[str, Sequence[object]]) -> list[str]:
    """Columns of scores, of which some are above 1."""
    found = scored_columns(flat, lambda name: flat[name])
    return [name for name in found if max(filter(None, map(worth_of, flat[name])), default=0) > 1]
