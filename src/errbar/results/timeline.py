"""Scores of successive runs over time, the last change, and evidence of drift."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

from errbar.base.arrays import Array
from errbar.base.remarks import Explanation, counted
from errbar.base.tables import Headline, Tone, interval_column, percent, score_text
from errbar.results.base import Result
from errbar.results.comparison import Comparison
from errbar.results.estimate import BaseEstimate, coverage_line
from errbar.results.monitoring import e_value

DriftDirection = Literal["drop", "rise"]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Drift:
    """Evidence, after each run of a task, that the rate of right answers has changed."""

    task: str
    runs: tuple[str, ...]  # in order; nothing can be tested at the first
    needed: float  # e-value at which drift is claimed
    reason: str = ""  # why there is no test
    logs: Mapping[DriftDirection, Array] = field(default_factory=dict)  # of e-values after each run
    starts: Mapping[DriftDirection, str] = field(default_factory=dict)  # run where a change began

    @property
    def detected(self) -> tuple[str, DriftDirection] | None:
        """The first run at which drift was claimed, and its direction."""
        crossings = [
            (int(reached[0]), direction)
            for direction, path in self.logs.items()
            for reached in [np.flatnonzero(path >= math.log(self.needed))]
            if reached.size
        ]
        at, direction = min(crossings, default=(0, None))
        return None if direction is None else (self.runs[at], direction)

    def e_values(self, run: str) -> dict[str, float]:
        """The e-values after a run, by direction."""
        if self.reason or run not in self.runs:
            return {f"e_{direction}": math.nan for direction in ("drop", "rise")}
        at = self.runs.index(run)
        return {f"e_{direction}": e_value(path[at]) for direction, path in self.logs.items()}

    def sentence(self) -> str:
        """What was detected, in a sentence without its end."""
        where = f" in {self.task}" if self.task else ""
        if self.detected is None:
            return f"no drift detected{where}"
        run, direction = self.detected
        return (
            f"a {direction}{where}, detected at {run}, most likely since {self.starts[direction]}"
        )


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class Timeline(Result):
    """Scores of successive runs."""

    drops: ClassVar[tuple[str, ...]] = ("e rise", "e drop", "task")

    runs: tuple[str, ...]  # in order
    estimates: tuple[BaseEstimate, ...]  # the run is the system of each
    changes: tuple[Comparison, ...]  # the last run minus the reference
    drifts: tuple[Drift, ...]  # one per task
    reference: str  # the run with which the last one is compared
    method: str
    level: float
    remarks: tuple[str, ...] = ()

    @property
    def has_drifted(self) -> bool:
        """Whether drift was claimed in any task."""
        return any(drift.detected for drift in self.drifts)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per run, task and metric, for a DataFrame or JSON."""
        by_task = {drift.task: drift for drift in self.drifts}
        records = []
        for estimate in self.estimates:
            drift = by_task[estimate.task]
            detected = drift.detected
            claimed = detected[1] if detected and detected[0] == estimate.system else ""
            records.append(
                {
                    "run": estimate.system,
                    "task": estimate.task,
                    **estimate.record(),
                    **drift.e_values(estimate.system),
                    "drift": claimed,
                }
            )
        return records

    def columns(self) -> list[list[str]]:
        """Columns as text, each beginning with its head; empty columns are left out."""
        records, estimates = self.to_dicts(), self.estimates
        metrics = list(dict.fromkeys(str(estimate.metric) for estimate in estimates))
        numbers = (
            (each.value, each.interval.low, each.interval.high, each.sd) for each in estimates
        )
        titles = [each.interval.title for each in estimates]
        name = metrics[0] if len(metrics) == 1 else "value"
        columns = [
            ["run", *(each.system for each in estimates)],
            ["task", *(each.task for each in estimates)],
            ["metric", *(str(each.metric) if len(metrics) > 1 else "" for each in estimates)],
            interval_column(name, titles, numbers),
            *(
                [f"e {side}", *(_e_value(record[f"e_{side}"]) for record in records)]
                for side in ("drop", "rise")
            ),
            ["drift", *(record["drift"] for record in records)],
        ]
        return [column for column in columns if any(column[1:])]

    def conclusion(self) -> Headline:
        """Whether the score has drifted."""
        seen = counted(len(self.runs), "run")
        sentences = [drift.sentence() for drift in self.drifts if drift.detected]
        if sentences:
            return Headline(f"Drift: {'; '.join(sentences)} ({seen})", ".", Tone.BAD)
        if all(drift.reason for drift in self.drifts):
            return Headline(f"Drift was not tested: {self.drifts[0].reason}", ".", Tone.DIM)
        return Headline(f"No drift detected in {seen}", ".", Tone.DIM)

    def footer(self) -> str:
        """A line on what the intervals cover."""
        return coverage_line(self.estimates[0].interval)

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        wrong = percent(1.0 - self.level)
        reasons = dict.fromkeys(drift.reason for drift in self.drifts if drift.reason)
        return [
            *map(self._change, self.changes),
            *(f"No test of drift: {reason}." for reason in reasons),
            Explanation(
                f"e drop, e rise: e-values of a change in the rate of right answers on these "
                f"questions, against all earlier runs; drift is claimed at "
                f"{self.drifts[0].needed:.10g}. If nothing changes, drift is ever claimed, at any "
                f"run and in any task, with a probability of at most {wrong}."
            ),
            Explanation(f"Method: {self.method}."),
            *self.remarks,
        ]

    def _change(self, change: Comparison) -> str:
        """The change since the reference, in a sentence."""
        name = " · ".join(part for part in (str(change.metric), change.task) if part)
        if change.reason:
            return f"Change of {name} since {self.reference}: no interval: {change.reason}."
        ends = (change.difference, change.interval.low, change.interval.high)
        difference, low, high = (score_text(number, change.sd) for number in ends)
        verdict = "significant" if change.better else "not significant"
        return (
            f"Change of {name} since {self.reference}: {difference}, {change.interval.title} "
            f"{low} to {high}, on {counted(change.questions, 'question')} in common ({verdict})."
        )


def _e_value(number: float) -> str:
    if math.isnan(number):
        return ""
    return f"{number:,.0f}" if number >= 100.0 else f"{number:.2f}"


def natural_order(names: Sequence[str]) -> list[str]:
    """Names in natural order: digits compare as numbers.

    Examples
    --------
    >>> natural_order(["v1.10", "v1.9", "v1.2"])
    ['v1.2', 'v1.9', 'v1.10']
    """
    return sorted(names, key=_natural_key)


def _natural_key(name: str) -> tuple[list[tuple[int, int, str]], str]:
    digits = "".join(c if c.isdecimal() else f"\0{c}\0" for c in name)
    parts = [part for part in digits.split("\0") if part]
    key = [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts]
    return key, name
