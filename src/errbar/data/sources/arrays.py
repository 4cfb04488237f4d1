"""Arrays and counts, given or in files of NumPy → systems.

A vector has a question in each entry, a matrix a question in each row and a trial in each column,
and three dimensions are systems, questions and trials.
"""

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from errbar.base.remarks import Above, guess, warning, way_to_say
from errbar.data.engines.duckdb import plain_errors
from errbar.data.matrices import as_matrix
from errbar.data.provenance import Origin
from errbar.data.sources.tables import MatrixSource
from errbar.errors import InputError

ENOUGH = 10  # questions: for fewer, intervals were not studied
_FEWEST_IDS = 3  # rows that can be seen to be numbered


def array_source(data: Any, name: str = "") -> MatrixSource:
    """The outcomes of one array, or of arrays by name, and how they were read."""
    if isinstance(data, dict):
        matrices = {str(name): matrix_of(part, str(name)) for name, part in data.items()}
        said = [_remark_of(part) for part in data.values() if _depth(part) > 1]
        return MatrixSource(matrices, Origin(remarks=tuple(dict.fromkeys(said))))
    if _depth(data) == 3:
        names = [f"system {at + 1}" for at in range(len(data))]
        parts = zip(names, data, strict=True)
        matrices = {name: matrix_of(part, name) for name, part in parts}
        said = [_remark_of(part, f" of each of {len(data)} systems") for part in data]
        return MatrixSource(matrices, Origin(remarks=tuple(dict.fromkeys(said))))
    matrix = matrix_of(data, name or "the matrix")
    if _depth(data) == 1:
        said = [guess(f"Questions: the {len(matrix)} entries of the vector, one trial of each")]
    else:
        said = [_remark_of(matrix)]
    return MatrixSource({name: matrix}, Origin(remarks=tuple(said)))


def _remark_of(matrix: Any, whose: str = "") -> Above:
    """How a matrix was read: with a warning where the other way there would be enough questions."""
    rows, columns = np.shape(matrix)[:2]
    shape = f"{_number_of(rows, 'row')} questions, {_number_of(columns, 'column')} trials"
    said = f"Matrix{whose}: {shape}"
    if rows >= ENOUGH or columns < ENOUGH:
        return guess(said)
    transpose = way_to_say("transpose the file", "transpose it: load(numpy.transpose(data))")
    if whose:
        transpose = "swap the last two dimensions"
    return warning(
        f"{said}. If the rows are trials (runs, seeds) and the columns questions, {transpose}."
    )


def _number_of(number: int, what: str) -> str:
    return f"{number} {what}{' is' if number == 1 else 's are'}"


def refuse_ids(matrix: NDArray[Any], where: str, advice: str) -> None:
    """Refuse a first column that names the rows, and is no trial of them.

    It counts up; or its whole numbers are all distinct, and the other columns hold 0 and 1 alone.
    """
    if matrix.ndim != 2 or matrix.shape[1] < 2 or len(matrix) < _FEWEST_IDS:
        return
    first, others = matrix[:, 0], matrix[:, 1:]
    counts_up = np.array_equal(first, first[0] + np.arange(len(first)))
    whole = bool(np.isfinite(first).all() and (first == np.floor(first)).all())
    distinct = whole and len(np.unique(first)) == len(first)
    if counts_up or (distinct and bool((np.isnan(others) | np.isin(others, (0, 1))).all())):
        raise InputError(
            f"{where}: its first column {'counts up' if counts_up else 'has no number twice'} "
            f"({first[0]:g}, {first[1]:g} …), as ids do, and nothing names the columns. {advice}"
        )


def matrix_of(data: Any, name: str) -> NDArray[Any]:
    """A question in each row, a trial in each column."""
    if _depth(data) == 1:
        data = np.asarray(data)[:, None] if len(data) else data
    return as_matrix(data, name).astype(float)


def is_list(data: Any) -> TypeGuard[Sequence[Any]]:
    """Whether it is a list of things, which a text is not."""
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _depth(data: Any) -> int:
    if isinstance(data, np.ndarray):
        return data.ndim
    return 1 + _depth(data[0]) if is_list(data) and len(data) else int(is_list(data))


def arrays_in(file: Path) -> Any:
    """The array of a file, or its arrays by name."""
    with plain_errors(str(file)):
        try:
            with file.open("rb") as opened:
                loaded = np.load(opened, allow_pickle=False)
                return (
                    loaded
                    if isinstance(loaded, np.ndarray)
                    else {name: loaded[name] for name in loaded.files}
                )
        except (ValueError, OSError, EOFError, BadZipFile, zlib.error, KeyError) as error:
            raise InputError(
                f"{file} holds no arrays of numbers that can be read; arrays of objects are never "
                f"unpickled."
            ) from error
