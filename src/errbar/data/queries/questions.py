"""Questions by their state, counted by one GROUP BY in the engine.

A `Slice` has the questions of one system and task. The same query detects duplicate trials: in
DuckDB from a bit set of their numbers, on other engines as in `repeats`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import freeze, require_choice
from errbar.base.arrays import Integers
from errbar.base.remarks import Above, have, mapping, warning
from errbar.data.counts import CountsByState
from errbar.data.engines.duckdb import quoted
from errbar.data.queries.expressions import (
    ColumnArrays,
    Columns,
    Frame,
    aggregates,
    aggregates_in_sql,
    column_of,
    fetch,
    flag,
    is_inconsistent,
    keys_in,
    name_text,
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
    cluster_codes,
    numbers_in,
    refuse_inconsistent_clusters,
    require_weights,
)
from errbar.data.queries.repeats import POWERS, is_doubtful, powers_of, refuse_repeats
from errbar.data.queries.tallies import statuses
from errbar.errors import InputError, NotThere

NEVER_SCORED = "no row of it was scored"  # reason for a missing score
COUNTED = ("trials", "scored", "right", "other", "unscored", "unexplained")
MOST_KEPT_ROWS = 200_000  # of a table whose questions a source keeps in memory
_MOST_ONES = 126  # larger trial numbers share a bit, which at worst costs a second query

_FAILURES = {"fail": "wrong", "missing": "missing"}
OneWayErrors = Literal["fail", "missing"]  # not both ways, as "bracket" counts them
_ABSENT: Integers = np.zeros(0, dtype=np.int64)

_State = tuple[str, float, tuple[int, ...]]  # cluster, weight, and the columns in `COUNTED`
_States = dict[_State, int]
_Ordered = list[tuple[_State, int]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Slice:
    """The questions of one system and task, or of a part of them, by their state."""

    key: tuple[str, ...]  # system, task, and the values of the columns in `by`
    trials: Integers  # rows of a question, without ungraded ones
    scored: Integers  # rows with a result
    right: Integers  # rows with result 1
    other: Integers  # rows with a result other than 0 and 1
    questions: Integers  # number of questions in this state
    by: tuple[str, ...] = ()  # additional grouping columns
    # cluster of the questions in each state, if there are clusters
    clusters: Integers | None = None
    named: int = 0  # named clusters; those numbered after them are single questions
    # Rows that were never graded, and rows without a result that no status explains.
    unscored: Integers = field(default_factory=lambda: _ABSENT)
    unexplained: Integers = field(default_factory=lambda: _ABSENT)
    weights: NDArray[np.float64] | None = None  # weight of the questions in each state

    def __post_init__(self) -> None:
        if self.unscored is _ABSENT:
            freeze(self, unscored=np.zeros_like(self.trials))
        if self.unexplained is _ABSENT:
            freeze(self, unexplained=self.trials - self.scored)

    def where(self, states: NDArray[np.bool_]) -> "Slice":
        """Select states by a mask."""
        names = [*COUNTED, "questions"]
        names += [name for name in ("clusters", "weights") if getattr(self, name) is not None]
        return replace(self, **{name: getattr(self, name)[states] for name in names})

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int((self.trials + self.unscored) @ self.questions)

    @property
    def failed(self) -> int:
        """Number of rows without a result, not counting ungraded rows."""
        return int((self.trials - self.scored) @ self.questions)

    @property
    def ungraded(self) -> int:
        """Number of rows that were never graded."""
        return int(self.unscored @ self.questions)

    @property
    def without_reason(self) -> int:
        """Number of rows without a result that no status explains."""
        return int(self.unexplained @ self.questions)

    @property
    def was_scored(self) -> bool:
        """Whether some row has a result, or a status explains every missing one."""
        return bool(self.scored.any()) or not (self.unscored.any() or self.unexplained.any())

    def tally(self, what: str) -> int:
        """Number of rows, questions, or a part of them, in the terms that a log may state."""
        return {
            "rows": self.rows,
            "questions": int(self.questions.sum()),
            "right": int(self.right @ self.questions),
            "failed": self.failed,
            "graded rows": int(self.scored @ self.questions),
            "graded questions": int(self.questions[self.scored > 0].sum()),
        }[what]

    @property
    def alone(self) -> int:
        """Number of questions without a cluster, if others have one."""
        if self.clusters is None:
            return 0
        return int(self.questions[self.clusters >= self.named].sum())

    @property
    def weighs(self) -> NDArray[np.bool_]:
        """Mask of the states with positive weight."""
        return np.ones(self.trials.size, dtype=bool) if self.weights is None else self.weights > 0

    @property
    def is_weighted(self) -> bool:
        """Whether questions differ in weight."""
        return self.weights is not None and bool((self.weights != self.weights[0]).any())

    @property
    def is_binary(self) -> bool:
        """Whether every result is 0 or 1."""
        return not self.other.any()

    def counts(self, errors: str) -> CountsByState:
        """Counts, with rows without a result counted as 'wrong', 'missing' or 'right'."""
        if errors == "missing":
            return CountsByState(
                self.scored, self.right, self.questions, self.clusters, self.weights
            )
        right = self.right + (self.trials - self.scored if errors == "right" else 0)
        return CountsByState(self.trials, right, self.questions, self.clusters, self.weights)


def failures_as(errors: str) -> str:
    """What rows without a result count as under a policy: 'fail' makes them wrong."""
    require_choice(errors, "errors", _FAILURES)
    return _FAILURES[errors]


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
        statuses(frame, columns)  # raises an error that names it
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
    return slices_of_states(table, by)


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
        right=flag(frame, value == 1),
        wrong=flag(frame, value == 0),
    )
    if "status" in columns:
        lost = value.is_null() & (nw.col("excused") == 0)
        rows = rows.with_columns(unexplained=one_if(lost))
    more = aggregates(properties)
    if number is None:
        questions = _count_rows(rows, names, sums, *more)
    elif frame.implementation.is_duckdb():
        questions = count_by_bits(rows, list(names), sums, aggregates_in_sql(properties))
    else:
        rows = rows.with_columns(**powers_of(nw.col("number")))
        place = nw.col("place")
        ends = (place.min().alias("first"), place.max().alias("last"))
        questions = _count_rows(rows, names, [*sums, *POWERS], *ends, *more)
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


def _count_rows(rows: Frame, names: Iterable[str], sums: Iterable[str], *more: nw.Expr) -> Frame:
    return rows.group_by(*names).agg(
        nw.len().alias("trials"),
        nw.col("outcome").count().alias("scored"),
        *(nw.col(name).sum() for name in sums),
        *more,
    )


def count_by_bits(
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


def by_state(questions: Frame) -> ColumnArrays:
    """Number of questions in each state."""
    states = [name for name in questions.collect_schema().names() if name != "question"]
    table = fetch(questions.group_by(*states).agg(nw.len().alias("questions")))
    if not table["questions"].size:
        raise NotThere("the data have no row; there is nothing to score.")
    return table


def slices_of_states(table: ColumnArrays, by: Sequence[str]) -> list[Slice]:
    """Slices from a table of states, sorted; with clusters, states are split by cluster."""
    keys = keys_in(table, by)
    clusters = (
        [name_text(value, "") for value in table["cluster"].tolist()] if "cluster" in table else []
    )
    together = any(clusters)  # an empty column counts as no column
    weights = numbers_in(table["weight"]).tolist() if "weight" in table else []
    if all(map(math.isnan, weights)):
        weights = []
    found: dict[tuple[str, ...], _States] = {}
    for key, cluster, weight, *state, n in zip(
        keys,
        clusters or [""] * len(keys),
        weights or [1.0] * len(keys),
        *(table[name].tolist() for name in (*COUNTED, "questions")),
        strict=True,
    ):
        states = found.setdefault(key, {})
        counted = cluster, weight, tuple(state)
        states[counted] = states.get(counted, 0) + n
    slice_of = _clustered_slice if together else _slice_of
    slices = [slice_of(key, sorted(found[key].items()), tuple(by)) for key in sorted(found)]
    return slices if weights else [replace(slice_, weights=None) for slice_ in slices]


def _slice_of(key: tuple[str, ...], states: _Ordered, by: tuple[str, ...]) -> Slice:
    rows = np.array([(*state, n) for (_, _, state), n in states], dtype=np.int64)
    *counts, questions = rows.T
    weights = np.array([weight for (_, weight, _), _ in states])
    counted = dict(zip(COUNTED, counts, strict=True))
    return Slice(key=key, questions=questions, by=by, weights=weights, **counted)


def _clustered_slice(key: tuple[str, ...], states: _Ordered, by: tuple[str, ...]) -> Slice:
    """Slice in which every question without a cluster is a separate entry."""
    entries = [
        entry for state, n in states for entry in ([(state, n)] if state[0] else [(state, 1)] * n)
    ]
    names = [name for (name, _, _), _ in entries]
    plain = _slice_of(key, entries, by)
    return replace(plain, clusters=cluster_codes(names), named=len({*names} - {""}))


def nameless_systems(slices: Sequence[Slice]) -> list[Above]:
    """Warning on rows that name no system while others do."""
    lost = [part for part in slices if not part.key[0]]
    if not lost or len(lost) == len(slices):
        return []
    rows, all_rows = (sum(part.rows for part in some) for some in (lost, slices))
    return [
        warning(
            f"{rows} of {all_rows} rows name no system, though others do: they are taken as one "
            f"system without a name."
        )
    ]


def without_cluster(slices: Sequence[Slice]) -> str:
    """Message on questions without a cluster while others have one; empty if there are none."""
    alone = sum(slice_.alone for slice_ in slices)
    all_questions = sum(int(slice_.questions.sum()) for slice_ in slices)
    if not alone:
        return ""
    return (
        f"{alone} of {all_questions} questions {have(alone)} no cluster; each counts as its own "
        f"cluster."
    )
