"""Time and memory of every reader per row at several sizes, beside a bare loop of `json.loads`.

    scripts/bench readers sizes                  10,000 and 100,000 rows
    scripts/bench readers sizes --million        a million rows too
    scripts/bench readers sizes --only helm      one reader
    scripts/bench readers sizes --words 0        records without any long text, the hardest case

The bare loop parses the same files, CSV by `csv.reader`, and does nothing else; a reader of
Parquet is measured against the same rows as JSON lines. A reader and its loop run in turn in a
process of their own, and the least CPU time of each counts. Memory is what the process needs at its
peak beyond what it had before, divided by the rows; the bare loop's stands beside.
"""

import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

import errbar
from benchmarks import reader_logs, reader_logs_boards, reader_logs_platforms
from benchmarks.table_shapes import TABLES
from errbar.data.readers.base import every_reader, find_readers, paused_collector
from errbar.data.readers.choices import Choice
from errbar.data.readers.finding import find_files, opened_once

WRITERS = reader_logs.WRITERS | reader_logs_boards.WRITERS | reader_logs_platforms.WRITERS
SIZES = (10_000, 100_000)
MILLION = 1_000_000
FILES = 100_000
WORDS = 100
GOAL = 2.0
TURNS = 3
_TEXT = "the answer to a question that nobody asked is naively said and never checked "
_HEAD = f"{'':<17}{'rows':>10}{'reader':>10}{'bare':>9}{'ratio':>7}{'memory':>10}{'bare':>9}"


def measure(sizes: Sequence[int], only: Sequence[str], words: int, files: int) -> None:
    """A line for every reader and size, and one for many small files."""
    print(f"{_HEAD}\n{'':<27}{'µs/row':>10}{'µs/row':>9}{'':>7}{'B/row':>10}{'B/row':>9}")
    known = every_reader()
    layouts = [name for name in WRITERS if name not in known]  # of harnesses that have several
    for name in [name for name in only or (*known, *layouts) if name not in TABLES]:
        if name in known and known[name].only_totals:
            continue  # it refuses what it knows
        if name not in WRITERS:
            print(f"{name:<17} not measured: benchmarks/reader_logs.py writes no log of it")
            continue
        for rows in sizes:
            with tempfile.TemporaryDirectory() as temporary:
                place = Path(temporary) / "log"
                place.mkdir()
                WRITERS[name](place, rows, text_of(words))
                print(
                    _line(name, _measure_apart("one", place), _measure_apart("plain", place)),
                    flush=True,
                )
    for name in TABLES if not only else [each for each in only if each in TABLES]:
        for rows in sizes:
            with tempfile.TemporaryDirectory() as temporary:
                place = Path(temporary) / "log"
                place.mkdir()
                TABLES[name](place, rows, text_of(words))
                found = _measure_apart("table", place, str(rows))
                print(_line(name, found, _measure_apart("plain", place)), flush=True)
                if name == "wide_csv":
                    others = _measure_apart("melted", place, str(rows))
                    shown = ", ".join(f"{tool} {1e6 * took:.2f}" for tool, took in others.items())
                    print(f"{'':<17}read and made long by others, µs/row: {shown}", flush=True)
    if files:
        measure_files(files)


def text_of(words: int) -> str:
    """A text of about this number of words."""
    return (_TEXT * (words // 14 + 1))[: 6 * words]


def _line(name: str, found: dict[str, Any], plain: dict[str, Any]) -> str:
    mine, theirs = found["reader"] * 1e6, found["bare"] * 1e6
    mark = "" if mine <= GOAL * theirs else "  above the goal"
    return (
        f"{name:<17}{found['rows']:>10,}{mine:>10.2f}{theirs:>9.2f}{mine / theirs:>7.2f}"
        f"{found['memory']:>10.0f}{plain['memory'] / found['rows']:>9.0f}{mark}"
    )


def _measure_apart(what: str, place: Path, *more: str) -> dict[str, Any]:
    """The measurements of a separate process."""
    asked = [sys.executable, "-m", "benchmarks.reader_sizes", what, str(place), *more]
    said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    found: dict[str, Any] = json.loads(said.splitlines()[-1])
    return found


def one_log(place: Path) -> dict[str, float]:
    """Time reader and bare loop in turn; memory is that of the first reading."""
    files = find_files(str(place))
    found = next(iter(find_readers(files).found), None)
    if found is None:
        raise SystemExit(f"{place}: no reader knows this log")
    before = _peak()
    times = [_read(found.reader, found.files)]
    memory = _peak() - before
    rows = times[0][1]
    bare = [_bare(place)]
    for _ in range(TURNS - 1):
        times.append(_read(found.reader, found.files))
        bare.append(_bare(place))
    least = min(seconds for seconds, _ in times)
    return {
        "rows": rows,
        "reader": least / rows,
        "bare": min(bare) / rows,
        "memory": memory / rows,
    }


def table(place: Path, rows: str) -> dict[str, float]:
    """Tables are loaded until their rows are in the engine; the first load starts it."""
    before = _peak()
    times = [_load(place)]
    memory = _peak() - before
    bare = [_bare(place)]
    for _ in range(TURNS - 1):
        times.append(_load(place))
        bare.append(_bare(place))
    size = int(rows)
    return {
        "rows": size,
        "reader": min(times) / size,
        "bare": min(bare) / size,
        "memory": memory / size,
    }


def melted(place: Path, rows: str) -> dict[str, float]:
    """Seconds per outcome of DuckDB and pandas to read a wide table and make it long."""
    file, size = place / "a.csv", int(rows)
    with file.open(newline="", encoding="utf-8") as lines:
        columns = dict.fromkeys(next(csv.reader(lines)), "VARCHAR")
    engine = duckdb.connect()
    known = f", auto_detect=false, header=true, sep=',', quote='\"', escape='\"', columns={columns}"
    query = (
        "CREATE OR REPLACE TABLE long AS UNPIVOT (FROM read_csv('{}'{})) "
        "ON COLUMNS(* EXCLUDE (id, prompt)) INTO NAME system VALUE outcome"
    )
    works: dict[str, Callable[[], Any]] = {
        "DuckDB": lambda: engine.execute(query.format(file, "")),
        "DuckDB told the columns": lambda: engine.execute(query.format(file, known)),
        "pandas": lambda: pd.read_csv(file).melt(["id", "prompt"]),
    }
    return {name: min(_timed(work) for _ in range(TURNS)) / size for name, work in works.items()}


def _timed(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _load(place: Path) -> float:
    start = time.process_time()
    errbar.load(place)
    return time.process_time() - start


def plain(place: Path) -> dict[str, float]:
    """The peak of the bare loop alone."""
    before = _peak()
    _bare(place)
    return {"memory": _peak() - before}


def _read(reader: Any, files: Sequence[Path]) -> tuple[float, int]:
    start = time.process_time()
    with paused_collector():
        log = reader.read(files, Choice())
    held = len(log.columns["question"])
    return time.process_time() - start, held


def _bare(place: Path) -> float:
    """Every document, line of JSON and row of CSV, parsed and forgotten."""
    aside = place.with_name(f"{place.name}-plain")
    files = find_files(str(aside if aside.is_dir() else place))
    start = time.process_time()
    for file in files:
        if file.suffix == ".jsonl" or file.name.startswith("BFCL_"):
            with file.open("rb") as lines:
                for line in lines:
                    json.loads(line)
        elif file.suffix == ".csv":
            with file.open(newline="", encoding="utf-8") as lines:
                for _ in csv.reader(lines):
                    pass
        elif file.suffix == ".eval":
            with zipfile.ZipFile(file) as archive:
                json.loads(archive.read("summaries.json"))
        else:
            json.loads(file.read_bytes())
    return time.process_time() - start


def measure_files(files: int) -> None:
    """Many small files in a directory: each step of reading them, and the whole load."""
    for name, write in FILES_OF.items():
        with tempfile.TemporaryDirectory() as temporary:
            place = Path(temporary) / "log"
            place.mkdir()
            write(place, files, text_of(20))
            steps = _measure_apart("files", place)
        memory = steps.pop("memory")
        shown = ", ".join(f"{step} {1e6 * taken / files:.0f}" for step, taken in steps.items())
        parsing, walking = steps["bare loop"], steps["os.walk"]
        print(
            f"{files:,} files, {name}, µs a file: {shown}; load is {steps['load'] / parsing:.1f} "
            f"times the loop, {steps['load'] / (parsing + walking):.1f} times loop and os.walk; "
            f"{memory / files:,.0f} bytes a file",
            flush=True,
        )


def _one_sample_each(place: Path, files: int, text: str) -> None:
    """A system in every file, as HumanEval writes its results."""
    row = {"completion": text, "result": "passed", "passed": True}
    for at in range(files):
        line = json.dumps({"task_id": f"HumanEval/{at}", **row})
        (place / f"m{at}_results.jsonl").write_text(f"{line}\n", encoding="utf-8")


def _one_row_each(place: Path, files: int, text: str) -> None:
    """A table of one row in every file, of no harness."""
    for at in range(files):
        line = json.dumps({"id": f"q{at}", "correct": at % 3 > 0, "answer": text})
        (place / f"r{at}.json").write_text(f"{line}\n", encoding="utf-8")


def _one_question_each(place: Path, files: int, text: str) -> None:
    """A question in every file, named after it, in a folder for each of two systems."""
    for system in ("adder", "guesser"):
        (place / system).mkdir()
    for at in range(files):
        line = json.dumps({"id": f"q{at // 2}", "correct": at % 3 > 0, "answer": text})
        file = place / ("adder", "guesser")[at % 2] / f"q{at // 2}.json"
        file.write_text(f"{line}\n", encoding="utf-8")


FILES_OF = {
    "results of HumanEval": _one_sample_each,
    "trials of Harbor": WRITERS["harbor"],
    "tables of one row": _one_row_each,
    "questions of two systems": _one_question_each,
}


def many(place: Path) -> dict[str, float]:
    """Seconds of each step, and of the whole load, after the readers and the engine are loaded."""
    every_reader()
    errbar.load([{"id": "q1", "correct": 1}])
    before = _peak()
    start = time.process_time()
    errbar.load(place)
    whole, memory = time.process_time() - start, _peak() - before
    bare, walk = _bare(place), _walk(place)
    for _ in range(TURNS - 1):
        whole = min(whole, _load(place))
        bare, walk = min(bare, _bare(place)), min(walk, _walk(place))
    with opened_once(), paused_collector():  # what was read to recognise a file is kept to read it
        steps = _steps(place)
    return {**steps, "load": whole, "bare loop": bare, "os.walk": walk, "memory": memory}


def _walk(place: Path) -> float:
    """Every file found by os.walk, as a bare loop over a folder has to do first."""
    start = time.process_time()
    for folder, _, names in os.walk(place):
        for name in names:
            os.path.join(folder, name)
    return time.process_time() - start


def _steps(place: Path) -> dict[str, float]:
    start = time.process_time()
    files = find_files(str(place))
    listed = time.process_time()
    found = next(iter(find_readers(files).found), None)
    known = time.process_time()
    if found is None:
        return {"list": listed - start, "recognise": known - listed}
    found.reader.read(found.files, Choice())
    done = time.process_time()
    return {"list": listed - start, "recognise": known - listed, "read": done - known}


def _peak() -> int:
    """The most memory that the process has had, in bytes; Linux counts that of its parent too."""
    status = Path("/proc/self/status")
    if status.exists():
        held = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(held["VmHWM"].split()[0]) * 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


if __name__ == "__main__":
    STEPS: dict[str, Callable[..., dict[str, float]]]
    STEPS = {"one": one_log, "plain": plain, "files": many, "table": table, "melted": melted}
    print(json.dumps(STEPS[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])))
