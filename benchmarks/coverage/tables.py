"""The results in words: a summary per target, the cells that miss, and a line for each cell."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

from benchmarks.coverage.grid import Unit
from benchmarks.coverage.methods import ESTIMANDS, METHODS, OURS, PEERS
from benchmarks.coverage.unit import Row

WIDEST = 1.35  # times the narrowest method that holds
_HOLDS = 0.925
_HOLDS_WITH_TEN = 0.9
_MOST_FLAT = 0.05  # share of intervals without a width from which on a method has none to compare
_NAMES = {
    OURS: "errbar",
    "posterior": "documented posterior",
    "clt": "CLT",
    "bootstrap": "bootstrap",
}
_NO_PRIOR = ("clt", "bootstrap")
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

    def ratio(self, methods: Sequence[str] = METHODS) -> float:
        """Our width by that of the narrowest of some methods that holds; nan where none does."""
        some = [self.by_method[method] for method in methods if self.by_method[method].width]
        holding = [row for row in some if row.covered >= _HOLDS and row.flat <= _MOST_FLAT]
        return self.ours.width / min(row.width for row in holding) if holding else math.nan

    @property
    def where(self) -> str:
        """Its name for a reader."""
        name = self.family.replace("@k", f"@{self.k}").replace("^k", f"^{self.k}")
        return f"{name}, {self.unit.difficulty}, M = {self.unit.questions}, N = {self.unit.trials}"

    def misses(self, replicates: int) -> bool:
        """Whether ours is short by more than two standard errors of a share at its floor."""
        return self.ours.covered < self.floor - 2.0 * _error(self.floor, replicates)


def cells(results: dict[Unit, list[Row]]) -> list[Cell]:
    """Methods side by side."""
    found: dict[tuple[Unit, str, int, str], dict[str, Row]] = {}
    for unit, rows in results.items():
        for row in rows:
            found.setdefault((unit, row.family, row.k, row.estimand), {})[row.method] = row
    return [Cell(*place, by_method) for place, by_method in found.items()]


def summary(every: Sequence[Cell], identities: Sequence[str], replicates: int) -> str:
    """The whole text, in Markdown."""
    error = 100 * _error(0.95, replicates)
    parts = [
        "# Coverage of 95 % intervals of repeated trials\n",
        "Made by `scripts/bench coverage report` from the results of `scripts/bench coverage`: "
        f"{'; '.join(identities)}. A cell is a metric with its k, a difficulty, M questions and N "
        f"trials. Shares are in per cent; the standard error of a cell is {error:.1f}.\n",
        _overview(every, replicates),
        _peers(every),
        *(_by_size(every, target.value) for target in ESTIMANDS),
        *(_misses(every, target.value, replicates) for target in ESTIMANDS),
        *(_wide(every, target.value) for target in ESTIMANDS),
    ]
    return "\n".join(parts)


def _overview(every: Sequence[Cell], replicates: int) -> str:
    lines = [
        "## errbar\n",
        "Short: measured below 92.5, or below 90 with 10 questions; clearly short: by more than "
        "two standard errors. Width is that of errbar by that of the narrowest method, peers "
        "included, that holds in 92.5 there (and has a width in 95 % of the data sets). Uniform "
        "difficulty is what the documented posterior takes for granted: nothing that has to learn "
        "it can be as narrow there. The last column leaves the documented posterior out: its prior "
        "happens to fit in other places too, which no one can know from the data.\n",
        "| target | cells | lowest | median | highest | short | clearly short | largest width | "
        f"wider than {WIDEST} | but for uniform | against CLT and bootstrap |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for target in ESTIMANDS:
        mine = _of(every, target.value)
        covered = [cell.ours.covered for cell in mine]
        ratios = _known(cell.ratio() for cell in mine)
        wide = [cell for cell in mine if cell.ratio() > WIDEST]
        learnt = [cell for cell in wide if cell.unit.difficulty != "uniform"]
        no_prior = _known(cell.ratio(_NO_PRIOR) for cell in mine)
        short = sum(cell.ours.covered < cell.floor for cell in mine)
        clearly = sum(cell.misses(replicates) for cell in mine)
        lines.append(
            f"| {target.value} | {len(mine)} | {_percent(min(covered))} | "
            f"{_percent(median(covered))} | {_percent(max(covered))} | "
            f"{short} ({_percent(short / len(mine))} %) | {clearly} | "
            f"{max(ratios, default=math.nan):.2f} | {len(wide)} | {len(learnt)} | "
            f"{max(no_prior, default=math.nan):.2f} |"
        )
    return "\n".join(lines) + "\n"


def _peers(every: Sequence[Cell]) -> str:
    lines = [
        "## Side by side\n",
        "Lowest and median coverage over all cells, and the share of cells that are short.\n",
        "| target | " + " | ".join(_NAMES[method] for method in METHODS) + " |",
        "|---|" + "--:|" * len(METHODS),
    ]
    for target in ESTIMANDS:
        said = []
        for method in METHODS:
            mine = [(cell, cell.by_method[method].covered) for cell in _of(every, target.value)]
            short = sum(covered < cell.floor for cell, covered in mine) / len(mine)
            covered = [one for _, one in mine]
            said.append(
                f"{_percent(min(covered))}, {_percent(median(covered))}, {_percent(short)} % short"
            )
        lines.append(f"| {target.value} | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


def _by_size(every: Sequence[Cell], target: str) -> str:
    """Lowest and median coverage of ours, by questions and trials."""
    mine = _of(every, target)
    questions = sorted({cell.unit.questions for cell in mine})
    trials = sorted({cell.unit.trials for cell in mine})
    lines = [
        f"### {target.capitalize()}: lowest and median coverage of errbar, share of cells short\n",
        "| M | " + " | ".join(f"N = {n}" for n in trials) + " |",
        "|--:|" + "--:|" * len(trials),
    ]
    for m in questions:
        said = []
        for n in trials:
            some = [c for c in mine if c.unit.questions == m and c.unit.trials == n]
            covered = [cell.ours.covered for cell in some]
            short = sum(cell.ours.covered < cell.floor for cell in some)
            said.append(
                f"{_percent(min(covered))}, {_percent(median(covered))}, "
                f"{_percent(short / len(some))} %"
                if some
                else ""
            )
        lines.append(f"| {m} | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


def _misses(every: Sequence[Cell], target: str, replicates: int) -> str:
    """The cells that are clearly short, the worst first."""
    short = [cell for cell in _of(every, target) if cell.misses(replicates)]
    short.sort(key=lambda cell: cell.ours.covered - cell.floor)
    lines = [f"### {target.capitalize()}: clearly short\n"]
    if not short:
        return "\n".join([*lines, "None.\n"])
    lines += [
        "| cell | errbar | ends before the truth | begins after it | width | "
        + " | ".join(_NAMES[peer] for peer in PEERS)
        + " |",
        "|---|--:|--:|--:|--:|" + "--:|" * len(PEERS),
    ]
    for cell in short[:_MOST_LISTED]:
        mine = cell.ours
        others = " | ".join(_percent(cell.by_method[peer].covered) for peer in PEERS)
        lines.append(
            f"| {cell.where} | {_percent(mine.covered)} | {_percent(mine.below)} | "
            f"{_percent(mine.above)} | {mine.width:.4f} | {others} |"
        )
    return "\n".join(lines) + _rest(short)


def _wide(every: Sequence[Cell], target: str) -> str:
    """The cells that are wider than they should be, the worst first."""
    wide = [cell for cell in _of(every, target) if cell.ratio() > WIDEST]
    wide.sort(key=lambda cell: cell.ratio(), reverse=True)
    lines = [f"### {target.capitalize()}: wider than {WIDEST} times the narrowest that holds\n"]
    if not wide:
        return "\n".join([*lines, "None.\n"])
    heads = " | ".join(_NAMES[method] for method in METHODS)
    lines += [f"| cell | width | {heads} |", "|---|--:|" + "--:|" * len(METHODS)]
    for cell in wide[:_MOST_LISTED]:
        each = [cell.by_method[method] for method in METHODS]
        said = " | ".join(f"{_percent(row.covered)}, {row.width:.4f}" for row in each)
        lines.append(f"| {cell.where} | {cell.ratio():.2f} | {said} |")
    return "\n".join(lines) + _rest(wide)


def full(every: Sequence[Cell]) -> str:
    """A line for each cell, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = ("covered", "below", "above", "width", "flat")
    heads = [f"{method} {part}" for method in METHODS for part in parts]
    writer.writerow(["target", "difficulty", "questions", "trials", "metric", "k", *heads])
    for cell in every:
        shares = [getattr(cell.by_method[method], part) for method in METHODS for part in parts]
        numbers = [f"{share:.4g}" for share in shares]
        writer.writerow([cell.estimand, *cell.unit, cell.family, cell.k, *numbers])
    return out.getvalue()


def _of(every: Iterable[Cell], target: str) -> list[Cell]:
    return [cell for cell in every if cell.estimand == target]


def _known(numbers: Iterable[float]) -> list[float]:
    return [one for one in numbers if not math.isnan(one)]


def _error(share: float, replicates: int) -> float:
    return math.sqrt(share * (1.0 - share) / replicates)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _rest(listed: Sequence[Cell]) -> str:
    left = len(listed) - _MOST_LISTED
    return f"\n\nand {left} more, in the table of all cells.\n" if left > 0 else "\n"
