"""Columns that could change the score beside the one that was taken: said above the number.

Another column that could be the outcome is named with its mean where the two disagree. A score that
has its maximum beside it is divided by it. A column that may say how often a row occurred is named
with the mean that it would give.
"""

import math
from collections.abc import Sequence
from typing import Any

import duckdb

from errbar.data.column_names import MEASURES, named_like, plain_name
from errbar.data.engine import quoted
from errbar.data.outcome_text import number_expression
from errbar.data.outcomes import Columns
from errbar.data.rows import HIDDEN
from errbar.remarks import Above, warning, way_to_say

_MAXIMA = frozenset(
    map(
        plain_name,
        (
            *("max_score", "maxscore", "max", "maximum", "maximum_score", "max_points", "out_of"),
            *("total", "total_points", "points_possible", "possible", "full_marks", "full_score"),
            *("max_reward", "score_max", "possible_points", "max_marks", "max_grade"),
        ),
    )
)
_GRADED = frozenset(map(plain_name, ("score", "grade", "reward", "result", "points", "marks")))
_FREQUENCIES = frozenset(
    map(
        plain_name,
        (
            *("count", "counts", "freq", "frequency", "occurrences", "multiplicity", "n", "num"),
            *("n_rows", "times", "n_occurrences"),
        ),
    )
)
_SHOWN = 3


def free_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Columns that mean nothing yet."""
    return [name for name in names if name not in {*columns.named.values(), *HIDDEN}]


def as_shares(rows: Any, columns: Columns) -> tuple[Any, list[Above]]:
    """Scores divided by the maximum that stands beside them."""
    name = columns["outcome"]
    if "outcome" not in columns.guessed or plain_name(name) not in _GRADED:
        return rows, []
    for most in named_like(free_columns(rows.columns, columns), _MAXIMA):
        limit, outcome = f"TRY_CAST({quoted(most)} AS DOUBLE)", f"CAST({quoted(name)} AS DOUBLE)"
        outside = f"{limit} IS NULL OR {limit} <= 0 OR {outcome} > {limit} OR {outcome} < 0"
        strange, largest, mean, share = rows.aggregate(
            f"count(*) FILTER ({outcome} IS NOT NULL AND ({outside})), max({limit}), "
            f"avg({outcome}), avg({outcome} / {limit})"
        ).fetchall()[0]
        if strange or share is None or largest == 1:
            continue
        anyway = way_to_say(f"--map outcome={name}", f"outcome={name!r}")
        said = warning(
            f"the outcome is {name!r} divided by {most!r} (mean of all rows {share:.4g}); {anyway} "
            f"takes {name!r} as it is (mean {mean:.4g})."
        )
        return rows.project(f"* REPLACE ({outcome} / {limit} AS {quoted(name)})"), [said]
    return rows, []


def other_outcomes(rows: Any, columns: Columns) -> list[Above]:
    """Which other columns could be the outcome and disagree with it, and their means."""
    if "outcome" not in columns.guessed:
        return []
    name = columns["outcome"]
    kinds = dict(zip(rows.columns, map(str, rows.types), strict=True))
    free = free_columns(rows.columns, columns)
    group = name.rpartition(".")[0]
    others = [other for other in columns.also if other in free]
    others += [other for other in free if group and other.startswith(f"{group}.")]
    others += named_like(free, MEASURES)
    found = []
    for other in dict.fromkeys(others):
        number = number_expression(rows, other, kinds[other])
        if number is None:
            continue
        both = f"{quoted(name)} IS NOT NULL AND {number} IS NOT NULL"
        strange, differ, mine, mean = rows.aggregate(
            f"count(*) FILTER (isinf({number})), "
            f"count(*) FILTER ({both} AND CAST({quoted(name)} AS DOUBLE) <> {number}), "
            f"avg(CAST({quoted(name)} AS DOUBLE)), avg({number})"
        ).fetchall()[0]
        if not strange and differ and mean is not None and mine is not None:
            found.append((other, differ, mine, mean))
    if not found or not math.isfinite(found[0][2]):
        return []
    listed = "; ".join(
        f"{other!r} has mean {mean:.4g} and differs in {differ} rows"
        for other, differ, _, mean in found[:_SHOWN]
    )
    more = f"; and {len(found) - _SHOWN} more columns" if len(found) > _SHOWN else ""
    choose = way_to_say(f"--map outcome={found[0][0]}", f"outcome={found[0][0]!r}")
    return [
        warning(
            f"the outcome is {name!r} (mean of all rows {found[0][2]:.4g}), and other columns "
            f"could be it: {listed}{more}. Choose another with {choose}."
        )
    ]


def frequencies(rows: Any, columns: Columns) -> list[Above]:
    """What there is to say of a column that may count how often a row occurred."""
    if "weight" in columns:
        return []
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    for name in named_like(free_columns(rows.columns, columns), _FREQUENCIES):
        often = f"TRY_CAST({quoted(name)} AS DOUBLE)"
        strange, least, most, mean, weighted = rows.aggregate(
            f"count(*) FILTER ({often} IS NULL OR {often} < 0 OR {often} <> floor({often})), "
            f"min({often}), max({often}), avg({outcome}), "
            f"sum({outcome} * {often}) / nullif(sum({often}) FILTER ({outcome} IS NOT NULL), 0)"
        ).fetchall()[0]
        if strange or least == most or None in (mean, weighted) or math.isclose(mean, weighted):
            continue
        weight = way_to_say(f"--map weight={name}", f"weight={name!r}")
        return [
            warning(
                f"{name!r} ({least:g} to {most:g}) is not used: if it says how often a row "
                f"occurred, {weight} weighs by it (mean of all rows {weighted:.4g} instead of "
                f"{mean:.4g})."
            )
        ]
    return []


def counts_of_single_rows(rows: Any, columns: Columns) -> list[Above]:
    """What there is to say of counts of which no question has more than one right of many."""
    trials, right = columns["trials"], columns["correct"]
    if not {"trials", "correct"} & columns.guessed and trials == "trials":
        return []
    number = f"TRY_CAST({quoted(right)} AS DOUBLE)"
    counts = f"max({number}), min(TRY_CAST({quoted(trials)} AS DOUBLE)), avg({number})"
    try:
        most, least, mean = rows.aggregate(counts).fetchall()[0]
    except duckdb.Error:  # a cell that is no number; where rows are counted, its question is named
        return []
    if most is None or most > 1 or least is None or least < 2:
        return []
    outcome = way_to_say(f"--map outcome={right}", f"outcome={right!r}")
    return [
        warning(
            f"{right!r} is 0 or 1 in every row and is taken as how many of {trials!r} trials were "
            f"right. If it says whether a row is right, {outcome} takes it so (mean {mean:.4g})."
        )
    ]
