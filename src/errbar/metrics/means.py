"""Metrics of counts, most of which are means over questions; and `avg`, the mean of the trials.

A metric of right and wrong is a mean over questions (`QuestionMean`), or combines several of them.
A metric of categories (`CategoryMetric`) has a weight for each.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self, cast

import numpy as np

from errbar.base.arguments import freeze, number, numbers
from errbar.base.arrays import Array
from errbar.data.counts import CategoryCounts, Counts, States, Tally
from errbar.errors import InputError, WrongType
from errbar.kernels import urn
from errbar.kernels.interval import normal_reach
from errbar.metrics.base import Metric, Needs, register, require_trials

AnyCounts = Counts | CategoryCounts
_SMALLEST_EXACT = 1e-250  # smaller sums may have lost digits to underflow
MOST_DRAWS = 10_000_000  # vectors of length k fit in memory
_LEAST_LOG = -1e300  # the log of zero, finite so that differences of logs are defined


def pseudo_trials(value: Any, name: str) -> float:
    """Return `value` as a number of pseudo-trials of a prior, from 1e-9 to 1e9."""
    if not number(value, name, 0.0, 1e9) >= 1e-9:
        raise InputError(f"{name} must be positive, at least 1e-9; got {value!r}.")
    return float(value)


@dataclass(frozen=True)
class Prior:
    """A conjugate prior, as numbers of pseudo-trials.

    `right` and `wrong` are the parameters of the Beta prior of a success rate; `each` is the
    parameter of every category in the Dirichlet prior.
    """

    right: float = 1.0
    wrong: float = 1.0
    each: float = 1.0

    def __post_init__(self) -> None:
        checked = {
            name: pseudo_trials(value, f"prior.{name}") for name, value in vars(self).items()
        }
        freeze(self, **checked)


UNIFORM = Prior()
JEFFREYS = Prior(0.5, 0.5, 0.5)
FLAT = UNIFORM


class Moments(NamedTuple):
    """Posterior mean and standard deviation, with a row per metric and a column per system."""

    mean: Array
    sd: Array


StateMoments = tuple[Array, Array]  # posterior mean and log variance of each state


def draws_of(k: Any) -> int:
    """Return `k` as an int; floats and booleans are refused."""
    if isinstance(k, bool | np.bool_) or not isinstance(k, int | np.integer):
        raise WrongType(f"k must be an integer; got {k!r}.")
    if not 1 <= k <= MOST_DRAWS:
        raise InputError(f"k must be at least 1 and at most {MOST_DRAWS:,}; got k={k}.")
    return int(k)


def normal_ends(
    mean: Array, sd: Array, level: float, bounds: tuple[float, float]
) -> tuple[Array, Array]:
    """Return the normal interval of moments, mean ± z·sd, clipped to `bounds`."""
    reach = normal_reach(level) * sd
    low, high = bounds
    return (
        np.minimum(np.maximum(mean - reach, low), high),
        np.minimum(np.maximum(mean + reach, low), high),
    )


class CountMetric(Metric):
    """A metric computed from the counts of each outcome per question."""

    needs: ClassVar[Needs] = Needs.RIGHT_OR_WRONG

    @property
    def draws(self) -> int:
        """Number of trials per question that the observed score requires."""
        return 1

    @property
    def posterior_draws(self) -> int:
        """Number of trials per question that the posterior requires."""
        return 0

    @classmethod
    @abstractmethod
    def statistics(cls, systems: Sequence[AnyCounts]) -> Any:
        """Return the statistics of the systems that `observed` and `posterior` take."""

    @classmethod
    @abstractmethod
    def observed(cls, metrics: Sequence[Self], data: Any) -> Array:
        """Return observed scores, with a row per metric and a column per system."""

    @classmethod
    @abstractmethod
    def posterior(cls, metrics: Sequence[Self], data: Any, prior: Prior) -> Moments:
        """Return posterior moments, for any number of draws."""

    @abstractmethod
    def parts(self) -> "tuple[QuestionMean, ...]":
        """Return the means over questions that the metric combines; none for categories."""

    def joined(self, *means: Array) -> Array:
        """Return the metric, given the means of its parts."""
        return means[0]

    def slopes(self, *means: Array) -> tuple[Array, ...]:
        """Return the partial derivatives of `joined` with respect to the means."""
        return (np.ones_like(means[0]),)

    def point(self, counts: AnyCounts) -> float:
        """Return the observed score of one system."""
        require_trials(counts, self.draws, self)
        return float(self.observed([self], self.statistics([counts]))[0, 0])

    def moments(self, counts: AnyCounts, prior: Prior = FLAT) -> tuple[float, float]:
        """Return the posterior mean and standard deviation of one system."""
        require_trials(counts, self.posterior_draws, self)
        mean, sd = self.posterior([self], self.statistics([counts]), prior)
        return float(mean[0, 0]), float(sd[0, 0])


class BinaryMetric(CountMetric):
    """A metric of right-or-wrong trials; a state is a pair (trials, right) with its frequency."""

    @classmethod
    def statistics(cls, systems: Sequence[AnyCounts]) -> States:
        """Return the pooled states of the systems."""
        for counts in systems:
            if not isinstance(counts, Counts):
                raise WrongType(f"{cls.__name__} needs right-or-wrong counts; got categories.")
        return States.of(cast(Sequence[Counts], systems))


class QuestionMean(BinaryMetric):
    """A binary metric that is the mean over questions of a function of the state."""

    unbiased: ClassVar[bool] = True  # whether the mean over subsets is an unbiased estimator

    @classmethod
    @abstractmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return the mean of each state over its k-subsets, with a row per metric."""

    @abstractmethod
    def at_rates(self, rates: Array) -> Array:
        """Return the expected value of questions with these success rates."""

    def parts(self) -> "tuple[QuestionMean, ...]":
        """Return the metric itself."""
        return (self,)

    @classmethod
    @abstractmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return posterior mean and log variance of each state, with a row per metric."""

    @classmethod
    def observed(cls, metrics: Sequence[Self], data: States) -> Array:
        """Return the means over questions."""
        return over_questions(cls.subset_means(metrics, data), data)

    @classmethod
    def posterior(cls, metrics: Sequence[Self], data: States, prior: Prior) -> Moments:
        """Return moments of the mean over questions, which are independent given the data."""
        mean, log_var = cls.state_moments(metrics, data, prior)
        return Moments(over_questions(mean, data), sd_over_questions(log_var, data))


def over_questions(by_state: Array, states: States) -> Array:
    """Return the mean over the questions of each system."""
    return np.inner(by_state, states.questions) / states.total


def sd_over_questions(log_var: Array, states: States) -> Array:
    """Return the standard deviation of a mean over independent questions, without underflow."""
    variance = np.inner(np.exp(log_var), states.questions)
    if variance.min() > _SMALLEST_EXACT:
        return np.sqrt(variance) / states.total
    return np.exp(0.5 * log_var_over_questions(log_var, states))


def log_var_over_questions(log_by_state: Array, states: States) -> Array:
    """Return the log variance of a mean over independent questions."""
    return log_over_questions(log_by_state, states) - np.log(states.total)


def log_over_questions(log_by_state: Array, states: States) -> Array:
    """Return the log of the mean over questions, given logs (log-sum-exp).

    The largest term is factored out for each system separately, so that no system underflows
    because another one is much larger.
    """
    out = np.empty((len(log_by_state), len(states.questions)))
    for system, questions in enumerate(states.questions):
        logs = log_by_state[:, questions > 0]
        top = np.maximum(logs.max(axis=1), _LEAST_LOG)
        with np.errstate(divide="ignore"):
            out[:, system] = top + np.log(np.exp(logs - top[:, None]) @ questions[questions > 0])
    return out - np.log(states.total)


def posterior_of(states: States, prior: Prior) -> tuple[Array, Array]:
    """Return the parameters of the Beta posterior of each state."""
    return prior.right + states.correct, prior.wrong + (states.trials - states.correct)


@dataclass(frozen=True)
class SuccessRate(QuestionMean):
    """Share of right trials: the part of means of two categories, such as `avg`."""

    def at_rates(self, rates: Array) -> Array:
        """Return the rates."""
        return rates

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return the share of right trials of each state."""
        return np.tile(states.correct / states.trials, (len(metrics), 1))

    @classmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return mean and log variance of the Beta posterior of each state."""
        a, b = posterior_of(states, prior)
        mean, rest = a / (a + b), b / (a + b)
        log_var = np.log(mean) + np.log(rest) - np.log(a + b + 1.0)
        return np.tile(mean, (len(metrics), 1)), np.tile(log_var, (len(metrics), 1))


RIGHT_OR_WRONG = (0.0, 1.0)
_LEAST_SCALE = -1000  # exponent of the smallest scale, above the subnormal numbers


class CategoryMetric(CountMetric):
    """A metric of the category of each trial, with a weight per category."""

    needs: ClassVar[Needs] = Needs.CATEGORY

    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.weights is RIGHT_OR_WRONG:
            return
        freeze(self, weights=numbers(self.weights, "weights"))
        if len(self.weights) < 2:
            raise InputError(
                f"weights must have at least two entries, one per category; got {self.weights}."
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the smallest and the largest weight."""
        return min(self.weights), max(self.weights)

    def parts(self) -> tuple[QuestionMean, ...]:
        """Return the success rate if there are two categories, otherwise nothing."""
        return (SuccessRate(),) if len(self.weights) == 2 else ()

    def joined(self, *means: Array) -> Array:
        """Return the mean weight, given the success rate."""
        wrong, right = self.weights
        return wrong + (right - wrong) * means[0]

    def slopes(self, *means: Array) -> tuple[Array, ...]:
        """Return the difference of the two weights."""
        wrong, right = self.weights
        return (np.full_like(means[0], right - wrong),)

    @abstractmethod
    def value(self, tally: Tally) -> float:
        """Return the observed score of one system."""

    @abstractmethod
    def spread(self, tally: Tally, prior: Prior) -> tuple[float, float]:
        """Return the posterior mean and standard deviation of one system."""

    def row_values(self, tally: Tally) -> Array:
        """Return the mean weight of the observed trials of each row."""
        rows = tally.rows.astype(float)
        return rows @ np.array(self.weights) / rows.sum(axis=1)

    @classmethod
    def statistics(cls, systems: Sequence[AnyCounts]) -> list[Tally]:
        """Return the counts of each system, pooled by equal rows."""
        return [Tally.of(counts) for counts in systems]

    @classmethod
    def observed(cls, metrics: Sequence[Self], data: Sequence[Tally]) -> Array:
        """Return observed scores, with a row per metric and a column per system."""
        return np.array(
            [[m.value(m._require_categories(tally)) for tally in data] for m in metrics]
        )

    @classmethod
    def posterior(cls, metrics: Sequence[Self], data: Sequence[Tally], prior: Prior) -> Moments:
        """Return posterior moments."""
        both = np.array(
            [[m.spread(m._require_categories(tally), prior) for tally in data] for m in metrics]
        )
        return Moments(both[:, :, 0], both[:, :, 1])

    def _scaled_weights(self) -> tuple[float, Array]:
        """Return a power of two and the weights divided by it, so that their squares are finite."""
        scale = math.ldexp(0.5, max(math.frexp(max(map(abs, self.weights)))[1], _LEAST_SCALE))
        return scale, np.array(self.weights) / scale

    def _require_categories(self, tally: Tally) -> Tally:
        categories = tally.rows.shape[1]
        if categories != len(self.weights):
            raise InputError(
                f"{self} has {len(self.weights)} weights, but the data have {categories} "
                f"categories."
            )
        return tally


def sum_of_means(rows: Array, total: Array, weights: Array, often: Array) -> float:
    """Return the sum over questions of the mean weight of a row; a row occurs `often`."""
    low = weights.min()
    shares = (often / total) @ rows
    return float(low * often.sum() + shares @ (weights - low))


class OutcomeMean(CategoryMetric):
    """Mean of the outcomes of the trials, averaged over questions."""

    @property
    def posterior_draws(self) -> int:
        """Return 1, because the posterior is centred on the observed mean."""
        return 1

    def value(self, tally: Tally) -> float:
        """Return the mean over questions of the mean weight of their trials."""
        weights = np.array(self.weights)
        mean = 0.0
        for rows, often in tally.parts():
            mean += sum_of_means(rows, rows.sum(axis=1), weights, often)
        return mean / tally.questions

    def spread(self, tally: Tally, prior: Prior) -> tuple[float, float]:
        """Return the observed mean, and the posterior standard deviation on its scale."""
        scale, weights = self._scaled_weights()
        mean = variance = 0.0
        for rows, often in tally.parts():
            trials = rows.sum(axis=1)
            total = trials + prior.each * rows.shape[1]
            rescaled = often * np.square(total / trials)
            mean += sum_of_means(rows, trials, weights, often)
            variance += urn.sum_of_variances(rows + prior.each, total, weights, rescaled)
        return scale * mean / tally.questions, scale * math.sqrt(variance) / tally.questions


@register("avg", "accuracy", "acc", "mean")
@dataclass(frozen=True)
class Average(OutcomeMean):
    """Mean score of the trials, averaged over questions.

    Its standard deviation is that of `bayes`, rescaled to undo the shrinkage by the prior.
    """

    weights: tuple[float, ...] = RIGHT_OR_WRONG
