"""Rows with a confidence, which ranking needs one by one."""

from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.outcomes import Columns
from errbar.data.rows import (
    Frame,
    column_of,
    fetch,
    names_of,
    number_of,
    require_numbers,
    result_of,
    status_of,
)
from errbar.data.tabulate import statuses
from errbar.errors import InputError, UnknownColumn

MOST_RANKED_ROWS = 20_000_000  # 2 GB of rows; ranking needs all of them at once


class RankedRows(NamedTuple):
    """Rows of one system and task."""

    confidence: NDArray[Any]
    outcome: NDArray[Any]  # nan where there is no answer, or no result of one
    cluster: NDArray[Any]

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which rows have an answer with a result."""
        return ~np.isnan(self.outcome)


def ranked_rows(frame: Frame, columns: Columns) -> dict[tuple[str, ...], RankedRows]:
    """Confidence, result and cluster of every row, by system and task.

    A row has an answer if it has a result and its status is not `abstained`. Rows of one question
    belong together unless a column says what does.
    """
    if "confidence" not in columns:
        raise UnknownColumn(
            "no column of the data looks like confidence; say which it is, as in "
            "load(data, confidence='...') or --map confidence=..."
        )
    require_numbers(frame, columns["outcome"])
    statuses(frame, columns)
    kinds = frame.collect_schema()
    names = names_of(frame, columns, ())
    together = columns["cluster"] if "cluster" in columns else columns["question"]
    sure = number_of(frame, columns["confidence"], kinds[columns["confidence"]], "confidence")
    result = result_of(frame, columns).cast(nw.Float64)
    if "status" in columns:
        result = nw.when(status_of(frame, columns) != "abstained").then(result)
    rows = frame.select(
        system=names["system"].fill_null("") if "system" in names else nw.lit(""),
        task=names["task"].fill_null("") if "task" in names else nw.lit(""),
        confidence=sure,
        outcome=result,
        cluster=column_of(frame, together).cast(nw.String),
    )
    most = int(fetch(rows.select(nw.len().alias("n")))["n"][0])
    if most > MOST_RANKED_ROWS:
        raise InputError(
            f"{most:,} rows are more than the {MOST_RANKED_ROWS:,} that are ranked at once; take "
            f"one system or task at a time."
        )
    table = fetch(rows)
    order = np.lexsort((table["task"].astype(str), table["system"].astype(str)))
    keys = list(zip(table["system"][order].tolist(), table["task"][order].tolist(), strict=True))
    starts = [at for at in range(len(keys)) if at == 0 or keys[at] != keys[at - 1]]
    return {
        keys[start]: RankedRows(
            *(table[name][order[start:end]] for name in ("confidence", "outcome", "cluster"))
        )
        for start, end in zip(starts, [*starts[1:], len(keys)], strict=True)
    }
