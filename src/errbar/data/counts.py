"""Counts per question: all that a repeated-sampling metric needs to know of the data.

`Counts` is right-or-wrong, `CategoryCounts` has one column per category. Both are frozen, keep
the ids of their questions and merge with `+`: trials of the same question add up, new questions
are appended. Metrics look at `States`: how many questions share the same counts.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.base.arguments import (
    are_same_clusters,
    are_same_weights,
    cluster_numbers,
    freeze,
    question_ids,
    refuse_clusters,
    refuse_weighted,
    scaled_weights,
    union_of,
    whole,
)
from errbar.base.arrays import Integers
from errbar.errors import InputError
from errbar.kernels.sorting import distinct_rows

_TALLY_ROWS = 1 << 14  # rows that are turned into floats at a time


@dataclass(frozen=True, eq=False)
class Counts:
    """How many trials each question had, and how many were right.

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
        n, c = whole(trials, "trials"), whole(correct, "correct")
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
        """Of all questions together."""
        return int(self.trials.sum())

    def repeats(self) -> NDArray[np.float64]:
        """How many questions each entry stands for."""
        return np.ones(self.trials.size)

    def masses(self) -> NDArray[np.float64]:
        """How much each entry counts in a mean over questions."""
        return self.repeats()

    def where(self, entries: NDArray[np.bool_]) -> "Counts":
        """Some of the questions."""
        names = [name for name, held in zip(self.questions, entries, strict=True) if held]
        return Counts(self.trials[entries], self.correct[entries], names)

    def categories(self) -> "CategoryCounts":
        """The same counts as two categories, wrong and right."""
        return CategoryCounts(
            np.stack([self.trials - self.correct, self.correct], axis=1), self.questions
        )


@dataclass(frozen=True, eq=False)
class CountsByState(Counts):
    """Counts where questions with the same trials and right ones are counted, not named.

    `clusters` numbers what the questions of each entry belong to; metrics pool entries of the same
    state, whatever their cluster. `weights` says how much a question of each entry counts: None
    where all count alike.

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
        together, number = cluster_numbers(clusters, self.trials.size), whole(often, "often")
        freeze(self, often=number, clusters=together, weights=scaled_weights(weights, number))

    def __len__(self) -> int:
        return int(self.often.sum())

    def __add__(self, other: Counts) -> "CountsByState":
        if not isinstance(other, CountsByState):
            return NotImplemented
        refuse_clusters(self.clusters, other.clusters)
        refuse_weighted(self.weights, other.weights)
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
            and are_same_clusters(self.clusters, other.clusters)
            and are_same_weights(self.weights, other.weights)
        )

    def where(self, entries: NDArray[np.bool_]) -> "CountsByState":
        """Some of the entries, in the clusters that they were in."""
        clusters = None if self.clusters is None else self.clusters[entries]
        weights = None if self.weights is None else self.weights[entries]
        often = self.often[entries]
        return CountsByState(self.trials[entries], self.correct[entries], often, clusters, weights)

    def __repr__(self) -> str:
        return f"CountsByState({len(self)} questions in {self.trials.size} states)"

    @property
    def all_trials(self) -> int:
        """Of all questions together."""
        return int(self.trials @ self.often)

    def repeats(self) -> NDArray[np.float64]:
        """How many questions each entry stands for."""
        return self.often.astype(float)

    def masses(self) -> NDArray[np.float64]:
        """How much each entry counts in a mean over questions."""
        return self.repeats() if self.weights is None else self.often * self.weights


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """How many trials of each question fell into each category: a row per question.

    Examples
    --------
    >>> CategoryCounts([[1, 2, 2], [1, 2, 2]]).trials
    array([5, 5])
    """

    tally: Integers
    questions: Sequence[Hashable]
    clusters: Integers | None  # of each question, by number
    weights: NDArray[np.float64] | None  # of each question, with a mean near 1

    def __init__(
        self,
        tally: ArrayLike,
        questions: Sequence[Hashable] | None = None,
        clusters: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        counts = whole(tally, "tally")
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
        """Of all questions together."""
        return int(self.tally.sum())

    def repeats(self) -> NDArray[np.float64]:
        """How many questions each entry stands for."""
        return np.ones(len(self))

    def masses(self) -> NDArray[np.float64]:
        """How much each question counts in a mean over them."""
        return self.repeats() if self.weights is None else self.weights

    def where(self, entries: NDArray[np.bool_]) -> "CategoryCounts":
        """Some of the questions, in the clusters that they were in."""
        names = [name for name, held in zip(self.questions, entries, strict=True) if held]
        clusters = None if self.clusters is None else self.clusters[entries]
        weights = None if self.weights is None else self.weights[entries]
        return CategoryCounts(self.tally[entries], names, clusters, weights)

    def __add__(self, other: Self) -> "CategoryCounts":
        if not isinstance(other, CategoryCounts):
            return NotImplemented
        refuse_clusters(self.clusters, other.clusters)
        refuse_weighted(self.weights, other.weights)
        if self.tally.shape[1] != other.tally.shape[1]:
            raise InputError(
                f"cannot add counts of {self.tally.shape[1]} categories and of "
                f"{other.tally.shape[1]}."
            )
        names, place = union_of(self.questions, other.questions)
        tally = np.zeros((len(names), self.tally.shape[1]), dtype=np.int64)
        tally[: len(self)] = self.tally
        tally[place] += other.tally
        return CategoryCounts(tally, names)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CategoryCounts)
            and list(self.questions) == list(other.questions)
            and np.array_equal(self.tally, other.tally)
            and are_same_clusters(self.clusters, other.clusters)
            and are_same_weights(self.weights, other.weights)
        )

    def __repr__(self) -> str:
        return f"CategoryCounts({self.tally.tolist()}, questions={list(self.questions)!r})"


class States(NamedTuple):
    """The distinct (trials, correct) of several systems, and how many questions are in each.

    `questions` has a row per system and a column per state, `total` is its sum for each system.
    Where questions have weights, it is these that are added up.
    What a metric costs depends on the number of states alone, however many systems and questions
    share them.
    """

    trials: Integers
    correct: Integers
    questions: NDArray[np.float64]
    total: NDArray[np.float64]

    @classmethod
    def of(cls, systems: Sequence[Counts]) -> Self:
        """Pool the states of `systems`."""
        if len(systems) == 1:
            counts = in_order(systems[0])
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
    """Counts by category of one system: rows, and how many questions each stands for."""

    rows: Integers
    often: NDArray[np.float64]

    @classmethod
    def of(cls, counts: Counts | CategoryCounts) -> Self:
        """The distinct rows of `counts` in their order: that of questions decides no rounding."""
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
        """Wrong and right of a single system's states."""
        rows = np.array([states.trials - states.correct, states.correct]).T
        return cls(rows, states.questions[0])

    @property
    def questions(self) -> float:
        """How many there are."""
        return float(self.often.sum())

    def parts(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Rows as floats and how often they occur, some at a time."""
        for start in range(0, len(self.rows), _TALLY_ROWS):
            part = slice(start, start + _TALLY_ROWS)
            yield self.rows[part].astype(float), self.often[part]


def weights_of(counts: Counts | CategoryCounts) -> NDArray[np.float64] | None:
    """The weight of a question of each entry, where they differ."""
    return counts.weights if isinstance(counts, CountsByState | CategoryCounts) else None


def unweighted(counts: Counts) -> Counts:
    """The same counts, every question with the same weight."""
    if not isinstance(counts, CountsByState) or counts.weights is None:
        return counts
    return CountsByState(counts.trials, counts.correct, counts.often, counts.clusters)


def in_order(counts: Counts) -> Counts:
    """With weights: so that neither the order of questions nor pooling decides how sums round."""
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
