"""The chance that a difference is seen, from all that one question may show of it.

Two systems answer a question n times each. How many are right follows from their success rates on
it, so the difference that a question shows has a distribution that is a sum over states. The sum
of many differences over the root of their squares, which `kernels.signs` looks at, is nearly
normal. Its mean and variance are taken to second order, because planned samples may be small: to
first order the power of 20 questions is off by as much as 20 points.
"""

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels.rates import masses

_EQUAL = 1e-12  # values nearer than this are one
_AT_ONCE = 2_000_000  # draws held in memory
_CLOSE = 1e-12  # a sum this near to what is asked suffices, whatever the rounding


class Shown(NamedTuple):
    """What a question may show, and how likely it is."""

    values: Array
    chances: Array


def moved(rates: Array, shifts: Array | float) -> Array:
    """Success rates whose log odds are shifted; 0 and 1 stay where they are."""
    odds = np.exp(shifts)
    shifted: Array = rates * odds / (1.0 - rates + rates * odds)
    return shifted


@cache
def steps_of_normal(number: int) -> tuple[Array, Array]:
    """Points and weights by which a mean over a normal variable is a sum."""
    points, weights = np.polynomial.hermite_e.hermegauss(number)
    return points, weights / weights.sum()


def joint_states(first: Array, second: Array, weights: Array, n: int) -> Array:
    """Chance of i right of n by the first system and j by the second.

    `first` has a rate per point and `second` a row of rates per point, with `weights` alike.
    """
    one = masses(first, n)
    other = masses(second.ravel(), n).reshape(n + 1, *second.shape)
    chances: Array = one @ (other * weights).sum(axis=-1).T
    return chances


def pooled(values: Array, chances: Array) -> Shown:
    """Values in order, equal ones as one."""
    flat = values.ravel()
    _, first, place = np.unique(np.round(flat / _EQUAL), return_index=True, return_inverse=True)
    whole = np.bincount(place.ravel(), chances.ravel())
    return Shown(flat[first], whole / whole.sum())


def differing(shown: Shown, questions: int) -> float:
    """How many differences a sum is expected to rest on."""
    square = float(shown.chances @ np.square(shown.values))
    return questions * float(shown.chances @ np.abs(shown.values)) ** 2 / square if square else 0.0


def chance_seen(shown: Shown, questions: int, reach: float) -> float:
    """Chance that the evidence is `reach` deviations or more, in the direction of the truth."""
    from scipy.special import ndtr  # noqa: PLC0415  loaded when first needed

    values = shown.values * _direction(shown)
    mean, square, third, fourth = (float(shown.chances @ values**power) for power in (1, 2, 3, 4))
    if square == 0.0:
        return 0.0
    # mean/√square of a sample: with its squares vary both the root and what stands above it.
    both, squares = third - mean * square, fourth - square * square
    centre = math.sqrt(questions) * mean / math.sqrt(square)
    centre += (0.375 * mean * squares / square - 0.5 * both) / square**1.5 / math.sqrt(questions)
    variance = (square - mean * mean) / square - mean * both / square**2
    variance += 0.25 * mean * mean * squares / square**3
    if variance <= _EQUAL:
        return float(centre >= reach)
    return float(ndtr((centre - reach) / math.sqrt(variance)))


def share_seen(
    shown: Shown, questions: int, reach: float, rng: np.random.Generator, times: int
) -> float:
    """The same as a share of simulated comparisons."""
    sign, seen = _direction(shown), 0
    for total, square in _sums(shown, questions, rng, times):
        seen += int(((square > 0) & (sign * total >= reach * np.sqrt(square) - _CLOSE)).sum())
    return seen / times


def _direction(shown: Shown) -> float:
    """1 where the mean is positive, −1 where it is not."""
    return math.copysign(1.0, float(shown.chances @ shown.values))


def _sums(
    shown: Shown, questions: int, rng: np.random.Generator, times: int
) -> Iterator[tuple[Array, Array]]:
    """Sums of differences and of their squares, some simulations at a time."""
    values, chances = shown
    few = questions < values.size
    step = max(1, _AT_ONCE // (questions if few else values.size))
    for start in range(0, times, step):
        some = min(step, times - start)
        if few:
            drawn = values[rng.choice(values.size, (some, questions), p=chances)]
            yield drawn.sum(axis=1), np.square(drawn).sum(axis=1)
        else:
            often = rng.multinomial(questions, chances, some).astype(float)
            yield often @ values, often @ np.square(values)
