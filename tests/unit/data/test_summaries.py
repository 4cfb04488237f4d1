"""Rows of totals are found among rows with ids of any kind."""

import duckdb

from errbar.data.columns import TOTALS
from errbar.data.readers.tables import summaries


def test_the_quick_look_at_ids_misses_no_name_of_a_total() -> None:
    words = sorted(TOTALS | summaries._STATISTICS)
    parts = ("algebra average", "Mean of 12", "Subtotal 3", "q7 - AVG", "total_2", "Overall (40)")
    names = ["", "  ", *words, *(word.upper() for word in words), *parts]
    quick = summaries._MAY_BE_TOTAL.format("name")
    found = duckdb.execute(f"SELECT name FROM (SELECT unnest(?) AS name) WHERE {quick}", [names])
    assert sorted(name for (name,) in found.fetchall()) == sorted(names)
    assert not duckdb.execute(f"SELECT 1 FROM (SELECT 'q17' AS name) WHERE {quick}").fetchall()
