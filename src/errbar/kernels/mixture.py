"""Ends of a mixture: draws of a mean and a variance, each a Beta distribution of its own."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.kernels.root import root

Array = NDArray[np.floating[Any]]

_LEAST = 1e-12  # how near to a bound a mean is taken, and how small a share of the variance is left
_NORMAL = NormalDist()
_ACCURACY = 1e-4  # of the normal score of an end, which draws leave open by much more
_FARTHEST = 7.9  # deviations: 1e-15 of a normal distribution lie beyond
_AT_BOUND = 1e-9  # an end this near to a bound is there but for rounding


def mixture_ends(means: Array, variances: Array, reach: float) -> tuple[float, float]:
    """Ends of the equal mixture of Beta distributions on 0 … 1 with these means and variances.

    As much lies beyond each of them as of a normal distribution beyond `reach` deviations.
    """
    from scipy.special import betainc  # noqa: PLC0415  loaded when first needed

    mean = np.clip(means, _LEAST, 1.0 - _LEAST)
    room = mean * (1.0 - mean)
    total = room / np.clip(variances, _LEAST * room, 0.999 * room) - 1.0
    a, b = mean * total, (1.0 - mean) * total
    far = 12.0 * np.sqrt(variances)
    within = (max(0.0, float((mean - far).min())), min(1.0, float((mean + far).max())))
    if within[1] - within[0] <= _AT_BOUND:
        return _snapped(within[0]), _snapped(within[1])
    middle, sd = float(mean.mean()), math.sqrt(float(variances.mean() + mean.var()))

    def end(score: float) -> float:
        def rising(x: float) -> float:
            below = float(betainc(a, b, x).mean())
            return _NORMAL.inv_cdf(min(max(below, 1e-300), 1.0 - 1e-16)) - score

        return _snapped(root(rising, middle + score * sd, 0.1 * sd, within, _ACCURACY))

    reach = min(reach, _FARTHEST)
    return end(-reach), end(reach)


def _snapped(end: float) -> float:
    if end < _AT_BOUND:
        return 0.0
    return 1.0 if end > 1.0 - _AT_BOUND else end
