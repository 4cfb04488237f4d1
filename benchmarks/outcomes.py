"""Outcomes → scores, as a multiple of the time of DuckDB's own GROUP BY of the same columns.

    scripts/bench outcomes                      everything, at full size: 100 million rows
    scripts/bench outcomes rows csv             some parts only
    scripts/bench outcomes --rows 10000000 rows fewer rows
    scripts/bench outcomes --quick              few rows, to see that it runs
    scripts/bench outcomes --dir /big --keep    files of 5 GB go there, and stay

Every run is a process of its own, so that its peak of memory is its own, and the sides run in
turn; the best of three counts. CPU time is stated beside: on a busy machine it is the steadier.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from benchmarks.make_outcomes import Shape, make_outcomes

METRICS = ("pass@1", "pass@8", "avg")
# The outer query uses every column: DuckDB does not compute what nobody asks for.
BARE = """
    SELECT count(*), sum(hash(groups)) FROM (
        SELECT system, question, count(*) AS n, sum({outcome}) AS c{more}
        FROM {table} GROUP BY system, question
    ) AS groups
"""
WITH_TRIALS = ", min({trial}) AS first, max({trial}) AS last"


class Sizes(NamedTuple):
    """How much work there is."""

    rows: Shape = Shape(systems=50, questions=20_000, trials=100)
    text: Shape = Shape(systems=50, questions=20_000, trials=10)
    spill: Shape = Shape(systems=1, questions=10_000_000, trials=8)
    memory: str = "1GB"
    turns: int = 3


QUICK = Sizes(Shape(10, 1_000, 20), Shape(10, 1_000, 10), Shape(1, 50_000, 8), "100MB", 1)


class Run(NamedTuple):
    """A piece of work in a separate process."""

    seconds: float
    cpu: float
    peak: float  # MB
    result: Any


def rows(sizes: Sizes, directory: Path) -> None:
    """Parquet files with text ids; the goal is 1.5 times the bare GROUP BY, in 2 GB."""
    place = make_outcomes(directory, sizes.rows, "parquet", files=10)
    compare(place, sizes.turns)


def csv(sizes: Sizes, directory: Path) -> None:
    """One CSV file, which both sides read as text."""
    compare(make_outcomes(directory, sizes.text, "csv"), sizes.turns)


def jsonl(sizes: Sizes, directory: Path) -> None:
    """One file of JSON lines, which both sides read as text."""
    compare(make_outcomes(directory, sizes.text, "jsonl"), sizes.turns)


def compare(place: Path, turns: int) -> None:
    """Time all sides in turn, as multiples of the first."""
    works = {
        "DuckDB, bare GROUP BY": ("bare", str(place)),
        "DuckDB, and first and last trial": ("trials", str(place)),
        "errbar": ("score", str(place)),
    }
    runs: dict[str, list[Run]] = {name: [] for name in works}
    for _ in range(turns):
        for name, work in works.items():
            runs[name].append(apart(*work))
    bare = best(runs["DuckDB, bare GROUP BY"])
    for name, found in runs.items():
        run = best(found)
        show(name, run, f"{run.seconds / bare.seconds:>7.2f}× {run.cpu / bare.cpu:>7.2f}× CPU")


def spill(sizes: Sizes, directory: Path) -> None:
    """More questions than memory may hold: it must spill to disk and finish."""
    place = make_outcomes(directory, sizes.spill, "parquet", files=4)
    print(f"{sizes.spill.questions:,} questions, memory_limit {sizes.memory}")
    show("errbar", apart("score", str(place), sizes.memory))
    show("DuckDB, bare GROUP BY", apart("bare", str(place), sizes.memory))


def spark(sizes: Sizes, directory: Path) -> None:
    """One set of Parquet files through DuckDB and through local Spark: identical numbers."""
    for shape in (sizes.text, sizes.rows):
        place = make_outcomes(directory, shape, "parquet", files=10)
        runs = {"DuckDB": apart("score", str(place)), "Spark, local[2]": apart("spark", str(place))}
        print(f"{shape.rows:,} rows", flush=True)
        for name, run in runs.items():
            show(name, run)
        mine, theirs = (run.result for run in runs.values())
        if isinstance(mine, list) and isinstance(theirs, list):
            same = mine == theirs
            print(f"identical in every field of {len(mine)} estimates: {same}", flush=True)


def cold(sizes: Sizes, directory: Path) -> None:
    """`errbar score` on a CSV of 1,000 rows, from start to end; the goal is 1.0 s."""
    place = make_outcomes(directory, Shape(systems=2, questions=50, trials=10), "csv")
    file = next(place.glob("part-*"))
    command = [sys.executable, "-m", "errbar", "score", str(file)]
    took = []
    for _ in range(max(5, sizes.turns)):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        took.append(time.perf_counter() - start)
    print(f"{'errbar score':<44}{min(took):>9.2f} s", flush=True)


PARTS: dict[str, Callable[[Sizes, Path], None]] = {
    "rows": rows,
    "csv": csv,
    "jsonl": jsonl,
    "spill": spill,
    "spark": spark,
    "cold": cold,
}


def best(runs: list[Run]) -> Run:
    """The least of each figure."""
    seconds, cpu, _, results = zip(*runs, strict=True)
    return Run(min(seconds), min(cpu), max(run.peak for run in runs), results[0])


def show(name: str, run: Run, more: str = "") -> None:
    said = run.result if isinstance(run.result, str) else more
    print(
        f"{name:<44}{run.seconds:>9.2f} s{run.cpu:>9.2f} s CPU{run.peak:>8.0f} MB  {said}".rstrip(),
        flush=True,
    )


def apart(work: str, place: str, memory: str = "") -> Run:
    """A run in a new process; what went wrong, if anything did, is its result."""
    with tempfile.TemporaryDirectory(dir=Path(place).parent) as spilled:
        command = [sys.executable, "-m", "benchmarks.outcomes", "--inside", work, place]
        done = subprocess.run(
            [*command, memory, spilled], capture_output=True, text=True, check=False
        )
    if done.returncode:
        words = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "killed"
        return Run(float("nan"), float("nan"), float("nan"), f"failed: {words}")
    return Run(*json.loads(done.stdout.strip().splitlines()[-1]))


def inside(work: str, place: str, memory: str, spilled: str) -> None:
    """What the new process does: the work, its time without imports, and its peak of memory."""
    engine = duckdb.connect(config={"temp_directory": spilled})
    if memory:
        engine.execute(f"SET memory_limit = '{memory}'")
    ready = WORKS[work](place, engine)
    start, used = time.perf_counter(), time.process_time()
    result = ready()
    seconds, cpu = time.perf_counter() - start, time.process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(json.dumps([seconds, cpu, peak, result]))


def score_files(place: str, engine: Any) -> Callable[[], Any]:
    import errbar  # noqa: PLC0415  the bare GROUP BY is without it

    with tempfile.TemporaryDirectory() as directory:  # errbar loads its parts when first needed
        small = Path(directory) / "small.csv"
        small.write_text("question,outcome\na,1\n")
        errbar.load(small).score(*METRICS[:1])
    return lambda: errbar.load(place, connection=engine).score(*METRICS).to_dicts()


def score_spark(place: str, _: Any) -> Callable[[], Any]:
    from pyspark.sql import SparkSession  # noqa: PLC0415  the other sides are without it

    import errbar  # noqa: PLC0415  the bare GROUP BY is without it

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "2g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    frame = session.read.parquet(place)
    return lambda: errbar.load(frame).score(*METRICS).to_dicts()


def group_by(place: str, engine: Any, more: str = "") -> Callable[[], Any]:
    ending = next(Path(place).glob("part-*")).suffix
    files = f"'{place}/part-*{ending}'"
    text = "system: 'VARCHAR', question: 'VARCHAR', trial: 'VARCHAR', outcome: 'VARCHAR'"
    tables = {
        ".parquet": f"read_parquet({files})",
        ".csv": f"read_csv({files}, header = true, all_varchar = true)",
        ".jsonl": f"read_json({files}, format = 'newline_delimited', columns = {{{text}}})",
    }
    cast = "" if ending == ".parquet" else "::BIGINT"
    query = BARE.format(
        table=tables[ending],
        outcome=f"outcome{cast}",
        more=more.format(trial=f"trial{cast}"),
    )
    return lambda: int(engine.execute(query).fetchall()[0][0])


WORKS: dict[str, Callable[[str, Any], Callable[[], Any]]] = {
    "bare": group_by,
    "trials": lambda place, engine: group_by(place, engine, WITH_TRIALS),
    "score": score_files,
    "spark": score_spark,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench outcomes",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--rows", type=int, help="of the part `rows`, in place of 100 million")
    parser.add_argument("--dir", type=Path, default=Path(".cache/outcomes"), help="for the files")
    parser.add_argument("--keep", action="store_true", help="leave the files for the next time")
    parser.add_argument("--quick", action="store_true", help="with few rows")
    parser.add_argument("--inside", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(*options.inside)
        return
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {sorted(unknown)[0]!r}; there are {', '.join(PARTS)}")
    sizes = QUICK if options.quick else Sizes()
    if options.rows:
        trials = max(1, options.rows // (sizes.rows.systems * sizes.rows.questions))
        sizes = sizes._replace(rows=sizes.rows._replace(trials=trials))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; DuckDB {duckdb.__version__}")
    options.dir.mkdir(parents=True, exist_ok=True)
    try:
        for name in options.parts or PARTS:
            print(f"\n{name}: {PARTS[name].__doc__}", flush=True)
            PARTS[name](sizes, options.dir.resolve())
    finally:
        if not options.keep:
            for place in options.dir.glob("*-*-*-*-*"):
                shutil.rmtree(place)


if __name__ == "__main__":
    main()
