"""Means of bounded values: against Beta quantiles, binomial tests and plain random weighting."""

from fractions import Fraction
from math import comb, prod
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

from errbar.data.counts import Counts, States
from errbar.kernels.bounded_mean import (
    Sample,
    _chance_below,
    _WeightedMean,
    chance_above,
    low_end,
    mean_ends,
    p_at_most,
)
from errbar.kernels.power import approximate_widths
from errbar.kernels.urn import most_noise
from errbar.metrics import PassAt


def sample(
    values: np.ndarray | list[float],
    often: np.ndarray | list[float] | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Sample:
    array = np.asarray(values, dtype=float)
    number = np.ones(array.size) if often is None else np.asarray(often, dtype=float)
    kept = number > 0
    return Sample(array[kept], np.ones(kept.sum()), number[kept], bounds)


def zeros_and_ones(number: int, right: int) -> Sample:
    return sample([0.0, 1.0], [number - right, right])


@pytest.mark.parametrize("number", [1, 2, 5, 10, 30, 1000])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_shares_have_the_ends_of_clopper_and_pearson(
    number: int, share: float, level: float
) -> None:
    right = round(share * number)
    low, high = mean_ends(zeros_and_ones(number, right), level)
    tail = 0.5 * (1.0 - level)
    least = betaincinv(right, number - right + 1, tail) if right else 0.0
    most = betaincinv(right + 1, number - right, 1.0 - tail) if right < number else 1.0
    assert (low, high) == pytest.approx((least, most), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize(
    ("wins", "losses", "ties"), [(5, 0, 20), (9, 1, 0), (30, 12, 99), (3, 3, 1)]
)
def test_differences_of_single_trials_have_the_p_value_of_mcnemars_exact_test(
    wins: int, losses: int, ties: int
) -> None:
    apart = sample([-1.0, 0.0, 1.0], [losses, ties, wins], (-1.0, 1.0))
    number = wins + losses
    exact = sum(comb(number, w) for w in range(wins, number + 1)) / 2**number
    above = sum(comb(number, w) for w in range(wins + 1, number + 1)) / 2**number
    assert p_at_most(apart, 0.0) == pytest.approx(exact, abs=1e-8)
    assert chance_above(apart) == pytest.approx(1.0 - 0.5 * (exact + above), abs=1e-8)  # mid-p


@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-5, 1e-3, 0.03, 0.3, -1e-5, -0.03, -0.3])
def test_a_p_value_is_exact_where_the_sum_with_the_unseen_value_is_nearly_zero(off: float) -> None:
    """There the saddle point of the integral is next to its pole."""
    values = [*np.linspace(-0.83, 0.79, 11).tolist(), 0.9]
    values[-1] += 1.0 + off - sum(values)
    terms = [Fraction(value) for value in [*values, -1.0]]  # of exponential weights, all different
    above = Fraction(0)  # by partial fractions of the moment generating function
    for term in terms:
        if term > 0:
            above += prod(term / (term - other) for other in terms if other != term)
    found = p_at_most(sample(values, bounds=(-1.0, 1.0)), 0.0)
    assert found == pytest.approx(float(1 - above), abs=1e-8)


@pytest.mark.parametrize("number", [3, 12, 60])
def test_ends_are_quantiles_of_randomly_weighted_means(number: int) -> None:
    rng = np.random.default_rng(number)
    values, sizes = rng.random(number), rng.integers(1, 5, number).astype(float)
    totals = values * sizes
    low, high = mean_ends(Sample(totals, sizes, np.ones(number)), 0.95)
    weights = rng.standard_gamma(1.0, (200_000, number))
    unseen = rng.standard_exponential(200_000)
    unseen *= rng.choice(sizes, 200_000, p=sizes / sizes.sum())
    whole = weights @ sizes + unseen
    assert np.mean(weights @ totals / whole < low) == pytest.approx(0.025, abs=0.0015)
    assert np.mean((weights @ totals + unseen) / whole > high) == pytest.approx(0.025, abs=0.0015)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (-3.0, 20.0)])
def test_a_p_value_is_the_tail_whose_end_is_there(bounds: tuple[float, float]) -> None:
    rng = np.random.default_rng(4)
    values = sample(rng.uniform(0.1, 0.9, 25), bounds=bounds)
    for tail in (0.3, 0.025, 1e-4):
        end = low_end(values, tail)
        assert p_at_most(values, end) == pytest.approx(tail, rel=1e-3)
        assert p_at_most(values.mirrored, -end) > 1.0 - tail


@pytest.mark.parametrize("log_sd", [0.0, 1.5])
def test_many_values_have_the_ends_of_random_weights(log_sd: float) -> None:
    """From 256 distinct values on like ones are merged; a few may weigh as much as all others."""
    rng = np.random.default_rng(0)
    values, sizes = rng.beta(0.3, 0.3, 600), np.exp(log_sd * rng.standard_normal(600))
    low, high = mean_ends(Sample(values * sizes, sizes, np.ones(600)), 0.95)
    weights = rng.standard_exponential((60_000, 600))
    unseen = rng.standard_exponential(60_000) * rng.choice(sizes, 60_000, p=sizes / sizes.sum())
    total, whole = weights @ (values * sizes), weights @ sizes + unseen
    assert np.mean(total / whole < low) == pytest.approx(0.025, abs=0.002)
    assert np.mean((total + unseen) / whole > high) == pytest.approx(0.025, abs=0.002)


@pytest.mark.parametrize("log_sd", [0.0, 1.5, 2.5])
def test_merged_values_have_nearly_the_ends_of_the_integral(log_sd: float) -> None:
    rng = np.random.default_rng(1)
    values, sizes = rng.beta(0.3, 0.3, 1500), np.exp(log_sd * rng.standard_normal(1500))
    many = Sample(values * sizes, sizes, np.ones(1500))
    for side in (many, many.mirrored):
        terms = _WeightedMean(side).apart_from(low_end(side, 0.025))
        score = NormalDist().inv_cdf(_chance_below(terms))
        assert score == pytest.approx(NormalDist().inv_cdf(0.025), abs=1e-3)


def test_many_equal_values_leave_room_for_what_was_not_seen() -> None:
    """Thirty questions cannot exclude that one in thirty is failed outright."""
    low, high = mean_ends(sample([0.99], [30]), 0.95)
    least = 0.99 * 0.025 ** (1 / 30)  # the unseen question has a Beta(1, 30) share
    assert low == pytest.approx(least, abs=1e-6)
    assert 0.99 < high < 1.0


@given(
    values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_ends_hold_the_mean_and_stay_within_bounds(values: list[float], level: float) -> None:
    low, high = mean_ends(sample(values), level)
    mean = np.mean(values)
    assert 0.0 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= 1.0
    assert high > low


def test_equal_clusters_count_once() -> None:
    values = np.array([0.2, 0.4, 0.9, 1.0])
    once = mean_ends(sample(values), 0.95)
    fivefold = mean_ends(Sample(5 * values, np.full(4, 5.0), np.ones(4)), 0.95)
    assert fivefold == pytest.approx(once, abs=1e-9)


def test_bounds_move_with_the_values() -> None:
    values = np.array([0.2, 0.4, 0.9, 1.0])
    once = np.array(mean_ends(sample(values), 0.95))
    moved = mean_ends(sample(10.0 * values - 3.0, bounds=(-3.0, 7.0)), 0.95)
    assert moved == pytest.approx(tuple(10.0 * once - 3.0), abs=1e-7)


def test_how_often_equals_repeating() -> None:
    values, often = np.array([0.1, 0.7, 1.0]), np.array([3.0, 2.0, 4.0])
    each = np.repeat(values, often.astype(int))
    short = mean_ends(sample(values, often), 0.9)
    assert short == pytest.approx(mean_ends(sample(each), 0.9), abs=1e-8)


def test_a_value_short_by_rounding_is_not_short() -> None:
    ends = mean_ends(sample([1.0 - 2.0**-53, 1.0], [20, 280]), 0.95)
    assert ends == pytest.approx(mean_ends(sample([1.0], [300]), 0.95), abs=1e-9)


@pytest.mark.parametrize("value", [5e-324, 1e-200, 1e-99, 1e-12])
def test_values_next_to_nothing_are_nothing(value: float) -> None:
    low, high = mean_ends(sample([value, 0.0]), 0.95)
    assert 0.0 <= low < 1e-12
    assert 0.0 < high < 1.0


@given(
    powers=st.lists(st.floats(-18.0, 0.0), min_size=1, max_size=20),
    often=st.integers(1, 1000),
    level=st.sampled_from([0.5, 0.95, 0.999]),
)
def test_values_of_any_size_have_ends(powers: list[float], often: int, level: float) -> None:
    values, ones = 10.0 ** np.array(powers), np.ones(len(powers))
    for some in (values, 1.0 - values):
        low, high = mean_ends(sample(some, often * ones), level)
        assert 0.0 <= low <= some.mean() + 1e-9
        assert some.mean() - 1e-9 <= high <= 1.0


def test_no_difference_at_all_is_no_evidence() -> None:
    ties = sample([0.0], [12], (-1.0, 1.0))
    assert p_at_most(ties, 0.0) == 1.0
    assert chance_above(ties) == 0.5


@pytest.mark.parametrize(("trials", "draws"), [(2, 1), (5, 2), (6, 5), (9, 3)])
@pytest.mark.parametrize("rate", [0.02, 0.3, 0.5, 0.9])
def test_the_most_noise_is_no_less_than_the_noise(trials: int, draws: int, rate: float) -> None:
    """Against the variance of values over every number of right trials, for three credits."""
    chances = np.array(
        [comb(trials, c) * rate**c * (1 - rate) ** (trials - c) for c in range(trials + 1)]
    )
    for least in {1, draws, draws // 2 + 1}:
        values = np.array(
            [
                sum(comb(c, j) * comb(trials - c, draws - j) for j in range(least, draws + 1))
                / comb(trials, draws)
                for c in range(trials + 1)
            ]
        )
        noise = chances @ (values - chances @ values) ** 2
        # half of the questions lie at a bound, so that there is more spread than noise
        each, often = np.append(values, [0.0, 1.0]), 1e6 * np.append(chances, [5.0, 5.0])
        share = most_noise(each, np.full(each.size, trials), draws, often)
        spread = often @ (each - often @ each / often.sum()) ** 2
        assert share * spread >= 1e6 * noise * (1 - 1e-9)
        assert share < 1.0


def test_the_most_noise_is_all_where_every_trial_is_drawn() -> None:
    values, ones = np.array([0.0, 1.0]), np.ones(2)
    assert most_noise(values, np.array([3, 3]), 3, ones) == 1.0
    assert most_noise(values, np.array([30, 30]), 3, 1000 * ones) < 0.001


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("number", [2, 12, 60, 2000])
def test_a_batch_of_samples_has_nearly_the_widths_of_each(number: int, level: float) -> None:
    rng = np.random.default_rng(number)
    values = np.array([comb(right, 4) / comb(16, 4) for right in range(17)])
    shares = rng.dirichlet(np.full(17, 0.2), 40)  # some with most at 0, or at 1
    often = np.array([rng.multinomial(number, share) for share in shares])
    widths = approximate_widths(values, often, level)
    for row, near in zip(often, widths, strict=True):
        low, high = mean_ends(sample(values, row), level)
        assert near == pytest.approx(high - low, rel=0.015, abs=1e-9)


@pytest.mark.parametrize(("k", "trials"), [(3, 4), (6, 7), (5, 16)])
def test_a_batch_takes_what_is_one_but_for_rounding_for_one(k: int, trials: int) -> None:
    states = States.of([Counts(np.full(trials + 1, trials), np.arange(trials + 1))])
    values = PassAt.subset_means([PassAt(k)], states)[0]
    at = int(np.argmax((values > 1.0 - 1e-12) & (values < 1.0)))
    assert at, "there is nothing to see"
    same = np.zeros((1, values.size), dtype=np.int64)
    same[0, at] = 50
    (near,) = approximate_widths(values, same, 0.95)
    low, high = mean_ends(sample(values[at : at + 1], [50]), 0.95)
    assert near == pytest.approx(high - low, rel=0.015)
