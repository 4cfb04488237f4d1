"""Repeated-sampling metrics against scorio 0.2.3: the same matrices, the same numbers.

    scripts/bench                 everything but the slowest curves
    scripts/bench --slow          the whole of it (about twenty minutes, nearly all of it the peer's)
    scripts/bench calls curves    some parts only
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scorio import eval as peer

from benchmarks.stopwatch import HEADER, Duel, duel, geometric_mean, once
from errbar import eval as ours
from errbar.data.matrix import binary_counts
from errbar.evaluate import score

Matrix = NDArray[np.integer[Any]]

BINARY = (
    "pass_at_k pass_hat_k unanimous_at_k g_pass_at_k g_pass_at_k_tau mg_pass_at_k maj_at_k "
    "auc_at_k geom_at_k geom_ds_at_k geo_spectrum_at_k geo_spectrum_star_at_k "
    "threshold_spectrum_at_k"
).split()


def arguments(name: str, k: int) -> tuple[Any, ...]:
    """What a function takes beyond R and k."""
    if name.startswith("g_pass_at_k_tau"):
        return (0.5,)
    if name.startswith("threshold_spectrum"):
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
    duels = []
    for name in [*BINARY, "max_at_k"]:
        for full in (name, f"{name}_ci"):
            extra = arguments(name, k)
            duels.append(
                duel(
                    full,
                    lambda f=full, e=extra: getattr(ours, f)(R, k, *e),  # type: ignore[misc]
                    lambda f=full, e=extra: getattr(peer, f)(R, k, *e),  # type: ignore[misc]
                )
            )
    for full in ("bayes", "bayes_ci", "avg", "avg_ci"):
        duels.append(
            duel(full, lambda f=full: getattr(ours, f)(R), lambda f=full: getattr(peer, f)(R))  # type: ignore[misc]
        )
    return duels


CURVES = {
    "pass@k": "pass_at_k",
    "pass^k": "pass_hat_k",
    "auc@k": "auc_at_k",
    "geom@k": "geom_at_k",
    "geom-ds@k": "geom_ds_at_k",
    "g-pass@k_0.5": "g_pass_at_k_tau",
    "mg-pass@k": "mg_pass_at_k",
    "maj@k": "maj_at_k",
    "geo-spectrum@k": "geo_spectrum_star_at_k",
}
QUICK = ("pass@k", "pass^k", "auc@k", "geom@k", "geom-ds@k")


def curves(slow: bool) -> list[Duel]:
    """k = 1…128 with intervals: 500 questions × 128 trials."""
    R, ks = outcomes(500, 128), range(1, 129)
    duels = []
    for family, name in CURVES.items():
        if not slow and family not in QUICK:
            continue
        compete = duel if family in QUICK else once
        duels.append(
            compete(
                family,
                lambda f=family: np.transpose(ours.curve_ci(f, R, ks)),  # type: ignore[misc]
                lambda n=name: [getattr(peer, f"{n}_ci")(R, k, *arguments(n, k)) for k in ks],  # type: ignore[misc]
            )
        )
    return duels


def systems(slow: bool) -> list[Duel]:
    """20 systems × 120 questions × 80 trials: every binary metric with its interval at seven k."""
    if not slow:
        return []
    matrices = [outcomes(120, 80, seed) for seed in range(20)]
    ks = [1, 2, 4, 8, 16, 32, 64]
    names = (
        "pass@{k} pass^{k} g-pass@{k} g-pass@{k}_0.5 mg-pass@{k} maj@{k} auc@{k} geom@{k} "
        "geom-ds@{k} geo-spectrum@{k} max@{k}"
    ).split()
    functions = (
        "pass_at_k pass_hat_k g_pass_at_k g_pass_at_k_tau mg_pass_at_k maj_at_k auc_at_k "
        "geom_at_k geom_ds_at_k geo_spectrum_at_k max_at_k"
    ).split()

    def mine() -> Any:
        table = score(
            {str(i): binary_counts(R) for i, R in enumerate(matrices)},
            *(name.format(k=k) for name in names for k in ks),
        )
        return [(e.mean, e.sd, e.interval.low, e.interval.high) for e in table]

    def theirs() -> Any:
        return [
            getattr(peer, f"{name}_ci")(R, k, *arguments(name, k))
            for R in matrices
            for name in functions
            for k in ks
        ]

    return [once("20 systems, 11 metrics, 7 k", mine, theirs)]


def million(slow: bool) -> list[Duel]:
    """1,000,000 questions × 64 trials, int8: against a bare scan, and against the peer."""
    rng = np.random.default_rng(0)
    rate = rng.random((1_000_000, 1), dtype=np.float32)
    R = (rng.random((1_000_000, 64), dtype=np.float32) < rate).astype(np.int8)
    print("\nbinary metrics against a bare R.max() and row sums (times the scan, extra memory)")
    for name in [*BINARY, "max_at_k"]:
        for full in (name, f"{name}_ci"):
            extra = arguments(name, 16)
            scan = best(lambda: (R.max(), R.sum(axis=1)))
            took = best(lambda f=full, e=extra: getattr(ours, f)(R, 16, *e))  # type: ignore[misc]
            print(f"{full:<44}{took / scan:>9.2f}×")
    C = rng.integers(0, 5, (1_000_000, 64), dtype=np.int8)
    w = np.linspace(0, 1, 5)
    duels = []
    for name, more in (("bayes", ()), ("avg", ()), ("max_at_k", (16,))):
        duels.append(
            once(
                f"{name}, 5 categories",
                lambda n=name, m=more: getattr(ours, n)(C, *m, w=w),  # type: ignore[misc]
                lambda n=name, m=more: getattr(peer, n)(C, *m, w=w),  # type: ignore[misc]
            )
        )
    took = best(lambda: ours.max_at_k_ci(C, 16, w), times=1)
    print(f"{'max_at_k_ci, 5 categories, errbar alone':<44}{took:>10.2f} s")
    if slow:
        duels.append(
            once(
                "max_at_k_ci, 5 categories, first 20,000",
                lambda: ours.max_at_k_ci(C[:20_000], 16, w),
                lambda: peer.max_at_k_ci(C[:20_000], 16, w),
            )
        )
    return duels


def memory(slow: bool) -> list[Duel]:
    """Extra memory at a million questions, each call in a process of its own."""
    del slow
    print("\nextra memory at 1,000,000 × 64, int8")
    for package in ("errbar", "scorio"):
        for call in (
            "pass_at_k_ci(R, 16)", "maj_at_k_ci(R, 16)", "geo_spectrum_at_k_ci(R, 16)",
            "bayes(C, w)", "avg(C, w)", "max_at_k(C, 16, w)", "max_at_k_ci(C, 16, w)",
        ):
            if package == "scorio" and "_ci" in call:
                continue
            print(f"{package + ' ' + call:<44}{extra_memory(package, call):>9.0f} MB", flush=True)
    return []


def extra_memory(package: str, call: str) -> float:
    """Peak of resident memory beyond what stood before the call, in MB."""
    script = (
        "import numpy as np, resource\n"
        f"from {package} import eval\n"
        "import scipy.special\n"
        "rng = np.random.default_rng(0)\n"
        "top = 5 if '(C' in '''" + call + "''' else 2\n"
        "R = C = np.concatenate([rng.integers(0, top, (10_000, 64), dtype=np.int8)] * 100)\n"
        "w = np.linspace(0, 1, 5)\n"
        f"eval.{call.replace('(R', '(R[:100]').replace('(C', '(C[:100]')}\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        f"eval.{call}\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(done.stdout)


def imports(slow: bool) -> list[Duel]:
    """What `import errbar` and the command cost beyond Python itself."""
    del slow
    print("\nstart-up, best of 10")
    for label, command in {
        "python": ["-c", "pass"],
        "import numpy": ["-c", "import numpy"],
        "import numpy, errbar": ["-c", "import numpy, errbar"],
        "import errbar.eval": ["-c", "import errbar.eval"],
        "import scorio.eval": ["-c", "import scorio.eval"],
        "errbar --help": ["-m", "errbar", "--help"],
    }.items():
        took = best(
            lambda c=command: subprocess.run([sys.executable, *c], check=True, capture_output=True),  # type: ignore[misc]
            times=10,
        )
        print(f"{label:<44}{took:>10.3f} s")
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
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="which parts, else all")
    parser.add_argument("--slow", action="store_true", help="with what takes the peer minutes")
    options = parser.parse_args()
    for name in options.parts or PARTS:
        print(f"\n{name}: {PARTS[name].__doc__}\n{HEADER}", flush=True)
        duels = PARTS[name](options.slow)
        for one in duels:
            print(one, flush=True)
        if len(duels) > 1:
            print(f"{'geometric mean':<68}{geometric_mean(duels):>10.1f}×")
            print(f"{'least':<68}{min(d.ratio for d in duels):>10.1f}×")
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
