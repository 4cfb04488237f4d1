"""Metrics of a confidence: scores of stated probabilities, selective prediction and ROC-AUC.

Brier score and log loss are means over answers of a penalty, a function of the probability that was
stated for the observed result. Rows without an answer state no probability, and are left out.

Selective metrics are based on the selective risk, the mean loss of the items with the highest
confidence, as a function of coverage; ROC-AUC measures how well a score separates positives from
negatives. Both depend on the ranking only, not on the scale of the score.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NoReturn

import narwhals.stable.v2 as nw
import numpy as np

from errbar.base.arguments import freeze, number
from errbar.base.arrays import Array
from errbar.data.labelled_scores import Classes, Labelled
from errbar.data.predictions import Ranked, Totals
from errbar.data.queries.ranked_totals import GroupedTotals
from errbar.errors import InputError, WrongType
from errbar.kernels import risk_coverage as kernel
from errbar.kernels import roc
from errbar.metrics.base import (
    Direction,
    Metric,
    Needs,
    register,
)
from errbar.metrics.means import RIGHT_OR_WRONG, AnyCounts, OutcomeMean

COMMON: Final = "common"  # the coverage that both systems of a comparison reach


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


@register("brier", "brier-score", "brier_score")
@dataclass(frozen=True)
class Brier(ProbabilityMetric):
    """Mean squared distance of confidence and result; 1 if right, 0 if wrong.

    See Brier (1950), "Verification of forecasts expressed in terms of probability".
    """

    def penalty(self, stated: nw.Expr) -> nw.Expr:
        """The squared probability of what did not happen."""
        return (1.0 - stated) * (1.0 - stated)


@register("log-loss", "log_loss")
@dataclass(frozen=True)
class LogLoss(ProbabilityMetric):
    """Mean negative log of the probability stated for the outcome; in nats.

    `clip` moves probabilities to at least `clip` and at most 1 − `clip`, so that the penalty of a
    confident mistake is finite, and bounded.
    """

    clip: float = 0.0

    def __post_init__(self) -> None:
        freeze(self, clip=number(self.clip, "clip", 0.0, 0.5))
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


class RankedMetric(Metric):
    """A metric of the losses ranked by confidence."""

    needs: ClassVar[Needs] = Needs.CONFIDENCE
    direction: ClassVar[Direction] = Direction.LOWER
    with_oracle: ClassVar[bool] = False

    @property
    def bounds(self) -> tuple[float, float]:
        """Return infinite bounds, because losses are unbounded."""
        return (-math.inf, math.inf)

    @abstractmethod
    def measure(self, totals: Totals) -> Array:
        """Return the value, or one per replicate; nan if it is undefined."""

    def value(self, ranked: Ranked) -> float:
        """Return the value; nan if it is undefined."""
        return float(self.measure(ranked.totals())) if ranked.answered else math.nan

    def bin_error(self, grouped: GroupedTotals) -> float:
        """Bound the error due to bins, by the best and the worst order within each bin."""
        if not grouped.mixed.any():
            return 0.0
        value = self.value(grouped.ranked())
        ends = (float(self.measure(part)) for part in (grouped.best(), grouped.worst()))
        return max(abs(end - value) for end in ends)

    def least_coverage(self) -> float:
        """Return the coverage that a system must reach."""
        return 0.0

    @property
    def uses_full_reach(self) -> bool:
        """Whether the metric extends to the largest coverage of each system."""
        return False


@dataclass(frozen=True)
class AreaMetric(RankedMetric):
    """A mean over coverages from 0 to `coverage`, or to the largest coverage by default.

    "common" is the coverage that both systems of a comparison reach, determined in every resample;
    for a single system it is the largest coverage.
    """

    coverage: float | Literal["common"] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.coverage, str) and self.coverage != COMMON:
            raise WrongType(
                f"coverage must be a number above 0 and at most 1, or 'common'; got "
                f"{self.coverage!r}."
            )
        if self.coverage is not None and not isinstance(self.coverage, str):
            freeze(self, coverage=share(self.coverage))

    def least_coverage(self) -> float:
        """Return the coverage that a system must reach."""
        return self.coverage if isinstance(self.coverage, float) else 0.0

    @property
    def uses_full_reach(self) -> bool:
        """Whether the metric extends to the largest coverage of each system."""
        return self.coverage is None

    @property
    def is_common(self) -> bool:
        """Whether the metric extends to the coverage that both systems of a comparison reach."""
        return self.coverage == COMMON

    def measure(self, totals: Totals) -> Array:
        """Return the area up to the coverage."""
        least = self.least_coverage()
        return self.area(totals, kernel.reach(least, totals.total) if least else None)

    @abstractmethod
    def area(self, totals: Totals, upto: Array | None) -> Array:
        """Return the area up to a number of items; None for all answered items."""


@register("aurc")
@dataclass(frozen=True)
class Aurc(AreaMetric):
    """Area under the risk–coverage curve; the mean selective risk over coverages."""

    def area(self, totals: Totals, upto: Array | None) -> Array:
        """Return the mean over all orders of items with equal confidence."""
        mean = kernel.weighted_selective_risk if totals.fractional else kernel.mean_selective_risk
        return mean(totals.items, totals.loss, upto)


@register("augrc")
@dataclass(frozen=True)
class Augrc(AreaMetric):
    """Area under the generalized risk–coverage curve.

    The generalized risk is the loss of the covered items divided by the number of all items. See
    Traub et al. (2024), "Overcoming Common Flaws in the Evaluation of Selective Classification
    Systems", arXiv:2407.01032.
    """

    def area(self, totals: Totals, upto: Array | None) -> Array:
        """Return the area by the trapezoidal rule, which is exact for ties."""
        return kernel.mean_generalized_risk(totals.items, totals.loss, totals.total, upto)


@dataclass(frozen=True)
class ExcessMetric(AreaMetric):
    """Excess of an area over that of the oracle, which ranks items by their loss."""

    with_oracle: ClassVar[bool] = True
    of: ClassVar[type[AreaMetric]]

    @property
    def bounds(self) -> tuple[float, float]:
        """Return 0 and infinity, because no ranking is better than the oracle."""
        return (0.0, math.inf)

    def area(self, totals: Totals, upto: Array | None) -> Array:
        """Return the area minus that of the oracle."""
        plain = self.of()
        best = totals._replace(items=totals.oracle_items, loss=totals.oracle_loss)
        areas = plain.area(totals, upto), plain.area(best, upto)
        return kernel.rounded_difference(*areas).clip(0.0)


@register("e-aurc")
@dataclass(frozen=True)
class ExcessAurc(ExcessMetric):
    """Excess AURC over the oracle."""

    of = Aurc


@register("e-augrc")
@dataclass(frozen=True)
class ExcessAugrc(ExcessMetric):
    """Excess AUGRC over the oracle."""

    of = Augrc


@register("risk@")
@dataclass(frozen=True)
class RiskAt(RankedMetric):
    """Selective risk at a given coverage."""

    numbered: ClassVar[str | None] = "coverage"
    coverage: float

    def __post_init__(self) -> None:
        freeze(self, coverage=share(self.coverage))

    def least_coverage(self) -> float:
        """Return the coverage that a system must reach."""
        return self.coverage

    def measure(self, totals: Totals) -> Array:
        """Return the mean loss of the smallest number of items with this coverage."""
        upto = kernel.reach(self.coverage, totals.total)
        upto = upto if totals.fractional else np.ceil(upto)
        return kernel.risk_at(totals.items, totals.loss, upto)


@register("cov@risk")
@dataclass(frozen=True)
class CoverageAt(RankedMetric):
    """Largest coverage at which the risk is at most the given one; of any threshold."""

    direction: ClassVar[Direction] = Direction.HIGHER
    numbered: ClassVar[str | None] = "risk"
    risk: float

    def __post_init__(self) -> None:
        freeze(self, risk=number(self.risk, "risk", 0.0, 1e300))

    @property
    def bounds(self) -> tuple[float, float]:
        """Return 0 and 1."""
        return (0.0, 1.0)

    def measure(self, totals: Totals) -> Array:
        """Return the coverage; 0 if every threshold has a larger risk."""
        return kernel.coverage_at(totals.items, totals.loss, totals.total, self.risk)

    def bin_error(self, grouped: GroupedTotals) -> float:
        """Bound the error due to bins: thresholds within bins can only increase the value."""
        right, wrong = grouped.right.sum(axis=0), grouped.wrong.sum(axis=0)
        total = np.asarray(len(grouped))
        most = kernel.most_coverage_at(right, wrong, grouped.mixed, total, self.risk)
        return most - self.value(grouped.ranked())


def share(coverage: object) -> float:
    """Return `coverage` as a number in (0, 1]."""
    value = number(coverage, "coverage", 0.0, 1.0)
    if value == 0.0:
        raise InputError("coverage must be above 0 and at most 1; got 0.")
    return value


class LabelMetric(Metric):
    """A metric of the labels ranked by score."""

    needs: ClassVar[Needs] = Needs.LABEL

    @abstractmethod
    def measure(self, classes: Classes) -> Array:
        """Return the value, or one per replicate; nan if it is undefined."""

    def value(self, labelled: Labelled) -> float:
        """Return the value; nan if it is undefined."""
        return float(self.measure(labelled.classes()))


@register("roc-auc", "auroc", "roc_auc")
@dataclass(frozen=True)
class RocAuc(LabelMetric):
    """Probability that a positive has a higher score than a negative; ties count one half.

    Examples
    --------
    >>> from errbar.data.labelled_scores import Scored
    >>> RocAuc().value(Labelled.of(Scored([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1])))
    0.75
    """

    def measure(self, classes: Classes) -> Array:
        """Return the share of correctly ordered pairs."""
        return np.minimum(roc.area(classes.positives, classes.negatives), 1.0)

    def bin_error(self, grouped: GroupedTotals) -> float:
        """Bound the error due to bins, by half of the pairs that share a bin."""
        right, wrong = grouped.right.sum(axis=0), grouped.wrong.sum(axis=0)
        return float(right[grouped.mixed] @ wrong[grouped.mixed]) / (
            2.0 * float(right.sum()) * float(wrong.sum())
        )
