"""Finished units on disk: one line of JSON each, so that a run can stop and go on at any time."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.coverage.grid import LEVEL, Unit
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
    return {Unit(*one["unit"]) for one in finished(folder) if one["identity"] == identity}


def newest(folder: Path, level: float = LEVEL) -> tuple[dict[Unit, list[Row]], list[str]]:
    """The last result of each unit and target at a level, and what the results depend on."""
    last: dict[tuple[Unit, str], tuple[str, list[Row]]] = {}
    for unit in finished(folder):
        rows = [Row(*row) for row in unit["rows"]] if unit["level"] == level else []
        for target in {row.estimand for row in rows}:
            mine = [row for row in rows if row.estimand == target]
            last[Unit(*unit["unit"]), target] = (unit["identity"], mine)
    found: dict[Unit, list[Row]] = {}
    for (place, _), (_, rows) in last.items():
        found.setdefault(place, []).extend(rows)
    return found, sorted({identity for identity, _ in last.values()})


def levels(folder: Path) -> list[float]:
    """Levels of the intervals that were tried."""
    return sorted({unit["level"] for unit in finished(folder)})
