"""What must hold between metrics, whatever the data."""

import math
from fractions import Fraction
from itertools import combinations, pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errbar import Counts
from errbar import eval as functions
from errbar.metrics import (
    AreaUnderPass,
    Average,
    CountMetric,
    CreditMetric,
    GeoSpectrum,
    GPass,
    Majority,
    MaxAt,
    MeanGPass,
    PassAt,
    PassHat,
    Prior,
    Spectrum,
)

CLOSE = 1e-12
Matrix = NDArray[np.int64]


@st.composite
def matrices(draw: st.DrawFn, categories: int = 2) -> Matrix:
    """A few questions with as many trials each."""
    questions, trials = draw(st.integers(1, 6)), draw(st.integers(1, 9))
    entry = st.integers(0, categories - 1)
    row = st.lists(entry, min_size=trials, max_size=trials)
    return np.array(draw(st.lists(row, min_size=questions, max_size=questions)))


@st.composite
def ragged(draw: st.DrawFn, least: int = 1) -> Counts:
    """Questions with their own numbers of trials."""
    trials = draw(st.lists(st.integers(least, 300), min_size=1, max_size=6))
    return Counts(trials, [draw(st.integers(0, n)) for n in trials])


priors = st.builds(
    Prior, st.sampled_from([0.25, 0.5, 1.0, 3.0]), st.sampled_from([0.25, 0.5, 1.0, 3.0])
)


def same(first: CountMetric, second: CountMetric, counts: Counts, prior: Prior) -> None:
    """Two metrics that are one, in both estimates."""
    assert first.moments(counts, prior) == pytest.approx(
        second.moments(counts, prior), rel=CLOSE, abs=1e-290
    )
    if counts.trials.min() >= first.draws:
        assert first.point(counts) == pytest.approx(second.point(counts), rel=CLOSE, abs=1e-290)


@given(ragged(), priors)
def test_auc_at_1_is_pass_at_1(counts: Counts, prior: Prior) -> None:
    same(AreaUnderPass(1), PassAt(1), counts, prior)


@given(ragged(), priors, st.floats(0.0, 1.0))
def test_the_success_rate_is_pass_at_1(counts: Counts, prior: Prior, rate: float) -> None:
    (part,) = Average().parts()
    same(part, PassAt(1), counts, prior)
    assert part.at_rates(np.array([rate])) == pytest.approx(
        PassAt(1).at_rates(np.array([rate])), rel=CLOSE, abs=1e-300
    )


@given(ragged(), st.integers(1, 200))
def test_the_best_of_k_right_or_wrong_trials_is_pass_at_k(counts: Counts, k: int) -> None:
    same(MaxAt(k), PassAt(k), counts, Prior())
    same(MaxAt(k, (0.0, 1.0)), PassAt(k), counts, Prior())


@given(ragged(), priors, st.integers(1, 120))
def test_tau_0_is_pass_at_k_and_tau_1_is_pass_hat_k(counts: Counts, prior: Prior, k: int) -> None:
    same(GPass(k, 0.0), PassAt(k), counts, prior)
    same(GPass(k, 1.0), PassHat(k), counts, prior)
    same(GPass(k), PassHat(k), counts, prior)


@given(ragged(), priors, st.integers(1, 60))
def test_majority_is_g_pass_at_its_share(counts: Counts, prior: Prior, k: int) -> None:
    same(Majority(k), GPass(k, (k // 2 + 1) / k), counts, prior)


def test_majority_is_g_pass_at_its_share_for_every_k() -> None:
    right = np.array([[1] * 300 + [0] * 200, [1] * 260 + [0] * 240])
    for k in range(1, 501, 7):
        share = (k // 2 + 1) / k
        assert functions.maj_at_k(right, k) == functions.g_pass_at_k_tau(right, k, share)


@given(ragged(), priors, st.integers(1, 60))
def test_geo_spectrum_ends_at_pass_at_k_and_at_mg_pass(
    counts: Counts, prior: Prior, k: int
) -> None:
    same(GeoSpectrum(k, 1.0), PassAt(k), counts, prior)
    same(GeoSpectrum(k, 0.0), MeanGPass(k), counts, prior)


@given(ragged(), priors, st.integers(1, 40), st.data())
def test_a_spectrum_with_one_weight_is_that_threshold(
    counts: Counts, prior: Prior, k: int, data: st.DataObject
) -> None:
    right = data.draw(st.integers(1, k))
    one_hot = tuple(float(r == right) for r in range(1, k + 1))
    same(Spectrum(k, one_hot), GPass(k, right / k), counts, prior)


@given(ragged(), st.integers(1, 40))
def test_a_mean_of_thresholds_is_their_spectrum(counts: Counts, k: int) -> None:
    """mG-Pass is the spectrum with equal weights 2/k on the thresholds beyond half."""
    weights = tuple(2 / k if r > math.ceil(k / 2) else 0.0 for r in range(1, k + 1))
    same(Spectrum(k, weights), MeanGPass(k), counts, Prior())


@given(matrices(3), st.sampled_from([(0.0, 0.5, 1.0), (-2.0, 3.0, 0.5)]))
def test_the_best_of_one_is_bayes(R: Matrix, w: tuple[float, ...]) -> None:
    """Means and deviations agree; the ends too, once both are cut to the range of the weights."""
    best = functions.max_at_k_ci(R, 1, w=w)
    free = functions.bayes_ci(R, w)
    assert best[:2] == pytest.approx(free[:2], rel=CLOSE, abs=1e-13)
    assert best[2:] == pytest.approx(tuple(np.clip(free[2:], min(w), max(w))), rel=CLOSE, abs=1e-12)
    assert best == pytest.approx(
        functions.bayes_ci(R, w, bounds=(min(w), max(w))), rel=CLOSE, abs=1e-12
    )


@given(matrices(3), matrices(3))
def test_outcomes_seen_before_count_like_trials(R: Matrix, R0: Matrix) -> None:
    w = (0.0, 0.5, 1.0)
    if len(R) == len(R0):
        joined = np.concatenate([R, R0], axis=1)
        assert functions.bayes(R, w, R0) == pytest.approx(functions.bayes(joined, w), rel=CLOSE)
        assert functions.max_at_k_ci(R, 2, w, R0) == pytest.approx(
            functions.max_at_k_ci(joined, 2, w), rel=CLOSE
        )


EVERYWHERE = [
    *(PassAt(2), PassHat(2), AreaUnderPass(3), Majority(3), GPass(4, 0.5), MeanGPass(4)),
    *(Spectrum(2, (0.25, 0.5)), GeoSpectrum(3), GeoSpectrum(2, 0.25)),
]


@pytest.mark.parametrize("metric", EVERYWHERE, ids=str)
@given(ragged(least=4), st.randoms(use_true_random=False))
def test_the_order_of_questions_does_not_matter(
    metric: CountMetric, counts: Counts, random: Random
) -> None:
    order = list(range(len(counts)))
    random.shuffle(order)
    shuffled = Counts(counts.trials[order], counts.correct[order])
    same_numbers = (metric.point(counts), *metric.moments(counts))
    assert (metric.point(shuffled), *metric.moments(shuffled)) == same_numbers


@given(matrices(), st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_order_of_trials_does_not_matter(
    R: Matrix,
    k: int,
    random: Random,
) -> None:
    k = min(k, R.shape[1])
    order = list(range(R.shape[1]))
    random.shuffle(order)
    for name in ("pass_at_k", "pass_hat_k", "auc_at_k", "maj_at_k", "mg_pass_at_k", "geom_at_k"):
        assert getattr(functions, name)(R, k) == getattr(functions, name)(R[:, order], k)
        with_ends = getattr(functions, f"{name}_ci")
        assert with_ends(R, k) == with_ends(R[:, order], k)


@pytest.mark.parametrize("metric", EVERYWHERE, ids=str)
@given(ragged(least=4))
def test_asking_every_question_twice_halves_the_variance(
    metric: CountMetric, counts: Counts
) -> None:
    twice = Counts(np.tile(counts.trials, 2), np.tile(counts.correct, 2))
    mean, sd = metric.moments(counts)
    assert metric.point(twice) == pytest.approx(metric.point(counts), rel=1e-14)
    assert metric.moments(twice) == pytest.approx((mean, sd / math.sqrt(2)), rel=CLOSE, abs=1e-290)


@given(ragged(least=20), priors)
def test_more_draws_raise_pass_at_k_and_lower_pass_hat_k(counts: Counts, prior: Prior) -> None:
    slack = 1 + 1e-15
    for k, more in pairwise([1, 2, 3, 5, 8, 13, 20]):
        assert PassAt(k).point(counts) <= PassAt(more).point(counts) * slack
        assert PassHat(more).point(counts) <= PassHat(k).point(counts) * slack
        assert PassAt(k).moments(counts, prior)[0] <= PassAt(more).moments(counts, prior)[0] * slack
        assert (
            PassHat(more).moments(counts, prior)[0] <= PassHat(k).moments(counts, prior)[0] * slack
        )


@pytest.mark.parametrize("metric", EVERYWHERE, ids=str)
@given(ragged(least=4), priors)
def test_values_lie_within_their_bounds(metric: CountMetric, counts: Counts, prior: Prior) -> None:
    low, high = metric.bounds
    mean, sd = metric.moments(counts, prior)
    assert low <= metric.point(counts) <= high
    assert low <= mean <= high
    assert 0 <= sd <= (high - low) / 2
    if isinstance(metric, CreditMetric):
        assert low <= metric.credit().min() <= metric.credit().max() <= high


@given(matrices(), st.floats(0.01, 0.999))
def test_intervals_hold_their_mean_and_stay_in_range(R: Matrix, level: float) -> None:
    k = R.shape[1]
    for name in (
        *("pass_at_k_ci", "pass_hat_k_ci", "auc_at_k_ci", "maj_at_k_ci", "mg_pass_at_k_ci"),
        *("geom_at_k_ci", "geom_ds_at_k_ci", "geo_spectrum_at_k_ci", "max_at_k_ci"),
    ):
        mean, sd, low, high = getattr(functions, name)(R, k, confidence=level)
        assert 0 <= low <= mean <= high <= 1, name
        assert 0 <= sd < 1, name


@given(matrices(), st.floats(0.1, 0.999))
def test_an_uncut_interval_is_as_wide_as_its_level_says(R: Matrix, level: float) -> None:
    for mean, sd, low, high in (
        functions.bayes_ci(R, confidence=level),
        functions.avg_ci(R, confidence=level),
    ):
        inside = math.erf((high - mean) / sd / math.sqrt(2))
        assert inside == pytest.approx(level, abs=1e-12)
        assert mean - low == pytest.approx(high - mean, rel=1e-12)


@given(matrices())
def test_the_area_up_to_one_trial_is_pass_at_1_to_the_bit(outcomes: Matrix) -> None:
    assert functions.auc_at_k_ci(outcomes, 1) == functions.pass_at_k_ci(outcomes, 1)


@given(matrices(), st.data())
def test_a_share_of_all_draws_is_pass_hat_to_the_bit(outcomes: Matrix, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, outcomes.shape[1]))
    expected = functions.pass_hat_k_ci(outcomes, k)
    assert functions.g_pass_at_k_ci(outcomes, k) == expected
    assert functions.g_pass_at_k_tau_ci(outcomes, k, 1.0) == expected


@pytest.mark.parametrize("trials", [2, 3, 7])
def test_nothing_right_is_zero_and_not_minus_zero(trials: int) -> None:
    for k in range(1, trials + 1):
        for value in (
            functions.pass_hat_k([[0] * trials], k),
            functions.pass_at_k([[0] * trials], k),
        ):
            assert math.copysign(1.0, value) == 1.0


def test_weights_of_any_size_have_a_finite_sd() -> None:
    mean, sd = functions.bayes([[0, 1]], [0.0, 1.0])
    for exponent in (155, 300, 308, -155, -300):
        scale = 10.0**exponent
        assert functions.bayes([[0, 1]], [0.0, scale]) == pytest.approx(
            (mean * scale, sd * scale), rel=CLOSE
        )


def chances(row: tuple[int, ...], k: int) -> tuple[Fraction, Fraction]:
    """Pass@k and Pass^k of one question, by counting every subset."""
    draws = list(combinations(row, k))
    return (
        Fraction(sum(map(any, draws)), len(draws)),
        Fraction(sum(map(all, draws)), len(draws)),
    )


@pytest.mark.parametrize("powers", [(-1, 1), (1, -1), (-2, -1), (2, -2)])
def test_negative_powers_blend_as_positive_ones_do(powers: tuple[int, int]) -> None:
    a, b = powers
    rows = [(0, 1, 1, 0, 1), (1, 1, 0, 1, 1), (1, 1, 1, 1, 1)]
    both = [chances(row, 2) for row in rows]
    expected = sum(any_**a * all_**b for any_, all_ in both) / len(rows)
    assert functions.geom_at_k(rows, 2, a, b) == pytest.approx(float(expected), rel=CLOSE)
    any_, all_ = (sum(part) / len(rows) for part in zip(*both, strict=True))
    assert functions.geom_ds_at_k(rows, 2, a, b) == pytest.approx(
        float(any_**a * all_**b), rel=CLOSE
    )


@pytest.mark.parametrize("powers", [(-1.0, 0.5), (0.5, -1.0), (-1.0, -1.0), (2.0, -2.0)])
def test_the_spread_of_a_blend_of_negative_powers_is_that_of_small_steps(
    powers: tuple[float, float],
) -> None:
    """First order: the variance of one question follows from derivatives taken numerically."""
    a, b = powers
    rows, k = [[0, 1, 1, 0, 1]], 2
    x, sd_x = functions.pass_at_k_ci(rows, k)[:2]
    y, sd_y = functions.pass_hat_k_ci(rows, k)[:2]
    mean, sd = functions.geom_at_k_ci(rows, k, a, b)[:2]
    assert mean == pytest.approx(x**a * y**b, rel=1e-9)
    plus, minus = (
        functions.geom_at_k_ci(rows, k, sign * 1.0, 1.0)[1] / x**sign / y for sign in (1, -1)
    )  # relative variances of x · y and y / x differ by four times the relative covariance
    covariance = (plus**2 - minus**2) / 4
    step = 1e-6
    slope_x = ((x + step) ** a - (x - step) ** a) * y**b / (2 * step)
    slope_y = x**a * ((y + step) ** b - (y - step) ** b) / (2 * step)
    variance = (slope_x * sd_x) ** 2 + (slope_y * sd_y) ** 2
    variance += 2 * slope_x * slope_y * covariance * x * y
    assert sd == pytest.approx(math.sqrt(variance), rel=1e-6)


def test_zero_has_no_negative_power() -> None:
    with pytest.raises(ValueError, match="negative power"):
        functions.geom_at_k([[0, 0, 0]], 2, -1.0, -1.0)
    assert functions.geom_at_k([[0, 0, 0]], 2, -1.0, 0.5) == 0.0


@pytest.mark.parametrize("flat", [[0, 1, 2, 0], [0, 1, 2, 0, 1, 1, 2, 2], []])
def test_a_flat_list_of_earlier_outcomes_is_one_row_per_question(flat: list[int]) -> None:
    rows = [[0, 1, 1], [1, 2, 0], [0, 0, 0], [2, 2, 1]]
    weights = [0.0, 0.5, 1.0]
    square = np.array(flat, dtype=int).reshape(4, -1)
    assert functions.bayes(rows, weights, flat) == functions.bayes(rows, weights, square)
    with pytest.raises(ValueError, match="3 entries"):
        functions.bayes(rows, weights, [0, 1, 2])
