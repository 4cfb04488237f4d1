"""Read selected keys of a JSON-lines file of lm-evaluation-harness.

DuckDB reads such a file with all cores, and only the selected keys become Python values. If it
fails, the file is read line by line, which either succeeds or names the invalid line. Small files
are read line by line from the start: starting DuckDB takes as long as reading 5 MB.
"""

from collections.abc import Sequence
from glob import escape
from pathlib import Path
from typing import Any

import duckdb

from errbar.data.engines.duckdb import own_engine, quoted
from errbar.data.readers.documents import lines, parse

_LONGEST_LINE = 1 << 22  # bytes; DuckDB's buffers grow with this limit
_SMALL = 5_000_000  # bytes; 6 MB take 54 ms line by line and 56 ms in DuckDB, 6 kB 0.1 and 27 ms


def fields(path: Path, keys: Sequence[str], firsts: Sequence[str] = ()) -> dict[str, list[Any]]:
    """Values under these keys for every line; None where a line lacks the key.

    Values under the keys in `firsts` are lists of lists, of which only the first elements are
    returned, as numbers; None if one of them is not a number.
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
    """First element of each inner list as a number; None if one of them is not a number."""
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
    found = {key: _parse_all(column) for key, column in zip(keys, columns, strict=False)}
    return found | dict(zip(firsts, map(list, columns[len(keys) :]), strict=True))


def _parse_all(texts: Sequence[str | None]) -> list[Any]:
    """Parse JSON texts as a single list, three times as fast as one by one."""
    values: list[Any] = parse(f"[{','.join([text or 'null' for text in texts])}]")
    return values
