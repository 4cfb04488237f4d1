"""Tables and pictures of the results, for the documentation."""

import gzip
import re
from pathlib import Path

from benchmarks.coverage import store
from benchmarks.coverage.heatmap import picture
from benchmarks.coverage.methods import ESTIMANDS
from benchmarks.coverage.tables import cells, full, summary

DOCS = Path(__file__).parents[2] / "docs" / "coverage"
_MOST = 300_000  # bytes of a table that is kept as it is


def write(folder: Path, docs: Path) -> None:
    """A summary, a picture for each target, and a table of all cells."""
    results, identities = store.newest(folder)
    if not results:
        raise SystemExit(f"no results in {folder}; run scripts/bench coverage first")
    every = cells(results)
    replicates = min(int(re.findall(r"(\d+) replicates", one)[0]) for one in identities)
    docs.mkdir(parents=True, exist_ok=True)
    (docs / "summary.md").write_text(summary(every, identities, replicates), encoding="utf-8")
    note = (
        f"A square is one metric; columns are numbers of questions. {replicates} data sets each. "
        "Red holds too seldom."
    )
    for target in ESTIMANDS:
        drawn = picture(every, target.value, note)
        (docs / f"{target.value}.svg").write_text(drawn, encoding="utf-8")
    table = full(every).encode()
    for old in ("cells.csv", "cells.csv.gz"):
        (docs / old).unlink(missing_ok=True)
    if len(table) <= _MOST:
        (docs / "cells.csv").write_bytes(table)
    else:
        (docs / "cells.csv.gz").write_bytes(gzip.compress(table, mtime=0))
    print(f"{len(every)} cells of {len(results)} units; report in {docs}")
