"""Drift over a series of runs: exact conditional tests, combined by betting.

If nothing changes, the trials of a question are exchangeable between runs. Given the number of
trials of a question over all runs and the number of right ones, the right answers of the newest run
are then a hypergeometric draw, whatever the difficulty of the question, and their sum over
questions has a known distribution. The p-values of successive runs are independent: each conditions
on the totals, and later runs depend on earlier ones through the totals alone. (A discrete p-value
is at least as large as its randomised version, which is exactly uniform and independent.)

A p-value is turned into a bet by κ·p^(κ−1), which has mean 1 (Vovk and Wang 2021, "E-values:
calibration, combination and applications"). The product over runs is a martingale, and so is its
mixture over κ and over the run at which betting begins. By Ville's inequality it ever reaches 1/α
with probability at most α, for any number of runs and any stopping rule.
"""

import math

import numpy as np

from errbar.base.arrays import Array, Integers, Waves

# κ of the bets, mixed evenly: any mixture is valid, and its log wealth is at most log 9 below that
# of the best.
_POWERS = np.arange(1, 10) / 10.0
_ROUNDING = 1e-12  # error of a tail probability, added to it
_OUTSIDE = 40.0  # −log of the probability that may fall outside the window, by Hoeffding


def right_tails(drawn: Integers, trials: Integers, right: Integers, seen: int) -> Array:
    """P(C ≤ seen) and P(C ≥ seen) for the right answers C of a run.

    Parameters
    ----------
    drawn
        Trials of each question in the run.
    trials, right
        Trials and right answers of each question in this and all earlier runs.
    seen
        Right answers of the run.

    Examples
    --------
    >>> right_tails(np.array([2]), np.array([4]), np.array([2]), 0).round(6).tolist()
    [0.166667, 1.0]
    """
    states, often = np.unique(np.stack([drawn, trials, right]), axis=1, return_counts=True)
    most = int(drawn.sum())
    mean = float((states[0] * states[2] / states[1]) @ often)
    half = math.ceil(math.sqrt(_OUTSIDE * most / 2.0)) + 1
    start, size = (0, most + 1) if most <= 2 * half else (math.floor(mean) - half, 2 * half + 1)
    size = 1 << (size - 1).bit_length()
    turns = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    waves: Waves = turns ** (-start)
    for (n, whole, good), times in zip(states.T.tolist(), often.tolist(), strict=True):
        waves = waves * np.polyval(_masses(n, whole, good)[::-1], turns) ** times
    masses = np.clip(np.fft.irfft(waves, size), 0.0, None)
    at = np.arange(start, start + size)
    tails = np.array([masses[at <= seen].sum(), masses[at >= seen].sum()])
    return np.minimum(tails + _ROUNDING, 1.0)


def _masses(drawn: int, trials: int, right: int) -> Array:
    """Hypergeometric probabilities of 0 … `drawn` right answers."""
    wrong = trials - right
    ways = [math.comb(right, j) * math.comb(wrong, drawn - j) for j in range(drawn + 1)]
    whole = math.comb(trials, drawn)
    return np.array([number / whole for number in ways])


def log_bets(p_values: Array) -> Array:
    """Log wealth after each p-value, mixed over κ and over the run at which betting begins.

    Examples
    --------
    >>> np.exp(log_bets(np.array([0.5, 0.001, 0.001]))).round(1).tolist()
    [0.8, 9.0, 291.6]
    """
    logs = np.zeros(p_values.size)
    begun = np.full(_POWERS.size, -np.inf)
    for at, p_value in enumerate(p_values.tolist(), 1):
        factor = np.log(_POWERS) + (_POWERS - 1.0) * math.log(p_value)
        begun = factor + np.logaddexp(begun, -math.log(at * (at + 1.0)))
        waiting = -math.log(at + 1.0)  # the share of wealth of later beginnings
        logs[at - 1] = np.logaddexp.reduce(np.logaddexp(begun, waiting)) - math.log(_POWERS.size)
    return logs


def likeliest_start(p_values: Array) -> int:
    """Index of the p-value from which on betting would have won the most."""
    factors = np.log(_POWERS)[:, None] + (_POWERS - 1.0)[:, None] * np.log(p_values)
    since = np.cumsum(factors[:, ::-1], axis=1)[:, ::-1]
    return int(np.logaddexp.reduce(since, axis=0).argmax())
