"""Ends of an interval from moments."""

from statistics import NormalDist

import numpy as np

from errbar.kernels.urn import Array


def normal_ends(
    mean: Array, sd: Array, level: float, bounds: tuple[float, float]
) -> tuple[Array, Array]:
    """Mean ± z·sd, cut to `bounds`."""
    reach = -NormalDist().inv_cdf((1.0 - level) / 2.0) * sd
    low, high = bounds
    return (
        np.minimum(np.maximum(mean - reach, low), high),
        np.minimum(np.maximum(mean + reach, low), high),
    )
