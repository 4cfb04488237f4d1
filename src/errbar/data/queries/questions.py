"""Aggregate outcomes into questions by state, with one GROUP BY in the engine.

The same query detects duplicate trials, from a bit set or sums of powers of two of their numbers.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from errbar.base.arrays import Integers
from errbar.base.remarks import have, mapping, setting
from errbar.data.columns import require_statuses
from errbar.data.engines.duckdb import quoted
from errbar.data.queries.expressions import (
    Columns,
    Frame,
    aggregates,
    aggregates_in_sql,
    called,
    column_of,
    fetch,
    graded_rows,
    is_inconsistent,
    keys_in,
    names_of,
    needs_no_outcome,
    one_if,
    properties_in,
    require_numbers,
    result_of,
    trial_of,
    unknown_status_of,
    was_unscored,
)
from errbar.data.queries.properties import (
    clusters_of,
    refuse_inconsistent_clusters,
    require_weights,
    weights_of,
)
from errbar.data.queries.slices import Results, Slice, by_state, sliced
from errbar.errors import InputError, RepeatedTrial


def slices(
    frame: Frame,
    columns: Columns,
    questions: Frame,
    by: Sequence[str] = (),
    *,
    allow_repeats: bool = False,
) -> list[Slice]:
    """Slices of every system, task and value of the columns in `by`, sorted by name.

    `questions` is what `questions_of` gives for the same columns.
    """
    table = by_state(questions)
    for name in ("system", "task"):
        if name in table and _are_empty_and_null(table[name].tolist()):
            filled = {columns[name]: column_of(frame, columns[name]).fill_null("")}
            frame = frame.with_columns(**filled)
            questions = questions_of(frame, columns, by)
            return slices(frame, columns, questions, by, allow_repeats=allow_repeats)
    if table["nameless"].any():
        lost = int(table["nameless"] @ table["questions"])
        raise InputError(
            f"{lost} row{'s' * (lost > 1)} {have(lost)} no question id in the column "
            f"{columns['question']!r}. Fill in the ids, delete the rows if they are no questions, "
            f"or map another column: {mapping('question')}"
        )
    if "unknown" in table and table["unknown"].any():
        statuses(frame, columns)  # which names it
    if "torn" in table and table["torn"].any():
        refuse_inconsistent_clusters(frame, columns, by)
    if "weight" in columns:
        require_weights(frame, columns, by, table)
    if table["other"].any():
        require_numbers(frame, columns["outcome"])
    if "trial" in columns and not allow_repeats:
        if "doubtful" not in table:
            refuse_repeats(frame, columns, by, None)
        elif table["doubtful"].any():
            refuse_repeats(frame, columns, by, questions.filter(nw.col("doubtful") == 1))
    return sliced(table, by)


def _are_empty_and_null(names: list[Any]) -> bool:
    """Whether both null and "" occur, which are the same name."""
    texts = [name for name in names if isinstance(name, str)]
    return "" in texts and len(texts) < len(names)


def questions_of(frame: Frame, columns: Columns, by: Sequence[str] = ()) -> Frame:
    """A row per question: its key and its state."""
    names = names_of(frame, columns, by)
    number = trial_of(frame, columns)
    properties = properties_in(frame, columns)
    chosen = names | properties | {"outcome": result_of(frame, columns)}
    sums = ["right", "wrong"]
    if "status" in columns:
        chosen["unknown"] = unknown_status_of(frame, columns)
        chosen["excused"] = needs_no_outcome(frame, columns)
        chosen["unscored"] = one_if(was_unscored(frame, columns))
        sums += ["unknown", "unscored", "unexplained"]
    if number is not None:
        chosen["number"] = number
    value = nw.col("outcome")
    rows = frame.select(**chosen).with_columns(
        right=(value == 1).cast(nw.Int32),  # DuckDB sums narrow integers faster
        wrong=(value == 0).cast(nw.Int32),
    )
    if "status" in columns:
        lost = value.is_null() & (nw.col("excused") == 0)
        rows = rows.with_columns(unexplained=one_if(lost))
    more = aggregates(properties)
    if number is None:
        questions = _counted(rows, names, sums, *more)
    elif frame.implementation.is_duckdb():
        questions = counted_by_bits(rows, list(names), sums, aggregates_in_sql(properties))
    else:
        rows = rows.with_columns(**powers_of(nw.col("number")))
        place = nw.col("place")
        ends = (place.min().alias("first"), place.max().alias("last"))
        questions = _counted(rows, names, [*sums, *POWERS], *ends, *more)
        questions = questions.with_columns(doubtful=one_if(is_doubtful()))
    counts = ("trials", "scored", *sums)
    questions = questions.with_columns(
        *(nw.col(name).fill_null(0).cast(nw.Int64) for name in counts),
    )
    state = {name: nw.col(name) for name in (*counts, *names) if name != "wrong"}
    if "status" in columns:
        state["trials"] = nw.col("trials") - nw.col("unscored")
    else:
        state["unscored"] = nw.col("trials") * 0
        state["unexplained"] = nw.col("trials") - nw.col("scored")
    state["other"] = nw.col("scored") - nw.col("right") - nw.col("wrong")
    state["nameless"] = one_if(nw.col("question").is_null()) * nw.col("trials")
    if number is not None:
        state["doubtful"] = nw.col("doubtful")
    for name, fault in (("cluster", "torn"), ("weight", "uneven")):
        if name in properties:
            state |= {name: nw.col(name), fault: is_inconsistent(name, "trials")}
    return questions.select(**state)


def _counted(rows: Frame, names: Iterable[str], sums: Iterable[str], *more: nw.Expr) -> Frame:
    return rows.group_by(*names).agg(
        nw.len().alias("trials"),
        nw.col("outcome").count().alias("scored"),
        *(nw.col(name).sum() for name in sums),
        *more,
    )


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


_HALF, _TWO = 52, nw.lit(2.0)  # powers of two that a float sums exactly
_MOST_ONES = 126  # larger trial numbers share a bit, which at worst costs a second query
POWERS = ("inside", "low", "high")


def counted_by_bits(
    rows: Frame, names: Sequence[str], sums: Sequence[str], more: Sequence[str] = ()
) -> Frame:
    """Aggregate by question in DuckDB; `doubtful` is 1 unless all trials of a question differ."""
    keys = ", ".join(map(quoted, names))
    bit = f"1::HUGEINT << greatest(least(number, {_MOST_ONES}), 0)"
    aggregates_of_rows = [*(f'sum("{name}") AS "{name}"' for name in sums), *more]
    added = "".join(f", {column}" for column in aggregates_of_rows)
    relation = nw.to_native(rows).aggregate(
        f"{keys}, count(*) AS trials, count(outcome) AS scored{added}, "
        f"(bit_count(bit_or({bit})) IS DISTINCT FROM count(*))::BIGINT AS doubtful",
        keys,
    )
    return nw.from_native(relation).lazy()


def powers_of(number: nw.Expr) -> dict[str, nw.Expr]:
    """Powers of two of the trial numbers, in two halves, for engines without bit operations."""
    inside = (number >= 0) & (number < 2 * _HALF)
    place = nw.when(inside).then(number).otherwise(nw.lit(0)).cast(nw.Float64)
    return {
        "inside": one_if(inside),
        "place": place,
        "low": nw.when(place < _HALF).then(_TWO**place).otherwise(nw.lit(0.0)),
        "high": nw.when(place >= _HALF).then(_TWO ** (place - _HALF)).otherwise(nw.lit(0.0)),
    }


def is_doubtful() -> nw.Expr:
    """Whether the trials of a question are anything but first, first + 1, …, last, each once.

    A sum of n consecutive powers of two has n binary ones, so it takes at least n powers to reach
    it, and exactly n only if they are these.
    """
    count = nw.col("trials").cast(nw.Float64)
    first, last = nw.col("first"), nw.col("last")
    half = float(_HALF)
    up = nw.when(last < half).then(last + 1).otherwise(nw.lit(half))
    down = nw.when(first < half).then(first).otherwise(nw.lit(half))
    low = _TWO**up - _TWO**down
    up = nw.when(last >= half).then(last - half + 1).otherwise(nw.lit(0.0))
    down = nw.when(first >= half).then(first - half).otherwise(nw.lit(0.0))
    high = _TWO**up - _TWO**down
    return ~(
        (nw.col("inside").cast(nw.Float64) == count)
        & (last - first + 1 == count)
        & (nw.col("low") == low)
        & (nw.col("high") == high)
    )


def refuse_repeats(
    frame: Frame, columns: Columns, by: Sequence[str], doubtful: Frame | None
) -> None:
    """Raise an error that names a repeated trial, if one is found in the doubtful questions."""
    names = names_of(frame, columns, by)
    trial = column_of(frame, columns["trial"]).cast(nw.String)
    rows = frame.select(**names, trial=trial).filter(~nw.col("trial").is_null())
    if doubtful is not None:
        some = doubtful.group_by("question").agg(nw.len().alias("n")).select("question")
        rows = rows.join(some, on="question", how="semi")
    each = rows.group_by(*names, "trial").agg(nw.len().alias("n"))
    table = fetch(each.filter(nw.col("n") > 1))
    if not table["n"].size:
        return
    keys = [name for name in ("system", "task") if name in names]
    shown = [[called(value, "") for value in table[name].tolist()] for name in keys]
    shown += [table[name].tolist() for name in ("question", "trial", "n")]
    *key, question, number, n = min(zip(*shown, strict=True))
    subject = "".join(f"{what} {name!r}, " for what, name in zip(keys, key, strict=True) if name)
    raise RepeatedTrial(
        f"{table['n'].size} trials occur more than once; {subject}question {question!r:.80}, trial "
        f"{number!r:.80} occurs {n} times. Remove what was loaded twice, or count every row "
        f"as a separate trial: {setting('repeats', 'keep')}."
    )
