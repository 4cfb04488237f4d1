"""The documented blends of two pass-family metrics: Geom@k and the spectra."""

from numpy.typing import ArrayLike

from errbar.errors import WrongType
from errbar.eval.matrix import UNIT, Bounds, Summary, Weights, point, summary
from errbar.metrics import DatasetGeom, Geom, GeoSpectrum, Spectrum


def geom_at_k(R: ArrayLike, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5) -> float:
    """Geom@k: Pass@k and Pass^k of a question blended, then averaged over questions.

    Examples
    --------
    >>> round(geom_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.647106
    """
    return point(Geom(k, pass_power, unanimous_power), R)


def geom_at_k_ci(
    R: ArrayLike,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """Geom@k of new trials to first order, with its interval, for any k."""
    metric = Geom(k, pass_power, unanimous_power)
    return summary(metric, R, confidence, bounds, alpha0, beta0)


def geom_ds_at_k(
    R: ArrayLike, k: int, pass_power: float = 0.5, unanimous_power: float = 0.5
) -> float:
    """Geom@k of the data set: Pass@k and Pass^k averaged over questions, then blended.

    Examples
    --------
    >>> round(geom_ds_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 2), 6)
    0.653835
    """
    return point(DatasetGeom(k, pass_power, unanimous_power), R)


def geom_ds_at_k_ci(
    R: ArrayLike,
    k: int,
    pass_power: float = 0.5,
    unanimous_power: float = 0.5,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """Geom@k of the data set for new trials to first order, with its interval, for any k."""
    metric = DatasetGeom(k, pass_power, unanimous_power)
    return summary(metric, R, confidence, bounds, alpha0, beta0)


def geo_spectrum_at_k(
    R: ArrayLike,
    k: int,
    lam: float = 0.5,
    weights: Weights | None = None,
    lambda_: float | None = None,
) -> float:
    """GeoSpectrum@k: Pass@k to the power `lam` times a threshold spectrum to the rest.

    `lambda_` is another name of `lam`; without `weights` the spectrum is mG-Pass@k.

    Examples
    --------
    >>> round(geo_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3), 6)
    0.408248
    """
    return point(_geo_spectrum(k, lam, weights, lambda_), R)


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
) -> Summary:
    """GeoSpectrum@k of new trials to first order, with its interval, for any k."""
    metric = _geo_spectrum(k, lam, weights, lambda_)
    return summary(metric, R, confidence, bounds, alpha0, beta0)


def geo_spectrum_star_at_k(R: ArrayLike, k: int) -> float:
    """GeoSpectrum*@k: the geometric mean of Pass@k and mG-Pass@k."""
    return point(GeoSpectrum(k), R)


def geo_spectrum_star_at_k_ci(
    R: ArrayLike,
    k: int,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """GeoSpectrum*@k of new trials to first order, with its interval, for any k."""
    return summary(GeoSpectrum(k), R, confidence, bounds, alpha0, beta0)


def threshold_spectrum_at_k(R: ArrayLike, k: int, weights: Weights) -> float:
    """Weighted chances of at least 1, 2, … k right among k trials.

    Examples
    --------
    >>> round(threshold_spectrum_at_k([[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], 3, [0.1, 0.2, 0.3]), 6)
    0.345
    """
    return point(Spectrum(k, weights), R)  # type: ignore[arg-type]


def threshold_spectrum_at_k_ci(
    R: ArrayLike,
    k: int,
    weights: Weights,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> Summary:
    """The threshold spectrum of new trials, with its interval, for any k."""
    metric = Spectrum(k, weights)  # type: ignore[arg-type]
    return summary(metric, R, confidence, bounds, alpha0, beta0)


def _geo_spectrum(
    k: int, lam: float, weights: Weights | None, lambda_: float | None
) -> GeoSpectrum:
    if lambda_ is not None and lam != 0.5:
        raise WrongType(f"lam={lam!r} and lambda_={lambda_!r} are one parameter; give one of them.")
    return GeoSpectrum(k, lam if lambda_ is None else lambda_, weights)  # type: ignore[arg-type]
