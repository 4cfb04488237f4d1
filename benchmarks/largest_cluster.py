"""Intervals over clusters, by the sizes observed and with the size of the largest cluster given.

    scripts/bench largest_cluster                   # the table of decision 24
    scripts/bench largest_cluster --data-sets 100

A data set has single trials of the questions of clusters, whose size and mean rate go together.
"""

import argparse

import numpy as np

import errbar
from benchmarks.adversarial.cells import Tally, judge_interval
from benchmarks.adversarial.fourth import CLUSTERS, Clusters
from errbar.analysis.methods import Calibrated
from errbar.data.counts import CountsByState

_EIGHT = tuple(range(1, 9))
SHAPES = {
    "5 clusters, a fifth of 40 questions and harder, the others of 3": Clusters(
        5, (3, 40), (0.8, 0.2), (0.75, 0.25), 8.0
    ),
    "10 clusters, a tenth forty times as large and harder": CLUSTERS[
        "10 clusters, a tenth forty times as large"
    ],
    "20 clusters, 5% thirty times as large and harder": Clusters(
        20, (2, 60), (0.95, 0.05), (0.8, 0.1), 10.0
    ),
    "30 clusters, 3% twenty times as large and easier": CLUSTERS[
        "30 clusters, 3 % twenty times as large"
    ],
    "40 clusters, 2% thirty times as large and harder": Clusters(
        40, (2, 60), (0.98, 0.02), (0.8, 0.1), 10.0
    ),
    "100 clusters, 1% fifty times as large and harder": Clusters(
        100, (2, 100), (0.99, 0.01), (0.8, 0.1), 10.0
    ),
    "20 clusters of 1 to 8 questions, alike": Clusters(20, _EIGHT, (1 / 8,) * 8, (0.6,) * 8, 4.0),
}


def data_set(shape: Clusters, rng: np.random.Generator) -> CountsByState:
    """Single trials of the questions of random clusters."""
    which = rng.choice(len(shape.sizes), shape.number, p=shape.chances)
    means, sizes = np.array(shape.means)[which], np.array(shape.sizes)[which]
    rates = np.repeat(rng.beta(means * shape.spread, (1.0 - means) * shape.spread), sizes)
    once, place = np.ones(rates.size, dtype=np.int64), np.repeat(np.arange(sizes.size), sizes)
    return CountsByState(once, rng.binomial(1, rates), once, place)


def tallies(shape: Clusters, data_sets: int) -> list[Tally]:
    """Coverage and width by the sizes observed, and with the largest size of the shape."""
    rng, found = np.random.default_rng(37), [Tally(), Tally()]
    methods = [Calibrated(), Calibrated(largest_cluster=max(shape.sizes))]
    for _ in range(data_sets):
        counts = data_set(shape, rng)
        for at, method in enumerate(methods):
            ends = errbar.score(counts, "avg", method=method)[0].interval
            found[at] = found[at].plus(judge_interval(ends.low, ends.high, shape.truth))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench largest_cluster",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--data-sets", type=int, default=400, help="data sets of each shape")
    options = parser.parse_args()
    print("| shape | covers | mean width | covers with `largest_cluster` | mean width |")
    print("|---|--:|--:|--:|--:|")
    for name, shape in SHAPES.items():
        cells = [
            f"{100 * tally.true / tally.tried:.1f} | {tally.width / tally.tried:.2f}"
            for tally in tallies(shape, options.data_sets)
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
