"""Count outcome matrices (a row per question, a column per trial) in one pass over blocks.

Matrices are validated here, with the offending value and its position in the error; the counts
need no further checks.
"""

import sys
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arguments import to_array
from errbar.base.arrays import Integers
from errbar.data.counts import CategoryCounts, Counts, States, Tally
from errbar.errors import InputError, WrongType

_BLOCK = 1 << 20  # entries per block: small enough for the cache, large enough for NumPy


def binary_counts(matrix: ArrayLike, name: str = "R") -> Counts:
    """Counts of a matrix of 0 and 1.

    Examples
    --------
    >>> binary_counts([[0, 1, 1], [0, 0, 1]])
    Counts(trials=[3, 3], correct=[2, 1], questions=[0, 1])
    """
    correct, trials = _right_by_question(matrix, name)
    return Counts(np.full(correct.size, trials), correct)


def binary_states(matrix: ArrayLike, name: str = "R") -> States:
    """The distinct states of a matrix of 0 and 1.

    Examples
    --------
    >>> binary_states([[0, 1, 1], [0, 0, 1], [1, 1, 0]]).correct
    array([1, 2])
    """
    correct, trials = _right_by_question(matrix, name)
    often = np.bincount(correct).astype(float)
    cells = often.nonzero()[0]
    if cells.size < often.size:
        often = often[cells]
    return States(
        np.full(cells.size, trials), cells, often[None, :], np.array([float(correct.size)])
    )


def _right_by_question(matrix: ArrayLike, name: str) -> tuple[Integers, int]:
    """Number of correct trials of each question, and the number of trials."""
    array = as_matrix(matrix, name)
    parts = []
    for block in _blocks(array):
        if not _all_zero_or_one(block):
            _refuse(array, lambda part: (part == 0) | (part == 1), name, "0 or 1", _WEIGHTS_HINT)
        parts.append(_row_sums(block))
    correct = parts[0] if len(parts) == 1 else np.concatenate(parts)
    whole = correct if correct.dtype == np.int64 else correct.astype(np.int64)
    return whole, array.shape[1]


def category_counts(
    matrix: ArrayLike, categories: int, name: str = "R", *, least_trials: int = 1
) -> CategoryCounts:
    """Counts of a matrix of categories 0…categories − 1.

    Examples
    --------
    >>> category_counts([[0, 2, 2], [1, 1, 0]], 3)
    CategoryCounts([[1, 0, 2], [1, 2, 0]], questions=[0, 1])
    """
    return CategoryCounts(
        _categories_by_question(as_matrix(matrix, name, least_trials), categories, name)
    )


def category_tally(matrix: ArrayLike, categories: int, name: str = "R") -> Tally:
    """Category counts of a matrix, without question names.

    Examples
    --------
    >>> category_tally([[0, 2, 2], [1, 1, 0]], 3).rows
    array([[1, 0, 2],
           [1, 2, 0]])
    """
    rows = _categories_by_question(as_matrix(matrix, name), categories, name)
    return Tally(rows, np.ones(len(rows)))


def _categories_by_question(array: NDArray[Any], categories: int, name: str) -> Integers:
    tally = np.empty((categories, len(array)), dtype=np.int64)
    start = 0
    for block in _blocks(array):
        if not _all_whole_below(block, categories):
            allowed = f"a whole number from 0 to {categories - 1}"
            _refuse(array, lambda part: np.isin(part, np.arange(categories)), name, allowed)
        _count_categories(block, out=tally[:, start : start + len(block)])
        start += len(block)
    return tally.T


def _count_categories(block: NDArray[Any], out: Integers) -> None:
    """Count each category in each row, by bitwise operations.

    Each binary digit of the categories of a row is packed into a few machine words. A category is
    then a mask of bits, and counting it is a population count.
    """
    categories = len(out)
    narrow = np.min_scalar_type(categories - 1)
    same = block.dtype.kind in "iu" and block.dtype.itemsize == narrow.itemsize
    small = block.view(narrow) if same and block.dtype.isnative else block.astype(narrow)
    digits = [_pack(small & (1 << place)) for place in range((categories - 1).bit_length())]
    for category in range(1, categories):
        factors = [digit if category >> place & 1 else ~digit for place, digit in enumerate(digits)]
        count = np.bitwise_count(reduce(np.bitwise_and, factors))
        out[category] = count[:, 0] if count.shape[1] == 1 else count.sum(axis=1, dtype=np.int64)
    out[0] = block.shape[1] - out[1:].sum(axis=0)


def _pack(bits: NDArray[Any]) -> NDArray[np.uint64]:
    """Pack rows of bits (nonzero is 1) into words; the last word is padded with zeros."""
    if bits.shape[1] % 64 == 0:
        return np.packbits(bits.reshape(-1)).view(np.uint64).reshape(len(bits), -1)
    packed = np.packbits(bits, axis=1)
    words = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
    words[:, : packed.shape[1]] = packed
    return words.view(np.uint64)


_WEIGHTS_HINT = " For more than two outcomes, pass one weight per category where the metric has it."


def as_matrix(matrix: ArrayLike, name: str, least_trials: int = 1) -> NDArray[Any]:
    """Convert to a two-dimensional array of numbers; a vector is a single question."""
    if isinstance(matrix, list | tuple) and any(isinstance(r, np.ma.MaskedArray) for r in matrix):
        matrix = np.ma.array(matrix)
    if isinstance(matrix, np.ma.MaskedArray):
        matrix = _fill_masked(matrix, name)
    try:
        array = to_array(matrix, f"{name} must be an array of numbers", InputError)
    except InputError as error:
        if not isinstance(error.__cause__, ValueError):
            raise
        raise InputError(
            f"{name} must have a row per question and equally many trials in each: "
            f"{_describe_lengths(matrix)}. "
            f"Pass questions with unequal numbers of trials as "
            f"errbar.Counts(trials, correct)."
        ) from error
    if array.dtype == object:
        array = _numbers(array, name)
    if array.dtype.kind not in "biuf":
        shown = repr(array.flat[0].item()) if array.size else "nothing"
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


def _describe_lengths(matrix: Any) -> str:
    """Say which rows differ in length."""
    lengths = [len(row) if hasattr(row, "__len__") else 1 for row in matrix]
    other = next((at for at, length in enumerate(lengths) if length != lengths[0]), None)
    if other is None:
        return "its rows are nested to different depths"
    return f"row 0 has {lengths[0]} and row {other} has {lengths[other]}"


def _fill_masked(matrix: np.ma.MaskedArray[Any, Any], name: str) -> NDArray[Any]:
    hidden = np.argwhere(np.ma.getmaskarray(matrix))
    if len(hidden):
        raise WrongType(
            f"{name} is a masked array with {len(hidden)} masked entries, the first at "
            f"{name}{hidden[0].tolist()}. Pass questions with unequal numbers of trials as "
            f"errbar.Counts(trials, correct)."
        )
    return matrix.data


def _numbers(array: NDArray[Any], name: str) -> NDArray[Any]:
    for place, value in np.ndenumerate(array):
        if not isinstance(value, bool | int | float | np.number | np.bool_):
            raise WrongType(f"{name}{list(place)} is {value!r}; {name} must hold numbers.")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise InputError(f"{name}{list(place)} is an integer too large for a float.")
    return array.astype(float)


def _blocks(array: NDArray[Any]) -> list[NDArray[Any]]:
    if array.size <= _BLOCK:
        return [array]
    size = max(1, _BLOCK // array.shape[1])
    return [array[start : start + size] for start in range(0, len(array), size)]


def _all_zero_or_one(block: NDArray[Any]) -> bool:
    if block.dtype.kind == "b":
        return True
    if block.dtype.kind in "iu":
        # The bitwise OR of all entries keeps every bit above the lowest, including the sign.
        return bool(np.bitwise_or.reduce(block, axis=None) in (0, 1))
    return bool(((block == 0) | (block == 1)).all())


def _all_whole_below(block: NDArray[Any], end: int) -> bool:
    if not block.size or block.dtype.kind == "b":
        return True
    if block.dtype.kind in "iu":
        # As an unsigned integer a negative number is large, so one maximum checks both bounds.
        return bool(block.view(block.dtype.str.replace("i", "u")).max() < end)
    return bool(((block == np.floor(block)) & (block >= 0) & (block < end)).all())


def _row_sums(block: NDArray[Any]) -> NDArray[Any]:
    if block.dtype.kind in "iu" and block.dtype.itemsize >= 4:
        return np.einsum("ij->i", block)  # twice as fast as sum, and wide enough not to overflow
    return block.sum(axis=1, dtype=np.int64)


def _refuse(array: NDArray[Any], fits: Any, name: str, allowed: str, hint: str = "") -> None:
    """Raise an error that names the first invalid entry and its position."""
    start = 0
    for block in _blocks(array):
        bad = np.argwhere(~fits(block))
        if len(bad):
            row, column = bad[0].tolist()
            value = block[row, column].item()
            raise InputError(
                f"{name}[{start + row}, {column}] is {value!r}; every entry must be {allowed}."
                f"{hint}"
            )
        start += len(block)
