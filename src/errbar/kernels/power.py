"""Power of the sign-flip test, from the distribution of the difference on a single question.

Two systems answer a question n times each. Given their success rates, the numbers of correct
answers are binomial, so the observed difference has a discrete distribution. The test statistic of
`kernels.sign_flip`, the sum of the differences over the root of the sum of their squares, is
approximately normal. Its mean and variance are expanded to second order (delta method), because
planned samples may be small: to first order, the power with 20 questions is off by up to 20
percentage points.

`approximate_widths` and `approximate_scores` are those of Gaffke's interval for many simulated
samples at once, by the saddle-point approximation of `kernels.bounded_mean` alone.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.binomial import masses
from errbar.kernels.bounded_mean import FLAT, NO_ROOM, STEPS
from errbar.kernels.interval import normal_reach

_EQUAL = 1e-12  # values closer than this are equal, but for rounding
_AT_ONCE = 2_000_000  # simulated numbers in memory at a time
_CLOSE = 1e-12  # a statistic this near to the critical value reaches it, but for rounding


class DiscreteDistribution(NamedTuple):
    """Possible values and their probabilities."""

    values: Array
    chances: Array


def shift_log_odds(rates: Array, shifts: Array | float) -> Array:
    """Success rates with shifted log odds; 0 and 1 stay as they are."""
    odds = np.exp(shifts)
    shifted: Array = rates * odds / (1.0 - rates + rates * odds)
    return shifted


@cache
def normal_quadrature(number: int) -> tuple[Array, Array]:
    """Gauss–Hermite points and weights for an expectation over a standard normal variable."""
    points, weights = np.polynomial.hermite_e.hermegauss(number)
    return points, weights / weights.sum()


def joint_states(first: Array, second: Array, weights: Array, n: int) -> Array:
    """Probability of i correct of n by the first system and j by the second.

    `first` has a rate per point; `second` and `weights` have a row of rates and weights per point.
    """
    first_masses = masses(first, n)
    second_masses = masses(second.ravel(), n).reshape(n + 1, *second.shape)
    chances: Array = first_masses @ (second_masses * weights).sum(axis=-1).T
    return chances


def merge_equal(values: Array, chances: Array) -> DiscreteDistribution:
    """Distribution with the values sorted and the chances of equal values added up."""
    flat = values.ravel()
    _, first, place = np.unique(np.round(flat / _EQUAL), return_index=True, return_inverse=True)
    totals = np.bincount(place.ravel(), chances.ravel())
    return DiscreteDistribution(flat[first], totals / totals.sum())


def effective_size(distribution: DiscreteDistribution, questions: int) -> float:
    """Expected effective number of questions that differ, (Σ|d|)² / Σd²."""
    square = float(distribution.chances @ np.square(distribution.values))
    return (
        questions * float(distribution.chances @ np.abs(distribution.values)) ** 2 / square
        if square
        else 0.0
    )


def normal_power(distribution: DiscreteDistribution, questions: int, reach: float) -> float:
    """Power: the chance that the statistic reaches `reach` in the direction of the true effect."""
    from scipy.special import ndtr  # noqa: PLC0415  loaded when first needed

    values = distribution.values * _direction(distribution)
    mean, square, third, fourth = (
        float(distribution.chances @ values**order) for order in (1, 2, 3, 4)
    )
    if square == 0.0:
        return 0.0
    # Delta method for mean/√square of a sample, whose numerator and denominator are correlated.
    both, squares = third - mean * square, fourth - square * square
    centre = math.sqrt(questions) * mean / math.sqrt(square)
    centre += (0.375 * mean * squares / square - 0.5 * both) / square**1.5 / math.sqrt(questions)
    variance = (square - mean * mean) / square - mean * both / square**2
    variance += 0.25 * mean * mean * squares / square**3
    if variance <= _EQUAL:
        return float(centre >= reach)
    return float(ndtr((centre - reach) / math.sqrt(variance)))


def simulated_power(
    distribution: DiscreteDistribution,
    questions: int,
    reach: float,
    rng: np.random.Generator,
    times: int,
) -> float:
    """Power, estimated as the fraction of simulated comparisons that reach `reach`."""
    sign, reached = _direction(distribution), 0
    for total, square in _sums(distribution, questions, rng, times):
        reached += int(((square > 0) & (sign * total >= reach * np.sqrt(square) - _CLOSE)).sum())
    return reached / times


def _direction(distribution: DiscreteDistribution) -> float:
    """1 if the mean is positive, −1 otherwise."""
    return math.copysign(1.0, float(distribution.chances @ distribution.values))


def _sums(
    distribution: DiscreteDistribution, questions: int, rng: np.random.Generator, times: int
) -> Iterator[tuple[Array, Array]]:
    """Yield sums of differences and of their squares, for a block of simulations at a time."""
    values, chances = distribution
    few = questions < values.size
    step = max(1, _AT_ONCE // (questions if few else values.size))
    for start in range(0, times, step):
        some = min(step, times - start)
        if few:
            sample = values[rng.choice(values.size, (some, questions), p=chances)]
            yield sample.sum(axis=1), np.square(sample).sum(axis=1)
        else:
            often = rng.multinomial(questions, chances, some).astype(float)
            yield often @ values, often @ np.square(values)


_ENDS = 30  # most iterations for an end; halving alone reaches 1e-9 of the width
_ACCURATE, _SADDLE = 1e-3, 1e-6  # accuracy of an end and of a saddle point, in normal scores


def approximate_widths(values: Array, often: Integers, level: float) -> Array:
    """Approximate widths of intervals for means between 0 and 1: row i of `often` is a sample."""
    z = -normal_reach(level)
    low, high = (_low_ends(side, often, z) for side in (values, 1.0 - values))
    return 1.0 - low - high


def approximate_scores(values: Array, often: Integers, at: float) -> Array:
    """Approximate normal scores of the p-values of `bounded_mean.p_at_most`.

    Values are between 0 and 1, and row i of `often` is a sample. The saddle-point approximation
    alone is off by about 0.01.
    """
    value = np.column_stack([np.broadcast_to(values, often.shape), np.zeros(len(often))])
    shape = np.column_stack([often, np.ones(len(often))])
    distance = np.where(shape > 0.0, value - at, 0.0)
    above = distance.max(axis=1) > 0.0  # else no weighted mean exceeds it
    scores = np.full(len(often), math.inf)
    w, t, curve = _saddles(shape[above], distance[above], np.zeros(int(above.sum())))
    scores[above] = _scores(w, t, curve)[0]
    return scores


def _low_ends(values: Array, often: Integers, z: float) -> Array:
    """Quantile of each row's weighted mean at the normal score `z`."""
    value = np.column_stack([np.broadcast_to(values, often.shape), np.zeros(len(often))])
    shape = np.column_stack([often, np.ones(len(often))])
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
        distance = np.where(present[going], value[going] - x[going, None], 0.0)
        w, t[going], curve = _saddles(shape[going], distance, t[going])
        score, slope = _scores(w, t[going], curve)
        new = x[going] - (score - z) / (total[going] * slope)
        bound = np.where(score > z, least[going], most[going])
        inside = (least[going] < new) & (new < most[going])
        x[going] = np.where(inside, new, 0.5 * (x[going] + bound))
        going = going[np.abs(score - z) > _ACCURATE]
        if not going.size:
            break
    return x


def _scores(w: Array, t: Array, curve: Array) -> tuple[Array, Array]:
    """Barndorff-Nielsen's r* at the saddle points, and its slope for a sum of weights of 1."""
    steep = np.sqrt(curve)
    flat = np.abs(w) < FLAT
    safe = np.where(flat, 1.0, w)
    score = np.where(flat, 0.0, w + np.log(np.where(flat, 1.0, t * steep / safe)) / safe)
    return score, np.where(flat, 1.0 / steep, t / safe)


def _saddles(shape: Array, distance: Array, start: Array) -> tuple[Array, Array, Array]:
    """Signed root, saddle point and curvature at the saddle point, for each row."""
    low, high = 1.0 / distance.min(axis=1), 1.0 / distance.max(axis=1)
    t = np.where((low < start) & (start < high), start, 0.0)
    for _ in range(STEPS):
        part = distance / (1.0 - t[:, None] * distance)
        weighed = shape * part
        slope, curve = weighed.sum(axis=1), np.einsum("ij,ij->i", weighed, part)
        if (np.abs(slope) <= _SADDLE * np.sqrt(curve)).all():
            break
        low, high = np.where(slope < 0.0, t, low), np.where(slope < 0.0, high, t)
        step = t - slope / curve
        t = np.where((low < step) & (step < high), step, 0.5 * (low + high))
    exponent = (shape * np.log1p(-t[:, None] * distance)).sum(axis=1)
    return np.copysign(np.sqrt(np.maximum(2.0 * exponent, 0.0)), t), t, curve
