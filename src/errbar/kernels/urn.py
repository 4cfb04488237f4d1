"""Draws from an urn, the one model behind observed trials and behind their posterior.

An urn holds `a` right and `b` wrong. With `step = -1` a drawn ball stays out: a k-subset of the
observed trials. With `step = +1` it goes back with one more of its kind: k new trials under a
Beta(a, b) posterior. Both have masses whose neighbours differ by a simple ratio, so a row of
masses is a running product that starts where the mass is largest and can neither overflow nor
cancel.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Step = Literal[-1, 1]

OUT: Step = -1
BACK: Step = 1

_BLOCK = 1 << 20  # numbers in one work array: 8 MB, a few of which stay near the cache
_STIRLING_FROM = 16.0  # five terms of the series leave less than 1e-17 here
_SERIES_BELOW = 0.2  # |v| under which twelve terms of the series for atanh are exact to the last bit
_NO_CELL = 1e-300  # stands for an empty cell that was expected to be empty


def blocks(rows: int, width: int) -> Iterator[slice]:
    """Slices of `rows` such that a block of this `width` fits the work array."""
    size = max(1, _BLOCK // max(1, width))
    return (slice(start, start + size) for start in range(0, rows, size))


def misses(a: Array, b: Array, step: Step, most: int) -> Array:
    """Chance that the first k draws are all wrong, k = 0…most, one row per urn."""
    drawn = step * np.arange(most)
    out = np.empty((a.size, most + 1))
    out[:, 0] = 1.0
    np.divide(b[:, None] + drawn, (a + b)[:, None] + drawn, out=out[:, 1:])
    return np.cumprod(out, axis=1, out=out)


def hits(a: Array, b: Array, step: Step, most: int) -> Array:
    """Chance of at least one right in k draws, k = 1…most, summed over where the first one falls.

    Every term is positive, so a chance of 1e-300 is as exact as one of 0.5.
    """
    first = misses(a, b, step, most - 1)
    first *= a[:, None] / ((a + b)[:, None] + step * np.arange(most))
    return np.minimum(np.cumsum(first, axis=1, out=first), 1.0)


def band(a: Array, b: Array, step: Step, k: int, first: int, last: int) -> tuple[Array, Array]:
    """Masses of j = first…last right among k, relative to the largest of them.

    Returns the column of `anchor` (the j each row is relative to) and the relative masses.
    """
    anchor = np.clip(mode(a, b, step, k), first, last)
    if first == last:
        return anchor, np.ones((a.size, 1))
    j = np.arange(first, last, dtype=float)
    rise = (k - j) * (a[:, None] + step * j)
    fall = (j + 1.0) * (b[:, None] + step * (k - 1.0 - j))
    ahead = j >= anchor[:, None]
    out = np.ones((a.size, last - first + 1))
    up, down = out[:, 1:], out[:, :-1]
    np.divide(rise, fall, out=up, where=ahead)
    np.cumprod(up, axis=1, out=up)
    back = np.ones_like(rise)
    np.divide(fall, rise, out=back, where=~ahead)
    down *= np.cumprod(back[:, ::-1], axis=1)[:, ::-1]
    return anchor, out


def mode(a: Array, b: Array, step: Step, k: int) -> Array:
    """About the likeliest number right among k; an end where the masses are U-shaped."""
    spread = a + b - 2.0 * step
    inner = np.floor((k + 1.0) * (a - step) / np.where(spread > 0, spread, 1.0))
    return np.clip(np.where(spread > 0, inner, np.where(a < b, 0.0, k)), 0.0, k)


def log_mass(j: Array, k: int, a: Array, b: Array) -> Array:
    """Log chance of j right among k draws that go back (beta-binomial), any `a`, `b` > 0."""
    left = k - j
    total = a + b
    weight = (a / (a + j)) * (b / (b + left)) * ((total + k) / total)
    return np.log(weight) + _log_table(j, a, left, b)


def _log_table(x: Array, y: Array, u: Array, v: Array) -> Array:
    """Log of C(x+y, x) C(u+v, u) / C(x+y+u+v, x+u) for real cells.

    Logs of factorials are never subtracted: at ten thousand trials they are 1e5 and would leave
    eleven digits. What remains of each after x log x − x is taken off first; those parts add up
    to four distances between a cell and what its margins expect, and all four deviate equally.
    """
    row, other, left, right = x + y, u + v, x + u, y + v
    total = row + other
    deviation = (x * v - y * u) / total
    cells = np.stack([x, y, u, v])
    expected = np.stack([row * left, row * right, other * left, other * right]) / total
    sign = np.array([1.0, -1.0, -1.0, 1.0]).reshape((4,) + (1,) * deviation.ndim)
    distance = _distance(cells, expected, sign * deviation).sum(axis=0)
    plus = _stirling_rest(np.stack([row, other, left, right])).sum(axis=0)
    minus = _stirling_rest(np.stack([x, y, u, v, total])).sum(axis=0)
    result: Array = plus - minus - distance
    return result


def _distance(cell: Array, expected: Array, deviation: Array) -> Array:
    """cell · log(cell / expected) + expected − cell, without cancellation near zero."""
    v = deviation / np.maximum(cell + expected, _NO_CELL)
    square = v * v
    series = np.zeros_like(v)
    for power in range(25, 1, -2):
        series = (series + 1.0 / power) * square
    near = deviation * v + 2.0 * cell * v * series
    far = np.abs(v) > _SERIES_BELOW
    if far.any():
        c, e = cell[far], expected[far]
        near[far] = np.where(c > 0, c * np.log(np.where(c > 0, c, 1.0) / e), 0.0) - deviation[far]
    return near


def _stirling_rest(x: Array) -> Array:
    """Log x! − (x log x − x), for real x ≥ 0."""
    from scipy.special import gammaln, xlogy  # noqa: PLC0415  loaded when first needed

    large = np.maximum(x, _STIRLING_FROM)
    inverse = 1.0 / (large * large)
    series = 1 / 12 - inverse * (
        1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse * (1 / 1188)))
    )
    rest = 0.5 * np.log(2.0 * np.pi * large) + series / large
    small = x < _STIRLING_FROM
    if small.any():
        few = x[small]
        rest[small] = gammaln(few + 1.0) - xlogy(few, few) + few
    result: Array = rest
    return result
