"""Moments of weighted means and of maxima under Dirichlet posteriors.

A Dirichlet lumps: the chance of an outcome at or below some level is Beta, and the share of it
that is at or below a lower level is another Beta, independent of the first. So a maximum needs
only the Beta kernels, level by level and pair of levels by pair.
"""

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels import beta


def sum_of_means(pseudo: Array, total: Array, weights: Array, often: Array) -> float:
    """Sum over questions of Σ weight · share, where each row stands for `often` questions."""
    low = weights.min()
    shares = (often / total) @ pseudo
    return float(low * often.sum() + shares @ (weights - low))


def sum_of_variances(pseudo: Array, total: Array, weights: Array, often: Array) -> float:
    """Sum over questions of the variance of Σ weight · probability.

    It is a sum over pairs of categories, each squared difference of weights counted once:
    nothing cancels when nearly every trial fell into one category.
    """
    scale = often / (total * total * (total + 1.0))
    apart = np.square(weights[:, None] - weights)
    together = (pseudo * scale[:, None]).T @ pseudo
    return float(0.5 * np.vdot(apart, together))


def mean_chance_above(at_most: Array, above: Array, ks: list[int]) -> Array:
    """Mean chance that the best of k draws is above a level: a row per k."""
    return beta.chance_of_one(above, at_most, ks)


def log_var_above(at_most: Array, above: Array, ks: list[int]) -> Array:
    """Log variance of the chance that the best of k draws is above a level."""
    return beta.log_power_moments(at_most, above, ks)[1]


def log_cov_above(lower: Array, between: Array, above: Array, ks: list[int]) -> Array:
    """Log covariance of the chances to be above two levels, `between` which some outcomes lie."""
    share = beta.log_power_moments(lower, between, ks)[0]
    return share + log_var_above(lower + between, above, ks)
