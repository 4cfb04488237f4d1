"""Repeated tests: how often an unchanged suite fails, and how soon a broken one.

    scripts/bench repeated_tests               # a table for docs/how-to/test-with-pytest.md
    scripts/bench repeated_tests --suites 100

A suite has ten tests with 1, 1, 1, 5 and 20 cases in turn, 16 trials of each case, at_least=0.8.
The verdicts are those of the pytest plug-in; beside them stands the usual check that the observed
rate is at least 0.8. The rate of a test is the mean of the rates of its cases, which differ.
"""

import argparse

import numpy as np

from errbar.integrations.repeated_tests import needed_evidence, verdict_on

AT_LEAST, TRIALS = 0.8, 16
CASES = (1, 1, 1, 5, 20) * 2
SPREAD = 0.15  # a case succeeds this much more or less often than its test, in turn


def rates_of(cases: int, rate: float) -> np.ndarray:
    """Rates of single cases whose mean is `rate`."""
    apart = min(SPREAD, rate, 1.0 - rate) if cases > 1 else 0.0
    shifts = np.where(np.arange(cases) % 2, apart, -apart)
    return rate + shifts - shifts.mean()


def suite(rate: float, rng: np.random.Generator) -> tuple[int, int, int]:
    """Tests that fail by the plug-in, by a fixed threshold, and the trials that were run."""
    needed = needed_evidence(0.95, len(CASES))
    failed = below = used = 0
    for cases in CASES:
        outcomes = rng.random((TRIALS, cases)) < rates_of(cases, rate)
        verdict = verdict_on(outcomes.sum(axis=1).tolist(), cases, AT_LEAST, needed)
        assert verdict is not None
        failed += verdict.decision == "fail"
        below += outcomes.mean() < AT_LEAST
        decided = verdict.decision != "inconclusive"
        used += cases * (verdict.rounds if decided else TRIALS)
    return failed, below, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suites", type=int, default=1000)
    suites = parser.parse_args().suites
    print(
        "| true rate | suites that fail: errbar | fixed threshold | tests that fail: errbar", end=""
    )
    print(" | fixed threshold | trials run |\n|--:|--:|--:|--:|--:|--:|")
    for rate in (0.95, 0.9, 0.85, 0.8, 0.7, 0.5, 0.2):
        rng = np.random.default_rng(int(1000 * rate))
        found = np.array([suite(rate, rng) for _ in range(suites)], dtype=float)
        wholly = 100.0 * (found[:, :2] > 0).mean(axis=0)
        each = 100.0 * found[:, :2].mean(axis=0) / len(CASES)
        run = 100.0 * found[:, 2].mean() / (TRIALS * sum(CASES))
        print(
            f"| {rate} | {wholly[0]:.1f}% | {wholly[1]:.1f}% | {each[0]:.1f}% | {each[1]:.1f}% "
            f"| {run:.0f}% |"
        )


if __name__ == "__main__":
    main()
