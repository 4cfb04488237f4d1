"""Whether a candidate may be released: no metric may fall by more than it is allowed to.

The verdict prints as a table and as a JUnit test report, which every CI can show.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from xml.etree import ElementTree as Xml

from errbar.base.arguments import number
from errbar.base.tables import (
    DASH,
    counted,
    inert_markdown,
    markdown_table,
    percent,
    printable,
    supported,
)
from errbar.errors import InputError
from errbar.metrics import Metric
from errbar.metrics.base import Direction
from errbar.metrics.grammar import metric_of
from errbar.results.base import Result
from errbar.results.comparison import Comparison, Comparisons
from errbar.results.estimate import Estimand

_FARTHEST = 100.0  # times the data: what needs more of them is too near to call
EXIT_CODES = (0, 1, 3)  # that an inconclusive gate may end with


class Verdict(StrEnum):
    """What the data say of a change."""

    PASS = "pass"
    REGRESS = "regress"
    INCONCLUSIVE = "inconclusive"


_MARKS = {Verdict.PASS: "✅", Verdict.REGRESS: "❌", Verdict.INCONCLUSIVE: "❔"}


def limits_of(
    metrics: Sequence[Metric | str], max_drop: float | Mapping[str, float]
) -> dict[Metric, float]:
    """How far each metric may fall: one number for all of them, or a number by name."""
    asked = list(dict.fromkeys(metric_of(one) for one in metrics))
    if not asked:
        raise InputError("there is no metric to gate by; name one, as in 'pass@1'.")
    if not isinstance(max_drop, Mapping):
        return dict.fromkeys(asked, number(max_drop, "max_drop", 0.0, math.inf))
    told = {
        metric_of(name): number(drop, f"max_drop of {name}", 0.0, math.inf)
        for name, drop in max_drop.items()
    }
    listed = ", ".join(map(str, asked))
    if len(told) < len(max_drop):
        raise InputError(f"max_drop says twice how far a metric may fall: {list(max_drop)}.")
    for metric in told:
        if metric not in asked:
            raise InputError(f"max_drop names {metric}, which is not gated by; there is: {listed}.")
    for metric in asked:
        if metric not in told:
            raise InputError(f"max_drop does not say how far {metric} may fall; add it.")
    return {metric: told[metric] for metric in asked}


@dataclass(frozen=True, slots=True)
class GateRow:
    """One metric of candidate and baseline, and how far it may fall."""

    comparison: Comparison  # the candidate less the baseline
    max_drop: float

    @property
    def verdict(self) -> Verdict:
        """Whether the whole interval of the gain lies on one side of what is allowed."""
        low, high = self.comparison.gain_ends
        if low > -self.max_drop:
            return Verdict.PASS
        return Verdict.REGRESS if high < -self.max_drop else Verdict.INCONCLUSIVE

    @property
    def limit(self) -> float:
        """The change that is just not allowed."""
        higher = self.comparison.metric.direction is Direction.HIGHER
        return (-self.max_drop or 0.0) if higher else self.max_drop

    @property
    def times(self) -> float:
        """How many times the data would probably tell, if the change stays what it is.

        An interval is narrower by the root of that. It is nan where they tell, or have no interval.
        """
        if self.verdict is not Verdict.INCONCLUSIVE or self.comparison.reason:
            return math.nan
        change, interval = self.comparison.difference, self.comparison.interval
        room = change - self.limit
        reach = change - interval.low if room > 0 else interval.high - change
        return (reach / abs(room)) ** 2 if room else math.inf

    @property
    def needed(self) -> int | None:
        """Questions that would probably tell; None where more of them are of no use."""
        known = self.comparison
        if known.interval.covers is not Estimand.POPULATION or not self.times <= _FARTHEST:
            return None
        return _roughly(max(known.questions * self.times, known.questions + 1.0))

    @property
    def name(self) -> str:
        """The metric, and the task where there are several."""
        return " · ".join(
            part for part in (str(self.comparison.metric), self.comparison.task) if part
        )

    def digits(self) -> list[str]:
        """Baseline, candidate, change and the ends of its interval, as far as they are known."""
        found = self.comparison
        numbers = (
            found.against,
            found.value,
            found.difference,
            found.interval.low,
            found.interval.high,
        )
        return [supported(one, found.sd) for one in numbers]

    def advice(self) -> str:
        """What would probably tell, where the data do not."""
        found = self.comparison
        if self.verdict is not Verdict.INCONCLUSIVE:
            return ""
        if found.reason:
            return f"{self.name}: there is no interval: {found.reason}."
        if not self.times <= _FARTHEST:
            return f"{self.name}: the change is too near its limit for more data to tell."
        if self.needed is None:
            times = f"{max(math.ceil(10 * self.times) / 10, 1.1):g}"
            return f"{self.name}: about {times} times the trials would probably tell."
        return (
            f"{self.name}: about {self.needed} {found.unit}s in place of {found.questions} would "
            f"probably tell, if the change stays what it is."
        )

    def record(self) -> dict[str, Any]:
        """What it says, flat."""
        found = self.comparison
        return {
            "task": found.task,
            "metric": str(found.metric),
            "baseline": found.against,
            "candidate": found.value,
            "change": found.difference,
            "sd": found.sd,
            "low": found.interval.low,
            "high": found.interval.high,
            "level": found.interval.level,
            "covers": found.interval.covers.value,
            "max_drop": self.max_drop,
            "verdict": self.verdict.value,
            "questions": found.questions,
            "left_out": found.left_out,
            "needed": self.needed,
            "caution": found.caution,
            "reason": found.reason,
        }

    def __str__(self) -> str:
        baseline, candidate, change, low, high = self.digits()
        return (
            f"{self.name}: {baseline} before, {candidate} now, change {change}, "
            f"{percent(self.comparison.interval.level)} interval {low} to {high}, "
            f"limit {self.limit:+g}: {self.verdict}"
        )


def _roughly(size: float) -> int:
    """Up to two digits that count.

    Examples
    --------
    >>> _roughly(7.2), _roughly(1234)
    (8, 1300)
    """
    step = 10 ** max(len(str(math.ceil(size))) - 2, 0)
    return math.ceil(size / step) * step


@dataclass(frozen=True, slots=True, repr=False)
class Gate(Result):
    """A candidate held against a baseline, metric by metric; intervals hold together."""

    rows: tuple[GateRow, ...]
    baseline: str  # what they are called
    candidate: str
    method: str
    remarks: tuple[str, ...] = ()
    inconclusive: int = 3  # the exit code where the data do not tell

    def __post_init__(self) -> None:
        if self.inconclusive not in EXIT_CODES or isinstance(self.inconclusive, bool):
            raise InputError(f"inconclusive must be 0, 1 or 3; got {self.inconclusive!r}.")

    @property
    def verdict(self) -> Verdict:
        """The worst of all metrics: one that regresses is enough, then one that does not tell."""
        found = {row.verdict for row in self.rows}
        worst_first = (Verdict.REGRESS, Verdict.INCONCLUSIVE, Verdict.PASS)
        return next(verdict for verdict in worst_first if verdict in found)

    @property
    def exit_code(self) -> int:
        """0 where it passes, 1 where it regresses, and what was asked for where nobody knows."""
        return self._code(self.verdict)

    def _code(self, verdict: Verdict) -> int:
        return {Verdict.PASS: 0, Verdict.REGRESS: 1}.get(verdict, self.inconclusive)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per metric and task, for a DataFrame or JSON."""
        return [row.record() for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Each column from its head down; one that is empty all the way is left out."""
        digits = [row.digits() for row in self.rows]
        level = percent(self.rows[0].comparison.interval.level)
        ends = [
            DASH if row.comparison.reason else f"{low} to {high}"
            for row, (*_, low, high) in zip(self.rows, digits, strict=True)
        ]
        columns = [
            ["task", *(row.comparison.task for row in self.rows)],
            ["metric", *(str(row.comparison.metric) for row in self.rows)],
            ["baseline", *(one[0] for one in digits)],
            ["candidate", *(one[1] for one in digits)],
            ["change", *(one[2] for one in digits)],
            [f"{level} interval", *ends],
            ["limit", *(f"{row.limit:+g}" for row in self.rows)],
            ["verdict", *(row.verdict.value for row in self.rows)],
            ["caution", *(row.comparison.caution for row in self.rows)],
        ]
        return [column for column in columns if any(column[1:])]

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        those = ", ".join(row.name for row in self.rows if row.verdict is self.verdict)
        said = {
            Verdict.PASS: f"nothing fell by more than it may ({those})",
            Verdict.REGRESS: f"{those} fell by more than it may",
            Verdict.INCONCLUSIVE: f"the data do not tell whether {those} fell by more than it may",
        }
        return f"{self.verdict.value.capitalize()}: {said[self.verdict]}."

    def notes(self) -> list[str]:
        """What stands under the table."""
        covers = self.rows[0].comparison.interval.covers
        together = f" All {len(self.rows)} intervals hold together." if len(self.rows) > 1 else ""
        lower = [row for row in self.rows if row.comparison.metric.direction is Direction.LOWER]
        names = ", ".join(dict.fromkeys(str(row.comparison.metric) for row in lower))
        return [
            self.headline,
            f"Baseline: {self.baseline}; candidate: {self.candidate}.",
            *self._sizes(),
            f"The interval is for {covers.words}.{together}",
            *([f"Lower is better: {names}."] if lower else []),
            *filter(None, (row.advice() for row in self.rows)),
            f"Method: {self.method}.",
            *self.remarks,
        ]

    def _sizes(self) -> list[str]:
        """How many questions were compared, and how many only one of the two has."""
        notes: dict[str, None] = {}
        for row in self.rows:
            found = row.comparison
            where = f"{found.task}: " if found.task else ""
            left = f", {found.left_out} that only one of them has left out" * bool(found.left_out)
            notes[f"{where}{counted(found.questions, found.unit)}{left}."] = None
        return list(notes)

    def markdown(self) -> str:
        """A comment for a pull request; whatever names hold is shown as text."""
        columns = [list(map(inert_markdown, column)) for column in self.columns()]
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
        """A test case per metric and task; it fails where the exit code says so."""
        cases = [
            Case(
                ".".join(filter(None, ("errbar.gate", row.comparison.task))),
                str(row.comparison.metric),
                row.verdict.value if self._code(row.verdict) else "",
                " ".join(filter(None, (f"{row}.", row.advice()))),
            )
            for row in self.rows
        ]
        return junit_report("errbar gate", f"{self.candidate} against {self.baseline}", cases)


def gate_of(
    found: Comparisons,
    limits: Mapping[Metric, float],
    names: tuple[str, str],
    inconclusive: int,
) -> Gate:
    """Comparisons of a candidate with a baseline, held against what is allowed."""
    rows = tuple(GateRow(one, limits[one.metric]) for one in found)
    return Gate(rows, *names, found.method, found.remarks, inconclusive)


_NO_XML = re.compile("[\ufffe\uffff]")  # what no XML may hold, beside what `printable` writes out


class Case(NamedTuple):
    """One test."""

    group: str
    name: str
    failure: str  # its kind; empty where the test passes
    message: str


def junit_report(name: str, suite: str, cases: Sequence[Case]) -> str:
    """One suite with its cases.

    Examples
    --------
    >>> print(junit_report("all", "some", [Case("a", "b", "", "fine & good")]))
    <?xml version="1.0" encoding="utf-8"?>
    <testsuites name="all" tests="1" failures="0" errors="0">
      <testsuite name="some" tests="1" failures="0" errors="0" skipped="0" time="0">
        <testcase classname="a" name="b" time="0">
          <system-out>fine &amp; good</system-out>
        </testcase>
      </testsuite>
    </testsuites>
    """
    failed = sum(bool(case.failure) for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failed), "errors": "0"}
    root = Xml.Element("testsuites", {"name": _text(name), **counts})
    more = {"skipped": "0", "time": "0"}
    inside = Xml.SubElement(root, "testsuite", {"name": _text(suite), **counts, **more})
    for case in cases:
        one = Xml.SubElement(
            inside, "testcase", classname=_text(case.group), name=_text(case.name), time="0"
        )
        if case.failure:
            Xml.SubElement(
                one, "failure", type=case.failure, message=_text(case.message)
            ).text = _text(case.message)
        else:
            Xml.SubElement(one, "system-out").text = _text(case.message)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}'


def _text(text: str) -> str:
    """The same without what no XML may hold."""
    return _NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", printable(text))
