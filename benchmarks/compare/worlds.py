"""Pairs of systems whose true difference is known.

Two kinds of null hypotheses: both systems have the same rate on each question; or on half of the
questions each has a rate of its own, so that neither is better but they differ by question. The
alternative is a second system whose log odds are shifted.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.difficulties import DIFFICULTIES, Difficulty
from errbar.data.counts import States
from errbar.metrics import CountMetric, Majority, PassAt, PassHat
from errbar.metrics.means import Average

Array = NDArray[np.floating[Any]]
Integers = NDArray[np.int64]

NULLS = ("same", "own")
_SEED = 30
_MOST_SHIFT = 6.0  # of log odds
_AIMED = 2.4  # deviations: a power of about two thirds


class Cell(NamedTuple):
    """How many questions and trials, and how difficulty is spread."""

    questions: int
    trials: int
    difficulty: str

    def rng(self, *of: int) -> np.random.Generator:
        """Its own stream, whatever else is run."""
        which = list(DIFFICULTIES).index(self.difficulty)
        return np.random.default_rng([_SEED, self.questions, self.trials, which, *of])


def metrics_of(trials: int) -> list[CountMetric]:
    """One trial makes them all the same."""
    if trials == 1:
        return [Average()]
    return [Average(), PassAt(trials // 2), PassHat(trials), Majority(trials)]


def value_table(metric: CountMetric, trials: int) -> Array:
    """What a question comes to, by how many of its trials are right."""
    right = np.arange(trials + 1)
    once = np.ones((1, right.size))
    states = States(np.full(right.size, trials), right, once, once.sum(axis=1))
    (part,) = metric.parts()
    # 1 and 1 − 1e-16 are the same score, which a t-test of such differences would tell apart.
    return metric.joined(part.subset_means([part], states)[0]).round(15)


def null_counts(cell: Cell, kind: str, replicates: int, *stream: int) -> tuple[Integers, Integers]:
    """Right trials of two systems neither of which is better: replicates × questions."""
    rng = cell.rng(NULLS.index(kind), *stream)
    difficulty, shape = DIFFICULTIES[cell.difficulty], (replicates, cell.questions)
    shared = difficulty.draw(rng, shape)
    rates = [
        shared
        if kind == "same"
        else np.where(rng.random(shape) < 0.5, shared, difficulty.draw(rng, shape))
        for _ in range(2)
    ]
    first, second = (rng.binomial(cell.trials, rate) for rate in rates)
    return first, second


def shifted_counts(
    cell: Cell, shift: float, replicates: int, stream: int
) -> tuple[Integers, Integers]:
    """Counts where the log odds of the first system are shifted."""
    rng = cell.rng(len(NULLS), stream)
    rates = DIFFICULTIES[cell.difficulty].draw(rng, (replicates, cell.questions))
    return rng.binomial(cell.trials, moved(rates, shift)), rng.binomial(cell.trials, rates)


def moved(rates: Array, shift: float | Array) -> Array:
    """Rates whose log odds are shifted; 0 and 1 stay where they are."""
    odds = np.exp(shift)
    return rates * odds / (1.0 - rates + rates * odds)


class Effect(NamedTuple):
    """A shift of log odds, and what it does to the metric."""

    shift: float
    difference: float  # true mean of the differences
    deviations: float  # standard deviations of the mean between the true difference and zero


def effect_of(shift: float, cell: Cell, table: Array) -> Effect:
    """By quadrature over the difficulties."""
    rates, weights = _nodes(cell.difficulty)
    (mean, square), (base, base_square) = (
        _moments(each, table) for each in (moved(rates, shift), rates)
    )
    difference = float(weights @ (mean - base))
    spread = float(weights @ (square + base_square - 2.0 * mean * base)) - difference**2
    return Effect(shift, difference, difference * (cell.questions / max(spread, 1e-300)) ** 0.5)


def aimed_effect(cell: Cell, table: Array) -> Effect:
    """The shift that is seen about two times in three, towards the middle; or the largest tried."""
    rates, weights = _nodes(cell.difficulty)
    middle = 0.5 * (table.min() + table.max())
    sign = 1.0 if float(weights @ _moments(rates, table)[0]) < middle else -1.0
    low, high = 0.0, _MOST_SHIFT
    for _ in range(40):
        half = 0.5 * (low + high)
        enough = abs(effect_of(sign * half, cell, table).deviations) > _AIMED
        low, high = (low, half) if enough else (half, high)
    return effect_of(sign * high, cell, table)


@cache
def _nodes(difficulty: str) -> tuple[Array, Array]:
    return DIFFICULTIES[difficulty].nodes()


def _moments(rates: Array, table: Array) -> tuple[Array, Array]:
    """Mean of a question's value and of its square, at known rates."""
    from scipy.stats import binom  # noqa: PLC0415  slow to load

    masses = binom.pmf(np.arange(table.size), table.size - 1, rates[:, None])
    return masses @ table, masses @ np.square(table)


def balanced_shift(difficulty: Difficulty, noise: float, table: Array) -> float:
    """The shift that, with normal noise on the log odds, leaves the mean as it is."""
    rates, weights = difficulty.nodes()
    z = np.linspace(-8.0, 8.0, 161)
    bell = np.exp(-0.5 * z * z) / np.exp(-0.5 * z * z).sum()
    base = float(weights @ _moments(rates, table)[0])
    grid = np.linspace(0.0, 1.0, 20_001)  # straight lines between them are off by 1e-8
    means = _moments(grid, table)[0]
    low, high = -_MOST_SHIFT, _MOST_SHIFT
    for _ in range(40):
        half = 0.5 * (low + high)
        noisy = moved(rates[:, None], half + noise * z)
        mean = np.interp(noisy, grid, means) @ bell
        low, high = (low, half) if float(weights @ mean) > base else (half, high)
    return 0.5 * (low + high)
