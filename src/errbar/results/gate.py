"""Regression gates: no metric of a candidate may fall by more than a limit.

The verdict prints as a table, as Markdown, and as a JUnit test report for CI systems.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from errbar.base.markup import JUnitCase, inert_markdown, junit_report, markdown_table
from errbar.base.remarks import Caution, Explanation, all_of, counted
from errbar.base.tables import (
    Headline,
    Tone,
    align_points,
    interval_column,
    scale,
    score_head,
    score_text,
)
from errbar.errors import InputError
from errbar.metrics.base import Direction
from errbar.results.base import Result
from errbar.results.comparison import Comparison
from errbar.results.estimate import EqualByValue, Estimand, coverage_line

_FARTHEST = 100.0  # times the data: a change that needs more is too close to its limit
EXIT_CODES = (0, 1, 3)  # allowed for an inconclusive gate


class Verdict(StrEnum):
    """Verdict on a change."""

    PASS = "pass"
    REGRESS = "regress"
    INCONCLUSIVE = "inconclusive"


_TONES = {
    Verdict.PASS.value: Tone.GOOD,
    Verdict.REGRESS.value: Tone.BAD,
    Verdict.INCONCLUSIVE.value: Tone.DIM,
}
_MARKS = {Verdict.PASS: "✅", Verdict.REGRESS: "❌", Verdict.INCONCLUSIVE: "❔"}


@dataclass(frozen=True, slots=True, eq=False)
class GateRow(EqualByValue):
    """One metric of candidate and baseline, with its largest allowed drop."""

    comparison: Comparison  # candidate minus baseline
    max_drop: float
    flips: int = 0  # failed trials that, if right, undo the verdict with all of them wrong

    @property
    def verdict(self) -> Verdict:
        """Pass or regress if the whole interval of the gain lies on one side of the limit."""
        low, high = self.comparison.gain_ends
        if low > -self.max_drop:
            return Verdict.PASS
        return Verdict.REGRESS if high < -self.max_drop else Verdict.INCONCLUSIVE

    @property
    def limit(self) -> float:
        """The limit as a signed change."""
        higher = self.comparison.metric.direction is Direction.HIGHER
        return (-self.max_drop or 0.0) if higher else self.max_drop

    @property
    def times(self) -> float:
        """Factor of more data that would probably be conclusive, if the change stays the same.

        The width of an interval falls with the square root of the data. nan if the data are
        conclusive, or have no interval.
        """
        known = self.comparison
        if self.verdict is not Verdict.INCONCLUSIVE or known.reason or known.failed:
            return math.nan  # of a bracket, more data narrow one part only
        change, interval = known.difference, known.interval
        room = change - self.limit
        reach = change - interval.low if room > 0 else interval.high - change
        return (reach / abs(room)) ** 2 if room else math.inf

    @property
    def needed(self) -> int | None:
        """Number of questions that would probably be conclusive; None if more would not help."""
        known = self.comparison
        if known.interval.covers is not Estimand.POPULATION or not self.times <= _FARTHEST:
            return None
        return _roughly(max(known.questions * self.times, known.questions + 1.0))

    @property
    def name(self) -> str:
        """The metric, with the task if it has a name."""
        return " · ".join(
            part for part in (str(self.comparison.metric), self.comparison.task) if part
        )

    def digits(self) -> list[str]:
        """Baseline, candidate, change and interval, to the digits that `sd` supports."""
        comparison = self.comparison
        numbers = (
            comparison.against,
            comparison.value,
            comparison.difference,
            comparison.interval.low,
            comparison.interval.high,
        )
        return [score_text(value, comparison.sd) for value in numbers]

    def advice(self) -> str:
        """Advice on the data needed, if the verdict is inconclusive."""
        comparison = self.comparison
        if self.verdict is not Verdict.INCONCLUSIVE or (
            comparison.failed and not comparison.reason
        ):
            return ""
        if comparison.reason:
            return f"{self.name}: no interval: {comparison.reason}."
        if not self.times <= _FARTHEST:
            return f"{self.name}: the change is too close to its limit for more data to help."
        if self.needed is None:
            times = f"{max(math.ceil(10 * self.times) / 10, 1.1):g}"
            return f"{self.name}: about {times} times the trials would probably be conclusive."
        return (
            f"{self.name}: about {self.needed:,} {comparison.unit}s instead of "
            f"{comparison.questions:,} would probably be conclusive, if the change stays the same."
        )

    def on_failures(self) -> str:
        """How failed trials could change the verdict, in a sentence."""
        if self.comparison.failed and self.verdict is not Verdict.INCONCLUSIVE:
            return f"{self.name}: {self.verdict}, even if the failed trials would have been right."
        if not self.flips:
            return ""
        passes = self.comparison.difference > -self.max_drop  # with all of them wrong
        plain, role = (Verdict.PASS, "baseline") if passes else (Verdict.REGRESS, "candidate")
        few = "a single failed trial" if self.flips == 1 else f"{self.flips} failed trials"
        return (
            f"{self.name}: {plain} if failed trials are wrong; inconclusive if {few} of the "
            f"{role} would have been right."
        )

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        comparison = self.comparison
        failures = {"failed": comparison.failed, "flips": self.flips} if comparison.failed else {}
        return {
            "task": comparison.task,
            "metric": str(comparison.metric),
            "baseline": comparison.against,
            "candidate": comparison.value,
            "change": comparison.difference,
            "sd": comparison.sd,
            **comparison.interval.record(),
            "max_drop": self.max_drop,
            "verdict": self.verdict.value,
            "questions": comparison.questions,
            "left_out": comparison.left_out,
            "needed": self.needed,
            "caution": comparison.caution,
            "reason": comparison.reason,
            **failures,
        }

    def __str__(self) -> str:
        baseline, candidate, change, low, high = self.digits()
        return (
            f"{self.name}: {baseline} before, {candidate} now, change {change}, "
            f"{self.comparison.interval.title} {low} to {high}, "
            f"limit {self.limit:+g}: {self.verdict}"
        )


def _roughly(size: float) -> int:
    """Round up to two significant digits.

    Examples
    --------
    >>> _roughly(7.2), _roughly(1234)
    (8, 1300)
    """
    step = 10 ** max(len(str(math.ceil(size))) - 2, 0)
    return math.ceil(size / step) * step


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Gate(Result):
    """A candidate compared with a baseline by each metric, with simultaneous intervals."""

    rows: tuple[GateRow, ...]
    baseline: str  # names of the two
    candidate: str
    method: str
    remarks: tuple[str, ...] = ()
    inconclusive: int = 3  # exit code if inconclusive

    tones: ClassVar[Mapping[str, Tone]] = _TONES
    drops: ClassVar[tuple[str, ...]] = ("task", "baseline", "candidate")

    def __post_init__(self) -> None:
        code = self.inconclusive
        if not isinstance(code, int) or isinstance(code, bool) or code not in EXIT_CODES:
            raise InputError(f"inconclusive must be 0, 1 or 3; got {self.inconclusive!r}.")

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all metrics: regress, then inconclusive, then pass."""
        verdicts = {row.verdict for row in self.rows}
        worst_first = (Verdict.REGRESS, Verdict.INCONCLUSIVE, Verdict.PASS)
        return next(verdict for verdict in worst_first if verdict in verdicts)

    @property
    def exit_code(self) -> int:
        """0 for pass, 1 for regress, and `inconclusive` otherwise."""
        return self._code(self.verdict)

    def _code(self, verdict: Verdict) -> int:
        return {Verdict.PASS: 0, Verdict.REGRESS: 1}.get(verdict, self.inconclusive)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per metric and task, for a DataFrame or JSON."""
        return [row.record() for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Return the columns as text, each beginning with its head; empty columns are left out."""
        digits = [row.digits() for row in self.rows]
        comparisons = [row.comparison for row in self.rows]
        changes = (
            (each.difference, each.interval.low, each.interval.high, each.sd)
            for each in comparisons
        )
        titles = (each.interval.title for each in comparisons)
        columns = [
            ["task", *(each.task for each in comparisons)],
            ["metric", *(str(each.metric) for each in comparisons)],
            [score_head("baseline"), *align_points(baseline for baseline, *_ in digits)],
            [score_head("candidate"), *align_points(candidate for _, candidate, *_ in digits)],
            interval_column("change", titles, changes, signed=True),
            [score_head("limit"), *(f"{scale() * row.limit:+g}" for row in self.rows)],
            ["verdict", *(row.verdict.value for row in self.rows)],
        ]
        return [column for column in columns if any(column[1:])]

    def conclusion(self) -> Headline:
        """The verdict."""
        return Headline(self.headline.removesuffix("."), ".", _TONES[self.verdict.value])

    def footer(self) -> str:
        """A line on what the intervals cover."""
        together = f"simultaneous for {all_of(len(self.rows), 'row')}" if len(self.rows) > 1 else ""
        return coverage_line(self.rows[0].comparison.interval, together)

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        *first, last = (row.name for row in self.rows if row.verdict is self.verdict)
        names = f"{', '.join(first)} and {last}" if first else last
        sentences = {
            Verdict.PASS: f"Pass: no metric fell by more than its limit ({names}).",
            Verdict.REGRESS: f"Regression: {names} fell by more than the limit.",
            Verdict.INCONCLUSIVE: (
                f"Inconclusive: {names} may or may not have fallen by more than the limit."
            ),
        }
        return sentences[self.verdict]

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        covers = self.rows[0].comparison.interval.covers
        together = (
            f" All {len(self.rows)} intervals are simultaneous." if len(self.rows) > 1 else ""
        )
        lower = [row for row in self.rows if row.comparison.metric.direction is Direction.LOWER]
        names = ", ".join(dict.fromkeys(str(row.comparison.metric) for row in lower))
        return [
            Explanation(self.headline),
            f"Baseline: {self.baseline}; candidate: {self.candidate}.",
            *self._sizes(),
            Explanation(f"The interval is for {covers.words}.{together}"),
            *([f"Lower is better: {names}."] if lower else []),
            *filter(None, (row.on_failures() for row in self.rows)),
            *filter(None, (row.advice() for row in self.rows)),
            Explanation(f"Method: {self.method}."),
            *self._cautions(),
            *self.remarks,
        ]

    def _cautions(self) -> list[str]:
        """Cautions, each with the metrics that it concerns."""
        why: dict[str, list[str]] = {}
        for row in self.rows:
            if row.comparison.caution:
                why.setdefault(row.comparison.caution, []).append(row.name)
        return [Caution(f"{', '.join(names)}: {caution}.") for caution, names in why.items()]

    def _sizes(self) -> list[str]:
        """Number of common questions, and of questions that only one of the two has."""
        notes: dict[str, None] = {}
        for row in self.rows:
            comparison = row.comparison
            where = f"{comparison.task}: " if comparison.task else ""
            left_out = f", {comparison.left_out} of only one of the two left out" * bool(
                comparison.left_out
            )
            notes[f"{where}{counted(comparison.questions, comparison.unit)}{left_out}."] = None
        return list(notes)

    def markdown(self) -> str:
        """A comment for a pull request; markup in names is escaped."""
        columns = [list(column) for column in self.columns()]
        for column in columns:
            if column[0] == "verdict":
                column[1:] = [f"{_MARKS[row.verdict]} {row.verdict}" for row in self.rows]
        notes = [f"- {inert_markdown(note)}" for note in self.notes()[1:]]
        return "\n".join(
            [
                f"### {_MARKS[self.verdict]} errbar gate: {self.verdict}",
                "",
                inert_markdown(self.headline),
                "",
                markdown_table(columns, ()),
                "",
                *notes,
            ]
        )

    def junit(self) -> str:
        """A test case per metric and task, which fails if its exit code is not 0."""
        cases = [
            JUnitCase(
                ".".join(filter(None, ("errbar.gate", row.comparison.task))),
                str(row.comparison.metric),
                row.verdict.value if self._code(row.verdict) else "",
                " ".join(filter(None, (f"{row}.", row.advice()))),
            )
            for row in self.rows
        ]
        return junit_report("errbar gate", f"{self.candidate} against {self.baseline}", cases)
