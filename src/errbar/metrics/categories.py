"""Metrics of trials in several categories, and of votes among answers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errbar.base.arguments import freeze, require_choice
from errbar.base.arrays import Array, Integers
from errbar.data.counts import Tally, distinct_rows
from errbar.data.queries.tallies import Ballots
from errbar.errors import InputError
from errbar.kernels import beta, urn
from errbar.metrics.base import (
    Metric,
    Needs,
    register,
)
from errbar.metrics.means import (
    FLAT,
    RIGHT_OR_WRONG,
    CategoryMetric,
    Prior,
    QuestionMean,
    draws_of,
    sum_of_means,
)
from errbar.metrics.passk import PassAt, PassHat

_FEW_ROWS = 256  # up to this number, pooling equal rows costs more time than it saves


@register("bayes")
@dataclass(frozen=True)
class Bayes(CategoryMetric):
    """Mean weight of a trial under a Dirichlet posterior; for each question.

    This is Bayes@N of Hariri et al. (2026), "Don't Pass@k: A Bayesian Framework for Large Language
    Model Evaluation", arXiv:2510.04265.
    """

    weights: tuple[float, ...] = RIGHT_OR_WRONG

    def value(self, tally: Tally) -> float:
        """Return the posterior mean under a flat prior, which is its only estimate."""
        return self.spread(tally, FLAT)[0]

    def spread(self, tally: Tally, prior: Prior) -> tuple[float, float]:
        """Return moments of the mean over questions, which are independent given the data."""
        scale, weights = self._scaled_weights()
        mean = variance = 0.0
        for rows, often in tally.parts():
            pseudo = rows + prior.each
            total = pseudo.sum(axis=1)
            mean += sum_of_means(pseudo, total, weights, often)
            variance += urn.sum_of_variances(pseudo, total, weights, often)
        return scale * mean / tally.questions, scale * math.sqrt(variance) / tally.questions


@register("max@")
@dataclass(frozen=True)
class MaxAt(CategoryMetric):
    """Expected largest weight among `k` draws; from the trials of a question.

    The estimator is that of Bagirov et al. (2025), "The Best of N Worlds".
    """

    numbered: ClassVar[str | None] = "k"
    k: int
    weights: tuple[float, ...] = RIGHT_OR_WRONG

    def __post_init__(self) -> None:
        freeze(self, k=draws_of(self.k))
        super().__post_init__()

    @property
    def draws(self) -> int:
        """Number of trials per question that the observed score requires."""
        return self.k

    def parts(self) -> tuple[QuestionMean, ...]:
        """Return Pass@k or Pass^k if there are two categories, depending on their weights."""
        if len(self.weights) > 2:
            return ()
        return (PassAt(self.k) if self.weights[1] >= self.weights[0] else PassHat(self.k),)

    def value(self, tally: Tally) -> float:
        """Return the mean over all k-subsets of the observed trials."""
        trials, levels, _, gaps = self._levels(tally)
        value = min(self.weights)
        for at_most, gap in zip(levels, gaps, strict=True):
            (n, below), often = _pool_rows(tally, trials, at_most)
            above = urn.chance_of_one(n, n - below, [self.k])[0]
            value += gap * float(above @ often) / tally.questions
        return value

    def row_values(self, tally: Tally) -> Array:
        """Return the mean of each row over all k-subsets of its trials."""
        trials, levels, _, gaps = self._levels(tally)
        values = np.full(len(tally.rows), min(self.weights))
        for at_most, gap in zip(levels, gaps, strict=True):
            values += gap * urn.chance_of_one(trials, trials - at_most, [self.k])[0]
        return values

    def spread(self, tally: Tally, prior: Prior) -> tuple[float, float]:
        """Return moments of the mean over questions, which are independent given the data."""
        trials, levels, categories, gaps = self._levels(tally)
        mean, ks = min(self.weights), [self.k]
        logs: list[Array] = [np.array([-np.inf])]
        often_each: list[Array] = [np.zeros(1)]
        for upper, gap in enumerate(gaps):
            beyond = prior.each * (len(self.weights) - categories[upper])
            (n, high), often = _pool_rows(tally, trials, levels[upper])
            sides = (high + prior.each * categories[upper], n - high + beyond)
            mean += (
                gap * float(beta.chance_of_one(sides[1], sides[0], ks)[0] @ often) / tally.questions
            )
            logs.append(beta.log_var_above(*sides, ks)[0] + 2 * np.log(gap))
            often_each.append(often)
            for lower in range(upper):
                among = prior.each * (categories[upper] - categories[lower])
                (n, low, high), often = _pool_rows(tally, trials, levels[lower], levels[upper])
                parts = (
                    low + prior.each * categories[lower],
                    high - low + among,
                    n - high + beyond,
                )
                log_cov = beta.log_cov_above(*parts, ks)[0]
                logs.append(log_cov + np.log(2 * gaps[lower] * gap))
                often_each.append(often)
        sd = _root_of_sum(np.concatenate(logs), np.concatenate(often_each)) / tally.questions
        return mean, sd

    def _levels(self, tally: Tally) -> tuple[Integers, list[Integers], Array, Array]:
        """Return trials, cumulative counts per level, cumulative categories, and gaps of weights.

        A level is a distinct weight; the highest is left out.
        """
        values = sorted(set(self.weights))
        levels: list[Integers] = []
        categories: list[int] = []
        at_most, so_far = np.zeros(len(tally.rows), dtype=np.int64), 0
        for value in values[:-1]:
            for category, weight in enumerate(self.weights):
                if weight == value:
                    at_most = at_most + tally.rows[:, category]
                    so_far += 1
            levels.append(at_most)
            categories.append(so_far)
        return tally.rows.sum(axis=1), levels, np.array(categories, dtype=float), np.diff(values)


def _pool_rows(tally: Tally, *columns: Integers) -> tuple[tuple[Integers, ...], Array]:
    """Return the distinct rows of `columns` and their frequencies; few rows are not pooled."""
    if len(tally.rows) <= _FEW_ROWS:
        return columns, tally.often
    return distinct_rows(*columns, often=tally.often)


def _root_of_sum(logs: Array, often: Array) -> float:
    """Return the square root of Σ often · exp(log), without underflow."""
    top = logs.max()
    if top == -np.inf:
        return 0.0
    return float(np.exp(0.5 * top) * np.sqrt(np.exp(logs - top) @ often))


_MOST_TRIALS = 1000  # the number of subsets of more trials overflows a float


@register("vote@", "plurality@")
@dataclass(frozen=True)
class VoteAt(Metric):
    """Probability that the plurality vote of `k` draws is right; ties are split evenly.

    With `ties="first"` a tie goes to the answer that occurred first, as in many harnesses; `k` must
    then be the number of trials.

    Examples
    --------
    >>> VoteAt(3).values([Ballots(votes=(2, 1), credit=(1.0, 0.0), silent=0)])
    [1.0]
    """

    numbered: ClassVar[str | None] = "k"
    needs: ClassVar[Needs] = Needs.ANSWER
    k: int
    ties: str = "split"

    def __post_init__(self) -> None:
        freeze(self, k=draws_of(self.k))
        require_choice(self.ties, "ties", ("split", "first"))

    def values(self, questions: Sequence[Ballots]) -> list[float]:
        """Return the mean over all k-subsets of the trials of each question."""
        if any(ballots.trials > _MOST_TRIALS for ballots in questions):
            raise InputError(f"{self}: votes are counted among at most {_MOST_TRIALS} trials.")
        if self.ties == "first":
            return [self._credit_of_first(ballots) for ballots in questions]
        return [
            urn.plurality_credit(ballots.votes, ballots.credit, ballots.silent, self.k)
            if ballots.trials
            else 0.0
            for ballots in questions
        ]

    def _credit_of_first(self, question: Ballots) -> float:
        if question.trials != self.k or (question.votes and not question.first):
            raise InputError(
                f"{self} needs exactly {self.k} numbered trials of every question; one has "
                f"{question.trials}. Split ties instead: vote@{self.k}."
            )
        order = zip(question.votes, (-at for at in question.first), question.credit, strict=True)
        return max(order, default=(0, 0.0, 0.0))[2]
