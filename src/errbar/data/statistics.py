"""Counts per question: all that a repeated-sampling metric needs to know of the data.

`Counts` is right-or-wrong, `CategoryCounts` has one column per category. Both are frozen, keep
the ids of their questions and merge with `+`: trials of the same question add up, new questions
are appended. Metrics look at `States`: how many questions share the same counts.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errbar.data.frozen import freeze
from errbar.errors import InputError, NotEnoughTrials, WrongType

Integers = NDArray[np.int64]

_TALLY_ROWS = 1 << 14  # rows that are turned into floats at a time
_DENSE_KEYS = 1 << 14  # up to here, or eight keys a row, a histogram is quicker than sorting


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
        n, c = _whole(trials, "trials"), _whole(correct, "correct")
        if n.shape != c.shape or n.ndim != 1:
            raise InputError(
                f"trials and correct must be lists of equal length; got shapes {n.shape} and "
                f"{c.shape}."
            )
        names = _names(questions, n.size)
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
        names, place = _union(self.questions, other.questions)
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

    def categories(self) -> "CategoryCounts":
        """The same counts as two categories, wrong and right."""
        return CategoryCounts(
            np.stack([self.trials - self.correct, self.correct], axis=1), self.questions
        )


@dataclass(frozen=True, eq=False)
class CountsByState(Counts):
    """Counts where questions with the same trials and right ones are counted, not named.

    Examples
    --------
    >>> len(CountsByState(trials=[4, 4], correct=[1, 3], often=[10, 20]))
    30
    """

    often: Integers

    def __init__(self, trials: ArrayLike, correct: ArrayLike, often: ArrayLike) -> None:
        super().__init__(trials, correct)
        freeze(self, often=_whole(often, "often"))

    def __len__(self) -> int:
        return int(self.often.sum())

    def __add__(self, other: Counts) -> "CountsByState":
        if not isinstance(other, CountsByState):
            return NotImplemented
        return CountsByState(
            np.concatenate([self.trials, other.trials]),
            np.concatenate([self.correct, other.correct]),
            np.concatenate([self.often, other.often]),
        )

    def __repr__(self) -> str:
        return f"CountsByState({len(self)} questions in {self.trials.size} states)"

    @property
    def all_trials(self) -> int:
        """Of all questions together."""
        return int(self.trials @ self.often)

    def repeats(self) -> NDArray[np.float64]:
        """How many questions each entry stands for."""
        return self.often.astype(float)


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

    def __init__(self, tally: ArrayLike, questions: Sequence[Hashable] | None = None) -> None:
        counts = _whole(tally, "tally")
        if counts.ndim != 2 or counts.shape[1] < 2:
            raise InputError(
                f"tally must have a row per question and a column per category, two at least; "
                f"got shape {counts.shape}."
            )
        names = _names(questions, len(counts))
        if counts.size and counts.min() < 0:
            at = int(np.argmax((counts < 0).any(axis=1)))
            raise InputError(f"tally must not be negative; question {names[at]!r} is.")
        freeze(self, tally=counts, questions=names)

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

    def __add__(self, other: Self) -> "CategoryCounts":
        if not isinstance(other, CategoryCounts):
            return NotImplemented
        if self.tally.shape[1] != other.tally.shape[1]:
            raise InputError(
                f"cannot add counts of {self.tally.shape[1]} categories and of "
                f"{other.tally.shape[1]}."
            )
        names, place = _union(self.questions, other.questions)
        tally = np.zeros((len(names), self.tally.shape[1]), dtype=np.int64)
        tally[: len(self)] = self.tally
        tally[place] += other.tally
        return CategoryCounts(tally, names)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, CategoryCounts)
            and list(self.questions) == list(other.questions)
            and np.array_equal(self.tally, other.tally)
        )

    def __repr__(self) -> str:
        return f"CategoryCounts({self.tally.tolist()}, questions={list(self.questions)!r})"


class States(NamedTuple):
    """The distinct (trials, correct) of several systems, and how many questions are in each.

    `questions` has a row per system and a column per state, `total` is its sum for each system.
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
            repeats = systems[0].repeats() if isinstance(systems[0], CountsByState) else None
            (trials, correct), often = distinct(
                systems[0].trials, systems[0].correct, often=repeats
            )
            return cls(trials, correct, often[None, :], np.array([float(len(systems[0]))]))
        owner = np.repeat(np.arange(len(systems)), [counts.trials.size for counts in systems])
        (trials, correct, owner), often = distinct(
            np.concatenate([counts.trials for counts in systems]),
            np.concatenate([counts.correct for counts in systems]),
            owner,
            often=np.concatenate([counts.repeats() for counts in systems]),
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
        """The rows of `counts`."""
        if isinstance(counts, Counts):
            return cls.of_states(States.of([counts]))
        return cls(counts.tally, np.ones(len(counts)))

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


def distinct(
    *columns: Integers, often: NDArray[np.float64] | None = None
) -> tuple[tuple[Integers, ...], NDArray[np.float64]]:
    """Distinct rows of `columns` in their order, and how often each occurs.

    `often` says how many each given row stands for; without it, each stands for one.
    """
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
        held = count.nonzero()[0]
        rows = [row + least for row, least in zip(np.unravel_index(held, spans), low, strict=True)]
        return tuple(rows), count[held].astype(float)
    table, member = np.unique(np.stack(columns), axis=1, return_inverse=True)
    return tuple(table), np.bincount(member, weights=often).astype(float)


def require_trials(counts: Counts | CategoryCounts, k: int, metric: object) -> None:
    """Refuse questions with fewer than `k` trials."""
    trials = counts.trials
    if not trials.size:
        raise InputError(f"{metric} was asked of no question at all.")
    if trials.min() >= k:
        return
    short = trials < k
    at = int(np.argmax(short))
    some = (
        f"one has {trials[at]}"
        if isinstance(counts, CountsByState)
        else f"question {counts.questions[at]!r} has {trials[at]}"
    )
    raise NotEnoughTrials(
        f"{metric} draws {k} of a question's trials; {int(short @ counts.repeats())} of "
        f"{len(counts)} questions have fewer ({some}). Lower k to at most {trials.min()}, or "
        f"collect more trials."
    )


def _whole(values: ArrayLike, name: str) -> Integers:
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise WrongType(f"{name} is a masked array with masked entries; leave those questions out.")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} must be rows of equal length; NumPy says: {error}.") from error
    if array.size and array.dtype.kind not in "iu":
        raise WrongType(f"{name} must hold whole numbers; got {array.dtype} values.")
    return array.astype(np.int64)


def _names(questions: Sequence[Hashable] | None, size: int) -> Sequence[Hashable]:
    if questions is None or isinstance(questions, range):
        return range(size)
    if len(questions) != size:
        raise InputError(f"{len(questions)} question ids were given for {size} questions.")
    if len(set(questions)) != size:
        twice, times = Counter(questions).most_common(1)[0]
        raise InputError(f"question ids must differ; {twice!r} occurs {times} times.")
    return tuple(questions)


def _union(
    mine: Sequence[Hashable], theirs: Sequence[Hashable]
) -> tuple[Sequence[Hashable], Integers]:
    """Mine and then what is new of theirs, and where each of theirs stands in that."""
    if isinstance(mine, range) and isinstance(theirs, range):
        return range(max(len(mine), len(theirs))), np.arange(len(theirs))
    place = {question: at for at, question in enumerate(mine)}
    where = [place.setdefault(question, len(place)) for question in theirs]
    return tuple(place), np.array(where, dtype=np.int64)
