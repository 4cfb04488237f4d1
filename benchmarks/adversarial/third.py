"""Third outside trial: shapes that are in neither grid nor in the second trial.

They were written down after all methods, and frozen before any was run: near ties of difficulty,
one question in a hundred solved, clusters that are all or almost nothing, families of
near-duplicates, rare clusters that are thirty times as large, weights that go with difficulty,
trials that are negatively correlated or repeated, numbers of trials that go with difficulty,
rewards for wins, ties and losses, areas with two distinct scores or a single error, and thirty
equal systems.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

import errbar
from benchmarks.adversarial.cells import (
    Array,
    Cell,
    Tallies,
    as_assumed,
    judge_interval,
    judge_verdict,
)
from benchmarks.adversarial.outside import Draw, Shape, judge_counts, mixture, scored, systems_of
from benchmarks.coverage.difficulties import BetaPiece, Point
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts, CountsByState
from errbar.metrics.means import Average
from errbar.results.estimate import Estimand
from errbar.roc import roc_auc_ci
from errbar.selective import Bootstrap, Predictions, estimate

COUNTS: dict[str, Shape] = {
    "rates of 0.5 and 0.501": Shape(
        mixture((0.5, Point(0.5)), (0.5, Point(0.501))), 12, 6, ("avg", "pass@3", "pass^6")
    ),
    "1 % solved among hard ones": Shape(
        mixture((0.01, Point(1.0)), (0.99, BetaPiece(1, 60))), 25, 8, ("avg", "pass@8", "pass^4")
    ),
    "few questions, many trials": Shape(
        mixture((0.5, Point(0.49)), (0.5, Point(0.51))), 10, 200, ("avg", "pass^4", "auc@50")
    ),
    "about one error in the whole run": Shape(
        mixture((1.0, Point(0.99))), 12, 8, ("avg", "pass^8", "geom@4")
    ),
    "a third at each of 0.02, 0.3, 0.98": Shape(
        mixture((1 / 3, Point(0.02)), (1 / 3, Point(0.3)), (1 / 3, Point(0.98))),
        18,
        2,
        ("avg", "pass@2", "pass^2", "geom@2"),
    ),
}


def _correlated(repeated: bool, rng: np.random.Generator, level: float) -> Tallies:
    """Trials in pairs, with uniform numbers u and 1 − u, or twice the same: 20 questions x 8."""
    rates = rng.beta(2, 2, 20)
    found = {}
    first, again = (_in_pairs(rates, repeated, rng) for _ in range(2))
    truths = {Estimand.POPULATION: 0.5}
    if not repeated:  # that trials are independent is the assumption of the other two
        truths |= {
            Estimand.BENCHMARK: float(rates.mean()),
            Estimand.RERUN: float(again.mean() / 8),
        }
    for target, truth in truths.items():
        ((cell,),) = Calibrated(target, level).cells([Counts(np.full(20, 8), first)], [Average()])
        judged = judge_interval(cell.interval.low, cell.interval.high, truth)
        found[f"{target.value} avg"] = judged
    return found


def _in_pairs(rates: Array, repeated: bool, rng: np.random.Generator) -> NDArray[np.int64]:
    uniform = rng.random((4, rates.size))
    other = uniform if repeated else 1.0 - uniform
    return ((uniform < rates).astype(np.int64) + (other < rates)).sum(axis=0)


def _ragged(rng: np.random.Generator, level: float) -> Tallies:
    """Hard questions have 2 trials, easy ones up to 100."""
    rates = rng.beta(0.7, 0.7, 24)
    trials = 2 + np.floor(98 * rates**4).astype(np.int64)
    counts = Counts(trials, rng.binomial(trials, rates))
    found = {}
    for target, truth in ((Estimand.POPULATION, 0.5), (Estimand.BENCHMARK, rates.mean())):
        ((cell,),) = Calibrated(target, level).cells([counts], [Average()])
        judged = judge_interval(cell.interval.low, cell.interval.high, float(truth))
        found[f"{target.value} avg"] = judged
    return found


CLUSTERS = {  # clusters, chance of a large one, its size, size of the others, harder if large
    "12 clusters all or almost nothing": (12, 0.0, 4, 4, False),
    "a family of near-duplicates among 16 clusters": (16, 1 / 16, 15, 1, False),
    "20 clusters, 5 % thirty times as large and harder": (20, 0.05, 60, 2, True),
    "40 clusters, 2 % thirty times as large and harder": (40, 0.02, 60, 2, True),
}


def _clusters(name: str, rng: np.random.Generator, level: float) -> Tallies:
    number, share, large, small, harder = CLUSTERS[name]
    is_large = rng.random(number) < share
    sizes = np.where(is_large, large, small)
    rates = np.where(rng.random(number) < 0.7, 0.05, 0.95)
    truth = 0.7 * 0.05 + 0.3 * 0.95
    if harder:
        rates = np.where(is_large, 0.1, rng.beta(8, 2, number))
        truth = (share * large * 0.1 + (1 - share) * small * 0.8) / (
            share * large + (1 - share) * small
        )
    each = np.repeat(rates, sizes)
    once = np.ones(each.size, dtype=np.int64)
    place = np.repeat(np.arange(number), sizes)
    counts = CountsByState(once * 2, rng.binomial(2, each), once, place)
    return as_assumed(scored(counts, truth, level), met=harder and bool(is_large.any()))


def _weights(rng: np.random.Generator, level: float) -> Tallies:
    """A question weighs the more the harder it is: 1 / (rate + 0.1), rates uniform."""
    rates = rng.random(25)
    once = np.ones(25, dtype=np.int64)
    weights = 1.0 / (rates + 0.1)
    truth = (1.0 - 0.1 * np.log(11.0)) / np.log(11.0)
    counts = CountsByState(once * 3, rng.binomial(3, rates), once, None, weights)
    return scored(counts, float(truth), level)


def _matches(rng: np.random.Generator, level: float) -> Tallies:
    """Rewards of −1, 0 and 1 for losses, ties and wins, most of them ties."""
    values = rng.choice([-1.0, 0.0, 1.0], 20, p=[0.08, 0.88, 0.04])
    rows = [{"question": str(at), "outcome": value} for at, value in enumerate(values.tolist())]
    (found,) = errbar.load(rows).score("avg", level=level)
    return {"population avg": judge_interval(found.interval.low, found.interval.high, -0.04)}


def _two_scores(rng: np.random.Generator, level: float) -> Tallies:
    """A classifier that says yes or no: 0.8 of the positives, 0.1 of the negatives."""
    scores = (rng.random(40) < np.repeat([0.8, 0.1], [15, 25])).astype(float)
    ends = roc_auc_ci(scores, np.repeat([1, 0], [15, 25]), level=level).interval
    return {"roc-auc": judge_interval(ends.low, ends.high, 0.8 * 0.9 + 0.5 * (0.26))}


def _single_error(rng: np.random.Generator, level: float) -> Tallies:
    """One error in 30 is expected, whatever the confidence; the area is the share of errors."""
    data = Predictions(rng.random(30), (rng.random(30) < 1 / 30).astype(float))
    ends = estimate("aurc", data, method=Bootstrap(level=level), rng=0).interval
    return {"aurc": judge_interval(ends.low, ends.high, 1 / 30)}


def _equal_systems(rng: np.random.Generator, level: float) -> Tallies:
    """Thirty systems of the same rates: none is better, and none is surely the best."""
    rates = np.broadcast_to(rng.beta(2, 2, 40), (30, 40))
    board = errbar.load(systems_of(rng.binomial(2, rates), 2)).rank("avg", level=level)
    apart = any(row.best_rank > 1 or row.worst_rank < 30 for row in board)
    sure = any(row.chance_best >= level for row in board)
    return {
        "all ranks": judge_verdict(wrong=apart),
        "no sure best verdict": judge_verdict(wrong=sure),
    }


def _copies(rng: np.random.Generator, level: float) -> Tallies:
    """Two runs of a system, of which one answers two in fifteen questions the other way round."""
    rates = rng.beta(1, 1, (1, 15)).repeat(2, axis=0)
    rates[1] = np.where(rng.random(15) < 2 / 15, 1.0 - rates[1], rates[1])
    (row,) = errbar.load(systems_of(rng.binomial(3, rates), 3)).compare("avg", level=level)
    return {
        "population difference": judge_interval(row.interval.low, row.interval.high, 0.0),
        "population better": judge_verdict(wrong=row.better in ("s0", "s1")),
    }


def cells() -> list[Cell]:
    """Every shape."""
    found = [
        Cell("third", f"{name}, {target.value}", partial(judge_counts, shape, target), 50)
        for name, shape in COUNTS.items()
        for target in Estimand
    ]
    draws: dict[str, Draw] = {
        "trials negatively correlated": partial(_correlated, False),
        "every trial twice": partial(_correlated, True),
        "trials go with difficulty": _ragged,
        **{name: partial(_clusters, name) for name in CLUSTERS},
        "weights go with difficulty": _weights,
        "wins, ties and losses": _matches,
        "ROC of yes and no, 15 + 25": _two_scores,
        "a single error among 30": _single_error,
        "30 equal systems": _equal_systems,
        "two runs, some answers reversed": _copies,
    }
    return found + [Cell("third", name, draw) for name, draw in draws.items()]
