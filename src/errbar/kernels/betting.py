"""Confidence sequences for the mean of values in [0, 1], by betting.

E-values by betting (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables by
betting"). To test "the mean is at most m", a bettor stakes a fraction f of the wealth on each
value x, which multiplies the wealth by 1 − f + f·x/m. Under the hypothesis the wealth is a
nonnegative supermartingale, so by Ville's inequality it ever reaches 1/α with probability at most
α: the data may be looked at after every value.

Instead of adapting f, the wealth is split over a fixed grid of fractions, each bet on its own. The
total does not depend on the order of the values and falls as m grows, so the rejected means are
those below a lower confidence bound, where the wealth equals 1/α. The log wealth is convex in
log 1/m: Newton's method approaches the bound from one side and never steps over it.

For trials with different means, `log_evidence` mixes likelihood ratios (Robbins 1970).
"""

import math

import numpy as np

from errbar.base.arrays import Array

# Fractions evenly spaced in log odds; small ones detect small effects. Most of the wealth is on the
# fractions that suit a few hundred values; equal parts take a quarter more values to detect.
_LOG_ODDS = np.arange(-7.0, 6.0)
SHARES = 1.0 / (1.0 + np.exp(-_LOG_ODDS))
_PARTS = np.exp(-0.5 * np.square((_LOG_ODDS + 1.0) / 2.0))
_LOG_PARTS = np.log(_PARTS / _PARTS.sum())  # initial log wealth on each fraction
_NOTHING = 1e-12  # values below this are rounding and count as 0
_AHEAD = (8, 1024)  # block size right after the bound moved, and the largest block size
_FARTHEST = 600.0  # largest log 1/m: a mean of e^−600 is reported as 0
_MOST_STEPS, _ACCURATE = 60, 1e-10  # of Newton's method; the accuracy is of the log wealth


def log_wealth(values: Array, mean: float) -> Array:
    """Log wealth after each value when betting that the mean is above `mean`.

    Values are ordered along the last axis. No mean exceeds 1, so for `mean` ≥ 1 the wealth stays 1.
    """
    if mean >= 1.0:
        return np.zeros(values.shape)
    if mean <= 0.0:
        return np.where(np.logical_or.accumulate(values > _NOTHING, axis=-1), np.inf, 0.0)
    apart = values / mean - 1.0
    total = np.full(values.shape, -np.inf)
    for share, log_part in zip(SHARES, _LOG_PARTS, strict=True):
        total = np.logaddexp(total, log_part + np.cumsum(np.log1p(share * apart), axis=-1))
    return total


def low_ends(values: Array, log_needed: float) -> Array:
    """Lower confidence bound after each value: the largest mean rejected so far at `log_needed`."""
    values = np.where(values > _NOTHING, values, 0.0)
    levels, level_of = np.unique(values, return_inverse=True)
    often = np.zeros(levels.size)
    ends = np.zeros(values.size)
    done, end, ahead = 0, 0.0, _AHEAD[0]
    log_wealths = _LOG_PARTS  # log wealth on each fraction at `end`, after `done` values
    while done < values.size:
        some = slice(done, done + ahead)
        until, grown = _until_reached(values[some], end, log_wealths, log_needed)
        used = level_of[done : done + until + 1] if until < values[some].size else level_of[some]
        often += np.bincount(used, minlength=levels.size)
        ends[some] = end
        done += used.size
        if until == values[some].size:
            log_wealths, ahead = grown, min(2 * ahead, _AHEAD[1])
            continue
        end, ahead = _end(levels, often, log_needed, end), _AHEAD[0]
        if end:
            log_wealths = _LOG_PARTS + often @ np.log1p(np.outer(levels / end - 1.0, SHARES))
        ends[done - 1] = end
    return ends


def _until_reached(
    values: Array, mean: float, log_wealths: Array, log_needed: float
) -> tuple[int, Array]:
    """Number of values before the wealth exceeds `log_needed`, and the log wealths at the end."""
    if not mean:
        return int(np.append(values > 0.0, True).argmax()), log_wealths
    grown = log_wealths + np.cumsum(np.log1p(np.outer(values / mean - 1.0, SHARES)), axis=0)
    reached = np.logaddexp.reduce(grown, axis=1) > log_needed
    return int(np.append(reached, True).argmax()), grown[-1]


def _end(levels: Array, often: Array, log_needed: float, below: float) -> float:
    """The mean at which the log wealth equals `log_needed`; at the mean `below` it is larger."""
    if below:
        place = -math.log(below)
    else:  # start where the largest value alone, at its best fraction, reaches `log_needed`
        others = (often.sum() - 1.0) * np.log1p(-SHARES)
        reached = _LOG_PARTS + others + np.log(SHARES * levels[often > 0.0][-1])
        place = log_needed - float(reached.max())
        if place > _FARTHEST:
            return 0.0
    for _ in range(_MOST_STEPS):
        odds = np.outer(levels * math.exp(place), SHARES)
        factors = 1.0 - SHARES + odds
        log_wealths = _LOG_PARTS + often @ np.log(factors)
        total = np.logaddexp.reduce(log_wealths)
        over = total - log_needed
        slope = float(np.exp(log_wealths - total) @ (often @ (odds / factors)))
        if over <= _ACCURATE:
            break
        place -= over / slope
    return math.exp(-place)


def log_evidence(total: Array, trials: Array, mean: float) -> Array:
    """Log e-value against "the average of the trials' means is at most `mean`".

    Likelihood ratio of Bernoulli trials, mixed uniformly over rates q above `mean` (Robbins 1970,
    "Statistical methods related to the law of the iterated logarithm"). The trials, in [0, 1], are
    independent and may have different means. A trial x multiplies the ratio by
    (q/m)^x ((1−q)/(1−m))^(1−x), which is at most x·q/m + (1−x)(1−q)/(1−m), because the exponential
    is convex. The expectation of the product is, by the inequality of arithmetic and geometric
    means, at most a power of that of the average mean, and that is at most 1 under the hypothesis.

    Examples
    --------
    >>> np.exp(log_evidence(np.array([4.0, 8.0]), np.array([4.0, 8.0]), 0.5)).round(1).tolist()
    [6.2, 56.8]
    """
    from scipy.special import betainc, betaln  # noqa: PLC0415  loaded when first needed

    if mean >= 1.0:
        return np.zeros(total.shape)
    if mean <= 0.0:
        return np.where(total > 0.0, np.inf, 0.0)
    missed = trials - total
    log_mean, log_rest = math.log(mean), math.log1p(-mean)
    with np.errstate(divide="ignore"):  # a share of 0 is no evidence
        log_share = np.log(betainc(missed + 1.0, total + 1.0, 1.0 - mean))
    log_mixed = betaln(total + 1.0, missed + 1.0) + log_share - log_rest
    log_ratio: Array = log_mixed - total * log_mean - missed * log_rest
    return log_ratio
