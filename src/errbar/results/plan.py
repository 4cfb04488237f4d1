"""Plans: designs of a run with their costs and power."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from errbar.base.remarks import Caution, counted, way_to_say
from errbar.base.tables import Headline, Tone, percent
from errbar.results.base import Result
from errbar.results.estimate import EqualByValue

if TYPE_CHECKING:
    from errbar.results.pictures.picture import Picture

LEAST_QUESTIONS = 2
_ON_CURVE = 40  # points of a power curve
_BEYOND = 1.6  # end of a curve, relative to the questions of its row
_CURVES = 4  # rows drawn in a picture
_DOUBT = 3.0  # standard errors between simulated and computed power that are reported


class PlanGoal(Protocol):
    """Base class of the goal of a run, as far as a plan needs it."""

    @property
    def mean(self) -> float:
        """Mean of the metric over the population of questions."""
        ...

    @property
    def purpose(self) -> str:
        """The purpose of the run, as in "detect a difference of +0.05 in avg"."""
        ...

    def power(self, questions: int, trials: int | None) -> float:
        """Probability of meeting the goal; None means infinitely many trials."""
        ...

    def record(self) -> dict[str, Any]:
        """The goal as the first fields of a flat record."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlanRow(EqualByValue):
    """A design: trials per question and questions, with its cost and power."""

    trials: int  # trials of each question, by each system
    questions: int
    systems: int
    cost: float
    power: float
    reached: bool  # whether the power reaches the target
    best: bool = False
    simulated: float = math.nan  # share of simulated runs that met the goal
    simulations: int = 0

    @property
    def trials_in_all(self) -> int:
        """Total over questions and systems."""
        return self.trials * self.questions * self.systems

    @property
    def simulated_sd(self) -> float:
        """Standard error of the simulated share."""
        if not self.simulations:
            return math.nan
        share = self.simulated
        return math.sqrt(share * (1.0 - share) / self.simulations)


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Result):
    """Designs with different numbers of trials; the best is marked."""

    goal: PlanGoal
    target: float  # power to reach
    rows: tuple[PlanRow, ...]
    marked: str  # label of the best row: cheapest, or highest power
    remarks: tuple[str, ...]
    drops: ClassVar[tuple[str, ...]] = ("all trials", "simulated")
    tones: ClassVar[Mapping[str, Tone]] = {"cheapest": Tone.GOOD, "highest power": Tone.STRONG}

    @property
    def best(self) -> PlanRow:
        """The marked row."""
        return next(row for row in self.rows if row.best)

    def to_dicts(self) -> list[dict[str, Any]]:
        """A flat record per row, for a DataFrame or JSON."""
        goal = self.goal.record() | {"target": self.target}
        return [
            goal
            | {
                "trials": row.trials,
                "questions": row.questions,
                "systems": row.systems,
                "trials_in_all": row.trials_in_all,
                "cost": row.cost,
                "power": row.power,
                "simulated": row.simulated,
                "simulated_sd": row.simulated_sd,
                "reached": row.reached,
                "best": row.best,
            }
            for row in self.rows
        ]

    def curve(self) -> list[dict[str, Any]]:
        """Power at many numbers of questions, for the best row's trials and some others."""
        most = max(round(_BEYOND * row.questions) for row in self.plotted_rows())
        steps = {
            max(LEAST_QUESTIONS, round(most * at / _ON_CURVE)) for at in range(1, _ON_CURVE + 1)
        }
        return [
            {
                "trials": row.trials,
                "questions": questions,
                "power": self.goal.power(questions, row.trials),
            }
            for row in self.plotted_rows()
            for questions in sorted(steps)
        ]

    def plot(self) -> "Picture":
        """Power over questions, for the best row's trials and a few others."""
        from errbar.results.pictures import planning_curve  # noqa: PLC0415  an extra

        return planning_curve(self.curve(), target=self.target, subtitle=self.remarks[:1])

    def plotted_rows(self) -> list[PlanRow]:
        """The best row and the cheapest others, by trials."""
        others = sorted((row for row in self.rows if not row.best), key=lambda row: row.cost)
        return sorted([self.best, *others[: _CURVES - 1]], key=lambda row: row.trials)

    def columns(self) -> list[list[str]]:
        """Columns as text, each beginning with its head."""
        rows = self.rows
        columns = [
            ["trials per question", *(f"{row.trials:,}" for row in rows)],
            ["questions", *(f"{row.questions:,}" for row in rows)],
            ["all trials", *(f"{row.trials_in_all:,}" for row in rows)],
            ["cost", *(f"{row.cost:,.6g}" for row in rows)],
            ["power", *(points(row.power) for row in rows)],
            ["simulated", *(_simulated_text(row) for row in rows)],
            ["best", *(self.marked if row.best else "" for row in rows)],
        ]
        return [column for column in columns if any(column[1:])]

    def conclusion(self) -> Headline:
        """The best design, and what it achieves."""
        best = self.best
        design = f"{best.questions:,} questions x {counted(best.trials, 'trial')}"
        design += " by each system" if best.systems > 1 else ""
        if not best.reached:
            claim = f"Not reached: {design} {self.goal.purpose} with power {points(best.power)}"
            return Headline(claim, f", not {percent(self.target)}.", Tone.BAD)
        cost = f"cost {best.cost:,.6g}, {'the ' if self.marked == 'cheapest' else ''}{self.marked}"
        does = f" {self.goal.purpose} with power {points(best.power)} ({cost})."
        return Headline(design, does, Tone.GOOD)

    def footer(self) -> str:
        """A line on the effect that the power refers to."""
        option = way_to_say("--explain", ".explain()")
        line = f"Level {percent(self.goal.record()['level'])}, power {percent(self.target)}"
        return f"{line}, for new questions of the same kind ({option})."

    def notes(self) -> list[str]:
        """Notes that are printed with the table."""
        return [*self.remarks, *_doubts(self.rows)]


def points(share: float) -> str:
    """A share in percent, to one decimal."""
    return f"{100 * share:.1f}%"


def _simulated_text(row: PlanRow) -> str:
    if not row.simulations:
        return ""
    return f"{100 * row.simulated:.1f} ± {100 * row.simulated_sd:.1f}%"


def _doubts(rows: Sequence[PlanRow]) -> list[Caution]:
    """Rows whose simulated power contradicts the computed one."""
    doubtful = [
        row
        for row in rows
        if row.simulations and abs(row.simulated - row.power) > 0.02 + _DOUBT * row.simulated_sd
    ]
    return [
        Caution(
            f"{row.questions} questions x {row.trials} trials: simulations contradict the computed "
            f"power; trust the simulations."
        )
        for row in doubtful
    ]
