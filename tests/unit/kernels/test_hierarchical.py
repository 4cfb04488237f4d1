"""Means of several systems as draws from a normal distribution, by independent routes."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from scipy.integrate import quad
from sklearn.covariance import ledoit_wolf

from errbar.analysis.corrections import CorrectedPart, CorrectedScores
from errbar.base.arrays import Array
from errbar.kernels.hierarchical import exchangeable, root_of, shrinkage, with_g_prior


def contrasts(systems: int) -> Array:
    """An orthonormal basis of the contrasts, in columns (Helmert)."""
    rows = np.tril(np.ones((systems, systems)), -1)[1:] - np.diag(np.arange(systems))[1:]
    found: Array = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).T
    return found


@pytest.mark.parametrize(("systems", "questions"), [(3, 200), (8, 30), (40, 30)])
def test_the_weight_of_exchangeable_systems_is_that_of_scikit_learn(
    systems: int, questions: int
) -> None:
    rng = np.random.default_rng(systems)
    values = (rng.random((systems, questions)) < rng.random(questions)) * rng.random((systems, 1))
    deviations = values - values.mean(axis=1, keepdims=True)
    _, weight = ledoit_wolf(deviations.T @ contrasts(systems), assume_centered=True)
    assert shrinkage([deviations / questions]) == pytest.approx(weight, abs=1e-12)


def test_tasks_add_up_as_one_task_does() -> None:
    rng = np.random.default_rng(1)
    part = rng.standard_normal((5, 40))
    both = np.hstack([part, -part])
    assert shrinkage([part, -part]) == pytest.approx(shrinkage([both]), abs=1e-12)


def test_the_g_prior_shrinks_by_the_factor_that_quadrature_gives() -> None:
    rng = np.random.default_rng(2)
    systems, questions = 5, 4000  # so many that the covariance is hardly mixed
    parts = rng.standard_normal((systems, systems)) @ rng.standard_normal((systems, questions))
    parts = (parts - parts.mean(axis=1, keepdims=True)) / questions
    means = np.array([0.0, 0.02, 0.05, 0.06, 0.09])
    root = np.linalg.cholesky(parts @ parts.T)
    draws = means + rng.standard_normal((40_000, systems)) @ root.T
    basis = contrasts(systems)
    apart = means @ basis
    distance = apart @ np.linalg.solve(basis.T @ parts @ parts.T @ basis, apart)

    def likelihood(spread: float) -> float:
        total = 1.0 + spread**2
        return total ** (-0.5 * (systems - 1)) * np.exp(-0.5 * distance / total)

    mass = quad(likelihood, 0, np.inf)[0]
    factor = quad(lambda spread: likelihood(spread) * spread**2 / (1 + spread**2), 0, np.inf)[0]
    found = with_g_prior(draws, [parts], np.random.default_rng(3)).mean(axis=0)
    assert found == pytest.approx(factor / mass * (means - means.mean()), abs=0.001)


def test_two_systems_are_left_as_they_are() -> None:
    draws = np.random.default_rng(4).standard_normal((50, 2))
    expected = draws - draws.mean(axis=1, keepdims=True)
    for found in (
        with_g_prior(draws, [draws.T], np.random.default_rng(0)),
        exchangeable(draws, np.random.default_rng(0)),
    ):
        assert found == pytest.approx(expected)


def test_systems_without_any_difference_stay_alike() -> None:
    draws = np.ones((50, 3))
    assert (with_g_prior(draws, [np.zeros((3, 4))], np.random.default_rng(0)) == 0.0).all()
    assert (exchangeable(draws, np.random.default_rng(0)) == 0.0).all()


def test_a_singular_covariance_has_a_root() -> None:
    values = np.random.default_rng(5).standard_normal((4, 2))
    covariance = values @ values.T
    root = root_of(covariance)
    assert root @ root.T == pytest.approx(covariance)


def test_corrected_scores_are_those_of_exchangeable_systems() -> None:
    covariance = np.diag([0.01, 0.02, 0.03, 0.04])
    means = np.array([0.3, 0.32, 0.34, 0.5])
    part = SimpleNamespace(weight=1.0, means=means, covariance=lambda: covariance)
    found = CorrectedScores([cast("CorrectedPart", part)]).scores()
    assert found.mean(axis=1) == pytest.approx(0.0, abs=1e-12)
    assert np.ptp(found.mean(axis=0)) < 0.5 * np.ptp(means)
