"""Counts per question, the sufficient statistics of repeated-sampling metrics.

`Counts` is right-or-wrong, `CategoryCounts` has one column per category. Both are frozen, keep
the ids of their questions and merge with `+`: trials of the same question add up, new questions
are appended. Metrics look at `States`: how many questions share the same counts.
"""

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arguments import cluster_numbers, freeze, integers, question_ids, scaled_weights
from errbar.base.arrays import Integers, are_same, refuse_adding, union_of
from errbar.errors import InputError

_TALLY_ROWS = 1 << 14  # rows converted to floats at a time
_DENSE_KEYS = 1 << 14  # up to here, or eight keys a row, a histogram is quicker than sorting


@dataclass(frozen=True, eq=False)
class Counts:
    """Number of trials and of correct trials per question.

    Examples
    --------
    >>> monday = Counts(trials=[4, 4], correct=[1, 3], questions=["q1", "q2"])
    >>> tuesday = Counts(trials=[2], correct=[2], questions=["q2"])
    >>> monday + tuesday
    Counts(trials=[4, 6], correct=[1, 5], questions=['q1', 'q2'])
    """

    trials: Integers
    correct: Integers
    questions: Sequence[Hashable]

    def __init__(
        self,
        trials: ArrayLike,
        correct: ArrayLike,
        questions: Sequence[Hashable] | None = None,
    ) -> None:
        n, c = integers(trials, "trials"), integers(correct, "correct")
        if n.shape != c.shape or n.ndim != 1:
            raise InputError(
                f"trials and correct must be lists of equal length; got shapes {n.shape} and "
                f"{c.shape}."
            )
        names = question_ids(questions, n.size)
        wrong = (c < 0) | (c > n)
        if wrong.any():
            at = int(np.argmax(wrong))
            raise InputError(
                f"correct must lie between 0 and trials; question {names[at]!r} has {c[at]} "
                f"correct of {n[at]} trials."
            )
        freeze(self, trials=n, correct=c, questions=names)

    def __len__(self) -> int:
        return self.trials.size

    def __add__(self, other: Self) -> "Counts":
        if not isinstance(other, Counts):
            return NotImplemented
        names, place = union_of(self.questions, other.questions)
        trials, correct = np.zeros((2, len(names)), dtype=np.int64)
        trials[: len(self)], correct[: len(self)] = self.trials, self.correct
        trials[place] += other.trials
        correct[place] += other.correct
        return Counts(trials, correct, names)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Counts)
            and list(self.questions) == list(other.questions)
            and np.array_equal(self.trials, other.trials)
            and np.array_equal(self.correct, other.correct)
        )

    def __repr__(self) -> str:
        return (
            f"Counts(trials={self.trials.tolist()}, correct={self.correct.tolist()}, "
            f"questions={list(self.questions)!r})"
        )

    @property
    def all_trials(self) -> int:
        """Total number of trials."""
        return int(self.trials.sum())

    def repeats(self) -> NDArray[np.float64]:
        """Number of questions that each entry represents."""
        return np.ones(self.trials.size)

    def masses(self) -> NDArray[np.float64]:
        """Weight of each entry in a mean over questions."""
        return self.repeats()

    def where(self, entries: NDArray[np.bool_]) -> "Counts":
        """Select questions."""
        names = [name for name, is_in in zip(self.questions, entries, strict=True) if is_in]
        return Counts(self.trials[entries], self.correct[entries], names)

    def categories(self) -> "CategoryCounts":
        """The counts as two categories, wrong and right."""
        return CategoryCounts(
            np.stack([self.trials - self.correct, self.correct], axis=1), self.questions
        )


@dataclass(frozen=True, eq=False)
class CountsByState(Counts):
    """Number of questions per distinct (trials, correct); questions have no ids.

    `clusters` is the cluster number of each entry; metrics pool entries of equal state across
    clusters. `weights` is the weight of a question of each entry, None for equal weights.

    Examples
    --------
    >>> len(CountsByState(trials=[4, 4], correct=[1, 3], often=[10, 20]))
    30
    """

    often: Integers
    clusters: Integers | None
    weights: NDArray[np.float64] | None

    def __init__(
        self,
        trials: ArrayLike,
        correct: ArrayLike,
        often: ArrayLike,
        clusters: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        super().__init__(trials, correct)
        together, number = cluster_numbers(clusters, self.trials.size), integers(often, "often")
        freeze(self, often=number, clusters=together, weights=scaled_weights(weights, number))

    def __len__(self) -> int:
        return int(self.often.sum())

    def __add__(self, other: Counts) -> "CountsByState":
        if not isinstance(other, CountsByState):
            return NotImplemented
        refuse_adding((self.clusters, other.clusters), (self.weights, other.weights))
        return CountsByState(
            np.concatenate([self.trials, other.trials]),
            np.concatenate([self.correct, other.correct]),
            np.concatenate([self.often, other.often]),
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CountsByState)
            and super().__eq__(other)
            and np.array_equal(self.often, other.often)
            and are_same(self.clusters, other.clusters)
            and are_same(self.weights, other.weights)
        )

    def where(self, entries: NDArray[np.bool_]) -> "CountsByState":
        """Select entries; they keep their clusters."""
        clusters = None if self.clusters is None else self.clusters[entries]
        weights = None if self.weights is None else self.weights[entries]
        often = self.often[entries]
        return CountsByState(self.trials[entries], self.correct[entries], often, clusters, weights)

    def __repr__(self) -> str:
        return f"CountsByState({len(self)} questions in {self.trials.size} states)"

    @property
    def all_trials(self) -> int:
        """Total number of trials."""
        return int(self.trials @ self.often)

    def repeats(self) -> NDArray[np.float64]:
        """Number of questions that each entry represents."""
        return self.often.astype(float)

    def masses(self) -> NDArray[np.float64]:
        """Weight of each entry in a mean over questions."""
        return self.repeats() if self.weights is None else self.often * self.weights


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """Number of trials per category: a row per question, a column per category.

    Examples
    --------
    >>> CategoryCounts([[1, 2, 2], [1, 2, 2]]).trials
    array([5, 5])
    """

    tally: Integers
    questions: Sequence[Hashable]
    clusters: Integers | None  # cluster number of each question
    weights: NDArray[np.float64] | None  # weight of each question; their mean is about 1

    def __init__(
        self,
        tally: ArrayLike,
        questions: Sequence[Hashable] | None = None,
        clusters: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        counts = integers(tally, "tally")
        if counts.ndim != 2 or counts.shape[1] < 2:
            raise InputError(
                f"tally must have a row per question and a column per category, two at least; "
                f"got shape {counts.shape}."
            )
        names = question_ids(questions, len(counts))
        if counts.size and counts.min() < 0:
            at = int(np.argmax((counts < 0).any(axis=1)))
            raise InputError(f"tally must not be negative; question {names[at]!r} is.")
        together = cluster_numbers(clusters, len(counts))
        weighed = scaled_weights(weights, np.ones(len(counts)))
        freeze(self, tally=counts, questions=names, clusters=together, weights=weighed)

    def __len__(self) -> int:
        return len(self.tally)

    @property
    def trials(self) -> Integers:
        """Trials per question."""
        return self.tally.sum(axis=1)

    @property
    def all_trials(self) -> int:
        """Total number of trials."""
        return int(self.tally.sum())

    def repeats(self) -> NDArray[np.float64]:
        """Number of questions that each entry represents."""
        return np.ones(len(self))

    def masses(self) -> NDArray[np.float64]:
        """Weight of each question in a mean over questions."""
        return self.repeats() if self.weights is None else self.weights

    def where(self, entries: NDArray[np.bool_]) -> "CategoryCounts":
        """Select questions; they keep their clusters."""
        names = [name for name, is_in in zip(self.questions, entries, strict=True) if is_in]
        clusters = None if self.clusters is None else self.clusters[entries]
        weights = None if self.weights is None else self.weights[entries]
        return CategoryCounts(self.tally[entries], names, clusters, weights)

    def __add__(self, other: Self) -> "CategoryCounts":
        if not isinstance(other, CategoryCounts):
            return NotImplemented
        refuse_adding((self.clusters, other.clusters), (self.weights, other.weights))
        own_categories, other_categories = self.tally.shape[1], other.tally.shape[1]
        if own_categories != other_categories:
            raise InputError(
                f"cannot add counts of {own_categories} categories and of {other_categories}."
            )
        names, place = union_of(self.questions, other.questions)
        tally = np.zeros((len(names), own_categories), dtype=np.int64)
        tally[: len(self)] = self.tally
        tally[place] += other.tally
        return CategoryCounts(tally, names)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CategoryCounts)
            and list(self.questions) == list(other.questions)
            and np.array_equal(self.tally, other.tally)
            and are_same(self.clusters, other.clusters)
            and are_same(self.weights, other.weights)
        )

    def __repr__(self) -> str:
        return f"CategoryCounts({self.tally.tolist()}, questions={list(self.questions)!r})"


class States(NamedTuple):
    """The distinct (trials, correct) of several systems, and the number of questions in each.

    `questions` has a row per system and a column per state; `total` is the sum of each row. With
    weights, both are sums of weights. The cost of a metric depends only on the number of states,
    not on the number of systems and questions.
    """

    trials: Integers
    correct: Integers
    questions: NDArray[np.float64]
    total: NDArray[np.float64]

    @classmethod
    def of(cls, systems: Sequence[Counts]) -> Self:
        """Pool the states of `systems`."""
        if len(systems) == 1:
            counts = sort_for_rounding(systems[0])
            masses = counts.masses() if isinstance(counts, CountsByState) else None
            (trials, correct), often = distinct_rows(counts.trials, counts.correct, often=masses)
            total = float(len(counts)) if weights_of(counts) is None else float(often.sum())
            return cls(trials, correct, often[None, :], np.array([total]))
        owner = np.repeat(np.arange(len(systems)), [counts.trials.size for counts in systems])
        (trials, correct, owner), often = distinct_rows(
            np.concatenate([counts.trials for counts in systems]),
            np.concatenate([counts.correct for counts in systems]),
            owner,
            often=np.concatenate([counts.masses() for counts in systems]),
        )
        new = np.concatenate([[True], (np.diff(trials) != 0) | (np.diff(correct) != 0)])
        table = np.zeros((len(systems), int(new.sum())))
        table[owner, np.cumsum(new) - 1] = often
        return cls(trials[new], correct[new], table, table.sum(axis=1))


class Tally(NamedTuple):
    """Category counts of one system: the distinct rows, and the number of questions per row."""

    rows: Integers
    often: NDArray[np.float64]

    @classmethod
    def of(cls, counts: Counts | CategoryCounts) -> Self:
        """The distinct rows of `counts`, sorted: question order must not affect rounding."""
        if isinstance(counts, Counts):
            return cls.of_states(States.of([counts]))
        tally, weights = counts.tally, counts.weights
        if weights is not None:
            order = np.lexsort((*tally.T, weights))
            tally, weights = tally[order], weights[order]
        columns, often = distinct_rows(*tally.T, often=weights)
        return cls(np.stack(columns, axis=1), often)

    @classmethod
    def of_states(cls, states: States) -> Self:
        """The states of a single system as two categories, wrong and right."""
        rows = np.array([states.trials - states.correct, states.correct]).T
        return cls(rows, states.questions[0])

    @property
    def questions(self) -> float:
        """Number of questions."""
        return float(self.often.sum())

    def parts(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Blocks of rows as floats, with their multiplicities."""
        for start in range(0, len(self.rows), _TALLY_ROWS):
            part = slice(start, start + _TALLY_ROWS)
            yield self.rows[part].astype(float), self.often[part]


def weights_of(counts: Counts | CategoryCounts) -> NDArray[np.float64] | None:
    """Weight of a question of each entry, or None if all weights are equal."""
    return counts.weights if isinstance(counts, CountsByState | CategoryCounts) else None


def sort_for_rounding(counts: Counts) -> Counts:
    """Sort weighted counts, so that rounding depends neither on question order nor on pooling."""
    if not isinstance(counts, CountsByState) or counts.weights is None:
        return counts
    clusters = counts.clusters if counts.clusters is not None else np.zeros_like(counts.often)
    table = np.stack([clusters, counts.weights, counts.trials, counts.correct], axis=1)
    rows, place = np.unique(table, axis=0, return_inverse=True)
    together, weights, trials, correct = rows.T
    return CountsByState(
        trials.astype(np.int64),
        correct.astype(np.int64),
        np.bincount(place.ravel(), counts.often).astype(np.int64),
        None if counts.clusters is None else together.astype(np.int64),
        weights,
    )


def distinct_rows(
    *columns: Integers, often: NDArray[np.float64] | None = None
) -> tuple[tuple[Integers, ...], NDArray[np.float64]]:
    """Distinct rows of `columns`, sorted, and how often each occurs; `often` counts given rows."""
    low = [int(column.min()) for column in columns]
    spans = [int(column.max()) - least + 1 for column, least in zip(columns, low, strict=True)]
    if math.prod(spans) <= max(_DENSE_KEYS, 8 * columns[0].size):
        key = np.zeros(1, dtype=np.int64)
        for column, least, span in zip(columns, low, spans, strict=True):
            if span > 1:
                key = key * span + (column - least if least else column)
        if key.size < columns[0].size:  # no column varies
            key = np.zeros(columns[0].size, dtype=np.int64)
        count = np.bincount(key, weights=often)
        there = count.nonzero()[0]
        rows = [row + least for row, least in zip(np.unravel_index(there, spans), low, strict=True)]
        return tuple(rows), count[there].astype(float)
    table, member = np.unique(np.stack(columns), axis=1, return_inverse=True)
    return tuple(table), np.bincount(member, weights=often).astype(float)
