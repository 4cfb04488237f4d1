"""Binomial probabilities and tails: the credit of k trials at a known success rate.

`LeastFavourable` gives limits for a mean over questions whose rates are estimated: the rates move
together, in the direction that changes the mean most for its information (DiCiccio and Romano 1990,
"Nonparametric confidence limits by resampling methods and least favorable families").
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels.urn import blocks

_FARTHEST = 80.0  # change of log odds that makes a rate within `_INSIDE` 0 or 1 to rounding
_INSIDE = 1e-12  # least distance of a rate from 0 and 1, where its log odds are infinite
_NEAR = 1e-4  # normal score below which its correction would be a ratio of rounding errors


def chance_of_one(rates: Array, k: int) -> Array:
    """Chance of at least one correct trial among k: 1 − (1 − p)^k, accurate for small p."""
    with np.errstate(divide="ignore"):
        return -np.expm1(k * np.log1p(-rates))


def chance_of_at_least(rates: Array, k: int, right: int) -> Array:
    """Chance of at least `right` correct trials among k, as a regularised incomplete Beta."""
    from scipy.special import betainc  # noqa: PLC0415  loaded when first needed

    chance: Array = betainc(float(right), k - right + 1.0, rates)
    return chance


def mean_credit(rates: Array, credit: Array) -> Array:
    """Mean of `credit[j]`, between 0 and 1, for j correct trials among k, k = credit.size − 1."""
    return np.clip(_expectation(rates.ravel(), credit), 0.0, 1.0).reshape(rates.shape)


def _expectation(rates: Array, values: Array) -> Array:
    """Mean of `values[j]` for j correct trials, at each rate; a column of values for each mean."""
    out = np.empty((rates.size, *values.shape[1:]))
    for some in blocks(rates.size, len(values)):
        out[some] = masses(rates[some], len(values) - 1).T @ values
    return out


def masses(rates: Array, k: int) -> Array:
    """Chance of j correct trials among k: a row for each j = 0…k."""
    from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415  loaded when first needed

    j = np.arange(k + 1.0)[:, None]
    log_ways = gammaln(k + 1.0) - gammaln(j + 1.0) - gammaln(k - j + 1.0)
    chances: Array = np.exp(log_ways + xlogy(j, rates) + xlog1py(k - j, -rates))
    return chances


class RatedQuestions(NamedTuple):
    """Questions of the same number of trials, by their estimated success rates."""

    trials: int
    rates: Array
    values: Array  # of 0, 1, … right trials
    often: Array  # questions of each rate
    weight: Array  # of each of them


class LeastFavourable:
    """Family of success rates whose log odds move in proportion to what a trial adds to the score.

    That is the regression coefficient b of a question's value on its right trials. Then Σ b · right
    is sufficient, and its distribution at any member of the family is an exponential tilt of that
    at another: its cumulants are those of Σ trials · log(1 − p + p · exp(b · t)). Tails are by
    Barndorff-Nielsen's r*, with the continuity correction of Daniels (1987). For `avg` of questions
    of equal rates the limits are those of Clopper and Pearson.
    """

    def __init__(self, groups: Sequence[RatedQuestions]) -> None:
        self._groups = groups
        rates = [np.clip(group.rates, _INSIDE, 1.0 - _INSIDE) for group in groups]
        self._odds = [np.log(p) - np.log1p(-p) for p in rates]
        self._slopes, self._most = [], 0.0
        for (n, _, values, often, weight), p in zip(groups, rates, strict=True):
            both = np.column_stack([values, values * np.arange(n + 1.0)])
            mean, product = _expectation(p, both).T
            self._slopes.append(weight * (product - mean * n * p) / (n * p * (1.0 - p)))
            # a variable between two bounds varies no more than this (Bhatia and Davis 2000)
            spread = (values.max() - mean) * (mean - values.min())
            self._most += float((often * weight**2) @ spread)
        # scaled, so that t is the largest change of log odds
        self._unit = max(float(np.abs(slopes).max()) for slopes in self._slopes)
        self._slopes = [slopes / (self._unit or 1.0) for slopes in self._slopes]
        self._odd, self._slope = np.concatenate(self._odds), np.concatenate(self._slopes)
        self._number = np.concatenate([group.often * group.trials for group in groups])
        variances = self._terms(0.0)[2]
        self._variance = float(variances.sum())
        # of steps of unequal lengths, by what each adds to the variance
        self._step = float(variances @ np.abs(self._slope)) / (self._variance or 1.0)

    def _terms(self, t: float) -> tuple[float, float, Array]:
        """Cumulants at t: the function, its slope, and what each entry adds to its curvature."""
        odds = self._odd + self._slope * t
        rates = 1.0 / (1.0 + np.exp(-odds))
        curve = np.logaddexp(0.0, odds) - np.logaddexp(0.0, self._odd)
        spread = self._number * self._slope**2 * rates / (1.0 + np.exp(odds))  # never 0
        return float(self._number @ curve), float((self._number * self._slope) @ rates), spread

    def _score(self, t: float) -> float:
        """Expected sum of the values, at a member of the family."""
        total = 0.0
        for group, odds, slopes in zip(self._groups, self._odds, self._slopes, strict=True):
            rates = 1.0 / (1.0 + np.exp(-odds - slopes * t))
            total += float((group.often * group.weight) @ _expectation(rates, group.values))
        return total

    def ends(self, observed: float, variance: float, reach: float, z: float) -> tuple[float, float]:
        """Limits for the sum of the values; tails are those beyond a normal score `reach`.

        The sample counts as fewer questions if the sum varies more than by the family, or if the
        variance has few degrees of freedom, so that `z` is Student's: Korn and Graubard's effective
        size. A question counts at least as a single draw of 0 or 1.
        """
        widest = max(float(np.ptp(group.values) * group.weight.max()) for group in self._groups)
        if self._unit <= _INSIDE * widest:
            return observed, observed
        size = max((reach / z) ** 2 / max(variance, (_INSIDE * widest) ** 2), 1.0 / self._most)
        size *= self._variance * self._unit**2
        far = _FARTHEST
        middle = self._terms(_root(lambda t: self._score(t) - observed, -far, far))[1]
        members = []
        for sign in (-1.0, 1.0):
            x = middle + 0.5 * sign * self._step / size
            at = self._member(x)
            members.append(self._end(x, at, sign, size, reach) if abs(at) < far else sign * far)
        low, high = (self._score(t) for t in members)
        return min(low, observed), max(high, observed)

    def _member(self, mean: float) -> float:
        """The member with this mean of Σ b · right."""
        return _root(lambda t: self._terms(t)[1] - mean, -_FARTHEST, _FARTHEST)

    def _end(self, x: float, at: float, sign: float, size: float, reach: float) -> float:
        """The member at which sums beyond `x`, the mean of the member `at`, have this tail."""
        curve, _, spread = self._terms(at)
        sd = math.sqrt(size * float(spread.sum()))

        def beyond(t: float) -> float:
            off = abs(at - t)
            score = math.sqrt(max(2.0 * size * ((at - t) * x - curve + self._terms(t)[0]), 0.0))
            if score < _NEAR:
                return -sign * reach
            half = 0.5 * self._step * off
            # log sinh, which is large where the tail is far smaller than wanted
            lattice = math.log(2.0 / self._step) + half + math.log(-0.5 * math.expm1(-2.0 * half))
            return sign * (score + (lattice + math.log(sd) - math.log(score)) / score - reach)

        return _root(beyond, *sorted((at, at + 2.0 * sign * _FARTHEST)))


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    """Root of a rising function, or the end that is nearer to it (Chandrupatla 1997).

    To import scipy.optimize takes as long as the ends of a million questions.
    """
    new, old = (low, rising(low)), (high, rising(high))
    if new[1] >= 0.0:
        return low
    if old[1] <= 0.0:
        return high
    third, share = old, 0.5
    while True:  # `new` and `old` enclose the root, `third` is the point before
        x = new[0] + share * (old[0] - new[0])
        found = (x, rising(x))
        third, old = (new, old) if (found[1] < 0.0) == (new[1] < 0.0) else (old, new)
        new = found
        best = min(new, old, key=lambda point: abs(point[1]))
        least = (_WIDTH + 4.0 * math.ulp(best[0])) / abs(old[0] - new[0])
        if least > 1.0 or best[1] == 0.0:
            return best[0]
        share = min(max(_interpolate(new, old, third), 0.5 * least), 1.0 - 0.5 * least)


_Point = tuple[float, float]
_WIDTH = 2e-12  # of the bracket of a root


def _interpolate(new: _Point, old: _Point, third: _Point) -> float:
    """Position of the root between `new` and `old`, by inverse quadratic interpolation.

    Half the way, if the three points do not lie on a curve that is monotone between them.
    """
    (a, fa), (b, fb), (c, fc) = new, old, third
    along, across = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if not (across**2 < along and (1.0 - across) ** 2 < 1.0 - along):
        return 0.5
    return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
