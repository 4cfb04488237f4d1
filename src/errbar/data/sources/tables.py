"""Sources of outcomes: a table in an engine, matrices, or precomputed counts.

Every source provides the slices that metrics need, results per question and rows per status.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from errbar.data.counts import Counts, CountsByState, weights_of
from errbar.data.engines.duckdb import plain_errors
from errbar.data.queries.answers import Ballots, ballots
from errbar.data.queries.count_tables import counted_questions, counted_slices
from errbar.data.queries.expressions import HIDDEN, Columns, Frame, fetch, first_rows
from errbar.data.queries.properties import refuse_weights
from errbar.data.queries.questions import categories, questions_of, slices, statuses
from errbar.data.queries.ranked_rows import (
    MOST_RANKED_ROWS,
    RankedItems,
    RankedRows,
    ids_of,
    rankable,
    ranked_items,
    ranked_rows,
)
from errbar.data.queries.ranked_totals import Grouped, ranked_cells
from errbar.data.queries.row_order import Turns, turns_of, turns_of_matrices
from errbar.data.queries.slices import MOST_KEPT_ROWS, Named, Results, Slice, named_in
from errbar.data.readers.logs import NOWHERE, Origin
from errbar.errors import InputError

Key = tuple[str, ...]
Categories = dict[Key, Results]
Rankings = Mapping[Key, RankedRows | Grouped]


class Source(ABC):
    """Base class of the sources."""

    origin: Origin = NOWHERE
    where: str = ""  # path it was read from, if any

    @property
    def guesses_trials(self) -> bool:
        """Whether rows with the same id are assumed to be trials."""
        return False

    @property
    def outcome_column(self) -> str:
        """Name of the outcome column, if there is one."""
        return ""

    def unused_columns(self) -> list[str]:
        """Columns that errbar does not use."""
        return []

    @abstractmethod
    def slices(self, by: Sequence[str]) -> list[Slice]:
        """Slices of every system and task, and of every value of the columns in `by`."""

    @abstractmethod
    def categories(self, by: Sequence[str]) -> Categories:
        """Distinct results of each slice, and how often each question has them."""

    @abstractmethod
    def named(self) -> dict[Key, Named]:
        """Questions of every system and task, by name."""

    def ballots(self, by: Sequence[str]) -> dict[Key, list[Ballots]]:
        """Votes per answer of each question."""
        del by
        raise InputError("matrices and counts have no answers to vote by; use maj@k instead.")

    def with_repeats(self) -> "Source":
        """Copy of the source with every row a separate trial."""
        return self

    def ranked(self, bins: int | None) -> Rankings:
        """Confidence, result and cluster of every row, or totals per group of clusters."""
        del bins
        raise InputError("matrices and counts have no confidence to rank by.")

    def ranked_items(self) -> dict[Key, RankedItems]:
        """Confidence, result, cluster, question and trial of every row."""
        raise InputError("matrices and counts have no confidence to rank by.")

    def trials_in_order(self, order: str | None) -> Turns:
        """Rows in chronological order: as stored, or sorted by the column `order`."""
        del order
        raise InputError("counts do not record the order of trials; load the rows instead.")

    def with_origin(self, origin: Origin) -> Self:
        """Copy of the source with another origin."""
        return replace(self, origin=origin)  # type: ignore[type-var]  # each kind is a dataclass

    def at(self, where: str) -> Self:
        """Copy of the source with the path it was read from."""
        return replace(self, where=where)  # type: ignore[type-var]  # each table is a dataclass

    def examples(self, number: int) -> list[dict[str, str]]:
        """The first rows as text, by column meaning."""
        del number
        return []

    def statuses(self) -> dict[str, int]:
        """Number of rows per status."""
        return {}

    def weight_columns(self) -> list[str]:
        """Columns with the weights of questions."""
        return []


@dataclass(frozen=True, kw_only=True)
class _InTable(Source):
    """Outcomes in a table of pandas, polars, pyarrow, DuckDB or Spark."""

    frame: Frame
    columns: Columns
    allow_repeats: bool = False
    where: str = ""
    origin: Origin = NOWHERE

    def weight_columns(self) -> list[str]:
        """The column with the weights of questions, if there is one."""
        return [self.columns["weight"]] if "weight" in self.columns else []


@dataclass(frozen=True, kw_only=True)
class TableSource(_InTable):
    """A table with a row per trial."""

    _found: dict[Key, list[Slice]] = field(default_factory=dict)
    _results: dict[Key, Categories] = field(default_factory=dict)
    _statuses: dict[str, int] = field(default_factory=dict)
    _questions: list[Frame] = field(default_factory=list)  # at most one
    _named: dict[Key, Named] = field(default_factory=dict)

    @property
    def guesses_trials(self) -> bool:
        """Whether no column numbers the trials; readers of logs never need to guess."""
        return "trial" not in self.columns and not self.origin.reader

    @property
    def outcome_column(self) -> str:
        """Name of the outcome column of a table; None for a log."""
        return "" if self.origin.reader else self.columns["outcome"]

    def unused_columns(self) -> list[str]:
        """Columns of the table that mean nothing to errbar."""
        used = {*self.columns.named.values(), *HIDDEN}
        with plain_errors(self.where):
            return [name for name in self.frame.collect_schema().names() if name not in used]

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """By one GROUP BY, remembered."""
        key = tuple(by)
        if key not in self._found:
            with plain_errors(self.where):
                questions = questions_of(self.frame, self.columns, by)
                self._found[key] = slices(
                    self.frame, self.columns, questions, by, allow_repeats=self.allow_repeats
                )
            if not key and sum(part.rows for part in self._found[key]) <= MOST_KEPT_ROWS:
                self._questions[:] = [questions]
        return self._found[key]

    def categories(self, by: Sequence[str]) -> Categories:
        """By one GROUP BY, remembered."""
        key = tuple(by)
        if key not in self._results:
            with plain_errors(self.where):
                self._results[key] = categories(self.frame, self.columns, by)
        return self._results[key]

    def named(self) -> dict[Key, Named]:
        """By the GROUP BY of the slices, which validate the data; of a small table remembered."""
        self.slices(())
        with plain_errors(self.where):
            if self._questions and not self._named:
                self._named.update(named_in(fetch(self._questions[0])))
            return self._named or named_in(fetch(questions_of(self.frame, self.columns)))

    def ballots(self, by: Sequence[str]) -> dict[Key, list[Ballots]]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            return ballots(self.frame, self.columns, by)

    def with_repeats(self) -> "TableSource":
        """Copy of the source with every row a separate trial."""
        return replace(self, allow_repeats=True, _found={})

    def ranked(self, bins: int | None) -> Rankings:
        """All rows if they fit in memory; else, or with bins, totals by one GROUP BY."""
        with plain_errors(self.where):
            refuse_weights(self.frame, self.columns, "ranking item by item")
            found = rankable(self.frame, self.columns)
            fits = bins is None and found.size <= MOST_RANKED_ROWS
            return ranked_rows(found) if fits else ranked_cells(found, bins)

    def ranked_items(self) -> dict[Key, RankedItems]:
        """All rows, fetched; their names are validated by the slices."""
        self.slices(())
        with plain_errors(self.where):
            refuse_weights(self.frame, self.columns, "ranking item by item")
            found = rankable(self.frame, self.columns, **ids_of(self.frame, self.columns))
            if found.size > MOST_RANKED_ROWS:
                raise InputError(
                    f"comparing items one by one is limited to {MOST_RANKED_ROWS:,} rows, "
                    f"and there are {found.size:,}. Compare fewer systems or tasks."
                )
            return ranked_items(found)

    def trials_in_order(self, order: str | None) -> Turns:
        """All rows, fetched."""
        with plain_errors(self.where):
            refuse_weights(self.frame, self.columns, "watching a run")
            return turns_of(self.frame, self.columns, order)

    def examples(self, number: int) -> list[dict[str, str]]:
        """The first rows."""
        with plain_errors(self.where):
            return first_rows(self.frame, self.columns, number)

    def statuses(self) -> dict[str, int]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            self._statuses.update(self._statuses or statuses(self.frame, self.columns))
        return dict(self._statuses)


@dataclass(frozen=True, kw_only=True)
class CountsTableSource(_InTable):
    """A table with a row per question: its trials, and how many were right."""

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            return counted_slices(self.frame, self.columns, by, allow_repeats=self.allow_repeats)

    def named(self) -> dict[Key, Named]:
        """By one GROUP BY."""
        with plain_errors(self.where):
            counted = counted_questions(self.frame, self.columns, allow_repeats=self.allow_repeats)
            return named_in(fetch(counted))

    def with_repeats(self) -> "CountsTableSource":
        """The same, with the rows of a question added up."""
        return replace(self, allow_repeats=True)

    def categories(self, by: Sequence[str]) -> Categories:
        """Raises an error: counts of right and wrong have no other categories."""
        del by
        raise InputError(
            "a table of counts has only right and wrong; metrics with weights need rows."
        )


@dataclass(frozen=True)
class MatrixSource(Source):
    """A matrix per system: a row per question, a column per trial, NaN for a missing result."""

    matrices: Mapping[str, NDArray[Any]]
    origin: Origin = NOWHERE

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """Counted row by row."""
        _no_columns(by)
        return [_slice_of(name, matrix) for name, matrix in self.matrices.items()]

    def named(self) -> dict[Key, Named]:
        """Questions named by their row number."""
        return {
            (name, ""): Named(_numbered(len(matrix)), _counted(name, matrix), ("",) * len(matrix))
            for name, matrix in self.matrices.items()
        }

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
                questions=_numbered(len(m)),
            )
            for name, m in self.matrices.items()
        }

    def trials_in_order(self, order: str | None) -> Turns:
        """Rows in order of matrix, question and trial."""
        if order is not None:
            raise InputError(f"there is no column {order!r} to order by: matrices have none.")
        return turns_of_matrices(self.matrices)


@dataclass(frozen=True)
class CountsSource(Source):
    """Precomputed counts."""

    counts: Mapping[Key, Counts]
    origin: Origin = NOWHERE

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """The counts as slices."""
        _no_columns(by)
        return [
            Slice(
                key=key,
                trials=counts.trials,
                scored=counts.trials,
                right=counts.correct,
                other=np.zeros(counts.trials.size, dtype=np.int64),
                questions=counts.repeats().astype(np.int64),
                clusters=clusters,
                named=0 if clusters is None else int(clusters.max(initial=-1)) + 1,
                weights=weights_of(counts),
            )
            for key, counts in self.counts.items()
            for clusters in [_clusters_in(counts)]
        ]

    def named(self) -> dict[Key, Named]:
        """Questions by the names in the counts."""
        if any(isinstance(counts, CountsByState) for counts in self.counts.values()):
            raise InputError(
                "counts by state do not identify questions; pass errbar.Counts(trials, correct, "
                "questions)."
            )
        return {
            slice_.key: Named(_names(counts), slice_, ("",) * len(counts))
            for slice_, counts in zip(self.slices(()), self.counts.values(), strict=True)
        }

    def categories(self, by: Sequence[str]) -> Categories:
        """Categories wrong and right."""
        _no_columns(by)
        return {
            key: Results(
                [0.0, 1.0],
                np.repeat(tally, often, axis=0),
                np.zeros(len(counts), dtype=np.int64),
                None if clusters is None else np.repeat(clusters, often),
                () if isinstance(counts, CountsByState) else _names(counts),
                None if weights is None else np.repeat(weights, often),
            )
            for key, counts in self.counts.items()
            for clusters, often in [(_clusters_in(counts), counts.repeats().astype(np.int64))]
            for weights in [weights_of(counts)]
            for tally in [np.stack([counts.trials - counts.correct, counts.correct], axis=1)]
        }


def _clusters_in(counts: Counts) -> NDArray[np.int64] | None:
    return counts.clusters if isinstance(counts, CountsByState) else None


def _names(counts: Counts) -> tuple[str, ...]:
    names = tuple(map(str, counts.questions))
    if len(set(names)) < len(names):
        raise InputError("two questions have the same name when written as text; rename one.")
    return names


def _numbered(rows: int) -> tuple[str, ...]:
    """Row numbers as text, zero-padded so that they sort numerically."""
    return tuple(f"{at:0{len(str(rows))}d}" for at in range(rows))


def _slice_of(name: str, matrix: NDArray[Any]) -> Slice:
    """Slice of a matrix, questions of equal state pooled."""
    each = _counted(name, matrix)
    parts = {"trials": each.trials, "scored": each.scored, "right": each.right, "other": each.other}
    states, often = np.unique(np.stack([*parts.values()]), axis=1, return_counts=True)
    pooled: dict[str, Any] = dict(zip(parts, states, strict=True))
    return Slice(key=each.key, questions=often, **pooled)


def _counted(name: str, matrix: NDArray[Any]) -> Slice:
    """Slice of a matrix with an entry per question."""
    known = ~np.isnan(matrix)
    masks = {"scored": known, "right": matrix == 1, "other": known & (matrix != 0) & (matrix != 1)}
    sums: dict[str, Any] = {part: mask.sum(axis=1) for part, mask in masks.items()}
    trials, once = np.full(len(matrix), matrix.shape[1]), np.ones(len(matrix), dtype=np.int64)
    return Slice(key=(name, ""), trials=trials, questions=once, **sums)


def _no_columns(by: Sequence[str]) -> None:
    if by:
        raise InputError(
            f"there is no column {by[0]!r} to group by: matrices and counts have none."
        )
