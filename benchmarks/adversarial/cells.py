"""What is tried: a cell draws data sets with a known truth and asks errbar for an interval."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

LEAST_COVERED = 0.93  # of 95% intervals; a cell is short if it is lower by two standard errors
MOST_WRONG = 0.05  # of verdicts "better" where neither system is
SLACK = 1e-9  # a truth may be 1 − 1e-15, and an end 1


class Tally(NamedTuple):
    """Data sets that were tried, those whose statement was true, and the sum of the widths."""

    tried: int = 0
    true: int = 0
    width: float = 0.0
    short: int = 0  # intervals that end below the truth

    def plus(self, other: "Tally") -> "Tally":
        """Add the data sets of another tally."""
        return Tally(
            self.tried + other.tried,
            self.true + other.true,
            self.width + other.width,
            self.short + other.short,
        )


Tallies = dict[str, Tally]  # by statement


class Cell(NamedTuple):
    """A shape of data. `draw` makes one data set, or several, and judges every statement on it."""

    group: str
    name: str
    draw: Callable[[np.random.Generator, float], Tallies]
    data_sets: int = 1  # that `draw` makes


def added(every: Iterable[Tallies]) -> Tallies:
    """Sums by statement."""
    totals: Tallies = {}
    for tallies in every:
        for name, tally in tallies.items():
            totals[name] = totals.get(name, Tally()).plus(tally)
    return totals


def judge_interval(low: float, high: float, truth: float) -> Tally:
    """Whether an interval holds the truth; one that could not be given does not."""
    holds = low <= truth + SLACK and high >= truth - SLACK
    return Tally(1, int(holds), high - low if high >= low else 0.0, int(high < truth - SLACK))


def as_assumed(found: Tallies, *, met: bool) -> Tallies:
    """Judge scores apart where what is printed beside them is true.

    That no cluster is larger than those observed can be met or not, from data set to data set.
    """
    return found | {f"{name}, as assumed": tally for name, tally in found.items() if met}


def judge_verdict(*, wrong: bool) -> Tally:
    """Whether a verdict is not wrong."""
    return Tally(1, int(not wrong))
