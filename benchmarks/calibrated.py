"""What calibrated intervals cost, after counts.

    scripts/bench calibrated

One system of a million questions × 64 trials, metric by metric, for both targets; twenty systems of
500 questions × 64 trials with eight metrics. Seconds of one core, and their ratio to the documented
intervals of the same data, best of three.
"""

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from errbar import Counts, score
from errbar.analysis.methods import Calibrated, Method, Posterior
from errbar.data.counts import CountsByState, States
from errbar.results.estimate import Estimand

EIGHT = (
    *("avg", "pass@16", "pass^16", "g-pass@16_0.5"),
    *("maj@16", "auc@16", "geom@16", "max@16"),
)
METHODS: dict[str, Method] = {
    "documented": Posterior(),
    "population": Calibrated(),
    "benchmark": Calibrated(Estimand.BENCHMARK),
    "rerun": Calibrated(Estimand.RERUN),
}


def seconds(work: Callable[[], object]) -> float:
    """The best of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def line(name: str, work: Callable[[Method], object]) -> None:
    """Every method on the same work."""
    taken = {kind: seconds(partial(work, method)) for kind, method in METHODS.items()}
    base = taken.pop("documented")
    cells = (f"{kind} {time_:6.3f} s ({time_ / base:5.0f}×)" for kind, time_ in taken.items())
    print(f"{name:26} documented {base:6.3f} s   {'   '.join(cells)}", flush=True)


def _scored(
    systems: Counts | dict[str, Counts], metrics: tuple[str, ...], method: Method
) -> object:
    return score(systems, *metrics, method=method)


def main() -> None:
    rng = np.random.default_rng(0)
    rates = rng.beta(0.5, 0.7, 1_000_000)
    states = States.of([Counts(np.full(rates.size, 64), rng.binomial(64, rates))])
    often = states.questions[0].astype(np.int64)
    many = CountsByState(states.trials, states.correct, often)
    score(many, "geom@2")  # what is loaded when first needed
    print("1,000,000 questions × 64 trials, after counts")
    for name in EIGHT:
        line(name, partial(_scored, many, (name,)))
    systems = {
        str(at): Counts(np.full(500, 64), rng.binomial(64, rng.beta(0.5, 0.7, 500)))
        for at in range(20)
    }
    print("20 systems × 500 questions × 64 trials")
    line("eight metrics", partial(_scored, systems, EIGHT))


if __name__ == "__main__":
    main()
