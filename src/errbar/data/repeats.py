"""Trials that occur twice, found in the one GROUP BY by what they add up to.

Every trial is a power of two. A sum of n of them has n ones among its binary digits only if no two
are the same. DuckDB has whole numbers that are long enough, and gathers the ones. Elsewhere powers
are added up as floats, in two halves, and compared with the sum of first … last. Both are exact;
a question that does not pass, because of gaps or of other numbers, is looked at trial by trial.
"""

from collections.abc import Sequence

import narwhals.stable.v2 as nw

from errbar.data.outcomes import Columns
from errbar.data.rows import Frame, called, column_of, fetch, names_of, one_if
from errbar.errors import RepeatedTrial
from errbar.remarks import setting

_HALF, _TWO = 52, nw.lit(2.0)  # trials whose powers of two a float can add up
_MOST_ONES = 126  # a trial beyond is taken for this one, which costs a second look at most
POWERS = ("inside", "low", "high")


def counted_by_bits(
    rows: Frame, names: Sequence[str], sums: Sequence[str], more: Sequence[str] = ()
) -> Frame:
    """Rows by question in DuckDB, where `doubtful` is 1 unless all trials of a question differ."""
    keys = ", ".join(f'"{name}"' for name in names)
    bit = f"1::HUGEINT << greatest(least(number, {_MOST_ONES}), 0)"
    taken = [*(f'sum("{name}") AS "{name}"' for name in sums), *more]
    added = "".join(f", {one}" for one in taken)
    relation = nw.to_native(rows).aggregate(
        f"{keys}, count(*) AS trials, count(outcome) AS scored{added}, "
        f"(bit_count(bit_or({bit})) IS DISTINCT FROM count(*))::BIGINT AS doubtful",
        keys,
    )
    return nw.from_native(relation).lazy()


def powers_of(number: nw.Expr) -> dict[str, nw.Expr]:
    """What tells trials apart where there are no bits: their powers of two, in two halves."""
    inside = (number >= 0) & (number < 2 * _HALF)
    place = nw.when(inside).then(number).otherwise(nw.lit(0)).cast(nw.Float64)
    return {
        "inside": one_if(inside),
        "place": place,
        "low": nw.when(place < _HALF).then(_TWO**place).otherwise(nw.lit(0.0)),
        "high": nw.when(place >= _HALF).then(_TWO ** (place - _HALF)).otherwise(nw.lit(0.0)),
    }


def is_doubtful() -> nw.Expr:
    """Whether the trials of a question are not first, first + 1, … last, each once.

    A sum of n consecutive powers has n ones among its binary digits, so only n or more powers add
    up to it, and n of them only if they are those.
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
    """Look at trials one by one, of the doubtful questions or of all; name one that is repeated."""
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
    shown = [[called(one, "") for one in table[name].tolist()] for name in keys]
    shown += [table[name].tolist() for name in ("question", "trial", "n")]
    *key, question, number, n = min(zip(*shown, strict=True))
    whose = "".join(f"{what} {name!r}, " for what, name in zip(keys, key, strict=True) if name)
    raise RepeatedTrial(
        f"{table['n'].size} trials occur more than once; {whose}question {question!r:.80}, trial "
        f"{number!r:.80} occurs {n} times. Leave out what was loaded twice, or count every row "
        f"as a trial of its own: {setting('repeats', 'keep')}."
    )
