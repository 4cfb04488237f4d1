"""Queries that are built as text and planned only when they run."""

from typing import Any

import pytest

from errbar.data.engines.duckdb import Query, own_engine

ROWS = "SELECT i AS id, i % 3 AS outcome FROM range(12) AS t(i)"


class _Counting:
    """A connection that counts its statements."""

    def __init__(self) -> None:
        self.engine = own_engine()
        self.statements = 0

    def execute(self, text: str) -> Any:
        self.statements += 1
        return self.engine.execute(text)

    def sql(self, text: str) -> Any:
        self.statements += 1
        return self.engine.sql(text)


@pytest.fixture
def engine() -> _Counting:
    return _Counting()


def test_steps_give_the_rows_of_duckdbs_own_relation(engine: _Counting) -> None:
    mine: Any = Query(engine, ROWS)
    other: Any = engine.engine.sql(ROWS)
    for rows in (mine, other):
        steps = rows.filter("outcome > 0 OR id = 0").project("id, outcome * 2 AS twice")
        each = steps.aggregate("twice, count(*) AS n", "twice").order("twice DESC").limit(2)
        assert each.fetchall() == [(4, 4), (2, 4)]
        assert steps.union(steps).aggregate("count(*)").fetchall() == [(18,)]
        assert steps.project("twice").distinct().aggregate("count(*)").fetchall() == [(3,)]
        assert steps.query("these", "SELECT max(id) FROM these").fetchall() == [(11,)]
    nested = "WITH few AS (SELECT id FROM these) SELECT count(*) FROM few"
    assert mine.query("these", nested).fetchall() == [(12,)]


def test_nothing_is_planned_before_rows_or_unknown_columns_are_requested(
    engine: _Counting,
) -> None:
    rows = Query(engine, ROWS, {"id": "BIGINT", "outcome": "BIGINT"})
    some = rows.filter("id > 2").order("id").limit(3)
    assert some.columns == ["id", "outcome"]
    projected = rows.project("CAST(id AS VARCHAR) AS name")
    assert engine.statements == 0
    assert projected.schema == {"name": "VARCHAR"}
    assert engine.statements == 1
    assert some.fetchall() == [(3, 0), (4, 1), (5, 2)]


def test_a_total_is_computed_once(engine: _Counting) -> None:
    rows = Query(engine, ROWS)
    assert rows.totals("count(*)", "max(id)") == (12, 11)
    assert rows.totals("max(id)", "count(*)", "max(id)") == (11, 12, 11)
    assert engine.statements == 1
    assert rows.totals("count(*)", "sum(outcome)::BIGINT") == (12, 12)
    assert engine.statements == 2
    assert rows.filter("id < 4").totals("count(*)") == (4,)  # other rows, other totals
