"""Second outside trial: shapes that are in neither grid, invented after the present methods.

Small benchmarks (10 to 15 questions), k equal to the trials, single trials, ratings, percentages,
clusters of questions with ragged trials, weights with heavy tails, tied confidences, five
positives, comparisons of areas, boards of twenty near-identical systems, and gates whose true
drop is the one that is allowed.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import errbar
from benchmarks.adversarial.cells import Array, Cell, Tallies, added, judge_interval, judge_verdict
from benchmarks.coverage.difficulties import BetaPiece, Difficulty, Point
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts, CountsByState
from errbar.metrics import CountMetric
from errbar.metrics.base import parse
from errbar.results.estimate import Estimand
from errbar.roc import roc_auc, roc_auc_ci
from errbar.selective import Bootstrap, Predictions, aurc, estimate

_TOGETHER = 50  # data sets of counts that are scored in one call
_MANY = 400_000  # items, for areas without a formula
Draw = Callable[[np.random.Generator, float], Tallies]


class Shape(NamedTuple):
    """A distribution of difficulty with numbers of questions and trials, and metrics by name."""

    difficulty: Difficulty
    questions: int
    trials: int
    metrics: tuple[str, ...]


def mixture(*pieces: tuple[float, Any]) -> Difficulty:
    """A distribution of difficulty of several pieces."""
    return Difficulty("", "", pieces)


_TRIPLE = mixture((0.6, BetaPiece(2, 8)), (0.35, BetaPiece(9, 1)), (0.05, Point(0.02)))
_COINS = mixture((0.45, Point(0.0)), (0.1, Point(0.5)), (0.45, Point(1.0)))
_ONE_NEVER = mixture((1 / 14, Point(0.0)), (13 / 14, BetaPiece(30, 1)))
_TWO_NARROW = mixture((0.7, BetaPiece(400, 100)), (0.3, BetaPiece(50, 450)))
_ALMOST_ALL = mixture((0.97, Point(0.99)), (0.03, Point(0.3)))
COUNTS: dict[str, Shape] = {
    "three pieces, k = N": Shape(_TRIPLE, 12, 3, ("avg", "pass@3", "pass^3", "maj@3", "geom@3")),
    "coins among never and always, k = N": Shape(
        _COINS, 15, 5, ("avg", "pass@5", "pass^5", "maj@5")
    ),
    "one in fourteen never, k = N": Shape(_ONE_NEVER, 14, 8, ("avg", "pass^8", "maj@8", "geom@8")),
    "two narrow groups": Shape(_TWO_NARROW, 30, 6, ("avg", "pass@3", "pass^6", "geom@3")),
    "almost all easy": Shape(_ALMOST_ALL, 40, 10, ("avg", "pass^10", "auc@10", "geom@5")),
    "single trials, three pieces": Shape(_TRIPLE, 11, 1, ("avg",)),
    "single trials, almost all easy": Shape(_ALMOST_ALL, 15, 1, ("avg",)),
}


def judge_counts(shape: Shape, target: Estimand, rng: np.random.Generator, level: float) -> Tallies:
    """Scores of 50 data sets of a shape."""
    difficulty, questions, trials, names = shape
    metrics = [_metric(metric) for metric in names]
    rates = difficulty.draw(rng, (_TOGETHER, questions))
    first, again = rng.binomial(trials, np.stack([rates, rates]))
    number = np.full(questions, trials)
    systems = [Counts(number, row) for row in first]
    rows = Calibrated(target, level).cells(systems, metrics, most_chains=2)
    found = []
    for metric, row in zip(metrics, rows, strict=True):
        for at, cell in enumerate(row):
            if target is Estimand.RERUN:
                truth = float(metric.point(Counts(number, again[at])))
            elif target is Estimand.BENCHMARK:
                truth = _mean(metric, rates[at], np.full(questions, 1.0 / questions))
            else:
                truth = _mean(metric, *difficulty.nodes())
            ends = cell.interval
            found.append({f"{target.value} {metric}": judge_interval(ends.low, ends.high, truth)})
    return added(found)


def _metric(name: str) -> CountMetric:
    metric = parse(name)
    if not isinstance(metric, CountMetric):
        raise TypeError(f"{name} is not made of counts")
    return metric


def _mean(metric: CountMetric, rates: Array, weights: Array) -> float:
    parts = [np.asarray(part.at_rates(rates[None, :])[0] @ weights) for part in metric.parts()]
    return float(metric.joined(*parts))


def _percent(rng: np.random.Generator, m: int) -> Array:
    return np.where(rng.random(m) < 0.04, 0.0, np.round(100 * rng.beta(8, 2, m)))


def _ratings(chances: tuple[float, ...]) -> Callable[[np.random.Generator, int], Array]:
    return lambda rng, m: rng.choice(np.arange(1.0, 6.0), m, p=chances)


_KIND, _HARSH = (0.02, 0.03, 0.05, 0.2, 0.7), (0.8, 0.1, 0.05, 0.0, 0.05)
REWARDS: dict[str, tuple[Callable[[np.random.Generator, int], Array], float, int, Any]] = {
    "ratings 1 to 5, mostly 5": (_ratings(_KIND), 4.53, 15, None),
    "ratings 1 to 5, mostly 5, bounds known": (_ratings(_KIND), 4.53, 12, (1.0, 5.0)),
    "ratings 1 to 5, mostly 1": (_ratings(_HARSH), 1.4, 40, None),
    "percentages, 4 % zero": (_percent, 76.8, 40, None),
    "percentages, 4 % zero, bounds known": (_percent, 76.8, 15, (0.0, 100.0)),
}


def _rewards(name: str, rng: np.random.Generator, level: float) -> Tallies:
    draw, mean, questions, bounds = REWARDS[name]
    rows = [{"question": str(at), "outcome": v} for at, v in enumerate(draw(rng, questions))]
    (found,) = errbar.load(rows).score("avg", level=level, bounds=bounds)
    return {"population avg": judge_interval(found.interval.low, found.interval.high, mean)}


def _weights(linked: bool, rng: np.random.Generator, level: float) -> Tallies:
    """Pareto weights; linked, the heavier half of all questions is harder."""
    weights = 1.0 + rng.pareto(2.5, 40)
    heavy = weights > 2.0 ** (1 / 2.5)  # the median
    rates = np.where(heavy & linked, rng.beta(2, 4, 40), rng.beta(6, 2, 40))
    part = 0.5 * 2.0 ** (1 / 2.5)  # of the total weight, by integration of the Pareto density
    truth = part / 3 + (1 - part) * 0.75 if linked else 0.75
    once = np.ones(40, dtype=np.int64)
    counts = CountsByState(once * 3, rng.binomial(3, rates), once, None, weights)
    return scored(counts, truth, level)


def _clusters(rng: np.random.Generator, level: float) -> Tallies:
    """Twelve clusters of one to nine questions, each with one to six trials."""
    sizes = rng.integers(1, 10, 12)
    rates = np.repeat(rng.beta(3, 2, 12), sizes)
    trials = rng.integers(1, 7, rates.size)
    once = np.ones(rates.size, dtype=np.int64)
    number = np.repeat(np.arange(12), sizes)
    return scored(CountsByState(trials, rng.binomial(trials, rates), once, number), 0.6, level)


def scored(counts: CountsByState, truth: float, level: float) -> Tallies:
    """The interval of `avg` for new questions."""
    ((cell,),) = Calibrated(level=level).cells([counts], [_metric("avg")])
    return {"population avg": judge_interval(cell.interval.low, cell.interval.high, truth)}


def _votes(rng: np.random.Generator, level: float) -> Tallies:
    """Right with chance 0.5, else one of two wrong answers; on a tenth of the questions never."""
    chance = np.where(rng.random(14) < 0.1, 0.0, 0.5)
    rows = []
    for question, right in enumerate(chance):
        for trial in range(3):
            answer = "right" if rng.random() < right else rng.choice(["one", "two"])
            row = {"question": question, "trial": trial, "answer": answer}
            rows.append({**row, "outcome": int(answer == "right")})
    (found,) = errbar.load(rows).score("vote@3", level=level)
    # 2 or 3 right of 3; or 1 right and two different wrong ones, a tie of three.
    truth = 0.9 * (0.125 + 3 * 0.125 + 3 * 0.5 * 2 * 0.0625 / 3)
    return {"population vote@3": judge_interval(found.interval.low, found.interval.high, truth)}


def _tied_losses(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    confidence = rng.integers(5, 11, n) / 10
    return confidence, (rng.random(n) < 0.62 - 0.6 * confidence).astype(float)


def _same_confidence(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    return np.full(n, 0.9), (rng.random(n) < 0.1).astype(float)


def _scores(rng: np.random.Generator, positives: int, negatives: int) -> tuple[Array, Array]:
    """Positives 1.5 standard deviations above; a tenth of them below almost all negatives."""
    lost = rng.random(positives) < 0.1
    up = np.where(lost, -3.0, rng.normal(1.5, 1.0, positives))
    labels = np.repeat([1, 0], [positives, negatives])
    return np.concatenate([up, rng.normal(0.0, 1.0, negatives)]), labels


@cache
def _area(kind: str) -> float:
    rng = np.random.default_rng(1956)
    if kind == "roc":
        return float(roc_auc(*_scores(rng, _MANY, _MANY)))
    return float(aurc(*(_tied_losses if kind == "tied" else _same_confidence)(rng, 4 * _MANY)))


def _aurc(kind: str, n: int, rng: np.random.Generator, level: float) -> Tallies:
    data = Predictions(*(_tied_losses if kind == "tied" else _same_confidence)(rng, n))
    ends = estimate("aurc", data, method=Bootstrap(level=level), rng=0).interval
    return {"aurc": judge_interval(ends.low, ends.high, _area(kind))}


def _roc(positives: int, negatives: int, rng: np.random.Generator, level: float) -> Tallies:
    ends = roc_auc_ci(*_scores(rng, positives, negatives), level=level).interval
    return {"roc-auc": judge_interval(ends.low, ends.high, _area("roc"))}


def _two_areas(metric: str, rng: np.random.Generator, level: float) -> Tallies:
    """Two systems whose confidences are drawn alike; neither has the larger area."""
    rows = []
    for system in ("s0", "s1"):
        if metric == "roc-auc":  # 5 of 40 wrong; a tenth of the right ones ranks last
            confidence, right = _scores(rng, 35, 5)
        else:  # errors of 5 %, half of them sure, on questions of their own
            wrong = rng.random(40) < 0.05
            confidence = np.where(wrong & (rng.random(40) < 0.5), 1.0, rng.random(40))
            right = (~wrong).astype(int)
        rows += [
            {"system": system, "question": at, "outcome": int(right[at]), "confidence": float(sure)}
            for at, sure in enumerate(confidence)
        ]
    (row,) = errbar.load(rows).compare(metric, level=level)
    ends = row.interval
    return {
        f"difference of {metric}": judge_interval(ends.low, ends.high, 0.0),
        f"{metric} better": judge_verdict(wrong=row.better in ("s0", "s1")),
    }


def _one_in_m(rng: np.random.Generator, m: int) -> Array:
    """The second fails outright on one question in M, and is better on all others."""
    lost = rng.random(m) < 1.0 / m
    return np.stack([np.full(m, 0.9), np.where(lost, 0.0, 0.9 / (1.0 - 1.0 / m))])


def _opposed(rng: np.random.Generator, m: int) -> Array:
    rate = rng.random(m)
    return np.stack([rate, 1.0 - rate])


PAIRS: dict[str, tuple[Callable[[np.random.Generator, int], Array], int, int]] = {
    "a loss in M questions, M = 15": (_one_in_m, 15, 10),
    "a loss in M questions, M = 40": (_one_in_m, 40, 5),
    "opposed systems, M = 12": (_opposed, 12, 4),
    "opposed systems, M = 30": (_opposed, 30, 1),
}


def _pair(name: str, rng: np.random.Generator, level: float) -> Tallies:
    draw, questions, trials = PAIRS[name]
    rates = draw(rng, questions)
    found = {}
    runs = errbar.load(systems_of(rng.binomial(trials, rates), trials))
    these = float((rates[0] - rates[1]).mean())
    for target, truth in ((Estimand.POPULATION, 0.0), (Estimand.BENCHMARK, these)):
        if target is Estimand.BENCHMARK and trials == 1:
            continue
        (row,) = runs.compare("avg", estimand=target, level=level)
        ends = row.interval
        said = {"s0": 1.0, "s1": -1.0}.get(row.better, 0.0)
        found[f"{target.value} difference"] = judge_interval(ends.low, ends.high, truth)
        wrong = bool(said) and said * truth <= 0.0
        found[f"{target.value} better"] = judge_verdict(wrong=wrong)
    return found


def systems_of(correct: NDArray[np.int64], trials: int) -> dict[str, Counts]:
    """Counts of systems by name, a row each."""
    number = np.full(correct.shape[1], trials)
    return {f"s{at}": Counts(number, row) for at, row in enumerate(correct)}


def _percent_pair(rng: np.random.Generator, level: float) -> Tallies:
    """Percentages of two systems of equal means; the second is zero on one question in twenty."""
    base = np.round(60 + 30 * rng.random(30))
    second = np.where(rng.random(30) < 0.05, 0.0, base / 0.95)
    rows = [
        {"system": system, "question": at, "outcome": float(value)}
        for system, values in (("s0", base), ("s1", second))
        for at, value in enumerate(values)
    ]
    (row,) = errbar.load(rows).compare("avg", level=level, bounds=(0.0, 100.0))
    return {
        "population difference": judge_interval(row.interval.low, row.interval.high, 0.0),
        "population better": judge_verdict(wrong=row.better in ("s0", "s1")),
    }


def _board(losses: bool, rng: np.random.Generator, level: float) -> Tallies:
    """Twenty systems whose true means are 0.001 apart."""
    means = 0.8 + 0.001 * np.arange(20)
    base = rng.beta(8, 2, 30) - 0.8
    rates = np.clip(means[:, None] + np.clip(base, -0.7, 0.15), 0.0, 1.0)
    if losses:  # outright, on shares that differ from system to system
        shares = rng.permutation(np.linspace(0.0, 0.08, 20))[:, None]
        rates = np.where(rng.random((20, 30)) < shares, 0.0, means[:, None] / (1.0 - shares))
    board = errbar.load(systems_of(rng.binomial(4, rates), 4)).rank("avg", level=level)
    wrong = any(not row.best_rank <= 20 - int(row.system[1:]) <= row.worst_rank for row in board)
    return {"all ranks": judge_verdict(wrong=wrong)}


def _gate(kind: str, rng: np.random.Generator, level: float) -> Tallies:
    """The true drop is just the one that is allowed: neither a pass nor a regression is right."""
    metrics: tuple[str, ...] = ("avg",)
    if kind == "outright losses":  # of the candidate on a twentieth of the questions
        questions, trials = 40, 3
        old = np.full(questions, 0.9)
        new = np.where(rng.random(questions) < 0.05, 0.0, (0.9 - 0.05) / 0.95)
    elif kind == "single trials":
        questions, trials = 60, 1
        old = rng.beta(6, 2, questions) * 0.9 + 0.1
        new = old - 0.05
    else:  # a drop of 0.05 everywhere, judged by two metrics at once
        questions, trials, metrics = 25, 4, ("pass@1", "pass@4")
        old = np.where(rng.random(questions) < 0.5, 0.95, 0.3)
        new = old - 0.05
    systems = systems_of(rng.binomial(trials, np.stack([old, new])), trials)
    drops = {"avg": 0.05, "pass@1": 0.05, "pass@4": _drop_of_pass_at_4()}
    found = errbar.gate(
        systems["s0"], systems["s1"], *metrics, max_drop={m: drops[m] for m in metrics}, level=level
    )
    decided = found.verdict.value != "inconclusive"
    return {"gate verdict": judge_verdict(wrong=decided)}


def _drop_of_pass_at_4() -> float:
    wrong = np.array([0.05, 0.7])
    return float(((wrong + 0.05) ** 4 - wrong**4).mean())


def cells() -> list[Cell]:
    """Every shape."""
    found = [
        Cell("outside", f"{name}, {target.value}", partial(judge_counts, shape, target), _TOGETHER)
        for name, shape in COUNTS.items()
        for target in Estimand
        if shape.trials > 1 or target is Estimand.POPULATION
    ]
    draws: dict[str, Draw] = {
        **{name: partial(_rewards, name) for name in REWARDS},
        "Pareto weights": partial(_weights, False),
        "Pareto weights, heavy ones harder": partial(_weights, True),
        "clusters with ragged trials": _clusters,
        "votes, k = N": _votes,
        "tied confidences, n = 25": partial(_aurc, "tied", 25),
        "one confidence, n = 20": partial(_aurc, "same", 20),
        "ROC, 5 + 40": partial(_roc, 5, 40),
        "ROC, 5 + 5": partial(_roc, 5, 5),
        "two systems by roc-auc, 5 wrong": partial(_two_areas, "roc-auc"),
        "two systems by aurc, rare sure errors": partial(_two_areas, "aurc"),
        **{name: partial(_pair, name) for name in PAIRS},
        "percentages of two systems": _percent_pair,
        "20 systems 0.001 apart": partial(_board, False),
        "20 systems 0.001 apart, outright losses": partial(_board, True),
        "gate, outright losses": partial(_gate, "outright losses"),
        "gate, single trials": partial(_gate, "single trials"),
        "gate, two metrics": partial(_gate, "two metrics"),
    }
    return found + [Cell("outside", name, draw) for name, draw in draws.items()]
