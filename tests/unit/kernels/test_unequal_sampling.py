"""Samples with unequal probabilities: every item is drawn as often as it should be."""

import numpy as np
import pytest

from errbar.kernels.unequal_sampling import neyman, systematic


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
