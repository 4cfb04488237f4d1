"""Questions by name: what comparing systems question by question needs, and scoring does not."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from errbar.data.rows import Table, called, keys_in
from errbar.data.slices import COUNTED, Slice
from errbar.data.weights import numbers_in

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
