"""Metrics of ranked predictions with their intervals, and what the data must reach to have them.

Items are resampled, or clusters or groups of them if there are any.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.methods.bootstrap import Bootstrap, Spread, joint_clusters, require_bootstrap
from errbar.base.arrays import Array
from errbar.data.predictions import Arranged, Predictions, Ranked
from errbar.data.queries.ranked_totals import Grouped
from errbar.errors import InputError, OutOfReach, WrongType
from errbar.metrics import parse
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
    if isinstance(predictions, Grouped):
        return _of_groups(asked, predictions, method, rng)
    require_reach(asked, Ranked.of(_require_predictions(predictions)))
    codes = joint_clusters(predictions.columns(), predictions.clusters)
    clusters = int(codes.max()) + 1
    unit = "item" if predictions.clusters is None else "cluster"
    spread = _resampled(asked, Arranged(predictions, codes), clusters, unit, method, rng)
    return RankedEstimate(
        asked, *spread[:3], len(predictions), clusters, spread.dropped, spread.reason
    )


def _of_groups(
    asked: RankedMetric, grouped: Grouped, method: Bootstrap, rng: np.random.Generator | int
) -> RankedEstimate:
    require_reach(asked, grouped.ranked())
    spread = _resampled(asked, grouped, grouped.groups, "cluster", method, rng)
    return RankedEstimate(
        asked,
        *spread[:3],
        len(grouped),
        grouped.clusters,
        spread.dropped,
        spread.reason,
        grouped.groups if grouped.groups < grouped.clusters else 0,
        asked.bin_error(grouped),
    )


def _resampled(
    asked: RankedMetric,
    arranged: Arranged | Grouped,
    units: int,
    unit: str,
    method: Bootstrap,
    rng: np.random.Generator | int,
) -> Spread:
    if units < 2:
        raise InputError(f"{asked}: one {unit} alone cannot be resampled.")

    def measure(weights: NDArray[Any]) -> Array:
        return asked.measure(arranged.totals(weights, with_oracle=asked.with_oracle))[None, :]

    return method.run(measure, units, arranged.rows, rng).spread(0, method)


def ranked_metric(metric: RankedMetric | str) -> RankedMetric:
    """A metric of ranked predictions, by name or as it is."""
    asked = parse(metric) if isinstance(metric, str) else metric
    if not isinstance(asked, RankedMetric):
        raise WrongType(
            f"{metric!s} is not a metric of ranked predictions; those are aurc, augrc, e-aurc, "
            f"e-augrc, risk@0.5 and cov@risk0.1."
        )
    return asked


def _require_predictions(predictions: object) -> Predictions:
    if not isinstance(predictions, Predictions):
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
    if metric.least_coverage() > ranked.coverage * (1 + 1e-9):
        raise OutOfReach(
            f"{metric}: coverage {metric.least_coverage():g} is out of reach; "
            f"{ranked.answered} of {ranked.total} items were answered, which is "
            f"{ranked.coverage:.4g}."
        )
