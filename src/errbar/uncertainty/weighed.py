"""Questions of different weights, one by one, in the states that difficulty is learned from."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.data.statistics import Counts, States, in_order, weights_of

Array = NDArray[np.floating[Any]]


class Weighed(NamedTuple):
    """Questions of different weights: the state and the weight of each."""

    state: NDArray[np.int64]
    weight: Array

    @classmethod
    def of(cls, counts: Counts, states: States) -> "Weighed | None":
        """Every question of the counts, if weights differ."""
        counts = in_order(counts)
        weights = weights_of(counts)
        if weights is None:
            return None
        keys = states.trials * (states.trials.max() + 1) + states.correct
        mine = counts.trials * (states.trials.max() + 1) + counts.correct
        often = counts.repeats().astype(np.int64)
        return cls(np.repeat(np.searchsorted(keys, mine), often), np.repeat(weights, often))

    def powers(self, power: int, states: int) -> Array:
        """The sum of a power of the weights, in each state."""
        return np.bincount(self.state, self.weight**power, states).astype(float)
