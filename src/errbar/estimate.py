"""Results: an interval names what it covers, an estimate its system and metric.

A number prints to two significant digits of its standard deviation; what lies beyond is noise.
"""

import html
import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, overload

from errbar.metrics.base import Metric

_FOOTER_WIDTH = 80
_MARK = "*"  # beside an interval that its own observed value lies outside of
_UNKNOWN_DIGITS, _EXACT_DIGITS = 4, 12  # shown where sd is nan, and where it is 0
_MOST_DECIMALS = 12  # beyond these a float between 0 and 1 is written as 1.2e-20
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
            f"{self.system} {self.metric}: {mean} ± {sd}, {_percent(self.interval.level)} interval "
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


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Sequence[Estimate]):
    """Estimates that print as a table; `method` says in words how their intervals were made."""

    estimates: tuple[Estimate, ...]
    method: str = ""

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
            return Scores(self.estimates[at], self.method)
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

    def __str__(self) -> str:
        head, *rows = zip(*(_padded(column) for column in self._columns()), strict=True)
        lines = ["  ".join(head), "  ".join("-" * len(cell) for cell in head)]
        grouped = len({one.system for one in self}) < len(self)
        for at, row in enumerate(rows):
            if grouped and at and self[at].system != self[at - 1].system:
                lines.append("")
            lines.append("  ".join(row))
        notes = (textwrap.fill(n, _FOOTER_WIDTH, subsequent_indent="  ") for n in self.notes())
        return "\n".join([*(line.rstrip() for line in lines), "", *notes])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head, *rows = zip(*self._columns(), strict=True)
        body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
        notes = "<br>".join(html.escape(note) for note in self.notes())
        return (
            f"<table><thead><tr>{_cells('th', head)}</tr></thead><tbody>{body}</tbody>"
            f'<tfoot><tr><td colspan="{len(head)}" style="text-align: left">{notes}</td></tr>'
            f"</tfoot></table>"
        )

    def notes(self) -> list[str]:
        """What stands under the table: the data, what the columns mean and the intervals cover."""
        intervals = dict.fromkeys((one.interval.level, one.interval.covers) for one in self)
        notes = [
            *_sizes(self.estimates),
            "value: from the observed trials; mean, sd: what the interval is made of.",
            *(f"{_percent(level)} interval: for {covers.words}." for level, covers in intervals),
        ]
        if self.method:
            notes.append(f"Method: {self.method}.")
        if any(one.outside for one in self):
            notes.append(f"{_MARK} value lies outside: the prior has pulled the mean away from it.")
        return notes + [
            f"{one.system} {one.metric}: {one.reason}.".lstrip() for one in self if one.reason
        ]

    def _columns(self) -> list[list[str]]:
        """Each column from its head down; one that is empty all the way is left out."""
        levels = {_percent(one.interval.level) for one in self}
        digits = list(zip(*(one.digits() for one in self), strict=True)) or [()] * 5
        value, mean, sd, low, high = (_pointed(column) for column in digits)
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


def supported(number: float, sd: float) -> str:
    """`number` to two significant digits of `sd`.

    Examples
    --------
    >>> supported(0.70412, 0.0213), supported(0.70412, 0.00996), supported(12345.0, 678.0)
    ('0.704', '0.704', '12340')
    """
    if not (math.isfinite(number) and math.isfinite(sd)) or sd == 0:
        return f"{number:.{_UNKNOWN_DIGITS if sd else _EXACT_DIGITS}g}"
    decimals = 1 - int(f"{sd:.1e}".partition("e")[2])  # of the rounded sd: 0.00996 is 0.010
    if decimals <= _MOST_DECIMALS:
        return f"{round(number, decimals):.{max(decimals, 0)}f}"
    if number == 0:
        return "0"
    known = int(f"{number:.1e}".partition("e")[2]) + decimals
    return f"{number:.{min(max(known, 1), _MOST_DECIMALS)}e}"


def _percent(level: float) -> str:
    return f"{100 * level:.10g} %"


def _sizes(estimates: Sequence[Estimate]) -> list[str]:
    """How much data each system had, in one note where all had the same."""
    sizes = {
        one.system: f"{_some(one.questions, 'question')}, {_some(one.trials, 'trial')}"
        for one in estimates
    }
    if len(set(sizes.values())) == 1:
        each = " of each system" if len(sizes) > 1 else ""
        return [f"{next(iter(sizes.values()))}{each}."]
    return [f"{system}: {size}." for system, size in sizes.items()]


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _pointed(cells: Iterable[str]) -> list[str]:
    """Cells of one width with their decimal points under each other."""
    parts = [cell.partition(".") for cell in cells]
    left = max((len(whole) for whole, _, _ in parts), default=0)
    right = max((len(point + rest) for _, point, rest in parts), default=0)
    return [f"{whole:>{left}}{point + rest:<{right}}" for whole, point, rest in parts]


def _padded(column: Sequence[str]) -> list[str]:
    width = max(len(cell) for cell in column)
    return [cell.ljust(width) for cell in column]


def _cells(tag: str, row: Sequence[str]) -> str:
    return "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row)
