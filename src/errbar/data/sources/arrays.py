"""Arrays and counts as sources of outcomes, a system for each.

A vector has an entry per question, a matrix a row per question and a column per trial; the axes of
a three-dimensional array are systems, questions and trials.
"""

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from errbar.base.remarks import Above, guess, warning, way_to_say
from errbar.data.matrices import as_matrix
from errbar.data.readers.logs import Origin
from errbar.data.sources.tables import MatrixSource
from errbar.errors import InputError

ENOUGH = 10  # questions; intervals were not studied for fewer
_FEWEST_IDS = 3  # rows from which a numbering can be recognised


def array_source(data: Any, name: str = "") -> MatrixSource:
    """Source for an array, or for arrays by system name, with remarks on how they were read."""
    if isinstance(data, dict):
        matrices = {str(name): matrix_of(part, str(name)) for name, part in data.items()}
        remarks = [_remark_of(part) for part in data.values() if _depth(part) > 1]
        return MatrixSource(matrices, Origin(remarks=tuple(dict.fromkeys(remarks))))
    if _depth(data) == 3:
        names = [f"system {at + 1}" for at in range(len(data))]
        parts = zip(names, data, strict=True)
        matrices = {name: matrix_of(part, name) for name, part in parts}
        remarks = [_remark_of(part, f" of each of {len(data)} systems") for part in data]
        return MatrixSource(matrices, Origin(remarks=tuple(dict.fromkeys(remarks))))
    matrix = matrix_of(data, name or "the matrix")
    if _depth(data) == 1:
        remarks = [guess(f"Questions: the {len(matrix)} entries of the vector, one trial of each")]
    else:
        remarks = [_remark_of(matrix)]
    return MatrixSource({name: matrix}, Origin(remarks=tuple(remarks)))


def _remark_of(matrix: Any, subject: str = "") -> Above:
    """Remark on how a matrix was read; a warning if its transpose would have enough questions."""
    rows, columns = np.shape(matrix)[:2]
    shape = f"{_number_of(rows, 'row')} questions, {_number_of(columns, 'column')} trials"
    text = f"Matrix{subject}: {shape}"
    if rows >= ENOUGH or columns < ENOUGH:
        return guess(text)
    transpose = way_to_say("transpose the file", "transpose it: load(numpy.transpose(data))")
    if subject:
        transpose = "swap the last two dimensions"
    return warning(
        f"{text}. If the rows are trials (runs, seeds) and the columns questions, {transpose}."
    )


def _number_of(number: int, what: str) -> str:
    return f"{number} {what}{' is' if number == 1 else 's are'}"


def refuse_ids(matrix: NDArray[Any], where: str, advice: str) -> None:
    """Raise an error if the first column contains row ids instead of a trial.

    It does if it counts up, or if it has distinct integers and the other columns only 0 and 1.
    """
    if matrix.ndim != 2 or matrix.shape[1] < 2 or len(matrix) < _FEWEST_IDS:
        return
    first, others = matrix[:, 0], matrix[:, 1:]
    counts_up = np.array_equal(first, first[0] + np.arange(len(first)))
    whole = bool(np.isfinite(first).all() and (first == np.floor(first)).all())
    distinct = whole and len(np.unique(first)) == len(first)
    if counts_up or (distinct and bool((np.isnan(others) | np.isin(others, (0, 1))).all())):
        raise InputError(
            f"{where}: its first column {'counts up' if counts_up else 'has distinct numbers'} "
            f"({first[0]:g}, {first[1]:g} …), like ids, and the columns have no names. {advice}"
        )


def matrix_of(data: Any, name: str) -> NDArray[Any]:
    """The data as a matrix with a row per question and a column per trial."""
    if _depth(data) == 1:
        data = np.asarray(data)[:, None] if len(data) else data
    return as_matrix(data, name).astype(float)


def is_list(data: Any) -> TypeGuard[Sequence[Any]]:
    """Whether the data are a sequence other than a string."""
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _depth(data: Any) -> int:
    if isinstance(data, np.ndarray):
        return data.ndim
    return 1 + _depth(data[0]) if is_list(data) and len(data) else int(is_list(data))
