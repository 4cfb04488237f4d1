"""Properties that all rows of a question share: its cluster and its weight.

A cluster holds the questions of one document, repository or participant. The GROUP BY that counts
the rows of a question also computes the minimum and the maximum of each property and the number of
rows that have it. A question is consistent if minimum and maximum are equal and every row has the
property; a question without a cluster is consistent too. Weights read as text are parsed here, so
that all engines agree.
"""

import math
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import is_missing
from errbar.base.arrays import Array, Integers
from errbar.base.remarks import counted, mapping, way_to_say
from errbar.data.columns import Key
from errbar.data.queries.expressions import (
    AGGREGATES,
    ColumnArrays,
    Columns,
    Frame,
    aggregates,
    cluster_in,
    fetch,
    is_inconsistent,
    keys_in,
    name_text,
    names_of,
    weight_in,
)
from errbar.errors import InputError


def questions_with(
    properties: dict[str, nw.Expr], frame: Frame, columns: Columns, by: Sequence[str]
) -> Frame:
    """A row per question: its key, the number of its rows and the aggregates of its properties."""
    names = names_of(frame, columns, by)
    named = {
        name: text.fill_null("") if name in ("system", "task") else text
        for name, text in names.items()
    }
    rows = frame.select(**named, **properties)
    return rows.group_by(*names).agg(nw.len().alias("rows"), *aggregates(properties))


def _questions_in_clusters(frame: Frame, columns: Columns, by: Sequence[str]) -> Frame:
    """A row per question: its key, its cluster, and whether its rows disagree."""
    questions = questions_with(cluster_in(frame, columns), frame, columns, by)
    return questions.with_columns(torn=is_inconsistent("cluster", "rows"))


def refuse_inconsistent_cluster(questions: Frame, columns: Columns) -> None:
    """Raise an error that names a question whose rows disagree about its cluster."""
    table = fetch(questions.filter(nw.col("torn") > 0))
    if not table["torn"].size:
        return
    keys = [name for name in ("system", "task", "question") if name in table]
    texts = [[name_text(value, "") for value in table[name].tolist()] for name in keys]
    texts += [
        [name_text(value, "") for value in table[name].tolist()]
        for name in ("cluster", "last cluster")
    ]
    numbers = [table[name].tolist() for name in ("clustered", "rows")]
    *key, first, last, some, all_rows = min(zip(*texts, *numbers, strict=True))
    subject = ", ".join(
        f"{what} {name!r:.80}" for what, name in zip(keys, key, strict=True) if name
    )
    words = f"is in {first!r:.80} and in {last!r:.80}"
    if first == last:
        rows_in_it = f"{int(some)} of its {int(all_rows)} rows"
        words = f"is in {first!r:.80} in {rows_in_it}, and in no cluster in the others"
    others = counted(len(texts[0]) - 1, "more question")
    raise InputError(
        f"all rows of a question must have the same cluster; {subject} {words}"
        f"{f', and {others} likewise' if len(texts[0]) > 1 else ''}. Correct "
        f"the column {columns['cluster']!r}, map another with "
        f"{mapping('cluster')}, or ignore clusters: "
        f"{way_to_say('--map cluster=', 'cluster=None')}"
    )


def cluster_codes(clusters: Sequence[str]) -> Integers:
    """Number clusters in the order of their names; unnamed ones get distinct numbers after those.

    Examples
    --------
    >>> cluster_codes(["b", "", "a", "b", ""])
    array([1, 2, 0, 1, 3])
    """
    names = {name: at for at, name in enumerate(sorted({*clusters} - {""}))}
    free = count(len(names))
    return np.array(
        [names[cluster] if cluster else next(free) for cluster in clusters], dtype=np.int64
    )


def clusters_of(
    frame: Frame, columns: Columns, by: Sequence[str]
) -> dict[tuple[str, ...], dict[str, int]]:
    """Cluster number of each question, by slice; empty if no row has a cluster."""
    if "cluster" not in columns:
        return {}
    questions = _questions_in_clusters(frame, columns, by)
    refuse_inconsistent_cluster(questions, columns)
    table = fetch(questions)
    clusters: dict[tuple[str, ...], dict[str, str]] = {}
    for key, question, cluster in zip(
        keys_in(table, by), table["question"].tolist(), table["cluster"].tolist(), strict=True
    ):
        clusters.setdefault(key, {})[question] = name_text(cluster, "")
    numbers: dict[tuple[str, ...], dict[str, int]] = {}
    if not any(name for each in clusters.values() for name in each.values()):
        return numbers
    for key, each in clusters.items():
        ordered = sorted(each)
        codes = cluster_codes([each[question] for question in ordered])
        numbers[key] = dict(zip(ordered, codes.tolist(), strict=True))
    return numbers


def refuse_inconsistent_clusters(frame: Frame, columns: Columns, by: Sequence[str]) -> None:
    """Raise an error that names a question whose rows disagree about its cluster."""
    refuse_inconsistent_cluster(_questions_in_clusters(frame, columns, by), columns)


def _questions_with_weights(frame: Frame, columns: Columns, by: Sequence[str]) -> Frame:
    return questions_with(weight_in(frame, columns), frame, columns, by)


def require_weights(frame: Frame, columns: Columns, by: Sequence[str], table: ColumnArrays) -> None:
    """Raise an error for weights that are invalid, or that differ between rows or systems."""
    if _have_faults(table):
        _refuse_faults(_questions_with_weights(frame, columns, by), columns)
    _refuse_disagreement(frame, columns, table)


def _have_faults(table: ColumnArrays) -> bool:
    """Whether any weight may be invalid or inconsistent."""
    if "weight" not in table:
        return False
    weights = numbers_in(table["weight"])
    lacking, texts = np.isnan(weights), [weight_text(value) for value in table["weight"].tolist()]
    not_numbers = any(weight is not None and math.isnan(_number(weight)) for weight in texts)
    some = bool(lacking.any()) and not lacking.all()
    bad = bool((weights < 0).any() or np.isinf(weights).any())
    return not_numbers or some or bad or bool(np.any(table["uneven"]))


def numbers_in(column: NDArray[Any]) -> Array:
    """Weights as floats; nan where a weight is missing or not a number."""
    return np.array(
        [
            math.nan if value is None else _number(value)
            for value in map(weight_text, column.tolist())
        ],
        dtype=float,
    )


def weight_text(value: Any) -> str | float | None:
    """A weight returned by the engine as text; None if it is null."""
    if isinstance(value, str):
        return value
    return None if is_missing(value) else float(value)


def _number(value: str | float) -> float:
    try:
        return float(value)
    except ValueError:
        return math.nan


class _WeightsOfRows(NamedTuple):
    """The weights found in the rows of a question."""

    name: tuple[str, ...]
    first: str | float | None
    last: str | float | None
    some: int
    rows: int

    def fault(self, *, others: bool) -> str:
        """Describe what is wrong with the weight; empty if it is valid."""
        if self.first is None or self.last is None:
            return "has no weight, while others have one" if others else ""
        if self.some < self.rows:
            return f"has the weight {self.first} in only {self.some} of its {self.rows} rows"
        least, most = _number(self.first), _number(self.last)
        for value, number in ((self.first, least), (self.last, most)):
            if math.isnan(number):
                return f"has the weight {value!r:.60}, which is not a number"
            if number < 0 or math.isinf(number):
                return f"has the weight {value}; weights must be finite and at least 0"
        return f"has the weights {self.first} and {self.last}" if least != most else ""


def _refuse_faults(questions: Frame, columns: Columns) -> None:
    """Raise an error that names a question with an invalid weight."""
    table = fetch(questions)
    keys = [name for name in ("system", "task", "question") if name in table]
    texts = zip(
        *([name_text(value, "") for value in table[name].tolist()] for name in keys), strict=True
    )
    described = [
        _WeightsOfRows(name, weight_text(first), weight_text(last), int(some), int(rows))
        for name, first, last, some, rows in zip(
            texts, *(table[name].tolist() for name in (*AGGREGATES["weight"], "rows")), strict=True
        )
    ]
    others = any(group.first is not None for group in described)
    faults = [(group.name, fault) for group in described if (fault := group.fault(others=others))]
    if not faults:
        return
    name, fault = min(faults)
    subject = ", ".join(
        f"{what} {part!r:.80}" for what, part in zip(keys, name, strict=True) if part
    )
    more = f" ({len(faults) - 1} more like it)" if len(faults) > 1 else ""
    raise InputError(
        f"each question must have one weight; {subject} {fault}{more}. Correct the column "
        f"{columns['weight']!r}, map another with {_other_column()}, or ignore weights: "
        f"{without_weights()}"
    )


def _refuse_disagreement(frame: Frame, columns: Columns, table: ColumnArrays) -> None:
    """Raise an error if systems give different weights to the same question."""
    if not {"weight", "system"} <= table.keys() or len({*table["system"].tolist()}) < 2:
        return
    each = _questions_with_weights(frame, columns, ())
    keys = [name for name in ("task", "question") if name in each.collect_schema().names()]
    ends = {"weight": nw.col("weight").min(), "last weight": nw.col("weight").max()}
    both = each.group_by(*keys).agg(**ends).filter(nw.col("weight") != nw.col("last weight"))
    weights = fetch(both)
    first, last = (numbers_in(weights[name]) for name in ends)
    different = np.flatnonzero(first != last)
    if not different.size:
        return
    question = min(str(weights["question"][at]) for at in different)
    rows = fetch(each.filter(nw.col("question").cast(nw.String) == question))
    by_weight = dict(zip(numbers_in(rows["weight"]).tolist(), rows["system"].tolist(), strict=True))
    (low, of_low), *_, (high, of_high) = sorted(by_weight.items())
    more = f" ({different.size - 1} more like it)" if different.size > 1 else ""
    raise InputError(
        f"question {question!r:.80} has the weight {low:g} for {str(of_low)!r:.80} and {high:g} "
        f"for {str(of_high)!r:.80}{more}; a question has one weight. Correct the column "
        f"{columns['weight']!r}, or ignore weights: {without_weights()}"
    )


def _other_column() -> str:
    return way_to_say("--map weight=...", "load(data, weight='...')")


def without_weights() -> str:
    """The option or argument that ignores weights."""
    return way_to_say("--map weight=", "weight=None")


def weights_of(frame: Frame, columns: Columns, by: Sequence[str]) -> dict[Key, dict[str, float]]:
    """Weight of each question, by slice; empty if no row has a weight."""
    if "weight" not in columns:
        return {}
    table = fetch(_questions_with_weights(frame, columns, by))
    weights = numbers_in(table["weight"])
    if np.isnan(weights).all():
        return {}
    found: dict[Key, dict[str, float]] = {}
    for key, question, weight in zip(
        keys_in(table, by), table["question"].tolist(), weights.tolist(), strict=True
    ):
        found.setdefault(key, {})[question] = weight
    return found


def refuse_weights(frame: Frame, columns: Columns, use: str) -> None:
    """Raise an error if questions have different weights where weights are not supported."""
    if "weight" not in columns:
        return
    rows = frame.select(**weight_in(frame, columns))
    table = fetch(rows.group_by("weight").agg(nw.len().alias("rows")).head(3))
    if len(table["rows"]) > 1:
        raise InputError(
            f"the column {columns['weight']!r} gives questions different weights, and {use} takes "
            f"none. Ignore the weights: {without_weights()}"
        )
