"""k beyond the trials: how often bounds over all distributions of difficulty hold the truth."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.difficulties import DIFFICULTIES
from benchmarks.coverage.grid import LEVEL, Unit
from benchmarks.coverage.methods import Ends, Systems
from benchmarks.coverage.unit import benchmark, judged, population
from errbar.analysis.methods.learned import DifficultyPosterior
from errbar.analysis.methods.population import Summary
from errbar.metrics import AreaUnderPass, CountMetric, CreditMetric, PassAt, PassHat

Array = NDArray[np.floating[Any]]

QUESTIONS = (30, 200, 1000)
TRIALS = (4, 16)
TIMES = (2, 4, 8)
_TOGETHER = 50


def run(replicates: int, only: Sequence[str] = ()) -> None:
    """Print coverage and width of both targets, for each k as a multiple of the trials."""
    kinds = ("pass@k", "pass^k", "auc@k")
    heads = [f"{kind} {times}N" for kind in kinds for times in TIMES]
    print(f"Coverage in per cent, mean width behind it; {replicates} data sets\n")
    print("| target | difficulty | M | N |", " | ".join(heads), "|")
    print("|---|---|--:|--:|" + "--:|" * len(heads))
    for name in DIFFICULTIES:
        for trials in TRIALS:
            for questions in QUESTIONS:
                unit = Unit(name, questions, trials)
                if only and not any(str(unit).startswith(each) for each in only):
                    continue
                for target, shares in zip(
                    ("population", "benchmark"), shares_of(unit, replicates), strict=True
                ):
                    said = [f"{100 * (1 - b - a):.1f} {w:.3f}" for b, a, w, _ in shares.T]
                    start = f"| {target} | {name} | {questions} | {trials} |"
                    print(start, " | ".join(said), "|", flush=True)


def shares_of(unit: Unit, replicates: int) -> Array:
    """Shares below and above, and the width: target × these × metric."""
    kinds: tuple[type[CreditMetric], ...] = (PassAt, PassHat, AreaUnderPass)
    metrics: list[CountMetric] = [kind(times * unit.trials) for kind in kinds for times in TIMES]
    difficulty = DIFFICULTIES[unit.difficulty]
    which = list(DIFFICULTIES).index(unit.difficulty)
    rng = np.random.default_rng([22, which, unit.questions, unit.trials])
    everywhere = population(difficulty, metrics)[:, None]
    totals = np.zeros((2, 4, len(metrics)))
    for first in range(0, replicates, _TOGETHER):
        rates = difficulty.draw(rng, (min(_TOGETHER, replicates - first), unit.questions))
        systems = Systems(unit.trials, rng.binomial(unit.trials, rates))
        known = DifficultyPosterior.of(systems.each, [rng] * len(systems.each), most_chains=1)
        found = ends([[each.beyond(metric, LEVEL) for each in known] for metric in metrics])
        totals[0] += judged(found, everywhere)
        totals[1] += judged(found, benchmark(rates, metrics))
    return totals / replicates


def ends(found: list[list[Summary]]) -> Ends:
    """Their ends: a row per metric, a column per system."""
    return Ends(
        np.array([[each.low for each in row] for row in found]),
        np.array([[each.high for each in row] for row in found]),
    )
