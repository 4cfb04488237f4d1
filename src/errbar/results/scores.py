"""Estimates in a table: to be read, sorted, filtered, and turned into any DataFrame."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar, overload

from errbar.base.tables import DASH, counted, percent, pointed, supported
from errbar.errors import InputError
from errbar.metrics.grammar import metric_of
from errbar.results.base import Result
from errbar.results.estimate import (
    SIMULATIONS,
    AnyEstimate,
    Estimand,
    Estimate,
    RankedEstimate,
    Subject,
)

_FEWEST = 10  # questions in the coverage study
_SPREAD = "sd: how uncertain it is"
_MARK = "*"  # beside an interval that its own observed value lies outside of

E = TypeVar("E", bound=AnyEstimate)


@dataclass(frozen=True, slots=True, repr=False)
class Estimates(Sequence[E], Result):
    """Estimates that print as a table; `method` says in words how their intervals were made."""

    estimates: tuple[E, ...]
    method: str = ""
    remarks: tuple[str, ...] = ()  # on the data: what was guessed, what was left out

    def __len__(self) -> int:
        return len(self.estimates)

    def __iter__(self) -> Iterator[E]:
        return iter(self.estimates)

    @overload
    def __getitem__(self, at: int) -> E: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: int | slice) -> E | Self:
        if isinstance(at, slice):
            return replace(self, estimates=self.estimates[at])
        return self.estimates[at]

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per estimate, for a DataFrame or JSON.

        A column that was grouped by has its own name, or `by level` where a record has a `level`.
        """
        whose = self._whose()
        return [
            {name: column[at] for name, column in whose.items()} | one.record()
            for at, one in enumerate(self.estimates)
        ]

    def sorted(self, by: str = "value", *, descending: bool = True) -> Self:
        """In the order of a column of `to_dicts`."""
        rows = self.to_dicts()
        if rows and by not in rows[0]:
            known = ", ".join(rows[0])
            raise InputError(f"there is no column {by!r} to sort by; there are: {known}.")
        unknown = [at for at, row in enumerate(rows) if row[by] != row[by]]
        order = [at for at in range(len(rows)) if at not in unknown]
        order.sort(key=lambda at: rows[at][by], reverse=descending)
        return replace(self, estimates=tuple(self.estimates[at] for at in (*order, *unknown)))

    def only(
        self, system: str | None = None, *, task: str | None = None, metric: str | None = None
    ) -> Self:
        """Those of one system, of one task, of one metric."""
        wanted = None if metric is None else str(metric_of(metric))
        kept = tuple(
            one
            for one in self.estimates
            if system in (None, one.system)
            and task in (None, one.task)
            and wanted in (None, str(one.metric))
        )
        return replace(self, estimates=kept)

    def breaks(self) -> set[int]:
        """The rows that begin a new subject, or a new system where each subject has one row."""
        for group in ([one.of for one in self.estimates], [one.system for one in self.estimates]):
            if len(set(group)) < len(group):
                return {at for at in range(1, len(group)) if group[at] != group[at - 1]}
        return set()

    def _whose(self) -> dict[str, list[str]]:
        """The subjects, a column at a time: system, task, slice, how failed rows are taken."""
        subjects = [one.of for one in self.estimates]
        taken = {"failed", *(name for one in self.estimates[:1] for name in one.record())}
        columns = {
            "system": [one.system for one in subjects],
            "task": [one.task for one in subjects],
        }
        for name in dict.fromkeys(name for one in subjects for name, _ in one.slice):
            free = _free(name, taken | set(columns))
            columns[free] = [dict(one.slice).get(name, "") for one in subjects]
        if any(one.failed for one in subjects):
            columns["failed"] = [one.failed for one in subjects]
        return columns

    def _first_columns(self) -> list[list[str]]:
        """Whose, and which metric."""
        whose = [[name, *column] for name, column in self._whose().items() if any(column)]
        return [*whose, ["metric", *(str(one.metric) for one in self.estimates)]]

    def _interval_head(self) -> str:
        levels = {percent(one.interval.level) for one in self.estimates}
        return f"{levels.pop()} interval" if len(levels) == 1 else "interval"

    def _last_notes(self) -> list[str]:
        """Why a number is missing, and what there is to say of the data."""
        why: dict[str, list[E]] = {}
        for one in self:
            if one.reason:
                why.setdefault(one.reason, []).append(one)
        reasons = [f"{_called(some, self)}: {reason}." for reason, some in why.items()]
        return [*reasons, *self.remarks]


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Estimates[Estimate]):
    """Metrics of repeated trials."""

    def columns(self) -> list[list[str]]:
        """Each column from its head down; one that is empty all the way is left out."""
        digits = list(zip(*(one.digits() for one in self), strict=True)) or [()] * 5
        value, mean, sd, low, high = (pointed(column) for column in digits)
        marks = [f" {_MARK}" if one.outside else "" for one in self]
        ends = [
            DASH if math.isnan(one.interval.low) else f"{left} to {right}{mark}"
            for one, left, right, mark in zip(self, low, high, marks, strict=True)
        ]
        columns = [*self._first_columns(), ["value", *value]]
        if self._has_means():
            columns.append(["mean", *mean])
        columns += [["sd", *sd], [self._interval_head(), *ends]]
        if self._is_audited():
            held = ("" if math.isnan(one.held) else percent(one.held) for one in self)
            columns.append(["held", *held])
        return columns

    def notes(self) -> list[str]:
        """What stands under the table: the data, what the columns mean and the intervals cover."""
        spread = "mean, sd: of what the interval is for" if self._has_means() else _SPREAD
        notes = [
            *_sizes(self.estimates),
            f"value: from the observed trials; {spread}.",
            *_coverages(self.estimates),
        ]
        if any(0 < one.questions < _FEWEST for one in self):
            notes.append(f"Fewer than {_FEWEST} questions: how often that holds was not studied.")
        if self._is_audited():
            notes.append(
                f"held: of the intervals of {SIMULATIONS} simulated data sets like these, those "
                f"that held the truth."
            )
        if self.method:
            notes.append(f"Method: {self.method}.")
        if any(one.outside for one in self):
            notes.append(
                f"{_MARK} value lies outside: what was observed is not what is expected of it."
            )
        return [*notes, *self._last_notes()]

    def _is_audited(self) -> bool:
        return any(not math.isnan(one.held) for one in self)

    def _has_means(self) -> bool:
        """Whether an interval is around something else than the observed value."""
        return any(one.mean != one.value and not math.isnan(one.mean) for one in self)


@dataclass(frozen=True, slots=True, repr=False)
class RankedScores(Estimates[RankedEstimate]):
    """Metrics of ranked items."""

    def columns(self) -> list[list[str]]:
        """Each column from its head down; one that is empty all the way is left out."""
        ends = [
            DASH
            if one.reason
            else " to ".join(supported(x, one.sd) for x in (one.interval.low, one.interval.high))
            for one in self
        ]
        return [
            *self._first_columns(),
            ["value", *pointed(supported(one.value, one.sd) for one in self)],
            [self._interval_head(), *ends],
            ["items", *(str(one.items) for one in self)],
        ]

    def notes(self) -> list[str]:
        """What stands under the table."""
        return [f"Method: {self.method}.", *self._last_notes()]


def _free(name: str, taken: Collection[str]) -> str:
    """A name that is not taken."""
    return _free(f"by {name}", taken) if name in taken else name


def _coverages(estimates: Sequence[Estimate]) -> list[str]:
    """What the intervals are for; where they differ, which of them, the most common last."""
    found: dict[tuple[float, Estimand], list[Estimate]] = {}
    for one in estimates:
        found.setdefault((one.interval.level, one.interval.covers), []).append(one)
    notes: list[str] = []
    for level, covers in sorted(found, key=lambda kind: len(found[kind])):
        whose = ""
        if len(found) > 1:
            last = len(notes) == len(found) - 1
            whose = " of all others" if last else f" of {_called(found[level, covers], estimates)}"
        notes.append(f"{percent(level)} interval{whose}: for {covers.words}.")
    return notes


def _called(some: Sequence[AnyEstimate], among: Sequence[AnyEstimate]) -> str:
    """Their metrics, where no other estimate is of one of them; else whose they are too.

    A subject that has no other metric is named without them.
    """
    metrics = list(dict.fromkeys(str(one.metric) for one in some))
    if sum(str(one.metric) in metrics for one in among) == len(some):
        return ", ".join(metrics)
    each, missing = (Counter(str(one.of) for one in group) for group in (among, some))
    names = (
        str(one.of)
        if 1 < each[str(one.of)] == missing[str(one.of)]
        else f"{one.of} {one.metric}".lstrip()
        for one in some
    )
    return ", ".join(dict.fromkeys(names))


def _sizes(estimates: Sequence[Estimate]) -> list[str]:
    """How much data each subject had, in one note where all had the same."""
    there = [one for one in estimates if one.questions]
    sizes: dict[str, str] = {}
    for one in there:
        size = f"{counted(one.questions, 'question')}, {counted(one.trials, 'trial')}"
        if sizes.setdefault(str(one.of), size) != size:
            sizes[f"{one.of} {one.metric}".lstrip()] = size
    if len(set(sizes.values())) == 1:
        each = _each([one.of for one in there])
        return [f"{next(iter(sizes.values()))}{each}."]
    return [f"{subject}: {size}.".removeprefix(": ") for subject, size in sizes.items()]


def _each(subjects: Sequence[Subject]) -> str:
    """What there are several of."""
    several = [
        name
        for name, values in (
            ("system", {one.system for one in subjects}),
            ("task", {one.task for one in subjects}),
            ("slice", {one.slice for one in subjects}),
        )
        if len(values) > 1
    ]
    return f" of each {' and '.join(several)}" if several else ""
