"""One-dimensional arguments: numbers, yes or no, names of clusters.

Everything wrong with one is said here, with the value and its place.
"""

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.errors import InputError, WrongType


def as_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    """A list of numbers; whole numbers too large for a float stay whole."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        at = int(np.flatnonzero(np.ma.getmaskarray(values))[0])
        raise WrongType(
            f"{name} is a masked array and {name}[{at}] is masked; leave that item out."
        )
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise WrongType(f"{name} must be a list of numbers; NumPy says: {error}.") from error
    if array.ndim != 1:
        raise InputError(f"{name} must be a list of numbers; got shape {array.shape}.")
    if array.dtype.kind not in "biuf":
        given = values if isinstance(values, list | tuple) else array.tolist()
        for at, value in enumerate(given):
            if not isinstance(value, Real):
                raise WrongType(f"{name} must hold numbers; {name}[{at}] is {value!r}.")
        raise WrongType(f"{name} must hold numbers that fit a float; got {array.dtype} values.")
    return array


def same_length(**columns: NDArray[Any]) -> int:
    """How many items the columns have, one at least."""
    sizes = {name: len(column) for name, column in columns.items()}
    first, *others = sizes
    for other in others:
        if sizes[other] != sizes[first]:
            raise InputError(
                f"{first} and {other} must have an entry per item each; they have {sizes[first]} "
                f"and {sizes[other]}."
            )
    if not sizes[first]:
        raise InputError(f"{first} is empty; one item at least is needed.")
    return sizes[first]


def refuse_first(wrong: NDArray[np.bool_], values: NDArray[Any], name: str, because: str) -> None:
    """Say where the first wrong entry stands, and how many there are."""
    if wrong.any():
        at = int(np.argmax(wrong))
        more = f" ({int(wrong.sum())} such in all)" if wrong.sum() > 1 else ""
        raise InputError(f"{name}[{at}] is {values[at].item()!r}; {because}{more}.")


def as_flags(values: ArrayLike, name: str) -> NDArray[np.bool_]:
    """A list of 0 and 1, or of booleans."""
    array = as_numbers(values, name)
    if array.dtype != bool:
        refuse_first((array != 0) & (array != 1), array, name, "it must be 0 or 1")
    return array.astype(bool, copy=False)


def as_codes(names: ArrayLike | None, size: int, name: str) -> NDArray[np.intp] | None:
    """Names as whole numbers in the order of the names, whichever order they are given in."""
    if names is None:
        return None
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise WrongType(f"{name} must be a list with an entry per item; got {names!r}.")
    listed = names.tolist() if isinstance(names, np.ndarray) else list(names)
    if len(listed) != size:
        raise InputError(f"{name} must have an entry per item; got {len(listed)} for {size} items.")
    for at, one in enumerate(listed):
        if one is None or one != one:  # noqa: PLR0124  only NaN differs from itself
            raise InputError(f"{name}[{at}] is {one!r}; every item must belong to one.")
    try:
        distinct = set(listed)
    except TypeError as error:
        raise WrongType(f"{name} must be names or numbers; {error}.") from error
    place = {one: at for at, one in enumerate(sorted(distinct, key=_sortable))}
    return np.array([place[one] for one in listed], dtype=np.intp)


def _sortable(name: object) -> tuple[bool, Any, str, str]:
    if isinstance(name, Real):
        return (False, name, "", "")
    return (True, 0, str(name), type(name).__name__)
