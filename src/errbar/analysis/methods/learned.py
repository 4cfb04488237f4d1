"""Intervals that rest on the distribution of difficulty, which is estimated from all questions.

`kernels.difficulty` draws discrete distributions of success rates by Gibbs sampling. They serve

- for this exact benchmark and for a repeat of the run: to estimate how much the observed score
  varies from run to run. The interval is that of Korn and Graubard (1998): the limits of Clopper
  and Pearson for the binomial sample that has the observed mean and this variance, with degrees of
  freedom by Satterthwaite (1946). If counts of n trials do not determine the variance, it is the
  largest that agrees with them (`kernels.partial_identification`);
- for k beyond the trials: for the estimate alone, and bounds that hold whatever the distribution is
  are its interval;
- for metrics without an unbiased value per question: for the interval itself.

Weights of questions do not enter the distribution of difficulty, only how much a question counts.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from errbar.analysis.methods.base import SimulatedData, WeightedStates
from errbar.analysis.methods.population import Summary
from errbar.base.arrays import Array, Integers
from errbar.data.counts import Counts, CountsByState, States
from errbar.kernels import binomial, difficulty
from errbar.kernels.interval import clopper_pearson_ends, normal_reach, outer_ends, student_reach
from errbar.kernels.partial_identification import (
    GRID,
    CountShares,
    chances_on_grid,
    largest_mean,
    mean_bounds,
    most_unseen,
    on_grid,
)
from errbar.kernels.resample import unseen_weights
from errbar.metrics.base import CountMetric, QuestionMean
from errbar.results.estimate import Estimand

_TOGETHER = 50  # systems that are learned in one pass, of at most 10 MB each
# Chains per system, more where there are few states, which are cheap and leave more open: with 32
# nearly all ends move by less than 2% of the width between seeds (`scripts/bench seeds`).
MOST_CHAINS, _STATES_AT_ONCE = 32, 640
_WEIGHINGS = 200  # per draw, for the population: a Monte Carlo error of 0.6% of the width or less
_AT_ONCE = 1 << 22  # numbers in the largest array: 32 MB
_ROOT_TWO = math.sqrt(2.0)  # sd of the difference of two runs, over that of a single run
_SAME = 1e-12  # values this near together differ by rounding
_LARGEST_SAMPLE = 1e12  # effective trials of a score that does not vary


class ScoreMoments(NamedTuple):
    """Mean and variance of a score under each draw of the distribution of difficulty."""

    means: Array
    variances: Array
    carriers: float  # effective number of questions behind the variance (Kish 1965)


class Noise(NamedTuple):
    """A score, and how much it varies."""

    mean: float
    variance: float
    freedom: float  # degrees of freedom of the variance


class DifficultyPosterior:
    """Posterior of the distribution of difficulty of one system."""

    def __init__(
        self,
        states: States,
        spread: difficulty.DifficultyDraws,
        rng: np.random.Generator,
        weighed: WeightedStates | None = None,
    ) -> None:
        self._states = states
        self._often = states.questions[0]
        self._weighed = weighed
        self._mass, self._squares, self._fourths = (
            self._often if weighed is None else weighed.powers(power, self._often.size)
            for power in (1, 2, 4)
        )
        self._seed = int(rng.integers(1 << 62))  # what is drawn later depends on nothing else
        self._rates, self._weights, self._members = spread
        logs = difficulty.logs_of(self._rates[:, None, :], self._weights[:, None, :])
        self._outcomes = states.correct, states.trials - states.correct, self._often.astype(int)
        right, wrong = (side[:, None].astype(float) for side in self._outcomes[:2])
        self._belongs = difficulty.memberships(right, wrong, *logs)  # draws × states × points

    @classmethod
    def of(
        cls,
        systems: Sequence[Counts],
        rng: np.random.Generator | Sequence[np.random.Generator],
        most_chains: int = MOST_CHAINS,
    ) -> "list[DifficultyPosterior]":
        """Posteriors of several systems, each from its own questions alone.

        With a generator for each system, no system depends on the others; a single one is faster.
        """
        found = []
        for start in range(0, len(systems), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            several = [States.of([_unweighted(counts)]) for counts in systems[part]]
            weighed = [
                WeightedStates.of(counts, states)
                for counts, states in zip(systems[part], several, strict=True)
            ]
            rngs = [rng] if isinstance(rng, np.random.Generator) else rng[part]
            draws = _draws_of(several, rngs, most_chains)
            found += [
                cls(states, draws[at], rngs[at % len(rngs)], weighed[at])
                for at, states in enumerate(several)
            ]
        return found

    def benchmark(self, metric: CountMetric, level: float) -> Summary:
        """Interval for this exact benchmark, asked without end."""
        if all(part.unbiased for part in metric.parts()):
            return self._by_trials(metric, level)
        known = self._known(metric)
        mean, sd = self._moments(known)
        return self._korn_graubard(Noise(mean, sd**2, known.carriers), metric.bounds, level)

    def rerun(self, metric: CountMetric, level: float) -> Summary:
        """Interval for a repeat of this run, which varies as much as the run itself."""
        return self._by_trials(metric, level).stretched(_ROOT_TWO)

    def beyond(self, metric: CountMetric, level: float, design_effect: float = 1.0) -> Summary:
        """Estimate for k beyond the trials, with bounds for all distributions of difficulty.

        `design_effect` of clusters divides the number of questions. Questions of different numbers
        of trials are taken to have the same distribution.
        """
        groups = []
        for n in np.unique(self._states.trials[self._states.trials > 0]).tolist():
            alike = self._states.trials == n
            mass = self._mass[alike]
            shares = np.zeros(n + 1)
            shares[self._states.correct[alike]] = mass / mass.sum()
            questions = float(mass.sum() ** 2 / self._squares[alike].sum()) / design_effect
            groups.append(CountShares(n, shares, questions))
        parts = metric.parts()
        each = 1.0 - (1.0 - level) / len(parts)
        bounds = [mean_bounds(p.at_rates(GRID), groups, each) for p in parts]
        corners = [float(metric.joined(*map(np.asarray, ends))) for ends in product(*bounds)]
        mean, sd = self._moments(self._known(metric))
        low, high = min(corners), max(corners)
        return Summary(min(max(mean, low), high), sd, low, high)

    def _by_trials(self, metric: CountMetric, level: float) -> Summary:
        """Interval of the observed score, by its variance from run to run."""
        noise = self._noise(metric)
        low, high = metric.bounds
        margin = _SAME * (high - low)
        if low + margin <= noise.mean <= high - margin:
            return self._korn_graubard(noise, metric.bounds, level)
        edge = self._beyond_an_edge(metric, level, rising=noise.mean < low + margin)
        return Summary(noise.mean, math.sqrt(noise.variance), *sorted((noise.mean, edge)))

    def _korn_graubard(self, noise: Noise, bounds: tuple[float, float], level: float) -> Summary:
        """Interval of a binomial sample with this mean and variance."""
        low, high = bounds
        span = high - low
        share, variance = (noise.mean - low) / span, noise.variance / span**2
        size = min(share * (1.0 - share) / max(variance, _SAME**2), _LARGEST_SAMPLE)
        size *= (normal_reach(level) / student_reach(level, noise.freedom)) ** 2
        size = max(size, self._questions)  # a mean of M values varies no more than a binomial share
        ends = clopper_pearson_ends(np.array(share * size), size, level)
        sd = math.sqrt(noise.variance)
        return Summary(noise.mean, sd, *(low + span * float(end) for end in ends))

    def _beyond_an_edge(self, metric: CountMetric, level: float, *, rising: bool) -> float:
        """The other end, where every question showed the lowest (`rising`) or highest value.

        A test by the largest (or smallest) count of right trials does not reject it.
        """
        parts = metric.parts()
        if len(parts) > 1:
            found = [self._by_trials(part, level) for part in parts]
            ends = [part.high if rising else part.low for part in found]
            return float(metric.joined(*map(np.asarray, ends)))
        n = int(self._states.trials.min())  # fewer trials leave more open
        table, chances = self._table(parts[0], n), chances_on_grid(n)
        sign = 1.0 if rising else -1.0
        share = self._states.correct / self._states.trials
        if sign * table[0] <= sign * table[-1]:
            unseen = chances[: math.ceil(n * share.max()) + 1].sum(axis=0)
        else:
            unseen = chances[math.floor(n * share.min()) :].sum(axis=0)
        tail = 0.5 - 0.5 * level
        most = most_unseen(sign * table @ chances, unseen, self._questions, tail)
        return float(metric.joined(np.asarray(sign * most)))

    @property
    def _questions(self) -> float:
        """Effective number of questions (Kish 1965)."""
        return float(self._mass.sum() ** 2 / self._squares.sum())

    def _noise(self, metric: CountMetric) -> Noise:
        """Variance of the observed score over its trials (delta method for several means)."""
        parts, size = metric.parts(), self._mass.sum()
        values = [part.subset_means([part], self._states)[0] for part in parts]
        means = [np.asarray(value @ self._mass / size) for value in values]
        slopes = metric.slopes(*means)
        whole = estimated = spread = 0.0
        for n in np.unique(self._states.trials).tolist():
            alike = self._states.trials == n
            chances = chances_on_grid(n)
            table = sum(s * self._table(part, n) for s, part in zip(slopes, parts, strict=True))
            variance = np.maximum(table**2 @ chances - (table @ chances) ** 2, 0.0)
            squares = self._squares[alike]
            each = self._rates_by_state[alike] @ variance
            found = float(each @ squares)
            estimated += found
            degree = metric.draws if all(part.unbiased for part in parts) else n
            # n trials are n / k independent draws of k: n / k − 1 degrees of freedom for each
            # question, and at least the one that it has as one of many.
            spread += float(np.square(each) @ self._fourths[alike]) / max(n / degree - 1.0, 1.0)
            if 2 * degree > n:
                weights = squares @ self._rates_by_state[alike] / squares.sum()
                most = largest_mean(variance, weights, n)
                found = max(found, most * float(squares.sum()))
            whole += found
        freedom = estimated**2 / spread if spread else math.inf
        return Noise(float(metric.joined(*means)), whole / size**2, max(freedom, 1.0))

    @staticmethod
    def _moments(known: ScoreMoments) -> tuple[float, float]:
        return float(known.means.mean()), math.sqrt(
            float(known.variances.mean() + known.means.var())
        )

    def population(self, metric: CountMetric, level: float) -> Summary:
        """Interval for new questions: per draw, a Bayesian bootstrap with one unseen question."""
        scores = [part.at_rates(self._rates) for part in metric.parts()]
        rng = np.random.default_rng(self._seed)
        gamma = self._weighings(rng)
        sizes = np.ones(1) if self._weighed is None else self._weighed.weight
        more = unseen_weights(sizes, np.ones(sizes.size), gamma.shape[:-1], rng)
        totals = gamma.sum(axis=-1)
        sums = [(gamma * score).sum(axis=-1) for score in scores]
        worse = metric.joined(*(total / (totals + more) for total in sums))
        better = metric.joined(*((total + more) / (totals + more) for total in sums))
        seen = metric.joined(*(total / totals for total in sums))
        low, high = np.minimum(worse, better), np.maximum(worse, better)  # scores may fall
        sd = float(np.sqrt(seen.var()))
        return Summary(float(seen.mean()), sd, *outer_ends(low.ravel(), high.ravel(), level))

    def _weighings(self, rng: np.random.Generator) -> Array:
        """Bootstrap weights of the support points: weighings × draws × points."""
        if self._weighed is None:
            return rng.standard_gamma(
                np.broadcast_to(self._members, (_WEIGHINGS, *self._members.shape))
            )
        found = np.zeros((_WEIGHINGS, *self._rates.shape))
        for draws in _blocks(len(self._rates), _WEIGHINGS * self._weighed.state.size):
            point = self._points_of(draws, _WEIGHINGS, rng)
            each = self._weighed.weight * rng.standard_exponential(point.shape)
            for at in range(self._rates.shape[1]):
                found[:, draws, at] = np.where(point == at, each, 0.0).sum(axis=-1)
        return found

    def _points_of(self, draws: slice, times: int, rng: np.random.Generator) -> Integers:
        """Draw the support point of each question: times × draws × questions."""
        if self._weighed is None:
            raise TypeError("unweighted questions are not kept apart.")
        chances = np.cumsum(self._belongs[draws], axis=-1)[:, self._weighed.state]
        uniform = rng.random((times, *chances.shape[:-1])) * chances[..., -1]
        point = np.zeros(uniform.shape, dtype=np.int64)
        for at in range(chances.shape[-1] - 1):
            point += uniform > chances[..., at]
        return point

    def expected(self, edges: Array) -> Array:
        """Expected share of questions in each bin of the fraction correct: a row per draw."""
        found = np.zeros((len(self._rates), edges.size - 1))
        weights = self._weights / self._weights.sum(axis=1, keepdims=True)
        some = self._states.trials > 0
        for n in np.unique(self._states.trials[some]).tolist():
            part = self._often[self._states.trials == n].sum() / self._often[some].sum()
            which = np.searchsorted(edges, np.arange(n + 1) / n, side="right") - 1
            for draws in _blocks(len(weights), weights.shape[1] * (n + 1)):
                masses = binomial.masses(self._rates[draws].ravel(), n)
                binned = np.zeros((edges.size - 1, masses.shape[1]))
                np.add.at(binned, which, masses)
                by_point = binned.reshape(-1, *weights[draws].shape)
                found[draws] += part * np.einsum("bdp,dp->db", by_point, weights[draws])
        return found

    def simulate(
        self, covers: Estimand, rng: np.random.Generator, hidden: float | None = None
    ) -> SimulatedData:
        """Simulate data from a random draw: new questions, or these with their posterior rates.

        Of new questions, a share that these could have missed may have the `hidden` rate: one in M,
        which 37% of all samples of M questions miss.
        """
        draw = int(rng.integers(len(self._rates)))
        rates, often = self._rates[draw], self._often.astype(np.int64)
        if covers is Estimand.POPULATION:
            weights = self._weights[draw] / self._weights[draw].sum()
            if hidden is not None:
                share = 1.0 / float(self._often.sum())
                rates = np.append(rates, hidden)
                weights = np.append((1.0 - share) * weights, share)
            chances = np.broadcast_to(weights, (often.size, weights.size))
        else:
            chances = self._belongs[draw]
        drawn = rng.multinomial(often, chances)  # states × points
        if covers is not Estimand.POPULATION:
            weights = drawn.sum(axis=0) / often.sum()
        state, point = drawn.nonzero()
        number = drawn[state, point]
        trials = np.repeat(self._states.trials[state], number)
        each = np.repeat(rates[point], number)
        once = np.ones(trials.size, dtype=np.int64)
        counts, again = (CountsByState(trials, rng.binomial(trials, each), once) for _ in range(2))
        return SimulatedData(counts, again, rates, weights)

    def _known(self, metric: CountMetric) -> ScoreMoments:
        """Mean and variance of the score over the questions, under each draw (delta method)."""
        parts = metric.parts()
        share, moments = difficulty.expected_scores(
            lambda at: np.stack([part.at_rates(at) for part in parts]),
            *(self._rates, self._belongs, *self._outcomes, np.random.default_rng(self._seed)),
        )
        by_state = np.einsum("dsp,dpij->dsij", share, moments)
        means = np.einsum("s,dsi->id", self._mass, by_state[:, :, 0, 1:]) / self._mass.sum()
        slopes = np.stack(metric.slopes(*means), axis=1)

        def apart(products: Array) -> tuple[Array, Array]:
            mean = np.einsum("dxi,di->dx", products[:, :, 0, 1:], slopes)
            square = np.einsum("dxij,di,dj->dx", products[:, :, 1:, 1:], slopes, slopes)
            return mean, np.maximum(square - mean * mean, 0.0)

        linear, variance = apart(by_state)  # of a question of each state
        together = np.einsum("s,dsp->dp", self._mass, share)
        variances = (together**2 * apart(moments)[1]).sum(axis=1)
        variances += variance @ (self._squares - self._mass**2 / self._often)  # unequal weights
        each = variance.mean(axis=0) + linear.var(axis=0)
        part = each / each.max() if each.any() else np.ones_like(each)
        carriers = float(part @ self._squares) ** 2 / float(np.square(part) @ self._fourths)
        return ScoreMoments(metric.joined(*means), variances / self._mass.sum() ** 2, carriers)

    @cached_property
    def _rates_by_state(self) -> Array:
        """Posterior distribution of the success rate of a question of each state, on `GRID`."""
        exact = difficulty.exact_rates_by_state(*self._outcomes)
        rng, drawn = np.random.default_rng(self._seed), (self._rates, self._belongs)
        return on_grid(*(exact or difficulty.rates_by_state(*drawn, *self._outcomes, rng)))

    def _table(self, part: QuestionMean, n: int) -> Array:
        """Value of a question with c of n trials right, for every c."""
        return part.subset_means([part], all_states(n))[0]


def _draws_of(
    several: Sequence[States], rngs: Sequence[np.random.Generator], most_chains: int
) -> list[difficulty.DifficultyDraws]:
    """Posterior draws of each system, from several chains of the sampler run side by side."""
    most = max(states.trials.size for states in several)
    chains = min(max(_STATES_AT_ONCE // most, 1), most_chains)
    repeated = [states for states in several for _ in range(chains)]
    sizes = [states.trials.size for states in repeated]
    spread = difficulty.learn(
        np.concatenate([states.trials for states in repeated]),
        np.concatenate([states.correct for states in repeated]),
        np.concatenate([states.questions[0] for states in repeated]).astype(np.int64),
        np.cumsum([0, *sizes[:-1]]),
        rngs,
    )
    parts = (part.reshape(len(several), -1, part.shape[-1]) for part in spread)
    return [difficulty.DifficultyDraws(*system) for system in zip(*parts, strict=True)]


def all_states(n: int) -> States:
    """Every state that a question of n trials can have."""
    correct = np.arange(n + 1)
    return States(np.full(n + 1, n), correct, np.ones((1, n + 1)), np.array([n + 1.0]))


def _blocks(number: int, each: int) -> list[slice]:
    """Slices of a range such that each block of arrays stays within `_AT_ONCE` numbers."""
    size = max(1, _AT_ONCE // each)
    return [slice(start, min(start + size, number)) for start in range(0, number, size)]


def _unweighted(counts: Counts) -> Counts:
    """Copy of the counts without weights."""
    if not isinstance(counts, CountsByState) or counts.weights is None:
        return counts
    return CountsByState(counts.trials, counts.correct, counts.often, counts.clusters)
