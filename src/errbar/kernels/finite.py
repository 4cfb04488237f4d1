"""Mean credit of a k-subset of the observed trials, one number per state (trials, correct).

The subsets are draws from an urn that are not put back; `urn` says how likely each number of
right draws is, and this file averages credit over it.
"""

import numpy as np

from errbar.kernels.urn import OUT, Array, band, blocks, hits, misses


def chance_of_one(trials: Array, correct: Array, ks: list[int]) -> Array:
    """Chance that a k-subset holds at least one right trial: a row per k, a column per state."""
    return _by_draws(hits, trials, correct, np.subtract(ks, 1), max(ks))


def chance_of_all(trials: Array, correct: Array, ks: list[int]) -> Array:
    """Chance that every trial of a k-subset is right."""
    return _by_draws(misses, trials, trials - correct, np.asarray(ks), max(ks))


def mean_credit(trials: Array, correct: Array, credit: Array) -> Array:
    """Mean of `credit[j]`, j right in a k-subset, where k is one less than the credits given."""
    k = credit.size - 1
    out = np.empty(trials.size)
    for rows in blocks(trials.size, k):
        c = correct[rows]
        _, masses = band(c, trials[rows] - c, OUT, k, 0, k)
        out[rows] = (masses @ credit) / masses.sum(axis=1)
    return out


def _by_draws(chance, trials: Array, right: Array, columns: Array, most: int) -> Array:
    out = np.empty((columns.size, trials.size))
    for rows in blocks(trials.size, most):
        a = right[rows]
        out[:, rows] = chance(a, trials[rows] - a, OUT, most)[:, columns].T
    return out
