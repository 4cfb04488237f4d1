"""One unit: simulate, make every interval, and count how often each holds its target.

`python -m benchmarks.coverage.unit hard/30/16 1000 0.95 population` prints one, with 1000 data sets
and intervals of 95 %, as JSON; without targets it has all three.
"""

import json
import sys
import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.difficulties import DIFFICULTIES, Difficulty
from benchmarks.coverage.grid import ESTIMANDS, Asked, Settings, Unit, asked
from benchmarks.coverage.methods import METHODS, OURS, Ends, Systems, at_rates, ours, peers
from errbar.metrics import CountMetric
from errbar.results.estimate import Estimand

Array = NDArray[np.floating[Any]]

_TOGETHER = 50  # systems at a time: what is learned of each takes up to a megabyte
_SLACK = 1e-9  # a truth may be 1 − 1e-15, and an end 1
_SEED = 20


class Row(NamedTuple):
    """How one method did for one metric and target."""

    family: str
    k: int
    estimand: str
    method: str
    replicates: int
    covered: float
    below: float  # share of the intervals that end before the truth
    above: float
    width: float
    flat: float  # share of the intervals that have no width


def run(unit: Unit, settings: Settings) -> dict[str, Any]:
    """The rows of one unit, and what they depend on."""
    start = time.perf_counter()
    wanted = asked(unit.trials)
    totals = np.zeros((len(settings.targets), len(METHODS), 4, len(wanted)))
    for first in range(0, settings.replicates, _TOGETHER):
        number = min(_TOGETHER, settings.replicates - first)
        totals += batch(unit, first, number, [each.metric for each in wanted], settings)
    return {
        "unit": list(unit),
        "identity": settings.identity(),
        "level": settings.level,
        "seconds": round(time.perf_counter() - start, 1),
        "rows": rows(wanted, totals / settings.replicates, settings),
    }


def batch(
    unit: Unit, first: int, number: int, metrics: list[CountMetric], settings: Settings
) -> Array:
    """Sums over some replicates, which depend on nothing but their place: target × method × …"""
    difficulty = DIFFICULTIES[unit.difficulty]
    which = list(DIFFICULTIES).index(unit.difficulty)
    rng = np.random.default_rng([_SEED, which, unit.questions, unit.trials, first])
    rates = difficulty.draw(rng, (number, unit.questions))
    systems, again = (Systems(unit.trials, rng.binomial(unit.trials, rates)) for _ in range(2))
    truth = {
        Estimand.POPULATION: population(difficulty, metrics)[:, None],
        Estimand.BENCHMARK: benchmark(rates, metrics),
        Estimand.RERUN: again.observed(metrics),
    }
    calibrated = ours(systems, metrics, settings.targets, settings.level)
    others = peers(systems, metrics, rng, settings.level)
    return np.array(
        [
            [
                judged(calibrated[target] if method == OURS else others[method], truth[target])
                for method in METHODS
            ]
            for target in settings.targets
        ]
    )


def judged(ends: Ends, truth: Array) -> Array:
    """How many lie below the truth and above it, the sum of the widths, how many have none."""
    holds = (ends.low <= truth + _SLACK) & (ends.high >= truth - _SLACK)
    below = ~holds & ~(ends.low > truth)  # so is an interval that could not be given
    width = ends.high - ends.low
    parts = (below, ~holds & ~below, width, width < _SLACK)
    return np.array([part.sum(axis=1) for part in parts])


def population(difficulty: Difficulty, metrics: list[CountMetric]) -> Array:
    """Means over all questions there could be."""
    rates, weights = difficulty.nodes()
    parts = [[part @ weights for part in at_rates(metric, rates)] for metric in metrics]
    return np.array(
        [metric.joined(*map(np.asarray, part)) for metric, part in zip(metrics, parts, strict=True)]
    )


def benchmark(rates: Array, metrics: list[CountMetric]) -> Array:
    """Means over the questions that were drawn: a row per metric, a column per system."""
    return np.array(
        [metric.joined(*(p.mean(axis=1) for p in at_rates(metric, rates))) for metric in metrics]
    )


def rows(wanted: list[Asked], shares: Array, settings: Settings) -> list[Row]:
    """A row for each metric, target and method."""
    return [
        Row(
            *(metric.family, metric.k, target.value, method, settings.replicates),
            *(round(float(x), 6) for x in (1.0 - below - above, below, above, width, flat)),
        )
        for target, by_method in zip(settings.targets, shares, strict=True)
        for method, each in zip(METHODS, by_method, strict=True)
        for metric, (below, above, width, flat) in zip(wanted, each.T, strict=True)
    ]


if __name__ == "__main__":
    place, replicates, level, *targets = sys.argv[1:]
    name, questions, trials = place.split("/")
    unit = Unit(name, int(questions), int(trials))
    judged_by = tuple(Estimand(target) for target in targets) or ESTIMANDS
    how = Settings(replicates=int(replicates), level=float(level), targets=judged_by)
    print(json.dumps(run(unit, how)))
