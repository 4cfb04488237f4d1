"""Sign-flip test for paired differences, and the interval that inverts it.

If neither of two systems is better, each difference could equally have the opposite sign (Fisher
1935). Under random signs the sum of the differences has mean zero and variance Σd², and is
approximately normal. For differences of −1, 0 and 1 this is McNemar's test (1947) without
correction for continuity; for others it is close to the paired t-test. Like the t-test it assumes
that the observed differences show the whole range: that there are no rare ones much larger than
those observed. `kernels.bounded_mean` has the test without this assumption.
"""

import math
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array

# Of the largest: values this near are equal. Rounding moves the mean of a million values by 1e-13;
# scores that differ do so by one trial at least, of 1e9 or fewer.
ROUNDING = 1e-12
# Effective number of differences below which the normal distribution does not describe the test: of
# 400,000 simulated pairs of equal systems (12 to 100 questions, 1 to 8 trials, four shapes of
# difficulty) it rejects 0 to 6.5% at the 5% level and 0 to 0.8% at 1%; from ten on 4.5 to 5.1%, and
# 0.6 to 0.9%.
FEW = 10


class Ends(NamedTuple):
    """Lower and upper end of an interval."""

    low: float
    high: float


def evidence(totals: Array) -> float:
    """Test statistic Σd / √Σd²: standard normal under random signs."""
    total, square = float(totals.sum()), float(totals @ totals)
    if abs(total) <= ROUNDING * float(np.abs(totals).sum()):
        return 0.0
    return total / math.sqrt(square)


def shift_ends(totals: Array, sizes: Array, reach: float) -> Ends:
    """Interval of mean differences that the test at `reach` standard deviations does not reject.

    `totals` are sums of differences over clusters of `sizes` questions. The statistic of
    `totals − δ · sizes` is `reach` at the ends, which are the roots of a quadratic in δ.
    """
    total, questions = float(totals.sum()), float(sizes.sum())
    room = questions * questions - reach * reach * float(sizes @ sizes)
    if room <= 0.0:  # too few clusters to reject any mean
        return Ends(-math.inf, math.inf)
    middle = (total * questions - reach * reach * float(totals @ sizes)) / room
    product = (total * total - reach * reach * float(totals @ totals)) / room
    half = math.sqrt(max(middle * middle - product, 0.0))
    return Ends(middle - half, middle + half)


def rounded_difference(first: Array, second: Array) -> Array:
    """Differences of values; exactly 0 where they are equal up to rounding."""
    difference = first - second
    largest = max(np.abs(first).max(), np.abs(second).max())
    difference[np.abs(difference) <= ROUNDING * largest] = 0.0
    return difference


def effective_size(totals: Array) -> float:
    """Effective number of differences, (Σ|d|)² / Σd²; their number if all are equally large."""
    square = float(totals @ totals)
    return float(np.abs(totals).sum()) ** 2 / square if square else 0.0


def losses_to_undo(totals: Array, loss: float, reach: float) -> int:
    """How many more differences of −`loss`, against the sum, make the test fall below `reach`.

    With f of them the statistic is (|Σd| − f·loss) / √(Σd² + f·loss²).
    """
    total, square = abs(float(totals.sum())), float(totals @ totals)
    most = math.ceil(total / loss) + 1
    number = np.arange(most + 1)
    scores = (total - number * loss) / np.sqrt(square + number * loss**2)
    return int(np.argmax(scores < reach))


def clip_to_verdict(ends: Ends, sign: int) -> Ends:
    """Ends clipped to agree with a test of zero: rejected with this `sign`, or not (0)."""
    low, high = ends
    if sign > 0:
        return Ends(max(low, 0.0), max(high, 0.0))
    if sign < 0:
        return Ends(min(low, 0.0), min(high, 0.0))
    return Ends(min(low, 0.0), max(high, 0.0))
