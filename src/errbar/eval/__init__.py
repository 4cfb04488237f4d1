"""The documented functions on outcome matrices, with their documented numbers and intervals.

`R` has a row per question and a column per trial. A function without `_ci` returns the observed
score. Its `_ci` companion returns `(mu, sigma, lo, hi)`: the mean and the standard deviation under
independent Beta or Dirichlet posteriors, and the ends of a normal interval around the mean. The
functions follow the documented definitions exactly, including their flat priors; see "What an
interval covers" in the documentation before quoting an interval.

The parameters mean the same in every function, and `help` lists those of each:

R : outcomes, with a row per question and a column per trial; one dimension is one question.
k : the number of trials that are drawn.
w : the weight of each category; without weights, outcomes are 0 (wrong) and 1 (right).
R0 : earlier outcomes, with a row per question of `R`.
confidence : the confidence level of the interval.
bounds : the interval is clipped to these; None is the range of the metric, except in `bayes_ci` and
    `avg_ci`, where it means no clipping.
alpha0, beta0 : the parameters of the Beta prior of every question.

- `passk`: right or wrong outcomes; `categories`: Bayes@N, avg@N, Max@k; `tailpass`: TailPass.
- `matrix`: what they share.
"""

from collections.abc import Iterable

from numpy.typing import ArrayLike

from errbar.base.arrays import Array, Bounds
from errbar.eval.categories import avg, avg_ci, bayes, bayes_ci, max_at_k, max_at_k_ci
from errbar.eval.matrix import UNIT, curve_of, curve_summaries, describe_parameters
from errbar.eval.passk import (
    auc_at_k,
    auc_at_k_ci,
    g_pass_at_k,
    g_pass_at_k_ci,
    g_pass_at_k_tau,
    g_pass_at_k_tau_ci,
    geo_spectrum_at_k,
    geo_spectrum_at_k_ci,
    geo_spectrum_star_at_k,
    geo_spectrum_star_at_k_ci,
    geom_at_k,
    geom_at_k_ci,
    geom_ds_at_k,
    geom_ds_at_k_ci,
    maj_at_k,
    maj_at_k_ci,
    mg_pass_at_k,
    mg_pass_at_k_ci,
    pass_at_k,
    pass_at_k_ci,
    pass_hat_k,
    pass_hat_k_ci,
    threshold_spectrum_at_k,
    threshold_spectrum_at_k_ci,
    unanimous_at_k,
    unanimous_at_k_ci,
)
from errbar.eval.tailpass import TailPassProfile, tailpass, tailpass_empirical

__all__ = [
    "TailPassProfile",
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
    "tailpass",
    "tailpass_empirical",
    "threshold_spectrum_at_k",
    "threshold_spectrum_at_k_ci",
    "unanimous_at_k",
    "unanimous_at_k_ci",
]


@describe_parameters
def curve(name: str, R: ArrayLike, ks: Iterable[int] | None = None) -> Array:
    """Compute the observed score at many k.

    Examples
    --------
    >>> curve("pass@k", [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ks=[1, 2, 5])
    array([0.7 , 0.95, 1.  ])
    """
    return curve_of(name, R, ks)


@describe_parameters
def curve_ci(
    name: str,
    R: ArrayLike,
    ks: Iterable[int] | None = None,
    confidence: float = 0.95,
    bounds: Bounds | None = UNIT,
    alpha0: float = 1.0,
    beta0: float = 1.0,
) -> tuple[Array, Array, Array, Array]:
    """Compute the posterior mean of a metric at many k with normal intervals; returns arrays.

    Examples
    --------
    >>> mu, sigma, lo, hi = curve_ci("maj@k", [[0, 1, 1, 0, 1], [1, 1, 0, 1, 1]], ks=[2, 3])
    >>> mu.round(6), sigma.round(6)
    (array([0.446429, 0.684524]), array([0.146167, 0.151958]))
    """
    return curve_summaries(name, R, ks, confidence, bounds, alpha0, beta0)
