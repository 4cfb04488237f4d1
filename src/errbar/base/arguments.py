"""Checks of arguments, made once where a user's value enters the package.

Numbers, confidence levels, choices, texts, counts and question ids. Each function returns the value
in the type that the rest of the package expects, or raises an `InputError` that names the argument
and the offending value. `checked` does so for all keywords of a public function whose types are
known by their names; lists with an entry per item are checked in `arrays`.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import wraps
from inspect import cleandoc
from textwrap import fill
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

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


def require_whole(value: Any, name: str, least: int, most: int | None = None) -> None:
    """Refuse anything but an integer of `least` or more, and of `most` or less if that is given."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise WrongType(f"{name} must be a whole number; got {value!r}.")
    if value < least:
        raise InputError(f"{name} must be {least} at least; got {value!r}.")
    if most is not None and value > most:
        raise InputError(f"{name} must be at most {most}; got {value!r}.")


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
    if first_masked(values) is not None:
        raise WrongType(f"{name} is a masked array with masked entries.")
    array = to_array(values, f"{name} must be a list of numbers")
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise WrongType(
            f"{name} must be a list of numbers; got {array.dtype} of shape {array.shape}."
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise InputError(f"{name} must be finite; {name}[{bad[0]}] is {array[bad[0]]}.")
    return tuple(array.astype(float).tolist())


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, the only value that differs from itself, or NA of pandas."""
    if value is None:
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except TypeError:  # NA: whether it differs from itself is not known
        return True
    except ValueError:  # an array
        return False


def to_array(values: Any, rule: str, kind: type[InputError] = WrongType) -> NDArray[Any]:
    """Return `values` as an array; `rule` begins the message if NumPy refuses."""
    try:
        return np.asarray(values)
    except MemoryError:
        raise
    except Exception as error:  # of NumPy, or of the library of the values, as of a GPU
        raise kind(f"{rule}; NumPy says: {error}.") from error


def first_masked(values: Any) -> int | None:
    """Return the position of the first masked entry of a masked array, if there is any."""
    if not isinstance(values, np.ma.MaskedArray):
        return None
    masked = np.flatnonzero(np.ma.getmaskarray(values))
    return int(masked[0]) if masked.size else None


def integers(values: ArrayLike, name: str) -> NDArray[np.int64]:
    """Return `values` as an array of 64-bit integers."""
    if first_masked(values) is not None:
        raise WrongType(f"{name} is a masked array with masked entries; leave those questions out.")
    array = to_array(values, f"{name} must have rows of equal length", InputError)
    if array.size and array.dtype.kind not in "iu":
        raise WrongType(f"{name} must contain integers; got {array.dtype} values.")
    return array.astype(np.int64)


def cluster_numbers(clusters: ArrayLike | None, size: int) -> NDArray[np.int64] | None:
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


def _text(value: Any, name: str) -> None:
    require_text(**{name: value})


def _choice(value: Any, name: str) -> None:
    if not isinstance(value, str):
        raise WrongType(f"{name} must be a text; got {value!r:.80}.")


def _flag(value: Any, name: str) -> None:
    if not isinstance(value, bool | np.bool_):
        raise WrongType(f"{name} must be True or False; got {value!r:.80}.")


def _pair(value: Any, name: str) -> None:
    if not (
        (isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1))
        and len(value) == 2
        and all(_is_number(end) for end in value)
    ):
        option = way_to_say(f"--{name}", name)
        raise WrongType(f"{option} must be two numbers, as in (0, 1); got {value!r:.80}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


def _mapping(value: Any, name: str) -> None:
    if not isinstance(value, Mapping):
        raise WrongType(f"{name} must be a mapping; got {value!r:.80}.")


def _count(value: Any, name: str) -> None:
    require_whole(value, name, 1)


def whole_numbers(values: Any, name: str) -> tuple[int, ...]:
    """Return whole numbers of 1 or more as a tuple."""
    if isinstance(values, str | bytes | Mapping) or not np.iterable(values):
        raise WrongType(f"{name} must be a list of whole numbers; got {values!r:.80}.")
    listed = tuple(values)
    for value in listed:
        require_whole(value, name, 1)
    return listed


def _designs(value: Any, name: str) -> None:
    if not isinstance(value, list | tuple) or not all(np.iterable(pair) for pair in value):
        raise WrongType(f"{name} must be pairs of questions and trials; got {value!r:.80}.")
    for pair in value:
        if len(whole_numbers(pair, name)) != 2:
            raise WrongType(f"{name} must be pairs of questions and trials; got {pair!r:.80}.")


_KINDS: dict[Callable[[Any, str], object], tuple[str, ...]] = {
    _text: (
        *("against", "anchor", "baseline", "baseline_system", "cluster", "label", "of", "order"),
        *("run", "since", "system", "table", "task", "truth"),
    ),
    texts: ("by", "controls", "first_wins", "raters", "second_wins", "systems", "ties_are"),
    _choice: (
        *("adjust", "assume", "correction", "errors", "estimand", "model", "scale", "short"),
        "ties",
    ),
    _flag: ("audit", "by_judge", "same_questions"),
    _pair: ("bounds",),
    _mapping: ("weights",),
    _count: ("bins", "questions_in_all", "subset"),
    whole_numbers: ("tries",),
    _designs: ("designs",),
}
_BY_NAME = {name: check for check, names in _KINDS.items() for name in names}


def checked(function: Function) -> Function:
    """Refuse options of a function whose type is wrong; its default is always right.

    Examples
    --------
    >>> @checked
    ... def ask(*, systems=None):
    ...     return systems
    >>> ask(systems=["a"])
    ['a']
    >>> ask(systems=3)
    Traceback (most recent call last):
    errbar.errors.WrongType: systems must be a text or a list of texts; got 3.
    """
    defaults = function.__kwdefaults__ or {}
    checks = {name: _BY_NAME[name] for name in defaults if name in _BY_NAME}

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        for name, check in checks.items():
            if name in options and options[name] is not defaults[name]:
                check(options[name], name)
        return function(*arguments, **options)

    return call  # type: ignore[return-value]
