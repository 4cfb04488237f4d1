"""Limits by a least favourable family of success rates."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, poisson

from errbar.base.arrays import Array
from errbar.kernels import binomial
from errbar.kernels.binomial import LeastFavourable, RatedQuestions
from errbar.kernels.interval import clopper_pearson_ends, normal_reach


def share_right(trials: int, rates: list[float], often: list[float]) -> RatedQuestions:
    """RatedQuestions whose value is the share of right trials."""
    return RatedQuestions(
        trials,
        np.array(rates),
        np.arange(trials + 1.0) / trials,
        np.array(often),
        np.ones(len(rates)),
    )


def ends_of(questions: RatedQuestions, right: float, level: float) -> tuple[float, float]:
    """Limits for the number of right trials, by the variance that the rates have."""
    n, p = questions.trials, questions.rates
    variance = float(questions.often @ (p * (1.0 - p))) / n
    reach = normal_reach(level)
    low, high = LeastFavourable([questions]).ends(right / n, variance, reach, reach)
    return low * n, high * n


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize(
    ("trials", "number", "right"), [(64, 30, 900), (16, 10, 3), (4, 10, 38), (2, 300, 1)]
)
def test_limits_of_equal_rates_are_those_of_clopper_and_pearson(
    trials: int, number: int, right: int, level: float
) -> None:
    size = trials * number
    found = ends_of(share_right(trials, [right / size], [number]), right, level)
    exact: list[Array] = list(clopper_pearson_ends(np.array(float(right)), size, level))
    # r* is an approximation, which is farthest off where there is a single right trial
    assert found == pytest.approx([size * float(end) for end in exact], abs=0.03)


def test_limits_do_not_depend_on_questions_that_are_known() -> None:
    rare = share_right(64, [0.001], [54.0])
    beside = share_right(64, [0.001, 1e-12, 1.0 - 1e-12], [54.0, 20.0, 6.0])
    expected = ends_of(rare, 3.0, 0.9)
    found = ends_of(beside, 3.0 + 6 * 64, 0.9)
    assert [end - 6 * 64 for end in found] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("wrong", [0, 1, 2, 5])
def test_rare_errors_have_the_limits_of_a_poisson_variable(wrong: int) -> None:
    known = share_right(64, [1.0 - max(wrong, 0.1) / (54 * 64), 1e-12], [54.0, 6.0])
    least, _ = ends_of(known, 54 * 64 - wrong, 0.9)
    # many errors of a small chance: the tail of at most so many is that of a Poisson variable
    assert poisson.cdf(wrong, 54 * 64 - least) == pytest.approx(0.05, abs=0.004)


def test_a_family_holds_its_level_for_unequal_rates() -> None:
    rates = np.array([0.02, 0.5, 0.97])
    questions = share_right(8, rates.tolist(), [10.0, 4.0, 10.0])
    chances = np.ones(1)
    for rate, often in zip(rates, (10, 4, 10), strict=True):
        chances = np.convolve(chances, binom.pmf(np.arange(8 * often + 1), 8 * often, rate))
    truth = 8 * float(rates @ [10, 4, 10])
    missed = 0.0
    for right in np.flatnonzero(chances > 1e-4).tolist():
        low, high = ends_of(questions, right, 0.9)
        missed += chances[right] * (not low <= truth <= high)
    assert missed <= 0.1


def test_without_a_trial_that_adds_to_the_score_limits_are_the_score() -> None:
    flat = RatedQuestions(4, np.array([0.5]), np.ones(5), np.array([10.0]), np.ones(1))
    assert LeastFavourable([flat]).ends(10.0, 0.0, 1.96, 1.96) == (10.0, 10.0)


@pytest.mark.parametrize("scale", [1e-14, 1e9])
def test_limits_go_with_the_scale_of_the_weights(scale: float) -> None:
    usual = share_right(8, [0.2, 0.99], [10.0, 30.0])
    scaled = usual._replace(weight=scale * usual.weight)
    once = LeastFavourable([usual]).ends(30.0, 0.2, 1.96, 2.1)
    again = LeastFavourable([scaled]).ends(scale * 30.0, scale**2 * 0.2, 1.96, 2.1)
    assert [end / scale for end in again] == pytest.approx(once, rel=1e-6)


@pytest.mark.parametrize("variance", [0.0, 1e-30, 1e9])
def test_limits_are_there_for_any_variance_and_score(variance: float) -> None:
    known = share_right(8, [0.0, 1.0], [10.0, 30.0])
    for observed in (0.0, 30.0, 40.0):
        low, high = LeastFavourable([known]).ends(observed, variance, 1.96, 12.7)
        assert 0.0 <= low <= observed <= high <= 40.0 + 1e-9


@pytest.mark.parametrize("place", [-30.0, -1e-3, 0.0, 0.7, 29.0])
@pytest.mark.parametrize(
    "rising",
    [
        lambda t: math.tanh(t) + 0.1 * t,
        lambda t: math.expm1(min(t, 50.0)),
        lambda t: t**3 + 1e-3 * t,
        lambda t: -1e-9 if t < 0.0 else 1.0,
    ],
)
def test_a_root_is_that_of_brents_method(rising: Callable[[float], float], place: float) -> None:
    found = binomial._root(lambda t: rising(t - place), -40.0, 40.0)
    assert found == pytest.approx(brentq(lambda t: rising(t - place), -40.0, 40.0), abs=4e-12)


def test_a_root_beyond_the_ends_is_the_nearer_end() -> None:
    assert (binomial._root(lambda t: t + 5, 0, 1), binomial._root(lambda t: t - 5, 0, 1)) == (0, 1)
