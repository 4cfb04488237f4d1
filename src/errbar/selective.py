"""Selective prediction: what answers cost among those a system is surest of.

Data are `Predictions`, or a confidence and a loss per item, or totals already `Ranked`. The order
of items never changes a number: equal confidences count as the mean over all their orders.

The documented functions on lists of item predictions are here too, and keep their documented
behaviour to the letter: ties in input order, trapezoids; an item without an answer costs nothing
and is never covered, an area over nothing is 0.0, and a coverage out of reach has no risk.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.analysis.compare_ranked import compare
from errbar.analysis.methods.bootstrap import Bootstrap
from errbar.analysis.selective import estimate, ranked_metric, require_answers, require_reach
from errbar.base.arrays import Array
from errbar.data.predictions import Predictions, Ranked
from errbar.errors import InputError, WrongType
from errbar.kernels import risk_coverage as areas
from errbar.kernels.risk_coverage import SNAP
from errbar.kernels.sorting import argsort_descending
from errbar.metrics.ranked import (
    Augrc,
    Aurc,
    CoverageAt,
    ExcessAugrc,
    ExcessAurc,
    RankedMetric,
    RiskAt,
)
from errbar.results.comparison import Comparisons

MatchedCoverage = Comparisons  # what `compare` returns, by its former name


@dataclass(frozen=True, slots=True)
class ItemPrediction:
    """One item: the score given, or None for no answer, the true one, and a confidence.

    Examples
    --------
    >>> ItemPrediction(score=3, ground_truth=1, confidence=0.8).absolute_error
    2
    """

    score: float | None
    ground_truth: float
    confidence: float

    @property
    def is_predicted(self) -> bool:
        """Whether there is an answer."""
        return self.score is not None

    @property
    def absolute_error(self) -> float:
        """Distance from the truth; 0 without an answer."""
        return 0 if self.score is None else abs(self.score - self.ground_truth)


def compute_risk_coverage_curve(items: Sequence[ItemPrediction]) -> list[tuple[float, float]]:
    """Coverage and mean absolute error after each answered item, the surest first.

    Coverage is relative to all items; equal confidences keep the order of the list.

    Examples
    --------
    >>> compute_risk_coverage_curve([ItemPrediction(1, 1, 0.9), ItemPrediction(None, 2, 0.1)])
    [(0.5, 0.0)]
    """
    surest = sorted(
        (item for item in items if item.is_predicted),
        key=lambda item: item.confidence,
        reverse=True,
    )
    curve: list[tuple[float, float]] = []
    error: float = 0  # whole errors add up exactly
    for covered, item in enumerate(surest, start=1):
        error += item.absolute_error
        curve.append((covered / len(items), error / covered))
    return curve


def compute_aurc(items: Sequence[ItemPrediction]) -> float:
    """Area under that curve by trapezoids from its first point.

    One point alone is as wide as its coverage; no point at all has the area 0.0.

    Examples
    --------
    >>> compute_aurc([ItemPrediction(2, 1, 1.0), ItemPrediction(None, 0, 0.0)])
    0.5
    """
    curve = compute_risk_coverage_curve(items)
    if len(curve) == 1:
        coverage, risk = curve[0]
        return coverage * risk
    area = 0.0
    for (before, left), (after, right) in pairwise(curve):
        area += (after - before) * (left + right) / 2
    return area


def compute_risk_at_coverage(
    items: Sequence[ItemPrediction], target_coverage: float
) -> float | None:
    """Mean absolute error at the first coverage that reaches the target; None if none does.

    Examples
    --------
    >>> compute_risk_at_coverage([ItemPrediction(2, 1, 1.0), ItemPrediction(None, 0, 0.0)], 0.5)
    1.0
    """
    if not 0.0 < target_coverage <= 1.0:
        raise InputError(f"target_coverage must be in (0, 1], got {target_coverage}")
    for coverage, risk in compute_risk_coverage_curve(items):
        if coverage >= target_coverage - SNAP:  # absolute, as documented
            return risk
    return None


__all__ = [
    "Bootstrap",
    "ItemPrediction",
    "MatchedCoverage",
    "Predictions",
    "Ranked",
    "RiskCoverage",
    "augrc",
    "aurc",
    "compare",
    "compute_aurc",
    "compute_risk_at_coverage",
    "compute_risk_coverage_curve",
    "coverage_at_risk",
    "estimate",
    "excess_augrc",
    "excess_aurc",
    "ranked_metric",
    "risk_at_coverage",
    "risk_coverage",
]

Data = Predictions | Ranked | ArrayLike
Estimator = Literal[
    "mean", "rows", "trapezoid", "plateau", "fd-shifts", "torch-uncertainty", "logarithmic"
]

_DISPLAY = 1000.0  # fd-shifts shows areas times this


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """The curve: a point where each distinct confidence has been covered, the highest first."""

    threshold: NDArray[Any]  # answer if the confidence is at least this
    coverage: Array  # share of all items
    selective_risk: Array  # loss per item covered
    generalized_risk: Array  # loss of what is covered per item of all
    max_coverage: float

    def __repr__(self) -> str:
        return (
            f"RiskCoverage({self.coverage.size} points up to coverage {self.max_coverage:.4g}, "
            f"where the risk is {self.selective_risk[-1]:.4g})"
        )


def risk_coverage(
    confidence: Data, loss: ArrayLike | None = None, answered: ArrayLike | None = None
) -> RiskCoverage:
    """The risk–coverage curve.

    Examples
    --------
    >>> curve = risk_coverage([0.9, 0.9, 0.5, 0.1], [0, 1, 0, 1], answered=[1, 1, 1, 0])
    >>> curve.coverage, curve.selective_risk
    (array([0.5 , 0.75]), array([0.5       , 0.33333333]))
    """
    ranked = _ranked(confidence, loss, answered)
    require_answers(ranked, "a risk–coverage curve")
    ends, so_far = np.cumsum(ranked.items), np.cumsum(ranked.loss)
    total = ranked.total
    return RiskCoverage(
        ranked.confidence, ends / total, so_far / ends, so_far / total, ranked.coverage
    )


def aurc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
    estimator: Estimator = "mean",
) -> float:
    """Mean selective risk over coverages, up to the largest there is or up to `coverage`.

    Other estimators give the areas of other tools; see "Selective prediction" in the
    documentation.

    Examples
    --------
    >>> round(aurc([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1]), 6)
    0.333333
    """
    if estimator == "mean":
        return _value(Aurc(coverage), confidence, loss, answered)
    return _area(_AURC, estimator, coverage, confidence, loss, answered)


def augrc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
    estimator: Estimator = "mean",
) -> float:
    """Mean generalized risk over coverages: loss of what is covered per item of all.

    Examples
    --------
    >>> augrc([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1])
    0.1875
    """
    if estimator == "mean":
        return _value(Augrc(coverage), confidence, loss, answered)
    return _area(_AUGRC, estimator, coverage, confidence, loss, answered)


def excess_aurc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
    estimator: Estimator = "mean",
) -> float:
    """AURC beyond that of the best ranking of the same losses, by the same estimator.

    Examples
    --------
    >>> round(excess_aurc([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1]), 6)
    0.125
    """
    if estimator == "mean":
        return _value(ExcessAurc(coverage), confidence, loss, answered)
    least = {**_AURC, "plateau": _plateau_least, "fd-shifts": _fd_shifts_least}
    area = _area(_AURC, estimator, coverage, confidence, loss, answered)
    data = _oracle(_predictions_or_ranked(confidence, loss, answered))
    return max(0.0, area - _area(least, estimator, coverage, data))


def excess_augrc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
) -> float:
    """AUGRC beyond that of the best ranking of the same losses."""
    return _value(ExcessAugrc(coverage), confidence, loss, answered)


def risk_at_coverage(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float,
) -> float:
    """Selective risk of the least number of items that make up `coverage`.

    Examples
    --------
    >>> risk_at_coverage([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1], coverage=0.5)
    0.5
    """
    return _value(RiskAt(coverage), confidence, loss, answered)


def coverage_at_risk(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    risk: float,
) -> float:
    """Largest coverage that some threshold reaches at this selective risk; 0 if none does.

    Examples
    --------
    >>> coverage_at_risk([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1], risk=0.4)
    0.75
    """
    return _value(CoverageAt(risk), confidence, loss, answered)


def _predictions_or_ranked(
    confidence: Data, loss: ArrayLike | None, answered: ArrayLike | None
) -> Predictions | Ranked:
    if isinstance(confidence, Predictions | Ranked):
        if loss is not None or answered is not None:
            raise WrongType(
                f"{type(confidence).__name__} already hold loss and answers; give nothing else."
            )
        return confidence
    if loss is None:
        raise WrongType("a loss per item is needed beside the confidence, as in aurc(conf, loss).")
    return Predictions(confidence, loss, answered)


def _ranked(confidence: Data, loss: ArrayLike | None, answered: ArrayLike | None) -> Ranked:
    data = _predictions_or_ranked(confidence, loss, answered)
    return data if isinstance(data, Ranked) else Ranked.of(data)


def _value(
    metric: RankedMetric, confidence: Data, loss: ArrayLike | None, answered: ArrayLike | None
) -> float:
    ranked = _ranked(confidence, loss, answered)
    require_reach(metric, ranked)
    return metric.value(ranked)


def _oracle(data: Predictions | Ranked) -> Predictions | Ranked:
    """The same losses, ranked from the least."""
    if isinstance(data, Ranked):
        loss = data.losses * data.often
        return Ranked(-data.losses, data.often, loss, data.abstained, data.losses, data.often)
    return Predictions(-data.loss, data.loss, data.answered)


def _area(
    areas_of: dict[str, Callable[[Predictions | Ranked], float]],
    estimator: str,
    coverage: float | None,
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
) -> float:
    if estimator not in areas_of:
        known = ", ".join(map(repr, ["mean", *areas_of]))
        raise InputError(f"estimator must be one of {known}; got {estimator!r}.")
    if coverage is not None:
        raise InputError(f"coverage is for the estimator 'mean'; {estimator!r} takes the whole.")
    data = _predictions_or_ranked(confidence, loss, answered)
    require_answers(data, f"the area {estimator!r}")
    if estimator in _BY_ITEM:
        if isinstance(data, Ranked):
            raise WrongType(f"estimator {estimator!r} needs the items in their order, not totals.")
        return areas_of[estimator](data)
    return areas_of[estimator](data if isinstance(data, Ranked) else Ranked.of(data))


def _in_order(data: Any) -> Array:
    """Losses of what was answered, the surest first, equal ones in the order of the items."""
    if data.answered.all():
        return data.loss[argsort_descending(data.confidence)]
    held = np.flatnonzero(data.answered)
    return data.loss[held[argsort_descending(data.confidence[held])]]


def _span(data: Any) -> Array:
    loss = _in_order(data)
    if loss.size < 2:
        raise InputError("the area over the span from first to last needs two answered items.")
    return loss


def _plateau_least(data: Any) -> float:
    return areas.least_plateaus(data.items, data.loss, data.total)


def _fd_shifts_least(data: Any) -> float:
    return _DISPLAY * _plateau_least(data)


_BY_ITEM = {"rows", "trapezoid", "torch-uncertainty"}

_AURC: dict[str, Callable[[Any], float]] = {
    "rows": lambda data: float(areas.selective_risks(_in_order(data)).mean()),
    "trapezoid": lambda data: areas.trapezoids(_in_order(data), len(data)),
    "plateau": lambda data: areas.plateaus(data.items, data.loss, data.total),
    "fd-shifts": lambda data: _DISPLAY * areas.plateaus(data.items, data.loss, data.total),
    "torch-uncertainty": lambda data: areas.span_normalised(_span(data)),
    "logarithmic": lambda data: areas.logarithmic(data.items, data.loss),
}

_AUGRC: dict[str, Callable[[Any], float]] = {
    "fd-shifts": lambda data: _DISPLAY * Augrc().value(data) * data.coverage,
    "torch-uncertainty": lambda data: areas.generalized_span_normalised(_span(data), len(data)),
}
