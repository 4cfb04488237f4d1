"""What a metric is: a frozen value that knows what it needs, its direction and its bounds.

`METRICS` is the one list of metrics: what stands before k in a name, and its class.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple, Self, TypeVar, cast

import numpy as np

from errbar.base.arguments import number
from errbar.base.arrays import Array
from errbar.data.counts import CategoryCounts, Counts, CountsByState, States
from errbar.errors import InputError, NotEnoughTrials, WrongType


def require_trials(counts: Counts | CategoryCounts, k: int, metric: object) -> None:
    """Refuse questions with fewer than `k` trials."""
    trials = counts.trials
    if not trials.size:
        raise InputError(f"{metric} was asked of no question at all.")
    if trials.min() >= k:
        return
    short = trials < k
    at = int(np.argmax(short))
    some = (
        f"one has {trials[at]}"
        if isinstance(counts, CountsByState)
        else f"question {counts.questions[at]!r} has {trials[at]}"
    )
    raise NotEnoughTrials(
        f"{metric} draws {k} of a question's trials; {int(short @ counts.repeats())} of "
        f"{len(counts)} questions have fewer ({some}). Lower k to at most {trials.min()}, or "
        f"collect more trials."
    )


AnyCounts = Counts | CategoryCounts

_SMALLEST_EXACT = 1e-250  # sums below this may have lost digits on the way
MOST_DRAWS = 10_000_000  # more would not fit the memory of a usual machine
_LEAST_LOG = -1e300  # stands for the log of zero where a difference of logs is taken


class Needs(Enum):
    """What a metric must know of each trial or item."""

    RIGHT_OR_WRONG = "right or wrong"
    CATEGORY = "category"
    ANSWER = "answer"
    CONFIDENCE = "loss and confidence"
    LABEL = "label and score"


class Direction(Enum):
    """Which way is better."""

    HIGHER = "higher is better"
    LOWER = "lower is better"


def pseudo_trials(value: Any, name: str) -> float:
    """`value` as a number of imagined trials, within what leaves the data a say."""
    if not number(value, name, 0.0, 1e9) >= 1e-9:
        raise InputError(f"{name} must be positive, 1e-9 at least; got {value!r}.")
    return float(value)


@dataclass(frozen=True)
class Prior:
    """Trials imagined before any was seen.

    `right` and `wrong` are the Beta prior of a success rate, `each` the Dirichlet prior of every
    category.
    """

    right: float = 1.0
    wrong: float = 1.0
    each: float = 1.0

    def __post_init__(self) -> None:
        for name in ("right", "wrong", "each"):
            object.__setattr__(self, name, pseudo_trials(getattr(self, name), f"prior.{name}"))


UNIFORM = Prior()
JEFFREYS = Prior(0.5, 0.5, 0.5)
FLAT = UNIFORM


class Moments(NamedTuple):
    """Posterior mean and standard deviation: a row per metric, a column per system."""

    mean: Array
    sd: Array


class Metric(ABC):
    """One number for a system."""

    head: ClassVar[str]  # what stands before the number in its name, set on registration
    numbered: ClassVar[str | None] = None  # the field that this number is
    needs: ClassVar[Needs]
    direction: ClassVar[Direction] = Direction.HIGHER

    @property
    def bounds(self) -> tuple[float, float]:
        """Least and largest possible value."""
        return (0.0, 1.0)

    def __str__(self) -> str:
        from errbar.metrics.grammar import spell  # noqa: PLC0415  the grammar knows the metrics

        return spell(self)


class CountMetric(Metric):
    """A metric of how often each outcome occurred, question by question."""

    needs: ClassVar[Needs] = Needs.RIGHT_OR_WRONG

    @property
    def draws(self) -> int:
        """Trials of every question that an estimate from the observed trials draws."""
        return 1

    @property
    def posterior_draws(self) -> int:
        """Trials of every question without which it has no posterior."""
        return 0

    @classmethod
    @abstractmethod
    def statistics(cls, systems: Sequence[AnyCounts]) -> Any:
        """What metrics of this kind are computed from, for `observed` and `posterior`."""

    @classmethod
    @abstractmethod
    def observed(cls, metrics: Sequence[Self], data: Any) -> Array:
        """Estimates from the observed trials: a row per metric, a column per system."""

    @classmethod
    @abstractmethod
    def posterior(cls, metrics: Sequence[Self], data: Any, prior: Prior) -> Moments:
        """Posterior moments, for any number of draws."""

    @abstractmethod
    def parts(self) -> "tuple[QuestionMean, ...]":
        """Means over questions of right-or-wrong trials that it is made of; none for categories."""

    def joined(self, *means: Array) -> Array:
        """What it comes to where its parts have these means."""
        return means[0]

    def slopes(self, *means: Array) -> tuple[Array, ...]:
        """How fast that rises with each of them."""
        return (np.ones_like(means[0]),)

    def point(self, counts: AnyCounts) -> float:
        """Estimate from the observed trials of one system."""
        require_trials(counts, self.draws, self)
        return float(self.observed([self], self.statistics([counts]))[0, 0])

    def moments(self, counts: AnyCounts, prior: Prior = FLAT) -> tuple[float, float]:
        """Posterior mean and standard deviation of one system."""
        require_trials(counts, self.posterior_draws, self)
        mean, sd = self.posterior([self], self.statistics([counts]), prior)
        return float(mean[0, 0]), float(sd[0, 0])


class BinaryMetric(CountMetric):
    """A metric of right-or-wrong trials, through the distinct states of the questions."""

    @classmethod
    def statistics(cls, systems: Sequence[AnyCounts]) -> States:
        """The pooled states of the systems."""
        for counts in systems:
            if not isinstance(counts, Counts):
                raise WrongType(f"{cls.__name__} needs right-or-wrong counts; got categories.")
        return States.of(cast(Sequence[Counts], systems))


class QuestionMean(BinaryMetric):
    """A binary metric that is a mean over questions of something known for each state."""

    unbiased: ClassVar[bool] = True  # whether its value over subsets is right on average

    @classmethod
    @abstractmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """The value of each state over its subsets: a row per metric."""

    @abstractmethod
    def at_rates(self, rates: Array) -> Array:
        """The value of questions that are answered right at these rates."""

    def parts(self) -> "tuple[QuestionMean, ...]":
        """Itself."""
        return (self,)

    @classmethod
    @abstractmethod
    def state_moments(
        cls, metrics: Sequence[Self], states: States, prior: Prior
    ) -> tuple[Array, Array]:
        """Mean and log variance of each state: a row per metric."""

    @classmethod
    def observed(cls, metrics: Sequence[Self], data: States) -> Array:
        """Mean over questions."""
        return over_questions(cls.subset_means(metrics, data), data)

    @classmethod
    def posterior(cls, metrics: Sequence[Self], data: States, prior: Prior) -> Moments:
        """Mean over questions, which are independent given the data."""
        mean, log_var = cls.state_moments(metrics, data, prior)
        return Moments(over_questions(mean, data), sd_over_questions(log_var, data))


def over_questions(by_state: Array, states: States) -> Array:
    """Mean over the questions of each system."""
    return np.inner(by_state, states.questions) / states.total


def sd_over_questions(log_var: Array, states: States) -> Array:
    """Standard deviation of the mean over independent questions, however small."""
    variance = np.inner(np.exp(log_var), states.questions)
    if variance.min() > _SMALLEST_EXACT:
        return np.sqrt(variance) / states.total
    return np.exp(0.5 * log_var_over_questions(log_var, states))


def log_var_over_questions(log_by_state: Array, states: States) -> Array:
    """Log variance of the mean over independent questions."""
    return log_over_questions(log_by_state, states) - np.log(states.total)


def log_over_questions(log_by_state: Array, states: States) -> Array:
    """Log of the mean over questions of what is given by its log.

    Each system is measured against its own largest state, which another system's may dwarf.
    """
    out = np.empty((len(log_by_state), len(states.questions)))
    for system, questions in enumerate(states.questions):
        logs = log_by_state[:, questions > 0]
        top = np.maximum(logs.max(axis=1), _LEAST_LOG)
        with np.errstate(divide="ignore"):
            out[:, system] = top + np.log(np.exp(logs - top[:, None]) @ questions[questions > 0])
    return out - np.log(states.total)


def posterior_of(states: States, prior: Prior) -> tuple[Array, Array]:
    """Parameters of each state's Beta posterior."""
    return prior.right + states.correct, prior.wrong + (states.trials - states.correct)


def draws_of(k: Any) -> int:
    """`k` as an int, refusing what merely looks like one."""
    if isinstance(k, bool | np.bool_) or not isinstance(k, int | np.integer):
        raise WrongType(f"k must be an integer; got {k!r}.")
    if not 1 <= k <= MOST_DRAWS:
        raise InputError(f"k must be at least 1 and at most {MOST_DRAWS:,}; got k={k}.")
    return int(k)


def set_fields(metric: Metric, **fields: object) -> None:
    """Store checked fields of a frozen metric."""
    for name, value in fields.items():
        object.__setattr__(metric, name, value)


METRICS: dict[str, type[Metric]] = {}
ALIASES: dict[str, str] = {}

M = TypeVar("M", bound=type[Metric])


def register(head: str, *aliases: str) -> Callable[[M], M]:
    """Give a metric its name; `aliases` are read but never printed."""

    def add(metric: M) -> M:
        metric.head = head
        METRICS[head] = metric
        ALIASES.update(dict.fromkeys(aliases, head))
        return metric

    return add
