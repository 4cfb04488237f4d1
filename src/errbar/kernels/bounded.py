"""How far the mean of a bounded population may be from the mean that was seen.

Every value that was seen is weighed at random, by a gamma variable. So is a share of a sighting of
something worse than all that was seen: at the bound that an end lies towards or, where many values
were seen that all lie close together, well beyond the farthest of them. For values of 0 and 1 this is
a Beta posterior of a share. There are no zero-width intervals, and no end leaves the bounds.

A weighted mean Σ g·v / Σ g·m lies below x where Y = Σ g (v − x·m) is negative. The chance of that
is an integral of exp K(t)/t along a line through the saddle point of K, the log of the mean of
exp tY. On that line little oscillates. The saddle point alone gives a good first guess.
"""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.root import root

Array = NDArray[np.floating[Any]]

UNSEEN = 0.75  # of a sighting, of what was not seen
_FAR = 5.0  # standard deviations that it is away at least
_FARTHER = 2.0  # times as far as the farthest that was seen, at least
_MANY = 10.0  # values that fall short, from which on it need not be at the bound
_ROUNDING = 1e-12  # a value falls short by more: 1 − 1e-16 is 1, and no sign of what is to come
_NO_ROOM = 1e-9  # where all values lie this near together, an end is the nearest bound of them
_MOST_TERMS = 4096  # beyond, the saddle point alone is as good
_CORRECTIONS, _ACCURATE = 10, 3e-5  # the last correction leaves the square of this
_NORMAL = NormalDist()
_SAFE = 1e-300
_SMALLEST = 1e-15  # share beyond an end

# Nodes and weights for half the integral of an even function that falls off like a power.
_S = np.arange(0.0, 10.0, 0.1)
_NODES = np.sinh(_S)
_WEIGHTS = np.cosh(_S) * _S[1]
_WEIGHTS[0] *= 0.5


def mean_ends(
    values: Array, sizes: Array, often: Array, level: float, unseen: float = UNSEEN
) -> tuple[float, float]:
    """Ends for Σ values / Σ sizes of a population, where a value lies between 0 and its size."""
    tail = max(0.5 * (1.0 - level), _SMALLEST)
    low = _low_end(values, sizes, often, tail, unseen)
    high = _low_end(sizes - values, sizes, often, tail, unseen)
    return low, 1.0 - high


def unseen_value(values: Array, sizes: Array, often: Array) -> float:
    """How low something of the usual size is that was not seen, below the mean of what was."""
    number = float(often.sum())
    usual = float(often @ sizes) / number
    mean = float(often @ values) / (number * usual)
    off = np.square(values - mean * sizes)
    sd = math.sqrt(float(often @ off) / max(number - 1.0, 1.0)) / usual
    short = np.where(values < sizes * (1.0 - _ROUNDING), sizes - values, 0.0)
    squares = float(often @ np.square(short))
    falling_short = float(often @ short) ** 2 / squares if squares else 0.0
    share = max(math.exp(-falling_short / _MANY), 1.0 / number)  # of the way to the bound
    farthest = mean - float((values / sizes).min())
    return max(0.0, mean - max(_FAR * sd, _FARTHER * farthest, mean * share))


def _low_end(values: Array, sizes: Array, often: Array, tail: float, unseen: float) -> float:
    """The x below which the weighted mean lies with a chance of `tail`."""
    if not values.any():
        return 0.0
    usual = float(often @ sizes / often.sum())
    worse = unseen_value(values, sizes, often)
    shape = np.append(often, unseen)
    value = np.append(values, worse * usual)
    size = np.append(sizes, usual)
    mean = float(shape @ value / (shape @ size))
    least, most = worse, float((value / size).max())
    if most - least < _NO_ROOM:
        return least
    spread = math.sqrt(float(shape @ np.square(value - mean * size))) / float(shape @ size)
    z = _NORMAL.inv_cdf(tail)

    def guess(x: float) -> float:
        return _saddle(shape, value - x * size)[0] - z

    x = root(guess, mean + z * spread, 0.1 * spread, (least, most), 1e-4)
    if shape.size > _MOST_TERMS:
        return x
    nearby = x + 1e-3 * min(x - least, most - x)
    per_score = (nearby - x) / (guess(nearby) - guess(x))
    for _ in range(_CORRECTIONS):
        off = _NORMAL.inv_cdf(_chance_below(shape, value - x * size)) - z
        new = x - off * per_score
        x = new if least < new < most else 0.5 * (x + (least if new <= least else most))
        if abs(off) < _ACCURATE:
            break
    return x


def _saddle(shape: Array, apart: Array) -> tuple[float, float]:
    """The normal score of the chance that Σ g·apart is negative, to third order; the saddle point.

    The score is the r* of Barndorff-Nielsen, the same as the formula of Lugannani and Rice but for
    terms beyond either.
    """
    least, most = float(apart.min()), float(apart.max())
    low, high = 1.0 / least, 1.0 / most  # K is finite between
    t = 0.0
    for _ in range(200):
        part = apart / (1.0 - t * apart)
        slope, curve = float(shape @ part), float(shape @ (part * part))
        if abs(slope) <= 1e-12 * math.sqrt(curve):
            break
        low, high = (t, high) if slope < 0 else (low, t)
        step = t - slope / curve
        t = step if low < step < high else 0.5 * (low + high)
    w = math.copysign(math.sqrt(max(2.0 * float(shape @ np.log1p(-t * apart)), 0.0)), t)
    v = t * math.sqrt(curve)
    return (w + math.log(v / w) / w if abs(w) > 1e-4 else 0.0), t


def _chance_below(shape: Array, apart: Array) -> float:
    """The chance that Σ g·apart is negative."""
    score, t = _saddle(shape, apart)
    part = apart / (1.0 - t * apart)
    scale = 1.0 / math.sqrt(float(shape @ (part * part)))
    if abs(t) < 1e-6 * scale:
        return _NORMAL.cdf(score)
    # Bent away from the side that has less, where the many factors fall off fastest.
    bend = -0.5 if float(shape @ np.sign(apart)) > 0 else 0.5
    root_of = np.sqrt(1.0 + _NODES * _NODES)
    along, across = t + scale * bend * (root_of - 1.0), scale * _NODES
    real, imaginary = 1.0 - np.outer(along, apart), -np.outer(across, apart)
    size = np.exp(-0.5 * (np.log(real * real + imaginary * imaginary) @ shape))
    angle = -(np.arctan2(imaginary, real) @ shape)
    slope = 1.0 - 1j * bend * _NODES / root_of
    height = size * np.exp(1j * angle) * slope / (along + 1j * across)
    area = scale * float(_WEIGHTS @ height.real) / math.pi
    return min(max(-area if t < 0 else 1.0 - area, _SAFE), 1.0 - 1e-16)
