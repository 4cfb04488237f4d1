"""Questions by name, for comparisons of systems on their common questions."""

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.data.columns import Key
from errbar.data.queries.expressions import ColumnArrays, keys_in, name_text
from errbar.data.queries.properties import numbers_in
from errbar.data.queries.questions import COUNTED, Slice


@dataclass(frozen=True, eq=False)
class NamedQuestions:
    """The questions of one system and task; the slice has an entry for each."""

    questions: tuple[str, ...]
    slice: Slice
    clusters: tuple[str, ...]  # cluster of each question; empty without one

    def where(self, some: NDArray[np.bool_]) -> "NamedQuestions":
        """Select questions by a mask."""

        def kept(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name, is_in in zip(names, some, strict=True) if is_in)

        return NamedQuestions(kept(self.questions), self.slice.where(some), kept(self.clusters))

    @property
    def with_trials(self) -> set[str]:
        """The questions that have trials."""
        return {*self.where(self.slice.trials > 0).questions}

    def mean_over(self, questions: Collection[str], failures: str) -> float:
        """Weighted mean over some questions; nan unless their outcomes are right or wrong."""
        own = self.where(np.array([question in questions for question in self.questions])).slice
        counts = own.counts(failures)
        some = counts.trials > 0
        weights = None if counts.weights is None else counts.weights[some]
        if not own.is_binary or not some.any() or (weights is not None and not weights.sum()):
            return math.nan
        return float(np.average(counts.correct[some] / counts.trials[some], weights=weights))


class _QuestionRow(NamedTuple):
    counts: tuple[int, ...]  # the columns in `COUNTED`
    cluster: str
    weight: float


_NOTHING = _QuestionRow((0,) * len(COUNTED), "", math.nan)


def named_questions_in(table: ColumnArrays) -> dict[Key, NamedQuestions]:
    """Questions of each system and task, from a table with a row per question; sorted by name."""
    keys = keys_in(table, ())
    clusters = table["cluster"].tolist() if "cluster" in table else [None] * len(keys)
    weights = numbers_in(table["weight"]).tolist() if "weight" in table else [math.nan] * len(keys)
    counts = zip(*(table[name].tolist() for name in COUNTED), strict=True)
    rows: dict[Key, dict[str, _QuestionRow]] = {}
    for key, question, cluster, weight, state in zip(
        keys, table["question"].tolist(), clusters, weights, counts, strict=True
    ):
        questions = rows.setdefault(key, {})
        before = questions.get(question, _NOTHING)  # null and "" are the same system
        whole = tuple(a + b for a, b in zip(before.counts, state, strict=True))
        questions[question] = _QuestionRow(whole, name_text(cluster, ""), weight)
    return {key: _named(key, rows[key]) for key in sorted(rows)}


def _named(key: Key, questions: dict[str, _QuestionRow]) -> NamedQuestions:
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
    return NamedQuestions(names, each, clusters)
