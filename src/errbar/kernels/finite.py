"""Mean credit of a k-subset of the observed trials, one number per state (trials, correct).

The subsets are draws from an urn that are not put back; `urn` says how likely each number of
right draws is, and this file averages credit over it.
"""

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.urn import BACK, OUT, all_wrong, band, blocks, one_right, same_size


def chance_of_one(trials: Integers, correct: Integers, ks: list[int]) -> Array:
    """Chance that a k-subset holds at least one right trial: a row per k, a column per state."""
    return one_right(correct, trials - correct, OUT, ks)


def chance_of_all(trials: Integers, correct: Integers, ks: list[int]) -> Array:
    """Chance that every trial of a k-subset is right."""
    return all_wrong(trials - correct, correct, OUT, ks)


def chance_of_at_least(trials: Integers, correct: Integers, k: int, threshold: int) -> Array:
    """Chance that `threshold` trials of a k-subset at least are right.

    Trials and draws exchange roles: put the right trials first and ask how many undrawn ones come
    before the draw that reaches the threshold. One row of masses serves every state.
    """
    out = np.empty(trials.size)
    a, b = np.array([[float(threshold)], [k - threshold + 1.0]])
    for size, alike in same_size(trials):
        undrawn = size - k
        if undrawn > 4 * k * correct[alike].size:
            credit = np.arange(k + 1) >= threshold
            out[alike] = mean_credit(trials[alike], correct[alike], credit.astype(float))
            continue
        masses = band(a, b, BACK, undrawn, 0, undrawn)
        before = np.zeros(undrawn + 2)
        np.add.accumulate(masses[:, 0], out=before[1:])
        before /= before[-1]
        out[alike] = before.take(correct[alike] - (threshold - 1), mode="clip")
    return out


def mean_credit(trials: Integers, correct: Integers, credit: Array) -> Array:
    """Mean of `credit[j]`, j right in a k-subset, where k is one less than the credits given."""
    k = credit.size - 1
    out = np.empty(trials.size)
    for states in blocks(trials.size, k):
        c = correct[states]
        masses = band(c, trials[states] - c, OUT, k, 0, k)
        out[states] = (credit @ masses) / masses.sum(axis=0)
    return out
