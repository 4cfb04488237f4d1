"""Columns in memory as a table: nothing is mixed up, cut or turned into something else."""

import multiprocessing

import duckdb
import narwhals.stable.v2 as nw
import pytest

from errbar.data.engines.duckdb import copied, own_engine, table_of


def rows(**columns: list[object]) -> list[tuple[object, ...]]:
    return nw.to_native(table_of(columns)).fetchall()


def test_names_are_text_and_outcomes_numbers() -> None:
    found = rows(question=["007", "7"], outcome=[1, None], trial=[0, 1])
    assert [row[0] for row in found] == ["007", "7"]
    assert found[0][1:] == (1.0, 0)
    assert found[1][1:] == (None, 1)


def test_columns_that_differ_by_case_stay_apart() -> None:
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
    rows = engine.sql("SELECT i AS id, error('broken') AS note FROM range(3) AS t(i)")
    assert copied(engine, rows) is rows
    whole = copied(engine, rows.project("id"))
    assert whole.fetchall() == [(0,), (1,), (2,)]
    assert "errbar_" in whole.sql_query()
