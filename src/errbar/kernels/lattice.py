"""The whole distribution of a mean over independent questions, by Fourier transform.

A question's score is a function of its success rate, and the rate is Beta. Points at equal steps
of the log odds carry the Beta density: such a sum converges faster than any power of the step, and
near 0 and 1 the points are as dense as any skewed posterior asks. The transform of a sum is the
product of the transforms, so each state's is raised to the number of its questions: the cost
depends on the states alone.

Where there are many questions a few hundred waves say all, and each is summed exactly. Where there
are few, the points are spread over a lattice by cubic B-splines, which blur every transform by a
factor that is known and taken out again, unless the distribution has edges as sharp as a cell.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array
from errbar.kernels.urn import blocks

_CELLS = 1 << 16  # of the lattice: about 4,000 in a standard deviation of a large mean
_MOST_CELLS = 1 << 20  # of the lattices of all states together, where edges are sharp
_POINTS = 1 << 16  # of all states together
_FEWEST_POINTS, _MOST_POINTS = 256, 2048  # of a state; even 256 give its moments ten digits
_FEW_QUESTIONS = 100  # up to here a single state's points could be told apart in the sum
_SIDE = 16  # waves k = 16 i + j: powers of two numbers give them all
_NEGLIGIBLE = -40.0  # logs: a density this far below its peak, a wave this far below one
_FADED = -27.0  # the log of waves beyond which there are none
_SHARPEST = 1 / 8  # waves in a cell, up to which the blur is known to four digits
_FURTHEST = 80.0  # log odds: beyond, a rate is 0 or 1
_OUTSIDE = 1e-10  # chance that may be left outside the window
_SAFE = 1e-300

Waves = NDArray[np.complexfloating[Any, Any]]


class Spread(NamedTuple):
    """A distribution: the chances to lie below and above each of some edges."""

    edges: Array
    below: Array
    above: Array


def quantiles(spread: Spread, shares: Array) -> Array:
    """What lies above these shares of the distribution."""
    return np.interp(shares, spread.below, spread.edges)


def chance_below(spread: Spread, x: Array) -> Array:
    """Chance of less than `x`."""
    return np.interp(x, spread.edges, spread.below, left=0.0, right=1.0)


def chance_above(spread: Spread, x: Array) -> Array:
    """Chance of more than `x`, with digits of its own where it is small."""
    return np.interp(x, spread.edges, spread.above, left=1.0, right=0.0)


def moments(spread: Spread) -> tuple[float, float]:
    """Mean and variance."""
    masses = np.diff(spread.below)
    middles = 0.5 * (spread.edges[1:] + spread.edges[:-1])
    mean = float(masses @ middles)
    return mean, float(masses @ np.square(middles - mean))


def points_for(questions: Array) -> int:
    """How many points each state should have, given its questions."""
    most = _POINTS if questions.sum() <= _FEW_QUESTIONS else _MOST_POINTS
    return min(max(_FEWEST_POINTS, _POINTS // questions.size), most)


def beta_points(a: Array, b: Array, points: int) -> tuple[Array, Array]:
    """Rates and their masses under Beta(a, b): a row per state.

    The sum over equal steps of the log odds goes on for ever; its ends are geometric series of
    rates that are 0 or 1 to all digits, and are held by the first and the last point.
    """
    peak = np.log(a / b)[:, None]
    a, b = a[:, None], b[:, None]
    low, high = -_reach(b, a, -peak), _reach(a, b, peak)
    step = (high - low) / (points - 1)
    away = low + step * np.arange(points)
    masses = np.exp(np.where(away > 0, _log_density(a, b, away), _log_density(b, a, -away)))
    masses[:, :1] /= -np.expm1(-a * step)
    masses[:, -1:] /= -np.expm1(-b * step)
    masses /= masses.sum(axis=1, keepdims=True)
    return 1.0 / (1.0 + np.exp(-(peak + away))), masses


def _log_density(a: Array, b: Array, away: Array) -> Array:
    """Log density of the log odds over that at its peak, from which they are `away` ≥ 0."""
    rise = np.expm1(np.maximum(away, 0.0))
    return a * away - (a + b) * np.log1p(a / (a + b) * rise)


def _reach(a: Array, b: Array, peak: Array) -> Array:
    """How far above their peak the log odds are worth a point.

    Newton's method from outside: the log density is concave, so that it never steps over the root.
    """
    most = _FURTHEST - peak
    share = a / (a + b)
    away = np.minimum(-(_NEGLIGIBLE + (a + b) * np.log(share)) / b, most)
    for _ in range(60):
        slope = a - (a + b) / (1.0 + np.exp(-(peak + away)))
        move = (_NEGLIGIBLE - _log_density(a, b, away)) / np.minimum(slope, -_SAFE)
        away = np.clip(away + move, 0.0, most)
    return away


def mean_of(scores: Array, masses: Array, questions: Array) -> Spread:
    """Distribution of the mean score, given that of each state's score and its questions."""
    total = float(questions.sum())
    if total == 1:
        return _of_one(scores[0], masses[0])
    middles = (masses * scores).sum(axis=1)
    mean = float(questions @ middles) / total
    apart = scores - middles[:, None]
    low, high = _window(apart, masses, questions)
    if not high > low:
        return Spread(np.array([mean, mean]), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    logs, angles, cells = _waves(apart, masses, questions, high - low)
    cell = (high - low) / cells
    low = cell * (math.floor(low / cell) - 0.5)  # the mean is the middle of a cell
    edges = low + cell * np.arange(cells + 1)
    return _summed(mean + edges / total, _masses(logs, angles, low / cell, cells))


def _of_one(scores: Array, masses: Array) -> Spread:
    """The distribution of a single score: half of a point's mass is below it."""
    order = np.argsort(scores, kind="stable")
    halves = np.repeat(0.5 * masses[order], 2)
    below = np.append(np.cumsum(halves)[::2], 1.0)
    above = np.append(np.cumsum(halves[::-1])[::2][::-1], 0.0)
    edges = scores[order]
    return Spread(
        np.concatenate([edges[:1], edges, edges[-1:]]),
        np.minimum(np.concatenate([[0.0], below]), 1.0),
        np.minimum(np.concatenate([[1.0], above]), 1.0),
    )


def _summed(edges: Array, cells: Array) -> Spread:
    """Chances to lie below and above each edge of cells with these masses."""
    cells = np.maximum(cells, 0.0)
    cells /= cells.sum()
    below, above = np.zeros((2, edges.size))
    np.cumsum(cells, out=below[1:])
    above[:-1] = np.cumsum(cells[::-1])[::-1]
    return Spread(edges, np.minimum(below, 1.0), np.minimum(above, 1.0))


def _window(apart: Array, masses: Array, questions: Array) -> tuple[float, float]:
    """From where to where the sum lies, but for a negligible chance, as it is off its mean.

    Scores are cut to what a question hardly ever leaves; their sum is within what they can reach
    together and, by Bernstein's inequality, not many standard deviations away.
    """
    order = np.argsort(apart, axis=1)
    ordered = np.take_along_axis(apart, order, axis=1)
    weights = np.take_along_axis(masses, order, axis=1)
    rare = _OUTSIDE / questions.sum()
    first = np.argmax(np.cumsum(weights, axis=1) > rare, axis=1)
    last = np.argmax(np.cumsum(weights[:, ::-1], axis=1) > rare, axis=1)
    states = np.arange(len(apart))
    least, most = ordered[states, first], ordered[states, apart.shape[1] - 1 - last]
    variance = float(questions @ (masses * np.square(apart)).sum(axis=1))
    level = -math.log(0.5 * _OUTSIDE)
    ends = []
    for furthest in (-least, most):
        part = level / 3.0 * float(furthest.max())
        far = part + math.sqrt(part * part + 2.0 * level * variance)
        ends.append(min(float(questions @ furthest), far))
    margin = 0.01 * (ends[0] + ends[1])
    return -ends[0] - margin, ends[1] + margin


def _waves(apart: Array, masses: Array, questions: Array, width: float) -> tuple[Array, Array, int]:
    """Log sizes and angles of the sum's waves, up to where they fade, and cells fit for them."""
    if questions.sum() > _FEW_QUESTIONS:
        logs, angles = _first_waves(apart, masses, questions, width)
        if logs[logs.size // 2 :].max() < _NEGLIGIBLE:
            return logs, angles, _CELLS
    most = max(_CELLS, _MOST_CELLS >> (questions.size - 1).bit_length())
    for cells in sorted({_CELLS, most}):
        logs, angles = _all_waves(apart, masses, questions, width, cells)
        upto = int(_SHARPEST * cells)
        blur = np.log(np.sinc(np.arange(logs.size) / cells))
        sharp = logs[:upto] - 4.0 * questions.sum() * blur[:upto]
        if sharp[upto // 2 :].max() < _FADED:
            return sharp, angles[:upto], cells
    # Left as they are, the masses are those of the splines: positive, and in cells already.
    return logs - blur, angles, cells


def _first_waves(
    apart: Array, masses: Array, questions: Array, width: float
) -> tuple[Array, Array]:
    """Log sizes and angles of a few hundred waves, each summed over the points."""
    waves = np.empty((len(apart), _SIDE * _SIDE), dtype=complex)
    for some in blocks(len(apart), 2 * _SIDE * apart.shape[1]):
        unit = np.exp(-2j * np.pi / width * apart[some])
        fine = _powers(unit)
        coarse = _powers(fine[:, -1] * unit) * masses[some, None, :]
        waves[some] = np.einsum("sip,sjp->sij", coarse, fine).reshape(-1, _SIDE * _SIDE)
    return questions @ np.log(np.maximum(np.abs(waves), _SAFE)), questions @ np.angle(waves)


def _powers(base: Waves) -> Waves:
    """Powers 0 … 15 of each row's numbers."""
    powers = np.repeat(base[:, None, :], _SIDE, axis=1)
    powers[:, 0] = 1.0
    return np.multiply.accumulate(powers, axis=1, out=powers)


def _all_waves(
    apart: Array, masses: Array, questions: Array, width: float, cells: int
) -> tuple[Array, Array]:
    """Log sizes and angles of all waves that a lattice can hold."""
    logs, angles = np.zeros((2, cells // 2 + 1))
    for places, weights, often in zip(apart * (cells / width), masses, questions, strict=True):
        wave = np.fft.rfft(_splined(places, weights, cells))
        logs += often * np.log(np.maximum(np.abs(wave), _SAFE))
        angles += often * np.angle(wave)
    return logs, angles


def _splined(places: Array, weights: Array, cells: int) -> Array:
    """Masses in the cells of a ring, each spread over four of them: its mean stays."""
    first = np.floor(places)
    after = places - first
    before = 1.0 - after
    taps = (
        before**3,
        4.0 - 3.0 * after * after * (1.0 + before),
        4.0 - 3.0 * before * before * (1.0 + after),
        after**3,
    )
    held = np.zeros(cells)
    for shift, tap in enumerate(taps, start=-1):
        at = (first.astype(np.int64) + shift) % cells
        held += np.bincount(at, weights=weights * tap / 6.0, minlength=cells)
    return held


def _masses(logs: Array, angles: Array, start: float, cells: int) -> Array:
    """Masses of the cells of a ring that starts so many before the mean, from their waves."""
    wave = np.arange(logs.size)
    turn = 2.0 * np.pi / cells * (start + 0.5)
    spectrum = np.exp(logs) * np.sinc(wave / cells) * np.exp(1j * (angles + turn * wave))
    return np.fft.irfft(spectrum, cells)
