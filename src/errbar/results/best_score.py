"""The first line above a table of scores: which system has the best one, without a claim that the
difference is significant."""

import math
from collections import Counter
from collections.abc import Sequence

from errbar.base.remarks import all_names, way_to_say
from errbar.base.tables import Headline, Tone, score_text
from errbar.metrics.base import Direction
from errbar.results.estimate import BaseEstimate, Estimate

_NAMED = 3  # systems that are named if they share the best score


def point_of(row: BaseEstimate) -> float:
    """The observed value, or the mean if the trials do not determine the value."""
    return row.mean if isinstance(row, Estimate) and math.isnan(row.value) else row.value


def best_of_systems(rows: Sequence[BaseEstimate]) -> Headline:
    """Which system has the best score, or which ones share it; by task if there are several."""
    by_task: dict[str, list[BaseEstimate]] = {}
    for row in rows:
        by_task.setdefault(row.task, []).append(row)
    leaders = [_leaders(some) for some in by_task.values() if len(some) > 1]
    if not leaders:
        return Headline("No task has scores of two systems", ".", Tone.DIM)
    metric = leaders[0][0].metric
    best = f"the {'highest' if metric.direction is Direction.HIGHER else 'lowest'} {metric}"
    if len(leaders) > 1:
        return _over_tasks(leaders, best)
    (tied,) = leaders
    value = score_text(point_of(tied[0]), tied[0].sd)
    if len(tied) > 1:
        return Headline(f"{_names([row.system for row in tied])} share {best}", f" ({value}).")
    return Headline(f"{tied[0].system} has {best}", f" ({value}); {_way_to_compare('it')}")


def _leaders(rows: Sequence[BaseEstimate]) -> list[BaseEstimate]:
    """The rows with the best score; equal scores may differ in the last bits."""
    best_of = max if rows[0].metric.direction is Direction.HIGHER else min
    best = best_of(map(point_of, rows))
    return [row for row in rows if math.isclose(point_of(row), best, rel_tol=1e-9, abs_tol=1e-12)]


def _over_tasks(leaders: Sequence[Sequence[BaseEstimate]], best: str) -> Headline:
    """Which system leads on most tasks, alone or with others; several if they lead on as many."""
    often = Counter(row.system for some in leaders for row in some)
    wins = max(often.values())
    first = [system for system, number in often.items() if number == wins]
    tied = sum(len(some) > 1 and any(row.system in first for row in some) for some in leaders)
    claim = f"{_names(first)} {'has' if len(first) == 1 else 'each have'} {best} on "
    claim += f"{wins} of {len(leaders)} tasks{f' ({tied} tied)' if tied else ''}"
    return Headline(claim, f"; {_way_to_compare('it' if len(first) == 1 else 'one')}")


def _names(systems: Sequence[str]) -> str:
    return all_names(systems) if len(systems) <= _NAMED else f"{len(systems)} systems"


def _way_to_compare(which: str) -> str:
    return f"{way_to_say('errbar compare', '.compare()')} tells whether {which} is better."


def best_both_ways(rows: Sequence[Estimate]) -> Headline | None:
    """The verdict where failed trials count both as wrong and as right."""
    wrong, right = ([row for row in rows if row.of.failed == way] for way in ("wrong", "right"))
    if len({row.system for row in rows}) > 1:
        worst, best = best_of_systems(wrong), best_of_systems(right)
        if list(map(point_of, wrong)) == list(map(point_of, right)):
            return worst
        claim = f"{best.claim}, whether all failed trials are wrong or all are right"
        if worst.claim != best.claim:
            claim = f"If all failed trials are wrong, {worst.claim}; if all are right, {best.claim}"
        return Headline(claim, ".")
    if len(rows) > 2:
        return None
    low, high = (score_text(point_of(row), row.sd) for row in (*wrong, *right))
    claim = f"{rows[0].system or 'The system'} scores {low} to {high} {rows[0].metric} ("
    claim += f"{wrong[0].interval.title} {wrong[0].bracket_text})"
    return Headline("", f"{claim}, as failed trials are wrong or right.")
