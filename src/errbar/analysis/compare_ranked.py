"""Systems that rank their answers, compared item by item: risk and coverage, and ROC-AUC.

Clusters of items are drawn again, the same for all systems, so that what two systems share falls
out of their difference. Two scores of the same labels have DeLong's covariance instead.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import several_by_task
from errbar.analysis.compare import Asked, Refused, holm, missing
from errbar.analysis.methods.bootstrap import Bootstrap, Replicates, generator_of, require_several
from errbar.analysis.ranked import Flags, PairedItems, items_by_system, paired_items
from errbar.analysis.roc import compare_paired
from errbar.base.arrays import Array
from errbar.base.tables import percent
from errbar.data.predictions import Arranged, Predictions
from errbar.data.queries.ranked_rows import RankedItems
from errbar.data.scored import ArrangedScores, Scored
from errbar.data.sources.tables import Key, Source
from errbar.errors import InputError
from errbar.kernels.interval import normal_reach
from errbar.kernels.risk_coverage import is_reached
from errbar.kernels.sign_flip import Ends, clip_to_verdict
from errbar.metrics import Metric
from errbar.metrics.base import Direction
from errbar.metrics.grammar import metric_of
from errbar.metrics.ranked import LabelMetric, RankedMetric
from errbar.results.base import Refusals, reason_of
from errbar.results.comparison import Comparison, Comparisons
from errbar.results.estimate import Estimand, Interval

ItemMetric = RankedMetric | LabelMetric

_NORMAL = NormalDist()
_FEW_CLUSTERS, _MANY_CLUSTERS = 20, 4000
_MANY_DROPPED = 0.01  # resamples that leave a difference undefined


class _Pair(NamedTuple):
    """Two systems by one metric, on the items of both."""

    data: PairedItems
    metric: ItemMetric
    one: int
    other: int
    both: Flags
    reason: str  # why there is no difference

    @property
    def has_delong(self) -> bool:
        """Whether the two score the same labels, of items that stand for themselves."""
        if not isinstance(self.metric, LabelMetric) or self.reason:
            return False
        first, second = self.data.outcome[[self.one, self.other]][:, self.both]
        clusters = self.data.clusters[self.both]
        alone = np.unique(clusters).size == clusters.size
        return alone and not np.isnan(first).any() and np.array_equal(first, second)


class _Gap(NamedTuple):
    """A difference and what is known of it, at some level."""

    value: float
    against: float
    mean: float
    sd: float
    ends: tuple[float, float]
    reason: str
    dropped: float = 0.0

    @property
    def score(self) -> float:
        """Evidence that the mean is not zero, in normal deviations."""
        return self.above(0.0)

    def above(self, shift: float) -> float:
        """Evidence that the mean is above a shift."""
        return math.nan if self.reason or not self.sd else (self.mean - shift) / self.sd


def ranked_metrics(metrics: Sequence[Metric | str]) -> list[ItemMetric]:
    """The metrics, if they are of ranked items; none if they are not; never both at once."""
    named = [metric_of(one) for one in metrics]
    ranked = [one for one in named if isinstance(one, RankedMetric | LabelMetric)]
    if ranked and len(ranked) < len(named):
        other = next(one for one in named if not isinstance(one, RankedMetric | LabelMetric))
        raise InputError(
            f"{ranked[0]} is compared by items and {other} by questions; ask for one kind of "
            f"metric at a time."
        )
    return ranked


def compare_ranked(
    source: Source, asked: Asked[ItemMetric], method: Bootstrap, rng: np.random.Generator | int
) -> Comparisons:
    """Every pair of systems, or every system against the baseline, on every metric and task."""
    if asked.covers is not Estimand.POPULATION:
        raise InputError(
            f"{asked.metrics[0]}: ranked items are compared for the estimand 'population' only."
        )
    items, refused = items_by_system(source)
    given: dict[Key, RankedItems | InputError] = {
        key: items[key] if key in items else refused[key] for key in sorted({*items, *refused})
    }
    tasks, lone = several_by_task(given, asked.wanted())
    tables, without = asked.tables([paired_items(task, each) for task, each in tasks.items()])
    refusals = Refusals()
    tried = [
        (data, metric, _pair(data, metric, names, refusals))
        for metric in asked.metrics
        for data in tables
        for names in asked.pairs(data.everyone)
    ]
    pairs = [pair for *_, pair in tried if isinstance(pair, _Pair)]
    if not pairs:
        refusals.require_none(done="compared")
    found, words = _found(pairs, asked, method, rng)
    alone = [2.0 * _NORMAL.cdf(-abs(gap.score)) for gap in found]
    adjusted = holm(alone) if asked.adjust == "holm" else alone
    compared = iter(zip(pairs, found, alone, adjusted, strict=True))
    rows = [
        missing(metric, data.task, pair, asked)
        if isinstance(pair, Refused)
        else _comparison(*next(compared), asked)
        for data, metric, pair in tried
    ]
    silent = sum(int((data.held & ~data.answered).sum()) for data in tables)
    said = [f"{silent} rows are not answered."] if silent else []
    size = len(pairs) if asked.adjust == "holm" else 1
    return Comparisons(tuple(rows), words, (*lone, *without, *said), size)


def _pair(
    data: PairedItems, metric: ItemMetric, names: tuple[str, str], refusals: Refusals
) -> _Pair | Refused:
    """Two systems, or why they cannot be compared."""
    whose = f"{names[0]} − {names[1]}{f' · {data.task}' if data.task else ''}"
    without = next((name for name in names if name in data.refused), None)
    if without is not None:
        error = data.refused[without]
        why = f"{without} has no {metric}: {reason_of(error, metric)}"
        return Refused(*names, refusals.add(whose, metric, type(error)(why)))
    one, other = (data.systems.index(name) for name in names)
    try:
        both = data.shared(one, other)
        require_several(int(data.clusters.max()) + 1)
    except InputError as error:
        return Refused(*names, refusals.add(whose, metric, error))
    reasons = (_no_value(data, metric, at, both) for at in (one, other))
    return _Pair(data, metric, one, other, both, next(filter(None, reasons), ""))


def _no_value(data: PairedItems, metric: ItemMetric, system: int, both: Flags) -> str:
    """Why a system has no such number; empty if it has one."""
    outcome = data.outcome[system, both]
    known = outcome[~np.isnan(outcome)]
    name = data.systems[system]
    if isinstance(metric, LabelMetric):
        return "" if np.unique(known).size == 2 else f"{name} is not both right and wrong"
    if not known.size:
        return f"{name} answered none of the items"
    coverage = known.size / outcome.size
    if not is_reached(metric.least_coverage(), coverage):
        return f"{name} answered {coverage:.4g} of the items"
    return ""


def _found(
    pairs: Sequence[_Pair],
    asked: Asked[ItemMetric],
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> tuple[list[_Gap], str]:
    """Every difference with ends that hold together, and how they were found."""
    tried = [pair for pair in pairs if not pair.reason]
    together = asked.adjust == "holm" and len(tried) > 1
    if all(pair.has_delong for pair in tried):
        level = 1.0 - (1.0 - asked.level) / len(tried) if together else asked.level
        return [_delong(pair, level) for pair in pairs], "DeLong's covariance"
    drawn = _Drawn(pairs, method, rng)
    level = drawn.common_level(asked.level) if together else asked.level
    own = replace(method, level=level)
    gaps = [
        _delong(pair, level) if pair.has_delong else drawn.gap(at, own)
        for at, pair in enumerate(pairs)
    ]
    words = f"{method.describe()}, the same items for all systems"
    if any(pair.has_delong for pair in tried):
        words += "; DeLong's covariance where labels are the same"
    return gaps, words


def _nowhere(reason: str) -> _Gap:
    nan = math.nan
    return _Gap(nan, nan, nan, nan, (nan, nan), reason)


def _delong(pair: _Pair, level: float) -> _Gap:
    if pair.reason:
        return _nowhere(pair.reason)
    sure, labels = pair.data.confidence[:, pair.both], pair.data.outcome[pair.one, pair.both]
    found = compare_paired(sure[pair.one], sure[pair.other], labels, level=level)
    ends = found.interval.low, found.interval.high
    return _Gap(found.first, found.second, found.difference, found.sd, ends, found.reason)


class _Drawn:
    """Every pair's two numbers in resamples; within a task they are drawn together."""

    def __init__(
        self, pairs: Sequence[_Pair], method: Bootstrap, rng: np.random.Generator | int
    ) -> None:
        generator = generator_of(rng)
        measures = {pair.data: _Measure(pair.data) for pair in pairs}
        self._pairs = pairs
        self._at: dict[int, tuple[PairedItems, int, int]] = {}
        for at, pair in enumerate(pairs):
            if not pair.reason:
                place = measures[pair.data].place
                one, other = (place(pair.metric, who, pair.both) for who in (pair.one, pair.other))
                self._at[at] = pair.data, one, other
        self._drawn = {
            data: _run(measure, method, generator)
            for data, measure in measures.items()
            if measure.size
        }

    def gap(self, at: int, method: Bootstrap) -> _Gap:
        """One difference, at the level of the method."""
        if at not in self._at:
            return _nowhere(self._pairs[at].reason)
        task, one, other = self._at[at]
        drawn = self._drawn[task]
        mean, sd, interval, dropped, reason = drawn.less(one, other).spread(0, method)
        ends = interval.low, interval.high
        value, against = drawn.whole[[one, other]].tolist()
        return _Gap(value, against, mean, sd, ends, reason, dropped)

    def common_level(self, level: float) -> float:
        """The level at which each interval must hold for all to hold together."""
        farthest: Array = np.zeros(1)
        for task, one, other in self._at.values():
            apart = self._drawn[task].less(one, other).drawn[0]
            sd = float(np.nanstd(apart))
            if sd > 0:
                off = np.abs(apart - np.nanmean(apart)) / sd
                farthest = np.maximum(farthest, np.nan_to_num(off))
        reach = max(float(np.quantile(farthest, level)), normal_reach(level))
        return 1.0 - 2.0 * _NORMAL.cdf(-reach)


def _run(measure: "_Measure", method: Bootstrap, rng: np.random.Generator) -> Replicates:
    """Resamples; of very many clusters none is left out in turn, as no skewness is left."""
    many = measure.clusters > _MANY_CLUSTERS
    how = replace(method, ends="percentile") if many else method
    return how.run(measure, measure.clusters, measure.rows, rng)


class _Measure:
    """The numbers of one task that pairs ask for, as functions of how often clusters are drawn."""

    def __init__(self, data: PairedItems) -> None:
        self._data = data
        self.clusters = int(data.clusters.max()) + 1
        self._sides: dict[tuple[int, bytes, bool], Arranged | ArrangedScores] = {}
        self._asked: dict[tuple[ItemMetric, tuple[int, bytes, bool]], int] = {}

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self._asked)

    @property
    def rows(self) -> int:
        """How long the longest work array of one replicate is."""
        return max(side.rows for side in self._sides.values())

    def place(self, metric: ItemMetric, system: int, some: Flags) -> int:
        """Where the number of a system on some of the items is."""
        labelled = isinstance(metric, LabelMetric)
        side = system, some.tobytes(), labelled
        if side not in self._sides:
            self._sides[side] = (
                self._scored(system, some) if labelled else self._ranked(system, some)
            )
        return self._asked.setdefault((metric, side), len(self._asked))

    def __call__(self, weights: NDArray[Any]) -> Array:
        oracle = any(
            isinstance(metric, RankedMetric) and metric.with_oracle for metric, _ in self._asked
        )
        known: dict[tuple[int, bytes, bool], Any] = {
            key: side.totals(weights, with_oracle=oracle)
            if isinstance(side, Arranged)
            else side.classes(weights)
            for key, side in self._sides.items()
        }
        return np.stack([metric.measure(known[side]) for metric, side in self._asked])

    def _ranked(self, system: int, some: Flags) -> Arranged:
        """An item costs 1 unless its outcome is 1."""
        data = self._data
        outcome, clusters = data.outcome[system, some], data.clusters[some]
        answered = ~np.isnan(outcome)
        lost = 1.0 - np.nan_to_num(outcome)
        return Arranged(Predictions(data.confidence[system, some], lost, answered), clusters)

    def _scored(self, system: int, some: Flags) -> ArrangedScores:
        data = self._data
        kept = some & data.answered[system]
        scored = Scored(data.confidence[system, kept], data.outcome[system, kept])
        return ArrangedScores(scored, data.clusters[kept])


def _comparison(
    pair: _Pair, gap: _Gap, alone: float, adjusted: float, asked: Asked[ItemMetric]
) -> Comparison:
    upwards = pair.metric.direction is Direction.HIGHER
    margin, no_worse = asked.margin, math.nan
    if margin is not None:
        no_worse = _NORMAL.cdf(gap.above(-margin) if upwards else -gap.above(margin))
    sign = int(math.copysign(1, gap.score)) if adjusted < 1.0 - asked.level else 0
    low, high = gap.ends if gap.reason else clip_to_verdict(Ends(*gap.ends), sign)
    names = pair.data.systems
    return Comparison(
        pair.metric,
        pair.data.task,
        names[pair.one],
        names[pair.other],
        gap.value,
        gap.against,
        gap.mean,
        gap.sd,
        Interval(low, high, asked.level, asked.covers),
        alone,
        adjusted,
        _NORMAL.cdf(gap.score if upwards else -gap.score),
        0,
        0,
        0,
        int((pair.data.held[pair.one] | pair.data.held[pair.other]).sum() - pair.both.sum()),
        margin,
        no_worse,
        "" if gap.reason else _caution(pair, gap),
        gap.reason,
        int(pair.both.sum()),
    )


def _caution(pair: _Pair, gap: _Gap) -> str:
    """Why not to trust it too much."""
    metric, data = pair.metric, pair.data
    reach = [float(data.answered[at, pair.both].mean()) for at in (pair.one, pair.other)]
    if isinstance(metric, RankedMetric) and metric.whole and reach[0] != reach[1]:
        fair = _reached(min(reach), int(pair.both.sum()))
        ask = f"; {metric.head}(coverage={fair:g}) is fair" if fair > 0 else ""
        return f"coverages differ, {reach[0]:.3g} and {reach[1]:.3g}{ask}"
    clusters = np.unique(data.clusters[pair.both]).size
    if clusters < _FEW_CLUSTERS:
        return f"only {clusters} {'items' if clusters == pair.both.sum() else 'clusters'}"
    if gap.dropped > _MANY_DROPPED:
        return f"undefined in {percent(round(gap.dropped, 3))} of the resamples"
    return ""


def _reached(coverage: float, items: int) -> float:
    """A coverage that nearly all resamples reach, where the items reach this one.

    Examples
    --------
    >>> _reached(0.5, 60), _reached(1.0, 60)
    (0.3, 1.0)
    """
    sd = math.sqrt(coverage * (1.0 - coverage) / items)
    return math.floor(100.0 * (coverage - 3.0 * sd)) / 100.0
