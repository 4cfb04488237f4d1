"""Questions of a system and task by their state, and by name where systems are compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import freeze
from errbar.base.arrays import Integers
from errbar.base.remarks import have
from errbar.data.counts import CountsByState
from errbar.data.queries.expressions import Frame, Table, called, fetch, keys_in
from errbar.data.queries.properties import numbered, numbers_in
from errbar.errors import InputError, NotThere

NEVER_SCORED = "no row of it was scored"  # reason for a missing score
COUNTED = ("trials", "scored", "right", "other", "unscored", "unexplained")
MOST_KEPT_ROWS = 200_000  # of a table whose questions a source keeps in memory

_FAILURES = {"fail": "wrong", "missing": "missing"}
_ABSENT: Integers = np.zeros(0, dtype=np.int64)

_State = tuple[str, float, tuple[int, ...]]  # cluster, weight, and what COUNTED says
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
        """Number of rows, questions, right rows or failed rows, as a log may state it."""
        return {
            "rows": self.rows,
            "questions": int(self.questions.sum()),
            "right": int(self.right @ self.questions),
            "failed": self.failed,
        }[what]

    @property
    def alone(self) -> int:
        """Number of questions without a cluster while others have one."""
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
    """What rows without a result are counted as under a policy: 'fail' makes them wrong."""
    if errors not in _FAILURES:
        raise InputError(f"errors must be 'fail' or 'missing'; got {errors!r}.")
    return _FAILURES[errors]


class Results(NamedTuple):
    """Distinct results of a slice, and how often each question has them."""

    values: list[float]
    counts: Integers  # a row per question, a column per value
    failed: Integers  # rows of each question without a result
    clusters: Integers | None = None  # cluster number of each question
    questions: tuple[str, ...] = ()  # question ids, if there are any
    weights: NDArray[np.float64] | None = None  # weight of each question


def by_state(questions: Frame) -> Table:
    """Number of questions in each state."""
    states = [name for name in questions.collect_schema().names() if name != "question"]
    table = fetch(questions.group_by(*states).agg(nw.len().alias("questions")))
    if not table["questions"].size:
        raise NotThere("the data have no row; there is nothing to score.")
    return table


def sliced(table: Table, by: Sequence[str]) -> list[Slice]:
    """Slices from a table of states, sorted; with clusters, states are split by cluster."""
    keys = keys_in(table, by)
    clusters = (
        [called(value, "") for value in table["cluster"].tolist()] if "cluster" in table else []
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
    return replace(plain, clusters=numbered(names), named=len({*names} - {""}))


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


Key = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Named:
    """The questions of one system and task; the slice has an entry for each."""

    questions: tuple[str, ...]
    slice: Slice
    clusters: tuple[str, ...]  # cluster of each question; empty without one

    def where(self, some: NDArray[np.bool_]) -> "Named":
        """Select questions by a mask."""

        def kept(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name, is_in in zip(names, some, strict=True) if is_in)

        return Named(kept(self.questions), self.slice.where(some), kept(self.clusters))


class _QuestionRow(NamedTuple):
    counts: tuple[int, ...]  # what COUNTED says
    cluster: str
    weight: float


_NOTHING = _QuestionRow((0,) * len(COUNTED), "", math.nan)


def named_in(table: Table) -> dict[Key, Named]:
    """Questions of each system and task, from a table with a row per question; sorted by name."""
    keys = keys_in(table, ())
    clusters = table["cluster"].tolist() if "cluster" in table else [None] * len(keys)
    weights = numbers_in(table["weight"]).tolist() if "weight" in table else [math.nan] * len(keys)
    counts = zip(*(table[name].tolist() for name in COUNTED), strict=True)
    found: dict[Key, dict[str, _QuestionRow]] = {}
    for key, question, cluster, weight, state in zip(
        keys, table["question"].tolist(), clusters, weights, counts, strict=True
    ):
        questions = found.setdefault(key, {})
        before = questions.get(question, _NOTHING)  # null and "" are the same system
        whole = tuple(a + b for a, b in zip(before.counts, state, strict=True))
        questions[question] = _QuestionRow(whole, called(cluster, ""), weight)
    return {key: _named(key, found[key]) for key in sorted(found)}


def _named(key: Key, questions: dict[str, _QuestionRow]) -> Named:
    names = tuple(sorted(questions))
    counts = np.array([questions[name].counts for name in names], dtype=np.int64)
    once = np.ones(len(names), dtype=np.int64)
    weights = np.array([questions[name].weight for name in names])
    each = Slice(
        key=key,
        questions=once,
        weights=None if np.isnan(weights).all() else weights,
        **dict(zip(COUNTED, counts.T, strict=True)),
    )
    clusters = tuple(questions[name].cluster for name in names)
    return Named(names, each, clusters)
