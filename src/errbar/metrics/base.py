"""What a metric is: an immutable value with a name, which `parse` reads and `str` writes.

    pass@8   pass^8   g-pass@16   g-pass@16_0.5   spectrum@2(weights=[0.5, 0.5])   avg
    aurc   aurc(coverage=0.8)   risk@0.5   cov@risk0.1   roc-auc

A name is a head from the registry `METRICS`, a number if the metric has one (k, a coverage, a
risk), `_tau` for a threshold, and in brackets all other fields that differ from their defaults. A
`family` has the letter k in place of the number, and denotes the metric at every k.
"""

import ast
import difflib
import inspect
import re
from abc import ABC
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields
from enum import Enum
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from errbar.base.remarks import counted, setting
from errbar.data.counts import CategoryCounts, Counts, CountsByState
from errbar.errors import InputError, NotEnoughTrials, UnknownMetric, WrongType


class Needs(Enum):
    """The data that a metric needs for each trial or item."""

    RIGHT_OR_WRONG = "right or wrong"
    CATEGORY = "category"
    ANSWER = "answer"
    CONFIDENCE = "loss and confidence"
    LABEL = "label and score"
    PROBABILITY = "outcome and probability"


class Direction(Enum):
    """Whether higher or lower values are better."""

    HIGHER = "higher is better"
    LOWER = "lower is better"


class Metric(ABC):
    """Base class of metrics: a score of a system."""

    head: ClassVar[str]  # the part of the name before the number, set on registration
    numbered: ClassVar[str | None] = None  # the field that is the number in the name
    needs: ClassVar[Needs]
    direction: ClassVar[Direction] = Direction.HIGHER

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible value."""
        return (0.0, 1.0)

    def __str__(self) -> str:
        return spell(self)


METRICS: dict[str, type[Metric]] = {}
ALIASES: dict[str, str] = {}
M = TypeVar("M", bound=type[Metric])


def register(head: str, *aliases: str) -> Callable[[M], M]:
    """Register a metric under a name; `aliases` are parsed but never printed."""

    def add(metric: M) -> M:
        metric.head = head
        METRICS[head] = metric
        ALIASES.update(dict.fromkeys(aliases, head))
        return metric

    return add


def registered(head: str) -> type[Metric] | None:
    """Return the class registered under a name or an alias, or None."""
    return METRICS.get(ALIASES.get(head, head))


_NAME = re.compile(
    r"(?P<head>[a-z]+(?:[-_][a-z]+)*\*?(?:@risk|[@^])?)(?P<number>[0-9.]+(?:e[+-]?\d+)?|k)?"
    r"(?:_(?P<tau>[0-9.e+-]+))?(?:\((?P<options>.*)\))?"
)
_SIMILAR = 0.5  # share of letters in common from which a name is proposed
_EXAMPLES = {"k": "k", "coverage": "0.5", "risk": "0.1"}  # numbers in a list of names


def parse(name: str) -> Metric:
    """Return the metric of a name.

    Parameters
    ----------
    name
        As in "pass@8", "g-pass@16_0.5" or "spectrum@2(weights=[0.5, 0.5])"; case is ignored.

    Examples
    --------
    >>> parse("G-Pass@16_0.5")
    GPass(k=16, tau=0.5)
    """
    metric, number, options = _read(name)
    if number == "k":
        raise UnknownMetric(f"{name!r} denotes every k; give a number, as in 'pass@8'.")
    if metric.numbered and number:
        options[metric.numbered] = int(number) if number.isdigit() else _number(name, number)
    return _build(name, metric, options)


def known_metrics() -> dict[str, str]:
    """Return the name of every metric, as in "pass@k", with what it means in a line."""
    return {
        _example(head): re.split("[;(.]", inspect.cleandoc(metric.__doc__ or ""))[0]
        .replace("`", "")
        .rstrip()
        for head, metric in METRICS.items()
    }


def metric_of(metric: object) -> Metric:
    """Return a metric unchanged, or the metric of a name."""
    found = parse(metric) if isinstance(metric, str) else metric
    if not isinstance(found, Metric):
        is_list = isinstance(metric, list | tuple) and all(isinstance(n, str) for n in metric)
        is_data = isinstance(metric, Iterable) and not is_list
        got = f"a {type(metric).__name__}" if is_data else repr(metric)
        hint = " Pass the data of several systems as one dict, {'a': …, 'b': …}." if is_data else ""
        raise WrongType(
            f"a metric is given by its name, as in 'pass@8', or as a value; got {got}.{hint}"
        )
    return found


def family(name: str) -> Callable[[int], Metric]:
    """Return a function from k to the metric of a name with the letter k.

    Parameters
    ----------
    name
        As in "pass@k" or "g-pass@k_0.5".

    Examples
    --------
    >>> family("maj@k")(8)
    Majority(k=8)
    """
    metric, number, options = _read(name)
    if number != "k" or metric.numbered != "k":
        raise UnknownMetric(
            f"{name!r} is a single metric; a curve needs the letter k, as in 'pass@k'."
        )
    return lambda k: _build(name, metric, {**options, "k": k})


def spell(metric: Metric) -> str:
    """Return the name of a metric."""
    values = {field.name: getattr(metric, field.name) for field in fields(metric)}  # type: ignore[arg-type]
    default = {field.name: field.default for field in fields(metric)}  # type: ignore[arg-type]
    text = metric.head + (repr(values.pop(metric.numbered)) if metric.numbered else "")
    tau = values.pop("tau", None)
    if tau is not None and tau != default["tau"]:
        text += f"_{tau!r}"
    options = ", ".join(
        f"{name}={list(value) if isinstance(value, tuple) else value!r}"
        for name, value in values.items()
        if value != default[name] or default[name] is MISSING
    )
    return f"{text}({options})" if options else text


def _similar(text: str, names: Sequence[str]) -> str | None:
    """The most similar name; of equally similar ones the first, as pass@ before pass^."""
    ratios = [difflib.SequenceMatcher(None, name, text).ratio() for name in names]
    best = max(ratios)
    return names[ratios.index(best)] if best >= _SIMILAR else None


def _read(name: str) -> tuple[type[Metric], str | None, dict[str, Any]]:
    if not isinstance(name, str):
        raise WrongType(f"the name of a metric is text, as in 'pass@8'; got {name!r}.")
    found = _NAME.fullmatch(name.strip().lower())
    head = found["head"] if found else name.strip().lower()
    metric = registered(head)
    if found is None or metric is None:
        close = _similar(head, [*METRICS, *ALIASES])
        hint = f" Did you mean {_example(close)!r}?" if close else ""
        known = ", ".join(map(_example, METRICS))
        raise UnknownMetric(f"{name!r} is not the name of a metric.{hint} Known: {known}.")
    options = _options(name, found["options"] or "")
    if found["tau"]:
        if "tau" in options:
            raise UnknownMetric(f"{name!r} gives tau twice.")
        options["tau"] = _number(name, found["tau"])
    if bool(metric.numbered) != bool(found["number"]):
        example = "8" if metric.numbered == "k" else "0.5"
        raise UnknownMetric(
            f"{name!r} needs a number after {metric.head!r}, as in '{metric.head}{example}'."
            if metric.numbered
            else f"{name!r} takes no number; its name is {metric.head!r}."
        )
    takes = {field.name for field in fields(metric)} - {metric.numbered}  # type: ignore[arg-type]
    unknown = sorted(set(options) - takes)
    if unknown:
        allowed = ", ".join(sorted(takes)) or "none"
        raise UnknownMetric(
            f"{name!r}: {metric.head!r} has no option {unknown[0]!r}; its options: {allowed}."
        )
    return metric, found["number"], options


def _example(head: str) -> str:
    """Return an example of a name with this head, as in pass@k."""
    metric = registered(head)
    return head + (_EXAMPLES[metric.numbered] if metric and metric.numbered else "")


def _build(name: str, metric: type[Metric], options: dict[str, Any]) -> Metric:
    try:
        return metric(**options)
    except InputError as error:
        raise type(error)(f"{name!r}: {error}") from error


def _options(name: str, text: str) -> dict[str, Any]:
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or not all(k.arg for k in call.keywords):
            raise ValueError("options are written name=value")
        pairs = [(str(keyword.arg), ast.literal_eval(keyword.value)) for keyword in call.keywords]
    except (SyntaxError, ValueError) as error:
        raise UnknownMetric(
            f"{name!r}: cannot read {text!r}; write it as in 'geo-spectrum@8(lam=0.3)'."
        ) from error
    options = dict(pairs)
    if len(options) < len(pairs):
        names = [option for option, _ in pairs]
        twice = next(option for option in names if names.count(option) > 1)
        raise UnknownMetric(f"{name!r} gives {twice} twice.")
    return options


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise UnknownMetric(f"{name!r}: {text!r} is not a number.") from error


def require_trials(counts: Counts | CategoryCounts, k: int, metric: object) -> None:
    """Refuse questions with fewer than `k` trials."""
    trials = counts.trials
    if not trials.size:
        raise InputError(f"{metric} needs at least one question; there is none.")
    if trials.min() >= k:
        return
    short = trials < k
    at = int(np.argmax(short))
    example = (
        f"one has {trials[at]}"
        if isinstance(counts, CountsByState)
        else f"question {counts.questions[at]!r} has {trials[at]}"
    )
    raise NotEnoughTrials(
        f"{metric} draws {k} of a question's trials; {int(short @ counts.repeats())} of "
        f"{len(counts)} questions have fewer ({example}). Lower k to at most {trials.min()}, or "
        f"collect more trials."
    )


def too_few_trials(
    draws: int,
    trials: NDArray[np.integer],
    often: NDArray[np.floating] | NDArray[np.integer] | None = None,
    *,
    names: Sequence[object] | None = None,
    can_drop: bool = True,
    can_extrapolate: bool = False,
) -> NotEnoughTrials | None:
    """The error for questions with fewer trials than `draws`, or None.

    `often` counts the questions of each entry, and `names` are their ids.
    """
    short = trials < draws
    if not short.any():
        return None
    weights = np.ones(trials.size) if often is None else often
    few, questions = int(short @ weights), int(weights.sum())
    at = int(np.argmin(trials))
    named = f" (question {names[at]!r:.80})" if names is not None else ""
    if can_drop and few < questions:
        drop = setting("short", "drop")
        way = f"{drop} leaves those out"
    else:
        way = f"lower k to at most {trials[at]}" if trials[at] else "collect more trials"
        if can_extrapolate and trials[at]:
            beyond = setting("short", "posterior")
            way += f", or extrapolate with {beyond}"
    return NotEnoughTrials(
        f"needs {counted(draws, 'trial')} per question; {few} of {counted(questions, 'question')} "
        f"{'has' if questions == 1 else 'have'} fewer, the least {trials[at]}{named}; {way}"
    )


def none_long_enough(draws: int, trials: NDArray[np.integer]) -> NotEnoughTrials:
    """The error for questions that all have fewer trials than `draws`."""
    most = int(trials.max(initial=0))
    return NotEnoughTrials(f"needs {draws} trials per question; the most are {most}")
