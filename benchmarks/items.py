"""Item analysis in simulation: intervals, checks by luck, and subsets on two real leaderboards.

`scripts/bench items` simulates the intervals of abilities and difficulties, and the share of sound
questions that are flagged. With `--boards FOLDER`, a folder with a log per leaderboard, it repeats
the check of subsets: the error that is stated from nine tenths of the systems, beside that seen on
the last tenth.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np

import errbar
from errbar.analysis.alignment import Policy, side_by_side
from errbar.analysis.score import scored_metric
from errbar.base.arrays import Array, Integers
from errbar.kernels import item_checks as checks
from errbar.kernels import leave_out
from errbar.kernels.interval import student_reach
from errbar.kernels.item_response import ItemFit, fit

# systems, questions, most trials, and how difficulties are drawn
CELLS: list[tuple[int, int, int, str]] = [
    (3, 30, 1, "normal"),
    (3, 100, 5, "normal"),
    (10, 50, 1, "normal"),
    (10, 50, 4, "normal"),
    (10, 100, 4, "uniform"),
    (20, 100, 1, "heavy"),
    (40, 200, 1, "normal"),
    (80, 90, 5, "normal"),
]
DRAWS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "normal": lambda rng, size: rng.normal(0.5, 1.5, size),
    "uniform": lambda rng, size: rng.uniform(-4.0, 4.0, size),
    "heavy": lambda rng, size: 1.5 * rng.standard_t(3, size),
}
LEVEL = 0.95


def intervals(replicates: int) -> None:
    """How often intervals hold, and how many sound questions are flagged."""
    print(f"{'systems':>7} {'questions':>9} {'trials':>6}  {'difficulty':10}", end="  ")
    print(f"{'abilities':>9} {'difficulties':>12} {'inverted':>8} {'flat':>6} {'alike':>6}")
    for systems, questions, most, shape in CELLS:
        rng = np.random.default_rng(systems * questions)
        inside, sure, flagged = [], [], np.zeros(3)
        for _ in range(replicates):
            logits = rng.normal(0.0, 1.0, systems)[:, None] - DRAWS[shape](rng, questions)
            trials = rng.integers(1, most + 1, logits.shape).astype(float)
            right = rng.binomial(trials.astype(int), 1.0 / (1.0 + np.exp(-logits))).astype(float)
            found = fit(right, trials)
            ends = found.separated
            centred = logits[:, 0] - logits[~ends, 0].mean()
            reach = student_reach(LEVEL, questions - 1) * found.ability_sds
            inside += (np.abs(found.abilities - centred) <= reach)[~ends].tolist()
            low, high = found.difficulty_ends(0.5 * (1.0 - LEVEL))
            difficulty = -logits[~ends].mean(axis=0)
            sure += ((low <= difficulty) & (difficulty <= high))[~np.isnan(low)].tolist()
            flagged += _flagged(right, trials, found)
        print(
            f"{systems:>7} {questions:>9} {most:>6}  {shape:10}  {100 * np.mean(inside):>8.1f}% "
            f"{100 * np.mean(sure):>11.1f}% "
            + " ".join(f"{number / replicates:>6.2f}" for number in flagged)
        )


def _flagged(right: Array, trials: Array, found: ItemFit) -> Array:
    """How many sound questions, and pairs of them, are flagged."""
    turned = checks.inversions(right, trials, found)
    squares = checks.fit_squares(right, trials, found.expected)
    live = ~np.isnan(turned.p_value)
    flat = checks.benjamini_hochberg(np.where(live, squares.infit_p, np.nan))
    return np.array(
        [
            np.nansum(checks.benjamini_hochberg(turned.p_value) < 1.0 - LEVEL),
            np.nansum((flat < 1.0 - LEVEL) & (squares.infit > 1.0)),
            checks.agreeing_pairs(right, trials, found.expected, LEVEL).first.size,
        ]
    )


def subsets(path: str, sizes: Integers, divisions: int) -> None:
    """Print the error stated from nine tenths of the systems, and seen on the last tenth."""
    metric = scored_metric("avg")
    (data,) = side_by_side(errbar.load(path).source, [metric], None, Policy("wrong", "drop"))
    rates = data.parts[0]
    full, systems = rates.mean(axis=1), rates.shape[0]
    stated, seen = [], []
    for division in range(divisions):
        rng = np.random.default_rng(division)
        folds = rng.permutation(np.arange(systems) % leave_out.FOLDS)
        for fold in range(leave_out.FOLDS):
            inside = folds != fold
            found = leave_out.cross_validate(rates[inside], sizes, rng)
            stated.append([found.swapped.mean(axis=1), found.squares.mean(axis=1)])
            order = leave_out.forward_selection(rates[inside], int(sizes.max()))
            for system in np.flatnonzero(~inside):
                kept = np.append(np.flatnonzero(inside), system)
                scores = [rates[:, order[:size]].mean(axis=1) for size in sizes]
                lines = [leave_out.linear_fit(score[inside], full[inside]) for score in scores]
                seen.append(
                    [
                        [
                            leave_out.swaps(full[kept], score[kept], kept.size - 1)
                            for score in scores
                        ],
                        [
                            (leave_out.predicted_scores(score, *line)[system] - full[system]) ** 2
                            for score, line in zip(scores, lines, strict=True)
                        ],
                    ]
                )
    said, known = np.mean(stated, axis=0), np.mean(seen, axis=0)
    each = np.array(seen)[:, 0].reshape(divisions, systems, -1)
    noise = each.mean(axis=0).std(axis=0, ddof=1) / math.sqrt(systems)
    print(f"\n{path}: {systems} systems, {rates.shape[1]} questions")
    print("size  order stated  seen           score stated   seen")
    for at, size in enumerate(sizes):
        print(
            f"{size:>4}  {100 * said[0, at]:>11.2f}%  {100 * known[0, at]:.2f} ± "
            f"{100 * noise[at]:.2f}%  {math.sqrt(said[1, at]):>12.4f}  "
            f"{math.sqrt(known[1, at]):.4f}"
        )


def main() -> None:
    """Print both studies."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--divisions", type=int, default=3)
    parser.add_argument("--boards", nargs="*", default=[], metavar="LOG")
    given = parser.parse_args()
    intervals(given.replicates)
    for path in given.boards:
        subsets(path, np.array([10, 20, 40]), given.divisions)


if __name__ == "__main__":
    main()
