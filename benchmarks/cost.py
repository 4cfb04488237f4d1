"""Coverage of what `errbar cost` prints: `python -m benchmarks.cost [--data-sets N]`.

Costs are lognormal: a part of the question and a part of the trial, with standard deviations of
their logarithms as named, and success rates from Beta(2, 2), or such that hard questions cost more.
A cell is the share of 95% intervals that hold the mean cost, the cost per success, and the paired
difference to a system that costs half as much; in brackets what Student's t would hold. A second
table has mean costs that are not lognormal, and how often a test refutes that they are.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels.interval import student_reach
from errbar.kernels.ratio import difference_of_means, is_not_normal, ratio_of_sums


class Case(NamedTuple):
    """How costs are drawn."""

    name: str
    question: float  # standard deviation of the logarithm between questions
    trial: float  # and between trials of a question
    trials: int
    hard_is_dear: bool = False
    cluster: int = 1  # questions of a cluster, which share the part of the question


CASES = (
    Case("questions 1.5, 1 trial", 1.5, 0.0, 1),
    Case("questions 1.5, trials 0.5, 4 trials", 1.5, 0.5, 4),
    Case("trials 1.5, 4 trials", 0.0, 1.5, 4),
    Case("questions 1.35, trials 0.65, hard ones dear, 4 trials", 1.35, 0.65, 4, hard_is_dear=True),
    Case("questions 1, trials 0.5, 4 trials", 1.0, 0.5, 4),
    Case("questions 0.5, trials 0.5, 4 trials", 0.5, 0.5, 4),
    Case("clusters of 4 alike, questions 1.5, 2 trials", 1.5, 0.5, 2, cluster=4),
)


def drawn(case: Case, units: int, rng: np.random.Generator) -> tuple[Array, Array, Array]:
    """Mean cost of each question, that of the other system, and the share of right trials."""
    z = rng.standard_normal(units).repeat(case.cluster)
    size = (z.size, case.trials)
    each = [
        np.exp(case.question * z[:, None] + case.trial * rng.standard_normal(size)).mean(axis=1)
        for _ in range(2)
    ]
    rate = 1.0 / (1.0 + np.exp(1.5 * z)) if case.hard_is_dear else rng.beta(2.0, 2.0, z.size)
    return each[0], 0.5 * each[1], rng.binomial(case.trials, rate) / case.trials


def study(data_sets: int) -> Iterator[str]:
    """A row per case and number of units."""
    for case in CASES:
        mean = float(np.exp(0.5 * (case.question**2 + case.trial**2)))
        truths = (mean, mean / 0.5, 0.5 * mean)
        for units in (30, 100, 300):
            held, by_t = np.zeros(3), np.zeros(3)
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, units, len(case.name)])
                cost, other, right = drawn(case, units, rng)
                cost, other, right, sizes = (
                    part.reshape(-1, case.cluster).sum(axis=1)
                    for part in (cost, other, right, np.ones(cost.size))
                )
                measured = (
                    ratio_of_sums(cost, sizes, sizes, 0.95, rng),
                    ratio_of_sums(cost, right, sizes, 0.95, rng),
                    difference_of_means(cost, other, sizes, 0.95, rng),
                )
                for at, found in enumerate(measured):
                    reach = student_reach(0.95, units - 1) * found.sd
                    held[at] += found.low <= truths[at] <= found.high
                    by_t[at] += abs(found.value - truths[at]) <= reach
            shares = (
                f"{100 * own / data_sets:.1f} ({100 * t / data_sets:.0f})"
                for own, t in zip(held, by_t, strict=True)
            )
            yield f"| {case.name} | {units} | {' | '.join(shares)} |"


def _powers(rng: np.random.Generator, units: int) -> Array:
    return 1.0 + rng.pareto(2.5, units)


def _rarely_large(rng: np.random.Generator, units: int) -> Array:
    return np.exp(0.3 * rng.standard_normal(units)) * np.where(rng.random(units) < 0.1, 50.0, 1.0)


OTHERS: Mapping[str, tuple[Callable[[np.random.Generator, int], Array], float]] = {
    "uniform": (lambda rng, units: rng.random(units), 0.5),
    "exponential": (lambda rng, units: rng.exponential(size=units), 1.0),
    "Gamma(0.3)": (lambda rng, units: rng.gamma(0.3, size=units), 0.3),
    "0.001 or 1": (lambda rng, units: np.where(rng.random(units) < 0.5, 1.0, 0.001), 0.5005),
    "50 times as large in 10%": (_rarely_large, 5.9 * float(np.exp(0.045))),
    "Pareto, index 2.5": (_powers, 2.5 / 1.5),
}


def other_shapes(data_sets: int) -> Iterator[str]:
    """A row per shape and number of units: mean costs that are not lognormal."""
    for name, (draw, mean) in OTHERS.items():
        for units in (30, 100):
            held, refuted, once = 0, 0, np.ones(units)
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, units, len(name)])
                costs = draw(rng, units)
                found = ratio_of_sums(costs, once, once, 0.95, rng)
                held += found.low <= mean <= found.high
                refuted += is_not_normal(np.log(costs))
            yield f"| {name} | {units} | {100 * held / data_sets:.1f} | {refuted / data_sets:.2f} |"


def main(arguments: list[str]) -> None:
    """Print the study as a Markdown table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=1000)
    chosen = parser.parse_args(arguments)
    print("| lognormal costs, sd of the logarithm | units | mean | per success | difference |")
    print("|---|--:|--:|--:|--:|")
    for row in study(chosen.data_sets):
        print(row, flush=True)
    print("\n| other costs | units | mean | refuted |\n|---|--:|--:|--:|")
    for row in other_shapes(chosen.data_sets):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
