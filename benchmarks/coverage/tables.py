"""The results in words: a summary per target, the cells that miss, and a line for each cell."""

import csv
import io
from collections.abc import Sequence
from itertools import product
from statistics import median

from benchmarks.coverage import wide
from benchmarks.coverage.cells import NAMES, SLACK, Cell, error_of, listed, of_target, percent
from benchmarks.coverage.grid import ESTIMANDS, LEVEL, Settings
from benchmarks.coverage.methods import METHODS, PEERS


def summary(every: Sequence[Cell], others: Sequence[Cell], widths: wide.Widths) -> str:
    """The whole text, in Markdown: what falls short first."""
    targets = [target.value for target in ESTIMANDS if of_target(every, target.value)]
    parts = [
        "# Coverage of 95% intervals of repeated trials\n",
        "This page says how often the intervals contained the true value, in simulated data sets: "
        "first where they fell short, then beside other methods, by size, and how wide they are. "
        "A cell is a metric with its k, a difficulty, M questions and N trials. Shares are in per "
        "cent; the standard error of a cell of 100 data sets is "
        f"{100 * error_of(0.95, 100):.1f}. `scripts/bench coverage report` makes the page from the "
        "results of `scripts/bench coverage`; cells that were not run again are as published "
        "before.\n",
        _overview(every),
        *(_misses(every, target) for target in targets),
        _levels(others),
        _peers(every, targets),
        *(_by_size(every, target) for target in targets),
        *(wide.section(every, target, widths) for target in targets),
        _made_by([*every, *others]),
    ]
    return "\n".join(filter(None, parts))


def _overview(every: Sequence[Cell]) -> str:
    lines = [
        "## errbar\n",
        f"A cell is short if its share is more than {100 * SLACK:.0f} points below the level, and "
        "clearly short if it is also more than two standard errors below that.\n",
        "| target | level | units | cells | data sets | lowest | median | highest | short | "
        "clearly short |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
        *_counted(every),
    ]
    return "\n".join(lines) + "\n"


def _counted(every: Sequence[Cell]) -> list[str]:
    lines = []
    for target, level in product(ESTIMANDS, sorted({cell.level for cell in every})):
        mine = [cell for cell in of_target(every, target.value) if cell.level == level]
        if not mine:
            continue
        covered = [cell.ours.covered for cell in mine]
        short = sum(cell.ours.covered < cell.floor for cell in mine)
        sets = sorted({cell.ours.replicates for cell in mine})
        lines.append(
            f"| {target.value} | {level:g} | {len({cell.unit for cell in mine})} | {len(mine)} | "
            f"{' or '.join(map(str, sets))} | {percent(min(covered))} | "
            f"{percent(median(covered))} | {percent(max(covered))} | {short} | "
            f"{sum(cell.misses for cell in mine)} |"
        )
    return lines


def _levels(others: Sequence[Cell]) -> str:
    """Other levels, on the units that were run with them."""
    if not others:
        return ""
    head = _overview(others).replace("## errbar", "## Other levels")
    short = [
        f"- {cell.where}, {cell.estimand}, level {cell.level:g}: {percent(cell.ours.covered)}"
        for cell in others
        if cell.misses
    ]
    return "\n".join([head, "Clearly short:\n", *(short or ["none"]), ""])


def _made_by(every: Sequence[Cell]) -> str:
    """Which units were run with which code."""
    lines = ["## What was run\n", "| target | made by | units (difficulty/M/N) |", "|---|---|---|"]
    for target in ESTIMANDS:
        groups: dict[str, dict[str, None]] = {}
        for cell in of_target(every, target.value):
            groups.setdefault(cell.made_by, {})[str(cell.unit)] = None
        lines += [
            f"| {target.value} | {identity} | {len(units)}: {', '.join(sorted(units))} |"
            if len(units) < _ALL
            else f"| {target.value} | {identity} | all {_ALL} |"
            for identity, units in sorted(groups.items())
        ]
    return "\n".join(lines) + "\n"


_ALL = len(Settings().units())


def _peers(every: Sequence[Cell], targets: Sequence[str]) -> str:
    lines = [
        "## Side by side\n",
        "Lowest and median coverage over all cells, and the share of cells that are short.\n",
        "| target | " + " | ".join(NAMES[method] for method in METHODS) + " |",
        "|---|" + "--:|" * len(METHODS),
    ]
    for target in targets:
        said = []
        for method in METHODS:
            mine = [(cell, cell.by_method[method].covered) for cell in of_target(every, target)]
            short = sum(covered < cell.floor for cell, covered in mine) / len(mine)
            covered = [share for _, share in mine]
            said.append(
                f"{percent(min(covered))}, {percent(median(covered))}, {percent(short)}% short"
            )
        lines.append(f"| {target} | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


def _by_size(every: Sequence[Cell], target: str) -> str:
    """Lowest and median coverage of ours, by questions and trials."""
    mine = of_target(every, target)
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
                f"{percent(min(covered))}, {percent(median(covered))}, "
                f"{percent(short / len(some))}%"
                if some
                else ""
            )
        lines.append(f"| {m} | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


def _misses(every: Sequence[Cell], target: str) -> str:
    """The cells that are clearly short, the worst first."""
    short = [cell for cell in of_target(every, target) if cell.misses]
    short.sort(key=lambda cell: cell.ours.covered - cell.floor)
    title = f"### {target.capitalize()}: clearly short\n\n"
    if not short:
        return f"{title}None.\n"
    others = [NAMES[peer] for peer in PEERS]
    heads = ["cell", "errbar", "ends before the truth", "begins after it", "width", *others]
    lines = []
    for cell in short:
        mine = cell.ours
        shares = (mine.covered, mine.below, mine.above)
        theirs = [percent(cell.by_method[peer].covered) for peer in PEERS]
        said = [cell.where, *map(percent, shares), f"{mine.width:.4f}", *theirs]
        lines.append(f"| {' | '.join(said)} |")
    return title + listed(lines, heads)


def full(every: Sequence[Cell], widths: wide.Widths) -> str:
    """A line for each cell, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = ("covered", "below", "above", "width", "flat")
    heads = [f"{method} {part}" for method in METHODS for part in parts]
    heads = ["level", "data sets", "made by", *heads, "width by the former"]
    writer.writerow(["target", "difficulty", "questions", "trials", "metric", "k", *heads])
    for cell in every:
        shares = [getattr(cell.by_method[method], part) for method in METHODS for part in parts]
        numbers = [f"{cell.level:g}", cell.ours.replicates, cell.made_by]
        numbers += [f"{share:.4g}" for share in shares]
        if cell.level == LEVEL:
            numbers.append(f"{wide.ratio(cell, widths):.4g}")
        writer.writerow([cell.estimand, *cell.unit, cell.family, cell.k, *numbers])
    return out.getvalue()
