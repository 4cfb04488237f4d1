"""Sample sizes: the numbers of questions, and of trials of each, that reach a goal.

- `goals`: what a plan shall reach; `search`: the cheapest design that does.
- `pilot`: difficulty, assumed or from a pilot log.
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from errbar.analysis.plan.goals import DetectDifference, DetectSurely, Goal, SoughtVerdict, Width
from errbar.analysis.plan.pilot import Difficulty, Pilot, PilotLog, learn_difficulty
from errbar.analysis.plan.search import Resources, search, simulate_best, usual_trials
from errbar.base.arguments import (
    checked,
    number,
    require_choice,
    require_whole,
    strict_share,
    whole_numbers,
)
from errbar.base.remarks import Caution, Explanation, way_to_say
from errbar.base.tables import interval_title, percent
from errbar.data.queries.questions import OneWayErrors
from errbar.errors import InputError, WrongType
from errbar.metrics import CountMetric, Metric, Needs
from errbar.metrics.base import metric_of
from errbar.results.plan import Plan, PlanRow, points

__all__ = ["Difficulty", "Plan", "PlanRow", "plan"]

DISAGREEMENT = 1.0  # sd of the difference in log odds, without a pilot of two systems
_MOST_TRIALS = 64  # of a plan that names no number: the most that runs usually have
_RANGE = (0.05, 0.95)  # quantiles of the power over distributions that fit the pilot


@checked
def plan(
    metric: Metric | str,
    *,
    difference: float | None = None,
    width: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    verdict: SoughtVerdict = "probably better",
    pilot: PilotLog | None = None,
    systems: Sequence[str] = (),
    errors: OneWayErrors = "fail",
    difficulty: Difficulty | str | None = None,
    mean: float | None = None,
    disagreement: float | None = None,
    trials: Iterable[int] | None = None,
    max_trials: int | None = None,
    questions: int | None = None,
    budget: float | None = None,
    question_cost: float = 0.0,
    trial_cost: float = 1.0,
    simulations: int = 2000,
    rng: int = 0,
) -> Plan:
    """Find the cheapest numbers of questions and trials that reach a goal.

    `difference` is between two systems on the same questions, in the metric's own scale;
    `errbar.compare` at `level` comes to this `verdict` with this `power`; "better" assumes nothing
    about unseen questions. `width` is that of one system's interval for new questions;
    `power` is the chance that it is no wider.

    Success rates are learned from a `pilot`, or assumed: `difficulty="beta(2, 2)"`, or a name like
    "u-shaped"; `mean` shifts them until the metric has this mean. How much two systems disagree
    about which questions are hard, as a standard deviation of log odds, is learned too, or is 1.

    With `questions`, as many as there are, it finds the trials; with a `budget`, what it buys.

    Examples
    --------
    >>> plan("pass@1", difference=0.1, difficulty="uniform", trials=[1, 4]).best.questions
    272
    """
    chosen = _metric(metric)
    _check(difference=difference, width=width, power=power, level=level, budget=budget)
    _check_costs(question_cost, trial_cost)
    require_whole(2 if questions is None else questions, "questions", 2)
    require_whole(simulations, "simulations", 0)
    require_whole(rng, "rng", 0)
    grid = _grid(chosen, trials, max_trials)
    known = _known(pilot, systems, errors, difficulty, np.random.default_rng(rng))
    spread = known.difficulty if mean is None else _with_mean(chosen, known.difficulty, mean)
    goal = _goal(chosen, spread, known, verdict, (difference, width, level, disagreement, rng))
    resources = Resources(question_cost, trial_cost, questions, budget)
    rows = search(goal, power, grid, resources)
    rows = simulate_best(rows, goal, simulations, np.random.default_rng([rng, 1]))
    best = next(row for row in rows if row.best)
    marked = "cheapest" if best.reached and (budget is None or questions) else "highest power"
    learned = math.isfinite(known.disagreement) and disagreement is None
    remarks = [*_goal_in_words(goal, power), *_limits(goal, power, best, resources)]
    remarks += [*_model(goal, best, learned=learned), *_simulated_remark(best), *known.remarks]
    return Plan(goal, power, rows, marked, tuple(remarks))


def _metric(metric: Metric | str) -> CountMetric:
    chosen = metric_of(metric)
    if (
        not isinstance(chosen, CountMetric)
        or chosen.needs is Needs.PROBABILITY
        or len(chosen.parts()) != 1
    ):
        raise WrongType(
            f"{chosen} cannot be planned for: it is not a mean over questions of right and "
            f"wrong trials; avg, pass@k, pass^k and maj@k are."
        )
    if chosen.bounds[0] == chosen.bounds[1]:
        raise InputError(
            f"{chosen} has the same value whatever the outcomes are; there is nothing to plan."
        )
    return chosen


def _check_costs(question_cost: float, trial_cost: float) -> None:
    number(question_cost, "question_cost", 0.0, math.inf)
    number(trial_cost, "trial_cost", 0.0, math.inf)
    if not question_cost and not trial_cost:
        raise InputError("question_cost and trial_cost are both 0; one must be positive.")


def _check(**settings: float | None) -> None:
    """Refuse several goals at once, and numbers out of range."""
    if (settings["difference"] is None) == (settings["width"] is None):
        example = way_to_say("--difference 0.03", "difference=0.03")
        raise InputError(f"ask for a difference or for a width, as in {example}.")
    for name in ("power", "level"):
        strict_share(settings[name], name)
    if settings["difference"] is not None:
        number(settings["difference"], "difference", -math.inf, math.inf)
        if settings["difference"] == 0:
            raise InputError("a difference of 0 cannot be detected; use for example 0.03.")
    for name in ("width", "budget"):
        if settings[name] is not None:
            number(settings[name], name, 0.0, math.inf)
            if settings[name] == 0:
                raise InputError(f"{name} must be positive; got 0.")


def _grid(metric: CountMetric, trials: Iterable[int] | None, most: int | None) -> list[int]:
    """Numbers of trials per question to try."""
    if trials is not None:
        grid = sorted({*whole_numbers(trials, "trials")})
        if not grid or grid[0] < metric.draws:
            raise InputError(
                f"{metric} draws {metric.draws} trials of every question; trials={grid}."
            )
        return grid
    if most is None:
        most = max(_MOST_TRIALS, 2 * metric.draws)
    require_whole(most, "max_trials", 1)
    if most < metric.draws:
        raise InputError(
            f"{metric} draws {metric.draws} trials of every question; max_trials is {most}."
        )
    return usual_trials(metric.draws, most)


def _known(
    pilot: PilotLog | None,
    systems: Sequence[str],
    errors: OneWayErrors,
    difficulty: Difficulty | str | None,
    rng: np.random.Generator,
) -> Pilot:
    if (pilot is None) == (difficulty is None):
        raise InputError(
            "describe the distribution of success rates: either by a pilot log, or by "
            f"{way_to_say('--difficulty', 'a difficulty')} such as 'beta(2, 2)' or 'u-shaped'."
        )
    if pilot is not None:
        return learn_difficulty(pilot, systems, errors, rng)
    if systems:
        raise InputError("systems selects systems of a pilot, and there is no pilot.")
    return Pilot(Difficulty.of(difficulty or ""), math.nan, ())


def _with_mean(metric: CountMetric, spread: Difficulty, mean: float) -> Difficulty:
    number(mean, "mean", -math.inf, math.inf)
    part = metric.parts()[0]
    return spread.with_mean(lambda rates: metric.joined(part.at_rates(rates)), float(mean))


def _goal(
    metric: CountMetric,
    spread: Difficulty,
    known: Pilot,
    verdict: SoughtVerdict,
    settings: tuple[float | None, float | None, float, float | None, int],
) -> Goal:
    difference, width, level, disagreement, seed = settings
    if difference is not None:
        if disagreement is None:
            learned = known.disagreement
            disagreement = learned if math.isfinite(learned) else DISAGREEMENT
        number(disagreement, "disagreement", 0.0, math.inf)
        kinds = {kind.verdict: kind for kind in (DetectDifference, DetectSurely)}
        require_choice(verdict, "verdict", kinds)
        kind = kinds[verdict]
        goal = kind(metric, spread, level, seed, float(difference), float(disagreement))
        _ = goal.shift  # raises an error if the difference is out of reach
        return goal
    if disagreement is not None:
        raise InputError(
            "disagreement is between two systems, but a width is planned for one system."
        )
    if not metric.parts()[0].unbiased:
        raise InputError(
            f"{metric} has no value of a question that is right on average, and its interval is "
            f"learned; plan the width of another metric."
        )
    return Width(metric, spread, level, seed, float(width or 0.0))


def _goal_in_words(goal: Goal, power: float) -> list[str]:
    if isinstance(goal, DetectDifference):
        surely = goal.verdict == "better"
        test = "assuming nothing about unseen questions" if surely else "assuming no rare failures"
        goal_text = (
            f"To detect a difference of {goal.difference:+g} in {goal.metric} between two "
            f"systems on the same questions: verdict '{goal.verdict}' ({test}) at level "
            f"{percent(goal.level)}, power {percent(power)}, for new questions of the same kind."
        )
        option = way_to_say("--verdict better", "verdict='better'")
        needs = f"Verdict '{goal.verdict}': {test}; 'better' needs more ({option})."
        return [Explanation(goal_text), *([] if surely else [needs])]
    if isinstance(goal, Width):
        goal_text = (
            f"For a {interval_title(goal.level)} of {goal.metric} no wider than {goal.width:g}, "
            f"in {percent(power)} of all runs, for new questions of the same kind."
        )
        return [Explanation(goal_text)]
    return []


def _limits(goal: Goal, power: float, best: PlanRow, resources: Resources) -> list[str]:
    """Remarks on what limits the plan."""
    remarks: list[str] = []
    if not best.reached and resources.questions is not None:
        endless = goal.power(best.questions, None)
        reason = (
            f"Cannot be reached: with {best.questions:,} questions even infinitely many trials "
            f"give {points(endless)}."
            if endless < power
            else f"Not reached with these trials; infinitely many give {points(endless)}."
        )
        remarks.append(Caution(reason))
    if isinstance(goal, DetectDifference) and (
        resources.questions is not None or resources.budget is not None
    ):
        smallest = goal.detectable(power, best.questions, best.trials)
        shown = "none" if math.isnan(smallest) else f"{smallest:+.3g}"
        remarks.append(
            f"Smallest difference that this run detects with power {percent(power)}: {shown}."
        )
    return remarks


def _model(goal: Goal, best: PlanRow, *, learned: bool) -> list[str]:
    """Remarks on the assumed difficulty, and on the power under other assumptions."""
    remarks = [f"Difficulty: {goal.difficulty}; mean of {goal.metric} {goal.mean:.3g}."]
    if not isinstance(goal, DetectDifference):
        return remarks
    halved, doubled = (
        goal.with_disagreement(times * goal.disagreement).power(best.questions, best.trials)
        for times in (0.5, 2.0)
    )
    whence = "estimated from the pilot" if learned else "assumed"
    shifted = (
        f"The second system's log odds are shifted by {goal.shift:+.2f} on average, with a "
        f"standard deviation over questions of {goal.disagreement:.3g} ({whence}): its power is "
        f"{points(halved)} with half of that, {points(doubled)} with twice."
    )
    remarks.append(Explanation(shifted))
    if len(goal.difficulty.rates) > 1:
        each = goal.for_each_spread() or [goal]
        powers = [
            goal_at_spread.normal_power(best.questions, best.trials) for goal_at_spread in each
        ]
        low, high = (points(float(end)) for end in np.quantile(powers, _RANGE))
        remarks.append(
            f"Over 90% of the difficulty distributions that fit the pilot, its power "
            f"is {low} to {high}."
        )
        missing = len(goal.difficulty.rates) - len(each)
        if missing:
            share = percent(100 * missing // len(goal.difficulty.rates) / 100)
            remarks.append(f"In {share} of them no system can be that much better: left out.")
    return remarks


def _simulated_remark(best: PlanRow) -> list[str]:
    if not best.simulations:
        return []
    runs = f"{best.simulations:,} simulated runs"
    return [Explanation(f"simulated: share of {runs} that met the goal, and its standard error.")]
