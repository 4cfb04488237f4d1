"""Finished units on disk: one line of JSON each, so that a run can stop and go on at any time."""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.coverage.grid import Unit
from benchmarks.coverage.methods import METHODS
from benchmarks.coverage.unit import Row

RESULTS = Path(__file__).parents[1] / "results"
_FILE = "units.jsonl"


def add(folder: Path, finished: dict[str, Any]) -> None:
    """Put one finished unit behind the others."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _FILE
    cut = path.exists() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if cut else "") + json.dumps(finished) + "\n")


def finished(folder: Path) -> Iterator[dict[str, Any]]:
    """What has been written, in order."""
    path = folder / _FILE
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:  # a run that was stopped may leave half a line
            continue


def done(folder: Path, identity: str) -> set[Unit]:
    """Units that need not be run again."""
    return {Unit(*each["unit"]) for each in finished(folder) if each["identity"] == identity}


Made = tuple[str, list[Row]]  # what the rows depend on, and the rows
Results = dict[tuple[float, Unit, str], Made]  # by level, unit and target


def published(docs: Path) -> Results:
    """The table of all cells as it was published."""
    path = docs / "cells.csv.gz"
    found: Results = {}
    if not path.exists():
        return found
    text = gzip.decompress(path.read_bytes()).decode()
    for cell in csv.DictReader(io.StringIO(text)):
        level, target = float(cell["level"]), cell["target"]
        unit = Unit(cell["difficulty"], int(cell["questions"]), int(cell["trials"]))
        _, rows = found.setdefault((level, unit, target), (cell["made by"], []))
        rows += [
            Row(
                *(cell["metric"], int(cell["k"]), target, method, int(cell["data sets"])),
                *(float(cell[f"{method} {part}"]) for part in Row._fields[5:]),
            )
            for method in METHODS
        ]
    return found


def newest(folder: Path, known: Results) -> Results:
    """The last result of each unit and target, in the folder or else among those known."""
    last = dict(known)
    for unit in finished(folder):
        rows = [Row(*row) for row in unit["rows"]]
        for target in dict.fromkeys(row.estimand for row in rows):
            mine = [row for row in rows if row.estimand == target]
            last[unit["level"], Unit(*unit["unit"]), target] = (unit["identity"], mine)
    return last
