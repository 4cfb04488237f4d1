"""How often the ranks that are said to be possible hold all true ranks, of 20 systems at once."""

import argparse
import time

import numpy as np
from scipy.special import expit

import errbar

_SYSTEMS = 20
_CELLS = (  # questions, trials, how far strengths lie apart, how much systems differ by question
    (30, 1, 0.0, 0.0),
    (30, 4, 0.0, 0.7),
    (100, 4, 0.0, 0.7),
    (300, 1, 0.0, 0.7),
    (30, 4, 0.3, 0.7),
    (100, 1, 0.3, 0.7),
    (100, 4, 0.3, 0.7),
    (100, 16, 1.0, 0.7),
    (300, 4, 0.3, 0.0),
    (1000, 4, 0.3, 0.7),
)


def contains_true_ranks(
    rng: np.random.Generator, metric: str, cell: tuple[int, int, float, float]
) -> bool:
    """Whether the interval of ranks of every system contains its true rank."""
    questions, trials, apart, own = cell
    strength = rng.normal(0, apart, _SYSTEMS)
    logits = strength[:, None] + rng.normal(0, 1.5, questions)
    rates = expit(logits + rng.normal(0, own, (_SYSTEMS, questions)))
    data = {
        str(at): (rng.random((questions, trials)) < rates[at][:, None]).astype(float)
        for at in range(_SYSTEMS)
    }
    best = 1 + (strength > strength[:, None]).sum(axis=1)  # equal strengths may share all ranks
    worst = _SYSTEMS - (strength < strength[:, None]).sum(axis=1)
    return all(
        row.best_rank <= best[int(row.system)] and worst[int(row.system)] <= row.worst_rank
        for row in errbar.load(data).rank(metric)
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench rank", description=__doc__)
    parser.add_argument("--replicates", type=int, default=400)
    asked = parser.parse_args()
    print("| questions | trials | sd of strengths | metric | all true ranks covered, % | ± |")
    print("|---|---|---|---|---|---|")
    start = time.perf_counter()
    for cell in _CELLS:
        for metric in dict.fromkeys(("avg", f"pass@{cell[1]}")):
            rng = np.random.default_rng([cell[0], cell[1], int(10 * cell[2]), len(metric)])
            share = float(
                np.mean([contains_true_ranks(rng, metric, cell) for _ in range(asked.replicates)])
            )
            error = 100 * (share * (1 - share) / asked.replicates) ** 0.5
            print(
                f"| {cell[0]} | {cell[1]} | {cell[2]} | {metric} | {100 * share:.1f} "
                f"| {error:.1f} |",
                flush=True,
            )
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
