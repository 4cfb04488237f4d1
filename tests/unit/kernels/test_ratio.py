"""Ratios with heavy tails, the Pareto front, and tries that end with the first right one."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from errbar.kernels import ratio
from errbar.kernels.ratio import (
    difference_of_means,
    draws_until_right,
    ratio_of_sums,
    tradeoffs,
)


def test_tries_until_one_is_right_as_all_orders_of_the_trials() -> None:
    for n in (3, 5):
        for right in range(n + 1):
            for k in range(1, n + 1):
                misses = hits = 0
                orders = set(permutations([1] * right + [0] * (n - right)))
                for order in orders:
                    drawn = order[:k]
                    stop = drawn.index(1) if 1 in drawn else k
                    misses, hits = misses + stop, hits + (1 in drawn)
                wrong, solved = draws_until_right(np.array([float(right)]), np.array([float(n)]), k)
                assert wrong[0] == pytest.approx(misses / len(orders))
                assert solved[0] == pytest.approx(hits / len(orders))


def test_a_ratio_is_scaled_and_holds_at_least_what_allows_for_skewness() -> None:
    rng = np.random.default_rng(0)
    cost, right, sizes = rng.lognormal(size=40), rng.integers(0, 2, 40).astype(float), np.ones(40)
    found = ratio_of_sums(cost, right, sizes, 0.95, np.random.default_rng(1))
    scaled = ratio_of_sums(100.0 * cost, right, sizes, 0.95, np.random.default_rng(1))
    assert scaled == pytest.approx(tuple(100.0 * part for part in found))
    assert found.value == cost.sum() / right.sum()
    assert found.high - found.value > found.value - found.low > 1.5 * found.sd
    wider = ratio_of_sums(cost, right, sizes, 0.99, np.random.default_rng(1))
    assert wider.low < found.low
    assert wider.high > found.high


def test_clusters_are_units() -> None:
    """Questions of a cluster that are copies of each other tell no more than one of them."""
    rng = np.random.default_rng(2)
    cost, once = rng.lognormal(size=30), np.ones(30)
    alone = ratio_of_sums(cost, once, once, 0.95, np.random.default_rng(3))
    copied = ratio_of_sums(4.0 * cost, 4.0 * once, 4.0 * once, 0.95, np.random.default_rng(3))
    assert copied == pytest.approx(alone)


def test_equal_costs_have_no_interval() -> None:
    once = np.ones(10)
    found = ratio_of_sums(3.0 * once, once, once, 0.95, np.random.default_rng(0))
    assert found.value == 3.0
    assert math.isnan(found.low)
    assert math.isnan(found.sd)


def test_a_system_that_another_beats_on_every_question_is_not_on_the_front() -> None:
    rng = np.random.default_rng(4)
    good = rng.random((50, 1))
    quality = np.hstack([good, good - 0.1, good + 0.1])
    cost = np.hstack([good + 1.0, good + 2.0, good + 1.5])
    fronts, least = tradeoffs(quality, cost, rng)
    assert fronts.tolist() == [1.0, 0.0, 1.0]
    assert least.sum() == pytest.approx(1.0)


def test_the_interval_of_opposite_numbers_is_the_opposite_interval() -> None:
    top, sizes = np.random.default_rng(5).normal(0.3, 1.0, 12), np.ones(12)
    found = ratio_of_sums(top, sizes, sizes, 0.9, np.random.default_rng(1))
    turned = ratio_of_sums(-top, sizes, sizes, 0.9, np.random.default_rng(1))
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-12)


def test_of_two_equally_good_systems_only_the_cheaper_is_on_the_front() -> None:
    quality = np.column_stack([[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    cost = np.column_stack([[1.0, 2.0, 1.0], [1.0, 2.5, 1.5]])
    front, cheapest = tradeoffs(quality, cost, np.random.default_rng(0))
    assert front.tolist() == cheapest.tolist() == [1.0, 0.0]


def test_means_and_differences_of_30_lognormal_costs_hold_their_level() -> None:
    """Without the assumption about the tail, 90% of them do."""
    mean, once = math.exp(0.5 * (1.5**2 + 0.5**2)), np.ones(30)
    held = np.zeros(2)
    for seed in range(250):
        rng = np.random.default_rng([seed, 30])
        shared = 1.5 * rng.standard_normal(30)
        cost, other = np.exp(shared + 0.5 * rng.standard_normal((2, 30)))
        found = ratio_of_sums(cost, once, once, 0.95, rng)
        apart = difference_of_means(cost, 0.5 * other, once, 0.95, rng)
        held += [found.low <= mean <= found.high, apart.low <= 0.5 * mean <= apart.high]
    assert (held >= 0.94 * 250).all(), held


def test_the_test_of_normal_values_is_that_of_scipy() -> None:
    rng = np.random.default_rng(7)
    refuted = 0
    for values in (*rng.normal(2.0, 3.0, (20, 25)), *np.log(rng.gamma(0.4, 1.0, (20, 25)))):
        known = stats.goodness_of_fit(stats.norm, values, statistic="ad", n_mc_samples=1).statistic
        is_refuted = known * (1.0 + 0.75 / 25 + 2.25 / 25**2) > 0.631
        assert ratio.is_not_normal(values) == is_refuted
        refuted += is_refuted
    assert 10 < refuted < 30


def test_means_of_lognormal_draws_are_those_of_their_distribution() -> None:
    """The inverse of a Wishart matrix of 2 columns, n − 1 degrees, has the mean S / (n − 4)."""
    rng = np.random.default_rng(10)
    logs = rng.standard_normal((40, 2)) @ np.array([[1.0, 0.8], [0.0, 0.4]])
    drawn = ratio._lognormal_means(np.exp(logs), np.ones(40), rng)
    assert drawn is not None
    draws = np.log(drawn)
    variance = logs.var(axis=0, ddof=1)
    expected = logs.mean(axis=0) + 0.5 * variance * 39 / 36
    assert draws.mean(axis=0) == pytest.approx(expected, abs=0.02)
    once = np.ones(40)
    copied = ratio._lognormal_means(np.exp(logs) * 3.0, 3.0 * once, np.random.default_rng(1))
    alone = ratio._lognormal_means(np.exp(logs), once, np.random.default_rng(1))
    assert copied == pytest.approx(alone)  # sizes are relative


def test_costs_that_are_not_lognormal_have_no_longer_tail_than_the_costs_show() -> None:
    rng = np.random.default_rng(8)
    for costs in (np.where(rng.random(40) < 0.5, 1.0, 1e-6), np.append(rng.lognormal(size=39), 0)):
        once = np.ones(40)
        found = ratio_of_sums(costs, once, once, 0.95, np.random.default_rng(1))
        assert found.high < 2.0 * costs.max()


def test_a_difference_of_means_is_reversed_with_the_systems() -> None:
    rng = np.random.default_rng(9)
    cost, other, sizes = rng.lognormal(size=20), rng.lognormal(size=20), rng.uniform(1, 2, 20)
    found = difference_of_means(cost, other, sizes, 0.95, np.random.default_rng(1))
    turned = difference_of_means(other, cost, sizes, 0.95, np.random.default_rng(1))
    width = found.high - found.low
    assert turned[2:] == pytest.approx((-found.high, -found.low), abs=0.05 * width)  # by draws
    assert found.value == pytest.approx((cost.sum() - other.sum()) / sizes.sum())
    nothing = difference_of_means(cost, 3.0 * sizes, sizes, 0.95, np.random.default_rng(1))
    assert math.isfinite(nothing.low)  # a system whose costs are all equal
