"""Draws from an urn, the one model behind observed trials and behind their posterior.

An urn holds `a` right and `b` wrong. With `step = -1` a drawn ball stays out: a k-subset of the
observed trials. With `step = +1` it goes back with one more of its kind: k new trials under a
Beta(a, b) posterior. Both have masses whose neighbours differ by a simple ratio, so a row of
masses is a running product that starts where the mass is largest and can neither overflow nor
cancel.
"""

from collections.abc import Callable
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


def blocks(urns: int, draws: int) -> list[slice]:
    """Slices of the urns such that a block of this many draws fits the work array."""
    size = max(1, _BLOCK // max(1, draws))
    return [slice(start, start + size) for start in range(0, urns, size)]


def all_wrong(a: Array, b: Array, step: Step, ks: list[int]) -> Array:
    """Chance that all of k draws are wrong: a row per k, a column per urn."""
    most = max(ks)
    out = np.empty((len(ks), a.size))
    for urns in blocks(a.size, most):
        rates = _wrong_rates(a[urns], b[urns], step, most)
        if len(ks) == 1:
            np.multiply.reduce(rates, axis=0, out=out[0, urns])
        else:
            out[:, urns] = np.cumprod(rates, axis=0)[np.subtract(ks, 1)]
    return out


def one_right(a: Array, b: Array, step: Step, ks: list[int]) -> Array:
    """Chance of at least one right in k draws, summed over where the first one falls.

    Every term is positive, so a chance of 1e-300 is as exact as one of 0.5.
    """
    most = max(ks)
    out = np.empty((len(ks), a.size))
    for urns in blocks(a.size, most):
        first = _wrong_rates(a[urns], b[urns], step, most)
        first[1:] = np.cumprod(first[:-1], axis=0)
        first[0] = 1.0
        first *= a[urns] / ((a[urns] + b[urns]) + step * np.arange(most)[:, None])
        if len(ks) == 1:
            np.add.reduce(first, axis=0, out=out[0, urns])
        else:
            out[:, urns] = np.cumsum(first, axis=0)[np.subtract(ks, 1)]
    return np.minimum(out, 1.0, out=out)


def _wrong_rates(a: Array, b: Array, step: Step, most: int) -> Array:
    """Chance that a draw is wrong after as many wrong ones as its row says."""
    drawn = step * np.arange(most)[:, None]
    rates = b + drawn
    rates /= (a + b) + drawn
    return rates


def band(a: Array, b: Array, step: Step, k: int, first: int, last: int) -> tuple[Array, Array]:
    """Masses of j = first…last right among k, relative to the largest: a column per urn.

    Returns `anchor`, the j that each column is relative to, and the relative masses.
    """
    out = np.ones((last - first + 1, a.size))
    if first == last:
        return np.full(a.size, float(first)), out
    anchor = np.minimum(np.maximum(mode(a, b, step, k), first), last)
    j = np.arange(first, last, dtype=float)[:, None]
    rise = (k - j) * (a + step * j)
    fall = (j + 1.0) * (b + step * (k - 1.0 - j))
    ahead = j >= anchor
    ratio = np.where(ahead, rise, fall)
    ratio /= np.where(ahead, fall, rise)
    np.cumprod(np.where(ahead, ratio, 1.0), axis=0, out=out[1:])
    ratio[ahead] = 1.0
    out[:-1] *= np.cumprod(ratio[::-1], axis=0)[::-1]
    return anchor, out


def mode(a: Array, b: Array, step: Step, k: int) -> Array:
    """About the likeliest number right among k; an end where the masses are U-shaped."""
    spread = a + b - 2.0 * step
    inner = np.floor((k + 1.0) * (a - step) / np.maximum(spread, 1e-300))
    inner = np.minimum(np.maximum(inner, 0.0), k)
    if spread.min() > 0:
        return inner
    return np.where(spread > 0, inner, np.where(a < b, 0.0, k))


def log_mass(j: Array, k: int, a: Array, b: Array) -> Array:
    """Log chance of j right among k draws that go back (beta-binomial), any `a`, `b` > 0."""
    left = k - j
    total = a + b
    weight = (a / (a + j)) * (b / (b + left)) * ((total + k) / total)
    return np.log(weight) + _log_table(j, a, left, b)


def _log_table(x: Array, y: Array, u: Array, v: Array) -> Array:
    """Log of C(x+y, x) C(u+v, u) / C(x+y+u+v, x+u) for real cells, a row of numbers each.

    Logs of factorials are never subtracted: at ten thousand trials they are 1e5 and would leave
    eleven digits. What remains of each after x log x − x is taken off first; those parts add up
    to four distances between a cell and what its margins expect, and all four deviate equally.
    """
    parts = np.empty((9, x.size))
    parts[0], parts[1], parts[2], parts[3] = x, y, u, v
    row, other, left, right, total = parts[4:]
    np.add(x, y, out=row)
    np.add(u, v, out=other)
    np.add(x, u, out=left)
    np.add(y, v, out=right)
    np.add(row, other, out=total)
    expected = parts[[4, 4, 5, 5]] * parts[[6, 7, 6, 7]] / total
    deviation = _SIGNS * ((x * v - y * u) / total)
    result: Array = _REST_SIGNS @ _stirling_rest(parts)
    result -= _distance(parts[:4], expected, deviation).sum(axis=0)
    return result


_SIGNS = np.array([[1.0], [-1.0], [-1.0], [1.0]])
_REST_SIGNS = np.array([-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0])


def _distance(cell: Array, expected: Array, deviation: Array) -> Array:
    """cell · log(cell / expected) + expected − cell, without cancellation near zero."""
    v = deviation / np.maximum(cell + expected, _NO_CELL)
    square = v * v
    series = square / 25.0
    for power in range(23, 1, -2):
        series += 1.0 / power
        series *= square
    near = v * (deviation + 2.0 * cell * series)
    far = np.abs(v) > _SERIES_BELOW
    if far.any():
        c, e = cell[far], expected[far]
        near[far] = c * np.log(np.maximum(c, _NO_CELL) / e) - deviation[far]
    return near


def _stirling_rest(x: Array) -> Array:
    """Log x! − (x log x − x), for real x ≥ 0."""
    from scipy.special import gammaln, xlogy  # noqa: PLC0415  loaded when first needed

    large = np.maximum(x, _STIRLING_FROM)
    square = 1.0 / (large * large)
    series = square / 1188.0
    for term in (-1 / 1680, 1 / 1260, -1 / 360):
        series += term
        series *= square
    series += 1 / 12
    rest = 0.5 * np.log(2.0 * np.pi * large) + series / large
    small = x < _STIRLING_FROM
    if small.any():
        few = x[small]
        rest[small] = gammaln(few + 1.0) - xlogy(few, few) + few
    return rest
