"""Plurality votes of k ballots drawn without replacement, ties split, by counting subsets.

The product of one polynomial per answer counts the subsets: the power of x is how many ballots
were drawn, and a first axis how many other answers tie with the one that is looked at.
"""

import math
from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def mean_credit(votes: Sequence[int], credit: Sequence[float], silent: int, k: int) -> float:
    """Expected credit of the answer that wins, the mean of theirs where several do.

    `votes` are the ballots of each answer, `silent` those without one; if nobody votes the credit
    is 0.
    """
    total = 0.0
    shares: dict[int, float] = {}
    for at, (mine, worth) in enumerate(zip(votes, credit, strict=True)):
        if worth:
            if mine not in shares:
                others = tuple(sorted((*votes[:at], *votes[at + 1 :])))
                shares[mine] = _share(mine, others, silent, k)
            total += worth * shares[mine]
    return total


@cache
def _share(mine: int, others: tuple[int, ...], silent: int, k: int) -> float:
    """Expected share of the win of an answer with so many ballots."""
    everything = math.comb(mine + sum(others) + silent, k)
    share = 0.0
    for level in range(1, min(mine, k) + 1):
        ways = _ways(others, silent, k - level, level)
        ties = np.arange(1, len(ways) + 1)
        share += float(math.comb(mine, level) * (ways / ties).sum() / everything)
    return share


def _ways(others: tuple[int, ...], silent: int, drawn: int, level: int) -> Array:
    """Subsets of `drawn` ballots where no answer has more than `level`, by how many have that."""
    ways = np.zeros((drawn // level + 1, drawn + 1))
    ways[0] = _choices(silent, drawn)
    for votes in others:
        below = _choices(votes, drawn)
        below[level:] = 0.0
        fewer = np.stack([np.convolve(row, below)[: drawn + 1] for row in ways])
        if votes >= level and drawn >= level:
            fewer[1:, level:] += float(math.comb(votes, level)) * ways[:-1, : drawn + 1 - level]
        ways = fewer
    return ways[:, drawn]


def _choices(ballots: int, most: int) -> Array:
    return np.array([math.comb(ballots, drawn) for drawn in range(most + 1)], dtype=float)
