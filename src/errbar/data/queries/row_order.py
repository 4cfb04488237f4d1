"""Rows in order: trials as logged, questions as they are completed, or rows sorted by name."""

import math
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Integers
from errbar.base.files import temporary_file
from errbar.base.remarks import have, setting
from errbar.data.columns import require_column
from errbar.data.engines.duckdb import plain_errors, quoted, table_of, text_literal, text_of
from errbar.data.queries.expressions import (
    HIDDEN,
    TRIAL_NUMBER,
    Columns,
    Frame,
    cluster_in,
    column_lists,
    column_of,
    fetch,
    name_text,
    names_of,
    one_if,
    require_order,
    result_of,
    was_unscored,
)
from errbar.data.readers.documents import parse
from errbar.errors import InputError

Names = NDArray[Any]


class OrderedRows(NamedTuple):
    """Rows in chronological order."""

    system: Names
    task: Names
    question: Names
    outcome: NDArray[np.float64]  # nan where there is no result
    cluster: Names | None = None  # "" for a question without one
    graded: NDArray[np.bool_] | None = None  # None if all rows are


class CompletedQuestions(NamedTuple):
    """Questions with all their trials, in the order of completion."""

    questions: Names
    values: NDArray[np.float64]  # mean outcome of the trials of each
    rows: Integers  # index of the row that completed each question
    clusters: Names | None
    pending: int  # number of incomplete questions
    unused: int  # number of surplus trials
    known: frozenset[str]  # all questions, complete or not

    def some(self, at: Integers) -> "CompletedQuestions":
        """Select questions by index, in that order."""
        return self._replace(
            questions=self.questions[at],
            values=self.values[at],
            rows=self.rows[at],
            clusters=None if self.clusters is None else self.clusters[at],
        )

    def one_of_each_cluster(self) -> "CompletedQuestions":
        """Keep the first completed question of each cluster, and all without a cluster."""
        if self.clusters is None:
            return self
        first = {name: at for at, name in reversed([*enumerate(self.clusters.tolist())]) if name}
        alone = np.flatnonzero(self.clusters == "").tolist()
        return self.some(_as_whole_numbers(sorted([*first.values(), *alone])))


def _as_whole_numbers(numbers: list[int]) -> Integers:
    return np.array(numbers, dtype=np.int64)


def ordered_rows(frame: Frame, columns: Columns, order: str | None) -> OrderedRows:
    """Rows of a table in stored order, or sorted by a column."""
    if frame.implementation.is_spark_like():
        require_order(frame, "load their files with DuckDB instead")
    if order is None:
        require_order(frame, f"name the column that orders them with {setting('order', '…')}")
    names = names_of(frame, columns, ())
    chosen = names | {"outcome": result_of(frame, columns).cast(nw.Float64)}
    chosen |= cluster_in(frame, columns)
    if "status" in columns:
        chosen["unscored"] = one_if(was_unscored(frame, columns))
    if order is not None:
        kinds = frame.collect_schema()
        require_column(order, kinds, "to order by")
        kind = nw.Float64 if kinds[order].is_numeric() else nw.String
        chosen["order"] = column_of(frame, order).cast(kind)
    table = fetch(frame.select(**chosen))
    rows = len(table["question"])
    system, task, question, cluster = (
        _texts(table[name]) if name in table else np.full(rows, "", dtype=object)
        for name in ("system", "task", "question", "cluster")
    )
    outcome = np.asarray(table["outcome"], dtype=float)
    at = np.arange(rows) if order is None else _sort_rows(table["order"], order)
    together = cluster[at] if "cluster" in table else None
    graded = table["unscored"][at] == 0 if "unscored" in table else None
    return OrderedRows(system[at], task[at], question[at], outcome[at], together, graded)


def _texts(column: Names) -> Names:
    texts = np.empty(len(column), dtype=object)
    texts[:] = [name_text(value, "") for value in column.tolist()]
    return texts


def _sort_rows(column: Names, name: str) -> Integers:
    """Sort rows by number if all are numbers, else by text; ties keep their order."""
    values = column.tolist()
    missing = sum(value in (None, "") or str(value) == "nan" for value in values)
    if missing:
        raise InputError(
            f"{missing} of {len(values)} rows {have(missing)} no value in the column {name!r}, so "
            f"the rows cannot be sorted by it. Choose another column, or none to keep the stored "
            f"order."
        )
    try:
        keys = np.array([float(value) for value in values])
    except ValueError:
        keys = np.array([str(value) for value in values])
    return np.argsort(keys, kind="stable")


def ordered_rows_of_matrices(matrices: Mapping[str, NDArray[Any]]) -> OrderedRows:
    """Rows of matrices, by question and then by trial."""
    parts = []
    for name, matrix in matrices.items():
        number = np.repeat(np.arange(1, len(matrix) + 1), matrix.shape[1])
        texts = np.array([str(text) for text in number.tolist()], dtype=object)
        system = np.full(texts.size, name, dtype=object)
        parts.append(
            (system, np.full(texts.size, "", dtype=object), texts, matrix.ravel().astype(float))
        )
    return OrderedRows(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def completed_questions(turns: OrderedRows, rows: Integers, trials: int) -> CompletedQuestions:
    """Complete questions, each with its first `trials` trials.

    `rows` are the indices of the rows of one system and task that have a result.

    Examples
    --------
    >>> names = np.array(["a", "b", "b", "a", "c", "a"], dtype=object)
    >>> some = OrderedRows(names, names, names, np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0]))
    >>> found = completed_questions(some, np.arange(6), trials=2)
    >>> found.questions.tolist(), found.values.tolist(), found.pending, found.unused
    (['b', 'a'], [0.5, 1.0], 1, 1)
    """
    names, question = np.unique(turns.question[rows], return_inverse=True)
    turn = _trial_index(question, names.size)
    counted = turn < trials
    totals = np.bincount(question[counted], turns.outcome[rows[counted]], minlength=names.size)
    last = turn == trials - 1
    done = question[last]
    return CompletedQuestions(
        names[done],
        totals[done] / trials,
        rows[last],
        None if turns.cluster is None else turns.cluster[rows[last]],
        names.size - done.size,
        int((~counted).sum()),
        frozenset(names.tolist()),
    )


def _trial_index(question: Integers, number: int) -> Integers:
    """Number of earlier rows of the same question, for each row."""
    order = np.argsort(question, kind="stable")
    starts = np.searchsorted(question[order], np.arange(number))
    turn = np.empty(question.size, dtype=np.int64)
    turn[order] = np.arange(question.size) - starts[question[order]]
    return turn


_NAMES = ("system", "task", "question")
_NO_NUMBERS = {"NaN": None, "Infinity": math.inf, "-Infinity": -math.inf}  # as DuckDB writes them


class Row(NamedTuple):
    """A trial: values by column meaning, and the values of all other columns by name."""

    values: dict[str, Any]  # values by meaning: system, task, question and outcome at least
    others: dict[str, Any]


def rows_in_order(frame: Frame, columns: Columns, directory: Path) -> Generator[Row]:
    """Rows sorted by system, task, question and trial; without a trial, in stored order.

    A temporary file is written to the directory.
    """
    frame, named = _in_duckdb(frame, dict(columns.named))
    present = frame.collect_schema().names()
    others = [column for column in present if column not in (*named.values(), *HIDDEN)]
    with temporary_file(directory, ".jsonl") as file:
        with plain_errors():
            columns_shown, order = _select_numbered(named, others), _order(named, present)
            shown = f"SELECT {columns_shown} FROM rows ORDER BY {order}"
            copy = f"COPY ({shown}) TO {text_literal(str(file))} (FORMAT json, USE_TMP_FILE false)"
            nw.to_native(frame).query("rows", copy).fetchall()
        with file.open("rb") as lines:
            for line in lines:
                values = list(parse(line, _NO_NUMBERS.get).values())
                yield Row(
                    {"system": "", "task": "", **dict(zip(named, values, strict=False))},
                    dict(zip(others, values[len(named) :], strict=True)),
                )


def _in_duckdb(frame: Frame, named: dict[str, str]) -> tuple[Frame, dict[str, str]]:
    """Move the rows to DuckDB; returns them with their column names there."""
    if frame.implementation.is_duckdb():
        return frame, named
    if frame.implementation.is_spark_like():
        raise InputError(
            "rows in Spark cannot be written one by one; load their files with DuckDB instead."
        )
    texts = [nw.col(named[meaning]).cast(nw.String) for meaning in _NAMES if meaning in named]
    columns_of_rows = column_lists(frame.with_columns(*texts))
    moved = table_of(columns_of_rows)
    new = dict(zip(columns_of_rows, moved.collect_schema().names(), strict=True))
    return moved, {meaning: new[name] for meaning, name in named.items()}


def _select_numbered(named: dict[str, str], others: list[str]) -> str:
    """Select columns under numbers, since names may differ only in case; names are never null."""
    parts = [
        text_of(name) if meaning in _NAMES else quoted(name) for meaning, name in named.items()
    ]
    parts += [quoted(name) for name in others]
    return ", ".join(f"{part} AS {quoted(str(at))}" for at, part in enumerate(parts))


def _order(named: dict[str, str], present: list[str]) -> str:
    parts = [text_of(named[meaning]) for meaning in _NAMES if meaning in named]
    parts += [quoted(TRIAL_NUMBER)] if TRIAL_NUMBER in present else []
    parts += [quoted(named["trial"])] if "trial" in named else []
    return ", ".join([*parts, "row_number() OVER ()"])
