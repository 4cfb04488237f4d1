"""Curves of ranked items with an interval at each point: risk over coverage, ROC, calibration.

Every interval stands for its point alone.
"""

import math
from dataclasses import dataclass

from errbar.estimate import Interval, Subject


@dataclass(frozen=True, slots=True)
class BandPoint:
    """A point of a curve; without an interval where resampling cannot tell how sure it is."""

    x: float
    value: float
    interval: Interval
    items: int = 0  # that it is of, where each has its own


@dataclass(frozen=True, slots=True)
class Band:
    """A curve of one system and task."""

    of: Subject
    points: tuple[BandPoint, ...]
    reach: float = 1.0  # the largest coverage


def lacks_intervals(band: Band) -> bool:
    """Whether resampling could not tell everywhere how sure the curve is."""
    return any(math.isnan(point.interval.low) for point in band.points)
