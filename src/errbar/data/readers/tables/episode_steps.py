"""Rows that are the steps of an episode: only the outcome of the last one counts, or none.

A column such as `step` numbers such rows anew in every episode, without gaps. Rows of a question at
several checkpoints of a training are numbered too, but all questions have as many of them. So rows
are steps if their number differs between episodes, if no outcome before the last step is other than
0, or if the success of an episode is repeated at every step.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

from errbar.base.remarks import Above, all_names, mapping, setting, warning
from errbar.data.columns import ROW, are_whole_numbers, named_like, plain_name
from errbar.data.engines.duckdb import quoted, text_of
from errbar.data.queries.expressions import Columns
from errbar.data.readers.tables.competing_outcomes import free_columns
from errbar.data.readers.tables.id_check import ROW_NUMBERS
from errbar.errors import NoOutcomes

BEFORE_THE_LAST = "steps before the last one of an episode"
_STEPS = frozenset(
    map(
        plain_name,
        (
            *("step", "step_num", "step_number", "step_idx", "step_index", "step_id", "step_no"),
            *("timestep", "time_step", "action_idx", "action_index", "action_number"),
        ),
    )
)
_EPISODES = frozenset(
    map(
        plain_name,
        (
            *("episode", "episode_id", "episode_idx", "trajectory", "trajectory_id", "traj_id"),
            *("traj", "rollout", "rollout_id", "session", "session_id", "trace_id", "game_id"),
        ),
    )
)
_REWARD = re.compile("reward|return", re.IGNORECASE)  # is summed over the steps of an episode
_MOST_COLUMNS = 16  # columns that are tried as episodes


class _Steps(NamedTuple):
    """A column that numbers the rows of episodes."""

    step: str
    keys: list[str]  # columns that identify an episode
    by: str  # those of them that vary within a system and a task, in words
    beside: str | None  # one of them that has no meaning yet
    role: str  # what it is: the question, or the trial
    episodes: int
    lost: int  # rows before the last step of an episode
    are_ragged: bool
    are_sparse: bool  # no outcome before the last step is other than 0
    are_alike: bool  # all steps of an episode have the same outcome, which is no reward


def last_steps(
    rows: Any, columns: Columns, assignment: Mapping[str, str | None]
) -> tuple[Any, Columns, tuple[tuple[str, Any], ...], list[Above]]:
    """Keep the last step of each episode; raise an error if the outcomes of others matter."""
    found = _steps_in(rows, columns, assignment)
    if found is None or not (found.are_ragged or found.are_sparse or found.are_alike):
        return rows, columns, (), []
    if not (found.are_sparse or found.are_alike):
        _refuse_scored_steps(found, columns["outcome"])
    keys = ", ".join(map(quoted, found.keys))
    last = f"max(CAST({quoted(found.step)} AS DOUBLE)) OVER (PARTITION BY {keys})"
    marked = f"SELECT *, {last} AS errbar_last FROM rows"
    step = f"CAST({quoted(found.step)} AS DOUBLE)"
    kept, lost = (
        rows.query("rows", f"SELECT * EXCLUDE (errbar_last) FROM ({marked}) WHERE {where}")
        for where in (f"{step} = errbar_last", f"{step} < errbar_last")
    )
    why = "no outcome before the last step is other than 0"
    why = why if found.are_sparse else "all steps of an episode have the same outcome"
    remark = warning(
        f"The rows are the steps of {found.episodes} episodes, numbered by {found.step!r} within "
        f"{found.by}, and {why}: the last step counts ({found.lost} rows left out). "
        f"{setting('rows', 'trials')} counts every row."
    )
    if found.beside is not None:
        columns = columns.with_meaning(found.role, found.beside)
    return kept, columns, ((BEFORE_THE_LAST, lost),), [remark]


def _steps_in(rows: Any, columns: Columns, assignment: Mapping[str, str | None]) -> _Steps | None:
    """The column that numbers the steps of episodes, if there is one."""
    free = [name for name in free_columns(rows.columns, columns) if name not in columns.also]
    others = named_like(free, _EPISODES)
    others = [*others, *(name for name in free if name not in others)][:_MOST_COLUMNS]
    question = columns["question"]
    are_numbered = question not in assignment.values() and plain_name(question) in ROW_NUMBERS
    outer = [columns[meaning] for meaning in ("system", "task") if meaning in columns]
    inner = [columns[meaning] for meaning in ("question", "trial") if meaning in columns]
    head = rows.head()
    for step in named_like(free, _STEPS):
        if step in assignment.values() or not are_whole_numbers(head.get(step, [])):
            continue
        tries: list[tuple[list[str], str | None, str]] = []
        if question != ROW:
            tries += [(inner, None, "")]
            tries += [([*inner, name], name, "trial") for name in others if len(inner) == 1]
        if question == ROW or are_numbered:
            tries += [([name], name, "question") for name in others]
        for within, beside, role in tries:
            if step in within:
                continue
            counts = _numbered_within(rows, columns["outcome"], step, [*outer, *within])
            if counts is not None:
                by = all_names([*map(repr, within)])
                return _Steps(step, [*outer, *within], by, beside, role, *counts)
    return None


def _numbered_within(
    rows: Any, outcome: str, step: str, keys: list[str]
) -> tuple[int, int, bool, bool, bool] | None:
    """What there is of steps that number the rows of every group from 0 or 1, without gaps."""
    number = f"try_cast({quoted(step)} AS DOUBLE)"
    value = f"coalesce(try_cast({quoted(outcome)} AS DOUBLE), 0)"
    groups = rows.aggregate(
        f"count(*) AS n, count(DISTINCT {number}) AS steps, min({number}) AS low, "
        f"max({number}) AS high, count(*) FILTER ({value} <> 0) AS scored, "
        f"arg_max({value}, {number}) <> 0 AS ends_scored, max({value}) > min({value}) AS varies",
        ", ".join(map(text_of, keys)),
    )
    episodes, wrong, least, most, lost, early, varied = groups.aggregate(
        "count(*), count(*) FILTER (n <> steps OR low NOT IN (0, 1) OR high - low + 1 <> n), "
        "min(n), max(n), sum(n - 1), count(*) FILTER (scored > CAST(ends_scored AS INTEGER)), "
        "count(*) FILTER (varies)"
    ).fetchall()[0]
    if wrong or episodes < 2 or most < 2:
        return None
    are_alike = not varied and not _REWARD.search(outcome)
    return episodes, int(lost), least < most, not early, are_alike


def _refuse_scored_steps(found: _Steps, outcome: str) -> NoReturn:
    raise NoOutcomes(
        f"the rows are the steps of {found.episodes} episodes, numbered by {found.step!r} within "
        f"{found.by}, and {outcome!r} is not 0 before the last step, so it is not the outcome "
        f"of an episode. Load a row of each episode, with the sum of its rewards or its success; "
        f"{setting('rows', 'trials')} counts every row, and {mapping('system', found.step)} scores "
        f"every step by itself."
    )
