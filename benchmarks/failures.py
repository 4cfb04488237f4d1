"""Coverage of brackets over failed trials: `python -m benchmarks.failures [--data-sets N]`.

Trials fail with a probability that may depend on how hard the question is. What a failed trial
would have been, its fate, is wrong, right, as good as the others of its question, or right if the
question is hard. `scores` has the share of 95% intervals that hold the true score under each fate:
of the bracket, of failures counted as wrong, and of failures left out. In `pairs` the trials of one
of two equally good systems fail: how often the interval holds the difference under all fates
together, and how often one of the two is called better.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import errbar
from errbar.base.arrays import Array

FATES = ("wrong", "right", "alike", "right if hard")
TRIALS = 3


@dataclass(frozen=True)
class Failing:
    """How often trials fail: on easy and on hard questions."""

    name: str
    easy: float
    hard: float

    def chance(self, rates: Array) -> Array:
        """Chance of a failure by the success rate of a question."""
        return self.easy + (self.hard - self.easy) * (1.0 - rates)


FAILING = (
    Failing("1%", 0.01, 0.01),
    Failing("5%", 0.05, 0.05),
    Failing("20%", 0.2, 0.2),
    Failing("0 to 40%, the harder the more", 0.0, 0.4),
)
NEVER = Failing("never", 0.0, 0.0)


def fated(rates: Array, fate: str) -> Array:
    """Success rate of failed trials."""
    return {
        "wrong": np.zeros(rates.size),
        "right": np.ones(rates.size),
        "alike": rates,
        "right if hard": (rates < 0.5).astype(float),
    }[fate]


def true_score(failing: Failing, fate: str, centre: float, draws: int) -> float:
    """Score with k = `draws` of new questions, from a large sample of them."""
    rates = np.random.default_rng(0).beta(4.0 * centre, 4.0 * (1.0 - centre), 1_000_000)
    lost = failing.chance(rates)
    whole = (1.0 - lost) * rates + lost * fated(rates, fate)
    return float((1.0 - (1.0 - whole) ** draws).mean())


def play(name: str, failing: Failing, rates: Array, rng: np.random.Generator) -> list[list[object]]:
    """Rows of a system: name, question, trial, outcome, status."""
    shape = (rates.size, TRIALS)
    fails = rng.random(shape) < failing.chance(rates)[:, None]
    right = rng.random(shape) < rates[:, None]
    return [
        [name, at, trial, *((None, "error") if fails[at, trial] else (int(right[at, trial]), "ok"))]
        for at in range(rates.size)
        for trial in range(TRIALS)
    ]


def loaded(rows: list[list[object]]) -> errbar.Runs:
    """Rows as runs."""
    names = ("system", "question", "trial", "outcome", "status")
    return errbar.load(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def scores(data_sets: int) -> Iterator[str]:
    """A row per share of failures, number of questions and metric."""
    for failing in FAILING:
        for questions in (30, 200):
            for metric, draws in (("avg", 1), ("pass@2", 2)):
                truth = [true_score(failing, fate, 0.6, draws) for fate in FATES]
                held = np.zeros((3, len(FATES)))
                widths = np.zeros(2)
                for seed in range(data_sets):
                    rng = np.random.default_rng([seed, questions, draws])
                    rates = rng.beta(2.4, 1.6, questions)
                    runs = loaded(play("a", failing, rates, rng))
                    worst, best = runs.score(metric, errors="bracket")
                    ends = worst.bracket or worst.interval
                    widths += [ends.high - ends.low, best.high - worst.low]
                    out = runs.score(metric, errors="missing", short="drop")[0].interval
                    for way, interval in enumerate((ends, worst.interval, out)):
                        held[way] += [interval.low <= true <= interval.high for true in truth]
                cells = [f"{100 * share / data_sets:.1f}" for share in held[0]]
                cells += [f"{100 * way.min() / data_sets:.1f}" for way in held[1:]]
                cells += [f"{width / data_sets:.3f}" for width in widths]
                yield f"| {failing.name} | {questions} | {metric} | {' | '.join(cells)} |"


def pairs(data_sets: int) -> Iterator[str]:
    """A row per share of failures and number of questions."""
    for failing in FAILING:
        for questions in (30, 200):
            gaps = [true_score(failing, fate, 0.6, 1) - 0.6 for fate in FATES]
            held = np.zeros(2)
            better = np.zeros(2)
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, questions])
                rates = rng.beta(2.4, 1.6, questions)
                rows = play("a", failing, rates, rng) + play("b", NEVER, rates, rng)
                (found,) = loaded(rows).compare("avg", errors="bracket")
                (plain,) = loaded(rows).compare("avg")
                for way, each in enumerate((found, plain)):
                    held[way] += all(each.low <= gap <= each.high for gap in gaps)
                    better[way] += bool(each.better)
            cells = [f"{100 * share / data_sets:.1f}" for share in (*held, *better)]
            yield f"| {failing.name} | {questions} | {' | '.join(cells)} |"


def main(arguments: list[str]) -> None:
    """Print both studies as Markdown tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=500)
    chosen = parser.parse_args(arguments)
    heads = ["failures", "questions", "metric", *(f"{fate}, %" for fate in FATES)]
    heads += ["as wrong, lowest %", "left out, lowest %", "width", "width of both ends"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in scores(chosen.data_sets):
        print(row, flush=True)
    heads = ["failures", "questions", "bracket holds, %", "as wrong, %"]
    heads += ["bracket says better, %", "as wrong, %"]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for row in pairs(chosen.data_sets):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
