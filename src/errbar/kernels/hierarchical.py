"""Normal hierarchical model for the means of several systems (Lindley and Smith 1972).

The highest of several observed means is biased upwards, because it is partly luck, and the more so
the more systems there are. The model corrects for it: the means are exchangeable and normally
distributed around a common mean, and their standard deviation τ has a flat prior (Gelman 2006).
Every mean is shrunk towards the common mean; the more precise it is, the less.
"""

import numpy as np

from errbar.base.arrays import Array

# Of the quadrature over the standard deviation of the means, by the midpoint rule; its error falls
# with the square of their number.
_STEPS = 400


def exchangeable(draws: Array, rng: np.random.Generator) -> Array:
    """Posterior draws of the means, less their common mean, for exchangeable systems.

    Each row of `draws` is from the joint posterior without that assumption, approximated by a
    normal distribution. The order of systems depends only on their differences. In the basis in
    which these are independent, a mean with variance v shrinks to τ² / (τ² + v) of its distance
    from 0, and its variance to the same share of v. With two systems the data contain no
    information on τ, and the draws are returned unchanged.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> draws = np.array([0.5, 0.5, 0.5, 0.6]) + 0.1 * rng.standard_normal((10_000, 4))
    >>> exchangeable(draws, rng).mean(axis=0).round(2).tolist()
    [-0.01, -0.01, -0.01, 0.03]
    """
    apart: Array = draws - draws.mean(axis=1, keepdims=True)
    systems = draws.shape[1]
    if systems < 3:
        return apart
    beside = np.linalg.qr(np.column_stack([np.ones(systems), np.eye(systems)[:, 1:]]))[0][:, 1:]
    variances, directions = np.linalg.eigh(np.cov(apart @ beside, rowvar=False))
    variances, basis = np.maximum(variances, 0.0), beside @ directions
    squares = np.square(apart.mean(axis=0) @ basis)
    scale = np.sqrt(np.mean(squares + variances))
    if not scale:
        return apart
    middle = (np.arange(_STEPS) + 0.5) / _STEPS
    sd = scale * middle / (1.0 - middle)
    total = variances + np.square(sd)[:, None]
    logs = -0.5 * (np.log(total) + squares / total).sum(axis=1) - 2.0 * np.log1p(-middle)
    chances = np.exp(logs - logs.max())
    drawn = rng.choice(sd, size=(len(draws), 1), p=chances / chances.sum())
    kept = np.square(drawn) / (np.square(drawn) + variances)
    noise = rng.standard_normal((len(draws), variances.size))
    pulled: Array = (kept * (apart @ basis) + (1.0 - kept) * drawn * noise) @ basis.T
    return pulled


class DrawnRanks:
    """Ranks under joint draws; tied scores share a rank.

    No probability is 0 or 1: for each system one draw is added in which it is the best.
    """

    def __init__(self, scores: Array) -> None:
        better = (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
        equal = (scores[:, None, :] == scores[:, :, None]).sum(axis=2)
        ranks = better + 0.5 * (equal + 1)
        first = better == 0
        shares = (first / first.sum(axis=1, keepdims=True)).sum(axis=0)
        self.expected = ranks.mean(axis=0)
        self.best = (shares + 1.0) / (len(scores) + shares.size)
