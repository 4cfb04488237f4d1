"""Rows with a confidence: validate them for ranking, and fetch them if they fit in memory."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arguments import is_missing
from errbar.base.remarks import have, mapping
from errbar.data.columns import UNSCORED
from errbar.data.labelled_scores import Scored
from errbar.data.predictions import Predictions
from errbar.data.queries.expressions import (
    PENALTY,
    ColumnArrays,
    Columns,
    Frame,
    cluster_in,
    fetch,
    graded_rows,
    names_of,
    number_of,
    one_if,
    require_numbers,
    result_of,
    status_of,
    text_of,
    trial_of,
    unknown_status_of,
    without_nan,
)
from errbar.data.queries.tallies import statuses
from errbar.errors import InputError, NotThere, UnknownColumn, WrongType

SURE, TOGETHER = "errbar confidence", "errbar cluster"
_MOST = float(np.finfo(float).max)  # of finite numbers; SQLite cannot ask whether one is infinite


class Penalty(Protocol):
    """A penalty of the probability that was stated for the observed result."""

    def penalty(self, stated: nw.Expr) -> nw.Expr:
        """The penalty."""

    def forbids(self, stated: nw.Expr) -> nw.Expr | None:
        """Whether a stated probability has no finite penalty; None if all have one."""


class Rankable(NamedTuple):
    """Rows in the engine, their number, and the range of their finite confidences.

    The columns are `system`, `task`, the cluster, the confidence, `outcome`, and 0 or 1 for
    `scored` (it has an answer) and `right`.
    """

    rows: Frame
    size: int
    least: float  # both are 0 if no answer has a finite confidence
    most: float


def rankable(frame: Frame, columns: Columns, **more: nw.Expr) -> Rankable:
    """Validate and select the rows to be ranked, with the columns in `more`.

    A row has an answer if it has a result and its status is not `abstained`. Rows that were never
    graded are left out: they are neither right nor wrong nor abstentions. Clusters are those of
    the cluster column; a question without one, or any question if there is no such column, is a
    cluster by itself.
    """
    if "confidence" not in columns:
        raise UnknownColumn(
            f"no column looks like a confidence; name it with {mapping('confidence')}."
        )
    require_numbers(frame, columns["outcome"])
    rows = _with_results(frame, columns, more)
    survey = fetch(_survey(rows))
    size = _refuse_unrankable(survey, frame, columns)
    ends = [np.nan_to_num(np.asarray(survey[name][0], dtype=float)) for name in ("least", "most")]
    return Rankable(rows, size, *map(float, ends))


def _with_results(frame: Frame, columns: Columns, more: Mapping[str, nw.Expr]) -> Frame:
    """The columns of `Rankable`, and whether the status of a row is `unknown`."""
    names = names_of(frame, columns, ())
    result, unknown_status = _answer_of(frame, columns), nw.lit(0).cast(nw.Int64)
    if "status" in columns:
        unknown_status = unknown_status_of(frame, columns)
    rows = graded_rows(frame, columns).select(
        system=names["system"].fill_null("") if "system" in names else nw.lit(""),
        task=names["task"].fill_null("") if "task" in names else nw.lit(""),
        outcome=result,
        unknown=unknown_status,
        **{
            SURE: _confidence_of(frame, columns),
            TOGETHER: names["question"],
        },
        **cluster_in(frame, columns),
        **more,
    )
    rows = _in_clusters(rows)
    value = nw.col("outcome")
    return rows.with_columns(scored=one_if(~value.is_null()), right=one_if(value == 1))


def _answer_of(frame: Frame, columns: Columns) -> nw.Expr:
    """The result of a row that has an answer."""
    result = result_of(frame, columns).cast(nw.Float64)
    if "status" not in columns:
        return result
    return nw.when(status_of(frame, columns).fill_null("ok") != "abstained").then(result)


def _confidence_of(frame: Frame, columns: Columns) -> nw.Expr:
    name = columns["confidence"]
    return number_of(frame, name, frame.collect_schema()[name], "confidence")


def replace_by_penalty(
    frame: Frame,
    columns: Columns,
    score: Penalty,
) -> tuple[Frame, Columns]:
    """The table with a penalty of the stated probability in place of each outcome.

    The confidence is the probability of a right answer; the penalty is that of the observed result.
    """
    rows = rankable(frame, columns).rows.filter(nw.col("scored") == 1)
    sure, right = nw.col(SURE), nw.col("outcome")
    refused = score.forbids(right * sure + (1.0 - right) * (1.0 - sure))
    flagged = rows.with_columns(
        outside=one_if((sure < 0.0) | (sure > 1.0)),
        endless=nw.lit(0) if refused is None else one_if(refused),
    )
    faults = fetch(flagged.select(nw.col("outside", "endless").sum(), nw.len().alias("rows")))
    outside, endless, size = (int(faults[name][0]) for name in ("outside", "endless", "rows"))
    if outside:
        raise InputError(
            f"a confidence must be a probability, from 0 to 1; {outside} of {size} answers have a "
            "number outside this range. Turn them into probabilities first; ranking by them "
            "(aurc, roc-auc) needs no scale."
        )
    if endless:
        raise InputError(
            f"{endless} of {size} answers gave probability 0 to the actual outcome, so the mean "
            "is infinite. Limit the loss: log-loss(clip=0.01) takes probabilities below 0.01 as "
            "0.01, and those above 0.99 as 0.99."
        )
    value, stated = _answer_of(frame, columns), _confidence_of(frame, columns)
    happened = value * stated + (1.0 - value) * (1.0 - stated)
    named = MappingProxyType({**columns.named, "outcome": PENALTY})
    return frame.with_columns(**{PENALTY: score.penalty(happened)}), replace(columns, named=named)


def _refuse_unrankable(found: ColumnArrays, frame: Frame, columns: Columns) -> int:
    """Return the number of rows; refuse those that cannot be ranked, given the survey of them."""
    size, nameless, unknown, unsure, other = (
        int(found[name][0]) if found["rows"][0] else 0
        for name in ("rows", "nameless", "unknown", "unsure", "other")
    )
    if not size:
        lost = statuses(frame, columns).get(UNSCORED, 0)
        found_none = f"none of the {lost} rows was scored" if lost else "the data have no row"
        raise NotThere(f"{found_none}; there is nothing to rank.")
    if nameless:
        question = columns["question"]
        raise InputError(
            f"{nameless} row{'s' * (nameless > 1)} {have(nameless)} no question in the column "
            f"{question!r}."
        )
    if unknown:
        statuses(frame, columns)  # raises an error that names the status
    if unsure:
        they, them = ("it", "it") if unsure == 1 else ("they", "them")
        raise InputError(
            f"{unsure} of {size} rows {have(unsure)} an answer and no confidence in the column "
            f"{columns['confidence']!r}, so {they} cannot be ranked. Give {them} one, or the "
            f"status 'abstained'."
        )
    if other:
        raise WrongType(
            f"ranking needs outcomes of 0 and 1; {other} of {size} rows of the column "
            f"{columns['outcome']!r} are neither. Map another column, or turn them into 0 and 1."
        )
    return size


def _in_clusters(rows: Frame) -> Frame:
    """Set the cluster of each row: that of its question, or the question if it has none.

    The two kinds of names get different first letters, so that they never clash.
    """
    if "cluster" not in rows.collect_schema():
        return rows
    named = rows.with_columns(cluster=nw.col("cluster").cast(nw.String), lone=nw.lit("q"))
    named = named.with_columns(known=nw.lit("c"))
    name = nw.concat_str("known", "cluster")
    alone = nw.concat_str("lone", TOGETHER)
    together = nw.when(~nw.col("cluster").is_null()).then(name).otherwise(alone)
    return named.with_columns(**{TOGETHER: together}).drop("cluster", "known", "lone")


def _survey(rows: Frame) -> Frame:
    """A single row: the number of rows, and the number that cannot be ranked, by reason."""
    is_scored, sure = nw.col("scored") == 1, without_nan(rows, nw.col(SURE))
    known = ~sure.is_null()
    flagged = rows.with_columns(
        nameless=one_if(nw.col(TOGETHER).is_null()),
        unsure=one_if(is_scored & ~known),
        other=one_if(is_scored & (nw.col("outcome") != 0) & (nw.col("outcome") != 1)),
        finite=nw.when(is_scored & (sure.abs() <= _MOST)).then(sure),
    )
    return flagged.select(
        nw.len().alias("rows"),
        *(nw.col(name).sum() for name in ("nameless", "unknown", "unsure", "other")),
        nw.col("finite").min().alias("least"),
        nw.col("finite").max().alias("most"),
    )


MOST_RANKED_ROWS = 20_000_000  # 2 GB of rows
_QUESTION, _TRIAL = "errbar question", "errbar trial"
_ROW = (SURE, "outcome", TOGETHER)


class RankedRows(NamedTuple):
    """Rows of one system and task."""

    confidence: NDArray[Any]
    outcome: NDArray[Any]  # nan without an answer or a result
    cluster: NDArray[Any]

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Mask of the rows that have an answer with a result."""
        return ~np.isnan(self.outcome)

    @property
    def unanswered(self) -> int:
        """Rows without an answer."""
        return int((~self.answered).sum())

    def answers(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Confidence, outcome and cluster of every answer."""
        mask = self.answered
        return self.confidence[mask], self.outcome[mask], self.cluster[mask]

    def predictions(self) -> Predictions:
        """Predictions with loss 1 − outcome."""
        lost = 1.0 - np.nan_to_num(self.outcome)
        return Predictions(self.confidence, lost, self.answered, self.cluster)

    def scored(self) -> Scored:
        """The answered items, with right as the positive class; both classes are required."""
        confidence, outcome, cluster = self.answers()
        return Scored(confidence, outcome, clusters=cluster)


class RankedItems(NamedTuple):
    """Rows of one system and task, with the question and trial of each."""

    rows: RankedRows
    question: list[str]
    trial: list[str | float | None]  # None if trials are not numbered


def ranked_rows(found: Rankable) -> dict[tuple[str, ...], RankedRows]:
    """Confidence, result and cluster of every row, by system and task."""
    table = fetch(found.rows.select("system", "task", *_ROW))
    return {key: _rows(table, some) for key, some in _by_key(table)}


def ids_of(frame: Frame, columns: Columns) -> dict[str, nw.Expr]:
    """Question and trial of each row, which identify it within a system and task."""
    ids = {_QUESTION: names_of(frame, columns, ())["question"]}
    if "trial" in columns:
        number = trial_of(frame, columns)
        ids[_TRIAL] = (
            text_of(frame, columns["trial"]) if number is None else number.cast(nw.Float64)
        )
    return ids


def ranked_items(found: Rankable) -> dict[tuple[str, ...], RankedItems]:
    """Confidence, result, cluster, question and trial of every row, by system and task."""
    numbered = [_TRIAL] if _TRIAL in found.rows.collect_schema() else []
    table = fetch(found.rows.select("system", "task", *_ROW, _QUESTION, *numbered))
    items = {}
    for key, some in _by_key(table):
        trials = table[_TRIAL][some].tolist() if numbered else [None] * some.size
        items[key] = RankedItems(
            _rows(table, some),
            table[_QUESTION][some].tolist(),
            [None if is_missing(trial) else trial for trial in trials],
        )
    return items


def _by_key(table: ColumnArrays) -> Iterator[tuple[tuple[str, ...], NDArray[np.intp]]]:
    """The positions of the rows of each system and task."""
    order = np.lexsort((table["task"].astype(str), table["system"].astype(str)))
    keys = list(zip(table["system"][order].tolist(), table["task"][order].tolist(), strict=True))
    starts = [at for at in range(len(keys)) if at == 0 or keys[at] != keys[at - 1]]
    for start, end in zip(starts, [*starts[1:], len(keys)], strict=True):
        yield keys[start], order[start:end]


def _rows(table: ColumnArrays, some: NDArray[np.intp]) -> RankedRows:
    return RankedRows(*(table[name][some] for name in _ROW))
