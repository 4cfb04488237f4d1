"""How often 95% intervals of repeated trials hold the truth, and how wide they are.

scripts/bench coverage                  the whole study: hours; stop it and go on at any time
scripts/bench coverage --quick          fewer data sets, up to 300 questions
scripts/bench coverage --only hard/30   some units only: difficulty/questions/trials
scripts/bench coverage report           tables and pictures of what has been run
scripts/bench coverage evalperf --logs evalperf_counts.csv
                                        real counts: n of 100 trials against all 100
scripts/bench coverage leaderboards --logs FOLDER
                                        samples of real leaderboards against the whole board
scripts/bench coverage beyond           k beyond the trials
"""

import argparse
import os
from dataclasses import replace
from pathlib import Path

from benchmarks.coverage import beyond, evalperf, leaderboards, report, store
from benchmarks.coverage.grid import ESTIMANDS, QUICK, Settings
from benchmarks.coverage.runner import run_all
from errbar.results.estimate import Estimand

PARTS = ("run", "report", "evalperf", "leaderboards", "beyond")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench coverage",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("part", nargs="?", default="run", choices=PARTS)
    parser.add_argument("--out", type=Path, default=store.RESULTS, help="folder of the results")
    parser.add_argument("--quick", action="store_true", help="100 data sets, up to 300 questions")
    parser.add_argument("--replicates", type=int, help="data sets of each unit")
    parser.add_argument("--only", action="append", default=[], help="as in hard/30/16, or //16")
    parser.add_argument("--level", type=float, default=0.95, help="of the intervals")
    parser.add_argument(
        "--target", action="append", type=Estimand, help="a target; all of them by default"
    )
    parser.add_argument("--sample", type=int, help="a unit for each size only; the seed of them")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--docs", type=Path, default=report.DOCS, help="where the report goes")
    parser.add_argument("--logs", type=Path, help="counts for evalperf, folder for leaderboards")
    options = parser.parse_args()
    if options.part == "report":
        report.write(options.out, options.docs)
    elif options.part == "evalperf":
        if not options.logs:
            parser.error("evalperf needs --logs, the path of evalperf_counts.csv")
        evalperf.run(options.logs, options.replicates or 200)
    elif options.part == "leaderboards":
        if not options.logs:
            parser.error("leaderboards needs --logs, the folder of both boards")
        leaderboards.run(options.logs, options.replicates or 20)
    elif options.part == "beyond":
        beyond.run(options.replicates or 200, options.only)
    else:
        settings = replace(
            QUICK if options.quick else Settings(),
            level=options.level,
            targets=tuple(options.target or ESTIMANDS),
            sample=options.sample,
        )
        if options.replicates:
            settings = replace(settings, replicates=options.replicates)
        ran = run_all(settings, options.out, options.only, options.processes)
        print(f"{ran} units run; results in {options.out}")


if __name__ == "__main__":
    main()
