"""ROC-AUC with its uncertainty, and differences of two areas.

The variance is that of DeLong, DeLong and Clarke-Pearson (1988), or comes from resampling items,
clusters or groups of clusters.
"""

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.analysis.methods.bootstrap import (
    Bootstrap,
    Gap,
    StatisticSpread,
    UnseenItems,
    require_bootstrap,
    resampled_estimate,
)
from errbar.base.arguments import require_choice, strict_share
from errbar.base.arrays import Array
from errbar.data.labelled_scores import Classes, Scored, scores_and_labels
from errbar.data.queries.ranked_totals import GroupedTotals
from errbar.errors import InputError, WrongType
from errbar.kernels import roc as kernel
from errbar.kernels.interval import normal_reach
from errbar.kernels.resample import sizes_of_clusters
from errbar.kernels.sorting import sort_with_label
from errbar.metrics.confidence import RocAuc
from errbar.results.estimate import Estimand, Interval, RankedEstimate

IntervalScale = Literal["placement", "plain"]

_DEFAULT = Bootstrap()


def roc_auc_ci(
    scores: ArrayLike, labels: ArrayLike, *, level: float = 0.95, scale: IntervalScale = "placement"
) -> RankedEstimate:
    """ROC-AUC with DeLong's standard deviation and an interval from the placements.

    The area is a mean of bounded values over the positives, and over the negatives. Each mean has
    Gaffke's ends, and the two are combined by MOVER (Zou and Donner 2008); see `kernels.roc`. With
    `scale="plain"` the interval is value ± z·sd, cut to 0 and 1. Where DeLong's standard deviation
    is 0 or undefined (perfect separation, equal scores, a single positive or negative), it is that
    of Gaffke's weighted means, and the interval comes from the placements on either scale.

    Examples
    --------
    >>> print(roc_auc_ci([0.1, 0.4, 0.35, 0.8] * 10, [0, 0, 1, 1] * 10))
    roc-auc: 0.750 ± 0.081, 95% CI 0.521 to 0.911
    """
    checked_level = strict_share(level, "level")
    require_choice(scale, "scale", get_args(IntervalScale))
    ordered, positive = sort_with_label(*scores_and_labels(scores, labels))
    value, variance = kernel.delong(ordered, positive)
    if scale == "plain" and variance > 0.0:
        reach = normal_reach(checked_level) * math.sqrt(variance)
        ends = (max(value - reach, 0.0), min(value + reach, 1.0))
    else:
        samples = kernel.placement_samples(ordered, positive)
        ends = kernel.area_ends(value, samples, checked_level)
        if not variance > 0.0:
            variance = sum(sample.sd() ** 2 for sample in samples)
    return RankedEstimate(
        metric=RocAuc(),
        value=value,
        sd=math.sqrt(variance),
        interval=Interval(*ends, checked_level, Estimand.POPULATION),
        items=positive.size,
        clusters=positive.size,
    )


_ONE_ALONE = "a single positive or negative gives no spread"
_SEPARATED = "one of the scores separates the classes perfectly, so its spread cannot be estimated"


def paired_areas(
    scores: ArrayLike, other_scores: ArrayLike, labels: ArrayLike, level: float
) -> Gap:
    """Areas of two scores of the same items, with DeLong's covariance."""
    first, flags = scores_and_labels(scores, labels)
    second, _ = scores_and_labels(other_scores, labels, "other_scores")
    (beats, beaten), (beats_too, beaten_too) = (
        kernel.item_placements(numbers, flags) for numbers in (first, second)
    )
    areas = [kernel.mean_placement(part, beaten.size) for part in (beats, beats_too)]
    return _gap(areas, kernel.delong_variance(beats - beats_too, beaten - beaten_too), level)


def unpaired_areas(first: Scored, second: Scored, level: float) -> Gap:
    """Areas of scores of different items, with the sum of DeLong's variances."""
    for items in (first, second):
        if not isinstance(items, Scored):
            kind = type(items).__name__
            raise WrongType(f"both arguments must be Scored(scores, labels); got {kind}.")
        if items.weights is not None or items.clusters is not None:
            raise InputError(
                "DeLong's variance is for items without weights or clusters; estimate() "
                "resamples each side."
            )
    (area, variance), (other, other_variance) = (
        kernel.delong(*sort_with_label(items.scores, items.labels)) for items in (first, second)
    )
    return _gap([area, other], variance + other_variance, level)


def _gap(areas: list[float], variance: float, level: float) -> Gap:
    first, second = areas
    difference = first - second
    if math.isnan(variance) or variance == 0.0 or {0.0, 1.0} & set(areas):
        reason = _ONE_ALONE if math.isnan(variance) else _SEPARATED
        if variance == 0.0 and not {0.0, 1.0} & set(areas):
            reason = "the difference does not vary in these data"
        return Gap(first, second, StatisticSpread.unknown(difference, level, reason))
    sd = math.sqrt(variance)
    reach = normal_reach(level) * sd
    ends = max(difference - reach, -1.0), min(difference + reach, 1.0)
    interval = Interval(*ends, level, Estimand.POPULATION)
    return Gap(first, second, StatisticSpread(difference, sd, interval, 0.0, ""))


def estimate(
    scored: Scored | GroupedTotals,
    *,
    method: Bootstrap = _DEFAULT,
    rng: np.random.Generator | int,
) -> RankedEstimate:
    """ROC-AUC with its interval, by resampling items, or clusters or groups of them.

    By default one unseen positive and one unseen negative, or clusters of them, are added to the
    Bayesian bootstrap: at the wrong ends of the ranking for the lower end of the interval, at the
    right ends for the upper.

    Examples
    --------
    >>> print(estimate(Scored([0.1, 0.4, 0.35, 0.8] * 10, [0, 0, 1, 1] * 10), rng=0))
    roc-auc: 0.750 ± 0.085, 95% CI 0.501 to 0.895
    """
    require_bootstrap(method)
    if not isinstance(scored, Scored | GroupedTotals):
        raise WrongType(f"resampling needs Scored(scores, labels); got {type(scored).__name__}.")
    arranged = scored.by_class()

    def measure(weights: NDArray[Any]) -> Array:
        return RocAuc().measure(arranged.classes(weights))[None, :]

    def extremes(weights: NDArray[Any], more: NDArray[Any]) -> tuple[Array, Array]:
        worst, best = with_unseen_classes(arranged.classes(weights), more)
        return RocAuc().measure(worst), RocAuc().measure(best)

    unseen = UnseenItems(extremes, _cluster_sizes(scored))
    return resampled_estimate(RocAuc(), scored.scored(), measure, unseen, arranged, method, rng)


def with_unseen_classes(classes: Classes, more: NDArray[Any]) -> tuple[Classes, Classes]:
    """Classes with an unseen positive and an unseen negative at the wrong and at the right ends."""
    positive, negative = more.T[:, :, None]
    none = np.zeros_like(positive)
    worst = Classes(
        np.hstack([positive, classes.positives, none]),
        np.hstack([none, classes.negatives, negative]),
    )
    best = Classes(
        np.hstack([none, classes.positives, positive]),
        np.hstack([negative, classes.negatives, none]),
    )
    return worst, best


def _cluster_sizes(scored: Scored | GroupedTotals) -> tuple[tuple[Array, Array], ...]:
    """Weights of the positives, and of the negatives, of items or clusters."""
    if isinstance(scored, GroupedTotals):
        parts = [part.sum(axis=1) for part in (scored.right, scored.wrong)]
        return tuple(sizes_of_clusters(part, scored.answering) for part in parts)
    heavy = np.ones(len(scored)) if scored.weights is None else scored.weights
    codes = np.arange(len(scored)) if scored.clusters is None else scored.clusters
    order = np.lexsort((heavy, codes))  # so that rounding does not depend on that of the items
    codes, heavy, labels = codes[order], heavy[order], scored.labels[order]
    parts = [np.bincount(codes, heavy * side) for side in (labels, ~labels)]
    return tuple(sizes_of_clusters(part, part.size) for part in parts)
