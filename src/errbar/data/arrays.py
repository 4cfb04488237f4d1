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

from errbar.data.engine_errors import plain_errors
from errbar.data.matrix import as_matrix
from errbar.data.origin import Origin
from errbar.data.sources import MatrixSource
from errbar.errors import InputError
from errbar.remarks import Above, guess


def array_source(data: Any, name: str = "") -> MatrixSource:
    """The outcomes of one array, or of arrays by name."""
    if isinstance(data, dict):
        return MatrixSource({str(one): matrix_of(part, str(one)) for one, part in data.items()})
    if _depth(data) == 3:
        names = [f"system {at + 1}" for at in range(len(data))]
        parts = zip(names, data, strict=True)
        return MatrixSource({one: matrix_of(part, one) for one, part in parts})
    matrix = matrix_of(data, name or "the matrix")
    if _depth(data) == 1:
        said = guess(f"Questions: the {len(matrix)} entries of the vector, one trial of each")
        return MatrixSource({name: matrix}, Origin(remarks=(said,)))
    return MatrixSource({name: matrix})


def matrix_remark(matrix: Any) -> Above:
    """How a matrix in a file was read."""
    rows, columns = np.shape(matrix)[-2:] if np.ndim(matrix) > 1 else (len(matrix), 1)
    return guess(f"Matrix: {rows} rows are questions, {columns} columns are trials")


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
