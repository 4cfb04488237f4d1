"""Scaling exponents and pass@k beyond the trials, by families of distributions."""

from itertools import product

import numpy as np
import pytest
from scipy.special import betaln

from errbar.base.arrays import Array, Integers
from errbar.kernels.left_tail import BETA, FAMILIES, LOGIT_NORMAL, LeftTail
from errbar.kernels.partial_identification import GRID, CountShares, ratio_bounds


def tail_of(right: Integers, trials: int, family: object = BETA) -> LeftTail:
    often = np.bincount(right, minlength=trials + 1)
    there = np.flatnonzero(often)
    return LeftTail(family, np.full(there.size, trials), there, often[there].astype(float))  # type: ignore[arg-type]


def all_fail(alpha: float, beta: float, k: float) -> float:
    """Mean of (1 − p)^k for p of a Beta distribution."""
    return float(np.exp(betaln(alpha, beta + k) - betaln(alpha, beta)))


def test_expected_counts_of_a_beta_distribution_give_its_own_numbers() -> None:
    alpha, beta, n = 0.5, 2.0, 20
    c = np.arange(n + 1)
    ways = -np.log(n + 1) - betaln(n - c + 1, c + 1)
    often = 5000.0 * np.exp(ways + betaln(alpha + c, beta + n - c) - betaln(alpha, beta))
    found = LeftTail(BETA, np.full(n + 1, n), c, often)
    limit, never = found.limit(0.95), found.never(0.95)
    assert limit.value == pytest.approx(alpha, rel=0.02)
    assert limit.low < alpha < limit.high
    assert never.value < 0.005
    assert never.low < 1e-6
    assert found.solved(200, 0.95).value == pytest.approx(1 - all_fail(alpha, beta, 200), abs=2e-3)
    slope = np.log(all_fail(alpha, beta, n) / all_fail(alpha, beta, 200)) / np.log(10)
    assert found.exponent(n, 200, 0.95).value == pytest.approx(slope, abs=0.01)
    assert found.p_value() > 0.9


def test_no_distribution_of_a_dense_grid_lies_beyond_the_profile() -> None:
    """Of all distributions with as much likelihood, none gives more or less than the ends."""
    rng = np.random.default_rng(3)
    found = tail_of(rng.binomial(8, rng.beta(0.6, 1.5, 120)), 8)
    lowest, highest = found.solved(80, 0.95)[1:]
    least = found.log_likelihood - 0.5 * 1.9807**2  # t of 116 degrees of freedom
    limits = ((0.05, 5.0, 25), (0.2, 20.0, 21), (0.5, 1.0, 6))
    grid = [np.linspace(np.log(low), np.log(high), size) for low, high, size in limits]
    grid.append(np.log([1e-9, *np.linspace(0.05, 0.4, 8).tolist()]))
    inside = [
        1.0 - found._all_fail(at, 80)
        for at in map(np.array, product(*grid))
        if found._log_likelihood(at) >= least
    ]
    assert lowest - 2e-3 <= min(inside) < lowest + 0.02
    assert highest - 0.02 < max(inside) <= highest + 2e-3


@pytest.mark.parametrize("kind", ["beta", "log odds"])
def test_both_families_together_hold_either_truth(kind: str) -> None:
    rng = np.random.default_rng(0)

    def drawn(size: int) -> Array:
        normal: Array = 1.0 / (1.0 + np.exp(-rng.normal(-2.0, 2.0, size)))
        return rng.beta(0.4, 1.0, size) if kind == "beta" else normal

    truth, held = float(1.0 - ((1.0 - drawn(200_000)) ** 80).mean()), 0
    for _ in range(20):
        right = rng.binomial(8, drawn(150))
        ends = [tail_of(right, 8, family).solved(80, 0.95) for family in FAMILIES]
        held += min(each.low for each in ends) <= truth <= max(each.high for each in ends)
    assert held >= 17


def test_difficulty_in_two_groups_fits_no_family() -> None:
    rng = np.random.default_rng(1)
    right = rng.binomial(16, np.where(rng.random(400) < 0.5, 0.1, 0.8))
    assert max(tail_of(right, 16, family).p_value() for family in FAMILIES) < 0.01


def test_too_few_questions_leave_the_fit_open() -> None:
    right = np.array([0, 1, 3, 8, 8, 8, 7, 2, 0, 5])
    assert np.isnan(tail_of(right, 8, LOGIT_NORMAL).p_value())


def test_without_a_hard_question_the_exponent_has_no_end() -> None:
    rng = np.random.default_rng(2)
    assert tail_of(rng.binomial(8, 0.9, 60), 8).limit(0.95).high == np.inf


def test_questions_that_are_never_solved_are_not_taken_for_hard_ones() -> None:
    rng = np.random.default_rng(4)
    rates = np.where(np.arange(300) < 90, 0.0, rng.beta(4.0, 2.0, 300))
    found = tail_of(rng.binomial(40, rates), 40)
    never = found.never(0.95)
    assert never.low < 0.3 < never.high
    assert never.high - never.low < 0.15
    assert found.solved(400, 0.95).high < 0.8


def test_bounds_of_a_ratio_hold_and_are_those_of_two_point_distributions() -> None:
    """Between 4 and 8 trials of counts that are known: the exponent is determined by 8 trials."""
    rates, weights = np.array([0.02, 0.6]), np.array([0.4, 0.6])
    chances = np.array([np.bincount([0], minlength=9)] * 2, dtype=float)
    for at, rate in enumerate(rates):
        c = np.arange(9)
        ways = np.array([1, 8, 28, 56, 70, 56, 28, 8, 1])
        chances[at] = ways * rate**c * (1 - rate) ** (8 - c)
    group = CountShares(8, weights @ chances, 1e6)
    low, high = ratio_bounds((1 - GRID) ** 8, (1 - GRID) ** 4, [group], 0.95)
    truth = float(weights @ (1 - rates) ** 8 / (weights @ (1 - rates) ** 4))
    assert low <= truth <= high
    assert high - low < 0.02
    far = ratio_bounds((1 - GRID) ** 800, (1 - GRID) ** 8, [group], 0.95)
    assert far[0] < 1e-3
    assert far[1] > 0.2
