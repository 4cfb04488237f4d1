"""Whether the verdicts of `runs.compare` hold their level, and how often they see a difference.

scripts/bench compare            the whole study: more than an hour of one core
scripts/bench compare --quick    200 data sets, up to 100 questions: some minutes
"""

import argparse
import sys
from itertools import product
from pathlib import Path

from rich.progress import track

from benchmarks.compare import report, speed, study
from benchmarks.compare.worlds import Cell
from benchmarks.coverage.difficulties import DIFFICULTIES

QUESTIONS, TRIALS, REPLICATES = (30, 100, 300, 1000), (1, 4, 16), 2000
QUICK_QUESTIONS, QUICK_REPLICATES = (30, 100), 200


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench compare",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="few data sets, few questions")
    parser.add_argument("--out", type=Path, help="where the report goes, in place of the screen")
    options = parser.parse_args()
    questions = QUICK_QUESTIONS if options.quick else QUESTIONS
    replicates = QUICK_REPLICATES if options.quick else REPLICATES
    cells = [Cell(*each) for each in product(questions, TRIALS, DIFFICULTIES)]
    rows: list[study.Null | study.Seen | study.Agreed] = []
    for cell in track(cells, "cells", disable=not sys.stderr.isatty()):
        rows += study.nulls(cell, replicates)
        rows += study.powers(cell, replicates)
    rows = [
        study.again(row, replicates)
        if isinstance(row, study.Null) and row.ours > report.HIGH
        else row
        for row in rows
    ]
    text = report.text(rows, list(study.ceiling(replicates)), replicates, speed.run())
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main()
