"""What every function of `errbar.eval` does: a matrix, a metric, and the documented posterior."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from errbar.base.arguments import numbers, strict_share
from errbar.base.arrays import Array
from errbar.data.counts import Tally
from errbar.data.matrices import binary_states, category_counts, category_tally
from errbar.errors import InputError, NotEnoughTrials, WrongType
from errbar.kernels.interval import normal_ends
from errbar.metrics import CountMetric, Prior, family
from errbar.metrics.base import FLAT, pseudo_trials
from errbar.metrics.blends import DatasetGeom, Geom, GeoSpectrum
from errbar.metrics.categories import RIGHT_OR_WRONG, CategoryMetric, MaxAt
from errbar.metrics.passk import Spectrum

Bounds = tuple[float, float]
Summary = tuple[float, float, float, float]
Weights = ArrayLike | Sequence[float]

UNIT: Bounds = (0.0, 1.0)
UNCUT: Bounds = (-np.inf, np.inf)  # not even to what is possible

# The posterior of these is documented for any k, beyond the observed trials too.
_BEYOND_TRIALS = (Geom, DatasetGeom, GeoSpectrum, Spectrum, MaxAt)


def point(metric: CountMetric, R: ArrayLike) -> float:
    """Estimate from the observed trials."""
    data, trials = _read(metric, R)
    _enough(metric, trials)
    return float(metric.observed([metric], data)[0, 0])


def moments(metric: CountMetric, R: ArrayLike, R0: ArrayLike | None = None) -> tuple[float, float]:
    """Posterior mean and standard deviation under a flat prior."""
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
) -> Summary:
    """`(mu, sigma, lo, hi)`."""
    data, trials = _read(metric, R, R0)
    parts = _summaries([metric], data, trials, confidence, bounds, _prior(alpha0, beta0))
    mean, sd, low, high = (float(part[0]) for part in parts)
    return mean, sd, low, high


def curve_of(name: str, R: ArrayLike, ks: Iterable[int] | None) -> Array:
    """Estimates from the observed trials at many k."""
    metrics, data, trials = _curve(name, R, ks)
    for metric in metrics:
        _enough(metric, trials)
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
    """`(mu, sigma, lo, hi)` at many k, an array each."""
    metrics, data, trials = _curve(name, R, ks)
    return _summaries(metrics, data, trials, confidence, bounds, _prior(alpha0, beta0))


def weighing(w: Weights | None) -> tuple[float, ...]:
    """The weight of each category; without them, wrong and right."""
    return RIGHT_OR_WRONG if w is None else numbers(w, "w")


def _read(metric: CountMetric, R: ArrayLike, R0: ArrayLike | None = None) -> tuple[Any, int]:
    """What the metric is computed from, and how many trials each question has in `R`."""
    if not isinstance(metric, CategoryMetric):
        states = binary_states(R)
        return states, int(states.trials[0])
    categories = len(metric.weights)
    if R0 is not None:
        counts = category_counts(R, categories)
        seen = category_counts(_by_question(R0, len(counts)), categories, "R0", least_trials=0)
        if len(seen) != len(counts):
            raise InputError(
                f"R0 must have a row per question of R; it has {len(seen)} rows and R has "
                f"{len(counts)}."
            )
        both = counts + seen
        return [Tally(both.tally, both.repeats())], int(counts.tally[0].sum())
    if metric.weights == RIGHT_OR_WRONG:
        states = binary_states(R)
        return [Tally.of_states(states)], int(states.trials[0])
    tally = category_tally(R, categories)
    return [tally], int(tally.rows[0].sum())


def _by_question(R0: ArrayLike, questions: int) -> ArrayLike:
    """A flat `R0` as so many outcomes of each question, one question after another."""
    is_flat = (
        R0.ndim == 1
        if isinstance(R0, np.ndarray)
        else isinstance(R0, list | tuple) and all(isinstance(entry, _WHOLE) for entry in R0)
    )
    if not is_flat:
        return R0
    flat = np.asarray(R0)
    if flat.size % questions:
        raise InputError(
            f"R0 has one dimension and {flat.size} entries, which are not the same number for "
            f"each of the {questions} questions of R."
        )
    return flat.reshape(questions, -1)


def _curve(name: str, R: ArrayLike, ks: Iterable[int] | None) -> tuple[list[CountMetric], Any, int]:
    member = family(name)
    if ks is not None and not isinstance(ks, Iterable):
        raise WrongType(f"ks must be a list of integers, as in [1, 2, 4]; got {ks!r}.")
    metrics = cast(list[CountMetric], [member(k) for k in ks] if ks is not None else [member(1)])
    if not metrics:
        raise InputError("ks is empty; a curve needs one k at least.")
    data, trials = _read(metrics[0], R)
    if ks is None:
        metrics = cast(list[CountMetric], [member(k) for k in range(1, trials + 1)])
    return metrics, data, trials


def _enough(metric: CountMetric, trials: int) -> None:
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
    """Moments and ends of metrics of one class."""
    for metric in metrics:
        if not isinstance(metric, _BEYOND_TRIALS):
            _enough(metric, trials)
    level = strict_share(confidence, "confidence")
    mean, sd = metrics[0].posterior(metrics, data, prior)
    possible = metrics[0].bounds if isinstance(metrics[0], CategoryMetric) else UNIT
    low, high = normal_ends(mean[:, 0], sd[:, 0], level, _cut(possible, bounds))
    return mean[:, 0], sd[:, 0], low, high


def _cut(possible: Bounds, asked: Bounds | None) -> Bounds:
    """Where to cut an interval: as asked, within what is possible."""
    if asked is UNCUT:
        return UNCUT
    if asked is None:
        return possible
    ends = tuple(asked) if isinstance(asked, Iterable) else ()
    if len(ends) != 2 or not all(isinstance(end, _REAL) for end in ends) or not ends[0] <= ends[1]:
        raise InputError(f"bounds must be (low, high), two numbers in order; got {asked!r}.")
    low, high = max(float(ends[0]), possible[0]), min(float(ends[1]), possible[1])
    if low > high:
        raise InputError(f"bounds {asked!r} leave nothing of what is possible, {possible}.")
    return low, high


_WHOLE = (int, np.integer)
_REAL = (int, float, np.integer, np.floating)
