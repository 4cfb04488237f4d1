"""Tests of paired differences, on many data sets at once: errbar's, and those beside it."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from errbar.analysis.pairs import sample_of_differences
from errbar.analysis.spreads import PairedSpread

Array = NDArray[np.floating[Any]]
Flags = NDArray[np.bool_]

LEVEL = 0.95
_FLIPS = 1_000


class Judged(NamedTuple):
    """What errbar says of every data set."""

    p_value: Array  # two-sided, whatever hides among unseen questions
    rejected: Flags
    probable: Flags  # rejected if there are no rare failures
    ahead: Array  # sign of the mean difference
    differ: Array  # questions that do


def errbar_test(apart: Array) -> Judged:
    """By the kernels that `runs.compare` uses; a row is a data set."""
    spreads = [paired(row) for row in apart]
    each = [(spread.p_at_most(0.0), spread.p_at_least(0.0)) for spread in spreads]
    p_value = np.array([min(1.0, 2.0 * min(both)) for both in each])
    usual = np.array([spread.p_without_rare_failures() for spread in spreads])
    tail = 1.0 - LEVEL
    ahead = np.sign(apart.sum(axis=1))
    return Judged(p_value, p_value < tail, usual < tail, ahead, (apart != 0).sum(axis=1) * 1.0)


def paired(row: Array) -> PairedSpread:
    """Differences between −1 and 1."""
    return PairedSpread(sample_of_differences(row, np.ones(row.size), (-1.0, 1.0)), "nothing")


def covered(apart: Array, truth: float) -> float:
    """Share of the intervals that hold the true difference."""
    ends = [paired(row).ends(LEVEL) for row in apart]
    return float(np.mean([low <= truth <= high for low, high in ends]))


def t_test(mine: Array, theirs: Array) -> Flags:
    """SciPy's paired t-test; where no question differs it decides nothing."""
    return _decided(stats.ttest_rel, mine, theirs)


def unpaired_t_test(mine: Array, theirs: Array) -> Flags:
    """Welch's."""
    return _decided(partial(stats.ttest_ind, equal_var=False), mine, theirs)


def _decided(test: Callable[..., Any], mine: Array, theirs: Array) -> Flags:
    with warnings.catch_warnings(action="ignore"):  # that values are nearly the same
        p = test(mine, theirs, axis=1).pvalue
    return np.nan_to_num(p, nan=1.0) < 1.0 - LEVEL


def sign_flip_test(apart: Array, rng: np.random.Generator) -> Flags:
    """Share of random signs whose sum is as far from zero as that seen."""
    found = np.zeros(len(apart), dtype=bool)
    for at, row in enumerate(apart):
        some = row[row != 0]
        flips = rng.choice([-1.0, 1.0], (_FLIPS, some.size))
        as_far = np.abs(flips @ some) >= abs(some.sum()) - 1e-12
        found[at] = (as_far.sum() + 1) / (_FLIPS + 1) < 1.0 - LEVEL
    return found


def mcnemar_tests(apart: Array) -> dict[str, Flags]:
    """Of differences of −1, 0 and 1."""
    wins, losses = (apart > 0).sum(axis=1), (apart < 0).sum(axis=1)
    number, fewer = wins + losses, np.minimum(wins, losses)
    exact = np.minimum(1.0, 2.0 * stats.binom.cdf(fewer, number, 0.5))
    # Where wins and losses are equal, the middle p-value is 1.
    at = stats.binom.pmf(fewer, number, 0.5)
    middle = np.where(wins == losses, 1.0, 2.0 * stats.binom.cdf(fewer, number, 0.5) - at)
    square = np.where(number > 0, (wins - losses) ** 2 / np.maximum(number, 1), 0.0)
    return {
        "exact": exact < 1.0 - LEVEL,
        "mid-p": middle < 1.0 - LEVEL,
        "chi-square": stats.chi2.sf(square, 1) < 1.0 - LEVEL,
    }
