"""Binomial probabilities and tails: the credit of k trials at a known success rate."""

import numpy as np

from errbar.base.arrays import Array
from errbar.kernels.urn import blocks


def chance_of_one(rates: Array, k: int) -> Array:
    """Chance of at least one correct trial among k: 1 − (1 − p)^k, accurate for small p."""
    with np.errstate(divide="ignore"):
        return -np.expm1(k * np.log1p(-rates))


def chance_of_at_least(rates: Array, k: int, right: int) -> Array:
    """Chance of at least `right` correct trials among k, as a regularised incomplete Beta."""
    from scipy.special import betainc  # noqa: PLC0415  loaded when first needed

    chance: Array = betainc(float(right), k - right + 1.0, rates)
    return chance


def mean_credit(rates: Array, credit: Array) -> Array:
    """Mean of `credit[j]` for j correct trials among k, k = credit.size − 1."""
    flat = rates.ravel()
    out = np.empty(flat.size)
    for some in blocks(flat.size, credit.size):
        out[some] = credit @ masses(flat[some], credit.size - 1)
    return np.clip(out, 0.0, 1.0).reshape(rates.shape)


def masses(rates: Array, k: int) -> Array:
    """Chance of j correct trials among k: a row for each j = 0…k."""
    from scipy.special import gammaln, xlog1py, xlogy  # noqa: PLC0415  loaded when first needed

    j = np.arange(k + 1.0)[:, None]
    log_ways = gammaln(k + 1.0) - gammaln(j + 1.0) - gammaln(k - j + 1.0)
    chances: Array = np.exp(log_ways + xlogy(j, rates) + xlog1py(k - j, -rates))
    return chances
