"""Some keys of every line of a file of JSON lines, without what else the lines hold.

DuckDB reads such a file by all cores, and only the keys that are wanted become values of Python.
What it cannot read is read line by line: either that succeeds, or it says which line is broken.
Small files are read so from the start: to start DuckDB takes as long as 5 MB of lines.
"""

from collections.abc import Sequence
from glob import escape
from pathlib import Path
from typing import Any

import duckdb

from errbar.base.json_text import parse
from errbar.data.engines.duckdb import own_engine, quoted
from errbar.data.readers.documents import lines

_LONGEST_LINE = 1 << 22  # bytes; DuckDB's buffers grow with it
_SMALL = 5_000_000  # bytes; 6 MB take 54 ms line by line and 56 ms by DuckDB, 6 kB 0.1 and 27 ms


def fields(path: Path, keys: Sequence[str], firsts: Sequence[str] = ()) -> dict[str, list[Any]]:
    """The values under these keys, line by line; None where a line lacks one.

    Under `firsts` stand lists of lists, of each of which only the first part is wanted, as a
    number; None where one of them is none.
    """
    try:
        if path.stat().st_size > _SMALL:
            return _by_engine(path, keys, firsts)
    except (OSError, duckdb.Error, ValueError, RecursionError):
        pass
    return _by_line(path, keys, firsts)


def _by_line(path: Path, keys: Sequence[str], firsts: Sequence[str]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {key: [] for key in (*keys, *firsts)}
    for _, line in lines(path):
        for key in keys:
            found[key].append(line.get(key))
        for key in firsts:
            found[key].append(firsts_of(line.get(key)))
    return found


def firsts_of(parts: Any) -> list[float] | None:
    """The first part of each list in a list, as numbers; None if one of them is none."""
    try:
        return [float(part[0]) for part in parts]
    except (TypeError, ValueError, LookupError, OverflowError):
        return None


def _by_engine(path: Path, keys: Sequence[str], firsts: Sequence[str]) -> dict[str, list[Any]]:
    texts = [quoted(key) for key in keys]
    numbers = [
        f"TRY_CAST(json_extract_string({quoted(key)}, '$[*][0]') AS DOUBLE[]) AS {quoted(key)}"
        for key in firsts
    ]
    with own_engine() as engine:
        rows = engine.read_json(
            escape(str(path)),
            format="newline_delimited",
            columns=dict.fromkeys([*keys, *firsts], "JSON"),
            maximum_object_size=_LONGEST_LINE,
        )
        columns = list(zip(*rows.project(", ".join(texts + numbers)).fetchall(), strict=True))
    columns = columns or [()] * len(texts + numbers)
    found = {key: _parsed(column) for key, column in zip(keys, columns, strict=False)}
    return found | dict(zip(firsts, map(list, columns[len(keys) :]), strict=True))


def _parsed(texts: Sequence[str | None]) -> list[Any]:
    """Values that are written as JSON; as one list, which is thrice as fast as one by one."""
    values: list[Any] = parse(f"[{','.join([text or 'null' for text in texts])}]")
    return values
