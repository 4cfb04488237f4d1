"""Whether paired differences have a mean of zero: how far random signs would go.

If neither of two systems is better, a question might as well have shown the opposite difference.
Under random signs the sum of the differences has the variance of their squares, and is nearly
normal. For differences of −1, 0 and 1 this is McNemar's test, for others nearly the paired t-test.

A mean of δ is tried with the differences less δ. Where few questions differ, an interval is at
least as wide as random weights for the questions and a share of one unseen make it.
"""

import math
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels.bounded_mean import UNSEEN, near_low_end

_FEW = 8.0  # that differ: beyond, what is unseen hardly counts
_NEGLIGIBLE = 1e-2  # of a question
_FARTHER = 2.0  # times as far as the largest difference that was seen
_ROUNDING = 1e-12  # relative: a sum this near to zero is zero


class Ends(NamedTuple):
    """An interval."""

    low: float
    high: float


def evidence(totals: Array) -> float:
    """How many standard deviations the sum of differences is from zero, under random signs."""
    total, square = float(totals.sum()), float(totals @ totals)
    if abs(total) <= _ROUNDING * float(np.abs(totals).sum()):
        return 0.0
    return total / math.sqrt(square)


def shift_ends(totals: Array, sizes: Array, reach: float, span: float) -> Ends:
    """The means of differences that are no more than `reach` deviations from those seen.

    `totals` are of clusters with `sizes` questions; a difference lies between −span and span. An
    infinite span is that of rewards.
    """
    ends = _by_spread(totals, sizes, reach)
    if math.isinf(span):
        return ends
    low, high = _with_unseen(totals, sizes, reach, span, ends)
    return Ends(max(low, -span), min(high, span))


def differing(totals: Array) -> float:
    """How many differences their sum rests on: large ones count for more."""
    square = float(totals @ totals)
    return float(np.abs(totals).sum()) ** 2 / square if square else 0.0


def _by_spread(totals: Array, sizes: Array, reach: float) -> Ends:
    """Where the sum of the differences, less a share for each, is `reach` deviations from 0."""
    whole, asked = float(totals.sum()), float(sizes.sum())
    room = asked * asked - reach * reach * float(sizes @ sizes)
    if room <= 0.0:  # so few that every mean is possible
        return Ends(-math.inf, math.inf)
    middle = (whole * asked - reach * reach * float(totals @ sizes)) / room
    rest = (whole * whole - reach * reach * float(totals @ totals)) / room
    half = math.sqrt(max(middle * middle - rest, 0.0))
    return Ends(middle - half, middle + half)


def _with_unseen(totals: Array, sizes: Array, reach: float, span: float, ends: Ends) -> Ends:
    """At least as wide as random weights and a share of an unseen question make it.

    The fewer questions differ, the further away it is, and the more it is worth.
    """
    from scipy.special import ndtr  # noqa: PLC0415  loaded when first needed

    number = differing(totals)
    unseen = UNSEEN * math.exp(-number / _FEW)
    if unseen < _NEGLIGIBLE:
        return ends
    farthest = _FARTHER * float((np.abs(totals) / sizes).max())
    far = -min(max(farthest, span * math.exp(-number)), span)
    rows, often = np.unique(np.stack([totals, sizes]), axis=1, return_counts=True)
    weighed = (rows[1], often.astype(float), float(ndtr(-reach)), (far, unseen))
    low, high = near_low_end(rows[0], *weighed), -near_low_end(-rows[0], *weighed)
    return Ends(min(low, ends.low), max(high, ends.high))


def agreeing(ends: Ends, sign: int) -> Ends:
    """The same where a mean of zero is ruled out from one side, or (`sign` 0) is not ruled out."""
    low, high = ends
    if sign > 0:
        return Ends(max(low, 0.0), max(high, 0.0))
    if sign < 0:
        return Ends(min(low, 0.0), min(high, 0.0))
    return Ends(min(low, 0.0), max(high, 0.0))
