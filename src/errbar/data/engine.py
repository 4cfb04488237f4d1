"""DuckDB as errbar opens it for itself: in memory, and without a progress bar among the output."""

import re
from pathlib import Path

import duckdb


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
