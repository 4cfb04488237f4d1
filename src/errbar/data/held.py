"""Columns of values in memory → a table in DuckDB, which every other part can work on."""

from collections.abc import Mapping, Sequence
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.rows import Frame

_TEXTS = frozenset({"system", "task", "question", "status", "answer", "target", "cluster"})
_LARGEST = 10**308
_NUMBERS = frozenset({"outcome", "confidence", "weight", "cost"})


def table_of(columns: Mapping[str, Sequence[Any]]) -> Frame:
    """A table with these columns: names as text, outcomes as numbers, others as they are."""
    held = {name: _array(name, values) for name, values in columns.items()}
    engine = duckdb.connect()
    kinds = {"O": "VARCHAR", "f": "DOUBLE", "i": "BIGINT", "b": "BOOLEAN"}
    shown = ", ".join(
        f"CAST({_quoted(name)} AS {kinds[array.dtype.kind]}) AS {_quoted(name)}"
        for name, array in held.items()
    )
    engine.execute(f"CREATE TABLE outcomes AS SELECT {shown} FROM held")
    return nw.from_native(engine.table("outcomes")).lazy()


def _array(name: str, values: Sequence[Any]) -> NDArray[Any]:
    if name in _NUMBERS:
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    kinds = {type(value) for value in values}
    if name not in _TEXTS and kinds == {int} and max(map(abs, values)) < 1 << 62:
        return np.array(values, dtype=np.int64)
    if name not in _TEXTS and kinds == {bool}:
        return np.array(values, dtype=bool)
    if name not in _TEXTS and kinds and kinds <= {int, float, type(None)} and _fit(values):
        return np.array([np.nan if value is None else float(value) for value in values])
    array = np.empty(len(values), dtype=object)
    array[:] = [None if value is None else _text(value) for value in values]
    return array


def _fit(values: Sequence[Any]) -> bool:
    """Whether no whole number is too large for a float."""
    return all(abs(value) < _LARGEST for value in values if isinstance(value, int))


def _text(value: Any) -> str:
    """Text that UTF-8 can hold: half of a pair of surrogates is written out."""
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
