"""Tables of estimates, which can be printed, sorted, filtered and exported."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, ClassVar, Self, TypeVar

from errbar.base.remarks import Caution, Explanation, as_remarks, counted, unless_stated
from errbar.base.tables import (
    Headline,
    align_points,
    interval_column,
    interval_head,
    interval_title,
    percent,
    score_head,
    score_text,
)
from errbar.errors import InputError
from errbar.metrics.base import metric_of
from errbar.results.base import ResultSequence, size_columns
from errbar.results.best_score import best_both_ways, best_of_systems, point_of
from errbar.results.estimate import (
    SIMULATIONS,
    BaseEstimate,
    Estimand,
    Estimate,
    RankedEstimate,
    Subject,
    coverage_line,
)

_FEWEST = 10  # smallest number of questions in the coverage study
_MARK = "*"  # marks an interval that does not contain the observed value

E = TypeVar("E", bound=BaseEstimate)


@dataclass(frozen=True, slots=True, repr=False)
class Estimates(ResultSequence[E]):
    """Estimates in a table; `method` describes how the intervals were computed."""

    entries_field: ClassVar[str] = "estimates"
    estimates: tuple[E, ...]
    method: str = ""
    remarks: tuple[str, ...] = ()  # on the data: guesses, rows left out

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per estimate, for a DataFrame or JSON.

        A column of the slices keeps its name, or becomes `by level` if records have a `level`.
        """
        subjects = self._subject_columns()
        return [
            {name: column[at] for name, column in subjects.items()} | estimate.record()
            for at, estimate in enumerate(self.estimates)
        ]

    def sorted(self, by: str = "value", *, descending: bool = True) -> Self:
        """Sort by a column of `to_dicts`; nan comes last."""
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
        """Keep the estimates of one system, one task or one metric."""
        name = None if metric is None else str(metric_of(metric))
        estimates = tuple(
            estimate
            for estimate in self.estimates
            if system in (None, estimate.system)
            and task in (None, estimate.task)
            and name in (None, str(estimate.metric))
        )
        return replace(self, estimates=estimates)

    def breaks(self) -> set[int]:
        """Rows that begin a new subject, or a new system if every subject has one row."""
        for group in (
            [estimate.of for estimate in self.estimates],
            [estimate.system for estimate in self.estimates],
        ):
            if len(set(group)) < len(group):
                return {at for at in range(1, len(group)) if group[at] != group[at - 1]}
        return set()

    def _subject_columns(self) -> dict[str, list[str]]:
        """Columns of the subjects: system, task, slice, and how failed rows are counted."""
        subjects = [subject.of for subject in self.estimates]
        reserved = {
            "failed",
            *(name for subject in self.estimates[:1] for name in subject.record()),
        }
        columns = {
            "system": [subject.system for subject in subjects],
            "task": [subject.task for subject in subjects],
        }
        for name in dict.fromkeys(name for subject in subjects for name, _ in subject.slice):
            free = _unused_name(name, reserved | set(columns))
            columns[free] = [dict(subject.slice).get(name, "") for subject in subjects]
        if any(subject.failed for subject in subjects):
            columns["failed"] = [subject.failed for subject in subjects]
        return columns

    def _first_columns(self) -> list[list[str]]:
        """Columns of the subjects, and of the metrics if there are several."""
        metrics = [str(estimate.metric) for estimate in self]
        columns = self._subject_columns() | ({"metric": metrics} if len(set(metrics)) > 1 else {})
        return [[name, *column] for name, column in columns.items() if any(column)]

    def _score_column(self, marks: Sequence[str] = ()) -> list[str]:
        """The scores with their intervals; the head names the metric if there is only one."""
        metrics = {str(estimate.metric) for estimate in self}
        name = metrics.pop() if len(metrics) == 1 else "score"
        titles = (each.interval.title for each in self)
        numbers = ((each.value, each.low, each.high, each.sd) for each in self)
        head, *cells = interval_column(name, titles, numbers)
        ends = marks or [""] * len(cells)
        return [head, *(f"{cell}{mark}" for cell, mark in zip(cells, ends, strict=True))]

    def _last_notes(self) -> list[str]:
        """Why numbers are missing, and the remarks on the data."""
        why: dict[str, list[E]] = {}
        for estimate in self:
            if reason := unless_stated(estimate.reason, self.remarks):
                why.setdefault(reason, []).append(estimate)
        reasons = (as_remarks(f"{_names_of(some, self)}: ", reason) for reason, some in why.items())
        return [*chain.from_iterable(reasons), *self.remarks]


@dataclass(frozen=True, slots=True, repr=False)
class Scores(Estimates[Estimate]):
    """Metrics of repeated trials."""

    drops: ClassVar[tuple[str, ...]] = ("sd", "trials", "questions", "task", "mean", "clusters")

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        marks = [f" {_MARK}" if estimate.outside else "" for estimate in self]
        columns = [*self._first_columns(), self._score_column(marks)]
        numbers = {"mean": [e.mean for e in self]} if self._has_means() else {}
        for name, column in (numbers | {"sd": [e.sd for e in self]}).items():
            texts = (score_text(x, e.sd) for x, e in zip(column, self, strict=True))
            columns.append([score_head(name), *align_points(texts)])
        if any(each.bracket for each in self):
            head = interval_head(score_head("bracket"), (each.interval.title for each in self))
            columns.append([head, *(each.bracket_text for each in self)])
        if self._is_audited():
            shares = ("" if math.isnan(each.coverage) else percent(each.coverage) for each in self)
            columns.append(["coverage", *shares])
        return [*columns, *size_columns(self.estimates)]

    def notes(self) -> list[str]:
        """Notes on the data, on the columns, and on what the intervals cover."""
        notes: list[str] = [
            *map(Explanation, _sizes(self.estimates)),
            self.definition(),
            *map(Explanation, _coverages(self.estimates)),
        ]
        if any(0 < estimate.questions < _FEWEST for estimate in self):
            few = f"Fewer than {_FEWEST} questions: coverage was not studied for so few."
            notes.append(Caution(few))
        if self._is_audited():
            lowest = (
                "; the lowest of three simulations: with questions as observed, and with rare "
                "questions (one in as many as there are) that always fail or always succeed"
            )
            new = any(estimate.interval.covers is Estimand.POPULATION for estimate in self)
            notes.append(
                f"coverage: share of {SIMULATIONS} simulated data sets like this one whose "
                f"interval contained the true value{lowest * new}."
            )
        if self.method:
            notes.append(Explanation(f"Method: {self.method}."))
        if any(estimate.outside for estimate in self):
            notes.append(
                f"{_MARK} the observed score lies outside the interval, which is for its "
                f"expectation."
            )
        return [*notes, *self._last_notes()]

    def definition(self) -> Explanation:
        """Definitions of the columns of the score and of its standard deviation."""
        is_mean = self._has_means()
        spread = (
            "mean, sd: of the quantity in the interval" if is_mean else "sd: its standard deviation"
        )
        return Explanation(f"Score: the observed value; {spread}.")

    def footer(self) -> str:
        """A line on what the intervals cover and on the size of the data."""
        scored = [estimate for estimate in self if estimate.questions]
        if not scored:
            return ""
        if len({(each.interval.level, each.interval.covers) for each in scored}) > 1:
            return " ".join(_coverages(scored))
        return coverage_line(scored[0].interval, _sample_words(scored))

    def conclusion(self) -> Headline | None:
        """The score of a single system, or which of several systems has the best."""
        first = str(self.estimates[0].metric) if self.estimates else ""
        rows = [row for row in self if str(row.metric) == first and not math.isnan(row.mean)]
        if not rows or any(row.slice for row in rows):
            return None
        if any(row.of.failed for row in rows):
            return best_both_ways(rows)
        if len({row.system for row in rows}) > 1:
            return best_of_systems(rows)
        if len(rows) == 1:
            return Headline("", "".join(rows[0].headline()))
        low, high = min(rows, key=point_of), max(rows, key=point_of)
        ends = " to ".join(
            f"{score_text(point_of(row), row.sd)} ({row.task})" for row in (low, high)
        )
        who = rows[0].system or "The system"
        return Headline("", f"{who} scores {ends} {first} on {len(rows)} tasks.")

    def _is_audited(self) -> bool:
        return any(not math.isnan(estimate.coverage) for estimate in self)

    def _has_means(self) -> bool:
        """Whether an interval is centred on a quantity other than the observed value."""
        return any(
            not math.isnan(estimate.mean)
            and not math.isclose(estimate.mean, estimate.value, rel_tol=1e-9, abs_tol=1e-12)
            for estimate in self
        )


@dataclass(frozen=True, slots=True, repr=False)
class RankedScores(Estimates[RankedEstimate]):
    """Metrics of ranked items."""

    drops: ClassVar[tuple[str, ...]] = ("items", "task")

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        return [
            *self._first_columns(),
            self._score_column(),
            ["items", *(str(estimate.items) for estimate in self)],
        ]

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        return [Explanation(f"Method: {self.method}."), *self._last_notes()]

    def conclusion(self) -> Headline | None:
        """The first metric of a single system, or which of several systems has the best value."""
        first = str(self.estimates[0].metric) if self.estimates else ""
        rows = [row for row in self if str(row.metric) == first and not math.isnan(row.value)]
        if len({row.system for row in rows}) > 1:
            return best_of_systems(rows)
        if len(rows) != 1 or math.isnan(rows[0].low):
            return None
        (row,) = rows
        value, low, high = (score_text(x, row.sd) for x in (row.value, row.low, row.high))
        who, where = row.system or "The system", f" on {row.task}" if row.task else ""
        ends = f"({row.interval.title} {low} to {high})"
        return Headline("", f"{who} scores {value} {row.metric}{where} {ends}.")

    def footer(self) -> str:
        """A line on what the intervals cover."""
        scored = [estimate for estimate in self if not estimate.reason]
        clusters = any(estimate.clusters < estimate.items for estimate in scored)
        together = "items of a question or cluster are resampled together" * clusters
        return coverage_line(scored[0].interval, together) if scored else ""


def _sample_words(estimates: Sequence[Estimate]) -> str:
    """The units that the intervals are based on: clusters, or questions and trials."""
    sizes = {(each.questions, each.trials, each.clusters, each.is_even) for each in estimates}
    if len(sizes) > 1:
        return "over clusters of questions" if any(each.clusters for each in estimates) else ""
    questions, trials, clusters, is_even = sizes.pop()
    size = counted(questions, "question")
    if trials > questions and is_even:
        size += f" x {trials // questions} trials"
    elif trials > questions:
        size += f", {trials} trials"
    return f"over {counted(clusters, 'cluster')} of {size}" if clusters else size


def _unused_name(name: str, reserved: Collection[str]) -> str:
    """The name, preceded by "by" as often as needed to be unique."""
    return _unused_name(f"by {name}", reserved) if name in reserved else name


def _coverages(estimates: Sequence[Estimate]) -> list[str]:
    """Level and target of the intervals; if they differ, the most common last."""
    groups: dict[tuple[float, Estimand], list[Estimate]] = {}
    for estimate in estimates:
        groups.setdefault((estimate.interval.level, estimate.interval.covers), []).append(estimate)
    notes: list[str] = []
    for level, covers in sorted(groups, key=lambda kind: len(groups[kind])):
        scope = ""
        if len(groups) > 1:
            names = _names_of(groups[level, covers], estimates)
            scope = " of all others" if len(notes) == len(groups) - 1 else f" of {names}"
        notes.append(f"{interval_title(level)}{scope}: for {covers.words}.")
    return notes


def _names_of(some: Sequence[BaseEstimate], among: Sequence[BaseEstimate]) -> str:
    """Names of estimates: by metric alone if that is unambiguous, else with subjects.

    Metrics that all subjects share come first, as in "pass@4, pass^4 of a, b". A subject whose
    metrics are all named is listed without them.
    """
    metrics = list(dict.fromkeys(str(estimate.metric) for estimate in some))
    if sum(str(estimate.metric) in metrics for estimate in among) == len(some):
        return ", ".join(metrics)
    totals, missing = (Counter(str(estimate.of) for estimate in group) for group in (among, some))
    if all(1 < len(metrics) == number < totals[subject] for subject, number in missing.items()):
        return f"{', '.join(metrics)} of {', '.join(missing)}"
    names = (
        str(estimate.of)
        if 1 < totals[str(estimate.of)] == missing[str(estimate.of)]
        else f"{estimate.of} {estimate.metric}".lstrip()
        for estimate in some
    )
    return ", ".join(dict.fromkeys(names))


def _sizes(estimates: Sequence[Estimate]) -> list[str]:
    """Numbers of questions and trials of each subject, in one note if all are equal."""
    nonempty = [estimate for estimate in estimates if estimate.questions]
    sizes: dict[str, str] = {}
    for estimate in nonempty:
        size = f"{counted(estimate.questions, 'question')}, {counted(estimate.trials, 'trial')}"
        if sizes.setdefault(str(estimate.of), size) != size:
            sizes[f"{estimate.of} {estimate.metric}".lstrip()] = size
    if len(set(sizes.values())) == 1:
        scope = _scope([estimate.of for estimate in nonempty])
        return [f"{next(iter(sizes.values()))}{scope}."]
    return [f"{subject}: {size}.".removeprefix(": ") for subject, size in sizes.items()]


def _scope(subjects: Sequence[Subject]) -> str:
    """The phrase "of each system and task", with the dimensions that vary."""
    several = [
        name
        for name in ("system", "task", "slice")
        if len({getattr(subject, name) for subject in subjects}) > 1
    ]
    return f" of each {' and '.join(several)}" if several else ""
