"""Fifth outside trial: shapes that are in neither grid nor in the other trials.

They were written down before any was run: k one below the trials or equal to them, guesses of four,
rates below 0.05, a lone coin among known questions; clusters of Poisson and geometric sizes, of
singles beside dozens, and such as fail outright; weights of a hundredth, and lognormal ones of hard
questions; one to twelve trials, trials lost where questions are hard; marks, penalties, percentages
with a bound that is nearly reached, Student's t; pairs near the ceiling, opposed on a quarter, with
k equal to the trials; boards of more systems than questions, of near-duplicates, of ten steps;
areas with one positive in ten far below, of ten scores, of graded losses, of two confidences.

Every shape is tried at 80, 90, 95 and 99 %.
"""

from collections.abc import Callable
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

import errbar
from benchmarks.adversarial.cells import Array, Cell, Tallies, judge_interval, judge_verdict
from benchmarks.adversarial.counts import Quantiles
from benchmarks.adversarial.fourth import rows_of
from benchmarks.adversarial.outside import Draw, Shape, judge_counts, mixture, scored
from benchmarks.coverage.difficulties import BetaPiece, Point
from errbar.analysis.methods import Calibrated
from errbar.data.counts import Counts, CountsByState
from errbar.metrics.means import Average
from errbar.results.estimate import Estimand
from errbar.roc import roc_auc, roc_auc_ci
from errbar.selective import Bootstrap, Predictions, aurc, estimate

_ONE_IN_EIGHT = mixture((7 / 8, BetaPiece(40, 2)), (1 / 8, BetaPiece(1, 30)))
COUNTS: dict[str, Shape] = {
    "one hard question in eight, k = N - 1": Shape(
        _ONE_IN_EIGHT, 16, 6, ("avg", "pass@5", "pass^5", "maj@5")
    ),
    "arcsine, k = N": Shape(
        mixture((1.0, BetaPiece(0.5, 0.5))), 20, 10, ("avg", "pass@10", "pass^10", "maj@9")
    ),
    "a guess of four, or known": Shape(
        mixture((0.5, Point(0.25)), (0.5, Point(0.97))), 45, 4, ("avg", "maj@3", "pass^4")
    ),
    "uniform below 0.05": Shape(
        mixture((1.0, Quantiles(lambda u: 0.05 * u))), 35, 20, ("avg", "pass@10", "pass@19")
    ),
    "known but for one coin in forty": Shape(
        mixture((0.975, Point(1.0)), (0.025, Point(0.5))), 40, 5, ("avg", "pass@4", "pass^5")
    ),
}
CLUSTERS = (
    "12 clusters of Poisson sizes",
    "20 clusters, singles beside dozens",
    "15 clusters, 7 % fail outright",
    "25 clusters of geometric sizes, large ones harder",
)
WEIGHTS = (
    "weights 1 to 5",
    "lognormal weights, heavy ones harder",
    "half weigh a hundredth",
)


def _clusters(name: str, rng: np.random.Generator, level: float) -> Tallies:
    rates: Array
    if name == "12 clusters of Poisson sizes":
        sizes, rates, truth = 1 + rng.poisson(4.0, 12), rng.random(12), 0.5
    elif name == "20 clusters, singles beside dozens":
        large = rng.random(20) < 0.5
        sizes, rates = np.where(large, 12, 1), np.where(large, rng.beta(4, 4, 20), 0.9)
        truth = (12 * 0.5 + 0.9) / 13
    elif name == "15 clusters, 7 % fail outright":
        sizes, rates = np.full(15, 4), np.where(rng.random(15) < 0.07, 0.0, 0.95)
        truth = 0.93 * 0.95
    else:
        sizes = rng.geometric(0.3, 25)
        rates, every = 1.0 / (1.0 + 0.2 * sizes), np.arange(1, 400)
        mass = every * 0.7 ** (every - 1)
        truth = float(mass @ (1.0 / (1.0 + 0.2 * every)) / mass.sum())
    place = np.repeat(np.arange(sizes.size), sizes)
    once = np.ones(place.size, dtype=np.int64)
    counts = CountsByState(once * 2, rng.binomial(2, rates[place]), once, place, None)
    return scored(counts, truth, level)


def _weights(name: str, rng: np.random.Generator, level: float) -> Tallies:
    if name == "weights 1 to 5":
        weights, rates, truth = rng.integers(1, 6, 20).astype(float), rng.beta(3, 1, 20), 0.75
    elif name == "half weigh a hundredth":
        light = rng.random(30) < 0.5
        weights, rates = np.where(light, 0.01, 1.0), np.where(light, 0.2, rng.beta(8, 2, 30))
        truth = (0.01 * 0.2 + 0.8) / 1.01
    else:
        weights = rng.lognormal(0.0, 1.0, 40)
        rates, truth = 1.0 / (1.0 + weights), _of_lognormal_weights()
    once = np.ones(weights.size, dtype=np.int64)
    counts = CountsByState(once * 2, rng.binomial(2, rates), once, None, weights)
    return scored(counts, truth, level)


@cache
def _of_lognormal_weights() -> float:
    z = np.linspace(-10.0, 10.0, 200_001)
    mass, weights = np.exp(-0.5 * z**2), np.exp(z)
    return float(mass @ (weights / (1.0 + weights)) / (mass @ weights))


def _ragged(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """One to twelve trials; or three, of which one is lost in most questions that are hard."""
    rates = rng.beta(0.3, 0.3, 30) if name == "1 to 12 trials" else rng.random(30)
    trials = rng.integers(1, 13, 30)
    if name != "1 to 12 trials":
        trials = np.where((rates < 0.4) & (rng.random(30) < 0.8), 2, 3)
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
_MARKS = (0.02, 0.05, 0.13, 0.3, 0.3, 0.15, 0.05)  # of 4 to 10
REWARDS: dict[str, tuple[Values, float, int, Bounds]] = {
    "marks of 4 to 10": (
        lambda rng, m: rng.choice(np.arange(4.0, 11.0), m, p=_MARKS),
        float(np.arange(4.0, 11.0) @ _MARKS),
        15,
        None,
    ),
    "penalties, half-normal": (
        lambda rng, m: -np.abs(rng.standard_normal(m)),
        -float(np.sqrt(2.0 / np.pi)),
        30,
        None,
    ),
    "percentages, Beta(5, 1)": (lambda rng, m: 100.0 * rng.beta(5.0, 1.0, m), 500.0 / 6, 12, None),
    "half full marks, bounds known": (
        lambda rng, m: np.where(rng.random(m) < 0.5, 1.0, rng.triangular(0.0, 0.0, 1.0, m)),
        0.5 + 0.5 / 3.0,
        10,
        (0.0, 1.0),
    ),
    "Student's t, 3 degrees": (lambda rng, m: rng.standard_t(3.0, m), 0.0, 60, None),
}


def _rewards(name: str, rng: np.random.Generator, level: float) -> Tallies:
    draw, mean, questions, bounds = REWARDS[name]
    rows = [{"question": at, "outcome": v} for at, v in enumerate(draw(rng, questions).tolist())]
    (found,) = errbar.load(rows).score("avg", level=level, bounds=bounds)
    return {"population avg": judge_interval(found.interval.low, found.interval.high, mean)}


PAIRS = ("ceiling, 3 % lost outright", "opposed on a quarter", "pass@4 of arcsines, k = N")
BOARDS = ("50 equal systems on 25 questions", "5 systems, near-duplicates", "ten steps")


def _pair(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Two systems of equal means."""
    metric, trials = "avg", 3
    if name == "ceiling, 3 % lost outright":
        lost = rng.random(120) < 0.03
        rates, trials = np.stack([np.full(120, 0.97), 1.0 - lost]), 1
    elif name == "opposed on a quarter":
        rates = np.stack([np.full(24, 0.75), (rng.random(24) < 0.75).astype(float)])
    else:
        rates, metric, trials = rng.beta(0.5, 0.5, (2, 30)), "pass@4", 4
    (row,) = errbar.load(rows_of(rates, trials, rng)).compare(metric, level=level)
    return {
        "population difference": judge_interval(row.interval.low, row.interval.high, 0.0),
        "population better": judge_verdict(wrong=row.better in ("s0", "s1")),
    }


def _board(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Whether every system's true rank is in its range."""
    if name == "50 equal systems on 25 questions":
        gains, questions, trials, own = np.zeros(50), 25, 1, 1.0
    elif name == "5 systems, near-duplicates":
        gains, questions, trials, own = np.array([0.0, 0.02, 0.02, 0.04, 0.3]), 80, 2, 0.05
    else:
        gains, questions, trials, own = 0.3 * np.arange(10.0), 40, 2, 0.5
    odds = rng.normal(0.0, 1.5, questions) + gains[:, None]
    odds = odds + rng.normal(0.0, own, odds.shape)
    board = errbar.load(rows_of(1.0 / (1.0 + np.exp(-odds)), trials, rng)).rank("avg", level=level)
    best = {f"s{at}": 1 + int((gains > own).sum()) for at, own in enumerate(gains)}
    worst = {f"s{at}": int((gains >= own).sum()) for at, own in enumerate(gains)}
    wrong = any(
        row.best_rank > best[row.system] or row.worst_rank < worst[row.system] for row in board
    )
    return {"all ranks": judge_verdict(wrong=wrong)}


def _classes(name: str, rng: np.random.Generator, m: int, n: int) -> tuple[Array, Array]:
    if name == "ten scores":
        up, down = rng.binomial(9, 0.7, m).astype(float), rng.binomial(9, 0.4, n).astype(float)
    else:  # one positive in ten below all negatives
        up = np.where(rng.random(m) < 0.1, -9.0, rng.normal(2.0, 1.0, m))
        down = np.maximum(rng.normal(0.0, 1.0, n), -8.0)
    return np.concatenate([up, down]), np.repeat([1, 0], [m, n])


def _losses(name: str, rng: np.random.Generator, n: int) -> tuple[Array, NDArray[np.float64]]:
    """Confidence and loss."""
    if name == "two confidences":
        sure = rng.random(n) < 0.7
        return sure.astype(float), (rng.random(n) < np.where(sure, 0.05, 0.5)).astype(float)
    confidence = rng.random(n)
    loss = (1.0 - confidence) * rng.random(n)
    return confidence, np.where(rng.random(n) < 0.05, 1.0, loss)


@cache
def _area(name: str) -> float:
    rng = np.random.default_rng(2028)
    if name in ("ten scores", "one positive in ten far below"):
        return float(roc_auc(*_classes(name, rng, 400_000, 400_000)))
    return float(aurc(*_losses(name, rng, 1_600_000)))


def _roc(name: str, m: int, n: int, rng: np.random.Generator, level: float) -> Tallies:
    ends = roc_auc_ci(*_classes(name, rng, m, n), level=level).interval
    return {"roc-auc": judge_interval(ends.low, ends.high, _area(name))}


def _aurc(name: str, n: int, rng: np.random.Generator, level: float) -> Tallies:
    data = Predictions(*_losses(name, rng, n))
    ends = estimate("aurc", data, method=Bootstrap(level=level), rng=0).interval
    return {"aurc": judge_interval(ends.low, ends.high, _area(name))}


def cells() -> list[Cell]:
    """Every shape."""
    found = [
        Cell("fifth", f"{name}, {target.value}", partial(judge_counts, shape, target), 50)
        for name, shape in COUNTS.items()
        for target in Estimand
    ]
    below = "one positive in ten far below"
    draws: dict[str, Draw] = {
        **{name: partial(_clusters, name) for name in CLUSTERS},
        **{name: partial(_weights, name) for name in WEIGHTS},
        **{name: partial(_ragged, name) for name in ("1 to 12 trials", "trials lost where hard")},
        **{name: partial(_rewards, name) for name in REWARDS},
        **{name: partial(_pair, name) for name in PAIRS},
        **{name: partial(_board, name) for name in BOARDS},
        f"ROC, {below}, 15 + 60": partial(_roc, below, 15, 60),
        "ROC of ten scores, 8 + 25": partial(_roc, "ten scores", 8, 25),
        "AURC, graded losses, 25 items": partial(_aurc, "graded losses", 25),
        "AURC, two confidences, 60 items": partial(_aurc, "two confidences", 60),
    }
    return found + [Cell("fifth", name, draw) for name, draw in draws.items()]
