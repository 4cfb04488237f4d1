"""Distinct results of the questions, and rows by their status: each by one GROUP BY."""

from collections.abc import Sequence
from typing import NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Integers
from errbar.data.columns import require_statuses
from errbar.data.queries.expressions import (
    Columns,
    Frame,
    column_of,
    fetch,
    graded_rows,
    keys_in,
    names_of,
    result_of,
)
from errbar.data.queries.properties import clusters_of, weights_of


class Results(NamedTuple):
    """Distinct results of a slice, and how often each question has them."""

    values: list[float]
    counts: Integers  # a row per question, a column per value
    failed: Integers  # rows of each question without a result
    clusters: Integers | None = None  # cluster number of each question
    questions: tuple[str, ...] = ()  # question ids, if there are any
    weights: NDArray[np.float64] | None = None  # weight of each question


def categories(
    frame: Frame, columns: Columns, by: Sequence[str] = ()
) -> dict[tuple[str, ...], Results]:
    """Distinct results of each slice, and how often each question has them."""
    names = names_of(frame, columns, by)
    rows = graded_rows(frame, columns).select(
        **names, outcome=result_of(frame, columns).cast(nw.Float64)
    )
    table = fetch(rows.group_by(*names, "outcome").agg(nw.len().alias("n")))
    outcomes = table["outcome"].astype(float) + 0.0  # -0 is 0
    values, place = np.unique(outcomes[~np.isnan(outcomes)], return_inverse=True)
    at = np.full(len(outcomes), len(values))  # the last column is for rows without a result
    at[~np.isnan(outcomes)] = place
    found: dict[tuple[str, ...], dict[str, Integers]] = {}
    for key, question, column, n in zip(
        keys_in(table, by),
        *(part.tolist() for part in (table["question"], at, table["n"])),
        strict=True,
    ):
        nothing = np.zeros(len(values) + 1, dtype=np.int64)
        found.setdefault(key, {}).setdefault(question, nothing)[column] += n
    together, weights = clusters_of(frame, columns, by), weights_of(frame, columns, by)
    results = {}
    for key, questions in sorted(found.items()):
        ordered = sorted(questions)
        tally = np.stack([questions[question] for question in ordered])
        clusters = np.array([together[key][question] for question in ordered]) if together else None
        weighed = np.array([weights[key][question] for question in ordered]) if weights else None
        results[key] = Results(
            values.tolist(), tally[:, :-1], tally[:, -1], clusters, tuple(ordered), weighed
        )
    return results


def statuses(frame: Frame, columns: Columns) -> dict[str, int]:
    """Number of rows per status."""
    if "status" not in columns:
        return {}
    rows = frame.select(status=column_of(frame, columns["status"]).cast(nw.String))
    table = fetch(rows.group_by("status").agg(nw.len().alias("n")))
    found = {
        str(status): int(n)
        for status, n in zip(table["status"].tolist(), table["n"].tolist(), strict=True)
        if isinstance(status, str)
    }
    require_statuses(found)
    return dict(sorted(found.items()))
