"""The documented functions on categories: Bayes@N, avg@N, Max@k."""

from numpy.typing import ArrayLike

from errbar.eval.matrix import UNCUT, Bounds, Summary, Weights, moments, point, summary, weighing
from errbar.metrics import Average, Bayes, MaxAt


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
    return moments(Bayes(weighing(w)), R, R0)


def bayes_ci(
    R: ArrayLike,
    w: Weights | None = None,
    R0: ArrayLike | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
) -> Summary:
    """Bayes@N with its interval, uncut unless `bounds` are given."""
    return summary(Bayes(weighing(w)), R, confidence, UNCUT if bounds is None else bounds, R0=R0)


def avg(R: ArrayLike, w: Weights | None = None) -> tuple[float, float]:
    """avg@N: mean weight of the trials, and the spread of Bayes@N on its scale.

    Examples
    --------
    >>> a, sigma = avg([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]])
    >>> round(a, 6), round(sigma, 6)
    (0.7, 0.165831)
    """
    return moments(Average(weighing(w)), R)


def avg_ci(
    R: ArrayLike,
    w: Weights | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
) -> Summary:
    """avg@N with its interval, uncut unless `bounds` are given."""
    return summary(Average(weighing(w)), R, confidence, UNCUT if bounds is None else bounds)


def max_at_k(R: ArrayLike, k: int, w: Weights | None = None) -> float:
    """Max@k: expected largest weight among k trials; Pass@k without weights.

    Examples
    --------
    >>> round(max_at_k([[0, 1, 2, 2, 1], [1, 1, 0, 2, 2]], 2, w=[0.0, 0.5, 1.0]), 6)
    0.85
    """
    return point(MaxAt(k, weighing(w)), R)


def max_at_k_ci(
    R: ArrayLike,
    k: int,
    w: Weights | None = None,
    R0: ArrayLike | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = None,
) -> Summary:
    """Max@k of new trials, with its interval, for any k."""
    return summary(MaxAt(k, weighing(w)), R, confidence, bounds, R0=R0)
