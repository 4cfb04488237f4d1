"""DuckDB as errbar opens it: in memory, names quoted, arrays as tables, errors in plain words."""

import gzip
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.expressions import Frame
from errbar.errors import InputError


def own_engine() -> duckdb.DuckDBPyConnection:
    """A connection that nobody else uses."""
    engine = duckdb.connect()
    engine.execute("SET enable_progress_bar = false")
    return engine


def literal_path(file: Path) -> str:
    """A path in which no letter stands for others."""
    return re.sub(r"([*?\[])", r"[\1]", str(file))


def quoted(name: str) -> str:
    """A name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """A text as SQL takes it."""
    return "'" + text.replace("'", "''") + "'"


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


_ENGINES = ("duckdb", "_duckdb", "pyspark", "py4j")
_CUT_OFF = "The line is cut off: wait until the file is written, or delete the line."
_LONGEST = 300  # letters of an engine's own words that are shown


@contextmanager
def plain_errors(where: str = "", *others: str) -> Iterator[None]:
    """Errors of an engine as errors of ours; `where` goes before any that names no file."""
    files = [where, *others]
    try:
        yield
    except InputError as error:
        if where and not any(file in str(error) for file in files):
            raise type(error)(f"{where}: {error}") from error
        raise
    except Exception as error:
        if not type(error).__module__.startswith(_ENGINES):
            raise
        text = plainly(str(error))
        named = not where or any(file in text for file in files)
        raise InputError(text if named else f"{where}: {text}") from error


def plainly(text: str) -> str:
    """One sentence of many lines.

    Examples
    --------
    >>> plainly("Invalid Input Error: No magic bytes found at end of file 'a.parquet'")
    "No magic bytes found at end of file 'a.parquet'."
    """
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line:
        file = re.search(r"^\s*file = (.*)$", text, re.MULTILINE)
        return f"{file[1] if file else 'the file'}, line {line[1]}: {_csv_complaint(text)}."
    json = re.search(r'in file "(.*?)",.*?in line (\d+): (.*)', text)
    if json:
        why = json[3].partition(" Try ")[0].rstrip(". ")
        # Of a malformed line DuckDB gives the number of the next one.
        at = _line_in(json[1], int(json[2]) - ("Malformed" in text))
        cut_off = f" {_CUT_OFF}" * ("unexpected end" in why)
        return f"{json[1]}, line {at}: this is no line of JSON ({_short(why)}).{cut_off}"
    first = text.strip().split("\n", maxsplit=1)[0]
    said = re.sub(r"^(\w+ )*(Error|Exception): ", "", first)
    return f"{_short(said).rstrip('.')}."


def _line_in(file: str, number: int) -> int:
    """Which line of a file it is: DuckDB does not count blank ones."""
    if file.endswith(".zst"):  # Python reads none before 3.14
        return number
    with (gzip.open if file.endswith(".gz") else open)(file, "rb") as lines:
        filled = (at for at, line in enumerate(lines, start=1) if line.strip())
        return next(islice(filled, number - 1, None), number)


def _csv_complaint(text: str) -> str:
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        return f"it has {columns[2]} columns, and the first line {columns[1]}"
    if "unterminated quote" in text:
        return "a quotation mark is opened and never closed"
    if "unicode" in text.lower():
        return "it is not text in UTF-8"
    if "Maximum line size" in text:
        return "it is too long"
    lines = [line.strip() for line in text.split("\n")[1:]]
    said = next(
        (line for line in lines if line and not line.startswith("Original Line")), "it is broken"
    )
    return _short(said).rstrip(".")


def _short(text: str) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
