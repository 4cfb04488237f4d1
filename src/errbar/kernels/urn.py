"""Draws from an urn without replacement: hypergeometric masses and tails, and plurality votes.

The urn is the one model behind observed trials and behind their posterior.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Numbers

Step = Literal[-1, 1]

OUT: Step = -1
BACK: Step = 1

_BLOCK = 1 << 20  # numbers in one work array: 8 MB, a few of which stay near the cache
_LOG_RANGE = 600.0  # products up to e to this, and down to its inverse, are at home in a float
_STIRLING_FROM = 16.0  # five terms of the series leave less than 1e-17 here
_SERIES_BELOW = 0.2  # |v| under which twelve terms of the series for atanh lose nothing
_CELL_SIGNS = np.array([[1.0], [-1.0], [-1.0], [1.0]])  # which way each cell deviates
_REST_SIGNS = np.array([-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0])  # cells, margins, total
_NO_CELL = 1e-300  # stands for an empty cell that was expected to be empty


def blocks(urns: int, draws: int) -> list[slice]:
    """Slices of the urns such that a block of this many draws fits the work array."""
    size = max(1, _BLOCK // max(1, draws))
    return [slice(start, start + size) for start in range(0, urns, size)]


def all_wrong(a: Numbers, b: Numbers, step: Step, ks: list[int]) -> Array:
    """Chance that all of k draws are wrong: a row per k, a column per urn.

    An urn that runs out of wrong ones has a factor of zero, and others that may be negative.
    """
    drawn = np.arange(0.0, step * max(ks), step)[:, None]
    if len(ks) == 1 and drawn.size * a.size <= _BLOCK:
        wrong = b + drawn
        wrong /= a + wrong
        chance = np.multiply.reduce(wrong, axis=0, keepdims=True)
        return np.abs(chance, out=chance)
    out = np.empty((len(ks), a.size))
    for urns in blocks(a.size, drawn.size):
        wrong = b[urns] + drawn
        out[:, urns] = np.cumprod(wrong / (a[urns] + wrong), axis=0)[np.subtract(ks, 1)]
    return np.abs(out, out=out)


def one_right(a: Numbers, b: Numbers, step: Step, ks: list[int]) -> Array:
    """Chance of at least one right in k draws, summed over where the first one falls.

    Every term is positive, so a chance of 1e-300 is as exact as one of 0.5.
    """
    drawn = np.arange(0.0, step * max(ks), step)[:, None]
    if len(ks) == 1 and drawn.size * a.size <= _BLOCK:
        out = np.add.reduce(_first_right(a, b, drawn), axis=0, keepdims=True)
    else:
        out = np.empty((len(ks), a.size))
        for urns in blocks(a.size, drawn.size):
            first = _first_right(a[urns], b[urns], drawn)
            out[:, urns] = np.cumsum(first, axis=0)[np.subtract(ks, 1)]
    return np.minimum(out, 1.0, out=out)


def _first_right(a: Numbers, b: Numbers, drawn: Array) -> Array:
    """Chance that the first right draw is the one after so many, a row for each."""
    wrong = b + drawn
    left = a + wrong
    first = a / left
    wrong /= left
    first[1:] *= np.multiply.accumulate(wrong[:-1], axis=0)
    return first


def same_size(trials: NDArray[np.int64]) -> list[tuple[int, slice | NDArray[np.intp]]]:
    """Each number of trials, and the places where it stands."""
    if trials.min() == trials.max():
        return [(int(trials[0]), slice(None))]
    order = np.argsort(trials, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(trials[order])) + 1)
    return [(int(trials[places[0]]), places) for places in groups]


def band(a: Numbers, b: Numbers, step: Step, k: int, first: int, last: int) -> Array:
    """Masses of j = first…last right among k, up to one factor for each column's urn.

    From j to j + 1 the mass changes by rise / fall. So it is the product of the rises before it
    and of the falls beyond it; where those would be too many for a float, each step is divided by
    the larger of the two. Then every factor is at most one, and where the masses have a single
    peak the peak is exactly one. No mass is above 1e260.
    """
    out = np.ones((last - first + 1, a.size))
    if first == last:
        return out
    j = np.arange(float(first), last)[:, None]
    signed = j if step == BACK else -j
    rise = a + signed
    rise *= k - j
    fall = (b + step * (k - 1.0)) - signed
    fall *= j + 1.0
    if (last - first) * math.log(max(rise.max(), fall.max(), 2.0)) > _LOG_RANGE:
        ratio = np.minimum(rise, fall) / np.maximum(rise, fall)
        falls = rise < fall
        rise, fall = np.where(falls, ratio, 1.0), np.where(falls, 1.0, ratio)
    np.multiply.accumulate(rise, axis=0, out=out[1:])
    out[:-1] *= np.multiply.accumulate(fall[::-1], axis=0)[::-1]
    return out


def log_scale(masses: Array, first: int, k: float, a: Array, b: Array) -> Array:
    """Log of the factor that `band` left out, for draws that go back."""
    peak = masses.argmax(axis=0)
    return log_mass(first + peak, k, a, b) - np.log(masses[peak, np.arange(a.size)])


def log_mass(j: Numbers, k: float, a: Array, b: Array) -> Array:
    """Log chance of j right among k draws that go back (beta-binomial), any `a`, `b` > 0."""
    left = k - j
    total = a + b
    weight = (a / (a + j)) * (b / (b + left)) * ((total + k) / total)
    return np.log(weight) + _log_table(j, a, left, b)


def _log_table(x: Numbers, y: Numbers, u: Numbers, v: Numbers) -> Array:
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
    deviation = _CELL_SIGNS * ((x * v - y * u) / total)
    result = _REST_SIGNS @ _stirling_rest(parts)
    result -= _distance(parts[:4], expected, deviation).sum(axis=0)
    return result


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


def mean_credit(votes: Sequence[int], credit: Sequence[float], silent: int, k: int) -> float:
    """Expected credit of the answer that wins, the mean of theirs where several do.

    `votes` are the ballots of each answer, `silent` those without one; if nobody votes the credit
    is 0.
    """
    total = 0.0
    shares: dict[int, float] = {}
    for at, (mine, worth) in enumerate(zip(votes, credit, strict=True)):
        if worth:
            if mine not in shares:
                others = tuple(sorted((*votes[:at], *votes[at + 1 :])))
                shares[mine] = _share(mine, others, silent, k)
            total += worth * shares[mine]
    return total


@cache
def _share(mine: int, others: tuple[int, ...], silent: int, k: int) -> float:
    """Expected share of the win of an answer with so many ballots."""
    everything = math.comb(mine + sum(others) + silent, k)
    share = 0.0
    for level in range(1, min(mine, k) + 1):
        ways = _ways(others, silent, k - level, level)
        ties = np.arange(1, len(ways) + 1)
        share += float(math.comb(mine, level) * (ways / ties).sum() / everything)
    return share


def _ways(others: tuple[int, ...], silent: int, drawn: int, level: int) -> Array:
    """Subsets of `drawn` ballots where no answer has more than `level`, by how many have that."""
    ways = np.zeros((drawn // level + 1, drawn + 1))
    ways[0] = _choices(silent, drawn)
    for votes in others:
        below = _choices(votes, drawn)
        below[level:] = 0.0
        fewer = np.stack([np.convolve(row, below)[: drawn + 1] for row in ways])
        if votes >= level and drawn >= level:
            fewer[1:, level:] += float(math.comb(votes, level)) * ways[:-1, : drawn + 1 - level]
        ways = fewer
    return ways[:, drawn]


def _choices(ballots: int, most: int) -> Array:
    return np.array([math.comb(ballots, drawn) for drawn in range(most + 1)], dtype=float)
