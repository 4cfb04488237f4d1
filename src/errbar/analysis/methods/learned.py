"""Intervals from the posterior of the distribution of difficulty, for each of the three targets.

`kernels.difficulty` draws discrete distributions of success rates by Gibbs sampling. Given a draw,
a question in a state (trials, correct) has a posterior over its support points, and so the metric
has a mean and a variance over the questions; the interval is that of the mixture of all draws.
Weights of questions do not enter the distribution of difficulty, only how much a question counts.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.base import Imagined, Summary, Weighed
from errbar.base.arrays import Array
from errbar.data.counts import Counts, CountsByState, States, unweighted
from errbar.kernels import difficulty, rates
from errbar.kernels.interval import mixture_ends, normal_reach, student_reach
from errbar.metrics.base import CountMetric, QuestionMean
from errbar.results.estimate import Estimand

_TOGETHER = 50  # systems that are learned in one pass
# Chains per system, more where there are few states, which are cheap and leave more open: with
# ten questions and one chain the ends of benchmark intervals move by 4 % of the width between
# seeds (one standard deviation), with 32 chains by 1 %.
MOST_CHAINS, _STATES_AT_ONCE = 32, 640
_WEIGHINGS = 200  # Bayesian bootstrap weights per draw, for the population
_RUNS = 2  # simulated reruns per draw, for the rerun target, at least
_MOST_RERUNS = 50_000  # in all
_BEYOND_AN_END = 25  # simulated reruns beyond each end, at least, so that its quantile is known
RAREST = 0.999  # the highest level that so many simulated reruns support
_AT_ONCE = 1 << 22  # numbers in the largest array: 32 MB
# The posterior is too narrow where few of many questions carry the uncertainty, because the others
# say little about them: there the ends are those of Student's t with `_FREEDOM` degrees of freedom
# and more. Everywhere the ends are stretched by 2 to 8 %, the most with few trials per question and
# for reruns. These numbers were chosen on the grid of the coverage study (decision 9), not derived.
_FREEDOM = 10
_WIDER, _WIDER_WITH_FEW = 1.02, 1.08
_FEW = 4  # trials of a question
_SAME = 1e-12  # values this near together differ by rounding
_ALMOST_ALL = 1e-6  # share of the questions that carry no uncertainty, at least


class Known(NamedTuple):
    """Mean and variance of a score under each draw of the distribution of difficulty."""

    means: Array
    variances: Array
    carriers: float  # effective number of questions behind the variance (Kish)
    questions: float

    def reach(self, level: float, wider: float) -> float:
        """Half-width of the interval in standard deviations."""
        others = max(1.0 - self.carriers / self.questions, _ALMOST_ALL)
        return wider * student_reach(level, (_FREEDOM + self.carriers) / others)


class Again(NamedTuple):
    """Simulated reruns: the number of questions with c of n trials right, a row per rerun."""

    n: int
    runs: slice
    draws: slice
    questions: Array


class Learned:
    """Posterior of the distribution of difficulty of one system."""

    def __init__(
        self,
        states: States,
        spread: difficulty.DifficultyDraws,
        rng: np.random.Generator,
        weighed: Weighed | None = None,
    ) -> None:
        self._states = states
        self._often = states.questions[0]
        self._weighed = weighed
        self._mass, self._squares, self._fourths = (
            self._often if weighed is None else weighed.powers(power, self._often.size)
            for power in (1, 2, 4)
        )
        self._seed = int(rng.integers(1 << 62))  # what is drawn later depends on nothing else
        self._again: dict[int, list[Again]] = {}  # by how many, as far as they are few
        self._shown: dict[CountMetric, tuple[int, Array]] = {}  # number of reruns, and their scores
        self._rates, self._weights, self._held = spread
        logs = difficulty.logs_of(self._rates[:, None, :], self._weights[:, None, :])
        right = states.correct.astype(float)[:, None]
        wrong = (states.trials - states.correct).astype(float)[:, None]
        self._belongs = difficulty.memberships(right, wrong, *logs)  # draws × states × points

    @classmethod
    def of(
        cls,
        systems: Sequence[Counts],
        rng: np.random.Generator | Sequence[np.random.Generator],
        most_chains: int = MOST_CHAINS,
    ) -> "list[Learned]":
        """Posteriors of several systems, each from its own questions alone.

        With a generator for each system, no system depends on the others; a single one is faster.
        """
        found = []
        for start in range(0, len(systems), _TOGETHER):
            part = slice(start, start + _TOGETHER)
            several = [States.of([unweighted(counts)]) for counts in systems[part]]
            weighed = [
                Weighed.of(counts, states)
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
        known = self._known(metric)
        low, high = metric.bounds
        span = high - low
        reach = known.reach(level, self._wider(metric.draws))
        ends = mixture_ends((known.means - low) / span, known.variances / span**2, reach)
        sd = math.sqrt(float(known.variances.mean() + known.means.var()))
        found = Summary(float(known.means.mean()), sd, low + span * ends[0], low + span * ends[1])
        return self._with_observed(found, metric)

    def rerun(self, metric: CountMetric, level: float) -> Summary:
        """Interval for a repeat of this run, by simulation, since its score is discrete."""
        means = self._shown_for(metric, self._runs_for(level))
        values = metric.joined(*means)
        # Half of the variance is the noise of the new run, which needs no stretching.
        known = self._known(metric).reach(level, _WIDER_WITH_FEW)
        reach = math.hypot(normal_reach(level), known) / math.sqrt(2.0)
        tail = NormalDist().cdf(-reach)
        low, high = np.quantile(values, [tail, 1.0 - tail], method="inverted_cdf")
        if low == high:  # nearly all reruns agree, which is no certainty: one step either way
            steps = self._one_question_apart(metric, np.median(means, axis=1))
            apart = np.concatenate([values, steps]) - low
            below, above = apart[apart < -_SAME], apart[apart > _SAME]
            low += below.max() if below.size else 0.0
            high += above.min() if above.size else 0.0
        found = Summary(float(values.mean()), float(values.std()), float(low), float(high))
        return self._with_observed(found, metric)

    def _with_observed(self, found: Summary, metric: CountMetric) -> Summary:
        """Widen a weighted interval until it contains the observed weighted mean.

        The posterior shrinks every question towards the others. Without weights that cancels out;
        where heavy questions are harder or easier than the rest it does not, and the observed
        weighted mean is unbiased whatever the weights are.
        """
        parts, trials = metric.parts(), self._states.trials
        if self._weighed is None or trials.min() < metric.draws:
            return found
        if not all(part.unbiased for part in parts):
            return found
        each = [part.subset_means([part], self._states)[0] for part in parts]
        means = [np.array(values @ self._mass / self._mass.sum()) for values in each]
        off = float(metric.joined(*means)) - found.mean
        low, high = found.low + min(off, 0.0), found.high + max(off, 0.0)
        return Summary(found.mean, math.hypot(found.sd, off), low, high)

    def population(self, metric: CountMetric, level: float) -> Summary:
        """Interval for new questions: per draw, a Bayesian bootstrap with one unseen question."""
        scores = [part.at_rates(self._rates) for part in metric.parts()]
        rng = np.random.default_rng(self._seed)
        gamma = self._weighings(rng)
        usual = 1.0 if self._weighed is None else float(self._squares.sum() / self._mass.sum())
        more = usual * rng.standard_exponential(gamma.shape[:-1])
        totals = gamma.sum(axis=-1)
        sums = [(gamma * score).sum(axis=-1) for score in scores]
        worse = metric.joined(*(total / (totals + more) for total in sums))
        better = metric.joined(*((total + more) / (totals + more) for total in sums))
        tail = 0.5 * (1.0 - level)
        seen = metric.joined(*(total / totals for total in sums))
        low = float(np.quantile(np.minimum(worse, better), tail))  # a weight may fall with the rate
        high = float(np.quantile(np.maximum(worse, better), 1.0 - tail))
        return Summary(float(seen.mean()), float(np.sqrt(seen.var())), low, high)

    def _weighings(self, rng: np.random.Generator) -> Array:
        """Bootstrap weights of the support points: weighings × draws × points."""
        if self._weighed is None:
            return rng.standard_gamma(np.broadcast_to(self._held, (_WEIGHINGS, *self._held.shape)))
        found = np.zeros((_WEIGHINGS, *self._rates.shape))
        for draws in _blocks(len(self._rates), _WEIGHINGS * self._weighed.state.size):
            point = self._points_of(draws, _WEIGHINGS, rng)
            each = self._weighed.weight * rng.standard_exponential(point.shape)
            for at in range(self._rates.shape[1]):
                found[:, draws, at] = np.where(point == at, each, 0.0).sum(axis=-1)
        return found

    def _points_of(self, draws: slice, times: int, rng: np.random.Generator) -> NDArray[np.int64]:
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
        asked = self._states.trials > 0
        for n in np.unique(self._states.trials[asked]).tolist():
            part = self._often[self._states.trials == n].sum() / self._often[asked].sum()
            which = np.searchsorted(edges, np.arange(n + 1) / n, side="right") - 1
            for draws in _blocks(len(weights), weights.shape[1] * (n + 1)):
                masses = rates.masses(self._rates[draws].ravel(), n)
                binned = np.zeros((edges.size - 1, masses.shape[1]))
                np.add.at(binned, which, masses)
                by_point = binned.reshape(-1, *weights[draws].shape)
                found[draws] += part * np.einsum("bdp,dp->db", by_point, weights[draws])
        return found

    def imagine(
        self, covers: Estimand, rng: np.random.Generator, hidden: float | None = None
    ) -> Imagined:
        """Simulate data from a random draw: new questions, or these with their posterior rates.

        Of new questions, a share that these could have missed may have the `hidden` rate: one in M,
        which 37 % of all samples of M questions miss.
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
        held = rng.multinomial(often, chances)  # states × points
        if covers is not Estimand.POPULATION:
            weights = held.sum(axis=0) / often.sum()
        state, point = held.nonzero()
        number = held[state, point]
        trials = np.repeat(self._states.trials[state], number)
        each = np.repeat(rates[point], number)
        once = np.ones(trials.size, dtype=np.int64)
        counts, again = (CountsByState(trials, rng.binomial(trials, each), once) for _ in range(2))
        return Imagined(counts, again, rates, weights)

    def _known(self, metric: CountMetric) -> Known:
        """Mean and variance of the score over the questions, under each draw (delta method)."""
        scores = [part.at_rates(self._rates) for part in metric.parts()]
        by_state = [self._of_states(score) for score in scores]
        size = self._mass.sum()
        means = [each @ self._mass / size for each in by_state]
        slopes = metric.slopes(*means)
        variance = np.zeros_like(by_state[0])  # of one question: draws × states
        linear = sum(slope[:, None] * x for slope, x in zip(slopes, by_state, strict=True))
        for i, x in enumerate(by_state):
            for j, y in enumerate(by_state):
                both = self._of_states(scores[i] * scores[j]) - x * y
                variance += (slopes[i] * slopes[j])[:, None] * both
        variance = np.maximum(variance, 0.0)
        each = variance.mean(axis=0) + np.var(linear, axis=0)
        part = each / each.max() if each.any() else np.ones_like(each)
        carriers = float(part @ self._squares) ** 2 / float(np.square(part) @ self._fourths)
        value, variances = metric.joined(*means), variance @ self._squares / size**2
        return Known(value, variances, carriers, float(self._often.sum()))

    def _wider(self, draws: int) -> float:
        """Factor by which the ends are stretched: more with few trials or k beyond the trials."""
        trials = self._states.trials
        few = np.where(trials < draws, 1.0, np.square(_FEW / np.maximum(trials, _FEW)))
        share = float(few @ self._often / self._often.sum())
        return _WIDER + (_WIDER_WITH_FEW - _WIDER) * share

    def _of_states(self, score: Array) -> Array:
        """Posterior mean, per draw and state, of a score of the support points."""
        return (self._belongs @ score[:, :, None])[:, :, 0]

    def _runs_for(self, level: float) -> int:
        """Simulated reruns per draw that put enough of them beyond each end."""
        needed = 2.0 * _BEYOND_AN_END / (1.0 - level) / len(self._rates)
        most = _MOST_RERUNS // len(self._rates)
        return max(_RUNS, min(math.ceil(needed - 1e-6), most))

    def _shown_for(self, metric: CountMetric, runs: int) -> Array:
        """Mean scores of so many simulated reruns or more, kept for other levels."""
        if metric not in self._shown or self._shown[metric][0] < runs:
            self._shown[metric] = runs, self._shown_again(metric.parts(), runs)
        return self._shown[metric][1]

    def _shown_again(self, parts: Sequence[QuestionMean], runs: int) -> Array:
        """Mean scores of simulated reruns: a row per part of the metric."""
        shown = np.zeros((len(parts), runs, len(self._rates)))
        if self._weighed is not None:
            return self._shown_by_each(parts, shown, self._weighed)
        for some in self._runs_again(runs):
            for sums, part in zip(shown, parts, strict=True):
                part_of_them = sums[some.runs, some.draws]
                found = some.questions @ self._table(part, some.n)
                part_of_them += found.reshape(part_of_them.shape)
        return shown.reshape(len(parts), -1) / self._often.sum()

    def _shown_by_each(
        self, parts: Sequence[QuestionMean], shown: Array, weighed: Weighed
    ) -> Array:
        """Mean scores of simulated reruns of weighted questions, drawn question by question."""
        rng, runs = np.random.default_rng(self._seed), shown.shape[1]
        trials = self._states.trials[weighed.state]
        for draws in _blocks(len(self._rates), runs * weighed.state.size):
            point = self._points_of(draws, runs, rng)
            rate = np.take_along_axis(self._rates[draws][None], point, axis=-1)
            right = rng.binomial(trials, rate)
            for n in np.unique(trials).tolist():
                alike = trials == n
                for sums, part in zip(shown, parts, strict=True):
                    values = self._table(part, n)[right[..., alike]]
                    sums[:, draws] += values @ weighed.weight[alike]
        return shown.reshape(len(parts), -1) / self._mass.sum()

    def _runs_again(self, runs: int) -> Iterable[Again]:
        """Simulated reruns, kept for the next metric if they fit in memory."""
        each = int((np.unique(self._states.trials) + 1).sum())
        if runs * len(self._rates) * each > _AT_ONCE:
            return self._repeated(runs)
        if runs not in self._again:
            self._again[runs] = list(self._repeated(runs))
        return self._again[runs]

    def _repeated(self, runs: int) -> Iterator[Again]:
        """Simulate reruns block by block, from the same seed every time."""
        often, rng = self._often.astype(np.int64), np.random.default_rng(self._seed)
        for n in np.unique(self._states.trials).tolist():
            alike = self._states.trials == n
            for draws in _blocks(len(self._rates), self._rates.shape[1] * (n + 1)):
                points, belongs = self._rates[draws], self._belongs[draws, alike]
                chances = np.moveaxis(rates.masses(points.ravel(), n), 0, -1)
                chances = (chances / chances.sum(axis=-1, keepdims=True)).reshape(
                    *points.shape, n + 1
                )
                for some in _blocks(runs, len(points) * (n + 1)):
                    again = []
                    for _ in range(some.start, some.stop):
                        held = rng.multinomial(often[alike], belongs).sum(axis=1)  # draws × points
                        again.append(rng.multinomial(held, chances).sum(axis=1))
                    yield Again(n, some, draws, np.concatenate(again).astype(float))

    def _one_question_apart(self, metric: CountMetric, means: Array) -> Array:
        """Scores of runs that differ from the usual run in a single question."""
        size, parts = self._often.sum(), metric.parts()
        if self._weighed is not None:
            size = self._mass.sum() / self._weighed.weight.min()
        found = []
        for n in np.unique(self._states.trials).tolist():
            tables = [self._table(part, n) for part in parts]
            moved = [mean + (new - mean) / size for mean, new in zip(means, tables, strict=True)]
            found.append(metric.joined(*moved))
        return np.concatenate(found)

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
