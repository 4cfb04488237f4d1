"""Where outcomes are: a table in some engine, matrices, or counts ready made.

Each source says the same three things: the slices that a metric needs, the results that occur
question by question, and how many rows have which status.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.data.ballots import Ballots, ballots
from errbar.data.counted import counted_slices
from errbar.data.engine_errors import plain_errors
from errbar.data.grouped import Grouped
from errbar.data.origin import NOWHERE, Origin
from errbar.data.outcomes import Columns
from errbar.data.rankable import rankable
from errbar.data.ranked_cells import ranked_cells
from errbar.data.ranked_rows import MOST_RANKED_ROWS, RankedRows, ranked_rows
from errbar.data.rows import Frame
from errbar.data.slices import Results, Slice
from errbar.data.statistics import Counts, CountsByState
from errbar.data.tabulate import categories, slices, statuses
from errbar.errors import InputError

Key = tuple[str, ...]
Categories = dict[Key, Results]
Rankings = Mapping[Key, RankedRows | Grouped]


class Source(ABC):
    """Outcomes, wherever they are."""

    origin: Origin = NOWHERE

    @abstractmethod
    def slices(self, by: Sequence[str]) -> list[Slice]:
        """Every system and task by state, and by the values of some columns."""

    @abstractmethod
    def categories(self, by: Sequence[str]) -> Categories:
        """The results that occur, and how often each question has them."""

    def ballots(self, by: Sequence[str]) -> dict[Key, list[Ballots]]:
        """How often each answer of a question was given."""
        del by
        raise InputError("matrices and counts have no answers to vote by; ask for maj@k.")

    def with_repeats(self) -> "Source":
        """The same, with every row a trial of its own."""
        return self

    def ranked(self, bins: int | None) -> Rankings:
        """Confidence, result and cluster of every row, or totals of groups of clusters."""
        del bins
        raise InputError("matrices and counts have no confidence to rank by.")

    def statuses(self) -> dict[str, int]:
        """How many rows have each status."""
        return {}

    def describe(self) -> str:
        """Which column was taken for what, in words."""
        return ""


@dataclass(frozen=True)
class TableSource(Source):
    """A table in pandas, polars, pyarrow, DuckDB or Spark."""

    frame: Frame
    columns: Columns
    allow_repeats: bool = False
    where: str = ""  # the path that it was read from
    origin: Origin = NOWHERE
    _found: dict[Key, list[Slice]] = field(default_factory=dict)
    _results: dict[Key, Categories] = field(default_factory=dict)
    _statuses: dict[str, int] = field(default_factory=dict)

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """By one GROUP BY, remembered."""
        key = tuple(by)
        if key not in self._found:
            with plain_errors(self.where):
                self._found[key] = slices(
                    self.frame, self.columns, by, allow_repeats=self.allow_repeats
                )
        return self._found[key]

    def categories(self, by: Sequence[str]) -> Categories:
        """By one GROUP BY, remembered."""
        key = tuple(by)
        if key not in self._results:
            with plain_errors(self.where):
                self._results[key] = categories(self.frame, self.columns, by)
        return self._results[key]

    def ballots(self, by: Sequence[str]) -> dict[Key, list[Ballots]]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            return ballots(self.frame, self.columns, by)

    def with_repeats(self) -> "TableSource":
        """The same, with every row a trial of its own."""
        return replace(self, allow_repeats=True, _found={})

    def ranked(self, bins: int | None) -> Rankings:
        """All rows if they fit, and totals by one GROUP BY if not, or if bins are asked for."""
        with plain_errors(self.where):
            found = rankable(self.frame, self.columns)
            if bins is None and found.size <= MOST_RANKED_ROWS:
                return ranked_rows(found)
            return ranked_cells(found, bins)

    def statuses(self) -> dict[str, int]:
        """By one GROUP BY."""
        if not self._statuses:
            with plain_errors(self.where):
                self._statuses.update(statuses(self.frame, self.columns))
        return dict(self._statuses)

    def describe(self) -> str:
        """Which column was taken for what, in words."""
        return self.columns.describe()


@dataclass(frozen=True)
class CountsTableSource(Source):
    """A table with a row per question: its trials, and how many were right."""

    frame: Frame
    columns: Columns
    allow_repeats: bool = False
    where: str = ""  # the path that it was read from

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            return counted_slices(self.frame, self.columns, by, allow_repeats=self.allow_repeats)

    def with_repeats(self) -> "CountsTableSource":
        """The same, with the rows of a question added up."""
        return replace(self, allow_repeats=True)

    def categories(self, by: Sequence[str]) -> Categories:
        """Counts of right and wrong have no other categories."""
        del by
        raise InputError(
            "a table of counts knows right and wrong only; metrics with weights need rows."
        )

    def describe(self) -> str:
        """Which column was taken for what, in words."""
        return self.columns.describe()


@dataclass(frozen=True)
class MatrixSource(Source):
    """A matrix per system: a row per question, a column per trial, NaN for no result."""

    matrices: Mapping[str, NDArray[Any]]

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """Counted row by row."""
        _no_columns(by)
        return [_slice_of(name, matrix) for name, matrix in self.matrices.items()]

    def categories(self, by: Sequence[str]) -> Categories:
        """Counted row by row."""
        _no_columns(by)
        values = sorted(
            {float(v) for m in self.matrices.values() for v in np.unique(m) if not np.isnan(v)}
        )
        return {
            (name, ""): Results(
                values,
                np.stack([(m == value).sum(axis=1) for value in values], axis=1),
                np.isnan(m).sum(axis=1),
            )
            for name, m in self.matrices.items()
        }


@dataclass(frozen=True)
class CountsSource(Source):
    """Counts ready made."""

    counts: Mapping[Key, Counts]

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """As they are."""
        _no_columns(by)
        return [
            Slice(
                key,
                counts.trials,
                counts.trials,
                counts.correct,
                np.zeros(counts.trials.size, dtype=np.int64),
                counts.repeats().astype(np.int64),
                clusters=clusters,
                named=0 if clusters is None else int(clusters.max(initial=-1)) + 1,
            )
            for key, counts in self.counts.items()
            for clusters in [_clusters_in(counts)]
        ]

    def categories(self, by: Sequence[str]) -> Categories:
        """Wrong and right."""
        _no_columns(by)
        return {
            key: Results(
                [0.0, 1.0],
                np.repeat(tally, often, axis=0),
                np.zeros(len(counts), dtype=np.int64),
                None if clusters is None else np.repeat(clusters, often),
            )
            for key, counts in self.counts.items()
            for clusters, often in [(_clusters_in(counts), counts.repeats().astype(np.int64))]
            for tally in [np.stack([counts.trials - counts.correct, counts.correct], axis=1)]
        }


def _clusters_in(counts: Counts) -> NDArray[np.int64] | None:
    return counts.clusters if isinstance(counts, CountsByState) else None


def _slice_of(name: str, matrix: NDArray[Any]) -> Slice:
    known = ~np.isnan(matrix)
    right = (matrix == 1).sum(axis=1)
    other = (known & (matrix != 0) & (matrix != 1)).sum(axis=1)
    scored = known.sum(axis=1)
    rows = np.stack([np.full(len(matrix), matrix.shape[1]), scored, right, other])
    states, often = np.unique(rows.astype(np.int64), axis=1, return_counts=True)
    trials, scored, right, other = states
    return Slice((name, ""), trials, scored, right, other, often)


def _no_columns(by: Sequence[str]) -> None:
    if by:
        raise InputError(
            f"there is no column {by[0]!r} to group by: matrices and counts have none."
        )
