"""Arguments beside the matrix: what is taken, what is refused, and that the refusal names it."""

import contextlib
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from errbar import eval as functions
from errbar.errors import ErrbarError, NotEnoughTrials, WrongType
from errbar.metrics import (
    AreaUnderPass,
    CreditMetric,
    DatasetGeom,
    Geom,
    GeoSpectrum,
    GPass,
    Majority,
    MeanGPass,
    PassAt,
    PassHat,
    Prior,
)
from exact import blend_moments, credit_moments, relative_error, relative_error_of_sd

OUTCOMES = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]
QUESTIONS = [(5, 3), (5, 4)]
TRIALS = 5
GRADES = [[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]]
WEIGHTS = [0.0, 0.5, 1.0]

Call = Callable[..., Any]


def even(k: int) -> list[float]:
    return [1 / (2 * k)] * k


OF_SUBSETS: dict[str, Call] = {
    "pass_at_k": functions.pass_at_k,
    "pass_hat_k": functions.pass_hat_k,
    "auc_at_k": functions.auc_at_k,
    "maj_at_k": functions.maj_at_k,
    "g_pass_at_k": functions.g_pass_at_k,
    "g_pass_at_k_tau": lambda R, k: functions.g_pass_at_k_tau(R, k, 0.5),
    "mg_pass_at_k": functions.mg_pass_at_k,
    "geom_at_k": functions.geom_at_k,
    "geom_ds_at_k": functions.geom_ds_at_k,
    "geo_spectrum_at_k": functions.geo_spectrum_at_k,
    "geo_spectrum_star_at_k": functions.geo_spectrum_star_at_k,
    "threshold_spectrum_at_k": lambda R, k: functions.threshold_spectrum_at_k(R, k, even(k)),
    "max_at_k": functions.max_at_k,
}
WITHIN_TRIALS: dict[str, Call] = {
    "pass_at_k_ci": functions.pass_at_k_ci,
    "pass_hat_k_ci": functions.pass_hat_k_ci,
    "auc_at_k_ci": functions.auc_at_k_ci,
    "maj_at_k_ci": functions.maj_at_k_ci,
    "g_pass_at_k_ci": functions.g_pass_at_k_ci,
    "g_pass_at_k_tau_ci": lambda R, k, **given: functions.g_pass_at_k_tau_ci(R, k, 0.5, **given),
    "mg_pass_at_k_ci": functions.mg_pass_at_k_ci,
}
BEYOND_TRIALS: dict[str, Call] = {
    "geom_at_k_ci": functions.geom_at_k_ci,
    "geom_ds_at_k_ci": functions.geom_ds_at_k_ci,
    "geo_spectrum_at_k_ci": functions.geo_spectrum_at_k_ci,
    "geo_spectrum_star_at_k_ci": functions.geo_spectrum_star_at_k_ci,
    "threshold_spectrum_at_k_ci": lambda R, k, **given: functions.threshold_spectrum_at_k_ci(
        R, k, even(k), **given
    ),
    "max_at_k_ci": functions.max_at_k_ci,
}
WITH_K = OF_SUBSETS | WITHIN_TRIALS | BEYOND_TRIALS
WITHOUT_WEIGHTS = {name: call for name, call in WITH_K.items() if "threshold" not in name}
WITH_ENDS: dict[str, Call] = {
    **{
        name: lambda call=call, **given: call(OUTCOMES, 2, **given)
        for name, call in (WITHIN_TRIALS | BEYOND_TRIALS).items()
    },
    "bayes_ci": lambda **given: functions.bayes_ci(OUTCOMES, **given),
    "avg_ci": lambda **given: functions.avg_ci(OUTCOMES, **given),
}
WITH_PRIOR = [name for name in WITH_ENDS if name not in ("bayes_ci", "avg_ci", "max_at_k_ci")]


def refused(told: str, call: Call, *args: Any, **given: Any) -> ErrbarError:
    """The call must be refused in our own words."""
    with pytest.raises(ErrbarError, match=told) as error:
        call(*args, **given)
    assert isinstance(error.value, ValueError)
    return error.value


@pytest.mark.parametrize("k", [True, np.True_, 2.0, np.float64(2), "2", None, [2], np.array([2])])
def test_k_of_another_kind_is_refused(k: Any) -> None:
    for call in WITHOUT_WEIGHTS.values():
        assert isinstance(refused("k must be an integer", call, OUTCOMES, k), WrongType)


@pytest.mark.parametrize("k", [0, -1])
def test_k_below_one_is_refused(k: int) -> None:
    for call in WITHOUT_WEIGHTS.values():
        refused(f"k must be at least 1.*{k}", call, OUTCOMES, k)


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint16, int])
def test_whole_numbers_of_any_width_are_taken_for_k(kind: Callable[[int], int]) -> None:
    for name, call in WITH_K.items():
        assert call(OUTCOMES, kind(2)) == call(OUTCOMES, 2), name


@pytest.mark.parametrize("name", OF_SUBSETS | WITHIN_TRIALS)
def test_k_beyond_the_trials_is_refused(name: str) -> None:
    assert WITH_K[name](OUTCOMES, TRIALS) is not None
    error = refused(f"{TRIALS + 1}.*{TRIALS}", WITH_K[name], OUTCOMES, TRIALS + 1)
    assert isinstance(error, NotEnoughTrials)


@pytest.mark.parametrize("k", [TRIALS + 1, 50])
@pytest.mark.parametrize("name", BEYOND_TRIALS)
def test_k_beyond_the_trials_is_taken_where_the_posterior_allows_it(name: str, k: int) -> None:
    mean, sd, low, high = BEYOND_TRIALS[name](OUTCOMES, k)
    assert 0 <= low <= mean <= high <= 1
    assert sd > 0


@pytest.mark.parametrize(
    ("w", "told"),
    [
        ([0.0, math.nan, 1.0], r"w\[1\] is nan"),
        ([0.0, math.inf, 1.0], r"w\[1\] is inf"),
        ([[0.0, 0.5, 1.0]], "w must be a list"),
        (1.0, "w must be a list"),
        (["a", "b", "c"], "w must be a list"),
        ([0.0, None, 1.0], "w must be a list"),
        ([0.0, 1j, 1.0], "w must be a list"),
        ([[0.0], [0.5, 1.0]], "w must be a list"),
        ([0.0], "at least two entries"),
        ([], "at least two entries"),
        ([0.0, 1.0], r"R\[0, 2\] is 2"),
    ],
)
def test_weights_of_categories_that_do_not_fit_are_refused(w: Any, told: str) -> None:
    for call in (functions.bayes, functions.bayes_ci, functions.avg, functions.avg_ci):
        refused(told, call, GRADES, w)
    refused(told, functions.max_at_k, GRADES, 2, w)
    refused(told, functions.max_at_k_ci, GRADES, 2, w)


def test_weights_beyond_the_categories_seen_are_taken() -> None:
    """A category that never occurs still has its place in the prior."""
    assert functions.avg(OUTCOMES, [0.0, 1.0, 5.0])[0] == pytest.approx(0.7)
    assert functions.bayes(OUTCOMES, [0, 1, 5])[0] == pytest.approx((4 + 5 + 5 + 5) / 16)


@pytest.mark.parametrize("confidence", [0, 1, 0.0, 1.0, 1.5, -0.1, math.nan, math.inf, 95])
def test_a_level_that_is_none_is_refused(confidence: float) -> None:
    for call in WITH_ENDS.values():
        refused(f"confidence.*{confidence}", call, confidence=confidence)


@pytest.mark.parametrize("confidence", ["0.9", None, True, [0.9]])
def test_a_level_of_another_kind_is_refused(confidence: Any) -> None:
    for call in WITH_ENDS.values():
        assert isinstance(refused("confidence", call, confidence=confidence), WrongType)


@pytest.mark.parametrize(
    "bounds",
    [
        *((1.0, 0.0), (math.nan, 1.0), (0.0, math.nan), (0.0,), (0.0, 0.5, 1.0), ()),
        *(1.0, "ab", (None, 1.0), ("0", "1"), [[0.0, 1.0]]),
    ],
    ids=repr,
)
def test_bounds_that_are_no_two_numbers_in_order_are_refused(bounds: Any) -> None:
    for call in WITH_ENDS.values():
        refused("bounds", call, bounds=bounds)


def test_wide_bounds_do_not_let_an_end_leave_the_range() -> None:
    """At this level nearly every interval would leave 0…1."""
    would_leave = 0
    for name, call in WITH_ENDS.items():
        mean, sd, low, high = call(bounds=(-5.0, 5.0), confidence=0.999999)
        reach = 4.891638475692933 * sd
        would_leave += mean - reach < 0 or mean + reach > 1
        cut = (max(mean - reach, 0.0), min(mean + reach, 1.0))
        assert (low, high) == pytest.approx(cut, rel=1e-9), name
    assert would_leave >= len(WITH_ENDS) - 1


def test_bounds_may_come_as_any_pair() -> None:
    for name, call in WITH_ENDS.items():
        assert call(bounds=[0.5, 0.75]) == call(bounds=(0.5, 0.75)), name
        assert call(bounds=np.array([0.5, 0.75])) == call(bounds=(0.5, 0.75)), name
        assert all(0.5 <= end <= 0.75 for end in call(bounds=(0.5, 0.75))[2:]), name


def test_bounds_touch_neither_mean_nor_deviation() -> None:
    for name, call in WITH_ENDS.items():
        assert call(bounds=(0.5, 0.75))[:2] == call()[:2], name
        assert call(bounds=None)[:2] == call()[:2], name


def test_without_bounds_only_bayes_and_avg_leave_the_range() -> None:
    level = 0.999999
    for name, call in WITH_ENDS.items():
        _, _, low, high = call(bounds=None, confidence=level)
        assert (low < 0 or high > 1) == (name in ("bayes_ci", "avg_ci")), name


@pytest.mark.parametrize("value", [0, 0.0, -1, -0.5, math.inf, -math.inf, math.nan])
def test_a_prior_that_is_none_is_refused(value: float) -> None:
    for name in WITH_PRIOR:
        refused("alpha0", WITH_ENDS[name], alpha0=value)
        refused("beta0", WITH_ENDS[name], beta0=value)


@pytest.mark.parametrize("value", ["1", None, True, [1.0], 1j])
def test_a_prior_of_another_kind_is_refused(value: Any) -> None:
    for name in WITH_PRIOR:
        assert isinstance(refused("alpha0", WITH_ENDS[name], alpha0=value), WrongType)
        assert isinstance(refused("beta0", WITH_ENDS[name], beta0=value), WrongType)


@pytest.mark.parametrize("strength", [1e-9, 1e6 + 0.5, 4e8], ids=str)
def test_a_prior_may_be_weak_or_strong(strength: float) -> None:
    prior = Prior(strength, 2 * strength)
    given = {"alpha0": strength, "beta0": 2 * strength}
    kinds: list[tuple[str, CreditMetric]] = [
        *(("pass_at_k_ci", PassAt(2)), ("pass_hat_k_ci", PassHat(2)), ("maj_at_k_ci", Majority(2))),
        *(("auc_at_k_ci", AreaUnderPass(2)), ("mg_pass_at_k_ci", MeanGPass(2))),
        ("g_pass_at_k_tau_ci", GPass(2, 0.5)),
    ]
    for name, metric in kinds:
        mean, sd, *_ = WITH_ENDS[name](**given)
        exact = credit_moments(metric, QUESTIONS, prior)
        assert relative_error(mean, exact[0]) <= 1e-12, name
        assert relative_error_of_sd(sd, exact[1]) <= 1e-12, name
    for name, blend in (
        ("geom_at_k_ci", Geom(2)),
        ("geom_ds_at_k_ci", DatasetGeom(2)),
        ("geo_spectrum_at_k_ci", GeoSpectrum(2)),
    ):
        mean, sd, *_ = WITH_ENDS[name](**given)
        blended = blend_moments(blend, QUESTIONS, prior)
        assert relative_error(mean, blended[0]) <= 1e-12, name
        assert relative_error_of_sd(sd, blended[1]) <= 1e-12, name


@pytest.mark.parametrize("strength", [1e15, 1e200, 1.7e308, 1e-15, 5e-324])
def test_a_prior_that_arithmetic_cannot_carry_is_refused_or_gives_numbers(strength: float) -> None:
    """Either is honest; an overflow, a nan or an array of that size is not."""
    for name in WITH_PRIOR:
        numbers: tuple[float, ...] = ()
        with contextlib.suppress(ErrbarError):
            numbers = WITH_ENDS[name](alpha0=strength, beta0=strength)
        assert all(math.isfinite(number) for number in numbers), name


@pytest.mark.parametrize("tau", [-0.1, 1.1, -1e-6, 1 + 1e-6, math.nan, math.inf, "0.5", None, True])
def test_tau_outside_its_range_is_refused(tau: Any) -> None:
    refused("tau", functions.g_pass_at_k_tau, OUTCOMES, 2, tau)
    refused("tau", functions.g_pass_at_k_tau_ci, OUTCOMES, 2, tau)


@pytest.mark.parametrize("lam", [-0.1, 1.1, math.nan, math.inf, "0.5", None, True])
def test_lam_outside_its_range_is_refused(lam: Any) -> None:
    for call in (functions.geo_spectrum_at_k, functions.geo_spectrum_at_k_ci):
        refused("lam", call, OUTCOMES, 2, lam)
        if lam is not None:
            refused("lam", call, OUTCOMES, 2, lambda_=lam)


def test_lam_may_be_given_once_only() -> None:
    for call in (functions.geo_spectrum_at_k, functions.geo_spectrum_at_k_ci):
        refused("lam.*lambda_", call, OUTCOMES, 2, 0.3, lambda_=0.3)
        refused("lam.*lambda_", call, OUTCOMES, 2, 0.3, lambda_=0.4)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        ([-0.1, 0.2], r"weights\[0\] is -0.1"),
        ([0.6, 0.6], "1.2"),
        ([0.5, 0.5 + 1e-9], "at most 1"),
        ([0.1], "k=2.*1"),
        ([0.1] * 3, "k=2.*3"),
        ([], "k=2.*0"),
        ([[0.1, 0.2]], "weights must be a list"),
        (0.5, "weights must be a list"),
        ([0.1, math.nan], r"weights\[1\] is nan"),
        ([math.inf, 0.1], r"weights\[0\] is inf"),
        (["a", "b"], "weights must be a list"),
        ([0.1, None], "weights must be a list"),
        ([[0.1], [0.2, 0.3]], "weights must be a list"),
    ],
)
def test_spectrum_weights_that_do_not_fit_are_refused(weights: Any, told: str) -> None:
    refused(told, functions.threshold_spectrum_at_k, OUTCOMES, 2, weights)
    refused(told, functions.threshold_spectrum_at_k_ci, OUTCOMES, 2, weights)
    refused(told, functions.geo_spectrum_at_k, OUTCOMES, 2, weights=weights)
    refused(told, functions.geo_spectrum_at_k_ci, OUTCOMES, 2, weights=weights)


def test_weights_that_add_up_to_one_but_for_rounding_are_taken() -> None:
    tenths = [0.1] * 5 + [0.5]
    assert sum(map(Fraction, tenths)) > 1
    outcomes = [[1, 1, 1, 1, 1, 1], [0, 0, 0, 0, 0, 0]]
    assert functions.threshold_spectrum_at_k(outcomes, 6, tenths) == 0.5


@pytest.mark.parametrize(
    ("powers", "told"),
    [
        ((-1e7, 0.5), "pass_power.*-1"),
        ((0.5, -1e7), "unanimous_power.*-1"),
        ((math.nan, 0.5), "pass_power.*nan"),
        ((0.5, math.inf), "unanimous_power.*inf"),
        ((0.0, 0.0), "pass_power and unanimous_power"),
        (("1", 0.5), "pass_power.*'1'"),
        ((0.5, None), "unanimous_power.*None"),
    ],
)
def test_powers_that_blend_nothing_are_refused(powers: tuple[Any, Any], told: str) -> None:
    refused(told, functions.geom_at_k, OUTCOMES, 2, *powers)
    refused(told, functions.geom_at_k_ci, OUTCOMES, 2, *powers)
    refused(told, functions.geom_ds_at_k, OUTCOMES, 2, *powers)
    refused(told, functions.geom_ds_at_k_ci, OUTCOMES, 2, *powers)
