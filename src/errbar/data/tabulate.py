"""Outcomes → how many questions share the same counts, by one GROUP BY where the data are.

The same expression runs on pandas, polars, pyarrow, DuckDB and Spark, through narwhals. It counts
and never adds up outcomes, so neither the order of rows nor the engine can show in a result. What
comes back is small: questions are counted by their state before anything leaves the engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.outcomes import FAILED, STATUSES, Columns, require_column, require_statuses
from errbar.data.statistics import CountsByState
from errbar.errors import InputError, RepeatedTrial, WrongType

Frame = nw.LazyFrame[Any]
Integers = NDArray[np.int64]
Table = Mapping[str, NDArray[Any]]

TRIAL_NUMBER = "errbar trial number"  # beside a trial read as text, the number it stands for
STRANGE = "errbar strange outcome"  # beside an outcome read as text, the text that is no number
_HALF, _TWO = 52, nw.lit(2.0)  # trials whose powers of two a float can add up
_COUNTED = ("trials", "scored", "right", "other")


@dataclass(frozen=True, eq=False)
class Slice:
    """The questions of one system and task, or of a part of them, by their state."""

    key: tuple[str, ...]  # system, task, and the value of each column that was grouped by
    trials: Integers  # rows of a question
    scored: Integers  # those with a result
    right: Integers  # those whose result is 1
    other: Integers  # those whose result is neither 0 nor 1
    questions: Integers  # how many questions are in this state
    by: tuple[str, ...] = ()  # the columns that were grouped by

    def where(self, states: NDArray[np.bool_]) -> "Slice":
        """Some of the states."""
        names = (*_COUNTED, "questions")
        return replace(self, **{name: getattr(self, name)[states] for name in names})

    @property
    def rows(self) -> int:
        """All of them."""
        return int(self.trials @ self.questions)

    @property
    def failed(self) -> int:
        """Rows without a result."""
        return int((self.trials - self.scored) @ self.questions)

    @property
    def is_binary(self) -> bool:
        """Whether every result is 0 or 1."""
        return not self.other.any()

    def counts(self, errors: str) -> CountsByState:
        """Counts, with rows without a result taken as 'wrong', 'missing' or 'right'."""
        if errors == "missing":
            return CountsByState(self.scored, self.right, self.questions)
        right = self.right + (self.trials - self.scored if errors == "right" else 0)
        return CountsByState(self.trials, right, self.questions)


def slices(
    frame: Frame, columns: Columns, by: Sequence[str] = (), *, allow_repeats: bool = False
) -> list[Slice]:
    """Every system and task, and every value of the columns in `by`, in order of their names."""
    rows, numbered = canonical(frame, columns, by)
    as_text = STRANGE in frame.collect_schema()
    keys = _keys(by)
    wanted = [nw.len().alias("trials"), *(nw.col(name).sum() for name in _COUNTED[1:])]
    states = list(_COUNTED)
    if numbered:
        wanted += [
            nw.col("inside").sum(),
            nw.col("place").min().alias("first"),
            nw.col("place").max().alias("last"),
            nw.col("low").sum(),
            nw.col("high").sum(),
        ]
    if as_text:
        wanted.append(nw.col("strange").count())
        states.append("strange")
    if "status" in columns:
        wanted.append(nw.col("unknown").sum())
        states.append("unknown")
    rows = rows.with_columns(nameless=one_if(nw.col("question").is_null()))
    wanted.append(nw.col("nameless").sum())
    states.append("nameless")
    questions = rows.group_by(*keys, "question").agg(*wanted)
    if numbered:
        questions = questions.with_columns(gap=one_if(~_are_consecutive()))
        states.append("gap")
    counted = questions.group_by(*keys, *states).agg(nw.len().alias("questions"))
    table = fetch(counted)
    if not table["questions"].size:
        raise InputError("the data have no row; there is nothing to score.")
    if table["nameless"].any():
        lost = int(table["nameless"] @ table["questions"])
        raise InputError(f"{lost} rows have no question id in the column {columns['question']!r}.")
    if "status" in columns and table["unknown"].any():
        statuses(frame, columns)  # which names it
    if as_text and table["strange"].any():
        require_numbers(frame, columns["outcome"])
    doubtful = table["gap"].any() if numbered else "trial" in columns
    if doubtful and not allow_repeats:
        _refuse_repeats(rows, keys)
    return _sliced(table, keys, by)


def counted_slices(
    frame: Frame, columns: Columns, by: Sequence[str] = (), *, allow_repeats: bool = False
) -> list[Slice]:
    """The same for a table of counts, a row per question."""
    kinds = frame.collect_schema()
    keys = _keys(by)
    rows = frame.select(
        **_names(frame, columns, by),
        **{
            name: number_of(frame, columns[name], kinds[columns[name]], name)
            for name in ("trials", "correct")
        },
    )
    odd = (
        nw.col("trials").is_null()
        | nw.col("correct").is_null()
        | (nw.col("correct") < 0)
        | (nw.col("correct") > nw.col("trials"))
        | (nw.col("trials") != nw.col("trials").round(0))
        | (nw.col("correct") != nw.col("correct").round(0))
    )
    nameless = fetch(rows.filter(nw.col("question").is_null()).select(nw.len().alias("n")))["n"]
    if nameless[0]:
        raise InputError(f"{nameless[0]} rows have no question id.")
    twice = rows.group_by(*keys, "question").agg(nw.len().alias("n")).filter(nw.col("n") > 1)
    repeated = fetch(twice)["question"]
    if repeated.size and not allow_repeats:
        raise RepeatedTrial(
            f"{repeated.size} questions have more than one row of counts, such as "
            f"{min(repeated.tolist())!r:.80}. To add them up: repeats='keep'."
        )
    wrong = fetch(rows.filter(odd).select("question", "trials", "correct").head(1))
    if wrong["question"].size:
        question, trials, correct = (wrong[name].tolist()[0] for name in wrong)
        raise InputError(
            f"question {question!r} has {correct!r} correct of {trials!r} trials; both must be "
            f"whole numbers, and correct between 0 and trials."
        )
    whole = rows.with_columns(*(nw.col(name).cast(nw.Int64) for name in ("trials", "correct")))
    questions = whole.group_by(*keys, "question").agg(
        nw.col("trials").sum(), nw.col("correct").sum().alias("right")
    )
    questions = questions.with_columns(
        nw.col("trials").cast(nw.Int64), nw.col("right").cast(nw.Int64)
    )
    questions = questions.with_columns(scored=nw.col("trials"), other=nw.lit(0).cast(nw.Int64))
    table = fetch(questions.group_by(*keys, *_COUNTED).agg(nw.len().alias("questions")))
    if not table["questions"].size:
        raise InputError("the data have no row; there is nothing to score.")
    return _sliced(table, keys, by)


def categories(
    frame: Frame, columns: Columns, by: Sequence[str] = ()
) -> dict[tuple[str, ...], tuple[list[float], Integers]]:
    """The results that occur, and how often each question has them: a row per question."""
    rows, _ = canonical(frame, columns, by)
    keys = _keys(by)
    cells = rows.filter(nw.col("scored") == 1).group_by(*keys, "question", "outcome")
    table = fetch(cells.agg(nw.len().alias("n")))
    values = sorted({value + 0.0 for value in table["outcome"].tolist()})  # -0 is 0
    place = {value: at for at, value in enumerate(values)}
    found: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for *key, question, outcome, n in zip(
        *(table[name].tolist() for name in (*keys, "question", "outcome", "n")), strict=True
    ):
        row = found.setdefault(tuple(map(_called, key)), {}).setdefault(question, [0] * len(values))
        row[place[outcome]] += n
    return {
        key: (values, np.array([tally[question] for question in sorted(tally)], dtype=np.int64))
        for key, tally in sorted(found.items())
    }


def statuses(frame: Frame, columns: Columns) -> dict[str, int]:
    """How many rows have each status, where there is one."""
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


def fetch(frame: Frame) -> Table:
    """The rows of a small result as arrays."""
    if frame.implementation.is_duckdb():
        return {
            name: np.ma.filled(column, np.nan)
            if column.dtype.kind == "f"
            else np.ma.getdata(column)
            for name, column in nw.to_native(frame).fetchnumpy().items()
        }
    table = frame.collect()
    return {name: table.get_column(name).to_numpy() for name in table.columns}


def canonical(
    frame: Frame, columns: Columns, by: Sequence[str], kept: Sequence[str] = ()
) -> tuple[Frame, bool]:
    """The columns that count, under their own names, and whether trials are numbered."""
    kinds = frame.collect_schema()
    chosen = {name: nw.col(name) for name in kept} | _names(frame, columns, by)
    chosen["outcome"] = number_of(frame, columns["outcome"], kinds[columns["outcome"]], "outcome")
    if "status" in columns:
        chosen["status"] = column_of(frame, columns["status"]).cast(nw.String)
    if STRANGE in kinds:
        chosen["strange"] = nw.col(STRANGE)
    number = None
    if "trial" in columns:
        chosen["trial"] = column_of(frame, columns["trial"]).cast(nw.String)
        if TRIAL_NUMBER in kinds:
            number = nw.col(TRIAL_NUMBER)
        elif kinds[columns["trial"]].is_integer():
            number = column_of(frame, columns["trial"])
        if number is not None:
            chosen["number"] = number.cast(nw.Int64)
    rows = frame.select(**chosen)
    if number is not None:
        at = nw.col("number")
        inside = (at >= 0) & (at < 2 * _HALF)
        rows = rows.with_columns(
            inside=one_if(inside),
            place=nw.when(inside).then(at).otherwise(nw.lit(0)).cast(nw.Float64),
        )
        place = nw.col("place")
        rows = rows.with_columns(
            low=nw.when(place < _HALF).then(_TWO**place).otherwise(nw.lit(0.0)),
            high=nw.when(place >= _HALF).then(_TWO ** (place - _HALF)).otherwise(nw.lit(0.0)),
        )
    value = nw.col("outcome")
    scored = ~(value.is_null() | value.is_nan())
    if "status" in columns:
        scored = scored & ~nw.col("status").fill_null("ok").is_in(FAILED)
    rows = rows.with_columns(scored=scored)
    rows = rows.with_columns(
        right=nw.col("scored") & (value == 1),
        other=nw.col("scored") & (value != 0) & (value != 1),
    )
    flags = [one_if(nw.col(name)).alias(name) for name in _COUNTED[1:]]
    if "status" in columns:
        known = nw.col("status").fill_null("ok").is_in(STATUSES)
        flags.append(one_if(~known).alias("unknown"))
    return rows.with_columns(*flags), number is not None


def _names(frame: Frame, columns: Columns, by: Sequence[str]) -> dict[str, nw.Expr]:
    """What a question is called by, as text; numbers are left to `_called`."""
    kinds = frame.collect_schema()
    chosen = {
        name: column_of(frame, columns[name]).cast(nw.String).fill_null("")
        if name in columns
        else nw.lit("")
        for name in ("system", "task")
    }
    chosen["question"] = column_of(frame, columns["question"]).cast(nw.String)
    for alias, name in zip(_keys(by)[2:], by, strict=True):
        require_column(name, kinds)
        column = column_of(frame, name)
        if kinds[name] == nw.Float64:  # engines write numbers differently: `_called` does it
            chosen[alias] = nw.when(~column.is_nan()).then(column)
        elif kinds[name] == nw.Boolean:  # pandas says True
            chosen[alias] = column.cast(nw.String).str.to_lowercase().fill_null("(none)")
        else:
            chosen[alias] = column.cast(nw.String).fill_null("(none)")
    return chosen


def _called(value: Any) -> str:
    """The name of a slice."""
    if isinstance(value, str):
        return value
    return "(none)" if value is None or np.isnan(value) else str(value)


def column_of(frame: Frame, name: str) -> nw.Expr:
    """A column of the data; Spark takes dots in a name for structure unless it is quoted."""
    if frame.implementation.is_spark_like():
        return nw.col("`" + name.replace("`", "``") + "`")
    return nw.col(name)


def _keys(by: Sequence[str]) -> list[str]:
    return ["system", "task", *(f"by {at}" for at in range(len(by)))]


def one_if(condition: nw.Expr) -> nw.Expr:
    """1 where it holds, 0 elsewhere."""
    return nw.when(condition).then(nw.lit(1)).otherwise(nw.lit(0)).cast(nw.Int64)


def number_of(frame: Frame, name: str, kind: Any, meaning: str) -> nw.Expr:
    """A column as floats; refused where it holds something else."""
    column = column_of(frame, name)
    if kind == nw.Boolean:
        return column.cast(nw.Int64).cast(nw.Float64)
    if kind.is_numeric():
        return column.cast(nw.Float64)
    raise WrongType(
        f"{meaning} must hold numbers, or true and false; the column {name!r} holds {kind}."
    )


def _are_consecutive() -> nw.Expr:
    """Whether the trials of a question are first, first + 1, … last, each once.

    Each trial is a power of two. A sum of n consecutive powers has n ones among its binary digits,
    so only n or more powers add up to it, and n of them only if they are those. A float holds
    half of the trials that are looked at in this way; others are looked at one by one.
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
    return (
        (nw.col("inside").cast(nw.Float64) == count)
        & (last - first + 1 == count)
        & (nw.col("low") == low)
        & (nw.col("high") == high)
    )


def require_numbers(frame: Frame, name: str) -> None:
    """Refuse outcomes that were read as text and are no numbers."""
    if STRANGE not in frame.collect_schema():
        return
    strange = frame.filter(~nw.col(STRANGE).is_null()).select(nw.col(STRANGE).alias("text"))
    table = fetch(strange.group_by("text").agg(nw.len().alias("n")))
    if not table["n"].size:
        return
    text = f"{min(table['text'].tolist()):.60}"
    raise WrongType(
        f"outcome must be a number, or true or false; {int(table['n'].sum())} rows of the column "
        f"{name!r} are neither, such as {text!r}. Map another column, as in load(data, "
        f"outcome='...') or --map outcome=..."
    )


def _refuse_repeats(rows: Frame, keys: list[str]) -> None:
    named = [*keys, "question", "trial"]
    each = rows.filter(~nw.col("trial").is_null()).group_by(*named).agg(nw.len().alias("n"))
    table = fetch(each.filter(nw.col("n") > 1))
    if not table["n"].size:
        return
    first = min(zip(*(table[name].tolist() for name in (*named, "n")), strict=True))
    system, task = first[0], first[1]
    question, trial, n = first[-3:]
    whose = "".join(
        f"{what} {name!r}, " for what, name in (("system", system), ("task", task)) if name
    )
    raise RepeatedTrial(
        f"{table['n'].size} trials occur more than once; {whose}question {question!r:.80}, trial "
        f"{trial!r:.80} occurs {n} times. Leave out what was loaded twice, or count every row as a "
        f"trial of its own: repeats='keep'."
    )


def _sliced(table: Table, keys: list[str], by: Sequence[str]) -> list[Slice]:
    """States of each slice, in an order of their own."""
    names = (*keys, *_COUNTED)
    found: dict[tuple[str, ...], dict[tuple[int, ...], int]] = {}
    for *state, n in zip(*(table[name].tolist() for name in (*names, "questions")), strict=True):
        states = found.setdefault(tuple(map(_called, state[: len(keys)])), {})
        counted = tuple(state[len(keys) :])
        states[counted] = states.get(counted, 0) + n
    return [_slice_of(key, states, tuple(by)) for key, states in sorted(found.items())]


def _slice_of(
    key: tuple[str, ...], states: dict[tuple[int, ...], int], by: tuple[str, ...]
) -> Slice:
    rows = np.array([(*state, n) for state, n in sorted(states.items())], dtype=np.int64)
    trials, scored, right, other, questions = rows.T
    return Slice(key, trials, scored, right, other, questions, by)
