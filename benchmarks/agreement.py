"""Agreement of raters: coverage of the coefficients, and false alarms of drift and of favour.

    scripts/bench agreement
    scripts/bench agreement --data-sets 100

Raters give the true category with some probability, and otherwise one drawn at random. The truth
of a coefficient is its value on 20,000 answers; *held* is the share of 95% intervals that contain
it. For drift, a judge agrees with a trusted rater in the same share all the time, or in a smaller
one in the later half; for favour, it is as lenient with both systems, or more lenient with one.
*said* is how often errbar says that the agreement changes, or that a system is favoured.
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from errbar.base.arrays import Array
from errbar.judges import agree
from errbar.results.judges import RaterAgreement

_MANY = 20_000


@dataclass(frozen=True)
class Panel:
    """Raters, how many answers they rate, and how often they see the true category."""

    name: str
    raters: int
    answers: int
    shares: tuple[float, ...]  # of the categories
    right: float
    missing: float = 0.0


PANELS = (
    Panel("2 raters, 30 answers", 2, 30, (0.5, 0.5), 0.7),
    Panel("2 raters, 100 answers", 2, 100, (0.5, 0.5), 0.7),
    Panel("2 raters, 100 answers, one category 5%", 2, 100, (0.95, 0.05), 0.7),
    Panel("2 raters that nearly always agree", 2, 100, (0.5, 0.5), 0.97),
    Panel("2 raters by chance", 2, 100, (0.5, 0.5), 0.0),
    Panel("3 raters, 50 answers, 3 categories, 20% missing", 3, 50, (0.5, 0.3, 0.2), 0.6, 0.2),
    Panel("5 raters, 30 answers, 4 categories", 5, 30, (0.4, 0.3, 0.2, 0.1), 0.5),
)


def ratings(panel: Panel, answers: int, rng: np.random.Generator) -> dict[str, list[float | None]]:
    """A column of ratings per rater; None for a missing rating."""
    kinds = len(panel.shares)
    truth = rng.choice(kinds, answers, p=panel.shares)
    found: dict[str, list[float | None]] = {}
    for rater in range(panel.raters):
        seen = rng.random(answers) < panel.right
        given = np.where(seen, truth, rng.choice(kinds, answers, p=panel.shares))
        there = rng.random(answers) >= panel.missing
        found[f"r{rater}"] = [
            float(code) if is_there else None for code, is_there in zip(given, there, strict=True)
        ]
    return found


def measured(columns: dict[str, list[float | None]]) -> RaterAgreement:
    """The agreement of all raters."""
    return agree(columns, list(columns))


def coefficients(data_sets: int) -> Iterator[str]:
    """Shares of intervals that hold the coefficient of many answers."""
    for panel in PANELS:
        whole = measured(ratings(panel, _MANY, np.random.default_rng(0)))
        truth = {row.measure: row.value for row in whole}
        held = dict.fromkeys(truth, 0)
        for seed in range(data_sets):
            rng = np.random.default_rng([seed, panel.answers, panel.raters])
            columns = ratings(panel, panel.answers, rng)
            if len({each for column in columns.values() for each in column} - {None}) < 2:
                continue  # one category only, which errbar refuses
            for row in measured(columns):
                held[row.measure] += row.interval.low <= truth[row.measure] <= row.interval.high
        cells = " | ".join(f"{100 * number / data_sets:.1f}" for number in held.values())
        yield f"| {panel.name} | {cells} |"


def judged(right: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Trusted verdicts, and those of a judge that is right with the given probabilities."""
    truth = (rng.random(right.size) < 0.6).astype(float)
    return truth, np.where(rng.random(right.size) < right, truth, 1.0 - truth)


def drifts(data_sets: int) -> Iterator[str]:
    """How often a change of the agreement over time is said."""
    for answers in (50, 200, 800):
        for later in (0.85, 0.75, 0.65):
            said = held = 0
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, answers, round(100 * later)])
                right = np.where(np.arange(answers) < answers / 2, 0.85, later)
                truth, judge = judged(right, rng)
                columns = {"judge": judge, "human": truth, "at": np.arange(answers)}
                table = {name: each.tolist() for name, each in columns.items()}
                found = agree(table, ["judge", "human"], truth="human", order="at")
                (row,) = (row for row in found if row.about == "drift")
                held += row.interval.low <= later - 0.85 <= row.interval.high
                said += any("over time" in remark for remark in found.remarks)
            shares = f"{100 * held / data_sets:.1f} | {100 * said / data_sets:.1f}"
            yield f"| {answers} | 0.85 | {later:g} | {shares} |"


def favours(data_sets: int) -> Iterator[str]:
    """How often the judge is said to favour a system."""
    for answers in (100, 400):
        for extra in (0.0, 0.15, 0.3):
            said = 0
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, answers, round(100 * extra)])
                truth, judge = judged(np.full(answers, 0.85), rng)
                system = np.arange(answers) % 2
                lenient = (rng.random(answers) < extra) & (system == 0)
                table = {
                    "judge": np.where(lenient, 1.0, judge).tolist(),
                    "human": truth.tolist(),
                    "system": [f"s{at}" for at in system],
                }
                found = agree(table, ["judge", "human"], truth="human", by=["system"])
                said += any("favours" in remark for remark in found.remarks)
            yield f"| {answers} | {extra:g} | {100 * said / data_sets:.1f} |"


def main(arguments: list[str]) -> None:
    """Print the studies as Markdown tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=200)
    number = parser.parse_args(arguments).data_sets
    print("| answers | agreement, earlier | later | held, % | said, % |\n|--:|--:|--:|--:|--:|")
    for row in drifts(number):
        print(row, flush=True)
    print("\n| answers | lenient with one system | said, % |\n|--:|--:|--:|")
    for row in favours(number):
        print(row, flush=True)
    print(
        "\n| raters | agreement held, % | kappa held, % | AC1 held, % | alpha held, % |"
        "\n|---|--:|--:|--:|--:|"
    )
    for row in coefficients(number):
        print(row, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
