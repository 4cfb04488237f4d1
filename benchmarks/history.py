"""How often a history claims drift: of a system that never changes, and after a change.

`python -m benchmarks.history [SERIES]` simulates series of 60 runs of 60 questions of all
difficulties, 4 trials each, and prints a Markdown table: the share of series in which drift was
ever claimed, and how many runs after the change that took. Beside it stands what people do by eye:
an alarm whenever a run differs from the one before by more than two standard errors.
"""

import sys

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.kernels.drift import log_bets, right_tails

RUNS, QUESTIONS, TRIALS, CHANGED = 60, 60, 4, 20
LEVEL = 0.95


def p_values(right: Integers) -> Array:
    """P-values of a drop and of a rise at each run but the first; `right` has a row per run."""
    drawn = np.full(QUESTIONS, TRIALS)
    totals = np.cumsum(right, axis=0)
    return np.array(
        [
            right_tails(drawn, drawn * (at + 1), totals[at], int(right[at].sum()))
            for at in range(1, len(right))
        ]
    ).T


def first_alarm(right: Integers) -> float:
    """Index of the first run at which drift is claimed; infinity if it never is."""
    needed = np.log(2.0 / (1.0 - LEVEL))
    logs = np.array([log_bets(each) for each in p_values(right)])
    reached = np.flatnonzero((logs >= needed).any(axis=0))
    return float(reached[0] + 1) if reached.size else np.inf


def first_two_errors(right: Integers) -> float:
    """Index of the first run that differs from the one before by two standard errors."""
    rates = right / TRIALS
    means = rates.mean(axis=1)
    error = np.sqrt((rates * (1.0 - rates)).sum(axis=1) / (TRIALS - 1)) / QUESTIONS
    far = np.abs(np.diff(means)) > 2.0 * np.hypot(error[1:], error[:-1])
    reached = np.flatnonzero(far)
    return float(reached[0] + 1) if reached.size else np.inf


def simulated(rng: np.random.Generator, drop: float) -> Integers:
    """Right answers by run and question; the mean falls by `drop` at the run `CHANGED`."""
    rates = rng.beta(0.8, 0.8, QUESTIONS)
    later = np.clip(rates - drop, 0.0, 1.0)
    each = np.where(np.arange(RUNS)[:, None] < CHANGED, rates, later)
    return rng.binomial(TRIALS, each)


def main() -> None:
    series = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    rng = np.random.default_rng(21)
    print("| change of the mean | method | false alarms | detected | median runs to detect |")
    print("|---|---|---|---|---|")
    for drop in (0.0, 0.03, 0.06, 0.12):
        runs = [simulated(rng, drop) for _ in range(series)]
        for name, method in (("history", first_alarm), ("two errors apart", first_two_errors)):
            at = np.array([method(right) for right in runs])
            false = (at < (CHANGED if drop else RUNS)).mean()
            after = at[at >= CHANGED] - CHANGED + 1
            found = np.isfinite(after)
            shown = ["–", "–"]
            if drop:
                median = np.median(after) if after.size else np.inf
                shown = [f"{found.mean():.0%}", f"{median:.0f}" if np.isfinite(median) else "never"]
            print(f"| {-drop:+.2f} | {name} | {false:.1%} | {' | '.join(shown)} |")


if __name__ == "__main__":
    main()
