"""Costs of the rows of each question, by one GROUP BY, and prices of models.

Right rows are summed separately from all rows. Prices are per million tokens and come from the
user; none are built in.
"""

import csv
import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.base.remarks import some_of
from errbar.data.columns import plain_name, require_column
from errbar.data.queries.expressions import (
    HIDDEN,
    Columns,
    Frame,
    column_lists,
    column_of,
    fetch,
    flag,
    graded_rows,
    keys_in,
    name_text,
    names_of,
    number_of,
    result_of,
    without_nan,
)
from errbar.data.readers.documents import parsed
from errbar.errors import InputError, UnknownColumn, WrongType

_SUMS = ("right", "reward", "paid", "spent", "paid_right", "spent_right", "least")


@dataclass(frozen=True, eq=False, kw_only=True)
class QuestionCosts:
    """Numbers of rows, results and costs by question, for one system and task."""

    questions: tuple[str, ...]
    rows: Integers  # numbers of rows, except rows that were never graded
    scored: Integers  # rows with a result
    right: Integers  # rows with result 1
    reward: Array  # sum of the results
    paid: Integers  # rows with a cost
    spent: Array  # the sum of these costs
    paid_right: Integers  # right rows with a cost
    spent_right: Array
    least: Array  # the least cost of a row


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
            nw.col("paid").min().alias("least"),
            nw.col("paid_right").count().alias("paid_right"),
            nw.col("paid_right").sum().alias("spent_right"),
        )
    )
    places: dict[tuple[str, ...], dict[str, int]] = {}
    for at, (key, question) in enumerate(
        zip(keys_in(table, ()), table["question"].tolist(), strict=True)
    ):
        places.setdefault(key, {})[name_text(question, "")] = at
    sums = {name: _zero_for_null(table[name]) for name in ("rows", "scored", *_SUMS)}
    return {key: _costs_of(places[key], sums) for key in sorted(places)}


def _amount(frame: Frame, column: str) -> nw.Expr:
    """A column as numbers, null where a row has none; texts must be numbers or empty."""
    kinds = frame.collect_schema()
    require_column(column, (name for name in kinds if name not in HIDDEN), "with a cost")
    if kinds[column] == nw.String:
        text = column_of(frame, column).str.strip_chars()
        if not (frame.implementation.is_duckdb() or frame.implementation.is_spark_like()):
            _require_numbers(column_lists(frame.select(text.alias("text")))["text"], column)
        return nw.when(text != "").then(text).cast(nw.Float64)
    return without_nan(frame, number_of(frame, column, kinds[column], "the cost"))


def _require_numbers(texts: Iterable[str | None], column: str) -> None:
    """Refuse a text that is no number; DuckDB and Spark do so by themselves."""
    for text in filter(None, texts):
        try:
            float(text if text.isascii() and "_" not in text else "")  # only Python reads others
        except ValueError:
            raise InputError(
                f"the cost in column {column!r} has {text!r:.80}, which is no number."
            ) from None


def _zero_for_null(column: Array) -> Array:
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
    parts = {name: sums[name][at] for name in ("reward", "spent", "spent_right", "least")}
    return QuestionCosts(questions=tuple(names), **whole, **parts)


INPUT_TOKENS = frozenset(
    map(plain_name, ("input_tokens", "prompt_tokens", "n_input_tokens", "tokens_in"))
)
OUTPUT_TOKENS = frozenset(
    map(plain_name, ("output_tokens", "completion_tokens", "n_output_tokens", "tokens_out"))
)
_MILLION = 1e6


class Price(NamedTuple):
    """The price of a million tokens that a model reads, and that it writes."""

    input: float
    output: float

    def of(self, read: Any, written: Any) -> Any:
        """The price of tokens."""
        return (self.input * read + self.output * written) / _MILLION


def read_prices(table: Any) -> dict[str, Price]:
    """Prices by model: from a CSV or JSON file, or from pairs of numbers by model.

    Examples
    --------
    >>> read_prices({"small": (0.25, 2.0)})
    {'small': Price(input=0.25, output=2.0)}
    """
    if isinstance(table, Mapping):
        rows = [{"model": model, **_fields_of(price)} for model, price in table.items()]
        return _prices(rows, "the price table")
    if not isinstance(table, str | Path):
        raise WrongType(f"prices must be a file, or pairs of numbers by model; got {table!r:.80}.")
    path = Path(table)
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(f"{path}: the price table is a folder or a device, not a file.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # no such file, a null byte, no UTF-8
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{path}: the price table cannot be read: {why}.") from error
    is_json = text.lstrip()[:1] in ("[", "{")
    found = parsed(text.encode(), str(path)) if is_json else _rows_of_csv(text, str(path))
    if isinstance(found, Mapping):
        found = [{"model": model, **_fields_of(price)} for model, price in found.items()]
    return _prices(found if isinstance(found, Iterable) else [found], str(path))


def _rows_of_csv(text: str, where: str) -> list[dict[str, str]]:
    """The rows below the header, which must have a cell for each of its names."""
    rows = csv.DictReader(text.splitlines())
    try:
        found = list(rows)
    except csv.Error as error:
        raise InputError(f"{where}: the price table is not CSV: {error}.") from error
    names = rows.fieldnames or []
    if len({*names}) < len(names):
        raise InputError(f"{where}: the price table has two columns of the same name.")
    longer = next((row for row in found if None in row), None)
    if longer is not None:
        raise InputError(f"{where}: a row of prices is longer than the header: {longer!r:.80}.")
    return found


def _fields_of(price: Any) -> dict[str, Any]:
    """The price of a model by name, from an object or a pair."""
    if isinstance(price, Mapping):
        return dict(price)
    is_pair = isinstance(price, list | tuple) and len(price) == 2
    return {"input": price[0], "output": price[1]} if is_pair else {"price": price}


def _prices(rows: Iterable[Mapping[str, Any]], where: str) -> dict[str, Price]:
    prices: dict[str, Price] = {}
    for row in rows:
        try:
            model, price = str(row["model"]), Price(float(row["input"]), float(row["output"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            shown = dict(row) if isinstance(row, Mapping) else row
            raise InputError(
                f"{where}: a row of prices needs a model, and the numbers input and output, the "
                f"prices of a million tokens; got {shown!r:.80}."
            ) from error
        strange = not all(math.isfinite(part) and part >= 0.0 for part in price)
        if strange or model in prices:
            reason = "is negative or infinite" if strange else "is given twice"
            raise InputError(f"{where}: the price of {model!r} {reason}.")
        prices[model] = price
    if not prices:
        raise InputError(f"{where}: it has no prices.")
    return prices


def price_of(system: str, prices: Mapping[str, Price]) -> Price:
    """The price of a system, by its name or by what follows the last slash in it."""
    price = prices.get(system) or prices.get(system.rpartition("/")[2])
    if price is None:
        known = some_of(map(repr, prices), 8)
        raise UnknownColumn(f"there is no price of {system!r}; the table has: {known}.")
    return price
