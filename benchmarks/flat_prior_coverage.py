"""How often the documented 95% interval for Pass@k holds the truth, by how difficulty is spread.

    .venv/bin/python -m benchmarks.flat_prior_coverage

200 questions × 16 trials, success rates from Beta(a, a), 400 simulated benchmarks for each a.
"""

import numpy as np

from errbar import eval as functions

QUESTIONS, TRIALS, BENCHMARKS = 200, 16, 400
KS = [1, 8, 16]


def coverage(spread: float, rng: np.random.Generator) -> list[float]:
    """For each k, the share of simulated benchmarks whose interval holds the true Pass@k."""
    held = np.zeros(len(KS))
    for _ in range(BENCHMARKS):
        rate = rng.beta(spread, spread, QUESTIONS)
        outcomes = rng.random((QUESTIONS, TRIALS)) < rate[:, None]
        _, _, low, high = functions.curve_ci("pass@k", outcomes, KS)
        truth = np.array([np.mean(1.0 - (1.0 - rate) ** k) for k in KS])
        held += (low <= truth) & (truth <= high)
    return list(held / BENCHMARKS)


def main() -> None:
    print("success rates".ljust(18) + "".join(f"pass@{k}".rjust(9) for k in KS))
    for spread in (1.0, 0.5, 0.2):
        shares = coverage(spread, np.random.default_rng(0))
        print(f"Beta({spread:g}, {spread:g})".ljust(18) + "".join(f"{s:9.0%}" for s in shares))


if __name__ == "__main__":
    main()
