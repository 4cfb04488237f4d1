"""Stability of an order of means when questions are left out.

- `ranks_without` leaves out one question, or one cluster, at a time (the jackknife of Quenouille).
- `fewest_left_out` is the smallest number of questions without which a lead is gone: of equal
  weight, those with the largest differences (as in Broderick, Giordano and Meager 2020, "An
  automatic finite-sample robustness metric", which is exact for a mean).
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.sign_flip import ROUNDING


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
    apart = (part.values[first] - part.values[second]) * part.weights
    order: Integers = np.argsort(-apart, kind="stable")[:-1]
    total, weight = float(apart.sum()), float(part.weights.sum())
    others = lead - part.share * total / weight
    left = (total - np.cumsum(apart[order])) / (weight - np.cumsum(part.weights[order]))
    level = others + part.share * left <= 0.0
    if not level.any():
        return Removal(math.inf, which, _NONE)
    number = int(np.argmax(level)) + 1
    return Removal(float(number), which, order[:number])


_NONE: Integers = np.zeros(0, dtype=np.int64)
