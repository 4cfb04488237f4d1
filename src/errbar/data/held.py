"""Columns of values in memory → a table in DuckDB, which every other part can work on."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.engine import own_engine, quoted
from errbar.data.rows import Frame

_TEXTS = frozenset({"system", "task", "question", "status", "answer", "target", "cluster"})
_NUMBERS = frozenset({"outcome", "confidence", "weight", "cost"})
_KINDS = {"O": "VARCHAR", "f": "DOUBLE", "i": "BIGINT", "b": "BOOLEAN"}
_serial = count(1)  # tables of one process have names of their own
_LARGEST = 1 << 62  # a whole number beyond is held as text


def table_of(columns: Mapping[str, Sequence[Any]]) -> Frame:
    """A table with these columns: names as text, outcomes as numbers, others as they are."""
    return nw.from_native(stored(own_engine(), columns, _NUMBERS)).lazy()


def stored(
    engine: Any, columns: Mapping[str, Sequence[Any]], numbers: Collection[str] = frozenset()
) -> Any:
    """The relation of a table that an engine keeps for a while; `numbers` are read as floats."""
    arrays = [_array(name, values, numbers) for name, values in columns.items()]
    held = {f"column{at}": array for at, array in enumerate(arrays)}
    shown = ", ".join(
        f"CAST({at} AS {_KINDS[array.dtype.kind]}) AS {quoted(name)}"
        for (at, array), name in zip(held.items(), _apart(columns), strict=True)
    )
    name = f"errbar_{next(_serial)}"
    engine.execute(f"CREATE TEMP TABLE {name} AS SELECT {shown} FROM held")
    return engine.table(name)


def _apart(names: Iterable[str]) -> list[str]:
    """Names that the engine tells apart; it takes Level and level for one."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = _text(name).replace("\0", "\\0") or "(no name)"
        free, at = plain, 1
        while free.casefold() in taken:
            at += 1
            free = f"{plain} ({at})"
        taken.add(free.casefold())
        found.append(free)
    return found


def _array(name: str, values: Sequence[Any], numbers: Collection[str]) -> NDArray[Any]:
    kinds = {*map(type, values)}
    if name in numbers:
        return _floats(values)
    if name not in _TEXTS and kinds:
        largest = _largest_whole(values, kinds)
        if kinds == {bool}:
            return np.array(values, dtype=bool)
        if kinds == {int} and largest < _LARGEST:
            return np.array(values, dtype=np.int64)
        if kinds <= {int, float, type(None)} and kinds != {type(None)} and largest < _LARGEST:
            return _floats(values)
    array = np.empty(len(values), dtype=object)
    array[:] = (
        values
        if _are_plain_texts(values, kinds)
        else [None if value is None else _text(value) for value in values]
    )
    return array


def _largest_whole(values: Sequence[Any], kinds: set[type]) -> int:
    """The largest whole number, whatever its sign; 0 if there is none."""
    if int not in kinds:
        return 0
    wholes = values if kinds == {int} else [value for value in values if type(value) is int]
    highest, lowest = max(wholes), min(wholes)
    return max(highest, -lowest)


def _are_plain_texts(values: Sequence[Any], kinds: set[type]) -> bool:
    """Whether all are texts that UTF-8 can hold, or nothing: most are, and need no second look."""
    if not kinds <= {str, type(None)}:
        return False
    try:
        "".join(values if type(None) not in kinds else filter(None, values)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _floats(values: Sequence[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _text(value: Any) -> str:
    """Text that UTF-8 can hold: half of a pair of surrogates is written out."""
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")
