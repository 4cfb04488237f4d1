"""Means of bounded values: held against Beta quantiles and against plain weighing."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

from errbar.analysis.methods.learned import all_states
from errbar.kernels.bounded_mean import (
    UNSEEN,
    approximate_widths,
    mean_ends,
    most_noise,
    unseen_value,
)
from errbar.metrics import PassAt


def zeros_and_ones(number: int, right: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    often = np.array([number - right, right], dtype=float)
    held = often > 0
    return np.array([0.0, 1.0])[held], np.ones(held.sum()), often[held]


@pytest.mark.parametrize("number", [1, 2, 5, 10, 30, 1000])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_shares_have_the_ends_of_beta_posteriors(number: int, share: float, level: float) -> None:
    right = round(share * number)
    low, high = mean_ends(*zeros_and_ones(number, right), level)
    tail = 0.5 * (1.0 - level)
    least = betaincinv(right, number - right + UNSEEN, tail) if right else 0.0
    most = betaincinv(right + UNSEEN, number - right, 1.0 - tail) if right < number else 1.0
    assert (low, high) == pytest.approx((least, most), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("number", [3, 12, 60])
def test_ends_are_quantiles_of_randomly_weighed_means(number: int) -> None:
    rng = np.random.default_rng(number)
    values, sizes = rng.random(number), rng.integers(1, 5, number).astype(float)
    totals, often = values * sizes, np.ones(number)
    low, high = mean_ends(totals, sizes, often, 0.95)
    weights = rng.standard_gamma(1.0, (200_000, number))
    unseen = rng.standard_gamma(UNSEEN, 200_000) * sizes.mean()
    worse = unseen_value(totals, sizes, often)
    better = 1.0 - unseen_value(sizes - totals, sizes, often)
    whole = weights @ sizes + unseen
    lower = (weights @ totals + unseen * worse) / whole
    upper = (weights @ totals + unseen * better) / whole
    assert np.mean(lower < low) == pytest.approx(0.025, abs=0.0015)
    assert np.mean(upper > high) == pytest.approx(0.025, abs=0.0015)


def test_many_equal_values_leave_room_for_what_was_not_seen() -> None:
    assert mean_ends(np.array([1.0]), np.ones(1), np.array([30.0]), 0.95)[0] < 0.92
    low, high = mean_ends(np.array([0.5]), np.ones(1), np.array([30.0]), 0.95)
    assert low < 0.5 < high


def test_many_values_close_together_keep_the_unseen_near() -> None:
    values = np.linspace(0.97, 0.99, 300)
    low, high = mean_ends(values, np.ones(300), np.ones(300), 0.95)
    half = 1.96 * values.std(ddof=1) / np.sqrt(300)
    assert high - low == pytest.approx(2 * half, rel=0.15)


@given(
    values=st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_ends_hold_the_mean_and_stay_within_bounds(values: list[float], level: float) -> None:
    array = np.array(values)
    low, high = mean_ends(array, np.ones(array.size), np.ones(array.size), level)
    assert 0.0 <= low <= array.mean() + 1e-9
    assert array.mean() - 1e-9 <= high <= 1.0
    assert high > low


def test_equal_clusters_count_once() -> None:
    values = np.array([0.2, 0.4, 0.9, 1.0])
    once = mean_ends(values, np.ones(4), np.ones(4), 0.95)
    fivefold = mean_ends(5 * values, np.full(4, 5.0), np.ones(4), 0.95)
    assert fivefold == pytest.approx(once, abs=1e-9)


def test_how_often_equals_repeating() -> None:
    values, often = np.array([0.1, 0.7, 1.0]), np.array([3.0, 2.0, 4.0])
    each = np.repeat(values, often.astype(int))
    short = mean_ends(values, np.ones(3), often, 0.9)
    assert short == pytest.approx(mean_ends(each, np.ones(9), np.ones(9), 0.9), abs=1e-8)


def test_a_value_short_by_rounding_is_not_short() -> None:
    values, often = np.array([1.0 - 2.0**-53, 1.0]), np.array([20.0, 280.0])
    whole = mean_ends(np.ones(1), np.ones(1), np.array([300.0]), 0.95)
    assert mean_ends(values, np.ones(2), often, 0.95) == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize("value", [5e-324, 1e-200, 1e-99, 1e-12])
def test_values_next_to_nothing_are_nothing(value: float) -> None:
    low, high = mean_ends(np.array([value, 0.0]), np.ones(2), np.ones(2), 0.95)
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
        low, high = mean_ends(some, ones, often * ones, level)
        assert 0.0 <= low <= some.mean() + 1e-9
        assert some.mean() - 1e-9 <= high <= 1.0


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
@pytest.mark.parametrize(("number", "off"), [(2, 0.015), (12, 0.015), (60, 0.015), (2000, 0.002)])
def test_a_batch_of_samples_has_nearly_the_widths_of_each(
    number: int, off: float, level: float
) -> None:
    rng = np.random.default_rng(number)
    values = np.array([comb(right, 4) / comb(16, 4) for right in range(17)])
    shares = rng.dirichlet(np.full(17, 0.2), 40)  # some with most at 0, or at 1
    often = np.array([rng.multinomial(number, share) for share in shares])
    widths = approximate_widths(values, often, level)
    for row, near in zip(often, widths, strict=True):
        held = row > 0
        low, high = mean_ends(values[held], np.ones(held.sum()), row[held].astype(float), level)
        assert near == pytest.approx(high - low, rel=off, abs=1e-9)


@pytest.mark.parametrize(("k", "trials"), [(3, 4), (6, 7), (5, 16)])
def test_a_batch_takes_what_is_one_but_for_rounding_for_one(k: int, trials: int) -> None:
    states = all_states(trials)
    values = PassAt.subset_means([PassAt(k)], states)[0]
    at = int(np.argmax((values > 1.0 - 1e-12) & (values < 1.0)))
    assert at, "there is nothing to see"
    same = np.zeros((1, values.size), dtype=np.int64)
    same[0, at] = 50
    (near,) = approximate_widths(values, same, 0.95)
    low, high = mean_ends(values[at : at + 1], np.ones(1), np.array([50.0]), 0.95)
    assert near == pytest.approx(high - low, rel=0.015)
