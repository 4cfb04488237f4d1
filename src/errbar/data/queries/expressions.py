"""Columns of an outcomes table, and expressions on them that run on every engine.

`Columns` says which column holds what. Nothing here reads data. A null name stays null until the
rows are grouped: computing a key for every row makes DuckDB's GROUP BY 1.5 times as slow. Clusters
and weights are aggregated here; questions whose rows disagree about them are named in `properties`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.remarks import Above, guess, mapping
from errbar.data.columns import (
    ANSWERS,
    NO_RESULT,
    REFERENCES,
    ROW,
    STATUSES,
    TRIAL_NUMBERS,
    UNSCORED,
    USUAL,
    list_names,
    named_like,
    plain_name,
    require_column,
)
from errbar.data.outcome_words import in_order, refuse_words
from errbar.errors import InputError, WrongType

# Were guessed, since no name told them.
BY_VALUES, ID_BY_VALUES = "outcome by its values", "question by its values"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of a table holds what, and which of them were guessed."""

    named: Mapping[str, str]
    guessed: frozenset[str]
    beside: tuple[str, ...] = ()  # unused columns, when no column names the system
    also: tuple[str, ...] = ()  # other columns that could be the outcome
    unused: tuple[str, ...] = ()  # unused columns, when a column names the system

    def __getitem__(self, meaning: str) -> str:
        return self.named[meaning]

    def __contains__(self, meaning: str) -> bool:
        return meaning in self.named

    def with_meaning(self, meaning: str, name: str, made_of: Sequence[str] = ()) -> Self:
        """Columns with one more that has a meaning, and may be `made_of` others."""
        named = {**self.named, meaning: name}
        ordered = {each: named[each] for each in USUAL if each in named}
        beside, unused = (
            tuple(other for other in names if other not in {name, *made_of})
            for names in (self.beside, self.unused)
        )
        return replace(self, named=MappingProxyType(ordered), beside=beside, unused=unused)

    def describe(self) -> str:
        """Describe the columns in one line.

        Examples
        --------
        >>> from errbar.data.readers.tables.column_choice import find_columns
        >>> find_columns(["task_id", "passed", "model", "score"]).describe()
        'system = model, question = task_id, outcome = passed (or score)'
        >>> find_columns(["question", "outcome", "X1"]).describe()
        "question, outcome; no column names the system, so all rows are one system; not used: 'X1'"
        """
        text = ", ".join(map(self._described, self.named))
        if self.beside:
            text += "; no column names the system, so all rows are one system"
        if unused := self.beside or self.unused:
            text += f"; not used: {list_names(unused, 8)}"
        return text

    def remark(self) -> Above:
        """The description as a guess, to be printed above the results."""
        return guess(f"Columns: {self.describe()}", option="--map", argument="outcome='…'")

    def _described(self, meaning: str) -> str:
        name = self.named[meaning].removeprefix("errbar ")  # a copy of a column of the data
        if self.named[meaning] == ROW:
            if "system" in self.named:
                return "every row is a question and systems are paired by row, as no column has ids"
            return "every row is a question, since no column has ids"
        also = f" (or {', '.join(self.also[:4])})" if meaning == "outcome" and self.also else ""
        numbers = meaning == "trial" and bool(named_like([name], TRIAL_NUMBERS | {"epoch"}))
        if numbers and meaning in self.guessed and "system" not in self.named:
            systems = mapping("system", name)
            what = "epochs of training" if plain_name(name) == "epoch" else "systems"
            also = f" (if these are {what}: {systems})"
        return f"{meaning if name == meaning else f'{meaning} = {name}'}{also}"


Frame = nw.LazyFrame[Any]
ColumnArrays = Mapping[str, NDArray[Any]]

_LONGEST_CELL = 40  # characters of a cell that are shown

TRIAL_NUMBER = "errbar trial number"  # the number of a trial that was read as text
STRANGE = "errbar strange outcome"  # the text of an outcome that is not a number
FILE = "errbar file"  # the file a row comes from, if there are several
PENALTY = "errbar penalty"  # of the probability that was stated for an outcome
HIDDEN = frozenset(
    {TRIAL_NUMBER, STRANGE, FILE, ROW, PENALTY}
)  # added by errbar, not columns of the data


def names_of(frame: Frame, columns: Columns, by: Sequence[str]) -> dict[str, nw.Expr]:
    """The key columns of a question (system, task, `by`, question) as text, where they exist."""
    kinds = frame.collect_schema()
    chosen = {
        name: _words_of(frame, columns[name])
        for name in ("system", "task", "question")
        if name in columns
    }
    for at, name in enumerate(by):
        require_column(name, (kind for kind in kinds if kind not in HIDDEN))
        chosen[f"by {at}"] = text_of(frame, name)
    return chosen


def text_of(frame: Frame, name: str) -> nw.Expr:
    """A column of any type as names, which `name_text` turns into text."""
    if frame.collect_schema()[name] == nw.Float64:  # engines format floats differently
        return without_nan(frame, column_of(frame, name))
    return _words_of(frame, name)


def _words_of(frame: Frame, name: str) -> nw.Expr:
    """A column as text; engines write truth as true, True or 1."""
    column = column_of(frame, name)
    if frame.collect_schema()[name] != nw.Boolean:
        return column.cast(nw.String)
    return nw.when(column).then(nw.lit("true")).otherwise(nw.when(~column).then(nw.lit("false")))


def without_nan(frame: Frame, number: nw.Expr) -> nw.Expr:
    """A column of floats with null for NaN: engines disagree about what NaN equals and exceeds."""
    return nw.when(~number.is_nan()).then(number) if _has_nan(frame) else number


def _has_nan(frame: Frame) -> bool:
    """Whether the engine can hold NaN; SQLite and MySQL store null instead, and have no isnan."""
    if not frame.implementation.is_ibis():
        return True
    from ibis.expr.operations import IsNan  # noqa: PLC0415  loaded if the table is of Ibis

    return bool(nw.to_native(frame).get_backend().has_operation(IsNan))


def name_text(value: Any, nothing: str) -> str:
    """A name returned by the engine as text; `nothing` if it is null."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, float) and not np.isnan(value) else nothing


def keys_in(table: ColumnArrays, by: Sequence[str]) -> list[tuple[str, ...]]:
    """The key of each row: system, task, and the values of the columns in `by`."""
    rows = range(len(next(iter(table.values()))))
    parts = [
        [name_text(value, "") for value in table[name].tolist()]
        if name in table
        else [""] * len(rows)
        for name in ("system", "task")
    ]
    parts += [
        [name_text(value, "(none)") for value in table[f"by {at}"].tolist()]
        for at in range(len(by))
    ]
    return list(zip(*parts, strict=True))


def result_of(frame: Frame, columns: Columns) -> nw.Expr:
    """The outcome, null where a row has no result; integers stay integers, others become floats."""
    name = columns["outcome"]
    kind = frame.collect_schema()[name]
    value = number_of(frame, name, kind, "outcome")
    if kind.is_integer():
        value = column_of(frame, name)
    elif kind != nw.Boolean:
        value = without_nan(frame, value)
    if "status" in columns:
        status = status_of(frame, columns)
        known = nw.when(~status.is_in(NO_RESULT)).then(value)
        value = nw.when(_is_ok(status)).then(value).otherwise(known)
    return value


def status_of(frame: Frame, columns: Columns) -> nw.Expr:
    """The status of a row as text, null if it has none."""
    return column_of(frame, columns["status"]).cast(nw.String)


def _is_ok(status: nw.Expr) -> nw.Expr:
    """Whether a status is null or ok: a fast test that is true for nearly all rows."""
    return status.is_null() | (status == "ok")


def was_unscored(frame: Frame, columns: Columns) -> nw.Expr:
    """Whether a row was never graded, by its status."""
    return status_of(frame, columns).fill_null("ok") == UNSCORED


def graded_rows(frame: Frame, columns: Columns) -> Frame:
    """All rows except those that were never graded."""
    return frame.filter(~was_unscored(frame, columns)) if "status" in columns else frame


def needs_no_outcome(frame: Frame, columns: Columns) -> nw.Expr:
    """1 where the status explains a missing outcome."""
    return one_if(~_is_ok(status_of(frame, columns)))


def unknown_status_of(frame: Frame, columns: Columns) -> nw.Expr:
    """1 where the status is unknown."""
    status = status_of(frame, columns)
    unknown = one_if(~status.is_in(STATUSES))
    return nw.when(_is_ok(status)).then(nw.lit(0).cast(nw.Int64)).otherwise(unknown)


def trial_of(frame: Frame, columns: Columns) -> nw.Expr | None:
    """The trial number, or None if the trials are not numbers that every engine can compare."""
    if "trial" not in columns:
        return None
    kinds = frame.collect_schema()
    name = TRIAL_NUMBER if TRIAL_NUMBER in kinds else columns["trial"]
    known = (nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32)
    return column_of(frame, name) if kinds[name] in known else None


def column_of(frame: Frame, name: str) -> nw.Expr:
    """A column of the data, quoted for Spark, which reads a dot in a name as nesting."""
    if frame.implementation.is_spark_like():
        return nw.col("`" + name.replace("`", "``") + "`")
    return nw.col(name)


def number_of(frame: Frame, name: str, kind: Any, meaning: str) -> nw.Expr:
    """A column as floats; raises an error if it holds anything but numbers."""
    column = column_of(frame, name)
    if kind == nw.Boolean and not frame.implementation.is_dask():  # whose integers have no null
        return column.cast(nw.Int64).cast(nw.Float64)  # for Arrow, which has no cast to floats
    if kind == nw.Boolean or kind.is_numeric():
        return column.cast(nw.Float64)
    what = "text" if kind == nw.String else kind
    raise WrongType(
        f"{meaning} must hold numbers, or true and false; the column {name!r} holds {what}."
    )


def one_if(condition: nw.Expr) -> nw.Expr:
    """1 where the condition is true, 0 elsewhere."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)


def require_order(frame: Frame, remedy: str) -> None:
    """Raise an error for rows of Spark, or of a database through Ibis."""
    if frame.implementation.is_spark_like():
        raise InputError(f"rows in Spark have no order; {remedy}.")
    if frame.implementation.is_ibis():
        raise InputError(f"rows in a database have no order; {remedy}.")


def flag(frame: Frame, condition: nw.Expr) -> nw.Expr:
    """1 where the condition is true, else 0 or null: DuckDB sums narrow integers faster."""
    return one_if(condition) if frame.implementation.is_dask() else condition.cast(nw.Int32)


def fetch(frame: Frame) -> ColumnArrays:
    """Collect a small result as arrays."""
    if frame.implementation.is_duckdb():
        return {name: _plain(column) for name, column in nw.to_native(frame).fetchnumpy().items()}
    table = frame.collect()
    return {name: table.get_column(name).to_numpy() for name in table.columns}


def column_lists(frame: Frame) -> dict[str, list[Any]]:
    """Collect all columns as lists; nulls are None. Rows of DuckDB come without pyarrow."""
    if frame.implementation.is_duckdb():
        relation = nw.to_native(frame)
        rows = relation.fetchall()
        return {name: [row[at] for row in rows] for at, name in enumerate(relation.columns)}
    table = frame.collect()
    lists = {}
    for name in table.columns:
        column = table.get_column(name)
        pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
        lists[str(name)] = [None if null is True else value for value, null in pairs]
    return lists


def _plain(column: NDArray[Any]) -> NDArray[Any]:
    """Null as None in a column of names and as nan in a column of floats."""
    if column.dtype.kind == "f":
        return np.ma.filled(column, np.nan)
    values = np.ma.getdata(column)
    if column.dtype.kind == "O":
        values[np.ma.getmaskarray(column)] = None
    return values


def first_rows(frame: Frame, columns: Columns, number: int) -> list[dict[str, str]]:
    """The first rows as text, keyed by column meaning; long cells are truncated."""
    meanings = [meaning for meaning in columns.named if meaning not in ("answer", "target")]
    shown = {meaning: column_of(frame, columns[meaning]) for meaning in meanings}
    found = column_lists(frame.select(**shown).head(number))
    cells = [["" if cell is None else _cut(cell) for cell in found[name]] for name in meanings]
    return [dict(zip(meanings, row, strict=True)) for row in zip(*cells, strict=True)]


def _cut(cell: Any) -> str:
    text = "" if isinstance(cell, float) and np.isnan(cell) else str(cell)
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def require_numbers(frame: Frame, name: str) -> None:
    """Raise an error if outcomes read as text are not numbers."""
    if STRANGE not in frame.collect_schema():
        return
    not_numbers = frame.filter(~nw.col(STRANGE).is_null()).select(nw.col(STRANGE).alias("text"))
    table = fetch(not_numbers.group_by("text").agg(nw.len().alias("n")))
    words = zip(table["text"].tolist(), table["n"].tolist(), strict=True)
    if table["n"].size:
        names = frame.collect_schema().names() if plain_name(name) in ANSWERS else []
        beside = [other for other in named_like(names, REFERENCES | {"answer"}) if other != name]
        refuse_words(in_order(words), name, beside)


# By property: its columns of a question, and the aggregates that compute them, which have the same
# names in narwhals and in SQL.
AGGREGATES = {
    "cluster": {"cluster": "min", "last cluster": "max", "clustered": "count"},
    "weight": {"weight": "min", "last weight": "max", "weighted": "count"},
}
_NO_WEIGHT = ("", "nan", "null", "none", "na")


def properties_in(frame: Frame, columns: Columns) -> dict[str, nw.Expr]:
    """The cluster and the weight of each row, where there are such columns."""
    return cluster_in(frame, columns) | weight_in(frame, columns)


def cluster_in(frame: Frame, columns: Columns) -> dict[str, nw.Expr]:
    """The cluster of each row, null where it is missing; empty if there is no such column."""
    if "cluster" not in columns:
        return {}
    name = text_of(frame, columns["cluster"])
    if frame.collect_schema()[columns["cluster"]] != nw.Float64:
        name = nw.when(name != "").then(name)  # a CSV file cannot distinguish null from ""
    return {"cluster": name}


def weight_in(frame: Frame, columns: Columns) -> dict[str, nw.Expr]:
    """The weight of each row, null where it is missing; empty if there is no such column."""
    if "weight" not in columns:
        return {}
    name, column = columns["weight"], column_of(frame, columns["weight"])
    kind = frame.collect_schema()[name]
    if kind == nw.Boolean or kind.is_numeric():
        number = number_of(frame, name, kind, "weight")
        return {"weight": without_nan(frame, number)}
    text = column.cast(nw.String)
    return {"weight": nw.when(~text.str.to_lowercase().is_in(_NO_WEIGHT)).then(text)}


def aggregates(properties: Iterable[str]) -> list[nw.Expr]:
    """Aggregates of the properties of a question's rows, as narwhals expressions."""
    return [
        getattr(nw.col(name), how)().alias(column)
        for name in properties
        for column, how in AGGREGATES[name].items()
    ]


def aggregates_in_sql(properties: Iterable[str]) -> list[str]:
    """Aggregates of the properties of a question's rows, in SQL."""
    return [
        f'{how}("{name}") AS "{column}"'
        for name in properties
        for column, how in AGGREGATES[name].items()
    ]


def is_inconsistent(name: str, rows: str) -> nw.Expr:
    """Positive if the rows of a question have two values of a property, or only some have one."""
    first, last, some = (nw.col(column) for column in AGGREGATES[name])
    some = some.cast(nw.Int64)
    two = (first != last) & ~first.is_null()  # pandas uses NaN for null in some column types
    return one_if(two) + one_if((some > 0) & (some < nw.col(rows).cast(nw.Int64)))
