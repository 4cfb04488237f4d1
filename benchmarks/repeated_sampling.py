"""Repeated-sampling metrics against scorio 0.2.3: the same matrices, the same numbers.

    scripts/bench                 everything but what takes the peer minutes
    scripts/bench --slow          everything: half an hour, nearly all of it for the peer
    scripts/bench calls curves    some parts only

Both sides run in one process, in turn; "apart" is the largest difference between their results.
"""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scorio import eval as peer

from benchmarks.stopwatch import HEADER, Duel, duel, geometric_mean, once
from errbar import eval as ours
from errbar.analysis.evaluate import score
from errbar.data.matrices import binary_counts

Matrix = NDArray[np.integer[Any]]

FUNCTIONS = {
    "pass_at_k": "pass@k",
    "pass_hat_k": "pass^k",
    "g_pass_at_k": "g-pass@k",
    "g_pass_at_k_tau": "g-pass@k_0.5",
    "mg_pass_at_k": "mg-pass@k",
    "maj_at_k": "maj@k",
    "auc_at_k": "auc@k",
    "max_at_k": "max@k",
    "geom_at_k": "geom@k",
    "geom_ds_at_k": "geom-ds@k",
    "geo_spectrum_at_k": "geo-spectrum@k",
}
ONLY_AS_FUNCTIONS = ["unanimous_at_k", "geo_spectrum_star_at_k", "threshold_spectrum_at_k"]
QUICK_CURVES = ["pass_at_k", "pass_hat_k", "g_pass_at_k", "auc_at_k", "geom_at_k", "geom_ds_at_k"]


def more(name: str, k: int) -> tuple[Any, ...]:
    """What a function takes beyond R and k."""
    if name == "g_pass_at_k_tau":
        return (0.5,)
    if name == "threshold_spectrum_at_k":
        return (np.full(k, 1.0 / k),)
    return ()


def outcomes(questions: int, trials: int, seed: int = 0) -> Matrix:
    """Right or wrong, with success rates spread evenly."""
    rng = np.random.default_rng(seed)
    rate = rng.random((questions, 1))
    return (rng.random((questions, trials)) < rate).astype(np.int64)


def calls(slow: bool) -> list[Duel]:
    """Every function once: 1000 questions × 64 trials, k = 16."""
    del slow
    R, k = outcomes(1000, 64), 16
    work: dict[str, tuple[Any, ...]] = {}
    for name in [*FUNCTIONS, *ONLY_AS_FUNCTIONS]:
        work[name] = work[f"{name}_ci"] = (R, k, *more(name, k))
    work["tailpass_empirical"] = (R, k)
    for name in ("bayes", "avg"):
        work[name] = work[f"{name}_ci"] = (R,)
    found = [
        duel(name, partial(getattr(ours, name), *given), partial(getattr(peer, name), *given))
        for name, given in work.items()
    ]
    found.append(duel("tailpass", partial(profile, ours), partial(profile, peer)))
    return found


def profile(library: Any) -> Any:
    """A TailPass profile with its standard deviations: 100 questions × 32 trials, k = 8."""
    found = library.tailpass(outcomes(100, 32), 8)
    return np.concatenate([found.mean, found.std])


def curves(slow: bool) -> list[Duel]:
    """k = 1…128 with intervals: 500 questions × 128 trials, the peer called for each k."""
    R, ks = outcomes(500, 128), range(1, 129)

    def mine(family: str) -> Any:
        return np.transpose(ours.curve_ci(family, R, ks))

    def theirs(name: str) -> Any:
        return [getattr(peer, f"{name}_ci")(R, k, *more(name, k)) for k in ks]

    return [
        (duel if name in QUICK_CURVES else once)(
            family, partial(mine, family), partial(theirs, name)
        )
        for name, family in FUNCTIONS.items()
        if slow or name in QUICK_CURVES
    ]


def systems(slow: bool) -> list[Duel]:
    """20 systems × 120 questions × 80 trials: every binary metric with its interval at seven k."""
    if not slow:
        return []
    matrices = [outcomes(120, 80, seed) for seed in range(20)]
    ks = [1, 2, 4, 8, 16, 32, 64]

    def mine() -> Any:
        runs = {str(number): binary_counts(R) for number, R in enumerate(matrices)}
        names = [re.sub("(?<=[@^])k", str(k), name) for name in FUNCTIONS.values() for k in ks]
        return [(e.mean, e.sd, e.interval.low, e.interval.high) for e in score(runs, *names)]

    def theirs() -> Any:
        return [
            getattr(peer, f"{name}_ci")(R, k, *more(name, k))
            for R in matrices
            for name in FUNCTIONS
            for k in ks
        ]

    return [once(f"20 systems, {len(FUNCTIONS)} metrics, 7 k", mine, theirs)]


def million(slow: bool) -> list[Duel]:
    """1,000,000 questions × 64 trials, int8: against a bare scan, and against the peer."""
    rng = np.random.default_rng(0)
    rate = rng.random((1_000_000, 1), dtype=np.float32)
    R = (rng.random((1_000_000, 64), dtype=np.float32) < rate).astype(np.int8)
    print("times a bare R.max() and R.sum(axis=1), errbar alone:")
    for name in [*FUNCTIONS, *ONLY_AS_FUNCTIONS]:
        for full in (name, f"{name}_ci"):
            scan = best(lambda: (R.max(), R.sum(axis=1)))
            took = best(partial(getattr(ours, full), R, 16, *more(name, 16)))
            print(f"{full:<44}{took / scan:>10.2f}×", flush=True)
    C = rng.integers(0, 5, (1_000_000, 64), dtype=np.int8)
    w = np.linspace(0, 1, 5)
    took = best(partial(ours.max_at_k_ci, C, 16, w), times=2)
    print(f"{'max_at_k_ci, 5 categories, errbar alone':<44}{took:>10.2f} s", flush=True)
    given: dict[str, tuple[Any, ...]] = {"bayes": (C, w), "avg": (C, w), "max_at_k": (C, 16, w)}
    if slow:
        given["max_at_k_ci"] = (C[:50_000], 16, w)
    return [
        once(
            f"{name}, 5 categories, {len(arguments[0]):,} questions",
            partial(getattr(ours, name), *arguments),
            partial(getattr(peer, name), *arguments),
        )
        for name, arguments in given.items()
    ]


def memory(slow: bool) -> list[Duel]:
    """Extra memory at 1,000,000 questions × 64 trials, int8, each call in its own process."""
    del slow
    binary = [f"{name}{ci}" for name in FUNCTIONS for ci in ("", "_ci")]
    given = {name: f"R, 16{', 0.5' if 'tau' in name else ''}" for name in binary}
    given |= {"bayes": "C, w", "avg": "C, w", "max_at_k": "C, 16, w", "max_at_k_ci": "C, 16, w"}
    for name, arguments in given.items():
        print(
            f"{f'errbar {name}({arguments})':<44}{extra_memory('errbar', name, arguments):>9.0f} MB"
        )
    for name in ("bayes", "avg", "max_at_k"):
        print(f"{f'scorio {name}(C…)':<44}{extra_memory('scorio', name, given[name]):>9.0f} MB")
    return []


def extra_memory(package: str, name: str, arguments: str) -> float:
    """Peak of what the call allocates, in MB."""
    script = f"""
import tracemalloc
import numpy as np
from {package} import eval
rng = np.random.default_rng(0)
R = C = rng.integers(0, {5 if arguments[0] == "C" else 2}, (1_000_000, 64), dtype=np.int8)
w = np.linspace(0, 1, 5)
eval.{name}({arguments.replace("R", "R[:100]").replace("C", "C[:100]")})
tracemalloc.start()
eval.{name}({arguments})
print(tracemalloc.get_traced_memory()[1] / 2**20)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(run.stdout)


def imports(slow: bool) -> list[Duel]:
    """What `import errbar` and the command cost, best of ten."""
    del slow
    for label, command in {
        "python": ["-c", "pass"],
        "import numpy": ["-c", "import numpy"],
        "import numpy, errbar": ["-c", "import numpy, errbar"],
        "import errbar.eval": ["-c", "import errbar.eval"],
        "import scorio.eval": ["-c", "import scorio.eval"],
        "errbar --help": ["-m", "errbar", "--help"],
    }.items():
        start = partial(subprocess.run, [sys.executable, *command], check=True, capture_output=True)
        print(f"{label:<44}{best(start, times=10):>10.3f} s")
    return []


def best(work: Callable[[], Any], times: int = 3) -> float:
    """Least time of a few runs."""
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return min(took)


PARTS: dict[str, Callable[[bool], list[Duel]]] = {
    "calls": calls,
    "curves": curves,
    "systems": systems,
    "million": million,
    "memory": memory,
    "imports": imports,
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("parts", nargs="*", help=f"some of: {', '.join(PARTS)}")
    parser.add_argument("--slow", action="store_true", help="with what takes the peer minutes")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {sorted(unknown)[0]!r}; there are {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__}", flush=True)
        duels = PARTS[name](options.slow)
        if duels:
            print(HEADER)
        for each in duels:
            print(each, flush=True)
        if len(duels) > 1:
            print(f"{'geometric mean':<68}{geometric_mean(duels):>10.1f}×")
            print(f"{'least':<68}{min(d.ratio for d in duels):>10.1f}×", flush=True)


if __name__ == "__main__":
    main()
