"""Coverage of what `errbar calibration` prints: `python -m benchmarks.calibration [--data-sets N]`.

Systems state probabilities and are right by a curve that is known, for every answer by itself or
for four answers of a question together. A cell is the share of 95% intervals that hold the truth;
of the bins, the share of data sets in which all bins do, and in which any is called miscalibrated.
"""

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.calibration import BINS, FEWEST, calibration_of_answers
from errbar.base.arrays import Array
from errbar.kernels.calibration import equal_bins
from errbar.results.estimate import Subject

CURVES: dict[str, Callable[[Array], Array]] = {
    "calibrated": lambda stated: stated,
    "overconfident": lambda stated: 0.5 + 0.4 * (stated - 0.5),
    "squared": np.square,
    "uninformative": lambda stated: np.full(stated.shape, 0.7),
    "a step": lambda stated: np.where(stated > 0.8, 0.95, 0.4),
}
SIZES = ((50, 1), (200, 1), (1000, 1), (200, 4))  # answers, and answers per question
PARTS = ("excess", "brier", "miscalibration", "discrimination", "uncertainty")


def truths(curve: Callable[[Array], Array]) -> dict[str, float]:
    """The parts in a large population."""
    stated = np.random.default_rng(9).beta(2.0, 1.0, 1_000_000)
    chance = curve(stated)
    share = float(chance.mean())
    off = float(np.square(stated - chance).mean())
    return {
        "excess": float((stated - chance).mean()),
        "brier": off + float((chance * (1.0 - chance)).mean()),
        "miscalibration": off,
        "discrimination": float(np.square(chance - share).mean()),
        "uncertainty": share * (1.0 - share),
    }


def drawn(
    curve: Callable[[Array], Array], answers: int, together: int, rng: np.random.Generator
) -> tuple[Array, Array, Array, NDArray[np.intp]]:
    """Stated probabilities, chances, results and questions."""
    questions = np.arange(answers // together).repeat(together)
    stated = rng.beta(2.0, 1.0, answers // together).repeat(together)
    luck = rng.random(answers // together).repeat(together)
    chance = curve(stated)
    return stated, chance, (luck < chance).astype(float), questions


def study(data_sets: int) -> Iterator[str]:
    """A row per curve and size."""
    for name, curve in CURVES.items():
        truth = truths(curve)
        for answers, together in SIZES:
            held = dict.fromkeys((*PARTS, "bins", "called off"), 0)
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, answers, together])
                stated, chance, right, questions = drawn(curve, answers, together, rng)
                row = calibration_of_answers(Subject("a"), stated, right, questions)
                for part in PARTS:
                    found = getattr(row, part)
                    held[part] += found.low - 1e-12 <= truth[part] <= found.high + 1e-12
                which = equal_bins(stated, min(BINS, max(1, answers // FEWEST)))
                inside = [
                    each.low <= chance[which == at].mean() <= each.high
                    for at, each in enumerate(row.bins)
                ]
                held["bins"] += all(inside)
                held["called off"] += any(each.is_off for each in row.bins)
            cells = " | ".join(f"{100 * count / data_sets:.1f}" for count in held.values())
            yield f"| {name} | {answers} | {together} | {cells} |"


def main(arguments: list[str]) -> None:
    """Print the study as a Markdown table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=500)
    chosen = parser.parse_args(arguments)
    heads = ["curve", "answers", "of a question", *PARTS, "all bins", "called off"]
    print(f"| {' | '.join(heads)} |\n|---|{'--:|' * (len(heads) - 1)}")
    for row in study(chosen.data_sets):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
