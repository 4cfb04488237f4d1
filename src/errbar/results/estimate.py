"""Estimates and their intervals: a value with its subject, metric, uncertainty and target.

Numbers are printed to two significant digits of their standard deviation.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Self

from errbar.base.arguments import require_choice
from errbar.base.remarks import way_to_say
from errbar.base.tables import DASH, interval_title, percent, printable, score_text
from errbar.metrics.base import Metric

BRACKET = "bracket: an interval that also covers the case that failed trials would have been right."
SIMULATIONS = 200  # data sets that an audit simulates
_SLACK = 1e-9  # an end and a value this close are equal, but for rounding


class EqualByValue:
    """Equality and hash of a dataclass by its fields, with nan equal to nan.

    Its decorator has `eq=False`. Since Python 3.13 dataclasses compare their fields one by one, so
    a record with a nan would not equal its copy.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Score(EqualByValue):
    ...     value: float
    >>> Score(float("nan")) == Score(math.nan), Score(0.5) == Score(0.25)
    (True, False)
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))


def _values(record: Any) -> tuple[Any, ...]:
    values = (getattr(record, field.name) for field in fields(record))
    return tuple(
        None if isinstance(value, float) and math.isnan(value) else value for value in values
    )


class Estimand(StrEnum):
    """The target of an interval."""

    BENCHMARK = "benchmark"
    POPULATION = "population"
    RERUN = "rerun"

    @classmethod
    def _missing_(cls, value: object) -> None:
        require_choice(value, "estimand", [each.value for each in cls])

    @property
    def words(self) -> str:
        """The target as a phrase for a reader."""
        return _WORDS[self]

    @property
    def short_words(self) -> str:
        """The target without the source of the sampling error."""
        return self.words.partition(" (")[0]


_WORDS = {
    Estimand.BENCHMARK: "this exact benchmark (covers the sampling of trials)",
    Estimand.POPULATION: "new questions of the same kind (covers the sampling of questions and of "
    "trials)",
    Estimand.RERUN: "a repeat of this run (covers the sampling of trials in both runs)",
}


@dataclass(frozen=True, slots=True, eq=False)
class Interval(EqualByValue):
    """An interval from `low` to `high` with its confidence level and target."""

    low: float
    high: float
    level: float
    covers: Estimand

    def __post_init__(self) -> None:
        _without_minus_zero(self, "low", "high")

    @property
    def title(self) -> str:
        """The name of the interval in print, as in "95% CI"."""
        return interval_title(self.level)

    @property
    def ends(self) -> tuple[float, float]:
        """The lower and the upper end."""
        return self.low, self.high

    @classmethod
    def unknown(cls, level: float, covers: Estimand) -> "Interval":
        """An interval that cannot be computed: its ends are nan."""
        return cls(math.nan, math.nan, level, covers)

    def record(self) -> dict[str, Any]:
        """A flat record, as part of that of an estimate."""
        return record_of(self, "low", "high", "level", "covers")


def record_of(found: object, *names: str) -> dict[str, Any]:
    """Attributes as a flat record, for a DataFrame or JSON.

    A metric and an estimand are recorded by name, an interval as `low`, `high`, `level` and
    `covers`.
    """
    record: dict[str, Any] = {}
    for name in names:
        value = getattr(found, name)
        if isinstance(value, Interval):
            record |= value.record()
        elif isinstance(value, Metric):
            record[name] = str(value)
        else:
            record[name] = value.value if isinstance(value, Estimand) else value
    return record


class HasInterval(EqualByValue):
    """Base class of results with an interval."""

    __slots__ = ()
    interval: Interval

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.interval.low

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.interval.high


def coverage_line(interval: Interval, *more: str) -> str:
    """The last line of a result: what its intervals cover, and how to show the method."""
    line = "; ".join([f"{interval.title} for {interval.covers.short_words}", *filter(None, more)])
    return f"{line} ({way_to_say('--explain', '.explain()')})."


@dataclass(frozen=True, slots=True)
class Subject:
    """What an estimate is about: a system, a task, and a slice of the task.

    Examples
    --------
    >>> print(Subject("small", "sums", (("difficulty", "hard"),)))
    small · sums · hard
    """

    system: str = ""  # empty for a single system without a name
    task: str = ""
    slice: tuple[tuple[str, str], ...] = ()  # (column, value) for each column of the slice
    failed: str = ""  # "wrong" or "right" if failed rows are counted both ways

    def __str__(self) -> str:
        parts = (self.system, self.task, *(value for _, value in self.slice))
        reading = f" (failed as {self.failed})" if self.failed else ""
        return f"{' · '.join(part for part in parts if part)}{reading}".strip()


class BaseEstimate(HasInterval, ABC):
    """Base class of estimates from repeated trials and from ranked items."""

    __slots__ = ()
    of: Subject
    metric: Metric
    value: float
    sd: float
    reason: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """A flat record without the subject."""

    @property
    def system(self) -> str:
        """Name of the system; empty if there is a single system without a name."""
        return self.of.system

    @property
    def task(self) -> str:
        """Name of the task; empty if tasks have no names."""
        return self.of.task

    @property
    def slice(self) -> tuple[tuple[str, str], ...]:
        """(column, value) for each column of the slice."""
        return self.of.slice


_NAN = math.nan
_NO_VALUE: dict[str, Any] = {"value": _NAN, "mean": _NAN, "sd": _NAN, "questions": 0, "trials": 0}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Estimate(BaseEstimate):
    """One metric of one system.

    Examples
    --------
    >>> from errbar.metrics import PassAt
    >>> interval = Interval(0.6134, 0.7702, 0.95, Estimand.BENCHMARK)
    >>> print(Estimate(of=Subject("small"), metric=PassAt(2), value=0.7125, mean=0.6918, sd=0.04,
    ...                interval=interval, questions=40, trials=320))
    small pass@2: 0.692 ± 0.040, 95% CI 0.613 to 0.770, observed 0.713
    """

    of: Subject
    metric: Metric
    value: float  # observed score; nan if the trials do not determine it
    mean: float
    sd: float  # nan if it cannot be estimated; never 0 for lack of data
    interval: Interval
    questions: int
    trials: int  # number of trials of all questions
    reason: str = ""  # why value or sd is nan
    clusters: int = 0  # clusters of questions that were resampled, if any
    is_even: bool = False  # whether all questions are known to have as many trials
    coverage: float = math.nan  # share of simulated data sets whose interval has the true value
    # of the score, over all outcomes that failed trials may have had
    bracket: Interval | None = None

    def __post_init__(self) -> None:
        _without_minus_zero(self, "value", "mean", "sd")

    def __str__(self) -> str:
        value, mean, sd, low, high = self.digits()
        subject = printable(str(self.of))
        why = f" ({self.reason})" if self.reason else ""
        if math.isnan(self.mean):
            return f"{subject} {self.metric}: none{why}".lstrip()
        differs = not math.isnan(self.value) and abs(self.value - self.mean) > _SLACK
        observed = f", observed {value}" if differs else ""
        return (
            f"{subject} {self.metric}: {mean} ± {sd}, {self.interval.title} "
            f"{low} to {high}{observed}{why}"
        ).lstrip()

    def record(self) -> dict[str, Any]:
        """A flat record without the subject."""
        audited = () if math.isnan(self.coverage) else ("coverage",)
        sizes = ("questions", "trials")
        record = record_of(
            self, "metric", "value", "mean", "sd", "interval", *sizes, "reason", *audited
        )
        if not self.of.failed:
            return record
        ends = (math.nan, math.nan) if self.bracket is None else self.bracket.ends
        return {**record, "bracket_low": ends[0], "bracket_high": ends[1]}

    @property
    def bracket_text(self) -> str:
        """The interval for both cases of failed trials, as a cell of a table."""
        if self.bracket is None or math.isnan(sum(self.bracket.ends)):
            return DASH
        return " to ".join(score_text(end, self.sd) for end in self.bracket.ends)

    @classmethod
    def without_value(cls, of: Subject, metric: Metric, interval: Interval, reason: str) -> Self:
        """An estimate without a value, with the reason."""
        return cls(of=of, metric=metric, interval=interval, reason=reason, **_NO_VALUE)

    def digits(self) -> tuple[str, str, str, str, str]:
        """Value, mean, sd and the ends of the interval, to the digits that `sd` supports."""
        value, mean, sd, low, high = (
            score_text(number, self.sd)
            for number in (self.value, self.mean, self.sd, self.interval.low, self.interval.high)
        )
        return value, mean, sd, low, high

    def headline(self) -> tuple[str, str]:
        """The score in a sentence of two parts: the score, and its interval."""
        value, mean, _, low, high = self.digits()
        score = mean if math.isnan(self.value) else value
        where = f" on {self.task}" if self.task else ""
        who = f"{self.system or 'The system'} scores"
        return f"{who} {score} {self.metric}{where}", f" ({self.interval.title} {low} to {high})."

    @property
    def outside(self) -> bool:
        """Whether the observed value lies outside the interval."""
        low, high = self.interval.low, self.interval.high
        return self.value < low - _SLACK or self.value > high + _SLACK


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RankedEstimate(BaseEstimate):
    """One metric of the ranked items of one system.

    Examples
    --------
    >>> from errbar.metrics import Aurc
    >>> interval = Interval(0.0213, 0.1402, 0.95, Estimand.POPULATION)
    >>> print(RankedEstimate(metric=Aurc(), value=0.0625, sd=0.031, interval=interval, items=40,
    ...                      clusters=40))
    aurc: 0.062 ± 0.031, 95% CI 0.021 to 0.140
    """

    metric: Metric
    value: float
    sd: float  # nan if it cannot be estimated; never 0 for lack of data
    interval: Interval
    items: int
    clusters: int  # equal to the items if every item is its own cluster
    dropped: float = 0.0  # share of the resamples in which it was undefined
    reason: str = ""  # why there is no interval
    groups: int = 0  # groups of clusters that were resampled instead, if any
    bin_error: float = 0.0  # largest error of the value due to binning
    of: Subject = Subject()

    def __post_init__(self) -> None:
        _without_minus_zero(self, "value", "sd")

    def __str__(self) -> str:
        subject = printable(str(self.of))
        text = f"{subject} {self.metric}: {score_text(self.value, self.sd)}".lstrip()
        if self.reason:
            return f"{text}, no interval: {self.reason}"
        if not math.isnan(self.sd):
            text += f" ± {score_text(self.sd, self.sd)}"
        return f"{text}, {self.ends()}{self._left_out()}"

    def record(self) -> dict[str, Any]:
        """A flat record without the subject."""
        sizes = ("items", "clusters", "dropped", "reason", "groups", "bin_error")
        return record_of(self, "metric", "value", "sd", "interval", *sizes)

    def ends(self) -> str:
        """The interval in words."""
        low, high = self.interval.low, self.interval.high
        return f"{self.interval.title} {score_text(low, self.sd)} to {score_text(high, self.sd)}"

    def _left_out(self) -> str:
        return f" ({percent(self.dropped)} of resamples undefined)" if self.dropped else ""


def _without_minus_zero(result: object, *fields: str) -> None:
    """Replace −0.0 by 0.0, so that no sign is printed."""
    for field in fields:
        if getattr(result, field) == 0:
            object.__setattr__(result, field, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class BandPoint(HasInterval):
    """A point of a curve; its interval is nan where resampling gives none."""

    x: float
    value: float
    interval: Interval
    items: int = 0  # number of items behind this point, if it varies


@dataclass(frozen=True, slots=True)
class Band:
    """A curve of one system and task."""

    of: Subject
    points: tuple[BandPoint, ...]
    reach: float = 1.0  # largest coverage

    @property
    def lacks_intervals(self) -> bool:
        """Whether some points have no interval."""
        return any(math.isnan(point.interval.low) for point in self.points)
