"""Comparisons of two systems, and tables of them."""

import math
from dataclasses import dataclass
from typing import Any

from errbar.base.tables import DASH, counted, percent, pointed, printable, supported
from errbar.metrics.base import Direction, Metric
from errbar.results.base import Rows
from errbar.results.estimate import Interval

_LEAST_SHOWN, _LEAST_CHANCE = 1e-4, 1e-3  # p-values and chances below this are shown as such


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of two systems on the same questions: the first less the second."""

    metric: Metric
    task: str
    one: str
    other: str
    value: float  # of the first, on the questions of both
    against: float  # of the second
    difference: float
    sd: float
    interval: Interval  # of the difference; it holds for all comparisons of a table together
    p_value: float  # that the difference is chance, of this comparison alone
    adjusted: float  # the same for the number of comparisons
    chance: float  # that the first is better
    wins: int  # questions on which it is
    ties: int
    losses: int
    left_out: int = 0  # questions that only one of them has
    margin: float | None = None  # a difference that would not matter
    no_worse: float = math.nan  # chance that the first is not worse by more than that
    caution: str = ""  # why not to trust it too much
    reason: str = ""  # why there is no interval
    items: int = 0  # ranked ones that both have, where nothing is won question by question

    @property
    def questions(self) -> int:
        """Those that both have; ranked items where those are compared."""
        return self.items or self.wins + self.ties + self.losses

    @property
    def unit(self) -> str:
        """What they are."""
        return "item" if self.items else "question"

    @property
    def better(self) -> str:
        """Which of the two is, as far as the data can tell; empty if they cannot."""
        if not self.adjusted < 1.0 - self.interval.level:
            return ""
        return self.one if self._gain(self.difference) > 0 else self.other

    @property
    def verdict(self) -> str:
        """What the data say, in plain words."""
        if self.reason:
            return "cannot tell"
        plainly = f"{self.better} is better" if self.better else "cannot tell"
        return self._beside(self.margin, plainly) if self.margin else plainly

    def _beside(self, margin: float, plainly: str) -> str:
        """The verdict where a difference up to the margin does not matter."""
        low, high = self.gain_ends
        said = {
            f"{self.one} is better by more than {margin:g}": low > margin,
            f"{self.other} is better by more than {margin:g}": high < -margin,
            f"{plainly}, by less than {margin:g}": bool(self.better) and self._is_equal,
            plainly: bool(self.better),
            f"as good as each other, within {margin:g}": self._is_equal,
            f"{self.one} is no worse than {self.other}, within {margin:g}": low > -margin,
            f"{self.other} is no worse than {self.one}, within {margin:g}": high < margin,
        }
        return next((words for words, holds in said.items() if holds), "cannot tell")

    @property
    def gain_ends(self) -> tuple[float, float]:
        """Ends of how much better the first is, whichever way is better."""
        ends = (self._gain(self.interval.low), self._gain(self.interval.high))
        return min(ends), max(ends)

    @property
    def _is_equal(self) -> bool:
        low, high = self.gain_ends
        return self.margin is not None and -self.margin < low and high < self.margin

    def _gain(self, difference: float) -> float:
        return difference if self.metric.direction is Direction.HIGHER else -difference

    def record(self) -> dict[str, Any]:
        """What it says, flat."""
        return {
            "task": self.task,
            "metric": str(self.metric),
            "one": self.one,
            "other": self.other,
            "value": self.value,
            "against": self.against,
            "difference": self.difference,
            "sd": self.sd,
            "low": self.interval.low,
            "high": self.interval.high,
            "level": self.interval.level,
            "covers": self.interval.covers.value,
            "p_value": self.p_value,
            "adjusted": self.adjusted,
            "chance": self.chance,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
            "questions": self.questions,
            "left_out": self.left_out,
            "margin": self.margin,
            "no_worse": self.no_worse,
            "better": self.better,
            "verdict": self.verdict,
            "caution": self.caution,
            "reason": self.reason,
        }

    def __str__(self) -> str:
        low, high = (supported(end, self.sd) for end in (self.interval.low, self.interval.high))
        ends = f"{percent(self.interval.level)} interval {low} to {high}"
        return printable(
            f"{self.metric}: {self.one} less {self.other} is {supported(self.difference, self.sd)}"
            f", {f'no interval ({self.reason})' if self.reason else ends}: {self.verdict}"
        )


@dataclass(frozen=True, slots=True, repr=False)
class Comparisons(Rows[Comparison]):
    """Comparisons that hold together at their level."""

    method: str
    remarks: tuple[str, ...] = ()
    together: int = 1  # how many comparisons it is adjusted for

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per comparison, for a DataFrame or JSON."""
        return [row.record() for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Each column from its head down; one that is empty all the way is left out."""
        gap, low, high = (
            pointed(supported(number, row.sd) for number, row in zip(numbers, self, strict=True))
            for numbers in (
                [row.difference for row in self],
                [row.interval.low for row in self],
                [row.interval.high for row in self],
            )
        )
        ends = [
            DASH if row.reason else f"{left} to {right}"
            for row, left, right in zip(self, low, high, strict=True)
        ]
        levels = {percent(row.interval.level) for row in self}
        columns = [
            ["task", *(row.task for row in self)],
            ["metric", *(str(row.metric) for row in self)],
            ["systems", *(f"{row.one} − {row.other}" for row in self)],
            ["difference", *gap],
            [f"{' or '.join(sorted(levels))} interval", *ends],
            ["P(better)", *(_share(row.chance) for row in self)],
            ["p", *(_p(row.adjusted) for row in self)],
            ["win/tie/loss", *(_tally(row) for row in self)],
            ["verdict", *(row.verdict for row in self)],
            ["caution", *(row.caution for row in self)],
        ]
        return [column for column in columns if any(column[1:])]

    def notes(self) -> list[str]:
        """What stands under the table."""
        covers = list(dict.fromkeys(row.interval.covers for row in self))
        notes = [*self._sizes()]
        notes += [f"The interval is for {one.words}." for one in covers]
        if self.together > 1:
            notes.append(
                f"The intervals of all {self.together} comparisons hold together at the level; p "
                f"is adjusted for their number (Holm), and so are verdicts."
            )
        elif sum(row.questions > 0 for row in self) > 1:
            notes.append("Each comparison stands alone; nothing is adjusted for their number.")
        won = "" if any(row.items for row in self) else "; win/tie/loss: questions on which it is"
        notes.append(f"P(better): the chance that the first is{won}.")
        if any(row.metric.direction is Direction.LOWER for row in self):
            notes.append("Lower is better.")
        return [*notes, f"Method: {self.method}.", *self._reasons(), *self.remarks]

    def _reasons(self) -> list[str]:
        """Why numbers are missing; pairs with the same reason in one note."""
        several = len({row.task for row in self}) > 1
        why: dict[str, dict[str, None]] = {}
        for row in self:
            if row.reason:
                where = f" · {row.task}" if several and row.task else ""
                why.setdefault(row.reason, {})[f"{row.one} − {row.other}{where}"] = None
        return [f"{', '.join(pairs)}: {reason}." for reason, pairs in why.items()]

    def _sizes(self) -> list[str]:
        """How many questions were compared, and how many only one of two systems has."""
        there = [row for row in self if row.questions]
        sizes = {row.questions for row in there}
        each = " of each pair" if len(there) > 1 else ""
        unit = there[0].unit if there else "question"
        notes = [f"{counted(sizes.pop(), unit)}{each}."] if len(sizes) == 1 else []
        notes += [
            f"{row.one} − {row.other}{f' · {row.task}' if row.task else ''}: "
            f"{counted(row.questions, unit)}."
            for row in there
            if sizes and row.metric == there[0].metric
        ]
        lost = dict.fromkeys(
            f"{row.one} − {row.other}: {counted(row.left_out, unit)} that only one of them "
            f"has {'is' if row.left_out == 1 else 'are'} left out."
            for row in self
            if row.left_out
        )
        return [*notes, *lost]


def _tally(row: Comparison) -> str:
    return f"{row.wins}/{row.ties}/{row.losses}" if row.questions and not row.items else ""


def _share(chance: float) -> str:
    if math.isnan(chance):
        return ""
    if chance < _LEAST_CHANCE:
        return f"< {_LEAST_CHANCE:g}"
    return f"> {1 - _LEAST_CHANCE:g}" if chance > 1 - _LEAST_CHANCE else f"{chance:.3f}"


def _p(value: float) -> str:
    if math.isnan(value):
        return ""
    return f"< {_LEAST_SHOWN:g}" if value < _LEAST_SHOWN else f"{value:.2g}"
