"""Whether P(better) and P(best) mean what they say: of statements at 90 to 95 %, how many are true.

    scripts/bench probabilities                # a table for docs/compare.md
    scripts/bench probabilities --boards 100

A board has systems whose mean log odds are drawn from a normal distribution, and whose questions
have difficulties of one of the shapes of the coverage study, with disagreement between systems, or
with rare outright failures of every system. The truth is the mean over all questions of that
shape. Statements are taken from `errbar compare` and `errbar rank` as a reader sees them.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import errbar
from benchmarks.coverage.difficulties import DIFFICULTIES

Array = NDArray[np.floating[Any]]

SYSTEMS, APART, DISAGREEMENT = 4, 0.4, 0.7  # and standard deviations of log odds
SIZES = ((30, 1), (30, 8), (100, 4), (300, 1))
RARE = (0.0, 0.03)  # share of questions that a system fails outright, whatever they are
BANDS = ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 0.99), (0.99, 1.0))
_MANY = 200_000  # questions behind a truth


class Statement(NamedTuple):
    """A probability that was printed, and whether what it is of is true."""

    kind: str
    probability: float
    true: bool


def rates_of(shape: str, questions: int, shifts: Array, rare: float, rng: Any) -> Array:
    """Success rates: systems × questions."""
    base = np.clip(DIFFICULTIES[shape].draw(rng, (questions,)), 1e-9, 1.0 - 1e-9)
    odds = np.log(base / (1.0 - base)) + shifts[:, None]
    odds = odds + rng.normal(0.0, DISAGREEMENT, odds.shape)
    rates = 1.0 / (1.0 + np.exp(-odds))
    return np.where(rng.random(rates.shape) < rare, 0.0, rates)


def board(shape: str, size: tuple[int, int], rare: float, rng: Any) -> Iterator[Statement]:
    """All statements about one board of systems."""
    questions, trials = size
    shifts = rng.normal(0.0, APART, SYSTEMS)
    truth = rates_of(shape, _MANY, shifts, rare, np.random.default_rng(0)).mean(axis=1)
    rates = rates_of(shape, questions, shifts, rare, rng)
    names = [f"system {at}" for at in range(SYSTEMS)]
    means = dict(zip(names, truth.tolist(), strict=True))
    runs = errbar.load(
        {
            name: rng.binomial(1, mine[:, None], (questions, trials))
            for name, mine in zip(names, rates, strict=True)
        }
    )
    for pair in runs.compare("avg"):
        better = means[pair.first] > means[pair.second]
        surely = pair.chance >= 0.5
        yield Statement("P(better)", max(pair.chance, 1.0 - pair.chance), better == surely)
    best = max(means, key=lambda name: means[name])
    for row in runs.rank("avg"):
        is_best = row.system == best
        if row.chance_best >= 0.5:
            yield Statement("P(best)", row.chance_best, is_best)
        else:
            yield Statement("P(not best)", 1.0 - row.chance_best, not is_best)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench probabilities",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--boards", type=int, default=20, help="boards of each shape and size")
    options = parser.parse_args()
    found: dict[str, list[Statement]] = defaultdict(list)
    for shape in DIFFICULTIES:
        for size in SIZES:
            for rare in RARE:
                rng = np.random.default_rng([23, list(DIFFICULTIES).index(shape), *size, rare > 0])
                for _ in range(options.boards):
                    for said in board(shape, size, rare, rng):
                        found[said.kind].append(said)
    print("| statement | probability | statements | mean probability | true |")
    print("|---|---|--:|--:|--:|")
    for kind, statements in found.items():
        for low, high in BANDS:
            some = [each for each in statements if low <= each.probability < high]
            if some:
                mean = 100 * np.mean([each.probability for each in some])
                true = 100 * np.mean([each.true for each in some])
                band = f"{100 * low:g} to {100 * high:g} %"
                print(f"| {kind} | {band} | {len(some)} | {mean:.1f} | {true:.1f} |")


if __name__ == "__main__":
    main()
