"""Goals of a plan: to detect a difference between two systems, or to estimate a score to a width.

A goal computes the probability that a number of questions and trials meets it.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from errbar.analysis.plan.pilot import Difficulty, shift_to
from errbar.base.arrays import Array, Integers
from errbar.base.tables import interval_title
from errbar.data.counts import States
from errbar.errors import InputError
from errbar.kernels.binomial import masses
from errbar.kernels.bounded_mean import Sample, mean_ends, p_at_most
from errbar.kernels.interval import normal_reach
from errbar.kernels.power import (
    DiscreteDistribution,
    approximate_scores,
    approximate_widths,
    effective_size,
    joint_states,
    merge_equal,
    normal_power,
    normal_quadrature,
    shift_log_odds,
    simulated_power,
)
from errbar.metrics import CountMetric
from errbar.metrics.means import QuestionMean
from errbar.results.plan import LEAST_QUESTIONS

SoughtVerdict = Literal["better", "probably better"]

MOST_QUESTIONS = 10_000_000  # a plan for more is refused: no benchmark has as many
_STEPS = 21  # nodes for the normal shift
_FEW = 40.0  # with fewer differing questions, power is simulated
_DRAWN = 10_000  # simulated comparisons in that case
_ROUGHLY = 600  # intervals or tests that are drawn to find the number of questions
_WIDTHS = 4_000  # and to state a power
_EXACT = 40  # intervals that are computed in full
_DOUBT = 0.015  # error of the saddle-point approximation, as a share of the requested width
_FARTHEST = 30.0  # shift of log odds after which every rate is 0 or 1
_WITHIN = 0.98  # share of the largest possible difference, which no finite shift reaches
_HALVINGS = 20  # of the differences that may be detectable, to 1e-6 of the largest
_FINE = 200  # the search moves in steps of 1/200 of the questions


@dataclass(frozen=True, eq=False)
class Goal(ABC):
    """Base class of goals: a result that a run reaches with some probability."""

    metric: CountMetric
    difficulty: Difficulty
    level: float
    seed: int

    systems: ClassVar[int]
    most_simulations: ClassVar[int]

    @property
    def part(self) -> QuestionMean:
        """The mean over questions of which the metric is a linear function."""
        return self.metric.parts()[0]

    @property
    def span(self) -> float:
        """Slope of the metric in the mean of its part."""
        low, high = (float(self.metric.joined(np.array(end))) for end in (0.0, 1.0))
        return high - low

    @property
    def mean(self) -> float:
        """Mean of the metric over the population of questions."""
        rates, weights = self.difficulty.average()
        return float(self.metric.joined(np.array(self.part.at_rates(rates) @ weights)))

    @property
    @abstractmethod
    def purpose(self) -> str:
        """The goal in words, as in "detect a difference of +0.05 in avg"."""

    @abstractmethod
    def power(self, questions: int, trials: int | None) -> float:
        """Probability of meeting the goal; with unlimited trials if `trials` is None."""

    @abstractmethod
    def least(self, power: float, trials: int) -> int | None:
        """The smallest sufficient number of questions, if there is one."""

    @abstractmethod
    def simulate(self, questions: int, trials: int, rng: np.random.Generator, times: int) -> float:
        """Share of simulated runs that meet the goal."""

    def record(self) -> dict[str, Any]:
        """The goal as the first fields of a flat record; nan where a field does not apply."""
        return {
            "metric": str(self.metric),
            "mean": self.mean,
            "difference": math.nan,
            "disagreement": math.nan,
            "width": math.nan,
            "level": self.level,
            "covers": "population",
        }

    def values(self, trials: int) -> Array:
        """Value of a question with 0, 1 … of its trials right."""
        right = np.arange(trials + 1)
        often = np.ones((1, trials + 1))
        states = States(np.full(trials + 1, trials), right, often, np.array([trials + 1.0]))
        return self.part.subset_means([self.part], states)[0]


@dataclass(frozen=True, eq=False)
class DetectDifference(Goal):
    """Detect a difference of two systems on the same questions by the sign-flip test.

    The second system's log odds on a question are those of the first and a shift, whose standard
    deviation over questions is `disagreement`.
    """

    difference: float
    disagreement: float
    verdict: ClassVar[SoughtVerdict] = "probably better"
    systems: ClassVar[int] = 2
    most_simulations: ClassVar[int] = 1_000_000
    _distributions: dict[int | None, DiscreteDistribution] = field(default_factory=dict, init=False)

    @cached_property
    def shift(self) -> float:
        """The mean shift of the log odds that gives the difference."""
        rates, weights = self.difficulty.average()
        base = float(self.part.at_rates(rates) @ weights)
        target = base + self.difference / self.span

        def mean_at(shift: float) -> float:
            others, both = self._others(rates, weights, shift)
            return float((self.part.at_rates(others) * both).sum())

        try:
            return shift_to(mean_at, target)
        except InputError as error:
            raise InputError(
                f"a difference of {self.difference:+.4g} is out of reach: {self.metric} of the "
                f"first system is {self.mean:.4g}. For the second system, {error}"
            ) from error

    @property
    def is_possible(self) -> bool:
        """Whether some shift gives the difference."""
        try:
            return math.isfinite(self.shift)
        except InputError:
            return False

    def distribution(self, trials: int | None) -> DiscreteDistribution:
        """The possible differences of a question and their probabilities."""
        if trials not in self._distributions:
            rates, weights = self.difficulty.average()
            others, both = self._others(rates, weights, self.shift)
            if trials is None:
                apart = self.part.at_rates(others) - self.part.at_rates(rates)[:, None]
                self._distributions[trials] = merge_equal(apart, both)
            else:
                values = self.values(trials)
                chances = joint_states(rates, others, both, trials)
                self._distributions[trials] = merge_equal(
                    values[None, :] - values[:, None], chances
                )
        return self._distributions[trials]

    def power(self, questions: int, trials: int | None) -> float:
        """Power by the normal approximation, or by simulation where few questions differ."""
        distribution = self.distribution(trials)
        if effective_size(distribution, questions) >= _FEW:
            return self.normal_power(questions, trials)
        rng = np.random.default_rng(self.seed)
        return simulated_power(distribution, questions, self._reach, rng, _DRAWN)

    def normal_power(self, questions: int, trials: int | None) -> float:
        """Power by the normal approximation."""
        return normal_power(self.distribution(trials), questions, self._reach)

    def least(self, power: float, trials: int) -> int | None:
        """By bisection of the approximate power; then by steps, where power is simulated."""
        least = _least(lambda questions: self.normal_power(questions, trials) >= power)
        if least is None or effective_size(self.distribution(trials), least) >= _FEW:
            return least
        while self.power(least, trials) < power:
            least += 1
        while least > LEAST_QUESTIONS and self.power(least - 1, trials) >= power:
            least -= 1
        return least

    def simulate(self, questions: int, trials: int, rng: np.random.Generator, times: int) -> float:
        """Share of simulated comparisons that detect the difference."""
        return simulated_power(self.distribution(trials), questions, self._reach, rng, times)

    @property
    def purpose(self) -> str:
        """What the run is to detect."""
        return f"detect a difference of {self.difference:+g} in {self.metric}"

    def record(self) -> dict[str, Any]:
        """The difference and the disagreement of the two systems."""
        fields = {"difference": self.difference, "disagreement": self.disagreement}
        return super().record() | fields

    def with_disagreement(self, disagreement: float) -> "DetectDifference":
        """Copy with another disagreement of the two systems."""
        return replace(self, disagreement=disagreement)

    def for_each_spread(self) -> "list[DetectDifference]":
        """Copies for each plausible distribution of difficulty that allows the difference."""
        every = [replace(self, difficulty=spread) for spread in self.difficulty.each()]
        return [spread for spread in every if spread.is_possible]

    def detectable(self, power: float, questions: int, trials: int | None) -> float:
        """The smallest difference of this sign that has this power; nan if there is none."""
        low, high = 0.0, math.copysign(1.0, self.difference) * self._room()
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            met = replace(self, difference=middle).power(questions, trials) >= power
            low, high = (low, middle) if met else (middle, high)
        reached = replace(self, difference=high).power(questions, trials) >= power
        return high if reached else math.nan

    @property
    def _reach(self) -> float:
        return normal_reach(self.level)

    def _room(self) -> float:
        """Largest possible change of the metric in the direction of the difference."""
        rates, weights = self.difficulty.average()
        up = (self.difference > 0) == (self.span > 0)
        ends = [
            float(self.part.at_rates(shift_log_odds(rates, shift)) @ weights)
            for shift in (0.0, _FARTHEST, -_FARTHEST)
        ]
        far = max(ends) if up else min(ends)
        return _WITHIN * abs(far - ends[0]) * abs(self.span)

    def _others(self, rates: Array, weights: Array, shift: float) -> tuple[Array, Array]:
        """Rates of the second system, a row for each of the first, and their weights."""
        steps, by_step = normal_quadrature(_STEPS)
        others = shift_log_odds(rates[:, None], shift + self.disagreement * steps)
        return others, weights[:, None] * by_step


@dataclass(frozen=True, eq=False)
class DetectSurely(DetectDifference):
    """Detect a difference by Gaffke's test, which assumes nothing about unseen questions."""

    verdict: ClassVar[SoughtVerdict] = "better"
    most_simulations: ClassVar[int] = 400  # a test takes milliseconds

    def power(self, questions: int, trials: int | None) -> float:
        """Share of simulated comparisons whose test rejects."""
        return self._share(questions, trials, _WIDTHS)

    def least(self, power: float, trials: int) -> int | None:
        """By bisection with fewer simulations; then by steps."""
        least = _least(lambda questions: self._share(questions, trials, _ROUGHLY) >= power)
        return None if least is None else refine(least, lambda n: self.power(n, trials) >= power)

    def simulate(self, questions: int, trials: int, rng: np.random.Generator, times: int) -> float:
        """Share of comparisons, each tested in full, that detect the difference."""
        values, chances = self.distribution(trials)
        toward = math.copysign(1.0, float(values @ chances))
        often = rng.multinomial(questions, chances, times)
        return float(np.mean([self._sees(toward * values, row) for row in often]))

    def _share(self, questions: int, trials: int | None, times: int) -> float:
        values, chances = self.distribution(trials)
        toward = math.copysign(1.0, float(values @ chances))
        often = np.random.default_rng(self.seed).multinomial(questions, chances, times)
        present = often.any(axis=0)
        shares = 0.5 + 0.5 * toward * values[present]  # from outright losses to outright wins
        scores = approximate_scores(shares, often[:, present], 0.5)
        return float((scores <= -self._reach).mean())

    def _sees(self, values: Array, often: Integers) -> bool:
        present = often > 0
        number = often[present].astype(float)
        sample = Sample(values[present], np.ones(number.size), number, (-1.0, 1.0))
        return p_at_most(sample, 0.0) <= 0.5 - 0.5 * self.level


@dataclass(frozen=True, eq=False)
class Width(Goal):
    """Estimate the score of one system for new questions to within a width."""

    width: float
    systems: ClassVar[int] = 1
    most_simulations: ClassVar[int] = 400  # an interval takes milliseconds

    def power(self, questions: int, trials: int | None) -> float:
        """Share of simulated intervals that are narrow enough; close ones are computed in full."""
        values, often, times = self._draw_runs(questions, trials, _WIDTHS)
        widths = approximate_widths(values, often, self.level)
        doubtful = np.flatnonzero(np.abs(widths - self._target) < _DOUBT * self._target)
        some = doubtful[np.argsort(-times[doubtful], kind="stable")[:_EXACT]]
        if some.size:
            exact = np.array([self._width(values, row) for row in often[some]])
            widths[doubtful] *= (exact / widths[some]).mean()
            widths[some] = exact
        return float(times @ (widths <= self._target)) / _WIDTHS

    def least(self, power: float, trials: int) -> int | None:
        """By bisection with fewer simulated intervals; then by steps."""

        def suffices(questions: int) -> bool:
            values, often, times = self._draw_runs(questions, trials, _ROUGHLY)
            narrow = approximate_widths(values, often, self.level) <= self._target
            return float(times @ narrow) >= power * _ROUGHLY

        least = _least(suffices)
        return None if least is None else refine(least, lambda n: self.power(n, trials) >= power)

    def simulate(self, questions: int, trials: int, rng: np.random.Generator, times: int) -> float:
        """Share of intervals, each computed, that are narrow enough."""
        distribution = self._distribution(trials)
        often = rng.multinomial(questions, distribution.chances, times)
        return float(
            np.mean([self._width(distribution.values, row) <= self._target for row in often])
        )

    @property
    def purpose(self) -> str:
        """The goal in words."""
        return f"give a {interval_title(self.level)} of {self.metric} no wider than {self.width:g}"

    def record(self) -> dict[str, Any]:
        """The width."""
        return super().record() | {"width": self.width}

    @property
    def _target(self) -> float:
        return self.width / abs(self.span)

    def _distribution(self, trials: int | None) -> DiscreteDistribution:
        rates, weights = self.difficulty.average()
        if trials is None:
            return merge_equal(self.part.at_rates(rates), weights)
        return merge_equal(self.values(trials), masses(rates, trials) @ weights)

    def _draw_runs(
        self, questions: int, trials: int | None, times: int
    ) -> tuple[Array, Integers, Integers]:
        """Values of a question, their counts in distinct runs, and the frequency of each run."""
        values, chances = self._distribution(trials)
        runs = np.random.default_rng(self.seed).multinomial(questions, chances, times)
        return values, *np.unique(runs, axis=0, return_counts=True)

    def _width(self, values: Array, often: Integers) -> float:
        some = often > 0
        number = often[some].astype(float)
        low, high = mean_ends(Sample(values[some], np.ones(number.size), number), self.level)
        return high - low


def refine(questions: int, suffices: Callable[[int], bool]) -> int:
    """Refine an approximate number of questions to the smallest that suffices."""
    while not suffices(questions):
        questions += max(1, questions // _FINE)
    while questions > LEAST_QUESTIONS:
        fewer = questions - max(1, questions // _FINE)
        if not suffices(fewer):
            break
        questions = fewer
    return questions


def _least(suffices: Callable[[int], bool]) -> int | None:
    """The smallest number of questions that suffices, if power rises with their number."""
    low, high = LEAST_QUESTIONS, LEAST_QUESTIONS
    while not suffices(high):
        if high >= MOST_QUESTIONS:
            return None
        low, high = high + 1, 2 * high
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle + 1, high)
    return low
