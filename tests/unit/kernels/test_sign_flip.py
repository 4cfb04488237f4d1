"""Paired differences under random signs: against every sign pattern, and two known tests."""

import math
from itertools import product
from statistics import NormalDist, pvariance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from errbar.kernels import sign_flip as signs

REACH = NormalDist().inv_cdf(0.975)

DIFFERENCES = some.lists(some.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.25, 1.0]), min_size=2).map(
    np.array
)


def ones(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.ones(values.size)


@pytest.mark.parametrize(
    ("wins", "ties", "losses"), [(9, 30, 2), (0, 5, 7), (40, 0, 40), (1, 0, 0)]
)
def test_one_trial_per_question_is_mcnemars_test(wins: int, ties: int, losses: int) -> None:
    totals = np.repeat([1.0, 0.0, -1.0], [wins, ties, losses])
    mcnemar = (wins - losses) / math.sqrt(wins + losses)
    assert signs.evidence(totals) == pytest.approx(mcnemar, abs=1e-14)


@given(DIFFERENCES)
def test_it_is_the_paired_t_statistic_bent(differences: NDArray[np.float64]) -> None:
    if np.ptp(differences) == 0:
        return
    t, number = ttest_rel(differences, np.zeros(differences.size)).statistic, differences.size
    z = signs.evidence(differences)
    assert z * z == pytest.approx(number * t * t / (number - 1 + t * t), abs=1e-11)
    assert z * t >= 0


@given(DIFFERENCES.filter(lambda found: found.size <= 9))
def test_over_every_pattern_of_signs_evidence_has_variance_one(
    differences: NDArray[np.float64],
) -> None:
    patterns = np.array(list(product([-1.0, 1.0], repeat=differences.size)))
    found = [signs.evidence(pattern * differences) for pattern in patterns]
    assert math.fsum(found) == pytest.approx(0.0, abs=1e-10)
    assert pvariance(found) == pytest.approx(1.0 if differences.any() else 0.0, abs=1e-12)


def test_differences_that_cancel_but_for_rounding_are_no_evidence() -> None:
    assert signs.evidence(np.array([0.1, 0.2, -0.3])) == 0.0  # their sum is 5.6e-17
    assert signs.evidence(np.zeros(4)) == 0.0


@given(DIFFERENCES)
def test_swapped_systems_see_the_mirror_image(differences: NDArray[np.float64]) -> None:
    sizes = ones(differences)
    low, high = signs.shift_ends(differences, sizes, REACH)
    mirrored = signs.shift_ends(-differences, sizes, REACH)
    assert mirrored == pytest.approx((-high, -low), abs=1e-9)
    assert signs.evidence(-differences) == -signs.evidence(differences)
    assert signs.effective_size(-differences) == signs.effective_size(differences)


@given(DIFFERENCES, some.floats(0.5, 4.0))
def test_ends_lie_on_both_sides_of_the_mean(differences: NDArray[np.float64], reach: float) -> None:
    low, high = signs.shift_ends(differences, ones(differences), reach)
    assert low <= differences.mean() + 1e-12
    assert differences.mean() - 1e-12 <= high


@pytest.mark.parametrize("sizes", [np.ones(400), np.tile([1.0, 3.0, 7.0, 2.0], 100)], ids=len)
@pytest.mark.parametrize("reach", [1.0, REACH, 3.5])
def test_ends_are_the_means_that_evidence_just_tolerates(
    sizes: NDArray[np.float64], reach: float
) -> None:
    totals = sizes * np.random.default_rng(3).uniform(-0.8, 1.0, sizes.size)
    low, high = signs.shift_ends(totals, sizes, reach)
    assert signs.evidence(totals - low * sizes) == pytest.approx(reach, abs=1e-9)
    assert signs.evidence(totals - high * sizes) == pytest.approx(-reach, abs=1e-9)


def test_so_few_questions_that_any_mean_is_possible() -> None:
    assert signs.shift_ends(np.array([1.0, 0.5]), np.ones(2), REACH) == (-math.inf, math.inf)


@given(DIFFERENCES.filter(lambda found: bool(found.any())), some.floats(0.2, 3.0))
def test_outright_losses_that_undo_a_verdict_are_counted(
    differences: NDArray[np.float64], reach: float
) -> None:
    turned = differences * np.sign(signs.evidence(differences) or 1.0)
    found = signs.losses_to_undo(differences, 1.0, reach)
    with_losses = [
        signs.evidence(np.append(turned, np.full(number, -1.0))) for number in range(found + 1)
    ]
    assert with_losses[found] < reach + 1e-9
    assert all(score >= reach - 1e-9 for score in with_losses[:found])


@pytest.mark.parametrize("differ", [2, 12, 300])
def test_clusters_of_one_size_are_questions_of_that_size(differ: int) -> None:
    rng = np.random.default_rng(differ)
    means = np.r_[rng.uniform(-1.0, 1.0, differ), np.zeros(20)]
    alone = signs.shift_ends(means, ones(means), REACH)
    together = signs.shift_ends(5.0 * means, 5.0 * ones(means), REACH)
    assert together == pytest.approx(alone, abs=1e-9)
    assert signs.evidence(5.0 * means) == pytest.approx(signs.evidence(means), abs=1e-12)


def test_how_many_differences_a_sum_rests_on() -> None:
    assert signs.effective_size(np.array([0.5, -0.5, 0.5, 0.0])) == pytest.approx(3.0)
    assert 1.0 < signs.effective_size(np.array([1.0, 0.01, 0.01])) < 1.1
    assert signs.effective_size(np.zeros(3)) == 0.0


def test_ends_agree_with_what_was_decided() -> None:
    ends = signs.Ends(-0.01, 0.2)
    assert signs.clip_to_verdict(ends, 1) == (0.0, 0.2)
    assert signs.clip_to_verdict(ends, -1) == (-0.01, 0.0)
    assert signs.clip_to_verdict(ends, 0) == ends
    assert signs.clip_to_verdict(signs.Ends(0.01, 0.2), 0) == (0.0, 0.2)
    assert signs.clip_to_verdict(signs.Ends(-0.2, -0.01), 0) == (-0.2, 0.0)
