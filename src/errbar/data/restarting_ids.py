"""Ids that begin anew in every part of a benchmark: question 1 of law and question 1 of maths.

Rows with the same id are trials of one question, unless a column that names a part (a subject, a
split, a language) tells them apart completely. Then a question is called by its part and its id.
Questions that are told apart by their language are versions of one another, and form a cluster.
"""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from errbar.data.column_names import PARTS, SCORERS, VERSIONS, named_like
from errbar.data.engine import quoted
from errbar.data.outcomes import ROW, USUAL, Columns
from errbar.data.rows import HIDDEN
from errbar.errors import InputError
from errbar.remarks import Above, warning, way_to_say


def part_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Columns that may name a part of a benchmark, and mean nothing else."""
    free = [name for name in names if name not in {*columns.named.values(), *HIDDEN}]
    return named_like(free, PARTS | VERSIONS)


def with_parts(rows: Any, columns: Columns) -> tuple[Any, Columns, list[Above]]:
    """Questions by their part and their id, where ids are told apart by parts completely."""
    parts = part_columns(rows.columns, columns)
    if not parts or columns["question"] == ROW:
        return rows, columns, []
    keys = [quoted(columns[one]) for one in ("system", "task", "question") if one in columns]
    whole = [*keys, *([quoted(columns["trial"])] if "trial" in columns else [])]
    tried = [[part] for part in parts] + ([parts] if len(parts) > 1 else [])
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
    texts = [f"coalesce(CAST({quoted(one)} AS VARCHAR), '')" for one in chosen]
    name = f"concat_ws('/', {', '.join(texts)}, CAST({question} AS VARCHAR))"
    said = _remark(rows, columns, chosen)
    if "cluster" in columns or not named_like(chosen, VERSIONS):
        return rows.project(f"* REPLACE ({name} AS {question})"), columns, [said]
    cluster = f"{columns['question']} in all versions"
    rows = rows.project(
        f"* REPLACE ({name} AS {question}), CAST({question} AS VARCHAR) AS {quoted(cluster)}"
    )
    named = {**columns.named, "cluster": cluster}
    ordered = MappingProxyType({one: named[one] for one in USUAL if one in named})
    return rows, replace(columns, named=ordered), [said]


def refuse_scorers_in_rows(rows: Any, columns: Columns) -> None:
    """Refuse rows of several scorers of one question, which are no trials of it."""
    free = [name for name in rows.columns if name not in {*columns.named.values(), *HIDDEN}]
    names = named_like(free, SCORERS)
    if not names or columns["question"] == ROW or "trial" in columns:
        return
    keys = [quoted(columns[one]) for one in ("system", "task", "question") if one in columns]
    for name in names:
        counts = [_distinct(keys), _distinct([*keys, quoted(name)])]
        number, ids, apart = rows.aggregate(", ".join(["count(*)", *counts])).fetchall()[0]
        if ids < number == apart:
            found = rows.project(f"CAST({quoted(name)} AS VARCHAR) AS name").distinct().limit(6)
            listed = ", ".join(sorted(str(value) for (value,) in found.fetchall()))
            keep = way_to_say("--rows trials", "rows='trials'")
            raise InputError(
                f"every question has a row for each {name!r} ({listed}): these are several scores "
                f"of one answer, and their mean is none. Keep the rows of one of them; if they are "
                f"trials, say {keep}."
            )


def _distinct(names: Sequence[str]) -> str:
    return f"count(DISTINCT ({', '.join(f'{name}::VARCHAR' for name in names)},))"


def _remark(rows: Any, columns: Columns, chosen: Sequence[str]) -> Above:
    """Which columns are part of the id, and the mean under either reading."""
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    by_id = rows.aggregate(f"avg({outcome}) AS mean", quoted(columns["question"]))
    trials = by_id.aggregate("avg(mean)").fetchall()[0][0]
    questions = rows.aggregate(f"avg({outcome})").fetchall()[0][0]
    names = " and ".join(map(repr, chosen))
    means = "" if None in (trials, questions) else f" (mean of all rows {questions:.4g})"
    others = "" if None in (trials, questions) else f" (mean of all ids {trials:.4g})"
    task = way_to_say(f"--map task={chosen[0]}", f"task={chosen[0]!r}")
    same = way_to_say("--rows trials", "rows='trials'")
    return warning(
        f"the same ids occur under several values of {names}, and never twice under one: a "
        f"question is called by {names} and its id{means}. {same} takes rows with the same id as "
        f"trials of one question{others}; {task} gives every {chosen[0]} a score of its own."
    )
