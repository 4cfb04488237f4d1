"""Spreads of an estimate: its standard deviation, its interval at any level, and its tests.

A mean difference of paired questions is a sample of a bounded variable (`kernels.bounded_mean`).
Sums of several estimates are combined by Zou and Donner's method of variance estimates recovery,
MOVER (2008): squared distances from the means to the ends add up.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple, Protocol

import numpy as np

from errbar.analysis.methods.population import Assumption
from errbar.base.arrays import Array
from errbar.kernels import bounded_mean as bounded
from errbar.kernels import sign_flip as signs
from errbar.kernels.interval import normal_reach

_NORMAL = NormalDist()
# Normal scores at which the ends of a system are computed; between them they are nearly linear.
SCORES = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0])
LEVELS = tuple(2.0 * _NORMAL.cdf(z) - 1.0 for z in SCORES[1:].tolist())


class Spread(Protocol):
    """Base class of the uncertainty of a difference of two systems."""

    @property
    def mean(self) -> float:
        """The difference."""

    @property
    def sd(self) -> float:
        """Its standard deviation."""

    def ends(self, level: float) -> signs.Ends:
        """Its interval."""

    def p_at_most(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that it is `shift` or lower."""

    def p_at_least(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that it is `shift` or higher."""

    def chance_above(self, shift: float) -> float:
        """Posterior probability that it exceeds `shift`."""

    def p_without_rare_failures(self) -> float:
        """Two-sided p-value that assumes no rare failures; nan if there is no such test."""

    def losses_to_undo(self, reach: float) -> int:
        """How many outright losses would undo a verdict of that test."""


class PairedSpread(NamedTuple):
    """Differences of common questions, or clusters of them, as a sample of a population."""

    sample: bounded.Sample
    assume: Assumption
    runs: float = 1.0  # √2 for a repeat of both runs, where the trial noise is not known

    @property
    def mean(self) -> float:
        """Mean difference."""
        return self.sample.mean

    @property
    def sd(self) -> float:
        """Standard deviation of the mean difference."""
        return self.runs * self.sample.sd()

    def ends(self, level: float) -> signs.Ends:
        """Interval for the mean difference."""
        reach = self.runs * normal_reach(level)  # as in the test, so that both agree
        if self.assume == "nothing":
            return signs.Ends(*bounded.mean_ends(self.sample, 1.0 - 2.0 * _NORMAL.cdf(-reach)))
        totals, sizes, _ = self._rows()
        low, high = signs.shift_ends(totals, sizes, reach)
        least, most = self.sample.bounds
        return signs.Ends(max(low, least), min(high, most))

    def p_at_most(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the mean difference is `shift` or lower."""
        if self.assume != "nothing":
            return self._probable_at_most(shift)
        return self._chance_over_runs(bounded.p_at_most(self.sample, shift))

    def p_at_least(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the mean difference is `shift` or higher."""
        return self._replace(sample=self.sample.mirrored).p_at_most(-shift)

    def chance_above(self, shift: float) -> float:
        """Posterior probability that the mean difference exceeds `shift`."""
        if self.assume != "nothing":
            return 1.0 - self._probable_at_most(shift)
        return self._chance_over_runs(bounded.chance_above(self.sample, shift))

    def p_without_rare_failures(self) -> float:
        """Two-sided p-value of the sign-flip test, which assumes no rare failures."""
        return min(1.0, 2.0 * _NORMAL.cdf(-abs(self._score(0.0))))

    def losses_to_undo(self, reach: float) -> int:
        """How many outright losses on new questions undo the verdict of the sign-flip test."""
        totals, sizes, span = self._rows()
        loss = span * float(sizes.sum()) / sizes.size
        return signs.losses_to_undo(totals, loss, reach * self.runs)

    def _probable_at_most(self, shift: float) -> float:
        return _NORMAL.cdf(-self._score(shift))

    def _score(self, shift: float) -> float:
        totals, sizes, _ = self._rows()
        return signs.evidence(totals - shift * sizes) / self.runs

    def _rows(self) -> tuple[Array, Array, float]:
        """Totals and sizes of every cluster, and the largest possible difference."""
        often = self.sample.often.astype(np.int64)
        span = max(map(abs, self.sample.bounds))
        return np.repeat(self.sample.values, often), np.repeat(self.sample.sizes, often), span

    def _chance_over_runs(self, chance: float) -> float:
        if self.runs == 1.0:
            return chance
        inside = min(max(chance, 1e-300), 1.0 - 1e-16)
        return _NORMAL.cdf(_NORMAL.inv_cdf(inside) / self.runs)


class EndsByScore(NamedTuple):
    """Distances from a mean to its ends at several levels, given by normal scores."""

    mean: float
    sd: float
    below: Array  # distance from the mean to the lower end, at each of `SCORES`
    above: Array

    @classmethod
    def of(cls, mean: float, sd: float, ends: Sequence[tuple[float, float]]) -> "EndsByScore":
        """From the ends at each of `LEVELS`."""
        lows, highs = np.array([(mean, mean), *ends]).T
        below = np.maximum.accumulate(np.maximum(mean - lows, 0.0))
        above = np.maximum.accumulate(np.maximum(highs - mean, 0.0))
        return cls(mean, sd, below, above)


class IndependentScores(NamedTuple):
    """Two scores whose errors are independent: MOVER (Zou and Donner 2008)."""

    first: EndsByScore
    second: EndsByScore
    span: float

    @property
    def mean(self) -> float:
        """Difference of the means."""
        return self.first.mean - self.second.mean

    @property
    def sd(self) -> float:
        """Standard deviation of the difference."""
        return math.hypot(self.first.sd, self.second.sd)

    def ends(self, level: float) -> signs.Ends:
        """Interval for the difference."""
        below, above = self._distances()
        z = normal_reach(level)
        low, high = (float(np.interp(z, SCORES, distance)) for distance in (below, above))
        return signs.Ends(max(self.mean - low, -self.span), min(self.mean + high, self.span))

    def p_at_most(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the difference is `shift` or lower."""
        below, above = self._distances()
        away = self.mean - shift
        z = _score_at(below if away > 0 else above, abs(away))
        return _NORMAL.cdf(math.copysign(z, -away)) if away else 0.5

    def p_at_least(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the difference is `shift` or higher."""
        return IndependentScores(self.second, self.first, self.span).p_at_most(-shift)

    def chance_above(self, shift: float) -> float:
        """Posterior probability that the difference exceeds `shift`."""
        return 1.0 - self.p_at_most(shift)

    def p_without_rare_failures(self) -> float:
        """Not defined: trial noise alone has no rare failures to assume away."""
        return math.nan

    def losses_to_undo(self, reach: float) -> int:  # noqa: ARG002  there is no narrower verdict
        """Nothing to undo."""
        return 0

    def _distances(self) -> tuple[Array, Array]:
        return (
            np.hypot(self.first.below, self.second.above),
            np.hypot(self.first.above, self.second.below),
        )


def _score_at(distances: Array, distance: float) -> float:
    """Normal score of the level at which an end lies at this distance from the mean."""
    at = int(np.searchsorted(distances, distance))
    if at == distances.size:
        return float(SCORES[-1])
    some = slice(max(at - 1, 0), at + 1)
    return float(np.interp(distance, distances[some], SCORES[some]))


class MeanPart(NamedTuple):
    """A mean of a bounded sample, with the influence of each cluster of questions on it."""

    sample: bounded.Sample
    influence: Array  # influence of every cluster of the task; 0 outside the sample

    def below(self, tail: float) -> float:
        """Distance from the mean to the lower end that leaves `tail` below it."""
        return self.sample.mean - bounded.low_end(self.sample, tail)


_MOST, _CLOSE = 9.0, 1e-6  # largest normal score of a p-value, and its accuracy


class CombinedMeans:
    """A sum of means of samples that may share questions: MOVER with correlations (Zou 2007).

    The correlation of two means is that of their influences on common questions; it is 0 for means
    over different questions.
    """

    def __init__(self, parts: Sequence[MeanPart], bounds: tuple[float, float]) -> None:
        self.parts, self.bounds = tuple(parts), bounds
        influence = np.stack([part.influence for part in parts])
        size = np.linalg.norm(influence, axis=1, keepdims=True)
        scaled = np.divide(influence, size, out=np.zeros_like(influence), where=size > 0)
        self._correlation = scaled @ scaled.T
        np.fill_diagonal(self._correlation, 1.0)

    @property
    def influence(self) -> Array:
        """The influence of each cluster of questions on the sum."""
        total: Array = np.sum([part.influence for part in self.parts], axis=0)
        return total

    @property
    def mean(self) -> float:
        """The sum of the means."""
        return math.fsum(part.sample.mean for part in self.parts)

    @property
    def sd(self) -> float:
        """Standard deviation of the sum."""
        return self._joint_distance([part.sample.sd() for part in self.parts])

    def ends(self, level: float) -> signs.Ends:
        """Interval for the sum."""
        tail = 0.5 * (1.0 - level)
        low, high = self.mean - self._below(tail), self.mean + self._mirror_image()._below(tail)
        return signs.Ends(max(low, self.bounds[0]), min(high, self.bounds[1]))

    def p_at_most(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the sum is `shift` or lower."""
        away = self.mean - shift
        if away < 0:
            return 1.0 - self.p_at_least(shift)
        low, high = 0.0, _MOST
        if self._below(0.5) >= away:
            return 0.5
        while high - low > _CLOSE:
            middle = 0.5 * (low + high)
            inside = self._below(_NORMAL.cdf(-middle)) < away
            low, high = (middle, high) if inside else (low, middle)
        return _NORMAL.cdf(-low)

    def p_at_least(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the sum is `shift` or higher."""
        if self.mean > shift:
            return 1.0 - self.p_at_most(shift)
        return self._mirror_image().p_at_most(-shift)

    def chance_above(self, shift: float) -> float:
        """Posterior probability that the sum exceeds `shift`."""
        return 0.5 * (1.0 - self.p_at_most(shift) + self.p_at_least(shift))

    def p_without_rare_failures(self) -> float:
        """Not defined."""
        return math.nan

    def losses_to_undo(self, reach: float) -> int:  # noqa: ARG002  there is no narrower verdict
        """Nothing to undo."""
        return 0

    def _mirror_image(self) -> "CombinedMeans":
        low, high = self.bounds
        mirrored = [MeanPart(part.sample.mirrored, -part.influence) for part in self.parts]
        return CombinedMeans(mirrored, (-high, -low))

    def _below(self, tail: float) -> float:
        return self._joint_distance([part.below(tail) for part in self.parts])

    def _joint_distance(self, distances: Sequence[float]) -> float:
        each = np.array(distances)
        return math.sqrt(max(float(each @ self._correlation @ each), 0.0))
