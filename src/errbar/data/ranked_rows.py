"""Rows with a confidence, which ranking needs one by one."""

from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.outcomes import Columns
from errbar.data.tabulate import (
    Frame,
    canonical,
    column_of,
    fetch,
    number_of,
    one_if,
    require_numbers,
)
from errbar.errors import InputError, UnknownColumn

MOST_RANKED_ROWS = 20_000_000  # 2 GB of rows; ranking needs all of them at once
_SURE, _TOGETHER = "errbar confidence", "errbar cluster"


class RankedRows(NamedTuple):
    """Rows of one system and task."""

    confidence: NDArray[Any]
    outcome: NDArray[Any]
    answered: NDArray[Any]
    cluster: NDArray[Any]
    status: NDArray[Any]


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
    kinds = frame.collect_schema()
    together = columns["cluster"] if "cluster" in columns else columns["question"]
    rows, _ = canonical(
        frame.with_columns(
            **{
                _SURE: number_of(
                    frame, columns["confidence"], kinds[columns["confidence"]], "confidence"
                ),
                _TOGETHER: column_of(frame, together).cast(nw.String),
            }
        ),
        columns,
        (),
        (_SURE, _TOGETHER),
    )
    if "status" in columns:
        rows = rows.with_columns(
            scored=nw.col("scored") * one_if(nw.col("status").fill_null("ok") != "abstained")
        )
    else:
        rows = rows.with_columns(status=nw.lit("ok"))
    most = int(fetch(rows.select(nw.len().alias("n")))["n"][0])
    if most > MOST_RANKED_ROWS:
        raise InputError(
            f"{most:,} rows are more than the {MOST_RANKED_ROWS:,} that are ranked at once; take "
            f"one system or task at a time."
        )
    table = fetch(rows.select("system", "task", _TOGETHER, _SURE, "outcome", "scored", "status"))
    order = np.lexsort((table["task"].astype(str), table["system"].astype(str)))
    keys = list(zip(table["system"][order].tolist(), table["task"][order].tolist(), strict=True))
    starts = [at for at in range(len(keys)) if at == 0 or keys[at] != keys[at - 1]]
    return {
        keys[start]: RankedRows(
            *(
                table[name][order[start:end]]
                for name in (_SURE, "outcome", "scored", _TOGETHER, "status")
            )
        )
        for start, end in zip(starts, [*starts[1:], len(keys)], strict=True)
    }
