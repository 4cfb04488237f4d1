"""Samples of fixed size with unequal probabilities, and the weights that undo them.

Neyman allocation (1934) gives the estimated mean of a population the least variance: the sampling
rate of a stratum is proportional to its standard deviation. Half of every sample is nevertheless
spread evenly, as Zrnic and Candès (2024, "Active statistical inference", arXiv:2403.03208) advise.
Then strata whose standard deviation is wrongly thought to be 0 are sampled too, and no weight is
larger than twice that of an even sample. Systematic sampling with a random start (Madow 1949) draws
every item with exactly its probability.
"""

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array

_EVEN = 0.5  # share of a sample that is spread evenly


def neyman(sds: Array, number: int) -> Array:
    """Probability of each item in a sample of `number`: half even, half by standard deviation.

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
    """Draw a sample that holds each item with its own probability; these add up to its size."""
    order = rng.permutation(chances.size)
    ends = np.cumsum(chances[order])
    number = round(float(ends[-1]))
    ends *= number / ends[-1]
    at = np.searchsorted(ends, rng.random() + np.arange(number), side="right")
    found: NDArray[np.intp] = np.sort(order[np.minimum(at, chances.size - 1)])
    return found


def two_stage_weights(former: Array, items: int, chances: Array) -> tuple[Array, Array]:
    """Weights of the items of a first sample, and of those drawn later from the rest.

    `former` are the weights of the first sample, which by itself gives an unbiased mean. The
    items of the first sample with weight 1, and the new ones with 1 / `chances`, give another. The
    two means are averaged, with shares such that all items have equal weights if both samples are
    even.
    """
    if not former.size:
        return former, 1.0 / chances
    rest, drawn = items - former.size, chances.size
    own = former * items / former.sum()
    of_new, of_old = rest / drawn - 1.0, items / former.size - 1.0 + rest / drawn
    share = of_new / of_old if of_old > 0.0 else 0.5
    return share * own + (1.0 - share), (1.0 - share) / chances
