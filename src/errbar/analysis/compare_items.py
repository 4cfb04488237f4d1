"""Comparisons of systems by ranked items, such as differences of AURC and ROC-AUC.

Each resample has the same clusters of items for both systems, so that their common variation
cancels in the difference. "Better" rests on differences with one unseen item in its worst place
(`analysis.item_pairs`). "Probably better" rests on the paired bootstrap, or on DeLong's covariance
of two areas with the same labels; both assume that there are no rare failures. P-values and
intervals are adjusted for the number of comparisons (Bonferroni).
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from errbar.analysis.compare import ComparisonRequest, RefusedPair, bonferroni, missing_comparison
from errbar.analysis.evaluate import Refusals
from errbar.analysis.item_pairs import (
    DrawnDifference,
    ItemMetric,
    ItemPair,
    ScoresOfPairs,
    UnseenSpread,
    paired_area_difference,
)
from errbar.analysis.methods.bootstrap import (
    SEEN,
    Bootstrap,
    Gap,
    Replicates,
    StatisticSpread,
    generator_of,
    require_several,
    unseen_draws,
)
from errbar.analysis.ranked import PairedItems
from errbar.analysis.roc import paired_areas
from errbar.base.arrays import Array, Flags
from errbar.base.remarks import counted, way_to_say
from errbar.base.tables import percent
from errbar.errors import InputError
from errbar.kernels.risk_coverage import is_reached
from errbar.kernels.sign_flip import Ends, clip_to_verdict
from errbar.metrics.base import Direction
from errbar.metrics.confidence import COMMON, LabelMetric, RankedMetric
from errbar.results.comparison import Comparison
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Interval

_NORMAL = NormalDist()
# The BCa bootstrap of ranked items, behind "probably better", covers 92 to 94% with 20 clusters and
# 93 to 96% with 50 and more (docs/coverage.md); with fewer it was not tried.
_FEW_CLUSTERS = 20
# The jackknife leaves out each cluster in turn. With n clusters its correction moves a 95% end by
# γ(2 + z²) / 6√n standard deviations for a skewness γ: 0.4% of the width for each unit of it here.
_MANY_CLUSTERS = 4000
_MANY_DROPPED = 0.01  # resamples that leave a difference undefined


class TestedDifference(NamedTuple):
    """Two scores and their difference, as one of several comparisons."""

    gap: Gap  # difference on the observed items alone
    unseen: UnseenSpread | None = None  # allowing for an unseen item; None: no rare failures
    comparisons: int = 1

    def p_value(self) -> float:
        """Two-sided p-value of no difference, of this comparison alone."""
        if self.unseen is None or self.gap.difference.reason:
            return self.p_seen()
        return min(1.0, 2.0 * min(self.unseen.p_at_most(0.0), self.unseen.p_at_least(0.0)))

    def p_seen(self) -> float:
        """P-value by the normal distribution, which assumes no rare failures."""
        return 2.0 * _NORMAL.cdf(-abs(self.gap.score()))

    def ends(self, level: float) -> Ends:
        """Interval of the difference, simultaneous with those of all comparisons."""
        if self.unseen is None or self.gap.difference.reason:
            interval = self.gap.difference.interval  # made at its own level
            return Ends(interval.low, interval.high)
        return self.unseen.ends(1.0 - (1.0 - level) / self.comparisons)

    def chance_above(self, shift: float) -> float:
        """Probability that the difference exceeds `shift`."""
        if self.unseen is None or self.gap.difference.reason:
            return _NORMAL.cdf(self.gap.score(shift))
        return self.unseen.chance_above(shift)


def compare_items(
    tables: Sequence[PairedItems],
    request: ComparisonRequest[ItemMetric],
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> Comparisons:
    """Compare every pair of systems, or each with the baseline, on all metrics and tasks."""
    kept, remarks = request.tables(tables)
    if request.intervals.largest_cluster is not None:
        option = way_to_say("--largest-cluster", "largest_cluster")
        raise InputError(f"{option} is for metrics of outcomes, not of a confidence.")
    if request.intervals.assume != "nothing":
        method = method.without_unseen
    refusals = Refusals()
    tried = [
        (data, metric, _pair(data, metric, names, refusals))
        for metric in request.metrics
        for data in kept
        for names in request.pairs(data.everyone)
    ]
    pairs = [pair for *_, pair in tried if isinstance(pair, ItemPair)]
    if not pairs:
        refusals.require_none(done="compared")
    size = len(pairs) if request.adjust == "bonferroni" else 1
    differences, words = _tested_differences(
        pairs, replace(method, level=request.intervals.level), size, rng
    )
    compared = iter(zip(pairs, differences, strict=True))
    rows = [
        missing_comparison(metric, data.task, pair, request)
        if isinstance(pair, RefusedPair)
        else _comparison(*next(compared), request)
        for data, metric, pair in tried
    ]
    unanswered = sum(int((data.present & ~data.answered).sum()) for data in kept)
    notes = [f"{counted(unanswered, 'row')} without an answer."] if unanswered else []
    free = request.baseline is None
    return Comparisons(tuple(rows), words, (*remarks, *notes), size, leader_first=free)


def _pair(
    data: PairedItems, metric: ItemMetric, names: tuple[str, str], refusals: Refusals
) -> ItemPair | RefusedPair:
    """A pair of systems, or the reason why it cannot be compared."""
    subject = data.pair_name(*names)
    refusal = data.refusal_of(names, metric)
    if refusal is not None:
        return RefusedPair(*names, refusals.add(subject, metric, refusal))
    first, second = (data.systems.index(name) for name in names)
    try:
        both = data.shared(first, second)
        require_several(int(data.clusters.max()) + 1, "item" if both.size == 1 else "cluster")
    except InputError as error:
        return RefusedPair(*names, refusals.add(subject, metric, error))
    reasons = (_no_value(data, metric, at, both) for at in (first, second))
    return ItemPair(data, metric, first, second, both, next(filter(None, reasons), ""))


def _no_value(data: PairedItems, metric: ItemMetric, system: int, both: Flags) -> str:
    """The reason why a system has no value; empty if it has one."""
    loss = data.loss[system, both]
    known = loss[~np.isnan(loss)]
    name = data.systems[system]
    if isinstance(metric, LabelMetric):
        return "" if np.unique(known).size == 2 else f"{name} is always right, or always wrong"
    if not known.size:
        return f"{name} answered none of the items"
    coverage = known.size / loss.size
    if not is_reached(metric.least_coverage(), coverage):
        return f"{name} answered {coverage:.4g} of the items"
    return ""


def _tested_differences(
    pairs: Sequence[ItemPair], method: Bootstrap, size: int, rng: np.random.Generator | int
) -> tuple[list[TestedDifference], str]:
    """All differences with simultaneous intervals, and the name of the method."""
    tried = [pair for pair in pairs if not pair.reason]
    allows = method.ends == "unseen"
    level = 1.0 - (1.0 - method.level) / size
    by_delong = "placements of both classes (Gaffke, MOVER)" if allows else "DeLong's covariance"
    if all(pair.has_delong for pair in tried):
        return [_delong(pair, level, size, with_unseen=allows) for pair in pairs], by_delong
    drawn = _ResampledPairs(pairs, method, rng)
    differences = [
        _delong(pair, level, size, with_unseen=allows)
        if pair.has_delong
        else drawn.of(at, level, size)
        for at, pair in enumerate(pairs)
    ]
    words = f"{method.describe()}, the same items for all systems"
    if any(pair.has_delong for pair in tried):
        words += f"; {by_delong} where labels are the same"
    return differences, words


def _undefined_spread(reason: str, level: float) -> Gap:
    return Gap(math.nan, math.nan, StatisticSpread.unknown(math.nan, level, reason))


def _delong(pair: ItemPair, level: float, size: int, *, with_unseen: bool) -> TestedDifference:
    """Difference of two areas of the same labels; with an unseen item, or assuming none."""
    if pair.reason:
        return TestedDifference(_undefined_spread(pair.reason, level), None, size)
    first, second = pair.data.confidence[[pair.first, pair.second]][:, pair.both]
    items = first, second, pair.data.loss[pair.first, pair.both] == 0.0
    unseen = paired_area_difference(*items) if with_unseen else None
    return TestedDifference(paired_areas(*items, level), unseen, size)


class _ResampledPairs:
    """The two scores of every pair in each draw; systems of a task share draws."""

    def __init__(
        self, pairs: Sequence[ItemPair], method: Bootstrap, rng: np.random.Generator | int
    ) -> None:
        generator = generator_of(rng)
        measures = {pair.data: ScoresOfPairs(pair.data) for pair in pairs}
        self._pairs = pairs
        allows = method.ends == "unseen"
        self._seen = replace(SEEN, resamples=min(method.resamples, SEEN.resamples))
        self._seen = self._seen if allows else method
        self._at: dict[int, tuple[PairedItems, int, int]] = {}
        for at, pair in enumerate(pairs):
            if not pair.reason:
                self._at[at] = pair.data, *measures[pair.data].places(pair)
        some = {data: measure for data, measure in measures.items() if measure.size}
        self._drawn = {data: _run(each, self._seen, generator) for data, each in some.items()}
        self._unseen = {
            data: _extremes(each, method.resamples, generator)
            for data, each in some.items()
            if allows
        }

    def of(self, at: int, level: float, size: int) -> TestedDifference:
        """The difference of one pair, at a level of its own."""
        if at not in self._at:
            return TestedDifference(_undefined_spread(self._pairs[at].reason, level), None, size)
        task, first, second = self._at[at]
        drawn = self._drawn[task]
        spread = drawn.less(first, second).spread(0, replace(self._seen, level=level))
        gap = Gap(float(drawn.whole[first]), float(drawn.whole[second]), spread)
        unseen = None
        if task in self._unseen:
            low, high = self._unseen[task]
            gaps = np.stack([low[first] - high[second], high[first] - low[second]])
            unseen = DrawnDifference(*gaps[:, np.isfinite(gaps).all(axis=0)])
        return TestedDifference(gap, unseen, size)


def _run(measure: ScoresOfPairs, method: Bootstrap, rng: np.random.Generator) -> Replicates:
    """Resample; with very many clusters without the jackknife, which corrects for skewness."""
    many = measure.clusters > _MANY_CLUSTERS
    how = replace(method, ends="percentile") if many else method
    return how.run(measure, measure.clusters, measure.rows, rng)


def _extremes(measure: ScoresOfPairs, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Lowest and highest scores with an unseen item; fewer draws of very many clusters."""
    if measure.clusters > _MANY_CLUSTERS:
        draws = min(draws, SEEN.resamples)
    sizes = measure.unseen_sizes()
    parts = [
        measure.extremes(*some)
        for some in unseen_draws(measure.clusters, measure.rows, sizes, draws, rng)
    ]
    low, high = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
    return low, high


def _comparison(
    pair: ItemPair, tested: TestedDifference, request: ComparisonRequest[ItemMetric]
) -> Comparison:
    names = pair.data.systems
    row = tested_comparison(
        pair.metric, (names[pair.first], names[pair.second]), tested, request, int(pair.both.sum())
    )
    either = pair.data.present[pair.first] | pair.data.present[pair.second]
    clusters = np.unique(pair.data.clusters[pair.both]).size
    return replace(
        row,
        clusters=clusters if clusters < row.items else 0,
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
    gap = tested.gap
    mean, sd, _, _, reason = gap.difference
    alone = tested.p_value()
    adjusted = bonferroni(alone, tested.comparisons)
    p_without_unseen = math.nan if tested.unseen is None else tested.p_seen()
    upwards = metric.direction is Direction.HIGHER
    chance, no_worse = tested.chance_above(0.0), math.nan
    if request.margin is not None:
        above = tested.chance_above(-request.margin if upwards else request.margin)
        no_worse = above if upwards else 1.0 - above
    sign = int(math.copysign(1, gap.score())) if adjusted < 1.0 - request.intervals.level else 0
    ends = tested.ends(request.intervals.level)
    low, high = ends if reason else clip_to_verdict(ends, sign)
    return Comparison(
        metric=metric,
        task="",
        first=names[0],
        second=names[1],
        value=gap.value,
        against=gap.against,
        difference=mean,
        sd=sd,
        interval=Interval(low, high, request.intervals.level, request.intervals.estimand),
        p_value=alone,
        adjusted=adjusted,
        probable=bonferroni(p_without_unseen, tested.comparisons),
        chance=chance if upwards else 1.0 - chance,
        wins=0,
        ties=0,
        losses=0,
        margin=request.margin,
        no_worse=no_worse,
        caution="" if reason else caution_of_few(items, items),
        reason=reason,
        items=items,
    )


def _caution(pair: ItemPair, gap: Gap) -> str:
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
