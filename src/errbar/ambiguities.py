"""Rows that can be read in two ways: both readings, and how to choose.

Rows with the same id and no column that numbers trials may be trials of one question, or samples of
their own that share an id. Errbar takes them for trials. Where questions have unequal numbers of
rows, the two readings give different means, and both are said.
"""

import math
from collections.abc import Sequence

import numpy as np

from errbar.data.slices import Slice
from errbar.data.sources import Source
from errbar.remarks import Above, guess, warning, way_to_say

_MOST_SHOWN = 3
_TRUTHS = (
    *("correct", "is_correct", "passed", "is_pass", "success", "succeeded", "is_success"),
    *("resolved", "is_resolved", "solved"),
)


def repeated_ids(source: Source, found: Sequence[Slice]) -> list[Above]:
    """What there is to say where ids repeat and nothing numbers the trials."""
    if not source.guesses_trials or not any((one.trials > 1).any() for one in found):
        return []
    rows = sum(one.rows for one in found)
    questions = sum(int(one.questions.sum()) for one in found)
    option = way_to_say("--rows questions", "rows='questions'")
    unused = source.unused_columns()
    beside = f" (not used: {', '.join(unused[:5])})" if unused else ""
    sizes = {int(n) for one in found for n in np.unique(one.trials)}
    if len(sizes) == 1:
        each = f"{sizes.pop()} rows of each id"
        return [
            guess(
                f"Trials: no column numbers them{beside}, so {each} are trials of one question",
                option="--rows questions",
                argument="rows='questions'",
            )
        ]
    both = _both_means(source, found)
    shown = "; ".join(
        f"{name or 'The mean'} is {trials:.4g} as trials, {apart:.4g} as questions"
        for name, trials, apart in both[:_MOST_SHOWN]
    )
    more = f"; and {len(both) - _MOST_SHOWN} more" if len(both) > _MOST_SHOWN else ""
    return [
        warning(
            f"ids repeat ({rows} rows, {questions} ids) and no column numbers the trials{beside}. "
            f"Rows with the same id are taken as trials of one question; {option} takes every row "
            f"as a question of its own, clustered by id. {shown or 'The mean is the same'}{more}."
        )
    ]


def nameless_systems(found: Sequence[Slice]) -> list[Above]:
    """What there is to say where some rows name no system though others do."""
    lost = [one for one in found if not one.key[0]]
    if not lost or len(lost) == len(found):
        return []
    rows, all_rows = (sum(one.rows for one in some) for some in (lost, found))
    return [
        warning(
            f"{rows} of {all_rows} rows name no system, though others do: they are taken as one "
            f"system without a name."
        )
    ]


def strange_truths(source: Source, found: Sequence[Slice]) -> list[Above]:
    """What there is to say where a column of right and wrong holds other numbers."""
    column = source.outcome_column
    if column.lower() not in _TRUTHS or all(one.is_binary for one in found):
        return []
    other = sum(int(one.other @ one.questions) for one in found)
    return [
        warning(
            f"{other} rows of {column!r} are neither 0 nor 1: all are taken as rewards and "
            f"averaged as they are."
        )
    ]


def _both_means(source: Source, found: Sequence[Slice]) -> list[tuple[str, float, float]]:
    """Of every system and task: its mean over questions, and over rows."""
    means = []
    for one in found:
        if one.is_binary:
            values, rows = one.right, one.scored
            often = one.questions
        else:
            results = source.categories(one.by)[one.key]
            values = results.counts @ np.array(results.values)
            rows = results.counts.sum(axis=1)
            often = np.ones(len(rows), dtype=np.int64)
        some = rows > 0
        if not some.any():
            continue
        each = values[some] / rows[some]
        by_question = float(often[some] @ each / often[some].sum())
        by_row = float(often[some] @ values[some] / (often[some] @ rows[some]))
        name = " · ".join(part for part in one.key if part)
        if not math.isclose(by_question, by_row, rel_tol=1e-12):
            means.append((name, by_question, by_row))
    return means
