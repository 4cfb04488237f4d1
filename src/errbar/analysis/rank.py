"""Ranks of systems with simultaneous rank ranges, on the questions that all systems have.

The range of a system contains every rank that the pairwise comparisons allow. All pairs are
compared as by `compare`, adjusted for their number: with the probability of the level, no pair is
decided wrongly and all ranks lie in their ranges. Probabilities of ranks come from one joint
posterior: the Bayesian bootstrap with one unseen question, with systems assumed to be exchangeable.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from errbar.analysis.alignment import AlignedValues, Policy
from errbar.analysis.bracket import (
    BracketedValues,
    bracketed_differences,
    bracketed_tables,
    level_of_ends,
)
from errbar.analysis.evaluate import Refusals, reason_of
from errbar.analysis.methods import Calibrated
from errbar.analysis.methods.population import Summary, combine_independent
from errbar.analysis.pairs import assumptions, range_of
from errbar.analysis.rank_methods import method_scoring
from errbar.analysis.rank_scores import (
    JointScores,
    RankedPart,
    RankRequest,
    RankScoring,
    usual_scoring,
)
from errbar.base.arguments import number
from errbar.base.arrays import Array
from errbar.base.remarks import Caution, counted, setting, some_of
from errbar.data.sources.tables import Source
from errbar.errors import InputError
from errbar.kernels.hierarchical import DrawnRanks
from errbar.kernels.leave_out import ranks_of
from errbar.metrics.base import Direction
from errbar.results.estimate import Estimand, Interval, Subject
from errbar.results.leaderboard import Lead, Leaderboard, Standing, letters_of

_ALIKE = 2.0  # ratio of widths up to which guessed scales count as equal


def rank_systems(
    source: Source, request: RankRequest, policy: Policy, scoring: RankScoring | None = None
) -> Leaderboard:
    """Rank the systems that have results on every task."""
    tables = bracketed_tables(source, [request.metric], request.systems, policy)
    remarks = [note for data in tables for note in data.remarks]
    several = _tasks_of_several_systems(tables, remarks)
    systems, left_out = _systems_in_all_tasks(several)
    kept = _tasks_with_questions(several, systems, remarks)
    weights = _weights(
        [data.task for data in tables], [data.task for data in kept], request.weights
    )
    remarks += assumptions(kept, request.intervals)
    if request.by != "mean":
        scoring = method_scoring(request.by)
        if any(isinstance(data, BracketedValues) for data in kept):
            raise InputError(
                f"ranks by {request.by} depend on all systems at once, so failed trials have no "
                f"worst and best case; choose {setting('errors', 'fail')}."
            )
    is_usual = scoring is None
    scoring = scoring or usual_scoring(request.intervals)
    parts = [scoring.part_of(data, systems, weights[data.task], request.intervals) for data in kept]
    remarks += _unlike_scales(kept, request.intervals) if request.by == "mean" else []
    vary = scoring.together(parts)
    parts_at = cache(partial(_bracketed_parts, kept, systems, parts, scoring, request.intervals))
    bracketed = parts_at(request.intervals.level)
    up = -1.0 if request.metric.direction is Direction.LOWER and request.by == "mean" else 1.0
    both_cases = scoring.together(bracketed)
    # 1 where the system of the row is better than that of the column
    ahead = _significant_order(both_cases, len(systems), request.intervals.level) * up
    drawn = DrawnRanks(vary.scores() * up)
    rows = _standings(systems, parts_at, ahead, drawn, up, request)
    if bracketed is not parts:
        remarks.append(
            "Scores, expected ranks and P(best) count failed trials as wrong; intervals, ranks "
            "and groups also cover the case that failed trials would have been right."
        )
    lost = sum(part.left_out for part in parts)
    lead = _lead(rows, systems, both_cases, request)
    if is_usual and len(kept) == 1 and not lost:
        lead = _lead_as_compared(rows, kept[0], request) or lead
    remarks += _left_out(several, left_out)
    if lost:
        them = "it" if lost == 1 else "them"
        remarks.append(
            f"{counted(lost, 'question')} left out, because not all systems have {them}."
        )
    return Leaderboard(
        tuple(rows),
        request.metric,
        tasks=weights,
        questions=sum(part.questions for part in parts),
        method=scoring.words,
        remarks=tuple(remarks),
        by=request.by,
        left_out=lost,
        lead=lead,
    )


def _lead(
    rows: Sequence[Standing], systems: Sequence[str], vary: JointScores, request: RankRequest
) -> Lead:
    """Return the lead of the first system over the second, by the joint scores that rank them."""
    intervals = request.intervals
    higher, lower = (systems.index(row.system) for row in _higher_first(rows, request))
    tail, best = _tail(len(systems), intervals.level), vary.means.size - len(systems)
    low = vary.low_end(higher, lower + best, tail)
    high = -vary.low_end(lower, higher + best, tail)
    gap, sd = abs(rows[0].value - rows[1].value), vary.sd(higher, lower)
    return Lead(gap, sd, Interval(low, high, intervals.level, intervals.estimand))


def _lead_as_compared(
    rows: Sequence[Standing], data: AlignedValues, request: RankRequest
) -> Lead | None:
    """Return the lead with the interval of `compare`, where that is of the same questions.

    For new questions both are the same; for this exact benchmark `compare` interpolates its ends,
    and failed trials move the two systems of a pair apart.
    """
    intervals = request.intervals
    is_new = intervals.estimand is Estimand.POPULATION
    if request.by != "mean" or (is_new and not isinstance(data, BracketedValues)):
        return None
    pair = (data.systems.index(row.system) for row in _higher_first(rows, request))
    found = bracketed_differences(data, intervals).of(*pair)
    if found.reason:
        return None
    ends = found.spread.ends(1.0 - 2.0 * _tail(len(rows), intervals.level))
    gap, sd = abs(rows[0].value - rows[1].value), found.spread.sd
    return Lead(gap, sd, Interval(*ends, intervals.level, intervals.estimand))


def _higher_first(rows: Sequence[Standing], request: RankRequest) -> Sequence[Standing]:
    """Return the first two systems, the one with the higher value first."""
    falls = request.metric.direction is Direction.LOWER and request.by == "mean"
    return (rows[1], rows[0]) if falls else rows[:2]


def _tail(systems: int, level: float) -> float:
    """Return the tail beyond each end of a difference, for all pairs (Bonferroni)."""
    return (1.0 - level) / (systems * (systems - 1))


def _unlike_scales(tables: Sequence[AlignedValues], intervals: Calibrated) -> list[str]:
    """A warning if tasks that are averaged have values on scales that differ widely."""
    ranges = {data.task: range_of(data, intervals.bounds) for data in tables}
    widths = [high - low for low, high in ranges.values()]
    if max(widths) <= _ALIKE * min(widths):
        return []
    each = ", ".join(f"{task} {low:g} to {high:g}" for task, (low, high) in ranges.items())
    return [
        Caution(
            f"Tasks have different scales ({each}) and are averaged as they are; weight the "
            "tasks, or rank them separately."
        )
    ]


def _left_out(tables: Sequence[AlignedValues], names: Sequence[str]) -> list[str]:
    """Remarks on systems that are not ranked."""
    lack = [f"Left out, because they lack some tasks: {', '.join(names)}."] if names else []
    return [*lack, *_remarks_on_unranked(tables)]


def _bracketed_parts(
    tables: Sequence[AlignedValues],
    systems: Sequence[str],
    parts: Sequence[RankedPart],
    scoring: RankScoring,
    intervals: Calibrated,
    level: float,
) -> Sequence[RankedPart]:
    """Parts with every system in the worst and then in the best case, if there are both."""
    found = []
    for data, part in zip(tables, parts, strict=True):
        if not isinstance(data, BracketedValues):
            return parts
        rows, stacked = [data.systems.index(name) for name in systems], data.stacked()
        best = [stacked.systems[len(data.systems) + at] for at in rows]
        both = [*systems, *best]
        found.append(scoring.part_of(stacked, both, part.weight, replace(intervals, level=level)))
    return found


def _tasks_of_several_systems(
    tables: Sequence[AlignedValues], remarks: list[str]
) -> list[AlignedValues]:
    """Tasks in which at least two systems have a score, and a remark on every other."""
    kept = []
    refusals = Refusals()
    for data in tables:
        if len(data.systems) > 1:
            kept.append(data)
            continue
        for name, error in data.refused.items():
            refusals.add(Subject(name, data.task), data.metric, error)
        remarks += [
            f"{data.task}: left out of the average; of {names}: {reason}."
            for reason, names in _reasons(data).items()
        ]
    if not kept:
        refusals.require_none(done="ranked")
    return kept


def _tasks_with_questions(
    tables: Sequence[AlignedValues], systems: Sequence[str], remarks: list[str]
) -> list[AlignedValues]:
    """Tasks in which all systems share a question, and a remark on every other."""
    kept = [data for data in tables if _common_questions(data, systems).any()]
    if not kept:
        where = f" of {tables[0].task!r}" if tables[0].task else ""
        raise InputError(
            f"no question{where} is common to all systems; check that ids agree, or name systems "
            f"that share questions."
        )
    remarks += [
        f"{data.task}: left out of the average (no question is common to all systems)."
        for data in tables
        if data not in kept
    ]
    return kept


def _common_questions(data: AlignedValues, systems: Sequence[str]) -> NDArray[np.bool_]:
    """Mask of the questions that all of these systems have."""
    return np.logical_and.reduce([data.present(data.systems.index(name)) for name in systems])


def _reasons(data: AlignedValues) -> dict[str, str]:
    """Reasons why systems have no score, each with the systems it applies to."""
    why: dict[str, list[str]] = {}
    for name, error in data.refused.items():
        why.setdefault(reason_of(error, data.metric), []).append(name)
    return {reason: some_of(names) for reason, names in why.items()}


def _remarks_on_unranked(tables: Sequence[AlignedValues]) -> list[str]:
    """Remarks on systems without a score in a task, with the reason."""
    return [
        f"Not ranked: {names}{f' (in {data.task})' if data.task else ''}: {reason}."
        for data in tables
        for reason, names in _reasons(data).items()
    ]


def _weights(
    tasks: Sequence[str], kept: Sequence[str], weights: Mapping[str, float] | None
) -> dict[str, float]:
    """Weights of the remaining tasks; they sum to 1."""
    if weights is None:
        return {task: 1.0 / len(kept) for task in kept}
    unknown = [task for task in weights if task not in tasks]
    if unknown:
        raise InputError(f"there is no task {unknown[0]!r} to weight; there are: {list(tasks)}.")
    known = {
        task: number(weight, f"the weight of task {task!r}", 0.0, math.inf)
        for task, weight in weights.items()
    }
    total = sum(known.get(task, 0.0) for task in kept)
    if not total:
        raise InputError("all weights of tasks are 0; give one that is not.")
    return {task: known.get(task, 0.0) / total for task in kept}


def _systems_in_all_tasks(tables: Sequence[AlignedValues]) -> tuple[tuple[str, ...], list[str]]:
    """Systems with a score in every task, and those that lack a task."""
    known = dict.fromkeys(name for data in tables for name in data.everyone)
    kept = tuple(name for name in known if all(name in data.systems for data in tables))
    left = [name for name in known if any(name not in data.everyone for data in tables)]
    if len(kept) < 2:
        lacking = [name for name in known if name not in kept]
        why = " ".join(_remarks_on_unranked(tables))
        raise InputError(
            "systems are ranked on the tasks that all of them have; these lack some: "
            f"{some_of(lacking)}. Rank one task at a time, or name systems that have all "
            f"tasks.{f' {why}' if why else ''}"
        )
    return kept, left


def _significant_order(vary: JointScores, number: int, level: float) -> Array:
    """1 where the row is significantly higher than the column, −1 where lower, else 0.

    All pairs hold simultaneously (Bonferroni), so that a verdict is that of `compare` on all pairs.
    If the scores of the `number` systems are followed by those in the best case, a system is higher
    if its worst case is higher than the best case of the other.
    """
    best = vary.means.size - number
    tail = _tail(number, level)
    order = np.zeros((number, number))
    for high in range(number):
        for low in range(number):
            other = low + best
            if vary.means[high] > vary.means[other] and vary.low_end(high, other, tail) > 0.0:
                order[high, low], order[low, high] = 1.0, -1.0
    return order


def _standings(
    systems: Sequence[str],
    parts_at: Callable[[float], Sequence[RankedPart]],
    ahead: Array,
    drawn: DrawnRanks,
    up: float,
    request: RankRequest,
) -> list[Standing]:
    parts, level = parts_at(request.intervals.level), request.intervals.level
    whole = np.sum([part.weight * part.means for part in parts], axis=0)
    values, best = whole[: len(systems)], whole.size - len(systems)

    def summary(at: int, own: float) -> Summary:
        return combine_independent([(part.weight, part.summaries()[at]) for part in parts_at(own)])

    order = sorted(range(len(systems)), key=lambda at: (-up * values[at], systems[at]))
    ranks = ranks_of(up * values)
    estimand = request.intervals.estimand
    letters = letters_of([[ahead[i, j] != 0 for j in order] for i in order])
    rows = []
    for place, at in enumerate(order):
        worst, other = summary(at, level), summary(at + best, level)
        sd = max(worst.sd, other.sd)
        own = level_of_ends(other.mean - worst.mean, sd, level)
        rows.append(
            Standing(
                system=systems[at],
                value=float(values[at]),
                sd=sd,
                interval=Interval(
                    summary(at, own).low, summary(at + best, own).high, level, estimand
                ),
                rank=int(ranks[at]),
                best_rank=1 + int((ahead[at] < 0).sum()),
                worst_rank=len(systems) - int((ahead[at] > 0).sum()),
                expected_rank=float(drawn.expected[at]),
                chance_best=float(drawn.best[at]),
                groups=letters[place],
            )
        )
    return rows
