"""Samples with unequal probabilities: every item is drawn as often as it should be."""

import numpy as np
import pytest

from errbar.kernels.prediction_powered import neyman, systematic, two_stage_weights


def test_items_are_drawn_with_their_probabilities() -> None:
    chances = np.array([0.05, 0.05, 0.1, 0.9, 0.9, 1.0])
    rng, times = np.random.default_rng(0), 20_000
    found = np.zeros(chances.size)
    for _ in range(times):
        drawn = systematic(chances, rng)
        assert drawn.size == 3
        found[drawn] += 1.0
    error = np.sqrt(chances * (1.0 - chances) / times)
    assert (np.abs(found / times - chances) <= 4.5 * error).all()


def test_items_that_are_certain_leave_their_rest_to_others() -> None:
    chances = neyman(np.array([9.0, 0.5, 0.5, 0.0]), 2)
    assert chances[0] == 1.0
    assert chances.sum() == pytest.approx(2.0)
    assert chances[1] == chances[2] > chances[3] > 0.0


def test_two_samples_one_after_the_other_give_an_unbiased_mean() -> None:
    """The second sample depends on the first: it prefers values like the largest found."""
    rng = np.random.default_rng(1)
    values, found = rng.random(40), []
    for _ in range(4000):
        first = rng.permutation(40)[:8]
        rest = np.setdiff1d(np.arange(40), first)
        chances = neyman(np.exp(-np.abs(values[rest] - values[first].max())) - 0.3, 10)
        second = systematic(chances, rng)
        old, new = two_stage_weights(np.ones(8), 40, chances[second])
        found.append((old @ values[first] + new @ values[rest[second]]) / 40)
    assert np.mean(found) == pytest.approx(values.mean(), abs=4 * np.std(found) / 4000**0.5)
    even = two_stage_weights(np.ones(8), 40, np.full(8, 8 / 32))
    assert np.concatenate(even) == pytest.approx(np.full(16, 2.5))
