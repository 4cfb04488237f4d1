"""All pairs of fifty systems: errbar with joint draws and intervals, SciPy with a p-value each."""

import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
from scipy import stats

import errbar

SYSTEMS, QUESTIONS, TRIALS = 50, 1000, 16


def run() -> str:
    """One line: seconds, and their ratio to a loop of paired t-tests."""
    rng = np.random.default_rng(0)
    rates = rng.beta(1.0, 1.0, (QUESTIONS, 1))
    data = {
        f"s{at:02d}": (rng.random((QUESTIONS, TRIALS)) < rates ** (1.0 + 0.01 * at)).astype(np.int8)
        for at in range(SYSTEMS)
    }
    runs = errbar.load(data)
    runs.compare("avg", systems=["s00", "s01"])  # what is loaded when first needed
    ours = min(_seconds(lambda: runs.compare("avg")) for _ in range(3))

    def peer() -> None:
        means = [matrix.mean(axis=1) for matrix in data.values()]
        for first, second in combinations(means, 2):
            stats.ttest_rel(first, second)

    theirs = min(_seconds(peer) for _ in range(3))
    pairs = SYSTEMS * (SYSTEMS - 1) // 2
    return (
        f"{SYSTEMS} systems × {QUESTIONS} questions × {TRIALS} trials, {pairs} pairs: "
        f"{ours:.2f} s, {ours / theirs:.1f} times as long as scipy.stats.ttest_rel for each pair "
        f"({theirs:.2f} s), which draws nothing and has no intervals that hold together"
    )


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
