"""Detection of repeated trials by sums of powers of two of their numbers."""

from collections.abc import Sequence

import narwhals.stable.v2 as nw

from errbar.base.remarks import setting
from errbar.data.queries.expressions import (
    Columns,
    Frame,
    column_of,
    fetch,
    name_text,
    names_of,
    one_if,
)
from errbar.errors import RepeatedTrial

_HALF, _TWO = 52, nw.lit(2.0)  # powers of two that a float sums exactly
POWERS = ("inside", "low", "high")


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
    """Whether the trial numbers of a question are not consecutive and distinct.

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
    shown = [[name_text(value, "") for value in table[name].tolist()] for name in keys]
    shown += [table[name].tolist() for name in ("question", "trial", "n")]
    *key, question, number, n = min(zip(*shown, strict=True))
    subject = "".join(f"{what} {name!r}, " for what, name in zip(keys, key, strict=True) if name)
    raise RepeatedTrial(
        f"{table['n'].size} trials occur more than once; {subject}question {question!r:.80}, trial "
        f"{number!r:.80} occurs {n} times. Remove what was loaded twice, or count every row "
        f"as a separate trial: {setting('repeats', 'keep')}."
    )
