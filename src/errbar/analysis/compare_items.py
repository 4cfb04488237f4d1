"""Comparisons of systems by ranked item: paired bootstrap, or DeLong's covariance of two areas.

The bootstrap draws the same clusters of items for both systems, so that what the systems share
cancels in the difference. Two scores of the same labels have DeLong's covariance instead. P-values
and intervals are adjusted for the number of comparisons (Bonferroni).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.compare import ComparisonRequest, RefusedPair, bonferroni, missing
from errbar.analysis.methods.bootstrap import (
    Bootstrap,
    Gap,
    Replicates,
    StatisticSpread,
    generator_of,
    require_several,
)
from errbar.analysis.ranked import Flags, PairedItems
from errbar.analysis.roc import paired_areas
from errbar.base.arrays import Array
from errbar.base.tables import percent
from errbar.data.predictions import Arranged, Predictions, Totals
from errbar.data.scored import ArrangedScores, Scored
from errbar.errors import InputError
from errbar.kernels.risk_coverage import is_reached
from errbar.kernels.sign_flip import Ends, clip_to_verdict
from errbar.metrics.base import Direction
from errbar.metrics.ranked import COMMON, AreaMetric, LabelMetric, RankedMetric
from errbar.results.base import Refusals, reason_of
from errbar.results.comparison import Comparison
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Interval

ItemMetric = RankedMetric | LabelMetric

_NORMAL = NormalDist()
_FEW_CLUSTERS, _MANY_CLUSTERS = 20, 4000
_MANY_DROPPED = 0.01  # resamples that leave a difference undefined


class _Pair(NamedTuple):
    """Two systems by one metric, on the items of both."""

    data: PairedItems
    metric: ItemMetric
    first: int
    second: int
    both: Flags
    reason: str  # why there is no difference

    @property
    def has_delong(self) -> bool:
        """Whether both systems score the same labels, and items are not clustered."""
        if not isinstance(self.metric, LabelMetric) or self.reason:
            return False
        first, second = self.data.loss[[self.first, self.second]][:, self.both]
        clusters = self.data.clusters[self.both]
        alone = np.unique(clusters).size == clusters.size
        return alone and not np.isnan(first).any() and np.array_equal(first, second)


class TestedDifference(NamedTuple):
    """Two scores and their difference, before and after adjustment."""

    gap: Gap
    p_value: float
    adjusted: float


def compare_items(
    tables: Sequence[PairedItems],
    request: ComparisonRequest[ItemMetric],
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> Comparisons:
    """Compare every pair of systems, or each with the baseline, on all metrics and tasks."""
    kept, remarks = request.tables(tables)
    method = method.of_seen
    refusals = Refusals()
    tried = [
        (data, metric, _pair(data, metric, names, refusals))
        for metric in request.metrics
        for data in kept
        for names in request.pairs(data.everyone)
    ]
    pairs = [pair for *_, pair in tried if isinstance(pair, _Pair)]
    if not pairs:
        refusals.require_none(done="compared")
    found, words = _found(pairs, request, method, rng)
    alone = [p_value_of(gap) for gap in found]
    size = len(pairs) if request.adjust == "bonferroni" else 1
    adjusted = [bonferroni(p_value, size) for p_value in alone]
    compared = iter(zip(pairs, map(TestedDifference, found, alone, adjusted), strict=True))
    rows = [
        missing(metric, data.task, pair, request)
        if isinstance(pair, RefusedPair)
        else _comparison(*next(compared), request)
        for data, metric, pair in tried
    ]
    silent = sum(int((data.present & ~data.answered).sum()) for data in kept)
    notes = [f"{silent} rows are not answered."] if silent else []
    return Comparisons(tuple(rows), words, (*remarks, *notes), size)


def p_value_of(gap: Gap) -> float:
    """Two-sided p-value of no difference, by the normal distribution."""
    return 2.0 * _NORMAL.cdf(-abs(gap.score()))


def _pair(
    data: PairedItems, metric: ItemMetric, names: tuple[str, str], refusals: Refusals
) -> _Pair | RefusedPair:
    """A pair of systems, or the reason why it cannot be compared."""
    subject = f"{names[0]} − {names[1]}{f' · {data.task}' if data.task else ''}"
    without = next((name for name in names if name in data.refused), None)
    if without is not None:
        error = data.refused[without]
        why = f"{without} has no {metric}: {reason_of(error, metric)}"
        return RefusedPair(*names, refusals.add(subject, metric, type(error)(why)))
    first, second = (data.systems.index(name) for name in names)
    try:
        both = data.shared(first, second)
        require_several(int(data.clusters.max()) + 1, "item" if both.size == 1 else "cluster")
    except InputError as error:
        return RefusedPair(*names, refusals.add(subject, metric, error))
    reasons = (_no_value(data, metric, at, both) for at in (first, second))
    return _Pair(data, metric, first, second, both, next(filter(None, reasons), ""))


def _no_value(data: PairedItems, metric: ItemMetric, system: int, both: Flags) -> str:
    """The reason why a system has no value; empty if it has one."""
    loss = data.loss[system, both]
    known = loss[~np.isnan(loss)]
    name = data.systems[system]
    if isinstance(metric, LabelMetric):
        return "" if np.unique(known).size == 2 else f"{name} is not both right and wrong"
    if not known.size:
        return f"{name} answered none of the items"
    coverage = known.size / loss.size
    if not is_reached(metric.least_coverage(), coverage):
        return f"{name} answered {coverage:.4g} of the items"
    return ""


def _found(
    pairs: Sequence[_Pair],
    request: ComparisonRequest[ItemMetric],
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> tuple[list[Gap], str]:
    """All differences with simultaneous intervals, and the name of the method."""
    tried = [pair for pair in pairs if not pair.reason]
    together = len(pairs) if request.adjust == "bonferroni" else 1  # as for p-values
    level = 1.0 - (1.0 - request.level) / together
    if all(pair.has_delong for pair in tried):
        return [_delong(pair, level) for pair in pairs], "DeLong's covariance"
    drawn = _ResampledPairs(pairs, method, rng)
    own = replace(method, level=level)
    gaps = [
        _delong(pair, level) if pair.has_delong else drawn.gap(at, own)
        for at, pair in enumerate(pairs)
    ]
    words = f"{method.describe()}, the same items for all systems"
    if any(pair.has_delong for pair in tried):
        words += "; DeLong's covariance where labels are the same"
    return gaps, words


def _nowhere(reason: str, level: float) -> Gap:
    return Gap(math.nan, math.nan, StatisticSpread.unknown(math.nan, level, reason))


def _delong(pair: _Pair, level: float) -> Gap:
    if pair.reason:
        return _nowhere(pair.reason, level)
    sure, loss = pair.data.confidence[:, pair.both], pair.data.loss[pair.first, pair.both]
    return paired_areas(sure[pair.first], sure[pair.second], loss == 0.0, level)


class _ResampledPairs:
    """The two scores of every pair in each resample; systems of a task share resamples."""

    def __init__(
        self, pairs: Sequence[_Pair], method: Bootstrap, rng: np.random.Generator | int
    ) -> None:
        generator = generator_of(rng)
        measures = {pair.data: _Measure(pair.data) for pair in pairs}
        self._pairs = pairs
        self._at: dict[int, tuple[PairedItems, int, int]] = {}
        for at, pair in enumerate(pairs):
            if not pair.reason:
                self._at[at] = pair.data, *measures[pair.data].places(pair)
        self._drawn = {
            data: _run(measure, method, generator)
            for data, measure in measures.items()
            if measure.size
        }

    def gap(self, at: int, method: Bootstrap) -> Gap:
        """The difference of one pair, at the level of the method."""
        if at not in self._at:
            return _nowhere(self._pairs[at].reason, method.level)
        task, first, second = self._at[at]
        drawn = self._drawn[task]
        return Gap(
            float(drawn.whole[first]),
            float(drawn.whole[second]),
            drawn.less(first, second).spread(0, method),
        )


def _run(measure: "_Measure", method: Bootstrap, rng: np.random.Generator) -> Replicates:
    """Resample; with very many clusters without the jackknife, which corrects for skewness."""
    many = measure.clusters > _MANY_CLUSTERS
    how = replace(method, ends="percentile") if many else method
    return how.run(measure, measure.clusters, measure.rows, rng)


_Side = tuple[int, bytes, bool]  # a system, some of the items, and whether labels are ranked


class _Measure:
    """The scores of one task that pairs need, as functions of the weights of clusters."""

    def __init__(self, data: PairedItems) -> None:
        self._data = data
        self.clusters = int(data.units.max()) + 1
        self._sides: dict[_Side, Arranged | ArrangedScores] = {}
        # metric, its system, and the system whose coverage it is not to exceed
        self._index: dict[tuple[ItemMetric, _Side, _Side], int] = {}

    @property
    def size(self) -> int:
        """Number of scores."""
        return len(self._index)

    @property
    def rows(self) -> int:
        """How long the longest work array of one replicate is."""
        return max(side.rows for side in self._sides.values())

    def places(self, pair: _Pair) -> tuple[int, int]:
        """Indices of the scores of the two systems."""
        left, right = (self._side(pair, system) for system in (pair.first, pair.second))
        common = isinstance(pair.metric, AreaMetric) and pair.metric.is_common
        limits = (right, left) if common else (left, right)
        first, second = (
            self._index.setdefault((pair.metric, side, limit), len(self._index))
            for side, limit in zip((left, right), limits, strict=True)
        )
        return first, second

    def _side(self, pair: _Pair, system: int) -> _Side:
        labelled = isinstance(pair.metric, LabelMetric)
        side = system, pair.both.tobytes(), labelled
        if side not in self._sides:
            arrange = self._scored if labelled else self._ranked
            self._sides[side] = arrange(system, pair.both)
        return side

    def __call__(self, weights: NDArray[Any]) -> Array:
        oracle = any(
            isinstance(metric, RankedMetric) and metric.with_oracle for metric, *_ in self._index
        )
        known: dict[_Side, Any] = {
            key: side.totals(weights, with_oracle=oracle)
            if isinstance(side, Arranged)
            else side.classes(weights)
            for key, side in self._sides.items()
        }
        return np.stack(
            [
                metric.measure(known[side])
                if side == limit or not isinstance(metric, AreaMetric)
                else metric.area(known[side], _fewest(known[side], known[limit]))
                for metric, side, limit in self._index
            ]
        )

    def _ranked(self, system: int, some: Flags) -> Arranged:
        data = self._data
        loss = data.loss[system, some]
        answered = ~np.isnan(loss)
        predictions = Predictions(data.confidence[system, some], loss, answered)
        return Arranged(predictions, data.units[some])

    def _scored(self, system: int, some: Flags) -> ArrangedScores:
        data = self._data
        kept = some & data.answered[system]
        scored = Scored(data.confidence[system, kept], data.loss[system, kept] == 0.0)
        return ArrangedScores(scored, data.units[kept])


def _fewest(first: Totals, second: Totals) -> Array:
    """The smaller number of answered items of the two systems, in every replicate."""
    return np.minimum(first.items.sum(axis=-1), second.items.sum(axis=-1)).astype(float)


def _comparison(
    pair: _Pair, tested: TestedDifference, request: ComparisonRequest[ItemMetric]
) -> Comparison:
    names = pair.data.systems
    row = tested_comparison(
        pair.metric, (names[pair.first], names[pair.second]), tested, request, int(pair.both.sum())
    )
    either = pair.data.present[pair.first] | pair.data.present[pair.second]
    return replace(
        row,
        task=pair.data.task,
        left_out=int(either.sum() - pair.both.sum()),
        caution="" if row.reason else _caution(pair, tested.gap),
    )


def tested_comparison(
    metric: ItemMetric,
    names: tuple[str, str],
    tested: TestedDifference,
    request: ComparisonRequest[ItemMetric],
    items: int,
) -> Comparison:
    """A comparison of two systems, with an interval that agrees with the adjusted p-value."""
    gap, alone, adjusted = tested
    mean, sd, interval, _, reason = gap.difference
    upwards = metric.direction is Direction.HIGHER
    no_worse = math.nan
    if request.margin is not None:
        shift = request.margin
        no_worse = _NORMAL.cdf(gap.score(-shift) if upwards else -gap.score(shift))
    sign = int(math.copysign(1, gap.score())) if adjusted < 1.0 - request.level else 0
    ends = interval.low, interval.high
    low, high = ends if reason else clip_to_verdict(Ends(*ends), sign)
    return Comparison(
        metric=metric,
        task="",
        first=names[0],
        second=names[1],
        value=gap.value,
        against=gap.against,
        difference=mean,
        sd=sd,
        interval=Interval(low, high, request.level, request.covers),
        p_value=alone,
        adjusted=adjusted,
        chance=_NORMAL.cdf(gap.score() if upwards else -gap.score()),
        wins=0,
        ties=0,
        losses=0,
        margin=request.margin,
        no_worse=no_worse,
        caution="" if reason else caution_of_few(items, items),
        reason=reason,
        items=items,
    )


def _caution(pair: _Pair, gap: Gap) -> str:
    """A caution about the comparison; empty if there is none."""
    metric, data = pair.metric, pair.data
    reach = [float(data.answered[at, pair.both].mean()) for at in (pair.first, pair.second)]
    if isinstance(metric, RankedMetric) and metric.uses_full_reach and reach[0] != reach[1]:
        fair = f"{metric.head}(coverage={COMMON!r})"
        return f"coverages differ, {reach[0]:.3g} and {reach[1]:.3g}; {fair} is fair"
    few = caution_of_few(int(pair.both.sum()), np.unique(data.clusters[pair.both]).size)
    if few:
        return few
    dropped = gap.difference.dropped
    if dropped > _MANY_DROPPED:
        return f"undefined in {percent(round(dropped, 3))} of the resamples"
    return ""


def caution_of_few(items: int, clusters: int) -> str:
    """A caution where there are few items or clusters; empty if there are enough."""
    if clusters >= _FEW_CLUSTERS:
        return ""
    return f"only {clusters} {'items' if clusters == items else 'clusters'}"
