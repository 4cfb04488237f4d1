"""Outcome matrices → counts: a row per question, a column per trial, read once in blocks.

Everything wrong with a matrix is said here, with the value and its place; what comes out needs
no further check.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.data.statistics import CategoryCounts, Counts
from errbar.errors import InputError, WrongType

_BLOCK = 1 << 20  # entries read at a time: small enough for the cache, large enough for NumPy


def binary_counts(matrix: ArrayLike, name: str = "R") -> Counts:
    """Counts of a matrix of 0 and 1.

    Examples
    --------
    >>> binary_counts([[0, 1, 1], [0, 0, 1]])
    Counts(trials=[3, 3], correct=[2, 1], questions=[0, 1])
    """
    array = as_matrix(matrix, name)
    questions, trials = array.shape
    correct = np.empty(questions, dtype=np.int64)
    for rows, block in _blocks(array):
        if not _all_zero_or_one(block):
            _refuse(array, lambda part: (part == 0) | (part == 1), name, "0 or 1", _WEIGHTS_HINT)
        correct[rows] = block.sum(axis=1)
    return Counts(np.full(questions, trials), correct)


def category_counts(matrix: ArrayLike, categories: int, name: str = "R") -> CategoryCounts:
    """Counts of a matrix of categories 0…categories − 1.

    Examples
    --------
    >>> category_counts([[0, 2, 2], [1, 1, 0]], 3)
    CategoryCounts([[1, 0, 2], [1, 2, 0]], questions=[0, 1])
    """
    array = as_matrix(matrix, name, least_trials=0)
    tally = np.zeros((len(array), categories), dtype=np.int64)
    for rows, block in _blocks(array):
        for category in range(categories):
            np.sum(block == category, axis=1, out=tally[rows, category])
    if tally.sum() != array.size:
        allowed = f"a whole number from 0 to {categories - 1}"
        _refuse(array, lambda part: np.isin(part, np.arange(categories)), name, allowed)
    return CategoryCounts(tally)


_WEIGHTS_HINT = " For more than two outcomes, pass one weight per category where the metric has it."


def as_matrix(matrix: ArrayLike, name: str, least_trials: int = 1) -> NDArray[Any]:
    """A two-dimensional array of numbers; one dimension is one question."""
    if isinstance(matrix, np.ma.MaskedArray):
        hidden = np.argwhere(np.ma.getmaskarray(matrix))
        if len(hidden):
            raise WrongType(
                f"{name} is a masked array with {len(hidden)} masked entries, the first at "
                f"{name}{hidden[0].tolist()}. Questions with unequal numbers of trials are given "
                f"as errbar.Counts(trials, correct)."
            )
        matrix = matrix.data
    try:
        array = np.asarray(matrix)
    except ValueError as error:
        raise InputError(
            f"{name} must be a matrix with a row per question and as many trials in each; NumPy "
            f"says: {error}. Questions with unequal numbers of trials are given as "
            f"errbar.Counts(trials, correct)."
        ) from error
    if array.dtype == object:
        array = _numbers(array, name)
    if array.dtype.kind not in "biuf":
        shown = f"{array.flat[0]!r}" if array.size else "nothing"
        raise WrongType(
            f"{name} must hold numbers; got {array.dtype} values, the first is {shown}."
        )
    if array.ndim == 1:
        array = array[None, :]
    if array.ndim != 2:
        raise InputError(
            f"{name} must have a row per question and a column per trial; got {array.ndim} "
            f"dimensions, shape {array.shape}."
        )
    if array.shape[0] < 1 or array.shape[1] < least_trials:
        raise InputError(
            f"{name} is empty: {array.shape[0]} questions × {array.shape[1]} trials. It needs one "
            f"of each at least."
        )
    return array


def _numbers(array: NDArray[Any], name: str) -> NDArray[Any]:
    for place, value in np.ndenumerate(array):
        if not isinstance(value, bool | int | float | np.number | np.bool_):
            raise WrongType(f"{name}{list(place)} is {value!r}; {name} must hold numbers.")
    return array.astype(float)


def _blocks(array: NDArray[Any]) -> Iterator[tuple[slice, NDArray[Any]]]:
    size = max(1, _BLOCK // max(1, array.shape[1]))
    for start in range(0, len(array), size):
        rows = slice(start, start + size)
        yield rows, array[rows]


def _all_zero_or_one(block: NDArray[Any]) -> bool:
    if block.dtype.kind == "b":
        return True
    if block.dtype.kind in "iu":
        # Read as unsigned, a negative number is a large one: one pass finds both ends.
        return bool(block.view(block.dtype.str.replace("i", "u")).max() <= 1)
    return bool(((block == 0) | (block == 1)).all())


def _refuse(array: NDArray[Any], fits: Any, name: str, allowed: str, hint: str = "") -> None:
    """Say where the first entry stands that does not fit."""
    for rows, block in _blocks(array):
        bad = np.argwhere(~fits(block))
        if len(bad):
            row, column = bad[0].tolist()
            value = block[row, column].item()
            raise InputError(
                f"{name}[{rows.start + row}, {column}] is {value!r}; every entry must be "
                f"{allowed}.{hint}"
            )
