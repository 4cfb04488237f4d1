"""Scaling with the number of trials: exponents, and pass@k far beyond the trials."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from errbar.base.remarks import Explanation, counted
from errbar.base.tables import (
    DASH,
    Headline,
    Table,
    interval_cells,
    interval_column,
    interval_title,
    scale,
    score_head,
    score_text,
)
from errbar.results.base import Measurement, Rows
from errbar.results.estimate import EqualByValue, Estimand, Interval, Subject, coverage_line

_MEANINGS = (
    "exponent: failures fall like k to the power of −exponent between two numbers of trials; "
    "log(failed at the first / failed at the second) / log(second / first). With 0 they do not "
    "fall, with 1 they halve as trials double.",
    "limit: exponent for infinitely many trials if success rates have a Beta distribution, apart "
    "from questions that are never solved; an end of ∞ or 0 means that the data give no bound.",
    "by model: if difficulty follows one of two families of distributions (Beta scaled to a "
    "largest rate, or normal in the log odds, both with questions that are never solved); the "
    "interval covers those of both families if both fit.",
    "any difficulty, exponent bounds: bounds that hold for every distribution of difficulty.",
)
_STEP_DROPS = ("exponent bounds", "exponent by model")  # on narrow terminals


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingStep(EqualByValue):
    """The score at one number of trials, beyond those observed."""

    k: int
    solved: Measurement  # pass@k by the families that fit; nan if none does
    exponent: Measurement  # exponent between the trials and k, by the same families
    bounded: Measurement  # pass@k, with bounds for every distribution of difficulty
    lowest: float  # bounds of the exponent for every distribution
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScalingRow(EqualByValue):
    """One system on one task."""

    of: Subject
    questions: int
    least: int  # trials of a question
    most: int
    unsolved: float  # share of questions without a right trial
    within: Measurement  # exponent over the last doubling of the trials
    limit: Measurement  # exponent for endless trials in the family of Beta; nan if it does not fit
    p_values: dict[str, float]  # goodness-of-fit p-value of each family
    steps: tuple[ScalingStep, ...]
    level: float

    def records(self) -> list[dict[str, Any]]:
        """A flat record per number of trials."""
        found: list[dict[str, Any]] = []
        first: dict[str, Any] = {"system": self.of.system, "task": self.of.task}
        first |= {"questions": self.questions, "trials": self.most, "unsolved": self.unsolved}
        for name in ("within", "limit"):
            first |= _fields(name, getattr(self, name))
        for step in self.steps:
            record = first | {"k": step.k}
            record |= _fields("pass", step.bounded) | _fields("by_model", step.solved)
            record |= _fields("exponent", step.exponent)
            record |= {"exponent_lowest": step.lowest, "exponent_highest": step.highest}
            names = {f"p_{name.replace(' ', '_').lower()}": p for name, p in self.p_values.items()}
            found.append(record | names | {"level": self.level})
        return found


def _fields(name: str, own: Measurement) -> dict[str, float]:
    return {name: own.value, f"{name}_low": own.low, f"{name}_high": own.high}


@dataclass(frozen=True, slots=True, repr=False)
class Scaling(Rows[ScalingRow]):
    """The scaling of every system and task with the number of trials."""

    method: str = ""
    remarks: tuple[str, ...] = ()
    drops: ClassVar[tuple[str, ...]] = ("questions", "trials", "limit if Beta")

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per system and number of trials."""
        return [record for row in self.rows for record in row.records()]

    def names(self) -> list[str]:
        """A name of each row, with the task if there are several."""
        several = len({row.of.task for row in self.rows}) > 1
        return [str(row.of) if several else row.of.system for row in self.rows]

    def columns(self) -> list[list[str]]:
        """Exponents within the trials and for endless ones; columns with their heads."""
        rows, title = self.rows, [interval_title(self.rows[0].level)]
        columns = [
            ["system", *self.names()],
            ["questions", *(f"{row.questions:,}" for row in rows)],
            ["trials", *(_trials(row) for row in rows)],
            ["unsolved", *(f"{100.0 * row.unsolved:.0f}%" for row in rows)],
            _exponents("exponent, last doubling", title, (row.within for row in rows)),
            _exponents("limit if Beta", title, (row.limit for row in rows)),
        ]
        return [column for column in columns if any(cell not in ("", DASH) for cell in column[1:])]

    def step_columns(self) -> list[list[str]]:
        """pass@k and the exponent beyond the trials, as columns of text."""
        title = [interval_title(self.rows[0].level)]
        each = [(row, step) for row in self.rows for step in row.steps]
        names = dict(zip(map(id, self.rows), self.names(), strict=True))
        steps = [step for _, step in each]
        columns = [
            ["system", *(names[id(row)] if step is row.steps[0] else "" for row, step in each)],
            ["k", *(f"{step.k:,}" for step in steps)],
            interval_column("pass@k by model", title, (step.solved.cell for step in steps)),
            [score_head("any difficulty"), *(_bounds(step.bounded) for step in steps)],
            _exponents("exponent by model", title, (step.exponent for step in steps)),
            ["exponent bounds", *(_ends(s.lowest, s.highest) for s in steps)],
        ]
        return [column for column in columns if any(cell not in ("", DASH) for cell in column[1:])]

    def by_k(self) -> dict[int, list[tuple[ScalingRow, ScalingStep, str]]]:
        """Rows with their steps by k, each with pass@k by model as text."""
        found: dict[int, list[tuple[ScalingRow, ScalingStep, str]]] = {}
        steps = [(row, step) for row in self.rows for step in row.steps]
        cells = interval_cells(step.solved.cell for _, step in steps)
        for (row, step), cell in zip(steps, cells, strict=True):
            found.setdefault(step.k, []).append((row, step, cell))
        return found

    def parts(self) -> list[Table | str]:
        """The table of exponents, and that of pass@k beyond the trials."""
        sizes = [len(row.steps) for row in self.rows]
        breaks = {sum(sizes[:at]) for at in range(1, len(sizes))} if max(sizes) > 1 else set()
        steps = Table(columns=self.step_columns(), breaks=breaks, drops=_STEP_DROPS)
        return [*Rows.parts(self), steps]

    def notes(self) -> list[str]:
        """What the columns mean, the method, and remarks on the data."""
        return [
            *map(Explanation, _MEANINGS),
            Explanation(f"Method: {self.method}."),
            *self.remarks,
        ]

    def conclusion(self) -> Headline | None:
        """How far the data reach; of several systems on a task, which gets furthest."""
        row = max(self.rows, key=lambda each: _solved(each.steps[-1]))
        step = row.steps[-1]
        if len(self.rows) > 1:
            if len({each.of.task for each in self.rows}) > 1 or math.isnan(step.solved.value):
                return None
            of = f"the highest pass@{step.k:,} by model"
            cells = [_value_and_ends(each.steps[-1].solved, each.level) for each in self.rows]
            value, _, ends = _value_and_ends(step.solved, row.level).partition(" ")
            level = sum(cell.startswith(f"{value} ") for cell in cells)
            if level > 1:
                return Headline(f"{level} systems share {of} ({value})", ".")
            untested = "whether it is better is not tested"
            return Headline(f"{row.of.system} has {of}, {value} {ends}; {untested}", ".")
        low, high = (score_text(x, 0.01) for x in (step.bounded.low, step.bounded.high))
        any_kind = f"any difficulty allows {low} to {high}"
        if math.isnan(step.solved.value):
            return Headline(f"pass@{step.k:,}: no model of difficulty fits; {any_kind}", ".")
        claim = f"pass@{step.k:,} is {_value_and_ends(step.solved, row.level)} by model"
        return Headline(f"{claim}; {any_kind}", ".")

    def footer(self) -> str:
        """A line on what the intervals cover."""
        row = self.rows[0]
        step = row.steps[0].bounded
        interval = Interval(step.low, step.high, row.level, Estimand.POPULATION)
        sizes = {row.questions for row in self.rows}
        return coverage_line(
            interval, counted(row.questions, "question") if len(sizes) == 1 else ""
        )


def _solved(step: ScalingStep) -> float:
    """The score by model, to order systems; those without one come last."""
    return -math.inf if math.isnan(step.solved.value) else step.solved.value


def _value_and_ends(found: Measurement, level: float) -> str:
    """A number with its interval, as in "0.99 (95% CI 0.93 to 1.00)"."""
    value, _, ends = interval_cells([found.cell])[0].strip().partition(" ")
    return f"{value} ({interval_title(level)} {ends.strip('[]').replace(', ', ' to ')})"


def _trials(row: ScalingRow) -> str:
    return f"{row.most}" if row.least == row.most else f"{row.least} to {row.most}"


def _exponents(name: str, title: list[str], found: Iterable[Measurement]) -> list[str]:
    """A column of exponents with their intervals; ∞ where the data set no limit."""
    column = interval_column(name, title, (each.cell for each in found), are_scores=False)
    return [cell.replace("inf", "∞") for cell in column]


def _bounds(found: Measurement) -> str:
    """Bounds of pass@k, in percent if scores are."""
    if scale() == 1:
        return _ends(found.low, found.high)
    return f"{scale() * found.low:.0f} to {scale() * found.high:.0f}"


def _ends(low: float, high: float) -> str:
    return f"{low:z.2f} to {'∞' if math.isinf(high) else f'{high:z.2f}'}"
