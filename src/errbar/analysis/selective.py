"""Estimates of selective prediction from `Predictions`, and the coverage that they require.

Items, clusters or groups of them are resampled.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.bootstrap import (
    Bootstrap,
    UnseenItems,
    require_bootstrap,
    resampled_estimate,
)
from errbar.base.arrays import Array, Integers
from errbar.data.predictions import ArrangedItems, Predictions, Ranked, Totals
from errbar.data.queries.ranked_totals import GroupedTotals
from errbar.errors import OutOfReach, WrongType
from errbar.kernels import risk_coverage as kernel
from errbar.kernels.interval import endpoints
from errbar.kernels.resample import block_size, sizes_of_clusters, two_losses
from errbar.kernels.sorting import starts_of
from errbar.metrics.base import metric_of
from errbar.metrics.confidence import AreaMetric, CoverageAt, RankedMetric, RiskAt
from errbar.results.estimate import RankedEstimate

_DEFAULT = Bootstrap()
_DRAWN_ALONE = 2048  # items up to which each has a weight of its own
_WEIGHTS_AT_ONCE = 1 << 21  # of clusters: 16 MB
_ALONE, _TOGETHER = 128, 384  # groups of one confidence, and of several
_NEVER = 30.0  # a threshold that a draw reaches with a chance below exp(-30) is not looked at


def estimate(
    metric: RankedMetric | str,
    predictions: Predictions | GroupedTotals,
    *,
    method: Bootstrap = _DEFAULT,
    rng: np.random.Generator | int,
) -> RankedEstimate:
    """A metric with its interval, by resampling items, or clusters or groups of them.

    By default one unseen item or cluster is added to the Bayesian bootstrap, at the highest
    confidence: with the largest possible loss for one end, with the smallest for the other.

    Examples
    --------
    >>> data = Predictions([0.9, 0.8, 0.7, 0.6] * 10, [0, 0, 0, 1] * 10)
    >>> print(estimate("aurc", data, rng=0))
    aurc: 0.037 ± 0.079, 95% CI 0.010 to 0.328
    """
    require_bootstrap(method)
    chosen = ranked_metric(metric)
    ranked = _require_predictions(predictions).ranked()
    require_reach(chosen, ranked)
    groups = None
    if method.ends == "unseen" and isinstance(predictions, Predictions):
        groups = grouped_items(predictions, chosen, ranked)
    arranged = predictions.arranged() if groups is None else groups.arranged
    value = chosen.value(ranked)
    shift = 0.0 if groups is None else value - groups.value(chosen)
    bounds = loss_bounds(ranked)
    most = max(1.0, bounds[1] - bounds[0])  # of a risk, an excess or a coverage, but for rounding

    def measure(weights: NDArray[Any]) -> Array:
        totals = arranged.totals(weights, with_oracle=chosen.with_oracle)
        return chosen.measure(totals)[None, :] + shift

    def extremes(weights: NDArray[Any], more: NDArray[Any]) -> tuple[Array, Array]:
        totals = arranged.totals(weights, with_oracle=chosen.with_oracle)
        worst = chosen.measure(with_unseen(totals, more, bounds[1], last=True)) + shift
        best = chosen.measure(with_unseen(totals, more, bounds[0], last=False)) + shift
        least = chosen.bounds[0]
        return np.clip(worst, least, most), np.clip(best, least, most)

    unseen = UnseenItems(extremes, (_cluster_sizes(predictions),), value=value)
    if groups is not None:
        unseen = unseen._replace(often=groups.often, at_once=groups.at_once)
    return resampled_estimate(chosen, predictions, measure, unseen, arranged, method, rng)


class ClusterGroups:
    """Items of clusters added up by groups of neighbouring confidence, to be weighted by cluster.

    Every total is a sum of weights of clusters, so a draw is a product with one sparse matrix:
    of its rows, those of the groups have their items and their losses, two more the items of each
    loss if the oracle is asked for, and the last all items, unanswered ones included.
    """

    def __init__(
        self,
        cost: Array,
        clusters: Integers,
        starts: Integers,
        sizes: Integers,
        *,
        with_oracle: bool,
    ) -> None:
        """Add up items sorted by decreasing confidence, whose groups begin at `starts`.

        Clusters of a single item that have the same group and loss are drawn together, like items.
        """
        from scipy.sparse import csr_array  # noqa: PLC0415  only where it is needed

        group = np.repeat(np.arange(starts.size), np.diff(starts, append=cost.size))
        losses, which = np.unique(cost, return_inverse=True)
        cell = np.zeros(sizes.size, dtype=np.intp)  # 0: not answered
        cell[clusters] = 1 + group * losses.size + which
        cell = np.where(sizes == 1, cell, 1 + starts.size * losses.size + np.arange(sizes.size))
        _, first_of, unit, often = np.unique(
            cell, return_index=True, return_inverse=True, return_counts=True
        )
        drawn = np.zeros(sizes.size, dtype=bool)
        drawn[first_of] = True
        kept = drawn[clusters]
        cost, group, which, clusters = cost[kept], group[kept], which[kept], unit[clusters[kept]]
        sizes, self.often = sizes[first_of], often.astype(float)
        self._losses = losses if with_oracle else losses[:0]
        of_two = np.arange(cost.size if self._losses.size else 0)
        self._groups, self.units = starts.size, sizes.size
        first = np.cumsum([0, starts.size, starts.size, self._losses.size])
        lost, each = np.flatnonzero(cost), np.ones(cost.size)
        parts = [
            (each, group, clusters),
            (cost[lost], first[1] + group[lost], clusters[lost]),
            (each[of_two], first[2] + which[of_two], clusters[of_two]),
            (sizes, np.full(sizes.size, first[3]), np.arange(sizes.size)),
        ]
        values, rows, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
        self._sums = csr_array((values, (rows, columns)), (int(first[3]) + 1, sizes.size))

    @property
    def rows(self) -> int:
        """Length of the longest work array per replicate."""
        return max(self._groups, self.units)

    @property
    def at_once(self) -> int:
        """Draws measured together, so that many groups share the cost of a call into NumPy."""
        return max(1, min(block_size(self._groups), _WEIGHTS_AT_ONCE // self.units))

    def totals(self, weights: NDArray[Any], *, with_oracle: bool) -> Totals:
        """Totals with each cluster weighted: `weights` has a row per replicate."""
        sums = (self._sums @ np.ascontiguousarray(weights.T)).T
        items, loss = sums[:, : self._groups], sums[:, self._groups : 2 * self._groups]
        often = sums[:, 2 * self._groups : -1] if with_oracle else sums[:, :0]
        oracle_loss = often * self._losses if with_oracle else often
        return Totals(items, loss, sums[:, -1], often, oracle_loss)


class GroupedItems(NamedTuple):
    """Many items as groups of similar confidence, ready to be weighted.

    Groups are ties, and where there are more confidences, neighbours: the first 128 alone, the
    others in 384 groups of about equal size. The values of the data themselves are exact, and all
    draws are moved by what groups change of them. For a coverage, which is that of a single
    threshold, ties are groups wherever a draw can reach (`_thresholds`).

    Items of clusters are added up by group and cluster, and so have the totals that they had.
    Single items are drawn as those of two losses in each group: the weight of n items in the
    Bayesian bootstrap has a gamma distribution with shape n, so one draw stands for all of a loss
    in a group. Losses other than two values have the first three cumulants that they had
    (`two_losses`).
    """

    arranged: ArrangedItems | ClusterGroups
    often: Array  # items, or clusters of a single item, that each unit stands for
    at_once: int | None

    def value(self, metric: RankedMetric) -> float:
        """The value of a metric from the groups."""
        totals = self.arranged.totals(self.often[None, :], with_oracle=metric.with_oracle)
        return float(metric.measure(totals)[0])


def grouped_items(data: Predictions, metric: RankedMetric, ranked: Ranked) -> GroupedItems | None:
    """Groups of many items; None where items cannot be grouped, or are too few for it.

    They cannot for metrics that depend on the order within a group, and not on its mean alone: the
    oracle's order of losses.
    """
    known = isinstance(metric, AreaMetric | RiskAt | CoverageAt)
    if not known or ranked.answered <= _DRAWN_ALONE:
        return None
    if metric.with_oracle and ranked.losses.size > 2:
        return None
    sure = data.confidence[data.answered]
    order = np.argsort(sure, kind="stable")[::-1]
    cost, ties = data.loss[data.answered][order], starts_of(sure[order])
    sizes = np.ones(1, np.intp) if data.clusters is None else np.bincount(data.clusters)
    clusters = None if data.clusters is None else data.clusters[data.answered][order]
    starts = ties
    if isinstance(metric, CoverageAt):
        limit = kernel.highest_allowed(metric.risk)
        starts = _thresholds(cost - limit, clusters, ties, limit, loss_bounds(ranked), sizes.max())
    elif ties.size > _ALONE + _TOGETHER:
        first = ties[_ALONE]
        grid = first + (cost.size - first) * np.arange(_TOGETHER) / _TOGETHER
        starts = np.unique(np.concatenate([ties[:_ALONE], ties[np.searchsorted(ties, grid)]]))
    if clusters is not None and sizes.max() > 1:
        summed = ClusterGroups(cost, clusters, starts, sizes, with_oracle=metric.with_oracle)
        return GroupedItems(summed, summed.often, summed.at_once)
    losses, often = two_losses(cost, starts)
    there = often > 0
    group = np.broadcast_to(-np.arange(starts.size)[:, None], there.shape)
    unanswered = data.unanswered
    more = np.zeros(int(unanswered > 0))
    atoms = Predictions(
        np.concatenate([group[there], more]),
        np.concatenate([losses[there], more]),
        np.concatenate([np.ones(int(there.sum()), dtype=bool), more.astype(bool)]),
    )
    units = np.arange(len(atoms))
    often = np.concatenate([often[there], more + unanswered])
    return GroupedItems(ArrangedItems(atoms, units), often, None)


def _thresholds(
    excess: Array,
    clusters: Integers | None,
    ties: Integers,
    limit: float,
    bounds: tuple[float, float],
    largest: int,
) -> Integers:
    """Starts of the ties that a coverage may end with, and of all before and all after them.

    `excess` is what the loss of each item exceeds the allowed risk by. The coverage ends with the
    last tie up to which the weighted sum of excesses is not positive. Such a sum of exponential
    weights is further than √(2vt) + ct from its mean with a chance of at most 2 exp(-t), v being
    its variance and c the largest summand (it is sub-gamma: Boucheron, Lugosi and Massart 2013,
    section 2.4).
    """
    unit = np.arange(excess.size) if clusters is None else clusters
    by_unit = np.argsort(unit, kind="stable")
    firsts = starts_of(unit[by_unit])
    run = np.cumsum(excess[by_unit])  # within each cluster, by decreasing confidence
    before = np.concatenate([[0.0], run])[firsts]
    run -= np.repeat(before, np.diff(firsts, append=run.size))
    variance = np.empty(run.size)
    variance[by_unit] = run**2 - (run - excess[by_unit]) ** 2
    ends = np.append(ties[1:], excess.size) - 1
    total, variance = np.cumsum(excess)[ends], np.cumsum(variance)[ends].clip(0.0)
    unseen = largest * max(bounds[1] - limit, limit - bounds[0])
    margin = np.sqrt(2.0 * _NEVER * variance) + _NEVER * (np.abs(run).max() + unseen)
    reached, open_ = np.flatnonzero(total < -margin), np.flatnonzero(total <= margin)
    first = reached[-1] if reached.size else 0
    after = open_[-1] + 1 if open_.size else 0
    return np.unique(np.concatenate([ties[:1], ties[first : after + 1]]))


def _cluster_sizes(predictions: Predictions | GroupedTotals) -> tuple[Array, Array]:
    """Numbers of items of clusters, and how often each occurs."""
    if isinstance(predictions, GroupedTotals):
        return sizes_of_clusters(predictions.sizes, predictions.clusters)
    if predictions.clusters is None:
        return np.ones(1), np.ones(1)
    return sizes_of_clusters(np.bincount(predictions.clusters), predictions.cluster_count)


def loss_bounds(ranked: Ranked) -> tuple[float, float]:
    """Smallest and largest loss that an item can have.

    They are 0 and 1 if all losses lie between. Otherwise they are the estimated ends of the range
    (Robson and Whitlock 1964); a lower bound of 0 is kept.
    """
    least, most = float(ranked.losses[0]), float(ranked.losses[-1])
    if least >= 0.0 and most <= 1.0:
        return 0.0, 1.0
    low, high = endpoints(np.repeat(ranked.losses, np.minimum(ranked.often, 2)))
    return (0.0 if least >= 0.0 else low), high


def with_unseen(totals: Totals, share: Array, loss: float, *, last: bool) -> Totals:
    """Totals with an unseen item at the highest confidence; the oracle ranks it first or last."""

    def put(part: NDArray[Any], new: Array, *, at_end: bool = False) -> NDArray[Any]:
        return np.hstack([part, new] if at_end else [new, part])

    return Totals(
        put(totals.items, share),
        put(totals.loss, loss * share),
        totals.total + share[:, 0],
        put(totals.oracle_items, share, at_end=last),
        put(totals.oracle_loss, loss * share, at_end=last),
        fractional=True,
    )


def ranked_metric(metric: RankedMetric | str) -> RankedMetric:
    """A metric of ranked predictions, by name or as it is."""
    chosen = metric_of(metric)
    if not isinstance(chosen, RankedMetric):
        raise WrongType(
            f"{metric!s} is not a metric of ranked predictions; those are aurc, augrc, e-aurc, "
            f"e-augrc, risk@0.5 and cov@risk0.1."
        )
    return chosen


def _require_predictions(predictions: object) -> Predictions | GroupedTotals:
    if not isinstance(predictions, Predictions | GroupedTotals):
        raise WrongType(
            f"resampling needs Predictions(confidence, loss); got {type(predictions).__name__}."
        )
    return predictions


def require_answers(data: Predictions | Ranked, what: object) -> None:
    """Refuse data in which nothing was answered."""
    if data.coverage == 0:
        items = data.total if isinstance(data, Ranked) else len(data)
        raise OutOfReach(f"none of the {items} items was answered; {what} is undefined.")


def require_reach(metric: RankedMetric, ranked: Ranked) -> None:
    """Refuse a metric at a coverage that the data do not reach, and state what they reach."""
    require_answers(ranked, metric)
    if not kernel.is_reached(metric.least_coverage(), ranked.coverage):
        raise OutOfReach(
            f"{metric}: coverage {metric.least_coverage():g} is out of reach; "
            f"{ranked.answered} of {ranked.total} items were answered, which is "
            f"{ranked.coverage:.4g}."
        )
