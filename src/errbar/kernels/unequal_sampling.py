"""Samples of fixed size with unequal probabilities, and the weights that undo them.

Neyman (1934): the mean of a population has the least variance if the share that is drawn of a
stratum is in proportion to its standard deviation. Half of every sample is spread evenly all the
same, as Zrnic and Candès (2024, "Active statistical inference", arXiv:2403.03208) advise: what is
thought to be certain is then tried too, and no weight is larger than twice that of an even sample.
Systematic sampling with a random start (Madow 1949) draws every item with exactly its probability.
"""

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array

_EVEN = 0.5  # share of a sample that is spread evenly


def neyman(sds: Array, number: int) -> Array:
    """Probabilities of `number` items in proportion to standard deviations, half of them even.

    Examples
    --------
    >>> neyman(np.array([0.0, 0.0, 1.0, 1.0]), 2).tolist()
    [0.25, 0.25, 0.75, 0.75]
    """
    even = np.full(sds.size, 1.0 / sds.size)
    total = float(sds.sum())
    shares = _EVEN * even + (1.0 - _EVEN) * sds / total if total > 0.0 else even
    chances = np.minimum(number * shares, 1.0)
    while (short := number - float(chances.sum())) > 1e-9 and (chances < 1.0).any():
        room = chances < 1.0  # certain items leave their rest to others
        chances[room] += short * shares[room] / float(shares[room].sum())
        chances = np.minimum(chances, 1.0)
    return chances


def systematic(chances: Array, rng: np.random.Generator) -> NDArray[np.intp]:
    """A sample in which every item has its probability; their sum is the size, but for rounding."""
    order = rng.permutation(chances.size)
    ends = np.cumsum(chances[order])
    number = round(float(ends[-1]))
    ends *= number / ends[-1]
    at = np.searchsorted(ends, rng.random() + np.arange(number), side="right")
    found: NDArray[np.intp] = np.sort(order[np.minimum(at, chances.size - 1)])
    return found


def two_stage_weights(former: Array, items: int, chances: Array) -> tuple[Array, Array]:
    """Weights of items drawn before, with the weights `former`, and of those drawn among the rest.

    The former sample gives one unbiased mean. Given that sample, its own items and those drawn
    since, divided by their `chances`, give another. The two are averaged, with the shares that give
    all items one weight if both samples are even.
    """
    if not former.size:
        return former, 1.0 / chances
    rest, drawn = items - former.size, chances.size
    own = former * items / former.sum()
    of_new, of_old = rest / drawn - 1.0, items / former.size - 1.0 + rest / drawn
    share = of_new / of_old if of_old > 0.0 else 0.5
    return share * own + (1.0 - share), (1.0 - share) / chances
