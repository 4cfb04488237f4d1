"""DuckDB as errbar opens it for itself: in memory, and without a progress bar among the output."""

import duckdb


def own_engine() -> duckdb.DuckDBPyConnection:
    """A connection that nobody else uses."""
    engine = duckdb.connect()
    engine.execute("SET enable_progress_bar = false")
    return engine
