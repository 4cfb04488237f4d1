"""Ends of an interval from moments or from replicates."""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from errbar.kernels.urn import Array

_EQUAL = 1e-12  # replicates this near the value, for their size, are it but for rounding
_FEW = 1000  # factors that are multiplied one by one


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


def student_reach(level: float, freedom: float) -> float:
    """The same for Student's distribution."""
    from scipy.special import stdtrit  # noqa: PLC0415  loaded when first needed

    return float(-stdtrit(freedom, (1.0 - level) / 2.0))


def share_ends(share: float, size: float, level: float) -> tuple[float, float]:
    """Ends of a share of so many, by Wilson: those shares from which it is not too far.

    Examples
    --------
    >>> [round(end, 4) for end in share_ends(1.0, 10, 0.95)]
    [0.7225, 1.0]
    """
    z = normal_reach(level) ** 2 / size
    centre = (share + z / 2) / (1 + z)
    reach = math.sqrt(z * share * (1 - share) + z * z / 4) / (1 + z)
    return max(centre - reach, 0.0), min(centre + reach, 1.0)


def logit_ends(value: float, sd: float, level: float) -> tuple[float, float]:
    """Ends of a share strictly between 0 and 1, normal on the scale of log odds."""
    centre = math.log(value / (1.0 - value))
    reach = normal_reach(level) * sd / (value * (1.0 - value))
    return _share_of(centre - reach), _share_of(centre + reach)


def _share_of(log_odds: float) -> float:
    if log_odds < 0:
        return 1.0 - _share_of(-log_odds)
    return 1.0 / (1.0 + math.exp(-log_odds))


def separated_end(positives: int, negatives: int, level: float) -> float:
    """The ROC area at which all positives outscore all negatives just too rarely to be believed.

    Where scores are exponential, those of one class slower by a factor a, the area is a/(1 + a),
    and the classes separate with a chance of Π j/(j + size/a), j = 1 … the other class's size.
    Whichever class is the slow one, the end is the lower of the two.
    """
    return min(
        1.0 / (1.0 + _odds_of_separation(other, level) / size)
        for size, other in ((positives, negatives), (negatives, positives))
    )


def _odds_of_separation(size: int, level: float) -> float:
    """The c for which Π j/(j + c), j = 1 … size, leaves half of what the level does."""
    target = math.log((1.0 - level) / 2.0)

    def log_chance(c: float) -> float:
        if size <= _FEW:  # logs of factorials would leave few digits of a chance near one
            return -math.fsum(math.log1p(c / j) for j in range(1, size + 1))
        return math.lgamma(size + 1.0) + math.lgamma(c + 1.0) - math.lgamma(size + c + 1.0)

    low, high = 0.0, 1.0
    while log_chance(high) > target:
        low, high = high, 2.0 * high
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if log_chance(middle) > target else (low, middle)
    return high


def percentile_ends(replicates: Array, level: float) -> tuple[float, float]:
    """The middle of the replicates."""
    low, high = np.quantile(replicates, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return float(low), float(high)


def bca_ends(value: float, replicates: Array, left_out: Array, level: float) -> tuple[float, float]:
    """Percentiles moved for bias and for a spread that changes with the value.

    `left_out` are the values without each of the units that were resampled.
    """
    normal = NormalDist()
    near = np.abs(replicates - value) <= _EQUAL * np.abs(replicates).max()
    below = np.mean(np.where(near, 0.5, replicates < value))
    margin = 0.5 / replicates.size
    bias = normal.inv_cdf(min(max(float(below), margin), 1.0 - margin))
    known = left_out[np.isfinite(left_out)]
    apart = known.mean() - known if known.size else known
    square = float(np.square(apart).sum())
    skew = float((apart**3).sum()) / (6.0 * square**1.5) if square > 0 else 0.0
    shares = []
    for share in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
        moved = bias + normal.inv_cdf(share)
        shares.append(normal.cdf(bias + moved / max(1.0 - skew * moved, 1e-3)))
    low, high = np.quantile(replicates, shares)
    return float(low), float(high)
