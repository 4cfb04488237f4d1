"""Rows that repeat an id because a first attempt failed: which of them count.

A log that is only ever added to holds the failure and, further down, the retry. As trials, the
failure counts as wrong; if the last row counts, it is gone. Nothing in the rows says which is
meant, so that both means are said, and `last_rows` takes the last where that is asked for.
"""

from collections.abc import Sequence
from typing import Any

from errbar.data.engine import quoted
from errbar.data.outcomes import Columns
from errbar.remarks import Above, guess, warning, way_to_say

_PLACE = "errbar place"
_KEYS = ("system", "task", "question", "trial")


def last_rows(rows: Any, columns: Columns, apart: Sequence[str]) -> tuple[Any, list[Above]]:
    """The last row of every trial, or of every question without one; how many are left out.

    Rows that differ in a column of `apart` are no attempts at the same thing.
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
    said = guess(
        f"{lost} rows left out: a later row of the same id counts",
        option="--repeats keep",
        argument="repeats='keep'",
    )
    return last, [said]


def retried_remark(rows: Any, columns: Columns) -> list[Above]:
    """Both readings where rows without an outcome are followed by the scored row of the same id.

    Ids that are scored more than once have trials, some of which may have failed.
    """
    if "trial" in columns.named or "outcome" not in columns.named:
        return []
    keys = [quoted(columns[name]) for name in _KEYS if name in columns.named]
    named = ", ".join(f"{key} AS k{at}" for at, key in enumerate(keys))
    outcome = f"try_cast({quoted(columns['outcome'])} AS DOUBLE)"
    if rows.aggregate(f"count(*) = count({outcome})").fetchall()[0][0]:
        return []
    ((retried, most_scored, as_trials, as_last),) = rows.query(
        "rows",
        f"SELECT count(*) FILTER (WHERE lost < scored), max(often), avg(mean), avg(latest) FROM ("
        f"SELECT count(value) AS often, min(CASE WHEN value IS NULL THEN n END) AS lost, "
        f"max(CASE WHEN value IS NOT NULL THEN n END) AS scored, "
        f"avg(coalesce(value, 0)) AS mean, arg_max(coalesce(value, 0), n) AS latest "
        f"FROM (SELECT {named}, {outcome} AS value, row_number() OVER () AS n FROM rows) "
        f"GROUP BY {', '.join(f'k{at}' for at in range(len(keys)))})",
    ).fetchall()
    if not retried or most_scored > 1:
        return []
    last = way_to_say("--repeats last", "repeats='last'")
    return [
        warning(
            f"{retried} ids have a row without an outcome and a scored row after it, as if they "
            f"had been run again. All rows are taken as trials, with failures as wrong; if only "
            f"the last row of an id counts, say {last}. The mean over all ids is {as_trials:.4g} "
            f"as trials, {as_last:.4g} by the last rows."
        )
    ]
