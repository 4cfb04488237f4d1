"""Time two ways of doing the same work in turn, and compare what they return."""

import gc
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

HEADER = f"{'':<44}{'errbar':>12}{'peer':>12}{'faster':>11}{'apart':>12}"


@dataclass(frozen=True)
class Duel:
    """One piece of work, done by errbar and by a peer."""

    name: str
    ours: float
    theirs: float
    apart: float

    @property
    def ratio(self) -> float:
        """How many times faster errbar is."""
        return self.theirs / self.ours

    def __str__(self) -> str:
        return (
            f"{self.name:<44}{_seconds(self.ours)}{_seconds(self.theirs)}"
            f"{self.ratio:>10.1f}×{self.apart:>12.1e}"
        )


def duel(name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Duel:
    """Best time of each side, in ten alternating turns of 10 ms or one run."""
    apart = _apart(ours(), theirs())
    best = [math.inf, math.inf]
    gc.disable()
    for _ in range(10):
        for side, work in enumerate((ours, theirs)):
            until = time.perf_counter() + 0.01
            while True:
                best[side] = min(best[side], _timed(work)[0])
                if time.perf_counter() > until:
                    break
    gc.enable()
    return Duel(name, best[0], best[1], apart)


def once(name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Duel:
    """For work of minutes: the best of three runs of errbar around one of the peer."""
    first, result = _timed(ours)
    peer, answer = _timed(theirs)
    again = [_timed(ours)[0] for _ in range(2)]
    return Duel(name, min(first, *again), peer, _apart(result, answer))


def geometric_mean(duels: list[Duel]) -> float:
    """Mean ratio, in which twice as fast and half as fast cancel."""
    return math.exp(sum(math.log(d.ratio) for d in duels) / len(duels))


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    answer = work()
    return time.perf_counter() - start, answer


def _apart(mine: Any, other: Any) -> float:
    return float(np.max(np.abs(np.asarray(mine, float) - np.asarray(other, float))))


def _seconds(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:>9.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:>9.2f} ms"
    return f"{seconds:>10.2f} s"
