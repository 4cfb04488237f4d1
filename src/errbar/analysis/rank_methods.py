"""Ranks by methods other than the mean: Borda, Copeland, win rate, Bradley-Terry, Rasch.

Every score except Copeland's is a mean of values of questions, and ranked like any metric.
Copeland's score counts the pairs that a system wins; its interval contains all values that are
consistent with the intervals of the pairs' margins.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from errbar.analysis.alignment import AlignedValues
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.population import Summary, mean_of_sample
from errbar.analysis.pairs import sample_of_differences
from errbar.analysis.rank_scores import QuestionPart, RankScoring, SampledScores
from errbar.base.arrays import Array
from errbar.errors import InputError
from errbar.kernels import ranking_methods as kernel
from errbar.kernels.bounded_mean import Sample, low_end
from errbar.kernels.resample import unseen_weights
from errbar.kernels.sign_flip import rounded_difference
from errbar.metrics.base import Direction

_DRAWS, _SEED = 2_000, 1  # a probability then has a standard error of 1.1% at most
_WORDS = (
    "{method} as a mean of values of questions ({values}); Bayesian bootstrap over questions with "
    "one unseen question, the same for all systems"
)
_EXPANSION = "linear expansion, bounded by a question that the others solve at their mean rates"


def method_scoring(by: str) -> RankScoring:
    """How systems are scored by a method other than the mean."""
    if by == "copeland":
        words = "margins of pairs by a Bayesian bootstrap over questions with one unseen question"
        return RankScoring(MajorityPart, MajorityScores, words)

    def part_of(
        data: AlignedValues, systems: Sequence[str], weight: float, intervals: Calibrated
    ) -> MethodPart:
        return MethodPart(by, data, systems, weight, intervals)

    values = "shares of systems beaten" if by == "borda" else _EXPANSION
    return RankScoring(part_of, SampledScores, _WORDS.format(method=by, values=values))


class MethodPart(QuestionPart):
    """One task, with values of questions whose mean is the score of a method."""

    def __init__(
        self,
        by: str,
        data: AlignedValues,
        systems: Sequence[str],
        weight: float,
        intervals: Calibrated,
    ) -> None:
        super().__init__(data, systems, weight, intervals)
        self._by = by
        if self.weights is not None:
            raise InputError(f"ranks by {by} take no weights of questions.")
        found = self._values_by(by, data)
        values = np.full((len(data.systems), self.some.size), np.nan)
        for row, own in zip(self._rows, found.values, strict=True):
            values[row, self.some] = own
        self._ends, self._least = found.ends, found.least
        made = replace(data, parts=(values,), correct=None, noise=None, extremes=None)
        super().__init__(made, systems, weight, intervals)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of a value, on average over systems."""
        low, high = self._ends.mean(axis=0)
        return float(low), float(high)

    def differences(self, first: int, second: int) -> Sample:
        """Differences of two systems, of clusters of questions."""
        difference = rounded_difference(self.totals[first], self.totals[second])
        bounds = float(self._least[first, second]), float(-self._least[second, first])
        return sample_of_differences(difference, self.sizes, bounds)

    def _at(self, level: float) -> list[Summary]:
        clusters = self.clusters if self._data.clustered else None
        each = np.ones(self.questions)
        low, high = (0.0, 1.0) if self._by == "win-rate" else (-math.inf, math.inf)
        ranks = [
            mean_of_sample(values, each, clusters, level, None, (float(ends[0]), float(ends[1])))
            for values, ends in zip(self.values, self._ends, strict=True)
        ]
        return [own._replace(low=max(own.low, low), high=min(own.high, high)) for own in ranks]

    def _values_by(self, by: str, data: AlignedValues) -> kernel.QuestionValues:
        if by == "borda":
            up = 1.0 if data.metric.direction is Direction.HIGHER else -1.0
            return kernel.borda_points(up * self.values)
        if data.correct is None:
            raise InputError(f"ranks by {by} need outcomes of right or wrong.")
        right, trials = (
            np.stack([counts[row, self.some] for row in self._rows]).astype(float)
            for counts in (data.correct, data.trials)
        )
        if by == "rasch":
            return kernel.abilities(right, trials, self.clusters)
        rates = right / trials
        return kernel.win_rates(rates) if by == "win-rate" else kernel.strengths(rates)


class MajorityPart(QuestionPart):
    """One task, with the margins of all pairs."""

    def __init__(
        self, data: AlignedValues, systems: Sequence[str], weight: float, intervals: Calibrated
    ) -> None:
        super().__init__(data, systems, weight, intervals)
        if self.weights is not None:
            raise InputError("ranks by copeland take no weights of questions.")
        up = 1.0 if data.metric.direction is Direction.HIGHER else -1.0
        number = self.sizes.size
        self._signs = [
            np.stack([np.bincount(self.clusters, row, number) for row in ahead])
            for ahead in (kernel.majorities(up * self.values, at) for at in range(len(systems)))
        ]  # of each system against the others, summed by cluster
        self.means = np.array([np.sign(own.sum(axis=1)).sum() for own in self._signs])
        self._level = intervals.level
        self._ends: dict[float, tuple[Array, Array]] = {}

    def ends(self, tail: float) -> tuple[Array, Array]:
        """Ends of the scores, if the lower end of each margin leaves out this tail."""
        if tail not in self._ends:
            number = len(self._signs)
            sure = np.zeros((number, number))
            for first, second in permutations(range(number), 2):
                total = self._signs[first][second]
                if total.sum() > 0.0:
                    sample = sample_of_differences(total, self.sizes, (-1.0, 1.0))
                    sure[first, second] = low_end(sample, tail) > 0.0
            won, lost = sure.sum(axis=1), sure.sum(axis=0)
            self._ends[tail] = won - (number - 1 - won), (number - 1 - lost) - lost
        return self._ends[tail]

    def summaries(self) -> list[Summary]:
        """Score of each system, with ends that hold for all systems together."""
        number = len(self._signs)
        low, high = self.ends((1.0 - self._level) / (number * (number - 1)))
        return [
            Summary(*map(float, (mean, math.nan, *ends)))
            for mean, *ends in zip(self.means, low, high, strict=True)
        ]

    def draws(self, rng: np.random.Generator) -> Array:
        """Scores with random weights of clusters, and one unseen question with a random order."""
        systems = len(self._signs)
        once, draws = np.ones(self.sizes.size), np.empty((_DRAWS, systems))
        weights = rng.standard_exponential((_DRAWS, self.sizes.size))
        unseen = unseen_weights(self.sizes, once, (_DRAWS, 1), rng)
        order = rng.permuted(np.tile(np.arange(systems), (_DRAWS, 1)), axis=1)
        for at, own in enumerate(self._signs):
            ahead = np.sign(order[:, at, None] - order)
            won = np.round(weights @ own.T + unseen * ahead, 9)  # ties, up to rounding
            draws[:, at] = np.sign(won).sum(axis=1)
        return draws


class MajorityScores:
    """Joint uncertainty of Copeland scores."""

    def __init__(self, parts: Sequence[MajorityPart]) -> None:
        self._parts = parts
        self.means = np.sum([part.weight * part.means for part in parts], axis=0)

    def low_end(self, first: int, second: int, tail: float) -> float:
        """Lower end of the difference of two systems."""
        each = [(part.weight, *part.ends(tail)) for part in self._parts]
        return float(sum(weight * (low[first] - high[second]) for weight, low, high in each))

    def sd(self, first: int, second: int) -> float:  # noqa: ARG002  its ends come from counts
        """Not defined."""
        return math.nan

    def scores(self) -> Array:
        """Joint draws of the scores of all systems, a row per draw."""
        rng = np.random.default_rng(_SEED)
        return np.sum([part.weight * part.draws(rng) for part in self._parts], axis=0)
