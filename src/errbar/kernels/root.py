"""Where a rising function is zero."""

import math
from collections.abc import Callable

_MOST_STEPS = 100
_NO_ROOM = 1e-15


def root(
    rising: Callable[[float], float],
    start: float,
    step: float,
    within: tuple[float, float],
    accuracy: float,
) -> float:
    """The root of a function that rises nearly along a line, by secants kept in a bracket."""
    low, high = within
    margin = 1e-3 * (high - low)
    old = min(max(start, low + margin), high - margin)
    off_old = rising(old)
    new = old - math.copysign(min(step, 0.5 * (old - low), 0.5 * (high - old)), off_old)
    for _ in range(_MOST_STEPS):
        off = rising(new)
        low, high = (new, high) if off < 0 else (low, new)
        if abs(off) < accuracy or high - low < _NO_ROOM:
            break
        slope = (off - off_old) / (new - old) if new != old else 0.0
        old, off_old = new, off
        new = new - off / slope if slope > 0 else low
        if not low < new < high:
            new = 0.5 * (low + high)
    return new
