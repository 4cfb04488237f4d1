"""How systems vary together: all of them on the same questions, drawn again and again.

Every draw weighs the questions, or clusters of them, by normal variables, the same for all systems,
so that what two systems share falls out of their difference.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.decide.pairs import Difference
from errbar.decide.values import Together
from errbar.kernels.interval import normal_reach

Array = NDArray[np.floating[Any]]

_DRAWS = 10_000
_AT_ONCE = 1_000


class Pair(NamedTuple):
    """A difference, and which systems it is of."""

    one: int
    other: int
    found: Difference


def common_reach(groups: Sequence[tuple[Together, Sequence[Pair]]], level: float) -> float:
    """How many deviations every interval must reach for all to hold together at the level."""
    if sum(len(pairs) for _, pairs in groups) < 2:
        return normal_reach(level)
    farthest = np.zeros(_DRAWS)
    tasks: dict[str, int] = {}
    for data, pairs in groups:
        # The same seeds, so that a task's questions are weighed alike for every metric.
        task = tasks.setdefault(data.task, len(tasks))
        rngs = (np.random.default_rng([task, at]) for at in range(_DRAWS // _AT_ONCE))
        for at, moved in enumerate(_moved(data, pairs, rngs)):
            block = slice(at * _AT_ONCE, (at + 1) * _AT_ONCE)
            farthest[block] = np.maximum(farthest[block], _farthest(moved, pairs))
    return max(float(np.quantile(farthest, level)), normal_reach(level))


def _moved(
    data: Together, pairs: Sequence[Pair], rngs: Iterable[np.random.Generator]
) -> Iterable[Array]:
    """How far each system moves in each draw, some draws at a time."""
    apart = {
        at: sd
        for one, other, found in pairs
        if found.sds is not None
        for at, sd in zip((one, other), found.sds, strict=True)
    }
    if apart:  # systems are independent, given their questions
        sds = np.array([apart.get(at, 0.0) for at in range(len(data.systems))])
        for rng in rngs:
            yield rng.standard_normal((_AT_ONCE, len(data.systems))) * sds
        return
    number = int(data.clusters.max()) + 1
    off = np.zeros((len(data.systems), number))
    for at in range(len(data.systems)):
        held = data.held(at)
        values = data.values(at, held)
        off[at] = np.bincount(data.clusters[held], values - values.mean(), number) / values.size
    for rng in rngs:
        yield rng.standard_normal((_AT_ONCE, number)) @ off.T


def _farthest(moved: Array, pairs: Sequence[Pair]) -> Array:
    """The largest deviation of a difference in each draw."""
    most = np.zeros(len(moved))
    for one, other, found in pairs:
        if found.sd > 0:
            np.maximum(most, np.abs(moved[:, one] - moved[:, other]) / found.sd, out=most)
    return most
