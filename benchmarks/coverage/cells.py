"""A cell of the study: every method for one metric and target, held side by side."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.coverage.grid import LEVEL, Unit
from benchmarks.coverage.methods import OURS
from benchmarks.coverage.store import Results
from benchmarks.coverage.unit import Row

NAMES = {
    OURS: "errbar",
    "posterior": "documented posterior",
    "clt": "CLT",
    "bootstrap": "bootstrap",
}
SLACK = 0.02  # by which coverage may fall short of the level, beyond two standard errors
_MOST_LISTED = 40


class Cell(NamedTuple):
    """Every method for one metric and target of one unit."""

    unit: Unit
    family: str
    k: int
    estimand: str
    by_method: dict[str, Row]
    level: float = LEVEL
    made_by: str = ""  # what it depends on: the code, the replicates

    @property
    def ours(self) -> Row:
        """Our own."""
        return self.by_method[OURS]

    @property
    def floor(self) -> float:
        """What the coverage is to be at least."""
        return self.level - SLACK

    @property
    def metric(self) -> str:
        """The metric with its k."""
        return self.family.replace("@k", f"@{self.k}").replace("^k", f"^{self.k}")

    @property
    def where(self) -> str:
        """Its name for a reader."""
        difficulty, questions, trials = self.unit
        return f"{self.metric}, {difficulty}, M = {questions}, N = {trials}"

    @property
    def misses(self) -> bool:
        """Whether ours is short by more than two standard errors of a share at its floor."""
        return self.ours.covered < self.floor - 2.0 * error_of(self.floor, self.ours.replicates)


def cells(results: Results) -> list[Cell]:
    """Methods side by side."""
    found: dict[tuple[float, Unit, str, int, str], dict[str, Row]] = {}
    made_by = {}
    for (level, unit, target), (identity, rows) in results.items():
        for row in rows:
            place = level, unit, row.family, row.k, target
            found.setdefault(place, {})[row.method] = row
            made_by[place] = identity
    return [
        Cell(*place[1:], by_method, place[0], made_by[place]) for place, by_method in found.items()
    ]


def of_target(every: Iterable[Cell], target: str) -> list[Cell]:
    """Those of one target."""
    return [cell for cell in every if cell.estimand == target]


def error_of(share: float, replicates: int) -> float:
    """Standard error of a share."""
    return math.sqrt(share * (1.0 - share) / replicates)


def percent(share: float) -> str:
    """A share for a reader."""
    return f"{100 * share:.1f}"


def listed(lines: Sequence[str], heads: Sequence[str]) -> str:
    """A table with a line for each cell, as far as a reader goes, whose first column is words."""
    left = len(lines) - _MOST_LISTED
    rest = f"\nand {left} more, in the table of all cells.\n" if left > 0 else ""
    rule = "|---|" + "--:|" * (len(heads) - 1)
    return "\n".join([f"| {' | '.join(heads)} |", rule, *lines[:_MOST_LISTED], rest])
