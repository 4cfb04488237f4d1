"""The left tail of the distribution of difficulty: how fast failures vanish with more trials.

A question of success rate p is failed by all of k trials with the chance (1 − p)^k. If the density
of p near 0 is like p^(α − 1), the mean of these chances falls like k^(−α): a power law, though each
question alone falls exponentially (Schaeffer et al. 2025, "How do large language monkeys get their
power (laws)?"). The exponent between k and K is log(failed at k / failed at K) / log(K / k); under
a power law it is α for all large k.

Few trials cannot distinguish a power law from other tails. So two families are fitted: Beta
distributions scaled to a largest rate (as in that paper), with a power law, and normal
distributions of the log odds, with none. Both may have questions that are never solved. Intervals
are profile likelihoods: all values of a number among the distributions of a family whose log
likelihood is within a limit of the largest. A number that the data do not determine has an end at
the border of the family.
"""

import warnings
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.binomial import chance_of_one, masses
from errbar.kernels.interval import student_reach

# Log odds of the edges of bins of the success rate. Their width, 0.15, is below the standard error
# of the log odds of 150 trials; the first is 1.5e-8, so that 1e7 trials see what is in it.
_LOG_ODDS = np.linspace(-18.0, 18.0, 241)
_AT_LIMIT = 0.02  # a parameter this close to a limit of its family counts as at the limit: 2% of α
_STARTS = 3  # starting points of the maximum likelihood search: the best of a grid
_SEARCHES = 3  # at most, each from where the last one ended
_SLACK = 0.02  # of the log likelihood, by which a search along its limit may miss it
_ENOUGH = 1e-4  # relative gain of an interval below which no further search is made
_SMALLEST = 1e-300  # keeps the logarithm of a chance finite
_EXPECTED = 5.0  # questions of a range of counts in the test of fit (Cochran 1954)
_CACHED = 256  # distributions of which the shares are kept
_RIGHT_HALF = 1000  # more ranges than counts have


class ProfileInterval(NamedTuple):
    """An estimate by the most likely distribution, and the ends of its interval."""

    value: float
    low: float
    high: float


class Family(NamedTuple):
    """Distributions of the success rate; their last parameter is log of the share never solved."""

    name: str
    shares: Callable[[Array], Array]  # share of each bin, given the other parameters
    limits: Array  # lower and upper limit of each parameter
    starts: tuple[tuple[float, ...], ...]  # values of each parameter but the last


def _scaled_beta(at: Array) -> Array:
    from scipy.special import betainc  # noqa: PLC0415  loaded when first needed

    left, right, largest = np.exp(at[:3])
    shares: Array = np.diff(betainc(left, right, np.minimum(_bins()[0] / largest, 1.0)))
    return shares


def _logit_normal(at: Array) -> Array:
    from scipy.special import ndtr  # noqa: PLC0415  loaded when first needed

    inside = ndtr((_LOG_ODDS - at[0]) / np.exp(at[1]))
    return np.diff(np.concatenate([[0.0], inside, [1.0]]))


_NOTHING = 1e-6  # share of failures below which searches end anywhere
_NEVER = np.log([1e-9, 0.999])  # of the share never solved: the logarithm, to search smoothly
# log α, log β, log of the largest rate. With α = 100 questions are alike; with 0.01, half of the
# hard ones need more than 1e30 trials.
BETA = Family(
    "Beta",
    _scaled_beta,
    np.array([np.log([0.01, 100.0]), np.log([0.01, 1e4]), [np.log(1e-3), 0.0], _NEVER]),
    (tuple(np.log([0.3, 1.5])), tuple(np.log([0.5, 3.0])), (0.0, np.log(0.3))),
)
# mean of the log odds, log of their standard deviation
LOGIT_NORMAL = Family(
    "normal log odds",
    _logit_normal,
    np.array([[-17.0, 17.0], np.log([0.02, 50.0]), _NEVER]),
    ((-4.0, -1.0, 2.0), tuple(np.log([0.7, 3.0]))),
)
FAMILIES = (BETA, LOGIT_NORMAL)


class LeftTail:
    """The distributions of a family that agree with counts of right trials.

    `often` is the number of questions of each state; with weights or clusters, the effective one.
    """

    def __init__(self, family: Family, trials: Integers, correct: Integers, often: Array) -> None:
        self.family = family
        # A search asks for the likelihood and for a number at the same parameters.
        self._shares_of = lru_cache(_CACHED)(lambda at: family.shares(np.frombuffer(at)))
        self._trials, self._correct, self._often = trials, correct, often
        rates = _bins()[1]
        self._of_n = {n: masses(rates, n) for n in np.unique(trials).tolist()}
        each = zip(trials.tolist(), correct.tolist(), strict=True)
        self._chances = np.stack([self._of_n[n][c] for n, c in each])
        self._failed = (correct == 0).astype(float)
        self._half_unsolved = 0.5 * float(self._failed @ often) / float(often.sum())
        self._best = self._most_likely()
        self.log_likelihood = self._log_likelihood(self._best)

    def solved(self, k: int, level: float) -> ProfileInterval:
        """Mean chance that at least one of k trials is right."""
        return self._ends(lambda at: 1.0 - self._all_fail(at, k), level)

    def exponent(self, few: int, many: int, level: float) -> ProfileInterval:
        """Exponent of the power of k by which failures fall between two numbers of trials.

        Its value is nan if by the most likely distribution no question fails.
        """
        reach = np.log(many / few)

        def fall(at: Array) -> float:
            sides = (
                max(self._all_fail(at, few), _SMALLEST),
                max(self._all_fail(at, many), _SMALLEST),
            )
            return float(np.log(sides[0] / sides[1]) / reach)

        found = self._ends(fall, level)
        fails = self._all_fail(self._best, few) > _NOTHING
        return found if fails else found._replace(value=np.nan)

    def limit(self, level: float) -> ProfileInterval:
        """Exponent for endless trials in the family of Beta, where all questions are solvable.

        It is 0 or ∞ where the data set no limit.
        """
        least, most = self.family.limits[0]

        def scaled(end: float) -> float:
            if end < least + _AT_LIMIT:
                return 0.0
            return np.inf if end > most - _AT_LIMIT else float(np.exp(end))

        return ProfileInterval(*map(scaled, self._ends(lambda at: float(at[0]), level)))

    def never(self, level: float) -> ProfileInterval:
        """Share of the questions that are never solved."""
        return self._ends(lambda at: float(np.exp(at[-1])), level)

    def p_value(self) -> float:
        """Whether the family fits: the likelihood-ratio test of ranges of counts.

        Ranges are 0, 1, 2–3, 4–7 … right trials, and likewise wrong ones; neighbours are joined
        until five questions are expected in each. nan if too few are left to tell.
        """
        from scipy.special import chdtrc  # noqa: PLC0415  loaded when first needed

        seen, expected = _join_cells(*self._by_range())
        low, high = self.family.limits.T
        inside = (self._best > low + _AT_LIMIT) & (self._best < high - _AT_LIMIT)
        freedom = seen.size - 1 - int(inside.sum())
        if freedom < 1:
            return float("nan")
        some = seen > 0.0
        ratio = 2.0 * float(seen[some] @ np.log(seen[some] / expected[some]))
        return float(chdtrc(freedom, max(ratio, 0.0)))

    def _by_range(self) -> tuple[Array, Array]:
        """Questions by range of counts, as seen and as expected."""
        ranges, questions, expected = [], [], []
        never, shares = float(np.exp(self._best[-1])), self._shares(self._best)
        for n, chances in self._of_n.items():
            own = self._trials == n
            share = (1.0 - never) * (chances @ shares)
            share[0] += never
            ranges.append(_range_of(n, np.arange(n + 1)))
            questions.append(np.bincount(self._correct[own], self._often[own], n + 1))
            expected.append(share * self._often[own].sum())
        _, at = np.unique(np.concatenate(ranges), return_inverse=True)
        seen: Array = np.bincount(at, np.concatenate(questions)).astype(float)
        return seen, np.bincount(at, np.concatenate(expected)).astype(float)

    def _shares(self, at: Array) -> Array:
        """Share of each bin; the share never solved, which is last, does not change it."""
        return self._shares_of(at[:-1].tobytes())

    def _all_fail(self, at: Array, k: int) -> float:
        solved = float(chance_of_one(_bins()[1], k) @ self._shares(at))
        return 1.0 - (1.0 - float(np.exp(at[-1]))) * solved

    def _log_likelihood(self, at: Array) -> float:
        never = np.exp(at[-1])
        chance = (1.0 - never) * (self._chances @ self._shares(at)) + never * self._failed
        return float(np.log(np.maximum(chance, _SMALLEST)) @ self._often)

    def _most_likely(self) -> Array:
        """Parameters of the largest likelihood, by searches from the best points of a grid."""
        sides = [*self.family.starts, tuple(np.log([0.01, max(self._half_unsolved, 0.02)]))]
        grid = np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, len(sides))
        order = np.argsort([-self._log_likelihood(at) for at in grid], kind="stable")
        maxima = [
            self._minimum(lambda at: -self._log_likelihood(at), grid[start], "L-BFGS-B")
            for start in order[:_STARTS]
        ]
        return max(maxima, key=self._log_likelihood)

    def _ends(self, number: Callable[[Array], float], level: float) -> ProfileInterval:
        """A number with its profile likelihood interval, by t quantiles.

        A share never solved that is as good as 0 has no slope to follow, so searches start from the
        most likely share, from none, and from half of what no trial solved.
        """
        freedom = max(float(self._often.sum()) - self._best.size, 1.0)
        least = self.log_likelihood - 0.5 * student_reach(level, freedom) ** 2
        shares = self._best[-1], self.family.limits[-1, 0], np.log(max(self._half_unsolved, 1e-3))
        starts = [np.append(self._best[:-1], share) for share in shares]
        value = number(self._best)
        low = min(value, *(number(self._farthest(number, 1.0, at, least)) for at in starts))
        high = max(value, *(number(self._farthest(number, -1.0, at, least)) for at in starts))
        return ProfileInterval(value, low, high)

    def _farthest(
        self, number: Callable[[Array], float], sign: float, start: Array, least: float
    ) -> Array:
        """Parameters of the lowest number (or the highest) with at least this log likelihood."""
        within = {"type": "ineq", "fun": lambda at: self._log_likelihood(at) - least}
        farthest = self._best
        for _ in range(_SEARCHES):  # again from where the last search ended
            start = self._minimum(lambda at: sign * number(at), start, "SLSQP", [within])
            if self._log_likelihood(start) < least - _SLACK:
                start = 0.5 * (start + self._best)
                continue
            gain = sign * (number(farthest) - number(start))
            if gain > 0.0:
                farthest = start
            if gain <= _ENOUGH:
                break
        return farthest

    def _minimum(
        self, function: Callable[[Array], float], start: Array, method: str, within: Any = ()
    ) -> Array:
        """Parameters, within their limits, at which a function is least."""
        from scipy.optimize import minimize  # noqa: PLC0415  loaded when first needed

        limits = self.family.limits
        with warnings.catch_warnings():  # older SciPy warns of steps that rounding puts outside
            warnings.filterwarnings("ignore", "Values in x were outside bounds", RuntimeWarning)
            minimum = minimize(function, start, method=method, bounds=limits, constraints=within)
        at: Array = np.clip(minimum.x, *limits.T)
        return at


@lru_cache(maxsize=1)
def _bins() -> tuple[Array, Array]:
    """Edges of bins of the success rate, and the rate of each."""
    middle = 0.5 * (_LOG_ODDS[1:] + _LOG_ODDS[:-1])
    edges, rates = (1.0 / (1.0 + np.exp(-odds)) for odds in (_LOG_ODDS, middle))
    return np.concatenate([[0.0], edges, [1.0]]), np.concatenate([[0.0], rates, [1.0]])


def _range_of(n: int, right: Integers) -> Integers:
    """Numbers of ranges of counts that double in length with the distance from 0 and from n."""
    small = np.minimum(right, n - right)
    length = np.frexp(small.astype(float))[1]  # 0, 1, 2, 2, 3, 3, 3, 3, 4 …
    return np.where(2 * right <= n, length, _RIGHT_HALF - length)


def _join_cells(seen: Array, expected: Array) -> tuple[Array, Array]:
    """Neighbouring cells added up until enough is expected in each."""
    starts, total = [0], 0.0
    for at, number in enumerate(expected.tolist()):
        if total >= _EXPECTED:
            starts.append(at)
            total = 0.0
        total += number
    if total < _EXPECTED and len(starts) > 1:
        starts.pop()
    return np.add.reduceat(seen, starts), np.add.reduceat(expected, starts)
