"""Mean credit over all k-subsets of the observed trials, per state (trials, correct).

This is the unbiased estimator of pass@k and its relatives (Chen et al. 2021). The number of correct
trials in a random k-subset is hypergeometric; `kernels.urn` has its distribution, and this module
averages the credit over it.
"""

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.urn import BACK, OUT, all_wrong, band, blocks, one_right, same_size


def chance_of_one(trials: Integers, correct: Integers, ks: list[int]) -> Array:
    """Chance that a k-subset has at least one correct trial: a row per k, a column per state."""
    return one_right(correct, trials - correct, OUT, ks)


def chance_of_all(trials: Integers, correct: Integers, ks: list[int]) -> Array:
    """Chance that every trial of a k-subset is correct: a row per k, a column per state."""
    return all_wrong(trials - correct, correct, OUT, ks)


def chance_of_at_least(trials: Integers, correct: Integers, k: int, threshold: int) -> Array:
    """Chance that at least `threshold` trials of a k-subset are correct.

    Trials and draws are exchanged: order the trials with the correct ones first, and ask how many
    undrawn trials precede the draw that reaches the threshold. One row of masses serves all states.
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
    """Mean of `credit[j]` over k-subsets with j correct trials, k = credit.size − 1."""
    k = credit.size - 1
    out = np.empty(trials.size)
    for states in blocks(trials.size, k):
        c = correct[states]
        masses = band(c, trials[states] - c, OUT, k, 0, k)
        out[states] = (credit @ masses) / masses.sum(axis=0)
    return out
