"""Trials that occur twice, found by two sums in the one GROUP BY.

The trials of a question should be first, first + 1, … last, each once. Their sums of t, t² and t⁴
then follow from how many there are and from their mean, and a question whose sums are others is
looked at trial by trial; it may only have gaps. Other trials with the same three sums exist, but
are rare: none for up to 10 trials, and one of the 352,716 ways to draw 11 with repeats from 11.
"""

from collections.abc import Sequence

import narwhals.stable.v2 as nw

from errbar.data.outcomes import Columns
from errbar.data.rows import Frame, called, column_of, fetch, names_of
from errbar.errors import RepeatedTrial

_MOST_TRIALS = 1024.0
_SHIFT = 2.0**22  # one float holds the sum of t below it, and that of t² above
_MOST_PACKED, _MOST_FOURTHS = 2.0**52, 2.0**53  # so that no sum was rounded


def powers_of(trial: nw.Expr) -> dict[str, nw.Expr]:
    """What is added up for each question; a row without a trial adds as little as trial 0."""
    square = trial * trial
    return {"packed": square * _SHIFT + trial, "fourths": square * square}


def is_doubtful() -> nw.Expr:
    """Whether the trials of a question may not be first … last, each once.

    With at most 1024 trials and `packed` below 2⁵², t² adds up to less than 2³⁰ and t to less than
    2²¹: nothing was rounded, and the two come apart again. Fourth powers are exact below 2⁵³.
    """
    n, packed, fourths = nw.col("trials").cast(nw.Float64), nw.col("packed"), nw.col("fourths")
    squares = (packed / _SHIFT).round(0)
    first = (packed - squares * _SHIFT) / n - (n - 1) / 2
    s1 = n * (n - 1) / 2  # the sum of 0 … n - 1; below those of their powers
    s2 = s1 * (2 * n - 1) / 3
    s3 = s1 * s1
    s4 = n * (n - 1) * (2 * n - 1) * (3 * n * n - 3 * n - 1) / 30
    rest = 4 * s3 + first * (6 * s2 + first * (4 * s1 + first * n))
    fine = (
        (n <= _MOST_TRIALS)
        & (packed < _MOST_PACKED)
        & (fourths < _MOST_FOURTHS)
        & (first >= 0)
        & (first == first.round(0))
        & (squares == s2 + first * (2 * s1 + first * n))
        & (fourths == s4 + first * rest)
    )
    return ~fine


def refuse_repeats(
    frame: Frame, columns: Columns, by: Sequence[str], doubtful: Frame | None
) -> None:
    """Look at trials one by one, of the doubtful questions or of all; name one that is repeated."""
    names = names_of(frame, columns, by)
    trial = column_of(frame, columns["trial"]).cast(nw.String)
    rows = frame.select(**names, trial=trial).filter(~nw.col("trial").is_null())
    if doubtful is not None:
        rows = rows.join(doubtful.select("question").unique(), on="question", how="semi")
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
        f"as a trial of its own: repeats='keep'."
    )
