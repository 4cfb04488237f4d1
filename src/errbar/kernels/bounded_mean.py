"""Intervals for the mean of a bounded population: a Bayesian bootstrap with an unseen value.

The Bayesian bootstrap (Rubin 1981) gives every observed value a random Gamma weight; quantiles of
the weighted mean are the ends of the interval. Alone it is too narrow for small samples, because
values beyond the observed ones have weight 0. As in Gaffke's bound (Gaffke 2005; Learned-Miller and
Thomas 2019), a pseudo-observation is added on the side of each end. Gaffke's lies at the bound with
weight 1; here its place and weight depend on the sample (`unseen_value`), which is narrower and
has been checked by simulation instead of proved.

The quantiles need no random numbers. P(weighted mean < x) is the chance that a weighted sum of
Gamma variables is negative, which the saddle-point approximation of Lugannani and Rice (1980)
gives for one sample or a batch of samples; an integral through the saddle point corrects it.
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array
from errbar.kernels.interval import root

# The pseudo-observation. Its constants were chosen by simulation: decision 9 and docs/coverage.md
# give the grid and the coverage reached.
UNSEEN = 0.75  # its weight, where an observed value has weight 1
FAR = 5.0  # least distance from the mean, in standard deviations of the values
FARTHER = 1.75  # least distance from the mean, relative to the most distant value observed
# The same for differences between two systems (`kernels.sign_flip`). It differs because that unseen
# question has another weight, which decays with the number of differing questions, and was chosen
# by simulations of its own: decision 10.
FARTHER_DIFFERENCE = 2.0
MANY = 10.0  # effective number of values off the bound at which it starts to leave the bound
ROUNDING = 1e-12  # a value this near the bound is at the bound: 1 − 1e-16 is a 1
NO_ROOM = 1e-9  # if all values lie within this range, the interval is the range
_MOST_TERMS = 4096  # with more terms the saddle-point approximation needs no correction
_CORRECTIONS, _ACCURATE = 10, 3e-5  # of a normal score; a Newton step leaves about its square
_NORMAL = NormalDist()
_SAFE = 1e-300  # keeps the normal score of a chance finite
_SMALLEST = 1e-15  # least tail probability; smaller ones are lost to rounding

# Trapezoidal rule after the substitution s = sinh(u), for an integrand that decays like a power.
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
    """Interval for Σ values / Σ sizes of a population, where a value lies between 0 and its size.

    `often` counts how many times each row occurs, `unseen` is the weight of the pseudo-observation
    and `larger` its size relative to the mean size.
    """
    tail = max(0.5 * (1.0 - level), _SMALLEST)
    low, high = (
        _low_end(side, sizes, often, tail, (unseen_value(side, sizes, often), unseen, larger))
        for side in (values, sizes - values)
    )
    return low, 1.0 - high


def unseen_value(values: Array, sizes: Array, often: Array) -> float:
    """Value of the pseudo-observation for the lower end, per unit of size."""
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
    """Upper bound on the share of the variance between values that trial noise explains.

    A value is a U-statistic: a mean over all subsets of `draws` of its trials. If θ is its
    expectation, its variance is at most draws/trials · θ(1 − θ) (Hoeffding 1948), and v(1 − v) has
    the expectation θ(1 − θ) less that variance, which gives an unbiased bound. If all trials are
    drawn, only the bound ¼ remains. A pseudo-observation of the largest variance is added.
    """
    number = float(often.sum())
    spread = float(often @ np.square(values - float(often @ values) / number))
    left = trials - draws
    open_to_luck = draws * values * (1.0 - values) / np.maximum(left, 1)
    noise = float(often @ np.where(left > 0, open_to_luck, 0.25))
    noise += UNSEEN * 0.25 * float(often @ (draws / trials)) / number
    return min(1.0, noise / spread) if spread else 1.0


def approximate_low_end(
    values: Array, sizes: Array, often: Array, tail: float, more: tuple[float, float]
) -> float:
    """Approximate `tail` quantile of the weighted mean, by the saddle point alone.

    `more` is the value per size and the weight of the pseudo-observation.
    """
    return _WeightedMean(values, sizes, often, (*more, 1.0)).guess(_NORMAL.inv_cdf(tail))


def _low_end(
    values: Array, sizes: Array, often: Array, tail: float, more: tuple[float, float, float]
) -> float:
    """The `tail` quantile of the weighted mean."""
    if not values.any():
        return 0.0
    z = _NORMAL.inv_cdf(tail)
    mean = _WeightedMean(values, sizes, often, more)
    x = mean.guess(z)
    if mean.shape.size > _MOST_TERMS or mean.has_no_room:
        return x
    return mean.corrected(x, z)


class _WeightedMean:
    """A mean of the values and the pseudo-observation with random Gamma weights."""

    def __init__(
        self, values: Array, sizes: Array, often: Array, more: tuple[float, float, float]
    ) -> None:
        worse, unseen, larger = more
        usual = larger * float(often @ sizes / often.sum())
        self.shape = np.append(often, unseen)
        self._value = np.append(values, worse * usual)
        self._size = np.append(sizes, usual)
        ratio = self._value / self._size
        self._least, self._most = float(ratio.min()), float(ratio.max())

    @property
    def has_no_room(self) -> bool:
        """Whether all values coincide."""
        return self._most - self._least < NO_ROOM

    def guess(self, z: float) -> float:
        """Quantile at the normal score `z`, by the saddle-point approximation."""
        if self.has_no_room:
            return self._least
        total = float(self.shape @ self._size)
        mean = float(self.shape @ self._value) / total
        spread = math.sqrt(float(self.shape @ np.square(self._value - mean * self._size))) / total
        within = (self._least, self._most)
        return root(lambda x: self._score(x) - z, mean + z * spread, 0.1 * spread, within, 1e-4)

    def corrected(self, x: float, z: float) -> float:
        """Quantile at the normal score `z`, by numerical integration, starting from `x`."""
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
    """Normal score of P(Σ g·apart < 0) for Gamma weights g, to third order; the saddle point.

    The score is Barndorff-Nielsen's r*, which agrees with Lugannani and Rice's formula to the order
    of both.
    """
    least, most = float(apart.min()), float(apart.max())
    low, high = 1.0 / least, 1.0 / most  # the cumulant generating function is finite between
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
    """P(Σ g·apart < 0) for Gamma weights g, by an integral through the saddle point."""
    score, t = _saddle(shape, apart)
    part = apart / (1.0 - t * apart)
    scale = 1.0 / math.sqrt(float(shape @ (part * part)))
    if abs(t) < 1e-6 * scale:
        return _NORMAL.cdf(score)
    # The contour bends to the side on which the integrand decays fastest.
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


_ENDS, _SADDLES = 30, 100  # most iterations for an end, and for a saddle point
_CLOSE, _SADDLE = 1e-3, 1e-6  # accuracy of each, in units of a normal score
_FLAT = 1e-4  # below this signed root the formula is 0/0, and its limit is used


def approximate_widths(values: Array, often: NDArray[np.int64], level: float) -> Array:
    """Approximate interval widths for many samples: row i of `often` counts each value."""
    z = NormalDist().inv_cdf(0.5 * (1.0 - level))
    low, high = (_low_ends(side, often, z) for side in (values, 1.0 - values))
    return 1.0 - low - high


def _low_ends(values: Array, often: NDArray[np.int64], z: float) -> Array:
    """Quantile of each row's weighted mean at the normal score `z`."""
    value = np.column_stack([np.broadcast_to(values, often.shape), _unseen_values(values, often)])
    shape = np.column_stack([often, np.full(len(often), UNSEEN)])
    present = shape > 0.0
    least = np.where(present, value, np.inf).min(axis=1)
    most = np.where(present, value, -np.inf).max(axis=1)
    total = shape.sum(axis=1)
    mean = (shape * value).sum(axis=1) / total
    spread = np.sqrt((shape * np.square(value - mean[:, None])).sum(axis=1)) / total
    has_room = most - least >= NO_ROOM
    x = np.where(has_room, np.maximum(mean + z * spread, 0.5 * (least + mean)), least)
    t = np.zeros(len(often))
    going = np.flatnonzero(has_room)
    for _ in range(_ENDS):
        apart = np.where(present[going], value[going] - x[going, None], 0.0)
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
    """Signed root, saddle point and curvature at the saddle point, for each row."""
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
    """`unseen_value` for each row of counts."""
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
