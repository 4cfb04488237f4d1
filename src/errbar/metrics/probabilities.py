"""Metrics of stated probabilities: proper scores of the confidence that an answer is right.

Each is the mean over answers of a penalty, a function of the probability that was stated for the
observed result. Rows without an answer state no probability, and are left out.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn

import narwhals.stable.v2 as nw

from errbar.base.arguments import number
from errbar.errors import InputError, WrongType
from errbar.metrics.base import AnyCounts, Direction, Needs, register, set_fields
from errbar.metrics.categories import RIGHT_OR_WRONG, OutcomeMean


class ProbabilityMetric(OutcomeMean):
    """A mean of penalties for stated probabilities."""

    needs: ClassVar[Needs] = Needs.PROBABILITY
    direction: ClassVar[Direction] = Direction.LOWER
    weights: ClassVar[tuple[float, ...]] = RIGHT_OR_WRONG  # type: ignore[misc]  # no field here

    @abstractmethod
    def penalty(self, stated: nw.Expr) -> nw.Expr:
        """The penalty, given the probability that was stated for the observed result."""

    def forbids(self, stated: nw.Expr) -> nw.Expr | None:
        """Which stated probabilities have no finite penalty; None if all have one."""
        del stated
        return None

    @classmethod
    def statistics(cls, systems: Sequence[AnyCounts]) -> NoReturn:
        """Refused: counts have no probabilities."""
        del systems
        raise WrongType(f"{cls.head} needs the confidence of each answer, which counts do not hold")


@register("brier")
@dataclass(frozen=True)
class Brier(ProbabilityMetric):
    """Mean squared distance of confidence and result; 1 if right, 0 if wrong.

    See Brier (1950), "Verification of forecasts expressed in terms of probability".
    """

    def penalty(self, stated: nw.Expr) -> nw.Expr:
        """The squared probability of what did not happen."""
        return (1.0 - stated) * (1.0 - stated)


@register("log-loss")
@dataclass(frozen=True)
class LogLoss(ProbabilityMetric):
    """Mean negative log of the probability stated for the outcome; in nats.

    `clip` moves probabilities to at least `clip` and at most 1 − `clip`, so that the penalty of a
    confident mistake is finite, and bounded.
    """

    clip: float = 0.0

    def __post_init__(self) -> None:
        set_fields(self, clip=number(self.clip, "clip", 0.0, 0.5))
        if self.clip == 0.5:
            raise InputError("clip must be below 0.5, at which all probabilities are equal.")

    @property
    def bounds(self) -> tuple[float, float]:
        """Return the penalties of the two extreme probabilities."""
        if not self.clip:
            return 0.0, math.inf
        return -math.log1p(-self.clip), -math.log(self.clip)

    def forbids(self, stated: nw.Expr) -> nw.Expr | None:
        """Whether a certainty was wrong, which has no finite penalty without `clip`."""
        return None if self.clip else stated <= 0.0

    def penalty(self, stated: nw.Expr) -> nw.Expr:
        """The negative logarithm."""
        if not self.clip:
            return stated.log() * -1.0
        lost = stated.clip(self.clip, 1.0 - self.clip).log() * -1.0
        return lost.clip(*self.bounds)  # which the logarithms of engines exceed by rounding
