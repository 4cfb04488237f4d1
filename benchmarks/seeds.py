"""How far the ends of intervals move between seeds of the random number generator.

scripts/bench seeds

The largest movement of an end between six seeds, as a share of the width, for 10 to 100 questions
of 4 or 16 trials, of three difficulties.
"""

import numpy as np

from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts
from errbar.metrics import CountMetric
from errbar.metrics.base import parse
from errbar.results.estimate import Estimand

_SIZES = ((10, 4), (10, 16), (30, 4), (30, 16), (100, 4))
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
    rng = np.random.default_rng(77)
    moved: dict[tuple[str, str], list[tuple[float, str]]] = {}
    for questions, trials in _SIZES:
        for right, wrong in _DIFFICULTIES:
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
