"""Sign-flip test for paired differences, and the interval that inverts it.

If neither of two systems is better, every difference might as well have the opposite sign (Fisher
1935). Under random signs the sum of the differences has mean zero and variance Σd², and is
approximately normal. For differences of −1, 0 and 1 this is McNemar's test (1947); for others it is
close to the paired t-test.

The interval contains every δ for which the differences minus δ pass the test. If few questions
differ, it is at least as wide as the Bayesian bootstrap with an unseen question
(`kernels.bounded_mean`).
"""

import math
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels.bounded_mean import FARTHER_DIFFERENCE, UNSEEN, approximate_low_end

# The unseen question; decision 10 gives the simulations behind its constants.
_FEW = 8.0  # differing questions over which its weight decays by a factor e
_NEGLIGIBLE = 1e-2  # weight below which it is left out
_ROUNDING = 1e-12  # relative: a sum this near to zero is zero


class Ends(NamedTuple):
    """Lower and upper end of an interval."""

    low: float
    high: float


def evidence(totals: Array) -> float:
    """Test statistic Σd / √Σd²: standard normal under random signs."""
    total, square = float(totals.sum()), float(totals @ totals)
    if abs(total) <= _ROUNDING * float(np.abs(totals).sum()):
        return 0.0
    return total / math.sqrt(square)


def shift_ends(totals: Array, sizes: Array, reach: float, span: float) -> Ends:
    """Interval of mean differences that the test at `reach` standard deviations does not reject.

    `totals` are sums of differences over clusters of `sizes` questions. A difference lies between
    −span and span; the span is infinite for rewards without bounds.
    """
    ends = _inverted_test(totals, sizes, reach)
    if math.isinf(span):
        return ends
    low, high = _with_unseen(totals, sizes, reach, span, ends)
    return Ends(max(low, -span), min(high, span))


def effective_size(totals: Array) -> float:
    """Effective number of differences, (Σ|d|)² / Σd²; their number if all are equally large."""
    square = float(totals @ totals)
    return float(np.abs(totals).sum()) ** 2 / square if square else 0.0


def _inverted_test(totals: Array, sizes: Array, reach: float) -> Ends:
    """Ends where the statistic of `totals − δ · sizes` is `reach`: roots of a quadratic in δ."""
    total, questions = float(totals.sum()), float(sizes.sum())
    room = questions * questions - reach * reach * float(sizes @ sizes)
    if room <= 0.0:  # too few clusters to reject any mean
        return Ends(-math.inf, math.inf)
    middle = (total * questions - reach * reach * float(totals @ sizes)) / room
    product = (total * total - reach * reach * float(totals @ totals)) / room
    half = math.sqrt(max(middle * middle - product, 0.0))
    return Ends(middle - half, middle + half)


def _with_unseen(totals: Array, sizes: Array, reach: float, span: float, ends: Ends) -> Ends:
    """Widen `ends` to the Bayesian bootstrap with an unseen question.

    The fewer questions differ, the more distant the unseen question is and the more it weighs.
    """
    from scipy.special import ndtr  # noqa: PLC0415  loaded when first needed

    number = effective_size(totals)
    unseen = UNSEEN * math.exp(-number / _FEW)
    if unseen < _NEGLIGIBLE:
        return ends
    farthest = FARTHER_DIFFERENCE * float((np.abs(totals) / sizes).max())
    far = -min(max(farthest, span * math.exp(-number)), span)
    rows, often = np.unique(np.stack([totals, sizes]), axis=1, return_counts=True)
    weighed = (rows[1], often.astype(float), float(ndtr(-reach)), (far, unseen))
    low, high = approximate_low_end(rows[0], *weighed), -approximate_low_end(-rows[0], *weighed)
    return Ends(min(low, ends.low), max(high, ends.high))


def clip_to_verdict(ends: Ends, sign: int) -> Ends:
    """Ends clipped to agree with a test of zero: rejected with this `sign`, or not (0)."""
    low, high = ends
    if sign > 0:
        return Ends(max(low, 0.0), max(high, 0.0))
    if sign < 0:
        return Ends(min(low, 0.0), min(high, 0.0))
    return Ends(min(low, 0.0), max(high, 0.0))
