"""Intervals of many simulated systems at once: ours, and those of three peers.

Ours are those of `Calibrated`, the spreads of all systems learned together. A peer makes one
interval, which is judged against every target.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.grid import LEVEL
from errbar.analysis.methods.base import Cell
from errbar.analysis.methods.calibrated import Calibrated
from errbar.analysis.methods.posterior import Posterior
from errbar.data.counts import Counts, States
from errbar.metrics import CountMetric
from errbar.metrics.means import normal_ends
from errbar.results.estimate import Estimand

Array = NDArray[np.floating[Any]]
Integers = NDArray[np.int64]

OURS = "errbar"
PEERS = ("posterior", "clt", "bootstrap")
METHODS = (OURS, *PEERS)
_RESAMPLES = 1000
_ALIKE = np.linspace(0.0, 1.0, 101)  # metrics that agree at these rates are the same


class Ends(NamedTuple):
    """A row per metric, a column per system."""

    low: Array
    high: Array


class Systems:
    """Right ones per question, a row per system; all questions have the same trials."""

    def __init__(self, trials: int, correct: Integers) -> None:
        self.trials = trials
        self.questions = correct.shape[1]
        self.each = [Counts(np.full(row.size, trials), row) for row in correct]
        place = np.arange(len(correct))[:, None] * (trials + 1) + correct
        size = len(correct) * (trials + 1)
        self.often = np.bincount(place.ravel(), minlength=size).reshape(-1, trials + 1)

    def values(self, metrics: Sequence[CountMetric]) -> Array:
        """What a question shows with 0, 1, … right: a row per metric."""
        return np.array([shown(metric, self.trials) for metric in metrics])

    def observed(self, metrics: Sequence[CountMetric]) -> Array:
        """What each system shows."""
        return self.values(metrics) @ self.often.T / self.questions


def shown(metric: CountMetric, trials: int) -> Array:
    """What a question shows with 0, 1, … of its trials right."""
    correct = np.arange(trials + 1)
    once = np.ones((1, trials + 1))
    states = States(np.full(trials + 1, trials), correct, once, np.array([trials + 1.0]))
    return metric.joined(*(part.subset_means([part], states)[0] for part in metric.parts()))


def at_rates(metric: CountMetric, rates: Array) -> list[Array]:
    """What the parts of a metric are at known rates."""
    return [part.at_rates(rates) for part in metric.parts()]


def ours(
    systems: Systems,
    metrics: Sequence[CountMetric],
    estimands: Sequence[Estimand],
    level: float = LEVEL,
) -> dict[Estimand, Ends]:
    """Calibrated intervals for each target."""
    first = firsts(metrics)
    distinct = sorted(set(first))
    where = [distinct.index(at) for at in first]
    found: dict[Estimand, Ends] = {}
    for estimand in estimands:
        method = Calibrated(estimand, level)
        rows = method.cells(systems.each, [metrics[at] for at in distinct], most_chains=1)
        found[estimand] = _ends([rows[at] for at in where])
    return found


def _ends(rows: Sequence[Sequence[Cell]]) -> Ends:
    ends = [[(cell.interval.low, cell.interval.high) for cell in row] for row in rows]
    return Ends(*np.array(ends).transpose(2, 0, 1))


def firsts(metrics: Sequence[CountMetric]) -> list[int]:
    """For each metric the first that is the same: at k = 1 and 2 many are, under other names."""
    known: dict[tuple[object, ...], int] = {}
    found = []
    for at, metric in enumerate(metrics):
        unbiased = all(part.unbiased for part in metric.parts())
        values = metric.joined(*at_rates(metric, _ALIKE))
        key = (metric.bounds, unbiased, np.round(values, 10).tobytes())
        found.append(known.setdefault(key, at))
    return found


def peers(
    systems: Systems, metrics: Sequence[CountMetric], rng: np.random.Generator, level: float
) -> dict[str, Ends]:
    """The documented posterior, the central limit theorem over questions, and the bootstrap."""
    return {
        "posterior": posterior(systems, metrics, level),
        "clt": central_limit(systems, metrics, level),
        "bootstrap": bootstrap(systems, metrics, rng, level),
    }


def posterior(systems: Systems, metrics: Sequence[CountMetric], level: float = LEVEL) -> Ends:
    """Normal ends around the mean under a flat prior for every question."""
    return _ends(Posterior(level=level).cells(systems.each, metrics))


def central_limit(systems: Systems, metrics: Sequence[CountMetric], level: float = LEVEL) -> Ends:
    """The mean over questions ± 1.96 standard errors, questions being the clusters of trials."""
    values, size = systems.values(metrics), systems.questions
    mean = values @ systems.often.T / size
    off = np.square(values[:, None, :] - mean[:, :, None])
    variance = np.einsum("mrs,rs->mr", off, systems.often) / (size - 1.0)
    error = np.sqrt(variance / size)
    ends = [
        normal_ends(each, sd, level, metric.bounds)
        for metric, each, sd in zip(metrics, mean, error, strict=True)
    ]
    return Ends(np.array([low for low, _ in ends]), np.array([high for _, high in ends]))


def bootstrap(
    systems: Systems,
    metrics: Sequence[CountMetric],
    rng: np.random.Generator,
    level: float = LEVEL,
) -> Ends:
    """Quantiles over resampled questions, which are counted by state."""
    values, size = systems.values(metrics), systems.questions
    tails = [0.5 * (1.0 - level), 0.5 * (1.0 + level)]
    ends = np.empty((2, len(metrics), len(systems.each)))
    for at, often in enumerate(systems.often):
        seen = np.flatnonzero(often)
        drawn = rng.multinomial(size, often[seen] / size, _RESAMPLES)
        ends[:, :, at] = np.quantile(drawn @ values[:, seen].T / size, tails, axis=0)
    return Ends(*ends)
