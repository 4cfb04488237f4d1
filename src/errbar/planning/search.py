"""The rows of a plan: for each number of trials, the questions that suffice or can be paid for."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from errbar.errors import InputError
from errbar.planning.goals import Goal
from errbar.planning.result import LEAST_QUESTIONS, Row

_USUAL = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_SLACK = 1e-9  # of a budget


@dataclass(frozen=True, slots=True)
class Means:
    """What there is to spend, and what things cost."""

    question_cost: float
    trial_cost: float  # of one system
    questions: int | None  # as many as there are
    budget: float | None

    def cost(self, questions: int, trials: int, systems: int) -> float:
        """Of a run."""
        return questions * (self.question_cost + trials * systems * self.trial_cost)

    def payable(self, trials: int, systems: int) -> int:
        """How many questions the budget pays for."""
        each = self.cost(1, trials, systems)
        return math.floor((self.budget or 0.0) / each + _SLACK)


def usual_trials(least: int, most: int) -> list[int]:
    """Numbers of trials per question that are tried, from what the metric draws on."""
    steps = {*_USUAL, *(least * times for times in (1, 2, 3, 4, 6, 8)), most}
    return sorted(number for number in steps if least <= number <= most)


def searched(goal: Goal, target: float, trials: Sequence[int], means: Means) -> tuple[Row, ...]:
    """A row for each number of trials that is possible, the best of them marked."""
    rows = []
    for number in trials:
        questions = _questions(goal, target, number, means)
        if questions is None:
            continue
        power = goal.power(questions, number)
        cost = means.cost(questions, number, goal.systems)
        rows.append(Row(number, questions, goal.systems, cost, power, power >= target))
    if not rows:
        raise InputError(_nothing(goal, means))
    best = _best(rows, means)
    return tuple(replace(row, best=row is best) for row in rows)


def simulated(
    rows: Sequence[Row], goal: Goal, times: int, rng: np.random.Generator
) -> tuple[Row, ...]:
    """The same, every row tried out; of slow goals the best alone, and less often."""
    if not times:
        return tuple(rows)
    often = min(times, goal.most_simulations)
    return tuple(
        replace(
            row,
            simulated=goal.simulated(row.questions, row.trials, rng, often),
            simulations=often,
        )
        if row.best or often == times
        else row
        for row in rows
    )


def _questions(goal: Goal, target: float, trials: int, means: Means) -> int | None:
    """Those that suffice, or as many as there are or can be paid for."""
    payable = None if means.budget is None else means.payable(trials, goal.systems)
    if means.questions is not None:
        fits = payable is None or payable >= means.questions
        return means.questions if fits else None
    if payable is None:
        return goal.least(target, trials)
    return payable if payable >= LEAST_QUESTIONS else None


def _best(rows: Sequence[Row], means: Means) -> Row:
    """The cheapest that suffices; with a budget for questions, or if none does, the strongest."""
    reached = [row for row in rows if row.reached]
    if reached and (means.budget is None or means.questions is not None):
        return min(reached, key=lambda row: (row.cost, row.trials))
    return max(rows, key=lambda row: (row.power, -row.cost))


def _nothing(goal: Goal, means: Means) -> str:
    if means.budget is not None:
        return (
            f"a budget of {means.budget:g} pays for no run: {LEAST_QUESTIONS} questions at least, "
            f"with {goal.metric.draws} trials or more for each."
        )
    return "not even ten million questions would suffice; ask for less."
