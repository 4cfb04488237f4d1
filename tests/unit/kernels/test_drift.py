"""Drift: tails by convolution and by enumeration, bets by their definition, level by simulation."""

import itertools
import math

import numpy as np
import pytest

from errbar.kernels.drift import likeliest_start, log_bets, right_tails


def test_tails_count_every_way_to_give_the_right_answers_to_the_runs() -> None:
    drawn, trials, right = np.array([1, 2, 2]), np.array([3, 4, 2]), np.array([2, 1, 1])
    each = [
        [sum(chosen) for chosen in itertools.combinations([1] * good + [0] * (n - good), k)]
        for k, n, good in zip(drawn.tolist(), trials.tolist(), right.tolist(), strict=True)
    ]
    sums = [sum(draw) for draw in itertools.product(*each)]
    for seen in range(6):
        below = sum(total <= seen for total in sums) / len(sums)
        above = sum(total >= seen for total in sums) / len(sums)
        assert right_tails(drawn, trials, right, seen) == pytest.approx([below, above], abs=1e-11)


def test_a_window_of_a_large_sum_has_the_tails_of_the_whole() -> None:
    drawn, trials, right = np.full(900, 2), np.full(900, 6), np.arange(900) % 7
    whole = np.ones(1)
    for good in right.tolist():
        ways = [math.comb(good, j) * math.comb(6 - good, 2 - j) / 15 for j in range(3)]
        whole = np.convolve(whole, ways)
    for seen in (840, 900, 930):
        expected = whole[: seen + 1].sum(), whole[seen:].sum()
        assert right_tails(drawn, trials, right, seen) == pytest.approx(expected, abs=1e-10)


def test_bets_are_mixed_over_powers_and_beginnings() -> None:
    p_values = [0.2, 0.9, 0.01]
    wealth = 0.0
    for power in np.arange(1, 10) / 10:
        bets = [power * p ** (power - 1) for p in p_values]
        begun = [math.prod(bets[at:]) / ((at + 1) * (at + 2)) for at in range(3)]
        wealth += (sum(begun) + 1 / 4) / 9  # a quarter waits for later runs
    assert math.exp(log_bets(np.array(p_values))[-1]) == pytest.approx(wealth)


def test_a_bet_has_mean_one_on_a_uniform_p_value() -> None:
    at = (np.arange(400) + 0.5) / 400  # p = at^20 has the density 20 at^19
    bets = [math.exp(log_bets(np.array([p]))[0]) for p in (at**20).tolist()]
    assert np.mean(np.array(bets) * 20 * at**19) == pytest.approx(1.0, abs=1e-3)


def test_a_change_is_dated() -> None:
    assert likeliest_start(np.array([0.5, 0.9, 0.4, 1e-4, 1e-3])) == 3
