"""Ends of an interval from moments."""

from functools import lru_cache
from statistics import NormalDist

import numpy as np

from errbar.kernels.urn import Array


def normal_ends(
    mean: Array, sd: Array, level: float, bounds: tuple[float, float]
) -> tuple[Array, Array]:
    """Mean ± z·sd, cut to `bounds`."""
    reach = normal_reach(level) * sd
    low, high = bounds
    return (
        np.minimum(np.maximum(mean - reach, low), high),
        np.minimum(np.maximum(mean + reach, low), high),
    )


@lru_cache(maxsize=64)
def normal_reach(level: float) -> float:
    """How many standard deviations either way hold this much of a normal distribution."""
    return -NormalDist().inv_cdf((1.0 - level) / 2.0)
