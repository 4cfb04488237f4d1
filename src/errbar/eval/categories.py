"""The documented functions of outcome categories: Bayes@N, avg@N and Max@k."""

from numpy.typing import ArrayLike

from errbar.base.arrays import Bounds
from errbar.eval.matrix import (
    UNCLIPPED,
    SummaryTuple,
    Weights,
    category_weights,
    describe_parameters,
    moments,
    point,
    summary,
)
from errbar.metrics import Average, Bayes, MaxAt


@describe_parameters
def bayes(
    R: ArrayLike, w: Weights | None = None, R0: ArrayLike | None = None
) -> tuple[float, float]:
    """Bayes@N: posterior mean and standard deviation of the mean weight.

    Examples
    --------
    >>> mu, sigma = bayes([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], w=[0.0, 0.5, 1.0])
    >>> round(mu, 6), round(sigma, 6)
    (0.5625, 0.091998)
    """
    return moments(Bayes(category_weights(w)), R, R0)


@describe_parameters
def bayes_ci(
    R: ArrayLike,
    w: Weights | None = None,
    R0: ArrayLike | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
) -> SummaryTuple:
    """Bayes@N with a normal interval."""
    return summary(
        Bayes(category_weights(w)), R, confidence, UNCLIPPED if bounds is None else bounds, R0=R0
    )


@describe_parameters
def avg(R: ArrayLike, w: Weights | None = None) -> tuple[float, float]:
    """avg@N: mean weight of the trials, and the standard deviation of Bayes@N on its scale.

    Examples
    --------
    >>> a, sigma = avg([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> round(a, 6), round(sigma, 6)
    (0.7, 0.165831)
    """
    return moments(Average(category_weights(w)), R)


@describe_parameters
def avg_ci(
    R: ArrayLike,
    w: Weights | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
) -> SummaryTuple:
    """avg@N with a normal interval."""
    return summary(
        Average(category_weights(w)), R, confidence, UNCLIPPED if bounds is None else bounds
    )


@describe_parameters
def max_at_k(R: ArrayLike, k: int, w: Weights | None = None) -> float:
    """Max@k: expected largest weight among k trials; without weights, Pass@k.

    Examples
    --------
    >>> round(max_at_k([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0]), 6)
    0.85
    """
    return point(MaxAt(k, category_weights(w)), R)


@describe_parameters
def max_at_k_ci(
    R: ArrayLike,
    k: int,
    w: Weights | None = None,
    R0: ArrayLike | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
) -> SummaryTuple:
    """Max@k of new trials with a normal interval; k may exceed the number of trials."""
    return summary(MaxAt(k, category_weights(w)), R, confidence, bounds, R0=R0)
