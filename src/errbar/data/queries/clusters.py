"""Clusters of questions: those of the same document, repository or participant.

The GROUP BY that counts the rows of a question also computes the minimum and the maximum of their
clusters and the number of rows that have one. A question is consistent if minimum and maximum are
equal and every row, or no row, has a cluster.
"""

from collections.abc import Sequence

import narwhals.stable.v2 as nw

from errbar.base.remarks import mapping, way_to_say
from errbar.base.tables import counted
from errbar.data.columns import Columns
from errbar.data.expressions import Frame, called, fetch, keys_in, names_of, one_if, text_of
from errbar.data.queries.slices import numbered
from errbar.errors import InputError

# names of both narwhals and SQL
_TAKEN = {"cluster": "min", "last cluster": "max", "clustered": "count"}


def cluster_in(frame: Frame, columns: Columns) -> dict[str, nw.Expr]:
    """The cluster of each row, null where it is missing; empty if there is no such column."""
    if "cluster" not in columns:
        return {}
    name = text_of(frame, columns["cluster"])
    if frame.collect_schema()[columns["cluster"]] != nw.Float64:
        name = nw.when(name != "").then(name)  # a CSV file cannot distinguish null from ""
    return {"cluster": name}


def clusters_taken() -> list[nw.Expr]:
    """Aggregates of the clusters of a question's rows, as narwhals expressions."""
    return [getattr(nw.col("cluster"), how)().alias(name) for name, how in _TAKEN.items()]


def clusters_taken_in_sql() -> list[str]:
    """Aggregates of the clusters of a question's rows, in SQL."""
    return [f'{how}("cluster") AS "{name}"' for name, how in _TAKEN.items()]


def is_torn(rows: str) -> nw.Expr:
    """Positive if a question is in two clusters, or only some of its rows have a cluster."""
    some = nw.col("clustered").cast(nw.Int64)
    first, last = nw.col("cluster"), nw.col("last cluster")
    two = (first != last) & ~first.is_null()  # pandas uses NaN for null in some column types
    return one_if(two) + one_if((some > 0) & (some < nw.col(rows).cast(nw.Int64)))


def refuse_torn(questions: Frame, columns: Columns) -> None:
    """Raise an error that names a question whose rows disagree about its cluster."""
    table = fetch(questions.filter(nw.col("torn") > 0))
    if not table["torn"].size:
        return
    keys = [name for name in ("system", "task", "question") if name in table]
    texts = [[called(value, "") for value in table[name].tolist()] for name in keys]
    texts += [[called(value, "") for value in table[name].tolist()] for name in list(_TAKEN)[:2]]
    numbers = [table[name].tolist() for name in ("clustered", "rows")]
    *key, first, last, some, all_rows = min(zip(*texts, *numbers, strict=True))
    whose = ", ".join(f"{what} {name!r:.80}" for what, name in zip(keys, key, strict=True) if name)
    found = f"is in {first!r:.80} and in {last!r:.80}"
    if first == last:
        rows_in_it = f"{int(some)} of its {int(all_rows)} rows"
        found = f"is in {first!r:.80} in {rows_in_it}, and in no cluster in the others"
    others = counted(len(texts[0]) - 1, "more question")
    raise InputError(
        f"all rows of a question must have the same cluster; {whose} {found}"
        f"{f', and {others} likewise' if len(texts[0]) > 1 else ''}. Correct "
        f"the column {columns['cluster']!r}, map another with "
        f"{mapping('cluster')}, or ignore clusters: "
        f"{way_to_say('--map cluster=', 'cluster=None')}"
    )


def questions_in_clusters(frame: Frame, columns: Columns, by: Sequence[str]) -> Frame:
    """A row per question: its key, its cluster, and whether its rows disagree."""
    names = names_of(frame, columns, by)
    named = {
        name: text.fill_null("") if name in ("system", "task") else text
        for name, text in names.items()
    }
    rows = frame.select(**named, **cluster_in(frame, columns))
    each = rows.group_by(*names).agg(nw.len().alias("rows"), *clusters_taken())
    return each.with_columns(torn=is_torn("rows"))


def clusters_of(
    frame: Frame, columns: Columns, by: Sequence[str]
) -> dict[tuple[str, ...], dict[str, int]]:
    """Cluster number of each question, by slice; empty if no row has a cluster."""
    if "cluster" not in columns:
        return {}
    questions = questions_in_clusters(frame, columns, by)
    refuse_torn(questions, columns)
    table = fetch(questions)
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for key, question, cluster in zip(
        keys_in(table, by), table["question"].tolist(), table["cluster"].tolist(), strict=True
    ):
        found.setdefault(key, {})[question] = called(cluster, "")
    numbers: dict[tuple[str, ...], dict[str, int]] = {}
    if not any(name for each in found.values() for name in each.values()):
        return numbers
    for key, each in found.items():
        ordered = sorted(each)
        codes = numbered([each[question] for question in ordered])
        numbers[key] = dict(zip(ordered, codes.tolist(), strict=True))
    return numbers
