"""Common code of the functions in `errbar.eval`: matrices, posteriors and normal intervals.

The parameters that several functions share are described once, in `_PARAMETERS`; the decorator
`describe_parameters` adds the descriptions to the docstring of each function.
"""

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from errbar.base.arguments import Function, describe, numbers, strict_share
from errbar.base.arrays import Array, Bounds
from errbar.data.counts import CategoryCounts, Tally
from errbar.data.matrices import binary_states, category_counts, category_tally
from errbar.errors import InputError, NotEnoughTrials, WrongType
from errbar.metrics import CountMetric, Prior, family
from errbar.metrics.blends import DatasetGeom, Geom, GeoSpectrum
from errbar.metrics.categories import MaxAt
from errbar.metrics.means import FLAT, RIGHT_OR_WRONG, CategoryMetric, normal_ends, pseudo_trials
from errbar.metrics.passk import Spectrum

SummaryTuple = tuple[float, float, float, float]
Weights = ArrayLike | Sequence[float]

UNIT: Bounds = (0.0, 1.0)
UNCLIPPED: Bounds = (-np.inf, np.inf)  # not even to the range of the metric

# The posterior of these is documented for any k, also beyond the number of trials.
_ANY_K = (Geom, DatasetGeom, GeoSpectrum, Spectrum, MaxAt)


_PARAMETERS = {
    "name": "A metric with the letter k, as in 'pass@k'.",
    "R": "Outcomes, with a row per question and a column per trial: 0 and 1, or categories 0 to C "
    "where there are weights. One dimension is one question.",
    "k": "The number of trials that are drawn.",
    "ks": "The values of k; by default all from 1 to the number of trials.",
    "tau": "The share of the draws that must be right.",
    "w": "The weight of each category; without weights, outcomes are 0 (wrong) and 1 (right).",
    "R0": "Earlier outcomes, with a row per question of `R`.",
    "weights": "The weight of each threshold from 1 to k; the sum is at most 1.",
    "lam": "The exponent of Pass@k; the spectrum has the exponent 1 - lam.",
    "lambda_": "Another name of `lam`.",
    "pass_power": "The exponent of Pass@k.",
    "unanimous_power": "The exponent of Pass^k.",
    "confidence": "The confidence level of the interval.",
    "bounds": "The interval is clipped to these bounds. None: the range of the metric; in "
    "`bayes_ci` and `avg_ci`, no clipping.",
    "alpha0, beta0": "The parameters of the Beta prior of every question.",
}
_RETURNS = """\
Returns
-------
mu, sigma
    Posterior mean and standard deviation.
lo, hi
    The ends of the interval."""


def describe_parameters(function: Function) -> Function:
    """Add the descriptions of the parameters, and of an interval, to a docstring."""
    has_interval = "confidence" in function.__code__.co_varnames
    return describe(_PARAMETERS, _RETURNS if has_interval else "")(function)


def point(metric: CountMetric, R: ArrayLike) -> float:
    """Return the observed score."""
    data, trials = _read(metric, R)
    _require_trials(metric, trials)
    return float(metric.observed([metric], data)[0, 0])


def moments(metric: CountMetric, R: ArrayLike, R0: ArrayLike | None = None) -> tuple[float, float]:
    """Return posterior mean and standard deviation under a flat prior."""
    data, _ = _read(metric, R, R0)
    mean, sd = metric.posterior([metric], data, FLAT)
    return float(mean[0, 0]), float(sd[0, 0])


def summary(
    metric: CountMetric,
    R: ArrayLike,
    confidence: float,
    bounds: Bounds | None,
    alpha0: float = 1.0,
    beta0: float = 1.0,
    R0: ArrayLike | None = None,
) -> SummaryTuple:
    """Return posterior mean and standard deviation, and the ends of a normal interval."""
    data, trials = _read(metric, R, R0)
    parts = _summaries([metric], data, trials, confidence, bounds, _prior(alpha0, beta0))
    mean, sd, low, high = (float(part[0]) for part in parts)
    return mean, sd, low, high


def curve_of(name: str, R: ArrayLike, ks: Iterable[int] | None) -> Array:
    """Return observed scores at many k."""
    metrics, data, trials = _curve(name, R, ks)
    for metric in metrics:
        _require_trials(metric, trials)
    return metrics[0].observed(metrics, data)[:, 0]


def curve_summaries(
    name: str,
    R: ArrayLike,
    ks: Iterable[int] | None,
    confidence: float,
    bounds: Bounds | None,
    alpha0: float,
    beta0: float,
) -> tuple[Array, Array, Array, Array]:
    """Return `(mu, sigma, lo, hi)` at many k, an array each."""
    metrics, data, trials = _curve(name, R, ks)
    return _summaries(metrics, data, trials, confidence, bounds, _prior(alpha0, beta0))


def category_weights(w: Weights | None) -> tuple[float, ...]:
    """Return the weight of each category; by default 0 for wrong and 1 for right."""
    return RIGHT_OR_WRONG if w is None else numbers(w, "w")


def _read(metric: CountMetric, R: ArrayLike, R0: ArrayLike | None = None) -> tuple[Any, int]:
    """Return the statistics that the metric takes, and the number of trials in `R`."""
    if not isinstance(metric, CategoryMetric):
        states = binary_states(R)
        return states, int(states.trials[0])
    categories = len(metric.weights)
    if R0 is not None:
        counts = category_counts(R, categories)
        both = counts + earlier_counts(R0, len(counts), categories)
        return [Tally(both.tally, both.repeats())], int(counts.tally[0].sum())
    if metric.weights == RIGHT_OR_WRONG:
        states = binary_states(R)
        return [Tally.of_states(states)], int(states.trials[0])
    tally = category_tally(R, categories)
    return [tally], int(tally.rows[0].sum())


def earlier_counts(R0: ArrayLike, questions: int, categories: int) -> CategoryCounts:
    """Return the counts of earlier outcomes, a row per question of `R`."""
    earlier = category_counts(_by_question(R0, questions), categories, "R0", least_trials=0)
    if len(earlier) != questions:
        raise InputError(
            f"R0 must have a row per question of R; it has {len(earlier)} rows and R has "
            f"{questions}."
        )
    return earlier


def _by_question(R0: ArrayLike, questions: int) -> ArrayLike:
    """Reshape a flat `R0` to a row per question, with equally many outcomes each."""
    is_flat = (
        R0.ndim == 1
        if isinstance(R0, np.ndarray)
        else isinstance(R0, list | tuple) and all(isinstance(entry, _INTEGER) for entry in R0)
    )
    if not is_flat:
        return R0
    flat = np.asarray(R0)
    if flat.size % questions:
        raise InputError(
            f"R0 has one dimension and {flat.size} entries, which is not a multiple of the "
            f"{questions} questions of R."
        )
    return flat.reshape(questions, -1)


def _curve(name: str, R: ArrayLike, ks: Iterable[int] | None) -> tuple[list[CountMetric], Any, int]:
    member = family(name)
    if ks is not None and not np.iterable(ks):
        raise WrongType(f"ks must be a list of integers, as in [1, 2, 4]; got {ks!r}.")
    metrics = cast(list[CountMetric], [member(k) for k in ks] if ks is not None else [member(1)])
    if not metrics:
        raise InputError("ks is empty; a curve needs at least one k.")
    data, trials = _read(metrics[0], R)
    if ks is None:
        metrics = cast(list[CountMetric], [member(k) for k in range(1, trials + 1)])
    return metrics, data, trials


def _require_trials(metric: CountMetric, trials: int) -> None:
    if metric.draws > trials:
        raise NotEnoughTrials(
            f"{metric} draws {metric.draws} trials of each question, but R has {trials}. k must "
            f"lie between 1 and {trials}."
        )


def _prior(alpha0: float, beta0: float) -> Prior:
    if type(alpha0) is type(beta0) is float and alpha0 == beta0 == 1.0:
        return FLAT
    return Prior(pseudo_trials(alpha0, "alpha0"), pseudo_trials(beta0, "beta0"))


def _summaries(
    metrics: Sequence[CountMetric],
    data: Any,
    trials: int,
    confidence: float,
    bounds: Bounds | None,
    prior: Prior,
) -> tuple[Array, Array, Array, Array]:
    """Return posterior moments and normal intervals of metrics of one class."""
    for metric in metrics:
        if not isinstance(metric, _ANY_K):
            _require_trials(metric, trials)
    level = strict_share(confidence, "confidence")
    mean, sd = metrics[0].posterior(metrics, data, prior)
    possible = metrics[0].bounds if isinstance(metrics[0], CategoryMetric) else UNIT
    low, high = normal_ends(mean[:, 0], sd[:, 0], level, _clip(possible, bounds))
    return mean[:, 0], sd[:, 0], low, high


def _clip(possible: Bounds, bounds: Bounds | None) -> Bounds:
    """Return the bounds to which an interval is clipped, within the range of the metric."""
    if bounds is UNCLIPPED:
        return UNCLIPPED
    if bounds is None:
        return possible
    ends = tuple(bounds) if np.iterable(bounds) else ()
    if len(ends) != 2 or not all(isinstance(end, _REAL) for end in ends) or not ends[0] <= ends[1]:
        raise InputError(f"bounds must be (low, high), two numbers in order; got {bounds!r}.")
    low, high = max(float(ends[0]), possible[0]), min(float(ends[1]), possible[1])
    if low > high:
        raise InputError(f"bounds {bounds!r} exclude the whole range of the metric, {possible}.")
    return low, high


_INTEGER = (int, np.integer)
_REAL = (int, float, np.integer, np.floating)
