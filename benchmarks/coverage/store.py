"""Finished units on disk: one line of JSON each, so that a run can stop and go on at any time."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.coverage.grid import Unit
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


def newest(folder: Path) -> tuple[dict[Unit, list[Row]], list[str]]:
    """The last result of each unit, and what the results depend on."""
    last = {Unit(*one["unit"]): one for one in finished(folder)}
    rows = {unit: [Row(*row) for row in one["rows"]] for unit, one in last.items()}
    return rows, sorted({one["identity"] for one in last.values()})
