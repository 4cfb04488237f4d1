"""Questions like these, from what was seen of each: questions, or clusters of them, are the sample.

A question's value over the subsets of its trials is right on average, so the mean of the values is
the mean of a sample. How far it may be off is in `kernels.bounded`.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.data.statistics import CategoryCounts, Counts, CountsByState, States, Tally
from errbar.kernels.bounded import UNSEEN, mean_ends, unseen_value
from errbar.metrics.base import AnyCounts, CountMetric
from errbar.metrics.categories import CategoryMetric
from errbar.uncertainty.learned import Summary

Array = NDArray[np.floating[Any]]

_WEIGHINGS = 10_000  # of the sample, where a metric is no mean but made of two


class Seen:
    """The questions of one system, or their clusters."""

    def __init__(self, counts: AnyCounts, *, clustered: bool = True) -> None:
        self._counts = counts
        self._clusters = clusters_of(counts) if clustered else None
        self._states = _states(counts, apart=self._clusters is not None)
        self._often = (
            counts.repeats() if isinstance(counts, CategoryCounts) else self._states.questions[0]
        )

    def summary(self, metric: CountMetric, level: float, rng: np.random.Generator) -> Summary:
        """Mean, standard error and ends."""
        parts = metric.parts()
        if len(parts) > 1:
            both = [part.subset_means([part], self._states)[0] for part in parts]
            return self._of_blend(metric, both, level, rng)
        if parts:
            values = parts[0].subset_means(list(parts), self._states)[0]
            found = mean_of_sample(values, self._often, self._clusters, level)
            at = metric.joined(np.array([found.mean, found.low, found.high]))
            slope = abs(float(metric.slopes(at)[0][0]))
            return Summary(float(at[0]), slope * found.sd, *sorted(at[1:].tolist()))
        low, high = metric.bounds
        span = high - low or 1.0
        values = (self._row_values(metric) - low) / span
        found = mean_of_sample(values, self._often, self._clusters, level)
        mean, *ends = (low + span * one for one in (found.mean, found.low, found.high))
        return Summary(mean, span * found.sd, *ends)

    def _of_blend(
        self, metric: CountMetric, values: list[Array], level: float, rng: np.random.Generator
    ) -> Summary:
        """A blend of means of one sample, weighed at random."""
        totals, sizes, often = _sample(values, self._often, self._clusters)
        usual = float(often @ sizes / often.sum())
        weights = rng.standard_gamma(often, (_WEIGHINGS, often.size))
        more = usual * rng.standard_gamma(UNSEEN, _WEIGHINGS)
        sums = [weights @ one for one in totals]
        total = weights @ sizes
        low = metric.joined(*(one / (total + more) for one in sums))
        high = metric.joined(*((one + more) / (total + more) for one in sums))
        means = [np.array(often @ one / (often @ sizes)) for one in totals]
        tail = 0.5 * (1.0 - level)
        return Summary(
            float(metric.joined(*means)),
            float(np.concatenate([low, high]).std()),
            float(np.quantile(low, tail)),
            float(np.quantile(high, 1.0 - tail)),
        )

    def _row_values(self, metric: CountMetric) -> Array:
        """What each question shows, where there are more than two categories."""
        if not isinstance(metric, CategoryMetric):
            raise TypeError(f"{metric} is made of no means over questions.")
        return metric.row_values(Tally.of(self._counts))


def mean_of_sample(
    values: Array, often: Array, clusters: NDArray[np.int64] | None, level: float
) -> Summary:
    """The mean of values between 0 and 1, how far it may be off, and its ends."""
    (totals,), sizes, repeats = _sample([np.clip(values, 0.0, 1.0)], often, clusters)
    low, high = mean_ends(totals, sizes, repeats, level)
    number = float(repeats.sum())
    usual = float(repeats @ sizes) / number
    mean = float(repeats @ totals) / (number * usual)
    worse = unseen_value(totals, sizes, repeats) - mean
    better = 1.0 - unseen_value(sizes - totals, sizes, repeats) - mean
    spread = float(repeats @ np.square(totals - mean * sizes))
    spread += UNSEEN * usual**2 * max(worse**2, better**2)
    return Summary(mean, math.sqrt(spread / number / (number + 1.0)) / usual, low, high)


def _sample(
    values: Sequence[Array], often: Array, clusters: NDArray[np.int64] | None
) -> tuple[list[Array], Array, Array]:
    """Totals, sizes and how often each occurs: of clusters, or of the questions themselves.

    Clusters are sorted by what is in them, so that neither their names nor the order of questions
    decides how numbers are rounded.
    """
    if clusters is None:
        return list(values), np.ones(often.size), often
    table = np.stack([clusters.astype(float), *values], axis=1)
    (names, *held), place = _distinct(table)
    count = np.bincount(place, often)
    number = np.unique(names, return_inverse=True)[1]
    sizes = np.bincount(number, count)
    totals = (np.bincount(number, count * one) for one in held)
    each = np.stack([sizes, *(np.minimum(one, sizes) for one in totals)], axis=1)
    distinct, repeats = np.unique(each, axis=0, return_counts=True)
    sizes, *sums = distinct.T
    return sums, sizes, repeats.astype(float)


def _distinct(table: Array) -> tuple[Array, NDArray[np.intp]]:
    """Columns of the distinct rows in their order, and which of them each row is."""
    rows, place = np.unique(table, axis=0, return_inverse=True)
    return rows.T, place.ravel()


def right_or_wrong(counts: AnyCounts) -> AnyCounts:
    """Two categories as right and wrong."""
    if isinstance(counts, Counts) or counts.tally.shape[1] > 2:
        return counts
    once = np.ones(len(counts), dtype=np.int64)
    return CountsByState(counts.trials, counts.tally[:, 1], once, counts.clusters)


def clusters_of(counts: AnyCounts) -> NDArray[np.int64] | None:
    """The cluster of each entry, where there are any."""
    return counts.clusters if isinstance(counts, CountsByState | CategoryCounts) else None


def _states(counts: AnyCounts, *, apart: bool) -> States:
    """States pooled, or as they are given, so that clusters stay apart."""
    if isinstance(counts, CategoryCounts):
        nothing = np.zeros(0, dtype=np.int64)
        return States(nothing, nothing, np.zeros((1, 0)), np.zeros(1))
    if not apart:
        return States.of([counts])
    often = counts.repeats()
    return States(counts.trials, counts.correct, often[None, :], np.array([often.sum()]))
