"""Mean credit of a k-subset of the observed trials, one number per state (trials, correct).

The subsets are draws from an urn that are not put back; `urn` says how likely each number of
right draws is, and this file averages credit over it.
"""

import numpy as np

from errbar.kernels.urn import OUT, Array, all_wrong, band, blocks, one_right


def chance_of_one(trials: Array, correct: Array, ks: list[int]) -> Array:
    """Chance that a k-subset holds at least one right trial: a row per k, a column per state."""
    return one_right(correct, trials - correct, OUT, ks)


def chance_of_all(trials: Array, correct: Array, ks: list[int]) -> Array:
    """Chance that every trial of a k-subset is right."""
    return all_wrong(trials - correct, correct, OUT, ks)


def mean_credit(trials: Array, correct: Array, credit: Array) -> Array:
    """Mean of `credit[j]`, j right in a k-subset, where k is one less than the credits given."""
    k = credit.size - 1
    out = np.empty(trials.size)
    for states in blocks(trials.size, k):
        c = correct[states]
        _, masses = band(c, trials[states] - c, OUT, k, 0, k)
        out[states] = (credit @ masses) / masses.sum(axis=0)
    return out
