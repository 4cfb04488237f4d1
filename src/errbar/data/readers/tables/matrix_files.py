"""CSV files with numbers only: a row per question, a column per trial."""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.data.engines.files import separator_in
from errbar.data.readers.files import COMPRESSED, CSV, kind_of, text_lines
from errbar.data.sources.arrays import refuse_ids
from errbar.errors import InputError


def read_matrix(file: Path) -> NDArray[Any] | None:
    """Read a CSV matrix with a row per question; None if its first line has a name."""
    if kind_of(file) != CSV or file.suffix.lower() in COMPRESSED:
        return None
    first = next(text_lines(file)).strip()
    mark = separator_in(first, ",;\t")
    if mark not in first or any(_cell(cell) is None for cell in first.split(mark)):
        return None
    named, indexed = _is_numbering(first.split(mark))
    rows: list[list[float]] = []
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        for number, cells in enumerate(csv.reader(lines, delimiter=mark), start=1):
            row = [_cell(cell) for cell in cells]
            if not cells or (named and number == 1):
                continue
            if None in row or len(row) != len(first.split(mark)):
                raise InputError(
                    f"{file}, line {number}: every line of a matrix must have "
                    f"{len(first.split(mark))} numbers in "
                    f"every line; this is {mark.join(cells)[:60]!a}."
                )
            rows.append([value for value in row[indexed:] if value is not None])
    matrix = np.array(rows)
    refuse_ids(matrix, str(file), "Add a first line such as id,outcome.")
    return matrix


def _is_numbering(cells: Sequence[str]) -> tuple[bool, int]:
    """Whether the first line numbers the columns, as in pandas, and how many are an index."""
    indexed = int(not cells[0].strip())
    numbers = [_cell(cell) for cell in cells[indexed:]]
    return len(numbers) > 1 and numbers == list(map(float, range(len(numbers)))), indexed


def _cell(text: str) -> float | None:
    """Parse a number; nan for an empty cell, None for anything else."""
    try:
        return float(text) if text.strip() else math.nan
    except ValueError:
        return None
