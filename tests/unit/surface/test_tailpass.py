"""TailPass: against every subset and every sequence, other functions, and a peer's numbers."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from errbar import eval as functions
from errbar.errors import InputError, NotEnoughTrials

BINARY = [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1], [0, 0, 0, 0, 1]]
GRADED = [[0, 1, 2, 2], [1, 1, 0, 2]]
CREDITS = [0.0, 0.3, 1.0]


def by_sequences(tally: list[int], credits: list[float], k: int, at: float) -> tuple[float, float]:
    """Mean and variance of reaching a score, by every sequence of draws from Polya's urn."""

    def chance(sequence: tuple[int, ...]) -> Fraction:
        balls, found = [1 + count for count in tally], Fraction(1)
        for category in sequence:
            found *= Fraction(balls[category], sum(balls))
            balls[category] += 1
        return found

    def reaches(sequence: tuple[int, ...]) -> bool:
        return sum(credits[category] for category in sequence) / k >= at - 1e-12

    runs = list(product(range(len(tally)), repeat=k))
    mean = sum(chance(run) for run in runs if reaches(run))
    both = sum(chance(a + b) for a in runs if reaches(a) for b in runs if reaches(b))
    return float(mean), float(both - mean * mean)


def test_the_posterior_is_that_of_every_sequence_of_attempts() -> None:
    found = functions.tailpass(GRADED, 3, CREDITS)
    tallies = [[1, 1, 2], [1, 2, 1]]
    for at, threshold in enumerate([1 / 3, 2 / 3, 1.0]):
        each = [by_sequences(tally, CREDITS, 3, threshold) for tally in tallies]
        means = [mean for mean, _ in each]
        assert found.question_mean[:, at] == pytest.approx(means, abs=1e-14)
        assert found.mean[at] == pytest.approx(np.mean(means), abs=1e-14)
        assert found.std[at] ** 2 == pytest.approx(sum(v for _, v in each) / 4, abs=1e-14)


def test_observed_shares_are_those_of_every_subset() -> None:
    for R, credits in ((BINARY, [0.0, 1.0]), (GRADED, CREDITS)):
        grid = [0.0, 0.2, 0.5, 1.0]
        found = functions.tailpass_empirical(R, 3, credits, thresholds=grid)
        for at, threshold in enumerate(grid):
            shares = [
                np.mean([sum(s) / 3 >= threshold - 1e-12 for s in combinations(row, 3)])
                for row in [[credits[entry] for entry in row] for row in R]
            ]
            assert found[at] == pytest.approx(np.mean(shares), abs=1e-14)
    assert functions.tailpass_empirical([[1, 0] * 600], 700)[0] == pytest.approx(1.0)


def test_a_profile_has_the_documented_metrics_as_parts() -> None:
    k, weights = 7, np.full(7, 1 / 7)
    found = functions.tailpass(BINARY, k)
    assert found.linear(weights) == pytest.approx(
        functions.threshold_spectrum_at_k_ci(BINARY, k, weights)[:2], abs=1e-13
    )
    five = functions.tailpass(BINARY, 5)
    for t in range(1, 6):
        tau = functions.g_pass_at_k_tau_ci(BINARY, 5, t / 5)
        entry = [part[t - 1] for part in five.ci()]
        assert entry == pytest.approx(tau, abs=1e-13)
    assert five.discovery() == pytest.approx(functions.pass_at_k_ci(BINARY, 5)[:2], abs=1e-13)
    assert five.stability() == pytest.approx(functions.pass_hat_k_ci(BINARY, 5)[:2], abs=1e-13)
    assert found.moment(1.0) == pytest.approx(functions.bayes(BINARY), abs=1e-13)
    assert found.covariance == pytest.approx(found.covariance.T)


def test_numbers_are_those_of_scorio() -> None:
    """scorio 0.2.3: tailpass(GRADED, 4, CREDITS, R0, eta=0.4, prior=[0.3, 0.3, 2.0])."""
    earlier = [[0, 1, 2], [2, 2, 0]]
    found = functions.tailpass(GRADED, 4, CREDITS, earlier, eta=0.4, prior=[0.3, 0.3, 2.0])
    assert found.mean == pytest.approx(SCORIO["mean"], abs=1e-13)
    assert found.std == pytest.approx(SCORIO["std"], abs=1e-13)
    assert found.covariance[0] == pytest.approx(SCORIO["covariance"], abs=1e-13)
    assert found.moment(0.7) == pytest.approx(SCORIO["moment"], abs=1e-13)
    assert found.discovery() == pytest.approx(SCORIO["discovery"], abs=1e-13)
    empirical = functions.tailpass_empirical(GRADED, 3, CREDITS)
    assert empirical == pytest.approx(SCORIO["empirical"], abs=1e-13)


SCORIO = {
    "mean": [0.9240025434221857, 0.68321361178504, 0.38578881436024276, 0.12695769838626977],
    "std": [0.06846444306142062, 0.15872806254663188, 0.16847044676233255, 0.09556113784571316],
    "covariance": [
        0.004687379963710506,
        0.009583287061667754,
        0.008435941142991659,
        0.0035192123395658627,
    ],
    "moment": [0.6855600619019626, 0.08871552446785455],
    "discovery": [0.9890128472717759, 0.01988063032998203],
    "empirical": [0.875, 0.25, 0.0],
}


def test_what_the_trials_do_not_allow_is_refused() -> None:
    with pytest.raises(NotEnoughTrials, match="k must lie between 1 and 4"):
        functions.tailpass_empirical(GRADED, 5, CREDITS)
    for options, words in (
        ({"w": [0.0, 2.0, 1.0]}, "between 0 and 1"),
        ({"prior": 0.0}, "positive"),
        ({"prior": [1.0, 1.0]}, "its shape"),
        ({"thresholds": [0.5, 0.5]}, "increase"),
        ({"eta": 2.0}, "eta"),
        ({"R0": [[0, 1, 2]]}, "row per question"),
    ):
        with pytest.raises(InputError, match=words):
            functions.tailpass(GRADED, 2, **{"w": CREDITS, **options})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="sum must be 1"):
        functions.tailpass(BINARY, 2).linear([0.5, 0.6])
    with pytest.raises(InputError, match="use a smaller k"):
        functions.tailpass(GRADED, 400, CREDITS).mean  # noqa: B018  computed when asked for
