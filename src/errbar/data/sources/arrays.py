"""Arrays and counts as sources of outcomes, a system for each.

A vector has an entry per question, a matrix a row per question and a column per trial; the axes of
a three-dimensional array are systems, questions and trials.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Integers
from errbar.base.remarks import Above, guess, warning, way_to_say
from errbar.data.columns import Key
from errbar.data.counts import Counts, CountsByState, distinct_rows, weights_of
from errbar.data.matrices import as_matrix
from errbar.data.queries.label_rows import GradedTrial, TrialsByQuestion
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.queries.questions import Slice
from errbar.data.queries.row_order import OrderedRows, ordered_rows_of_matrices
from errbar.data.queries.tallies import Results
from errbar.data.readers.logs import NOWHERE, Origin
from errbar.data.sources.tables import Categories, Source
from errbar.errors import InputError

ENOUGH = 10  # questions; intervals were not studied for fewer
_FEWEST_IDS = 3  # rows from which a numbering can be recognised


@dataclass(frozen=True)
class MatrixSource(Source):
    """A matrix per system: a row per question, a column per trial, NaN for a missing result."""

    matrices: Mapping[str, NDArray[Any]]
    origin: Origin = NOWHERE

    def slices(self, by: Sequence[str]) -> list[Slice]:
        """Counted row by row."""
        _no_columns(by)
        return list(self._slices)

    @cached_property
    def _slices(self) -> tuple[Slice, ...]:
        return tuple(_slice_of(name, matrix) for name, matrix in self.matrices.items())

    def named(self) -> dict[Key, NamedQuestions]:
        """Questions named by their row number."""
        return {
            (name, ""): NamedQuestions(
                _row_names(len(matrix)), _slice_by_question(name, matrix), ("",) * len(matrix)
            )
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
                questions=_row_names(len(m)),
            )
            for name, m in self.matrices.items()
        }

    def trials_in_order(self, order: str | None) -> OrderedRows:
        """Rows in order of matrix, question and trial."""
        if order is not None:
            raise InputError(f"there is no column {order!r} to order by: matrices have none.")
        return ordered_rows_of_matrices(self.matrices)

    def trials(self) -> TrialsByQuestion:
        """The cells of the matrices."""
        return {
            (name, ""): {
                question: [GradedTrial("", float(result)) for result in row]
                for question, row in zip(_row_names(len(matrix)), matrix, strict=True)
            }
            for name, matrix in self.matrices.items()
        }


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

    def named(self) -> dict[Key, NamedQuestions]:
        """Questions by the names in the counts."""
        if any(isinstance(counts, CountsByState) for counts in self.counts.values()):
            raise InputError(
                "counts by state do not identify questions; pass errbar.Counts(trials, correct, "
                "questions)."
            )
        return {
            slice_.key: NamedQuestions(_names(counts), slice_, ("",) * len(counts))
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


def _clusters_in(counts: Counts) -> Integers | None:
    return counts.clusters if isinstance(counts, CountsByState) else None


def _names(counts: Counts) -> tuple[str, ...]:
    names = tuple(map(str, counts.questions))
    if len(set(names)) < len(names):
        raise InputError("two questions have the same name when written as text; rename one.")
    return names


def _row_names(rows: int) -> tuple[str, ...]:
    """Row numbers as text, zero-padded so that they sort numerically."""
    return tuple(f"{at:0{len(str(rows))}d}" for at in range(rows))


def _slice_of(name: str, matrix: NDArray[Any]) -> Slice:
    """Slice of a matrix, questions of equal state pooled."""
    each = _slice_by_question(name, matrix)
    parts = {"trials": each.trials, "scored": each.scored, "right": each.right, "other": each.other}
    states, often = distinct_rows(*parts.values())
    pooled: dict[str, Any] = dict(zip(parts, states, strict=True))
    return Slice(key=each.key, questions=often.astype(np.int64), **pooled)


def _slice_by_question(name: str, matrix: NDArray[Any]) -> Slice:
    """Slice of a matrix with an entry per question."""
    trials, once = np.full(len(matrix), matrix.shape[1]), np.ones(len(matrix), dtype=np.int64)
    right, wrong = np.count_nonzero(matrix == 1, axis=1), np.count_nonzero(matrix == 0, axis=1)
    scored = trials
    if matrix.dtype.kind == "f":
        scored = trials - np.count_nonzero(np.isnan(matrix), axis=1)
    return Slice(
        key=(name, ""),
        trials=trials,
        scored=scored,
        right=right,
        other=scored - right - wrong,
        questions=once,
    )


def _no_columns(by: Sequence[str]) -> None:
    if by:
        raise InputError(
            f"there is no column {by[0]!r} to group by: matrices and counts have none."
        )


def array_source(data: Any, name: str = "") -> MatrixSource:
    """Source for an array, or for arrays by system name, with remarks on how they were read."""
    if isinstance(data, dict):
        matrices = {str(name): matrix_of(part, str(name)) for name, part in data.items()}
        remarks = [_remark_of(part) for part in data.values() if _depth(part) > 1]
        return MatrixSource(matrices, Origin(remarks=tuple(dict.fromkeys(remarks))))
    if _depth(data) == 3:
        names = [f"system {at + 1}" for at in range(len(data))]
        parts = zip(names, data, strict=True)
        matrices = {name: matrix_of(part, name) for name, part in parts}
        remarks = [_remark_of(part, f" of each of {len(data)} systems") for part in data]
        return MatrixSource(matrices, Origin(remarks=tuple(dict.fromkeys(remarks))))
    matrix = matrix_of(data, name or "the matrix")
    if _depth(data) == 1:
        remarks = [guess(f"Questions: the {len(matrix)} entries of the vector, one trial of each")]
    else:
        remarks = [_remark_of(matrix)]
    return MatrixSource({name: matrix}, Origin(remarks=tuple(remarks)))


def source_in_memory(data: Any) -> MatrixSource:
    """Source for an array in memory, or for arrays by name; a first column of ids is refused."""
    source = array_source(data)
    for name, matrix in source.matrices.items():
        refuse_ids(
            matrix,
            name or "the matrix",
            "Give rows with names, as in [{'id': 0, 'correct': 1}], or leave that column out.",
        )
    return source


def _remark_of(matrix: Any, subject: str = "") -> Above:
    """Remark on how a matrix was read; a warning if its transpose would have enough questions."""
    rows, columns = np.shape(matrix)[:2]
    shape = f"{_number_of(rows, 'row')} questions, {_number_of(columns, 'column')} trials"
    text = f"Matrix{subject}: {shape}"
    if rows >= ENOUGH or columns < ENOUGH:
        return guess(text)
    transpose = way_to_say("transpose the file", "transpose it: load(numpy.transpose(data))")
    if subject:
        transpose = "swap the last two dimensions"
    return warning(
        f"{text}. If the rows are trials (runs, seeds) and the columns questions, {transpose}."
    )


def _number_of(number: int, what: str) -> str:
    return f"{number} {what}{' is' if number == 1 else 's are'}"


def refuse_ids(matrix: NDArray[Any], where: str, advice: str) -> None:
    """Raise an error if the first column contains row ids instead of a trial.

    It does if it counts up, or if it has distinct integers and the other columns only 0 and 1.
    """
    if matrix.ndim != 2 or matrix.shape[1] < 2 or len(matrix) < _FEWEST_IDS:
        return
    first, others = matrix[:, 0], matrix[:, 1:]
    counts_up = np.array_equal(first, first[0] + np.arange(len(first)))
    whole = bool(np.isfinite(first).all() and (first == np.floor(first)).all())
    distinct = whole and len(np.unique(first)) == len(first)
    if counts_up or (distinct and bool((np.isnan(others) | np.isin(others, (0, 1))).all())):
        raise InputError(
            f"{where}: its first column {'counts up' if counts_up else 'has distinct numbers'} "
            f"({first[0]:g}, {first[1]:g} …), like ids, and the columns have no names. {advice}"
        )


def matrix_of(data: Any, name: str) -> NDArray[Any]:
    """The data as a matrix with a row per question and a column per trial."""
    if _depth(data) == 1:
        data = np.asarray(data)[:, None] if len(data) else data
    matrix = as_matrix(data, name)
    if matrix.dtype.kind in "iu":  # which has no NaN, and is often an eighth as large
        return matrix.copy()
    return matrix.astype(np.int8 if matrix.dtype.kind == "b" else float)


def is_list(data: Any) -> TypeGuard[Sequence[Any]]:
    """Whether the data are a sequence other than a string."""
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return isinstance(data, Sequence) and not isinstance(data, str | bytes)


def _depth(data: Any) -> int:
    if isinstance(data, np.ndarray):
        return data.ndim
    return 1 + _depth(data[0]) if is_list(data) and len(data) else int(is_list(data))
