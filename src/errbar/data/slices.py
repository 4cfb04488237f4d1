"""Questions of a system and task by their state: what every count metric is computed from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.data.rows import Frame, Table, called, fetch
from errbar.data.statistics import CountsByState
from errbar.errors import InputError

Integers = NDArray[np.int64]
COUNTED = ("trials", "scored", "right", "other")


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
        names = (*COUNTED, "questions")
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


class Results(NamedTuple):
    """The results that occur in a slice, and how often each question has them."""

    values: list[float]
    counts: Integers  # a row per question, a column per value
    failed: Integers  # rows of each question without a result


def by_state(questions: Frame) -> Table:
    """How many questions are in each state."""
    states = [name for name in questions.collect_schema().names() if name != "question"]
    table = fetch(questions.group_by(*states).agg(nw.len().alias("questions")))
    if not table["questions"].size:
        raise InputError("the data have no row; there is nothing to score.")
    return table


def keys_in(table: Table, by: Sequence[str]) -> list[tuple[str, ...]]:
    """System, task and the values that were grouped by, of each row."""
    rows = range(len(next(iter(table.values()))))
    parts = [
        [called(value, "") for value in table[name].tolist()] if name in table else [""] * len(rows)
        for name in ("system", "task")
    ]
    parts += [
        [called(value, "(none)") for value in table[f"by {at}"].tolist()] for at in range(len(by))
    ]
    return list(zip(*parts, strict=True))


def sliced(table: Table, by: Sequence[str]) -> list[Slice]:
    """States of each slice, in an order of their own."""
    found: dict[tuple[str, ...], dict[tuple[int, ...], int]] = {}
    for key, *state, n in zip(
        keys_in(table, by),
        *(table[name].tolist() for name in (*COUNTED, "questions")),
        strict=True,
    ):
        states = found.setdefault(key, {})
        counted = tuple(state)
        states[counted] = states.get(counted, 0) + n
    return [_slice_of(key, states, tuple(by)) for key, states in sorted(found.items())]


def _slice_of(
    key: tuple[str, ...], states: dict[tuple[int, ...], int], by: tuple[str, ...]
) -> Slice:
    rows = np.array([(*state, n) for state, n in sorted(states.items())], dtype=np.int64)
    trials, scored, right, other, questions = rows.T
    return Slice(key, trials, scored, right, other, questions, by)
