"""Metrics of ranked answers: selective prediction and ROC-AUC.

Selective metrics ask what an answer costs on average among those the system is surest of;
ROC-AUC how well a score separates positives from negatives, whatever its scale.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

import numpy as np

from errbar.base.arguments import number
from errbar.base.arrays import Array
from errbar.data.predictions import Ranked, Totals
from errbar.data.queries.ranked_totals import Grouped
from errbar.data.scored import Classes, Labelled
from errbar.errors import InputError
from errbar.kernels import risk_coverage as kernel
from errbar.kernels import roc
from errbar.metrics.base import Direction, Metric, Needs, register, set_fields

COMMON: Final = "common"  # the coverage that both systems of a comparison reach


class RankedMetric(Metric):
    """A metric of how losses are ranked by confidence."""

    needs: ClassVar[Needs] = Needs.CONFIDENCE
    direction: ClassVar[Direction] = Direction.LOWER
    with_oracle: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[float, float]:
        """A loss may be of any size."""
        return (-math.inf, math.inf)

    @abstractmethod
    def measure(self, totals: Totals) -> Array:
        """The value, or that of each replicate; nan where it is undefined."""

    def value(self, ranked: Ranked) -> float:
        """The value; nan where it is undefined."""
        return float(self.measure(ranked.totals())) if ranked.answered else math.nan

    def bin_error(self, grouped: Grouped) -> float:
        """How far the value may be from what it is without bins: the best and the worst order."""
        if not grouped.mixed.any():
            return 0.0
        value = self.value(grouped.ranked())
        ends = (float(self.measure(part)) for part in (grouped.best(), grouped.worst()))
        return max(abs(end - value) for end in ends)

    def least_coverage(self) -> float:
        """The coverage without which there is no value."""
        return 0.0

    @property
    def whole(self) -> bool:
        """Whether it reaches as far as the system does, however far that is."""
        return False


@dataclass(frozen=True)
class AreaMetric(RankedMetric):
    """A mean over coverages from zero to `coverage`, or to the largest there is.

    "common" is the coverage that both systems of a comparison reach, found anew in every resample;
    of a system alone it is the largest.
    """

    coverage: float | Literal["common"] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.coverage, str) and self.coverage != COMMON:
            raise InputError(
                f"coverage must be a number above 0 and at most 1, or 'common'; got "
                f"{self.coverage!r}."
            )
        if self.coverage is not None and self.coverage != COMMON:
            set_fields(self, coverage=share(self.coverage))

    def least_coverage(self) -> float:
        """The coverage without which there is no value."""
        return self.coverage if isinstance(self.coverage, float) else 0.0

    @property
    def whole(self) -> bool:
        """Whether it reaches as far as the system does, however far that is."""
        return self.coverage is None

    @property
    def is_common(self) -> bool:
        """Whether it reaches as far as both systems of a comparison do."""
        return self.coverage == COMMON

    def measure(self, totals: Totals) -> Array:
        """Area up to the coverage."""
        least = self.least_coverage()
        return self.area(totals, kernel.reach(least, totals.total) if least else None)

    @abstractmethod
    def area(self, totals: Totals, upto: Array | None) -> Array:
        """Area up to a number of items, or of all that were answered."""


@register("aurc")
@dataclass(frozen=True)
class Aurc(AreaMetric):
    """Mean selective risk over the coverages."""

    def area(self, totals: Totals, upto: Array | None) -> Array:
        """Mean over every order of equal confidences."""
        return kernel.mean_selective_risk(totals.items, totals.loss, upto)


@register("augrc")
@dataclass(frozen=True)
class Augrc(AreaMetric):
    """Mean generalized risk over the coverages: loss so far per item of all."""

    def area(self, totals: Totals, upto: Array | None) -> Array:
        """Trapezoids, which are exact for equal confidences."""
        return kernel.mean_generalized_risk(totals.items, totals.loss, totals.total, upto)


@dataclass(frozen=True)
class ExcessMetric(AreaMetric):
    """How much more an area is than with the same losses ranked from the least."""

    with_oracle: ClassVar[bool] = True
    of: ClassVar[type[AreaMetric]]

    @property
    def bounds(self) -> tuple[float, float]:
        """No ranking beats the oracle."""
        return (0.0, math.inf)

    def area(self, totals: Totals, upto: Array | None) -> Array:
        """The area less that of the oracle."""
        plain = self.of()
        best = totals._replace(items=totals.oracle_items, loss=totals.oracle_loss)
        areas = plain.area(totals, upto), plain.area(best, upto)
        return kernel.rounded_difference(*areas).clip(0.0)


@register("e-aurc")
@dataclass(frozen=True)
class ExcessAurc(ExcessMetric):
    """Mean selective risk beyond that of the oracle."""

    of = Aurc


@register("e-augrc")
@dataclass(frozen=True)
class ExcessAugrc(ExcessMetric):
    """Mean generalized risk beyond that of the oracle."""

    of = Augrc


@register("risk@")
@dataclass(frozen=True)
class RiskAt(RankedMetric):
    """Selective risk at a coverage."""

    numbered: ClassVar[str | None] = "coverage"
    coverage: float

    def __post_init__(self) -> None:
        set_fields(self, coverage=share(self.coverage))

    def least_coverage(self) -> float:
        """The coverage without which there is no value."""
        return self.coverage

    def measure(self, totals: Totals) -> Array:
        """Mean loss of the least number of items with this coverage."""
        return kernel.risk_at(totals.items, totals.loss, kernel.reach(self.coverage, totals.total))


@register("cov@risk")
@dataclass(frozen=True)
class CoverageAt(RankedMetric):
    """Largest coverage that a threshold reaches with a selective risk of `risk` at most."""

    direction: ClassVar[Direction] = Direction.HIGHER
    numbered: ClassVar[str | None] = "risk"
    risk: float

    def __post_init__(self) -> None:
        set_fields(self, risk=number(self.risk, "risk", 0.0, 1e300))

    @property
    def bounds(self) -> tuple[float, float]:
        """A share of the items."""
        return (0.0, 1.0)

    def measure(self, totals: Totals) -> Array:
        """Zero where no threshold will do: the system must decline everything."""
        return kernel.coverage_at(totals.items, totals.loss, totals.total, self.risk)

    def bin_error(self, grouped: Grouped) -> float:
        """Thresholds between bins are seen, those within are not: the value can only be larger."""
        right, wrong = grouped.right.sum(axis=0), grouped.wrong.sum(axis=0)
        total = np.asarray(len(grouped))
        most = kernel.most_coverage_at(right, wrong, grouped.mixed, total, self.risk)
        return most - self.value(grouped.ranked())


def share(coverage: object) -> float:
    """`coverage` as a number above 0 and up to 1."""
    value = number(coverage, "coverage", 0.0, 1.0)
    if value == 0.0:
        raise InputError("coverage must be above 0 and at most 1; got 0.")
    return value


class LabelMetric(Metric):
    """A metric of how labels are ranked by score."""

    needs: ClassVar[Needs] = Needs.LABEL

    @abstractmethod
    def measure(self, classes: Classes) -> Array:
        """The value, or that of each replicate; nan where it is undefined."""

    def value(self, labelled: Labelled) -> float:
        """The value; nan where it is undefined."""
        return float(self.measure(labelled.classes()))


@register("roc-auc")
@dataclass(frozen=True)
class RocAuc(LabelMetric):
    """Chance that a positive outscores a negative, ties counting one half.

    Examples
    --------
    >>> from errbar.data.scored import Scored
    >>> RocAuc().value(Labelled.of(Scored([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])))
    0.75
    """

    def measure(self, classes: Classes) -> Array:
        """Pairs in the right order."""
        return np.minimum(roc.area(classes.positives, classes.negatives), 1.0)

    def bin_error(self, grouped: Grouped) -> float:
        """How far the value may be from what it is without bins: half the pairs that share one."""
        right, wrong = grouped.right.sum(axis=0), grouped.wrong.sum(axis=0)
        return float(right[grouped.mixed] @ wrong[grouped.mixed]) / (
            2.0 * float(right.sum()) * float(wrong.sum())
        )
