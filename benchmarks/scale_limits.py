"""Pieces of work that must not take longer than a limit, each measured in turn.

`scripts/bench scale --only limits` runs them.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import errbar
from benchmarks.make_outcomes import Shape, make_outcomes
from benchmarks.preferences import League, play
from benchmarks.report import outcomes
from errbar import eval as functions
from errbar import selective
from errbar.data.predictions import Predictions
from errbar.kernels.item_response import fit
from errbar.page import ReportSettings, write_report
from errbar.preferences import prefer

Array = np.ndarray[Any, Any]


class Limited(NamedTuple):
    """A piece of work with its limit; `make` prepares it and returns what is measured."""

    name: str
    limit: float
    make: Callable[[], Callable[[], object]]
    turns: int = 1
    unit: str = "s"


def _right(*shape: int, share: float = 0.3) -> Array:
    return (np.random.default_rng(0).random(shape) < share).astype(np.int8)


def _score(matrix: Array, metric: str) -> Callable[[], object]:
    return lambda: errbar.load(matrix).score(metric)


def _curve() -> Callable[[], object]:
    runs = errbar.load(_right(1, 1_000_000))
    return lambda: runs.curve("pass@k")


def _aurc(items: int, clusters: int = 0) -> Callable[[], object]:
    rng = np.random.default_rng(0)
    sure = rng.random(items)
    wrong = (rng.random(items) > sure).astype(int)
    together = np.arange(items) * clusters // items if clusters else None
    data = Predictions(sure, wrong, clusters=together)
    return lambda: selective.estimate("aurc", data, rng=0)


def _systems() -> Callable[[], object]:
    right = _right(100_000, 20, 4, share=0.5)
    data = {f"system {at}": part for at, part in enumerate(right)}
    return lambda: errbar.load(data).score("pass@2")


def _report(data: Any) -> Callable[[], object]:
    runs = errbar.load(data)

    def work() -> None:
        with tempfile.TemporaryDirectory() as place:
            write_report(runs, Path(place) / "report.html", ReportSettings())

    return work


def _fifty(verb: str) -> Callable[[], object]:
    runs = errbar.load(outcomes(50, 5000, 4))
    return lambda: getattr(runs, verb)("avg")


def _million() -> Callable[[], object]:
    rng = np.random.default_rng(0)
    matrix = (rng.random((1_000_000, 64)) < rng.random((1_000_000, 1))).astype(np.int8)
    return _score(matrix, "pass@16")


def _games() -> Callable[[], object]:
    games, _ = play(League("100 systems", 100, 1_000_000, 0), np.random.default_rng(0))
    return partial(prefer, games)


def _rasch() -> Callable[[], object]:
    right = np.stack([part[:, 0] for part in outcomes(134, 500, 1).values()])
    return partial(fit, right, np.ones_like(right))


WORK = (
    Limited("pass@100000 of 100,000 trials", 1, lambda: _score(_right(1, 100_000), "pass@100000")),
    Limited("pass^1000 of a million trials", 1, lambda: _score(_right(1, 1_000_000), "pass^1000")),
    Limited("curve of one question with a million trials", 1, _curve),
    Limited("AURC with interval, 10,000 items", 1, partial(_aurc, 10_000)),
    Limited("AURC with interval, 100,000 items", 1, partial(_aurc, 100_000)),
    Limited("AURC with interval, a million items", 10, partial(_aurc, 1_000_000)),
    Limited(
        "AURC with interval, 100,000 items in 10,000 clusters", 3, partial(_aurc, 100_000, 10_000)
    ),
    Limited("score of a million questions × 64 trials", 1, _million, 3),
    Limited("score of 100,000 systems × 20 questions × 4 trials", 30, _systems),
    Limited("compare, 1,225 pairs × 5,000 questions × 4 trials", 3, partial(_fifty, "compare")),
    Limited("rank of 50 systems × 5,000 questions × 4 trials", 4, partial(_fifty, "rank")),
    Limited(
        "report on 50 systems × 5,000 questions × 4 trials",
        10,
        lambda: _report(outcomes(50, 5000, 4)),
    ),
    Limited("100 systems × a million games, with intervals", 10, _games),
    Limited("Rasch model of 134 systems × 500 questions", 2, _rasch, 3),
)


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _points() -> float:
    """pass@16 of 1,000 × 64 as a multiple of `sum` and `max`, the least of many turns each."""
    matrix = _right(1000, 64).astype(np.int64)
    best = [np.inf, np.inf]
    sides: tuple[Callable[[], object], ...] = (
        lambda: (matrix.sum(axis=1), matrix.max()),
        lambda: functions.pass_at_k(matrix, 16),
    )
    for _ in range(2000):
        for at, side in enumerate(sides):
            start = time.perf_counter()
            side()
            best[at] = min(best[at], time.perf_counter() - start)
    return float(best[1] / best[0])


def _cold() -> float:
    """`errbar score` on 1,000 rows of CSV, with byte code cached, the least of seven."""
    with tempfile.TemporaryDirectory() as place:
        table = make_outcomes(Path(place), Shape(2, 50, 10), "csv")
        command = [sys.executable, "-m", "errbar", "score", str(table / "part-00.csv")]
        around = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": place}
        taken = []
        for _ in range(7):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, stdout=subprocess.DEVNULL, env=around, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(taken)


def measured(boards: Path | None) -> list[dict[str, Any]]:
    """The processor time of each, the least of its turns."""
    work = list(WORK)
    if boards is not None:
        work.append(
            Limited("report on 134 systems × 500 questions", 8, lambda: _report(str(boards)))
        )
    errbar.load(_right(20, 4)).score("avg")
    found = []
    for each in work:
        ready = each.make()
        value = min(_seconds(ready) for _ in range(each.turns))
        found.append({"name": each.name, "limit": each.limit, "value": value, "unit": each.unit})
        print(each.name, f"{value:.2f} s", flush=True)
    more = (
        ("pass@16 of 1,000 × 64, beside sum and max", 2.0, _points(), "×"),
        ("`errbar score` of 1,000 rows, from start to end", 0.5, _cold(), "s"),
    )
    return [
        *found,
        *({"name": n, "limit": limit, "value": value, "unit": u} for n, limit, value, u in more),
    ]
