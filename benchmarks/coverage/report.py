"""Tables and pictures of the results, for the documentation."""

import gzip
from collections.abc import Sequence
from pathlib import Path

from benchmarks.coverage import store, wide
from benchmarks.coverage.cells import Cell, cells, of_target
from benchmarks.coverage.grid import ESTIMANDS, FAMILIES, LEVEL
from benchmarks.coverage.methods import METHODS
from benchmarks.coverage.tables import full, summary
from errbar.plots import Picture, coverage_map

DOCS = Path(__file__).parents[2] / "docs" / "coverage"
_TITLES = {
    "errbar": "errbar",
    "posterior": "documented posterior",
    "clt": "central limit theorem",
    "bootstrap": "percentile bootstrap",
}


def write(folder: Path, docs: Path) -> None:
    """A summary, a picture for each target, and a table of all cells."""
    results = store.newest(folder, store.published(docs))
    if not results:
        raise SystemExit(f"no results in {folder}; run scripts/bench coverage first")
    found, widths = cells(results), wide.former()
    every = [cell for cell in found if cell.level == LEVEL]
    others = [cell for cell in found if cell.level != LEVEL]
    docs.mkdir(parents=True, exist_ok=True)
    text = summary(every, others, widths)
    (docs / "summary.md").write_text(text, encoding="utf-8")
    for target in ESTIMANDS:
        path = docs / f"{target.value}.svg"
        path.unlink(missing_ok=True)
        if mine := of_target(every, target.value):
            drawn(mine, target.value).save(path)
    table = full([*every, *others], widths).encode()
    (docs / "cells.csv.gz").write_bytes(gzip.compress(table, mtime=0))
    units = len({cell.unit for cell in every})
    print(f"{len(every)} cells of {units} units; report in {docs}")


def drawn(every: Sequence[Cell], estimand: str) -> Picture:
    """The picture of one target, all methods side by side."""
    mine = sorted(
        every,
        key=lambda cell: (FAMILIES.index(cell.family), cell.unit.trials, -cell.k),
    )
    squares = [
        {
            "method": _TITLES[method],
            "metric": cell.family,
            "line": f"N {cell.unit.trials}" + (f", k {cell.k}" if cell.family != "avg" else ""),
            "difficulty": cell.unit.difficulty,
            "questions": cell.unit.questions,
            "covered": cell.by_method[method].covered,
        }
        for method in METHODS
        for cell in mine
    ]
    below = [
        f"A square is a metric with its k, N trials of as many questions as stand above it, and "
        f"{min(cell.ours.replicates for cell in every)} data sets",
        "How many of their intervals held the truth: red is too seldom",
    ]
    return coverage_map(squares, title=f"Coverage of 95% intervals, {estimand}", below=below)
