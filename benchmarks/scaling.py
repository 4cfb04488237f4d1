"""pass@k far beyond the trials: how often intervals hold, simulated and on real counts.

`scripts/bench scaling` simulates several kinds of difficulty. With `--counts FILE`, a table of
model, task, trials and right ones with 100 trials of each question, it draws 8 of them and
compares pass@k up to 100 with what all of them give.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from benchmarks.coverage.evalperf import TRIALS, read
from benchmarks.coverage.methods import shown
from errbar.base.arrays import Array, Integers
from errbar.kernels.left_tail import FAMILIES, LeftTail, ProfileInterval
from errbar.kernels.partial_identification import GRID, CountShares, mean_bounds
from errbar.metrics import PassAt

LEVEL, UNFIT, MANY = 0.95, 0.01, 400_000
SOLVER = 1e-6  # ten times the tolerance of the linear programs; a truth may be 1 − 1e-15
Draw = Callable[[np.random.Generator, int], Array]


def _log_odds(mean: float, sd: float) -> Draw:
    return lambda rng, size: 1.0 / (1.0 + np.exp(-rng.normal(mean, sd, size)))


def _or_never(share: float, draw: Draw) -> Draw:
    return lambda rng, size: np.where(rng.random(size) < share, 0.0, draw(rng, size))


KINDS: dict[str, Draw] = {
    "Beta(0.5, 2)": lambda rng, size: rng.beta(0.5, 2.0, size),
    "Beta(0.3, 0.3)": lambda rng, size: rng.beta(0.3, 0.3, size),
    "Beta(1, 1)": lambda rng, size: rng.beta(1.0, 1.0, size),
    "Beta(0.2, 5)": lambda rng, size: rng.beta(0.2, 5.0, size),
    "Beta(0.5, 2) up to 0.25": lambda rng, size: 0.25 * rng.beta(0.5, 2.0, size),
    "Beta(0.5, 1), a fifth never": _or_never(0.2, lambda rng, size: rng.beta(0.5, 1.0, size)),
    "log odds N(-2, 2)": _log_odds(-2.0, 2.0),
    "log odds N(0, 3), a fifth never": _or_never(0.2, _log_odds(0.0, 3.0)),
    "log-uniform from 0.0001": lambda rng, size: 10.0 ** rng.uniform(-4.0, 0.0, size),
    "two groups, 0.1 and 0.8": lambda rng, size: np.where(rng.random(size) < 0.5, 0.1, 0.8),
}
SIZES = ((100, 8), (500, 8), (164, 32), (500, 100))


def simulated(data_sets: int, only: str) -> Iterator[str]:
    """A row per kind of difficulty and size: how often k = 10 n is held."""
    for kind, draw in KINDS.items():
        if only not in kind:
            continue
        many = draw(np.random.default_rng(1), MANY)
        for questions, trials in SIZES:
            k = 10 * trials
            failed = [float(((1.0 - many) ** each).mean()) for each in (trials, k)]
            truths = 1.0 - failed[1], float(np.log(failed[0] / failed[1]) / np.log(10.0))
            held, widths, used, spans = np.zeros(3), [], 0, 0.0
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, questions, trials])
                right = rng.binomial(trials, draw(rng, questions))
                low, high = bounds(right, trials, k)
                held[2] += low - SOLVER <= truths[0] <= high + SOLVER
                spans += high - low
                fit = families(right, trials)
                if not fit:
                    continue
                used += 1
                ends = together([each.solved(k, LEVEL) for each in fit])
                slopes = together([each.exponent(trials, k, LEVEL) for each in fit])
                held[0] += ends[0] <= truths[0] <= ends[1]
                held[1] += slopes[0] <= truths[1] <= slopes[1]
                widths.append((ends[1] - ends[0], slopes[1] - slopes[0]))
            wide = np.mean(widths, axis=0) if widths else np.full(2, np.nan)
            share = [*(100.0 * held[:2] / max(used, 1)), 100.0 * held[2] / data_sets]
            cells = [f"{own:.0f} ({width:.2f})" for own, width in zip(share[:2], wide, strict=True)]
            if not used:
                cells = ["–", "–"]
            yield (
                f"| {kind} | {questions} × {trials} | {100 * (1 - used / data_sets):.0f}% | "
                f"{' | '.join(cells)} | {share[2]:.0f} ({spans / data_sets:.2f}) |"
            )


def families(right: Integers, trials: int) -> list[LeftTail]:
    """The families that fit counts of right trials."""
    often = np.bincount(right, minlength=trials + 1)
    correct = np.flatnonzero(often)
    n, seen = np.full(correct.size, trials), often[correct].astype(float)
    found = [LeftTail(family, n, correct, seen) for family in FAMILIES]
    return [each for each in found if not each.p_value() < UNFIT]


def together(ends: list[ProfileInterval]) -> tuple[float, float]:
    """The interval that holds those of all families."""
    return min(each.low for each in ends), max(each.high for each in ends)


def bounds(right: Integers, trials: int, k: int) -> tuple[float, float]:
    """Bounds of pass@k for every distribution of difficulty."""
    shares = np.bincount(right, minlength=trials + 1) / right.size
    group = CountShares(trials, shares, float(right.size))
    return mean_bounds(1.0 - (1.0 - GRID) ** k, [group], LEVEL)


def on_counts(counts: Path, few: int, draws: int) -> Iterator[str]:
    """A row per k: what `few` of the 100 trials say of pass@k by all of them."""
    ks = [k for k in (16, 32, 64, 100) if k > few]
    truth = {k: shown(PassAt(k), TRIALS) for k in ks}
    found: dict[int, list[tuple[float, ...]]] = {k: [] for k in ks}
    refused = of = 0
    for right in read(counts).values():
        for draw in range(draws):
            rng = np.random.default_rng([draw, few])
            drawn = rng.hypergeometric(right, TRIALS - right, few)
            of += 1
            fit = families(drawn, few)
            if not fit:
                refused += 1
                continue
            best = max(range(len(fit)), key=lambda at: fit[at].log_likelihood)
            for k in ks:
                each = [tail.solved(k, LEVEL) for tail in fit]
                low, high = together(each)
                least, most = bounds(drawn, few, k)
                known = float(truth[k][right].mean())
                now = float((drawn > 0).mean())
                found[k].append(
                    (
                        *(
                            low <= known <= high,
                            high - low,
                            least <= known <= most + SOLVER,
                            most - least,
                        ),
                        *(abs(each[best].value - known), abs(now - known)),
                    )
                )
    yield f"{of} data sets, {refused} refused"
    for k, rows in found.items():
        held, width, sure, wide, error, before = np.mean(rows, axis=0)
        yield (
            f"| {few} | {k} | {100 * held:.1f} ({width:.3f}) | {100 * sure:.1f} ({wide:.3f}) | "
            f"{error:.3f} | {before:.3f} |"
        )


def main(arguments: list[str]) -> None:
    """Print the study as Markdown tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=100)
    parser.add_argument("--only", default="", help="a part of the names of kinds of difficulty")
    parser.add_argument("--counts", type=Path, metavar="FILE")
    parser.add_argument("--few", type=int, default=8)
    parser.add_argument("--draws", type=int, default=4)
    chosen = parser.parse_args(arguments)
    print("| difficulty | size | refused | pass@10n | exponent | any difficulty |")
    print("|---|---|--:|--:|--:|--:|")
    for row in simulated(chosen.data_sets, chosen.only):
        print(row, flush=True)
    if chosen.counts:
        print("\n| n | k | by model | any difficulty | error | error of pass@n |")
        print("|--:|--:|--:|--:|--:|--:|")
        for row in on_counts(chosen.counts, chosen.few, chosen.draws):
            print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
