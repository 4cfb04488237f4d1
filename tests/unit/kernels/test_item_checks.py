"""Checks of questions against other routes: chi-square, SciPy's Spearman, all pairs one by one."""

import numpy as np
import pytest
from scipy import stats

from errbar.kernels.item_checks import agreeing_pairs, bennett, fit_squares, inversions
from errbar.kernels.item_response import fit


def test_outfit_of_many_trials_has_the_p_value_of_chi_square() -> None:
    rng = np.random.default_rng(0)
    trials = np.full((12, 40), 4000.0)
    expected = np.full((12, 40), 0.5)
    found = fit_squares(rng.binomial(4000, 0.5, (12, 40)).astype(float), trials, expected)
    below = stats.chi2(12).cdf(12 * found.outfit)
    both = 2.0 * np.minimum(below, 1.0 - below)
    assert np.ptp(both) > 0.8
    np.testing.assert_allclose(found.outfit_p, both, atol=0.02)
    np.testing.assert_allclose(found.infit_p, found.outfit_p, atol=1e-9)  # of equal variances


def test_rank_correlations_of_many_systems_are_those_of_scipy() -> None:
    rng = np.random.default_rng(1)
    rates = 1.0 / (1.0 + np.exp(rng.normal(size=(1, 15)) - np.linspace(-0.1, 0.1, 9)[:, None]))
    trials = np.full((9, 15), 200.0)
    right = rng.binomial(200, rates).astype(float)
    right[:, 0] = right[::-1, 0]
    fitted = fit(right, trials)
    found = inversions(right, trials, fitted)
    for at in range(15):
        others = fitted.abilities - fitted.influence[at]
        expected = stats.spearmanr(right[:, at], others, alternative="less")
        assert found.correlation[at] == pytest.approx(expected.statistic, abs=1e-12)
        assert found.p_value[at] == pytest.approx(expected.pvalue, abs=1e-12)
    assert found.p_value.min() < 0.2 < found.correlation.max() < 1.0


def test_agreeing_pairs_are_those_whose_adjusted_p_value_is_below_what_the_level_leaves() -> None:
    rng = np.random.default_rng(8)
    systems, questions, level = 300, 8, 0.8
    shared = rng.normal(size=(systems, 1)) * np.linspace(0.0, 1.0, questions)
    right = (shared + rng.logistic(size=(systems, questions)) > 0).astype(float)
    trials, expected = np.ones_like(right), np.full(right.shape, 0.5)
    first, second = np.triu_indices(questions, 1)
    residuals = right - expected
    p_values = bennett(
        (residuals.T @ residuals)[first, second], np.full(first.size, systems / 16.0)
    )
    order = np.argsort(p_values)
    steps = p_values[order] * np.arange(first.size, 0, -1)
    adjusted = np.empty(first.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    assert ((adjusted >= 1.0 - level) & (p_values <= 2.0 * (1.0 - level) / first.size)).any()
    kept = adjusted < 1.0 - level
    found = agreeing_pairs(right, trials, expected, level)
    assert found.tested == first.size
    assert {*zip(found.first.tolist(), found.second.tolist(), strict=True)} == {
        *zip(first[kept].tolist(), second[kept].tolist(), strict=True)
    }
    assert sorted(found.p_value.tolist()) == pytest.approx(sorted(adjusted[kept].tolist()))
