"""How far the ends of intervals move between seeds of the random number generator.

scripts/bench seeds                all sizes
scripts/bench seeds --size 12x64   some of them, by questions and trials

The largest movement of an end between six seeds, as a share of the width, for 10 to 100 questions
of 4 to 64 trials, of three difficulties.
"""

import argparse
import zlib

import numpy as np

from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts
from errbar.metrics import CountMetric
from errbar.metrics.base import parse
from errbar.results.estimate import Estimand

_SIZES = ("10x4", "10x16", "12x64", "30x4", "30x16", "50x16", "100x4")  # questions and trials
_DIFFICULTIES = ((0.5, 0.5), (2.0, 2.0), (8.0, 1.0))  # of Beta distributions
_SEEDS = 6
_SMALL = 0.02


def metrics_of(trials: int) -> list[CountMetric]:
    """Metrics of all, of half and of some of the trials."""
    n, half = trials, trials // 2
    names = (
        f"avg pass@{n} pass^{n} pass@{half} maj@{n - 1} auc@{n} geom@{n} geom@{half} geom-ds@{n}"
    )
    found = [parse(name) for name in names.split()]
    return [metric for metric in found if isinstance(metric, CountMetric)]


def main() -> None:
    """Print a line for each target and kind of metric."""
    parser = argparse.ArgumentParser(prog="scripts/bench seeds", description=__doc__)
    parser.add_argument("--size", action="append", choices=_SIZES)
    moved: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for size in parser.parse_args().size or _SIZES:
        questions, trials = map(int, size.split("x"))
        for right, wrong in _DIFFICULTIES:
            rng = np.random.default_rng([77, zlib.crc32(f"{size} {right:g}".encode())])
            rates = rng.beta(right, wrong, questions)
            counts = Counts(np.full(questions, trials), rng.binomial(trials, rates))
            metrics = metrics_of(trials)
            for target in Estimand:
                rows = [Calibrated(target, seed=s).cells([counts], metrics) for s in range(_SEEDS)]
                ends = np.array(
                    [[(c.interval.low, c.interval.high) for (c,) in row] for row in rows]
                )
                width = np.diff(ends.mean(axis=0))[:, 0]
                shares = np.ptp(ends, axis=0).max(axis=1) / width
                for metric, share in zip(metrics, shares.tolist(), strict=True):
                    name = str(metric)
                    kind = "geom@k" if name.startswith("geom@") else "others"
                    where = f"{name}, M = {questions}, N = {trials}, Beta({right:g}, {wrong:g})"
                    moved.setdefault((target.value, kind), []).append((share, where))
    print("| target | metrics | intervals | moved by less than 2% | median | largest | of |")
    print("|---|---|--:|--:|--:|--:|---|")
    for (covers, kind), found in sorted(moved.items()):
        shares = [share for share, _ in found]
        least, (most, where) = sum(share < _SMALL for share in shares), max(found)
        median = 100 * float(np.median(shares))
        print(
            f"| {covers} | {kind} | {len(found)} | {least} | {median:.2f}% | {100 * most:.1f}% | "
            f"{where} |"
        )


if __name__ == "__main__":
    main()
