"""Checks of arguments, made once where a user's value enters the package.

Numbers, confidence levels, vectors, flags, labels, counts and question ids. Each function returns
the value in the type that the rest of the package expects, or raises an `InputError` that names
the argument, the offending value and its position.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from inspect import cleandoc
from numbers import Real
from textwrap import fill
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arrays import Integers
from errbar.base.remarks import way_to_say
from errbar.errors import InputError, WrongType

Function = TypeVar("Function", bound=Callable[..., Any])
_INDENT = "    "


def describe(parameters: Mapping[str, str], returns: str = "") -> Callable[[Function], Function]:
    """Return a decorator that adds a numpydoc section of parameters to a docstring.

    Functions that share parameters share their descriptions. A key of `parameters` is a name, or
    names separated by commas; those that a function does not have are left out. The section is
    placed before the examples.
    """

    def add(function: Function) -> Function:
        code = function.__code__
        own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        listed = "\n".join(
            f"{name}\n{fill(text, 96, initial_indent=_INDENT, subsequent_indent=_INDENT)}"
            for name, text in parameters.items()
            if name.partition(",")[0] in own
        )
        summary, heading, examples = cleandoc(function.__doc__ or "").partition("Examples\n")
        sections = [summary.strip(), f"Parameters\n----------\n{listed}"]
        sections += [returns] if returns else []
        sections += [f"{heading}{examples}"] if heading else []
        function.__doc__ = "\n\n".join(sections)
        return function

    return add


def freeze(target: object, **fields: object) -> None:
    """Set fields of a frozen dataclass, and make arrays among them read-only."""
    for name, value in fields.items():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(target, name, value)


def require_choice(value: object, name: str, known: Iterable[str]) -> None:
    """Refuse a value that is not one of several known texts.

    Examples
    --------
    >>> require_choice("drop", "errors", ["fail", "missing"])
    Traceback (most recent call last):
    errbar.errors.InputError: errors must be 'fail' or 'missing'; got 'drop'.
    """
    choices = list(known)
    if not isinstance(value, str) or value not in choices:
        *first, last = map(repr, choices)
        raise InputError(f"{name} must be {', '.join(first)} or {last}; got {value!r}.")


def names_in_order(names: Sequence[str]) -> tuple[str, ...]:
    """Names as a tuple, each once; a text is a single name.

    Examples
    --------
    >>> names_in_order("judge"), names_in_order(["judge", "run", "judge"])
    (('judge',), ('judge', 'run'))
    """
    return (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))


def number(value: Any, name: str, low: float, high: float) -> float:
    """Return `value` as a finite float between `low` and `high`."""
    if type(value) is not float and (
        isinstance(value, bool | np.bool_)
        or not isinstance(value, int | float | np.integer | np.floating)
    ):
        raise WrongType(f"{name} must be a number; got {value!r}.")
    try:
        result = float(value)
    except OverflowError:  # an integer too large for a float
        result = math.inf
    if not (low <= result <= high and math.isfinite(result)):
        raise InputError(f"{name} must be {_range(low, high)}; got {value!r}.")
    return result


def _range(low: float, high: float) -> str:
    if math.isinf(high):
        return "finite" if math.isinf(low) else f"finite and at least {low:g}"
    return f"in [{low:g}, {high:g}]"


def strict_share(value: Any, name: str) -> float:
    """Return `value` as a number strictly between 0 and 1: a confidence level or a power."""
    try:
        share = number(value, name, 0, 1)
    except WrongType:
        raise
    except InputError:
        share = math.nan
    if not 0 < share < 1:
        raise InputError(
            f"{name} must lie strictly between 0 and 1; got {value!r}. "
            f"For 95% write {way_to_say(f'--{name} 0.95', f'{name}=0.95')}."
        )
    return share


def require_bounds(bounds: tuple[float, float] | None) -> None:
    """Refuse bounds of rewards that are not a lower and a higher finite number."""
    if bounds is None:
        return
    option = way_to_say("--bounds", "bounds")
    if len(bounds) != 2 or not all(map(math.isfinite, bounds)) or not bounds[0] < bounds[1]:
        raise InputError(
            f"{option} must be the lowest and the highest possible reward; got {bounds}."
        )
    require_scale(max(map(abs, bounds)), option)


_LARGEST_SCALE = 1e75  # the fourth power of a reward is a finite float, and not 0


def require_scale(largest: float, name: str) -> None:
    """Refuse numbers so large or so small that their variance cannot be computed."""
    if largest and not 1 / _LARGEST_SCALE <= largest <= _LARGEST_SCALE:
        raise InputError(
            f"{name} reach {largest:.3g} in absolute value, whose variance is beyond what floats "
            f"hold; use another unit, so that the largest is between 1e-75 and 1e75"
        )


def require_all(in_all: int | None, questions: int) -> None:
    """Refuse a size of the question pool below the number of questions."""
    if in_all is not None and in_all < questions:
        raise InputError(
            f"questions_in_all is {in_all}, but {questions} questions were asked; give the number "
            f"of all there are."
        )


def require_whole(value: Any, name: str, least: int) -> None:
    """Refuse anything but an integer of `least` or more."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise WrongType(f"{name} must be a whole number; got {value!r}.")
    if value < least:
        raise InputError(f"{name} must be {least} at least; got {value!r}.")


def lists_by_name(columns: Mapping[Any, Any], what: str) -> dict[str, list[Any]]:
    """Return columns as lists by their names as text."""
    bad = next((name for name, values in columns.items() if not isinstance(values, Iterable)), None)
    if bad is not None:
        raise WrongType(f"{what} by column need a list for each column; {bad!r} has none.")
    return {str(name): list(values) for name, values in columns.items()}


def require_text(**values: object) -> None:
    """Refuse anything but a text or None."""
    for name, value in values.items():
        if not isinstance(value, str | None):
            raise WrongType(f"{name} must be a text; got {value!r:.80}.")


def texts(values: Any, name: str) -> tuple[str, ...]:
    """Return a text, or several, as a tuple.

    Examples
    --------
    >>> texts("system", "by"), texts(["system", "task"], "by")
    (('system',), ('system', 'task'))
    """
    listed = [values] if isinstance(values, str) else values
    if not isinstance(listed, list | tuple | set | frozenset) or not all(
        isinstance(value, str) for value in listed
    ):
        raise WrongType(f"{name} must be a text or a list of texts; got {values!r:.80}.")
    return tuple(listed)


def numbers(values: Any, name: str) -> tuple[float, ...]:
    """Return `values` as a tuple of finite floats."""
    if _first_masked(values) is not None:
        raise WrongType(f"{name} is a masked array with masked entries.")
    array = _array(values, f"{name} must be a list of numbers")
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise WrongType(
            f"{name} must be a list of numbers; got {array.dtype} of shape {array.shape}."
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise InputError(f"{name} must be finite; {name}[{bad[0]}] is {array[bad[0]]}.")
    return tuple(array.astype(float).tolist())


def is_missing(value: object) -> bool:
    """Whether a value is None or NaN, the only value that differs from itself."""
    return value is None or value != value  # noqa: PLR0124


def as_numbers(values: ArrayLike, name: str) -> NDArray[Any]:
    """Return a one-dimensional array of numbers; integers too large for a float stay integers."""
    at = _first_masked(values)
    if at is not None:
        raise WrongType(
            f"{name} is a masked array and {name}[{at}] is masked; leave that item out."
        )
    array = _array(values, f"{name} must be a list of numbers")
    if array.ndim != 1:
        raise InputError(f"{name} must be a list of numbers; got shape {array.shape}.")
    if array.dtype.kind not in "biuf":
        entries = values if isinstance(values, list | tuple) else array.tolist()
        for at, value in enumerate(entries):
            if not isinstance(value, Real):
                raise WrongType(f"{name} must contain numbers; {name}[{at}] is {value!r}.")
        raise WrongType(f"{name} must contain numbers that fit a float; got {array.dtype} values.")
    return array


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
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
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


def _array(values: Any, rule: str, kind: type[InputError] = WrongType) -> NDArray[Any]:
    """Return `values` as an array; `rule` begins the message if NumPy refuses."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise kind(f"{rule}; NumPy says: {error}.") from error


def _first_masked(values: Any) -> int | None:
    """Return the position of the first masked entry of a masked array, if there is any."""
    if not isinstance(values, np.ma.MaskedArray):
        return None
    masked = np.flatnonzero(np.ma.getmaskarray(values))
    return int(masked[0]) if masked.size else None


def integers(values: ArrayLike, name: str) -> Integers:
    """Return `values` as an array of 64-bit integers."""
    if _first_masked(values) is not None:
        raise WrongType(f"{name} is a masked array with masked entries; leave those questions out.")
    array = _array(values, f"{name} must have rows of equal length", InputError)
    if array.size and array.dtype.kind not in "iu":
        raise WrongType(f"{name} must contain integers; got {array.dtype} values.")
    return array.astype(np.int64)


def cluster_numbers(clusters: ArrayLike | None, size: int) -> Integers | None:
    """Return the cluster of each entry as a number from 0."""
    if clusters is None:
        return None
    numbers = integers(clusters, "clusters")
    if numbers.shape != (size,) or (size and numbers.min() < 0):
        raise InputError(
            f"clusters must give the cluster of each of the {size} entries as a number from 0; got "
            f"shape {numbers.shape}{f', minimum {numbers.min()}' if numbers.size else ''}."
        )
    return numbers


def scaled_weights(weights: ArrayLike | None, often: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return weights scaled to a mean near 1 over questions, or None if all are equal.

    The scale is a power of two, so no weight is rounded. `often` is the number of questions of
    each entry.
    """
    if weights is None:
        return None
    values = np.asarray(weights, dtype=float)
    if values.shape != often.shape or not np.isfinite(values).all() or (values <= 0).any():
        raise InputError(
            f"weights must be one positive number for each of the {often.size} entries; got "
            f"{values.tolist()!r:.80}."
        )
    if not values.size or (values == values[0]).all():
        return None
    largest = float(values.max())  # divided out first: a sum of the largest floats overflows
    mean = largest * (math.fsum(often * (values / largest)) / float(often.sum()))
    return np.ldexp(values, -round(math.log2(mean)))


def are_same(mine: NDArray[Any] | None, theirs: NDArray[Any] | None) -> bool:
    """Whether two arrays of weights or of cluster numbers are equal, or both are absent."""
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs)


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


def question_ids(questions: Sequence[Hashable] | None, size: int) -> Sequence[Hashable]:
    """Return the question ids, which must be unique; without ids, questions are numbered."""
    if questions is None or isinstance(questions, range):
        return range(size)
    if len(questions) != size:
        raise InputError(f"{len(questions)} question ids were given for {size} questions.")
    try:
        distinct = len(set(questions))
    except TypeError as error:  # lists, or the rows of a matrix
        raise WrongType(f"question ids are numbers or texts; got {questions[0]!r:.80}.") from error
    if distinct != size:
        twice, times = Counter(questions).most_common(1)[0]
        raise InputError(f"question ids must be unique; {twice!r} occurs {times} times.")
    return tuple(questions)


def union_of(
    mine: Sequence[Hashable], theirs: Sequence[Hashable]
) -> tuple[Sequence[Hashable], Integers]:
    """Return the union of two lists of ids, and the position of each of `theirs` in it."""
    if isinstance(mine, range) and isinstance(theirs, range):
        return range(max(len(mine), len(theirs))), np.arange(len(theirs))
    place = {question: at for at, question in enumerate(mine)}
    where = [place.setdefault(question, len(place)) for question in theirs]
    return tuple(place), np.array(where, dtype=np.int64)
