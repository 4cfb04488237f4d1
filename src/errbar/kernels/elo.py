"""Elo ratings: after each game, the winner gains what the loser loses (Elo 1978).

A game with result y, from 0 to 1, moves the rating of the first system by K (y - p), where p = 1 /
(1 + 10^(-d / 400)) is the result that the difference d of the ratings predicts. The ratings depend
on the order of the games: concatenating files in another order can reverse systems. So games are
played in many random orders at once, a column of ratings for each.
"""

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.bradley_terry import GameRows

START, SCALE = 1000.0, 400.0  # Elo's own: all begin alike, 400 points are odds of ten to one
STEP = 4.0  # K of the first leaderboard of Chatbot Arena (Zheng et al. 2023); in chess 10 to 40


def elo(games: GameRows, orders: int, rng: np.random.Generator) -> Array:
    """Ratings after all games in random orders: orders × systems.

    Examples
    --------
    >>> game = dict(systems=2, first=np.array([0]), second=np.array([1]), result=np.ones(1))
    >>> rest = dict(weight=np.ones(1), cluster=np.array([0]), controls=np.zeros((1, 0)))
    >>> elo(GameRows(**game, **rest), 1, np.random.default_rng(0)).tolist()
    [[1002.0, 998.0]]
    """
    number = games.first.size
    return _ratings_after(games, np.stack([rng.permutation(number) for _ in range(orders)]))


def elo_resampled(games: GameRows, orders: int, rng: np.random.Generator) -> Array:
    """Ratings of games whose clusters are drawn with replacement, in random orders."""
    clusters = int(games.cluster.max()) + 1
    often = rng.multinomial(clusters, np.full(clusters, 1.0 / clusters), size=orders)
    drawn = [
        rng.permutation(np.repeat(np.arange(games.first.size), counts[games.cluster]))
        for counts in often
    ]
    longest = max(map(len, drawn))
    padded = [np.pad(rows, (0, longest - rows.size), constant_values=-1) for rows in drawn]
    return _ratings_after(games, np.stack(padded))


def _ratings_after(games: GameRows, rows: Integers) -> Array:
    """Ratings after the games of each line of `rows`, in that order; -1 stands for no game."""
    ratings = np.full((rows.shape[0], games.systems), START)
    line = np.arange(rows.shape[0])
    for game in rows.T:
        first, second = games.first[game], games.second[game]
        predicted = 1.0 / (1.0 + 10.0 ** ((ratings[line, second] - ratings[line, first]) / SCALE))
        gain = STEP * (games.result[game] - predicted) * (game >= 0)
        ratings[line, first] += gain
        ratings[line, second] -= gain
    return ratings
