"""Seventh outside trial: every number that has an interval, on shapes that no other trial has.

They were written down before any was run: three humps at 500 questions, one question in fifty at
one half among questions that are never solved, almost always solved ones of falling rates, ten
questions of a skewed logistic; trials that increase with the rate; k beyond the trials; clusters
of geometric sizes that share a rate, and such as are all or nothing; weights that fall with the
rate; rewards from a Weibull and a triangular distribution, of one heavy side, and of several
trials; pairs near the ceiling that lose opposite questions, pairs in weighted clusters, pairs on
this exact benchmark; boards of tiers, and of rewards; costs of failures above those of
successes; components of noise of three rates; areas of over-confident and of coarse scores; and
grades of a lenient judge that a few labels correct.
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
from benchmarks.adversarial.counts import Quantiles
from benchmarks.adversarial.fourth import rows_of
from benchmarks.adversarial.outside import Draw, Shape, judge_counts, mixture, scored
from benchmarks.coverage.difficulties import BetaPiece, LogitNormal, Point
from errbar.data.counts import Counts, CountsByState
from errbar.results.estimate import Estimand
from errbar.roc import roc_auc, roc_auc_ci
from errbar.selective import Bootstrap, Predictions, aurc, estimate, risk_at_coverage

_EQUAL = 1e-12  # means this near together differ by rounding
_HUMPS = mixture((0.2, BetaPiece(1, 30)), (0.5, BetaPiece(12, 8)), (0.3, BetaPiece(60, 2)))
COUNTS: dict[str, Shape] = {
    "three humps, 500 x 4": Shape(_HUMPS, 500, 4, ("avg", "pass@4", "pass^2", "maj@3")),
    "one in fifty at one half, rest never, 100 x 6": Shape(
        mixture((0.02, Point(0.5)), (0.98, Point(0.0))), 100, 6, ("avg", "pass@3", "pass^2")
    ),
    "1 less the fourth power, 24 x 12": Shape(
        mixture((1.0, Quantiles(lambda u: 1.0 - u**4))), 24, 12, ("avg", "pass^6", "geom@6")
    ),
    "logistic of sd 3, 10 x 5": Shape(
        mixture((1.0, LogitNormal(1.5, 3.0))), 10, 5, ("avg", "pass@5", "pass^5", "auc@5")
    ),
    "0.2 and always, 16 x 16": Shape(
        mixture((0.4, Point(0.2)), (0.6, Point(1.0))), 16, 16, ("avg", "pass@8", "pass^4", "maj@15")
    ),
    "uniform from 0.6, 250 x 2": Shape(
        mixture((1.0, Quantiles(lambda u: 0.6 + 0.4 * u))), 250, 2, ("avg", "pass@2", "pass^2")
    ),
}


def _beyond(target: Estimand, rng: np.random.Generator, level: float) -> Tallies:
    """pass@10 from three trials of 60 questions."""
    rates = np.where(rng.random(60) < 0.3, 0.05, rng.beta(2.0, 2.0, 60))
    runs = errbar.load(Counts(np.full(60, 3), rng.binomial(3, rates)))
    (found,) = runs.score("pass@10", short="posterior", estimand=target, level=level)
    # E(1 − p)¹⁰ of Beta(2, 2): B(2, 12) / B(2, 2)
    truth = 1.0 - 0.3 * 0.95**10 - 0.7 * 6.0 / (13.0 * 12.0)
    if target is Estimand.BENCHMARK:
        truth = float(np.mean(1.0 - (1.0 - rates) ** 10))
    return {f"{target.value} pass@10": _held(found, truth)}


def _held(found: Any, truth: float) -> Any:
    return judge_interval(found.interval.low, found.interval.high, truth)


def _ragged(target: Estimand, rng: np.random.Generator, level: float) -> Tallies:
    """Two to nine trials, more of them where the rate is high."""
    rates = rng.uniform(0.0, 1.0, 60)
    trials = 2 + rng.binomial(7, rates)
    first, second = rng.binomial(trials, np.stack([rates, rates]))
    truths = {
        Estimand.POPULATION: (0.5, 2.0 / 3.0),
        Estimand.BENCHMARK: (rates.mean(), (1.0 - (1.0 - rates) ** 2).mean()),
        Estimand.RERUN: tuple(
            float(cell.value) for cell in errbar.load(Counts(trials, second)).score("avg", "pass@2")
        ),
    }
    counts = errbar.load(Counts(trials, first))
    found = counts.score("avg", "pass@2", estimand=target, level=level)
    return {
        f"{target.value} {cell.metric}": _held(cell, float(truth))
        for cell, truth in zip(found, truths[target], strict=True)
    }


def _clusters(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Clusters of geometric sizes with a rate each, or of 1 to 3 questions that are 0 or 1."""
    if name == "9 clusters of geometric sizes":
        sizes, rates, truth = rng.geometric(0.25, 9), rng.beta(3.0, 1.0, 9), 0.75
    else:
        sizes, rates = rng.integers(1, 4, 25), (rng.random(25) < 0.85).astype(float)
        truth = 0.85
    each = np.repeat(rates, sizes)
    once, place = np.ones(each.size, dtype=np.int64), np.repeat(np.arange(sizes.size), sizes)
    counts = CountsByState(once * 3, rng.binomial(3, each), once, place, None)
    found = scored(counts, truth, level)
    return as_assumed(found, met=name.startswith("25") and int(sizes.max()) == 3)


def _weights(rng: np.random.Generator, level: float) -> Tallies:
    """Weights of 1, 2 and 8, of rates 0.9, 0.6 and 0.2, two trials of 45 questions."""
    which = rng.choice(3, 45, p=[0.5, 0.35, 0.15])
    weights, rates = np.array([1.0, 2.0, 8.0])[which], np.array([0.9, 0.6, 0.2])[which]
    truth = (0.5 * 0.9 + 0.7 * 0.6 + 1.2 * 0.2) / (0.5 + 0.7 + 1.2)
    once = np.ones(45, dtype=np.int64)
    return scored(
        CountsByState(once * 2, rng.binomial(2, rates), once, None, weights), truth, level
    )


Values = Callable[[np.random.Generator], Array]


def _of_two_means(rng: np.random.Generator) -> Array:
    easy = rng.random((25, 1)) < 0.8
    return rng.beta(np.where(easy, 8.0, 1.0), np.where(easy, 1.0, 9.0), (25, 3))


REWARDS: dict[str, tuple[Values, float, tuple[float, float] | None]] = {
    "60 Weibull rewards, shape 0.7": (
        lambda rng: rng.weibull(0.7, (60, 1)),
        1.2658235,  # Γ(1 + 1 / 0.7)
        None,
    ),
    "15 triangular rewards": (lambda rng: rng.triangular(-2.0, 3.0, 4.0, (15, 1)), 5 / 3, None),
    "35 rewards near 0, one in thirty at -1, bounds known": (
        lambda rng: np.where(rng.random((35, 1)) < 1 / 30, -1.0, rng.uniform(-0.05, 0.15, (35, 1))),
        -1 / 30 + 29 / 30 * 0.05,
        (-1.0, 1.0),
    ),
    "25 x 3 rewards of two means, bounds known": (
        _of_two_means,
        0.8 * 8 / 9 + 0.2 * 0.1,
        (0.0, 1.0),
    ),
}


def _rewards(name: str, rng: np.random.Generator, level: float) -> Tallies:
    draw, mean, bounds = REWARDS[name]
    rows = [
        {"question": question, "trial": trial, "outcome": value}
        for question, row in enumerate(draw(rng).tolist())
        for trial, value in enumerate(row)
    ]
    (found,) = errbar.load(rows).score("avg", level=level, bounds=bounds)
    return {"population avg": _held(found, mean)}


def _judged(row: Any, target: str, truth: float) -> Tallies:
    """The interval of a difference, and both steps of its verdict."""

    def is_wrong(named: str) -> bool:
        return bool(named) and {"s0": 1.0, "s1": -1.0}[named] * truth <= _EQUAL

    return {
        f"{target} difference": _held(row, truth),
        f"{target} better": judge_verdict(wrong=is_wrong(row.better)),
        f"{target} probably better": judge_verdict(
            wrong=is_wrong(row.better or row.probably_better)
        ),
    }


def _pair(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Two systems of equal means for new questions."""
    more: dict[str, Array] = {}
    if name == "opposite losses of one in twenty-five, 120 x 2":
        place = rng.random(120)
        lost = np.stack([place < 0.04, place > 0.96])
        rates, trials = np.where(lost, 0.0, 0.98), 2
    elif name == "10 weighted clusters, 3 trials":
        place = np.repeat(np.arange(10), rng.integers(2, 7, 10))
        apart = rng.normal(0.0, 0.1, 10).clip(-0.3, 0.3)[place]
        rates, trials = np.stack([0.5 + apart, 0.5 - apart]), 3
        more = {"cluster": place, "weight": rng.choice([1.0, 2.0, 5.0], place.size)}
    else:  # 500 single trials of a hard benchmark
        rates, trials = np.full((2, 500), 0.02), 1
    (row,) = errbar.load(rows_of(rates, trials, rng, **more)).compare("avg", level=level)
    return _judged(row, "population", 0.0)


def _exact_pair(rng: np.random.Generator, level: float) -> Tallies:
    """One system of known and unknown questions against one of equal rates, 40 x 10."""
    rates = np.stack([np.where(rng.random(40) < 0.7, 0.995, 0.01), np.full(40, 0.7)])
    runs = errbar.load(rows_of(rates, 10, rng))
    found: Tallies = {}
    for metric, power in (("avg", 1), ("pass^5", 5)):
        (row,) = runs.compare(metric, estimand="benchmark", level=level)
        truth = float((rates[0] ** power - rates[1] ** power).mean())
        found |= _judged(row, f"benchmark {metric}", truth)
    return found


def _board(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Whether every true rank is in its range: 15 systems in three tiers, or 6 by rewards."""
    options: dict[str, Any] = {}
    if name == "15 systems in three tiers, 80 x 2":
        means = np.repeat([0.3, 0.5, 0.7], 5)
        effect = rng.uniform(-0.25, 0.25, 80)
        runs = errbar.load(rows_of(means[:, None] + effect, 2, rng))
    else:  # Beta(μ, 1 − μ) rewards of 40 questions
        means = np.array([0.3, 0.3, 0.5, 0.5, 0.5, 0.8])
        values = rng.beta(means[:, None], 1.0 - means[:, None], (6, 40)).tolist()
        rows = [
            {"system": f"s{at}", "question": question, "outcome": value}
            for at, row in enumerate(values)
            for question, value in enumerate(row)
        ]
        runs, options = errbar.load(rows), {"bounds": (0.0, 1.0)}
    wrong = False
    for row in runs.rank("avg", level=level, **options):
        mean = means[int(row.system[1:])]
        best, worst = 1 + int((means > mean + _EQUAL).sum()), int((means > mean - _EQUAL).sum())
        wrong |= row.best_rank > best or row.worst_rank < worst
    return {"all ranks": judge_verdict(wrong=wrong)}


def _cost(rng: np.random.Generator, level: float) -> Tallies:
    """Weibull costs of 50 questions and 3 trials; a failure costs three times as much."""
    rates = rng.beta(2.0, 1.0, 50)
    right = rng.random((50, 3)) < rates[:, None]
    size = rng.weibull(0.8, 50)[:, None] * rng.uniform(0.5, 1.5, (50, 3))
    spent = np.where(right, 1.0, 3.0) * size
    rows = [
        {"question": q, "trial": t, "outcome": int(right[q, t]), "cost": float(spent[q, t])}
        for q in range(50)
        for t in range(3)
    ]
    (row,) = errbar.load(rows).cost(level=level)
    mean = 1.1330031 * (2.0 / 3.0 + 3.0 / 3.0)  # Γ(1 + 1 / 0.8), and the mean factor
    measured = {
        "cost per trial": (row.cost, mean),
        "cost per success": (row.per_success, 1.5 * mean),
    }
    return {name: judge_interval(m.low, m.high, true) for name, (m, true) in measured.items()}


def _noise(rng: np.random.Generator, level: float) -> Tallies:
    """Components of 40 questions of three rates, with four trials each."""
    points, chances = np.array([0.1, 0.5, 0.95]), np.array([0.3, 0.3, 0.4])
    rates = rng.choice(points, 40, p=chances)
    found = errbar.load(Counts(np.full(40, 4), rng.binomial(4, rates))).noise(level=level)
    data = float(chances @ points**2 - (chances @ points) ** 2)
    luck = float(chances @ (points * (1.0 - points)))
    choice, trial = found[0].sources
    truths = {
        "choice of questions": (choice.variance, data),
        "trial noise": (trial.variance, luck),
        "share of trial noise": (trial.share, luck / 4.0 / (data + luck / 4.0)),
        "ICC": (found[0].icc, data / (data + luck)),
    }
    return {name: judge_interval(m.low, m.high, true) for name, (m, true) in truths.items()}


def _sure(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    """Confidence of half the items is 1; these err in 15 %, others by their confidence."""
    confidence = np.where(rng.random(n) < 0.5, 1.0, rng.random(n))
    wrong = rng.random(n) < np.where(confidence == 1.0, 0.15, 0.6 * (1.0 - confidence) + 0.1)
    return confidence, wrong.astype(float)


def _coarse(rng: np.random.Generator, m: int, n: int) -> tuple[Array, Array]:
    """Most positives share the highest of eleven scores, with a few of the negatives."""
    up = np.where(rng.random(m) < 0.7, 10.0, rng.integers(0, 11, m))
    down = np.where(rng.random(n) < 0.05, 10.0, rng.integers(0, 8, n))
    return np.concatenate([up, down]), np.repeat([1, 0], [m, n])


@cache
def _area(name: str) -> float:
    rng = np.random.default_rng(2028)
    if name == "roc-auc":
        return float(roc_auc(*_coarse(rng, 400_000, 400_000)))
    data = _sure(rng, 1_600_000)
    return float(aurc(*data)) if name == "aurc" else float(risk_at_coverage(*data, coverage=0.3))


def _selective(items: int, rng: np.random.Generator, level: float) -> Tallies:
    data = Predictions(*_sure(rng, items))
    found = {}
    for name in ("aurc", "risk@0.3"):
        cell = estimate(name, data, method=Bootstrap(level=level), rng=0)
        found[name] = _held(cell, _area(name))
    return found


def _roc(rng: np.random.Generator, level: float) -> Tallies:
    return {"roc-auc": _held(roc_auc_ci(*_coarse(rng, 15, 90), level=level), _area("roc-auc"))}


def _corrected(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """A judge passes all but 3 % of right answers, and a third of the wrong ones."""
    truth = 0.55
    right = rng.random(150) < truth
    judge = rng.random(150) < np.where(right, 0.97, 1 / 3)
    rows: list[dict[str, Any]] = [{"question": q, "outcome": int(j)} for q, j in enumerate(judge)]
    if name == "known by its rates":
        passed, failed = int(rng.binomial(40, 0.97)), int(rng.binomial(40, 2 / 3))
        (found,) = errbar.score_by_rates(
            rows, sensitivity=(passed, 40), specificity=(failed, 40), level=level
        )
    else:
        for q in rng.permutation(150)[:30].tolist():
            rows[q]["human"] = int(right[q])
        (found,) = errbar.load(rows, label="human").score("avg", level=level)
    return {"corrected avg": _held(found, truth)}


def _known_pair(rng: np.random.Generator, level: float) -> Tallies:
    """Two systems of equal truth; the judge favours the second, 40 labels of each."""
    right = rng.random((2, 120)) < 0.6
    judge = rng.random((2, 120)) < np.where(right, 0.95, np.array([[0.1], [0.4]]))
    rows: list[dict[str, Any]] = []
    for system in range(2):
        labelled = set(rng.permutation(120)[:40].tolist())
        rows += [
            {"system": f"s{system}", "question": q, "outcome": int(judge[system, q])}
            | {"human": int(right[system, q]) if q in labelled else None}
            for q in range(120)
        ]
    (row,) = errbar.load(rows, label="human").compare("avg", level=level)
    return {
        "corrected difference": _held(row, 0.0),
        "corrected better": judge_verdict(wrong=bool(row.better)),
    }


def cells() -> list[Cell]:
    """Every shape."""
    found = [
        Cell("seventh", f"{name}, {target.value}", partial(judge_counts, shape, target), 50)
        for name, shape in COUNTS.items()
        for target in Estimand
    ]
    pairs = (
        "opposite losses of one in twenty-five, 120 x 2",
        "10 weighted clusters, 3 trials",
        "500 single trials of rate 0.02",
    )
    boards = ("15 systems in three tiers, 80 x 2", "6 systems by rewards, bounds known")
    exact = (Estimand.POPULATION, Estimand.BENCHMARK)
    draws: dict[str, Draw] = {
        **{f"pass@10 of three trials, {t.value}": partial(_beyond, t) for t in exact},
        **{f"more trials of easy ones, {t.value}": partial(_ragged, t) for t in Estimand},
        **{
            name: partial(_clusters, name)
            for name in ("9 clusters of geometric sizes", "25 clusters, all or nothing")
        },
        "weights of 1, 2 and 8, heavy ones hard": _weights,
        **{name: partial(_rewards, name) for name in REWARDS},
        **{name: partial(_pair, name) for name in pairs},
        "known questions against even ones, this exact benchmark": _exact_pair,
        **{name: partial(_board, name) for name in boards},
        "failures cost three times as much": _cost,
        "noise of three rates": _noise,
        "sure of half, 60 items": partial(_selective, 60),
        "sure of half, 14 items": partial(_selective, 14),
        "ROC, most positives at the top score, 15 + 90": _roc,
        "a lenient judge, 30 of 150 labelled": partial(_corrected, "labelled"),
        "a lenient judge, known by its rates": partial(_corrected, "known by its rates"),
        "a judge that favours one of two": _known_pair,
    }
    return found + [Cell("seventh", name, draw) for name, draw in draws.items()]
