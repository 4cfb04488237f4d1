"""Subsets of questions that preserve the order of systems, with cross-validated errors.

Questions are added one at a time: the next is the one that most increases the correlation, over the
systems, of the sum over the subset with the sum over all questions (forward selection). Measured on
the same systems, that correlation is too high. So errors are cross-validated over systems: the
questions are chosen anew without each tenth of the systems, and those are then scored.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers

FOLDS = 10  # of cross-validation: little bias and variance for their cost (Kohavi 1995)
_REPEATS = 5  # divisions into folds, whose average has less than half the error of one


class SubsetErrors(NamedTuple):
    """Cross-validated errors of subsets of several sizes, a row each, on every system."""

    swapped: Array  # share of the other systems to which its order changes; ties count one half
    squares: Array  # squared errors of the score predicted from the subset


def forward_selection(rates: Array, number: int) -> Integers:
    """Indices of questions, in the order in which they are added; `rates` has a row per system.

    Examples
    --------
    >>> rates = np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
    >>> forward_selection(rates, 2).tolist()
    [0, 2]
    """
    apart = rates - rates.mean(axis=0)
    total = apart.sum(axis=1)
    with_total, squares = total @ apart, np.square(apart).sum(axis=0)
    free: NDArray[np.bool_] = np.ones(squares.size, dtype=bool)
    chosen = np.zeros(apart.shape[0])
    along, length = 0.0, 0.0  # products of the sum so far with the total, and with itself
    found = []
    for _ in range(min(number, squares.size)):
        lengths = np.maximum(length + 2.0 * (chosen @ apart) + squares, 0.0)
        known = free & (lengths > 1e-12)
        score = np.full(squares.size, -np.inf)
        score[known] = (along + with_total[known]) / np.sqrt(lengths[known])
        score[free & ~known] = -1e300  # a question that separates nobody is the last choice
        best = int(score.argmax())
        found.append(best)
        free[best] = False
        chosen = chosen + apart[:, best]
        along, length = along + float(with_total[best]), float(chosen @ chosen)
    return np.array(found, dtype=np.int64)


def cross_validate(rates: Array, sizes: Integers, rng: np.random.Generator) -> SubsetErrors:
    """Errors of subsets on systems that were not used to choose them."""
    systems = rates.shape[0]
    full = rates.mean(axis=1)
    swapped, squares = np.zeros((2, sizes.size, systems))
    for _ in range(_REPEATS):
        folds = rng.permutation(np.arange(systems) % min(FOLDS, systems))
        for fold in range(int(folds.max()) + 1):
            inside = folds != fold
            order = forward_selection(rates[inside], int(sizes.max()))
            for row, size in enumerate(sizes.tolist()):
                score = rates[:, order[:size]].mean(axis=1)
                slope, level = linear_fit(score[inside], full[inside])
                for system in np.flatnonzero(~inside):
                    away = level + slope * score[system] - full[system]
                    squares[row, system] += away**2 / _REPEATS
                    swapped[row, system] += swaps(full, score, int(system)) / _REPEATS
    return SubsetErrors(swapped, squares)


def swaps(full: Array, part: Array, system: int) -> float:
    """Share of the other systems to which the order of a system differs; ties count one half."""
    others = np.arange(full.size) != system
    before, after = (np.sign(np.round(s[system] - s[others], 12)) for s in (full, part))
    return float(np.abs(before - after).mean() / 2.0)


def linear_fit(part: Array, full: Array) -> tuple[float, float]:
    """Slope and intercept of the score on all questions by that on a subset."""
    apart = part - part.mean()
    square = float(apart @ apart)
    slope = float(apart @ full) / square if square else 0.0
    return slope, float(full.mean() - slope * part.mean())
