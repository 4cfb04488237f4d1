"""Experimental conditions in the rows, such as method, temperature or prompt, are not trials.

Rows of the same system and question may be repeats, as trials are, or differ because something was
varied on purpose. A column was varied on purpose if questions have rows for most of its values. Its
name decides what it is:

| name | becomes |
|---|---|
| `SETTINGS` and `CHECKPOINTS`: method, prompt, temperature, shots, agent, step … | the system |
| `TRIAL_NUMBERS`: run, iteration … | the trial |
| parts and languages (`repeated_ids`) | the question, or the task |
| scorers: judge, rater … (`repeated_ids`) | refused |
| any other with as many rows of each of its words (`_factors`) | the system, or the task if \
something else names the system |
| any other | trials, with a warning that names the column |
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from errbar.base.remarks import Above, guess, mapping, setting, warning
from errbar.data.columns import (
    ANSWERS,
    CHECKPOINTS,
    PARTS,
    REFERENCES,
    RESPONSES,
    ROW,
    SCORERS,
    SETTINGS,
    TRIAL_NUMBERS,
    USUAL,
    VERSIONS,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import ALL_ROWS, distinct_rows, quoted, text_of
from errbar.data.queries.expressions import TRIAL_NUMBER, Columns
from errbar.data.readers.tables.competing_outcomes import are_names, free_columns
from errbar.data.readers.tables.id_names import is_prose
from errbar.data.readers.tables.system_names import (
    SHOWN,
    are_levels,
    listed,
    mean_of_all,
    values_of,
    with_settings_in_names,
)
from errbar.data.readers.tables.wide_names import is_event

_NO_CONDITIONS = ANSWERS | RESPONSES | REFERENCES
_TRIALS = TRIAL_NUMBERS | frozenset(map(plain_name, ("trial", *USUAL["trial"])))
# Words in the names of columns that tell repeats of a run apart: its number, when, where, by whom,
# how long it took, what went wrong.
_OF_REPEATS = re.compile(
    r"runs?|trials?|seeds?|reps?|repeats?|repetition|replicate|iter|iteration|attempt|samples?|try"
    r"|epoch|rollout|draw|round|generation|completion|date|day|time|timestamp|datetime|week|month"
    r"|session|host|hostname|worker|node|machine|gpu|device|shard|thread|process|pid|user|uuid"
    r"|hash|id|idx|index|no|num|number|nr|runtime|latency|duration|elapsed|seconds|ms|tokens?|cost|usd"
    r"|errors?|exception|traceback|stderr|message|msg|reason|notes?|comments?|explanation"
)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_CROSSED = 0.9  # share of the cells of questions and values that have the usual number of rows
_MOST_COLUMNS = 64  # most columns checked
_MOST_VALUES = 20  # most values of a column with an unknown name
_MOST_VALUES_OF_ROWS = 10  # most values of a setting, if there are no question ids
_MOST_WARNINGS = 3


class VariedColumn(NamedTuple):
    """A column, its number of values, and the mean number of values per question."""

    name: str
    values: int
    each: float


def purposeful_columns(rows: Any, columns: Columns) -> list[str]:
    """Columns whose names imply that rows with the same id differ on purpose."""
    names = SETTINGS | CHECKPOINTS | PARTS | VERSIONS | SCORERS
    return named_like(free_columns(rows.columns, columns), names)


def with_conditions(
    rows: Any, columns: Columns, assignment: Collection[str], varied: Sequence[VariedColumn]
) -> tuple[Any, Columns, list[Above]]:
    """Add conditions to the system names, and trial numbers to the trials.

    Systems and trials mapped by the user (`assignment`) are left unchanged.
    """
    settings, factors = [], []
    if columns["question"] == ROW:
        settings = _settings_of_rows(rows, columns, condition_candidates(rows, columns))
    else:
        settings = _settings(rows, columns, varied)
        factors = _factors(rows, columns, varied, settings)
    remarks: list[Above] = []
    if "system" not in {*columns.named, *assignment}:
        settings, factors = [*settings, *factors], []
    if settings and "system" not in assignment:
        rows, columns, remark = with_settings_in_names(rows, columns, settings)
        remarks.append(remark)
    if factors and "task" not in assignment:
        rows, columns, remark = _as_tasks(rows, columns, factors)
        remarks.append(remark)
    if "trial" not in columns and "trial" not in assignment and columns["question"] != ROW:
        columns = _with_trial(rows, columns)
    elif "trial" in columns and "trial" not in assignment and columns["question"] != ROW:
        rows, columns, joined = _with_joint_trial(rows, columns)
        remarks += joined
    return rows, columns, remarks


def pooled_conditions(rows: Any, columns: Columns, varied: Sequence[VariedColumn]) -> list[Above]:
    """Warnings on other columns that vary within a question."""
    keys, remarks = _keys(columns), []
    for column in varied:
        known = plain_name(column.name) in SETTINGS | CHECKPOINTS | PARTS | VERSIONS | SCORERS
        if column.values > _MOST_VALUES or plain_name(column.name) in _TRIALS:
            continue
        if not known and ("trial" in columns or column.each != column.values):
            continue
        each = rows.aggregate("count(*) AS n", ", ".join(map(text_of, [*keys, column.name])))
        least, most = each.aggregate("min(n), max(n)").fetchall()[0]
        unequal = least != most and "trial" in columns and plain_name(column.name) in PARTS
        if unequal and _describes_outcome(rows, columns, column.name):
            continue
        if least == most or known:
            remarks.append(_pooling_remark(rows, columns, column.name))
    return remarks[:_MOST_WARNINGS] or _unpaired_settings(rows, columns)


def _describes_outcome(rows: Any, columns: Columns, name: str) -> bool:
    """Whether the outcome follows from a column, as from the kind of a failure."""
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    each = rows.aggregate(f"min({outcome}) AS least, max({outcome}) AS most", text_of(name))
    unlike, outcomes = each.aggregate(
        "count(*) FILTER (least < most), count(DISTINCT least)"
    ).fetchall()[0]
    return bool(not unlike and outcomes > 1)


def condition_candidates(rows: Any, columns: Columns) -> list[str]:
    """Columns that may be conditions: not answers or other outcomes."""
    free = free_columns(rows.columns, columns)
    no_conditions = _NO_CONDITIONS - ({"label"} if not named_like(free, ANSWERS) else set())
    return [
        name for name in free if plain_name(name) not in no_conditions and name not in columns.also
    ][:_MOST_COLUMNS]


def _keys(columns: Columns, *more: str) -> list[str]:
    """Key columns of a question, or of one of its trials."""
    return [
        columns[meaning] for meaning in ("system", "task", "question", *more) if meaning in columns
    ]


def varied_columns(rows: Any, columns: Columns) -> list[VariedColumn]:
    """Columns of which questions have, on average, over half of the values beyond the first."""
    free = condition_candidates(rows, columns)
    if columns["question"] == ROW or not free:
        return []
    keys = _keys(columns)
    number, ids = rows.totals(ALL_ROWS, distinct_rows(keys))
    if number == ids:
        return []
    values = dict(zip(free, rows.totals(*(distinct_rows([name]) for name in free)), strict=True))
    most = number / ids  # no question has more values, on average, than it has rows
    free = [name for name in free if 2 * (most - 1) > values[name] - 1 > 0]
    if not free:
        return []
    counts = [f"count(DISTINCT {text_of(name)}) AS v{at}" for at, name in enumerate(free)]
    each = rows.aggregate(", ".join(counts), ", ".join(map(text_of, keys)))
    means = each.aggregate(", ".join(f"avg(v{at})" for at in range(len(free)))).fetchall()[0]
    found = [VariedColumn(name, values[name], mean) for name, mean in zip(free, means, strict=True)]
    return [column for column in found if 2 * (column.each - 1) > column.values - 1]


def _settings(rows: Any, columns: Columns, varied: Sequence[VariedColumn]) -> list[str]:
    """Settings among the varied columns, without those determined by others."""
    names = [column.name for column in varied if _is_setting(rows, column)]
    complete = [column.name for column in varied if column.each == column.values]
    names += named_like(complete, CHECKPOINTS)
    names += [] if names else _names_with_own_trials(rows, columns, complete)
    return _independent(rows, columns, names)


def _independent(
    rows: Any, columns: Columns, names: Sequence[str], given: Sequence[str] = ()
) -> list[str]:
    """Columns whose values do not follow from the question, those `given`, and those before."""
    chosen: list[str] = []
    for name in names:
        keys = [*_keys(columns), *given, *chosen]
        before, after = rows.totals(distinct_rows(keys), distinct_rows([*keys, name]))
        if after > before:
            chosen.append(name)
    return chosen


def _factors(
    rows: Any, columns: Columns, varied: Sequence[VariedColumn], settings: Sequence[str]
) -> list[str]:
    """Columns with unknown names of which every question has the same words, equally often.

    Such a design is made on purpose: its words are levels of a factor, and no repeats. Columns that
    describe a response vary, too, but do not have as many rows of each word in every question.
    """
    known = SETTINGS | CHECKPOINTS | PARTS | VERSIONS | SCORERS | _TRIALS
    names = [
        column.name
        for column in varied
        if column.values <= _MOST_VALUES
        and plain_name(column.name) not in known
        and column.name not in settings
        and not is_event(column.name)
        and not any(_OF_REPEATS.fullmatch(word.lower()) for word in WORD.findall(column.name))
        and are_levels(values_of(rows, column.name, _MOST_VALUES))
        and _is_crossed(rows, columns, column)
    ]
    return _independent(rows, columns, names, settings)


def _is_crossed(rows: Any, columns: Columns, column: VariedColumn) -> bool:
    """Whether nearly every question has the usual number of rows for every value."""
    keys = _keys(columns)
    value = f"{text_of(column.name)} AS value, count(*) AS n"
    cells = rows.aggregate(value, ", ".join(map(text_of, [*keys, column.name])))
    often = cells.aggregate("value, count(*) AS cells", "value, n")
    usual = often.aggregate("max(cells) AS cells", "value").aggregate("sum(cells)").fetchall()[0][0]
    (questions,) = rows.totals(distinct_rows(keys))
    return bool(questions > 1 and usual >= _CROSSED * questions * column.values)


def _is_setting(rows: Any, column: VariedColumn) -> bool:
    """Whether a varied column is a setting, such as a k of 1, 3 and 5 that numbers no trials."""
    if plain_name(column.name) != "k":
        return plain_name(column.name) in SETTINGS
    values = values_of(rows, column.name)
    if not all(map(str.isdecimal, values)):
        return False
    numbers = sorted(map(int, values))
    return numbers != list(range(numbers[0], numbers[0] + len(numbers)))


def _names_with_own_trials(rows: Any, columns: Columns, complete: Sequence[str]) -> list[str]:
    """The column of names within each of which a column of numbers counts the trials anew."""
    free = free_columns(rows.columns, columns)
    numbers = named_like(free, _TRIALS)
    others = [
        name for name in complete if plain_name(name) not in _TRIALS | PARTS | VERSIONS | SCORERS
    ]
    if not numbers or not others:
        return []
    keys = _keys(columns)
    number, *apart = rows.totals(ALL_ROWS, *(distinct_rows([*keys, name]) for name in numbers))
    for name in others if number not in apart else ():
        pairs = (distinct_rows([*keys, name, trial]) for trial in numbers)
        if number in rows.totals(*pairs) and are_names(values_of(rows, name)):
            return [name]
    return []


def _settings_of_rows(rows: Any, columns: Columns, free: Sequence[str]) -> list[str]:
    """Settings with the same number of rows per value, if there are no question ids."""
    chosen = []
    systems = [columns["system"]] if "system" in columns else []
    for name in named_like(free, SETTINGS | CHECKPOINTS):
        keys = ", ".join(map(text_of, [*systems, name]))
        values, groups, least, most = (
            rows.aggregate(f"{text_of(name)} AS value, count(*) AS n", keys)
            .aggregate("count(DISTINCT value), count(*), min(n), max(n)")
            .fetchall()[0]
        )
        before = rows.totals(distinct_rows(systems))[0] if systems else 1
        varies = 1 < values <= _MOST_VALUES_OF_ROWS and groups > before
        if varies and 1 < least == most:
            chosen.append(name)
    return chosen


def _unpaired_settings(rows: Any, columns: Columns) -> list[Above]:
    """Warning on a setting whose values have questions of their own, if nothing names systems."""
    names = named_like(free_columns(rows.columns, columns), SETTINGS)
    if "system" in columns or columns["question"] == ROW or not names:
        return []
    questions, *counts = rows.totals(
        distinct_rows(_keys(columns)),
        *(distinct_rows(some) for name in names for some in ([name], [*_keys(columns), name])),
    )
    for name, values, pairs in zip(names, counts[::2], counts[1::2], strict=True):
        if not 1 < values <= _MOST_VALUES_OF_ROWS or not pairs == questions >= 2 * values:
            continue
        if not is_prose(values_of(rows, name, _MOST_VALUES_OF_ROWS)):
            means = _means_of(rows, columns, name)
            return [
                warning(
                    f"{name!r} has {values} values, each with questions of its own (means: {means})"
                    f", and all rows are read as one system. If {name!r} is what is compared, use "
                    f"{mapping('system', name)}."
                )
            ]
    return []


def _as_tasks(rows: Any, columns: Columns, factors: Sequence[str]) -> tuple[Any, Columns, Above]:
    """Every combination of the words of some columns as a task, within the tasks that there are."""
    parts = [columns["task"]] if "task" in columns else []
    called = " and ".join([*parts, *factors])
    means = "; ".join(_means_of(rows, columns, name) for name in factors)
    together, pooled = mean_of_all(rows, columns), setting("rows", "trials")
    pooled += f" and {setting('repeats', 'keep')}" if "trial" in columns else ""
    remark = warning(
        f"Every question has as many rows for each value of {' and '.join(map(repr, factors))} "
        f"(means: {means}). They look like settings rather than repeats, so they are scored "
        f"separately, as tasks. {pooled} reads them as trials of one question{together}."
    )
    if called not in rows.columns:
        value = f"concat_ws('/', {', '.join(map(text_of, [*parts, *factors]))})"
        rows = rows.project(f"*, {value} AS {quoted(called)}")
    return rows, columns.with_meaning("task", called, factors), remark


def _with_trial(rows: Any, columns: Columns) -> Columns:
    """The trial, where a column numbers the rows of each question."""
    names = named_like(free_columns(rows.columns, columns), TRIAL_NUMBERS)
    if not names:
        return columns
    keys = _keys(columns)
    number, ids = rows.totals(ALL_ROWS, distinct_rows(keys))
    if number == ids:
        return columns
    for name in names:
        if rows.totals(distinct_rows([*keys, name]))[0] == number:
            guessed = columns.guessed | {"trial"}
            return replace(columns.with_meaning("trial", name), guessed=guessed)
    return columns


def _with_joint_trial(rows: Any, columns: Columns) -> tuple[Any, Columns, list[Above]]:
    """Number trials by two columns, such as seed and epoch, if one alone repeats."""
    names = named_like(free_columns(rows.columns, columns), _TRIALS)
    if not names:  # to count the trials of many questions takes most of the time of a load
        return rows, columns, []
    trial = columns["trial"]
    keys = _keys(columns, "trial")
    number, ids = rows.totals(ALL_ROWS, distinct_rows(keys))
    if number == ids:
        return rows, columns, []
    for name in names:
        if rows.totals(distinct_rows([*keys, name]))[0] == number:
            joint = f"{trial} and {name}"
            kept = f" EXCLUDE ({quoted(TRIAL_NUMBER)})" if TRIAL_NUMBER in rows.columns else ""
            value = f"concat_ws('/', {text_of(trial)}, {text_of(name)})"
            remark = guess(
                f"Trials: numbered by {trial!r} and {name!r} together",
                option="--map trial=COLUMN",
                argument="trial='COLUMN'",
            )
            rows = rows.project(f"*{kept}, {value} AS {quoted(joint)}")
            return rows, columns.with_meaning("trial", joint, [name]), [remark]
    return rows, columns, []


def _pooling_remark(rows: Any, columns: Columns, name: str) -> Above:
    """Warning that rows with different values of a column are trials of one system."""
    meaning = "task" if "system" in columns and "task" not in columns else "system"
    apart, sure = mapping(meaning, name), setting("rows", "trials")
    means = _means_of(rows, columns, name)
    return warning(
        f"Every question has rows for each {name!r} (means: {means}), and they are read "
        f"as trials of one system. If {name!r} is a condition, {apart} scores its values "
        f"separately; if they are trials, use {sure}."
    )


def _means_of(rows: Any, columns: Columns, name: str) -> str:
    """The mean of all rows with each value of a column."""
    mean = f"avg(CAST({quoted(columns['outcome'])} AS DOUBLE))"
    found = rows.aggregate(f"{text_of(name)} AS value, {mean} AS mean", text_of(name))
    return listed(
        [
            f"{value or 'none'} {'-' if score is None else format(score, '.4g')}"
            for value, score in found.order("value").limit(SHOWN + 1).fetchall()
        ]
    )
