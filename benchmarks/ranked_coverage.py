"""How often 95% intervals of ranked metrics hold the truth, by simulation.

    scripts/bench ranked_coverage            all of it
    scripts/bench ranked_coverage roc        one part only
    scripts/bench ranked_coverage --quick    a few simulations, to see that it runs

"below" is the share of intervals that end before the truth, "above" of those that begin after it;
an interval that could not be given counts as one that does not hold. "error" is the standard error
of the share that holds. All shares are in per cent. Seeds are fixed; every row has its own.
"""

import argparse
import math
import time
from collections.abc import Callable
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.bootstrap import Replicates
from errbar.data.predictions import ArrangedItems
from errbar.data.queries.ranked_totals import GROUPS, GroupedTotals
from errbar.kernels.resample import joint_clusters
from errbar.metrics.confidence import Augrc, Aurc, ExcessAurc, RankedMetric
from errbar.results.estimate import Interval
from errbar.roc import roc_auc_ci
from errbar.selective import Bootstrap, Predictions, Ranked, estimate

Array = NDArray[np.floating[Any]]
Tally = NDArray[np.int64]  # intervals that hold, lie below, lie above; and one count more

SIZES = [(20, 20), (30, 30), (50, 50), (20, 100), (100, 100), (500, 500)]
AREAS = [0.6, 0.7, 0.8, 0.9, 0.95, 0.97]

METRICS: list[RankedMetric] = [Aurc(), Augrc(), ExcessAurc()]
ENDS = [Bootstrap(1000, ends="bca"), Bootstrap(1000, ends="percentile")]
CLUSTERS, ITEMS = [20, 50, 100, 200], 8
CLUSTERS_IN_GROUPS, BINS = [250, 2000], 100
CLUSTERS_OF_TRUTH = 400_000  # the truth is then 45 times as sure as an estimate from 200 clusters


class Settings(NamedTuple):
    """How many simulations there are."""

    roc: int = 4_000  # leaves a standard error of 0.2 points at 98 %
    roc_of_many_items: int = 1_000
    aurc: int = 2_000
    groups: int = 1_000


QUICK = Settings(roc=500, roc_of_many_items=200, aurc=100, groups=50)


def binormal(rng: np.random.Generator, labels: NDArray[np.bool_], area: float) -> Array:
    """Normal scores, moved up for positives."""
    return rng.normal(size=labels.size) + labels * math.sqrt(2.0) * NormalDist().inv_cdf(area)


def exponential(rng: np.random.Generator, labels: NDArray[np.bool_], area: float) -> Array:
    """Exponential scores, stretched for positives: the two classes spread unequally."""
    return rng.exponential(size=labels.size) * np.where(labels, area / (1.0 - area), 1.0)


SCORES = [binormal, exponential]


def roc(settings: Settings) -> None:
    """Intervals from placements; "separated" is the share with an area of 0 or 1."""
    heading("scores", "positives + negatives", "AUC", last="separated")
    for which, draw in enumerate(SCORES):
        for positives, negatives in SIZES:
            for area in AREAS:
                many = positives + negatives > 200
                simulations = settings.roc_of_many_items if many else settings.roc
                tally = roc_tally(which, positives, negatives, area, simulations)
                row([draw.__name__, f"{positives} + {negatives}", f"{area:g}"], tally, simulations)


def roc_tally(which: int, positives: int, negatives: int, area: float, simulations: int) -> Tally:
    """The simulations of one row."""
    rng = np.random.default_rng([1, which, positives, negatives, round(1000 * area)])
    labels = np.arange(positives + negatives) < positives
    tally = np.zeros(4, dtype=np.int64)
    for _ in range(simulations):
        found = roc_auc_ci(SCORES[which](rng, labels, area), labels)
        tally += [*judged(found.interval, area), found.value in (0.0, 1.0)]
    return tally


def continuous(rng: np.random.Generator, clusters: int) -> Predictions:
    """Right or wrong, no two confidences equal."""
    ease, confidence = eased(rng, clusters)
    return answered(rng, confidence, mistaken(rng, ease))


def few(rng: np.random.Generator, clusters: int) -> Predictions:
    """Right or wrong, five distinct confidences."""
    ease, confidence = eased(rng, clusters)
    return answered(rng, np.clip(np.round(confidence), -2.0, 2.0), mistaken(rng, ease))


def counts(rng: np.random.Generator, clusters: int) -> Predictions:
    """From no mistake to three in an answer, no two confidences equal."""
    ease, confidence = eased(rng, clusters)
    return answered(rng, confidence, np.minimum(rng.poisson(0.6 * np.exp(-ease)), 3))


def eased(rng: np.random.Generator, clusters: int) -> tuple[Array, Array]:
    """How easy each item is, which clusters share in part, and the confidence it leaves."""
    ease = np.repeat(0.8 * rng.normal(size=clusters), ITEMS) + rng.normal(size=clusters * ITEMS)
    return ease, ease + rng.normal(size=ease.size)


def mistaken(rng: np.random.Generator, ease: Array) -> NDArray[np.bool_]:
    """Whether an answer is wrong, the less likely the easier."""
    return rng.random(ease.size) < 1.0 / (1.0 + np.exp(1.5 * ease + 1.0))


def answered(rng: np.random.Generator, confidence: Array, loss: NDArray[Any]) -> Predictions:
    """Some 30 % go without an answer, most of them where confidence is low."""
    held = rng.random(confidence.size) < 1.0 / (1.0 + np.exp(-confidence - 1.2))
    return Predictions(confidence, loss, held, np.arange(confidence.size) // ITEMS)


SHAPES = [continuous, few, counts]


def aurc(settings: Settings) -> None:
    """Bootstrap of clusters of 8 items, 30 % unanswered; "none" is the share without interval."""
    heading("data", "clusters", "metric", "ends", last="none")
    for which, draw in enumerate(SHAPES):
        everything = Ranked.of(draw(np.random.default_rng([2, which]), CLUSTERS_OF_TRUTH))
        truths = [metric.value(everything) for metric in METRICS]
        for clusters in CLUSTERS:
            check_replicates(draw(np.random.default_rng([3, which, clusters]), clusters))
            tallies = aurc_tallies(which, clusters, truths, settings.aurc)
            for at, metric in enumerate(METRICS):
                for method, tally in zip(ENDS, tallies[at], strict=True):
                    named = [draw.__name__, str(clusters), str(metric), method.ends]
                    row(named, tally, settings.aurc)


def aurc_tallies(which: int, clusters: int, truths: list[float], simulations: int) -> Tally:
    """The simulations of one kind of data and one number of clusters, for all metrics and ends."""
    rng = np.random.default_rng([4, which, clusters])
    tallies = np.zeros((len(METRICS), len(ENDS), 4), dtype=np.int64)
    for _ in range(simulations):
        replicates = replicated(SHAPES[which](rng, clusters), rng)
        for at, truth in enumerate(truths):
            for end, method in enumerate(ENDS):
                spread = replicates.spread(at, method)
                tallies[at, end] += [*judged(spread.interval, truth), bool(spread.reason)]
    return tallies


def replicated(data: Predictions, rng: np.random.Generator | int) -> Replicates:
    """What `estimate` makes its intervals of, once for all metrics: a fourth of the time."""
    codes = joint_clusters(data.columns(), data.clusters)
    return resampled(ArrangedItems(data, codes), int(codes.max()) + 1, rng)


def resampled(
    arranged: ArrangedItems | GroupedTotals, units: int, rng: np.random.Generator | int
) -> Replicates:
    """All metrics of the same resamples."""

    def measure(weights: NDArray[Any]) -> Array:
        totals = arranged.totals(weights, with_oracle=True)
        return np.stack([metric.measure(totals) for metric in METRICS])

    return ENDS[0].run(measure, units, arranged.rows, rng)


def check_replicates(data: Predictions) -> None:
    """Stop if the intervals counted here are not those that `estimate` gives."""
    replicates = replicated(data, 0)
    for at, metric in enumerate(METRICS):
        for method in ENDS:
            given = estimate(metric, data, method=method, rng=0).interval
            if replicates.spread(at, method).interval != given:
                raise SystemExit(f"{metric}, {method}: estimate gives other ends, {given}")


def groups(settings: Settings) -> None:
    """Coverage with 200 groups of clusters put together at random, continuous data in 100 bins."""
    heading("data", "clusters", "metric", "ends", last="none")
    for which, draw in enumerate(SHAPES[:2]):
        everything = Ranked.of(draw(np.random.default_rng([2, which]), CLUSTERS_OF_TRUTH))
        truths = [metric.value(everything) for metric in METRICS]
        for clusters in CLUSTERS_IN_GROUPS:
            rng = np.random.default_rng([5, which, clusters])
            tallies = np.zeros((len(METRICS), len(ENDS), 4), dtype=np.int64)
            for _ in range(settings.groups):
                data = in_groups(draw(rng, clusters), rng)
                replicates = resampled(data, data.groups, rng)
                for at, truth in enumerate(truths):
                    for end, method in enumerate(ENDS):
                        spread = replicates.spread(at, method)
                        tallies[at, end] += [*judged(spread.interval, truth), bool(spread.reason)]
            for at, metric in enumerate(METRICS):
                for method, tally in zip(ENDS, tallies[at], strict=True):
                    named = [draw.__name__, str(clusters), str(metric), method.ends]
                    row(named, tally, settings.groups)


def in_groups(data: Predictions, rng: np.random.Generator) -> GroupedTotals:
    """Totals by group and by bin of equal weight, or by confidence where few differ."""
    clusters = len(data) // ITEMS
    group = np.unique(rng.integers(0, GROUPS, clusters), return_inverse=True)[1].repeat(ITEMS)
    held = data.answered
    places, column = np.unique(-data.confidence[held], return_inverse=True)
    if places.size > BINS:
        order = np.argsort(np.argsort(column))
        column = order * BINS // order.size
    shape = (int(group.max()) + 1, int(column.max()) + 1)
    at = group[held] * shape[1] + column
    items, wrong = (
        np.bincount(at, weights, shape[0] * shape[1]).astype(float).reshape(shape)
        for weights in (np.ones(at.size), data.loss[held])
    )
    return GroupedTotals(
        confidence=-np.arange(float(shape[1])),
        right=items - wrong,
        wrong=wrong,
        sizes=np.bincount(group).astype(float),
        clusters=clusters,
        answering=clusters,
        mixed=np.full(shape[1], places.size > BINS),
    )


def judged(interval: Interval, truth: float) -> tuple[bool, bool, bool]:
    """Whether it holds the truth, lies below it, lies above it; none of them without ends."""
    low, high = interval.low, interval.high
    return low <= truth <= high, high < truth, low > truth


def heading(*names: str, last: str) -> None:
    columns = [*names, "holds", "error", "below", "above", last]
    print("|", " | ".join(columns), "|")
    print("|" + "|".join("---" if name in names else "--:" for name in columns) + "|", flush=True)


def row(names: list[str], tally: Tally, simulations: int) -> None:
    holds, below, above, last = (float(share) for share in tally / simulations)
    error = math.sqrt(holds * (1.0 - holds) / simulations)
    shares = f"{100 * holds:.1f} | {100 * error:.2f} | {100 * below:.1f} | {100 * above:.1f}"
    print("|", " | ".join(names), "|", shares, "|", f"{100 * last:.1f} |", flush=True)


PARTS: dict[str, Callable[[Settings], None]] = {"roc": roc, "aurc": aurc, "groups": groups}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench ranked_coverage",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="with a few simulations only")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {sorted(unknown)[0]!r}; there are {', '.join(PARTS)}")
    settings = QUICK if options.quick else Settings()
    for name in options.parts or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__}\n", flush=True)
        start = time.perf_counter()
        PARTS[name](settings)
        print(f"\n{time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
