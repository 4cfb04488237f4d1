"""DuckDB as errbar opens it for itself: in memory, and without a progress bar among the output."""

import duckdb


def own_engine() -> duckdb.DuckDBPyConnection:
    """A connection that nobody else uses."""
    return duckdb.connect(config={"enable_progress_bar": "false"})
