"""Pass-family metrics: credit for the number of right draws among k.

A metric here is only a credit: `gains()` says what one more right draw adds. `kernels.finite`
averages it over the observed trials and `kernels.beta` over the posterior; neither knows its
name. Pass@k, Pass^k and AUC@K are powers of a success rate, for which all k come in one pass.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from errbar.base.arguments import number, numbers
from errbar.base.arrays import Array
from errbar.data.counts import States
from errbar.errors import InputError
from errbar.kernels import beta, finite
from errbar.kernels import rates as at_rate
from errbar.metrics.base import Prior, QuestionMean, draws_of, posterior_of, register, set_fields

SNAP = 1e-9  # tau · k this near a whole number is that number: 0.28 · 25 is 7, not 8
_SUM_SLACK = 1e-12  # weights such as ten times 0.1 may add up to a little over one


@dataclass(frozen=True)
class CreditMetric(QuestionMean):
    """Mean credit for the number right among `k` draws from a question's trials."""

    numbered: ClassVar[str | None] = "k"
    k: int

    def __post_init__(self) -> None:
        set_fields(self, k=draws_of(self.k))

    @property
    def draws(self) -> int:
        """Trials of every question that an estimate from the observed trials draws."""
        return self.k

    @property
    def top(self) -> float:
        """The credit for k right."""
        return 1.0

    @property
    def bounds(self) -> tuple[float, float]:
        """No credit, and all there is."""
        return (0.0, self.top)

    def parts(self) -> tuple[QuestionMean, ...]:
        """Itself, or credits that go up to one in place of its own."""
        if self.top in (0.0, 1.0):
            return (self,)
        return (Spectrum(self.k, tuple(self.gains() / self.top)),)

    def joined(self, *means: Array) -> Array:
        """What it comes to where its part has this mean."""
        return means[0] * (self.top or 1.0)

    def slopes(self, *means: Array) -> tuple[Array, ...]:
        """How fast that rises."""
        return (np.full_like(means[0], self.top or 1.0),)

    @abstractmethod
    def gains(self) -> Array:
        """What the credit rises by from i to i + 1 right, i = 0…k−1; none is negative."""

    def credit(self) -> Array:
        """Credit for j right, j = 0…k."""
        credit = np.zeros(self.k + 1)
        credit[1:] = np.add.accumulate(self.gains(), dtype=np.longdouble)
        return np.minimum(credit, 1.0, out=credit)

    def at_rates(self, rates: Array) -> Array:
        """Expected credit of k trials."""
        return at_rate.mean_credit(rates, self.credit())

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Mean credit over every k-subset of the observed trials."""
        trials, correct = states.trials, states.correct
        return np.array([finite.mean_credit(trials, correct, m.credit()) for m in metrics])

    @classmethod
    def state_moments(
        cls, metrics: Sequence[Self], states: States, prior: Prior
    ) -> tuple[Array, Array]:
        """Mean and log variance of the expected credit of k new trials."""
        trials, correct, beta_prior = states.trials, states.correct, (prior.right, prior.wrong)
        logs = [beta.credit_moments(trials, correct, beta_prior, m.gains()) for m in metrics]
        log_mean, log_var = np.array(logs).swapaxes(0, 1)
        return np.exp(log_mean), log_var


@register("pass@")
@dataclass(frozen=True)
class PassAt(CreditMetric):
    """Chance that at least one of `k` draws is right.

    Examples
    --------
    >>> from errbar.data.counts import Counts
    >>> PassAt(2).point(Counts(trials=[4, 4], correct=[1, 3]))
    0.75
    """

    def gains(self) -> Array:
        """The first right draw earns all."""
        return step(self.k, at=1)

    def at_rates(self, rates: Array) -> Array:
        """1 − (1 − p)^k."""
        return at_rate.chance_of_one(rates, self.k)

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """All k in one pass."""
        return finite.chance_of_one(states.trials, states.correct, [m.k for m in metrics])

    @classmethod
    def state_moments(
        cls, metrics: Sequence[Self], states: States, prior: Prior
    ) -> tuple[Array, Array]:
        """All k in one pass."""
        a, b = posterior_of(states, prior)
        ks = [m.k for m in metrics]
        return beta.chance_of_one(a, b, ks), beta.log_power_moments(b, a, ks)[1]


@register("pass^", "unanimous@")
@dataclass(frozen=True)
class PassHat(CreditMetric):
    """Chance that all of `k` draws are right."""

    def gains(self) -> Array:
        """Only the last right draw earns."""
        return step(self.k, at=self.k)

    def at_rates(self, rates: Array) -> Array:
        """p^k."""
        return rates**self.k

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """All k in one pass."""
        return finite.chance_of_all(states.trials, states.correct, [m.k for m in metrics])

    @classmethod
    def state_moments(
        cls, metrics: Sequence[Self], states: States, prior: Prior
    ) -> tuple[Array, Array]:
        """All k in one pass."""
        a, b = posterior_of(states, prior)
        ks = [m.k for m in metrics]
        return beta.chance_of_all(a, b, ks), beta.log_power_moments(a, b, ks)[1]


@register("auc@")
@dataclass(frozen=True)
class AreaUnderPass(CreditMetric):
    """Area under Pass@1 … Pass@k by trapezoids, over its width; Pass@1 for k = 1."""

    def gains(self) -> Array:
        """A draw of k with j right holds a share 1/(j + 1) of its budgets without a right one."""
        if self.k == 1:
            return np.ones(1)
        k, j = self.k, np.arange(self.k, dtype=float)
        gain = (k + 1.0) / ((j + 1.0) * (j + 2.0)) - 1.0 / (2.0 * k)
        gain[0] = k / 2.0 - 1.0 / (2.0 * k)
        return gain / (k - 1.0)

    def weights(self) -> Array:
        """What each of Pass@1 … Pass@k counts."""
        if self.k == 1:
            return np.ones(1)
        share = np.full(self.k, 1.0 / (self.k - 1))
        share[[0, -1]] /= 2.0
        return share

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Weighted Pass@j, which serve every k."""
        trials, correct = states.trials, states.correct
        return _areas(metrics, lambda budgets: finite.chance_of_one(trials, correct, budgets))

    @classmethod
    def state_moments(
        cls, metrics: Sequence[Self], states: States, prior: Prior
    ) -> tuple[Array, Array]:
        """Weighted Pass@j, which serve every k."""
        a, b = posterior_of(states, prior)
        means = _areas(metrics, lambda budgets: beta.chance_of_one(a, b, budgets))
        return means, beta.log_var_area(a, b, [m.k for m in metrics])


@dataclass(frozen=True)
class ThresholdMetric(CreditMetric):
    """Chance that at least `threshold` of `k` draws are right."""

    @property
    @abstractmethod
    def threshold(self) -> int:
        """How many right draws it takes."""

    def gains(self) -> Array:
        """The draw that reaches the threshold earns all."""
        return step(self.k, at=self.threshold)

    def at_rates(self, rates: Array) -> Array:
        """Chance to reach the threshold."""
        return at_rate.chance_of_at_least(rates, self.k, self.threshold)

    def plainly(self) -> CreditMetric:
        """The same as Pass@k or Pass^k where the threshold makes it one of them."""
        right = self.threshold
        if right == 1:
            return PassAt(self.k)
        return PassHat(self.k) if right == self.k else AtLeast(self.k, right)

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Those that are Pass@k together, those that are Pass^k together, and the rest."""
        kinds = _by_kind(metrics)
        if len(kinds) == 1:
            return kinds[0].of.subset_means(kinds[0].members, states)
        out = np.empty((len(metrics), states.trials.size))
        for kind in kinds:
            out[kind.rows] = kind.of.subset_means(kind.members, states)
        return out

    @classmethod
    def state_moments(
        cls, metrics: Sequence[Self], states: States, prior: Prior
    ) -> tuple[Array, Array]:
        """Those that are Pass@k together, those that are Pass^k together, and the rest."""
        kinds = _by_kind(metrics)
        if len(kinds) == 1:
            return kinds[0].of.state_moments(kinds[0].members, states, prior)
        mean, log_var = np.empty((2, len(metrics), states.trials.size))
        for kind in kinds:
            mean[kind.rows], log_var[kind.rows] = kind.of.state_moments(kind.members, states, prior)
        return mean, log_var


@dataclass(frozen=True)
class AtLeast(CreditMetric):
    """Chance that at least `right` of `k` draws are right, whatever it is called."""

    right: int

    def gains(self) -> Array:
        """The draw that reaches the threshold earns all."""
        return step(self.k, at=self.right)

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """One row of masses for each metric."""
        trials, correct = states.trials, states.correct
        return np.array([finite.chance_of_at_least(trials, correct, m.k, m.right) for m in metrics])


@register("g-pass@", "gpass@")
@dataclass(frozen=True)
class GPass(ThresholdMetric):
    """Chance that at least a share `tau` of `k` draws, and one at least, is right.

    Examples
    --------
    >>> GPass(25, 0.28).threshold
    7
    """

    tau: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        tau = number(self.tau, "tau", -SNAP, 1.0 + SNAP)
        set_fields(self, tau=min(max(tau, 0.0), 1.0))

    @property
    def threshold(self) -> int:
        """The least whole number that is at least tau · k."""
        product = self.tau * self.k
        near = round(product)
        return max(1, near if abs(product - near) < SNAP else math.ceil(product))

    def plainly(self) -> CreditMetric:
        """Pass^k for a share of one, which for k = 1 is Pass@1 in other bits."""
        return PassHat(self.k) if self.tau == 1.0 else super().plainly()


@register("maj@")
@dataclass(frozen=True)
class Majority(ThresholdMetric):
    """Chance that more than half of `k` draws are right."""

    @property
    def threshold(self) -> int:
        """One more than half, rounded down."""
        return self.k // 2 + 1


@register("mg-pass@", "mgpass@")
@dataclass(frozen=True)
class MeanGPass(CreditMetric):
    """G-Pass@k averaged over the thresholds from one half to one; for odd k, a little less."""

    @property
    def top(self) -> float:
        """One, or (k − 1)/k for odd k."""
        return 2.0 * (self.k // 2) / self.k

    def gains(self) -> Array:
        """Every right draw beyond half of them earns the same."""
        gain = np.zeros(self.k)
        gain[math.ceil(self.k / 2) :] = 2.0 / self.k
        return gain


@register("spectrum@")
@dataclass(frozen=True)
class Spectrum(CreditMetric):
    """Weighted chances of at least 1, 2, … `k` right among k draws, one weight for each."""

    weights: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        set_fields(self, weights=spectrum_weights(self.weights, self.k))

    @property
    def top(self) -> float:
        """All weights together."""
        total = math.fsum(self.weights)
        return 1.0 if total > 1.0 - _SUM_SLACK else total

    def gains(self) -> Array:
        """The weights themselves."""
        return np.array(self.weights)


def _areas(metrics: Sequence[AreaUnderPass], chance: Callable[[list[int]], Array]) -> Array:
    budgets = list(range(1, max(m.k for m in metrics) + 1))
    by_budget = chance(budgets)
    return np.array([m.weights() @ by_budget[: m.k] for m in metrics])


class _Kind(NamedTuple):
    """Metrics of one class, and the rows in which they were asked for."""

    of: type[CreditMetric]
    rows: list[int]
    members: list[CreditMetric]


def _by_kind(metrics: Sequence[ThresholdMetric]) -> list[_Kind]:
    kinds: dict[type[CreditMetric], _Kind] = {}
    for row, metric in enumerate(metrics):
        plain = metric.plainly()
        kind = kinds.setdefault(type(plain), _Kind(type(plain), [], []))
        kind.rows.append(row)
        kind.members.append(plain)
    return list(kinds.values())


def step(k: int, at: int) -> Array:
    """All the credit is gained with right draw number `at`."""
    gain = np.zeros(k)
    gain[at - 1] = 1.0
    return gain


def spectrum_weights(weights: object, k: int) -> tuple[float, ...]:
    """`weights` as k non-negative numbers that add up to one at most."""
    checked = numbers(weights, "weights")
    if len(checked) != k:
        raise InputError(f"weights must have one entry for each of k={k}; got {len(checked)}.")
    if min(checked) < 0:
        at = checked.index(min(checked))
        raise InputError(f"weights must not be negative; weights[{at}] is {checked[at]!r}.")
    total = math.fsum(checked)
    if total > 1.0 + _SUM_SLACK:
        raise InputError(f"weights must add up to at most 1; they add up to {total!r}.")
    return checked
