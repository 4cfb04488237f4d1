"""Moments of weighted means and of maxima under Dirichlet posteriors.

The Dirichlet distribution is closed under aggregation: the probability of an outcome at or below a
level is Beta distributed, and the fraction of it at or below a lower level is an independent Beta
variable. A maximum therefore needs only the Beta kernels, for every level and pair of levels.
"""

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels import beta


def sum_of_means(pseudo: Array, total: Array, weights: Array, often: Array) -> float:
    """Sum over questions of the posterior mean of Σ weight · probability; a row occurs `often`."""
    low = weights.min()
    shares = (often / total) @ pseudo
    return float(low * often.sum() + shares @ (weights - low))


def sum_of_variances(pseudo: Array, total: Array, weights: Array, often: Array) -> float:
    """Sum over questions of the variance of Σ weight · probability.

    It is computed as a sum over pairs of categories of squared differences of their weights, which
    does not cancel when nearly all trials fall into one category.
    """
    scale = often / (total * total * (total + 1.0))
    apart = np.square(weights[:, None] - weights)
    together = (pseudo * scale[:, None]).T @ pseudo
    return float(0.5 * np.vdot(apart, together))


def mean_chance_above(at_most: Array, above: Array, ks: list[int]) -> Array:
    """Posterior mean of the chance that the best of k draws exceeds a level: a row per k."""
    return beta.chance_of_one(above, at_most, ks)


def log_var_above(at_most: Array, above: Array, ks: list[int]) -> Array:
    """Log posterior variance of the chance that the best of k draws exceeds a level."""
    return beta.log_power_moments(at_most, above, ks)[1]


def log_cov_above(lower: Array, between: Array, above: Array, ks: list[int]) -> Array:
    """Log posterior covariance of the chances to exceed two levels."""
    share = beta.log_power_moments(lower, between, ks)[0]
    return share + log_var_above(lower + between, above, ks)
