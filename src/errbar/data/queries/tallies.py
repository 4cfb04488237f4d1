"""Frequencies of the results and answers of each question, and of statuses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from errbar.base.arrays import Integers
from errbar.base.remarks import mapping
from errbar.data.columns import require_statuses
from errbar.data.queries.expressions import (
    Columns,
    Frame,
    column_of,
    fetch,
    graded_rows,
    keys_in,
    names_of,
    result_of,
    trial_of,
)
from errbar.data.queries.properties import clusters_of, weights_of
from errbar.errors import UnknownColumn


class Results(NamedTuple):
    """Distinct results of a slice, and how often each question has them."""

    values: list[float]
    counts: Integers  # a row per question, a column per value
    failed: Integers  # rows of each question without a result
    clusters: Integers | None = None  # cluster number of each question
    questions: tuple[str, ...] = ()  # question ids, if there are any
    weights: NDArray[np.float64] | None = None  # weight of each question


def categories(
    frame: Frame, columns: Columns, by: Sequence[str] = ()
) -> dict[tuple[str, ...], Results]:
    """Distinct results of each slice, and how often each question has them."""
    names = names_of(frame, columns, by)
    rows = graded_rows(frame, columns).select(
        **names, outcome=result_of(frame, columns).cast(nw.Float64)
    )
    table = fetch(rows.group_by(*names, "outcome").agg(nw.len().alias("n")))
    outcomes = table["outcome"].astype(float) + 0.0  # -0 is 0
    values, place = np.unique(outcomes[~np.isnan(outcomes)], return_inverse=True)
    at = np.full(len(outcomes), len(values))  # the last column is for rows without a result
    at[~np.isnan(outcomes)] = place
    counts: dict[tuple[str, ...], dict[str, Integers]] = {}
    for key, question, column, n in zip(
        keys_in(table, by),
        *(part.tolist() for part in (table["question"], at, table["n"])),
        strict=True,
    ):
        nothing = np.zeros(len(values) + 1, dtype=np.int64)
        counts.setdefault(key, {}).setdefault(question, nothing)[column] += n
    together, weights = clusters_of(frame, columns, by), weights_of(frame, columns, by)
    results = {}
    for key, questions in sorted(counts.items()):
        ordered = sorted(questions)
        tally = np.stack([questions[question] for question in ordered])
        clusters = np.array([together[key][question] for question in ordered]) if together else None
        weighed = np.array([weights[key][question] for question in ordered]) if weights else None
        results[key] = Results(
            values.tolist(), tally[:, :-1], tally[:, -1], clusters, tuple(ordered), weighed
        )
    return results


@dataclass(frozen=True, kw_only=True)
class Ballots:
    """Votes for the answers of one question."""

    votes: tuple[int, ...]  # number of votes for each answer
    credit: tuple[float, ...]  # share of right votes
    silent: int  # trials with a result and without an answer
    failed: int = 0  # trials without a result
    first: tuple[float, ...] = ()  # the trial that first gave each answer, if numbered
    cluster: int | None = None  # cluster number in the slice
    question: str = ""  # question id
    weight: float = 1.0  # weight of the question

    @property
    def trials(self) -> int:
        """Number of trials with a result."""
        return sum(self.votes) + self.silent


def ballots(
    frame: Frame, columns: Columns, by: Sequence[str] = ()
) -> dict[tuple[str, ...], list[Ballots]]:
    """Votes of every question of each slice, sorted by name."""
    if "answer" not in columns:
        map_it = mapping("answer")
        raise UnknownColumn(
            "counting votes needs a column with the answers, and none was found; name it with "
            f"{map_it}, or use maj@k, which only needs right and wrong."
        )
    names = names_of(frame, columns, by)
    trial = trial_of(frame, columns)
    rows = graded_rows(frame, columns).select(
        **names,
        answer=column_of(frame, columns["answer"]).cast(nw.String),
        outcome=result_of(frame, columns).cast(nw.Float64),
        trial=nw.lit(0) if trial is None else trial,
    )
    table = fetch(
        rows.group_by(*names, "answer", "outcome").agg(
            nw.len().alias("n"), nw.col("trial").min().alias("first")
        )
    )
    outcomes = table["outcome"].astype(float)
    votes: dict[tuple[str, ...], dict[str, dict[str, list[float]]]] = {}
    lost: dict[tuple[tuple[str, ...], str], list[int]] = {}
    cells = (table["question"], table["answer"], outcomes, table["n"], table["first"])
    for key, question, answer, outcome, n, first in zip(
        keys_in(table, by), *(part.tolist() for part in cells), strict=True
    ):
        answers = votes.setdefault(key, {}).setdefault(question, {})
        without = lost.setdefault((key, question), [0, 0])
        if outcome not in (0.0, 1.0):  # no result, or a reward, which has no votes
            without[1] += n
        elif not isinstance(answer, str):
            without[0] += n
        else:
            tally = answers.setdefault(answer, [0, 0, first])
            tally[0] += n
            tally[1] += n * int(outcome)
            tally[2] = min(tally[2], first)
    numbered = trial is not None
    together, weights = clusters_of(frame, columns, by), weights_of(frame, columns, by)
    return {
        key: [
            replace(
                _ballots(answers, *lost[key, question], numbered=numbered),
                cluster=together[key][question] if together else None,
                question=question,
                weight=weights[key][question] if weights else 1.0,
            )
            for question, answers in sorted(each.items())
        ]
        for key, each in sorted(votes.items())
    }


def _ballots(
    answers: dict[str, list[float]], silent: int, failed: int, *, numbered: bool
) -> Ballots:
    each = sorted(answers.values())
    votes = tuple(int(n) for n, _, _ in each)
    credit = tuple(right / n for n, right, _ in each)
    first = tuple(at for *_, at in each) if numbered else ()
    return Ballots(votes=votes, credit=credit, silent=silent, failed=failed, first=first)


def statuses(frame: Frame, columns: Columns) -> dict[str, int]:
    """Number of rows per status."""
    if "status" not in columns:
        return {}
    rows = frame.select(status=column_of(frame, columns["status"]).cast(nw.String))
    table = fetch(rows.group_by("status").agg(nw.len().alias("n")))
    statuses = {
        str(status): int(n)
        for status, n in zip(table["status"].tolist(), table["n"].tolist(), strict=True)
        if isinstance(status, str)
    }
    require_statuses(statuses)
    return dict(sorted(statuses.items()))
