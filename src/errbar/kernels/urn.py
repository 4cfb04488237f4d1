"""Pólya's urn: hypergeometric, beta-binomial and Dirichlet draws, and plurality votes.

An urn holds a correct and b wrong balls. If a drawn ball stays out (`OUT`), the number of correct
draws is hypergeometric: k-subsets of the observed trials, whose mean credit is the unbiased
estimator of pass@k and its relatives (Chen et al. 2021). If it goes back with another of its kind
(`BACK`), the number is beta-binomial: k new trials under a Beta(a, b) posterior; with balls of more
than two kinds, the shares of the kinds have a Dirichlet distribution. The formulas of the first two
differ only in the sign of a step. Log probabilities follow Loader (2000): deviance terms and the
error of Stirling's formula, never differences of large log factorials.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers, Numbers

Step = Literal[-1, 1]

OUT: Step = -1
BACK: Step = 1

_BLOCK = 1 << 20  # numbers in a work array: 8 MB, about the size of a cache
_LOG_RANGE = 600.0  # products between e^−600 and e^600 neither overflow nor underflow
_STIRLING_FROM = 16.0  # from here five terms of Stirling's series have an error below 1e-17
_SERIES_BELOW = 0.2  # |v| below which twelve terms of the atanh series are exact
_CELL_SIGNS = np.array([[1.0], [-1.0], [-1.0], [1.0]])  # sign of each cell's deviation
_REST_SIGNS = np.array([-1.0, -1.0, -1.0, -1.0, 1.0, 1.0, 1.0, 1.0, -1.0])  # cells, margins, total
_NO_CELL = 1e-300  # replaces an empty cell, to avoid 0/0


def blocks(urns: int, draws: int) -> list[slice]:
    """Slices of the urns such that `draws` numbers per urn fit the work array."""
    size = max(1, _BLOCK // max(1, draws))
    return [slice(start, start + size) for start in range(0, urns, size)]


def all_wrong(a: Numbers, b: Numbers, step: Step, ks: list[int]) -> Array:
    """Chance that all k draws are wrong: a row per k, a column per urn.

    An urn that runs out of wrong balls has a factor of zero, after which factors may be negative.
    """
    draws = np.arange(0.0, step * max(ks), step)[:, None]
    if len(ks) == 1 and draws.size * a.size <= _BLOCK:
        wrong = b + draws
        wrong /= a + wrong
        chance = np.multiply.reduce(wrong, axis=0, keepdims=True)
        return np.abs(chance, out=chance)
    out = np.empty((len(ks), a.size))
    for urns in blocks(a.size, draws.size):
        wrong = b[urns] + draws
        out[:, urns] = np.cumprod(wrong / (a[urns] + wrong), axis=0)[np.subtract(ks, 1)]
    return np.abs(out, out=out)


def one_right(a: Numbers, b: Numbers, step: Step, ks: list[int]) -> Array:
    """Chance of at least one correct draw among k, summed over the position of the first.

    Every term is positive, so a chance of 1e-300 is as accurate as one of 0.5.
    """
    draws = np.arange(0.0, step * max(ks), step)[:, None]
    if len(ks) == 1 and draws.size * a.size <= _BLOCK:
        out = np.add.reduce(_first_right(a, b, draws), axis=0, keepdims=True)
    else:
        out = np.empty((len(ks), a.size))
        for urns in blocks(a.size, draws.size):
            first = _first_right(a[urns], b[urns], draws)
            out[:, urns] = np.cumsum(first, axis=0)[np.subtract(ks, 1)]
    return np.minimum(out, 1.0, out=out)


def _first_right(a: Numbers, b: Numbers, draws: Array) -> Array:
    """Chance that the first correct draw comes after `draws` wrong ones: a row for each number."""
    wrong = b + draws
    left = a + wrong
    first = a / left
    wrong /= left
    first[1:] *= np.multiply.accumulate(wrong[:-1], axis=0)
    return first


def same_size(trials: Integers) -> list[tuple[int, slice | NDArray[np.intp]]]:
    """Each distinct number of trials, with the indices at which it occurs."""
    if trials.min() == trials.max():
        return [(int(trials[0]), slice(None))]
    order = np.argsort(trials, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(trials[order])) + 1)
    return [(int(trials[indices[0]]), indices) for indices in groups]


def band(a: Numbers, b: Numbers, step: Step, k: int, first: int, last: int) -> Array:
    """Unnormalised masses of j = first…last correct draws among k: a column per urn.

    The mass changes from j to j + 1 by the ratio rise / fall, so it is the product of the rises
    below j and of the falls above j. Where that could overflow, rise and fall are divided by the
    larger of the two at every step. All factors are then at most one, and the mode of a unimodal
    distribution is exactly one. No mass exceeds 1e260.
    """
    out = np.ones((last - first + 1, a.size))
    if first == last:
        return out
    j = np.arange(float(first), last)[:, None]
    signed = j if step == BACK else -j
    rise = a + signed
    rise *= k - j
    fall = (b + step * (k - 1.0)) - signed
    fall *= j + 1.0
    if (last - first) * math.log(max(rise.max(), fall.max(), 2.0)) > _LOG_RANGE:
        ratio = np.minimum(rise, fall) / np.maximum(rise, fall)
        falls = rise < fall
        rise, fall = np.where(falls, ratio, 1.0), np.where(falls, 1.0, ratio)
    np.multiply.accumulate(rise, axis=0, out=out[1:])
    out[:-1] *= np.multiply.accumulate(fall[::-1], axis=0)[::-1]
    return out


def log_scale(masses: Array, first: int, k: float, a: Array, b: Array) -> Array:
    """Log of the normalising factor omitted by `band`, for `BACK` draws."""
    peak = masses.argmax(axis=0)
    return log_mass(first + peak, k, a, b) - np.log(masses[peak, np.arange(a.size)])


def log_mass(j: Numbers, k: float, a: Array, b: Array) -> Array:
    """Log beta-binomial probability of j correct draws among k, for any `a`, `b` > 0."""
    left = k - j
    total = a + b
    weight = (a / (a + j)) * (b / (b + left)) * ((total + k) / total)
    return np.log(weight) + _log_table(j, a, left, b)


def _log_table(x: Numbers, y: Numbers, u: Numbers, v: Numbers) -> Array:
    """Log of C(x+y, x) C(u+v, u) / C(x+y+u+v, x+u) for the cells of a real 2 × 2 table.

    Log factorials are not subtracted from each other: at ten thousand trials they are of size 1e5
    and would leave eleven digits. Each is split into x log x − x and Stirling's error. The first
    parts combine to four deviances between a cell and its expectation from the margins.
    """
    parts = np.empty((9, x.size))
    parts[0], parts[1], parts[2], parts[3] = x, y, u, v
    row, other, left, right, total = parts[4:]
    np.add(x, y, out=row)
    np.add(u, v, out=other)
    np.add(x, u, out=left)
    np.add(y, v, out=right)
    np.add(row, other, out=total)
    expected = parts[[4, 4, 5, 5]] * parts[[6, 7, 6, 7]] / total
    deviation = _CELL_SIGNS * ((x * v - y * u) / total)
    result = _REST_SIGNS @ _stirling_error(parts)
    result -= _deviance(parts[:4], expected, deviation).sum(axis=0)
    return result


def _deviance(cell: Array, expected: Array, deviation: Array) -> Array:
    """Deviance cell · log(cell / expected) + expected − cell, without cancellation near 0."""
    v = deviation / np.maximum(cell + expected, _NO_CELL)
    square = v * v
    series = square / 25.0
    for power in range(23, 1, -2):
        series += 1.0 / power
        series *= square
    near = v * (deviation + 2.0 * cell * series)
    far = np.abs(v) > _SERIES_BELOW
    if far.any():
        c, e = cell[far], expected[far]
        near[far] = c * np.log(np.maximum(c, _NO_CELL) / e) - deviation[far]
    return near


def _stirling_error(x: Array) -> Array:
    """Stirling's error, log x! − (x log x − x), for real x ≥ 0."""
    from scipy.special import gammaln, xlogy  # noqa: PLC0415  loaded when first needed

    large = np.maximum(x, _STIRLING_FROM)
    square = 1.0 / (large * large)
    series = square / 1188.0
    for term in (-1 / 1680, 1 / 1260, -1 / 360):
        series += term
        series *= square
    series += 1 / 12
    error = 0.5 * np.log(2.0 * np.pi * large) + series / large
    small = x < _STIRLING_FROM
    if small.any():
        few = x[small]
        error[small] = gammaln(few + 1.0) - xlogy(few, few) + few
    return error


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


def sum_of_variances(pseudo: Array, total: Array, weights: Array, often: Array) -> float:
    """Sum over questions of the variance of Σ weight · probability.

    It is computed as a sum over pairs of categories of squared differences of their weights, which
    does not cancel when nearly all trials fall into one category.
    """
    scale = often / (total * total * (total + 1.0))
    apart = np.square(weights[:, None] - weights)
    together = (pseudo * scale[:, None]).T @ pseudo
    return float(0.5 * np.vdot(apart, together))


def plurality_credit(
    votes: Sequence[int], credit: Sequence[float], unanswered: int, k: int
) -> float:
    """Expected credit of the plurality winner among k drawn ballots; ties share their mean.

    `votes` are the ballots for each answer and `unanswered` those without. If no drawn ballot has
    an answer, the credit is 0.
    """
    total = 0.0
    shares: dict[int, float] = {}
    for at, (votes_of_answer, worth) in enumerate(zip(votes, credit, strict=True)):
        if worth:
            if votes_of_answer not in shares:
                others = tuple(sorted((*votes[:at], *votes[at + 1 :])))
                shares[votes_of_answer] = _share(votes_of_answer, others, unanswered, k)
            total += worth * shares[votes_of_answer]
    return total


@cache
def _share(votes_of_answer: int, others: tuple[int, ...], unanswered: int, k: int) -> float:
    """Expected share of the win of an answer, given the votes for all others."""
    everything = math.comb(votes_of_answer + sum(others) + unanswered, k)
    share = 0.0
    for level in range(1, min(votes_of_answer, k) + 1):
        ways = _ways(others, unanswered, k - level, level)
        ties = np.arange(1, len(ways) + 1)
        share += float(math.comb(votes_of_answer, level) * (ways / ties).sum() / everything)
    return share


def _ways(others: tuple[int, ...], unanswered: int, drawn: int, level: int) -> Array:
    """Number of subsets in which no answer has more than `level` ballots, by how many have it."""
    ways = np.zeros((drawn // level + 1, drawn + 1))
    ways[0] = _choices(unanswered, drawn)
    for votes in others:
        below = _choices(votes, drawn)
        below[level:] = 0.0
        fewer = np.stack([np.convolve(row, below)[: drawn + 1] for row in ways])
        if votes >= level and drawn >= level:
            fewer[1:, level:] += float(math.comb(votes, level)) * ways[:-1, : drawn + 1 - level]
        ways = fewer
    return ways[:, drawn]


def _choices(ballots: int, most: int) -> Array:
    return np.array([math.comb(ballots, drawn) for drawn in range(most + 1)], dtype=float)


def most_noise(values: Array, trials: Integers, draws: int, often: Array) -> float:
    """Upper bound on the share of the variance between values that trial noise explains.

    A value is a U-statistic: a mean over all subsets of `draws` of its trials. If θ is its
    expectation, its variance is at most draws/trials · θ(1 − θ) (Hoeffding 1948), and v(1 − v) has
    the expectation θ(1 − θ) less that variance, which gives an unbiased bound. If all trials are
    drawn, only the bound ¼ remains. An unseen question of the largest variance is added.
    """
    number = float(often.sum())
    spread = float(often @ np.square(values - float(often @ values) / number))
    left = trials - draws
    open_to_luck = draws * values * (1.0 - values) / np.maximum(left, 1)
    noise = float(often @ np.where(left > 0, open_to_luck, 0.25))
    noise += 0.25 * float(often @ (draws / trials)) / number
    return min(1.0, noise / spread) if spread else 1.0
