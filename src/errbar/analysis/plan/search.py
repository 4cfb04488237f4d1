"""Search for the best design: the cheapest that reaches the power, or the strongest affordable."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from errbar.analysis.plan.goals import Goal
from errbar.errors import InputError
from errbar.results.plan import LEAST_QUESTIONS, PlanRow

# Steps of an eighth to a half, because the width goes with the root of the number.
_USUAL = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
_SLACK = 1e-9  # relative tolerance of a budget


@dataclass(frozen=True, slots=True)
class Resources:
    """The available questions, the budget, and the costs of a question and of a trial."""

    question_cost: float
    trial_cost: float  # cost of a trial of one system
    questions: int | None  # number of available questions; None without a limit
    budget: float | None

    def cost(self, questions: int, trials: int, systems: int) -> float:
        """Cost of a run."""
        return questions * (self.question_cost + trials * systems * self.trial_cost)

    def payable(self, trials: int, systems: int) -> int:
        """Largest number of questions within the budget."""
        each = self.cost(1, trials, systems)
        return math.floor((self.budget or 0.0) / each + _SLACK)


def usual_trials(least: int, most: int) -> list[int]:
    """The numbers of trials per question to try, starting at what the metric draws."""
    steps = {*_USUAL, *(least * times for times in (1, 2, 3, 4, 6, 8)), most}
    return sorted(step for step in steps if least <= step <= most)


def search(
    goal: Goal, target: float, trials: Sequence[int], resources: Resources
) -> tuple[PlanRow, ...]:
    """A row for each possible number of trials, with the best row marked."""
    rows = []
    for each in trials:
        questions = _questions(goal, target, each, resources)
        if questions is None:
            continue
        power = goal.power(questions, each)
        cost = resources.cost(questions, each, goal.systems)
        rows.append(
            PlanRow(
                trials=each,
                questions=questions,
                systems=goal.systems,
                cost=cost,
                power=power,
                reached=power >= target,
            )
        )
    if not rows:
        raise InputError(_unreachable(goal, resources))
    best = _best(rows, resources)
    return tuple(replace(row, best=row is best) for row in rows)


def simulate_best(
    rows: Sequence[PlanRow], goal: Goal, times: int, rng: np.random.Generator
) -> tuple[PlanRow, ...]:
    """The plan with simulated power; for slow goals only the best row, with fewer simulations."""
    if not times:
        return tuple(rows)
    often = min(times, goal.most_simulations)
    return tuple(
        replace(
            row,
            simulated=goal.simulate(row.questions, row.trials, rng, often),
            simulations=often,
        )
        if row.best or often == times
        else row
        for row in rows
    )


def _questions(goal: Goal, target: float, trials: int, resources: Resources) -> int | None:
    """All available questions, those that the budget pays for, or the required number."""
    payable = None if resources.budget is None else resources.payable(trials, goal.systems)
    if resources.questions is not None:
        fits = payable is None or payable >= resources.questions
        return resources.questions if fits else None
    if payable is None:
        return goal.least(target, trials)
    return payable if payable >= LEAST_QUESTIONS else None


def _best(rows: Sequence[PlanRow], resources: Resources) -> PlanRow:
    """The cheapest row that reaches the power; within a budget, or if none does, the strongest."""
    reached = [row for row in rows if row.reached]
    if reached and (resources.budget is None or resources.questions is not None):
        return min(reached, key=lambda row: (row.cost, row.trials))
    return max(rows, key=lambda row: (row.power, -row.cost))


def _unreachable(goal: Goal, resources: Resources) -> str:
    if resources.budget is not None:
        return (
            f"a budget of {resources.budget:g} is too small: a run needs at least "
            f"{LEAST_QUESTIONS} questions with at least {goal.metric.draws} trials each."
        )
    return "not even ten million questions would suffice; plan for a larger difference or width."
