"""Moments of weighted means and of maxima under Dirichlet posteriors.

A Dirichlet lumps: the chance of an outcome at or below some level is Beta, and the share of it
that is at or below a lower level is another Beta, independent of the first. So a maximum needs
only the Beta kernels, level by level and pair of levels by pair.
"""

import numpy as np

from errbar.kernels import beta
from errbar.kernels.urn import Array


def weighted_mean_moments(pseudo: Array, weights: Array, stretch: Array) -> tuple[float, float]:
    """Sums over questions of the mean of Σ weight · probability and of its stretched variance.

    The variance is a sum over pairs of categories, each squared difference of weights counted
    once: nothing cancels when nearly every trial fell into one category.
    """
    total = pseudo.sum(axis=1)
    shares = (pseudo / total[:, None]).sum(axis=0)
    low = weights.min()
    mean = low * len(pseudo) + shares @ (weights - low)
    scaled = pseudo * (stretch / (total * np.sqrt(total + 1.0)))[:, None]
    apart = np.square(weights[:, None] - weights[None, :])
    return float(mean), float(0.5 * np.sum(apart * (scaled.T @ scaled)))


def mean_chance_above(total: Array, at_most: Array, ks: list[int]) -> Array:
    """Mean chance that the best of k draws is above a level: a row per k."""
    return beta.chance_of_one(total - at_most, at_most, ks)


def log_var_above(total: Array, at_most: Array, ks: list[int]) -> Array:
    """Log variance of the chance that the best of k draws is above a level."""
    return beta.log_var_power(at_most, total - at_most, ks)


def log_cov_above(total: Array, lower: Array, upper: Array, ks: list[int]) -> Array:
    """Log covariance of the chances that the best of k is above a lower and an upper level."""
    share = beta.log_mean_power(lower, upper - lower, ks)
    return share + log_var_above(total, upper, ks)
