"""What public functions make of arguments that they do not expect: a result, or a refusal."""

import datetime
import inspect
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import errbar
from benchmarks.fuzz.logs import Outcome
from benchmarks.fuzz.mutants import STRANGE
from errbar import eval as compatible
from errbar import roc, selective
from errbar.errors import ErrbarError, InternalError

MODULES: tuple[ModuleType, ...] = (errbar, compatible, roc, selective)
# Each of these writes files or runs on.
NOT_TRIED = ("report", "demo", "write_dataset", "write_every_eval_ever")


def functions() -> dict[str, Callable[..., Any]]:
    """Public functions by name."""
    return {
        f"{module.__name__}.{name}": member
        for module in MODULES
        for name, member in inspect.getmembers(module)
        if name in module.__all__ and name not in NOT_TRIED and inspect.isfunction(member)
    }


def usual(rng: random.Random) -> list[Any]:
    """Arguments that some function accepts."""
    draws = np.random.default_rng(rng.randrange(1 << 32))
    matrix = draws.integers(0, 2, (8, 4))
    return [
        matrix,
        matrix.tolist(),
        matrix[0],
        draws.random(8),
        draws.random((8, 4)),
        *(0, 1, 2, 0.5, 0.95, "avg", "pass@2", "bayes", "a"),
        {"a": matrix, "b": 1 - matrix},
        [{"question": "q", "outcome": 1}, {"question": "r", "outcome": 0}],
        pd.DataFrame({"question": ["a", "b"], "outcome": [1, 0]}),
        pl.DataFrame({"model": ["a", "b"], "question": ["q", "q"], "outcome": [1, 0]}),
        draws,
    ]


def unusual() -> list[Any]:
    """Arguments that few functions accept."""
    return [
        *STRANGE,
        *(np.array(None), np.array([]), np.empty((0, 3)), np.empty((3, 0)), np.ones((2, 2, 2))),
        *(np.array(["a", None], dtype=object), np.array([1 + 2j]), np.array([np.nan, np.inf])),
        *(
            np.array(["2020-01-01"], dtype="datetime64[D]"),
            np.ma.masked_array([1, 0], [False, True]),
        ),
        *(pd.Series([1, None, "x"]), pd.DataFrame(), pl.DataFrame(), pl.Series("a", [[1], [2]])),
        *(object(), int, len, iter([1, 0]), {1, 2}, b"bytes", range(3), Fraction(1, 3)),
        *(datetime.datetime(2020, 1, 1), slice(None), NotImplemented, ..., -0.0, 5e-324),
    ]


def cases(
    function: Callable[..., Any], rng: random.Random, number: int
) -> Iterator[Callable[[], Outcome]]:
    """Calls of a function, half of them with a single argument that is strange."""
    parameters = list(inspect.signature(function).parameters.values())
    plain = [parameter for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]
    for at in range(number):
        given: list[Any] = []
        named: dict[str, Any] = {}
        strange = {rng.randrange(len(plain))} if at % 2 else {*range(len(plain))} if plain else ()
        for place, one in enumerate(plain):
            if one.default is not one.empty and rng.random() < 0.6 and place not in strange:
                continue
            pool = unusual() if place in strange and rng.random() < 0.7 else usual(rng)
            value = rng.choice(pool)
            if (
                one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) and len(given) == place
            ) or one.kind is one.VAR_POSITIONAL:
                given.append(value)
            else:
                named[one.name] = value
        yield lambda given=given, named=named: outcome(function, given, named)  # type: ignore[misc]


def outcome(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> Outcome:
    """What a call comes to: its result is printed as well."""
    try:
        with np.errstate(all="ignore"):
            str(function(*given, **named))
    except InternalError as error:
        return Outcome("lost", _told(given, named, error))
    except ErrbarError as error:
        return Outcome("refused", str(error))
    except Exception as error:
        return Outcome("foreign", _told(given, named, error))
    return Outcome("read")


def _told(given: list[Any], named: dict[str, Any], error: Exception) -> str:
    arguments = [*map(_short, given), *(f"{name}={_short(value)}" for name, value in named.items())]
    return f"{type(error).__name__}: {error} ({', '.join(arguments)})"


def _short(value: Any) -> str:
    return " ".join(repr(value).split())[:60]
