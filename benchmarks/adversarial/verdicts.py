"""Two systems of equal means that differ in rare, large ways, and leaderboards of such systems."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

import errbar
from benchmarks.adversarial.cells import Array, Cell, Tallies, judge_interval, judge_verdict
from errbar.metrics.means import Average
from errbar.results.estimate import Estimand

Rates = Callable[[np.random.Generator, int], Array]  # systems × questions


class Pair(NamedTuple):
    """Rates of two systems, and the true difference of their means over all questions."""

    rates: Rates
    difference: float


def _losses(share: float, rate: float = 0.95) -> Pair:
    """The second fails outright on a share of the questions, and is better on all others."""

    def rates(rng: np.random.Generator, questions: int) -> Array:
        lost = rng.random(questions) < share
        return np.stack([np.full(questions, rate), np.where(lost, 0.0, rate / (1.0 - share))])

    return Pair(rates, 0.0)


def _wins(share: float, rate: float = 0.05) -> Pair:
    """The second solves a share of the questions outright, and is worse on all others."""

    def rates(rng: np.random.Generator, questions: int) -> Array:
        won = rng.random(questions) < share
        rest = (rate - share) / (1.0 - share)
        return np.stack([np.full(questions, rate), np.where(won, 1.0, rest)])

    return Pair(rates, 0.0)


def _own(rng: np.random.Generator, questions: int) -> Array:
    return rng.choice([0.05, 0.5, 0.95], (2, questions))


def _swapped(rng: np.random.Generator, questions: int) -> Array:
    up = rng.random(questions) < 0.5
    return np.stack([np.where(up, 0.6, 0.4), np.where(up, 0.4, 0.6)])


def _skewed(rng: np.random.Generator, questions: int) -> Array:
    base = np.full(questions, 0.9)
    gain = rng.exponential(0.04, questions)
    return np.stack([base, np.clip(base + 0.04 - gain, 0.0, 1.0)])


def _shifted(by: float) -> Pair:
    def rates(rng: np.random.Generator, questions: int) -> Array:
        base = rng.beta(2.0, 2.0, questions)
        odds = np.exp(by)
        return np.stack([base * odds / (1.0 - base + base * odds), base])

    base = (np.arange(200_000) + 0.5) / 200_000
    from scipy.special import betaincinv  # noqa: PLC0415  slow to load

    base = betaincinv(2.0, 2.0, base)
    odds = np.exp(by)
    return Pair(rates, float((base * odds / (1.0 - base + base * odds) - base).mean()))


PAIRS: dict[str, Pair] = {
    "3 % outright losses": _losses(0.03),
    "2 % outright losses": _losses(0.02),
    "5 % outright losses": _losses(0.05, 0.94),
    "1 % outright losses": _losses(0.01, 0.98),
    "10 % outright losses": _losses(0.1, 0.88),
    "3 % outright wins": _wins(0.03),
    "5 % outright wins": _wins(0.05, 0.08),
    "three points of their own": Pair(_own, 0.0),
    "half up, half down": Pair(_swapped, 0.0),
    "shifted log odds": _shifted(0.4),
}
PAIR_SIZES = ((30, 30), (50, 16), (100, 4), (100, 1), (20, 8))
BOARDS = ("rare losses", "three points", "spaced", "ceiling")
BOARD_SIZES = ((50, 16), (20, 8), (100, 1))


def cells(targets: Sequence[Estimand]) -> list[Cell]:
    """Every pair and every leaderboard at every size."""
    found = [
        Cell("verdicts", f"{name}, M = {m}, N = {n}", partial(_compare, targets, pair, m, n))
        for name, pair in PAIRS.items()
        for m, n in PAIR_SIZES
    ]
    found += [
        Cell("verdicts", f"skewed gains, M = {m}, N = {n}", partial(_compare_skewed, targets, m, n))
        for m, n in PAIR_SIZES
    ]
    return found + [
        Cell("ranks", f"{name}, M = {m}, N = {n}", partial(_rank, name, m, n))
        for name in BOARDS
        for m, n in BOARD_SIZES
    ]


def _counts(
    rates: Array, trials: int, rng: np.random.Generator
) -> tuple[dict[str, errbar.Counts], Array]:
    correct = rng.binomial(trials, rates)
    number = np.full(rates.shape[1], trials)
    named = {f"s{at}": errbar.Counts(number, row) for at, row in enumerate(correct)}
    return named, correct / trials


def _compare(
    targets: Sequence[Estimand],
    pair: Pair,
    questions: int,
    trials: int,
    rng: np.random.Generator,
    level: float,
) -> Tallies:
    rates = pair.rates(rng, questions)
    first, _ = _counts(rates, trials, rng)
    _, again = _counts(rates, trials, rng)
    truths = {
        Estimand.POPULATION: pair.difference,
        Estimand.BENCHMARK: float((rates[0] - rates[1]).mean()),
        Estimand.RERUN: float((again[0] - again[1]).mean()),
    }
    found = {}
    runs = errbar.load(first)
    for target in targets:
        truth = truths[target]
        (row,) = runs.compare(Average(), estimand=target, level=level)
        found[f"{target.value} difference"] = judge_interval(
            row.interval.low, row.interval.high, truth
        )
        said = {"s0": 1.0, "s1": -1.0}.get(row.better, 0.0)
        if target is not Estimand.RERUN:
            wrong = bool(said) and said * truth <= 0.0
            found[f"{target.value} better"] = judge_verdict(wrong=wrong)
    return found


def _compare_skewed(
    targets: Sequence[Estimand],
    questions: int,
    trials: int,
    rng: np.random.Generator,
    level: float,
) -> Tallies:
    """The mean of the clipped gains is zero but for 1e-4, which is taken into account."""
    truth = _SKEWED
    return _compare(targets, Pair(_skewed, truth), questions, trials, rng, level)


def _mean_of_skewed() -> float:
    # E[clip(0.9 + 0.04 - X, 0, 1)] with X exponential of mean 0.04: no clip at 1 (0.94 is largest).
    place = (np.arange(2_000_000) + 0.5) / 2_000_000
    gain = -0.04 * np.log1p(-place)
    return float(0.9 - np.clip(0.94 - gain, 0.0, 1.0).mean())


_SKEWED = _mean_of_skewed()


def _board(name: str, questions: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Rates of five systems and their true means."""
    if name == "rare losses":
        shares = np.array([0.01, 0.02, 0.03, 0.04, 0.05])
        lost = rng.random((5, questions)) < shares[:, None]
        return np.where(lost, 0.0, (0.93 / (1.0 - shares))[:, None]), np.full(5, 0.93)
    if name == "three points":
        return rng.choice([0.05, 0.5, 0.95], (5, questions)), np.full(5, 0.5)
    if name == "spaced":
        means = np.array([0.5, 0.55, 0.6, 0.65, 0.7])
        up = rng.random(questions)
        return (up[None, :] < means[:, None]).astype(float) * 0.9 + 0.05, 0.05 + 0.9 * means
    means = np.array([0.97, 0.975, 0.98, 0.985, 0.99])
    return np.repeat(means[:, None], questions, axis=1), means


def _rank(
    name: str, questions: int, trials: int, rng: np.random.Generator, level: float
) -> Tallies:
    rates, means = _board(name, questions, rng)
    counts, _ = _counts(rates, trials, rng)
    board = errbar.load(counts).rank(Average(), level=level)
    wrong = False
    for row in board:
        mean = means[int(row.system[1:])]
        best, worst = 1 + int((means > mean).sum()), int((means >= mean).sum())
        wrong |= row.best_rank > worst or row.worst_rank < best
    return {"all ranks": judge_verdict(wrong=wrong)}
