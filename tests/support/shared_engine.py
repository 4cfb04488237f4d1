"""One DuckDB for the whole of a test process.

Starting DuckDB takes 50 ms of processor time, ten times as long as reading a small log, and the
suite opens thousands. Here each `duckdb.connect()` is a connection to one running instance with an
empty in-memory database of its own, so that no table or view of one is seen by another. A setting
that DuckDB has per instance would be shared; errbar sets none.
"""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

_RENEWED_AFTER = 500  # connections, so that databases of tests long past are freed


class SharedEngine:
    """A replacement of `duckdb.connect`, which it calls for each new instance."""

    def __init__(self, connect: Any) -> None:
        self.connect = connect
        self.numbers = itertools.count()
        self.instance: Any = None

    def __call__(self, *args: Any, **options: Any) -> Any:
        if args or options:
            return self.connect(*args, **options)
        number = next(self.numbers)
        if number % _RENEWED_AFTER == 0:
            self.instance = self.connect()
        connection = self.instance.cursor()
        connection.execute(f"ATTACH ':memory:' AS own_{number}; USE own_{number}")
        return connection


@pytest.fixture(scope="session", autouse=True)
def shared_engine() -> Iterator[None]:
    """Share the DuckDB instance among all connections of this process."""
    import duckdb  # noqa: PLC0415  kept by no module, or it warns at the end of the process

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duckdb, "connect", SharedEngine(duckdb.connect))
        yield
