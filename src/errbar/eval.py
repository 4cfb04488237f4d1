"""The documented functions on outcome matrices: same names, numbers and intervals everywhere.

`R` has a row per question and a column per trial. A function without `_ci` estimates from the
observed trials; its `_ci` companion returns `(mu, sigma, lo, hi)`: posterior mean and standard
deviation under independent Beta or Dirichlet posteriors, and the ends of a normal interval around
the mean. They keep the documented definitions to the letter, their flat priors included; see
"What an interval covers" in the documentation before quoting one.

Parameters that mean the same in every function are explained here once:

R : matrix of 0 and 1, or of categories 0…C where there are weights; one dimension is one question.
k : how many trials are drawn, an integer.
w : the weight of each category; without it, `R` is right-or-wrong.
R0 : outcomes seen before, a row per question of `R`.
confidence : the level of the interval.
bounds : the ends are cut to these; None stands for the metric's own range, except in `bayes_ci`
    and `avg_ci`, where it leaves the interval uncut.
alpha0, beta0 : the Beta prior of every question.
"""

from collections.abc import Iterable

from numpy.typing import ArrayLike

from errbar.errors import WrongType
from errbar.matrices import (
    UNCUT,
    UNIT,
    Array,
    Bounds,
    Summary,
    Weights,
    curve_of,
    curve_summaries,
    moments,
    point,
    summary,
    weighing,
)
from errbar.metrics import (
    AreaUnderPass,
    Average,
    Bayes,
    DatasetGeom,
    Geom,
    GeoSpectrum,
    GPass,
    Majority,
    MaxAt,
    MeanGPass,
    PassAt,
    PassHat,
    Spectrum,
)

__all__ = [
    "auc_at_k",
    "auc_at_k_ci",
    "avg",
    "avg_ci",
    "bayes",
    "bayes_ci",
    "curve",
    "curve_ci",
    "g_pass_at_k",
    "g_pass_at_k_ci",
    "g_pass_at_k_tau",
    "g_pass_at_k_tau_ci",
    "geo_spectrum_at_k",
    "geo_spectrum_at_k_ci",
    "geo_spectrum_star_at_k",
    "geo_spectrum_star_at_k_ci",
    "geom_at_k",
    "geom_at_k_ci",
    "geom_ds_at_k",
    "geom_ds_at_k_ci",
    "maj_at_k",
    "maj_at_k_ci",
    "max_at_k",
    "max_at_k_ci",
    "mg_pass_at_k",
    "mg_pass_at_k_ci",
    "pass_at_k",
    "pass_at_k_ci",
    "pass_hat_k",
    "pass_hat_k_ci",
    "threshold_spectrum_at_k",
    "threshold_spectrum_at_k_ci",
    "unanimous_at_k",
    "unanimous_at_k_ci",
]


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


def curve(name: str, R: ArrayLike, ks: Iterable[int] | None = None) -> Array:
    """A metric at many k in one pass; without `ks`, at every k up to the trials.

    Examples
    --------
    >>> curve("pass@k", [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ks=[1, 2, 5])
    array([0.7 , 0.95, 1.  ])
    """
    return curve_of(name, R, ks)


def curve_ci(
    name: str,
    R: ArrayLike,
    ks: Iterable[int] | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> tuple[Array, Array, Array, Array]:
    """`(mu, sigma, lo, hi)` of a metric at many k in one pass, an array each.

    Examples
    --------
    >>> mu, sigma, lo, hi = curve_ci("maj@k", [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ks=[2, 3])
    >>> mu.round(6), sigma.round(6)
    (array([0.446429, 0.684524]), array([0.146167, 0.151958]))
    """
    return curve_summaries(name, R, ks, confidence, bounds, alpha0, beta0)


def _geo_spectrum(
    k: int, lam: float, weights: Weights | None, lambda_: float | None
) -> GeoSpectrum:
    if lambda_ is not None and lam != 0.5:
        raise WrongType(f"lam={lam!r} and lambda_={lambda_!r} are one parameter; give one of them.")
    return GeoSpectrum(k, lam if lambda_ is None else lambda_, weights)  # type: ignore[arg-type]
