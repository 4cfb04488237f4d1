"""Ratios with heavy tails, the Pareto front, and tries that end with the first right one."""

import math
from itertools import permutations

import numpy as np
import pytest

from errbar.kernels.ratio import draws_until_right, ratio_of_sums, tradeoffs


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
