"""What must hold between metrics, whatever the data."""

import math
from itertools import pairwise
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


def same(one: CountMetric, other: CountMetric, counts: Counts, prior: Prior) -> None:
    """Two metrics that are one, in both estimates."""
    assert one.moments(counts, prior) == pytest.approx(
        other.moments(counts, prior), rel=CLOSE, abs=1e-290
    )
    if counts.trials.min() >= one.draws:
        assert one.point(counts) == pytest.approx(other.point(counts), rel=CLOSE, abs=1e-290)


@given(ragged(), priors)
def test_auc_at_1_is_pass_at_1(counts: Counts, prior: Prior) -> None:
    same(AreaUnderPass(1), PassAt(1), counts, prior)


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
