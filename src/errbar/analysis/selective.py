"""Metrics of ranked predictions with their intervals, and what the data must reach to have them.

Items are resampled, or clusters or groups of them if there are any.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.bootstrap import Bootstrap, require_bootstrap, resampled_estimate
from errbar.base.arrays import Array
from errbar.data.predictions import Predictions, Ranked
from errbar.data.queries.ranked_totals import Grouped
from errbar.errors import OutOfReach, WrongType
from errbar.kernels.risk_coverage import is_reached
from errbar.metrics.grammar import metric_of
from errbar.metrics.ranked import RankedMetric
from errbar.results.estimate import RankedEstimate

_DEFAULT = Bootstrap()


def estimate(
    metric: RankedMetric | str,
    predictions: Predictions | Grouped,
    *,
    method: Bootstrap = _DEFAULT,
    rng: np.random.Generator | int,
) -> RankedEstimate:
    """A metric with its interval, resampling items, or clusters or groups of them if there are any.

    Examples
    --------
    >>> data = Predictions([0.9, 0.8, 0.7, 0.6] * 10, [0, 0, 0, 1] * 10)
    >>> print(estimate("aurc", data, rng=0))
    aurc: 0.037 ± 0.022, 95 % interval 0.010 to 0.098
    """
    require_bootstrap(method)
    asked = ranked_metric(metric)
    require_reach(asked, _require_predictions(predictions).ranked())
    arranged = predictions.arranged()

    def measure(weights: NDArray[Any]) -> Array:
        return asked.measure(arranged.totals(weights, with_oracle=asked.with_oracle))[None, :]

    return resampled_estimate(asked, predictions, measure, arranged, method, rng)


def ranked_metric(metric: RankedMetric | str) -> RankedMetric:
    """A metric of ranked predictions, by name or as it is."""
    asked = metric_of(metric)
    if not isinstance(asked, RankedMetric):
        raise WrongType(
            f"{metric!s} is not a metric of ranked predictions; those are aurc, augrc, e-aurc, "
            f"e-augrc, risk@0.5 and cov@risk0.1."
        )
    return asked


def _require_predictions(predictions: object) -> Predictions | Grouped:
    if not isinstance(predictions, Predictions | Grouped):
        raise WrongType(
            f"resampling needs Predictions(confidence, loss); got {type(predictions).__name__}."
        )
    return predictions


def require_answers(data: Predictions | Ranked, what: object) -> None:
    """Refuse data in which nothing was answered."""
    if data.coverage == 0:
        items = data.total if isinstance(data, Ranked) else len(data)
        raise OutOfReach(f"none of the {items} items was answered; {what} is undefined.")


def require_reach(metric: RankedMetric, ranked: Ranked) -> None:
    """Refuse what the data cannot answer, and say how far they reach."""
    require_answers(ranked, metric)
    if not is_reached(metric.least_coverage(), ranked.coverage):
        raise OutOfReach(
            f"{metric}: coverage {metric.least_coverage():g} is out of reach; "
            f"{ranked.answered} of {ranked.total} items were answered, which is "
            f"{ranked.coverage:.4g}."
        )
