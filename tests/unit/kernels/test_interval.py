"""Interval ends: Hall's interval for skewed means."""

import math

import numpy as np
import pytest
from scipy import stats

from errbar.kernels.interval import skewed_ends


def transformed(t: float, skewness: float, n: int) -> float:
    """Hall's transformation of a t statistic, which is close to normal."""
    a = skewness / math.sqrt(n)
    return t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6


@pytest.mark.parametrize("n", [5, 30])
def test_ends_of_a_skewed_mean_are_where_the_transformed_statistic_is_critical(n: int) -> None:
    values = np.random.default_rng(n).exponential(size=n)
    away = values - values.mean()
    error = values.std(ddof=1) / math.sqrt(n)
    skewness = stats.skew(values, bias=False)
    low, high = skewed_ends(away, 0.9)
    critical = stats.t.ppf(0.95, n - 1)
    assert transformed(-low / error, skewness, n) == pytest.approx(critical)
    assert transformed(-high / error, skewness, n) == pytest.approx(-critical)
    assert high > -low  # the tail of the values is above


def test_without_skewness_the_ends_are_those_of_student() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    low, high = skewed_ends(values - 2.5, 0.95)
    expected = stats.t.interval(0.95, 3, 0.0, stats.sem(values))
    assert (low, high) == pytest.approx(expected)


def test_equal_values_have_no_reach() -> None:
    assert skewed_ends(np.zeros(5), 0.95) == (0.0, 0.0)
