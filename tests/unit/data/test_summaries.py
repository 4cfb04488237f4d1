"""Rows of totals are found among rows with ids of any kind."""

from pathlib import Path

import duckdb
import pytest

import errbar
from errbar.data.columns import TOTALS
from errbar.data.readers.tables import summaries
from errbar.errors import InputError


def test_the_quick_look_at_ids_misses_no_name_of_a_total() -> None:
    words = sorted(TOTALS | summaries._STATISTICS)
    parts = ("algebra average", "Mean of 12", "Subtotal 3", "q7 - AVG", "total_2", "Overall (40)")
    names = ["", "  ", *words, *(word.upper() for word in words), *parts]
    quick = summaries._MAY_BE_TOTAL.format("name")
    found = duckdb.execute(f"SELECT name FROM (SELECT unnest(?) AS name) WHERE {quick}", [names])
    assert sorted(name for (name,) in found.fetchall()) == sorted(names)
    assert not duckdb.execute(f"SELECT 1 FROM (SELECT 'q17' AS name) WHERE {quick}").fetchall()


@pytest.mark.parametrize(
    ("beside", "content"),
    [("README.md", "not outcomes"), ("notes.yaml", "title: a run"), ("README.md", "")],
)
def test_files_without_rows_are_refused_whatever_lies_beside_them(
    beside: str, content: str, tmp_path: Path
) -> None:
    (tmp_path / "run.csv").write_text("system,question,outcome\n", encoding="utf-8")
    (tmp_path / beside).write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        errbar.load(tmp_path)


def test_a_table_in_markdown_counts_if_no_other_file_has_rows(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text("id,correct\n", encoding="utf-8")
    rows = "| id | correct |\n|---|---|\n| 1 | 1 |\n| 2 | 0 |\n"
    (tmp_path / "results.md").write_text(rows, encoding="utf-8")
    assert errbar.load(tmp_path).score("avg")[0].value == 0.5
