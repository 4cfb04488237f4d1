"""Attempts that stop at the first success: their mean is no estimate of one attempt.

Where nothing ever follows a success, and questions have unequal numbers of attempts, attempts were
made until one succeeded. The mean over the attempts of each question then depends on when they
stopped (optional stopping). The first attempt, the last and all rows give three other numbers.
"""

from typing import Any

from errbar.data.engine import quoted
from errbar.data.outcomes import ROW, Columns
from errbar.remarks import Above, warning

_LEAST = 2  # questions that end in a success after a failure


def stopped_at_success(rows: Any, columns: Columns) -> list[Above]:
    """What there is to say where attempts went on until one succeeded."""
    if "trial" not in columns or columns["question"] == ROW:
        return []
    keys = [quoted(columns[one]) for one in ("system", "task", "question") if one in columns]
    trial, outcome = quoted(columns["trial"]), f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    number = f"TRY_CAST({trial} AS DOUBLE)"
    each = rows.aggregate(
        f"count(*) AS n, count({number}) AS numbered, min({outcome}) AS least, "
        f"max({outcome}) AS most, sum({outcome}) AS total, avg({outcome}) AS mean, "
        f"arg_min({outcome}, {number}) AS first, arg_max({outcome}, {number}) AS last, "
        f"count(*) FILTER ({outcome} IS NULL OR {outcome} NOT IN (0, 1)) AS strange",
        ", ".join(keys),
    )
    after, strange, unnumbered, late, fewest, most, questions, first, last, mean, every = (
        each.aggregate(
            "count(*) FILTER (total > 1 OR (total = 1 AND last = 0)), sum(strange), "
            "count(*) FILTER (numbered < n), count(*) FILTER (n > 1 AND last = 1), "
            "min(n), max(n), count(*), avg(first), avg(last), avg(mean), sum(total) / sum(n)"
        ).fetchall()[0]
    )
    if after or strange or unnumbered or late < _LEAST or fewest == most:
        return []
    name = columns["trial"]
    return [
        warning(
            f"no {name!r} follows a success, and questions have {fewest} to {most} of them: they "
            f"were made until one succeeded, so that their mean is no estimate of one attempt. Of "
            f"{questions} questions, the first attempt scores {first:.4g}, the last {last:.4g}, "
            f"all attempts {every:.4g}; what is scored here is the mean of each question's "
            f"attempts, {mean:.4g}. Keep the rows of the first or the last attempt for a score "
            f"that has a meaning."
        )
    ]
