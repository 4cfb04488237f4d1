"""The documented names: all there, with the documented parameters, order, defaults and results."""

import inspect
import math
from typing import Any

import numpy as np
import pytest

from errbar import eval as functions

OUTCOMES = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]]

ENDS = "confidence=0.95, bounds=(0.0, 1.0), alpha0=1.0, beta0=1.0"
FREE_ENDS = "confidence=0.95, bounds=None"
POWERS = "pass_power=0.5, unanimous_power=0.5"
COUPLING = "lam=0.5, weights=None, lambda_=None"

SIGNATURES = {
    "bayes": "R, w=None, R0=None",
    "bayes_ci": f"R, w=None, R0=None, {FREE_ENDS}",
    "avg": "R, w=None",
    "avg_ci": f"R, w=None, {FREE_ENDS}",
    "pass_at_k": "R, k",
    "pass_at_k_ci": f"R, k, {ENDS}",
    "pass_hat_k": "R, k",
    "pass_hat_k_ci": f"R, k, {ENDS}",
    "unanimous_at_k": "R, k",
    "unanimous_at_k_ci": f"R, k, {ENDS}",
    "auc_at_k": "R, k",
    "auc_at_k_ci": f"R, k, {ENDS}",
    "maj_at_k": "R, k",
    "maj_at_k_ci": f"R, k, {ENDS}",
    "g_pass_at_k": "R, k",
    "g_pass_at_k_ci": f"R, k, {ENDS}",
    "g_pass_at_k_tau": "R, k, tau",
    "g_pass_at_k_tau_ci": f"R, k, tau, {ENDS}",
    "mg_pass_at_k": "R, k",
    "mg_pass_at_k_ci": f"R, k, {ENDS}",
    "geom_at_k": f"R, k, {POWERS}",
    "geom_at_k_ci": f"R, k, {POWERS}, {ENDS}",
    "geom_ds_at_k": f"R, k, {POWERS}",
    "geom_ds_at_k_ci": f"R, k, {POWERS}, {ENDS}",
    "geo_spectrum_at_k": f"R, k, {COUPLING}",
    "geo_spectrum_at_k_ci": f"R, k, {COUPLING}, {ENDS}",
    "geo_spectrum_star_at_k": "R, k",
    "geo_spectrum_star_at_k_ci": f"R, k, {ENDS}",
    "threshold_spectrum_at_k": "R, k, weights",
    "threshold_spectrum_at_k_ci": f"R, k, weights, {ENDS}",
    "max_at_k": "R, k, w=None",
    "max_at_k_ci": f"R, k, w=None, R0=None, {FREE_ENDS}",
}
BEYOND_THE_DOCUMENTED = {"curve", "curve_ci", "tailpass", "tailpass_empirical", "TailPassProfile"}

REQUIRED: dict[str, Any] = {"R": OUTCOMES, "k": 2, "tau": 0.5, "weights": [0.25, 0.5]}


def test_there_are_32_documented_names_and_no_others_but_curves_and_profiles() -> None:
    assert len(SIGNATURES) == 32
    assert set(functions.__all__) == set(SIGNATURES) | BEYOND_THE_DOCUMENTED


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters_are_the_documented_ones(name: str) -> None:
    parameters = inspect.signature(getattr(functions, name)).parameters.values()
    shown = [
        p.name if p.default is inspect.Parameter.empty else f"{p.name}={p.default!r}"
        for p in parameters
    ]
    assert ", ".join(shown) == SIGNATURES[name]
    assert {p.kind for p in parameters} == {inspect.Parameter.POSITIONAL_OR_KEYWORD}


def call(name: str) -> Any:
    function = getattr(functions, name)
    needed = [
        p.name
        for p in inspect.signature(function).parameters.values()
        if p.default is inspect.Parameter.empty
    ]
    return function(**{parameter: REQUIRED[parameter] for parameter in needed})


@pytest.mark.parametrize("name", SIGNATURES)
def test_results_are_python_floats(name: str) -> None:
    result = call(name)
    numbers = result if isinstance(result, tuple) else (result,)
    size = 4 if name.endswith("_ci") else 2 if name in ("bayes", "avg") else 1
    assert len(numbers) == size
    assert [type(number) for number in numbers] == [float] * size
    assert type(result) in (float, tuple)
    assert all(math.isfinite(number) for number in numbers)


@pytest.mark.parametrize("name", SIGNATURES)
def test_every_function_says_what_it_does(name: str) -> None:
    assert getattr(functions, name).__doc__


def test_curves_are_arrays_of_floats() -> None:
    values = functions.curve("pass@k", OUTCOMES)
    assert values.dtype == np.float64
    assert values.shape == (5,)
    for part in functions.curve_ci("pass@k", OUTCOMES, [1, 2]):
        assert part.dtype == np.float64
        assert part.shape == (2,)


def test_aliases_are_the_very_functions() -> None:
    assert functions.unanimous_at_k is functions.pass_hat_k
    assert functions.unanimous_at_k_ci is functions.pass_hat_k_ci


def test_the_star_is_the_default_geo_spectrum() -> None:
    for k in range(1, 6):
        star = functions.geo_spectrum_star_at_k(OUTCOMES, k)
        assert star == functions.geo_spectrum_at_k(OUTCOMES, k)
        ends = functions.geo_spectrum_star_at_k_ci(OUTCOMES, k)
        assert ends == functions.geo_spectrum_at_k_ci(OUTCOMES, k)


def test_lambda_is_another_name_of_lam() -> None:
    assert functions.geo_spectrum_at_k(OUTCOMES, 3, lambda_=0.2) == functions.geo_spectrum_at_k(
        OUTCOMES, 3, lam=0.2
    )
    assert functions.geo_spectrum_at_k_ci(
        OUTCOMES, 3, lambda_=0.2
    ) == functions.geo_spectrum_at_k_ci(OUTCOMES, 3, lam=0.2)


def test_prior_and_level_reach_the_posterior() -> None:
    """Beta(3, 0.5) after 3 of 5 and 4 of 5 right; the normal end at 80 % is 1.2815515655…"""
    outcomes = [[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]
    mean, sd, low, high = functions.pass_at_k_ci(outcomes, 1, 0.8, (0.0, 1.0), 3.0, 0.5)
    assert mean == pytest.approx((6 / 8.5 + 7 / 8.5) / 2, rel=1e-14)
    variances = [a * b / (8.5**2 * 9.5) for a, b in ((6, 2.5), (7, 1.5))]
    assert sd == pytest.approx(math.sqrt(sum(variances)) / 2, rel=1e-13)
    assert (low, high) == pytest.approx(
        (mean - 1.2815515655446004 * sd, mean + 1.2815515655446004 * sd), rel=1e-13
    )
