"""What the learned spread of difficulty says of a metric, for each of the three targets.

A draw of the spread gives the chance that a question in some state belongs to each point, and so
the mean and the variance of the metric over the questions. Draws are mixed.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.data.statistics import CountsByState, States
from errbar.estimate import Estimand
from errbar.kernels import difficulty, rates
from errbar.kernels.bounded import UNSEEN
from errbar.kernels.mixture import mixture_ends
from errbar.metrics.base import CountMetric, QuestionMean

Array = NDArray[np.floating[Any]]

_WEIGHINGS = 20  # of the questions of each draw, for questions like these


class Summary(NamedTuple):
    """Mean, standard deviation and ends."""

    mean: float
    sd: float
    low: float
    high: float


class Imagined(NamedTuple):
    """Data that might have been, and what is true of them."""

    counts: CountsByState
    again: CountsByState  # the same questions, asked once more
    rates: Array
    weights: Array  # of the rates; they add up to one


class Learned:
    """The spread of difficulty of one system."""

    def __init__(self, states: States, spread: difficulty.Spread, rng: np.random.Generator) -> None:
        self._states = states
        self._often = states.questions[0]
        self._rng = rng
        self._masses: dict[int, Array] = {}  # of the trials of a rerun, at each point
        self._rates, self._weights, self._held = spread
        logs = difficulty.logs_of(self._rates[:, None, :], self._weights[:, None, :])
        right = states.correct.astype(float)[:, None]
        wrong = (states.trials - states.correct).astype(float)[:, None]
        self._belongs = difficulty.belonging(right, wrong, *logs)  # draws × states × points

    @classmethod
    def of(cls, several: Sequence[States], rng: np.random.Generator) -> "list[Learned]":
        """The spreads of several systems, each from its own questions alone."""
        sizes = [states.trials.size for states in several]
        spread = difficulty.learn(
            np.concatenate([states.trials for states in several]),
            np.concatenate([states.correct for states in several]),
            np.concatenate([states.questions[0] for states in several]).astype(np.int64),
            np.cumsum([0, *sizes[:-1]]),
            rng,
        )
        return [
            cls(states, difficulty.Spread(*(part[at] for part in spread)), rng)
            for at, states in enumerate(several)
        ]

    def benchmark(self, metric: CountMetric, level: float) -> Summary:
        """For these very questions, asked again without end."""
        scores = [part.at_rates(self._rates)[:, None, :] for part in metric.parts()]
        return self._mixed(metric, scores, [[x * y for y in scores] for x in scores], level)

    def rerun(self, metric: CountMetric, level: float) -> Summary:
        """For what the same run would show if repeated."""
        tables = [self._by_trials(part) for part in metric.parts()]
        scores = [self._shown(table) for table in tables]
        products = [[self._shown({n: x[n] * y[n] for n in x}) for y in tables] for x in tables]
        return self._mixed(metric, scores, products, level)

    def population(self, metric: CountMetric, level: float) -> Summary:
        """For questions like these: those of each draw are weighed at random, and so are bounds."""
        scores = [part.at_rates(self._rates) for part in metric.parts()]
        held = self._held
        gamma = self._rng.standard_gamma(np.broadcast_to(held, (_WEIGHINGS, *held.shape)))
        more = self._rng.standard_gamma(UNSEEN, gamma.shape[:-1])
        totals = gamma.sum(axis=-1)
        sums = [(gamma * score).sum(axis=-1) for score in scores]
        low = metric.joined(*(one / (totals + more) for one in sums))
        high = metric.joined(*((one + more) / (totals + more) for one in sums))
        tail = 0.5 * (1.0 - level)
        seen = metric.joined(*(one / totals for one in sums))
        ends = sorted((float(np.quantile(low, tail)), float(np.quantile(high, 1.0 - tail))))
        return Summary(float(seen.mean()), float(np.sqrt(seen.var())), *ends)

    def imagine(self, covers: Estimand, rng: np.random.Generator) -> Imagined:
        """Data from one draw of the spread: of questions like these, or of these very ones."""
        draw = int(rng.integers(len(self._rates)))
        rates, often = self._rates[draw], self._often.astype(np.int64)
        if covers is Estimand.POPULATION:
            weights = self._weights[draw] / self._weights[draw].sum()
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

    def _mixed(
        self, metric: CountMetric, scores: list[Array], products: list[list[Array]], level: float
    ) -> Summary:
        """Mean and variance over the questions for each draw, and the mixture of them."""
        size = self._often.sum()
        by_state = [self._of_states(score) for score in scores]
        means = [each @ self._often / size for each in by_state]
        value = metric.joined(*means)
        slopes = metric.slopes(*means)
        variance = np.zeros(len(value))
        for i, x in enumerate(by_state):
            for j, y in enumerate(by_state):
                both = self._of_states(products[i][j]) - x * y
                variance += slopes[i] * slopes[j] * (both @ self._often)
        variance = np.maximum(variance, 0.0) / size**2
        low, high = metric.bounds
        span = high - low
        ends = mixture_ends((value - low) / span, variance / span**2, level)
        sd = math.sqrt(float(variance.mean() + value.var()))
        return Summary(float(value.mean()), sd, low + span * ends[0], low + span * ends[1])

    def _of_states(self, score: Array) -> Array:
        """Mean of a score of points, for each draw and state."""
        if score.shape[1] == 1:  # the same in all states
            return (self._belongs @ score.swapaxes(1, 2))[:, :, 0]
        return np.einsum("bsk,bsk->bs", self._belongs, score)

    def _by_trials(self, part: QuestionMean) -> dict[int, Array]:
        """What a question shows if c of its n trials are right, for each n that occurs."""
        return {
            int(n): part.subset_means([part], _all_states(int(n)))[0]
            for n in np.unique(self._states.trials)
        }

    def _shown(self, tables: dict[int, Array]) -> Array:
        """The mean of what a question of each state shows, at each point."""
        out = np.empty(self._belongs.shape)
        for n, table in tables.items():
            if n not in self._masses:
                self._masses[n] = rates.masses(self._rates.ravel(), n)
            shown = (table @ self._masses[n]).reshape(self._rates.shape)
            out[:, self._states.trials == n, :] = shown[:, None, :]
        return out


def _all_states(n: int) -> States:
    correct = np.arange(n + 1)
    return States(np.full(n + 1, n), correct, np.ones((1, n + 1)), np.array([n + 1.0]))
