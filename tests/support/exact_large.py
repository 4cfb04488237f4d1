"""The exact reference of `exact`, fast enough for ten thousand trials.

Every moment under a Beta posterior is a whole number over one common denominator, so a sum of ten
thousand of them needs no fraction until the end. Nothing is rounded: a variance of 1e-400 that is
the difference of two numbers next to 1 comes out whole. `test_large` holds this module against
`exact` where both can go.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from errbar.metrics import AreaUnderPass, CreditMetric, PassAt, PassHat, Prior
from exact import Blend, Moments, Pair, Question, blended_over_questions, credit, factors, posterior


class Urn(NamedTuple):
    """A Beta posterior in whole numbers: both parameters are multiples of 1 / `unit`."""

    right: int
    wrong: int
    unit: int

    @property
    def total(self) -> int:
        return self.right + self.wrong


def urn_of(question: Question, prior: Prior) -> Urn:
    right, wrong = posterior(question, prior)
    unit = math.lcm(right.denominator, wrong.denominator)
    return Urn(int(right * unit), int(wrong * unit), unit)


def moments(metric: CreditMetric, question: Question, prior: Prior) -> Moments:
    """Posterior mean and variance of the credit of k new trials of one question."""
    urn, k = urn_of(question, prior), metric.k
    if isinstance(metric, AreaUnderPass):
        return _area_moments(k, urn)
    if isinstance(metric, PassAt | PassHat):
        part = urn.wrong if isinstance(metric, PassAt) else urn.right
        mean = _rising_ratio(part, urn.total, k, urn.unit)
        variance = _rising_ratio(part, urn.total, 2 * k, urn.unit) - mean**2
        return (1 - mean if isinstance(metric, PassAt) else mean), variance
    mean = _mean_credit(metric, urn)
    return mean, _mean_square(metric, urn) - mean**2


def blend_moments(metric: Blend, questions: Sequence[Question], prior: Prior) -> Moments:
    """First-order posterior moments of a blend."""
    first, second, a, b = factors(metric)
    pairs = [_pair(first, second, question, prior) for question in questions]
    return blended_over_questions(metric, pairs, a, b)


def subset_mean(metric: CreditMetric, question: Question) -> Fraction:
    """Credit averaged over the k-subsets of the observed trials, by how many are right in each."""
    (trials, correct), k = question, metric.k
    wrong = trials - correct
    if isinstance(metric, AreaUnderPass):
        return 1 - _chain_sum([0, *_trapezoid(k)], wrong, trials, -1) / sum(_trapezoid(k))
    earned, scale = _whole_credit(metric)
    ways = [0] * (k + 1)
    least, most = max(0, k - wrong), min(k, correct)
    ways[least] = math.comb(correct, least) * math.comb(wrong, k - least)
    for j in range(least, most):
        ways[j + 1] = ways[j] * (correct - j) * (k - j) // ((j + 1) * (wrong - k + j + 1))
    total = sum(c * w for c, w in zip(earned, ways, strict=True))
    return Fraction(total, math.comb(trials, k) * scale)


def max_moments(row: Sequence[int], weights: Sequence[float], k: int) -> Moments:
    """Moments of the best of k new trials under a flat Dirichlet prior; weights must rise.

    The chance of staying at a lower level is that of staying at a higher one times a share of it,
    and the two are independent.
    """
    levels = [Fraction(weight) for weight in weights]
    gaps = [high - low for low, high in pairwise(levels)]
    upto = [sum(row[: at + 1]) + at + 1 for at in range(len(row))]
    power = [_rising_ratio(each, upto[-1], k) for each in upto[:-1]]
    mean = levels[-1] - sum((g * p for g, p in zip(gaps, power, strict=True)), Fraction(0))
    variance = Fraction(0)
    for high, gap in enumerate(gaps):
        square = _rising_ratio(upto[high], upto[-1], 2 * k)
        variance += gap**2 * (square - power[high] ** 2)
        for low in range(high):
            share = _rising_ratio(upto[low], upto[high], k)
            variance += 2 * gap * gaps[low] * (share * square - power[low] * power[high])
    return mean, variance


def max_point(row: Sequence[int], weights: Sequence[float], k: int) -> Fraction:
    """Best of a k-subset of the observed trials; weights must rise."""
    ways = math.comb(sum(row), k)
    at_most = [Fraction(math.comb(sum(row[:at]), k), ways) for at in range(len(row) + 1)]
    chances = [upto - below for below, upto in pairwise(at_most)]
    return sum((Fraction(w) * c for w, c in zip(weights, chances, strict=True)), Fraction(0))


def bayes_moments(row: Sequence[int], weights: Sequence[float]) -> Moments:
    """Mean and variance of Σ weight · probability under a flat Dirichlet prior."""
    alpha = [count + 1 for count in row]
    total = sum(alpha)
    mean = sum((a * Fraction(w) for a, w in zip(alpha, weights, strict=True)), Fraction(0)) / total
    square = sum((a * Fraction(w) ** 2 for a, w in zip(alpha, weights, strict=True)), Fraction(0))
    return mean, (square / total - mean**2) / (total + 1)


@cache
def _mean_credit(metric: CreditMetric, urn: Urn) -> Fraction:
    k = metric.k
    earned, scale = _whole_credit(metric)
    terms = _terms(urn, k)
    total = sum(c * math.comb(k, j) * terms[j] for j, c in enumerate(earned) if c)
    return Fraction(total, scale * _rising(urn.total, k, urn.unit))


@cache
def _mean_square(metric: CreditMetric, urn: Urn) -> Fraction:
    _, scale = _whole_credit(metric)
    terms = _terms(urn, 2 * metric.k)
    total = sum(c * term for c, term in zip(_squared(metric), terms, strict=True) if c)
    return Fraction(total, scale**2 * _rising(urn.total, 2 * metric.k, urn.unit))


@cache
def _pair(pass_at: CreditMetric, other: CreditMetric, question: Question, prior: Prior) -> Pair:
    """Moments of Pass@k and another credit; their covariance is minus that of (1 − p)^k with it."""
    urn, k = urn_of(question, prior), pass_at.k
    assert isinstance(pass_at, PassAt)
    (x, var_x), (y, var_y) = moments(pass_at, question, prior), moments(other, question, prior)
    if isinstance(other, PassHat):
        total, scale = _rising(urn.right, k, urn.unit) * _rising(urn.wrong, k, urn.unit), 1
    else:
        earned, scale = _whole_credit(other)
        terms = _terms(urn, 2 * k)
        total = sum(c * math.comb(k, j) * terms[j] for j, c in enumerate(earned) if c)
    none_and_other = Fraction(total, scale * _rising(urn.total, 2 * k, urn.unit))
    return Pair(x, y, var_x, var_y, (1 - x) * y - none_and_other)


@cache
def _whole_credit(metric: CreditMetric) -> tuple[list[int], int]:
    """Credit as whole numbers over one denominator."""
    earned = credit(metric)
    scale = math.lcm(*(c.denominator for c in earned))
    return [int(c * scale) for c in earned], scale


@cache
def _squared(metric: CreditMetric) -> list[int]:
    """Coefficients of (Σ credit_j C(k, j) x^j)², as one product of two very large integers."""
    k = metric.k
    earned, scale = _whole_credit(metric)
    coefficients = [c * math.comb(k, j) for j, c in enumerate(earned)]
    width = (2 * k + 2 * scale.bit_length() + k.bit_length() + 64) // 8
    packed = b"".join(c.to_bytes(width, "little") for c in coefficients)
    square = int.from_bytes(packed, "little") ** 2
    digits = square.to_bytes(width * (2 * k + 2), "little")
    return [
        int.from_bytes(digits[at * width : (at + 1) * width], "little") for at in range(2 * k + 1)
    ]


@lru_cache(maxsize=4)
def _terms(urn: Urn, draws: int) -> list[int]:
    """E p^j (1 − p)^(draws − j) for every j, times the rising product of the total."""
    term = _rising(urn.wrong, draws, urn.unit)
    terms = [term]
    for j in range(draws):
        term *= urn.right + j * urn.unit
        term //= urn.wrong + (draws - 1 - j) * urn.unit
        terms.append(term)
    return terms


@cache
def _rising(start: int, steps: int, unit: int = 1) -> int:
    return math.prod(range(start, start + unit * steps, unit))


def _rising_ratio(part: int, total: int, steps: int, unit: int = 1) -> Fraction:
    """E A^steps where A is Beta with `part` of `total`."""
    return Fraction(_rising(part, steps, unit), _rising(total, steps, unit))


def _trapezoid(k: int) -> list[int]:
    """Weights of Pass@1 … Pass@k in the area, up to a common factor."""
    return [1] if k == 1 else [1, *[2] * (k - 2), 1]


def _area_moments(k: int, urn: Urn) -> Moments:
    weights = _trapezoid(k)
    total = sum(weights)
    chain = (urn.wrong, urn.total, urn.unit)
    mean = _chain_sum([0, *weights], *chain) / total
    square = _chain_sum([0, 0, *_trapezoid_squared(k)], *chain) / total**2
    return 1 - mean, square - mean**2


def _trapezoid_squared(k: int) -> list[int]:
    """The trapezoid weights times themselves, by the sum of the two budgets."""
    weights = _trapezoid(k)
    width = 4 * k.bit_length() + 8
    packed = sum(weight << (width * at) for at, weight in enumerate(weights)) ** 2
    mask = (1 << width) - 1
    return [(packed >> (width * at)) & mask for at in range(2 * k - 1)]


def _chain_sum(coefficients: Sequence[int], part: int, total: int, step: int) -> Fraction:
    """Σ_s coefficient_s · Π_{i<s} (part + i·step) / (total + i·step), from the last s down.

    The products are the chances that s draws are all of one part: with a positive step the
    posterior moments E A^s, with step −1 those of a subset of the observed trials.
    """
    top, bottom = 0, 1
    for s in range(len(coefficients) - 1, -1, -1):
        top += coefficients[s] * bottom
        if s:
            top *= part + (s - 1) * step
            bottom *= total + (s - 1) * step
    return Fraction(top, bottom)
