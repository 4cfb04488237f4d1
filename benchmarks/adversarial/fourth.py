"""Fourth outside trial: shapes that are in neither grid nor in the other trials.

They were written down before any was run: rates over three decades, two to three narrow groups at
300 questions, single trials of 200, coins among guesses, 64 trials of ten questions; three to ten
clusters of all kinds of sizes, with weights, and with large ones harder or easier; weights of two
values; trials that stop at the first success, and such as were given to hard questions; partial
credits, jackpots and symmetric games with and without bounds; votes of five; pairs that share
their clusters, differ in weight or in trials; boards of clusters and of single trials; gates of
clusters; areas of three scores, of clusters, of fifteen items.

Every shape is tried at 80, 90, 95 and 99 %.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

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
from benchmarks.adversarial.counts import Quantiles
from benchmarks.adversarial.outside import Draw, Shape, judge_counts, mixture, scored
from benchmarks.coverage.difficulties import BetaPiece, Point
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts, CountsByState
from errbar.metrics.means import Average
from errbar.results.estimate import Estimand
from errbar.roc import roc_auc, roc_auc_ci
from errbar.selective import Bootstrap, Predictions, aurc, estimate

Integers = NDArray[np.int64]

_GUESSES = mixture((0.45, Point(0.5)), (0.55, Point(1.0)))
_APART = mixture((0.5, Point(0.001)), (0.5, Point(0.999)))
COUNTS: dict[str, Shape] = {
    "rates over three decades": Shape(
        mixture((1.0, Quantiles(lambda u: 10.0 ** (-3.0 * u)))),
        25,
        16,
        ("avg", "pass@16", "pass^4"),
    ),
    "0.1 and 0.9, 300 x 2": Shape(
        mixture((0.5, Point(0.1)), (0.5, Point(0.9))), 300, 2, ("avg", "pass@2", "pass^2")
    ),
    "one in ten never, rest 0.999": Shape(
        mixture((0.1, Point(0.0)), (0.9, Point(0.999))), 60, 64, ("avg", "pass^32", "maj@63")
    ),
    "squares, 10 x 64": Shape(
        mixture((1.0, Quantiles(np.square))), 10, 64, ("avg", "pass@8", "auc@32", "geom@8")
    ),
    "quarters, k = N": Shape(
        mixture((1 / 3, Point(0.25)), (1 / 3, Point(0.5)), (1 / 3, Point(0.75))),
        10,
        4,
        ("avg", "pass@4", "pass^4", "maj@3", "geom@4", "auc@4"),
    ),
    "known or guessed among two": Shape(_GUESSES, 50, 3, ("avg", "maj@3", "pass^3")),
    "almost never and almost always": Shape(_APART, 14, 32, ("avg", "pass@32", "pass^32")),
    "Beta(0.1, 5), 300 single trials": Shape(mixture((1.0, BetaPiece(0.1, 5.0))), 300, 1, ("avg",)),
    "1 % solved, 200 single trials": Shape(
        mixture((0.99, Point(0.0)), (0.01, Point(1.0))), 200, 1, ("avg",)
    ),
    "narrow at 0.3, one in twenty at 1": Shape(
        mixture((0.95, BetaPiece(90, 210)), (0.05, Point(1.0))), 80, 12, ("avg", "pass@6")
    ),
}


class Clusters(NamedTuple):
    """Number of clusters, chances of their sizes, and the mean rate of a cluster of each size."""

    number: int
    sizes: tuple[int, ...]
    chances: tuple[float, ...]
    means: tuple[float, ...]
    spread: float  # rates are Beta variables of this sum of parameters
    weighted: bool = False

    @property
    def truth(self) -> float:
        """E[size x rate] / E[size]; weights are as likely in every cluster."""
        mass = np.array(self.sizes) * self.chances
        return float(mass @ self.means / mass.sum())


_SIX = (1, 2, 4, 8, 16, 32)
CLUSTERS: dict[str, Clusters] = {
    "3 equal clusters": Clusters(3, (20,), (1.0,), (0.6,), 8.0),
    "4 clusters of 5 or 6": Clusters(4, (5, 6), (0.5, 0.5), (0.5, 0.5), 2.0),
    "6 clusters, sizes by doubling": Clusters(6, _SIX, (1 / 6,) * 6, (0.5,) * 6, 2.0),
    "6 clusters by doubling, large ones easier": Clusters(
        6, _SIX, (1 / 6,) * 6, (0.3, 0.4, 0.5, 0.6, 0.7, 0.9), 4.0
    ),
    "8 clusters, a third ten times as large": Clusters(8, (3, 30), (2 / 3, 1 / 3), (0.8, 0.4), 6.0),
    "10 clusters, a tenth forty times as large": Clusters(10, (1, 40), (0.9, 0.1), (0.7, 0.2), 6.0),
    "30 clusters, 3 % twenty times as large": Clusters(30, (2, 40), (0.97, 0.03), (0.7, 0.95), 6.0),
    "7 clusters with weights": Clusters(7, (2, 6), (0.5, 0.5), (0.6, 0.6), 3.0, True),
}


def _clusters(name: str, rng: np.random.Generator, level: float) -> Tallies:
    shape = CLUSTERS[name]
    which = rng.choice(len(shape.sizes), shape.number, p=shape.chances)
    means, sizes = np.array(shape.means)[which], np.array(shape.sizes)[which]
    rates = np.repeat(rng.beta(means * shape.spread, (1 - means) * shape.spread), sizes)
    once = np.ones(rates.size, dtype=np.int64)
    weights = rng.choice([1.0, 3.0], rates.size) if shape.weighted else None
    place = np.repeat(np.arange(shape.number), sizes)
    counts = CountsByState(once * 2, rng.binomial(2, rates), once, place, weights)
    ragged = len(shape.sizes) > 1 and not shape.weighted
    drawn = ragged and int(sizes.max()) == max(shape.sizes)
    return as_assumed(scored(counts, shape.truth, level), met=drawn)


def _weights(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """A tenth weighs twenty times as much and is harder; or weights are exponential, easier."""
    if name == "weights of 1 and 20":
        heavy = rng.random(30) < 0.1
        weights, rates = np.where(heavy, 20.0, 1.0), np.where(heavy, 0.3, rng.beta(8, 2, 30))
        truth = (0.1 * 20 * 0.3 + 0.9 * 0.8) / (0.1 * 20 + 0.9)
    else:  # the rate is 1 − exp(−weight), whose mean by weight is 1 − 1/4
        weights = rng.exponential(1.0, 15)
        rates, truth = 1.0 - np.exp(-weights), 0.75
    once = np.ones(weights.size, dtype=np.int64)
    counts = CountsByState(once * 3, rng.binomial(3, rates), once, None, weights)
    return scored(counts, truth, level)


def _ragged(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Hard questions were tried more often; or one trial in half of 40, eight in the others."""
    rates = rng.beta(1.0, 1.0, 40)
    if name == "hard ones tried more":
        trials = np.where(rates < 0.3, 24, 3)
    else:
        trials = rng.choice([1, 8], 40)
    counts = Counts(trials, rng.binomial(trials, rates))
    again = float((rng.binomial(trials, rates) / trials).mean())
    truths = {
        Estimand.POPULATION: 0.5,
        Estimand.BENCHMARK: float(rates.mean()),
        Estimand.RERUN: again,
    }
    found = {}
    for target, truth in truths.items():
        ((cell,),) = Calibrated(target, level).cells([counts], [Average()])
        judged = judge_interval(cell.interval.low, cell.interval.high, truth)
        found[f"{target.value} avg"] = judged
    return found


Bounds = tuple[float, float] | None
Values = Callable[[np.random.Generator, int], Array]
REWARDS: dict[str, tuple[Values, float, int, Bounds]] = {
    "0 or 10, mostly, bounds known": (
        lambda rng, m: 10.0 * rng.beta(0.2, 0.2, m),
        5.0,
        12,
        (0.0, 10.0),
    ),
    "losses, ties and wins, bounds known": (
        lambda rng, m: rng.choice([-1.0, 0.0, 1.0], m, p=[0.08, 0.88, 0.04]),
        -0.04,
        20,
        (-1.0, 1.0),
    ),
    "partial credits": (
        lambda rng, m: rng.choice([0.0, 0.25, 0.5, 1.0], m, p=[0.1, 0.1, 0.2, 0.6]),
        0.725,
        40,
        None,
    ),
    "lognormal, sd 0.5": (
        lambda rng, m: rng.lognormal(0.0, 0.5, m),
        float(np.exp(0.125)),
        40,
        None,
    ),
    "uniform from 20 to 80": (lambda rng, m: rng.uniform(20.0, 80.0, m), 50.0, 10, None),
    "Gamma(2)": (lambda rng, m: rng.gamma(2.0, 1.0, m), 2.0, 100, None),
    "Laplace": (lambda rng, m: rng.laplace(0.0, 1.0, m), 0.0, 25, None),
    "steps, negative binomial": (
        lambda rng, m: rng.negative_binomial(2, 0.2, m).astype(float),
        8.0,
        30,
        None,
    ),
    "jackpots of 30 among uniform ones": (
        lambda rng, m: np.where(rng.random(m) < 0.02, 30.0, rng.random(m)),
        0.02 * 30 + 0.98 * 0.5,
        50,
        None,
    ),
    "jackpots of 30, bounds known": (
        lambda rng, m: np.where(rng.random(m) < 0.02, 30.0, rng.random(m)),
        0.02 * 30 + 0.98 * 0.5,
        50,
        (0.0, 30.0),
    ),
}


def _rewards(name: str, rng: np.random.Generator, level: float) -> Tallies:
    draw, mean, questions, bounds = REWARDS[name]
    rows = [{"question": at, "outcome": v} for at, v in enumerate(draw(rng, questions).tolist())]
    (found,) = errbar.load(rows).score("avg", level=level, bounds=bounds)
    return {"population avg": judge_interval(found.interval.low, found.interval.high, mean)}


def _votes(rng: np.random.Generator, level: float) -> Tallies:
    """Five trials of 20 questions; right with 0.6 or 0.3, all wrong answers alike."""
    chance = rng.choice([0.6, 0.3], 20)
    rows = [
        {"question": q, "trial": t, "answer": "right" if right else "wrong", "outcome": int(right)}
        for q, row in enumerate(rng.random((20, 5)) < chance[:, None])
        for t, right in enumerate(row.tolist())
    ]
    (found,) = errbar.load(rows).score("vote@5", level=level)
    p = np.array([0.6, 0.3])
    majority = 10 * p**3 * (1 - p) ** 2 + 5 * p**4 * (1 - p) + p**5
    ends = found.interval
    return {"population vote@5": judge_interval(ends.low, ends.high, float(majority.mean()))}


def rows_of(rates: Array, trials: int, rng: np.random.Generator, **more: NDArray[Any]) -> list[Any]:
    """A row per trial of two or more systems, with other columns of the questions."""
    right = rng.random((*rates.shape, trials)) < rates[:, :, None]
    return [
        {"system": f"s{s}", "question": q, "trial": t, "outcome": int(right[s, q, t])}
        | {name: column[q].item() for name, column in more.items()}
        for s in range(rates.shape[0])
        for q in range(rates.shape[1])
        for t in range(trials)
    ]


PAIRS = (
    "8 clusters lost or won together",
    "weights of 1 and 10, heavy ones apart",
    "pass^4 alike, means apart",
    "one in thirty lost",
)
BOARDS = ("8 opposed systems", "12 systems of single trials", "6 systems in 9 clusters")


def _pair(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Two systems of equal means."""
    metric, more = "avg", {}
    if name == "8 clusters lost or won together":
        sign = np.repeat(rng.choice([-0.3, 0.3], 8), 4)
        rates, trials = np.stack([0.5 + sign, 0.5 - sign]), 2
        more = {"cluster": np.repeat(np.arange(8), 4)}
    elif name == "weights of 1 and 10, heavy ones apart":
        heavy = rng.random(25) < 0.2  # won by 0.08 where heavy, lost by 0.2 where light
        rates = np.stack([np.full(25, 0.6), np.where(heavy, 0.68, 0.4)])
        more, trials = {"weight": np.where(heavy, 10.0, 1.0)}, 4
    elif name == "pass^4 alike, means apart":
        metric, trials = "pass^4", 8
        up = rng.random(40) < 0.5
        rates = np.stack([up.astype(float), np.full(40, 0.5**0.25)])
    else:  # all questions near 1, the second fails one in thirty
        lost = rng.random(60) < 1 / 30
        rates, trials = np.stack([np.full(60, 29 / 30), 1.0 - lost]), 3
    (row,) = errbar.load(rows_of(rates, trials, rng, **more)).compare(metric, level=level)
    return {
        "population difference": judge_interval(row.interval.low, row.interval.high, 0.0),
        "population better": judge_verdict(wrong=row.better in ("s0", "s1")),
    }


def _unequal_trials(rng: np.random.Generator, level: float) -> Tallies:
    """Two trials of one system, twenty of the other; neither is better."""
    rates = rng.beta(2.0, 1.0, (2, 30))
    few, many = np.full(30, 2), np.full(30, 20)
    systems = {
        "s0": Counts(few, rng.binomial(few, rates[0])),
        "s1": Counts(many, rng.binomial(many, rates[1])),
    }
    found = {}
    these = float((rates[0] - rates[1]).mean())
    runs = errbar.load(systems)
    for target, truth in ((Estimand.POPULATION, 0.0), (Estimand.BENCHMARK, these)):
        (row,) = runs.compare("avg", estimand=target, level=level)
        said = {"s0": 1.0, "s1": -1.0}.get(row.better, 0.0)
        ends = row.interval
        found[f"{target.value} difference"] = judge_interval(ends.low, ends.high, truth)
        wrong = bool(said) and said * truth <= 0.0
        found[f"{target.value} better"] = judge_verdict(wrong=wrong)
    return found


def _board(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Systems whose true means are equal."""
    more = {}
    if name == "8 opposed systems":
        up = rng.random(30) < 0.5
        flip = np.arange(8)[:, None] % 2 == 1
        rates, trials = np.where(up[None, :] ^ flip, 0.9, 0.3), 3
    elif name == "12 systems of single trials":
        rates, trials = rng.beta(2.0, 2.0, (12, 60)), 1
    else:  # 6 systems, each with its own rate in each of 9 clusters of 1 to 8 questions
        sizes = rng.integers(1, 9, 9)
        rates, trials = np.repeat(rng.beta(4.0, 2.0, (6, 9)), sizes, axis=1), 2
        more = {"cluster": np.repeat(np.arange(9), sizes)}
    board = errbar.load(rows_of(rates, trials, rng, **more)).rank("avg", level=level)
    apart = any(row.best_rank > 1 or row.worst_rank < len(rates) for row in board)
    return {"all ranks": judge_verdict(wrong=apart)}


def _gate(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """The true drop is just the one that is allowed: neither a pass nor a regression is right."""
    if name == "gate, clusters":  # the candidate fails a tenth of the clusters that the base solves
        lost = np.repeat(rng.random(20) < 0.1, 3)
        rates, metric, drop = np.stack([np.full(60, 0.9), np.where(lost, 0.0, 0.9)]), "avg", 0.09
        more = {"cluster": np.repeat(np.arange(20), 3)}
    else:  # pass^3 of rates that all fall by a tenth, half of them from 1
        old = np.where(rng.random(30) < 0.5, 1.0, 0.5)
        rates, metric, more = np.stack([old, 0.9 * old]), "pass^3", {}
        drop = 0.5 * (1.0 - 0.9**3) * (1.0 + 0.5**3)
    rows = rows_of(rates, 3, rng, **more)
    base, new = (errbar.load([r for r in rows if r["system"] == s]) for s in ("s0", "s1"))
    found = errbar.gate(base, new, metric, max_drop={metric: drop}, level=level)
    return {"gate verdict": judge_verdict(wrong=found.verdict.value != "inconclusive")}


def _classes(name: str, rng: np.random.Generator, m: int, n: int) -> tuple[Array, Array]:
    if name == "three scores":
        up = rng.choice([0.0, 1.0, 2.0], m, p=[0.1, 0.3, 0.6])
        down = rng.choice([0.0, 1.0, 2.0], n, p=[0.5, 0.4, 0.1])
    else:  # a fifth of the negatives far above all positives
        up = rng.lognormal(1.0, 1.0, m)
        down = np.where(rng.random(n) < 0.2, 1e6, rng.lognormal(0.0, 1.0, n))
    return np.concatenate([up, down]), np.repeat([1, 0], [m, n])


def _losses(
    name: str, rng: np.random.Generator, n: int
) -> tuple[Array, Array, NDArray[np.intp] | None]:
    """Confidence, loss and cluster."""
    if name == "12 clusters of 4":
        place = np.repeat(np.arange(n // 4), 4)
        wrong = rng.random(n) < rng.beta(0.5, 1.5, n // 4)[place]
        return rng.random(n), wrong.astype(float), place
    confidence = rng.random(n)  # sure in the middle of the range only
    return confidence, np.where(np.abs(confidence - 0.5) < 0.3, 0.1, rng.random(n)), None


@cache
def _area(name: str) -> float:
    rng = np.random.default_rng(2027)
    if name in ("three scores", "sure negatives"):
        return float(roc_auc(*_classes(name, rng, 400_000, 400_000)))
    return float(aurc(*_losses(name, rng, 1_600_000)[:2]))


def _roc(name: str, m: int, n: int, rng: np.random.Generator, level: float) -> Tallies:
    ends = roc_auc_ci(*_classes(name, rng, m, n), level=level).interval
    return {"roc-auc": judge_interval(ends.low, ends.high, _area(name))}


def _aurc(name: str, n: int, rng: np.random.Generator, level: float) -> Tallies:
    confidence, loss, clusters = _losses(name, rng, n)
    data = Predictions(confidence, loss, clusters=clusters)
    ends = estimate("aurc", data, method=Bootstrap(level=level), rng=0).interval
    return {"aurc": judge_interval(ends.low, ends.high, _area(name))}


def cells() -> list[Cell]:
    """Every shape."""
    found = [
        Cell("fourth", f"{name}, {target.value}", partial(judge_counts, shape, target), 50)
        for name, shape in COUNTS.items()
        for target in Estimand
        if shape.trials > 1 or target is Estimand.POPULATION
    ]
    draws: dict[str, Draw] = {
        **{name: partial(_clusters, name) for name in CLUSTERS},
        **{name: partial(_weights, name) for name in ("weights of 1 and 20", "weights go up")},
        **{name: partial(_ragged, name) for name in ("hard ones tried more", "1 or 8 trials")},
        **{name: partial(_rewards, name) for name in REWARDS},
        "votes of five": _votes,
        **{name: partial(_pair, name) for name in PAIRS},
        "2 trials against 20": _unequal_trials,
        **{name: partial(_board, name) for name in BOARDS},
        **{name: partial(_gate, name) for name in ("gate, clusters", "gate, pass^3")},
        "ROC of three scores, 12 + 12": partial(_roc, "three scores", 12, 12),
        "ROC, sure negatives, 40 + 15": partial(_roc, "sure negatives", 40, 15),
        "AURC, 12 clusters of 4": partial(_aurc, "12 clusters of 4", 48),
        "AURC, sure in the middle, 15 items": partial(_aurc, "sure in the middle", 15),
    }
    return found + [Cell("fourth", name, draw) for name, draw in draws.items()]
