"""Ranked metrics of more rows than are fetched, as a multiple of DuckDB's own GROUP BY.

    scripts/bench ranked_scale                     30 million rows
    scripts/bench ranked_scale --rows 100000000    more
    scripts/bench ranked_scale --quick             few rows, to see that it runs
    scripts/bench ranked_scale --dir /big --keep   the file goes there, and stays

Three systems answer 100,000 questions, with a confidence of 16 digits and the same rounded to
three. Every run is a process of its own, so that its peak of memory is its own, and the sides run
in turn; the best of two counts.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb

from benchmarks.outcomes import Run, best, show

SYSTEMS, QUESTIONS = 3, 100_000
BARE = """
    SELECT count(*), sum(hash(groups)) FROM (
        SELECT system, {by}, count(*) AS n, sum(outcome) AS c
        FROM read_parquet('{file}') GROUP BY system, {by}
    ) AS groups
"""
SIDES = {
    "rounded": {
        "DuckDB, by confidence": ("bare", "rounded"),
        "DuckDB, by question": ("bare", "question"),
        "errbar, totals by group": ("totals", "rounded", ""),
        "errbar, aurc and its interval": ("aurc", "rounded", ""),
        "errbar, roc-auc and its interval": ("roc", "rounded", ""),
    },
    "binned": {
        "DuckDB, by confidence": ("bare", "sure"),
        "DuckDB, by question": ("bare", "question"),
        "errbar, totals by group and bin": ("totals", "sure", "1000"),
        "errbar, aurc and its interval": ("aurc", "sure", "1000"),
        "errbar, roc-auc and its interval": ("roc", "sure", "1000"),
    },
}


def make_file(directory: Path, rows: int) -> Path:
    """Outcomes that the confidence knows something of; one that is there is used as it is."""
    file = directory / f"ranked-{rows}.parquet"
    if file.exists():
        return file
    beside = file.with_suffix(".part")
    per_system = rows // SYSTEMS
    directory.mkdir(parents=True, exist_ok=True)
    duckdb.connect().execute(f"""
        COPY (
            SELECT
                format('system-{{:02d}}', s) AS system,
                format('question-{{:06d}}', q) AS question,
                t::INTEGER AS trial,
                (hash(s, q, t) % 1000 < 200 + hash(q) % 1000 * 6 // 10)::TINYINT AS outcome,
                1 / (1 + exp(4 - hash(q) % 1000 / 200 - hash(t, q, s) % 1000003 / 200000)) AS sure,
                round(sure, 3) AS rounded
            FROM (
                SELECT i // {per_system} AS s, i % {per_system} // {QUESTIONS} AS t,
                    i % {QUESTIONS} AS q
                FROM range({per_system * SYSTEMS}) AS numbers(i)
            )
        ) TO '{str(beside).replace("'", "''")}' (FORMAT parquet)
    """)
    beside.rename(file)
    return file


def compare(file: Path, sides: dict[str, tuple[str, ...]], turns: int) -> None:
    """Time all sides in turn, as multiples of the first two."""
    runs: dict[str, list[Run]] = {name: [] for name in sides}
    for _ in range(turns):
        for name, work in sides.items():
            runs[name].append(apart(str(file), *work))
    firsts = [best(found) for found in list(runs.values())[:2]]
    for name, found in runs.items():
        run = best(found)
        times = " and ".join(f"{run.cpu / first.cpu:.1f}×" for first in firsts)
        show(name, run, f"{times} CPU")


def apart(*work: str) -> Run:
    """A run in a new process; what went wrong, if anything did, is its result."""
    command = [sys.executable, "-m", "benchmarks.ranked_scale", "--inside", *work]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        words = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "killed"
        return Run(float("nan"), float("nan"), float("nan"), f"failed: {words}")
    return Run(*json.loads(done.stdout.strip().splitlines()[-1]))


def inside(file: str, work: str, column: str, bins: str = "") -> None:
    """What the new process does: the work, its time without imports, and its peak of memory."""
    ready = bare(file, column) if work == "bare" else ranked(file, work, column, bins)
    start, used = time.perf_counter(), time.process_time()
    result = ready()
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(json.dumps([seconds, cpu, peak, result]))


def bare(file: str, column: str) -> Callable[[], Any]:
    query = BARE.format(by=column, file=file.replace("'", "''"))
    return lambda: int(duckdb.execute(query).fetchall()[0][0])


def ranked(file: str, work: str, column: str, bins: str) -> Callable[[], Any]:
    import errbar  # noqa: PLC0415  the bare GROUP BY is without it
    from errbar.data.sources import tables as sources  # noqa: PLC0415  the bare GROUP BY is without it

    patch.object(sources, "MOST_RANKED_ROWS", 0).start()  # groups, with few rows too
    runs = errbar.load(file, confidence=column)
    asked = int(bins) if bins else None
    if work == "totals":
        return lambda: len(runs.source.ranked(asked))
    if work == "aurc":
        return lambda: runs.selective("aurc", bins=asked).to_dicts()
    return lambda: runs.roc(bins=asked).to_dicts()


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench ranked_scale",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(SIDES)}")
    parser.add_argument("--rows", type=int, default=30_000_000)
    parser.add_argument(
        "--dir", type=Path, default=Path(".cache/ranked_scale"), help="for the file"
    )
    parser.add_argument("--keep", action="store_true", help="leave the file for the next time")
    parser.add_argument("--quick", action="store_true", help="with few rows, once")
    parser.add_argument("--inside", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(*options.inside)
        return
    unknown = set(options.parts) - set(SIDES)
    if unknown:
        parser.error(f"no part {sorted(unknown)[0]!r}; there are {', '.join(SIDES)}")
    rows = 900_000 if options.quick else options.rows
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; DuckDB {duckdb.__version__}")
    file = make_file(options.dir.resolve(), rows)
    try:
        for name in options.parts or SIDES:
            print(f"\n{name}: {rows:,} rows", flush=True)
            compare(file, SIDES[name], 1 if options.quick else 2)
    finally:
        if not options.keep:
            file.unlink()


if __name__ == "__main__":
    main()
