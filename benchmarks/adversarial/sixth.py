"""Sixth outside trial: verdicts and ranks, on shapes that are in neither grid nor other trials.

They were written down before any was run: a tenth of the questions lost a little; rare
disagreement of single trials; clusters that are won or lost together, large ones against small
ones; lognormal weights; fewer trials of one system; rewards that are skewed, with and without
bounds; `pass@4` alike where means are far apart; for this exact benchmark, rates of three points;
boards of clones, of clusters, of rare losses near the ceiling, and for this exact benchmark.

A verdict is wrong if the system that it names is not truly better. "Better" and "probably better"
are judged apart: the second counts both, and assumes no rare failures. Ranks are wrong if any
range does not contain the true rank.
"""

from functools import partial
from typing import Any

import numpy as np

import errbar
from benchmarks.adversarial.cells import Array, Cell, Tallies, judge_interval, judge_verdict
from benchmarks.adversarial.fourth import rows_of
from benchmarks.adversarial.outside import Draw
from errbar.data.counts import Counts

PAIRS = (
    "a tenth lost a little, 60 x 10",
    "400 single trials, 2 % disagree each way",
    "25 single trials, a fifth disagree each way",
    "8 clusters of 5, opposed",
    "15 clusters, large against small",
    "lognormal weights, 30 x 3",
    "1 to 6 trials against 2",
    "rewards of 0 to 10, one in twenty lost",
    "exponential rewards, no bounds",
    "pass@4 alike, means apart",
)
BOARDS = ("two families of clones and a winner", "12 systems in 10 clusters", "8 near the ceiling")
_DISAGREEING = {PAIRS[1]: (400, 0.02), PAIRS[2]: (25, 0.2)}  # questions, share each way
_EQUAL = 1e-12  # means this near together differ by rounding
_LOST = 0.18  # by a tenth of the questions, which is what the others gain


def _rates(name: str, rng: np.random.Generator) -> tuple[Array, int, dict[str, Any]]:
    """Rates of two systems with equal means, their trials, and other columns of the questions."""
    if name == "a tenth lost a little, 60 x 10":
        change = np.where(rng.random(60) < 0.1, -_LOST, _LOST / 9.0)
        base = rng.uniform(0.2, 0.9, 60)
        return np.stack([base, base + change]), 10, {}
    if name in _DISAGREEING:
        return _disagreeing(*_DISAGREEING[name], rng), 1, {}
    if name == "8 clusters of 5, opposed":
        apart = np.repeat(rng.uniform(-0.4, 0.4, 8), 5)
        return np.stack([0.5 + apart, 0.5 - apart]), 2, {"cluster": np.repeat(np.arange(8), 5)}
    if name == "15 clusters, large against small":  # 10 · 0.03 = 1 · 0.3
        sizes = np.where(rng.random(15) < 0.5, 10, 1)
        apart = np.repeat(np.where(sizes == 10, -0.03, 0.3), sizes)
        place = np.repeat(np.arange(15), sizes)
        return np.stack([np.full(place.size, 0.6), 0.6 + apart]), 2, {"cluster": place}
    if name == "lognormal weights, 30 x 3":
        more = {"weight": rng.lognormal(0.0, 0.8, 30)}
        return rng.beta(2.0, 1.0, (2, 30)), 3, more
    up = rng.random(36) < 0.5  # pass@4 of 0.5 for both
    return np.stack([np.full(36, 1.0 - 0.5**0.25), up.astype(float)]), 8, {}


def _disagreeing(questions: int, share: float, rng: np.random.Generator) -> Array:
    """Questions of which a share is right in the first alone, and as many in the second alone."""
    place = rng.random(questions)
    first, second = place < share, (share <= place) & (place < 2.0 * share)
    same = place > 2.0 * share + 0.3 * (1.0 - 2.0 * share)
    return np.stack([first | same, second | same]).astype(float)


def _load(name: str, rng: np.random.Generator) -> tuple[Any, dict[str, Any]]:
    """Data of two systems, and options of the comparison."""
    if name == "1 to 6 trials against 2":
        apart = rng.beta(1.0, 1.0, (2, 40))
        many, few = rng.integers(1, 7, 40), np.full(40, 2)
        first, second = Counts(many, rng.binomial(many, apart[0])), rng.binomial(few, apart[1])
        return errbar.load({"s0": first, "s1": Counts(few, second)}), {}
    if name == "rewards of 0 to 10, one in twenty lost":
        lost = rng.random(30) < 0.05
        means = np.stack([np.full(30, 5.0), np.where(lost, 0.0, 5.0 / 0.95)])
        values = means + rng.uniform(-0.5, 0.5, (2, 30)) * (means > 0)
        return errbar.load(_rewards(values)), {"bounds": (0.0, 10.0)}
    if name == "exponential rewards, no bounds":
        return errbar.load(_rewards(rng.exponential(1.0, (2, 40)))), {}
    rates, trials, more = _rates(name, rng)
    return errbar.load(rows_of(rates, trials, rng, **more)), {}


def _rewards(values: Array) -> list[dict[str, Any]]:
    return [
        {"system": f"s{at}", "question": question, "outcome": value}
        for at, row in enumerate(values.tolist())
        for question, value in enumerate(row)
    ]


def _judged(row: Any, target: str, truth: float) -> Tallies:
    """The interval of a difference, and both steps of its verdict."""

    def is_wrong(named: str) -> bool:
        return bool(named) and {"s0": 1.0, "s1": -1.0}[named] * truth <= _EQUAL

    return {
        f"{target} difference": judge_interval(row.interval.low, row.interval.high, truth),
        f"{target} better": judge_verdict(wrong=is_wrong(row.better)),
        f"{target} probably better": judge_verdict(
            wrong=is_wrong(row.better or row.probably_better)
        ),
    }


def _pair(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Two systems of equal means."""
    runs, options = _load(name, rng)
    metric = "pass@4" if name.startswith("pass@4") else "avg"
    (row,) = runs.compare(metric, level=level, **options)
    return _judged(row, "population", 0.0)


def _three_points(rng: np.random.Generator, level: float) -> Tallies:
    """Two systems on this exact benchmark, which differ by the draw of their rates alone."""
    rates = rng.choice([0.02, 0.5, 0.98], (2, 25))
    runs = errbar.load(rows_of(rates, 8, rng))
    found: Tallies = {}
    for metric, power in (("avg", 1), ("pass^4", 4)):
        (row,) = runs.compare(metric, estimand="benchmark", level=level)
        truth = float((rates[0] ** power - rates[1] ** power).mean())
        found |= _judged(row, f"benchmark {metric}", truth)
    return found


def _board(name: str, rng: np.random.Generator, level: float) -> Tallies:
    """Whether every system's true rank is in its range."""
    more: dict[str, Any] = {}
    if name == "two families of clones and a winner":  # clones differ on one question in fifty
        base = (rng.random((2, 60)) < 0.6).astype(float)
        clones = np.repeat(base, 3, axis=0)
        flipped = rng.random(clones.shape) < 0.02
        rates = np.vstack([np.where(flipped, rng.random(clones.shape) < 0.6, clones), base[:1]])
        rates[-1] = np.where(rng.random(60) < 0.375, 1.0, rates[-1])  # 0.6 + 0.4 · 0.375
        means, trials = np.array([0.6] * 6 + [0.75]), 1
    elif name == "12 systems in 10 clusters":
        rates = np.repeat(rng.beta(2.0, 2.0, (12, 10)), 6, axis=1)
        means, trials = np.full(12, 0.5), 2
        more = {"cluster": np.repeat(np.arange(10), 6)}
    else:  # 8 near the ceiling, of equal means
        shares = np.repeat([0.0, 0.01, 0.02, 0.04], 2)
        lost = rng.random((8, 40)) < shares[:, None]
        rates = np.where(lost, 0.0, (0.95 / (1.0 - shares))[:, None])
        means, trials = np.full(8, 0.95), 4
    runs = errbar.load(rows_of(rates, trials, rng, **more))
    return {"all ranks": judge_verdict(wrong=_is_off(runs.rank("avg", level=level), means))}


def _exact_board(rng: np.random.Generator, level: float) -> Tallies:
    """Five systems on this exact benchmark, by their means over its questions."""
    rates = rng.choice([0.0, 0.3, 0.9, 0.999], (5, 30))
    board = errbar.load(rows_of(rates, 8, rng)).rank("avg", estimand="benchmark", level=level)
    return {"all ranks": judge_verdict(wrong=_is_off(board, rates.mean(axis=1)))}


def _is_off(board: Any, means: Array) -> bool:
    """Whether any range of ranks does not meet that of the true ranks; ties share theirs."""
    for row in board:
        mean = means[int(row.system[1:])]
        best, worst = 1 + int((means > mean + _EQUAL).sum()), int((means > mean - _EQUAL).sum())
        if row.best_rank > best or row.worst_rank < worst:
            return True
    return False


def cells() -> list[Cell]:
    """Every shape."""
    draws: dict[str, Draw] = {
        **{name: partial(_pair, name) for name in PAIRS},
        "three points, this exact benchmark": _three_points,
        **{name: partial(_board, name) for name in BOARDS},
        "5 systems of four points, this exact benchmark": _exact_board,
    }
    return [Cell("sixth", name, draw) for name, draw in draws.items()]
