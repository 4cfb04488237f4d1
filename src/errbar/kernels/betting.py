"""Bets on the mean of values between 0 and 1, which may be looked at after every value.

Whoever bets the share f of all wealth that the mean is above m has 1 − f + f·x/m times as much
after the value x. If the mean is m or less, wealth does not grow on average, so it ever reaches 1/α
with a chance of α at most, however often one looks (Ville). The wealth is laid on many shares at
once, each left to itself: no share need be chosen, and the total does not depend on the order of
the values.

It falls as m grows. So the means that a run speaks against are those below one end, and that end
is where wealth has just reached 1/α. In terms of log 1/m the log of the wealth is convex: Newton's
steps come from the safe side and stay there.
"""

import math

import numpy as np

from errbar.base.arrays import Array

# Shares even in log odds, small ones for small effects; most of the wealth is on those for effects
# that some hundred values can show. Equal parts take a quarter more to tell a rate apart.
_LOG_ODDS = np.arange(-7.0, 6.0)
SHARES = 1.0 / (1.0 + np.exp(-_LOG_ODDS))
_PARTS = np.exp(-0.5 * np.square((_LOG_ODDS + 1.0) / 2.0))
_LOG_PARTS = np.log(_PARTS / _PARTS.sum())  # of the wealth, that are laid on each share
_NOTHING = 1e-12  # a value below is taken as 0, which speaks for no mean
_AHEAD = (8, 1024)  # values that are looked at at once after an end has moved, and at most
_FARTHEST = 600.0  # log of 1/m; a mean that is as good as 0
_MOST_STEPS, _ACCURATE = 60, 1e-10


def log_wealth(values: Array, mean: float) -> Array:
    """Log of the wealth after each value, of bets that their mean is above `mean`.

    Values are in order along the last axis. There is no bet on a mean above 1: wealth stays 1.
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
    """After each value, the largest mean that a wealth of `log_needed` has ever spoken against."""
    values = np.where(values > _NOTHING, values, 0.0)
    levels, level_of = np.unique(values, return_inverse=True)
    often = np.zeros(levels.size)
    ends = np.zeros(values.size)
    done, end, ahead = 0, 0.0, _AHEAD[0]
    laid = _LOG_PARTS  # log of the wealth on each share at `end`, after `done` values
    while done < values.size:
        some = slice(done, done + ahead)
        until, grown = _until_reached(values[some], end, laid, log_needed)
        taken = level_of[done : done + until + 1] if until < values[some].size else level_of[some]
        often += np.bincount(taken, minlength=levels.size)
        ends[some] = end
        done += taken.size
        if until == values[some].size:
            laid, ahead = grown, min(2 * ahead, _AHEAD[1])
            continue
        end, ahead = _end(levels, often, log_needed, end), _AHEAD[0]
        if end:
            laid = _LOG_PARTS + often @ np.log1p(np.outer(levels / end - 1.0, SHARES))
        ends[done - 1] = end
    return ends


def _until_reached(values: Array, mean: float, laid: Array, log_needed: float) -> tuple[int, Array]:
    """How many values come before wealth is more than needed; the wealth laid after all of them."""
    if not mean:
        return int(np.append(values > 0.0, True).argmax()), laid
    grown = laid + np.cumsum(np.log1p(np.outer(values / mean - 1.0, SHARES)), axis=0)
    reached = np.logaddexp.reduce(grown, axis=1) > log_needed
    return int(np.append(reached, True).argmax()), grown[-1]


def _end(levels: Array, often: Array, log_needed: float, below: float) -> float:
    """The mean at which wealth is what is needed; at `below` it is more."""
    if below:
        place = -math.log(below)
    else:  # far enough out for the largest value alone, and the share that makes most of it
        others = (often.sum() - 1.0) * np.log1p(-SHARES)
        made = _LOG_PARTS + others + np.log(SHARES * levels[often > 0.0][-1])
        place = log_needed - float(made.max())
        if place > _FARTHEST:
            return 0.0
    for _ in range(_MOST_STEPS):
        odds = np.outer(levels * math.exp(place), SHARES)
        whole = 1.0 - SHARES + odds
        laid = _LOG_PARTS + often @ np.log(whole)
        total = np.logaddexp.reduce(laid)
        over = total - log_needed
        slope = float(np.exp(laid - total) @ (often @ (odds / whole)))
        if over <= _ACCURATE:
            break
        place -= over / slope
    return math.exp(-place)
