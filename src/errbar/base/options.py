"""Types of options, checked by name where a user's value enters a public function.

Options of one name mean the same in every function, so that their types are known by name. What a
value must be beyond its type, as a level between 0 and 1, is checked where it is used.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from errbar.base.arguments import require_text, require_whole, texts
from errbar.base.remarks import way_to_say
from errbar.errors import WrongType

Function = TypeVar("Function", bound=Callable[..., Any])


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
    usual = function.__kwdefaults__ or {}
    checks = {name: _BY_NAME[name] for name in usual if name in _BY_NAME}

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        for name, check in checks.items():
            if name in options and options[name] is not usual[name]:
                check(options[name], name)
        return function(*arguments, **options)

    return call  # type: ignore[return-value]
