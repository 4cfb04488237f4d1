"""Coverage of scores that labels correct: `python -m benchmarks.judges [--data-sets N] [--only X]`.

`real` hides the human labels of 325 games at random and corrects a judge's picks by the rest; the
folder with those games is given by --games. `grid` simulates judges of every kind, `pairs` the
differences of two systems, one of which the judge may favour. A cell is fine if the 95% interval
holds the truth in 93% of data sets at least. Beside it stand the normal interval of PPI++, the
labels alone, and the judge alone.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from errbar.analysis.alignment import AlignedValues
from errbar.analysis.corrections import CorrectedTask, Labels, LabelValues
from errbar.base.arrays import Array
from errbar.data.sources.arrays import CountsSource
from errbar.kernels.bounded_mean import Sample, mean_ends
from errbar.kernels.prediction_powered import Judged
from errbar.metrics import PassAt

LEVEL = 0.95
PICKS = {"A": "model_a", "B": "model_b"}


class GivenLabels(Labels):
    """Labels that are there already, a row per system; the same for any source."""

    def __init__(self, values: Array) -> None:
        super().__init__(CountsSource({}), {}, {}, sampled=False)
        object.__setattr__(self, "rows", values)

    def of(self, data: AlignedValues, system: str) -> LabelValues:
        """The row of a system."""
        rows: Array = self.__dict__["rows"]
        values = rows[data.systems.index(system)]
        return LabelValues(values, np.stack([values, values]), np.ones(values.size), 0)


class WeightedTask(CorrectedTask):
    """Corrected scores with a fixed weight of the judge; None for the estimated weight."""

    best: float | None = None

    def _weight(self, judged: Judged) -> float:
        return super()._weight(judged) if self.best is None else self.best


def task(grades: Array, labels: Array, weight: float | None = None) -> CorrectedTask:
    """Grades and labels of every system, a row each; a missing label is nan."""
    systems, questions = grades.shape
    names = tuple(f"s{at}" for at in range(systems))
    once = np.ones((systems, questions), dtype=np.int64)
    data = AlignedValues(
        task="",
        metric=PassAt(1),
        systems=names,
        parts=(grades,),
        clusters=np.arange(questions),
        clustered=False,
        trials=once,
        correct=None,
        noise=None,
        extremes=None,
        remarks=(),
        refused={},
        everyone=names,
    )
    found = WeightedTask(data, GivenLabels(labels), None)
    found.best = weight
    return found


@dataclass
class Tally:
    """How often an interval held the truth, and how wide it was."""

    held: int = 0
    width: float = 0.0
    number: int = 0

    def add(self, low: float, high: float, truth: float) -> None:
        """Add an interval."""
        self.held += low <= truth <= high
        self.width += high - low
        self.number += 1

    def __str__(self) -> str:
        return f"{100 * self.held / self.number:.1f} | {self.width / self.number:.3f}"


WAYS = ("corrected", "normal PPI++", "labels alone", "judge alone", "oracle")


def tried(
    tallies: dict[str, Tally], grades: Array, labels: Array, truth: float, best: float | None
) -> None:
    """Add the intervals of one data set."""
    found = task(grades[None], labels[None]).score(0)
    tallies["corrected"].add(*found.spread.ends(LEVEL), truth)
    tallies["normal PPI++"].add(*found.judged.normal_ends(found.weight, LEVEL)[1:], truth)
    tallies["labels alone"].add(*found.alone.ends(LEVEL), truth)
    values, often = np.unique(grades, return_counts=True)
    judge = Sample(values, np.ones(values.size), often.astype(float))
    tallies["judge alone"].add(*mean_ends(judge, LEVEL), truth)
    if best is not None:
        oracle = task(grades[None], labels[None], best)
        tallies["oracle"].add(*oracle.score(0).spread.ends(LEVEL), truth)


def games(path: Path) -> tuple[Array, Array]:
    """The judge's picks and the human winners of games: 1 for the first system by name."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    first = min(rows[0]["model_a"], rows[0]["model_b"])
    picks = [float(row[PICKS[row["judge_pick"]]] == first) for row in rows]
    people = [float(row[row["human_winner"]] == first) for row in rows]
    return np.array(picks), np.array(people)


def real(folder: Path, data_sets: int) -> Iterator[str]:
    """Hide human labels at random."""
    for path in sorted(folder.glob("*.json")):
        picks, people = games(path)
        judge = path.stem.rpartition("_")[2]
        for number in (20, 50, 100):
            tallies = {way: Tally() for way in WAYS[:-1]}
            for seed in range(data_sets):
                rng = np.random.default_rng([seed, number])
                shown = rng.permutation(people.size)[:number]
                labels = np.full(people.size, np.nan)
                labels[shown] = people[shown]
                tried(tallies, picks, labels, float(people.mean()), None)
            yield f"| {judge} | {number} | {' | '.join(map(str, tallies.values()))} |"


@dataclass(frozen=True)
class Judge:
    """A judge: how often it is right, by difficulty if `slope` is not 0, and how it grades."""

    name: str
    sensitivity: float
    specificity: float
    slope: float = 0.0  # how much more often it errs on hard questions
    graded: bool = False  # a grade between 0 and 1 in place of a verdict


JUDGES = (
    Judge("perfect", 1.0, 1.0),
    Judge("98% right", 0.98, 0.98),
    Judge("90% right", 0.9, 0.9),
    Judge("lenient", 0.99, 0.6),
    Judge("strict", 0.6, 0.99),
    Judge("worse on hard questions", 0.95, 0.95, slope=0.4),
    Judge("graded", 0.85, 0.85, graded=True),
    Judge("useless", 0.5, 0.5),
)


def judged(judge: Judge, truth: Array, hard: Array, rng: np.random.Generator) -> Array:
    """Grades of answers that are right or wrong, to questions that are hard from 0 to 1."""
    right = np.where(truth > 0, judge.sensitivity, judge.specificity) - judge.slope * hard
    verdict = np.where(rng.random(truth.size) < right, truth, 1.0 - truth)
    if not judge.graded:
        return verdict
    return np.clip(verdict + 0.25 * rng.standard_normal(truth.size), 0.0, 1.0)


def outcomes(base: float, hard: Array, rng: np.random.Generator) -> Array:
    """Right answers with the share `base`, fewer of hard questions; `hard` has the mean 1/2."""
    reach = min(base, 1.0 - base)
    return (rng.random(hard.size) < base + reach * (1.0 - 2.0 * hard)).astype(float)


def best_weight(judge: Judge, base: float, number: int, questions: int) -> float:
    """The weight with the least variance, from a large simulated population."""
    rng = np.random.default_rng(0)
    hard = rng.random(400_000)
    truth = outcomes(base, hard, rng)
    grades = judged(judge, truth, hard, rng)
    slope = float(np.cov(truth, grades)[0, 1] / grades.var()) if grades.var() else 0.0
    return min(max(slope * (questions - number) / questions, 0.0), 1.0)


def grid(data_sets: int, names: Sequence[str] = ()) -> Iterator[str]:
    """Judges of every kind, on questions that are mostly wrong, mixed, or mostly right."""
    questions = 400
    for judge in JUDGES:
        if names and judge.name not in names:
            continue
        for base in (0.1, 0.5, 0.8, 0.95):
            for number in (5, 10, 20, 50, 100):
                best = best_weight(judge, base, number, questions)
                tallies = {way: Tally() for way in WAYS}
                for seed in range(data_sets):
                    rng = np.random.default_rng([seed, number, round(100 * base)])
                    hard = rng.random(questions)
                    truth = outcomes(base, hard, rng)
                    grades = judged(judge, truth, hard, rng)
                    labels = np.where(np.arange(questions) < number, truth, np.nan)
                    tried(tallies, grades, labels, base, best)
                cells = " | ".join(map(str, tallies.values()))
                yield f"| {judge.name} | {base:g} | {number} | {cells} |"


PAIRS = (
    ("fair judge", 0.9, 0.9, 0.0),
    ("favours the first", 0.9, 0.9, 0.3),
    ("perfect judge", 1.0, 1.0, 0.0),
    ("useless judge", 0.5, 0.5, 0.0),
)


def pairs(data_sets: int) -> Iterator[str]:
    """Differences of two systems, 0.7 and 0.6, labelled on the same or on other questions."""
    questions, bases = 400, (0.7, 0.6)
    for name, sensitivity, specificity, favour in PAIRS:
        for same in (True, False):
            for number in (20, 50, 100):
                held, wrong, judge_wrong, width = 0, 0, 0, 0.0
                for seed in range(data_sets):
                    rng = np.random.default_rng([seed, number, same])
                    hard = rng.random(questions)
                    truth = np.stack([outcomes(base, hard, rng) for base in bases])
                    grades = np.stack(
                        [
                            judged(Judge("", sensitivity, specificity - favour * own), t, hard, rng)
                            for t, own in zip(truth, (1.0, 0.0), strict=True)
                        ]
                    )
                    labels = np.full(truth.shape, np.nan)
                    some = rng.permutation(questions)[:number]
                    for row in (0, 1):
                        shown = some if same else rng.permutation(questions)[:number]
                        labels[row, shown] = truth[row, shown]
                    whole = np.ones(questions, dtype=bool)
                    spread, _, _ = task(grades, labels).difference(0, 1, whole)
                    low, high = spread.ends(LEVEL)
                    held += low <= bases[0] - bases[1] <= high
                    wrong += high < 0.0
                    width += high - low
                    gap = grades[0] - grades[1]
                    values, often = np.unique(gap, return_counts=True)
                    sample = Sample(values, np.ones(values.size), often.astype(float), (-1.0, 1.0))
                    ends = mean_ends(sample, LEVEL)
                    judge_wrong += not ends[0] <= bases[0] - bases[1] <= ends[1]
                shares = (100 * count / data_sets for count in (held, wrong, judge_wrong))
                cells = " | ".join(f"{share:.1f}" for share in shares)
                where = "same" if same else "other"
                yield f"| {name} | {where} | {number} | {cells} | {width / data_sets:.3f} |"


HEADS = {
    "real": ["judge", "labels", *(part for way in WAYS[:-1] for part in (f"{way}, %", "width"))],
    "grid": ["judge", "score", "labels", *(p for way in WAYS for p in (f"{way}, %", "width"))],
    "pairs": [
        "judge",
        "questions",
        "labels",
        "held, %",
        "wrong sign, %",
        "judge misses, %",
        "width",
    ],
}


def main(arguments: list[str]) -> None:
    """Print the studies as Markdown tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-sets", type=int, default=1000)
    parser.add_argument("--only", choices=HEADS, default=None)
    known = [judge.name for judge in JUDGES]
    parser.add_argument("--judge", action="append", choices=known, help="of the grid; may repeat")
    parser.add_argument("--games", type=Path, default=None, help="the folder with judged games")
    chosen = parser.parse_args(arguments)
    studies: dict[str, Callable[[], Iterator[str]]] = {
        "real": lambda: real(chosen.games, chosen.data_sets) if chosen.games else iter(()),
        "grid": lambda: grid(chosen.data_sets, chosen.judge or ()),
        "pairs": lambda: pairs(chosen.data_sets),
    }
    for name, rows in studies.items():
        if chosen.only in (None, name):
            print(f"| {' | '.join(HEADS[name])} |\n|{'---|' * len(HEADS[name])}")
            for row in rows():
                print(row, flush=True)
            print()


if __name__ == "__main__":
    main(sys.argv[1:])
