"""How cost grows with rows, questions, systems, trials, files and pairs; and what has a limit.

    scripts/bench scale                       all, to 100 million rows: 4 GB of files, half an hour
    scripts/bench scale --only rows limits    parts of it; the other results stay
    scripts/bench scale --most 1000000        no more than a million of anything
    scripts/bench scale --write               only write the tables and the picture again

Every figure is processor time of a process of its own, without imports, and its peak of memory.
They go to `docs/how-far/results.json`, and from there to the tables of `docs/how-far.md`.
"""

import argparse
import json
import math
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import errbar
from benchmarks import scale_limits
from benchmarks.make_outcomes import Shape, make_outcomes
from benchmarks.reader_sizes import FILES_OF, text_of
from benchmarks.report import outcomes
from errbar.plots import Picture

Work = Callable[[], object]
DOCS = Path(__file__).parents[1] / "docs"
PAGE, RESULTS = DOCS / "how-far.md", DOCS / "how-far" / "results.json"


class Axis(NamedTuple):
    """What grows, and the work at a size."""

    what: str
    sizes: tuple[int, ...]
    work: Callable[[int, Path], Work]


def _of_files(shape: Callable[[int], Shape], ending: str) -> Callable[[int, Path], Work]:
    """`errbar score` on files of a shape."""

    def work(size: int, directory: Path) -> Work:
        parts = 10 if ending == "parquet" else 1
        place = make_outcomes(directory, shape(size), ending, files=parts)
        return lambda: errbar.load(place).score("avg", "pass@1")

    return work


def _systems(size: int, _: Path) -> Work:
    right = np.random.default_rng(0).random((size, 20, 4)) < 0.5
    data = {f"system {at}": part for at, part in enumerate(right.astype(np.int8))}
    return lambda: errbar.load(data).score("pass@2")


def _trials(size: int, _: Path) -> Work:
    right = (np.random.default_rng(0).random((20, size)) < 0.3).astype(np.int8)
    return lambda: errbar.load(right).score("avg", f"pass@{size // 2}")


def _pairs(size: int, _: Path) -> Work:
    systems = round(0.5 + math.sqrt(0.25 + 2 * size))
    data = outcomes(systems, 1000, 4)
    return lambda: errbar.load(data).compare("avg")


def _small_files(size: int, directory: Path) -> Work:
    place = directory / f"harbor-{size}"
    if not place.exists():
        place.mkdir(parents=True)
        FILES_OF["trials of Harbor"](place, size, text_of(20))
    return lambda: errbar.load(place).score("avg")


TENS = (1_000, 10_000, 100_000, 1_000_000)
AXES = {
    "rows": Axis(
        "rows of Parquet: 50 systems, 20,000 questions, 1 to 100 trials",
        (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000),
        _of_files(lambda size: Shape(50, 20_000, size // 1_000_000), "parquet"),
    ),
    "rows-csv": Axis(
        "rows of CSV: 10 systems, 1,000 questions, 10 to 1,000 trials",
        (100_000, 1_000_000, 10_000_000),
        _of_files(lambda size: Shape(10, 1_000, size // 10_000), "csv"),
    ),
    "questions": Axis(
        "questions with text ids, 4 trials each, in Parquet",
        (10_000, 100_000, 1_000_000, 10_000_000),
        _of_files(lambda size: Shape(1, size, 4), "parquet"),
    ),
    "systems": Axis("systems of 20 questions × 4 trials", (100, *TENS[:3]), _systems),
    "trials": Axis("trials of each of 20 questions", TENS, _trials),
    "files": Axis("files with a trial of Harbor each, in folders", TENS[:3], _small_files),
    "pairs": Axis(
        "pairs of systems compared on 1,000 questions × 4 trials", (45, 190, 1225, 4950), _pairs
    ),
}


def measured(axis: str, size: int, directory: Path) -> dict[str, float]:
    """Time and memory of a separate process."""
    command = [sys.executable, "-m", "benchmarks.scale", "--inside", axis, str(size)]
    done = subprocess.run(
        [*command, "--dir", str(directory)], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def inside(axis: str, size: int, directory: Path) -> dict[str, float]:
    """Seconds of processor time and of the clock, and the peak of memory in MB."""
    work = AXES[axis].work(size, directory)
    errbar.load([{"id": "q1", "correct": 1}, {"id": "q2", "correct": 0}]).score("avg")
    start, spent = time.perf_counter(), time.process_time()
    work()
    clock, cpu = time.perf_counter() - start, time.process_time() - spent
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"size": size, "cpu": cpu, "clock": clock, "MB": peak / 1024}


def slope(points: Sequence[dict[str, float]]) -> float:
    """Exponent of growth between the two largest sizes; smaller ones are mostly fixed cost."""
    if len(points) < 2:
        return math.nan
    (smaller, larger) = points[-2:]
    return math.log(larger["cpu"] / smaller["cpu"]) / math.log(larger["size"] / smaller["size"])


def growth_table(results: dict[str, Any]) -> str:
    """A line for each axis: the largest size, what it takes, and the exponent."""
    lines = ["| what grows | largest measured | CPU | memory | grows as |", "|---|--:|--:|--:|--:|"]
    for name, axis in AXES.items():
        points = results.get(name, [])
        if points:
            last = points[-1]
            lines.append(
                f"| {axis.what} | {last['size']:,.0f} | {last['cpu']:.2g} s | {last['MB']:,.0f} MB "
                f"| n^{slope(points):.2f} |"
            )
    return "\n".join(lines)


def sizes_table(results: dict[str, Any]) -> str:
    """A line for each size of each axis."""
    lines = ["| what grows | size | CPU | clock | memory |", "|---|--:|--:|--:|--:|"]
    lines += [
        f"| {name} | {point['size']:,.0f} | {point['cpu']:.2g} s | {point['clock']:.2g} s "
        f"| {point['MB']:,.0f} MB |"
        for name in AXES
        for point in results.get(name, [])
    ]
    return "\n".join(lines)


def limits_table(results: dict[str, Any]) -> str:
    """A line for each piece of work that has a limit."""
    lines = ["| what | limit | measured | |", "|---|--:|--:|---|"]
    for each in results.get("limits", []):
        met = "met" if each["value"] <= each["limit"] else "**not met**"
        unit = each["unit"]
        lines.append(
            f"| {each['name']} | {each['limit']:g} {unit} | {each['value']:.3g} {unit} | {met} |"
        )
    return "\n".join(lines)


def picture(results: dict[str, Any]) -> Picture:
    """Processor time over size, a line for each axis, both logarithmic."""
    rows = [
        {
            "axis": f"{name}: n^{slope(results[name]):.2f}",
            "size": point["size"],
            "cpu": point["cpu"],
        }
        for name in AXES
        for point in results.get(name, [])
    ]
    scale = {"type": "log"}
    return Picture(
        {
            "title": {"text": "Processor time over size"},
            "background": "white",
            "width": 460,
            "height": 320,
            "data": {"values": rows},
            "mark": {"type": "line", "point": True},
            "encoding": {
                "x": {"field": "size", "type": "quantitative", "scale": scale, "title": "size",
                      "axis": {"format": "~s", "tickCount": 7}},
                "y": {"field": "cpu", "type": "quantitative", "scale": scale,
                      "title": "seconds of CPU", "axis": {"format": "~g"}},
                "color": {"field": "axis", "type": "nominal", "title": None, "sort": None},
                "shape": {"field": "axis", "type": "nominal", "title": None, "sort": None},
            },
        }
    )  # fmt: skip


def machine(results: dict[str, Any]) -> str:
    """On what the figures were made."""
    made = results["machine"]
    return (
        f"{made['cores']} cores, Python {made['python']}, load {made['load']:.1f} when it ended. "
        f"Processor time on a busy machine is up to twice that on a quiet one."
    )


PARTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "growth": growth_table,
    "sizes": sizes_table,
    "limits": limits_table,
    "machine": machine,
}


def page(text: str, results: dict[str, Any]) -> str:
    """The page with the tables between its marks made anew."""
    for name, part in PARTS.items():
        begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}\n\n{part(results)}\n\n{end}{after}"
    return text


def write(results: dict[str, Any]) -> None:
    """The results, and what is made of them."""
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(f"{json.dumps(results, indent=1)}\n", encoding="utf-8")
    picture(results).save(RESULTS.with_name("growth.svg"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), results), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench scale",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--only", nargs="*", default=[*AXES, "limits"], metavar="PART")
    parser.add_argument("--most", type=int, default=100_000_000)
    parser.add_argument("--dir", type=Path, default=Path(".cache/scale"), help="for the files")
    parser.add_argument("--boards", type=Path, help="a folder with a table of 134 × 500 outcomes")
    parser.add_argument("--write", action="store_true", help="measure nothing")
    parser.add_argument("--inside", nargs=2, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    directory = asked.dir.resolve()
    if asked.inside:
        print(json.dumps(inside(asked.inside[0], int(asked.inside[1]), directory)))
        return
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for name in () if asked.write else asked.only:
        if name == "limits":
            results[name] = scale_limits.measured(asked.boards)
        else:
            sizes = [size for size in AXES[name].sizes if size <= asked.most]
            results[name] = [measured(name, size, directory) for size in sizes]
        print(name, json.dumps(results[name]), flush=True)
        results["machine"] = {
            "cores": os.cpu_count(),
            "python": platform.python_version(),
            "load": os.getloadavg()[0],
        }
        write(results)
    write(results)


if __name__ == "__main__":
    main()
