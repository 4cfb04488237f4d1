"""Weights of questions in a mean over questions.

The GROUP BY that counts the rows of a question also computes the minimum and the maximum of their
weights and the number of rows that have one. A question is consistent if minimum and maximum are
equal and every row has a weight. Weights read as text are parsed here, so that all engines agree.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import is_missing
from errbar.base.arrays import Array
from errbar.base.remarks import way_to_say
from errbar.data.columns import Columns
from errbar.data.expressions import (
    Frame,
    Table,
    called,
    column_of,
    fetch,
    keys_in,
    names_of,
    number_of,
    one_if,
    without_nan,
)
from errbar.errors import InputError

Key = tuple[str, ...]

# names of both narwhals and SQL
_TAKEN = {"weight": "min", "last weight": "max", "weighted": "count"}
_NOTHING = ("", "nan", "null", "none", "na")


def weight_in(frame: Frame, columns: Columns) -> dict[str, nw.Expr]:
    """The weight of each row, null where it is missing; empty if there is no such column."""
    if "weight" not in columns:
        return {}
    name, column = columns["weight"], column_of(frame, columns["weight"])
    kind = frame.collect_schema()[name]
    if kind == nw.Boolean or kind.is_numeric():
        number = number_of(frame, name, kind, "weight")
        return {"weight": without_nan(number)}
    text = column.cast(nw.String)
    return {"weight": nw.when(~text.str.to_lowercase().is_in(_NOTHING)).then(text)}


def weights_taken() -> list[nw.Expr]:
    """Aggregates of the weights of a question's rows, as narwhals expressions."""
    return [getattr(nw.col("weight"), how)().alias(name) for name, how in _TAKEN.items()]


def weights_taken_in_sql() -> list[str]:
    """Aggregates of the weights of a question's rows, in SQL."""
    return [f'{how}("weight") AS "{name}"' for name, how in _TAKEN.items()]


def is_uneven(rows: str) -> nw.Expr:
    """Positive if a question has two weights, or only some of its rows have a weight."""
    some = nw.col("weighted").cast(nw.Int64)
    first, last = nw.col("weight"), nw.col("last weight")
    two = (first != last) & ~first.is_null()
    return one_if(two) + one_if((some > 0) & (some < nw.col(rows).cast(nw.Int64)))


def questions_with_weights(frame: Frame, columns: Columns, by: Sequence[str]) -> Frame:
    """A row per question: its key and the aggregates of its weights."""
    names = names_of(frame, columns, by)
    named = {
        name: text.fill_null("") if name in ("system", "task") else text
        for name, text in names.items()
    }
    rows = frame.select(**named, **weight_in(frame, columns))
    return rows.group_by(*names).agg(nw.len().alias("rows"), *weights_taken())


def have_faults(table: Table) -> bool:
    """Whether any weight may be invalid or inconsistent."""
    if "weight" not in table:
        return False
    weights = numbers_in(table["weight"])
    lacking, given = np.isnan(weights), [called_weight(value) for value in table["weight"].tolist()]
    strange = any(weight is not None and math.isnan(_number(weight)) for weight in given)
    some = bool(lacking.any()) and not lacking.all()
    bad = bool((weights < 0).any() or np.isinf(weights).any())
    return strange or some or bad or bool(np.any(table["uneven"]))


def numbers_in(column: NDArray[Any]) -> Array:
    """Weights as floats; nan where a weight is missing or not a number."""
    return np.array(
        [
            math.nan if value is None else _number(value)
            for value in map(called_weight, column.tolist())
        ],
        dtype=float,
    )


def called_weight(value: Any) -> str | float | None:
    """A weight returned by the engine as text; None if it is null."""
    if isinstance(value, str):
        return value
    return None if is_missing(value) else float(value)


def _number(value: str | float) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan


class _WeightsOfRows(NamedTuple):
    """The weights found in the rows of a question."""

    name: tuple[str, ...]
    first: str | float | None
    last: str | float | None
    some: int
    rows: int

    def fault(self, *, others: bool) -> str:
        """Describe what is wrong with the weight; empty if it is valid."""
        if self.first is None or self.last is None:
            return "has no weight, while others have one" if others else ""
        if self.some < self.rows:
            return f"has the weight {self.first} in only {self.some} of its {self.rows} rows"
        least, most = _number(self.first), _number(self.last)
        for given, number in ((self.first, least), (self.last, most)):
            if math.isnan(number):
                return f"has the weight {given!r:.60}, which is not a number"
            if number < 0 or math.isinf(number):
                return f"has the weight {given}; weights must be finite and at least 0"
        return f"has the weights {self.first} and {self.last}" if least != most else ""


def refuse_faults(questions: Frame, columns: Columns) -> None:
    """Raise an error that names a question with an invalid weight."""
    table = fetch(questions)
    keys = [name for name in ("system", "task", "question") if name in table]
    texts = zip(
        *([called(value, "") for value in table[name].tolist()] for name in keys), strict=True
    )
    said = [
        _WeightsOfRows(name, called_weight(first), called_weight(last), int(some), int(rows))
        for name, first, last, some, rows in zip(
            texts, *(table[name].tolist() for name in (*_TAKEN, "rows")), strict=True
        )
    ]
    others = any(group.first is not None for group in said)
    faults = [(group.name, fault) for group in said if (fault := group.fault(others=others))]
    if not faults:
        return
    name, fault = min(faults)
    whose = ", ".join(f"{what} {part!r:.80}" for what, part in zip(keys, name, strict=True) if part)
    more = f" ({len(faults) - 1} more like it)" if len(faults) > 1 else ""
    raise InputError(
        f"each question must have one weight; {whose} {fault}{more}. Correct the column "
        f"{columns['weight']!r}, map another with {_other_column()}, or ignore weights: "
        f"{without_weights()}"
    )


def refuse_disagreement(frame: Frame, columns: Columns, table: Table) -> None:
    """Raise an error if systems give different weights to the same question."""
    if not {"weight", "system"} <= table.keys() or len({*table["system"].tolist()}) < 2:
        return
    each = questions_with_weights(frame, columns, ())
    keys = [name for name in ("task", "question") if name in each.collect_schema().names()]
    ends = {"weight": nw.col("weight").min(), "last weight": nw.col("weight").max()}
    both = each.group_by(*keys).agg(**ends).filter(nw.col("weight") != nw.col("last weight"))
    found = fetch(both)
    first, last = (numbers_in(found[name]) for name in ends)
    apart = np.flatnonzero(first != last)
    if not apart.size:
        return
    question = min(str(found["question"][at]) for at in apart)
    mine = fetch(each.filter(nw.col("question").cast(nw.String) == question))
    by_weight = dict(zip(numbers_in(mine["weight"]).tolist(), mine["system"].tolist(), strict=True))
    (low, of_low), *_, (high, of_high) = sorted(by_weight.items())
    more = f" ({apart.size - 1} more like it)" if apart.size > 1 else ""
    raise InputError(
        f"question {question!r:.80} has the weight {low:g} for {str(of_low)!r:.80} and {high:g} "
        f"for {str(of_high)!r:.80}{more}; a question has one weight. Correct the column "
        f"{columns['weight']!r}, or ignore weights: {without_weights()}"
    )


def _other_column() -> str:
    return way_to_say("--map weight=...", "load(data, weight='...')")


def without_weights() -> str:
    """The option or argument that ignores weights."""
    return way_to_say("--map weight=", "weight=None")


def weights_of(frame: Frame, columns: Columns, by: Sequence[str]) -> dict[Key, dict[str, float]]:
    """Weight of each question, by slice; empty if no row has a weight."""
    if "weight" not in columns:
        return {}
    table = fetch(questions_with_weights(frame, columns, by))
    weights = numbers_in(table["weight"])
    if np.isnan(weights).all():
        return {}
    found: dict[Key, dict[str, float]] = {}
    for key, question, weight in zip(
        keys_in(table, by), table["question"].tolist(), weights.tolist(), strict=True
    ):
        found.setdefault(key, {})[question] = weight
    return found


def refuse_weights(frame: Frame, columns: Columns, use: str) -> None:
    """Raise an error if questions have different weights where weights are not supported."""
    if "weight" not in columns:
        return
    rows = frame.select(**weight_in(frame, columns))
    table = fetch(rows.group_by("weight").agg(nw.len().alias("rows")).head(3))
    if len(table["rows"]) > 1:
        raise InputError(
            f"the column {columns['weight']!r} gives questions different weights, and {use} takes "
            f"none. Do without them: {without_weights()}"
        )
