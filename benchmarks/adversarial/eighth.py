"""Eighth outside trial: 22 shapes that no grid and no other trial has, frozen before they ran.

Success rates that halve their distance from 1, single trials beside many, and questions drawn from
a list of 60; clusters whose weights cancel their sizes, and weights that are inverse chances; rare
rewards at a bound, counts of events, costs over three decades; systems with half of their questions
in common, with one trial against thirty, with rewards in clusters; boards of private successes, of
areas under pass@k, of missing questions; areas with positives on both sides of the negatives, two
areas that are equal, confidence that misleads, clusters of items of unequal sizes.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import errbar
from benchmarks.adversarial.cells import (
    Array,
    Cell,
    Tallies,
    as_assumed,
    judge_interval,
    judge_verdict,
)
from benchmarks.adversarial.fourth import rows_of
from benchmarks.adversarial.outside import Draw, Shape, judge_counts, mixture, scored
from benchmarks.coverage.difficulties import Point
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts, CountsByState
from errbar.metrics import Average, CountMetric, PassHat
from errbar.results.estimate import Estimand
from errbar.roc import roc_auc_ci
from errbar.selective import Bootstrap, Predictions, aurc, estimate

_EQUAL = 1e-12  # means this near together differ by rounding
_LADDER = tuple((0.5**j, Point(1.0 - 0.5**j)) for j in range(1, 30))
COUNTS: dict[str, Shape] = {
    "1 less powers of a half, 150 x 6": Shape(
        mixture(*_LADDER), 150, 6, ("avg", "pass@2", "pass^6", "maj@5")
    ),
    "coins beside rare errors and successes, 14 x 20": Shape(
        mixture((0.45, Point(0.02)), (0.1, Point(0.5)), (0.45, Point(0.98))),
        14,
        20,
        ("avg", "pass@10", "auc@20", "geom@10"),
    ),
    "a quarter or three quarters, 60 x 5": Shape(
        mixture((0.5, Point(0.25)), (0.5, Point(0.75))), 60, 5, ("avg", "pass@3", "pass^5", "maj@5")
    ),
}


def _unequal_trials(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Twenty hard questions of 30 trials beside 180 of one; or 10 of 32 beside 90 of two."""
    if name == "20 hard ones of 30 trials, 180 of one":
        trials = np.repeat([30, 1], [20, 180])
        rates = np.where(trials == 30, rng.beta(1.0, 4.0, 200), rng.beta(4.0, 1.0, 200))
        metrics: dict[CountMetric, Array] = {Average(): rates}
    else:
        trials, rates = np.repeat([32, 2], [10, 90]), rng.choice([0.0, 0.4, 0.99], 100)
        metrics = {Average(): rates, PassHat(2): rates**2}
    counts = Counts(trials, rng.binomial(trials, rates))
    again = Counts(trials, rng.binomial(trials, rates))
    found = {}
    for target in (Estimand.BENCHMARK, Estimand.RERUN):
        rows = Calibrated(target, level).cells([counts], list(metrics), most_chains=2)
        for (metric, values), (cell,) in zip(metrics.items(), rows, strict=True):
            truth = metric.point(again) if target is Estimand.RERUN else values.mean()
            judged = judge_interval(cell.interval.low, cell.interval.high, float(truth))
            found[f"{target.value} {metric}"] = judged
    return found


def _of_a_list(rng: np.random.Generator, level: float) -> Tallies:
    """40 questions drawn from a list of 60, of which a tenth are never solved; five trials."""
    every = np.where(rng.random(60) < 0.1, 0.0, rng.beta(6.0, 2.0, 60))
    rates = rng.permutation(every)[:40]
    runs = errbar.load(Counts(np.full(40, 5), rng.binomial(5, rates)))
    scores = runs.score("avg", "pass^3", questions_in_all=60, level=level)
    truths = (every.mean(), (every**3).mean())
    return {
        f"list {cell.metric}": judge_interval(cell.interval.low, cell.interval.high, float(truth))
        for cell, truth in zip(scores, truths, strict=True)
    }


def _clusters(rng: np.random.Generator, level: float) -> Tallies:
    """18 clusters of 1 to 15 questions, large ones harder; each has a weight of 1 in all."""
    sizes = rng.choice([1, 2, 5, 15], 18, p=[0.5, 0.25, 0.15, 0.1])
    each, place = 1.0 / (1.0 + 0.1 * sizes), np.repeat(np.arange(18), sizes)
    once = np.ones(place.size, dtype=np.int64)
    right = rng.binomial(2, each[place])
    truth = float(np.dot([0.5, 0.25, 0.15, 0.1], 1.0 / (1.0 + 0.1 * np.array([1, 2, 5, 15]))))
    return scored(CountsByState(once * 2, right, once, place, 1.0 / sizes[place]), truth, level)


def _weights(rng: np.random.Generator, level: float) -> Tallies:
    """80 questions of uniform rate p with the weight 1 / (0.05 + 0.95 p), from 1 to 20."""
    rates = rng.random(80)
    once = np.ones(80, dtype=np.int64)
    weights = 1.0 / (0.05 + 0.95 * rates)
    mean = np.log(20.0) / 0.95  # of the weights; that of weight · p is (1 − 0.05 · mean) / 0.95
    truth = float((1.0 - 0.05 * mean) / 0.95 / mean)
    counts = CountsByState(once * 2, rng.binomial(2, rates), once, None, weights)
    return as_assumed(scored(counts, truth, level), met=float(weights.max()) > 19.0)


Values = Callable[[np.random.Generator], Array]
REWARDS: dict[str, tuple[Values, float, tuple[float, float] | None]] = {
    "25 rewards, one in a hundred at the bound": (
        lambda rng: rng.choice([0.2, -1.0, -5.0], 25, p=[0.9, 0.09, 0.01]),
        0.9 * 0.2 - 0.09 - 0.05,
        (-5.0, 5.0),
    ),
    "40 Poisson counts of mean 0.3": (lambda rng: rng.poisson(0.3, 40).astype(float), 0.3, None),
    "30 penalties, Gamma of shape a half": (lambda rng: -rng.gamma(0.5, 1.0, 30), -0.5, None),
    "20 log-uniform rewards of three decades": (
        lambda rng: 10.0 ** rng.uniform(-2.0, 1.0, 20),
        9.99 / (3.0 * float(np.log(10.0))),
        None,
    ),
}


def _rewards(name: str, rng: np.random.Generator, level: float) -> Tallies:
    draw, mean, bounds = REWARDS[name]
    rows = [{"question": at, "outcome": v} for at, v in enumerate(draw(rng).tolist())]
    (found,) = errbar.load(rows).score("avg", level=level, bounds=bounds)
    return {"population avg": judge_interval(found.interval.low, found.interval.high, mean)}


def _judged(row: Any, target: str, truth: float) -> Tallies:
    """The interval of a difference, and both steps of its verdict."""

    def is_wrong(named: str) -> bool:
        return bool(named) and {"s0": 1.0, "s1": -1.0}[named] * truth <= _EQUAL

    likely = row.better or row.probably_better
    return {
        f"{target} difference": judge_interval(row.interval.low, row.interval.high, truth),
        f"{target} better": judge_verdict(wrong=is_wrong(row.better)),
        f"{target} probably better": judge_verdict(wrong=is_wrong(likely)),
    }


def _pair(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Two systems of equal means for new questions, or one trial against thirty of 50 questions."""
    if name == "half of the questions in common":
        rows = rows_of(rng.beta(3.0, 1.0, (2, 90)), 2, rng)
        asked = {"s0": range(60), "s1": range(30, 90)}
        runs = errbar.load([row for row in rows if row["question"] in asked[row["system"]]])
        (row,) = runs.compare("avg", level=level)
        return _judged(row, "population", 0.0)
    if name == "rewards in 14 clusters, no bounds":
        sizes = rng.integers(1, 7, 14)
        place = np.repeat(np.arange(14), sizes)
        means = rng.gamma(4.0, 0.25, (2, 14))[:, place]
        values = rng.gamma(2.0, means / 2.0)
        rows = [
            {"system": f"s{s}", "question": q, "outcome": float(values[s, q]), "cluster": int(c)}
            for s in range(2)
            for q, c in enumerate(place.tolist())
        ]
        (row,) = errbar.load(rows).compare("avg", level=level)
        return _judged(row, "population", 0.0)
    rates = rng.beta(2.0, 2.0, (2, 50))
    few, many = np.ones(50, dtype=np.int64), np.full(50, 30)
    first, second = Counts(few, rng.binomial(1, rates[0])), Counts(many, rng.binomial(30, rates[1]))
    runs = errbar.load({"s0": first, "s1": second})
    (row,) = runs.compare("avg", estimand="benchmark", level=level)
    return _judged(row, "benchmark", float((rates[0] - rates[1]).mean()))


def _board(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Whether every system's true rank is in its range."""
    metric, trials, missed = "avg", 2, 0.0
    if name == "10 systems of private successes, 45 x 2":  # s9 has twice as many
        shares = np.repeat([0.05, 0.1], [9, 1])
        hard = rng.random(45) < 0.7
        alone = rng.random((10, 45)) < shares[:, None]
        rates, means = np.where(hard, alone.astype(float), 0.95), shares
    elif name == "7 systems by auc@8, 20 x 8":
        metric, trials, means = "auc@8", 8, np.repeat([0.0, 1.0], [6, 1])
        rates = rng.beta(np.where(means > 0, 2.0, 1.0)[:, None], 2.0, (7, 20))
    else:  # each misses a fifth of the questions at random
        means = np.repeat([0.5, 0.6, 0.7], 3)
        rates = means[:, None] + rng.uniform(-0.3, 0.3, 200)
        missed = 0.2
    seen = rng.random(rates.shape) >= missed
    rows = rows_of(rates, trials, rng)
    rows = [row for row in rows if seen[int(row["system"][1:]), row["question"]]]
    board = errbar.load(rows).rank(metric, level=level)
    wrong = False
    for row in board:
        mean = means[int(row.system[1:])]
        best, worst = 1 + int((means > mean + _EQUAL).sum()), int((means > mean - _EQUAL).sum())
        wrong |= row.best_rank > best or row.worst_rank < worst
    return {"all ranks": judge_verdict(wrong=wrong)}


def _two_sided(rng: np.random.Generator, level: float) -> Tallies:
    """12 positives far above or far below nearly all of 150 negatives, 65 to 35."""
    up = np.where(rng.random(12) < 0.65, 3.0, -3.0) + rng.normal(0.0, 1.0, 12)
    scores = np.concatenate([up, rng.normal(0.0, 1.0, 150)])
    found = roc_auc_ci(scores, np.repeat([1, 0], [12, 150]), level=level).interval
    tail = 0.016947426762  # Φ(−3 / √2)
    truth = 0.65 * (1.0 - tail) + 0.35 * tail
    return {"roc-auc": judge_interval(found.low, found.high, truth)}


def _equal_areas(rng: np.random.Generator, level: float) -> Tallies:
    """Two classifiers of equal area on 30 + 60 items, one of normal, one of exponential scores."""
    wrong = np.repeat([1, 0], [60, 30])
    slow = 4.0  # of two exponential variables, P(first > second) = 4 / 5
    apart = 0.841621233573 * np.sqrt(2.0)  # Φ(0.8416) = 0.8
    first = rng.normal(0.0, 1.0, 90) + apart * (1 - wrong)
    second = rng.exponential(1.0, 90) * np.where(wrong == 1, 1.0, slow)
    rows = [
        {
            "system": f"s{s}",
            "question": q,
            "confidence": float(scores[q]),
            "outcome": int(1 - wrong[q]),
        }
        for s, scores in enumerate((first, second))
        for q in range(90)
    ]
    (row,) = errbar.load(rows).compare("roc-auc", level=level)
    return _judged(row, "area", 0.0)


def _misled(rng: np.random.Generator, n: int) -> tuple[Array, Array, None]:
    """The surer, the more often wrong, but for the surest tenth."""
    confidence = rng.random(n)
    wrong = rng.random(n) < np.where(confidence > 0.9, 0.0, 0.8 * confidence)
    return confidence, wrong.astype(float), None


def _grouped(rng: np.random.Generator, n: int) -> tuple[Array, Array, Any]:
    """Clusters of 2 or 10 items; each has a rate of errors, and a confidence that knows half."""
    place = np.repeat(np.arange(n), rng.choice([2, 10], n))
    rate = rng.beta(1.0, 3.0, n)[place]
    noise = rng.beta(1.0, 3.0, place.size)
    return -(rate + noise), (rng.random(place.size) < rate).astype(float), place


_ITEMS = {"confidence that misleads, 20": (_misled, 20), "16 clusters of items": (_grouped, 16)}


@cache
def _area(name: str) -> float:
    return float(aurc(*_ITEMS[name][0](np.random.default_rng(2029), 800_000)[:2]))


def _aurc(name: str, rng: np.random.Generator, level: float) -> Tallies:
    draw, number = _ITEMS[name]
    confidence, loss, clusters = draw(rng, number)
    data = Predictions(confidence, loss, clusters=clusters)
    ends = estimate("aurc", data, method=Bootstrap(level=level), rng=0).interval
    return {"aurc": judge_interval(ends.low, ends.high, _area(name))}


def cells() -> list[Cell]:
    """Every shape."""
    by_rates = [
        Cell("eighth", f"{name}, {target.value}", partial(judge_counts, shape, target), 50)
        for name, shape in COUNTS.items()
        for target in Estimand
    ]
    trials = ("20 hard ones of 30 trials, 180 of one", "10 of 32 trials, 90 of two")
    pairs = (
        "half of the questions in common",
        "rewards in 14 clusters, no bounds",
        "one trial against thirty, this exact benchmark",
    )
    boards = (
        "10 systems of private successes, 45 x 2",
        "7 systems by auc@8, 20 x 8",
        "9 systems, each misses a fifth of 200",
    )
    draws: dict[str, Draw] = {
        **{name: partial(_unequal_trials, name) for name in trials},
        "40 questions of a list of 60": _of_a_list,
        "18 clusters whose weights cancel sizes": _clusters,
        "80 weights of inverse chances": _weights,
        **{name: partial(_rewards, name) for name in REWARDS},
        **{name: partial(_pair, name) for name in pairs},
        **{name: partial(_board, name) for name in boards},
        "positives on both sides, 12 + 150": _two_sided,
        "equal areas of two kinds, 30 + 60": _equal_areas,
        **{name: partial(_aurc, name) for name in _ITEMS},
    }
    return by_rates + [Cell("eighth", name, draw) for name, draw in draws.items()]
