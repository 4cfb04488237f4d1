"""The documented functions of right-or-wrong outcomes: the pass family, spectra and blends.

Pass@k, Pass^k, G-Pass@k, mG-Pass@k, Maj@k, AUC@K, threshold spectra, Geom@k and GeoSpectrum@k. The
posterior moments of the blends are first-order (delta method).
"""

import math

from numpy.typing import ArrayLike

from errbar import metrics
from errbar.base.arguments import number
from errbar.base.arrays import Bounds
from errbar.errors import WrongType
from errbar.eval.matrix import UNIT, SummaryTuple, Weights, describe_parameters, point, summary


@describe_parameters
def pass_at_k(R: ArrayLike, k: int) -> float:
    """Pass@k: probability that at least one of k trials is right.

    Examples
    --------
    >>> round(pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.95
    """
    return point(metrics.PassAt(k), R)


@describe_parameters
def pass_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """Pass@k of new trials with a normal interval.

    Examples
    --------
    >>> summary = pass_at_k_ci([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2)
    >>> [round(number, 4) for number in summary]
    [0.8393, 0.0973, 0.6487, 1.0]
    """
    return summary(metrics.PassAt(k), R, confidence, bounds, alpha0, beta0)


@describe_parameters
def pass_hat_k(R: ArrayLike, k: int) -> float:
    """Pass^k: probability that all of k trials are right.

    Examples
    --------
    >>> round(pass_hat_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.45
    """
    return point(metrics.PassHat(k), R)


@describe_parameters
def pass_hat_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """Pass^k of new trials with a normal interval."""
    return summary(metrics.PassHat(k), R, confidence, bounds, alpha0, beta0)


unanimous_at_k = pass_hat_k


unanimous_at_k_ci = pass_hat_k_ci


@describe_parameters
def g_pass_at_k(R: ArrayLike, k: int) -> float:
    """G-Pass@k at threshold 1, which is Pass^k."""
    return point(metrics.GPass(k), R)


@describe_parameters
def g_pass_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """G-Pass@k of new trials with a normal interval."""
    return summary(metrics.GPass(k), R, confidence, bounds, alpha0, beta0)


@describe_parameters
def g_pass_at_k_tau(R: ArrayLike, k: int, tau: float) -> float:
    """G-Pass@k: probability that at least ⌈tau · k⌉ of k trials, and at least one, are right.

    Examples
    --------
    >>> round(g_pass_at_k_tau([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2, 0.5), 6)
    0.95
    """
    return point(metrics.GPass(k, tau), R)


@describe_parameters
def g_pass_at_k_tau_ci(
    R: ArrayLike,
    k: int,
    tau: float,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """G-Pass@k of new trials at threshold `tau` with a normal interval."""
    return summary(metrics.GPass(k, tau), R, confidence, bounds, alpha0, beta0)


@describe_parameters
def mg_pass_at_k(R: ArrayLike, k: int) -> float:
    """mG-Pass@k: G-Pass@k averaged over thresholds from 1/2 to 1.

    Examples
    --------
    >>> round(mg_pass_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.166667
    """
    return point(metrics.MeanGPass(k), R)


@describe_parameters
def mg_pass_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """mG-Pass@k of new trials with a normal interval."""
    return summary(metrics.MeanGPass(k), R, confidence, bounds, alpha0, beta0)


@describe_parameters
def maj_at_k(R: ArrayLike, k: int) -> float:
    """Maj@k: probability that more than half of k trials are right.

    Examples
    --------
    >>> round(maj_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.85
    """
    return point(metrics.Majority(k), R)


@describe_parameters
def maj_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """Maj@k of new trials with a normal interval."""
    return summary(metrics.Majority(k), R, confidence, bounds, alpha0, beta0)


@describe_parameters
def auc_at_k(R: ArrayLike, k: int) -> float:
    """AUC@K: area under Pass@1 … Pass@k by the trapezoidal rule, divided by k − 1.

    Examples
    --------
    >>> round(auc_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.9
    """
    return point(metrics.AreaUnderPass(k), R)


@describe_parameters
def auc_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """AUC@K of new trials with a normal interval."""
    return summary(metrics.AreaUnderPass(k), R, confidence, bounds, alpha0, beta0)


@describe_parameters
def geom_at_k(R: ArrayLike, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5) -> float:
    """Geom@k: product of powers of Pass@k and Pass^k per question, averaged over questions.

    Examples
    --------
    >>> round(geom_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.647106
    """
    return point(metrics.Geom(k, pass_power, unanimous_power), R)


@describe_parameters
def geom_at_k_ci(
    R: ArrayLike,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """Geom@k of new trials with a normal interval; k may exceed the number of trials."""
    metric = metrics.Geom(k, pass_power, unanimous_power)
    return summary(metric, R, confidence, bounds, alpha0, beta0)


@describe_parameters
def geom_ds_at_k(
    R: ArrayLike, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5
) -> float:
    """Geom@k of the data set: product of powers of the mean Pass@k and the mean Pass^k.

    Examples
    --------
    >>> round(geom_ds_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.653835
    """
    return point(metrics.DatasetGeom(k, pass_power, unanimous_power), R)


@describe_parameters
def geom_ds_at_k_ci(
    R: ArrayLike,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """Geom@k of the data set for new trials with a normal interval; k may exceed the trials."""
    metric = metrics.DatasetGeom(k, pass_power, unanimous_power)
    return summary(metric, R, confidence, bounds, alpha0, beta0)


@describe_parameters
def geo_spectrum_at_k(
    R: ArrayLike,
    k: int,
    lam: float = 0.5,
    weights: Weights | None = None,
    lambda_: float | None = None,
) -> float:
    """GeoSpectrum@k: weighted geometric mean of Pass@k and a threshold spectrum.

    Without `weights` the spectrum is mG-Pass@k.

    Examples
    --------
    >>> round(geo_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.408248
    """
    return point(_geo_spectrum(k, lam, weights, lambda_), R)


@describe_parameters
def geo_spectrum_at_k_ci(
    R: ArrayLike,
    k: int,
    lam: float = 0.5,
    weights: Weights | None = None,
    lambda_: float | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """GeoSpectrum@k of new trials with a normal interval; k may exceed the number of trials."""
    metric = _geo_spectrum(k, lam, weights, lambda_)
    return summary(metric, R, confidence, bounds, alpha0, beta0)


@describe_parameters
def geo_spectrum_star_at_k(R: ArrayLike, k: int) -> float:
    """GeoSpectrum*@k: geometric mean of Pass@k and mG-Pass@k."""
    return point(metrics.GeoSpectrum(k), R)


@describe_parameters
def geo_spectrum_star_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """GeoSpectrum*@k of new trials with a normal interval; k may exceed the number of trials."""
    return summary(metrics.GeoSpectrum(k), R, confidence, bounds, alpha0, beta0)


@describe_parameters
def threshold_spectrum_at_k(R: ArrayLike, k: int, weights: Weights) -> float:
    """Weighted sum of the probabilities of at least 1, 2, … k right among k trials.

    Examples
    --------
    >>> round(threshold_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3, [0.1, 0.2, 0.3]), 6)
    0.345
    """
    return point(metrics.Spectrum(k, weights), R)  # type: ignore[arg-type]


@describe_parameters
def threshold_spectrum_at_k_ci(
    R: ArrayLike,
    k: int,
    weights: Weights,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> SummaryTuple:
    """Threshold spectrum of new trials with a normal interval; k may exceed the trials."""
    metric = metrics.Spectrum(k, weights)  # type: ignore[arg-type]
    return summary(metric, R, confidence, bounds, alpha0, beta0)


def _geo_spectrum(
    k: int, lam: float, weights: Weights | None, lambda_: float | None
) -> metrics.GeoSpectrum:
    if lambda_ is not None and number(lam, "lam", -math.inf, math.inf) != 0.5:
        raise WrongType(
            f"lam={lam!r} and lambda_={lambda_!r} are the same parameter; give only one."
        )
    return metrics.GeoSpectrum(k, lam if lambda_ is None else lambda_, weights)  # type: ignore[arg-type]
