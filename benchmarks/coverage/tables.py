"""The results in words: a summary per target, the cells that miss, and a line for each cell."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from statistics import median

from benchmarks.coverage import wide
from benchmarks.coverage.cells import NAMES, WIDEST, Cell, error_of, listed, of_target, percent
from benchmarks.coverage.grid import ESTIMANDS
from benchmarks.coverage.methods import METHODS, PEERS

_NO_PRIOR = ("clt", "bootstrap")


def summary(every: Sequence[Cell], identities: Sequence[str], replicates: int) -> str:
    """The whole text, in Markdown."""
    error = 100 * error_of(0.95, replicates)
    parts = [
        "# Coverage of 95% intervals of repeated trials\n",
        "Made by `scripts/bench coverage report` from the results of `scripts/bench coverage`: "
        f"{'; '.join(identities)}. A cell is a metric with its k, a difficulty, M questions and N "
        f"trials. Shares are in per cent; the standard error of a cell is {error:.1f}.\n",
        _overview(every, replicates),
        _peers(every),
        *(_by_size(every, target.value) for target in ESTIMANDS),
        *(_misses(every, target.value, replicates) for target in ESTIMANDS),
        *(wide.section(every, target.value) for target in ESTIMANDS),
    ]
    return "\n".join(parts)


def _overview(every: Sequence[Cell], replicates: int) -> str:
    lines = [
        "## errbar\n",
        "Short: measured below 92.5, or below 90 with 10 questions; clearly short: by more than "
        "two standard errors. Width is that of errbar by that of the narrowest method, peers "
        "included, that holds in 92.5 there (and has a width in 95 % of the data sets). Uniform "
        "difficulty is what the documented posterior takes for granted: nothing that has to learn "
        "it can be as narrow there. The last column leaves the documented posterior out: its prior "
        "happens to fit in other places too, which no one can know from the data.\n",
        "| target | cells | lowest | median | highest | short | clearly short | largest width | "
        f"wider than {WIDEST} | but for uniform | against CLT and bootstrap |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for target in ESTIMANDS:
        mine = of_target(every, target.value)
        covered = [cell.ours.covered for cell in mine]
        ratios = _known(cell.ratio() for cell in mine)
        too_wide = [cell for cell in mine if cell.ratio() > WIDEST]
        learnt = [cell for cell in too_wide if cell.unit.difficulty != "uniform"]
        no_prior = _known(cell.ratio(_NO_PRIOR) for cell in mine)
        short = sum(cell.ours.covered < cell.floor for cell in mine)
        clearly = sum(cell.misses(replicates) for cell in mine)
        lines.append(
            f"| {target.value} | {len(mine)} | {percent(min(covered))} | "
            f"{percent(median(covered))} | {percent(max(covered))} | "
            f"{short} ({percent(short / len(mine))} %) | {clearly} | "
            f"{max(ratios, default=math.nan):.2f} | {len(too_wide)} | {len(learnt)} | "
            f"{max(no_prior, default=math.nan):.2f} |"
        )
    return "\n".join(lines) + "\n"


def _peers(every: Sequence[Cell]) -> str:
    lines = [
        "## Side by side\n",
        "Lowest and median coverage over all cells, and the share of cells that are short.\n",
        "| target | " + " | ".join(NAMES[method] for method in METHODS) + " |",
        "|---|" + "--:|" * len(METHODS),
    ]
    for target in ESTIMANDS:
        said = []
        for method in METHODS:
            mine = [
                (cell, cell.by_method[method].covered) for cell in of_target(every, target.value)
            ]
            short = sum(covered < cell.floor for cell, covered in mine) / len(mine)
            covered = [one for _, one in mine]
            said.append(
                f"{percent(min(covered))}, {percent(median(covered))}, {percent(short)} % short"
            )
        lines.append(f"| {target.value} | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


def _by_size(every: Sequence[Cell], target: str) -> str:
    """Lowest and median coverage of ours, by questions and trials."""
    mine = of_target(every, target)
    questions = sorted({cell.unit.questions for cell in mine})
    trials = sorted({cell.unit.trials for cell in mine})
    lines = [
        f"### {target.capitalize()}: lowest and median coverage of errbar, share of cells short\n",
        "| M | " + " | ".join(f"N = {n}" for n in trials) + " |",
        "|--:|" + "--:|" * len(trials),
    ]
    for m in questions:
        said = []
        for n in trials:
            some = [c for c in mine if c.unit.questions == m and c.unit.trials == n]
            covered = [cell.ours.covered for cell in some]
            short = sum(cell.ours.covered < cell.floor for cell in some)
            said.append(
                f"{percent(min(covered))}, {percent(median(covered))}, "
                f"{percent(short / len(some))} %"
                if some
                else ""
            )
        lines.append(f"| {m} | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


def _misses(every: Sequence[Cell], target: str, replicates: int) -> str:
    """The cells that are clearly short, the worst first."""
    short = [cell for cell in of_target(every, target) if cell.misses(replicates)]
    short.sort(key=lambda cell: cell.ours.covered - cell.floor)
    title = f"### {target.capitalize()}: clearly short\n\n"
    if not short:
        return f"{title}None.\n"
    others = [NAMES[peer] for peer in PEERS]
    heads = ["cell", "errbar", "ends before the truth", "begins after it", "width", *others]
    lines = []
    for cell in short:
        mine = cell.ours
        shares = (mine.covered, mine.below, mine.above)
        theirs = [percent(cell.by_method[peer].covered) for peer in PEERS]
        said = [cell.where, *map(percent, shares), f"{mine.width:.4f}", *theirs]
        lines.append(f"| {' | '.join(said)} |")
    return title + listed(lines, heads)


def full(every: Sequence[Cell]) -> str:
    """A line for each cell, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    parts = ("covered", "below", "above", "width", "flat")
    heads = [f"{method} {part}" for method in METHODS for part in parts]
    heads += ["width by the narrowest that holds", "why wider"]
    writer.writerow(["target", "difficulty", "questions", "trials", "metric", "k", *heads])
    reasons = wide.Reasons(every)
    for cell in every:
        shares = [getattr(cell.by_method[method], part) for method in METHODS for part in parts]
        numbers = [f"{share:.4g}" for share in shares]
        numbers += [f"{cell.ratio():.4g}", reasons.of(cell) if cell.ratio() > WIDEST else ""]
        writer.writerow([cell.estimand, *cell.unit, cell.family, cell.k, *numbers])
    return out.getvalue()


def _known(numbers: Iterable[float]) -> list[float]:
    return [one for one in numbers if not math.isnan(one)]
