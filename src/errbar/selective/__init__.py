"""Selective prediction: the risk of a system that answers only where it is confident.

Data are `Predictions`, or a confidence and a loss per item, or `Ranked` totals. The order of items
never changes a number: items with equal confidence count as the mean over all their orders.

The functions of item predictions (`compute_…`) follow their documentation exactly: ties keep the
order of the list, areas use the trapezoidal rule, an item without an answer has no loss and is
never covered, an area over nothing is 0.0, and the risk at a coverage that is not reached is None.

- `item_predictions`: the functions of item predictions; `report`: runs of items, compared.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.analysis.compare_ranked import compare
from errbar.analysis.methods.bootstrap import Bootstrap
from errbar.analysis.selective import estimate, ranked_metric, require_answers, require_reach
from errbar.base.arguments import describe, require_choice
from errbar.base.arrays import Array
from errbar.data.predictions import Predictions, Ranked
from errbar.errors import InputError, WrongType
from errbar.kernels import risk_coverage as areas
from errbar.kernels.sorting import argsort_descending
from errbar.metrics import confidence as metrics
from errbar.metrics.confidence import AreaMetric, RankedMetric
from errbar.results.comparisons import Comparisons
from errbar.selective.item_predictions import (
    ItemPrediction,
    compute_aurc,
    compute_risk_at_coverage,
    compute_risk_coverage_curve,
)

MatchedCoverage = Comparisons  # the former name of what `compare` returns

_DISPLAY = 1000.0  # fd-shifts multiplies areas by this factor

_describe = describe(
    {
        "confidence": "The confidence of each item, higher is surer; or `Predictions` or `Ranked` "
        "alone.",
        "loss": "The loss of each item.",
        "answered": "Whether each item was answered; by default all were.",
        "coverage": "The coverage at which, or up to which, the risk is taken; by default all.",
        "risk": "The largest selective risk that is allowed.",
        "estimator": "The estimator of the area; all but 'mean' reproduce other tools, see "
        '"Selective prediction" in the documentation.',
    }
)

__all__ = [
    "Bootstrap", "ItemPrediction", "MatchedCoverage", "Predictions", "Ranked", "RiskCoverage",
    "augrc", "aurc", "compare", "compute_aurc", "compute_risk_at_coverage",
    "compute_risk_coverage_curve", "coverage_at_risk", "estimate", "excess_augrc", "excess_aurc",
    "ranked_metric", "risk_at_coverage", "risk_coverage",
]  # fmt: skip

Data = Predictions | Ranked | ArrayLike
Estimator = Literal[
    "mean", "rows", "trapezoid", "plateau", "fd-shifts", "torch-uncertainty", "logarithmic"
]


@dataclass(frozen=True, eq=False)
class RiskCoverage:
    """A risk–coverage curve, with a point per distinct confidence from the highest down."""

    threshold: NDArray[Any]  # items with at least this confidence are covered
    coverage: Array  # share of all items
    selective_risk: Array  # loss per covered item
    generalized_risk: Array  # loss of the covered items per item
    max_coverage: float

    def __repr__(self) -> str:
        return (
            f"RiskCoverage({self.coverage.size} points up to coverage {self.max_coverage:.4g}, "
            f"where the risk is {self.selective_risk[-1]:.4g})"
        )


@_describe
def risk_coverage(
    confidence: Data, loss: ArrayLike | None = None, answered: ArrayLike | None = None
) -> RiskCoverage:
    """Return the risk–coverage curve.

    Examples
    --------
    >>> curve = risk_coverage([0.9, 0.9, 0.5, 0.1], [0, 1, 0, 1], answered=[1, 1, 1, 0])
    >>> curve.coverage, curve.selective_risk
    (array([0.5 , 0.75]), array([0.5       , 0.33333333]))
    """
    ranked = _ranked(confidence, loss, answered)
    require_answers(ranked, "a risk–coverage curve")
    ends, so_far, total = np.cumsum(ranked.items), np.cumsum(ranked.loss), ranked.total
    return RiskCoverage(
        ranked.confidence, ends / total, so_far / ends, so_far / total, ranked.coverage
    )


@_describe
def aurc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
    estimator: Estimator = "mean",
) -> float:
    """Return the area under the risk–coverage curve: the mean selective risk over coverages.

    Examples
    --------
    >>> round(aurc([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1]), 6)
    0.333333
    """
    return _area(metrics.Aurc(coverage), _AURC, estimator, confidence, loss, answered)


@_describe
def augrc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
    estimator: Estimator = "mean",
) -> float:
    """Return the area under the generalized risk–coverage curve (Traub et al. 2024).

    Examples
    --------
    >>> augrc([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1])
    0.1875
    """
    return _area(metrics.Augrc(coverage), _AUGRC, estimator, confidence, loss, answered)


@_describe
def excess_aurc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
    estimator: Estimator = "mean",
) -> float:
    """Return the excess of AURC over the best ranking of the losses, by the same estimator.

    Examples
    --------
    >>> round(excess_aurc([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1]), 6)
    0.125
    """
    if isinstance(estimator, str) and estimator == "mean":
        return _value(metrics.ExcessAurc(coverage), confidence, loss, answered)
    metric = metrics.Aurc(coverage)
    area = _area(metric, _AURC, estimator, confidence, loss, answered)
    data = _oracle(_predictions_or_ranked(confidence, loss, answered))
    return max(0.0, area - _area(metric, _LEAST_AURC, estimator, data))


@_describe
def excess_augrc(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float | None = None,
) -> float:
    """Return the excess of AUGRC over the best ranking of the losses."""
    return _value(metrics.ExcessAugrc(coverage), confidence, loss, answered)


@_describe
def risk_at_coverage(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    coverage: float,
) -> float:
    """Return the selective risk of the smallest number of items that reach `coverage`.

    Examples
    --------
    >>> risk_at_coverage([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1], coverage=0.5)
    0.5
    """
    return _value(metrics.RiskAt(coverage), confidence, loss, answered)


@_describe
def coverage_at_risk(
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
    *,
    risk: float,
) -> float:
    """Return the largest coverage whose selective risk is at most `risk`; 0 if there is none.

    Examples
    --------
    >>> coverage_at_risk([0.9, 0.8, 0.7, 0.6], [0, 1, 0, 1], risk=0.4)
    0.75
    """
    return _value(metrics.CoverageAt(risk), confidence, loss, answered)


def _predictions_or_ranked(
    confidence: Data, loss: ArrayLike | None, answered: ArrayLike | None
) -> Predictions | Ranked:
    if isinstance(confidence, Predictions | Ranked):
        if loss is not None or answered is not None:
            raise WrongType(f"{type(confidence).__name__} already contain loss and answers.")
        return confidence
    if loss is None:
        raise WrongType(
            "a loss per item is needed in addition to the confidence, as in aurc(conf, loss)."
        )
    return Predictions(confidence, loss, answered)


def _ranked(confidence: Data, loss: ArrayLike | None, answered: ArrayLike | None) -> Ranked:
    data = _predictions_or_ranked(confidence, loss, answered)
    return data if isinstance(data, Ranked) else Ranked.of(data)


def _value(
    metric: RankedMetric, confidence: Data, loss: ArrayLike | None, answered: ArrayLike | None
) -> float:
    require_reach(metric, ranked := _ranked(confidence, loss, answered))
    return metric.value(ranked)


def _oracle(data: Predictions | Ranked) -> Predictions | Ranked:
    """Return the losses ranked from the smallest."""
    if isinstance(data, Ranked):
        loss = data.losses * data.often
        return replace(data, confidence=-data.losses, items=data.often, loss=loss)
    return Predictions(-data.loss, data.loss, data.answered)


def _area(
    metric: AreaMetric,
    areas_of: dict[str, Callable[[Predictions | Ranked], float]],
    estimator: str,
    confidence: Data,
    loss: ArrayLike | None = None,
    answered: ArrayLike | None = None,
) -> float:
    """The area by the estimator of the metric, or by that of another tool in `areas_of`."""
    require_choice(estimator, "estimator", ["mean", *areas_of])
    if estimator == "mean":
        return _value(metric, confidence, loss, answered)
    if metric.coverage is not None:
        raise InputError(
            f"coverage needs the estimator 'mean'; {estimator!r} always uses the whole curve."
        )
    data = _predictions_or_ranked(confidence, loss, answered)
    require_answers(data, f"the area {estimator!r}")
    if estimator in _BY_ITEM:
        if isinstance(data, Ranked):
            raise WrongType(f"estimator {estimator!r} needs the items in their order, not totals.")
        return areas_of[estimator](data)
    return areas_of[estimator](data if isinstance(data, Ranked) else Ranked.of(data))


def _losses_in_order(data: Any) -> Array:
    """Return the losses of answered items by falling confidence, ties in input order."""
    if data.answered.all():
        return data.loss[argsort_descending(data.confidence)]
    answered = np.flatnonzero(data.answered)
    return data.loss[answered[argsort_descending(data.confidence[answered])]]


def _span(data: Any) -> Array:
    loss = _losses_in_order(data)
    if loss.size < 2:
        raise InputError(
            "the area from the first to the last item needs at least two answered items."
        )
    return loss


_BY_ITEM = {"rows", "trapezoid", "torch-uncertainty"}

_AURC: dict[str, Callable[[Any], float]] = {
    "rows": lambda data: float(areas.selective_risks(_losses_in_order(data)).mean()),
    "trapezoid": lambda data: areas.trapezoids(_losses_in_order(data), len(data)),
    "plateau": lambda data: areas.plateaus(data.items, data.loss, data.total),
    "fd-shifts": lambda data: _DISPLAY * areas.plateaus(data.items, data.loss, data.total),
    "torch-uncertainty": lambda data: areas.span_normalised(_span(data)),
    "logarithmic": lambda data: areas.logarithmic(data.items, data.loss),
}

_LEAST_AURC: dict[str, Callable[[Any], float]] = _AURC | {
    "plateau": lambda data: areas.least_plateaus(data.items, data.loss, data.total),
    "fd-shifts": lambda data: _DISPLAY * areas.least_plateaus(data.items, data.loss, data.total),
}

_AUGRC: dict[str, Callable[[Any], float]] = {
    "fd-shifts": lambda data: _DISPLAY * metrics.Augrc().value(data) * data.coverage,
    "torch-uncertainty": lambda data: areas.generalized_span_normalised(_span(data), len(data)),
}
