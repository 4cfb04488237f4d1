"""The order of systems when questions are left out.

- `ranks_without` leaves out one question, or one cluster, at a time (the jackknife of Quenouille).
- `fewest_left_out` is the smallest number of questions without which a lead is gone: of equal
  weight, those with the largest differences (as in Broderick, Giordano and Meager 2020, "An
  automatic finite-sample robustness metric", which is exact for a mean).
- `forward_selection` chooses the questions that preserve the order. One is added at a time: the
  next is the one that most increases the correlation, over the systems, of the sum over the subset
  with the sum over all questions. Measured on the same systems, that correlation is too high. So
  `cross_validate` chooses the questions anew without each tenth of the systems, and scores those.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers
from errbar.kernels.sign_flip import ROUNDING

FOLDS = 10  # of cross-validation: little bias and variance for their cost (Kohavi 1995)
_NONE: Integers = np.zeros(0, dtype=np.int64)
_REPEATS = 5  # divisions into folds, whose average has less than half the error of one


class PartMeans(NamedTuple):
    """One part of a board: values of questions, a row per system, that are averaged by weight."""

    values: Array
    weights: Array  # weights of questions
    clusters: Integers
    share: float  # share of the part in the score

    @property
    def means(self) -> Array:
        """Mean of each system."""
        mean: Array = self.values @ self.weights / self.weights.sum()
        return mean


def scores_of_parts(parts: Sequence[PartMeans]) -> Array:
    """Score of each system: the mean over parts by their shares."""
    scores: Array = np.sum([part.share * part.means for part in parts], axis=0)
    return scores


def ranks_without(parts: Sequence[PartMeans], which: int, units: Integers) -> Array:
    """Ranks of all systems without each unit of a part, a column per unit; ties share the better.

    A unit is a question or a cluster. Without the only unit of a part there is no rank: nan.
    """
    scores, part = scores_of_parts(parts), parts[which]
    number = int(units.max()) + 1
    if number < 2:
        return np.full((scores.size, number), np.nan)
    heavy = part.values * part.weights
    out = np.stack([np.bincount(units, row, number) for row in heavy])
    left = (heavy.sum(axis=1)[:, None] - out) / (
        part.weights.sum() - np.bincount(units, part.weights, number)
    )
    without = scores[:, None] + part.share * (left - part.means[:, None])
    return np.stack([ranks_of(column) for column in without.T], axis=1)


def ranks_of(scores: Array) -> Array:
    """1 for the highest; equal scores share the better rank.

    Examples
    --------
    >>> ranks_of(np.array([0.5, 0.7, 0.5])).tolist()
    [2.0, 1.0, 2.0]
    """
    near = ROUNDING * np.abs(scores).max()
    at_most = np.searchsorted(np.sort(scores), scores + near, side="right")
    ranks: Array = scores.size - at_most + 1.0
    return ranks


class Removal(NamedTuple):
    """Questions of one part without which a lead is gone; an infinite number if there are none."""

    number: float
    part: int
    questions: Integers


def fewest_left_out(parts: Sequence[PartMeans], first: int, second: int) -> Removal:
    """The fewest questions of one part without which the first no longer leads the second.

    Of every part one question must remain.
    """
    scores = scores_of_parts(parts)
    lead = float(scores[first] - scores[second])
    near = ROUNDING * float(np.abs(scores).max())
    if lead <= near:
        return Removal(0.0, 0, _NONE)
    each = [_fewest(part, at, lead - near, first, second) for at, part in enumerate(parts)]
    return min(each, key=lambda found: found.number)


def _fewest(part: PartMeans, which: int, lead: float, first: int, second: int) -> Removal:
    differences = (part.values[first] - part.values[second]) * part.weights
    order: Integers = np.argsort(-differences, kind="stable")[:-1]
    total, weight = float(differences.sum()), float(part.weights.sum())
    others = lead - part.share * total / weight
    left = (total - np.cumsum(differences[order])) / (weight - np.cumsum(part.weights[order]))
    level = others + part.share * left <= 0.0
    if not level.any():
        return Removal(math.inf, which, _NONE)
    number = int(np.argmax(level)) + 1
    return Removal(float(number), which, order[:number])


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
    selection = []
    for _ in range(min(number, squares.size)):
        lengths = np.maximum(length + 2.0 * (chosen @ apart) + squares, 0.0)
        known = free & (lengths > 1e-12)  # apart from all equal, up to rounding
        score = np.full(squares.size, -np.inf)
        score[known] = (along + with_total[known]) / np.sqrt(lengths[known])
        score[free & ~known] = -1e300  # a question that separates nobody is the last choice
        best = int(score.argmax())
        selection.append(best)
        free[best] = False
        chosen = chosen + apart[:, best]
        along, length = along + float(with_total[best]), float(chosen @ chosen)
    return np.array(selection, dtype=np.int64)


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
                predicted = predicted_scores(score, *linear_fit(score[inside], full[inside]))
                for system in np.flatnonzero(~inside):
                    away = predicted[system] - full[system]
                    squares[row, system] += away**2 / _REPEATS
                    swapped[row, system] += swaps(full, score, int(system)) / _REPEATS
    return SubsetErrors(swapped, squares)


def swaps(full: Array, part: Array, system: int) -> float:
    """Share of the other systems to which the order of a system differs; ties count one half."""
    others = np.arange(full.size) != system
    # scores of 0 to 1 that differ by rounding are ties
    before, after = (np.sign(np.round(s[system] - s[others], 12)) for s in (full, part))
    return float(np.abs(before - after).mean() / 2.0)


def linear_fit(part: Array, full: Array) -> tuple[float, float]:
    """Slope and intercept of the score on all questions by that on a subset."""
    apart = part - part.mean()
    square = float(apart @ apart)
    slope = float(apart @ full) / square if square else 0.0
    return slope, float(full.mean() - slope * part.mean())


def predicted_scores(part: Array, slope: float, intercept: float) -> Array:
    """Score on all questions by that on a subset, by a line that ends at 0 and at 1."""
    score: Array = np.clip(intercept + slope * part, 0.0, 1.0)
    return score
