"""Monitoring of a run in progress by confidence sequences, which are valid at every look.

Each question is a bet (`kernels.betting`). It is placed when all trials of the question are
complete, in the order of the log, so that repeated trials of a question do not count as further
questions. The results depend on the log alone, not on when or how often it was looked at.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from errbar.analysis.alignment import align
from errbar.analysis.readings import remarks_on, who_was_never_scored
from errbar.analysis.score import Errors, slices_by_subject
from errbar.base.arguments import (
    number,
    require_choice,
    require_scale,
    require_whole,
    strict_share,
    texts,
)
from errbar.base.arrays import Array, Bounds, Integers
from errbar.base.remarks import setting, way_to_say
from errbar.data.columns import unknown_name
from errbar.data.queries.row_order import CompletedQuestions, OrderedRows, completed_questions
from errbar.data.sources.tables import Source
from errbar.errors import InputError, NotThere
from errbar.kernels.betting import log_wealth, low_ends
from errbar.results.monitoring import Claims, Looks, Monitoring, Watch


def monitor_source(
    source: Source,
    systems: Sequence[str],
    claims: Claims,
    *,
    trials: int,
    bounds: Bounds,
    errors: Errors,
    order: str | None,
) -> Monitoring:
    """Watch the systems of a source, with remarks on its rows."""
    require_choice(errors, "errors", ("fail", "missing"))
    slices = source.slices(())
    if not any(part.was_scored for part in slices):
        raise InputError("no row has a score, so there is nothing to monitor.")
    return watch_systems(
        source.trials_in_order(order),
        systems,
        claims,
        trials=trials,
        bounds=bounds,
        errors=errors,
        remarks=[
            *who_was_never_scored(slices_by_subject(slices)),
            *remarks_on(source, slices, errors),
        ],
        unscored=[part.key for part in slices if not part.was_scored],
    )


def watch_systems(
    turns: OrderedRows,
    systems: Sequence[str],
    claims: Claims,
    *,
    trials: int,
    bounds: Bounds,
    errors: str,
    remarks: Sequence[str] = (),
    unscored: Sequence[tuple[str, ...]] = (),
) -> Monitoring:
    """Watch every system, one of them, or the difference of two, on every task.

    `unscored` are systems and tasks of which no row was scored.
    """
    within = _require_bounds(bounds)
    require_whole(trials, "trials", 1, most=10**12)
    _require_systems(systems, sorted(set(turns.system.tolist())))
    pair = len(systems) == 2
    if pair and claims.above is None and claims.below is None:
        claims = replace(claims, above=0.0, below=0.0)
    span = (within[0] - within[1], within[1] - within[0]) if pair else within
    _require_claims(claims, span)
    outcome = np.where(np.isnan(turns.outcome), 0.0 if errors == "fail" else np.nan, turns.outcome)
    if turns.graded is not None:
        outcome[~turns.graded] = np.nan
    for key in unscored:
        outcome[(turns.system == key[0]) & (turns.task == key[1])] = np.nan
    turns = turns._replace(outcome=outcome)
    _require_within(turns, systems, within)
    keys = sorted(set(zip(turns.system.tolist(), turns.task.tolist(), strict=True)))
    watched = [(system, task) for system, task in keys if not systems or system in systems]
    completed = {key: completed_questions(turns, _rows(turns, *key), trials) for key in watched}
    if pair:
        nothing = completed_questions(turns, np.zeros(0, dtype=np.int64), trials)
        completed = {
            (systems[0], task): _difference(
                *(completed.get((name, task), nothing) for name in systems)
            )
            for task in sorted({task for _, task in watched})
        }
    against = systems[1] if pair else ""
    return Monitoring(
        tuple(
            _watch(questions, (system, against, task), claims, span, trials)
            for (system, task), questions in completed.items()
        ),
        tuple(remarks),
    )


def _difference(first: CompletedQuestions, second: CompletedQuestions) -> CompletedQuestions:
    """First minus second, on the questions that are complete in both."""
    shared = align([first.questions.tolist(), second.questions.tolist()]).shared()
    first_rows, second_rows = first.some(shared[0]), second.some(shared[1])
    rows, known = np.maximum(first_rows.rows, second_rows.rows), first.known | second.known
    both = first_rows._replace(
        values=first_rows.values - second_rows.values,
        rows=rows,
        pending=len(known) - rows.size,
        unused=first.unused + second.unused,
        known=known,
    )
    return both.some(np.argsort(rows, kind="stable"))


def looks_at(values: Array, claims: Claims, bounds: Bounds) -> Looks:
    """The confidence sequence and the evidence after each value; values lie within the bounds."""
    least, most = bounds
    span, log_needed = most - least, math.log(claims.needed)
    up = np.clip((values - least) / span, 0.0, 1.0)
    low: Array = np.full(values.size, least)
    high: Array = np.full(values.size, most)
    log_above: Array = np.zeros(values.size)
    log_below: Array = np.zeros(values.size)
    if claims.above is not None:
        low = least + span * low_ends(up, log_needed)
        log_above = log_wealth(up, (claims.above - least) / span)
    if claims.below is not None:
        high = most - span * low_ends(1.0 - up, log_needed)
        log_below = log_wealth(1.0 - up, (most - claims.below) / span)
    mean = np.cumsum(values) / np.arange(1, values.size + 1)
    return Looks(mean, low, high, log_above, log_below)


def _watch(
    complete: CompletedQuestions,
    names: tuple[str, str, str],
    claims: Claims,
    bounds: Bounds,
    trials: int,
) -> Watch:
    system, against, task = names
    bets = complete.one_of_each_cluster()
    return Watch(
        system=system,
        against=against,
        task=task,
        questions=tuple(bets.questions.tolist()),
        outcomes=bets.values,
        looks=looks_at(bets.values, claims, bounds),
        pending=complete.pending,
        unused_trials=complete.unused,
        dependent=complete.questions.size - bets.questions.size,
        claims=claims,
        bounds=bounds,
        trials=trials,
    )


def _rows(turns: OrderedRows, system: str, task: str) -> Integers:
    """Indices of the rows of a system and task that have a result."""
    chosen = (turns.system == system) & (turns.task == task) & ~np.isnan(turns.outcome)
    return np.flatnonzero(chosen)


def _require_claims(claims: Claims, bounds: Bounds) -> None:
    """Refuse claims that are missing, or that the bounds of the outcomes rule out."""
    strict_share(claims.level, "level")
    if claims.above is None and claims.below is None:
        raise InputError(
            f"say when to stop: {way_to_say('--above or --below', 'above=0.8 or below=0.8')} "
            f"tests the mean of every system, {way_to_say('--better A B', 'two systems')} which "
            "of two is better."
        )
    least, most = bounds
    for name, than, never in (("above", claims.above, most), ("below", claims.below, least)):
        if than is not None and number(than, name, least, most) == never:
            raise InputError(
                f"{name}={than:g} can never be claimed: outcomes lie between {least:g} and "
                f"{most:g}. Give a number between them, or other bounds."
            )


def _require_bounds(bounds: Bounds) -> Bounds:
    least, most = (number(bound, "bounds", -math.inf, math.inf) for bound in bounds)
    if not least < most:
        raise InputError(f"bounds must be two numbers, the lower one first; got {bounds!r}.")
    require_scale(max(abs(least), abs(most)), "bounds")
    return least, most


def _require_systems(systems: Sequence[str], known: Sequence[str]) -> None:
    systems = texts(systems, "systems")
    if len(systems) > 2:
        raise InputError(f"at most two systems can be monitored together; got {len(systems)}.")
    if len(systems) > len(set(systems)):
        raise InputError(f"{systems[0]!r} is compared with itself; name two systems.")
    unknown = next((name for name in systems if name not in known), None)
    if unknown is not None:
        raise NotThere(unknown_name(unknown, list(known), "there is no system"))


def _require_within(turns: OrderedRows, systems: Sequence[str], bounds: Bounds) -> None:
    """Refuse outcomes outside the bounds."""
    least, most = bounds
    outside = (turns.outcome < least) | (turns.outcome > most)
    if systems:
        outside &= np.isin(turns.system.astype(str), list(systems))
    if outside.any():
        at = int(outside.argmax())
        raise InputError(
            f"outcomes must lie between {least:g} and {most:g}; {int(outside.sum())} of "
            f"{outside.size} rows do not, such as {turns.outcome[at]:g} of question "
            f"{turns.question[at]!r:.60}. Give the smallest and the largest possible outcome, as "
            f"in {way_to_say('--bounds 0 5', 'bounds=(0, 5)')}; rows without a result count as 0 "
            f"unless {setting('errors', 'missing')}."
        )
