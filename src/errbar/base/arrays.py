"""Arrays: the aliases of their types, and checks of arrays with an entry per item or question.

An error names the array and the position of the first wrong entry.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arguments import first_masked, is_missing, to_array
from errbar.errors import InputError, WrongType

Array = NDArray[np.floating[Any]]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Waves = NDArray[np.complexfloating[Any, Any]]
Numbers = NDArray[np.floating[Any] | np.integer[Any]]
Seed = np.random.Generator | int
Bounds = tuple[float, float]  # the lowest and the highest possible value


def lists_by_name(columns: Mapping[Any, Any], what: str) -> dict[str, list[Any]]:
    """Return columns as lists by their names as text."""
    bad = next((name for name, values in columns.items() if not np.iterable(values)), None)
    if bad is not None:
        raise WrongType(f"{what} by column need a list for each column; {bad!r} has none.")
    return {str(name): list(values) for name, values in columns.items()}


def as_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return a one-dimensional array of numbers; integers too large for a float stay integers."""
    at = first_masked(values)
    if at is not None:
        raise WrongType(
            f"{name} is a masked array and {name}[{at}] is masked; leave that item out."
        )
    array = to_array(values, f"{name} must be a list of numbers")
    if array.ndim != 1:
        raise InputError(f"{name} must be a list of numbers; got shape {array.shape}.")
    if array.dtype.kind not in "biuf":
        entries = values if isinstance(values, list | tuple) else array.tolist()
        for at, value in enumerate(entries):
            if not isinstance(value, Real):
                raise WrongType(f"{name} must contain numbers; {name}[{at}] is {value!r}.")
        raise WrongType(f"{name} must contain numbers that fit a float; got {array.dtype} values.")
    return array


def float_of(value: Any) -> float:
    """Return a cell as a float; an integer larger than all floats is infinite, as its text is.

    Examples
    --------
    >>> float_of("0.5"), float_of(-(10**400))
    (0.5, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def same_length(**columns: NDArray[Any]) -> int:
    """Return the common length of the columns, which must be at least 1."""
    sizes = {name: len(column) for name, column in columns.items()}
    first, *others = sizes
    for other in others:
        if sizes[other] != sizes[first]:
            raise InputError(
                f"{first} and {other} must have one entry per item; they have {sizes[first]} and "
                f"{sizes[other]}."
            )
    if not sizes[first]:
        raise InputError(f"{first} is empty; at least one item is needed.")
    return sizes[first]


def refuse_first(wrong: NDArray[np.bool_], values: NDArray[Any], name: str, because: str) -> None:
    """Raise an error that locates the first wrong entry and counts them all."""
    if wrong.any():
        at = int(np.argmax(wrong))
        more = f" ({int(wrong.sum())} such entries)" if wrong.sum() > 1 else ""
        raise InputError(f"{name}[{at}] is {values[at].item()!r}; {because}{more}.")


def as_flags(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    """Return a list of 0 and 1, or of booleans, as a boolean array."""
    array = as_numbers(values, name)
    if array.dtype != bool:
        refuse_first((array != 0) & (array != 1), array, name, "it must be 0 or 1")
    return array.astype(bool, copy=False)


def as_codes(names: ArrayLike | None, size: int, name: str) -> NDArray[np.intp] | None:
    """Return names as integer codes, numbered in sorted order of the names."""
    if names is None:
        return None
    if isinstance(names, str | bytes) or not np.iterable(names):
        raise WrongType(f"{name} must be a list with one entry per item; got {names!r}.")
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names)
    if len(listed) != size:
        raise InputError(
            f"{name} must have one entry per item; got {len(listed)} for {size} items."
        )
    for at, label in enumerate(listed):
        if is_missing(label):
            raise InputError(f"{name}[{at}] is {label!r}; every item needs a value.")
    try:
        distinct = set(listed)
    except TypeError as error:
        raise WrongType(f"{name} must be names or numbers; {error}.") from error
    code = {label: at for at, label in enumerate(sorted(distinct, key=_sortable))}
    return np.array([code[label] for label in listed], dtype=np.intp)


def _sortable(name: object) -> tuple[bool, Any, str, str]:
    if isinstance(name, Real):
        return (False, name, "", "")
    return (True, 0, str(name), type(name).__name__)


def are_same(first: NDArray[Any] | None, second: NDArray[Any] | None) -> bool:
    """Whether two arrays of weights or of cluster numbers are equal, or both are absent."""
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second)


def refuse_adding(
    clusters: Sequence[Integers | None], weights: Sequence[NDArray[Any] | None]
) -> None:
    """Refuse to add counts with clusters, or with weights, which were scaled separately."""
    if any(numbers is not None for numbers in clusters):
        raise InputError(
            "counts with clusters cannot be added: nothing says which clusters of the two are "
            "the same. Load the rows of both together."
        )
    if any(scaled is not None for scaled in weights):
        raise InputError("counts with weights cannot be added. Load the rows of both together.")


def union_of(
    first: Sequence[Hashable], second: Sequence[Hashable]
) -> tuple[Sequence[Hashable], Integers]:
    """Return the union of two lists of ids, and the position of each of `second` in it."""
    if isinstance(first, range) and isinstance(second, range):
        return range(max(len(first), len(second))), np.arange(len(second))
    place = {question: at for at, question in enumerate(first)}
    where = [place.setdefault(question, len(place)) for question in second]
    return tuple(place), np.array(where, dtype=np.int64)
