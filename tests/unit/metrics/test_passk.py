"""The threshold of G-Pass is the one that was meant, whatever floats make of tau · k."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest

from errbar.metrics import GPass, Majority

MOST_DRAWS = 1_000


def least_right(tau: Fraction, k: int) -> int:
    """max(1, ⌈tau · k⌉) without a float."""
    return max(1, math.ceil(tau * k))


@pytest.mark.parametrize("decimals", [1, 2])
def test_tau_of_few_decimals_is_exact_at_every_k(decimals: int) -> None:
    parts = 10**decimals
    for part in range(parts + 1):
        tau = float(f"{part / parts:.{decimals}f}")
        for k in range(1, MOST_DRAWS + 1):
            assert GPass(k, tau).threshold == max(1, -(-part * k // parts)), (tau, k)


def test_tau_of_three_decimals_is_exact() -> None:
    """Every tau meets a quarter of all k, and every k a quarter of all tau."""
    for part in range(1_001):
        tau = float(f"{part / 1_000:.3f}")
        for k in range(1 + part % 4, MOST_DRAWS + 1, 4):
            assert GPass(k, tau).threshold == max(1, -(-part * k // 1_000)), (tau, k)


def test_a_share_of_the_draws_needs_just_those_draws() -> None:
    for k in range(1, 501):
        for j in range(k + 1):
            assert GPass(k, j / k).threshold == max(1, j), (j, k)


def test_the_majority_is_the_threshold_of_its_own_share() -> None:
    for k in range(1, 501):
        assert GPass(k, (k // 2 + 1) / k).threshold == Majority(k).threshold == k // 2 + 1


@pytest.mark.parametrize(
    ("grid", "meant"),
    [
        (np.arange(0, 1.05, 0.05), [Fraction(i, 20) for i in range(21)]),
        (np.arange(0.5, 1.05, 0.05), [Fraction(i, 20) for i in range(10, 21)]),
        (np.arange(0, 1.1, 0.1), [Fraction(i, 10) for i in range(11)]),
        (np.linspace(0, 1, 21), [Fraction(i, 20) for i in range(21)]),
        (np.linspace(0, 1, 101), [Fraction(i, 100) for i in range(101)]),
        (np.linspace(0, 1, 8), [Fraction(i, 7) for i in range(8)]),
        (np.linspace(0.5, 1, 31), [Fraction(1, 2) + Fraction(i, 60) for i in range(31)]),
        (np.cumsum([0.1] * 10), [Fraction(i, 10) for i in range(1, 11)]),
    ],
)
def test_a_grid_means_its_fractions(grid: Sequence[float], meant: Sequence[Fraction]) -> None:
    for at, (tau, fraction) in enumerate(zip(grid, meant, strict=True)):
        for k in range(1 + at % 4, MOST_DRAWS + 1, 4):
            assert GPass(k, tau).threshold == least_right(fraction, k), (tau, k)


def test_the_grid_that_ends_above_one_is_accepted() -> None:
    last = np.arange(0.5, 1.05, 0.05)[-1]
    assert last > 1
    assert GPass(8, last) == GPass(8, 1.0)


@pytest.mark.parametrize(
    ("tau", "k", "right"), [(0.28, 25, 7), (15 / 29, 29, 15), (0.1 * 3, 10, 3), (0.07, 100, 7)]
)
def test_products_that_floats_push_over_a_whole_number(tau: float, k: int, right: int) -> None:
    assert GPass(k, tau).threshold == right


@pytest.mark.parametrize("tau", [0.3001, 0.300001, 0.30000001])
def test_a_tau_that_really_is_larger_asks_for_one_more(tau: float) -> None:
    assert GPass(10, tau).threshold == 4
