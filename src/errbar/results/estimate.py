"""One number: an estimate names its subject and metric, an interval what it covers.

A number prints to two significant digits of its standard deviation; what lies beyond is noise.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from errbar.base.tables import percent, printable, supported
from errbar.metrics.base import Metric

SIMULATIONS = 200  # of an audit
_SLACK = 1e-9  # an end and a value this near are equal but for rounding


class Estimand(StrEnum):
    """What an interval is about."""

    BENCHMARK = "benchmark"
    POPULATION = "population"
    RERUN = "rerun"

    @property
    def words(self) -> str:
        """The same for a reader."""
        return _WORDS[self]


_WORDS = {
    Estimand.BENCHMARK: "these very questions, asked again without end (trial noise)",
    Estimand.POPULATION: "questions like these (trial noise and the choice of questions)",
    Estimand.RERUN: "what the same run would show if repeated",
}


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, at a level, for a stated target."""

    low: float
    high: float
    level: float
    covers: Estimand

    def __post_init__(self) -> None:
        _without_minus_zero(self, "low", "high")


@dataclass(frozen=True, slots=True)
class Subject:
    """What a number is of: a system, the task it was given, and which part of that.

    Examples
    --------
    >>> print(Subject("small", "sums", (("difficulty", "hard"),)))
    small · sums · hard
    """

    system: str = ""  # empty where there is only one, and it has no name
    task: str = ""
    slice: tuple[tuple[str, str], ...] = ()  # each column that was grouped by, and its value
    failed: str = ""  # "wrong" or "right" where rows without a result are taken both ways

    def __str__(self) -> str:
        parts = (self.system, self.task, *(value for _, value in self.slice))
        taken = f" (failed: {self.failed})" if self.failed else ""
        return f"{' · '.join(part for part in parts if part)}{taken}".strip()


class AnyEstimate(ABC):
    """What estimates of repeated trials and of ranked items have in common."""

    __slots__ = ()
    of: Subject
    metric: Metric
    value: float
    sd: float
    interval: Interval
    reason: str

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """What it says, flat; its subject stands apart."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.interval.low

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.interval.high

    @property
    def system(self) -> str:
        """Whose it is; empty where there is only one, and it has no name."""
        return self.of.system

    @property
    def task(self) -> str:
        """What the system was given; empty where tasks have no names."""
        return self.of.task

    @property
    def slice(self) -> tuple[tuple[str, str], ...]:
        """Each column that was grouped by, and its value."""
        return self.of.slice


@dataclass(frozen=True, slots=True)
class Estimate(AnyEstimate):
    """One metric of one system.

    Examples
    --------
    >>> from errbar.metrics import PassAt
    >>> interval = Interval(0.6134, 0.7702, 0.95, Estimand.BENCHMARK)
    >>> print(Estimate(Subject("small"), PassAt(2), 0.7125, 0.6918, 0.04, interval, 40, 320))
    small pass@2: 0.692 ± 0.040, 95 % interval 0.613 to 0.770, observed 0.713
    """

    of: Subject
    metric: Metric
    value: float  # from the observed trials; nan where they give none
    mean: float
    sd: float  # nan when the data cannot tell; never 0 for lack of data
    interval: Interval
    questions: int
    trials: int  # of all questions together
    reason: str = ""  # why value or sd is nan
    held: float = math.nan  # share of simulations like these whose interval held the truth

    def __post_init__(self) -> None:
        _without_minus_zero(self, "value", "mean", "sd")

    def __str__(self) -> str:
        value, mean, sd, low, high = self.digits()
        whose = printable(str(self.of))
        why = f" ({self.reason})" if self.reason else ""
        if math.isnan(self.mean):
            return f"{whose} {self.metric}: none{why}".lstrip()
        seen = not math.isnan(self.value) and self.value != self.mean
        observed = f", observed {value}" if seen else ""
        return (
            f"{whose} {self.metric}: {mean} ± {sd}, {percent(self.interval.level)} interval "
            f"{low} to {high}{observed}{why}"
        ).lstrip()

    def record(self) -> dict[str, Any]:
        """What it says, flat; its subject stands apart."""
        audited = {} if math.isnan(self.held) else {"held": self.held}
        return {
            "metric": str(self.metric),
            "value": self.value,
            "mean": self.mean,
            "sd": self.sd,
            "low": self.interval.low,
            "high": self.interval.high,
            "level": self.interval.level,
            "covers": self.interval.covers.value,
            "questions": self.questions,
            "trials": self.trials,
            "reason": self.reason,
        } | audited

    def digits(self) -> tuple[str, str, str, str, str]:
        """Value, mean, sd and the ends of the interval, to the digits that `sd` supports."""
        value, mean, sd, low, high = (
            supported(number, self.sd)
            for number in (self.value, self.mean, self.sd, self.interval.low, self.interval.high)
        )
        return value, mean, sd, low, high

    @property
    def outside(self) -> bool:
        """Whether the observed value lies outside the interval."""
        low, high = self.interval.low, self.interval.high
        return self.value < low - _SLACK or self.value > high + _SLACK


@dataclass(frozen=True, slots=True)
class RankedEstimate(AnyEstimate):
    """One metric of the ranked items of one system.

    Examples
    --------
    >>> from errbar.metrics import Aurc
    >>> interval = Interval(0.0213, 0.1402, 0.95, Estimand.POPULATION)
    >>> print(RankedEstimate(Aurc(), 0.0625, 0.031, interval, 40, 40))
    aurc: 0.062 ± 0.031, 95 % interval 0.021 to 0.140
    """

    metric: Metric
    value: float
    sd: float  # nan when the data cannot tell; never 0 for lack of data
    interval: Interval
    items: int
    clusters: int  # as many as items where each stands for itself
    dropped: float = 0.0  # share of the resamples in which it was undefined
    reason: str = ""  # why there is no interval
    groups: int = 0  # of clusters, where those were resampled in their place
    bin_error: float = 0.0  # how far the value may be from what it is without bins
    of: Subject = Subject()

    def __post_init__(self) -> None:
        _without_minus_zero(self, "value", "sd")

    def __str__(self) -> str:
        whose = printable(str(self.of))
        text = f"{whose} {self.metric}: {supported(self.value, self.sd)}".lstrip()
        if self.reason:
            return f"{text}, no interval: {self.reason}"
        if not math.isnan(self.sd):
            text += f" ± {supported(self.sd, self.sd)}"
        return f"{text}, {self.ends()}{self._left_out()}"

    def record(self) -> dict[str, Any]:
        """What it says, flat; its subject stands apart."""
        return {
            "metric": str(self.metric),
            "value": self.value,
            "sd": self.sd,
            "low": self.interval.low,
            "high": self.interval.high,
            "level": self.interval.level,
            "covers": self.interval.covers.value,
            "items": self.items,
            "clusters": self.clusters,
            "dropped": self.dropped,
            "reason": self.reason,
            "groups": self.groups,
            "bin_error": self.bin_error,
        }

    def ends(self) -> str:
        """The interval in words."""
        low, high = self.interval.low, self.interval.high
        return (
            f"{percent(self.interval.level)} interval {supported(low, self.sd)} to "
            f"{supported(high, self.sd)}"
        )

    def _left_out(self) -> str:
        return f" ({percent(self.dropped)} of resamples undefined)" if self.dropped else ""


def _without_minus_zero(result: object, *fields: str) -> None:
    """Nothing is 0.0, however it came about: −0.0 would print its sign."""
    for field in fields:
        if getattr(result, field) == 0:
            object.__setattr__(result, field, 0.0)
