"""Posterior distribution of a mean over independent questions, by Fourier inversion.

A question's score is a function of its success rate, whose posterior is Beta. The Beta density is
discretised at equal steps of the log odds: the trapezoidal rule converges exponentially there
(Trefethen and Weideman 2014), and resolves posteriors close to 0 or 1. The characteristic function
of a sum is the product of those of its terms, so that of each state is raised to its number of
questions: the cost depends on the number of distinct states only.

With many questions a few hundred frequencies suffice, and each is summed directly. With few
questions, the points are spread over a grid by cubic B-splines and transformed by FFT; the known
Fourier transform of the spline is divided out, unless the distribution has jumps as sharp as a
cell of the grid.
"""

import math
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Waves
from errbar.kernels.urn import blocks

_CELLS = 1 << 16  # of the grid: about 4,000 per standard deviation of a large mean
_MOST_CELLS = 1 << 20  # of the grids of all states together, where jumps are sharp
_POINTS = 1 << 16  # quadrature points of all states together
_FEWEST_POINTS, _MOST_POINTS = 256, 2048  # per state; 256 already give moments to ten digits
_FEW_QUESTIONS = 100  # up to here single quadrature points could be visible in the sum
_SIDE = 16  # frequencies k = 16 i + j, i, j < 16: products of two tables of powers
_NEGLIGIBLE = -40.0  # log of a density relative to its peak, or of a Fourier coefficient
_FADED = -27.0  # log of a Fourier coefficient after which the series is cut off
_SHARPEST = 1 / 8  # cycles per cell up to which the spline's transform is divided out
_FURTHEST = 80.0  # log odds beyond which a rate is 0 or 1 in floating point
_OUTSIDE = 1e-10  # probability that may lie outside the window
_SAFE = 1e-300  # keeps logs and divisions finite
_STEPS = 60  # of Newton's method, which stays where it is once it is there
_MARGIN = 0.01  # of the window on either side: the spline reaches two cells beyond the last


class GridDistribution(NamedTuple):
    """A distribution on a grid: the probabilities below and above each edge."""

    edges: Array
    below: Array
    above: Array


def quantiles(distribution: GridDistribution, shares: Array) -> Array:
    """Quantiles of the distribution."""
    return np.interp(shares, distribution.below, distribution.edges)


def chance_above(distribution: GridDistribution, x: Array) -> Array:
    """Survival function at `x`, accurate in the far tail."""
    return np.interp(x, distribution.edges, distribution.above, left=1.0, right=0.0)


def moments(distribution: GridDistribution) -> tuple[float, float]:
    """Mean and variance."""
    masses = np.diff(distribution.below)
    middles = 0.5 * (distribution.edges[1:] + distribution.edges[:-1])
    mean = float(masses @ middles)
    return mean, float(masses @ np.square(middles - mean))


def points_for(questions: Array) -> int:
    """Number of quadrature points for each state."""
    most = _POINTS if questions.sum() <= _FEW_QUESTIONS else _MOST_POINTS
    return min(max(_FEWEST_POINTS, _POINTS // questions.size), most)


def beta_points(a: Array, b: Array, points: int) -> tuple[Array, Array]:
    """Quadrature points of Beta(a, b) and their masses: a row per state.

    The infinite sum over equal steps of the log odds is cut off where rates are 0 or 1 to machine
    precision; the tails are geometric series, added to the first and the last point.
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
    """Log density of the log odds at a distance `away` ≥ 0 above the mode, relative to the mode."""
    rise = np.expm1(np.maximum(away, 0.0))
    return a * away - (a + b) * np.log1p(a / (a + b) * rise)


def _reach(a: Array, b: Array, peak: Array) -> Array:
    """Distance above the mode at which the density of the log odds becomes negligible.

    Newton's method from outside: the log density is concave, so it never steps over the root.
    """
    most = _FURTHEST - peak
    share = a / (a + b)
    away = np.minimum(-(_NEGLIGIBLE + (a + b) * np.log(share)) / b, most)
    for _ in range(_STEPS):
        slope = a - (a + b) / (1.0 + np.exp(-(peak + away)))
        move = (_NEGLIGIBLE - _log_density(a, b, away)) / np.minimum(slope, -_SAFE)
        away = np.clip(away + move, 0.0, most)
    return away


def mean_of(scores: Array, masses: Array, questions: Array) -> GridDistribution:
    """Distribution of the mean score, from each state's score distribution and question count."""
    total = float(questions.sum())
    if total == 1:
        return _single_distribution(scores[0], masses[0])
    middles = (masses * scores).sum(axis=1)
    mean = float(questions @ middles) / total
    deviations = scores - middles[:, None]
    low, high = _window(deviations, masses, questions)
    if not high > low:
        return GridDistribution(np.array([mean, mean]), np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    logs, angles, cells = _waves(deviations, masses, questions, high - low)
    cell = (high - low) / cells
    low = cell * (math.floor(low / cell) - 0.5)  # puts the mean in the middle of a cell
    edges = low + cell * np.arange(cells + 1)
    return _cumulative(mean + edges / total, _masses(logs, angles, low / cell, cells))


def _single_distribution(scores: Array, masses: Array) -> GridDistribution:
    """The distribution of a single score; half of a point's mass counts as below it."""
    order = np.argsort(scores, kind="stable")
    halves = np.repeat(0.5 * masses[order], 2)
    below = np.append(np.cumsum(halves)[::2], 1.0)
    above = np.append(np.cumsum(halves[::-1])[::2][::-1], 0.0)
    edges = scores[order]
    return GridDistribution(
        np.concatenate([edges[:1], edges, edges[-1:]]),
        np.minimum(np.concatenate([[0.0], below]), 1.0),
        np.minimum(np.concatenate([[1.0], above]), 1.0),
    )


def _cumulative(edges: Array, cells: Array) -> GridDistribution:
    """Cumulative and survival probabilities at the edges of cells with these masses."""
    cells = np.maximum(cells, 0.0)
    cells /= cells.sum()
    below, above = np.zeros((2, edges.size))
    np.cumsum(cells, out=below[1:])
    above[:-1] = np.cumsum(cells[::-1])[::-1]
    return GridDistribution(edges, np.minimum(below, 1.0), np.minimum(above, 1.0))


def _window(deviations: Array, masses: Array, questions: Array) -> tuple[float, float]:
    """Range of the centred sum, except for a negligible probability.

    Each question's score is cut to its own range of that kind. The sum then lies between the sums
    of the ends and, by Bernstein's inequality, within a few standard deviations of its mean.
    """
    order = np.argsort(deviations, axis=1)
    ordered = np.take_along_axis(deviations, order, axis=1)
    weights = np.take_along_axis(masses, order, axis=1)
    rare = _OUTSIDE / questions.sum()
    first = np.argmax(np.cumsum(weights, axis=1) > rare, axis=1)
    last = np.argmax(np.cumsum(weights[:, ::-1], axis=1) > rare, axis=1)
    states = np.arange(len(deviations))
    least, most = ordered[states, first], ordered[states, deviations.shape[1] - 1 - last]
    variance = float(questions @ (masses * np.square(deviations)).sum(axis=1))
    level = -math.log(0.5 * _OUTSIDE)
    ends = []
    for furthest in (-least, most):
        part = level / 3.0 * float(furthest.max())
        far = part + math.sqrt(part * part + 2.0 * level * variance)
        ends.append(min(float(questions @ furthest), far))
    margin = _MARGIN * (ends[0] + ends[1])
    return -ends[0] - margin, ends[1] + margin


def _waves(
    deviations: Array, masses: Array, questions: Array, width: float
) -> tuple[Array, Array, int]:
    """Log moduli and phases of the sum's Fourier coefficients, and a suitable number of cells."""
    if questions.sum() > _FEW_QUESTIONS:
        logs, angles = _first_waves(deviations, masses, questions, width)
        if logs[logs.size // 2 :].max() < _NEGLIGIBLE:
            return logs, angles, _CELLS
    most = max(_CELLS, _MOST_CELLS >> (questions.size - 1).bit_length())
    for cells in sorted({_CELLS, most}):
        logs, angles = _all_waves(deviations, masses, questions, width, cells)
        upto = int(_SHARPEST * cells)
        blur = np.log(np.sinc(np.arange(logs.size) / cells))
        sharp = logs[:upto] - 4.0 * questions.sum() * blur[:upto]
        if sharp[upto // 2 :].max() < _FADED:
            return sharp, angles[:upto], cells
    # Not divided out, the splines leave masses that are positive and belong to cells already.
    return logs - blur, angles, cells


def _first_waves(
    deviations: Array, masses: Array, questions: Array, width: float
) -> tuple[Array, Array]:
    """Log moduli and phases of the first 256 Fourier coefficients, by direct summation."""
    waves = np.empty((len(deviations), _SIDE * _SIDE), dtype=complex)
    for some in blocks(len(deviations), 2 * _SIDE * deviations.shape[1]):
        unit = np.exp(-2j * np.pi / width * deviations[some])
        fine = _powers(unit)
        coarse = _powers(fine[:, -1] * unit) * masses[some, None, :]
        waves[some] = np.einsum("sip,sjp->sij", coarse, fine).reshape(-1, _SIDE * _SIDE)
    return questions @ np.log(np.maximum(np.abs(waves), _SAFE)), questions @ np.angle(waves)


def _powers(base: Waves) -> Waves:
    """Powers 0 … 15 of each entry."""
    powers = np.repeat(base[:, None, :], _SIDE, axis=1)
    powers[:, 0] = 1.0
    return np.multiply.accumulate(powers, axis=1, out=powers)


def _all_waves(
    deviations: Array, masses: Array, questions: Array, width: float, cells: int
) -> tuple[Array, Array]:
    """Log moduli and phases of all Fourier coefficients of a grid, by FFT."""
    logs, angles = np.zeros((2, cells // 2 + 1))
    for places, weights, often in zip(deviations * (cells / width), masses, questions, strict=True):
        wave = np.fft.rfft(_spread_by_spline(places, weights, cells))
        logs += often * np.log(np.maximum(np.abs(wave), _SAFE))
        angles += often * np.angle(wave)
    return logs, angles


def _spread_by_spline(places: Array, weights: Array, cells: int) -> Array:
    """Masses on a periodic grid, each spread over four cells by a cubic B-spline."""
    first = np.floor(places)
    after = places - first
    before = 1.0 - after
    taps = (
        before**3,
        4.0 - 3.0 * after * after * (1.0 + before),
        4.0 - 3.0 * before * before * (1.0 + after),
        after**3,
    )
    masses = np.zeros(cells)
    for shift, tap in enumerate(taps, start=-1):
        at = (first.astype(np.int64) + shift) % cells
        masses += np.bincount(at, weights=weights * tap / 6.0, minlength=cells)
    return masses


def _masses(logs: Array, angles: Array, start: float, cells: int) -> Array:
    """Cell masses of a periodic grid that begins at `start`, from their Fourier coefficients."""
    wave = np.arange(logs.size)
    turn = 2.0 * np.pi / cells * (start + 0.5)
    spectrum = np.exp(logs) * np.sinc(wave / cells) * np.exp(1j * (angles + turn * wave))
    return np.fft.irfft(spectrum, cells)
