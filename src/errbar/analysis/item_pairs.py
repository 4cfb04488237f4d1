"""Pairs of systems by their common ranked items: scores in each resample, and differences.

A difference that is called "better" must hold whatever an unseen item does to either ranking, as
for means (`analysis.pairs`), so it does not rest on the absence of rare failures.

- Areas under ROC curves of the same labels: the difference is the mean, over the positives, of the
  differences of their placements, and likewise over the negatives. All lie between −1 and 1, so
  both means have Gaffke's ends, combined by MOVER (Zou and Donner 2008) as for a single area.
- Any other metric: the Bayesian bootstrap with one unseen item, or cluster. For one end, it is at
  its worst in the ranking of the first system and at its best in that of the second; for the other
  end, the reverse.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.analysis.methods.bootstrap import Sizes
from errbar.analysis.pairs import sample_of_differences
from errbar.analysis.ranked import PairedItems
from errbar.analysis.roc import with_unseen_classes
from errbar.analysis.selective import loss_bounds, with_unseen
from errbar.analysis.spreads import LEVELS, EndsByScore, IndependentScores
from errbar.base.arrays import Array, Flags
from errbar.data.labelled_scores import ArrangedScores, Scored, scores_and_labels
from errbar.data.predictions import ArrangedItems, Predictions, Totals
from errbar.kernels import roc
from errbar.kernels.bounded_mean import mean_ends
from errbar.kernels.interval import outer_ends
from errbar.kernels.resample import sizes_of_clusters
from errbar.kernels.sign_flip import Ends
from errbar.metrics.confidence import AreaMetric, LabelMetric, RankedMetric

ItemMetric = RankedMetric | LabelMetric


class ItemPair(NamedTuple):
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


_Side = tuple[int, bytes, bool]  # a system, some of the items, and whether labels are ranked


class ScoresOfPairs:
    """The scores of one task that pairs need, as functions of the weights of clusters."""

    def __init__(self, data: PairedItems) -> None:
        self._data = data
        self.clusters = int(data.units.max()) + 1
        self._sides: dict[_Side, ArrangedItems | ArrangedScores] = {}
        # metric, its system, and the system whose coverage it is not to exceed
        self._index: dict[tuple[ItemMetric, _Side, _Side], int] = {}

    @property
    def size(self) -> int:
        """Number of scores."""
        return len(self._index)

    @property
    def rows(self) -> int:
        """Length of the largest work array of one replicate."""
        return max(side.rows for side in self._sides.values())

    def places(self, pair: ItemPair) -> tuple[int, int]:
        """Indices of the scores of the two systems."""
        first_side, second_side = (self._side(pair, system) for system in (pair.first, pair.second))
        common = isinstance(pair.metric, AreaMetric) and pair.metric.is_common
        limits = (second_side, first_side) if common else (first_side, second_side)
        first, second = (
            self._index.setdefault((pair.metric, side, limit), len(self._index))
            for side, limit in zip((first_side, second_side), limits, strict=True)
        )
        return first, second

    def _side(self, pair: ItemPair, system: int) -> _Side:
        labelled = isinstance(pair.metric, LabelMetric)
        side = system, pair.both.tobytes(), labelled
        if side not in self._sides:
            arrange = self._scored if labelled else self._ranked
            self._sides[side] = arrange(system, pair.both)
        return side

    def __call__(self, weights: NDArray[Any]) -> Array:
        """The scores in each resample: a row per score."""
        return self._measured(
            {
                key: side.totals(weights, with_oracle=self._with_oracle)
                if isinstance(side, ArrangedItems)
                else side.classes(weights)
                for key, side in self._sides.items()
            }
        )

    def unseen_sizes(self) -> Sizes:
        """Sizes of an unseen item or cluster, and for ROC areas of its positives and negatives."""
        data = self._data
        sizes = [np.bincount(data.units).astype(float)]
        if any(not isinstance(side, ArrangedItems) for side in self._sides.values()):
            classes = data.loss == 0.0, data.answered & (data.loss != 0.0)
            sizes += [
                np.concatenate([np.bincount(data.units, row) for row in rows]) for rows in classes
            ]
        return tuple(sizes_of_clusters(part, self.clusters) for part in sizes)

    def extremes(self, weights: NDArray[Any], more: NDArray[Any]) -> tuple[Array, Array]:
        """The lowest and the highest scores that an unseen item or cluster allows."""
        worst: dict[_Side, Any] = {}
        best: dict[_Side, Any] = {}
        least, most = self._loss_bounds
        for key, side in self._sides.items():
            if isinstance(side, ArrangedItems):
                totals = side.totals(weights, with_oracle=self._with_oracle)
                worst[key] = with_unseen(totals, more[:, :1], most, last=True)
                best[key] = with_unseen(totals, more[:, :1], least, last=False)
            else:
                worst[key], best[key] = with_unseen_classes(side.classes(weights), more[:, 1:])
        limit = max(1.0, most - least)  # of a risk, an excess or a coverage, but for rounding
        low, high = np.sort([self._measured(worst), self._measured(best)], axis=0)
        return np.minimum(low, limit), np.minimum(high, limit)

    @property
    def _with_oracle(self) -> bool:
        metrics = (metric for metric, *_ in self._index)
        return any(isinstance(metric, RankedMetric) and metric.with_oracle for metric in metrics)

    @cached_property
    def _loss_bounds(self) -> tuple[float, float]:
        """Least and largest loss that an item of this task can have."""
        known = self._data.loss[~np.isnan(self._data.loss)]
        return loss_bounds(Predictions(np.zeros(known.size), known).ranked())

    def _measured(self, known: dict[_Side, Any]) -> Array:
        return np.stack(
            [
                metric.measure(known[side])
                if side == limit or not isinstance(metric, AreaMetric)
                else metric.area(known[side], _fewest(known[side], known[limit]))
                for metric, side, limit in self._index
            ]
        )

    def _ranked(self, system: int, some: Flags) -> ArrangedItems:
        data = self._data
        loss = data.loss[system, some]
        answered = ~np.isnan(loss)
        predictions = Predictions(data.confidence[system, some], loss, answered)
        return ArrangedItems(predictions, data.units[some])

    def _scored(self, system: int, some: Flags) -> ArrangedScores:
        data = self._data
        kept = some & data.answered[system]
        scored = Scored(data.confidence[system, kept], data.loss[system, kept] == 0.0)
        return ArrangedScores(scored, data.units[kept])


def _fewest(first: Totals, second: Totals) -> Array:
    """The smaller number of answered items of the two systems, in every replicate."""
    return np.minimum(first.items.sum(axis=-1), second.items.sum(axis=-1)).astype(float)


class DrawnDifference(NamedTuple):
    """Draws of a difference, with the unseen item to the disadvantage of either system."""

    low: Array
    high: Array

    def ends(self, level: float) -> Ends:
        """Interval for the difference."""
        return Ends(*outer_ends(self.low, self.high, level))

    def p_at_most(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the difference is `shift` or lower."""
        return _share(self.low <= shift)

    def p_at_least(self, shift: float) -> float:
        """One-sided p-value of the hypothesis that the difference is `shift` or higher."""
        return _share(self.high >= shift)

    def chance_above(self, shift: float) -> float:
        """Posterior probability that the difference exceeds `shift`; either end is as likely."""
        return 0.5 * (1.0 - self.p_at_most(shift) + self.p_at_least(shift))


def _share(flags: NDArray[np.bool_]) -> float:
    """Share of the draws; 1 is added to both counts, so that no p-value is 0."""
    return (float(flags.sum()) + 1.0) / (flags.size + 1.0)


UnseenSpread = DrawnDifference | IndependentScores


def paired_area_difference(
    scores: ArrayLike, other_scores: ArrayLike, labels: ArrayLike
) -> IndependentScores:
    """Difference of two areas of the same items."""
    first, flags = scores_and_labels(scores, labels)
    second, _ = scores_and_labels(other_scores, labels, "other_scores")
    (beats, beaten), (beats_too, beaten_too) = (
        roc.item_placements(numbers, flags) for numbers in (first, second)
    )
    parts = np.sort(beats - beats_too) / beaten.size, np.sort(beaten - beaten_too) / beats.size
    value = float(parts[0].mean())
    positives, negatives = (_ends_of_part(value, part) for part in parts)
    turned = EndsByScore(0.0, negatives.sd, negatives.above, negatives.below)
    return IndependentScores(
        positives, turned, 1.0
    )  # less its mirror image, so that the errors add up


def _ends_of_part(value: float, apart: Array) -> EndsByScore:
    sample = sample_of_differences(apart, np.ones(apart.size), (-1.0, 1.0))
    return EndsByScore.of(value, sample.sd(), [mean_ends(sample, level) for level in LEVELS])
