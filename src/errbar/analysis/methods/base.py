"""What every interval method provides: cells of a table, a description; weights of questions."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array
from errbar.base.remarks import way_to_say
from errbar.data.counts import Counts, CountsByState, States, in_order, weights_of
from errbar.errors import InputError
from errbar.metrics.base import AnyCounts, CountMetric, Metric
from errbar.results.estimate import Estimate, Interval, Subject


class Summary(NamedTuple):
    """Mean, standard deviation and ends."""

    mean: float
    sd: float
    low: float
    high: float

    def stretched(self, factor: float) -> "Summary":
        """Multiply the sd and the distance of both ends from the mean by a factor."""
        low, high = (self.mean + factor * (end - self.mean) for end in (self.low, self.high))
        return Summary(self.mean, factor * self.sd, low, high)

    def within(self, low: float, high: float) -> "Summary":
        """Clip to bounds; a distribution between them has an sd of at most half their distance."""
        ends = (min(max(end, low), high) for end in (self.low, self.high))
        return Summary(self.mean, min(self.sd, 0.5 * (high - low)), *ends)


def combined(parts: Sequence[tuple[float, Summary]]) -> Summary:
    """Weighted mean of independent estimates, by MOVER (Zou and Donner 2008).

    Squared distances from the means to the ends add up.
    """
    if len(parts) == 1:
        return parts[0][1]
    weights = np.array([weight for weight, _ in parts])
    mean, sd, low, high = np.array([part for _, part in parts]).T
    whole = float(weights @ mean)
    spread, below, above = (
        math.hypot(*(weights * off).tolist()) for off in (sd, mean - low, high - mean)
    )
    return Summary(whole, spread, whole - below, whole + above)


class Imagined(NamedTuple):
    """Simulated data, with the rates that are true of them."""

    counts: CountsByState
    again: CountsByState  # the same questions in a rerun
    rates: Array
    weights: Array  # of the rates; they add up to one


class Cell(NamedTuple):
    """One metric of one system."""

    value: float  # from the observed trials
    mean: float
    sd: float
    interval: Interval
    reason: str = ""  # what is to be said of it

    def estimate(self, of: Subject, metric: Metric, questions: int, trials: int) -> Estimate:
        """The estimate of a metric of a subject, which has so many questions and trials."""
        sizes = {"questions": questions, "trials": trials}
        return Estimate(of=of, metric=metric, **{**self._asdict(), **sizes})


class Method(ABC):
    """A way of making intervals, passed as one value."""

    __slots__ = ()
    level: float

    @abstractmethod
    def cells(
        self, systems: Sequence[AnyCounts], metrics: Sequence[CountMetric]
    ) -> list[list[Cell]]:
        """A row per metric, a column per system."""

    @abstractmethod
    def describe(
        self,
        metrics: Sequence[CountMetric],
        systems: Sequence[AnyCounts] = (),
        *,
        within: bool = True,
    ) -> str:
        """How the intervals of `metrics` are made from these systems, in words.

        `within` says that no metric draws more trials than its questions have.
        """


def require_no_weights(what: str, *systems: AnyCounts) -> None:
    """Refuse questions of different weights where these have no meaning."""
    if any(weights_of(counts) is not None for counts in systems):
        refuse_weights_in(what)


def refuse_weights_in(what: str) -> None:
    """Say that questions have weights, and that something takes none."""
    raise InputError(
        f"questions have different weights, and {what} takes none. Do without them: "
        f"{way_to_say('--map weight=', 'weight=None')}"
    )


def require_bounds(bounds: tuple[float, float] | None) -> None:
    """Refuse bounds of rewards that are not a lower and a higher finite number."""
    if bounds is None:
        return
    if len(bounds) != 2 or not all(map(math.isfinite, bounds)) or not bounds[0] < bounds[1]:
        option = way_to_say("--bounds", "bounds")
        raise InputError(
            f"{option} must be the lowest and the highest possible reward; got {bounds}."
        )


def require_all(in_all: int | None, asked: int) -> None:
    """Refuse a number of all questions that is below that of those asked."""
    if in_all is not None and in_all < asked:
        raise InputError(
            f"questions_in_all is {in_all}, but {asked} questions were asked; give the number of "
            f"all there are."
        )


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
