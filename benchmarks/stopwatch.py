"""Time two ways of doing the same work in turn, and compare what they return."""

import gc
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


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


HEADER = f"{'':<44}{'errbar':>12}{'peer':>12}{'faster':>11}{'apart':>12}"


def duel(
    name: str, ours: Callable[[], Any], theirs: Callable[[], Any], least: float = 0.3
) -> Duel:
    """Run both in turn, each for `least` seconds at least, and keep the best of each."""
    apart = _apart(ours(), theirs())
    best = [math.inf, math.inf]
    spent = [0.0, 0.0]
    gc.disable()
    while min(spent) < least:
        for side, work in enumerate((ours, theirs)):
            if spent[side] >= least and spent[1 - side] < least and spent[side] > 20 * least:
                continue
            start = time.perf_counter()
            work()
            took = time.perf_counter() - start
            best[side] = min(best[side], took)
            spent[side] += took
    gc.enable()
    return Duel(name, best[0], best[1], apart)


def once(name: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> Duel:
    """For work of minutes: errbar three times around one run of the peer."""
    took = []
    result = None
    for work in (ours, theirs, ours, ours):
        start = time.perf_counter()
        answer = work()
        took.append(time.perf_counter() - start)
        result = answer if work is theirs else result
    return Duel(name, min(took[0], took[2], took[3]), took[1], _apart(ours(), result))


def geometric_mean(duels: list[Duel]) -> float:
    """Mean ratio, in which twice as fast and half as fast cancel."""
    return math.exp(sum(math.log(d.ratio) for d in duels) / len(duels))


def _apart(mine: Any, other: Any) -> float:
    return float(np.max(np.abs(np.asarray(mine, float) - np.asarray(other, float))))


def _seconds(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:>9.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:>9.2f} ms"
    return f"{seconds:>10.2f} s"
