"""One table in every engine and in every kind of file.

A table is plain Python: the kind of each column, and rows of None, str, int, float or bool. An
engine is a function that puts those rows where `errbar.load` will find them.
"""

import atexit
import csv
import gzip
import io
import json
import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ARROW = {"text": pa.string(), "whole": pa.int64(), "number": pa.float64(), "truth": pa.bool_()}


@dataclass(frozen=True)
class Table:
    """Columns by kind (text, whole, number, truth), and rows."""

    kinds: Mapping[str, str]
    rows: Sequence[tuple[Any, ...]]

    def records(self) -> list[dict[str, Any]]:
        return [dict(zip(self.kinds, row, strict=True)) for row in self.rows]

    def column(self, name: str) -> list[Any]:
        at = list(self.kinds).index(name)
        return [row[at] for row in self.rows]

    def shuffled(self, seed: int) -> "Table":
        order = np.random.default_rng(seed).permutation(len(self.rows))
        return replace(self, rows=[self.rows[at] for at in order])

    def parts(self, n: int) -> "list[Table]":
        return [replace(self, rows=self.rows[at::n]) for at in range(n)]


Engine = Callable[[Table, Path], Any]


def arrow(table: Table) -> pa.Table:
    schema = pa.schema([(name, ARROW[kind]) for name, kind in table.kinds.items()])
    return pa.table({name: table.column(name) for name in table.kinds}, schema=schema)


def pandas_inferred(table: Table, _: Path) -> Any:
    return pd.DataFrame({name: table.column(name) for name in table.kinds})


def pandas_objects(table: Table, _: Path) -> Any:
    frame = pd.DataFrame({name: table.column(name) for name in table.kinds}, dtype=object)
    return frame.set_index(np.zeros(len(frame), dtype=int))


def pandas_nullable(table: Table, place: Path) -> Any:
    return pandas_objects(table, place).convert_dtypes()


def pandas_of_arrow(table: Table, _: Path) -> Any:
    return arrow(table).to_pandas(types_mapper=pd.ArrowDtype)


def pandas_categorical(table: Table, place: Path) -> Any:
    texts = [name for name, kind in table.kinds.items() if kind == "text"]
    return pandas_inferred(table, place).astype(dict.fromkeys(texts, "category"))


def polars_eager(table: Table, _: Path) -> Any:
    return pl.from_arrow(arrow(table))


def polars_lazy(table: Table, place: Path) -> Any:
    return polars_eager(table, place).lazy()


def polars_categorical(table: Table, place: Path) -> Any:
    texts = [name for name, kind in table.kinds.items() if kind == "text"]
    return polars_eager(table, place).with_columns(pl.col(texts).cast(pl.Categorical))


def pyarrow_whole(table: Table, _: Path) -> Any:
    return arrow(table)


def pyarrow_chunks(table: Table, _: Path) -> Any:
    chunks = pa.concat_tables([arrow(part) for part in table.parts(3)])
    for at, (name, kind) in enumerate(table.kinds.items()):
        if kind == "text":
            chunks = chunks.set_column(at, name, chunks[name].dictionary_encode())
    return chunks


def duckdb_view(table: Table, _: Path) -> Any:
    return duckdb.connect().from_arrow(arrow(table))


def duckdb_table(table: Table, _: Path) -> Any:
    connection = duckdb.connect()
    connection.from_arrow(arrow(table)).create("outcomes")
    return connection.table("outcomes")


def ibis_duckdb(table: Table, _: Path) -> Any:
    import ibis  # noqa: PLC0415  costs a second

    connection = duckdb.connect()
    connection.from_arrow(arrow(table)).create("outcomes")
    return ibis.duckdb.from_connection(connection).table("outcomes")


def ibis_sqlite(table: Table, _: Path) -> Any:
    """SQLite has no truth type, but a column may be declared as one, and Ibis reads it so."""
    import ibis  # noqa: PLC0415  costs a second

    connection = sqlite3.connect(":memory:")
    atexit.register(connection.close)  # Python 3.13 warns of one that nobody closes
    kinds = {"text": "TEXT", "whole": "INTEGER", "number": "REAL", "truth": "BOOLEAN"}
    declared = ", ".join(f"{_quoted(name)} {kinds[kind]}" for name, kind in table.kinds.items())
    connection.execute(f"CREATE TABLE outcomes ({declared})")
    places = ", ".join("?" * len(table.kinds))
    connection.executemany(f"INSERT INTO outcomes VALUES ({places})", table.rows)
    return ibis.sqlite.from_connection(connection).table("outcomes")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def dask_parts(table: Table, place: Path) -> Any:
    import dask.dataframe as dd  # noqa: PLC0415  costs two seconds

    in_parts: Any = dd.from_pandas
    return in_parts(pandas_of_arrow(table, place), npartitions=2, sort=False)


def csv_file(table: Table, place: Path) -> Any:
    return _written(place / "outcomes.csv", _separated(table, ","))


def csv_gz(table: Table, place: Path) -> Any:
    return _written(place / "outcomes.csv.gz", gzip.compress(_separated(table, ",", csv.QUOTE_ALL)))


def tsv_file(table: Table, place: Path) -> Any:
    return _written(place / "outcomes.tsv", _separated(table, "\t"))


def csv_directory(table: Table, place: Path) -> Any:
    for at, part in enumerate(table.parts(2)):
        (place / f"run {at}").mkdir()
        _written(place / f"run {at}" / "it's.csv", _separated(part, ","))
    _written(place / "README.md", b"not outcomes")
    return place


def jsonl_file(table: Table, place: Path) -> Any:
    return _written(place / "outcomes.jsonl", _lines(table, ascii_only=False))


def jsonl_gz(table: Table, place: Path) -> Any:
    return _written(place / "outcomes.jsonl.gz", gzip.compress(_lines(table, ascii_only=True)))


def parquet_file(table: Table, place: Path) -> Any:
    pq.write_table(arrow(table), place / "outcomes.parquet")
    return str(place / "outcomes.parquet")


def parquet_glob(table: Table, place: Path) -> Any:
    for at, part in enumerate(table.parts(3)):
        pq.write_table(arrow(part), place / f"part-{at}.parquet", compression="zstd")
    return str(place / "part-*.parquet")


ENGINES: Mapping[str, Engine] = {
    "pandas inferred": pandas_inferred,
    "pandas objects": pandas_objects,
    "pandas nullable": pandas_nullable,
    "pandas of pyarrow": pandas_of_arrow,
    "pandas categorical": pandas_categorical,
    "polars": polars_eager,
    "polars lazy": polars_lazy,
    "polars categorical": polars_categorical,
    "pyarrow": pyarrow_whole,
    "pyarrow chunks": pyarrow_chunks,
    "DuckDB view": duckdb_view,
    "DuckDB table": duckdb_table,
    "Ibis on DuckDB": ibis_duckdb,
    "Ibis on SQLite": ibis_sqlite,
    "Dask": dask_parts,
    "CSV": csv_file,
    "CSV gz": csv_gz,
    "TSV": tsv_file,
    "directory of CSV": csv_directory,
    "JSON lines": jsonl_file,
    "JSON lines gz": jsonl_gz,
    "Parquet": parquet_file,
    "glob of Parquet": parquet_glob,
}

# Each of these counts and ranks by its own means; CSV stands for all that DuckDB holds.
BACKENDS = ("pandas inferred", "polars", "pyarrow", "CSV")

# The same rows in another wrapping of the same engine: asked of the cases that wrapping can touch.
WRAPPED = {
    *("pandas nullable", "pandas categorical", "polars categorical", "polars lazy"),
    *("DuckDB view", "DuckDB table", "CSV gz", "TSV", "directory of CSV"),
    *("JSON lines gz", "glob of Parquet"),
}

# Engines that narwhals reaches by plans that take seconds to make: asked of few cases.
PLANNED = {"Ibis on DuckDB", "Ibis on SQLite", "Dask"}

# Ibis 12 calls DuckDB 2 and pandas 3 by names and options that they are giving up.
WARNINGS_OF_IBIS = (
    "ignore:fetch_arrow_table:DeprecationWarning",
    "ignore:The 'future.infer_string' option is deprecated",
)

# Text with a separator, whose dialect is guessed.
SEPARATED = {"CSV", "CSV gz", "TSV", "directory of CSV"}


def _written(file: Path, data: bytes) -> Path:
    file.write_bytes(data)
    return file


def _separated(table: Table, delimiter: str, quoting: Any = csv.QUOTE_MINIMAL) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator="\n")
    writer.writerow(table.kinds)
    writer.writerows([_as_text(value) for value in row] for row in table.rows)
    return text.getvalue().encode()


def _as_text(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _lines(table: Table, *, ascii_only: bool) -> bytes:
    """JSON has no NaN: it is written as null, as other programs do."""
    rows = (
        {name: None if _is_nan(value) else value for name, value in row.items()}
        for row in table.records()
    )
    return "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows).encode()


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)
