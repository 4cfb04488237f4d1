"""Columns in memory as a table: nothing is mixed up, cut or turned into something else.

Queries are built as text and planned only when they run.
"""

import multiprocessing
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import errbar
from errbar.data.engines import duckdb as duckdb_engine
from errbar.data.engines.duckdb import (
    Query,
    copy_rows,
    engine_with_progress,
    own_engine,
    plain_errors,
    table_of,
)
from errbar.errors import InputError, NotEnoughMemory


def rows(**columns: list[object]) -> list[tuple[object, ...]]:
    return nw.to_native(table_of(columns)).fetchall()


def test_names_are_text_and_outcomes_numbers() -> None:
    found = rows(question=["007", "7"], outcome=[1, None], trial=[0, 1])
    assert [row[0] for row in found] == ["007", "7"]
    assert found[0][1:] == (1.0, 0)
    assert found[1][1:] == (None, 1)


def test_columns_that_differ_by_case_stay_separate() -> None:
    frame = table_of({"Level": ["a"], "level": ["b"], "LEVEL": ["c"]})
    assert nw.to_native(frame).fetchall() == [("a", "b", "c")]
    assert frame.collect_schema().names() == ["Level", "level (2)", "LEVEL (3)"]


@pytest.mark.parametrize("name", ["", "a\0b", '"; drop table x; --', "two\nlines", "\ud800", "🙂"])
def test_any_name_of_a_column_is_just_a_name(name: str) -> None:
    assert nw.to_native(table_of({name: ["x"], "question": ["q"]})).fetchall() == [("x", "q")]


def test_numbers_that_do_not_fit_are_held_as_text() -> None:
    assert rows(seed=[10**400, 1]) == [(str(10**400),), ("1",)]
    assert rows(seed=[2**63, 1]) == [(str(2**63),), ("1",)]


def test_half_a_pair_of_surrogates_is_written_out() -> None:
    assert rows(question=["\ud83d"]) == [("\\ud83d",)]


def test_kinds_of_other_columns() -> None:
    found = rows(flag=[True, False], size=[1.5, 2], few=[None, None], mixed=[1, "x"])
    assert found == [(True, 1.5, None, "1"), (False, 2.0, None, "x")]


def test_connections_share_an_instance_and_no_table(monkeypatch: pytest.MonkeyPatch) -> None:
    first = own_engine()
    monkeypatch.setattr(duckdb, "connect", lambda: pytest.fail("another instance was started"))
    second = own_engine()
    first.execute("CREATE TEMP TABLE outcomes AS SELECT 1 AS number")
    with pytest.raises(duckdb.CatalogException):
        second.execute("SELECT * FROM outcomes")


def _count_in_child(results: "multiprocessing.SimpleQueue[int]") -> None:
    found = own_engine().execute("SELECT sum(range) FROM range(1000000)").fetchall()
    results.put(int(found[0][0]))


def test_a_forked_process_has_an_instance_of_its_own() -> None:
    own_engine().execute("SELECT sum(range) FROM range(1000000)").fetchall()  # its threads run
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=_count_in_child, args=(results,))
    child.start()
    child.join(timeout=60)
    assert child.exitcode == 0
    assert results.get() == 499_999_500_000


def test_rows_with_invalid_parts_are_queried_in_place() -> None:
    engine = own_engine()
    rows = Query(engine, "SELECT i AS id, error('broken') AS note FROM range(3) AS t(i)")
    assert copy_rows(rows) is rows
    whole = copy_rows(rows.project("id"))
    assert whole.fetchall() == [(0,), (1,), (2,)]
    assert whole.text.startswith("FROM errbar_")


@pytest.mark.parametrize("engine", [own_engine, engine_with_progress])
def test_the_engine_is_closed_and_locked(
    engine: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duckdb_engine, "_SHOWS_PROGRESS", "SELECT false")  # as in no notebook
    duckdb_engine._instance.cache_clear()
    connection = engine()
    closed = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "allow_community_extensions": False,
        "allow_unsigned_extensions": False,
        "allow_persistent_secrets": False,
        "lock_configuration": True,
    }
    for name, expected in closed.items():
        asked = connection.execute("SELECT current_setting(?)", [name])
        assert asked.fetchall() == [(expected,)], name
        with pytest.raises(duckdb.Error, match="has been locked"):
            connection.execute(f"SET {name} = {not expected}")
    ((place,),) = connection.execute("SELECT current_setting('temp_directory')").fetchall()
    assert Path(place).parent == Path(tempfile.gettempdir())
    with pytest.raises(duckdb.Error, match="httpfs"):
        connection.execute("SELECT * FROM read_csv('https://example.org/a.csv')")


def test_the_folder_for_what_does_not_fit_in_memory_is_removed_at_the_end(tmp_path: Path) -> None:
    code = (
        "from errbar.data.engines.duckdb import own_engine\n"
        "asked = own_engine().execute(\"SELECT current_setting('temp_directory')\")\n"
        "print(asked.fetchall()[0][0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert Path(done.stdout.strip()).name.startswith("errbar-")
    assert not Path(done.stdout.strip()).exists()
    assert list(tmp_path.iterdir()) == []


def nested(depth: int, file: Path) -> Path:
    value: Any = 1
    kind = pa.int64()
    for _ in range(depth):
        value, kind = [value], pa.list_(kind)
    columns = {"question": ["a", "b"], "outcome": [1, 0], "x": pa.array([value] * 2, kind)}
    pq.write_table(pa.table(columns), file)
    return file


@pytest.mark.parametrize("depth", [13, 25, 60])
def test_lists_nested_so_deep_that_reading_would_not_end_are_refused(
    depth: int, tmp_path: Path
) -> None:
    file = nested(depth, tmp_path / "deep.parquet")
    with pytest.raises(InputError, match=r"deep\.parquet: its columns are nested more than 12"):
        errbar.load(file)


def test_lists_of_some_depth_are_read(tmp_path: Path) -> None:
    assert errbar.load(nested(12, tmp_path / "a.parquet")).score("avg")[0].value == 0.5


def test_threads_may_share_outcomes(tmp_path: Path) -> None:
    file = tmp_path / "runs.csv"
    lines = [f"{s},{q},{(len(s) + q) % 3 % 2},{q / 60}" for s in ("a", "bb") for q in range(60)]
    file.write_text("\n".join(["system,question,outcome,confidence", *lines]))
    quick = errbar.Bootstrap(100)
    asks: list[Callable[[errbar.Runs], Any]] = [
        lambda runs: runs.score("avg"),
        lambda runs: runs.compare("avg"),
        lambda runs: runs.inspect(),
        lambda runs: runs.selective(method=quick),
        lambda runs: runs.roc(method=quick),
    ]
    expected = [str(ask(errbar.load(file))) for ask in asks]
    shared = errbar.load(file)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda at: str(asks[at % len(asks)](shared)), range(8 * len(asks))))
    assert found == expected * 8


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


def test_an_engine_without_memory_says_so() -> None:
    engine = duckdb.connect(config={"memory_limit": "10MB", "max_temp_directory_size": "0KB"})
    with pytest.raises(NotEnoughMemory, match=r"^a\.csv: "), plain_errors("a.csv"):
        engine.execute("SELECT list(range) FROM range(10000000)").fetchall()
