"""The notebook of the documentation runs, and shows what errbar shows now."""

from typing import Any

import nbformat
from nbclient import NotebookClient

from logs import REPOSITORY

KINDS = ("text/plain", "text/html")
NOTEBOOK = REPOSITORY / "docs" / "notebook.ipynb"


def read() -> Any:
    reads: Any = nbformat.reads  # without types
    return reads(NOTEBOOK.read_text(encoding="utf-8"), as_version=4)


def shown(notebook: Any) -> list[dict[str, str | None]]:
    """The results of all cells, as text and as HTML."""
    return [
        {kind: output["data"].get(kind) for kind in KINDS}
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "data" in output
    ]


def test_the_notebook_shows_what_its_code_gives() -> None:
    """To execute it anew: python docs/pictures/notebook.py"""
    again = read()
    NotebookClient(again, timeout=120).execute()
    assert shown(again) == shown(read())
    assert len(shown(again)) >= 6


def test_tables_have_bars_of_intervals_and_folded_notes() -> None:
    tables = [result["text/html"] for result in shown(read()) if result["text/html"]]
    assert len(tables) >= 3
    for table in tables[:2]:
        assert table is not None
        assert table.count("<svg") == table.count("<tr>") - 1
        assert "<details><summary>Notes</summary>" in table


def test_runs_and_estimates_are_short() -> None:
    texts = [result["text/plain"] or "" for result in shown(read())]
    (runs,) = (text for text in texts if text.startswith("Runs("))
    (estimate,) = (text for text in texts if text.startswith("<Estimate"))
    assert max(len(runs), len(estimate)) < 100
