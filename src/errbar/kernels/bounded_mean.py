"""Intervals for the mean of a bounded population: the Bayesian bootstrap with an unseen value.

Quantiles come from the saddle-point approximation of Lugannani and Rice (1980), for a single
sample or for a batch of samples at once.
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array
from errbar.kernels.interval import root

UNSEEN = 0.75  # of a sighting, of what was not seen
FAR = 5.0  # standard deviations that it is away at least
FARTHER = 1.75  # times as far as the farthest that was seen, at least
MANY = 10.0  # values that fall short, from which on it need not be at the bound
ROUNDING = 1e-12  # a value falls short by more: 1 − 1e-16 is 1, and no sign of what is to come
NO_ROOM = 1e-9  # where all values lie this near together, an end is the nearest bound of them
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
    values: Array,
    sizes: Array,
    often: Array,
    level: float,
    unseen: float = UNSEEN,
    larger: float = 1.0,
) -> tuple[float, float]:
    """Ends for Σ values / Σ sizes of a population, where a value lies between 0 and its size.

    What was not seen is so many times `larger` than is usual.
    """
    tail = max(0.5 * (1.0 - level), _SMALLEST)
    low, high = (
        _low_end(each, sizes, often, tail, (unseen_value(each, sizes, often), unseen, larger))
        for each in (values, sizes - values)
    )
    return low, 1.0 - high


def unseen_value(values: Array, sizes: Array, often: Array) -> float:
    """How low something of the usual size is that was not seen, below the mean of what was."""
    number = float(often.sum())
    usual = float(often @ sizes) / number
    mean = float(often @ values) / (number * usual)
    off = np.square(values - mean * sizes)
    sd = math.sqrt(float(often @ off) / max(number - 1.0, 1.0)) / usual
    short = np.where(values < sizes * (1.0 - ROUNDING), sizes - values, 0.0)
    squares = float(often @ np.square(short))
    falling_short = float(often @ short) ** 2 / squares if squares else 0.0
    share = max(math.exp(-falling_short / MANY), 1.0 / number)  # of the way to the bound
    farthest = mean - float((values / sizes).min())
    return max(0.0, mean - max(FAR * sd, FARTHER * farthest, mean * share))


def most_noise(values: Array, trials: NDArray[np.int64], draws: int, often: Array) -> float:
    """The largest share of the spread of values that the luck of the trials can have made.

    A value is a mean over all subsets of so many draws among its trials. Its variance is at most
    draws/trials of θ(1 − θ), where θ is what it is on average (Hoeffding), and v(1 − v) is short of
    θ(1 − θ) by that variance. Nothing but ¼ bounds it where the draws are all trials. A share of a
    question that is as uncertain as can be stands for what was not seen.
    """
    number = float(often.sum())
    spread = float(often @ np.square(values - float(often @ values) / number))
    left = trials - draws
    open_to_luck = draws * values * (1.0 - values) / np.maximum(left, 1)
    noise = float(often @ np.where(left > 0, open_to_luck, 0.25))
    noise += UNSEEN * 0.25 * float(often @ (draws / trials)) / number
    return min(1.0, noise / spread) if spread else 1.0


def near_low_end(
    values: Array, sizes: Array, often: Array, tail: float, more: tuple[float, float]
) -> float:
    """The x below which the weighted mean lies with a chance of about `tail`.

    `more` is a value per size that was not seen, and how much of a sighting it is worth.
    """
    return _Weighed(values, sizes, often, (*more, 1.0)).guess(_NORMAL.inv_cdf(tail))


def _low_end(
    values: Array, sizes: Array, often: Array, tail: float, more: tuple[float, float, float]
) -> float:
    """The x below which the weighted mean lies with a chance of `tail`."""
    if not values.any():
        return 0.0
    z = _NORMAL.inv_cdf(tail)
    weighed = _Weighed(values, sizes, often, more)
    x = weighed.guess(z)
    if weighed.shape.size > _MOST_TERMS or weighed.has_no_room:
        return x
    return weighed.corrected(x, z)


class _Weighed:
    """Values and one that was not seen, weighed at random."""

    def __init__(
        self, values: Array, sizes: Array, often: Array, more: tuple[float, float, float]
    ) -> None:
        worse, unseen, larger = more
        usual = larger * float(often @ sizes / often.sum())
        self.shape = np.append(often, unseen)
        self._value = np.append(values, worse * usual)
        self._size = np.append(sizes, usual)
        each = self._value / self._size
        self._least, self._most = float(each.min()), float(each.max())

    @property
    def has_no_room(self) -> bool:
        """Whether all lie together."""
        return self._most - self._least < NO_ROOM

    def guess(self, z: float) -> float:
        """Where the normal score is `z`, by the saddle point alone."""
        if self.has_no_room:
            return self._least
        whole = float(self.shape @ self._size)
        mean = float(self.shape @ self._value) / whole
        spread = math.sqrt(float(self.shape @ np.square(self._value - mean * self._size))) / whole
        within = (self._least, self._most)
        return root(lambda x: self._score(x) - z, mean + z * spread, 0.1 * spread, within, 1e-4)

    def corrected(self, x: float, z: float) -> float:
        """The same by the integral, from a guess on."""
        least, most = self._least, self._most
        nearby = x + 1e-3 * min(x - least, most - x)
        per_score = (nearby - x) / (self._score(nearby) - self._score(x))
        for _ in range(_CORRECTIONS):
            chance = _chance_below(self.shape, self._value - x * self._size)
            off = _NORMAL.inv_cdf(chance) - z
            new = x - off * per_score
            x = new if least < new < most else 0.5 * (x + (least if new <= least else most))
            if abs(off) < _ACCURATE:
                break
        return x

    def _score(self, x: float) -> float:
        return _saddle(self.shape, self._value - x * self._size)[0]


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


_ENDS, _SADDLES = 30, 100  # steps at most
_CLOSE, _SADDLE = 1e-3, 1e-6  # of a normal score
_FLAT = 1e-4  # a root below which formulas with it are 0/0


def near_widths(values: Array, often: NDArray[np.int64], level: float) -> Array:
    """For samples of values between 0 and 1: a row says how often each occurs."""
    z = NormalDist().inv_cdf(0.5 * (1.0 - level))
    low, high = (_low_ends(each, often, z) for each in (values, 1.0 - values))
    return 1.0 - low - high


def _low_ends(values: Array, often: NDArray[np.int64], z: float) -> Array:
    """The x of each row below which its weighted mean lies with the normal score `z`."""
    value = np.column_stack([np.broadcast_to(values, often.shape), _unseen_values(values, often)])
    shape = np.column_stack([often, np.full(len(often), UNSEEN)])
    held = shape > 0.0
    least = np.where(held, value, np.inf).min(axis=1)
    most = np.where(held, value, -np.inf).max(axis=1)
    total = shape.sum(axis=1)
    mean = (shape * value).sum(axis=1) / total
    spread = np.sqrt((shape * np.square(value - mean[:, None])).sum(axis=1)) / total
    has_room = most - least >= NO_ROOM
    x = np.where(has_room, np.maximum(mean + z * spread, 0.5 * (least + mean)), least)
    t = np.zeros(len(often))
    going = np.flatnonzero(has_room)
    for _ in range(_ENDS):
        apart = np.where(held[going], value[going] - x[going, None], 0.0)
        w, t[going], curve = _saddles(shape[going], apart, t[going])
        steep = np.sqrt(curve)
        flat = np.abs(w) < _FLAT
        safe = np.where(flat, 1.0, w)
        score = np.where(flat, 0.0, w + np.log(np.where(flat, 1.0, t[going] * steep / safe)) / safe)
        slope = total[going] * np.where(flat, 1.0 / steep, t[going] / safe)
        new = x[going] - (score - z) / slope
        bound = np.where(score > z, least[going], most[going])
        inside = (least[going] < new) & (new < most[going])
        x[going] = np.where(inside, new, 0.5 * (x[going] + bound))
        going = going[np.abs(score - z) > _CLOSE]
        if not going.size:
            break
    return x


def _saddles(shape: Array, apart: Array, start: Array) -> tuple[Array, Array, Array]:
    """For each row the signed root, the saddle point and the curvature there."""
    low, high = 1.0 / apart.min(axis=1), 1.0 / apart.max(axis=1)
    t = np.where((low < start) & (start < high), start, 0.0)
    for _ in range(_SADDLES):
        part = apart / (1.0 - t[:, None] * apart)
        weighed = shape * part
        slope, curve = weighed.sum(axis=1), np.einsum("ij,ij->i", weighed, part)
        if (np.abs(slope) <= _SADDLE * np.sqrt(curve)).all():
            break
        low, high = np.where(slope < 0.0, t, low), np.where(slope < 0.0, high, t)
        step = t - slope / curve
        t = np.where((low < step) & (step < high), step, 0.5 * (low + high))
    exponent = (shape * np.log1p(-t[:, None] * apart)).sum(axis=1)
    return np.copysign(np.sqrt(np.maximum(2.0 * exponent, 0.0)), t), t, curve


def _unseen_values(values: Array, often: NDArray[np.int64]) -> Array:
    """How low something is that was not seen, below the mean of each row: `unseen_value` of all."""
    number = often.sum(axis=1).astype(float)
    mean = often @ values / number
    variance = (often * np.square(values - mean[:, None])).sum(axis=1) / np.maximum(number - 1.0, 1)
    short = np.where(values < 1.0 - ROUNDING, 1.0 - values, 0.0)
    squares = often @ np.square(short)
    falling = np.square(often @ short) / np.where(squares > 0.0, squares, np.inf)
    share = np.maximum(np.exp(-falling / MANY), 1.0 / number)
    farthest = mean - np.where(often > 0, values, np.inf).min(axis=1)
    away = np.maximum(FAR * np.sqrt(variance), np.maximum(FARTHER * farthest, mean * share))
    return np.maximum(0.0, mean - away)
