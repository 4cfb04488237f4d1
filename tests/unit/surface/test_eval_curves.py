"""A curve is many single calls at once, and nothing else."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from errbar import eval as functions
from errbar.errors import ErrbarError, WrongType

GENERATOR = np.random.default_rng(7)
OUTCOMES: NDArray[np.int64] = (GENERATOR.random((20, 12)) < GENERATOR.random((20, 1))).astype(int)
TRIALS = OUTCOMES.shape[1]

Single = Callable[[Any, int], float]
Summary = Callable[..., tuple[float, float, float, float]]

NAMES: dict[str, tuple[Single, Summary]] = {
    "pass@k": (functions.pass_at_k, functions.pass_at_k_ci),
    "pass^k": (functions.pass_hat_k, functions.pass_hat_k_ci),
    "unanimous@k": (functions.unanimous_at_k, functions.unanimous_at_k_ci),
    "auc@k": (functions.auc_at_k, functions.auc_at_k_ci),
    "maj@k": (functions.maj_at_k, functions.maj_at_k_ci),
    "g-pass@k": (functions.g_pass_at_k, functions.g_pass_at_k_ci),
    "g-pass@k_0.5": (
        lambda R, k: functions.g_pass_at_k_tau(R, k, 0.5),
        lambda R, k, **given: functions.g_pass_at_k_tau_ci(R, k, 0.5, **given),
    ),
    "mg-pass@k": (functions.mg_pass_at_k, functions.mg_pass_at_k_ci),
    "geom@k": (functions.geom_at_k, functions.geom_at_k_ci),
    "geom-ds@k(pass_power=0.25)": (
        lambda R, k: functions.geom_ds_at_k(R, k, 0.25),
        lambda R, k, **given: functions.geom_ds_at_k_ci(R, k, 0.25, **given),
    ),
    "geo-spectrum@k": (functions.geo_spectrum_at_k, functions.geo_spectrum_at_k_ci),
    "geo-spectrum@k(lam=0.3)": (
        lambda R, k: functions.geo_spectrum_at_k(R, k, 0.3),
        lambda R, k, **given: functions.geo_spectrum_at_k_ci(R, k, 0.3, **given),
    ),
}

orders = st.lists(st.integers(1, TRIALS), min_size=1, max_size=8)


@pytest.mark.parametrize("name", NAMES)
@given(orders)
def test_a_curve_is_the_single_estimates(name: str, ks: list[int]) -> None:
    single, _ = NAMES[name]
    expected = [single(OUTCOMES, k) for k in ks]
    assert functions.curve(name, OUTCOMES, ks) == pytest.approx(expected, rel=1e-13, abs=0)


@pytest.mark.parametrize("name", NAMES)
@given(orders)
def test_a_curve_of_summaries_is_the_single_summaries(name: str, ks: list[int]) -> None:
    _, summary = NAMES[name]
    given: dict[str, Any] = {"confidence": 0.9, "alpha0": 0.5, "beta0": 2.0}
    found = np.stack(functions.curve_ci(name, OUTCOMES, ks, **given), axis=1)
    expected = [summary(OUTCOMES, k, **given) for k in ks]
    assert found == pytest.approx(np.array(expected), rel=1e-12, abs=0)


@pytest.mark.parametrize("name", NAMES)
def test_a_curve_without_ks_goes_through_every_k(name: str) -> None:
    every = list(range(1, TRIALS + 1))
    assert np.array_equal(
        functions.curve(name, OUTCOMES), functions.curve(name, OUTCOMES, every), equal_nan=False
    )
    for free, asked in zip(
        functions.curve_ci(name, OUTCOMES), functions.curve_ci(name, OUTCOMES, every), strict=True
    ):
        assert np.array_equal(free, asked)


def test_a_curve_of_maxima_is_that_of_pass_at_k_on_right_or_wrong() -> None:
    ks = [5, 1, 5, 12]
    assert functions.curve("max@k", OUTCOMES, ks) == pytest.approx(
        functions.curve("pass@k", OUTCOMES, ks)
    )
    weighed = functions.curve("max@k(weights=[0, 2, 1])", OUTCOMES + (OUTCOMES > 5), ks)
    assert weighed == pytest.approx(2 * functions.curve("pass@k", OUTCOMES, ks))


def test_ks_may_be_any_iterable_of_whole_numbers() -> None:
    expected = functions.curve("pass@k", OUTCOMES, [1, 2, 3])
    for ks in (range(1, 4), np.arange(1, 4), iter([1, 2, 3]), (k for k in (1, 2, 3))):
        assert np.array_equal(functions.curve("pass@k", OUTCOMES, ks), expected)


@pytest.mark.parametrize(
    ("name", "ks", "told"),
    [
        ("pass@k", [], "ks"),
        ("pass@k", [1, 0], "0"),
        ("pass@k", [1, 2.0], "2.0"),
        ("pass@k", [1, True], "True"),
        ("pass@k", [TRIALS + 1], str(TRIALS)),
        ("pass@8", [1], "pass@8"),
        ("pas@k", [1], "pass@"),
        ("avg", [1], "avg"),
    ],
)
def test_a_curve_that_cannot_be_drawn_says_why(name: str, ks: list[Any], told: str) -> None:
    with pytest.raises(ErrbarError, match=told) as single:
        functions.curve(name, OUTCOMES, ks)
    with pytest.raises(ErrbarError, match=told):
        functions.curve_ci(name, OUTCOMES, ks)
    assert isinstance(single.value, ValueError)


def test_curves_of_blends_go_beyond_the_trials() -> None:
    means, *_ = functions.curve_ci("geom@k", OUTCOMES, [TRIALS, 10 * TRIALS])
    assert means[0] > means[1] > 0


def test_ks_that_are_no_list_are_refused() -> None:
    each: Any = 3
    with pytest.raises(WrongType, match="ks must be a list"):
        functions.curve("pass@k", [[1, 0]], each)
