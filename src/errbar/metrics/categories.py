"""Category metrics: every trial falls into one of several categories, each with a weight.

Without weights there are two categories, wrong and right, weighing 0 and 1.
"""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from errbar.data.statistics import CategoryCounts, Counts, Integers, distinct
from errbar.errors import InputError
from errbar.kernels import dirichlet, finite
from errbar.metrics.base import (
    AnyCounts,
    Array,
    Metric,
    Moments,
    Needs,
    Prior,
    numbers,
    set_fields,
    whole,
)
from errbar.metrics.registry import register

RIGHT_OR_WRONG = (0.0, 1.0)
_ROWS = 1 << 17  # questions whose category counts are turned into floats at a time


class CategoryMetric(Metric):
    """A metric of the category of each trial, with a weight per category."""

    needs: ClassVar[Needs] = Needs.CATEGORY

    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        set_fields(self, weights=numbers(self.weights, "weights"))
        if len(self.weights) < 2:
            raise InputError(f"weights must name two categories at least; got {self.weights}.")

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest weight."""
        return min(self.weights), max(self.weights)

    @abstractmethod
    def value(self, tally: CategoryCounts) -> float:
        """Estimate from the observed trials of one system."""

    @abstractmethod
    def moments(self, tally: CategoryCounts, prior: Prior) -> tuple[float, float]:
        """Posterior mean and standard deviation of one system."""

    @classmethod
    def observed(cls, metrics: Sequence[Self], systems: Sequence[AnyCounts]) -> Array:
        """Estimates from the observed trials: a row per metric, a column per system."""
        return np.array([[m.value(m._tally(counts)) for counts in systems] for m in metrics])

    @classmethod
    def posterior(
        cls, metrics: Sequence[Self], systems: Sequence[AnyCounts], prior: Prior
    ) -> Moments:
        """Posterior moments."""
        both = [[m.moments(m._tally(counts), prior) for counts in systems] for m in metrics]
        return Moments(*np.moveaxis(np.array(both), 2, 0))

    def _tally(self, counts: AnyCounts) -> CategoryCounts:
        by_category = counts.categories() if isinstance(counts, Counts) else counts
        if by_category.tally.shape[1] != len(self.weights):
            raise InputError(
                f"{self} has {len(self.weights)} weights, but the counts have "
                f"{by_category.tally.shape[1]} categories."
            )
        return by_category


@register("bayes")
@dataclass(frozen=True)
class Bayes(CategoryMetric):
    """Mean weight of a trial under a Dirichlet posterior for every question."""

    weights: tuple[float, ...] = RIGHT_OR_WRONG

    def value(self, tally: CategoryCounts) -> float:
        """The posterior mean under a flat prior: it has no other estimate."""
        return self.moments(tally, Prior())[0]

    def moments(self, tally: CategoryCounts, prior: Prior) -> tuple[float, float]:
        """Mean over questions, which are independent given the data."""
        mean = variance = 0.0
        for part in _parts(tally):
            part_mean, part_variance = dirichlet.weighted_mean_moments(
                part + prior.each, np.array(self.weights), np.ones(len(part))
            )
            mean += part_mean
            variance += part_variance
        return mean / len(tally), float(np.sqrt(variance)) / len(tally)


@register("avg")
@dataclass(frozen=True)
class Average(CategoryMetric):
    """Mean weight of the observed trials, question by question.

    Its standard deviation is that of `bayes`, stretched by as much as the prior drew that one in.
    """

    weights: tuple[float, ...] = RIGHT_OR_WRONG

    def value(self, tally: CategoryCounts) -> float:
        """Mean over questions of the mean weight of their trials."""
        total = 0.0
        low = min(self.weights)
        for part in _parts(tally):
            shares = (part / part.sum(axis=1, keepdims=True)).sum(axis=0)
            total += float(shares @ (np.array(self.weights) - low))
        return low + total / len(tally)

    def moments(self, tally: CategoryCounts, prior: Prior) -> tuple[float, float]:
        """The observed mean, with the posterior's spread on its own scale."""
        variance = 0.0
        for part in _parts(tally):
            pseudo = part + prior.each
            stretch = pseudo.sum(axis=1) / part.sum(axis=1)
            variance += dirichlet.weighted_mean_moments(pseudo, np.array(self.weights), stretch)[1]
        return self.value(tally), float(np.sqrt(variance)) / len(tally)


@register("max@")
@dataclass(frozen=True)
class MaxAt(CategoryMetric):
    """Expected largest weight among `k` draws from a question's trials."""

    k: int
    weights: tuple[float, ...] = RIGHT_OR_WRONG

    def __post_init__(self) -> None:
        set_fields(self, k=whole(self.k, "k"))
        super().__post_init__()

    @property
    def draws(self) -> int:
        """Trials of every question that an estimate from the observed trials draws."""
        return self.k

    def value(self, tally: CategoryCounts) -> float:
        """Mean over every k-subset of the observed trials."""
        trials, levels, _, gaps = self._levels(tally)
        value = min(self.weights)
        for at_most, gap in zip(levels, gaps, strict=True):
            (n, below), often, _ = distinct(trials, at_most)
            above = finite.chance_of_one(n.astype(float), (n - below).astype(float), [self.k])[0]
            value += gap * float(above @ often) / len(tally)
        return value

    def moments(self, tally: CategoryCounts, prior: Prior) -> tuple[float, float]:
        """Mean over questions, which are independent given the data."""
        trials, levels, categories, gaps = self._levels(tally)
        imagined, everything = prior.each * categories, prior.each * len(self.weights)
        mean = min(self.weights)
        logs, often_each = [np.array([-np.inf])], [np.zeros(1, dtype=np.int64)]
        for upper, gap in enumerate(gaps):
            (n, high), often, _ = distinct(trials, levels[upper])
            total, high = n + everything, high + imagined[upper]
            mean += gap * float(dirichlet.mean_chance_above(total, high, [self.k])[0] @ often) / len(tally)
            logs.append(dirichlet.log_var_above(total, high, [self.k])[0] + 2 * np.log(gap))
            often_each.append(often)
            for lower in range(upper):
                (n, low, high), often, _ = distinct(trials, levels[lower], levels[upper])
                log_cov = dirichlet.log_cov_above(
                    n + everything, low + imagined[lower], high + imagined[upper], [self.k]
                )
                logs.append(log_cov[0] + np.log(2 * gaps[lower] * gap))
                often_each.append(often)
        return mean, _root_of_sum(np.concatenate(logs), np.concatenate(often_each)) / len(tally)

    def _levels(self, tally: CategoryCounts) -> tuple[Integers, list[Integers], Array, Array]:
        """Trials; counts at or below each level but the highest, its categories, the gap above."""
        values, level = np.unique(self.weights, return_inverse=True)
        levels = [tally.tally[:, level <= at].sum(axis=1) for at in range(values.size - 1)]
        return tally.trials, levels, np.cumsum(np.bincount(level)).astype(float), np.diff(values)


def _parts(tally: CategoryCounts) -> Iterator[Array]:
    for start in range(0, len(tally), _ROWS):
        yield tally.tally[start : start + _ROWS].astype(float)


def _root_of_sum(logs: Array, often: Integers) -> float:
    """Square root of Σ often · exp(log), which may be too small to square."""
    top = logs.max()
    if top == -np.inf:
        return 0.0
    return float(np.exp(0.5 * top) * np.sqrt(np.exp(logs - top) @ often))
