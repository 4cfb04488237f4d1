"""Blends: weighted geometric means of two pass-family metrics.

Geom@k blends each question and then averages over questions; the others average first and then
blend. Posterior moments are first-order (delta method), expanded at the posterior means.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from errbar.base.arguments import freeze, number
from errbar.base.arrays import Array
from errbar.data.counts import States
from errbar.errors import InputError
from errbar.kernels import beta
from errbar.metrics.base import register
from errbar.metrics.means import (
    BinaryMetric,
    Moments,
    Prior,
    QuestionMean,
    StateMoments,
    draws_of,
    log_over_questions,
    posterior_of,
)
from errbar.metrics.passk import (
    CreditMetric,
    MeanGPass,
    PassAt,
    PassHat,
    Spectrum,
    spectrum_weights,
    step,
)

_LARGEST_POWER = 1e6  # larger exponents turn every score into 0 or 1


@dataclass(frozen=True)
class PowerBlend(BinaryMetric):
    """Product of powers of Pass@k and Pass^k."""

    numbered: ClassVar[str | None] = "k"
    k: int
    pass_power: float = 0.5
    unanimous_power: float = 0.5

    def __post_init__(self) -> None:
        freeze(
            self,
            k=draws_of(self.k),
            pass_power=_power(self.pass_power, "pass_power"),
            unanimous_power=_power(self.unanimous_power, "unanimous_power"),
        )
        if self.pass_power == self.unanimous_power == 0:
            raise InputError(
                "pass_power and unanimous_power are both 0; at least one must differ from 0."
            )

    @property
    def draws(self) -> int:
        """Number of trials per question that the observed score requires."""
        return self.k

    @property
    def bounds(self) -> tuple[float, float]:
        """Return 0 and 1; with a negative exponent the metric is unbounded, which is refused."""
        if min(self.pass_power, self.unanimous_power) < 0:
            raise InputError(
                f"{self} is unbounded because of its negative exponent; only the functions of "
                f"errbar.eval compute it."
            )
        return super().bounds


@register("geom@")
@dataclass(frozen=True)
class Geom(PowerBlend, QuestionMean):
    """Weighted geometric mean of Pass@k and Pass^k of each question; averaged over questions."""

    unbiased: ClassVar[bool] = False  # the mean of a product of powers is not that of the means

    def at_rates(self, rates: Array) -> Array:
        """Return the blend at each success rate."""
        passed, unanimous = PassAt(self.k).at_rates(rates), PassHat(self.k).at_rates(rates)
        blend: Array = passed**self.pass_power * unanimous**self.unanimous_power
        return blend

    @classmethod
    def subset_means(cls, metrics: Sequence[Self], states: States) -> Array:
        """Return the blend of the means over k-subsets of each state."""
        passed, unanimous = _pass_and_hat(metrics)
        a, b = _powers(metrics)
        return _powers_of(
            PassAt.subset_means(passed, states), PassHat.subset_means(unanimous, states), a, b
        )

    @classmethod
    def state_moments(cls, metrics: Sequence[Self], states: States, prior: Prior) -> StateMoments:
        """Return first-order moments of the blend of each state."""
        return _blend(*_powers(metrics), *_log_moments(metrics, states, prior))


@register("geom-ds@")
@dataclass(frozen=True)
class DatasetGeom(PowerBlend):
    """Weighted geometric mean of Pass@k and Pass^k of the data set."""

    def parts(self) -> tuple[QuestionMean, ...]:
        """Return Pass@k and Pass^k."""
        return PassAt(self.k), PassHat(self.k)

    def joined(self, *means: Array) -> Array:
        """Return the blend of the two means."""
        return _product(means, (self.pass_power, self.unanimous_power))

    def slopes(self, *means: Array) -> tuple[Array, ...]:
        """Return the partial derivatives of the blend."""
        return _slopes(means, (self.pass_power, self.unanimous_power))

    @classmethod
    def observed(cls, metrics: Sequence[Self], data: States) -> Array:
        """Return the blend of the two means over questions."""
        passed, unanimous = _pass_and_hat(metrics)
        a, b = _powers(metrics)
        return _powers_of(PassAt.observed(passed, data), PassHat.observed(unanimous, data), a, b)

    @classmethod
    def posterior(cls, metrics: Sequence[Self], data: States, prior: Prior) -> Moments:
        """Return first-order moments of the blend."""
        return _dataset_blend(*_powers(metrics), data, *_log_moments(metrics, data, prior))


@register("geo-spectrum@", "geospectrum@", "geo-spectrum*@", "geospectrum*@")
@dataclass(frozen=True)
class GeoSpectrum(BinaryMetric):
    """Pass@k^lam times a threshold spectrum to the power 1 − lam.

    Without `weights` the spectrum is mG-Pass@k, and the blend GeoSpectrum*@k.
    """

    numbered: ClassVar[str | None] = "k"
    k: int
    lam: float = 0.5
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        freeze(self, k=draws_of(self.k), lam=number(self.lam, "lam", 0.0, 1.0))
        if self.weights is not None:
            freeze(self, weights=spectrum_weights(self.weights, self.k))

    @property
    def draws(self) -> int:
        """Number of trials per question that the observed score requires."""
        return self.k

    @property
    def spectrum(self) -> CreditMetric:
        """Return the metric that is blended with Pass@k."""
        return MeanGPass(self.k) if self.weights is None else Spectrum(self.k, self.weights)

    @property
    def bounds(self) -> tuple[float, float]:
        """Return 0 and the blend of the largest values of both."""
        return (0.0, self.spectrum.top ** (1.0 - self.lam))

    def parts(self) -> tuple[QuestionMean, ...]:
        """Return Pass@k and the part of the spectrum."""
        return PassAt(self.k), *self.spectrum.parts()

    def joined(self, *means: Array) -> Array:
        """Return the blend of the two means."""
        return self.bounds[1] * _product(means, (self.lam, 1.0 - self.lam))

    def slopes(self, *means: Array) -> tuple[Array, ...]:
        """Return the partial derivatives of the blend."""
        largest = self.bounds[1]
        return tuple(largest * slope for slope in _slopes(means, (self.lam, 1.0 - self.lam)))

    @classmethod
    def observed(cls, metrics: Sequence[Self], data: States) -> Array:
        """Return the blend of the two means over questions."""
        lam = np.array([[m.lam] for m in metrics])
        passed = PassAt.observed([PassAt(m.k) for m in metrics], data)
        spectra = CreditMetric.observed([m.spectrum for m in metrics], data)
        return passed**lam * spectra ** (1.0 - lam)

    @classmethod
    def posterior(cls, metrics: Sequence[Self], data: States, prior: Prior) -> Moments:
        """Return first-order moments of the blend."""
        lam = np.array([[m.lam] for m in metrics])
        counts = (data.trials, data.correct, (prior.right, prior.wrong))
        both = [beta.credit_moments(*counts, m.spectrum.gains(), step(m.k, at=1)) for m in metrics]
        log_mean, log_var, _, log_cov = np.array(both).swapaxes(0, 1)
        passed, log_var_passed = PassAt.state_moments([PassAt(m.k) for m in metrics], data, prior)
        logs = (np.log(passed), log_mean, log_var_passed, log_var, log_cov)
        return _dataset_blend(lam, 1.0 - lam, data, *logs)


def _power(value: float, name: str) -> float:
    return number(value, name, -_LARGEST_POWER, _LARGEST_POWER)


def _powers_of(passed: Array, unanimous: Array, a: Array, b: Array) -> Array:
    """Return passed**a * unanimous**b, which is 0 if a factor is 0.

    A negative power of 0 is undefined and refused.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        blend: Array = passed**a * unanimous**b
    blend[((passed == 0) & (a > 0)) | ((unanimous == 0) & (b > 0))] = 0.0
    if not np.isfinite(blend).all():
        raise InputError(
            "a score of 0 has no negative power; the exponents must not be negative here."
        )
    return blend


def _product(means: Sequence[Array], powers: Sequence[float]) -> Array:
    """Return the product of two powers."""
    x, y = means
    blend: Array = x ** powers[0] * y ** powers[1]
    return blend


def _slopes(means: Sequence[Array], powers: Sequence[float]) -> tuple[Array, ...]:
    """Return the derivatives of the product; 0 at a factor of 0, where they may be infinite."""
    blend = _product(means, powers)
    with np.errstate(divide="ignore", invalid="ignore"):
        return tuple(
            np.where(mean > 0, power * blend / mean, 0.0)
            for mean, power in zip(means, powers, strict=True)
        )


def _pass_and_hat(metrics: Sequence[PowerBlend]) -> tuple[list[PassAt], list[PassHat]]:
    return [PassAt(m.k) for m in metrics], [PassHat(m.k) for m in metrics]


def _log_moments(
    metrics: Sequence[PowerBlend], states: States, prior: Prior
) -> tuple[Array, Array, Array, Array, Array]:
    """Return the logs of the means of Pass@k and Pass^k, their variances and covariance."""
    ks = [m.k for m in metrics]
    a, b = posterior_of(states, prior)
    none, var_passed = beta.log_power_moments(b, a, ks)
    unanimous, var_unanimous = beta.log_power_moments(a, b, ks)
    cov = beta.log_cov_one_all(none, unanimous, a, b, ks)
    return np.log(beta.chance_of_one(a, b, ks)), unanimous, var_passed, var_unanimous, cov


def _powers(metrics: Sequence[PowerBlend]) -> tuple[Array, Array]:
    return (
        np.array([[m.pass_power] for m in metrics]),
        np.array([[m.unanimous_power] for m in metrics]),
    )


def _dataset_blend(a: Array, b: Array, states: States, *logs: Array) -> Moments:
    """Return the blend of two means over questions, from logs of means and (co)variances."""
    means = log_over_questions(np.concatenate(logs), states)
    log_x, log_y, *log_vars = np.split(means, len(logs))
    questions = np.log(states.total)
    mean, log_var = _blend(a, b, log_x, log_y, *(log_var - questions for log_var in log_vars))
    return Moments(mean, np.exp(0.5 * log_var))


def _blend(
    a: Array, b: Array, log_x: Array, log_y: Array, log_vx: Array, log_vy: Array, log_cov: Array
) -> tuple[Array, Array]:
    """Return mean and log variance of x^a · y^b to first order, computed with logs throughout.

    A factor with exponent 0 is left out, and a factor that is always 0 contributes no variance, so
    that neither becomes 0 · ∞.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        log_mean = np.where(a != 0, a * log_x, 0.0) + np.where(b != 0, b * log_y, 0.0)
        parts = [
            2 * np.log(np.abs(a)) + log_vx - 2 * log_x,
            2 * np.log(np.abs(b)) + log_vy - 2 * log_y,
            np.log(2 * np.abs(a * b)) + log_cov - log_x - log_y,
        ]
        parts = [np.where(np.isnan(part) | (log_mean == -np.inf), -np.inf, part) for part in parts]
        relative = np.logaddexp.reduce(parts)
        opposed = (a * b < 0) & np.ones_like(relative, dtype=bool)
        if opposed.any():  # with a negative exponent the covariance is subtracted
            own = np.logaddexp(parts[0], parts[1])
            less = own + np.log(-np.expm1(np.minimum(parts[2] - own, 0.0)))
            relative = np.where(opposed, less, relative)
        log_var = np.where(log_mean == -np.inf, -np.inf, 2 * log_mean + relative)
    return np.exp(log_mean), log_var
