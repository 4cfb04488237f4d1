"""Whether planned runs show what they were planned for: realised power beside the stated.

    scripts/bench plan                # a table for docs/plan.md; --times 2000 is the default
    scripts/bench plan --times 500

Every cell is planned for 80 % power. Then success rates of both systems, their trials and the test
of `errbar compare` are simulated one by one, with nothing of what the plan computed but the number
of questions and the shift of log odds. For widths, every interval is that of simulated counts.
"""

import argparse
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from benchmarks.coverage.difficulties import DIFFICULTIES
from errbar import Counts
from errbar.analysis.methods import Calibrated
from errbar.analysis.plan import Difficulty
from errbar.analysis.plan.goals import DetectDifference, Goal, Width
from errbar.kernels.sign_flip import evidence
from errbar.metrics import CountMetric, parse

TARGET, LEVEL, REACH = 0.8, 0.95, 1.959963984540054
METRICS = ("avg", "pass@4", "pass^4", "maj@5")
DIFFERENCES = (0.02, 0.05, 0.1, 0.2)
WIDTHS = (0.05, 0.1, 0.2)
TRIALS = (1, 4, 16)
MOST = 20_000  # questions that are simulated


class Cell(NamedTuple):
    """One planned run."""

    goal: Goal
    asked: float
    difficulty: str
    trials: int
    questions: int

    @property
    def stated(self) -> float:
        """The power that the plan states."""
        return self.goal.power(self.questions, self.trials)


def cells(kind: type[Goal]) -> Iterator[Cell]:
    """Every combination that is possible."""
    for name in METRICS:
        metric = parse(name)
        assert isinstance(metric, CountMetric)
        for difficulty in DIFFICULTIES:
            spread = Difficulty.of(difficulty)
            for asked in DIFFERENCES if kind is DetectDifference else WIDTHS:
                goal: Goal
                if kind is DetectDifference:
                    goal = DetectDifference(metric, spread, LEVEL, 0, asked, 1.0)
                    if not goal.is_possible:
                        continue
                else:
                    goal = Width(metric, spread, LEVEL, 0, asked)
                for trials in TRIALS:
                    if trials < metric.draws:
                        continue
                    questions = goal.least(TARGET, trials)
                    if questions is not None and questions <= MOST:
                        yield Cell(goal, asked, difficulty, trials, questions)


def realised(cell: Cell, rng: np.random.Generator, times: int) -> float:
    """Share of simulated runs that show what was asked."""
    shown = [_shows(cell, rng) for _ in range(times)]
    return float(np.mean(shown))


def _shows(cell: Cell, rng: np.random.Generator) -> bool:
    goal, n, questions = cell.goal, cell.trials, cell.questions
    rates = DIFFICULTIES[cell.difficulty].draw(rng, (questions,))
    right = rng.binomial(n, rates)
    if isinstance(goal, Width):
        counts = Counts(np.full(questions, n), right)
        interval = Calibrated(level=LEVEL).cells([counts], [goal.metric])[0][0].interval
        return interval.high - interval.low <= goal.width
    assert isinstance(goal, DetectDifference)
    with np.errstate(divide="ignore"):
        odds = np.log(rates) - np.log1p(-rates)
    others = 1.0 / (1.0 + np.exp(-odds - rng.normal(goal.shift, goal.disagreement, questions)))
    values = goal.values(n)
    return evidence(values[rng.binomial(n, others)] - values[right]) >= REACH


def table(kind: type[Goal], times: int, seed: int) -> None:
    """Print every cell, and how far off they are."""
    rng, off, few = np.random.default_rng(seed), [], []
    what = "difference" if kind is DetectDifference else "width"
    print(f"| metric | difficulty | {what} | trials | questions | stated | realised |")
    print("|---|---|---:|---:|---:|---:|---:|", flush=True)
    for cell in cells(kind):
        found, stated = realised(cell, rng, times), cell.stated
        off.append(found - stated)
        few.append(cell.questions < 50)
        print(
            f"| {cell.goal.metric} | {cell.difficulty} | {cell.asked} | {cell.trials} "
            f"| {cell.questions:,} | {100 * stated:.1f} | {100 * found:.1f} |",
            flush=True,
        )
    size = 100 * np.abs(off)
    print(
        f"\n{len(off)} cells of {times} runs, {sum(few)} of them with fewer than 50 questions: off "
        f"by {size.mean():.2f} points on average, {size.max():.1f} at most; "
        f"{100 * np.mean(size <= 3):.1f} % within 3 points.\n",
        flush=True,
    )


def main() -> None:
    """Both tables."""
    parser = argparse.ArgumentParser(description="Realised power beside the stated.")
    parser.add_argument("--times", type=int, default=2000, help="simulated runs per difference")
    parser.add_argument("--widths", type=int, default=2000, help="simulated runs per width")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if given.times:
        table(DetectDifference, given.times, given.seed)
    if given.widths:
        table(Width, given.widths, given.seed)


if __name__ == "__main__":
    main()
