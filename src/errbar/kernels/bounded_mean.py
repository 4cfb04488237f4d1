"""Gaffke's interval for the mean of a bounded population, and the test that it inverts.

The Bayesian bootstrap (Rubin 1981) gives every observed value a random exponential weight. To it
one unseen observation is added, at the lower bound for the lower end and at the upper bound for the
upper end; the ends are quantiles of the weighted mean. This is the bound of Gaffke (2005, "Three
test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative variable").
For values of 0 and 1 it is the interval of Clopper and Pearson (1934), and for differences of −1, 0
and 1 its test of no difference is the exact test of McNemar (1947). That it holds its level for
every bounded distribution and every sample size is a conjecture, which extensive search supports
(Learned-Miller and Thomas 2019, arXiv:1905.06208; a relative is proved in Phan, Thomas and
Learned-Miller 2021, arXiv:2106.03163).

Values may have sizes: clusters of questions, or weights. The mean is then Σ values / Σ sizes, and
the test of a mean x is Gaffke's for the bounded variable value − x · size. The unseen value then
needs a size: that of the cluster of a randomly drawn question, a random observed size with
probability in proportion to itself. Its mean is Σ size² / Σ size, so that the unseen one counts as
one of the effective number of clusters, (Σ size)² / Σ size² (Kish 1965). This assumes that no
larger clusters exist than those observed.

The quantiles need no random numbers. P(weighted mean < x) is the chance that a weighted sum of
Gamma variables is negative, which the saddle-point approximation of Lugannani and Rice (1980)
gives; an integral through the saddle point corrects it.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array

NO_ROOM = 1e-9  # if all values lie within this range, the interval is the range
_MOST_TERMS = 256  # more values are merged, which moves the normal score of an end by up to 1e-3
_CORRECTIONS, _ACCURATE = 10, 3e-5  # of a normal score; about three are needed
_NORMAL = NormalDist()
_SAFE, _SMALLEST = 1e-300, 1e-15  # chances: keeps a score finite; lost to rounding below this
_ROUGH = 1e-4  # accuracy of a guess: a tenth of the error of the approximation behind it
STEPS = 200  # most iterations for a saddle point or a root; bisection alone would need 50
_NEARBY = 1e-3  # share of the way to an extreme over which a slope is measured
_ROUNDING = 1e-12  # of a saddle point, in standard deviations of the sum
# Least distance of the contour from the pole at 0, in inverse standard deviations: the trapezoidal
_FROM_POLE = 0.5  # rule is off by exp(-2 pi distance / step), 2e-14
FLAT = 1e-4  # below this signed root the formula of the score is 0/0, and its limit is used

# Trapezoidal rule after the substitution s = sinh(u); 1e-8 of a decay like s^-3 lies beyond.
_S = np.arange(0.0, 10.0, 0.1)
_NODES = np.sinh(_S)
_WEIGHTS = np.cosh(_S) * _S[1]
_WEIGHTS[0] *= 0.5


class Sample(NamedTuple):
    """Values with their sizes, how often each occurs, and the bounds of a value of size 1.

    `largest` is the largest possible size, if it is known. Then value − x · size has a known range
    for every x, and the interval has no assumption on sizes.
    """

    values: Array
    sizes: Array
    often: Array
    bounds: tuple[float, float] = (0.0, 1.0)
    largest: float | None = None

    @property
    def mirrored(self) -> "Sample":
        """The sample with the opposite sign."""
        low, high = self.bounds
        return self._replace(values=-self.values, bounds=(-high, -low))

    def unseen_sizes(self) -> tuple[Array, Array]:
        """Possible sizes of an unseen value, and the chance of each."""
        if self.largest is not None:
            return np.array([float(self.largest)]), np.ones(1)
        if (self.sizes == self.sizes[0]).all():  # questions of equal weight
            return self.sizes[:1], np.ones(1)
        sizes, place = np.unique(self.sizes, return_inverse=True)
        return sizes, chances_of_sizes(sizes, np.bincount(place, self.often).astype(float))

    @property
    def mean(self) -> float:
        """Σ values / Σ sizes."""
        return float(self.often @ self.values) / float(self.often @ self.sizes)

    def sd(self) -> float:
        """Standard deviation of the weighted mean, with the unseen value at the farther bound."""
        usual, farther = self.mean, max(self.bounds, key=lambda bound: abs(bound - self.mean))
        off = self.often @ np.square(self.values - usual * self.sizes)
        sizes, chances = self.unseen_sizes()
        off += float(chances @ np.square(sizes)) * (farther - usual) ** 2
        number = float(self.often.sum())
        size = float(self.often @ self.sizes) / number
        return math.sqrt(float(off) / (number + 1.0) / (number + 2.0)) / size


def chances_of_sizes(sizes: Array, often: Array) -> Array:
    """Probability of each size of an unseen cluster: that of the cluster of a random question."""
    questions = often * (sizes / sizes.max())
    return questions / questions.sum()


def mean_ends(sample: Sample, level: float) -> tuple[float, float]:
    """Two-sided interval for the mean, with half of the error probability on each side."""
    tail = 0.5 * (1.0 - level)
    return low_end(sample, tail), -low_end(sample.mirrored, tail)


_REPEATED = 32  # distinct values of a sample that is likely to occur again among many systems


def low_end(sample: Sample, tail: float) -> float:
    """Lower end of the interval that leaves `tail` below it."""
    if sample.values.size > _REPEATED:
        return _low_end(sample, tail)
    parts = (np.asarray(part, dtype=float) for part in (sample.values, sample.sizes, sample.often))
    known = sample.bounds, sample.largest
    return _cached_low_end(*(part.tobytes() for part in parts), known, tail)


@lru_cache(maxsize=1 << 14)
def _cached_low_end(
    values: bytes,
    sizes: bytes,
    often: bytes,
    known: tuple[tuple[float, float], float | None],
    tail: float,
) -> float:
    """`low_end`, cached by the content of its arrays: of 10,000 systems many are alike."""
    arrays = np.frombuffer(values), np.frombuffer(sizes), np.frombuffer(often)
    return _low_end(Sample(*arrays, *known), tail)


def _low_end(sample: Sample, tail: float) -> float:
    least = sample.bounds[0]
    if not (sample.values > least * sample.sizes).any():
        return least
    z = _NORMAL.inv_cdf(max(tail, _SMALLEST))
    mean = _WeightedMean(sample)
    x = mean.approximate_quantile(z)
    return x if mean.has_no_room else mean.refined_quantile(x, z)


def p_at_most(sample: Sample, at: float) -> float:
    """One-sided p-value of the hypothesis that the mean is `at` or lower.

    It is the chance that the weighted mean with the unseen value at the lower bound is below `at`.
    """
    terms = _WeightedMean(sample).apart_from(at)
    least, most = terms.extent
    if most <= 0.0:
        return 1.0
    if least >= 0.0:
        return 0.0
    return _chance_below(terms.merge_similar())


def chance_above(sample: Sample, at: float = 0.0) -> float:
    """Posterior probability that the mean exceeds `at`, if either bound is as likely unseen.

    It is the average over the unseen value at the lower and at the upper bound, which for 0 and 1
    is one minus the mid-p-value.
    """
    return 0.5 * (1.0 - p_at_most(sample, at) + p_at_most(sample.mirrored, -at))


class _Terms(NamedTuple):
    """A random sum, and the chance of its sign: Σ weight · apart + weight of unseen · unseen.

    The weights of `apart` are Gamma variables with these shapes. The unseen term has an exponential
    weight, and one of several values, with these chances.
    """

    shape: Array
    apart: Array
    chances: Array
    unseen: Array

    @property
    def extent(self) -> tuple[float, float]:
        """Least and largest term."""
        least = min(float(self.apart.min()), float(self.unseen.min()))
        return least, max(float(self.apart.max()), float(self.unseen.max()))

    def slopes(self, t: float) -> tuple[float, float]:
        """First and second derivative of the cumulant generating function."""
        part = self.apart / (1.0 - t * self.apart)
        weighed = self.shape * part
        slope, curve = float(weighed.sum()), float(weighed @ part)
        if self.unseen.size == 1:  # without sizes it is an exponential term like the others
            only = float(self.unseen[0])
            only /= 1.0 - t * only
            return slope + only, curve + only * only
        other = 1.0 / (1.0 - t * self.unseen)
        likely = self.chances * other
        likely /= likely.sum()
        other *= self.unseen
        mean, square = float(likely @ other), float(likely @ (other * other))
        return slope + mean, curve + 2.0 * square - mean * mean

    def generating(self, t: float) -> float:
        """Cumulant generating function."""
        unseen = float(self.chances @ (1.0 / (1.0 - t * self.unseen)))
        return math.log(unseen) - float(self.shape @ np.log1p(-t * self.apart))

    def moments(self, along: Array, across: Array) -> NDArray[np.complexfloating]:
        """Moment generating function at complex numbers."""
        real, imaginary = 1.0 - np.outer(along, self.apart), -np.outer(across, self.apart)
        size = np.exp(-0.5 * (np.log(real * real + imaginary * imaginary) @ self.shape))
        angle = -(np.arctan2(imaginary, real) @ self.shape)
        unseen = 1.0 / (1.0 - np.outer(along + 1j * across, self.unseen)) @ self.chances
        return size * np.exp(1j * angle) * unseen

    def merge_similar(self) -> "_Terms":
        """Terms of similar size merged; the mean and the variance of the sum stay the same."""
        if max(self.apart.size, self.unseen.size) < _MOST_TERMS:
            return self
        _, total, squares = _groups(self.shape, self.apart)
        chances, unseen, _ = _groups(self.chances, self.unseen)
        return _Terms(total * total / squares, squares / total, chances, unseen / chances)


def _groups(mass: Array, terms: Array) -> tuple[Array, Array, Array]:
    """Σ mass, Σ mass · term and Σ mass · term² of groups with equal shares of the last."""
    some = np.flatnonzero(terms)
    some = some[np.argsort(terms[some])]
    mass, terms = mass[some], terms[some]
    share = np.cumsum(mass * terms * terms)
    # the terms of a group have the same sign
    group = np.floor(_MOST_TERMS * share / share[-1]) + (terms > 0.0)
    starts = np.flatnonzero(np.diff(group, prepend=-1.0))
    first, second, third = (np.add.reduceat(mass * terms**power, starts) for power in range(3))
    return first, second, third


class _WeightedMean:
    """A mean of the values and the unseen one, at the lower bound, with random Gamma weights."""

    def __init__(self, sample: Sample) -> None:
        self._sample, self._bound = sample, sample.bounds[0]
        self._unseen, self._chances = sample.unseen_sizes()
        ratio = sample.values / sample.sizes
        self._least = min(float(ratio.min()), self._bound)
        self._most = max(float(ratio.max()), self._bound)
        self.has_no_room = self._most - self._least < NO_ROOM  # all values coincide
        self._saddle_point = 0.0  # the last one, from which the next is not far

    def apart_from(self, x: float) -> _Terms:
        """The sum of weight · (value − x · size): negative where the weighted mean is below x."""
        sample = self._sample
        apart = sample.values - x * sample.sizes
        return _Terms(sample.often, apart, self._chances, (self._bound - x) * self._unseen)

    def approximate_quantile(self, z: float) -> float:
        """Quantile at the normal score `z`, by the saddle-point approximation."""
        if self.has_no_room:
            return self._least
        values, sizes, often, *_ = self._sample
        usual = float(self._chances @ self._unseen)
        total = float(often @ sizes) + usual
        mean = (float(often @ values) + self._bound * usual) / total
        spread = math.sqrt(self.apart_from(mean).slopes(0.0)[1]) / total
        within = (self._least, self._most)
        return root(lambda x: self._score(x) - z, mean + z * spread, 0.1 * spread, within, _ROUGH)

    def refined_quantile(self, x: float, z: float) -> float:
        """Quantile at the normal score `z`, by numerical integration, starting from `x`."""
        least, most = self._least, self._most
        nearby = x + _NEARBY * min(x - least, most - x)  # for the slope of the score
        per_score = (nearby - x) / (self._score(nearby) - self._score(x))
        for _ in range(_CORRECTIONS):
            chance = _chance_below(self.apart_from(x).merge_similar(), self._saddle_point)
            off = _NORMAL.inv_cdf(chance) - z
            new = x - off * per_score
            x = new if least < new < most else 0.5 * (x + (least if new <= least else most))
            if abs(off) < _ACCURATE:
                break
        return x

    def _score(self, x: float) -> float:
        score, self._saddle_point = _saddle(self.apart_from(x), self._saddle_point)
        return score


def _saddle(terms: _Terms, start: float) -> tuple[float, float]:
    """Normal score of the chance that the sum is negative, to third order; the saddle point.

    The score is Barndorff-Nielsen's r*, which agrees with Lugannani and Rice's formula to the order
    of both.
    """
    least, most = terms.extent
    low, high = 1.0 / least, 1.0 / most  # the cumulant generating function is finite between
    t = start if low < start < high else 0.0
    for _ in range(STEPS):
        slope, curve = terms.slopes(t)
        if abs(slope) <= _ROUNDING * math.sqrt(curve):
            break
        low, high = (t, high) if slope < 0 else (low, t)
        step = t - slope / curve
        t = step if low < step < high else 0.5 * (low + high)
    w = math.copysign(math.sqrt(max(-2.0 * terms.generating(t), 0.0)), t)
    v = t * math.sqrt(curve)
    return (w + math.log(v / w) / w if abs(w) > FLAT else 0.0), t


def _chance_below(terms: _Terms, start: float = 0.0) -> float:
    """Chance that the sum is negative, by an integral through the saddle point or near it."""
    t = _saddle(terms, start)[1]
    scale = 1.0 / math.sqrt(terms.slopes(t)[1])
    if abs(t) < _FROM_POLE * scale:  # to the side on which no rare unseen value limits the contour
        t = min(_FROM_POLE * scale, 0.5 / terms.extent[1])
    # The contour bends to the side on which the integrand decays fastest.
    bend = -0.5 if terms.shape @ np.sign(terms.apart) + np.sign(terms.unseen[0]) > 0 else 0.5
    root_of = np.sqrt(1.0 + _NODES * _NODES)
    along, across = t + scale * bend * (root_of - 1.0), scale * _NODES
    slope = 1.0 - 1j * bend * _NODES / root_of
    height = terms.moments(along, across) * slope / (along + 1j * across)
    area = scale * float(_WEIGHTS @ height.real) / math.pi
    return min(max(-area if t < 0 else 1.0 - area, _SAFE), 1.0 - 1e-16)


_NO_ROOM = 1e-15  # width of a bracket that cannot be narrowed further


def root(
    rising: Callable[[float], float],
    start: float,
    step: float,
    within: tuple[float, float],
    accuracy: float,
) -> float:
    """Root of an increasing, nearly linear function, by the secant method within a bracket."""
    low, high = within
    margin = 1e-3 * (high - low)  # the function may be infinite at the bounds
    old = min(max(start, low + margin), high - margin)
    off_old = rising(old)
    new = old - math.copysign(min(step, 0.5 * (old - low), 0.5 * (high - old)), off_old)
    for _ in range(STEPS):
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
