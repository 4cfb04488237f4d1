"""Intervals that rest on the distribution of difficulty, which is estimated from all questions.

`kernels.difficulty` draws discrete distributions of success rates by Gibbs sampling. They serve

- for this exact benchmark and for a repeat of the run: to estimate how much the observed score
  varies from run to run. The interval is that of Korn and Graubard (1998): the limits of Clopper
  and Pearson for the binomial sample with the observed mean and this variance, with Satterthwaite's
  degrees of freedom (1946). Rare errors are skewed whatever the score is, so an end is at least as
  far out as that of a least favourable family of success rates (`kernels.binomial`). If counts of n
  trials do not determine the variance, it is the largest that agrees with them
  (`kernels.partial_identification`);
- for k beyond the trials: for the estimate alone. Its interval are bounds that hold for every
  distribution of difficulty;
- for metrics without an unbiased value per question: for the interval itself.

Weights of questions do not affect the distribution of difficulty, only how much a question counts.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np

from errbar.analysis.methods.base import WeightedStates, without_weights
from errbar.analysis.methods.chains import (
    MOST_CHAINS,
    DifficultySample,
    draw_together,
)
from errbar.analysis.methods.population import Summary
from errbar.base.arrays import Array
from errbar.data.counts import Counts, States
from errbar.kernels import difficulty
from errbar.kernels.binomial import LeastFavourable, RatedQuestions
from errbar.kernels.interval import (
    korn_graubard_ends,
    normal_reach,
    outer_ends,
    student_reach,
)
from errbar.kernels.partial_identification import (
    GRID,
    CountShares,
    chances_on_grid,
    largest_mean,
    mean_bounds,
    most_unseen,
)
from errbar.kernels.resample import sum_by_cell, unseen_weights
from errbar.kernels.urn import blocks
from errbar.metrics.means import CountMetric, QuestionMean

# For the population: further sweeps of each draw, and random weights of questions in each of them.
# 200 weights of single draws moved ends by up to 3% of the width between seeds, these by 1%.
_SWEEPS, _WEIGHINGS = 20, 10
ROOT_TWO = math.sqrt(2.0)  # sd of the difference of two runs, over that of a single run
_SAME = 1e-12  # values this near together differ by rounding


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
    questions: Sequence[RatedQuestions] = ()  # by their number of trials, linear in blends
    total: float = math.nan  # sum of their values


class DifficultyPosterior:
    """Posterior of the distribution of difficulty of one system."""

    def __init__(self, sample: DifficultySample, weighed: WeightedStates | None = None) -> None:
        self._sample, self._weighed = sample, weighed
        self._states, self._often = sample.states, sample.states.questions[0]
        self._mass, self._squares, self._fourths = (
            self._often if weighed is None else weighed.powers(power, self._often.size)
            for power in (1, 2, 4)
        )

    @classmethod
    def of(
        cls,
        systems: Sequence[Counts],
        rngs: Sequence[np.random.Generator],
        most_chains: int = MOST_CHAINS,
        *,
        by_variance: bool = False,
    ) -> "list[DifficultyPosterior]":
        """Posteriors of several systems, each from its own questions and random numbers alone.

        If all that is asked for rests on the variance from run to run (`by_variance`), nothing is
        drawn where that is a sum.
        """
        found = []
        for counts, rng in zip(systems, rngs, strict=True):
            states = States.of([without_weights(counts)])
            sample = DifficultySample(states, rng, most_chains)
            found.append(cls(sample, WeightedStates.of(counts, states)))
        draw_together([each._sample for each in found if not (by_variance and each._sample.summed)])
        return found

    def benchmark(self, metric: CountMetric, level: float) -> Summary:
        """Interval for this exact benchmark, repeated without end."""
        if all(part.unbiased for part in metric.parts()):
            return self._interval_by_trials(metric, level)
        each = [posterior._known(metric) for posterior in (self, self._add_chains)]
        means, variances = (
            np.concatenate(parts) for parts in zip(*(k[:2] for k in each), strict=True)
        )
        carriers = 0.5 * (each[0].carriers + each[1].carriers)
        mean, sd = self._moments(ScoreMoments(means, variances, carriers))
        return self._korn_graubard(Noise(mean, sd**2, carriers), metric.bounds, level)

    def rerun(self, metric: CountMetric, level: float) -> Summary:
        """Interval for a repeat of this run, which is as variable as the run itself."""
        return self._interval_by_trials(metric, level).widened(ROOT_TWO)

    def beyond(self, metric: CountMetric, level: float, design_effect: float = 1.0) -> Summary:
        """Estimate for k beyond the trials, with bounds for all distributions of difficulty.

        `design_effect` of clusters divides the number of questions. Questions of different numbers
        of trials are taken to have the same distribution.
        """
        states = self._states.trials, self._states.correct
        groups = CountShares.by_trials(states, self._mass, self._squares, design_effect)
        parts = metric.parts()
        each = 1.0 - (1.0 - level) / len(parts)
        bounds = [mean_bounds(p.at_rates(GRID), groups, each) for p in parts]
        corners = [float(metric.joined(*map(np.asarray, ends))) for ends in product(*bounds)]
        mean, sd = self._moments(self._known(metric))
        low, high = min(corners), max(corners)
        return Summary(min(max(mean, low), high), sd, low, high)

    def _interval_by_trials(self, metric: CountMetric, level: float) -> Summary:
        """Interval of the observed score, from as many chains as its ends need."""
        found = self._interval_by_rates(metric, level, self._sample.mean_rates(1))
        if len(self._sample.rates) == 1:
            return found
        groups = [self._interval_by_rates(metric, level, rates) for rates in self._sample.rates]
        ends = np.array([(group.low, group.high) for group in groups])
        batches = self._sample.batches_needed(ends, found.high - found.low)
        if batches == 1:
            return found
        return self._interval_by_rates(metric, level, self._sample.mean_rates(batches))

    def _interval_by_rates(self, metric: CountMetric, level: float, rates: Array) -> Summary:
        """Interval of the observed score, by its variance from run to run.

        `rates` are those of a question of each state: weights on `GRID`, a row per state.
        """
        noise = self._noise(metric, rates)
        low, high = metric.bounds
        margin = _SAME * (high - low)
        if not low + margin <= noise.mean <= high - margin:
            edge = self._beyond_an_edge(metric, level, rising=noise.mean < low + margin)
            return Summary(noise.mean, math.sqrt(noise.variance), *sorted((noise.mean, edge)))
        found, size = self._korn_graubard(noise, metric.bounds, level), float(self._mass.sum())
        reach, z = normal_reach(level), student_reach(level, noise.freedom)
        family = LeastFavourable(noise.questions)
        ends = family.ends(noise.total, noise.variance * size**2, reach, z)
        below, above = (noise.mean + (end - noise.total) / size for end in ends)
        return found._replace(low=min(found.low, below), high=max(found.high, above))

    def _korn_graubard(self, noise: Noise, bounds: tuple[float, float], level: float) -> Summary:
        """Interval of a binomial sample with this mean and variance."""
        low, high = bounds
        span, sd = high - low, math.sqrt(noise.variance)
        # a mean of M values varies no more than a binomial share of as many
        share, least = (noise.mean - low) / span, self._questions
        ends = korn_graubard_ends(share, noise.variance / span**2, noise.freedom, level, least)
        return Summary(noise.mean, sd, *(low + span * end for end in ends))

    def _beyond_an_edge(self, metric: CountMetric, level: float, *, rising: bool) -> float:
        """The other end, where every question showed the lowest (`rising`) or highest value.

        A test by the largest (or smallest) count of right trials does not reject it.
        """
        parts = metric.parts()
        if len(parts) > 1:
            found = [self._interval_by_trials(part, level) for part in parts]
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

    def _noise(self, metric: CountMetric, rates: Array) -> Noise:
        """Variance of the observed score over its trials (delta method for several means)."""
        parts, size = metric.parts(), self._mass.sum()
        values = [part.subset_means([part], self._states)[0] for part in parts]
        means = [np.asarray(value @ self._mass / size) for value in values]
        slopes = metric.slopes(*means)
        whole = estimated = spread = total = 0.0
        questions = []
        for n in np.unique(self._states.trials).tolist():
            alike = self._states.trials == n
            chances = chances_on_grid(n)
            tables = [s * self._table(part, n) for s, part in zip(slopes, parts, strict=True)]
            table = np.sum(tables, axis=0)
            expected = table @ chances
            variance = np.maximum(table**2 @ chances - expected**2, 0.0)
            squares = self._squares[alike]
            each = rates[alike] @ variance
            found = float(each @ squares)
            estimated += found
            degree = metric.draws if all(part.unbiased for part in parts) else n
            # n trials are n / k independent draws of k: n / k − 1 degrees of freedom for each
            # question, and at least the one that it has as one of many.
            freedom = max(n / degree - 1.0, 1.0)
            spread += float(np.square(each) @ self._fourths[alike]) / freedom
            if 2 * degree > n:
                weights = squares @ rates[alike] / squares.sum()
                most = largest_mean(variance, weights, n)
                found = max(found, most * float(squares.sum()))
            whole += found
            mass, mean_rates = self._mass[alike], rates[alike] @ GRID
            often, weight = mass**2 / squares, squares / mass
            questions.append(RatedQuestions(n, mean_rates, table, often, weight))
            total += float(mass @ table[self._states.correct[alike]])
        freedom = max(estimated**2 / spread, 1.0) if spread else math.inf
        mean = float(metric.joined(*means))
        return Noise(mean, whole / size**2, freedom, questions, total)

    @staticmethod
    def _moments(known: ScoreMoments) -> tuple[float, float]:
        variance = float(known.variances.mean() + known.means.var())
        return float(known.means.mean()), math.sqrt(variance)

    def population(self, metric: CountMetric, level: float) -> Summary:
        """Interval for new questions: per draw, a Bayesian bootstrap with one unseen question."""
        rng = np.random.default_rng(self._sample.seed)
        sizes = np.ones(1) if self._weighed is None else self._weighed.weight
        (part,) = metric.parts()
        means: list[Array] = []
        shares: list[Array] = []  # of the unseen question
        for _ in range(_SWEEPS):
            assigned, gamma = self._assign(rng)
            solved, failed = (side @ assigned for side in self._sample.outcomes[:2])
            rates = difficulty.draw_rates(solved, failed, rng)
            more = unseen_weights(sizes, np.ones(sizes.size), gamma.shape[:-1], rng)
            totals = gamma.sum(axis=-1)
            means.append((gamma * part.at_rates(rates)).sum(axis=-1) / totals)
            shares.append(more / (totals + more))
        seen, unseen = (np.concatenate(some).ravel() for some in (means, shares))
        low, high = (seen + unseen * (bound - seen) for bound in part.bounds)
        return Summary(float(seen.mean()), float(seen.std()), *outer_ends(low, high, level))

    def _assign(self, rng: np.random.Generator) -> tuple[Array, Array]:
        """Assign the questions to the points of each draw, and weigh them at random.

        Returned are the questions of each state at each point (draws × states × points), and
        bootstrap weights of the points (weighings × draws × points).
        """
        if self._weighed is None:
            often, belongs = self._sample.outcomes.often, self._sample.belongs
            assigned: Array = rng.multinomial(often, belongs).astype(float)
            members = assigned.sum(axis=1)
            shape = (_WEIGHINGS, *members.shape)
            return assigned, rng.standard_gamma(np.broadcast_to(members, shape))
        state, weight = self._weighed
        assigned, gamma = (
            np.zeros(self._sample.belongs.shape),
            np.zeros((_WEIGHINGS, *self._sample.drawn.rates.shape)),
        )
        states, points = self._sample.belongs.shape[1:]
        for draws in blocks(len(self._sample.drawn.rates), points * state.size):
            chances = np.cumsum(self._sample.belongs[draws], axis=-1)[:, state]
            uniform = rng.random(chances.shape[:-1]) * chances[..., -1]
            point = (uniform[..., None] > chances[..., :-1]).sum(axis=-1)
            draw = np.arange(len(point))[:, None]
            assigned[draws] = sum_by_cell((states * draw + state) * points + point, assigned[draws])
            for weighing in gamma:
                each = weight * rng.standard_exponential(point.shape)
                weighing[draws] = sum_by_cell(points * draw + point, weighing[draws], each)
        return assigned, gamma

    def expected(self, edges: Array) -> Array:
        """Expected share of questions in each bin of the fraction correct: a row per draw."""
        trials, often = self._states.trials, self._often
        some = trials > 0
        number, place = np.unique(trials[some], return_inverse=True)
        parts = np.bincount(place, often[some]) / often[some].sum()
        return difficulty.expected_in_bins(*self._sample.drawn, number, parts, edges)

    def draw(self, rng: np.random.Generator) -> tuple[States, Array, Array, Array]:
        """The states with a random draw: rates, their weights, and where each state belongs."""
        at = int(rng.integers(len(self._sample.drawn.rates)))
        weights = self._sample.drawn.weights[at] / self._sample.drawn.weights[at].sum()
        return self._states, self._sample.drawn.rates[at], weights, self._sample.belongs[at]

    def _known(self, metric: CountMetric) -> ScoreMoments:
        """Mean and variance of the score over the questions, under each draw (delta method)."""
        parts, sample = metric.parts(), self._sample
        share, moments = difficulty.expected_scores(
            lambda at: np.stack([part.at_rates(at) for part in parts]),
            *(sample.drawn.rates, sample.belongs, sample.outcomes),
            np.random.default_rng(sample.seed),
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
    def _add_chains(self) -> "DifficultyPosterior":
        """Double the number of chains: otherwise ends vary by up to 2.6% of the width by seed."""
        return DifficultyPosterior(self._sample.again(0), self._weighed)

    def _table(self, part: QuestionMean, n: int) -> Array:
        """Value of a question with c of n trials right, for every c."""
        every = States.of([Counts(np.full(n + 1, n), np.arange(n + 1))])
        return part.subset_means([part], every)[0]
