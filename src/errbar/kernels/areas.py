"""Areas under the risk–coverage curve as other tools draw them.

`loss` is in the order in which items are covered, one item after the other; `total` counts those
without an answer too. Only `plateaus` knows of equal confidences: it has one point for each.
"""

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.ranked import Array

Point = tuple[float, float]


def selective_risks(loss: Array) -> Array:
    """Mean loss of the first 1, 2, … items."""
    return np.cumsum(loss) / np.arange(1, loss.size + 1)


def trapezoids(loss: Array, total: int) -> float:
    """From the first point on; one point alone is as wide as its coverage."""
    risks = selective_risks(loss)
    if risks.size == 1:
        return float(risks[0] / total)
    return float((risks[1:] + risks[:-1]).sum() / (2 * total))


def span_normalised(loss: Array) -> float:
    """Trapezoids from the first point on, over the width between the first and the last."""
    risks = selective_risks(loss)
    return float((risks[1:] + risks[:-1]).mean() / 2)


def generalized_span_normalised(loss: Array, total: int) -> float:
    """The same of the loss so far per item of all."""
    so_far = np.cumsum(loss) / total
    return float((so_far[1:] + so_far[:-1]).mean() / 2)


def logarithmic(items: NDArray[np.int64], loss: Array) -> float:
    """Losses weighted by −log(1 − rank / (answered + 1)), the surest item having the last rank.

    Items of equal confidence share the mean of their weights.
    """
    from scipy.special import gammaln  # noqa: PLC0415  loaded when first needed

    ends = np.cumsum(items)
    starts, answered = ends - items, ends[-1]
    # The i-th from the surest has rank answered + 1 − i, so 1 − rank/(answered + 1) is i over that.
    logs = np.where(
        items == 1,
        np.log(ends),
        (gammaln(ends + 1.0) - gammaln(starts + 1.0)) / items,
    )
    return float(loss @ (np.log(answered + 1.0) - logs) / answered)


def plateaus(items: NDArray[np.int64], loss: Array, total: int) -> float:
    """Trapezoids between the ends of equal confidences, flat before the first."""
    ends = np.cumsum(items)
    return _under(ends / total, np.cumsum(loss) / ends)


def least_plateaus(items: NDArray[np.int64], loss: Array, total: int) -> float:
    """The least such area that any ranking of these losses has, with whatever ties.

    A tie draws a straight line past the points between its ends, so the best ranking keeps the
    corners of the lower hull alone.
    """
    per_item = np.repeat(loss / items, items)
    count = np.arange(1, per_item.size + 1)
    corners: list[Point] = []
    for x, y in zip((count / total).tolist(), (np.cumsum(per_item) / count).tolist(), strict=True):
        while len(corners) > 1 and _is_above(corners[-1], corners[-2], (x, y)):
            corners.pop()
        corners.append((x, y))
    return _under(*np.array(corners).T)


def _is_above(point: Point, left: Point, right: Point) -> bool:
    """Whether `point` is on or above the line through its neighbours."""
    across = (point[1] - left[1]) * (right[0] - left[0])
    return across >= (right[1] - left[1]) * (point[0] - left[0])


def _under(coverage: Array, risk: Array) -> float:
    flat = coverage[0] * risk[0]
    return float(flat + np.trapezoid(risk, coverage))
