"""DuckDB: connections, quoting, queries built step by step, and tables from arrays."""

import json
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, cached_property
from itertools import count, filterfalse
from pathlib import Path
from threading import RLock
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.files import directory_until_exit
from errbar.data.engines.messages import one_sentence
from errbar.data.queries.expressions import Frame
from errbar.errors import InputError, NotEnoughMemory


def own_engine() -> duckdb.DuckDBPyConnection:
    """Open a connection with temporary tables of its own.

    All connections share an instance of DuckDB, which takes 25 ms to start. A process that was
    forked starts another, since threads do not survive a fork.
    """
    instance, shows_progress = _instance(os.getpid())
    engine = instance.cursor()
    if shows_progress:  # as in notebooks, where the configuration is not locked
        engine.execute("SET enable_progress_bar = false")
    return engine


def engine_with_progress() -> duckdb.DuckDBPyConnection:
    """Open a separate instance whose connection reports the progress of a query."""
    engine = _closed_instance()
    engine.execute("SET enable_progress_bar = true; SET enable_progress_bar_print = false")
    engine.execute(_LOCK)
    return engine


# Logs are data: no query needs an extension, the network or a stored password, and none may change
# this. What does not fit in memory goes to the folder of the system for temporary files.
_CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "allow_persistent_secrets": "false",
}
_LOCK = "SET lock_configuration = true"
_SHOWS_PROGRESS = "SELECT current_setting('enable_progress_bar')"


@cache
def _instance(_process: int) -> tuple[duckdb.DuckDBPyConnection, bool]:
    """The instance of a process, and whether its connections show the progress of queries."""
    instance = _closed_instance()
    shows_progress = instance.execute(_SHOWS_PROGRESS).fetchall() == [(True,)]
    if not shows_progress:
        instance.execute(_LOCK)
    return instance, shows_progress


def _closed_instance(file: str = ":memory:") -> duckdb.DuckDBPyConnection:
    config = _CLOSED | {"temp_directory": str(directory_until_exit())}
    return duckdb.connect(file, read_only=file != ":memory:", config=config)


def open_database(file: Path) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file for reading."""
    engine = _closed_instance(str(file))
    engine.execute(_LOCK)
    return engine


_DEEPEST = 12  # lists within lists; DuckDB takes twice as long for each level


def require_shallow(engine: Any, file: Path) -> None:
    """Refuse a Parquet file with lists nested so deep that reading it would never end."""
    open_groups: list[int] = []  # children that each open group still has, from the root down
    for (children,) in engine.execute(
        "SELECT num_children FROM parquet_schema(?)", [literal_path(file)]
    ).fetchall():
        while open_groups and not open_groups[-1]:
            open_groups.pop()
        if open_groups:
            open_groups[-1] -= 1
        if children:
            open_groups.append(children)
        if len(open_groups) > 1 + 2 * _DEEPEST:  # the root, and two for each list
            raise InputError(
                f"{file}: its columns are nested more than {_DEEPEST} lists deep; leave them out."
            )


def literal_path(file: Path) -> str:
    """Escape the wildcards in a path."""
    return re.sub(r"([*?\[])", r"[\1]", str(file))


def quoted(name: str) -> str:
    """Quote an identifier for SQL."""
    return '"' + _text(name).replace('"', '""') + '"'


def text_of(name: str) -> str:
    """The values of a column as texts, empty for null, as SQL takes it."""
    return f"coalesce(CAST({quoted(name)} AS VARCHAR), '')"


ALL_ROWS = "count(*)"


def distinct_rows(names: Sequence[str]) -> str:
    """Number of rows that differ in these columns, as texts, as SQL takes it."""
    texts = ", ".join(map(text_of, names))
    return f"count(DISTINCT {texts})" if len(names) == 1 else f"count(DISTINCT ({texts}))"


def numbers_in(name: str) -> str:
    """Number of rows with a number in a column, as SQL takes it."""
    return f"count(try_cast({quoted(name)} AS DOUBLE))"


def text_literal(text: str) -> str:
    """Quote a string literal for SQL."""
    return "'" + _text(text).replace("'", "''") + "'"


Schema = Mapping[str, str]  # types by column name


class Query:
    """A query built one step at a time as SQL text, with the methods of DuckDB's relations.

    DuckDB plans its own relations anew after every step, which takes about a millisecond: longer
    than a small table takes to read. A query is planned when its rows are fetched, and when its
    columns are asked for and do not follow from the steps, nor from another query.
    """

    def __init__(
        self, engine: Any, text: str, schema: Schema | None = None, *, like: "Query | None" = None
    ) -> None:
        self.engine = engine
        self.text = text
        self._known = schema
        self._like = like
        self._totals: dict[str, Any] = {}
        self._head: dict[str, list[Any]] | None = None

    @cached_property
    def relation(self) -> Any:
        """The query as a relation of DuckDB."""
        return self.engine.sql(self.text)

    @cached_property
    def schema(self) -> Schema:
        """Types of the columns by name."""
        if self._known is not None:
            return self._known
        if self._like is not None:
            return self._like.schema
        relation = self.relation
        return dict(zip(relation.columns, map(str, relation.types), strict=True))

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self.schema)

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Run the query."""
        rows: list[tuple[Any, ...]] = self.engine.execute(self.text).fetchall()
        return rows

    def head(self) -> dict[str, list[Any]]:
        """The first values of every column; they are known if the table was made of arrays."""
        if self._head is None:
            rows = self.limit(_FIRST)
            columns = list(zip(*rows.fetchall(), strict=True)) or [()] * len(rows.columns)
            cells = zip(rows.columns, map(list, columns), strict=True)
            self._head = dict(cells)
        return self._head

    def totals(self, *aggregates: str) -> tuple[Any, ...]:
        """Aggregates of all rows, each of which is computed once.

        To ask early for several that are needed later takes a single scan of the rows.
        """
        unknown = [each for each in dict.fromkeys(aggregates) if each not in self._totals]
        if unknown:
            (numbers,) = self.aggregate(", ".join(unknown)).fetchall()
            self._totals.update(zip(unknown, numbers, strict=True))
        return tuple(self._totals[each] for each in aggregates)

    def project(self, selected: str) -> "Query":
        """Rows with other columns."""
        return Query(self.engine, f"SELECT {selected} FROM ({self.text})")

    def filter(self, condition: str) -> "Query":
        """Rows for which a condition holds."""
        return self._same_columns(f"SELECT * FROM ({self.text}) WHERE {condition}")

    def distinct(self) -> "Query":
        """Every row once."""
        return self._same_columns(f"SELECT DISTINCT * FROM ({self.text})")

    def order(self, keys: str) -> "Query":
        """Rows in another order."""
        return self._same_columns(f"SELECT * FROM ({self.text}) ORDER BY {keys}")

    def limit(self, most: int) -> "Query":
        """The first rows."""
        return self._same_columns(f"SELECT * FROM ({self.text}) LIMIT {most}")

    def union(self, other: "Query") -> "Query":
        """The rows of both, which have the same columns."""
        return self._same_columns(f"({self.text}) UNION ALL ({other.text})")

    def aggregate(self, selected: str, groups: str = "") -> "Query":
        """A row for every group, or for all rows."""
        return Query(
            self.engine, f"SELECT {selected} FROM ({self.text}) GROUP BY {groups or 'ALL'}"
        )

    def query(self, name: str, text: str) -> "Query":
        """Another query, in which these rows have a name."""
        rest = f", {text.removeprefix('WITH ')}" if text.startswith("WITH ") else f" {text}"
        return Query(self.engine, f"WITH {name} AS ({self.text}){rest}")

    def _same_columns(self, text: str) -> "Query":
        return Query(self.engine, text, like=self)


_TEXTS = frozenset({"system", "task", "question", "status", "answer", "target", "cluster"})
_NUMBERS = frozenset({"outcome", "confidence", "weight", "cost"})
_as_json = json.JSONEncoder(ensure_ascii=False, default=str).encode
_KINDS = {"O": "VARCHAR", "f": "DOUBLE", "i": "BIGINT", "b": "BOOLEAN"}
_serial = count(1)  # makes table names unique within the process
_FIRST = 1000  # rows in the head of a query
_LARGEST = 1 << 62  # larger integers are stored as text


def table_of(columns: Mapping[str, Sequence[Any]]) -> Frame:
    """Table with these columns: names as text, outcomes as numbers, others unchanged."""
    return nw.from_native(store_columns(own_engine(), columns, _NUMBERS).relation).lazy()


def store_columns(
    engine: Any, columns: Mapping[str, Sequence[Any]], numbers: Collection[str] = frozenset()
) -> Query:
    """Query of a temporary table with these columns; those in `numbers` become floats."""
    arrays = [_array(name, values, numbers) for name, values in columns.items()]
    numpy_columns = {f"column{at}": array for at, array in enumerate(arrays)}
    kinds = [_KINDS[array.dtype.kind] for array in arrays]
    schema = dict(zip(_unique_names(columns), kinds, strict=True))
    shown = ", ".join(
        f"CAST({at} AS {kind}) AS {quoted(name)}"
        for at, (name, kind) in zip(numpy_columns, schema.items(), strict=True)
    )
    table = f"errbar_{next(_serial)}"
    engine.execute(f"CREATE TEMP TABLE {table} AS SELECT {shown} FROM numpy_columns")
    rows = Query(engine, f"FROM {table}", schema)
    rows._head = dict(zip(schema, map(_first_values, arrays), strict=True))
    return rows


def _first_values(array: NDArray[Any]) -> list[Any]:
    """The first values of a column, as the engine gives them."""
    values: list[Any] = array[:_FIRST].tolist()
    if array.dtype.kind != "f":
        return values
    return [None if math.isnan(value) else value for value in values]


def copy_rows(rows: Query) -> Query:
    """Query of a temporary table with the same rows; the same query if some rows are invalid.

    Queries that do not touch what is invalid still work then, and others report it.
    """
    table = f"errbar_{next(_serial)}"
    try:
        rows.engine.execute(f"CREATE TEMP TABLE {table} AS {rows.text}")
    except duckdb.InterruptException:
        raise
    except duckdb.Error:
        return rows
    return Query(rows.engine, f"FROM {table}", like=rows)


def _unique_names(names: Iterable[str]) -> list[str]:
    """Make names unique regardless of case, since DuckDB treats Level and level as equal."""
    unique: list[str] = []
    used: set[str] = set()
    for name in names:
        plain = _text(name).replace("\0", "\\0") or "(no name)"
        free, at = plain, 1
        while free.casefold() in used:
            at += 1
            free = f"{plain} ({at})"
        used.add(free.casefold())
        unique.append(free)
    return unique


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
    plain = _are_plain_texts(values, kinds)
    array[:] = values if plain else [None if value is None else _text(value) for value in values]
    return array


def _largest_whole(values: Sequence[Any], kinds: set[type]) -> int:
    """Largest absolute value of the integers; 0 if there are none."""
    if int not in kinds:
        return 0
    wholes = values if kinds == {int} else [value for value in values if type(value) is int]
    return max(map(abs, wholes))


def _are_plain_texts(values: Sequence[Any], kinds: set[type]) -> bool:
    """Whether all values are null or strings that UTF-8 can encode, the common case."""
    if not kinds <= {str, type(None)}:
        return False
    texts = values if type(None) not in kinds else filter(None, values)
    try:
        # isascii() is known without a look at the text
        "".join(filterfalse(str.isascii, texts)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _floats(values: Sequence[Any]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def _text(value: Any) -> str:
    """A value as text, lists and objects as JSON; surrogates, which UTF-8 lacks, are escaped."""
    text = _as_json(value) if isinstance(value, dict | list) else str(value)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


_ENGINES = ("duckdb", "_duckdb", "pyspark", "py4j")


class _QueryLock:
    """A lock for queries: a connection of DuckDB refuses a second thread while it is in use."""

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):  # the thread that has it is not forked
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self.lock = RLock()


_turns = _QueryLock()


@contextmanager
def plain_errors(where: str = "", *others: str) -> Iterator[None]:
    """Convert errors of DuckDB into errors of errbar, prefixed by `where` if they name no file.

    Threads run one at a time, so that several of them may use the same outcomes.
    """
    files = [where, *others]
    try:
        with _turns.lock:
            yield
    except InputError as error:
        if where and not any(file in str(error) for file in files):
            raise type(error)(f"{where}: {error}") from error
        raise
    except Exception as error:
        if not type(error).__module__.startswith(_ENGINES):
            raise
        text = one_sentence(str(error))
        named = not where or any(file in text for file in files)
        kind = NotEnoughMemory if isinstance(error, duckdb.OutOfMemoryException) else InputError
        raise kind(text if named else f"{where}: {text}") from error
