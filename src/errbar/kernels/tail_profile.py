"""Tail profile: the probability that the mean score of k attempts reaches each threshold.

A question has categories, each with a credit, and the score of k attempts is their mean credit.
Attempts are drawn from the observed trials without replacement (multivariate hypergeometric), or
from a question whose probabilities have a Dirichlet posterior (Dirichlet-multinomial).

The covariance of two probabilities under the posterior is that of two events in two runs of k
attempts each, which share the unknown probabilities: one Dirichlet-multinomial over both runs. An
event more likely than not is replaced by its complement, so that no covariance is a small
difference of numbers near 1.
"""

from itertools import combinations
from math import comb, log

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers
from errbar.errors import InputError

_MOST_OUTCOMES = 20_000  # of k attempts by category
_MOST_PAIRS = 4_000_000  # of outcomes of two runs: 32 MB


def outcomes_of(k: int, categories: int) -> Integers:
    """Every way in which k attempts fall into categories, a row each.

    Examples
    --------
    >>> outcomes_of(2, 2).tolist()
    [[2, 0], [1, 1], [0, 2]]
    """
    number = comb(k + categories - 1, categories - 1)
    if number > _MOST_OUTCOMES:
        raise InputError(
            f"{k} attempts fall into {categories} categories in {number:,} ways, and at most "
            f"{_MOST_OUTCOMES:,} are tried; use a smaller k, or fewer categories."
        )
    bars = np.array(list(combinations(range(k + categories - 1), categories - 1)), dtype=np.int64)
    bars = bars.reshape(number, categories - 1)
    ends = np.column_stack([np.full(number, -1), bars, np.full(number, k + categories - 1)])
    outcomes: Integers = (np.diff(ends, axis=1) - 1)[::-1]
    return outcomes


def drawn_without_replacement(outcomes: Integers, tally: Integers) -> Array:
    """Probability of each outcome if attempts are drawn from trials with this tally."""
    k = int(outcomes[0].sum())
    logs = np.zeros(len(outcomes))
    for counts, available in zip(outcomes.T, tally.tolist(), strict=True):
        ways = [comb(available, drawn) for drawn in range(k + 1)]
        logs += np.array([log(way) if way else -np.inf for way in ways])[counts]
    chances: Array = np.exp(logs - log(comb(int(tally.sum()), k)))
    return chances


class PosteriorOutcomes:
    """Probabilities of the outcomes of k attempts at questions with Dirichlet posteriors."""

    def __init__(self, outcomes: Integers) -> None:
        self._outcomes, self._k = outcomes, int(outcomes[0].sum())
        factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, self._k + 1)))])
        self._ways = factorials[-1] - factorials[outcomes].sum(axis=1)

    def chances(self, parameters: Array) -> Array:
        """Probability of each outcome, for one question."""
        rises, total = self._rises(parameters, self._k)
        logs = self._ways - total[self._k]
        for rise, counts in zip(rises, self._outcomes.T, strict=True):
            logs = logs + rise[counts]
        chances = np.exp(logs)
        return chances / chances.sum()

    def covariance(self, parameters: Array, values: Array) -> Array:
        """Covariance of the mean values of a run, a column each, for one question."""
        if len(self._outcomes) ** 2 > _MOST_PAIRS:
            raise InputError(
                f"{self._k} attempts have {len(self._outcomes):,} outcomes, too many for a "
                f"standard deviation; use a smaller k, or fewer categories."
            )
        rises, total = self._rises(parameters, 2 * self._k)
        logs = self._ways[:, None] + self._ways - total[2 * self._k]
        for rise, counts in zip(rises, self._outcomes.T, strict=True):
            logs += rise[counts[:, None] + counts]
        both = np.exp(logs)
        both /= both.sum()
        means = both.sum(axis=1) @ values
        turned = means > 0.5
        small = np.where(turned, 1.0 - values, values)
        least = both.sum(axis=1) @ small
        sign = np.where(turned, -1.0, 1.0)
        covariance: Array = (small.T @ both @ small - np.outer(least, least)) * np.outer(sign, sign)
        return covariance

    def _rises(self, parameters: Array, most: int) -> tuple[list[Array], Array]:
        """Logarithms of rising factorials of the parameters, and of their sum."""
        steps = np.arange(most)
        each = [
            np.concatenate([[0.0], np.cumsum(np.log(start + steps))])
            for start in [*parameters.tolist(), float(parameters.sum())]
        ]
        return each[:-1], each[-1]


def reaches_threshold(scores: Array, thresholds: Array) -> NDArray[np.float64]:
    """1 where the score of an outcome reaches a threshold, also if it is equal up to rounding."""
    reached: NDArray[np.float64] = (scores[:, None] >= thresholds - 1e-9).astype(float)
    return reached
