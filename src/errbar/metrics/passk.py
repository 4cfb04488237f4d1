"""Pass-family metrics: a credit for the number of right trials among k draws.

A metric is defined by its credit vector; `gains()` are the increments of the credit with each
further right draw. `kernels.urn` averages the credit over subsets of the observed trials, and
`kernels.beta` over the posterior. Pass@k, Pass^k and AUC@K depend on powers of the success rate,
so that many k are computed together.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from errbar.base.arguments import freeze, number, numbers
from errbar.base.arrays import Array
from errbar.data.counts import States
from errbar.errors import InputError
from errbar.kernels import beta, binomial, urn
from errbar.metrics.base import register
from errbar.metrics.means import (
    Prior,
    QuestionMean,
    StateMoments,
    draws_of,
    posterior_of,
)

SNAP = 1e-9  # tau · k this close to an integer is that integer: 0.28 · 25 is 7, not 8
_SUM_SLACK = 1e-12  # rounding: ten weights of 0.1 may add up to slightly more than 1


@dataclass(frozen=True)
class CreditMetric(QuestionMean):
    """Mean credit for the number of right trials among `k` draws from a question."""

    numbered: ClassVar[str | None] = "k"
    k: int

    def __post_init__(self) -> None:
        freeze(self, k=draws_of(self.k))

    @property
    def draws(self) -> int:
        """Number of trials per question that the observed score requires."""
        return self.k

    @property
    def top(self) -> float:
        """Return the credit for k right draws."""
        return 1.0

    @property
    def bounds(self) -> tuple[float, float]:
        """Return 0 and the largest credit."""
        return (0.0, self.top)

    def parts(self) -> tuple[QuestionMean, ...]:
        """Return the metric itself, or its credits rescaled to a maximum of 1."""
        if self.top in (0.0, 1.0):
            return (self,)
        return (Spectrum(self.k, tuple(self.gains() / self.top)),)

    def joined(self, *means: Array) -> Array:
        """Return the metric, given the mean of its part."""
        return means[0] * (self.top or 1.0)

    def slopes(self, *means: Array) -> tuple[Array, ...]:
        """Return the derivative of `joined`."""
        return (np.full_like(means[0], self.top or 1.0),)

    @abstractmethod
    def gains(self) -> Array:
        """Return the increments of the credit from i to i + 1 right draws, i = 0…k−1."""

    def credit(self) -> Array:
        """Return the credit for j right draws, j = 0…k."""
        credit = np.zeros(self.k + 1)
        credit[1:] = np.add.accumulate(self.gains(), dtype=np.longdouble)
        return np.minimum(credit, 1.0, out=credit)

    def at_rates(self, rates: Array) -> Array:
        """Return the expected credit of k trials."""
        return binomial.mean_credit(rates, self.credit())

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return the mean credit over all k-subsets of the observed trials."""
        trials, correct = states.trials, states.correct
        return np.array([urn.mean_credit(trials, correct, m.credit()) for m in metrics])

    @classmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return posterior mean and log variance of the expected credit of k new trials."""
        trials, correct, beta_prior = states.trials, states.correct, (prior.right, prior.wrong)
        logs = [beta.credit_moments(trials, correct, beta_prior, m.gains()) for m in metrics]
        log_mean, log_var = np.array(logs).swapaxes(0, 1)
        return np.exp(log_mean), log_var


@register("pass@")
@dataclass(frozen=True)
class PassAt(CreditMetric):
    """Probability that at least one of `k` draws is right.

    The estimator is that of Chen et al. (2021), "Evaluating Large Language Models Trained on Code",
    arXiv:2107.03374.

    Examples
    --------
    >>> from errbar.data.counts import Counts
    >>> PassAt(2).point(Counts(trials=[4, 4], correct=[1, 3]))
    0.75
    """

    def gains(self) -> Array:
        """Return full credit for the first right draw."""
        return step(self.k, at=1)

    def at_rates(self, rates: Array) -> Array:
        """Return 1 − (1 − p)^k."""
        return binomial.chance_of_one(rates, self.k)

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return the hypergeometric probabilities of at least one right draw, for all k at once."""
        return urn.chance_of_one(states.trials, states.correct, [m.k for m in metrics])

    @classmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return moments of 1 − (1 − p)^k under the Beta posterior, for all k at once."""
        a, b = posterior_of(states, prior)
        ks = [m.k for m in metrics]
        return beta.chance_of_one(a, b, ks), beta.log_power_moments(b, a, ks)[1]


@register("pass^", "unanimous@")
@dataclass(frozen=True)
class PassHat(CreditMetric):
    """Probability that all of `k` draws are right; named pass^k by Yao et al. (2024), τ-bench."""

    def gains(self) -> Array:
        """Return full credit for the last draw."""
        return step(self.k, at=self.k)

    def at_rates(self, rates: Array) -> Array:
        """Return p^k."""
        return rates**self.k

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return the hypergeometric probabilities of only right draws, for all k at once."""
        return urn.chance_of_all(states.trials, states.correct, [m.k for m in metrics])

    @classmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return moments of p^k under the Beta posterior, for all k at once."""
        ks, posterior = [m.k for m in metrics], posterior_of(states, prior)
        return beta.chance_of_all(*posterior, ks), beta.log_power_moments(*posterior, ks)[1]


@register("auc@")
@dataclass(frozen=True)
class AreaUnderPass(CreditMetric):
    """Area under Pass@1 … Pass@k divided by k − 1; by the trapezoidal rule, Pass@1 for k = 1."""

    def gains(self) -> Array:
        """Return the increments that follow from the weights of Pass@1 … Pass@k."""
        if self.k == 1:
            return np.ones(1)
        k, j = self.k, np.arange(self.k, dtype=float)
        gain = (k + 1.0) / ((j + 1.0) * (j + 2.0)) - 1.0 / (2.0 * k)
        gain[0] = k / 2.0 - 1.0 / (2.0 * k)
        return gain / (k - 1.0)

    def weights(self) -> Array:
        """Return the weights of Pass@1 … Pass@k in the trapezoidal rule."""
        if self.k == 1:
            return np.ones(1)
        share = np.full(self.k, 1.0 / (self.k - 1))
        share[[0, -1]] /= 2.0
        return share

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return weighted means of Pass@1 … Pass@k, computed once for all k."""
        trials, correct = states.trials, states.correct
        return _areas(metrics, lambda budgets: urn.chance_of_one(trials, correct, budgets))

    @classmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return moments of the weighted means of Pass@1 … Pass@k."""
        a, b = posterior_of(states, prior)
        means = _areas(metrics, lambda budgets: beta.chance_of_one(a, b, budgets))
        return means, beta.log_var_area(a, b, [m.k for m in metrics])


@dataclass(frozen=True)
class ThresholdMetric(CreditMetric):
    """Probability that at least `threshold` of `k` draws are right."""

    @property
    @abstractmethod
    def threshold(self) -> int:
        """Number of right draws that is required."""

    def gains(self) -> Array:
        """Return full credit for the draw that reaches the threshold."""
        return step(self.k, at=self.threshold)

    def at_rates(self, rates: Array) -> Array:
        """Return the binomial probability of reaching the threshold."""
        return binomial.chance_of_at_least(rates, self.k, self.threshold)

    def canonical(self) -> CreditMetric:
        """Return Pass@k or Pass^k if the threshold is 1 or k, otherwise `AtLeast`."""
        right = self.threshold
        if right == 1:
            return PassAt(self.k)
        return PassHat(self.k) if right == self.k else AtLeast(self.k, right)

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return means over subsets, computed together for each canonical class."""
        kinds = _group_by_kind(metrics)
        if len(kinds) == 1:
            return kinds[0].of.subset_means(kinds[0].members, states)
        out = np.empty((len(metrics), states.trials.size))
        for kind in kinds:
            out[kind.rows] = kind.of.subset_means(kind.members, states)
        return out

    @classmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return posterior moments, computed together for each canonical class."""
        kinds = _group_by_kind(metrics)
        if len(kinds) == 1:
            return kinds[0].of.state_moments(kinds[0].members, states, prior)
        mean, log_var = np.empty((2, len(metrics), states.trials.size))
        for kind in kinds:
            mean[kind.rows], log_var[kind.rows] = kind.of.state_moments(kind.members, states, prior)
        return mean, log_var


@dataclass(frozen=True)
class AtLeast(CreditMetric):
    """Probability that at least `right` of `k` draws are right; has no name of its own."""

    right: int

    def gains(self) -> Array:
        """Return full credit for the draw that reaches the threshold."""
        return step(self.k, at=self.right)

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return the hypergeometric probabilities of at least `right` right draws."""
        trials, correct = states.trials, states.correct
        return np.array([urn.chance_of_at_least(trials, correct, m.k, m.right) for m in metrics])


@register("g-pass@", "gpass@")
@dataclass(frozen=True)
class GPass(ThresholdMetric):
    """Probability that at least a share `tau` of `k` draws is right; at least one must be.

    G-Pass@k is defined by Liu et al. (2024), "Are Your LLMs Capable of Stable Reasoning?",
    arXiv:2412.13147.

    Examples
    --------
    >>> GPass(25, 0.28).threshold
    7
    """

    tau: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        tau = number(self.tau, "tau", -SNAP, 1.0 + SNAP)
        freeze(self, tau=min(max(tau, 0.0), 1.0))

    @property
    def threshold(self) -> int:
        """The smallest integer that is at least tau · k, and at least 1."""
        product = self.tau * self.k
        near = round(product)
        return max(1, near if abs(product - near) < SNAP else math.ceil(product))

    def canonical(self) -> CreditMetric:
        """Return Pass^k for tau = 1, also for k = 1, so that the two agree to the last bit."""
        return PassHat(self.k) if self.tau == 1.0 else super().canonical()


@register("maj@")
@dataclass(frozen=True)
class Majority(ThresholdMetric):
    """Probability that more than half of `k` draws are right."""

    @property
    def threshold(self) -> int:
        """The smallest integer above k / 2."""
        return self.k // 2 + 1


@register("mg-pass@", "mgpass@")
@dataclass(frozen=True)
class MeanGPass(CreditMetric):
    """G-Pass@k averaged over thresholds from one half to one (Liu et al. 2024).

    The average is 2/k times a sum, so that the largest value is (k − 1)/k for odd k.
    """

    @property
    def top(self) -> float:
        """Return 1, or (k − 1)/k for odd k."""
        return 2.0 * (self.k // 2) / self.k

    def gains(self) -> Array:
        """Return equal credit for every right draw beyond half of them."""
        gain = np.zeros(self.k)
        gain[math.ceil(self.k / 2) :] = 2.0 / self.k
        return gain


@register("spectrum@")
@dataclass(frozen=True)
class Spectrum(CreditMetric):
    """Weighted sum of the chances of at least 1, 2, … `k` right; among k draws."""

    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        freeze(self, weights=spectrum_weights(self.weights, self.k))

    @property
    def top(self) -> float:
        """Return the sum of the weights."""
        total = math.fsum(self.weights)
        return 1.0 if total > 1.0 - _SUM_SLACK else total

    def gains(self) -> Array:
        """Return the weights."""
        return np.array(self.weights)


def _areas(metrics: Sequence[AreaUnderPass], chance: Callable[[list[int]], Array]) -> Array:
    budgets = list(range(1, max(m.k for m in metrics) + 1))
    by_budget = chance(budgets)
    return np.array([m.weights() @ by_budget[: m.k] for m in metrics])


class _Kind(NamedTuple):
    """Metrics of one class, and their rows in the result."""

    of: type[CreditMetric]
    rows: list[int]
    members: list[CreditMetric]


def _group_by_kind(metrics: Sequence[ThresholdMetric]) -> list[_Kind]:
    kinds: dict[type[CreditMetric], _Kind] = {}
    for row, metric in enumerate(metrics):
        member = metric.canonical()
        kind = kinds.setdefault(type(member), _Kind(type(member), [], []))
        kind.rows.append(row)
        kind.members.append(member)
    return list(kinds.values())


def step(k: int, at: int) -> Array:
    """Return increments that give full credit for right draw number `at`."""
    gain = np.zeros(k)
    gain[at - 1] = 1.0
    return gain


def spectrum_weights(weights: object, k: int) -> tuple[float, ...]:
    """Return `weights` as k non-negative numbers whose sum is at most 1."""
    checked = numbers(weights, "weights")
    if len(checked) != k:
        raise InputError(f"weights must have k={k} entries; got {len(checked)}.")
    if min(checked) < 0:
        at = checked.index(min(checked))
        raise InputError(f"weights must not be negative; weights[{at}] is {checked[at]!r}.")
    total = math.fsum(checked)
    if total > 1.0 + _SUM_SLACK:
        raise InputError(f"weights must add up to at most 1; they add up to {total!r}.")
    return checked
