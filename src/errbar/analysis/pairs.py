"""Differences of two systems on their common questions: interval, test and probability.

For the population, differences are paired by question or cluster, and their mean is that of a
bounded variable (`kernels.bounded_mean`). For this exact benchmark and for a repeat of this run,
the trials of the two systems are independent, so the intervals of the two scores are combined by
the method of variance estimates recovery (MOVER; Zou and Donner 2008).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues, mean_of
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.population import assumption_on_sizes, bounds_of_metric
from errbar.analysis.outcome_scales import bounds_of, given_bounds
from errbar.analysis.rewards import remarks_on_bounds
from errbar.analysis.spreads import (
    LEVELS,
    SCORES,
    EndsByScore,
    IndependentScores,
    PairedSpread,
    Spread,
)
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import as_remarks, counted, setting
from errbar.errors import InputError
from errbar.kernels import bounded_mean as bounded
from errbar.kernels import sign_flip as signs
from errbar.kernels.interval import student_reach
from errbar.metrics import CountMetric
from errbar.metrics.base import Direction
from errbar.results.estimate import Estimand

_ROOT_TWO = math.sqrt(2.0)  # sd of the difference of two runs, over that of a single run
_NORMAL = NormalDist()


@dataclass(frozen=True, eq=False, kw_only=True)
class Difference:
    """Difference of two systems on one metric, before adjustment for multiple comparisons."""

    value: float
    against: float
    spread: Spread
    wins: int
    ties: int
    losses: int
    left_out: int
    caution: str  # about the sign-flip test
    reason: str = ""  # why there is no interval and no p-value
    clusters: int = 0  # of the common questions; 0 if they have none
    failed: int = 0  # failed trials of both systems, with errors="bracket"
    flips: Callable[[bool, Callable[["Difference"], bool]], int] | None = None  # as in `bracket`

    @property
    def p_value(self) -> float:
        """Two-sided p-value of no difference."""
        if self.reason:
            return math.nan
        return min(1.0, 2.0 * min(self.spread.p_at_most(0.0), self.spread.p_at_least(0.0)))


class Differences:
    """All pairs of systems on one metric and task."""

    def __init__(self, data: AlignedValues, intervals: Calibrated) -> None:
        self._data, self._covers, self._assume = data, intervals.estimand, intervals.assume
        self._bounds, self._largest = intervals.bounds, intervals.largest_cluster
        self._known: dict[tuple[int, bytes], EndsByScore] = {}

    def of(self, first: int, second: int) -> Difference:
        """First minus second on their common questions, of which there is at least one."""
        data = self._data
        masks = data.present(first), data.present(second)
        both = masks[0] & masks[1]
        first_values, second_values = data.values(first, both), data.values(second, both)
        ahead = signs.rounded_difference(data.alone(first, both), data.alone(second, both))
        if data.metric.direction is Direction.LOWER:
            ahead = -ahead
        weights = data.weighing(both)
        differences = signs.rounded_difference(first_values, second_values)
        paired = self._paired_spread(differences, data.clusters[both], weights)
        spread: Spread = paired
        if self._covers is not Estimand.POPULATION and not self._has_one_trial(first, second):
            spread = IndependentScores(self._ends(first, both), self._ends(second, both), data.span)
        elif self._covers is Estimand.RERUN:
            spread = paired._replace(runs=_ROOT_TWO)
        return Difference(
            value=mean_of(first_values, weights),
            against=mean_of(second_values, weights),
            spread=spread,
            wins=int((ahead > 0).sum()),
            ties=int((ahead == 0).sum()),
            losses=int((ahead < 0).sum()),
            left_out=int((masks[0] | masks[1]).sum()) - int(both.sum()),
            clusters=np.unique(data.clusters[both]).size if data.clustered else 0,
            caution=self._caution(paired) if isinstance(spread, PairedSpread) else "",
            reason="" if spread.sd else "nothing varies, so there is no spread to estimate",
        )

    def _paired_spread(
        self, differences: Array, clusters: Integers, weights: Array | None
    ) -> PairedSpread:
        if (np.diff(clusters) > 0).all():  # every question is a cluster of its own
            number = np.arange(clusters.size)
        else:
            number = np.unique(clusters, return_inverse=True)[1]
        low, high = range_of(self._data, self._bounds)
        bounds = (low - high, high - low)
        totals = np.bincount(
            number, differences if weights is None else differences * weights
        ).astype(float)
        sizes = np.bincount(number, weights).astype(float)
        sample = sample_of_differences(totals, sizes, bounds)
        return PairedSpread(sample._replace(largest=self._largest), self._assume)

    def _has_one_trial(self, *systems: int) -> bool:
        """Whether a system has one trial per question, so that trial noise is not observable."""
        data = self._data
        if data.correct is None:
            return False
        return any(int(data.trials[at, data.present(at)].max()) == 1 for at in systems)

    def _ends(self, system: int, some: NDArray[np.bool_]) -> EndsByScore:
        """Intervals of a system's score on this exact benchmark, or for a repeat of the run."""
        key = system, some.tobytes()
        if key not in self._known:
            noise = self._data.noise
            if noise is not None:
                self._known[key] = self._reward_ends(system, some, noise[system, some])
                return self._known[key]
            # All systems with these questions are fitted in one pass.
            alike = [
                at for at in range(len(self._data.systems)) if self._data.present(at)[some].all()
            ]
            found = self._learned_ends(alike, some)
            self._known |= {(at, key[1]): ends for at, ends in zip(alike, found, strict=True)}
        return self._known[key]

    def _learned_ends(self, systems: Sequence[int], some: NDArray[np.bool_]) -> list[EndsByScore]:
        data = self._data
        if not isinstance(data.metric, CountMetric):
            raise InputError(
                f"{data.metric}: votes by answer are supported for the estimand 'population' only."
            )
        counts = [data.counts(at, some) for at in systems]
        tables = Calibrated(self._covers).at_levels(counts, data.metric, LEVELS[::-1])
        found = []
        for row in tables:
            ends = [(cell.interval.low, cell.interval.high) for cell in row[::-1]]
            found.append(EndsByScore.of(row[-1].mean, row[-1].sd, ends))
        return found

    def _reward_ends(self, system: int, some: NDArray[np.bool_], noise: Array) -> EndsByScore:
        values = self._data.parts[0][system, some]
        if not np.isfinite(noise).all():
            raise InputError(
                f"{self._data.metric}: a question with a single trial gives no spread between "
                f"trials. "
                f"Ask for {setting('estimand', 'population')}."
            )
        twice = 2.0 if self._covers is Estimand.RERUN else 1.0
        weights = self._data.weighing(some)
        if weights is None:
            sd = math.sqrt(twice * float(noise.sum())) / values.size
        else:
            sd = math.sqrt(twice * float(weights**2 @ noise)) / float(weights.sum())
        freedom = float((self._data.trials[system, some] - 1).sum())
        levels = 2.0 * np.array([_NORMAL.cdf(z) for z in SCORES.tolist()]) - 1.0
        distance = sd * np.array([student_reach(level, freedom) for level in levels.tolist()])
        return EndsByScore(mean_of(values, weights), sd, distance, distance)

    def _caution(self, paired: PairedSpread) -> str:
        """Caution about the normal approximation of the sign-flip test, or an empty text."""
        sample = paired.sample
        clusters = int(sample.often.sum())
        totals = np.repeat(sample.values, sample.often.astype(np.int64))
        if clusters < signs.FEW:
            return f"only {counted(clusters, 'cluster' if self._data.clustered else 'question')}"
        differ = int((totals != 0).sum())
        if signs.effective_size(totals) < signs.FEW:
            unit = "clusters" if self._data.clustered else "questions"
            few_differ = f"few {unit} differ: {differ}"
            few_decide = f"rests on few of the {differ} {unit} that differ"
            return few_differ if differ <= signs.FEW else few_decide
        return ""


def range_of(data: AlignedValues, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Lowest and highest possible value: of the metric, or of rewards by their bounds."""
    if data.extremes is not None:
        return bounds_of(data.extremes[:, ~np.isnan(data.extremes[0])], bounds)
    metric = data.metric
    return bounds_of_metric(metric, bounds) if isinstance(metric, CountMetric) else metric.bounds


def assumptions(tables: Sequence[AlignedValues], intervals: Calibrated) -> list[str]:
    """Remarks on the assumptions of comparisons: bounds of rewards, sizes of clusters."""
    remarks = []
    for data in tables if intervals.estimand is Estimand.POPULATION else ():
        subject = f"{data.task}: " if data.task else ""
        if data.extremes is not None and intervals.bounds is None:
            values = data.parts[0][~np.isnan(data.parts[0])]
            remarks += remarks_on_bounds(subject, values, range_of(data, None))
        elif data.extremes is not None and intervals.bounds is not None:
            remarks.append(given_bounds(intervals.bounds))
        once, clusters = np.ones(data.clusters.size), data.clusters if data.clustered else None
        given = intervals.level, intervals.largest_cluster
        if sizes := assumption_on_sizes(once, clusters, data.weights, *given):
            remarks += as_remarks(subject or "comparison: ", sizes)
    return remarks


def sample_of_differences(
    totals: Array, sizes: Array, bounds: tuple[float, float]
) -> bounded.Sample:
    """Sums of differences over clusters of `sizes` questions, pooled where they are equal."""
    if (sizes == sizes[0]).all():
        values, counts = np.unique(totals, return_counts=True)
        return bounded.Sample(values, np.full(values.size, sizes[0]), counts.astype(float), bounds)
    order = np.lexsort((sizes, totals))  # ten times as fast as np.unique of columns
    totals, sizes = totals[order], sizes[order]
    starts = np.flatnonzero(np.append(True, (np.diff(totals) != 0) | (np.diff(sizes) != 0)))
    often = np.diff(np.append(starts, totals.size)).astype(float)
    return bounded.Sample(totals[starts], sizes[starts], often, bounds)
