"""Results: an interval names what it covers, an estimate its system and metric.

A number prints to two significant digits of its standard deviation; what lies beyond is noise.
"""

import importlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, overload

from errbar.errors import InputError
from errbar.metrics.base import Metric
from errbar.metrics.grammar import parse
from errbar.tables import html_table, percent, pointed, supported, text_table

_MARK = "*"  # beside an interval that its own observed value lies outside of
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


@dataclass(frozen=True, slots=True)
class Estimate:
    """One metric of one system.

    Examples
    --------
    >>> from errbar.metrics import PassAt
    >>> interval = Interval(0.6134, 0.7702, 0.95, Estimand.BENCHMARK)
    >>> print(Estimate("small", PassAt(2), 0.7125, 0.6918, 0.04, interval, 40, 320))
    small pass@2: 0.692 ± 0.040, 95 % interval 0.613 to 0.770, observed 0.713
    """

    system: str  # empty where there is only one, and it has no name
    metric: Metric
    value: float  # from the observed trials; nan where they give none
    mean: float
    sd: float  # nan when the data cannot tell; never 0 for lack of data
    interval: Interval
    questions: int
    trials: int  # of all questions together
    reason: str = ""  # why value or sd is nan

    def __str__(self) -> str:
        value, mean, sd, low, high = self.digits()
        why = f" ({self.reason})" if self.reason else ""
        return (
            f"{self.system} {self.metric}: {mean} ± {sd}, {percent(self.interval.level)} interval "
            f"{low} to {high}, observed {value}{why}"
        ).lstrip()

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
class RankedEstimate:
    """One metric of ranked items.

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

    def __str__(self) -> str:
        text = f"{self.metric}: {supported(self.value, self.sd)}"
        if self.reason:
            return f"{text}, no interval: {self.reason}"
        if not math.isnan(self.sd):
            text += f" ± {supported(self.sd, self.sd)}"
        return f"{text}, {self.ends()}{self._left_out()}"

    def ends(self) -> str:
        """The interval in words."""
        low, high = self.interval.low, self.interval.high
        return (
            f"{percent(self.interval.level)} interval {supported(low, self.sd)} to "
            f"{supported(high, self.sd)}"
        )

    def _left_out(self) -> str:
        return f" ({percent(self.dropped)} of resamples undefined)" if self.dropped else ""


@dataclass(frozen=True, slots=True, repr=False)
class RankedScores:
    """Metrics of ranked items by system; prints as a table."""

    rows: tuple[tuple[str, RankedEstimate], ...]
    method: str
    remarks: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per estimate, for a DataFrame or JSON."""
        return [
            {
                "system": system,
                "metric": str(one.metric),
                "value": one.value,
                "sd": one.sd,
                "low": one.interval.low,
                "high": one.interval.high,
                "level": one.interval.level,
                "covers": one.interval.covers.value,
                "items": one.items,
                "clusters": one.clusters,
                "dropped": one.dropped,
                "reason": one.reason,
                "groups": one.groups,
                "bin_error": one.bin_error,
            }
            for system, one in self.rows
        ]

    def to_pandas(self) -> Any:
        """A pandas DataFrame, a row per estimate."""
        return _library("pandas").DataFrame(self.to_dicts())

    def to_polars(self) -> Any:
        """A polars DataFrame, a row per estimate."""
        return _library("polars").DataFrame(self.to_dicts())

    def to_arrow(self) -> Any:
        """A pyarrow Table, a row per estimate."""
        return _library("pyarrow").Table.from_pylist(self.to_dicts())

    def columns(self) -> list[list[str]]:
        """The table as text, each column from its head down."""
        estimates = [one for _, one in self.rows]
        ends = [
            "none"
            if one.reason
            else " to ".join(supported(x, one.sd) for x in (one.interval.low, one.interval.high))
            for one in estimates
        ]
        level = percent(estimates[0].interval.level) if estimates else ""
        return [
            ["system", *(system for system, _ in self.rows)],
            ["metric", *(str(one.metric) for one in estimates)],
            ["value", *pointed(supported(one.value, one.sd) for one in estimates)],
            [f"{level} interval", *ends],
            ["items", *(str(one.items) for one in estimates)],
        ]

    def notes(self) -> list[str]:
        """What stands under the table."""
        reasons = (
            f"{system} {one.metric}: {one.reason}.".lstrip()
            for system, one in self.rows
            if one.reason
        )
        return [f"Method: {self.method}.", *reasons, *self.remarks]

    def __str__(self) -> str:
        return text_table(self.columns(), self.notes())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(self.columns(), self.notes())


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Sequence[Estimate]):
    """Estimates that print as a table; `method` says in words how their intervals were made."""

    estimates: tuple[Estimate, ...]
    method: str = ""
    remarks: tuple[str, ...] = ()  # on the data: what was guessed, what was left out

    def __len__(self) -> int:
        return len(self.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    @overload
    def __getitem__(self, at: int) -> Estimate: ...
    @overload
    def __getitem__(self, at: slice) -> "Scores": ...
    def __getitem__(self, at: int | slice) -> "Estimate | Scores":
        if isinstance(at, slice):
            return Scores(self.estimates[at], self.method, self.remarks)
        return self.estimates[at]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per estimate, for a DataFrame or JSON."""
        return [
            {
                "system": one.system,
                "metric": str(one.metric),
                "value": one.value,
                "mean": one.mean,
                "sd": one.sd,
                "low": one.interval.low,
                "high": one.interval.high,
                "level": one.interval.level,
                "covers": one.interval.covers.value,
                "questions": one.questions,
                "trials": one.trials,
                "reason": one.reason,
            }
            for one in self.estimates
        ]

    def to_pandas(self) -> Any:
        """A pandas DataFrame, a row per estimate."""
        return _library("pandas").DataFrame(self.to_dicts())

    def to_polars(self) -> Any:
        """A polars DataFrame, a row per estimate."""
        return _library("polars").DataFrame(self.to_dicts())

    def to_arrow(self) -> Any:
        """A pyarrow Table, a row per estimate."""
        return _library("pyarrow").Table.from_pylist(self.to_dicts())

    def sorted(self, by: str = "value", *, descending: bool = True) -> "Scores":
        """In the order of a column of `to_dicts`."""
        rows = self.to_dicts()
        if rows and by not in rows[0]:
            known = ", ".join(rows[0])
            raise InputError(f"there is no column {by!r} to sort by; there are: {known}.")
        unknown = [at for at, row in enumerate(rows) if row[by] != row[by]]
        order = [at for at in range(len(rows)) if at not in unknown]
        order.sort(key=lambda at: rows[at][by], reverse=descending)
        kept = tuple(self.estimates[at] for at in (*order, *unknown))
        return Scores(kept, self.method, self.remarks)

    def only(self, system: str | None = None, metric: str | None = None) -> "Scores":
        """Those of one system, or of one metric, or both."""
        wanted = None if metric is None else str(parse(metric))
        kept = tuple(
            one
            for one in self.estimates
            if system in (None, one.system) and wanted in (None, str(one.metric))
        )
        return Scores(kept, self.method, self.remarks)

    def __str__(self) -> str:
        grouped = len({one.system for one in self}) < len(self)
        breaks = {at for at in range(1, len(self)) if self[at].system != self[at - 1].system}
        return text_table(self.columns(), self.notes(), breaks if grouped else ())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return html_table(self.columns(), self.notes())

    def notes(self) -> list[str]:
        """What stands under the table: the data, what the columns mean and the intervals cover."""
        intervals = dict.fromkeys((one.interval.level, one.interval.covers) for one in self)
        notes = [
            *_sizes(self.estimates),
            "value: from the observed trials; mean, sd: what the interval is made of.",
            *(f"{percent(level)} interval: for {covers.words}." for level, covers in intervals),
        ]
        if self.method:
            notes.append(f"Method: {self.method}.")
        if any(one.outside for one in self):
            notes.append(f"{_MARK} value lies outside: the prior has pulled the mean away from it.")
        reasons = (
            f"{one.system} {one.metric}: {one.reason}.".lstrip() for one in self if one.reason
        )
        return [*notes, *reasons, *self.remarks]

    def columns(self) -> list[list[str]]:
        """Each column from its head down; one that is empty all the way is left out."""
        levels = {percent(one.interval.level) for one in self}
        digits = list(zip(*(one.digits() for one in self), strict=True)) or [()] * 5
        value, mean, sd, low, high = (pointed(column) for column in digits)
        marks = [f" {_MARK}" if one.outside else "" for one in self]
        ends = [
            f"{left} to {right}{mark}" for left, right, mark in zip(low, high, marks, strict=True)
        ]
        columns = [
            ["system", *(one.system for one in self)],
            ["metric", *(str(one.metric) for one in self)],
            ["value", *value],
            ["mean", *mean],
            ["sd", *sd],
            [f"{levels.pop()} interval" if len(levels) == 1 else "interval", *ends],
        ]
        return columns if any(one.system for one in self) else columns[1:]


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(f"{name} is not installed: pip install {name}.") from error


def _sizes(estimates: Sequence[Estimate]) -> list[str]:
    """How much data each system had, in one note where all had the same."""
    sizes: dict[str, str] = {}
    for one in estimates:
        size = f"{_some(one.questions, 'question')}, {_some(one.trials, 'trial')}"
        if sizes.setdefault(one.system, size) != size:
            sizes[f"{one.system} {one.metric}".lstrip()] = size
    if len(set(sizes.values())) == 1:
        each = " of each system" if len(sizes) > 1 else ""
        return [f"{next(iter(sizes.values()))}{each}."]
    return [f"{system}: {size}.".removeprefix(": ") for system, size in sizes.items()]


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
