"""Intervals for the population of questions, from a sample of questions or clusters.

The value of a question, averaged over the subsets of its trials, is unbiased. So the mean of the
values is a sample mean of a bounded variable, and `kernels.bounded_mean` gives its interval. With
weights it is a ratio of two sums over the sample: a question of weight w counts as a cluster of
that size.
"""

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers
from errbar.base.remarks import counted, way_to_say
from errbar.data.counts import (
    CategoryCounts,
    Counts,
    CountsByState,
    States,
    Tally,
    sort_for_rounding,
    weights_of,
)
from errbar.errors import InputError
from errbar.kernels.bounded_mean import NO_ROOM, Sample, mean_ends
from errbar.kernels.interval import largest_unseen, outer_ends
from errbar.kernels.resample import unseen_weights
from errbar.kernels.urn import most_noise
from errbar.metrics.means import AnyCounts, CategoryMetric, CountMetric, OutcomeMean

Assumption = Literal["nothing", "no rare failures"]
ASSUMPTIONS: tuple[str, ...] = get_args(Assumption)

NOT_NARROWED = (
    "questions_in_all has no effect: the trials cannot separate trial noise from differences "
    "between questions"
)
# Random weightings, for a blend of two means: the Monte Carlo error of a 95% end is then 0.4% of
# the width (one standard deviation), which no reader sees.
_WEIGHINGS = 40_000
_AT_ONCE = 1 << 22  # random numbers in memory at a time
_ONCE = np.ones(1)


class Summary(NamedTuple):
    """Mean, standard deviation and ends."""

    mean: float
    sd: float
    low: float
    high: float

    def widened(self, factor: float) -> "Summary":
        """Multiply the sd and the distance of both ends from the mean by a factor."""
        low, high = (self.mean + factor * (end - self.mean) for end in (self.low, self.high))
        return Summary(self.mean, factor * self.sd, low, high)

    def within(self, low: float, high: float) -> "Summary":
        """Clip to bounds; a distribution between them has an sd of at most half their distance."""
        ends = (min(max(end, low), high) for end in (self.low, self.high))
        return Summary(self.mean, min(self.sd, 0.5 * (high - low)), *ends)


def combine_independent(parts: Sequence[tuple[float, Summary]]) -> Summary:
    """Weighted mean of independent estimates, by MOVER (Zou and Donner 2008).

    Squared distances from the means to the ends add up.
    """
    if len(parts) == 1:
        return parts[0][1]
    weights = np.array([weight for weight, _ in parts])
    mean, sd, low, high = np.array([part for _, part in parts]).T
    average = float(weights @ mean)
    spread, below, above = (
        math.hypot(*(weights * off).tolist()) for off in (sd, mean - low, high - mean)
    )
    return Summary(average, spread, average - below, average + above)


class QuestionSample:
    """The questions of one system, or their clusters."""

    def __init__(
        self,
        counts: AnyCounts,
        assume: Assumption = "nothing",
        *,
        clustered: bool = True,
        bounds: tuple[float, float] | None = None,
        largest: float | None = None,
    ) -> None:
        self._assume, self._bounds = assume, bounds
        self._largest = largest if clustered else None
        self._clusters = clusters_of(counts) if clustered else None
        self._weights = weights_of(counts)
        apart = self._clusters is not None or self._weights is not None
        self._states: States | None = None
        self._tally: Tally | None = None
        if isinstance(counts, CategoryCounts):
            self._tally = Tally(counts.tally, counts.repeats()) if apart else Tally.of(counts)
            self._often = self._tally.often
        else:
            counts = sort_for_rounding(counts)
            self._clusters = clusters_of(counts) if clustered else None
            self._weights = weights_of(counts)
            self._states = _states(counts, apart=apart)
            self._often = self._states.questions[0]

    def summary(self, metric: CountMetric, level: float, rng: np.random.Generator) -> Summary:
        """Mean, standard deviation and ends."""
        parts = metric.parts()
        if self._states is None or not parts:
            values, _ = self._categories(metric)
            return self._mean_summary(values, level, metric.bounds)
        values_of_parts = [part.subset_means([part], self._states)[0] for part in parts]
        if len(parts) > 1:
            return self._blend_summary(metric, values_of_parts, level, rng)
        bounds = bounds_of_metric(metric, self._bounds)
        if bounds == metric.bounds:
            bounds = parts[0].bounds  # on the scale of the values
        mean = self._mean_summary(values_of_parts[0], level, bounds)
        at = metric.joined(np.array([mean.mean, mean.low, mean.high]))
        slope = abs(float(metric.slopes(at)[0][0]))
        return Summary(float(at[0]), slope * mean.sd, *sorted(at[1:].tolist()))

    def most_noise(self, metric: CountMetric) -> float:
        """The largest share of the variance of categories that trial noise can explain."""
        values, trials = self._categories(metric)
        low, high = metric.bounds
        return most_noise((values - low) / (high - low), trials, metric.draws, self._often)

    def _categories(self, metric: CountMetric) -> tuple[Array, Integers]:
        """Value of each question of more than two categories, and its trials."""
        if not isinstance(metric, CategoryMetric) or self._tally is None:
            raise TypeError(f"{metric} is made of no means over questions.")
        return metric.row_values(self._tally), self._tally.rows.sum(axis=1)

    def _mean_summary(self, values: Array, level: float, bounds: tuple[float, float]) -> Summary:
        sample = self._often, self._clusters, level, self._weights
        return mean_of_sample(values, *sample, bounds, self._assume, self._largest)

    def _blend_summary(
        self, metric: CountMetric, values: list[Array], level: float, rng: np.random.Generator
    ) -> Summary:
        """A blend of means of one sample: Gaffke's weights, drawn at random."""
        samples = [
            sample_of(value, self._often, self._clusters, self._weights, part.bounds)
            for value, part in zip(values, metric.parts(), strict=True)
        ]
        totals, sizes, often = _sample(values, self._often, self._clusters, self._weights)
        bounds = [_bounds_of(sample, self._assume) for sample in samples]
        unseen = (sizes, often) if self._largest is None else (np.array([self._largest]), _ONCE)
        low, high = _blend_draws(metric, totals, sizes, often, bounds, unseen, rng)
        means = [np.array(often @ total / (often @ sizes)) for total in totals]
        sd = float(max(low.std(), high.std()))
        return Summary(float(metric.joined(*means)), sd, *outer_ends(low, high, level))


def bounds_of_metric(
    metric: CountMetric, bounds: tuple[float, float] | None
) -> tuple[float, float]:
    """Bounds of a metric; for `avg` those of the rewards, even if all observed are 0 or 1.

    Examples
    --------
    >>> from errbar.metrics import Average, PassAt
    >>> bounds_of_metric(Average(), (0, 10)), bounds_of_metric(PassAt(1), (0, 10))
    ((0.0, 10), (0.0, 1.0))
    """
    low, high = metric.bounds
    if bounds is None or not isinstance(metric, OutcomeMean) or (low, high) != (0.0, 1.0):
        return low, high
    return min(low, bounds[0]), max(high, bounds[1])


def _blend_draws(
    metric: CountMetric,
    totals: Sequence[Array],
    sizes: Array,
    often: Array,
    bounds: Sequence[tuple[float, float]],
    unseen_sizes: tuple[Array, Array],
    rng: np.random.Generator,
) -> tuple[Array, Array]:
    """Draws of a blend, with an unseen question at the lower and at the upper bounds."""
    found: list[tuple[Array, Array]] = []
    step = max(1, _AT_ONCE // often.size)
    for start in range(0, _WEIGHINGS, step):
        number = min(step, _WEIGHINGS - start)
        weights = rng.standard_gamma(often, (number, often.size))
        unseen = unseen_weights(*unseen_sizes, (number,), rng)
        sums = [weights @ total for total in totals]
        total = weights @ sizes + unseen
        low, high = (
            metric.joined(
                *((part + unseen * b[side]) / total for part, b in zip(sums, bounds, strict=True))
            )
            for side in (0, 1)
        )
        found.append((np.minimum(low, high), np.maximum(low, high)))
    lows, highs = zip(*found, strict=True)
    return np.concatenate(lows), np.concatenate(highs)


def mean_of_sample(
    values: Array,
    often: Array,
    clusters: Integers | None,
    level: float,
    weights: Array | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    assume: Assumption = "nothing",
    largest: float | None = None,
) -> Summary:
    """Mean of bounded values, its standard deviation and its ends."""
    sample = sample_of(values, often, clusters, weights, bounds, largest)
    sample = sample._replace(bounds=_bounds_of(sample, assume))
    return Summary(sample.mean, sample.sd(), *mean_ends(sample, level))


def assumption_on_sizes(
    often: Array,
    clusters: Integers | None,
    weights: Array | None,
    level: float,
    given: int | None = None,
) -> str:
    """The assumption of intervals on the sizes of unseen clusters, or on unseen weights.

    It says which share of all may be of a kind that was not drawn (`largest_unseen`).

    Examples
    --------
    >>> assumption_on_sizes(np.ones(6), np.array([0, 0, 0, 1, 1, 2]), None, 0.95)
    'assumes that no cluster has more than 3 questions; a kind of cluster that makes up 63% of all may be missing'
    """  # noqa: E501
    if given is not None and (clusters is None or weights is not None):
        lacking = "there is no column of clusters" if clusters is None else "questions have weights"
        option = way_to_say("--largest-cluster", "largest_cluster")
        raise InputError(
            f"{option} states the number of questions in the largest cluster, but {lacking}."
        )
    if clusters is None and weights is None:
        return ""
    _, sizes, repeats = _sample([], often, clusters, weights)
    largest, number = float(sizes.max()), float(repeats.sum())
    if given is not None:
        if given < largest:
            option = way_to_say("--largest-cluster", "largest_cluster")
            raise InputError(
                f"{option} is {given}, but a cluster in the data has {largest:.0f} questions."
            )
        return f"holds if no cluster has more than {counted(given, 'question')}, as given"
    if largest == (sizes.min() if clusters is None else 1.0):
        return ""
    unit = "question" if clusters is None else "cluster"
    if weights is None:
        most = f"has more than {counted(round(largest), 'question')}"
    else:
        most = f"weighs more than {largest * number / float(repeats @ sizes):.2g} times the average"
    share = 100.0 * largest_unseen(number, level)
    kind = f"a kind of {unit} that makes up {share:.2g}% of all may be missing"
    return f"assumes that no {unit} {most}; {kind}"


def sample_of(
    values: Array,
    often: Array,
    clusters: Integers | None,
    weights: Array | None,
    bounds: tuple[float, float],
    largest: float | None = None,
) -> Sample:
    """The sample behind a mean: questions, or clusters of them, with their sizes."""
    (totals,), sizes, repeats = _sample([np.clip(values, *bounds)], often, clusters, weights)
    totals = np.clip(totals, bounds[0] * sizes, bounds[1] * sizes)
    return Sample(totals, sizes, repeats, bounds, largest)


def _bounds_of(sample: Sample, assume: Assumption) -> tuple[float, float]:
    """Bounds of an unseen question: those of the metric, or the observed extremes.

    If all questions have the same value, the observed extremes say nothing about an unseen one.
    """
    ratios = sample.values / sample.sizes
    low, high = float(ratios.min()), float(ratios.max())
    return (low, high) if assume == "no rare failures" and high - low > NO_ROOM else sample.bounds


def finite_population(found: Summary, share: float, noise: float) -> tuple[Summary, str]:
    """Finite-population correction, which does not apply to the noise of the trials."""
    if noise >= 1.0:
        return found, NOT_NARROWED
    return found.widened(math.sqrt(1.0 - share + share * noise)), ""


def _sample(
    values: Sequence[Array],
    often: Array,
    clusters: Integers | None,
    weights: Array | None = None,
) -> tuple[list[Array], Array, Array]:
    """Totals and sizes of clusters, or of questions, with their frequencies.

    Clusters are sorted by their contents, so that rounding does not depend on their names or on the
    order of questions. The size of a question is its weight.
    """
    if clusters is None and weights is None:
        return list(values), np.ones(often.size), often
    heft = np.ones(often.size) if weights is None else weights
    if clusters is None:
        (sizes, *parts), place = _distinct(np.stack([heft, *values], axis=1))
        return [sizes * part for part in parts], sizes, np.bincount(place, often).astype(float)
    table = np.stack([clusters.astype(float), heft, *values], axis=1)
    (names, heft, *parts), place = _distinct(table)
    count = np.bincount(place, often) * heft
    number = np.unique(names, return_inverse=True)[1]
    sizes = np.bincount(number, count)
    totals = (np.bincount(number, count * part) for part in parts)
    each = np.stack([sizes, *totals], axis=1)
    distinct, repeats = np.unique(each, axis=0, return_counts=True)
    sizes, *sums = distinct.T
    return sums, sizes, repeats.astype(float)


def _distinct(table: Array) -> tuple[Array, NDArray[np.intp]]:
    """Columns of the distinct rows in their order, and which of them each row is."""
    rows, place = np.unique(table, axis=0, return_inverse=True)
    return rows.T, place.ravel()


def right_or_wrong(counts: AnyCounts) -> AnyCounts:
    """Counts of two categories as counts of right and wrong."""
    if isinstance(counts, Counts) or counts.tally.shape[1] > 2:
        return counts
    once = np.ones(len(counts), dtype=np.int64)
    right = counts.tally[:, 1]
    return CountsByState(counts.trials, right, once, counts.clusters, counts.weights)


def clusters_of(counts: AnyCounts) -> Integers | None:
    """The cluster of each entry; None without clusters."""
    return counts.clusters if isinstance(counts, CountsByState | CategoryCounts) else None


def _states(counts: Counts, *, apart: bool) -> States:
    """States, pooled if they are equal; separate if clusters must be kept separate."""
    if not apart:
        return States.of([counts])
    often = counts.repeats()
    return States(counts.trials, counts.correct, often[None, :], np.array([often.sum()]))
