"""Arguments, checked once at the edge: numbers, levels, vectors, flags and names, counts, ids."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arrays import Integers
from errbar.base.remarks import way_to_say
from errbar.errors import InputError, WrongType


def freeze(target: object, **fields: object) -> None:
    """Set fields of a frozen dataclass; arrays can no longer be written to."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(target, name, value)


def number(value: Any, name: str, low: float, high: float) -> float:
    """`value` as a finite float between `low` and `high`."""
    if type(value) is not float and (
        isinstance(value, bool | np.bool_)
        or not isinstance(value, int | float | np.integer | np.floating)
    ):
        raise WrongType(f"{name} must be a number; got {value!r}.")
    try:
        result = float(value)
    except OverflowError:  # a whole number beyond all floats
        result = math.inf
    if not (low <= result <= high and math.isfinite(result)):
        raise InputError(f"{name} must be {_range(low, high)}; got {value!r}.")
    return result


def _range(low: float, high: float) -> str:
    if math.isinf(high):
        return "finite" if math.isinf(low) else f"finite and {low:g} at least"
    return f"in [{low:g}, {high:g}]"


def strict_share(value: Any, name: str) -> float:
    """`value` as a number strictly between 0 and 1: the level of an interval, or a power."""
    share = number(value, name, -math.inf, math.inf)
    if not 0 < share < 1:
        raise InputError(
            f"{name} must lie strictly between 0 and 1; got {value!r}. "
            f"For 95 % write {way_to_say(f'--{name} 0.95', f'{name}=0.95')}."
        )
    return share


def numbers(values: Any, name: str) -> tuple[float, ...]:
    """`values` as a tuple of finite floats."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise WrongType(f"{name} is a masked array with masked entries.")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise WrongType(f"{name} must be a list of numbers; got {values!r}.") from error
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise WrongType(
            f"{name} must be a list of numbers; got {array.dtype} of shape {array.shape}."
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise InputError(f"{name} must be finite; {name}[{bad[0]}] is {array[bad[0]]}.")
    return tuple(array.astype(float).tolist())


def is_missing(value: object) -> bool:
    """Whether a value is None or NaN, which alone differs from itself."""
    return value is None or value != value  # noqa: PLR0124


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
        if is_missing(one):
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


def whole(values: ArrayLike, name: str) -> Integers:
    """Whole numbers in an array."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise WrongType(f"{name} is a masked array with masked entries; leave those questions out.")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} must be rows of equal length; NumPy says: {error}.") from error
    if array.size and array.dtype.kind not in "iu":
        raise WrongType(f"{name} must hold whole numbers; got {array.dtype} values.")
    return array.astype(np.int64)


def cluster_numbers(clusters: ArrayLike | None, size: int) -> Integers | None:
    """Clusters by number, one for each entry."""
    if clusters is None:
        return None
    numbers = whole(clusters, "clusters")
    if numbers.shape != (size,) or (size and numbers.min() < 0):
        raise InputError(
            f"clusters must number what each of the {size} entries belongs to, from 0; got shape "
            f"{numbers.shape}{f', the least is {numbers.min()}' if numbers.size else ''}."
        )
    return numbers


def scaled_weights(weights: ArrayLike | None, often: NDArray[Any]) -> NDArray[np.float64] | None:
    """Weights of entries, with a mean near 1 over questions; None where all are the same.

    They are scaled by a power of two, which rounds nothing.
    """
    if weights is None:
        return None
    given = np.asarray(weights, dtype=float)
    if given.shape != often.shape or not np.isfinite(given).all() or (given <= 0).any():
        raise InputError(
            f"weights must be one positive number for each of the {often.size} entries; got "
            f"{given.tolist()!r:.80}."
        )
    if not given.size or (given == given[0]).all():
        return None
    most = float(given.max())  # a sum of the largest floats is beyond them
    mean = most * (math.fsum(often * (given / most)) / float(often.sum()))
    return np.ldexp(given, -round(math.log2(mean)))


def are_same_weights(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> bool:
    """Whether weights are the same, or neither are there."""
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs)


def are_same_clusters(mine: Integers | None, theirs: Integers | None) -> bool:
    """Whether clusters have the same numbers, or neither are there."""
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs)


def refuse_weighted(*summands: NDArray[Any] | None) -> None:
    """Refuse to add counts with weights, which were scaled apart."""
    if any(weights is not None for weights in summands):
        raise InputError("counts with weights cannot be added. Load the rows of both together.")


def refuse_clusters(*summands: Integers | None) -> None:
    """Refuse to add counts in clusters: numbers of one say nothing of another's."""
    if any(clusters is not None for clusters in summands):
        raise InputError(
            "counts in clusters cannot be added: nothing says which clusters of the two are the "
            "same. Load the rows of both together."
        )


def question_ids(questions: Sequence[Hashable] | None, size: int) -> Sequence[Hashable]:
    """Ids as given, which must differ; without any, questions are numbered."""
    if questions is None or isinstance(questions, range):
        return range(size)
    if len(questions) != size:
        raise InputError(f"{len(questions)} question ids were given for {size} questions.")
    if len(set(questions)) != size:
        twice, times = Counter(questions).most_common(1)[0]
        raise InputError(f"question ids must differ; {twice!r} occurs {times} times.")
    return tuple(questions)


def union_of(
    mine: Sequence[Hashable], theirs: Sequence[Hashable]
) -> tuple[Sequence[Hashable], Integers]:
    """Mine and then what is new of theirs, and where each of theirs stands in that."""
    if isinstance(mine, range) and isinstance(theirs, range):
        return range(max(len(mine), len(theirs))), np.arange(len(theirs))
    place = {question: at for at, question in enumerate(mine)}
    where = [place.setdefault(question, len(place)) for question in theirs]
    return tuple(place), np.array(where, dtype=np.int64)
