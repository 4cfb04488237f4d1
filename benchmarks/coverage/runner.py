"""Every unit that is not finished yet, on all cores, with a bar that says how far it is."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.coverage import store
from benchmarks.coverage.grid import Settings, Unit

_ROOT = Path(__file__).parents[2]


def run_all(settings: Settings, folder: Path, only: Sequence[str], processes: int) -> int:
    """Run what is missing; the number of units that were run."""
    known = store.done(folder, settings.identity())
    units = settings.units(only)
    missing = [unit for unit in units if unit not in known]
    missing.sort(key=lambda unit: unit.trials * unit.questions)  # the short ones first
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
        task = bar.add_task("units", total=len(units), completed=len(units) - len(missing))
        for result in _results(missing, settings, processes):
            store.add(folder, result)
            bar.update(task, advance=1, description=str(Unit(*result["unit"])))
    return len(missing)


def _results(units: Sequence[Unit], settings: Settings, processes: int) -> Iterator[dict[str, Any]]:
    """As they come; a unit's own seed makes the order of no account."""
    with ThreadPoolExecutor(processes) as pool:
        waiting = [pool.submit(_in_a_process, unit, settings) for unit in units]
        try:
            for each in as_completed(waiting):
                yield each.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _in_a_process(unit: Unit, settings: Settings) -> dict[str, Any]:
    """A process for each unit: starting one takes a second of minutes, and needs no semaphores."""
    command = [sys.executable, "-m", "benchmarks.coverage.unit", str(unit)]
    said = subprocess.run(
        [*command, str(settings.replicates), str(settings.level), *settings.targets],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        cwd=_ROOT,
        stdout=subprocess.PIPE,
        check=True,
    ).stdout
    found: dict[str, Any] = json.loads(said)
    return found
