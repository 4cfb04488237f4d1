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


def repeated_ids(source: Source, found: Sequence[Slice]) -> list[Above]:
    """What there is to say where ids repeat and nothing numbers the trials."""
    if not source.guesses_trials or not any((one.trials > 1).any() for one in found):
        return []
    rows = sum(one.rows for one in found)
    questions = sum(int(one.questions.sum()) for one in found)
    option = way_to_say("--rows questions", "rows='questions'")
    sizes = {int(n) for one in found for n in np.unique(one.trials)}
    if len(sizes) == 1:
        each = f"{sizes.pop()} rows of each id"
        return [
            guess(
                f"Trials: no column numbers them, so {each} are trials of one question",
                option="--rows questions",
                argument="rows='questions'",
            )
        ]
    both = _both_means(source, found)
    shown = "; ".join(
        f"{name or 'the mean'} is {trials:.4g} as trials, {apart:.4g} as questions"
        for name, trials, apart in both[:_MOST_SHOWN]
    )
    more = f"; and {len(both) - _MOST_SHOWN} more" if len(both) > _MOST_SHOWN else ""
    return [
        warning(
            f"ids repeat ({rows} rows, {questions} ids) and no column numbers the trials. Rows "
            f"with the same id are taken as trials of one question; {option} takes every row as a "
            f"question of its own, clustered by id. {shown}{more}."
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
