"""Real counts of 100 trials per question: intervals from a few of them against all of them.

The trials are drawn without putting any back, so the 100 are all there is to know.
"""

import csv
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.adversarial.cells import Tally, judge_interval
from benchmarks.coverage.methods import Ends, Systems, ours, posterior, shown
from benchmarks.coverage.unit import judged
from errbar.analysis.evaluate import score
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts
from errbar.metrics import CountMetric, PassAt
from errbar.results.estimate import Estimand

Array = NDArray[np.floating[Any]]

TRIALS = 100
FEWER = (4, 8, 16)
KS = (1, 2, 4, 8, 16)
BEYOND = (8, 16, 32, 64, 100)
_TOGETHER = 50


def run(logs: Path, draws: int) -> None:
    """Print coverage and width by trials drawn and k, of ours and of the documented interval."""
    systems = read(logs)
    questions = sorted({row.size for row in systems.values()})
    print(f"{len(systems)} systems of {questions} questions, {draws} draws of each\n")
    print("| n | k | holds | below | above | lowest system | width | documented holds | width |")
    print("|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for n in FEWER:
        metrics: list[CountMetric] = [PassAt(k) for k in KS if k <= n]
        by_system = np.array([shares_of(row, n, metrics, draws) for row in systems.values()])
        mean = by_system.mean(axis=0)
        lowest = 1.0 - by_system[:, 0, :2].sum(axis=1).max(axis=0)
        for at, metric in enumerate(metrics):
            (below, above, width, _), (low, high, wide, _) = mean[:, :, at]
            shares = (1.0 - below - above, below, above, lowest[at])
            said = " | ".join(f"{100 * share:.1f}" for share in shares)
            documented = f"{100 * (1.0 - low - high):.1f} | {wide:.4f}"
            print(f"| {n} | {metric.draws} | {said} | {width:.4f} | {documented} |", flush=True)
    run_beyond(logs)


def run_beyond(logs: Path) -> None:
    """Print the coverage of pass@k with k beyond the trials, one draw of each system."""
    systems = read(logs)
    print("\n| n | k | holds | least width | median | largest |")
    print("|--:|--:|--:|--:|--:|--:|")
    for n in FEWER:
        metrics = [PassAt(k) for k in BEYOND if k > n]
        rng = np.random.default_rng([22, n])
        drawn = {
            name: Counts(np.full(right.size, n), rng.hypergeometric(right, TRIALS - right, n))
            for name, right in systems.items()
        }
        method = Calibrated(Estimand.BENCHMARK)
        estimates = iter(score(drawn, *metrics, method=method, short="posterior"))
        found: dict[int, list[Tally]] = defaultdict(list)
        for right in systems.values():
            for metric in metrics:
                ends, truth = next(estimates).interval, shown(metric, TRIALS)[right].mean()
                found[metric.k].append(judge_interval(ends.low, ends.high, truth))
        for k, intervals in found.items():
            least, middle, most = np.quantile([each.width for each in intervals], [0.0, 0.5, 1.0])
            holds = 100 * np.mean([each.true for each in intervals])
            said = f"{holds:.1f} | {least:.3f} | {middle:.3f} | {most:.3f}"
            print(f"| {n} | {k} | {said} |", flush=True)


def read(logs: Path) -> dict[str, NDArray[np.int64]]:
    """Right ones of each question of each system, for those with 100 trials of every question."""
    trials, right = defaultdict(list), defaultdict(list)
    with logs.open(newline="") as file:
        for row in csv.DictReader(file):
            trials[row["model"]].append(int(row["n"]))
            right[row["model"]].append(int(row["n_correct"]))
    return {name: np.array(right[name]) for name, n in trials.items() if set(n) == {TRIALS}}


def shares_of(
    right: NDArray[np.int64], n: int, metrics: Sequence[CountMetric], draws: int
) -> Array:
    """Shares below and above, and the width, of both methods, over draws from one system."""
    rng = np.random.default_rng([21, n, *right.tolist()])
    truth = np.array([[shown(metric, TRIALS)[right].mean()] for metric in metrics])
    totals = np.zeros((2, 4, len(metrics)))
    for first in range(0, draws, _TOGETHER):
        shape = (min(_TOGETHER, draws - first), right.size)
        drawn = Systems(n, rng.hypergeometric(right, TRIALS - right, n, shape))
        both: tuple[Ends, Ends] = (
            ours(drawn, metrics, [Estimand.BENCHMARK])[Estimand.BENCHMARK],
            posterior(drawn, metrics),
        )
        totals += [judged(ends, truth) for ends in both]
    return totals / draws
