"""Rows one after another, in the order of their names, however many there are.

The engine sorts them into a file of JSON lines for a while, so that neither it nor Python has to
hold them all.
"""

import math
from collections.abc import Generator
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from errbar.data.engine_errors import plain_errors
from errbar.data.held import table_of
from errbar.data.json_text import parse
from errbar.data.outcomes import Columns
from errbar.data.rows import HIDDEN, TRIAL_NUMBER, Frame
from errbar.data.whole import for_a_while
from errbar.errors import InputError

_NAMES = ("system", "task", "question")
_NO_NUMBERS = {"NaN": None, "Infinity": math.inf, "-Infinity": -math.inf}  # as DuckDB writes them


class Row(NamedTuple):
    """A trial: what its columns mean, and what else stands there under which name."""

    told: dict[str, Any]  # by meaning: system, task, question and outcome at least
    others: dict[str, Any]


def rows_in_order(frame: Frame, columns: Columns, directory: Path) -> Generator[Row]:
    """Rows by system, task, question and trial; those without a trial as they stand.

    The directory has the file for a while.
    """
    frame, named = _in_duckdb(frame, dict(columns.named))
    present = frame.collect_schema().names()
    others = [one for one in present if one not in (*named.values(), *HIDDEN)]
    with for_a_while(directory, ".jsonl") as file:
        with plain_errors():
            shown = f"SELECT {_shown(named, others)} FROM rows ORDER BY {_order(named, present)}"
            copy = f"COPY ({shown}) TO {_text(str(file))} (FORMAT json, USE_TMP_FILE false)"
            nw.to_native(frame).query("rows", copy).fetchall()
        with file.open("rb") as lines:
            for line in lines:
                values = list(parse(line, _NO_NUMBERS.get).values())
                yield Row(
                    {"system": "", "task": "", **dict(zip(named, values, strict=False))},
                    dict(zip(others, values[len(named) :], strict=True)),
                )


def _in_duckdb(frame: Frame, named: dict[str, str]) -> tuple[Frame, dict[str, str]]:
    """The same rows where DuckDB has them, and what their columns are called there."""
    if frame.implementation.is_duckdb():
        return frame, named
    if frame.implementation.is_spark_like():
        raise InputError("rows in Spark are not written one by one; load their files by DuckDB.")
    texts = [nw.col(named[one]).cast(nw.String) for one in _NAMES if one in named]
    table = frame.with_columns(*texts).collect()
    held = {}
    for name in table.columns:
        column = table.get_column(name)
        pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
        held[name] = [None if is_null else value for value, is_null in pairs]
    moved = table_of(held)
    new = dict(zip(table.columns, moved.collect_schema().names(), strict=True))
    return moved, {meaning: new[name] for meaning, name in named.items()}


def _shown(named: dict[str, str], others: list[str]) -> str:
    """Columns under numbers, as names may differ by case alone; names as text, never null."""
    parts = [_name(name) if one in _NAMES else _quoted(name) for one, name in named.items()]
    parts += [_quoted(name) for name in others]
    return ", ".join(f"{part} AS {_quoted(str(at))}" for at, part in enumerate(parts))


def _order(named: dict[str, str], present: list[str]) -> str:
    parts = [_name(named[meaning]) for meaning in _NAMES if meaning in named]
    parts += [_quoted(TRIAL_NUMBER)] if TRIAL_NUMBER in present else []
    parts += [_quoted(named["trial"])] if "trial" in named else []
    return ", ".join([*parts, "row_number() OVER ()"])


def _name(column: str) -> str:
    return f"coalesce(CAST({_quoted(column)} AS VARCHAR), '')"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
