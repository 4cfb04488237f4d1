"""Rows without ids that another column groups: repeats of a question, or a cluster of questions.

Every row is then read as a question of its own. If rows of a group are trials of one question, or
resemble each other, the intervals are too narrow, so a warning says what each group may be.
"""

import re
from typing import Any

from errbar.base.remarks import Above, mapping, warning
from errbar.data.columns import (
    ANSWERS,
    MEASURES,
    PROPERTIES,
    REFERENCES,
    ROW,
    SETTINGS,
    are_whole_numbers,
    plain_name,
)
from errbar.data.engines.duckdb import ALL_ROWS, distinct_rows, text_of
from errbar.data.queries.expressions import HIDDEN, Columns
from errbar.data.readers.tables.competing_outcomes import free_columns
from errbar.data.readers.tables.conditions import WORD

# Words in the names of columns that number repeats, also of requests.
_OF_REQUESTS = re.compile(
    r"runs?|trials?|seeds?|reps?|repeats?|repetition|replicate|attempts?|try|rollouts?|requests?"
)
_MOST_COLUMNS = 8  # most other columns that are compared
_FEWEST_GROUPS = 5  # of equal size, which may be chance if they are fewer
_EQUAL = 0.9  # share of the groups that have the usual number of rows
# Columns that describe an answer or a run.
_NO_GROUPS = ANSWERS | REFERENCES | PROPERTIES | MEASURES | SETTINGS


def grouped_rows(rows: Any, columns: Columns) -> list[Above]:
    """Warning on rows without ids that a column numbers anew in groups, or has equally many of."""
    if columns["question"] != ROW:
        return []
    return _numbered_repeats(rows, columns) or _equal_groups(rows, columns)


def _numbered_repeats(rows: Any, columns: Columns) -> list[Above]:
    """Warning on numbers of repeats that start anew with each value of a column, without ids."""
    free = [name for name in rows.columns if name not in HIDDEN]
    numbers = [
        name
        for name in free
        if any(_OF_REQUESTS.fullmatch(word.lower()) for word in WORD.findall(name))
        and are_whole_numbers(rows.head()[name])
    ]
    keys = [columns[meaning] for meaning in ("system", "task") if meaning in columns]
    kept = {*keys, columns["outcome"], *numbers}
    others = [name for name in free if name not in kept][:_MOST_COLUMNS] if numbers else []
    for number in numbers:
        sets = ([*keys, *some] for x in others for some in ([x], [x, number]))
        all_rows, groups, values, once, *counts = rows.totals(
            ALL_ROWS,
            *(distinct_rows(some) for some in (keys or [columns["outcome"]], [number])),
            *(distinct_rows([*keys, number]), *map(distinct_rows, sets)),
        )
        groups = groups if keys else 1
        for name, cells, pairs in zip(others, counts[::2], counts[1::2], strict=True):
            subjects = cells // groups
            if pairs == all_rows == cells * values > once and rows.totals(
                distinct_rows([name])
            ) == (subjects,):
                other = f"{mapping('question', name)} reads {subjects} questions of {values} trials"
                return [
                    warning(
                        f"{number!r} starts anew for each of the {subjects} values of {name!r}, "
                        f"and every row is read as a question. If it numbers repeats, {other}."
                    )
                ]
    return []


def _equal_groups(rows: Any, columns: Columns) -> list[Above]:
    """Warning on a column of texts or whole numbers, nearly each of which is in as many rows.

    There are at least as many values as rows of each, so they are no categories of questions.
    """
    excluded = _NO_GROUPS | {plain_name(name) for name in columns.also}
    free = [
        name for name in free_columns(rows.columns, columns) if plain_name(name) not in excluded
    ]
    kinds = rows.schema
    names = [name for name in free if kinds[name] == "VARCHAR" or "INT" in kinds[name]]
    keys = [columns[meaning] for meaning in ("system", "task") if meaning in columns]
    for name in names[:_MOST_COLUMNS]:
        each = rows.aggregate("count(*) AS n", ", ".join(map(text_of, [*keys, name])))
        groups = dict(each.aggregate("n, count(*)", "n").fetchall())  # groups by their rows
        usual = max(groups, key=groups.__getitem__)
        number = sum(groups.values())
        if not 1 < usual <= number >= _FEWEST_GROUPS or groups[usual] < _EQUAL * number:
            continue
        question, cluster = mapping("question", name), mapping("cluster", name)
        nearly = "Every" if len(groups) == 1 else "Nearly every"
        return [
            warning(
                f"{nearly} value of {name!r} is in {usual} rows, and every row is read as a "
                f"question. If the rows are trials of a question, use {question}; if they are "
                f"questions that resemble each other, use {cluster}: intervals are too narrow "
                f"otherwise."
            )
        ]
    return []
