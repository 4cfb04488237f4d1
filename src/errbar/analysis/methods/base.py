"""The interface of interval methods, and states of questions with different weights."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from errbar.base.arrays import Array, Integers
from errbar.base.remarks import way_to_say
from errbar.data.counts import Counts, CountsByState, States, sort_for_rounding, weights_of
from errbar.errors import InputError
from errbar.metrics.means import AnyCounts, CountMetric
from errbar.results.estimate import Interval

Systems = Sequence[AnyCounts]


class Cell(NamedTuple):
    """One metric of one system."""

    value: float  # observed score
    mean: float
    sd: float
    interval: Interval
    reason: str = ""  # why something is missing or has no effect


class Method(ABC):
    """Base class of interval methods."""

    __slots__ = ()
    level: float

    @abstractmethod
    def cells(
        self, systems: Sequence[AnyCounts], metrics: Sequence[CountMetric]
    ) -> list[list[Cell]]:
        """A row per metric, a column per system."""

    @abstractmethod
    def describe(
        self, metrics: Sequence[CountMetric], systems: Systems = (), *, within: bool = True
    ) -> str:
        """Name the method of the intervals of `metrics`.

        `within` says that no metric draws more trials than its questions have.
        """


def require_no_weights(what: str, *systems: AnyCounts) -> None:
    """Refuse weights of questions where they are not supported."""
    if any(weights_of(counts) is not None for counts in systems):
        refuse_weights_in(what)


def refuse_weights_in(what: str) -> None:
    """Raise the error that weights are not supported."""
    raise InputError(
        f"questions have different weights, and {what} takes none. Ignore the weights: "
        f"{way_to_say('--map weight=', 'weight=None')}"
    )


class WeightedStates(NamedTuple):
    """Questions of different weights: the state and the weight of each."""

    state: Integers
    weight: Array

    @classmethod
    def of(cls, counts: Counts, states: States) -> "WeightedStates | None":
        """The states and weights of the questions; None if all weights are equal."""
        counts = sort_for_rounding(counts)
        weights = weights_of(counts)
        if weights is None:
            return None
        keys = states.trials * (states.trials.max() + 1) + states.correct
        keys_of_counts = counts.trials * (states.trials.max() + 1) + counts.correct
        often = counts.repeats().astype(np.int64)
        return cls(
            np.repeat(np.searchsorted(keys, keys_of_counts), often), np.repeat(weights, often)
        )

    def powers(self, power: int, states: int) -> Array:
        """Sum of a power of the weights in each state."""
        return np.bincount(self.state, self.weight**power, states).astype(float)


def without_weights(counts: Counts) -> Counts:
    """Copy of the counts without weights."""
    if not isinstance(counts, CountsByState) or counts.weights is None:
        return counts
    return CountsByState(counts.trials, counts.correct, counts.often, counts.clusters)
