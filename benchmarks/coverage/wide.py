"""Widths against those of the methods before decisions 17 and 19, whose table is kept for this."""

import csv
import gzip
import io
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.coverage.cells import Cell, of_target

FORMER = Path(__file__).parents[2] / "docs" / "coverage" / "former.csv.gz"
WIDE = 1.5  # times the former width from which on a cell is named
Widths = dict[tuple[str, ...], float]


def former(path: Path = FORMER) -> Widths:
    """Mean width of each cell by the former method."""
    table = csv.reader(io.StringIO(gzip.decompress(path.read_bytes()).decode()))
    next(table)
    return {tuple(place): float(width) for *place, _, width in table}


def ratio(cell: Cell, widths: Widths) -> float:
    """Width by the former width; 1 where there was none."""
    place = (cell.estimand, *map(str, cell.unit), cell.family, str(cell.k))
    return cell.ours.width / widths[place] if widths[place] else 1.0


def section(every: Sequence[Cell], target: str, widths: Widths) -> str:
    """Median ratios by size, and every cell that is much wider, with its ratio."""
    ratios = [(ratio(cell, widths), cell) for cell in of_target(every, target)]
    if not ratios:
        return ""
    questions = sorted({cell.unit.questions for _, cell in ratios})
    trials = sorted({cell.unit.trials for _, cell in ratios})
    wide = [(share, cell) for share, cell in ratios if share > WIDE]
    lines = [
        f"### {target.capitalize()}: width by that of the former method\n",
        f"Median {median(share for share, _ in ratios):.2f}; wider than {WIDE} times in "
        f"{len(wide)} of {len(ratios)} cells. Medians by size:\n",
        "| M | " + " | ".join(f"N = {n}" for n in trials) + " |",
        "|--:|" + "--:|" * len(trials),
    ]
    for m in questions:
        by_trials = [[share for share, cell in ratios if cell.unit[1:] == (m, n)] for n in trials]
        said = [f"{median(some):.2f}" if some else "" for some in by_trials]
        lines.append(f"| {m} | {' | '.join(said)} |")
    if wide:
        lines += ["", f"Wider than {WIDE} times:", "", "| difficulty, M, N | cells |", "|---|---|"]
    grouped: dict[str, list[str]] = defaultdict(list)
    for share, cell in wide:
        place = f"{cell.unit.difficulty}, {cell.unit.questions}, {cell.unit.trials}"
        grouped[place].append(f"{cell.metric} {share:.2f}")
    lines += [f"| {place} | {'; '.join(names)} |" for place, names in grouped.items()]
    return "\n".join(lines) + "\n"
