"""History of a system: the scores of successive runs, the last change, and a test of drift.

Every run is a system of a source. The test (`kernels.drift`) is about the rate of right answers on
this exact benchmark. If the rates do not change, the probability of a false alarm is bounded for
any number of runs.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from errbar.analysis.score import Errors
from errbar.base.arrays import Array
from errbar.data.queries.named_questions import NamedQuestions
from errbar.errors import InputError
from errbar.kernels.drift import likeliest_start, log_bets, right_tails
from errbar.results.timeline import Drift, DriftDirection

_SIDES: tuple[DriftDirection, DriftDirection] = ("drop", "rise")
_NO_RIGHT = "outcomes are rewards, not right and wrong"


class _Count(NamedTuple):
    """Trials and right answers of a question."""

    trials: int
    right: int

    def plus(self, other: "_Count") -> "_Count":
        return _Count(self.trials + other.trials, self.right + other.right)


def drifts_of(
    named: dict[tuple[str, ...], NamedQuestions], runs: Sequence[str], level: float, errors: Errors
) -> tuple[Drift, ...]:
    """Test every task for drift over the runs, in their order; the tests hold simultaneously."""
    tasks = sorted({task for run, task in named if run in runs})
    needed = 2.0 * len(tasks) / float(f"{1.0 - level:.12g}")  # 1 − 0.95 becomes exactly 0.05
    if not tasks:
        raise InputError("there are no runs to show.")
    drifts = []
    for task in tasks:
        present = [run for run in runs if (run, task) in named]
        parts = [named[run, task] for run in present]
        untested = Drift(task=task, runs=tuple(present), needed=needed, reason=_NO_RIGHT)
        rewards = any(part.slice.other.any() for part in parts)
        drifts.append(untested if rewards else _with_test(untested, parts, errors))
    return tuple(drifts)


def _with_test(drift: Drift, parts: Sequence[NamedQuestions], errors: Errors) -> Drift:
    """Add the test to the description of the runs."""
    p_values = _p_values([_counts(part, errors) for part in parts])
    tested = dict(zip(_SIDES, p_values[:, 1:], strict=True))  # the first has no earlier run
    logs = {side: np.append(0.0, log_bets(each)) for side, each in tested.items()}
    starts = {
        side: drift.runs[1 + likeliest_start(each)] if each.size else ""
        for side, each in tested.items()
    }
    return replace(drift, logs=logs, starts=starts, reason="")


def _counts(part: NamedQuestions, errors: Errors) -> dict[str, _Count]:
    """Trials and right answers by question; a failure is a wrong answer, or left out."""
    trials = part.slice.scored if errors == "missing" else part.slice.trials
    pairs = zip(trials.tolist(), part.slice.right.tolist(), strict=True)
    counts = zip(part.questions, map(_Count._make, pairs), strict=True)
    return {question: count for question, count in counts if count.trials}


def _p_values(runs: Sequence[dict[str, _Count]]) -> Array:
    """P-values of a drop and of a rise at each run; 1 if there is no earlier run."""
    p_values = np.ones((2, len(runs)))
    before: dict[str, _Count] = {}
    for at, counts in enumerate(runs):
        both = [
            (count, count.plus(before[name])) for name, count in counts.items() if name in before
        ]
        if both:
            drawn, trials, right = np.array(
                [(now.trials, total.trials, total.right) for now, total in both]
            ).T
            observed_right = sum(now.right for now, _ in both)
            p_values[:, at] = right_tails(drawn, trials, right, observed_right)
        for name, count in counts.items():
            before[name] = count.plus(before[name]) if name in before else count
    return p_values
