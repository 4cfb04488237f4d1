"""Elo ratings beside a loop over the games, one at a time."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from errbar.analysis.game_scores import _significant_order
from errbar.data.games import Games
from errbar.kernels.bradley_terry import GameRows
from errbar.kernels.ranking_methods import elo, elo_resampled

GAMES = [(0, 1, 1.0), (1, 2, 0.5), (2, 0, 0.0), (0, 1, 0.0)]


def rows(clusters: list[int]) -> GameRows:
    first, second, result = (np.array(column) for column in zip(*GAMES, strict=True))
    return GameRows(
        systems=3,
        first=first,
        second=second,
        result=result,
        weight=np.ones(len(GAMES)),
        cluster=np.array(clusters),
        controls=np.zeros((len(GAMES), 0)),
    )


def in_turn(games: list[tuple[int, int, float]]) -> list[float]:
    ratings = [1000.0] * 3
    for first, second, result in games:
        expected = 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / 400))
        ratings[first] += 4 * (result - expected)
        ratings[second] -= 4 * (result - expected)
    return ratings


def test_every_order_gives_the_ratings_of_a_loop_over_the_games() -> None:
    expected = {tuple(np.round(in_turn(list(order)), 9)) for order in permutations(GAMES)}
    found = elo(rows([0, 1, 2, 3]), 400, np.random.default_rng(0))
    assert {tuple(np.round(line, 9)) for line in found.tolist()} == expected


def test_a_cluster_that_is_drawn_brings_all_its_games() -> None:
    # two clusters: the first three games, and the last; a draw has one twice, or each once
    found = elo_resampled(rows([0, 0, 0, 1]), 300, np.random.default_rng(0))
    twice_last = in_turn([GAMES[3]] * 2)
    assert any(line == pytest.approx(twice_last) for line in found.tolist())
    three = {tuple(np.round(in_turn(list(order)), 9)) for order in permutations(GAMES)}
    assert any(tuple(np.round(line, 9)) in three for line in found.tolist())


def test_pairs_are_decided_by_t_tests_adjusted_for_all_pairs() -> None:
    games = Games(("a", "b", "c"), rows([0, 1, 2, 3]), ())
    draws = np.random.default_rng(0).normal(size=(400, 3))
    for gap in np.linspace(0.0, 12.0, 60):
        values = np.array([gap, 0.0, 0.0])
        found = _significant_order(games, values, draws, 0.95)
        for other in (1, 2):
            t = gap / (draws[:, 0] - draws[:, other]).std(ddof=1)
            is_clear = 3 * 2 * stats.t(3).sf(t) < 0.05  # three pairs, four clusters
            assert found[0, other] == -found[other, 0] == float(is_clear)
