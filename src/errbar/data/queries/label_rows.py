"""Rows of answers to be labelled, and of labels that are known, as a file of labels has them.

`same_answers` finds which results of a judge and which labels are of the same answer.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import is_missing
from errbar.data.columns import Key, require_column
from errbar.data.queries.expressions import (
    Columns,
    Frame,
    column_lists,
    column_of,
    name_text,
    names_of,
    result_of,
)

_Id = tuple[str, str]  # a system and a question
_SHOWN = ("trial", "answer", "target")  # what says which answer is to be labelled


def answer_rows(frame: Frame, columns: Columns) -> list[dict[str, Any]]:
    """Every answer without its outcome."""
    shown = {name: column_of(frame, columns[name]) for name in _SHOWN if name in columns}
    return _rows(frame, columns, shown)


def label_rows(frame: Frame, columns: Columns) -> list[dict[str, Any]]:
    """Every answer that has a label."""
    shown = {"label": result_of(frame, columns)}
    if "trial" in columns:
        shown["trial"] = column_of(frame, columns["trial"])
    return [row for row in _rows(frame, columns, shown) if not is_missing(row["label"])]


class GradedTrial(NamedTuple):
    """The result of a trial, nan without one; `name` is "" if trials are told apart by order."""

    name: str | None  # None if nothing tells trials of a question apart
    result: float


TrialsByQuestion = dict[Key, dict[str, list[GradedTrial]]]  # by question


def trials_by_question(frame: Frame, columns: Columns) -> TrialsByQuestion:
    """The trials of each question of each system and task, in stored order."""
    chosen = names_of(frame, columns, ()) | {"result": result_of(frame, columns).cast(nw.Float64)}
    if "trial" in columns:
        chosen["trial"] = column_of(frame, columns["trial"])
    rows = column_lists(frame.select(**chosen))
    size = len(rows["result"])
    unnamed = None if frame.implementation.is_spark_like() else ""
    systems, tasks = (rows.get(part, [""] * size) for part in ("system", "task"))
    trials = rows.get("trial", [None] * size)
    found: TrialsByQuestion = {}
    for system, task, question, trial, result in zip(
        systems, tasks, rows["question"], trials, rows["result"], strict=True
    ):
        own = found.setdefault((name_text(system, ""), name_text(task, "")), {})
        name = unnamed if is_missing(trial) else str(trial)
        number = math.nan if result is None else float(result)
        own.setdefault(name_text(question, ""), []).append(GradedTrial(name, number))
    return found


def same_answers(
    judged: Sequence[GradedTrial], labels: Sequence[GradedTrial], *, one_table: bool
) -> Iterator[tuple[float, float]] | None:
    """The judge's result and the label of every answer to a question; None if unknown.

    Trials are the same if they have the same name, or, in one table, the same place. A single
    result and a single label are of one answer.

    Examples
    --------
    >>> judged = [GradedTrial("1", 1), GradedTrial("2", 0)]
    >>> list(same_answers(judged, [GradedTrial("2", 1)], one_table=False))
    [(0, 1)]
    >>> same_answers(judged, [GradedTrial("", 1)], one_table=False)
    """
    graded, known = ([t for t in side if not math.isnan(t.result)] for side in (judged, labels))
    if len(graded) == len(known) == 1:
        return iter([(graded[0].result, known[0].result)])
    by_name = [{t.name: t.result for t in side if t.name} for side in (graded, known)]
    if all(len(names) == len(side) for names, side in zip(by_name, (graded, known), strict=True)):
        there, here = by_name
        return ((there[name], label) for name, label in here.items() if name in there)
    in_order = all(t.name is not None for t in (*judged, *labels))
    if not one_table or not in_order or len(judged) != len(labels):
        return None
    both = zip(judged, labels, strict=True)
    return (
        (mine.result, its.result)
        for mine, its in both
        if not math.isnan(mine.result) and not math.isnan(its.result)
    )


def _rows(frame: Frame, columns: Columns, shown: dict[str, nw.Expr]) -> list[dict[str, Any]]:
    lists = column_lists(frame.select(**names_of(frame, columns, ()), **shown))
    rows = [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]
    return sorted(rows, key=lambda row: tuple(str(row.get(name)) for name in _ORDER))


_ORDER = ("task", "question", "system", "trial")


def column_by_question(
    frame: Frame,
    columns: Columns,
    name: str,
    systems: Sequence[str],
    task: str,
    questions: Sequence[str],
) -> NDArray[Any]:
    """A column by system and question: the mean of numbers, or the first of words."""
    require_column(name, frame.collect_schema().names())
    keys = names_of(frame, columns, ())
    rows = column_lists(frame.select(**keys, **{"errbar by": column_of(frame, name)}))
    size = len(rows["errbar by"])
    own, tasks = (rows.get(part) or [""] * size for part in ("system", "task"))
    values: dict[_Id, list[Any]] = {}
    for system, where, question, cell in zip(
        own, tasks, rows["question"], rows["errbar by"], strict=True
    ):
        if (where or "") == task and not is_missing(cell):
            values.setdefault((system or "", str(question)), []).append(cell)
    values, numeric = _as_numbers(values)
    shape = len(systems), len(questions)
    out: NDArray[Any] = np.full(shape, np.nan) if numeric else np.full(shape, "", dtype=object)
    for row, system in enumerate(systems):
        for at, question in enumerate(questions):
            if cells := values.get((system, question)):
                out[row, at] = float(np.mean(cells)) if numeric else str(cells[0])
    return out


def _as_numbers(found: dict[_Id, list[Any]]) -> tuple[dict[_Id, list[Any]], bool]:
    """The cells as numbers if all of them are, also where a file has them as text."""
    try:
        return {key: [float(cell) for cell in cells] for key, cells in found.items()}, True
    except (TypeError, ValueError):
        return found, False
