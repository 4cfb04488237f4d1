"""Files with numbers only: a row per question, a column per trial; in CSV and of NumPy."""

import csv
import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from errbar.data.readers.archive import Archive
from errbar.data.readers.file_content import text_lines
from errbar.data.readers.file_formats import COMPRESSED, CSV, kind_of
from errbar.data.readers.tables.stray_lines import separator_in
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
            if named and indexed and row[0] is None and None not in row[1:]:
                return None  # the rows have names
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


def arrays_in(file: Path) -> Any:
    """The array in a NumPy file, or its arrays by name; within the size limits of archives."""
    try:
        if file.suffix.lower() == ".npz":
            with Archive(file) as archive:
                return {
                    name.removesuffix(".npy"): _array_in(io.BytesIO(archive.read(name)))
                    for name in archive.names("")
                }
        with file.open("rb") as opened:
            return _array_in(opened)
    except InputError:
        raise
    except (ValueError, OSError, EOFError, MemoryError, SyntaxError) as error:
        raise InputError(
            f"{file} contains no readable arrays of numbers ({error}); arrays of objects are never "
            f"unpickled."
        ) from error


def _array_in(content: BinaryIO) -> Any:
    """An array of numbers; a header that states more bytes than there are is refused."""
    version = np.lib.format.read_magic(content)
    header = {(1, 0): np.lib.format.read_array_header_1_0}.get(
        version, np.lib.format.read_array_header_2_0
    )
    shape, _, kind = header(content)
    stated, begin = math.prod(shape) * kind.itemsize, content.tell()
    present = content.seek(0, io.SEEK_END) - begin
    if stated > present and not kind.hasobject:
        raise ValueError(f"its header states {stated:,} bytes, but there are {present:,}")
    content.seek(0)
    return np.load(content, allow_pickle=False)


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
