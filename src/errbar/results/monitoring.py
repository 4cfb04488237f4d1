"""What is known of a run while it goes on, as a table: e-values, intervals and verdicts."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.base.remarks import way_to_say
from errbar.base.tables import counted, percent, pointed, supported
from errbar.results.base import Result
from errbar.results.estimate import Estimand, Interval

Decision = Literal["above", "below"]

_LARGEST = 709.0  # log of the largest e-value that is told
GO_ON = "go on"


@dataclass(frozen=True, slots=True)
class Claims:
    """What is watched for: a mean above a number, one below a number, or both."""

    above: float | None
    below: float | None
    level: float

    @property
    def needed(self) -> float:
        """The e-value at which a claim is made; two claims share what the level leaves."""
        claims = sum(one is not None for one in (self.above, self.below))
        return claims / float(f"{1.0 - self.level:.12g}")  # of 0.95 it is 0.05


class Looks(NamedTuple):
    """What was known after each question."""

    value: Array  # mean of the questions so far
    low: Array
    high: Array
    log_above: Array  # log of the e-values
    log_below: Array


@dataclass(frozen=True, slots=True, eq=False)
class Watch:
    """One mean, or the difference of two, as it was known after each question."""

    system: str
    against: str  # the system that it is compared with; empty for a mean
    task: str
    claims: Claims
    bounds: tuple[float, float]
    trials: int  # of a question
    questions: tuple[str, ...]  # in the order in which they were complete
    outcomes: Array  # of each, a mean of its trials or a difference of two
    looks: Looks
    pending: int  # questions that are not complete
    unused_trials: int  # that questions have beyond
    dependent: int  # complete questions of clusters that another one stands for

    @property
    def value(self) -> float:
        """The mean so far; nan before the first question."""
        return float(self.looks.value[-1]) if self.questions else math.nan

    @property
    def interval(self) -> Interval:
        """Where the mean is, by all questions so far; low > high where they contradict."""
        low, high = self.bounds
        if self.questions:
            low, high = float(self.looks.low[-1]), float(self.looks.high[-1])
        return Interval(low, high, self.claims.level, Estimand.POPULATION)

    @property
    def decided(self) -> tuple[int, Decision] | None:
        """After how many questions which claim was made; the first, if any."""
        needed = math.log(self.claims.needed)
        found: list[tuple[int, Decision]] = []
        for claim, path in self._paths():
            reached = np.flatnonzero(path >= needed)
            if reached.size:
                found.append((int(reached[0]) + 1, claim))
        return min(found, default=None)

    @property
    def verdict(self) -> str:
        """What to do, in plain words."""
        if self.decided is None:
            return GO_ON
        return f"stop: {self._claimed(self.decided[1])}"

    @property
    def dated_verdict(self) -> str:
        """The same, and since when."""
        return f"{self.verdict} (at {self.decided[0]})" if self.decided else self.verdict

    @property
    def contradicts(self) -> bool:
        """Whether no mean is left that all questions agree with."""
        return self.interval.low > self.interval.high

    @property
    def name(self) -> str:
        """Whose mean it is."""
        return f"{self.system} − {self.against}" if self.against else self.system

    def record(self) -> dict[str, Any]:
        """What it says, flat."""
        claims, interval = self.claims, self.interval
        made, decision = self.decided or (None, None)
        found: dict[str, Any] = {
            "system": self.system,
            "against": self.against,
            "task": self.task,
            "above": claims.above,
            "below": claims.below,
            "value": self.value,
            "low": interval.low,
            "high": interval.high,
            "level": claims.level,
            "covers": interval.covers.value,
            "e_above": None,
            "p_above": None,
            "e_below": None,
            "p_below": None,
            "needed": claims.needed,
            "decision": decision,
            "decided_at": made,
            "verdict": self.verdict,
            "questions": len(self.questions),
            "pending": self.pending,
            "trials": self.trials,
            "unused_trials": self.unused_trials,
        }
        for claim, path in self._paths():
            found[f"e_{claim}"] = _e_value(path[-1]) if path.size else 1.0
            found[f"p_{claim}"] = math.exp(-path.max(initial=0.0))
        return found

    def history(self) -> Iterator[dict[str, Any]]:
        """The same after each question, in short."""
        whose = {"system": self.system, "against": self.against, "task": self.task}
        looks, paths = self.looks, dict(self._paths())
        for at, question in enumerate(self.questions):
            yield whose | {
                "questions": at + 1,
                "question": question,
                "outcome": float(self.outcomes[at]),
                "value": float(looks.value[at]),
                "low": float(looks.low[at]),
                "high": float(looks.high[at]),
                "e_above": _e_value(paths["above"][at]) if "above" in paths else None,
                "e_below": _e_value(paths["below"][at]) if "below" in paths else None,
            }

    def digits(self) -> tuple[str, str]:
        """The mean and the interval, to the digits that the interval supports."""
        value, interval = self.value, self.interval
        reach = [value - interval.low] if self.claims.above is not None else []
        reach += [interval.high - value] if self.claims.below is not None else []
        known = min((one for one in reach if one > 0), default=math.nan) / 2
        shown, low, high = (supported(x, known) for x in (value, interval.low, interval.high))
        return shown, "none: contradiction" if self.contradicts else f"{low} to {high}"

    def _paths(self) -> list[tuple[Decision, Array]]:
        paths: list[tuple[Decision, Array]] = []
        if self.claims.above is not None:
            paths.append(("above", self.looks.log_above))
        if self.claims.below is not None:
            paths.append(("below", self.looks.log_below))
        return paths

    def _claimed(self, decision: Decision) -> str:
        than = self.claims.above if decision == "above" else self.claims.below
        if not self.against:
            return f"{decision} {than:g}"
        if than == 0:
            better, worse = self.system, self.against
            if decision == "below":
                better, worse = worse, better
            return f"{better} is better than {worse}"
        return f"{self.name} is {decision} {than:g}"


@dataclass(frozen=True, slots=True, repr=False)
class Monitoring(Result):
    """What is known by now, of every system and task that is watched."""

    watches: tuple[Watch, ...]
    remarks: tuple[str, ...] = ()  # on the data: what was guessed, what was left out

    @property
    def is_decided(self) -> bool:
        """Whether a claim was made of each."""
        return all(one.decided is not None for one in self.watches)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record of each."""
        return [one.record() for one in self.watches]

    def history(self) -> "History":
        """What was known after each question."""
        return History(self.watches, self.remarks)

    def line(self) -> str:
        """All of it in one line, to be read at every look."""
        parts = []
        for one in self.watches:
            whose = " · ".join(part for part in (one.name, one.task) if part)
            said = (
                f"{counted(len(one.questions), 'question')}, {one.digits()[1]}: {one.dated_verdict}"
            )
            parts.append(f"{whose}: {said}" if whose else said)
        return "; ".join(parts)

    def columns(self) -> list[list[str]]:
        """The table as text, each column from its head down; names only where there are some."""
        rows = self.watches
        claims = rows[0].claims
        values, ends = zip(*(one.digits() for one in rows), strict=True)
        records = self.to_dicts()
        columns = [
            ["system", *(one.name for one in rows)],
            ["task", *(one.task for one in rows)],
        ]
        columns = [column for column in columns if any(column[1:])]
        columns += [
            ["questions", *(str(len(one.questions)) for one in rows)],
            ["value", *pointed(values)],
            [f"{percent(claims.level)} interval", *ends],
        ]
        for claim, than in (("above", claims.above), ("below", claims.below)):
            if than is not None:
                found = (f"{record[f'e_{claim}']:.3g}" for record in records)
                columns.append([f"e {claim} {than:g}", *found])
        return [*columns, ["verdict", *(one.dated_verdict for one in rows)]]

    def notes(self) -> list[str]:
        """What stands under the table."""
        first = self.watches[0]
        claims, trials = first.claims, first.trials
        wrong = percent(1.0 - claims.level)
        settling = f"its first {trials} trials" if trials > 1 else "its first trial"
        notes = [
            f"e: what a bet of 1 on the claim has grown to; at {claims.needed:.10g} it is made. A "
            f"claim that does not hold is made in {wrong} of all runs at most, with a look after "
            f"every trial. (at …): the question that made it.",
            f"{percent(claims.level)} interval: for questions like these, at all looks together"
            f"{_one_sided(claims)}.",
            f"A question is one bet, settled by {settling}"
            f"{' in both systems' if first.against else ''}{self._left()}.",
        ]
        if len(self.watches) > 1:
            notes.append("Each row stands for itself; they are not adjusted for their number.")
        dependent = sum(one.dependent for one in self.watches)
        if dependent:
            notes.append(
                f"Questions of one cluster are not independent: the first of each is a bet; "
                f"{dependent} more are complete."
            )
        if any(one.contradicts for one in self.watches):
            notes.append(
                "Early and late questions contradict each other: they do not come in random order."
            )
        return [*notes, *self.remarks]

    def _left(self) -> str:
        """What is not used, or not yet."""
        pending = sum(one.pending for one in self.watches)
        unused = sum(one.unused_trials for one in self.watches)
        said = f"; {counted(pending, 'question')} pending" if pending else ""
        if unused:
            beyond = counted(unused, "trial")
            option = way_to_say("--trials", "trials=")
            said += f"; {beyond} beyond not used ({option} says how many count)"
        return said


@dataclass(frozen=True, slots=True, repr=False)
class History(Result):
    """What was known after each question, a row each."""

    watches: tuple[Watch, ...]
    remarks: tuple[str, ...] = ()

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per question."""
        return [row for one in self.watches for row in one.history()]

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
        """What stands under the table."""
        return Monitoring(self.watches, self.remarks).notes()


def _one_sided(claims: Claims) -> str:
    if claims.below is None:
        return ", from below alone as only `above` is watched for"
    if claims.above is None:
        return ", from above alone as only `below` is watched for"
    return ""


def _e_value(log: float) -> float:
    return math.exp(min(float(log), _LARGEST))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
