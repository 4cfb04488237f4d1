"""A cell of the study: every method for one metric and target, held side by side."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.coverage.grid import Unit
from benchmarks.coverage.methods import METHODS, OURS
from benchmarks.coverage.unit import Row

NAMES = {
    OURS: "errbar",
    "posterior": "documented posterior",
    "clt": "CLT",
    "bootstrap": "bootstrap",
}
WIDEST = 1.35  # times the narrowest method that holds
_HOLDS = 0.925
_HOLDS_WITH_TEN = 0.9
_MOST_FLAT = 0.05  # share of intervals without a width from which on a method has none to compare
_MOST_LISTED = 40


class Cell(NamedTuple):
    """Every method for one metric and target of one unit."""

    unit: Unit
    family: str
    k: int
    estimand: str
    by_method: dict[str, Row]

    @property
    def ours(self) -> Row:
        """Our own."""
        return self.by_method[OURS]

    @property
    def floor(self) -> float:
        """What the coverage is to be at least."""
        return _HOLDS if self.unit.questions > 10 else _HOLDS_WITH_TEN

    def narrowest(self, methods: Sequence[str] = METHODS) -> str | None:
        """The narrowest of some methods that holds, if any does."""
        rows = {method: self.by_method[method] for method in methods}
        holding = [
            method
            for method, row in rows.items()
            if row.width and row.covered >= _HOLDS and row.flat <= _MOST_FLAT
        ]
        return min(holding, key=lambda method: rows[method].width, default=None)

    def ratio(self, methods: Sequence[str] = METHODS) -> float:
        """Our width by that of the narrowest of some methods that holds; nan where none does."""
        narrowest = self.narrowest(methods)
        return self.ours.width / self.by_method[narrowest].width if narrowest else math.nan

    @property
    def where(self) -> str:
        """Its name for a reader."""
        name = self.family.replace("@k", f"@{self.k}").replace("^k", f"^{self.k}")
        return f"{name}, {self.unit.difficulty}, M = {self.unit.questions}, N = {self.unit.trials}"

    def misses(self, replicates: int) -> bool:
        """Whether ours is short by more than two standard errors of a share at its floor."""
        return self.ours.covered < self.floor - 2.0 * error_of(self.floor, replicates)


def cells(results: dict[Unit, list[Row]]) -> list[Cell]:
    """Methods side by side."""
    found: dict[tuple[Unit, str, int, str], dict[str, Row]] = {}
    for unit, rows in results.items():
        for row in rows:
            found.setdefault((unit, row.family, row.k, row.estimand), {})[row.method] = row
    return [Cell(*place, by_method) for place, by_method in found.items()]


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
