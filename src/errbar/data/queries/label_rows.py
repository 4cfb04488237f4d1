"""Rows of answers to be labelled, and of labels that are known, as a file of labels has them."""

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import is_missing
from errbar.data.columns import require_column
from errbar.data.queries.expressions import (
    Columns,
    Frame,
    column_lists,
    column_of,
    names_of,
    result_of,
)

_Id = tuple[str, str]  # a system and a question
_SHOWN = ("trial", "answer", "target")  # what says which answer is to be labelled


def answer_rows(frame: Frame, columns: Columns) -> list[dict[str, Any]]:
    """Every answer, without its outcome."""
    shown = {name: column_of(frame, columns[name]) for name in _SHOWN if name in columns}
    return _rows(frame, columns, shown)


def label_rows(frame: Frame, columns: Columns) -> list[dict[str, Any]]:
    """Every answer that has a label."""
    shown = {"label": result_of(frame, columns)}
    if "trial" in columns:
        shown["trial"] = column_of(frame, columns["trial"])
    return [row for row in _rows(frame, columns, shown) if not is_missing(row["label"])]


def _rows(frame: Frame, columns: Columns, shown: dict[str, nw.Expr]) -> list[dict[str, Any]]:
    found = column_lists(frame.select(**names_of(frame, columns, ()), **shown))
    rows = [dict(zip(found, cells, strict=True)) for cells in zip(*found.values(), strict=True)]
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
    found: dict[_Id, list[Any]] = {}
    for system, where, question, cell in zip(
        own, tasks, rows["question"], rows["errbar by"], strict=True
    ):
        if (where or "") == task and not is_missing(cell):
            found.setdefault((system or "", str(question)), []).append(cell)
    found, numeric = _as_numbers(found)
    shape = len(systems), len(questions)
    out: NDArray[Any] = np.full(shape, np.nan) if numeric else np.full(shape, "", dtype=object)
    for row, system in enumerate(systems):
        for at, question in enumerate(questions):
            if cells := found.get((system, question)):
                out[row, at] = float(np.mean(cells)) if numeric else str(cells[0])
    return out


def _as_numbers(found: dict[_Id, list[Any]]) -> tuple[dict[_Id, list[Any]], bool]:
    """The cells as numbers if all of them are, also where a file has them as text."""
    try:
        return {key: [float(cell) for cell in cells] for key, cells in found.items()}, True
    except (TypeError, ValueError):
        return found, False
