"""What the rows of each question cost, apart for those that are right, by one GROUP BY."""

from collections.abc import Mapping
from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.data.columns import require_column
from errbar.data.queries.expressions import (
    HIDDEN,
    Columns,
    Frame,
    called,
    column_of,
    fetch,
    flag,
    graded_rows,
    keys_in,
    names_of,
    number_of,
    result_of,
    without_nan,
)

_SUMS = ("right", "reward", "paid", "spent", "paid_right", "spent_right")


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionCosts:
    """The rows of one system and task by question: how many, with which result, and their cost."""

    questions: tuple[str, ...]
    rows: Integers  # but for rows that were never graded
    scored: Integers  # rows with a result
    right: Integers  # rows with result 1
    reward: Array  # sum of the results
    paid: Integers  # rows with a cost
    spent: Array  # the sum of these costs
    paid_right: Integers  # right rows with a cost
    spent_right: Array


def question_costs(
    frame: Frame, columns: Columns, column: str
) -> dict[tuple[str, ...], QuestionCosts]:
    """The costs of every system and task, sorted by name; `column` has the cost of a row."""
    names = names_of(frame, columns, ())
    rows = graded_rows(frame, columns).select(
        **names, outcome=result_of(frame, columns), paid=_amount(frame, column)
    )
    is_right = nw.col("outcome") == 1
    rows = rows.with_columns(
        right=flag(frame, is_right),
        reward=nw.col("outcome").cast(nw.Float64),
        paid_right=nw.when(is_right).then(nw.col("paid")),
    )
    table = fetch(
        rows.group_by(*names).agg(
            nw.len().alias("rows"),
            nw.col("outcome").count().alias("scored"),
            nw.col("reward").sum(),
            nw.col("right").sum(),
            nw.col("paid").count().alias("paid"),
            nw.col("paid").sum().alias("spent"),
            nw.col("paid_right").count().alias("paid_right"),
            nw.col("paid_right").sum().alias("spent_right"),
        )
    )
    places: dict[tuple[str, ...], dict[str, int]] = {}
    for at, (key, question) in enumerate(
        zip(keys_in(table, ()), table["question"].tolist(), strict=True)
    ):
        places.setdefault(key, {})[called(question, "")] = at
    sums = {name: _filled(table[name]) for name in ("rows", "scored", *_SUMS)}
    return {key: _costs_of(places[key], sums) for key in sorted(places)}


def _amount(frame: Frame, column: str) -> nw.Expr:
    """A column as numbers, null where a row has none; texts must be numbers or empty."""
    kinds = frame.collect_schema()
    require_column(column, (name for name in kinds if name not in HIDDEN), "with a cost")
    if kinds[column] == nw.String:
        text = column_of(frame, column).str.strip_chars()
        return nw.when(text != "").then(text).cast(nw.Float64)
    return without_nan(frame, number_of(frame, column, kinds[column], "the cost"))


def _filled(column: Array) -> Array:
    """A column of sums with 0 for null: engines differ in the sum of nothing."""
    numbers = np.array([0.0 if value is None else float(value) for value in column.tolist()])
    return np.where(np.isnan(numbers), 0.0, numbers)


def _costs_of(places: Mapping[str, int], sums: Mapping[str, Array]) -> QuestionCosts:
    names = sorted(places)
    at = np.array([places[name] for name in names])
    whole = {
        name: sums[name][at].round().astype(np.int64)
        for name in ("rows", "scored", "right", "paid", "paid_right")
    }
    parts = {name: sums[name][at] for name in ("reward", "spent", "spent_right")}
    return QuestionCosts(questions=tuple(names), **whole, **parts)
