"""How systems vary together: all of them on the same questions, drawn again and again.

Every draw weighs the questions, or clusters of them, by normal variables, the same for all systems,
so that what two systems share falls out of their difference.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.decide.pairs import Difference
from errbar.decide.values import Together
from errbar.kernels.interval import normal_reach

Array = NDArray[np.floating[Any]]

_DRAWS = 10_000
_AT_ONCE = 1_000
_ALMOST = 1e-9  # of how far two systems move: they move alike but for rounding


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
        steps = _steps(data, pairs)
        for at in range(0, _DRAWS, _AT_ONCE):
            rng = np.random.default_rng([task, at])
            moved = rng.standard_normal((_AT_ONCE, steps.shape[1])) @ steps.T
            block = farthest[at : at + _AT_ONCE]
            np.maximum(block, _farthest(moved, steps, pairs), out=block)
    return max(float(np.quantile(farthest, level)), normal_reach(level))


def _steps(data: Together, pairs: Sequence[Pair]) -> Array:
    """How far each system moves with the weight of each cluster, or with its own luck."""
    apart = {
        at: sd
        for one, other, found in pairs
        if found.sds is not None
        for at, sd in zip((one, other), found.sds, strict=True)
    }
    systems = len(data.systems)
    if apart:  # systems are independent, given their questions
        steps = np.zeros((systems, systems))
        for place, at in enumerate(sorted(apart, key=lambda at: data.systems[at])):
            steps[at, place] = apart[at]
        return steps
    number = int(data.clusters.max()) + 1
    steps = np.zeros((systems, number))
    for at in range(systems):
        held = data.held(at)
        values = data.values(at, held)
        steps[at] = np.bincount(data.clusters[held], values - values.mean(), number) / values.size
    return steps


def _farthest(moved: Array, steps: Array, pairs: Sequence[Pair]) -> Array:
    """The largest deviation of a difference in each draw.

    Deviations are those of the draws: where systems share some of their questions only, each moves
    by all of its own.
    """
    most = np.zeros(len(moved))
    size = np.linalg.norm(steps, axis=1)
    for one, other, _ in pairs:
        sd = np.linalg.norm(steps[one] - steps[other])
        if sd > _ALMOST * (size[one] + size[other]):
            np.maximum(most, np.abs(moved[:, one] - moved[:, other]) / sd, out=most)
    return most
