"""Clusters, weights, ragged trials and rewards: means over questions that are not all alike."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import errbar
from benchmarks.adversarial.cells import Array, Cell, Tallies, as_assumed, judge_interval
from errbar.analysis.evaluate import score
from errbar.analysis.methods import Calibrated
from errbar.data.counts import CountsByState
from errbar.metrics.means import Average
from errbar.results.estimate import Estimand

Integers = NDArray[np.int64]


class Clusters(NamedTuple):
    """Sizes of clusters drawn at random, and the success rate of a cluster of each size."""

    sizes: Callable[[np.random.Generator], Integers]
    rate: Callable[[np.random.Generator, Integers], Array]
    truth: float  # mean over all questions: E[size x rate] / E[size]
    largest: int = 0  # of all clusters, where large ones differ from the others


def _fifth_large(number: int) -> Callable[[np.random.Generator], Integers]:
    return lambda rng: np.where(rng.random(number) < 0.2, 40, 3)


def _zipf(number: int, most: int = 60) -> Callable[[np.random.Generator], Integers]:
    chances = 1.0 / np.arange(1, most + 1) ** 1.5
    chances /= chances.sum()
    return lambda rng: rng.choice(np.arange(1, most + 1), number, p=chances)


def _equal(number: int, size: int) -> Callable[[np.random.Generator], Integers]:
    return lambda _rng: np.full(number, size)


def _any(right: float, wrong: float) -> Callable[[np.random.Generator, Integers], Array]:
    return lambda rng, sizes: rng.beta(right, wrong, sizes.size)


def _harder(rng: np.random.Generator, sizes: Integers) -> Array:
    """Large clusters are harder."""
    return np.where(sizes > 10, rng.beta(2.0, 6.0, sizes.size), rng.beta(6.0, 2.0, sizes.size))


def _harder_truth() -> float:
    large, small = 0.2 * 40, 0.8 * 3
    return (large * 0.25 + small * 0.75) / (large + small)


CLUSTERS: dict[str, Clusters] = {
    "20 clusters, a fifth large": Clusters(_fifth_large(20), _any(2.0, 2.0), 0.5),
    "40 clusters by Zipf": Clusters(_zipf(40), _any(1.0, 1.0), 0.5),
    "10 clusters by Zipf": Clusters(_zipf(10), _any(1.0, 1.0), 0.5),
    "5 clusters, large ones harder": Clusters(_fifth_large(5), _harder, _harder_truth(), 40),
    "20 clusters, large ones harder": Clusters(_fifth_large(20), _harder, _harder_truth(), 40),
    "5 equal clusters": Clusters(_equal(5, 10), _any(2.0, 2.0), 0.5),
    "10 clusters all or nothing": Clusters(_equal(10, 8), _any(0.02, 0.02), 0.5),
    "30 clusters, easy": Clusters(_fifth_large(30), _any(18.0, 2.0), 0.9),
    "15 pairs": Clusters(_equal(15, 2), _any(9.0, 1.0), 0.9),
}


class Rewards(NamedTuple):
    """Rewards drawn at random, their mean, and what is known of their range."""

    draw: Callable[[np.random.Generator, int], Array]
    mean: float
    bounds: tuple[float, float] | None = None


def _zeros(share: float, rest: Callable[[np.random.Generator, int], Array]) -> Any:
    return lambda rng, m: np.where(rng.random(m) < share, 0.0, rest(rng, m))


REWARDS: dict[str, Rewards] = {
    "lognormal, sd 1": Rewards(lambda rng, m: rng.lognormal(0.0, 1.0, m), math.exp(0.5)),
    "lognormal, sd 1.5": Rewards(lambda rng, m: rng.lognormal(0.0, 1.5, m), math.exp(1.125)),
    "95 % zero, rest one": Rewards(_zeros(0.95, lambda _rng, m: np.ones(m)), 0.05),
    "95 % zero, rest uniform": Rewards(_zeros(0.95, lambda rng, m: rng.random(m)), 0.025),
    "90 % zero, rest exponential": Rewards(
        _zeros(0.9, lambda rng, m: rng.exponential(1.0, m)), 0.1
    ),
    "exponential": Rewards(lambda rng, m: rng.exponential(1.0, m), 1.0),
    "Gamma(0.3)": Rewards(lambda rng, m: rng.gamma(0.3, 1.0, m), 0.3),
    "Student's t, 3 degrees": Rewards(lambda rng, m: rng.standard_t(3.0, m), 0.0),
    "normal": Rewards(lambda rng, m: rng.normal(50.0, 10.0, m), 50.0),
    "3 % disasters": Rewards(_zeros(0.03, lambda rng, m: rng.uniform(0.9, 1.0, m)), 0.97 * 0.95),
    "3 % disasters, bounds known": Rewards(
        _zeros(0.03, lambda rng, m: rng.uniform(90.0, 100.0, m)), 0.97 * 95.0, (0.0, 100.0)
    ),
    "95 % zero, bounds known": Rewards(
        _zeros(0.95, lambda rng, m: rng.uniform(0.0, 10.0, m)), 0.25, (0.0, 10.0)
    ),
    "Likert 1 to 5, bounds known": Rewards(
        lambda rng, m: rng.choice([1.0, 2, 3, 4, 5], m, p=[0.02, 0.02, 0.06, 0.3, 0.6]),
        4.44,
        (1.0, 5.0),
    ),
}
WEIGHTS = {  # sd of the logarithm of the weights, and how far difficulty goes with them
    "weights of sd 1": (1.0, 0.0),
    "weights of sd 1.5": (1.5, 0.0),
    "weights of sd 1, heavy ones harder": (1.0, 0.6),
    "weights of sd 1.5, heavy ones harder": (1.5, 0.6),
}
RAGGED = {  # trials of the two halves, and whether the half with few trials is harder
    "half 1 trial, half 50": (1, 50, False),
    "half 2 trials, half 20": (2, 20, False),
    "half 1 trial, half 50, the first harder": (1, 50, True),
    "half 2 trials, half 20, the first harder": (2, 20, True),
}


def cells(targets: Sequence[Estimand]) -> list[Cell]:
    """All of them; weighted questions for some targets."""
    found = [
        Cell("clusters", name, partial(_clusters, clusters)) for name, clusters in CLUSTERS.items()
    ]
    found += [
        Cell("rewards", f"{name}, M = {m}", partial(_rewards, rewards, m))
        for name, rewards in REWARDS.items()
        for m in (10, 30, 100)
    ]
    found += [
        Cell("weights", f"{name}, M = {m}", partial(_weights, targets, *how, m))
        for name, how in WEIGHTS.items()
        for m in (20, 50)
    ]
    return found + [
        Cell("ragged", f"{name}, M = {m}", partial(_ragged, *how, m))
        for name, how in RAGGED.items()
        for m in (20, 60)
    ]


def _scored(counts: CountsByState, level: float, truths: dict[Estimand, float]) -> Tallies:
    found = {}
    for target, truth in truths.items():
        (estimate,) = score(counts, Average(), method=Calibrated(target, level))
        ends = estimate.interval
        found[f"{target.value} avg"] = judge_interval(ends.low, ends.high, truth)
    return found


def _clusters(clusters: Clusters, rng: np.random.Generator, level: float) -> Tallies:
    sizes = clusters.sizes(rng)
    rates = clusters.rate(rng, sizes)
    correct = rng.random(int(sizes.sum())) < np.repeat(rates, sizes)
    once = np.ones(correct.size, dtype=np.int64)
    number = np.repeat(np.arange(sizes.size), sizes)
    counts = CountsByState(once, correct.astype(np.int64), once, number)
    found = _scored(counts, level, {Estimand.POPULATION: clusters.truth})
    return as_assumed(found, met=0 < clusters.largest <= int(sizes.max()))


def _rewards(rewards: Rewards, questions: int, rng: np.random.Generator, level: float) -> Tallies:
    values = rewards.draw(rng, questions)
    rows = [{"question": str(at), "outcome": float(v)} for at, v in enumerate(values)]
    options: dict[str, Any] = {} if rewards.bounds is None else {"bounds": rewards.bounds}
    (estimate,) = errbar.load(rows).score("avg", level=level, **options)
    ends = estimate.interval
    return {"population avg": judge_interval(ends.low, ends.high, rewards.mean)}


def _weights(
    targets: Sequence[Estimand],
    sd: float,
    link: float,
    questions: int,
    rng: np.random.Generator,
    level: float,
) -> Tallies:
    z = rng.normal(size=questions)
    rates = 1.0 / (1.0 + np.exp(link * z * 2.0 - rng.normal(1.0, 1.0, questions)))
    trials = np.full(questions, 4)
    weights = np.exp(sd * z)
    once = np.ones(questions, dtype=np.int64)
    counts = CountsByState(trials, rng.binomial(trials, rates), once, None, weights)
    these = float(weights @ rates / weights.sum())
    truths = {Estimand.POPULATION: _weighted_truth(sd, link), Estimand.BENCHMARK: these}
    return _scored(
        counts, level, {target: truths[target] for target in targets if target in truths}
    )


def _weighted_truth(sd: float, link: float) -> float:
    """E[weight x rate] / E[weight]: under the weights z is normal around `sd`."""
    z = np.linspace(-9.0, 9.0, 1201)
    bell = np.exp(-0.5 * z * z)
    bell /= bell.sum()
    rates = 1.0 / (1.0 + np.exp(2.0 * link * (z[:, None] + sd) - 1.0 - z[None, :]))
    return float(bell @ rates @ bell)


def _ragged(
    few: int, many: int, harder: bool, questions: int, rng: np.random.Generator, level: float
) -> Tallies:
    half = questions // 2
    trials = np.repeat([few, many], [half, questions - half])
    first = rng.beta(1.0, 4.0, half) if harder else rng.beta(0.5, 0.5, half)
    rates = np.concatenate([first, rng.beta(0.5, 0.5, questions - half)])
    counts = errbar.Counts(trials, rng.binomial(trials, rates))
    found = {}
    (estimate,) = score(counts, Average(), method=Calibrated(Estimand.BENCHMARK, level))
    ends = estimate.interval
    found["benchmark avg"] = judge_interval(ends.low, ends.high, float(rates.mean()))
    return found
