"""Files of tables that hold no row: blank ones, and those with the names of columns alone."""

from itertools import islice
from pathlib import Path

from errbar.data.engine import literal_path, own_engine
from errbar.data.engine_errors import plain_errors
from errbar.data.files import CSV, JSON, PARQUET, kind_of
from errbar.data.outcome_words import number_in
from errbar.data.text_files import text_lines
from errbar.errors import InputError, NotThere

EMPTY = "it is empty"
NO_ROWS = "it has the names of columns and no rows"


def why_no_rows(file: Path) -> str:
    """Why a file has no row to read; nothing if it has one, or if that is found out elsewhere."""
    if not file.stat().st_size:
        return EMPTY
    look = {CSV: _of_text, JSON: _of_text, PARQUET: _of_parquet}.get(kind_of(file) or "")
    try:
        with plain_errors():
            return look(file) if look else ""
    except NotThere:
        return EMPTY
    except InputError:  # what is broken is said where it is read
        return ""


def _of_text(file: Path) -> str:
    """A line below the first is a row, whatever it begins with and however lines end."""
    lines = (line for part in text_lines(file) for line in part.splitlines() if line.strip())
    first = list(islice(lines, 2))
    has_rows = len(first) > 1 or kind_of(file) == JSON or (first and _are_numbers(first[0]))
    return "" if has_rows else NO_ROWS


def _of_parquet(file: Path) -> str:
    rows = own_engine().execute("SELECT count(*) FROM read_parquet(?)", [literal_path(file)])
    return "" if rows.fetchall()[0][0] else NO_ROWS


def _are_numbers(line: str) -> bool:
    """Whether a line is a row of a matrix rather than the names of columns."""
    cells = line.replace(";", ",").replace("\t", ",").split(",")
    return all(not cell.strip() or number_in(cell) is not None for cell in cells)
