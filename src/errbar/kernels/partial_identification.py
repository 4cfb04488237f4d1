"""Partial identification: bounds on a mean over questions from counts of right trials.

The chances of 0, 1, … n right trials are means over questions of polynomials of the success rate.
So counts of n trials determine the mean of every polynomial of degree n, and bound other means: the
bounds are the smallest and the largest mean over all distributions of difficulty that agree with
the counts. They are linear programs over a grid of success rates.

- `mean_bounds` allows for the sampling of questions as well: the share of questions in each range
  of counts lies between its limits of Clopper and Pearson (F-localization; Ignatiadis and Wager
  2022, "Confidence intervals for nonparametric empirical Bayes analysis").
- `ratio_bounds` does so for the ratio of two means.
- `largest_mean` takes the expected counts as known, for a variance that must not be underestimated.
- `most_unseen` bounds a mean if every question showed the lowest value.
- `bracket_tail` is for a number that a sample identifies only up to two bounds.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.binomial import masses
from errbar.kernels.interval import clopper_pearson_ends

# Chebyshev nodes: the closer to 0 and 1 the denser, like the standard error of a success rate.
# With 201 of them a step is at most 0.008, a third of a standard error of 400 trials.
GRID: Array = 0.5 - 0.5 * np.cos(np.linspace(0.0, np.pi, 201))

_NEAR = 1e-9  # accuracy of a normal quantile


class CountShares(NamedTuple):
    """Questions of the same number of trials."""

    trials: int
    shares: Array  # shares of questions with 0, 1, … right trials
    questions: float  # effective number

    @classmethod
    def by_trials(
        cls,
        states: tuple[Integers, Integers],
        mass: Array,
        squares: Array,
        design_effect: float = 1.0,
    ) -> "list[CountShares]":
        """Questions by their number of trials, from the numbers of trials and right ones of states.

        `mass` and `squares` are the sums of the weights of the questions of a state, and of their
        squares. `design_effect` of clusters divides the effective number (Kish 1965).
        """
        trials, correct = states
        by_trials = []
        for n in np.unique(trials[(trials > 0) & (mass > 0.0)]).tolist():
            alike = trials == n
            total = mass[alike].sum()
            shares = np.bincount(correct[alike], mass[alike], n + 1) / total
            number = float(total**2 / squares[alike].sum()) / design_effect
            by_trials.append(cls(n, shares, number))
        return by_trials


@lru_cache(maxsize=8)
def chances_on_grid(trials: int) -> Array:
    """Chance of 0, 1, … right trials, a row each, at every rate of `GRID`."""
    return masses(GRID, trials)


@lru_cache(maxsize=8)
def _identified_functions(trials: int) -> Array:
    """Independent linear functions of a distribution that the chances of all counts determine.

    Those that move the chances by less than `_UNSEEN` of the largest are left out.
    """
    _, sizes, functions = np.linalg.svd(chances_on_grid(trials), full_matrices=False)
    determined: Array = functions[sizes > _UNSEEN * sizes[0]]
    return determined


_UNSEEN = 1e-6  # ten times the tolerance of the solver, 1e-7, which cannot tell less


def mean_bounds(values: Array, groups: Sequence[CountShares], level: float) -> tuple[float, float]:
    """Interval for the mean of a function of the success rate, given by its values on `GRID`.

    It holds for every distribution of difficulty: each range of counts has its limits, and the
    levels add up (Bonferroni). For fixed questions it holds as well, because a sum of independent
    trials of different chances is less spread than a binomial variable (Hoeffding 1956). If no
    distribution agrees with the counts, the limits are widened until one does.
    """
    both, limits_at = _constraints(groups)
    sure = np.ones((1, GRID.size)), np.ones(1)
    tail = (1.0 - level) / (both.shape[0] // 2)
    while tail > _RAREST:
        ends = [_largest(sign * values, both, limits_at(tail), *sure) for sign in (-1.0, 1.0)]
        if ends[0] is not None and ends[1] is not None:
            return -ends[0], ends[1]
        # Wider by about half a standard error, until some distribution agrees; any step would do.
        tail /= 10.0
    return float(values.min()), float(values.max())


def ratio_bounds(
    top: Array, bottom: Array, groups: Sequence[CountShares], level: float
) -> tuple[float, float]:
    """Interval for the ratio of the means of two functions of the success rate, 0 ≤ top ≤ bottom.

    As `mean_bounds`, for weights that are scaled to a mean of the second function of 1 (Charnes and
    Cooper 1962): limits of shares are then multiples of the sum of the weights.
    """
    both, limits_at = _constraints(groups)
    tail = (1.0 - level) / (both.shape[0] // 2)
    while tail > _RAREST:
        within = both - limits_at(tail)[:, None]
        ends = [
            _largest(sign * top, within, np.zeros(len(within)), bottom[None], np.ones(1))
            for sign in (-1.0, 1.0)
        ]
        if ends[0] is not None and ends[1] is not None:
            return max(-ends[0], 0.0), min(ends[1], 1.0)
        tail /= 10.0
    return 0.0, 1.0


def _constraints(groups: Sequence[CountShares]) -> tuple[Array, Callable[[float], Array]]:
    """Chances on `GRID` of all ranges of counts, and their negatives, with limits by the tail."""
    ranges = [_ranges(group) for group in groups]
    chances = np.concatenate([part for part, _ in ranges])
    size = np.repeat([group.questions for group in groups], [len(part) for part, _ in ranges])
    right = size * np.concatenate([shares for _, shares in ranges])

    def limits_at(tail: float) -> Array:
        low, high = clopper_pearson_ends(right, size, 1.0 - tail)
        return np.concatenate([high, -low])

    return np.concatenate([chances, -chances]), limits_at


_RAREST = 1e-12  # tail probability beyond which counts are not those of independent trials


def _ranges(group: CountShares) -> tuple[Array, Array]:
    """Chances on `GRID` of ranges of counts, and the observed shares.

    Ranges double in length with the distance from 0 and from n right trials, because what lies
    beyond n trials depends on the questions that are nearly never or nearly always solved.
    """
    n = group.trials
    low = np.unique(np.minimum([0, *(1 << np.arange(n.bit_length()))], n // 2 + 1))
    starts = np.unique(np.concatenate([low, n + 1 - low[low > 0]]))
    starts = starts[starts <= n]
    return (
        np.add.reduceat(chances_on_grid(n), starts, axis=0),
        np.add.reduceat(group.shares, starts),
    )


def on_grid(rates: Array, weights: Array) -> Array:
    """Distributions of the success rate, a row of `weights` each, moved to `GRID`.

    Examples
    --------
    >>> on_grid(np.array([0.0, 1.0]), np.array([[0.25, 0.75]]))[0, [0, -1]].tolist()
    [0.25, 0.75]
    """
    at = np.clip(np.searchsorted(GRID, rates) - 1, 0, GRID.size - 2)
    part = (rates - GRID[at]) / (GRID[at + 1] - GRID[at])
    cell = (at + GRID.size * np.arange(len(weights))[:, None]).ravel()
    sides = ((cell, weights * (1.0 - part)), (cell + 1, weights * part))
    halves = (np.bincount(at, mass.ravel(), GRID.size * len(weights)) for at, mass in sides)
    return np.add(*halves, dtype=float).reshape(len(weights), GRID.size)


def largest_mean(values: Array, weights: Array, trials: int) -> float:
    """Largest mean of a function among the distributions with the same expected counts.

    Both `values` and `weights`, one of these distributions, are on `GRID`.
    """
    itself = float(values @ weights)
    if trials + 1 >= GRID.size:  # more equations than unknowns
        return itself
    measured = _identified_functions(trials)
    largest = _largest(values, None, None, measured, measured @ weights)
    return itself if largest is None else max(largest, itself)


def most_unseen(values: Array, unseen: Array, questions: float, tail: float) -> float:
    """Largest mean of a function if every question showed its lowest value.

    `unseen` is the chance, on `GRID`, that a question shows it. The product of the chances of all
    questions is at least `tail`, so their costs, −log of the chance, have a bounded mean. For
    values and chances that are p and (1 − p)^n this is the limit of Clopper and Pearson.
    """
    with np.errstate(divide="ignore"):
        cost = -np.log(unseen)
    possible = np.isfinite(cost)
    largest = _largest(
        values[possible],
        cost[possible][None],
        np.array([-np.log(tail) / questions]),
        np.ones((1, int(possible.sum()))),
        np.ones(1),
    )
    return float(values.max()) if largest is None else largest


def _largest(
    values: Array, at_most: Array | None, limits: Array | None, equal: Array, to: Array
) -> float | None:
    """Solve a linear program over weights of rates; None if no distribution agrees."""
    from scipy.optimize import linprog  # noqa: PLC0415  loaded when first needed

    solution = linprog(-values, at_most, limits, equal, to, bounds=(0.0, None), method="highs")
    return -float(solution.fun) if solution.status == 0 else None


def bracket_tail(width: float, level: float) -> float:
    """Probability to leave outside each end of a bracket, for the level to hold any number in it.

    `width` is the distance of the two bounds in standard deviations of their estimates. Imbens and
    Manski (2004): a number close to one end is missed on that side only, so the tail is that of a
    two-sided interval where both bounds are equal, and of a one-sided one where they are far apart.

    Examples
    --------
    >>> round(bracket_tail(0.0, 0.95), 4), round(bracket_tail(9.0, 0.95), 4)
    (0.025, 0.05)
    """
    normal = NormalDist()
    low, high = normal.inv_cdf(level), normal.inv_cdf(0.5 * (1.0 + level))
    while high - low > _NEAR:
        reach = 0.5 * (low + high)
        holds = normal.cdf(reach + width) - normal.cdf(-reach) >= level
        low, high = (low, reach) if holds else (reach, high)
    return normal.cdf(-high)
