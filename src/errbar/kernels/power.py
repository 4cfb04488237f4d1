"""Power of the sign-flip test, from the distribution of the difference on a single question.

Two systems answer a question n times each. Given their success rates, the numbers of correct
answers are binomial, so the observed difference has a discrete distribution. The test statistic of
`kernels.sign_flip`, the sum of the differences over the root of the sum of their squares, is
approximately normal. Its mean and variance are expanded to second order (delta method), because
planned samples may be small: to first order, the power with 20 questions is off by up to 20
percentage points.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels.binomial import masses

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
