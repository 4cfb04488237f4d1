"""Reference values in exact rational arithmetic, written from the definitions alone.

No formula is shared with the package. A subset mean is counted subset by subset; a posterior
moment is a sum of moments of the Beta or Dirichlet distribution, each a ratio of products of whole
steps. Sizes are small: sums are nested loops, written for clarity and not for speed.
Only the blends need roots; those are taken with fifty digits.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise, product
from typing import Any

import mpmath

from errbar.metrics import (
    AreaUnderPass,
    CreditMetric,
    DatasetGeom,
    Geom,
    GeoSpectrum,
    GPass,
    Majority,
    MeanGPass,
    PassAt,
    PassHat,
    Prior,
    Spectrum,
)

Question = tuple[int, int]  # trials, correct
Moments = tuple[Fraction, Fraction]  # mean, variance
Blend = Geom | DatasetGeom | GeoSpectrum

DIGITS = 50


def relative_error(found: float, expected: Fraction) -> float:
    """Relative error of `found`; where `expected` is exactly 0, `found` must be 0."""
    if not math.isfinite(found):
        return math.inf
    if expected == 0:
        return 0.0 if found == 0 else math.inf
    return float(abs(Fraction(found) / expected - 1))


def relative_error_of_sd(found: float, variance: Fraction) -> float:
    """Relative error of a standard deviation, without a root: half the error of its square."""
    if not math.isfinite(found) or found < 0:
        return math.inf
    if variance == 0:
        return 0.0 if found == 0 else math.inf
    return float(abs(Fraction(found) ** 2 / variance - 1)) / 2


def average(values: Iterable[Fraction]) -> Fraction:
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed)


def credit(metric: CreditMetric) -> list[Fraction]:
    """Credit of j right draws among k, j = 0…k."""
    k = metric.k
    match metric:
        case PassAt():
            earned = [j >= 1 for j in range(k + 1)]
        case PassHat():
            earned = [j == k for j in range(k + 1)]
        case GPass():
            least = max(1, math.ceil(Fraction(str(metric.tau)) * k))
            earned = [j >= least for j in range(k + 1)]
        case Majority():
            earned = [2 * j > k for j in range(k + 1)]
        case MeanGPass():
            half = (k + 1) // 2
            return [Fraction(2 * max(0, j - half), k) for j in range(k + 1)]
        case Spectrum():
            weights = [Fraction(weight) for weight in metric.weights]
            return [sum(weights[:j], Fraction(0)) for j in range(k + 1)]
        case AreaUnderPass():
            return [area([budget_chance(k, j, i) for i in range(1, k + 1)]) for j in range(k + 1)]
        case _:
            raise NotImplementedError(f"{metric!r} has no definition here")
    return [Fraction(int(right)) for right in earned]


def budget_chance(trials: int, correct: int, budget: int) -> Fraction:
    """Chance of one right or more in a subset of `budget` trials."""
    return 1 - Fraction(math.comb(trials - correct, budget), math.comb(trials, budget))


def area(heights: Sequence[Fraction]) -> Fraction:
    """Mean height by the trapezoidal rule; a single height is its own mean."""
    if len(heights) == 1:
        return heights[0]
    return average((left + right) / 2 for left, right in pairwise(heights))


def subset_mean(metric: CreditMetric, questions: Sequence[Question]) -> Fraction:
    """Credit averaged over every k-subset of every question's trials."""
    earned = credit(metric)
    return average(_question_subset_mean(earned, question) for question in questions)


def _question_subset_mean(earned: Sequence[Fraction], question: Question) -> Fraction:
    trials, correct = question
    bank = [1] * correct + [0] * (trials - correct)
    return average(earned[sum(draw)] for draw in combinations(bank, len(earned) - 1))


@cache
def rising(start: Fraction, steps: int) -> Fraction:
    """Rising product start · (start + 1) · … with this number of factors."""
    return math.prod((start + step for step in range(steps)), start=Fraction(1))


def beta_moment(a: Fraction, b: Fraction, right: int, wrong: int) -> Fraction:
    """E p^right (1 − p)^wrong under Beta(a, b)."""
    return rising(a, right) * rising(b, wrong) / rising(a + b, right + wrong)


def posterior(question: Question, prior: Prior) -> tuple[Fraction, Fraction]:
    trials, correct = question
    return Fraction(prior.right) + correct, Fraction(prior.wrong) + trials - correct


def mean_credit(earned: Sequence[Fraction], a: Fraction, b: Fraction) -> Fraction:
    """E g, where g(p) is the expected credit of k trials that are right with chance p."""
    k = len(earned) - 1
    return sum(
        (c * math.comb(k, j) * beta_moment(a, b, j, k - j) for j, c in enumerate(earned)),
        Fraction(0),
    )


def mean_product(
    first: Sequence[Fraction], second: Sequence[Fraction], a: Fraction, b: Fraction
) -> Fraction:
    """E g·h for two credits of the same k."""
    k = len(first) - 1
    total = Fraction(0)
    for (i, c), (j, d) in product(enumerate(first), enumerate(second)):
        if c and d:
            ways = math.comb(k, i) * math.comb(k, j)
            total += c * d * ways * beta_moment(a, b, i + j, 2 * k - i - j)
    return total


def covariance(
    first: Sequence[Fraction], second: Sequence[Fraction], a: Fraction, b: Fraction
) -> Fraction:
    return mean_product(first, second, a, b) - mean_credit(first, a, b) * mean_credit(second, a, b)


def credit_moments(metric: CreditMetric, questions: Sequence[Question], prior: Prior) -> Moments:
    """Mean over questions, and the variance of that mean when questions are independent."""
    earned = credit(metric)
    posteriors = [posterior(question, prior) for question in questions]
    means = [mean_credit(earned, a, b) for a, b in posteriors]
    variances = [covariance(earned, earned, a, b) for a, b in posteriors]
    return average(means), average(variances) / len(questions)


@dataclass(frozen=True)
class Pair:
    """First and second moments of two factors of a blend."""

    x: Fraction
    y: Fraction
    var_x: Fraction
    var_y: Fraction
    cov: Fraction

    def blended(self, a: float, b: float) -> Moments:
        """Mean and variance of x^a · y^b to first order, taken at the means."""
        with mpmath.workdps(DIGITS):
            x, y = _real(self.x), _real(self.y)
            value = x**a * y**b
            if value == 0:
                return Fraction(0), Fraction(0)
            by_x = a * value / x if a else mpmath.mpf(0)
            by_y = b * value / y if b else mpmath.mpf(0)
            variance = (
                by_x**2 * _real(self.var_x)
                + by_y**2 * _real(self.var_y)
                + 2 * by_x * by_y * _real(self.cov)
            )
            return rational(value), rational(variance)


def pair_of(questions: Sequence[Pair]) -> Pair:
    """The two factors averaged over independent questions."""
    m = len(questions)
    return Pair(
        average(q.x for q in questions),
        average(q.y for q in questions),
        average(q.var_x for q in questions) / m,
        average(q.var_y for q in questions) / m,
        average(q.cov for q in questions) / m,
    )


def factors(metric: Blend) -> tuple[CreditMetric, CreditMetric, float, float]:
    """The blended metrics and their powers."""
    if not isinstance(metric, GeoSpectrum):
        k = metric.k
        return PassAt(k), PassHat(k), metric.pass_power, metric.unanimous_power
    weights = metric.weights
    spectrum = MeanGPass(metric.k) if weights is None else Spectrum(metric.k, weights)
    return PassAt(metric.k), spectrum, metric.lam, 1 - metric.lam


def blend_moments(metric: Blend, questions: Sequence[Question], prior: Prior) -> Moments:
    """First-order posterior moments: Geom question by question, the others on the averages."""
    first, second, a, b = factors(metric)
    pairs = [_pair(credit(first), credit(second), *posterior(q, prior)) for q in questions]
    return blended_over_questions(metric, pairs, a, b)


def blended_over_questions(metric: Blend, pairs: Sequence[Pair], a: float, b: float) -> Moments:
    if not isinstance(metric, Geom):
        return pair_of(pairs).blended(a, b)
    moments = [pair.blended(a, b) for pair in pairs]
    return average(mean for mean, _ in moments), average(v for _, v in moments) / len(pairs)


def _pair(first: Sequence[Fraction], second: Sequence[Fraction], a: Fraction, b: Fraction) -> Pair:
    return Pair(
        mean_credit(first, a, b),
        mean_credit(second, a, b),
        covariance(first, first, a, b),
        covariance(second, second, a, b),
        covariance(first, second, a, b),
    )


def blend_point(metric: Blend, questions: Sequence[Question]) -> Fraction:
    """The blend of the chances over the k-subsets of the observed trials."""
    first, second, a, b = factors(metric)
    groups = [[q] for q in questions] if isinstance(metric, Geom) else [list(questions)]
    with mpmath.workdps(DIGITS):
        parts = [
            rational(_real(subset_mean(first, g)) ** a * _real(subset_mean(second, g)) ** b)
            for g in groups
        ]
    return average(parts)


def _real(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def rational(value: Any) -> Fraction:
    """A multi-precision float as an exact fraction."""
    sign, digits, power, _ = value._mpf_
    size: Fraction = int(digits) * Fraction(2) ** int(power)
    return -size if sign else size
