"""Calibration of probabilities: isotonic recalibration, and the parts of the Brier score.

The pool-adjacent-violators algorithm gives the increasing function of the stated probability that
fits the outcomes best. It decomposes the Brier score (CORP; Dimitriadis, Gneiting and Jordan 2021,
"Stable reliability diagrams for probabilistic classifiers", PNAS 118) into

    uncertainty + miscalibration − discrimination:

the score of a forecast that always states the share of right answers, the loss by stating other
probabilities than the recalibrated ones, and the gain of the recalibrated ones over that share.

A recalibration fitted to the answers on which it is measured (in-sample) overfits: the expectation
of miscalibration and discrimination is at least their value in the population. Fitted to other
answers (cross-fitting), it is worse than the best increasing function, and the expectation is at
most that value. So the two bracket the truth, provided that the chance of a right answer does not
fall as the stated probability rises.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers

FOLDS = 10  # of cross-validation: little bias and variance for their cost (Kohavi 1995)


class Recalibration(NamedTuple):
    """An increasing function: its values at distinct probabilities, linear in between."""

    at: Array
    values: Array

    @classmethod
    def fit(cls, stated: Array, right: Array) -> "Recalibration":
        """Isotonic least squares by pooling adjacent violators.

        Examples
        --------
        >>> found = Recalibration.fit(np.array([0.2, 0.6, 0.6, 0.9]), np.array([0, 1, 1, 0]))
        >>> found.values.round(3).tolist()
        [0.0, 0.667, 0.667]
        """
        at, place = np.unique(stated, return_inverse=True)
        totals, often = np.bincount(place, right), np.bincount(place).astype(float)
        blocks: list[list[float]] = []  # total, items, distinct probabilities
        for total, items in zip(totals.tolist(), often.tolist(), strict=True):
            block = [total, items, 1]
            while blocks and blocks[-1][0] * block[1] >= block[0] * blocks[-1][1]:
                block = [mine + its for mine, its in zip(block, blocks.pop(), strict=True)]
            blocks.append(block)
        means = [total / items for total, items, _ in blocks]
        return cls(at, np.repeat(means, [int(number) for *_, number in blocks]))

    def of(self, stated: Array) -> Array:
        """The recalibrated probabilities."""
        return np.interp(stated, self.at, self.values)


class BrierParts(NamedTuple):
    """Contributions of each answer to miscalibration and to discrimination."""

    miscalibration: Array
    discrimination: Array

    @classmethod
    def of(cls, stated: Array, recalibrated: Array, usual: Array, right: Array) -> "BrierParts":
        """By the stated probability, the recalibrated one, and the share of right answers."""
        best = np.square(recalibrated - right)
        return cls(np.square(stated - right) - best, np.square(usual - right) - best)


def in_sample_parts(stated: Array, right: Array) -> BrierParts:
    """The parts by the recalibration fitted to the same answers."""
    fitted = Recalibration.fit(stated, right).of(stated)
    return BrierParts.of(stated, fitted, np.full(right.size, right.mean()), right)


def out_of_sample_parts(
    stated: Array, right: Array, clusters: Integers, rng: np.random.Generator
) -> BrierParts:
    """The parts by recalibrations fitted to the answers of other clusters, in ten folds."""
    number = int(clusters.max()) + 1
    fold = (rng.permutation(number) % min(FOLDS, number))[clusters]
    fitted, usual = np.empty(right.size), np.empty(right.size)
    for held_out in np.unique(fold).tolist():
        some = fold == held_out
        fitted[some] = Recalibration.fit(stated[~some], right[~some]).of(stated[some])
        usual[some] = right[~some].mean()
    return BrierParts.of(stated, fitted, usual, right)


def equal_bins(stated: Array, bins: int) -> NDArray[np.intp]:
    """The bin of each probability; bins hold about equally many, and never split a value."""
    edges = np.unique(np.quantile(stated, np.linspace(0.0, 1.0, bins + 1)))
    within = np.searchsorted(edges, stated, side="left") - 1
    return np.unique(within.clip(0, max(edges.size - 2, 0)), return_inverse=True)[1]


class ExpectedError(NamedTuple):
    """Expected calibration error, and what it would be on average without any miscalibration."""

    value: float
    by_chance: float

    @classmethod
    def of(cls, stated: Array, right: Array, which: NDArray[np.intp]) -> "ExpectedError":
        """Computed from binned probabilities, for independent answers.

        The mean absolute value of a normal variable is √(2/π) standard deviations.
        """
        gaps = np.abs(np.bincount(which, stated - right))
        noise = np.sqrt(np.bincount(which, stated * (1.0 - stated)))
        chance = float(noise.sum()) * np.sqrt(2.0 / np.pi)
        return cls(float(gaps.sum()) / stated.size, float(chance) / stated.size)
