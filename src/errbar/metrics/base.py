"""Base classes of metrics: immutable values with a direction, bounds and required data.

`METRICS` is the registry: the part of a metric's name before its number, and its class.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import freeze, number
from errbar.base.arrays import Array
from errbar.base.remarks import counted, setting
from errbar.data.counts import CategoryCounts, Counts, CountsByState, States
from errbar.errors import InputError, NotEnoughTrials, WrongType
from errbar.kernels.interval import normal_reach


def require_trials(counts: Counts | CategoryCounts, k: int, metric: object) -> None:
    """Refuse questions with fewer than `k` trials."""
    trials = counts.trials
    if not trials.size:
        raise InputError(f"{metric} needs at least one question; there is none.")
    if trials.min() >= k:
        return
    short = trials < k
    at = int(np.argmax(short))
    example = (
        f"one has {trials[at]}"
        if isinstance(counts, CountsByState)
        else f"question {counts.questions[at]!r} has {trials[at]}"
    )
    raise NotEnoughTrials(
        f"{metric} draws {k} of a question's trials; {int(short @ counts.repeats())} of "
        f"{len(counts)} questions have fewer ({example}). Lower k to at most {trials.min()}, or "
        f"collect more trials."
    )


def too_few_trials(
    draws: int,
    trials: NDArray[np.integer],
    often: NDArray[np.floating] | NDArray[np.integer] | None = None,
    *,
    names: Sequence[object] | None = None,
    can_drop: bool = True,
    can_extrapolate: bool = False,
) -> NotEnoughTrials | None:
    """The error for questions with fewer trials than `draws`, or None.

    `often` counts the questions of each entry, and `names` are their ids.
    """
    short = trials < draws
    if not short.any():
        return None
    weights = np.ones(trials.size) if often is None else often
    few, questions = int(short @ weights), int(weights.sum())
    at = int(np.argmin(trials))
    named = f" (question {names[at]!r:.80})" if names is not None else ""
    if can_drop and few < questions:
        drop = setting("short", "drop")
        way = f"{drop} leaves those out"
    else:
        way = f"lower k to at most {trials[at]}" if trials[at] else "collect more trials"
        if can_extrapolate and trials[at]:
            beyond = setting("short", "posterior")
            way += f", or extrapolate with {beyond}"
    return NotEnoughTrials(
        f"needs {counted(draws, 'trial')} per question; {few} of {counted(questions, 'question')} "
        f"{'has' if questions == 1 else 'have'} fewer, the least {trials[at]}{named}; {way}"
    )


def none_long_enough(draws: int, trials: NDArray[np.integer]) -> NotEnoughTrials:
    """The error for questions that all have fewer trials than `draws`."""
    most = int(trials.max(initial=0))
    return NotEnoughTrials(f"needs {draws} trials per question; the most are {most}")


AnyCounts = Counts | CategoryCounts

_SMALLEST_EXACT = 1e-250  # smaller sums may have lost digits to underflow
MOST_DRAWS = 10_000_000  # vectors of length k fit in memory
_LEAST_LOG = -1e300  # the log of zero, finite so that differences of logs are defined


class Needs(Enum):
    """The data that a metric needs for each trial or item."""

    RIGHT_OR_WRONG = "right or wrong"
    CATEGORY = "category"
    ANSWER = "answer"
    CONFIDENCE = "loss and confidence"
    LABEL = "label and score"
    PROBABILITY = "outcome and probability"


class Direction(Enum):
    """Whether higher or lower values are better."""

    HIGHER = "higher is better"
    LOWER = "lower is better"


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


class Metric(ABC):
    """Base class of metrics: a score of a system."""

    head: ClassVar[str]  # the part of the name before the number, set on registration
    numbered: ClassVar[str | None] = None  # the field that is the number in the name
    needs: ClassVar[Needs]
    direction: ClassVar[Direction] = Direction.HIGHER

    @property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest possible value."""
        return (0.0, 1.0)

    def __str__(self) -> str:
        from errbar.metrics.grammar import spell  # noqa: PLC0415  the grammar imports the metrics

        return spell(self)


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


def draws_of(k: Any) -> int:
    """Return `k` as an int; floats and booleans are refused."""
    if isinstance(k, bool | np.bool_) or not isinstance(k, int | np.integer):
        raise WrongType(f"k must be an integer; got {k!r}.")
    if not 1 <= k <= MOST_DRAWS:
        raise InputError(f"k must be at least 1 and at most {MOST_DRAWS:,}; got k={k}.")
    return int(k)


METRICS: dict[str, type[Metric]] = {}
ALIASES: dict[str, str] = {}

M = TypeVar("M", bound=type[Metric])


def register(head: str, *aliases: str) -> Callable[[M], M]:
    """Register a metric under a name; `aliases` are parsed but never printed."""

    def add(metric: M) -> M:
        metric.head = head
        METRICS[head] = metric
        ALIASES.update(dict.fromkeys(aliases, head))
        return metric

    return add


def registered(head: str) -> type[Metric] | None:
    """Return the class registered under a name or an alias, or None."""
    return METRICS.get(ALIASES.get(head, head))
