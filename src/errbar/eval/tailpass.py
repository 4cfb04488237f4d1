"""TailPass: the probability that k attempts at a question reach each score."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from errbar.base.arguments import number, require_whole, strict_share
from errbar.base.arrays import Array, Integers
from errbar.data.matrices import category_counts
from errbar.errors import InputError, NotEnoughTrials, WrongType
from errbar.eval.matrix import Weights, category_weights, earlier_counts
from errbar.kernels import tail_profile as kernel
from errbar.metrics.means import normal_ends

_SUM_SLACK = 1e-12  # by which the sum of weights may miss 1


def tailpass(
    R: ArrayLike,
    k: int,
    w: Weights | None = None,
    R0: ArrayLike | None = None,
    *,
    eta: float = 1.0,
    prior: ArrayLike = 1.0,
    thresholds: ArrayLike | None = None,
) -> "TailPassProfile":
    """TailPass@k: probabilities that k new attempts reach each score, under the posterior.

    Parameters
    ----------
    R
        Outcomes, with a row per question and a column per trial. One dimension is one question.
    k
        The number of attempts; it may exceed the number of trials.
    w
        The credit of each category, from 0 to 1; without it, outcomes are 0 and 1.
    R0
        Earlier outcomes, with a row per question of `R`.
    eta
        The share with which earlier outcomes count, from 0 to 1.
    prior
        The Dirichlet prior: one number, one per category, or a row per question.
    thresholds
        Required mean credits in increasing order; by default 1/k, 2/k … 1.

    Examples
    --------
    >>> profile = tailpass([[0, 1, 1], [1, 1, 1]], 4)
    >>> profile.mean.round(4)
    array([0.9571, 0.8429, 0.6429, 0.3571])
    >>> mu, sigma = profile.linear([0.25, 0.25, 0.25, 0.25])
    >>> round(mu, 4), round(sigma, 4)
    (0.7, 0.1291)
    """
    _require_draws(k)
    credits = _credits(w)
    counts = category_counts(R, len(credits))
    tally = counts.tally.astype(float)
    share = number(eta, "eta", 0.0, 1.0)
    if R0 is not None:
        tally = tally + share * earlier_counts(R0, len(counts), len(credits)).tally
    parameters = tally + _prior(prior, tally.shape)
    distinct, place = np.unique(credits, return_inverse=True)
    merged = np.zeros((len(parameters), distinct.size))
    for category, into in enumerate(place):
        merged[:, into] += parameters[:, category]
    return TailPassProfile(k, _thresholds(k, thresholds), distinct, merged)


def tailpass_empirical(
    R: ArrayLike, k: int, w: Weights | None = None, *, thresholds: ArrayLike | None = None
) -> Array:
    """TailPass@k of the observed trials: shares of their k-subsets that reach each score.

    Parameters
    ----------
    R, w, thresholds
        As in `tailpass`.
    k
        The size of the subsets, at most the number of trials.

    Examples
    --------
    >>> tailpass_empirical([[0, 1, 1], [1, 1, 1]], 2).round(4)
    array([1.    , 0.6667])
    """
    _require_draws(k)
    credits = _credits(w)
    tally = category_counts(R, len(credits)).tally
    trials = int(tally[0].sum())
    if k > trials:
        raise NotEnoughTrials(
            f"tailpass_empirical draws {k} trials of each question, but R has {trials}. k must lie "
            f"between 1 and {trials}."
        )
    outcomes = kernel.outcomes_of(k, len(credits))
    events = kernel.reaches_threshold(outcomes @ credits / k, _thresholds(k, thresholds))
    states, often = np.unique(tally, axis=0, return_counts=True)
    chances = [kernel.drawn_without_replacement(outcomes, state) @ events for state in states]
    return np.asarray(often @ np.array(chances) / len(tally))


@dataclass(frozen=True, eq=False)
class TailPassProfile:
    """Probabilities of reaching each score in k new attempts, with their uncertainty.

    Intervals are normal and pointwise. They follow the documented definition with its flat prior;
    the objects (`errbar.score` with `g-pass@k_tau`) have intervals that hold their level.
    """

    k: int
    thresholds: Array
    credits: Array  # distinct, increasing
    parameters: Array  # Dirichlet posterior parameters of each question, by credit

    @cached_property
    def question_mean(self) -> Array:
        """Posterior mean of each question: questions × thresholds."""
        return np.array([self._chances(row) @ self._events for row in self.parameters])

    @cached_property
    def mean(self) -> Array:
        """Posterior mean over questions, an entry per threshold."""
        return np.asarray(self.question_mean.mean(axis=0))

    @cached_property
    def covariance(self) -> Array:
        """Posterior covariance of the entries of `mean`; questions are independent."""
        return self._covariance(self._events)

    @cached_property
    def std(self) -> Array:
        """Posterior standard deviations of the entries of `mean`."""
        return np.sqrt(np.diag(self.covariance))

    def linear(self, weights: ArrayLike) -> tuple[float, float]:
        """Mean and standard deviation of a weighted sum over the thresholds."""
        credits = np.asarray(weights, dtype=float)
        if credits.shape != self.thresholds.shape:
            raise InputError(f"weights must be {self.thresholds.size} numbers, one per threshold.")
        if not (credits >= 0.0).all() or abs(float(credits.sum()) - 1.0) > _SUM_SLACK:
            raise InputError("weights must not be negative, and their sum must be 1.")
        return self._moments(self._events @ credits)

    def moment(self, lam: float) -> tuple[float, float]:
        """Mean and standard deviation of the mean credit of k attempts, to the power `lam`."""
        if not number(lam, "lam", 0.0, math.inf) > 0.0 or math.isinf(lam):
            raise InputError(f"lam must be above 0; got {lam!r}.")
        return self._moments(self._scores**lam)

    def discovery(self) -> tuple[float, float]:
        """Mean and standard deviation of the probability of any credit."""
        return self._moments((self._scores > 0.0).astype(float))

    def stability(self) -> tuple[float, float]:
        """Mean and standard deviation of the probability of full credit in every attempt."""
        return self._moments((self._outcomes @ (self.credits == 1.0) == self.k).astype(float))

    def ci(self, confidence: float = 0.95) -> tuple[Array, Array, Array, Array]:
        """`(mu, sigma, lo, hi)` with an entry per threshold, intervals clipped to 0 and 1."""
        level = strict_share(confidence, "confidence")
        low, high = normal_ends(self.mean, self.std, level, (0.0, 1.0))
        return self.mean, self.std, low, high

    @cached_property
    def _outcomes(self) -> Integers:
        return kernel.outcomes_of(self.k, self.credits.size)

    @cached_property
    def _scores(self) -> Array:
        return np.asarray(self._outcomes @ self.credits / self.k)

    @cached_property
    def _events(self) -> Array:
        return kernel.reaches_threshold(self._scores, self.thresholds)

    @cached_property
    def _posterior(self) -> kernel.PosteriorOutcomes:
        return kernel.PosteriorOutcomes(self._outcomes)

    def _chances(self, parameters: Array) -> Array:
        return self._posterior.chances(parameters)

    def _moments(self, values: Array) -> tuple[float, float]:
        states, often = np.unique(self.parameters, axis=0, return_counts=True)
        means = np.array([self._chances(state) @ values for state in states])
        variance = float(self._covariance(values[:, None])[0, 0])
        return float(often @ means) / len(self.parameters), math.sqrt(variance)

    def _covariance(self, values: Array) -> Array:
        """Covariance of means over questions of the values of a run, a column each."""
        states, often = np.unique(self.parameters, axis=0, return_counts=True)
        size = values.shape[1]
        total = np.zeros((size, size))
        for state, times in zip(states, often, strict=True):
            total += times * self._posterior.covariance(state, values)
        total /= len(self.parameters) ** 2
        spread = np.maximum(np.diag(total), 0.0)
        np.fill_diagonal(total, spread)
        return total


def _credits(w: Weights | None) -> Array:
    credits = np.array(category_weights(w))
    if not ((credits >= 0.0) & (credits <= 1.0)).all():
        raise InputError(f"w must lie between 0 and 1; got {credits.tolist()}.")
    return credits


_MOST_DRAWS = 1_000_000  # an array with a threshold for each takes 8 MB


def _require_draws(k: int) -> None:
    require_whole(k, "k", 1)
    if k > _MOST_DRAWS:
        raise InputError(f"k must be {_MOST_DRAWS:,} at most; got {k:,}.")


def _floats(values: ArrayLike, name: str) -> Array:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError) as error:
        raise WrongType(f"{name} must be numbers; NumPy says: {error}.") from error


def _prior(prior: ArrayLike, shape: tuple[int, int]) -> Array:
    parameters = _floats(prior, "prior")
    if parameters.ndim > 2 or not (np.isfinite(parameters) & (parameters > 0.0)).all():
        raise InputError("prior must be positive: a number, one per category, or one row each.")
    try:
        return np.broadcast_to(parameters, shape)
    except ValueError:
        raise InputError(
            f"prior must be a number, {shape[1]} numbers, or {shape[0]} rows of {shape[1]}; its "
            f"shape is {parameters.shape}."
        ) from None


def _thresholds(k: int, thresholds: ArrayLike | None) -> Array:
    if thresholds is None:
        return np.arange(1, k + 1) / k
    levels = _floats(thresholds, "thresholds")
    if levels.ndim != 1 or not levels.size or not ((levels >= 0.0) & (levels <= 1.0)).all():
        raise InputError("thresholds must be a list of numbers between 0 and 1.")
    if not (np.diff(levels) > 0.0).all():
        raise InputError("thresholds must increase.")
    return levels
