"""Exact reference values for metrics of categories, beside those of `exact` for right or wrong.

A row holds how many trials of a question fell into each category. Under a Dirichlet posterior
every moment of the category probabilities is a ratio of rising products; means, variances and
maxima are sums of such moments.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product

from exact import Moments, average, rising

Row = Sequence[int]


def dirichlet_moment(alpha: Sequence[Fraction], powers: Sequence[int]) -> Fraction:
    """E Π p_c^power_c under Dirichlet(alpha)."""
    top = math.prod((rising(a, n) for a, n in zip(alpha, powers, strict=True)), start=Fraction(1))
    return top / rising(sum(alpha, Fraction(0)), sum(powers))


def bayes_moments(rows: Sequence[Row], weights: Sequence[float], each: float) -> Moments:
    """Mean and variance of the mean over questions of Σ weight · probability."""
    per_question = [_weighted_mean([Fraction(each) + n for n in row], weights) for row in rows]
    return _over_questions(per_question)


def average_moments(rows: Sequence[Row], weights: Sequence[float], each: float) -> Moments:
    """The observed mean; the variance of `bayes_moments` on its scale, question by question."""
    per_question = []
    for row in rows:
        alpha = [Fraction(each) + n for n in row]
        stretch = sum(alpha, Fraction(0)) / sum(row)
        observed = sum((n * Fraction(w) for n, w in zip(row, weights, strict=True)), Fraction(0))
        variance = _weighted_mean(alpha, weights)[1]
        per_question.append((observed / sum(row), variance * stretch**2))
    return _over_questions(per_question)


def _weighted_mean(alpha: Sequence[Fraction], weights: Sequence[float]) -> Moments:
    size = range(len(alpha))
    unit = [[int(c == d) for d in size] for c in size]
    w = [Fraction(weight) for weight in weights]
    mean = sum((w[c] * dirichlet_moment(alpha, unit[c]) for c in size), Fraction(0))
    square = Fraction(0)
    for c, d in product(size, size):
        both = [i + j for i, j in zip(unit[c], unit[d], strict=True)]
        square += w[c] * w[d] * dirichlet_moment(alpha, both)
    return mean, square - mean**2


def max_point(rows: Sequence[Row], weights: Sequence[float], k: int) -> Fraction:
    """The largest weight of a k-subset, averaged over all of them."""
    return average(
        average(
            Fraction(max(draw))
            for draw in combinations(
                [w for w, n in zip(weights, row, strict=True) for _ in range(n)], k
            )
        )
        for row in rows
    )


def max_moments(rows: Sequence[Row], weights: Sequence[float], k: int, each: float) -> Moments:
    """Moments of r_L − Σ (r_{l+1} − r_l) A_l^k, with A_l the chance of a weight up to r_l."""
    levels = [Fraction(level) for level in sorted(set(weights))]
    gaps = [high - low for low, high in pairwise(levels)]
    per_question = []
    for row in rows:
        alpha = [Fraction(each) + n for n in row]
        upto = [
            sum((a for a, w in zip(alpha, weights, strict=True) if w <= level), Fraction(0))
            for level in levels
        ]
        powers = [power_product(upto[at], upto[at], upto[-1], k, 0) for at in range(len(gaps))]
        mean = levels[-1] - sum((g * p for g, p in zip(gaps, powers, strict=True)), Fraction(0))
        variance = Fraction(0)
        for first, second in product(range(len(gaps)), repeat=2):
            low, high = sorted((upto[first], upto[second]))
            together = power_product(low, high, upto[-1], k, k)
            variance += gaps[first] * gaps[second] * (together - powers[first] * powers[second])
        per_question.append((mean, variance))
    return _over_questions(per_question)


def power_product(low: Fraction, high: Fraction, total: Fraction, i: int, j: int) -> Fraction:
    """E A^i (A + B)^j, where A, B and the rest are Dirichlet(low, high − low, total − high)."""
    if low == high:
        return dirichlet_moment([low, total - low], [i + j, 0])
    alpha = [low, high - low, total - high]
    return sum(
        (math.comb(j, t) * dirichlet_moment(alpha, [i + t, j - t, 0]) for t in range(j + 1)),
        Fraction(0),
    )


def max_moments_by_draws(row: Row, weights: Sequence[float], k: int, each: float) -> Moments:
    """Moments of one question, over every possible outcome of two times k new trials."""
    alpha = [Fraction(each) + n for n in row]
    categories = range(len(row))
    mean = square = Fraction(0)
    for draw in product(categories, repeat=k):
        best = Fraction(max(weights[c] for c in draw))
        mean += best * dirichlet_moment(alpha, [draw.count(c) for c in categories])
        for again in product(categories, repeat=k):
            second = Fraction(max(weights[c] for c in again))
            seen = [(*draw, *again).count(c) for c in categories]
            square += best * second * dirichlet_moment(alpha, seen)
    return mean, square - mean**2


def _over_questions(per_question: Sequence[Moments]) -> Moments:
    size = len(per_question)
    return average(mean for mean, _ in per_question), average(v for _, v in per_question) / size
