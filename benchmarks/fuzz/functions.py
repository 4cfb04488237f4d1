"""What public functions make of arguments that they do not expect: a result, or a refusal.

Most calls fit the function but for a single argument: calls whose arguments are all strange are
refused for the first of them. What fits is known by the name of the parameter (`FITTING`).
"""

import datetime
import inspect
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

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
        *(np.float32("nan"), np.int8(-1), np.bool_(True), pd.NA, pd.NaT, 1 << 31, "\uffff", "\n"),
        *((0.9, 0.1), (1,), ("a", "a"), {"a": -1}, {"b": 2, None: 1}, [["a"]], ["a", "b", "a"]),
    ]


_DRAWS = np.random.default_rng(1)
_MATRIX = _DRAWS.integers(0, 2, (12, 4))
_SCORES, _LABELS = _DRAWS.random(12), np.arange(12) % 2
_ROWS = pl.DataFrame(
    {
        "system": ["a"] * 24 + ["b"] * 24,
        "question": [f"q{at // 2 % 12}" for at in range(48)],
        "outcome": [at * 7 % 3 // 2 for at in range(48)],
        "confidence": [at * 31 % 48 / 48 for at in range(48)],
        "cost": [1.0 + at % 5 for at in range(48)],
        "human": [None if at % 3 else at % 2 for at in range(48)],
    }
)
_GAMES = [
    {"model_a": "a", "model_b": "b", "winner": ("model_a", "model_b", "tie")[at % 3], "judge": "j"}
    for at in range(24)
]
_ITEMS = [
    selective.ItemPrediction(at % 4, at % 2, confidence)
    for at, confidence in enumerate(_SCORES.tolist())
]
_PREDICTIONS = selective.Predictions(_SCORES, loss=_LABELS)
_SCORED = roc.Scored(_SCORES, _LABELS)

# A fitting value by parameter, for all functions or for those of a module or of a name.
FITTING: dict[str, Any] = {
    **dict.fromkeys(("data", "baseline", "candidate", "pilot"), _ROWS),
    "R": _MATRIX,
    "R0": _MATRIX[:, :2],
    "k": 2,
    "w": [0.0, 1.0],
    "tau": 0.5,
    "ks": [1, 2],
    "scores": _SCORES,
    "other_scores": _SCORES[::-1],
    "labels": _LABELS,
    "loss": _LABELS,
    "first": _SCORED,
    "second": _SCORED,
    "scored": _SCORED,
    "predictions": _PREDICTIONS,
    "items": _ITEMS,
    "target_coverage": 0.5,
    "coverage": 0.5,
    "risk": 0.4,
    "max_fpr": 0.5,
    "rng": 0,
    "name": "pass@2",
    "metric": "avg",
    "metrics": "avg",
    "max_drop": 0.1,
    "sensitivity": 0.9,
    "specificity": 0.8,
    "level": 0.9,
    "system": "a",
    "bins": 4,
    "raters": ["outcome", "confidence"],
    "questions": 4,
    "label": "human",
    "difference": 0.3,
    "selective.confidence": _SCORES,
    "selective.metric": "aurc",
    "selective.metrics": "aurc",
    "selective.systems": {"a": _PREDICTIONS, "b": _PREDICTIONS},
    "eval.confidence": 0.9,
    "eval.curve.name": "pass@k",
    "eval.curve_ci.name": "pass@k",
    "eval.weights": [0.5, 0.5],
    "curve.metric": "pass@k",
    "family.name": "pass@k",
    "gate.system": "b",
    "gate.baseline_system": "a",
    "gate.baseline": _ROWS,
    "agree.data": _ROWS.with_columns(confidence=pl.col("confidence").round()).to_dicts(),
    "prefer.data": _GAMES,
    "games.data": _GAMES,
    "scaling.data": {"a": _DRAWS.integers(0, 2, (12, 4)), "b": _DRAWS.integers(0, 2, (12, 4))},
    "monitor.above": 0.5,
    "monitor.systems": "a",
    "plan.systems": ["a"],
    "plan.simulations": 5,
    "plan.trials": [2],
    "history.data": _ROWS.with_columns(date=pl.lit("2026-01-01")),
    "method": selective.Bootstrap(100),
}
# Options of functions that need them, beside their required parameters.
NEEDED = {
    "errbar.plan": ("pilot", "systems", "difference", "simulations", "trials"),
    "errbar.gate": ("metrics", "system", "baseline_system"),
    "errbar.monitor": ("above",),
    "errbar.next_labels": ("questions", "label"),
    "errbar.agree": ("raters",),
    **{
        name: ("loss",)
        for name, function in functions().items()
        if "loss" in inspect.signature(function).parameters
    },
}


def fitting(name: str, parameter: str) -> Any:
    """A valid value of a parameter of a function; None if no value is known."""
    parts = name.removeprefix("errbar.").split(".")
    for known in (".".join((*parts, parameter)), f"{parts[0]}.{parameter}", parameter):
        if known in FITTING:
            return FITTING[known]
    return None


def options_of(name: str) -> list[str]:
    """Names of the options that a verb passes on: those of `Runs`, and those of `load`."""
    verb = name.removeprefix("errbar.")
    asked = [errbar.load, getattr(errbar.Runs, verb, None)]
    return [
        parameter.name
        for function in filter(None, asked)
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
        or (parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is not _EMPTY)
    ]


_EMPTY = inspect.Parameter.empty


class Shape(NamedTuple):
    """Parameters of a function: those of its signature, all that it knows, those that it needs."""

    plain: list[inspect.Parameter]
    known: list[str]
    needed: list[str]

    @classmethod
    def of(cls, name: str, function: Callable[..., Any]) -> "Shape":
        """Parameters of a function; a verb knows those that it passes on too."""
        found = inspect.signature(function).parameters.values()
        plain = [parameter for parameter in found if parameter.kind is not parameter.VAR_KEYWORD]
        options = [] if len(plain) == len(found) else options_of(name)
        required = [
            parameter.name
            for parameter in plain
            if parameter.default is _EMPTY and parameter.kind is not parameter.VAR_POSITIONAL
        ]
        needed = [*NEEDED.get(name, ()), *required]
        names = [*(parameter.name for parameter in plain), *options, *needed]
        return cls(plain, list(dict.fromkeys(names)), needed)


def call(name: str, function: Callable[..., Any], **changed: Any) -> Any:
    """Call a function with arguments that fit it, but for some."""
    shape = Shape.of(name, function)
    values = {key: fitting(name, key) for key in shape.needed}
    given, named = _arguments(shape.plain, {**values, **changed})
    return function(*given, **named)


def cases(
    name: str, function: Callable[..., Any], rng: random.Random, number: int
) -> Iterator[Callable[[], Outcome]]:
    """Calls of a function: the first fits it, most others but for a single argument."""
    shape = Shape.of(name, function)
    for at in range(number):
        values = {key: fitting(name, key) for key in shape.needed}
        strange = () if not at else shape.known if at % 10 == 9 else [rng.choice(shape.known)]
        for key in strange:
            if at % 10 < 9 or key in shape.needed or rng.random() < 0.3:
                values[key] = rng.choice(unusual() if rng.random() < 0.8 else usual(rng))
        given, named = _arguments(shape.plain, values)
        yield lambda given=given, named=named: outcome(function, given, named)  # type: ignore[misc]


def _arguments(
    plain: list[inspect.Parameter], values: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Values by parameter as the arguments of a call."""
    named = dict(values)
    given: list[Any] = []
    for parameter in plain:
        if parameter.kind is parameter.KEYWORD_ONLY or parameter.name not in named:
            break
        given.append(named.pop(parameter.name))
    for parameter in plain:
        if parameter.kind is parameter.VAR_POSITIONAL:  # without what comes before it
            named.pop(parameter.name, None)
    return given, named


def outcome(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> Outcome:
    """What a call comes to: its result is printed as well."""
    try:
        with np.errstate(all="ignore"):
            str(function(*given, **named))
    except InternalError as error:
        return Outcome("lost", _call_text(given, named, error))
    except ErrbarError as error:
        return Outcome("refused", str(error))
    except Exception as error:
        return Outcome("foreign", _call_text(given, named, error))
    return Outcome("read")


def _call_text(given: list[Any], named: dict[str, Any], error: Exception) -> str:
    arguments = [*map(_short, given), *(f"{name}={_short(value)}" for name, value in named.items())]
    return f"{type(error).__name__}: {error} ({', '.join(arguments)})"


def _short(value: Any) -> str:
    return " ".join(repr(value).split())[:60]
