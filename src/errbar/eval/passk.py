"""The documented pass-family functions: Pass@k, Pass^k, G-Pass@k, mG-Pass@k, Maj@k, AUC@K."""

from numpy.typing import ArrayLike

from errbar.eval.matrix import UNIT, Bounds, Summary, point, summary
from errbar.metrics import AreaUnderPass, GPass, Majority, MeanGPass, PassAt, PassHat


def pass_at_k(R: ArrayLike, k: int) -> float:
    """Pass@k: chance that at least one of k trials is right.

    Examples
    --------
    >>> round(pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.95
    """
    return point(PassAt(k), R)


def pass_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """Pass@k of new trials, with its interval.

    Examples
    --------
    >>> summary = pass_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> [round(number, 4) for number in summary]
    [0.8393, 0.0973, 0.6487, 1.0]
    """
    return summary(PassAt(k), R, confidence, bounds, alpha0, beta0)


def pass_hat_k(R: ArrayLike, k: int) -> float:
    """Pass^k: chance that all of k trials are right.

    Examples
    --------
    >>> round(pass_hat_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.45
    """
    return point(PassHat(k), R)


def pass_hat_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """Pass^k of new trials, with its interval."""
    return summary(PassHat(k), R, confidence, bounds, alpha0, beta0)


unanimous_at_k = pass_hat_k


unanimous_at_k_ci = pass_hat_k_ci


def g_pass_at_k(R: ArrayLike, k: int) -> float:
    """G-Pass@k: Pass^k under the name that other papers use."""
    return point(GPass(k), R)


def g_pass_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """G-Pass@k of new trials, with its interval."""
    return summary(GPass(k), R, confidence, bounds, alpha0, beta0)


def g_pass_at_k_tau(R: ArrayLike, k: int, tau: float) -> float:
    """G-Pass@k at threshold `tau`: at least ⌈tau · k⌉ of k trials are right, and one at least.

    Examples
    --------
    >>> round(g_pass_at_k_tau([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, 0.5), 6)
    0.95
    """
    return point(GPass(k, tau), R)


def g_pass_at_k_tau_ci(
    R: ArrayLike,
    k: int,
    tau: float,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """G-Pass@k at threshold `tau` of new trials, with its interval."""
    return summary(GPass(k, tau), R, confidence, bounds, alpha0, beta0)


def mg_pass_at_k(R: ArrayLike, k: int) -> float:
    """mG-Pass@k: G-Pass@k averaged over thresholds from one half to one.

    Examples
    --------
    >>> round(mg_pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.166667
    """
    return point(MeanGPass(k), R)


def mg_pass_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """mG-Pass@k of new trials, with its interval."""
    return summary(MeanGPass(k), R, confidence, bounds, alpha0, beta0)


def maj_at_k(R: ArrayLike, k: int) -> float:
    """Maj@k: chance that more than half of k trials are right.

    Examples
    --------
    >>> round(maj_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.85
    """
    return point(Majority(k), R)


def maj_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """Maj@k of new trials, with its interval."""
    return summary(Majority(k), R, confidence, bounds, alpha0, beta0)


def auc_at_k(R: ArrayLike, k: int) -> float:
    """AUC@K: area under Pass@1 … Pass@k by trapezoids, over its width.

    Examples
    --------
    >>> round(auc_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.9
    """
    return point(AreaUnderPass(k), R)


def auc_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """AUC@K of new trials, with its interval."""
    return summary(AreaUnderPass(k), R, confidence, bounds, alpha0, beta0)
