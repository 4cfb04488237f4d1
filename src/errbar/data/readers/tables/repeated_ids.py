"""Repeated ids: parts of a benchmark, retries after errors, or attempts until a success."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from errbar.base.remarks import (
    Above,
    guess,
    mapping,
    mean_in_brackets,
    setting,
    warning,
    way_to_say,
)
from errbar.data.columns import (
    PARTS,
    REFERENCES,
    ROW,
    SCORERS,
    USUAL,
    VERSIONS,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import ALL_ROWS, distinct_rows, numbers_in, quoted, text_of
from errbar.data.queries.expressions import FILE, HIDDEN, Columns
from errbar.data.readers.tables.id_check import TEXTS
from errbar.errors import InputError


def part_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Columns that may name a part of a benchmark and have no other meaning."""
    free = [name for name in names if name not in {*columns.named.values(), *HIDDEN}]
    return named_like(free, PARTS | VERSIONS)


def _references(rows: Any, columns: Columns) -> list[str]:
    """Columns with the reference answer, if questions are identified by their text."""
    if plain_name(columns["question"]) not in TEXTS or "question" not in columns.guessed:
        return []
    names = [name for name in rows.columns if name == columns.named.get("target")]
    free = [name for name in rows.columns if name not in {*columns.named.values(), *HIDDEN}]
    return [*names, *named_like(free, REFERENCES)]


def with_parts(rows: Any, columns: Columns) -> tuple[Any, Columns, list[Above]]:
    """Prefix question ids with the part, if that makes every id unique.

    A text with several reference answers, as of several images, is that of several questions.
    """
    parts, references = part_columns(rows.columns, columns), _references(rows, columns)
    if columns["question"] == ROW or not (parts or references):
        return rows, columns, []
    keys = [
        quoted(columns[meaning]) for meaning in ("system", "task", "question") if meaning in columns
    ]
    whole = [*keys, *([quoted(columns["trial"])] if "trial" in columns else [])]
    tried = [[part] for part in [*parts, *references]] + ([parts] if len(parts) > 1 else [])
    counts = [_distinct([*whole, *map(quoted, some)]) for some in tried]
    number, ids, *found = rows.aggregate(
        ", ".join(["count(*)", _distinct(whole), *counts])
    ).fetchall()[0]
    if ids == number:
        return rows, columns, []
    chosen = next((some for some, n in zip(tried, found, strict=True) if n == number), None)
    if chosen is None:
        return rows, columns, []
    question = quoted(columns["question"])
    texts = list(map(text_of, chosen))
    name = f"concat_ws('/', {', '.join(texts)}, CAST({question} AS VARCHAR))"
    remark = _remark(rows, columns, chosen)
    if "cluster" in columns or not named_like(chosen, VERSIONS):
        return rows.project(f"* REPLACE ({name} AS {question})"), columns, [remark]
    cluster = f"{columns['question']} in all versions"
    rows = rows.project(
        f"* REPLACE ({name} AS {question}), CAST({question} AS VARCHAR) AS {quoted(cluster)}"
    )
    return rows, columns.with_meaning("cluster", cluster), [remark]


def refuse_scorers_in_rows(rows: Any, columns: Columns) -> None:
    """Raise an error if the rows of a question are from several scorers and thus not trials."""
    free = [name for name in rows.columns if name not in {*columns.named.values(), *HIDDEN}]
    names = named_like(free, SCORERS)
    if not names or columns["question"] == ROW:
        return
    keys = [quoted(columns[meaning]) for meaning in _KEYS if meaning in columns]
    keys += [quoted(FILE)] if FILE in rows.columns else []
    for name in names:
        counts = [_distinct(keys), _distinct([*keys, quoted(name)])]
        number, ids, apart = rows.aggregate(", ".join(["count(*)", *counts])).fetchall()[0]
        if ids < number == apart and not _goes_with_part(rows, columns, name, keys):
            found = rows.project(f"CAST({quoted(name)} AS VARCHAR) AS name").distinct().limit(6)
            called = sorted(str(value) for (value,) in found.fetchall())
            if any(value.lstrip().startswith(("{", "[")) for value in called):
                continue  # objects with the measurements of a row name no scorer
            listed = ", ".join(called)
            keep, each = setting("rows", "trials"), mapping("task", name)
            what, used = "question", f"if they are trials, use {keep}"
            if "trial" in columns:
                what, used = "trial", f"{setting('repeats', 'keep')} reads all rows as trials"
            if "system" not in columns:
                used = f"if they are compared, use {mapping('system', name)}; {used}"
            raise InputError(
                f"every {what} has a row for each {name!r} ({listed}): these are several scores "
                f"of one answer, and their mean is not a score. {each} scores them separately; "
                f"{used}."
            )


def _goes_with_part(rows: Any, columns: Columns, scorer: str, keys: Sequence[str]) -> bool:
    """Whether each part of a question has its own scorer, as each turn of a conversation may."""
    for part in map(quoted, part_columns(rows.columns, columns)):
        counts = ([*keys, part], [part], [part, quoted(scorer)])
        number, apart, parts, pairs = rows.aggregate(
            ", ".join(["count(*)", *map(_distinct, counts)])
        ).fetchall()[0]
        if apart == number and pairs == parts:
            return True
    return False


def _distinct(names: Sequence[str]) -> str:
    return f"count(DISTINCT row({', '.join(f'{name}::VARCHAR' for name in names)}))"


def _remark(rows: Any, columns: Columns, chosen: Sequence[str]) -> Above:
    """Remark that names the columns used as part of the id, with the mean under either reading."""
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    by_id = rows.aggregate(f"avg({outcome}) AS mean", quoted(columns["question"]))
    trials = by_id.aggregate("avg(mean)").fetchall()[0][0]
    questions = rows.aggregate(f"avg({outcome})").fetchall()[0][0]
    names = " and ".join(map(repr, chosen))
    means, others = mean_in_brackets("rows", questions), mean_in_brackets("ids", trials)
    task = mapping("task", chosen[0])
    same = setting("rows", "trials")
    return warning(
        f"The same ids occur under several values of {names}, and never twice under one: a "
        f"question is identified by {names} and its id{means}. {same} reads rows with the same id "
        f"as trials of one question{others}; {task} scores every {chosen[0]} separately."
    )


_PLACE = "errbar place"
_KEYS = ("system", "task", "question", "trial")


def last_rows(rows: Any, columns: Columns, apart: Sequence[str]) -> tuple[Any, list[Above]]:
    """Keep the last row of every trial, or of every question if there are no trials.

    Rows that differ in a column of `apart` are not repeated attempts.
    """
    names = [*(columns[name] for name in _KEYS if name in columns.named), *apart]
    keys = ", ".join(map(quoted, names))
    ranked = (
        f"SELECT *, row_number() OVER (PARTITION BY {keys} ORDER BY {quoted(_PLACE)} DESC) "
        f"AS errbar_back FROM (SELECT *, row_number() OVER () AS {quoted(_PLACE)} FROM rows)"
    )
    without = f"EXCLUDE ({quoted(_PLACE)}, errbar_back)"
    order = f"ORDER BY {quoted(_PLACE)}"
    last = rows.query("rows", f"SELECT * {without} FROM ({ranked}) WHERE errbar_back = 1 {order}")
    before = f"SELECT count(*) FROM ({ranked}) WHERE errbar_back > 1"
    ((lost,),) = rows.query("rows", before).fetchall()
    remark = guess(
        f"{lost} rows left out: a later row of the same id counts",
        option="--repeats keep",
        argument="repeats='keep'",
    )
    return last, [remark]


def retried_remark(rows: Any, columns: Columns) -> list[Above]:
    """Remark with both readings if failed rows are followed by a scored row of the same id.

    Ids that are scored more than once have trials, of which some may have failed.
    """
    if "outcome" not in columns.named:
        return []
    order = "row_number() OVER ()"
    if "trial" in columns.named:
        order = f"coalesce(TRY_CAST({quoted(columns['trial'])} AS DOUBLE), {order})"
    keys = [
        quoted(columns[name]) for name in ("system", "task", "question") if name in columns.named
    ]
    named = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys))
    outcome = f"try_cast({quoted(columns['outcome'])} AS DOUBLE)"
    number, scored = rows.totals(ALL_ROWS, numbers_in(columns["outcome"]))
    if number == scored:
        return []
    ((retried, most_scored, as_trials, as_last),) = rows.query(
        "rows",
        f"SELECT count(*) FILTER (WHERE lost < scored), max(often), avg(mean), avg(latest) FROM ("
        f"SELECT count(value) AS often, min(CASE WHEN value IS NULL THEN n END) AS lost, "
        f"max(CASE WHEN value IS NOT NULL THEN n END) AS scored, "
        f"avg(coalesce(value, 0)) AS mean, arg_max(coalesce(value, 0), n) AS latest "
        f"FROM (SELECT {named}, {outcome} AS value, {order} AS n FROM rows) "
        f"GROUP BY {', '.join(f'k{at}' for at in range(len(keys)))})",
    ).fetchall()
    if not retried or most_scored > 1:
        return []
    last = setting("repeats", "last")
    if "trial" in columns.named:
        last = f"{last} with {way_to_say('--map trial=', 'trial=None')}"
    return [
        warning(
            f"{retried} ids have a row without an outcome and a scored row after it, as if they "
            f"had been run again. All rows are read as trials, with failures as wrong; if only "
            f"the last row of an id counts, use {last}. The mean over all ids is {as_trials:.4g} "
            f"as trials, {as_last:.4g} by the last rows."
        )
    ]


def number_of_questions(columns: Columns) -> str:
    """SQL: the number of questions of all systems."""
    return distinct_rows(
        [columns[name] for name in ("system", "task", "question") if name in columns]
    )


def single_trials(rows: Any, columns: Columns) -> list[Above]:
    """Warning if every question has one trial, and yet trials have several numbers.

    Ids such as q1-seed0 contain the number of the trial, and make each trial a question.
    """
    if "trial" not in columns or columns["question"] == ROW:
        return []
    keys = [text_of(columns[name]) for name in ("system", "task") if name in columns]
    trial = text_of(columns["trial"])
    number, ids = rows.totals(ALL_ROWS, number_of_questions(columns))
    if number != ids:
        return []
    by_trial = rows.aggregate(f"{trial} AS trial, count(*) AS n", ", ".join([*keys, trial]))
    least, most, values, pairs = by_trial.aggregate(
        "min(n), max(n), count(DISTINCT trial), count(*)"
    ).fetchall()[0]
    groups = len(rows.project(", ".join(keys)).distinct().fetchall()) if keys else 1
    if values < 2 or least < most or most < _LEAST or pairs == groups:  # a run of each system
        return []
    name = columns["trial"]
    return [
        warning(
            f"Every question has one trial, though {name!r} has {values} values with {most} rows "
            f"each: if {columns['question']!r} contains the number of the trial, as q1-0 and q1-1 "
            f"do, trials of one question are read as questions, and intervals are too narrow. Map "
            f"a column with the same id for all trials: {mapping('question')}."
        )
    ]


def numbered_rows(rows: Any, columns: Columns) -> str:
    """SQL: the number of rows whose trial is a number without a sign or a point."""
    trial = columns["trial"]
    if "INT" in rows.schema[trial]:
        return f"count(*) FILTER ({quoted(trial)} >= 0)"
    return f"count(*) FILTER (regexp_full_match({text_of(trial)}, '[0-9]+'))"


def broken_off(rows: Any, columns: Columns) -> list[Above]:
    """Warning if a run with a name has only some of the questions that another run has.

    Numbered trials may be fewer for some questions on purpose, and are not looked at.
    """
    if "trial" not in columns or columns["question"] == ROW:
        return []
    keys = [text_of(columns[name]) for name in ("system", "task") if name in columns]
    trial, question = text_of(columns["trial"]), text_of(columns["question"])
    if rows.totals(numbered_rows(rows, columns))[0]:
        return []
    outcome = f"avg(CAST({quoted(columns['outcome'])} AS DOUBLE))"
    selected = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys)) + ", " * bool(keys)
    each = rows.aggregate(
        f"{selected}{trial} AS run, count(DISTINCT {question}) AS n, {outcome} AS mean",
        ", ".join([*keys, trial]),
    )
    runs = each.order("run").limit(_MOST_RUNS).fetchall()
    if len(runs) == _MOST_RUNS or any(str(run[-3]).strip().isdecimal() for run in runs):
        return []
    most = {run[:-3]: max(r[-2] for r in runs if r[:-3] == run[:-3]) for run in runs}
    short = [run for run in runs if run[-2] < most[run[:-3]]]
    if not short:
        return []
    first = short[0]
    alike = [run for run in runs if run[:-3] == first[:-3]]
    shown = ", ".join(
        f"{run[-3]} {'-' if run[-1] is None else format(run[-1], '.4g')} of {run[-2]}"
        for run in alike[:_SHOWN_RUNS]
    )
    return [
        warning(
            f"{first[-3]!r} of {columns['trial']!r} has {first[-2]} of {most[first[:-3]]} questions"
            f", as if it had been broken off, and counts as trials (means of questions: {shown}). "
            f"Delete its rows if it does not count."
        )
    ]


_MOST_RUNS, _SHOWN_RUNS = 1000, 4
_LEAST = 2  # questions with failures followed by a success


def attempts(columns: Columns) -> tuple[str, ...]:
    """SQL: the numbers of all rows, of those with a numbered trial, with names, 0 or 1, and 1."""
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    names = [columns[name] for name in ("system", "task", "question") if name in columns]
    named = " AND ".join(f"{text_of(name)} <> ''" for name in names)
    conditions = (named, f"{outcome} IN (0, 1)", f"{outcome} = 1")
    counts = [f"count(*) FILTER ({condition})" for condition in conditions]
    return ALL_ROWS, numbers_in(columns["trial"]), *counts


def stopped_at_success(rows: Any, columns: Columns) -> list[Above]:
    """Remark if attempts were repeated until one succeeded."""
    if "trial" not in columns or columns["question"] == ROW:
        return []
    keys = [
        quoted(columns[meaning]) for meaning in ("system", "task", "question") if meaning in columns
    ]
    trial, outcome = quoted(columns["trial"]), f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    number = f"TRY_CAST({trial} AS DOUBLE)"
    questions, *found = rows.totals(number_of_questions(columns), *attempts(columns))
    all_rows, numbered, named, right_or_wrong, right = found
    if numbered < all_rows or right_or_wrong < all_rows:
        return []
    if named == all_rows and right > questions:  # so that a success follows another
        return []
    each = rows.aggregate(
        f"count(*) AS n, count({number}) AS numbered, min({outcome}) AS least, "
        f"max({outcome}) AS most, sum({outcome}) AS total, avg({outcome}) AS mean, "
        f"arg_min({outcome}, {number}) AS first, arg_max({outcome}, {number}) AS last, "
        f"count(*) FILTER ({outcome} IS NULL OR {outcome} NOT IN (0, 1)) AS strange",
        ", ".join(keys),
    )
    after, strange, unnumbered, late, fewest, most, questions, first, last, mean, every = (
        each.aggregate(
            "count(*) FILTER (total > 1 OR (total = 1 AND last = 0)), sum(strange), "
            "count(*) FILTER (numbered < n), count(*) FILTER (n > 1 AND last = 1), "
            "min(n), max(n), count(*), avg(first), avg(last), avg(mean), sum(total) / sum(n)"
        ).fetchall()[0]
    )
    if after or strange or unnumbered or late < _LEAST or fewest == most:
        return []
    name = columns["trial"]
    return [
        warning(
            f"No {name!r} follows a success, and questions have {fewest} to {most} of them: "
            f"attempts were repeated until one succeeded, so their mean does not estimate the "
            f"success rate of an attempt. Of "
            f"{questions} questions, the first attempt scores {first:.4g}, the last {last:.4g}, "
            f"all attempts {every:.4g}; the score here is the mean of each question's attempts, "
            f"{mean:.4g}. Keep only the rows of the first or the last attempt for a meaningful "
            f"score."
        )
    ]


def rows_as_questions(rows: Any, columns: Columns) -> tuple[Any, Columns]:
    """Make every row a question, named by its id and the index of the row within that id."""
    question, cluster = quoted(columns["question"]), f"{columns['question']} as given"
    keys = [quoted(columns[meaning]) for meaning in ("system", "task") if meaning in columns]
    at, number = quoted("errbar place"), quoted("errbar number")
    rows = rows.project(f"*, row_number() OVER () AS {at}")
    within = f"PARTITION BY {', '.join([*keys, question])} ORDER BY {at}"
    rows = rows.project(f"* EXCLUDE ({at}), row_number() OVER ({within}) AS {number}")
    row_name = f"CAST({question} AS VARCHAR) || ' #' || {number}"
    rows = rows.project(
        f"* EXCLUDE ({number}) REPLACE ({row_name} AS {question}), "
        f"CAST({question} AS VARCHAR) AS {quoted(cluster)}"
    )
    named = {name: column for name, column in columns.named.items() if name != "trial"}
    if "cluster" not in named:
        named["cluster"] = cluster
    ordered = {meaning: named[meaning] for meaning in USUAL if meaning in named}
    return rows, replace(columns, named=MappingProxyType(ordered))
