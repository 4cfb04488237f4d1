"""Item response models, against a likelihood by Gauss-Hermite quadrature and by simulation."""

from math import comb

import numpy as np
import pytest

from errbar.base.arrays import Array
from errbar.kernels import item_checks as checks
from errbar.kernels import leave_out
from errbar.kernels.item_checks import trial_correlation
from errbar.kernels.item_response import ItemFit, fit


def drawn(seed: int, systems: int, questions: int, trials: int) -> tuple[Array, Array, Array]:
    """Counts by the model of Rasch, with the true logits."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0.0, 1.0, systems)[:, None] - rng.normal(0.3, 1.5, questions)
    often = rng.integers(1, trials + 1, logits.shape)
    right = rng.binomial(often, 1.0 / (1.0 + np.exp(-logits)))
    return right.astype(float), often.astype(float), logits


def by_quadrature(
    right: Array, trials: Array, abilities: Array, spread: float, slope_spread: float = 0.0
) -> float:
    """The marginal log-likelihood, question by question."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(50)
    x, z = np.meshgrid(nodes, nodes)
    chances = np.outer(weights, weights) / (2.0 * np.pi)
    logits = np.exp(slope_spread * z) * (abilities[:, None, None] - spread * x)
    p = 1.0 / (1.0 + np.exp(-logits))
    found = 0.0
    for y, n in zip(right.T[:, :, None, None], trials.T[:, :, None, None], strict=True):
        found += float(np.log((chances * np.prod(p**y * (1.0 - p) ** (n - y), axis=0)).sum()))
    return found


def raw(found: ItemFit) -> Array:
    """Abilities on the scale on which difficulties have mean 0."""
    return found.abilities - found.mean


@pytest.mark.parametrize("slopes", [False, True])
def test_the_fit_is_a_maximum_of_the_likelihood_by_quadrature(slopes: bool) -> None:
    right, trials, _ = drawn(3, 3, 12, 3)
    right[:, 0] = trials[:, 0]  # a question that all systems solve
    found = fit(right, trials, slopes=slopes)
    scales = found.spread, found.slope_spread
    best = by_quadrature(right, trials, raw(found), *scales)
    assert best == pytest.approx(found.log_likelihood, abs=1e-4)
    for at in range(3):
        for step in (-0.02, 0.02):
            moved = raw(found) + step * (np.arange(3) == at)
            assert by_quadrature(right, trials, moved, *scales) < best
    for factor in (0.97, 1.03):
        assert by_quadrature(right, trials, raw(found), scales[0] * factor, scales[1]) < best
    assert np.isfinite(found.difficulties).all()


def test_intervals_of_abilities_and_difficulties_cover_the_truth() -> None:
    inside, sure = [], []
    for seed in range(40):
        right, trials, logits = drawn(seed, 6, 40, 3)
        found = fit(right, trials)
        centred = logits - logits.mean(axis=0)
        sd = found.ability_sds
        inside += [np.abs(found.abilities - centred[:, 0]) < 2.02 * sd]
        low, high = found.difficulty_ends(0.025)
        difficulty = -logits.mean(axis=0)
        sure += [(low < difficulty) & (difficulty < high)]
    assert 0.91 < np.mean(inside) < 0.99
    assert 0.91 < np.mean(sure) < 0.99


def test_a_system_without_a_failure_has_a_finite_ability() -> None:
    right, trials, _ = drawn(1, 4, 15, 2)
    right[0] = trials[0]
    found = fit(right, trials)
    assert found.separated.tolist() == [True, False, False, False]
    assert found.abilities[1:].max() < found.abilities[0] < 20.0
    assert found.abilities[1:].mean() == pytest.approx(0.0, abs=1e-12)


def test_an_ability_is_not_known_if_all_other_systems_solved_everything() -> None:
    right, trials, _ = drawn(1, 2, 15, 2)
    right[0] = trials[0]
    found = fit(right, trials)
    assert found.separated.tolist() == [True, False]
    assert found.abilities.sum() == pytest.approx(0.0, abs=1e-12)
    assert found.ability_sds.min() > 0.3


def test_questions_of_a_cluster_count_once() -> None:
    right, trials, _ = drawn(5, 4, 25, 2)
    alone = fit(right, trials)
    twice = np.repeat(right, 2, axis=1), np.repeat(trials, 2, axis=1)
    together = fit(*twice, np.repeat(np.arange(25), 2))
    assert together.abilities == pytest.approx(alone.abilities, abs=1e-3)
    assert together.ability_sds == pytest.approx(alone.ability_sds, rel=0.01)


def test_trials_that_are_alike_are_seen() -> None:
    right, trials, logits = drawn(2, 30, 60, 5)
    rates = 1.0 / (1.0 + np.exp(-logits))
    assert trial_correlation(right, trials, rates) < 0.03
    rng = np.random.default_rng(0)
    same = trials * (rng.random(rates.shape) < rates)  # all trials of a system are as the first
    assert trial_correlation(same, trials, rates) == pytest.approx(1.0, abs=0.1)


def test_orders_of_few_systems_are_enumerated() -> None:
    right = np.array([[0.0, 1.0, 1.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    ones = np.ones_like(right)
    fitted = fit(right, ones)
    found = checks.inversions(right, ones, fitted)
    assert np.isnan(found.p_value[3])  # all failed it
    # the first is solved by the two weakest by the other questions: one of three orders
    assert found.correlation[0] < -0.8
    assert found.p_value[0] == pytest.approx(1 / 3)


def test_the_permutation_of_many_systems_is_that_of_drawn_orders() -> None:
    rng = np.random.default_rng(4)
    rates = (rng.random(20) < np.linspace(0.9, 0.1, 20)).astype(float)
    found, p = checks._rank_correlation(checks.midranks(rates), np.arange(20.0))
    orders = np.array([rng.permutation(rates) for _ in range(5_000)]) @ np.arange(20.0)
    assert p == pytest.approx(np.mean(orders <= rates @ np.arange(20.0)), abs=0.01)
    assert found == pytest.approx(np.corrcoef(rates, np.arange(20.0))[0, 1])


def test_the_bound_of_bennett_is_above_the_tail_of_a_binomial() -> None:
    n, p = 30, 0.1
    for k in range(4, 12):
        tail = sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(k, n + 1))
        bound = checks.bennett(np.array([k - n * p]), np.array([n * p * (1 - p)]))[0]
        assert tail <= bound <= 40 * tail


def test_adjusted_chances_are_those_by_hand() -> None:
    p = np.array([0.02, 0.001, np.nan, 0.03])
    assert checks.holm(p).tolist() == pytest.approx([0.04, 0.003, np.nan, 0.04], nan_ok=True)
    assert checks.benjamini_hochberg(p).tolist() == pytest.approx(
        [0.03, 0.003, np.nan, 0.03], nan_ok=True
    )


def test_checks_are_quiet_on_data_of_the_model_and_see_what_is_planted() -> None:
    right, trials, logits = drawn(8, 60, 50, 1)
    once = int(np.abs(logits.mean(axis=0)).argmin())
    right[:, 49] = right[:, once]  # one question twice
    right[:, 3] = (logits.mean(axis=1) < 0.0).astype(float)  # solved by the weaker half
    fitted = fit(right, trials)
    turned = checks.benjamini_hochberg(checks.inversions(right, trials, fitted).p_value)
    assert np.flatnonzero(turned < 0.05).tolist() == [3]
    squares = checks.fit_squares(right, trials, fitted.expected)
    odd = (checks.benjamini_hochberg(squares.infit_p) < 0.05) & (squares.infit > 1.0)
    assert np.flatnonzero(odd).tolist() == [3]
    pairs = checks.agreeing_pairs(right, trials, fitted.expected, 0.95)
    assert list(zip(pairs.first, pairs.second, strict=True)) == [(once, 49)]
    assert pairs.tested == 50 * 49 / 2


def test_as_many_dead_questions_are_expected_as_are_drawn() -> None:
    seen, expected = [], []
    for seed in range(30):
        right, trials, _ = drawn(seed, 5, 60, 1)
        found = checks.dead_questions(right, trials, fit(right, trials))
        seen.append([found.solved.sum(), found.failed.sum()])
        expected.append([found.expected_solved, found.expected_failed])
    assert np.mean(expected, axis=0) == pytest.approx(np.mean(seen, axis=0), rel=0.15)


def test_each_question_of_a_subset_is_the_best_next_one() -> None:
    for seed in range(5):
        rates = np.random.default_rng(seed).random((9, 25))
        total = rates.sum(axis=1)
        chosen: list[int] = []
        for _ in range(6):
            rest = [at for at in range(25) if at not in chosen]
            close = [np.corrcoef(rates[:, [*chosen, at]].sum(axis=1), total)[0, 1] for at in rest]
            chosen.append(rest[int(np.argmax(close))])
        assert leave_out.forward_selection(rates, 6).tolist() == chosen


def test_a_subset_of_noise_does_not_claim_to_keep_the_order() -> None:
    rng = np.random.default_rng(2)
    noise = (rng.random((40, 100)) < 0.5).astype(float)
    found = leave_out.cross_validate(noise, np.array([5]), rng)
    full = noise.mean(axis=1)
    seen = noise[:, leave_out.forward_selection(noise, 5)].mean(axis=1)
    in_sample = np.mean([leave_out.swaps(full, seen, at) for at in range(40)])
    assert found.swapped.mean() > in_sample + 0.05
