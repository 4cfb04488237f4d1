"""Costs of systems: per trial, per success, beside their quality, and with several tries."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar.base.remarks import Explanation, some_of
from errbar.base.tables import (
    DASH,
    Headline,
    Table,
    Tone,
    interval_column,
    interval_title,
    round_to_sd,
)
from errbar.results.base import Measurement, Rows
from errbar.results.estimate import EqualByValue, Estimand, Interval, Subject, coverage_line

_MOST_NAMED = 3  # systems in a sentence
_CHEAPER, _DEARER, _OPEN = "costs less", "costs more", "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tries(EqualByValue):
    """Results of at most k tries of each question, up to the first right one."""

    k: int
    solved: Measurement  # share of questions, pass@k
    cost: Measurement  # of a question
    per_solved: Measurement  # cost of a solved question


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostRow(EqualByValue):
    """Quality and cost of a system on a task."""

    of: Subject
    quality: Measurement
    cost: Measurement  # of a trial, averaged over questions
    per_success: Measurement  # cost of a trial over the share of right ones; nan without any
    total: float  # total cost of all rows
    front: float  # chance to be on the Pareto front; nan for a single system
    cheapest: float  # chance that its successes cost least
    questions: int
    tries: tuple[Tries, ...]
    level: float

    def record(self) -> dict[str, Any]:
        """A flat record."""
        found: dict[str, Any] = {"system": self.of.system, "task": self.of.task}
        for name in ("quality", "cost", "per_success"):
            own = getattr(self, name)
            found |= {name: own.value, f"{name}_low": own.low, f"{name}_high": own.high}
        rest = ("total", "front", "cheapest", "questions", "level")
        return found | {name: getattr(self, name) for name in rest}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CostDifference(EqualByValue):
    """The difference in cost per trial of two systems, on the questions that both have."""

    first: str
    second: str
    task: str
    questions: int
    difference: Measurement  # first minus second

    @property
    def verdict(self) -> str:
        """Whether the first system is cheaper."""
        if self.difference.high < 0.0:
            return _CHEAPER
        return _DEARER if self.difference.low > 0.0 else _OPEN

    def record(self) -> dict[str, Any]:
        """A flat record."""
        own = self.difference
        return {
            "first": self.first,
            "second": self.second,
            "task": self.task,
            "questions": self.questions,
            "difference": own.value,
            "low": own.low,
            "high": own.high,
            "verdict": self.verdict,
        }


_MEANINGS = (
    "cost per trial: averaged over questions. per success: cost of a trial divided by the share "
    "of right trials, which is what a right answer costs if every try is on a new question.",
    "P(front): probability that no other system is at least as good and costs at most as much "
    "(Pareto front). P(cheapest): probability that a success costs least. Both are shares of "
    "draws of a Bayesian bootstrap over the common questions.",
    "k tries: at most k trials of a question, stopping at the first right one. solved: pass@k. "
    "cost: expected cost of a question. per solved: expected cost of a solved question.",
)


@dataclass(frozen=True, slots=True, repr=False)
class Costs(Rows[CostRow]):
    """The costs of all systems, and their differences."""

    unit: str = "cost"  # the column that was added up
    differences: tuple[CostDifference, ...] = ()
    method: str = ""
    remarks: tuple[str, ...] = ()
    drops: ClassVar[tuple[str, ...]] = (
        *("questions", "total", "P(cheapest)", "P(front)"),
        *("solved", "avg"),
    )
    tones: ClassVar[Mapping[str, Tone]] = {_CHEAPER: Tone.GOOD, _OPEN: Tone.DIM}

    def names(self) -> list[str]:
        """A name of each row, with the task if there are several."""
        several = len({row.of.task for row in self.rows}) > 1
        return [str(row.of) if several else row.of.system for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty ones are left out."""
        title = [interval_title(self.rows[0].level)]
        quality = (row.quality.cell for row in self.rows)
        chances = {
            name: [_chance(getattr(row, name)) for row in self.rows]
            for name in ("front", "cheapest")
        }
        columns = [
            ["system", *self.names()],
            interval_column("avg", title, quality),
            self._amounts("cost", f"{self.unit} per trial"),
            self._amounts("per_success", "per success"),
            ["P(front)", *chances["front"]],
            ["P(cheapest)", *chances["cheapest"]],
            ["total", *(f"{row.total:.4g}" for row in self.rows)],
            ["questions", *(str(row.questions) for row in self.rows)],
        ]
        return [column for column in columns if set(column[1:]) - {"", DASH}]

    def _amounts(self, field: str, name: str) -> list[str]:
        title = [interval_title(self.rows[0].level)]
        rows = (getattr(row, field).cell for row in self.rows)
        return interval_column(name, title, rows, are_scores=False)

    def parts(self) -> list[Table | str]:
        """The table of systems, that of their differences, and that of several tries."""
        parts = Rows.parts(self)
        if self.differences:
            parts.append(Table(columns=self.difference_columns(), tones=self.tones))
        if any(row.tries for row in self.rows):
            parts.append(Table(columns=self.try_columns(), drops=self.drops))
        return parts

    def difference_columns(self) -> list[list[str]]:
        """The differences as columns of text."""
        title = [interval_title(self.rows[0].level)]
        differences = (each.difference.cell for each in self.differences)
        several = len({each.task for each in self.differences}) > 1
        pairs = [
            " · ".join([f"{each.first} − {each.second}", *([each.task] if several else [])])
            for each in self.differences
        ]
        return [
            ["difference", *pairs],
            interval_column(
                f"{self.unit} per trial", title, differences, signed=True, are_scores=False
            ),
            ["the first", *(each.verdict for each in self.differences)],
        ]

    def try_columns(self) -> list[list[str]]:
        """The tries as columns of text."""
        title = [interval_title(self.rows[0].level)]
        each = [
            (name, tries)
            for name, row in zip(self.names(), self.rows, strict=True)
            for tries in row.tries
        ]
        return [
            ["system", *(name for name, _ in each)],
            ["tries", *(str(tries.k) for _, tries in each)],
            *(
                interval_column(
                    name,
                    title,
                    (getattr(tries, field).cell for _, tries in each),
                    are_scores=field == "solved",
                )
                for field, name in (
                    *(("solved", "solved"), ("cost", self.unit)),
                    ("per_solved", "per solved"),
                )
            ),
        ]

    def tried(self) -> list[dict[str, Any]]:
        """A flat record per system and number of tries."""
        records = []
        for row in self.rows:
            for tries in row.tries:
                record: dict[str, Any] = {"system": row.of.system, "task": row.of.task}
                record["k"] = tries.k
                for name in ("solved", "cost", "per_solved"):
                    own = getattr(tries, name)
                    record |= {name: own.value, f"{name}_low": own.low, f"{name}_high": own.high}
                records.append(record)
        return records

    def notes(self) -> list[str]:
        """What the columns mean, the method, and remarks on the data."""
        return [
            *map(Explanation, _MEANINGS),
            Explanation(f"Method: {self.method}."),
            *self.remarks,
        ]

    def conclusion(self) -> Headline | None:
        """The system with the cheapest success, or the cost of a success of a single system."""
        known = [row for row in self.rows if not math.isnan(row.per_success.value)]
        if not known:
            return Headline("No trial is right, so a success has no cost", ".")
        if len({row.of.task for row in self.rows}) > 1:
            return _cheapest_by_task(known)
        row = min(known, key=lambda each: each.per_success.value)
        own, who = row.per_success, row.of.system or "The system"
        level = [each.of.system for each in known if each.per_success.value <= own.value]
        if len(level) > 1:
            return Headline(f"Successes of {some_of(level)} cost the same", ".")
        value, low, high = (round_to_sd(x, own.sd) for x in (own.value, own.low, own.high))
        what = f"{value}{'' if self.unit == 'cost' else f' {self.unit}'} per success"
        ends = f"{interval_title(row.level)} {low} to {high}"
        chance = f"; chance that it is the cheapest {row.cheapest:.2f}"
        if len(known) == 1:
            return Headline("", f"{who} costs {what} ({ends}).")
        return Headline(f"{who} costs least", f": {what} ({ends}{chance}).")

    def footer(self) -> str:
        """A line on what the intervals cover."""
        row = self.rows[0]
        interval = Interval(row.cost.low, row.cost.high, row.level, Estimand.POPULATION)
        return coverage_line(interval)


def _cheapest_by_task(rows: Sequence[CostRow]) -> Headline:
    """Number of tasks on which each system has the cheapest success, if there are several."""
    tasks: dict[str, list[CostRow]] = {}
    for row in rows:
        tasks.setdefault(row.of.task, []).append(row)
    compared = [some for some in tasks.values() if len(some) > 1]
    if not compared:
        return Headline("No task has costs of two systems", ".", Tone.DIM)
    best = (min(some, key=lambda row: row.per_success.value).of.system for some in compared)
    counts = Counter(best).most_common()
    number = len(compared)
    if len(counts) == 1:
        where = {1: compared[0][0].of.task, 2: "both tasks"}.get(number, f"all {number} tasks")
        return Headline(f"{counts[0][0]} costs least per success on {where}", ".")
    parts = [f"{who} on {tally}" for who, tally in counts[1:]]
    claim = f"{counts[0][0]} costs least per success on {counts[0][1]} of {number} tasks"
    return Headline(claim, f", {', '.join(parts)}." if len(parts) <= _MOST_NAMED else ".")


def _chance(share: float) -> str:
    return DASH if math.isnan(share) else f"{share:.2f}"
