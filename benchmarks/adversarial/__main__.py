"""How often intervals and verdicts hold on shapes that nobody tuned them on.

scripts/bench adversarial                     every cell; stop it and go on at any time
scripts/bench adversarial --only "rewards"    cells whose group or name begins so
scripts/bench adversarial --target population scores and verdicts of counts for one target only
scripts/bench adversarial report              the table, cells that fall short first; what was not
                                              run again stays as it was published

Each cell has its own seed. A statement is short if it holds in less than 93 % of the data sets
(95 % for verdicts and ranks), less two standard errors of that share.
"""

import argparse
import json
import math
import os
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.adversarial import (
    counts,
    eighth,
    fifth,
    fourth,
    outside,
    ranked,
    rare,
    samples,
    seventh,
    sixth,
    third,
    verdicts,
)
from benchmarks.adversarial.cells import LEAST_COVERED, MOST_WRONG, Cell, Tally, added
from errbar.results.estimate import Estimand

RESULTS = Path(__file__).parents[1] / "results" / "adversarial.jsonl"
PAGE = Path(__file__).parents[2] / "docs" / "coverage" / "adversarial.md"
LEVELS = (0.8, 0.9, 0.95, 0.99)
Targets = tuple[str, ...]


def every_cell(targets: Targets) -> list[Cell]:
    """All cells; their names are unique within a group."""
    wanted = [Estimand(target) for target in targets]
    families = (
        samples.cells(wanted),
        ranked.cells(),
        verdicts.cells(wanted),
        counts.cells(wanted),
        outside.cells(),
        third.cells(),
        fourth.cells(),
        fifth.cells(),
        sixth.cells(),
        seventh.cells(),
        eighth.cells(),
        rare.cells(),
    )
    return [cell for cells in families for cell in cells]


def run_cell(place: int, replicates: int, level: float, targets: Targets) -> dict[str, Any]:
    """One cell, by its place in the list."""
    cell = every_cell(targets)[place]
    rng = np.random.default_rng([41, zlib.crc32(f"{cell.group}: {cell.name}".encode())])
    totals = added(cell.draw(rng, level) for _ in range(math.ceil(replicates / cell.data_sets)))
    where = {"group": cell.group, "name": cell.name, "level": level, "targets": targets}
    return {**where, "found": totals}


def results(path: Path) -> Iterator[dict[str, Any]]:
    """What has been run."""
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def run(options: argparse.Namespace) -> None:
    """Run the cells that are missing, and add a line for each."""
    options.out.parent.mkdir(parents=True, exist_ok=True)
    targets = tuple(options.target or [target.value for target in Estimand])
    done = {
        (row["group"], row["name"], row["level"], tuple(row["targets"]))
        for row in results(options.out)
    }
    cells = every_cell(targets)
    wanted = [
        at
        for at, cell in enumerate(cells)
        if at % options.every == 0
        and (cell.group, cell.name, options.level, targets) not in done
        and (not options.only or any(_begins(cell, text) for text in options.only))
    ]
    with ProcessPoolExecutor(options.processes) as pool:
        how = (options.replicates, options.level, targets)
        futures = [pool.submit(run_cell, at, *how) for at in wanted]
        for future in futures:
            row = future.result()
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(_shown(row), flush=True)


def _begins(cell: Cell, text: str) -> bool:
    return cell.group == text or cell.name.startswith(text) or f"{cell.group}/{cell.name}" == text


def _shown(row: dict[str, Any]) -> str:
    said = ", ".join(
        f"{name} {100 * Tally(*tally).true / Tally(*tally).tried:.1f}"
        for name, tally in row["found"].items()
    )
    return f"{row['group']}: {row['name']}: {said}"


def shortfall(statement: str, tally: Tally, level: float) -> float:
    """How far a statement falls short of its limit, less two standard errors; 0 if it does not."""
    decided = statement.endswith(("better", "verdict", "all ranks"))
    least = 1.0 - MOST_WRONG if decided else LEAST_COVERED
    least = level if decided and level != 0.95 else least - (0.95 - level) * (not decided)
    error = math.sqrt(least * (1.0 - least) / tally.tried)
    return max(0.0, least - 2.0 * error - tally.true / tally.tried)


Statement = tuple[str, str, str, float]  # group, shape, statement, level


def published(page: Path) -> dict[Statement, Tally]:
    """What the page says of every statement."""
    found = {}
    for line in page.read_text(encoding="utf-8").splitlines() if page.exists() else ():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == len(_HEADS) and cells[3].startswith("0."):
            group, name, statement, level, holds, width, tried, _ = cells
            number = int(tried)
            true, total = round(float(holds) * number / 100), float(width or 0.0) * number
            found[group, name, statement, float(level)] = Tally(number, true, total)
    return found


_HEADS = ("group", "shape", "statement", "level", "holds", "mean width", "data sets", "short")


def report(path: Path, page: Path) -> None:
    """Write the table of every statement, short ones first."""
    tallies = published(page)
    for row in results(path):
        for statement, tally in row["found"].items():
            tallies[row["group"], row["name"], statement, row["level"]] = Tally(*tally)
    rows = [
        (shortfall(place[2], tally, place[3]), place, tally) for place, tally in tallies.items()
    ]
    rows.sort(key=lambda entry: (-entry[0], entry[2].true / entry[2].tried))
    short = sum(entry[0] > 0 for entry in rows)
    lines = [
        "# Coverage on shapes that nobody tuned",
        "",
        f"Made by `scripts/bench adversarial report`: {len(rows)} statements, {short} of them "
        "short by more than two standard errors. Shares are in per cent of the data sets.",
        "",
        f"| {' | '.join(_HEADS)} |",
        "|---|---|---|--:|--:|--:|--:|---|",
    ]
    for gap, (group, name, statement, level), tally in rows:
        holds = f"{100 * tally.true / tally.tried:.1f}"
        width = f"{tally.width / tally.tried:.4f}" if tally.width else ""
        mark = "short" if gap > 0 else ""
        cells = (group, name, statement, f"{level:g}", holds, width, str(tally.tried), mark)
        lines.append(f"| {' | '.join(cells)} |")
    page.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{short} of {len(rows)} statements are short; {page}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench adversarial",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("part", nargs="?", default="run", choices=("run", "report"))
    parser.add_argument("--out", type=Path, default=RESULTS, help="file of the results")
    parser.add_argument("--page", type=Path, default=PAGE, help="where the report goes")
    parser.add_argument("--replicates", type=int, default=500, help="data sets of each cell")
    parser.add_argument("--level", type=float, default=0.95, choices=LEVELS)
    parser.add_argument("--only", action="append", default=[], help="a group, or how a name begins")
    parser.add_argument(
        "--target",
        action="append",
        choices=[target.value for target in Estimand],
        help="a target of scores and verdicts of counts; all of them by default",
    )
    parser.add_argument("--every", type=int, default=1, help="every nth cell only, as 10")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    if options.part == "report":
        report(options.out, options.page)
    else:
        run(options)


if __name__ == "__main__":
    main()
