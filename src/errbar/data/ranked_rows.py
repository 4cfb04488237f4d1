"""Rows with a confidence, fetched one by one: what ranking asks for as long as they fit."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.outcomes import Columns
from errbar.data.rankable import SURE, TOGETHER, Rankable
from errbar.data.rows import Frame, Table, fetch, names_of, text_of, trial_of

MOST_RANKED_ROWS = 20_000_000  # 2 GB of rows
_QUESTION, _TRIAL = "errbar question", "errbar trial"
_ROW = (SURE, "outcome", TOGETHER)


class RankedRows(NamedTuple):
    """Rows of one system and task."""

    confidence: NDArray[Any]
    outcome: NDArray[Any]  # nan where there is no answer, or no result of one
    cluster: NDArray[Any]

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which rows have an answer with a result."""
        return ~np.isnan(self.outcome)


class RankedItems(NamedTuple):
    """The same, with what each row is of."""

    rows: RankedRows
    question: list[str]
    trial: list[str | float | None]  # None where nothing tells trials apart


def ranked_rows(found: Rankable) -> dict[tuple[str, ...], RankedRows]:
    """Confidence, result and cluster of every row, by system and task."""
    table = fetch(found.rows.select("system", "task", *_ROW))
    return {key: _rows(table, some) for key, some in _by_key(table)}


def ids_of(frame: Frame, columns: Columns) -> dict[str, nw.Expr]:
    """What tells the rows of a system and task apart."""
    ids = {_QUESTION: names_of(frame, columns, ())["question"]}
    if "trial" in columns:
        number = trial_of(frame, columns)
        ids[_TRIAL] = (
            text_of(frame, columns["trial"]) if number is None else number.cast(nw.Float64)
        )
    return ids


def ranked_items(found: Rankable) -> dict[tuple[str, ...], RankedItems]:
    """The same rows, with what `ids_of` says of them."""
    numbered = [_TRIAL] if _TRIAL in found.rows.collect_schema() else []
    table = fetch(found.rows.select("system", "task", *_ROW, _QUESTION, *numbered))
    items = {}
    for key, some in _by_key(table):
        trials = table[_TRIAL][some].tolist() if numbered else [None] * some.size
        items[key] = RankedItems(
            _rows(table, some),
            table[_QUESTION][some].tolist(),
            [None if one != one else one for one in trials],  # noqa: PLR0124  NaN is no trial
        )
    return items


def _by_key(table: Table) -> Iterator[tuple[tuple[str, ...], NDArray[np.intp]]]:
    """Each system and task, and where its rows are."""
    order = np.lexsort((table["task"].astype(str), table["system"].astype(str)))
    keys = list(zip(table["system"][order].tolist(), table["task"][order].tolist(), strict=True))
    starts = [at for at in range(len(keys)) if at == 0 or keys[at] != keys[at - 1]]
    for start, end in zip(starts, [*starts[1:], len(keys)], strict=True):
        yield keys[start], order[start:end]


def _rows(table: Table, some: NDArray[np.intp]) -> RankedRows:
    return RankedRows(*(table[name][some] for name in _ROW))
