"""ROC areas and their variance from totals per distinct score.

Scores stand along the first axis, the lowest first: the weight of the `positives` and of the
`negatives` that have it. A second axis, where there is one, holds replicates.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.order import starts_of, totals

Array = NDArray[np.floating[Any]]
Numbers = NDArray[np.floating[Any] | np.integer[Any]]


def area(positives: Numbers, negatives: Numbers) -> Array:
    """Chance that a positive outscores a negative, ties counting one half; nan without both."""
    below = np.cumsum(negatives, axis=0)
    pairs = np.einsum("i...,i...->...", positives, 2 * below - negatives)
    every = positives.sum(axis=0) * below[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(pairs / (2 * every))


def placements(positives: Numbers, negatives: Numbers) -> tuple[Array, Array]:
    """For each score, the share of negatives that a positive there outscores, and the share of
    positives that outscore a negative there.
    """
    below, so_far = np.cumsum(negatives), np.cumsum(positives)
    beats = (below - 0.5 * negatives) / below[-1]
    beaten = 1.0 - (so_far - 0.5 * positives) / so_far[-1]
    return beats, beaten


def delong_variance(positives: Numbers, negatives: Numbers) -> float:
    """Variance of the area: that of the placements of each class, over its size."""
    beats, beaten = placements(positives, negatives)
    return _spread(positives, beats) + _spread(negatives, beaten)


def _spread(often: Numbers, placed: Array) -> float:
    """Variance of the mean of `placed`, each seen so often."""
    size = int(often.sum())
    centred = placed - (often @ placed) / size
    return float(often @ np.square(centred)) / (size - 1) / size


def item_placements(scores: Array, labels: NDArray[np.bool_]) -> tuple[Array, Array]:
    """The same shares for each positive and each negative, in the order of the items."""
    order = np.argsort(scores)
    starts = starts_of(scores[order])
    items = np.diff(starts, append=scores.size)
    positives = totals(starts, labels[order])
    group = np.empty(scores.size, dtype=np.intp)
    group[order] = np.repeat(np.arange(starts.size), items)
    beats, beaten = placements(positives, items - positives)
    return beats[group[labels]], beaten[group[~labels]]


def corners(positives: Numbers, negatives: Numbers) -> tuple[Array, Array]:
    """False and true positive rates as the threshold falls, from (0, 0) to (1, 1)."""
    rates = []
    for part in (negatives, positives):
        so_far = np.concatenate([[0.0], np.cumsum(part[::-1])])
        rates.append(so_far / so_far[-1])
    return rates[0], rates[1]


def area_below(false: Array, true: Array, limit: float) -> float:
    """Area under a ROC curve from a false positive rate of 0 to `limit`."""
    inside = np.searchsorted(false, limit, side="right")
    x = np.append(false[:inside], limit)
    y = np.append(true[:inside], np.interp(limit, false, true))
    return float(np.trapezoid(y, x))
