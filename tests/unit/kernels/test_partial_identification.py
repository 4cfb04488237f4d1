"""Bounds on means over questions that hold for every distribution of difficulty."""

import numpy as np
import pytest
from scipy.stats import binomtest

from errbar.base.arrays import Array
from errbar.kernels.interval import clopper_pearson_ends
from errbar.kernels.partial_identification import (
    GRID,
    CountShares,
    largest_mean,
    mean_bounds,
    on_grid,
)


@pytest.mark.parametrize(("right", "size"), [(0, 7), (3, 7), (7, 7), (40, 1000)])
def test_limits_of_a_share_are_those_of_scipy(right: int, size: int) -> None:
    low, high = clopper_pearson_ends(np.array(float(right)), float(size), 0.9)
    other = binomtest(right, size).proportion_ci(0.9, "exact")
    assert (float(low), float(high)) == pytest.approx((other.low, other.high))


def test_a_polynomial_of_low_degree_is_determined() -> None:
    rates, weights = np.array([0.1, 0.4, 0.9]), np.array([0.5, 0.3, 0.2])
    (moved,) = on_grid(rates, weights[None])
    for power in (1, 2, 3, 4):
        found = largest_mean(GRID**power, moved, trials=4)
        assert found == pytest.approx(float(rates**power @ weights), abs=2e-4)


def test_a_polynomial_of_high_degree_is_bounded_by_other_distributions() -> None:
    """One trial fixes the mean rate; p⁴ is largest if every question is never or always solved."""
    (often,) = on_grid(np.array([0.3]), np.ones((1, 1)))
    assert largest_mean(GRID**4, often, trials=1) == pytest.approx(0.3, abs=1e-6)
    assert largest_mean(-(GRID**4), often, trials=1) == pytest.approx(-(0.3**4), abs=1e-4)


def _shares(rates: Array, trials: int, rng: np.random.Generator) -> CountShares:
    counts = np.bincount(rng.binomial(trials, rates), minlength=trials + 1)
    return CountShares(trials, counts / rates.size, float(rates.size))


@pytest.mark.parametrize("fixed", [True, False])
def test_bounds_hold_for_new_questions_and_for_these(*, fixed: bool) -> None:
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(80):
        rates = np.where(rng.random(60) < 0.5, rng.beta(20, 80, 60), rng.beta(80, 20, 60))
        truth = (1 - (1 - rates) ** 16).mean() if fixed else 0.9867
        low, high = mean_bounds(1 - (1 - GRID) ** 16, [_shares(rates, 4, rng)], 0.95)
        held += low <= truth <= high
    assert held >= 76


def test_more_questions_and_more_trials_narrow_the_bounds() -> None:
    rng = np.random.default_rng(1)
    widths = []
    for questions, trials in ((50, 4), (2000, 4), (2000, 16)):
        shares = _shares(rng.beta(0.5, 0.5, questions), trials, rng)
        low, high = mean_bounds(1 - (1 - GRID) ** 32, [shares], 0.95)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)


def test_counts_that_no_difficulty_explains_leave_everything_open() -> None:
    """Exactly one of two trials right in each of a thousand questions: trials are no coins."""
    shares = CountShares(2, np.array([0.0, 1.0, 0.0]), 1000.0)
    assert mean_bounds(GRID**3, [shares], 0.95) == (0.0, 1.0)
