"""How systems vary together: all of them on the same questions, drawn again and again.

Every draw weighs the questions, or clusters of them, by normal variables, the same for all systems,
so that what two systems share falls out of their difference.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.decide.pairs import Difference
from errbar.decide.values import Together, mean_of
from errbar.kernels.interval import normal_reach

Array = NDArray[np.floating[Any]]

_DRAWS = 10_000
_AT_ONCE = 1_000
_ROUNDING = 1e-12  # of the squares of how far two systems move: they move alike


class Pair(NamedTuple):
    """A difference, and which systems it is of."""

    one: int
    other: int
    found: Difference


class Moving(NamedTuple):
    """How far each system moves with each random weight, and the pairs that matter."""

    steps: Array  # systems × weights
    pairs: NDArray[np.intp]  # a row for each
    seed: int = 0  # the same for what is weighed alike


def common_reach(groups: Sequence[tuple[Together, Sequence[Pair]]], level: float) -> float:
    """How many deviations every interval must reach for all to hold together at the level."""
    tasks: dict[str, int] = {}  # questions of a task are weighed alike for every metric
    moving = [
        Moving(
            _steps(data, pairs),
            np.array([(one, other) for one, other, _ in pairs]),
            tasks.setdefault(data.task, len(tasks)),
        )
        for data, pairs in groups
    ]
    return reach_of(moving, level)


def reach_of(groups: Sequence[Moving], level: float) -> float:
    """How many deviations no difference exceeds with a chance of the level.

    Deviations are those of the draws: where systems share some of their questions only, each moves
    by all of its own.
    """
    if sum(len(pairs) for _, pairs, _ in groups) < 2:
        return normal_reach(level)
    farthest = np.zeros(_DRAWS)
    for steps, pairs, seed in groups:
        one, other = pairs.T
        sd = apart(steps)[one, other]
        one, other, sd = one[sd > 0], other[sd > 0], sd[sd > 0]
        for at in range(0, _DRAWS, _AT_ONCE):
            moved = drawn(steps, np.random.default_rng([seed, at]))
            block = farthest[at : at + _AT_ONCE]
            off = np.abs(moved[:, one] - moved[:, other]) / sd
            np.maximum(block, off.max(axis=1, initial=0.0), out=block)
    return max(float(np.quantile(farthest, level)), normal_reach(level))


def drawn(steps: Array, rng: np.random.Generator) -> Array:
    """How far each system moves, in some draws."""
    return rng.standard_normal((_AT_ONCE, steps.shape[1])) @ steps.T


def draws_of(steps: Array, seed: int) -> Array:
    """The same in all draws."""
    parts = range(_DRAWS // _AT_ONCE)
    return np.concatenate([drawn(steps, np.random.default_rng([seed, at])) for at in parts])


def apart(rows: Array) -> Array:
    """The root of the sum of squares of each row less each other."""
    products = rows @ rows.T
    own = np.diag(products)
    square = own[:, None] + own - 2.0 * products
    square[square < _ROUNDING * (own[:, None] + own)] = 0.0
    root: Array = np.sqrt(square)
    return root


def _steps(data: Together, pairs: Sequence[Pair]) -> Array:
    """How far each system moves with the weight of each cluster, or with its own luck."""
    luck = {
        at: sd
        for one, other, found in pairs
        if found.sds is not None
        for at, sd in zip((one, other), found.sds, strict=True)
    }
    systems = len(data.systems)
    if luck:  # systems are independent, given their questions
        steps = np.zeros((systems, systems))
        for place, at in enumerate(sorted(luck, key=lambda at: data.systems[at])):
            steps[at, place] = luck[at]
        return steps
    number = int(data.clusters.max()) + 1
    steps = np.zeros((systems, number))
    for at in range(systems):
        held = data.held(at)
        values = data.values(at, held)
        weights = data.weighing(held)
        off = values - mean_of(values, weights)
        size: float = values.size
        if weights is not None:
            off, size = off * weights, float(weights.sum())
        steps[at] = np.bincount(data.clusters[held], off, number) / size
    return steps
