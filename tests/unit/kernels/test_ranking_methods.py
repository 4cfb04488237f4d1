"""Values of questions for ranking methods, against the effect of a question of small weight."""

import numpy as np

from errbar.kernels.leave_out import ranks_of
from errbar.kernels.ranking_methods import borda_points, majorities, win_rates

STEP = 1e-6


def win_rates_of(rates: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Share of decided games won, summed over questions with weights, pair by pair."""
    systems = len(rates)
    won = np.zeros((systems, systems))
    for i in range(systems):
        for j in range(systems):
            won[i, j] = weights @ (rates[i] * (1.0 - rates[j])) if i != j else 0.0
    return won.sum(axis=1) / (won + won.T).sum(axis=1)


def test_the_least_difference_is_by_a_question_that_one_fails_and_the_other_solves() -> None:
    rates = np.array([[0.9, 0.4, 0.6, 0.5], [0.5, 0.5, 0.4, 0.6], [0.2, 0.3, 0.7, 0.1]])
    found, number = win_rates(rates), rates.shape[1]
    usual = rates.mean(axis=1)
    before = win_rates_of(rates, np.ones(number))

    def effect(question: np.ndarray) -> np.ndarray:
        """What a question moves, per weight."""
        wide = np.column_stack([rates, question])
        return (win_rates_of(wide, np.append(np.ones(number), STEP)) - before) / STEP

    middle = effect(usual)
    for i in range(3):
        for j in range(3):
            if i != j:
                failed, solved = usual.copy(), usual.copy()
                failed[i], solved[j] = 0.0, 1.0
                moved = effect(failed) + effect(solved) - 2.0 * middle
                expected = before[i] - before[j] + number * (moved[i] - moved[j])
                seen = (found.values[i] - found.values[j]).min()
                np.testing.assert_allclose(found.least[i, j], min(expected, seen), atol=1e-4)


def test_values_that_differ_by_rounding_are_ties_whatever_their_size() -> None:
    for first in (1.0, 1e6, 1e-6):
        second, other = np.nextafter(first, 2.0 * first), 2.0 * first
        values = np.array([[first, other], [second, other]])
        assert (borda_points(values).values == 0.5).all()
        assert (majorities(values, 0) == 0.0).all()
        assert ranks_of(np.array([first, second])).tolist() == [1.0, 1.0]
