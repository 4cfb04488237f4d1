"""Checks of questions against a fitted item response model, each with its distribution by chance.

- Infit and outfit (Wright and Masters 1982): means of squared standardised residuals, weighted by
  their variance or not. By chance their mean is 1; the cube root is about normal (Wilson and
  Hilferty 1931), with the variance that binomial counts give.
- Questions that better systems fail: Spearman's correlation between the rates of a question and the
  abilities by all other questions. By chance every order of the rates is equally likely. All orders
  of few systems are enumerated; for more, the t distribution has the moments of that permutation
  (Pitman 1937).
- Pairs of questions that agree beyond ability and difficulty: the sum over systems of the products
  of residuals (Yen's Q3, 1984, before it is standardised). Its p-value is the bound of Bennett
  (1962) for a sum of bounded independent terms, which holds for any number of systems.
- Overdispersion of trials (Williams 1982): systems differ in what they find hard, beyond one
  ability each. So trials of one system on one question are correlated, and n of them count as
  n / (1 + (n - 1) ρ).

Systems are assumed to be independent given the model. Related systems, as one model in two
scaffolds, are not: then p-values are too small.
"""

import math
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Array, Integers
from errbar.kernels.item_response import ItemFit, fit

_ENUMERATED = 7  # systems whose orders are all tried: 5040
_ROUNDING = 1e-9  # of correlations and sums of rates: smaller differences are rounding
_AT_ONCE = 1 << 22  # pairs in memory at a time
_LEAST_RATE = 1e-12  # keeps variances and divisors above 0


class FitSquares(NamedTuple):
    """Mean squares of the residuals of every question, with their p-values."""

    infit: Array
    outfit: Array
    infit_p: Array  # chance of a mean square as far from 1, on either side
    outfit_p: Array


class Inversions(NamedTuple):
    """Rank correlations of questions with the abilities by the others."""

    correlation: Array
    p_value: Array  # chance of a correlation as low


class AgreeingPairs(NamedTuple):
    """Pairs of questions that agree, by their indices."""

    first: Integers
    second: Integers
    correlation: Array  # correlation of the residuals
    p_value: Array  # chance of a sum of products as high, at most; adjusted (Holm)
    tested: int  # how many pairs there are


def fit_squares(right: Array, trials: Array, expected: Array) -> FitSquares:
    """Infit and outfit of every question; counts may be divided by a design effect."""
    rates = np.clip(expected, _LEAST_RATE, 1.0 - _LEAST_RATE)
    variance = trials * rates * (1.0 - rates)
    some = variance > 0.0
    squares = np.divide(
        np.square(right - trials * rates), variance, out=np.zeros_like(variance), where=some
    )
    # variance of a squared standardised binomial count
    spread = np.where(some, 2.0, 0.0)
    spread += np.divide(1.0 - 6.0 * rates * (1.0 - rates), variance, out=spread * 0.0, where=some)
    total, number = variance.sum(axis=0), some.sum(axis=0)
    infit = (variance * squares).sum(axis=0) / total
    outfit = squares.sum(axis=0) / number
    infit_sd = np.sqrt((np.square(variance) * spread).sum(axis=0)) / total
    outfit_sd = np.sqrt(spread.sum(axis=0)) / number
    return FitSquares(infit, outfit, _two_sided(infit, infit_sd), _two_sided(outfit, outfit_sd))


def _two_sided(mean_square: Array, sd: Array) -> Array:
    """P-values of mean squares around 1, by the cube root of Wilson and Hilferty."""
    from scipy.special import ndtr  # noqa: PLC0415  loads SciPy

    normal = (np.cbrt(mean_square) - 1.0) * 3.0 / sd + sd / 3.0
    p_values: Array = 2.0 * ndtr(-np.abs(normal))
    return p_values


def inversions(right: Array, trials: Array, fitted: ItemFit) -> Inversions:
    """Test whether better systems fail a question; nan where all systems have the same rate."""
    questions = right.shape[1]
    correlation, p_value = np.full(questions, np.nan), np.full(questions, np.nan)
    for at in range(questions):
        answered = trials[:, at] > 0.0
        rates = right[answered, at] / trials[answered, at]
        if rates.size < 3 or np.ptp(rates) < _ROUNDING:
            continue
        others = (fitted.abilities - fitted.influence[at])[answered]
        correlation[at], p_value[at] = _rank_correlation(midranks(rates), midranks(others))
    return Inversions(correlation, p_value)


def _rank_correlation(first: Array, second: Array) -> tuple[float, float]:
    """Correlation of two rankings, and the probability of one as low in a random order."""
    moved, fixed = first - first.mean(), second - second.mean()
    size = math.sqrt(float(moved @ moved) * float(fixed @ fixed))
    correlation = float(moved @ fixed) / size
    if moved.size <= _ENUMERATED:
        orders = np.array(list(permutations(range(moved.size))))
        return correlation, float(np.mean(moved[orders] @ fixed / size <= correlation + _ROUNDING))
    from scipy.special import stdtr  # noqa: PLC0415  loads SciPy

    left = max(1.0 - correlation * correlation, _LEAST_RATE)
    return correlation, float(
        stdtr(moved.size - 2, correlation * math.sqrt((moved.size - 2) / left))
    )


def midranks(values: Array) -> Array:
    """Ranks from 1; equal values share the mean of their ranks.

    Examples
    --------
    >>> midranks(np.array([0.2, 0.9, 0.2])).tolist()
    [1.5, 3.0, 1.5]
    """
    _, places, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes)
    ranks: Array = (ends - 0.5 * (sizes - 1.0))[places]
    return ranks


def agreeing_pairs(right: Array, trials: Array, expected: Array, level: float) -> AgreeingPairs:
    """Pairs of questions with significantly correlated residuals, simultaneously for all pairs."""
    answered = trials > 0.0
    counts = np.where(answered, trials, 1.0)
    residuals = np.where(answered, right / counts - expected, 0.0)
    variance = np.where(answered, expected * (1.0 - expected) / counts, 0.0)
    size = np.sqrt(np.square(residuals).sum(axis=0))
    number = size.size
    tested = number * (number - 1) // 2
    enough = 2.0 * (1.0 - level) / max(tested, 1)  # Holm, if fewer than one half are rejected
    pairs: list[tuple[Integers, Integers, Array, Array]] = []
    step = max(1, _AT_ONCE // number)
    for start in range(0, number, step):
        some = slice(start, start + step)
        products = residuals[:, some].T @ residuals
        p_values = bennett(products, variance[:, some].T @ variance)
        rows, columns = np.nonzero(p_values <= enough)
        below = columns > rows + start
        rows, columns = rows[below], columns[below]
        correlation = products[rows, columns] / (size[rows + start] * size[columns])
        pairs.append((rows + start, columns, correlation, p_values[rows, columns]))
    first, second, correlation, p_value = (
        np.concatenate(parts) for parts in zip(*pairs, strict=True)
    )
    adjusted = holm(p_value, tested)
    kept = adjusted < 1.0 - level
    return AgreeingPairs(first[kept], second[kept], correlation[kept], adjusted[kept], tested)


def bennett(total: Array, variance: Array) -> Array:
    """Upper bound on the chance that a sum of terms of mean 0, each at most 1, is as large.

    Examples
    --------
    >>> bennett(np.array([0.0, 10.0]), np.array([4.0, 4.0])).round(5).tolist()
    [1.0, 0.00053]
    """
    ratio = np.maximum(total, 0.0) / np.maximum(variance, _LEAST_RATE)
    bound: Array = np.exp(-variance * ((1.0 + ratio) * np.log1p(ratio) - ratio))
    return bound


class UnanimousQuestions(NamedTuple):
    """Questions that all systems solve, or none, beside the numbers that the model expects."""

    solved: NDArray[np.bool_]
    failed: NDArray[np.bool_]
    expected_solved: float  # how many, if difficulties are normal
    expected_failed: float
    by_luck: Array  # chance that a repeat of the run is not as unanimous; nan for other questions


def dead_questions(right: Array, trials: Array, fitted: ItemFit) -> UnanimousQuestions:
    """Questions with a single outcome, of a fitted model without discriminations."""
    total, most = right.sum(axis=0), trials.sum(axis=0)
    failed, solved = total <= _ROUNDING, total >= most - _ROUNDING
    logits = fitted.abilities[:, None] - fitted.grid
    log_right = -np.logaddexp(0.0, -logits)  # of every system at every node
    log_wrong = -np.logaddexp(0.0, logits)
    all_right, all_wrong = np.exp(trials.T @ log_right), np.exp(trials.T @ log_wrong)
    prior = np.exp(-0.5 * ((fitted.grid - fitted.mean) / fitted.spread) ** 2)
    prior /= prior.sum()
    again = np.where(
        solved,
        (fitted.posterior * all_right).sum(axis=1),
        (fitted.posterior * all_wrong).sum(axis=1),
    )
    return UnanimousQuestions(
        solved=solved,
        failed=failed,
        expected_solved=float((all_right @ prior).sum()),
        expected_failed=float((all_wrong @ prior).sum()),
        by_luck=np.where(solved | failed, 1.0 - again, np.nan),
    )


def holm(p_values: Array, number: int | None = None) -> Array:
    """P-values adjusted by Holm's step-down (1979); nan is left out, `number` are tested in all."""
    return _adjusted_p_values(p_values, number, step_up=False)


def benjamini_hochberg(p_values: Array) -> Array:
    """P-values adjusted for the false discovery rate (Benjamini and Hochberg 1995).

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, np.nan, 0.04, 0.03])).round(3).tolist()
    [0.03, nan, 0.04, 0.04]
    """
    return _adjusted_p_values(p_values, None, step_up=True)


def _adjusted_p_values(p_values: Array, number: int | None, *, step_up: bool) -> Array:
    known = np.flatnonzero(~np.isnan(p_values))
    adjusted = np.full(p_values.shape, np.nan)
    if not known.size:
        return adjusted
    order = known[np.argsort(p_values[known], kind="stable")]
    tested = known.size if number is None else number
    place = np.arange(order.size)
    if step_up:
        scaled = p_values[order] * tested / (place + 1.0)
        ordered = np.minimum.accumulate(scaled[::-1])[::-1]
    else:
        ordered = np.maximum.accumulate(p_values[order] * (tested - place))
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted


class CorrelatedTrials(NamedTuple):
    """A Rasch fit that allows for correlated trials, with the correlation."""

    fit: ItemFit
    trial_correlation: float
    design: Array  # design effect of each count


def fit_correlated(right: Array, trials: Array, clusters: Integers) -> CorrelatedTrials:
    """Fit the Rasch model twice: to the counts, and to the counts over their design effect."""
    once = fit(right, trials, clusters)
    alike = trial_correlation(right, trials, once.expected)
    design = 1.0 + alike * np.maximum(trials - 1.0, 0.0)
    return CorrelatedTrials(
        fit(right / design, trials / design, clusters) if alike else once, alike, design
    )


def trial_correlation(right: Array, trials: Array, expected: Array) -> float:
    """Correlation of the trials of a system on a question beyond the model (Williams 1982).

    It is estimated from squared residuals: the variance of n trials is n p (1 − p) (1 + (n − 1) ρ).
    """
    variance = trials * expected * (1.0 - expected)
    excess = float((np.square(right - trials * expected) - variance).sum())
    room = float((variance * np.maximum(trials - 1.0, 0.0)).sum())
    return min(max(excess / room, 0.0), 1.0) if room > 0.0 else 0.0
