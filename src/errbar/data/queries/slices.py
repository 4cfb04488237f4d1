"""Questions of a system and task by their state, and by name where systems are compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import freeze
from errbar.base.arrays import Integers
from errbar.data.counts import CountsByState
from errbar.data.expressions import Frame, Table, called, fetch, keys_in
from errbar.data.queries.weights import numbers_in
from errbar.errors import InputError, NotThere

NEVER_SCORED = "no row of it was scored"  # the reason where there is no score
COUNTED = ("trials", "scored", "right", "other", "unscored", "unexplained")

_FAILURES = {"fail": "wrong", "missing": "missing"}
_ABSENT: Integers = np.zeros(0, dtype=np.int64)

_State = tuple[str, float, tuple[int, ...]]  # cluster, weight, and what COUNTED says
_States = dict[_State, int]
_Ordered = list[tuple[_State, int]]


@dataclass(frozen=True, eq=False)
class Slice:
    """The questions of one system and task, or of a part of them, by their state."""

    key: tuple[str, ...]  # system, task, and the value of each column that was grouped by
    trials: Integers  # rows of a question, but for those that nobody graded
    scored: Integers  # those with a result
    right: Integers  # those whose result is 1
    other: Integers  # those whose result is neither 0 nor 1
    questions: Integers  # how many questions are in this state
    by: tuple[str, ...] = ()  # the columns that were grouped by
    clusters: Integers | None = None  # of the questions in each state, where there are any
    named: int = 0  # clusters with a name; those numbered after them are one question each
    # Rows of a question that nobody graded, and those without a result that no status explains.
    unscored: Integers = field(default_factory=lambda: _ABSENT)
    unexplained: Integers = field(default_factory=lambda: _ABSENT)
    weights: NDArray[np.float64] | None = None  # of the questions in each state, if they have any

    def __post_init__(self) -> None:
        if self.unscored is _ABSENT:
            freeze(self, unscored=np.zeros_like(self.trials))
        if self.unexplained is _ABSENT:
            freeze(self, unexplained=self.trials - self.scored)

    def where(self, states: NDArray[np.bool_]) -> "Slice":
        """Some of the states."""
        names = [*COUNTED, "questions"]
        names += [name for name in ("clusters", "weights") if getattr(self, name) is not None]
        return replace(self, **{name: getattr(self, name)[states] for name in names})

    @property
    def rows(self) -> int:
        """All of them."""
        return int((self.trials + self.unscored) @ self.questions)

    @property
    def failed(self) -> int:
        """Rows without a result, but for those that nobody graded."""
        return int((self.trials - self.scored) @ self.questions)

    @property
    def ungraded(self) -> int:
        """Rows that nobody graded."""
        return int(self.unscored @ self.questions)

    @property
    def without_reason(self) -> int:
        """Rows without a result that no status explains."""
        return int(self.unexplained @ self.questions)

    @property
    def was_scored(self) -> bool:
        """Whether a row has a result, or a status says of each why it has none."""
        return bool(self.scored.any()) or not (self.unscored.any() or self.unexplained.any())

    def tally(self, what: str) -> int:
        """How many rows, questions, right rows or failed rows there are: what a log may state."""
        return {
            "rows": self.rows,
            "questions": int(self.questions.sum()),
            "right": int(self.right @ self.questions),
            "failed": self.failed,
        }[what]

    @property
    def alone(self) -> int:
        """Questions that name no cluster though others do: each is one of its own."""
        if self.clusters is None:
            return 0
        return int(self.questions[self.clusters >= self.named].sum())

    @property
    def weighs(self) -> NDArray[np.bool_]:
        """Which states are of questions that weigh something."""
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
        """Counts, with rows without a result taken as 'wrong', 'missing' or 'right'."""
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
    """The results that occur in a slice, and how often each question has them."""

    values: list[float]
    counts: Integers  # a row per question, a column per value
    failed: Integers  # rows of each question without a result
    clusters: Integers | None = None  # of each question, numbered as in its slice
    questions: tuple[str, ...] = ()  # by name, where they have one
    weights: NDArray[np.float64] | None = None  # of each question, if they have any


def by_state(questions: Frame) -> Table:
    """How many questions are in each state."""
    states = [name for name in questions.collect_schema().names() if name != "question"]
    table = fetch(questions.group_by(*states).agg(nw.len().alias("questions")))
    if not table["questions"].size:
        raise NotThere("the data have no row; there is nothing to score.")
    return table


def sliced(table: Table, by: Sequence[str]) -> list[Slice]:
    """States of each slice, in an order of their own; with clusters, those of each cluster."""
    keys = keys_in(table, by)
    clusters = (
        [called(value, "") for value in table["cluster"].tolist()] if "cluster" in table else []
    )
    together = any(clusters)  # a column without a single name is as good as none
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
    return Slice(key, questions=questions, by=by, weights=weights, **counted)


def _clustered_slice(key: tuple[str, ...], states: _Ordered, by: tuple[str, ...]) -> Slice:
    """Every question without a cluster is an entry, as it is a cluster."""
    entries = [
        entry for state, n in states for entry in ([(state, n)] if state[0] else [(state, 1)] * n)
    ]
    names = [name for (name, _, _), _ in entries]
    plain = _slice_of(key, entries, by)
    return replace(plain, clusters=numbered(names), named=len({*names} - {""}))


def without_cluster(slices: Sequence[Slice]) -> str:
    """How many questions name no cluster though others do, in words; empty if there is none."""
    alone = sum(slice_.alone for slice_ in slices)
    all_questions = sum(int(slice_.questions.sum()) for slice_ in slices)
    if not alone:
        return ""
    return f"{alone} of {all_questions} questions name no cluster: each is one of its own."


def numbered(clusters: Sequence[str]) -> Integers:
    """Clusters by number, in order of their names; without a name, each has one after those.

    Examples
    --------
    >>> numbered(["b", "", "a", "b", ""])
    array([1, 2, 0, 1, 3])
    """
    names = {name: at for at, name in enumerate(sorted({*clusters} - {""}))}
    free = count(len(names))
    return np.array(
        [names[cluster] if cluster else next(free) for cluster in clusters], dtype=np.int64
    )


Key = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Named:
    """The questions of one system and task, an entry of the slice for each."""

    questions: tuple[str, ...]
    slice: Slice
    clusters: tuple[str, ...]  # of each question; empty where it is in none

    def where(self, some: NDArray[np.bool_]) -> "Named":
        """Some of the questions."""

        def kept(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name, held in zip(names, some, strict=True) if held)

        return Named(kept(self.questions), self.slice.where(some), kept(self.clusters))


class _Row(NamedTuple):
    counts: tuple[int, ...]  # what COUNTED says
    cluster: str
    weight: float


_NOTHING = _Row((0,) * len(COUNTED), "", math.nan)


def named_in(table: Table) -> dict[Key, Named]:
    """Each system and task of a table with a row per question, in order of their names."""
    keys = keys_in(table, ())
    clusters = table["cluster"].tolist() if "cluster" in table else [None] * len(keys)
    weights = numbers_in(table["weight"]).tolist() if "weight" in table else [math.nan] * len(keys)
    counts = zip(*(table[name].tolist() for name in COUNTED), strict=True)
    found: dict[Key, dict[str, _Row]] = {}
    for key, question, cluster, weight, state in zip(
        keys, table["question"].tolist(), clusters, weights, counts, strict=True
    ):
        questions = found.setdefault(key, {})
        before = questions.get(question, _NOTHING)  # a system may be called null and nothing
        whole = tuple(a + b for a, b in zip(before.counts, state, strict=True))
        questions[question] = _Row(whole, called(cluster, ""), weight)
    return {key: _named(key, found[key]) for key in sorted(found)}


def _named(key: Key, questions: dict[str, _Row]) -> Named:
    names = tuple(sorted(questions))
    counts = np.array([questions[name].counts for name in names], dtype=np.int64)
    once = np.ones(len(names), dtype=np.int64)
    weights = np.array([questions[name].weight for name in names])
    each = Slice(
        key,
        questions=once,
        weights=None if np.isnan(weights).all() else weights,
        **dict(zip(COUNTED, counts.T, strict=True)),
    )
    clusters = tuple(questions[name].cluster for name in names)
    return Named(names, each, clusters)
