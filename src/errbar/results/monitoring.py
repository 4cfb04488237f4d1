"""Results of sequential monitoring: e-values, confidence sequences and verdicts."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.base.remarks import Caution, Explanation, counted, way_to_say
from errbar.base.tables import (
    Headline,
    Table,
    Tone,
    interval_column,
    interval_title,
    percent,
    round_to_sd,
)
from errbar.results.base import Result
from errbar.results.estimate import Estimand, Interval, coverage_line

Decision = Literal["above", "below"]

_LARGEST = 709.0  # log of the largest e-value that fits a float
GO_ON = "go on"


@dataclass(frozen=True, slots=True)
class Claims:
    """Claims to test: the mean is above a number, below a number, or both."""

    above: float | None
    below: float | None
    level: float

    @property
    def needed(self) -> float:
        """The e-value at which a claim is accepted; two claims share 1 − level (Bonferroni)."""
        claims = sum(claim is not None for claim in (self.above, self.below))
        return claims / float(f"{1.0 - self.level:.12g}")  # 1 − 0.95 becomes exactly 0.05


class Looks(NamedTuple):
    """State after each question."""

    value: Array  # mean of the questions so far
    low: Array
    high: Array
    log_above: Array  # log of the e-values
    log_below: Array


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Watch:
    """A monitored mean, or difference of two means, after each question."""

    system: str
    against: str  # baseline system; empty for a single mean
    task: str
    claims: Claims
    bounds: tuple[float, float]
    trials: int  # per question
    questions: tuple[str, ...]  # ids in order of completion
    outcomes: Array  # per question: mean of its trials, or a difference of means
    looks: Looks
    pending: int  # incomplete questions
    unused_trials: int  # beyond `trials` per question
    dependent: int  # complete questions whose cluster is already represented

    @property
    def value(self) -> float:
        """The mean so far; nan before the first question."""
        return float(self.looks.value[-1]) if self.questions else math.nan

    @property
    def interval(self) -> Interval:
        """Confidence sequence at the last question; low > high if the data are contradictory."""
        low, high = self.bounds
        if self.questions:
            low, high = float(self.looks.low[-1]), float(self.looks.high[-1])
        return Interval(low, high, self.claims.level, Estimand.POPULATION)

    @property
    def decided(self) -> tuple[int, Decision] | None:
        """Number of questions and claim of the first decision, if any."""
        needed = math.log(self.claims.needed)
        decisions: list[tuple[int, Decision]] = []
        for claim, path in self._paths():
            reached = np.flatnonzero(path >= needed)
            if reached.size:
                decisions.append((int(reached[0]) + 1, claim))
        return min(decisions, default=None)

    @property
    def verdict(self) -> str:
        """Whether to stop, and the claim that was accepted."""
        return f"stop: {self._claim_in_sentence(self.decided[1])}" if self.decided else GO_ON

    @property
    def dated_verdict(self) -> str:
        """The verdict with the number of questions at which it was reached."""
        return f"{self.verdict} (at {self.decided[0]})" if self.decided else self.verdict

    @property
    def short_verdict(self) -> str:
        """The verdict as a cell of a table, as in "stop: better (at 63)"."""
        if self.decided is None:
            return GO_ON
        questions, claim = self.decided
        return f"stop: {self._claim(claim)} (at {questions})"

    @property
    def contradicts(self) -> bool:
        """Whether the confidence sequence is empty."""
        return self.interval.low > self.interval.high

    @property
    def name(self) -> str:
        """Name of the system, or of the difference."""
        return f"{self.system} − {self.against}" if self.against else self.system

    def record(self) -> dict[str, Any]:
        """A flat record for a DataFrame or JSON."""
        claims = self.claims
        decided_at, decision = self.decided or (None, None)
        record: dict[str, Any] = {
            "system": self.system,
            "against": self.against,
            "task": self.task,
            "above": claims.above,
            "below": claims.below,
            "value": self.value,
            **self.interval.record(),
            "e_above": None,
            "p_above": None,
            "e_below": None,
            "p_below": None,
            "needed": claims.needed,
            "decision": decision,
            "decided_at": decided_at,
            "verdict": self.verdict,
            "questions": len(self.questions),
            "pending": self.pending,
            "trials": self.trials,
            "unused_trials": self.unused_trials,
        }
        for claim, path in self._paths():
            record[f"e_{claim}"] = e_value(path[-1]) if path.size else 1.0
            record[f"p_{claim}"] = math.exp(-path.max(initial=0.0))
        return record

    def history(self) -> Iterator[dict[str, Any]]:
        """A short record after each question."""
        subject = {"system": self.system, "against": self.against, "task": self.task}
        looks, paths = self.looks, dict(self._paths())
        for at, question in enumerate(self.questions):
            yield subject | {
                "questions": at + 1,
                "question": question,
                "outcome": float(self.outcomes[at]),
                "value": float(looks.value[at]),
                "low": float(looks.low[at]),
                "high": float(looks.high[at]),
                "e_above": e_value(paths["above"][at]) if "above" in paths else None,
                "e_below": e_value(paths["below"][at]) if "below" in paths else None,
            }

    @property
    def precision(self) -> float:
        """Half the distance from the mean to the nearer end; it determines the digits shown."""
        value, interval = self.value, self.interval
        reach = [value - interval.low] if self.claims.above is not None else []
        reach += [interval.high - value] if self.claims.below is not None else []
        return min((distance for distance in reach if distance > 0), default=math.nan) / 2

    def ends(self) -> str:
        """The interval in words, to the digits that it supports."""
        low, high = (
            round_to_sd(x, self.precision) for x in (self.interval.low, self.interval.high)
        )
        return "none: contradiction" if self.contradicts else f"{low} to {high}"

    def sentence(self) -> Headline:
        """The verdict in a sentence, with the numbers behind it."""
        seen = counted(len(self.questions), "question")
        if self.decided is None:
            return Headline("Go on: undecided", f" after {seen}.", Tone.DIM)
        subject = "" if self.against else f"{self.name or 'the mean'} is "
        claim = f"{subject}{self._claim_in_sentence(self.decided[1])}"
        mean = round_to_sd(self.value, self.precision)
        return Headline(
            f"Stop: {claim}",
            f", decided after {self.decided[0]} of {seen} ({mean}, {self.interval.title} "
            f"{self.ends()}).",
            Tone.GOOD,
        )

    def _paths(self) -> list[tuple[Decision, Array]]:
        paths: list[tuple[Decision, Array]] = []
        if self.claims.above is not None:
            paths.append(("above", self.looks.log_above))
        if self.claims.below is not None:
            paths.append(("below", self.looks.log_below))
        return paths

    def _claim(self, decision: Decision) -> str:
        """A claim on what the name stands for, as in "above 0.5"; on a difference, "better"."""
        than = self.claims.above if decision == "above" else self.claims.below
        if self.against and than == 0:
            return "better" if decision == "above" else "worse"
        return f"{decision} {than:g}"

    def _claim_in_sentence(self, decision: Decision) -> str:
        """A claim within a sentence, after "stop:"."""
        claim = self._claim(decision)
        if not self.against:
            return claim
        first, second = self.system, self.against
        if claim == "worse":
            first, second = second, first
        if claim in ("better", "worse"):
            return f"{first} is better than {second}"
        return f"{self.name} is {claim}"


@dataclass(frozen=True, slots=True, repr=False)
class Monitoring(Result):
    """The current state of every monitored system and task."""

    watches: tuple[Watch, ...]
    remarks: tuple[str, ...] = ()  # on the data: guesses, rows left out

    @property
    def is_decided(self) -> bool:
        """Whether every watch has reached a decision."""
        return all(watch.decided is not None for watch in self.watches)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per watch, for a DataFrame or JSON."""
        return [watch.record() for watch in self.watches]

    def history(self) -> "MonitoringPath":
        """State after each question."""
        return MonitoringPath(self.watches, self.remarks)

    def line(self) -> str:
        """The state in one line, for display at every look."""
        parts = []
        for watch in self.watches:
            subject = " · ".join(part for part in (watch.name, watch.task) if part)
            state = (
                f"{counted(len(watch.questions), 'question')}, {watch.ends()}: "
                f"{watch.dated_verdict}"
            )
            parts.append(f"{subject}: {state}" if subject else state)
        return "; ".join(parts)

    def columns(self) -> list[list[str]]:
        """The table as text, each column from its head down; names only where there are some."""
        rows = self.watches
        claims = rows[0].claims
        records = self.to_dicts()
        columns = [
            ["system", *(watch.name for watch in rows)],
            ["task", *(watch.task for watch in rows)],
        ]
        columns = [column for column in columns if any(column[1:])]
        numbers = [
            (watch.value, math.nan, math.nan, watch.precision)
            if watch.contradicts
            else (watch.value, watch.interval.low, watch.interval.high, watch.precision)
            for watch in rows
        ]
        name = "difference" if rows[0].against else "mean"
        title = [rows[0].interval.title]
        columns.append(interval_column(name, title, numbers, signed=bool(rows[0].against)))
        columns.append(["questions", *(str(len(watch.questions)) for watch in rows)])
        for claim, than in (("above", claims.above), ("below", claims.below)):
            if than is not None:
                e_values = (f"{record[f'e_{claim}']:.3g}" for record in records)
                columns.append([f"e {claim} {than:g}", *e_values])
        return [*columns, ["verdict", *(watch.short_verdict for watch in rows)]]

    def conclusion(self) -> Headline:
        """Whether the run can stop."""
        if len(self.watches) == 1:
            return self.watches[0].sentence()
        decided = sum(watch.decided is not None for watch in self.watches)
        some = "all" if self.is_decided else str(decided or "none")
        of = f"{some} of {len(self.watches)} tests decided"
        claim = f"{'Stop' if self.is_decided else 'Go on'}: {of}"
        return Headline(claim, ".", Tone.GOOD if self.is_decided else Tone.DIM)

    def footer(self) -> str:
        """A line on what the intervals cover."""
        claims = self.watches[0].claims
        sides = "" if None not in (claims.above, claims.below) else "one-sided"
        return coverage_line(self.watches[0].interval, sides, "valid at every look")

    def parts(self) -> list[Table | str]:
        """The verdict, the remarks and the table; a narrow terminal leaves out the e-values."""
        columns = self.columns()
        e_values = [head for head, *_ in columns if head.startswith("e ")]
        tones = {
            watch.short_verdict: Tone.DIM if watch.decided is None else Tone.GOOD
            for watch in self.watches
        }
        drops = [*reversed(e_values), "task", "questions"]
        return [
            replace(part, drops=drops, tones=tones)
            for part in Result.parts(self)
            if isinstance(part, Table)
        ]

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        first = self.watches[0]
        claims, trials = first.claims, first.trials
        wrong = percent(1.0 - claims.level)
        settling = f"its first {trials} trials" if trials > 1 else "its first trial"
        definitions = [
            f"e: e-value of the claim, accepted at {claims.needed:.10g}. A false claim is accepted "
            f"in at most {wrong} of runs, even with a look after every trial. (at …): the question "
            f"at which it was accepted.",
            f"{interval_title(claims.level)}: for new questions of the same kind, valid at all "
            f"looks together{_one_sided(claims)}.",
            f"Each question counts once, by {settling}"
            f"{' in both systems' if first.against else ''}.",
        ]
        notes: list[str] = [*map(Explanation, definitions), *self._left()]
        if len(self.watches) > 1:
            notes.append("Rows are not adjusted for multiple testing.")
        dependent = sum(watch.dependent for watch in self.watches)
        if dependent:
            notes.append(
                f"Questions of a cluster are not independent: only the first of each counts; "
                f"{dependent} more are complete."
            )
        if any(watch.contradicts for watch in self.watches):
            order = "Early and late questions contradict each other: they are not in random order."
            notes.append(Caution(order))
        return [*notes, *self.remarks]

    def _left(self) -> list[str]:
        """Pending questions and unused trials."""
        trials = counted(self.watches[0].trials, "trial")
        pending = sum(watch.pending for watch in self.watches)
        unused = sum(watch.unused_trials for watch in self.watches)
        waits = f"{counted(pending, 'question')} pending: fewer than {trials} so far."
        beyond = f"{counted(unused, 'trial')} not used: the test counts {trials} per question"
        option = way_to_say("--trials", "trials=")
        return [*([waits] if pending else []), *([f"{beyond} ({option})."] if unused else [])]


@dataclass(frozen=True, slots=True, repr=False)
class MonitoringPath(Result):
    """The state of a monitored run after each question, a row each."""

    watches: tuple[Watch, ...]
    remarks: tuple[str, ...] = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per question."""
        return [row for watch in self.watches for row in watch.history()]

    def columns(self) -> list[list[str]]:
        """The table as text, each column from its head down; without columns that are empty."""
        rows = self.to_dicts()
        heads = list(rows[0]) if rows else ["questions"]
        cells = {head: [_cell(row[head]) for row in rows] for head in heads}
        return [
            [head.replace("_", " "), *column]
            for head, column in cells.items()
            if any(column) or not rows
        ]

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        return Monitoring(self.watches, self.remarks).notes()


def _one_sided(claims: Claims) -> str:
    if claims.below is None:
        return ", one-sided because only `above` is tested"
    if claims.above is None:
        return ", one-sided because only `below` is tested"
    return ""


def e_value(log: float) -> float:
    """An e-value from its logarithm; the largest float if it is larger."""
    return math.exp(min(float(log), _LARGEST))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
