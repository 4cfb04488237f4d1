"""Interval ends from moments or from bootstrap replicates.

Normal intervals; those of proportions (Clopper and Pearson 1934), also where their variance is
estimated (Korn and Graubard 1998, "Confidence intervals for proportions with small expected number
of positive counts estimated from survey data"); Hall's for skewed means (1992); percentile and BCa
bootstrap intervals (Efron 1987).
"""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from errbar.base.arrays import Array

_EQUAL = 1e-12  # relative: replicates this near the value are ties, but for rounding
_LARGEST_SAMPLE = 1e12  # effective size of a sample that does not vary
_TINY = 1e-300  # divisor in place of 0, where the quotient is not used


@lru_cache(maxsize=64)
def normal_reach(level: float) -> float:
    """Two-sided critical value of the normal distribution."""
    return -NormalDist().inv_cdf((1.0 - level) / 2.0)


def student_reach(level: float, freedom: float) -> float:
    """Two-sided critical value of Student's t distribution with `freedom` degrees of freedom."""
    from scipy.special import stdtrit  # noqa: PLC0415  loaded when first needed

    return float(-stdtrit(freedom, (1.0 - level) / 2.0))


def largest_unseen(sampled: float, level: float) -> float:
    """The largest share of all of a kind of which none is among so many sampled.

    It is the limit of Clopper and Pearson: n sampled include none of a share s with probability
    (1 − s)ⁿ.

    Examples
    --------
    >>> round(largest_unseen(30, 0.95), 3)
    0.095
    """
    return float(1.0 - (1.0 - level) ** (1.0 / sampled))


def clopper_pearson_ends(right: Array, size: Array | float, level: float) -> tuple[Array, Array]:
    """Limits of Clopper and Pearson for shares of `right` among `size`, which may be fractions.

    Examples
    --------
    >>> low, high = clopper_pearson_ends(np.array([0.0, 5.0]), 10.0, 0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.187], [0.308, 0.813])
    """
    from scipy.special import betaincinv  # noqa: PLC0415  loaded when first needed

    tail = 0.5 * (1.0 - level)
    wrong = size - right
    low = np.where(right > 0, betaincinv(np.maximum(right, _TINY), wrong + 1.0, tail), 0.0)
    high = np.where(wrong > 0, betaincinv(right + 1.0, np.maximum(wrong, _TINY), 1.0 - tail), 1.0)
    return low, high


def korn_graubard_ends(
    share: float, variance: float, freedom: float, level: float, at_least: float
) -> tuple[float, float]:
    """Limits of Clopper and Pearson for a binomial sample with this share and variance.

    Korn and Graubard (1998): the effective size of the sample is share · (1 − share) / variance,
    times (z / t)² for the degrees of freedom of the variance, and not smaller than `at_least`.

    Examples
    --------
    >>> [round(end, 3) for end in korn_graubard_ends(0.5, 0.025, math.inf, 0.95, 1.0)]
    [0.187, 0.813]
    """
    size = min(share * (1.0 - share) / max(variance, _EQUAL**2), _LARGEST_SAMPLE)
    size *= (normal_reach(level) / student_reach(level, freedom)) ** 2
    size = max(size, at_least)
    low, high = clopper_pearson_ends(np.array(share * size), size, level)
    return float(low), float(high)


def endpoints(values: Array) -> tuple[float, float]:
    """Estimated ends of the range of a variable: 2·max − second largest, and likewise below.

    The estimator of Robson and Whitlock (1964): the end lies as far beyond the largest value as the
    second largest lies below it.

    Examples
    --------
    >>> endpoints(np.array([1.0, 2.0, 5.0]))
    (0.0, 8.0)
    """
    ordered = np.sort(values)
    if ordered.size < 2:
        return float(ordered[0]), float(ordered[-1])
    return float(2.0 * ordered[0] - ordered[1]), float(2.0 * ordered[-1] - ordered[-2])


def _skewness(deviations: Array) -> float:
    """Sample skewness G1, unbiased for normal values."""
    n, squares = deviations.size, float(np.square(deviations).sum())
    if n < 3 or not squares:
        return 0.0
    cubes = float((deviations**3).sum()) * math.sqrt(n) / squares**1.5
    return cubes * math.sqrt(n * (n - 1)) / (n - 2)


def is_skewed(deviations: Array) -> bool:
    """Whether there are too few values for a normal interval of their mean, by their skewness.

    They are too few if n is less than 25 · G1² (Cochran 1977, "Sampling Techniques", section 2.15)
    and the skewness is significant: |G1| exceeds 1.96 times its standard error for normal values.

    Examples
    --------
    >>> is_skewed(np.array([-1.0, -1.0, -1.0, -1.0, 4.0])), is_skewed(np.array([-1.0, 0.0, 1.0]))
    (True, False)
    """
    n, skewness = deviations.size, _skewness(deviations)
    if n < 3:
        return False
    error = math.sqrt(6.0 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    return n < 25.0 * skewness**2 and abs(skewness) > normal_reach(0.95) * error


def skewed_ends(deviations: Array, level: float) -> tuple[float, float]:
    """Ends of an interval for a mean, less the estimate, which allow for skewness.

    Hall's transformation (1992, "On the removal of skewness by transformation") of the t statistic
    with n − 1 degrees of freedom. `deviations` of the n values from their mean may be those of a
    ratio of two sums: what each unit contributes, times n.

    Examples
    --------
    >>> [round(end, 2) for end in skewed_ends(np.array([-1.0, -1.0, -1.0, -1.0, 4.0]), 0.95)]
    [-1.6, 6.74]
    """
    n = deviations.size
    squares = float(np.square(deviations).sum())
    if n < 2 or not squares:
        return 0.0, 0.0
    error = math.sqrt(squares / (n - 1) / n)
    a, t = _skewness(deviations) / math.sqrt(n), student_reach(level, n - 1)
    if abs(a) < _EQUAL:
        return -t * error, t * error
    high, low = (3.0 / a * (math.cbrt(1.0 + a * (x - a / 6.0)) - 1.0) for x in (-t, t))
    return -low * error, -high * error


def outer_quantiles(low: Array, high: Array, level: float) -> tuple[Array, Array]:
    """Equal-tailed ends along the first axis: the lower from draws `low`, the upper from `high`.

    The two are draws of one bootstrap with an unseen unit at either bound, or are the same.
    """
    tail = 0.5 * (1.0 - level)
    return np.quantile(low, tail, axis=0), np.quantile(high, 1.0 - tail, axis=0)


def outer_ends(low: Array, high: Array, level: float) -> tuple[float, float]:
    """`outer_quantiles` of a single quantity."""
    lower, upper = outer_quantiles(low, high, level)
    return float(lower), float(upper)


def percentile_ends(replicates: Array, level: float) -> tuple[float, float]:
    """Equal-tailed percentile interval of the replicates."""
    return outer_ends(replicates, replicates, level)


def bca_ends(value: float, replicates: Array, left_out: Array, level: float) -> tuple[float, float]:
    """BCa interval (Efron 1987): percentiles corrected for bias and acceleration.

    `left_out` are the jackknife values, each without one of the resampled units.
    """
    normal = NormalDist()
    near = np.abs(replicates - value) <= _EQUAL * np.abs(replicates).max()
    below = np.mean(np.where(near, 0.5, replicates < value))
    margin = 0.5 / replicates.size
    bias = normal.inv_cdf(min(max(float(below), margin), 1.0 - margin))
    known = left_out[np.isfinite(left_out)]
    centred = known.mean() - known if known.size else known
    square = float(np.square(centred).sum())
    skew = float((centred**3).sum()) / (6.0 * square**1.5) if square > 0 else 0.0
    shares = []
    for share in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
        moved = bias + normal.inv_cdf(share)
        # Efron's formula has a pole at 1; beyond it the end is the farthest replicate.
        shares.append(normal.cdf(bias + moved / max(1.0 - skew * moved, 1e-3)))
    low, high = np.quantile(replicates, shares)
    return float(low), float(high)
