"""What choosing labels gains: `python -m benchmarks.labels [--data-sets N]`.

A judge grades 2,000 answers and is surer of some than of others. A few answers are labelled at
random; `errbar label` chooses the rest, by the judge's grade and confidence, or evenly. A row has
the share of 95% intervals that hold the truth and their mean width, for both, and how wide the
interval was said to become.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import errbar
from errbar.base.arrays import Array

QUESTIONS = 2000


@dataclass(frozen=True)
class UnsureJudge:
    """How often a judge errs where it is sure, and where it is not."""

    name: str
    unsure: float  # share of answers on which the judge is not sure
    errs_if_sure: float
    errs_if_unsure: float


JUDGES = (
    UnsureJudge("knows where it errs", 0.2, 0.01, 0.35),
    UnsureJudge("knows a little", 0.5, 0.05, 0.25),
    UnsureJudge("does not know", 0.3, 0.15, 0.15),
    UnsureJudge("is wrong about where it errs", 0.3, 0.25, 0.05),
)
SIZES = ((30, 50), (50, 100), (100, 200))  # labels at random, and chosen


def rows_of(judge: UnsureJudge, rng: np.random.Generator) -> tuple[dict[str, list[float]], Array]:
    """Outcomes with the judge's confidence, and the truth."""
    truth = (rng.random(QUESTIONS) < 0.6).astype(float)
    unsure = rng.random(QUESTIONS) < judge.unsure
    errs = rng.random(QUESTIONS) < np.where(unsure, judge.errs_if_unsure, judge.errs_if_sure)
    grades = np.where(errs, 1.0 - truth, truth)
    sure = np.where(unsure, 0.5, 1.0)
    columns = {
        "question": list(range(QUESTIONS)),
        "outcome": grades.tolist(),
        "sure": sure.tolist(),
    }
    return columns, truth


def study(data_sets: int) -> Iterator[str]:
    """A row per judge and numbers of labels."""
    for judge in JUDGES:
        for first, more in SIZES:
            held, width, said, chosen_by_group = [0, 0], [0.0, 0.0], 0.0, 0
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, first])
                columns, truth = rows_of(judge, rng)
                shown = rng.permutation(QUESTIONS)
                labels = np.full(QUESTIONS, np.nan)
                labels[shown[:first]] = truth[shown[:first]]
                human = [None if np.isnan(x) else x for x in labels.tolist()]
                runs = errbar.load({**columns, "human": human}, label="human")
                found = errbar.next_labels(runs, more, by="sure", rng=seed)
                filled = [
                    {**cell, "label": truth[int(cell["question"])], "weight": float(cell["weight"])}
                    for cell in found.cells
                ]
                even = [{"question": at, "label": truth[at]} for at in shown[: first + more]]
                said += found.width
                chosen_by_group += not found.is_even
                for at, own in enumerate((filled, even)):
                    (score,) = errbar.load(columns, labels=own).score("avg")
                    held[at] += score.low <= 0.6 <= score.high
                    width[at] += score.high - score.low
            cells = " | ".join(
                f"{100 * count / data_sets:.1f} | {total / data_sets:.3f}"
                for count, total in zip(held, width, strict=True)
            )
            share, expected = 100 * chosen_by_group / data_sets, said / data_sets
            yield f"| {judge.name} | {first} + {more} | {share:.0f} | {cells} | {expected:.3f} |"


def main(arguments: list[str]) -> None:
    """Print the study as a Markdown table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    chosen = parser.parse_args(arguments)
    heads = ["judge", "labels", "by group, %", "chosen, %", "width", "even, %", "width", "said"]
    print(f"| {' | '.join(heads)} |\n|---|{'--:|' * (len(heads) - 1)}")
    for row in study(chosen.data_sets):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
