"""Rows that sum up the others: an `Average` or a `Total` at the end of a table.

A row is a total if its id says so and its outcome is the mean, the sum or the number of the other
rows of its system. It is left out and counted. A row whose id says so and whose outcome does not is
kept as a question, with a warning that gives both means.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from errbar.data.column_names import TOTALS, plain_name
from errbar.data.engine import quoted, text_literal
from errbar.data.outcomes import ROW, Columns
from errbar.remarks import Above, warning

REASON = "totals of the other rows, by their ids and outcomes"
_STATISTICS = frozenset(
    {"std", "sd", "stddev", "stderr", "se", "sem", "var", "min", "max", "median", "count", "n"}
)
_STATISTIC = {"n": "count", "total": "sum", "mean": "avg"}  # alike in SQL
_SHOWN = 3


class _Total(NamedTuple):
    """A row that may be a total, and what it says."""

    whose: tuple[str, ...]
    id: str
    outcome: float | None


class WithoutTotals(NamedTuple):
    """Rows without totals, the condition of those left out, and what there is to say."""

    rows: Any
    left_out: Any | None
    remarks: list[Above]


def without_totals(rows: Any, columns: Columns) -> WithoutTotals:
    """Rows without those that are totals of the others."""
    kept = WithoutTotals(rows, None, [])
    if columns["question"] == ROW or "outcome" not in columns:
        return kept
    kinds = dict(zip(rows.columns, map(str, rows.types), strict=True))
    if kinds[columns["question"]] != "VARCHAR":
        return kept
    named = _named(rows, columns)
    if not named:
        return kept
    others = _others(rows, columns)
    totals = [one for one in named if _is_total(one, others)]
    groups = {one.whose for one in totals}
    totals += [one for one in named if plain_name(one.id) in _STATISTICS and one.whose in groups]
    doubtful = [one for one in named if one not in totals and plain_name(one.id) not in _STATISTICS]
    remarks = [_doubt(one, others) for one in doubtful[:_SHOWN]]
    if not totals:
        return kept._replace(remarks=remarks)
    condition = " OR ".join(_condition(one, columns) for one in dict.fromkeys(totals))
    ids = ", ".join(dict.fromkeys(repr(one.id) for one in totals))
    plural = "s" if len(totals) > 1 else ""
    said = warning(f"{len(totals)} row{plural} left out ({ids}): {REASON}.")
    return WithoutTotals(
        rows.filter(f"NOT coalesce({condition}, false)"), rows.filter(condition), [said, *remarks]
    )


def _keys(columns: Columns) -> list[str]:
    return [
        f"coalesce(CAST({quoted(columns[one])} AS VARCHAR), '')"
        for one in ("system", "task")
        if one in columns
    ]


def _is_named(columns: Columns) -> str:
    """Whether the id of a row is a word for a total."""
    text = f"regexp_replace(lower({quoted(columns['question'])}), '[\\s_-]+', '', 'g')"
    words = ", ".join(text_literal(word.lower()) for word in sorted(TOTALS | _STATISTICS))
    return f"{text} IN ({words})"


def _named(rows: Any, columns: Columns) -> list[_Total]:
    shown = [*_keys(columns), quoted(columns["question"])]
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    some = rows.filter(_is_named(columns)).project(", ".join([*shown, outcome])).limit(1000)
    return [_Total(tuple(row[:-2]), row[-2], row[-1]) for row in some.fetchall()]


def _others(rows: Any, columns: Columns) -> dict[tuple[str, ...], tuple[int, float, float]]:
    """Of every system and task, without rows called a total: number, sum, and mean of questions."""
    keys = _keys(columns)
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    rest = rows.filter(f"NOT coalesce({_is_named(columns)}, false)")
    names = [f"{key} AS k{at}" for at, key in enumerate(keys)]
    each = rest.aggregate(
        ", ".join(
            [
                *names,
                f"count({outcome}) AS n",
                f"sum({outcome}) AS total",
                f"avg({outcome}) AS mean",
            ]
        ),
        ", ".join([*keys, quoted(columns["question"])]),
    )
    places = ", ".join(f"k{at}" for at in range(len(keys)))
    counted = each.aggregate(
        f"{places}{', ' * bool(places)}sum(n)::BIGINT, sum(total), avg(mean)", places
    )
    return {
        tuple(row[:-3]): (row[-3], row[-2], row[-1])
        for row in counted.fetchall()
        if row[-2] is not None
    }


def _is_total(one: _Total, others: dict[tuple[str, ...], tuple[int, float, float]]) -> bool:
    if plain_name(one.id) in _STATISTICS or one.whose not in others:
        return False
    number, total, mean = others[one.whose]
    if one.outcome is None:
        return True
    statistics: Sequence[float] = (mean, total / number, 100 * mean, total, number)
    return any(_agrees(one.outcome, statistic) for statistic in statistics)


def _agrees(value: float, statistic: float) -> bool:
    """Whether a value is a statistic, or that rounded to two decimals or more."""
    if math.isclose(value, statistic, rel_tol=1e-9, abs_tol=1e-12):
        return True
    decimals = len(repr(value).partition(".")[2])
    return decimals > 1 and abs(value - statistic) <= 0.5000001 * 10.0**-decimals


def _doubt(one: _Total, others: dict[tuple[str, ...], tuple[int, float, float]]) -> Above:
    whose = f"{one.whose[0]}: " if one.whose and one.whose[0] else ""
    known = others.get(one.whose)
    without = f" The mean of the rows without it is {known[1] / known[0]:.4g}" if known else ""
    with_it = f", with it {(known[1] + (one.outcome or 0)) / (known[0] + 1):.4g}" if known else ""
    return warning(
        f"{whose}the id {one.id!r} is usual for a total, but its outcome {one.outcome:.4g} is "
        f"neither the mean nor the sum of the other rows, so it is taken as a question."
        f"{without}{with_it}{'.' * bool(known)} Delete the row if it is a total."
    )


def _condition(one: _Total, columns: Columns) -> str:
    parts = zip([*_keys(columns), quoted(columns["question"])], (*one.whose, one.id), strict=True)
    return "(" + " AND ".join(f"{name} = {text_literal(text)}" for name, text in parts) + ")"
