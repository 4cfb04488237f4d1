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

from errbar.base.arrays import Array
from errbar.eval.blends import (
    geo_spectrum_at_k,
    geo_spectrum_at_k_ci,
    geo_spectrum_star_at_k,
    geo_spectrum_star_at_k_ci,
    geom_at_k,
    geom_at_k_ci,
    geom_ds_at_k,
    geom_ds_at_k_ci,
    threshold_spectrum_at_k,
    threshold_spectrum_at_k_ci,
)
from errbar.eval.categories import avg, avg_ci, bayes, bayes_ci, max_at_k, max_at_k_ci
from errbar.eval.matrix import UNIT, Bounds, curve_of, curve_summaries
from errbar.eval.passk import (
    auc_at_k,
    auc_at_k_ci,
    g_pass_at_k,
    g_pass_at_k_ci,
    g_pass_at_k_tau,
    g_pass_at_k_tau_ci,
    maj_at_k,
    maj_at_k_ci,
    mg_pass_at_k,
    mg_pass_at_k_ci,
    pass_at_k,
    pass_at_k_ci,
    pass_hat_k,
    pass_hat_k_ci,
    unanimous_at_k,
    unanimous_at_k_ci,
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
