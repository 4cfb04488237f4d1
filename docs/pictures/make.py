"""Draws the pictures of the documentation anew: python docs/pictures/make.py

They are of the bundled example, which is invented, and of simulated rows with a confidence.
"""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

import errbar
from errbar.base.narrow_tables import page_of_width
from errbar.base.remarks import on_command_line
from errbar.cli.io import print_lines
from errbar.plots import Picture
from errbar.results.scores import Scores

HERE = Path(__file__).parent
WIDTH = 80  # of the terminal
DEMO = Path(errbar.__file__).parent / "demo" / "logs" / "repo-repair.csv"


def rows_with_confidence() -> dict[str, list[Any]]:
    """Three systems, 150 questions, 3 trials; the less sure, the sooner two of them abstain."""
    rng = np.random.default_rng(1)
    rows: dict[str, list[Any]] = {
        name: [] for name in ("system", "question", "trial", "outcome", "confidence", "status")
    }
    for system, gain, least in (
        ("dunlin-2", 0.15, 0.1),
        ("siskin-1", 0.0, 0.25),
        ("siskin-mini", -0.15, 0.0),
    ):
        for question in range(150):
            chance = float(np.clip(rng.random() + gain, 0.02, 0.98))
            for trial in range(3):
                sure = float(np.clip(chance + 0.15 * rng.normal(), 0.0, 1.0))
                right = float(rng.random() < chance)
                rows["system"].append(system)
                rows["question"].append(f"q{question:03d}")
                rows["trial"].append(trial)
                rows["outcome"].append(right if sure >= least else None)
                rows["confidence"].append(sure)
                rows["status"].append("ok" if sure >= least else "abstained")
    return rows


def targets(runs: errbar.Runs) -> Picture:
    """One score with the intervals of all three targets."""
    names = {
        "population": "new questions",
        "benchmark": "this exact benchmark",
        "rerun": "a repeat of this run",
    }
    rows = []
    for estimand, name in names.items():
        (score,) = runs.score("pass@1", estimand=estimand).only(system="dunlin-2")
        rows.append(replace(score, of=replace(score.of, system=name)))
    picture = Scores(tuple(rows)).plot()
    picture.spec["title"]["subtitle"] = ["95% intervals of one score, that of dunlin-2"]
    return picture


def terminal() -> str:
    """The overview of the bundled example on a terminal of 80 columns, as SVG."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    console.print(Text.assemble(("$ ", "dim"), "errbar repo-repair.csv"))
    with on_command_line():
        print_lines(page_of_width(errbar.load(DEMO).overview().parts(), WIDTH), console)
    whole = console.export_svg(title="errbar", unique_id="terminal")
    return re.sub(r"@font-face \{.*?\}", "", whole, flags=re.DOTALL).replace(
        "Fira Code, monospace", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace"
    )  # without fonts that would come over the network


def pictures() -> dict[str, Callable[[], Picture]]:
    """Every picture by the name of its file."""
    import pyarrow  # noqa: PLC0415  of the tests alone

    runs = errbar.load(DEMO)
    sure = errbar.load(pyarrow.table(rows_with_confidence()))
    return {
        "scores": lambda: runs.score("avg", "pass@8", "pass^8").plot(),
        "curve": lambda: runs.curve("pass@k").plot(),
        "compare": lambda: runs.compare("avg", "pass@4", margin=0.05).plot(),
        "rank": lambda: runs.rank("avg").plot(),
        "questions": runs.plot.questions,
        "difficulty": runs.plot.difficulty,
        "risk": sure.plot.risk_coverage,
        "roc": sure.plot.roc,
        "calibration": sure.plot.calibration,
        "targets": lambda: targets(runs),
        "monitor": lambda: runs.monitor("dunlin-2", "siskin-mini").plot(),
    }


if __name__ == "__main__":
    for name, draw in pictures().items():
        draw().save(HERE / f"{name}.svg")
    (HERE / "terminal.svg").write_text(terminal(), encoding="utf-8")
