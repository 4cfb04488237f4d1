"""Intervals for the population of questions: questions, or clusters of them, are the sample.

The value of a question, averaged over the subsets of its trials, is unbiased, so the mean of the
values is a sample mean, and `kernels.bounded_mean` gives its interval. With weights it is a ratio
of two sums over the sample: a question of weight w counts as a cluster of that size.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.learned import Summary, all_states
from errbar.base.arrays import Array
from errbar.data.counts import (
    CategoryCounts,
    Counts,
    CountsByState,
    States,
    Tally,
    in_order,
    weights_of,
)
from errbar.kernels.bounded_mean import UNSEEN, mean_ends, most_noise, unseen_value
from errbar.kernels.interval import normal_reach
from errbar.kernels.rates import masses
from errbar.metrics.base import AnyCounts, CountMetric
from errbar.metrics.categories import CategoryMetric

NOT_NARROWED = (
    "questions_in_all has no effect: the trials cannot separate trial noise from differences "
    "between questions"
)
_WEIGHINGS = 10_000  # of the sample, where a metric is no mean but made of two


class Seen:
    """The questions of one system, or their clusters."""

    def __init__(self, counts: AnyCounts, *, clustered: bool = True) -> None:
        self._clusters = clusters_of(counts) if clustered else None
        self._weights = weights_of(counts)
        apart = self._clusters is not None or self._weights is not None
        self._states: States | None = None
        self._tally: Tally | None = None
        if isinstance(counts, CategoryCounts):
            self._tally = Tally(counts.tally, counts.repeats()) if apart else Tally.of(counts)
            self._often = self._tally.often
        else:
            counts = in_order(counts)
            self._clusters = clusters_of(counts) if clustered else None
            self._weights = weights_of(counts)
            self._states = _states(counts, apart=apart)
            self._often = self._states.questions[0]

    def summary(self, metric: CountMetric, level: float, rng: np.random.Generator) -> Summary:
        """Mean, standard error and ends."""
        parts = metric.parts()
        if self._states is None or not parts:
            return self._of_categories(metric, level)
        values = [part.subset_means([part], self._states)[0] for part in parts]
        if len(parts) > 1:
            found = self._of_blend(metric, values, level, rng)
        else:
            share = mean_of_sample(values[0], self._often, self._clusters, level, self._weights)
            at = metric.joined(np.array([share.mean, share.low, share.high]))
            slope = abs(float(metric.slopes(at)[0][0]))
            found = Summary(float(at[0]), slope * share.sd, *sorted(at[1:].tolist()))
        sd = math.sqrt(_noise_of_equals(metric, values, self._states, self._weights))
        reach = normal_reach(level) * sd
        noise = Summary(found.mean, sd, found.mean - reach, found.mean + reach)
        return _as_wide_as(found, noise.within(*metric.bounds))

    def most_noise(self, metric: CountMetric) -> float:
        """The largest share of the spread of categories that the luck of the trials can make."""
        values, trials = self._shares(metric)
        return most_noise(values, trials, metric.draws, self._often)

    def _of_categories(self, metric: CountMetric, level: float) -> Summary:
        low, high = metric.bounds
        span = high - low
        shares = self._shares(metric)[0]
        found = mean_of_sample(shares, self._often, self._clusters, level, self._weights)
        mean, *ends = (low + span * one for one in (found.mean, found.low, found.high))
        return Summary(mean, span * found.sd, *ends)

    def _shares(self, metric: CountMetric) -> tuple[Array, NDArray[np.int64]]:
        """What each question of more than two categories shows, from 0 to 1, and its trials."""
        if not isinstance(metric, CategoryMetric) or self._tally is None:
            raise TypeError(f"{metric} is made of no means over questions.")
        low, high = metric.bounds
        values = (metric.row_values(self._tally) - low) / (high - low)
        return values, self._tally.rows.sum(axis=1)

    def _of_blend(
        self, metric: CountMetric, values: list[Array], level: float, rng: np.random.Generator
    ) -> Summary:
        """A blend of means of one sample, weighed at random."""
        totals, sizes, often = _sample(values, self._often, self._clusters, self._weights)
        usual = _larger(self._often, self._weights) * float(often @ sizes / often.sum())
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
            float(max(low.std(), high.std())),
            float(np.quantile(low, tail)),
            float(np.quantile(high, 1.0 - tail)),
        )


def mean_of_sample(
    values: Array,
    often: Array,
    clusters: NDArray[np.int64] | None,
    level: float,
    weights: Array | None = None,
) -> Summary:
    """The mean of values between 0 and 1, how far it may be off, and its ends."""
    (totals,), sizes, repeats = _sample([np.clip(values, 0.0, 1.0)], often, clusters, weights)
    larger = _larger(often, weights)
    low, high = mean_ends(totals, sizes, repeats, level, larger=larger)
    number = float(repeats.sum())
    usual = float(repeats @ sizes) / number
    mean = float(repeats @ totals) / (number * usual)
    worse = unseen_value(totals, sizes, repeats) - mean
    better = 1.0 - unseen_value(sizes - totals, sizes, repeats) - mean
    spread = float(repeats @ np.square(totals - mean * sizes))
    spread += UNSEEN * (larger * usual) ** 2 * max(worse**2, better**2)
    return Summary(mean, math.sqrt(spread / number / (number + 1.0)) / usual, low, high)


def _larger(often: Array, weights: Array | None) -> float:
    """How many times the usual weight that of a question is on which a weighted mean rests.

    Questions make a weighted mean by their weights, so the mean over them is Σw²/Σw. One that was
    not seen has that weight: then it counts as one of the effective number of questions.
    """
    if weights is None:
        return 1.0
    return float(often @ np.square(weights)) * float(often.sum()) / float(often @ weights) ** 2


def _noise_of_equals(
    metric: CountMetric, values: Sequence[Array], states: States, weights: Array | None
) -> float:
    """Variance by luck alone, where questions are equally hard as far as can be seen; else none.

    That is so where their shares of right trials lie closer together than luck puts them.
    """
    n, often, number = states.trials, states.questions[0], float(states.questions[0].sum())
    right = states.correct / n
    rate = float(often @ right) / number
    seen = float(often @ np.square(right - rate)) / max(number - 1.0, 1.0)
    luck = float(often @ (right * (1.0 - right) / np.maximum(n - 1, 1))) / number
    if seen >= luck:
        return 0.0
    mass, squares = (often, often) if weights is None else (often * weights, often * weights**2)
    total = number if weights is None else float(mass.sum())
    slopes = metric.slopes(*(np.array(mass @ one / total) for one in values))
    variance = 0.0
    for size in np.unique(n).tolist():
        each = [part.subset_means([part], all_states(size))[0] for part in metric.parts()]
        shown = sum(slope * one for slope, one in zip(slopes, each, strict=True))
        chances = masses(np.array([rate]), size)[:, 0]
        off = np.square(shown - chances @ shown)
        variance += float(squares[n == size].sum()) * float(chances @ off)
    return variance / total**2


def _as_wide_as(found: Summary, noise: Summary) -> Summary:
    """The same, no narrower than what noise alone makes it."""
    if found.high - found.low >= noise.high - noise.low:
        return found
    low, high = min(found.low, noise.low), max(found.high, noise.high)
    return Summary(found.mean, max(found.sd, noise.sd), low, high)


def of_a_share(found: Summary, share: float, noise: float) -> tuple[Summary, str]:
    """Narrower where a share of all questions was asked, but for what is noise of the trials."""
    if noise >= 1.0:
        return found, NOT_NARROWED
    return found.stretched(math.sqrt(1.0 - share + share * noise)), ""


def _sample(
    values: Sequence[Array],
    often: Array,
    clusters: NDArray[np.int64] | None,
    weights: Array | None = None,
) -> tuple[list[Array], Array, Array]:
    """Totals, sizes and how often each occurs: of clusters, or of the questions themselves.

    Clusters are sorted by what is in them, so that neither their names nor the order of questions
    decides how numbers are rounded. The size of a question is its weight.
    """
    if clusters is None and weights is None:
        return list(values), np.ones(often.size), often
    heft = np.ones(often.size) if weights is None else weights
    if clusters is None:
        (sizes, *held), place = _distinct(np.stack([heft, *values], axis=1))
        return [sizes * one for one in held], sizes, np.bincount(place, often).astype(float)
    table = np.stack([clusters.astype(float), heft, *values], axis=1)
    (names, heft, *held), place = _distinct(table)
    count = np.bincount(place, often) * heft
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
    right = counts.tally[:, 1]
    return CountsByState(counts.trials, right, once, counts.clusters, counts.weights)


def clusters_of(counts: AnyCounts) -> NDArray[np.int64] | None:
    """The cluster of each entry, where there are any."""
    return counts.clusters if isinstance(counts, CountsByState | CategoryCounts) else None


def _states(counts: Counts, *, apart: bool) -> States:
    """States pooled, or as they are given, so that clusters stay apart."""
    if not apart:
        return States.of([counts])
    often = counts.repeats()
    return States(counts.trials, counts.correct, often[None, :], np.array([often.sum()]))
