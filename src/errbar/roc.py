"""ROC curves and areas, with intervals and comparisons.

Data are a score and a label (0 or 1) per item. Ties count one half; neither the order of items nor
a monotone transformation of the scores changes a number. Infinite scores are ranked like others.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.analysis.compare_ranked import compare_paired, compare_unpaired
from errbar.analysis.methods.bootstrap import Bootstrap
from errbar.analysis.roc import estimate, roc_auc_ci
from errbar.base.arguments import describe, number
from errbar.base.arrays import Array
from errbar.data.labelled_scores import Labelled, Scored, scores_and_labels
from errbar.errors import InputError
from errbar.kernels import roc as kernel
from errbar.kernels.sorting import sort_with_label
from errbar.metrics.confidence import RocAuc
from errbar.results.comparison import Comparison

__all__ = [
    "AucDifference",
    "Bootstrap",
    "Labelled",
    "PartialAuc",
    "RocCurve",
    "Scored",
    "compare_paired",
    "compare_unpaired",
    "estimate",
    "partial_auc",
    "roc_auc",
    "roc_auc_ci",
    "roc_curve",
]

AucDifference = Comparison  # a row of what `compare_paired` returns, by its former name


_describe = describe(
    {
        "scores": "The score of each item; a positive should have a higher score.",
        "labels": "The label of each item: 1 for a positive, 0 for a negative.",
        "max_fpr": "The largest false positive rate, in (0, 1].",
        "weights": "The weight of each item; by default all are equal.",
    }
)


@_describe
def roc_auc(scores: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None) -> float:
    """Return the area under the ROC curve, the share of pairs in which the positive ranks higher.

    Examples
    --------
    >>> roc_auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])
    0.75
    """
    if weights is None:
        return kernel.area_in_order(*sort_with_label(*scores_and_labels(scores, labels)))
    return RocAuc().value(_labelled(scores, labels, weights))


@dataclass(frozen=True, eq=False)
class RocCurve:
    """A ROC curve from (0, 0) to (1, 1), with a point per distinct score."""

    threshold: NDArray[Any]  # items with at least this score are positive; none at the first
    false_positive_rate: Array
    true_positive_rate: Array

    def __repr__(self) -> str:
        return f"RocCurve({self.threshold.size} points)"


@_describe
def roc_curve(
    scores: ArrayLike, labels: ArrayLike, *, weights: ArrayLike | None = None
) -> RocCurve:
    """Return the ROC curve.

    Examples
    --------
    >>> roc_curve([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).true_positive_rate
    array([0. , 0.5, 0.5, 1. , 1. ])
    """
    labelled = _labelled(scores, labels, weights)
    false, true = kernel.corners(labelled.positives, labelled.negatives)
    above = np.nan if labelled.scores[-1] == np.inf else np.inf  # no score is at least nan
    falling = labelled.scores[::-1]
    # 0.0 for -0.0, whichever of the two came first; integers that a float would round stay whole
    falling = falling + 0.0 if falling.dtype.kind == "f" else falling.astype(object)
    return RocCurve(np.append(above, falling), false, true)


@dataclass(frozen=True, slots=True)
class PartialAuc:
    """Area up to a false positive rate, and standardised so that chance is 1/2 and perfect is 1."""

    max_fpr: float
    raw: float
    standardised: float


@_describe
def partial_auc(
    scores: ArrayLike, labels: ArrayLike, *, max_fpr: float, weights: ArrayLike | None = None
) -> PartialAuc:
    """Return the area under the ROC curve from a false positive rate of 0 to `max_fpr`.

    Examples
    --------
    >>> partial_auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], max_fpr=0.5)
    PartialAuc(max_fpr=0.5, raw=0.25, standardised=0.6666666666666666)
    """
    limit = number(max_fpr, "max_fpr", 0.0, 1.0)
    if limit == 0.0:
        raise InputError("max_fpr must be above 0 and at most 1; got 0.")
    labelled = _labelled(scores, labels, weights)
    raw = kernel.area_below(*kernel.corners(labelled.positives, labelled.negatives), limit)
    chance = limit * limit / 2.0
    return PartialAuc(limit, raw, 0.5 * (1.0 + (raw - chance) / (limit - chance)))


def _labelled(scores: ArrayLike, labels: ArrayLike, weights: ArrayLike | None) -> Labelled:
    if weights is None:
        return Labelled.of_arrays(*scores_and_labels(scores, labels))
    return Labelled.of(Scored(scores, labels, weights))
