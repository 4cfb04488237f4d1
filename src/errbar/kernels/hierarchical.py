"""Normal hierarchical models for the means of several systems (Lindley and Smith 1972).

The highest of several observed means is biased upwards, because it is partly luck, and the more so
the more systems there are. Normal hierarchical models correct for it: the means are exchangeable
draws around a common mean, of unknown spread. There are two:

- `exchangeable`, for errors whose covariance is known: the standard deviation τ of the means has a
  flat prior (Lindley and Smith 1972, Gelman 2006). The better a mean is known, the less it is
  shrunk.
- `with_g_prior`, for means over the same questions, whose covariance is estimated from these: the
  means have g times the covariance of the errors, as in the g-prior of Zellner (1986), with a flat
  prior of √g, so that all contrasts are shrunk by one factor. With about as many systems as
  questions, the first model would take the luck of the estimated covariance for knowledge, and turn
  the order of systems. Even so the covariance has to be positive: it is that of Ledoit and Wolf
  (2004), the observed one mixed with that of exchangeable systems.
"""

from collections.abc import Sequence

import numpy as np

from errbar.base.arrays import Array

# Of the quadrature over the standard deviation of the means, by the midpoint rule; its error falls
# with the square of their number.
_STEPS = 400
DRAWS, SEED = 10_000, 1  # a probability then has a standard error of 0.5% at most


def shrinkage(parts: Sequence[Array]) -> float:
    """Weight of the covariance of exchangeable systems in the estimate of Ledoit and Wolf (2004).

    A part has the deviations of independent questions, systems × questions, whose outer products y
    y' add up to the covariance of the means. Of differences between systems only: there the
    covariance of exchangeable systems is a multiple of the identity, which is the target of Ledoit
    and Wolf. The weight is the estimated variance of the covariance by its squared distance from
    the target, which minimises the expected squared error whatever the distribution. With few
    questions it is near 1, with very many near 0.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> spread = np.array([[1.0], [1.0], [1.0], [4.0]])
    >>> for questions in (4, 40, 4000):
    ...     print(round(shrinkage([spread * rng.standard_normal((4, questions))]), 2))
    0.4
    0.11
    0.0
    """
    between = [part - part.mean(axis=0) for part in parts]
    each = [part @ part.T for part in between]
    systems = parts[0].shape[0]
    covariance = np.sum(each, axis=0)
    distance = np.square(covariance).sum() - np.trace(covariance) ** 2 / (systems - 1)
    fourth = sum(float(np.square(np.square(part).sum(axis=0)).sum()) for part in between)
    fourth -= sum(
        float(np.square(own).sum()) / part.shape[1] for own, part in zip(each, between, strict=True)
    )
    return float(np.clip(fourth / distance, 0.0, 1.0)) if distance > 0.0 else 1.0


def with_g_prior(draws: Array, parts: Sequence[Array], rng: np.random.Generator) -> Array:
    """Posterior draws of means on the same questions, less their common mean.

    Each row of `draws` is from the joint posterior of the means under a flat prior; `parts` are the
    deviations of questions as in `shrinkage`. The draws get the covariance C of Ledoit and Wolf:
    their deviations are scaled by the root of 1 − λ, and independent normal ones of variance λμ are
    added, where λ is `shrinkage` and μ the mean variance. If the means have the prior covariance
    g C, their posterior has g / (1 + g) of the observed means and of C. Two systems have a single
    contrast, which says nothing about g, and are returned as they are.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> questions = rng.standard_normal((4, 100))
    >>> draws = rng.standard_normal((10_000, 100)) @ questions.T / 100
    >>> draws += [0.5, 0.5, 0.5, 0.6]
    >>> with_g_prior(draws, [questions / 100], rng).mean(axis=0).round(2).tolist()
    [-0.01, -0.01, -0.01, 0.03]
    """
    centred: Array = draws - draws.mean(axis=1, keepdims=True)
    systems = draws.shape[1]
    if systems < 3:
        return centred
    means = centred.mean(axis=0)
    centred -= means
    weight = shrinkage(parts)
    variance = float(np.square(centred).mean(axis=0).sum()) / (systems - 1)
    noise = rng.standard_normal(centred.shape)
    noise -= noise.mean(axis=1, keepdims=True)
    centred *= np.sqrt(1.0 - weight)
    centred += np.sqrt(weight * variance) * noise
    variances, basis = _contrasts(centred)
    known = variances > 0.0
    if not known.any():
        return centred + means
    squares = np.square(means @ basis)[known] / variances[known]
    spread = _spreads(squares, np.ones(squares.size), len(draws), rng)
    kept = np.square(spread) / (1.0 + np.square(spread))
    return kept * means + np.sqrt(kept) * centred


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
    centred: Array = draws - draws.mean(axis=1, keepdims=True)
    systems = draws.shape[1]
    if systems < 3:
        return centred
    variances, basis = _contrasts(centred)
    squares = np.square(centred.mean(axis=0) @ basis)
    if not (squares + variances).any():
        return centred
    drawn = _spreads(squares, variances, len(draws), rng)
    kept = np.square(drawn) / (np.square(drawn) + variances)
    noise = rng.standard_normal((len(draws), variances.size))
    pulled: Array = (kept * (centred @ basis) + (1.0 - kept) * drawn * noise) @ basis.T
    return pulled


def exchangeable_normal(means: Array, root: Array) -> Array:
    """Posterior draws of exchangeable means with normal errors of covariance `root` @ `root`.T."""
    noise = np.random.default_rng(SEED).standard_normal((DRAWS, means.size)) @ root.T
    return exchangeable(means + noise, np.random.default_rng(SEED))


def root_of(covariance: Array) -> Array:
    """A matrix whose product with its transpose is a covariance, which may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    root: Array = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


def _contrasts(centred: Array) -> tuple[Array, Array]:
    """Variances of independent contrasts of the systems, and their coefficients (in columns)."""
    systems = centred.shape[1]
    beside = np.linalg.qr(np.column_stack([np.ones(systems), np.eye(systems)[:, 1:]]))[0][:, 1:]
    variances, directions = np.linalg.eigh(np.cov(centred @ beside, rowvar=False))
    return np.maximum(variances, 0.0), beside @ directions


def _spreads(squares: Array, variances: Array, number: int, rng: np.random.Generator) -> Array:
    """Draw the standard deviation of means from its posterior, by their squares and variances."""
    scale = np.sqrt(np.mean(squares + variances))
    middle = (np.arange(_STEPS) + 0.5) / _STEPS
    sd = scale * middle / (1.0 - middle)
    total = variances + np.square(sd)[:, None]
    logs = -0.5 * (np.log(total) + squares / total).sum(axis=1) - 2.0 * np.log1p(-middle)
    chances = np.exp(logs - logs.max())
    return rng.choice(sd, size=(number, 1), p=chances / chances.sum())


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
