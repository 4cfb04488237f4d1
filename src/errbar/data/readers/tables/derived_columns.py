"""Columns of a wide table that follow from others: their mean, or the difference of two."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain, permutations, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.base.remarks import some_of
from errbar.data.queries.expressions import FILE
from errbar.data.readers.tables.competing_outcomes import worth_of

Flat = dict[str, list[Any]]

_MOST_DERIVED = 12  # columns among which means and differences are looked for
_FEWEST_ROWS = 10  # rows in which a column must equal a statistic of others


def derived_columns(names: Sequence[str], flat: Flat) -> dict[str, str]:
    """Columns that are the mean or the difference of others in every row, and of which."""
    if not 2 < len(names) <= _MOST_DERIVED:
        return {}
    columns = {name: numbers_of(flat[name]) for name in names}
    found: dict[str, str] = {}
    for name in reversed(names):  # a column follows from those to its left
        others = {other: columns[other] for other in names if other not in {name, *found}}
        if len(others) < 2:
            break
        statistics = {
            f"the mean of {some_of(list(others))}": np.mean(list(others.values()), axis=0)
        }
        for first, second in permutations(others, 2):
            statistics[f"{first} less {second}"] = others[first] - others[second]
        rows = ~np.isnan(columns[name])
        mine = columns[name][rows]
        if mine.size < _FEWEST_ROWS:
            continue
        values = np.unique(mine).tolist()
        gap = _rounding(values)
        if any(np.all(np.abs(mine - other[rows]) <= gap) for other in others.values()):
            continue
        how = [
            what
            for what, statistic in statistics.items()
            if np.all(np.abs(mine - statistic[rows]) <= gap)
        ]
        if how and len(values) > 1:
            found[name] = how[0]
    return found


def numbers_of(column: Sequence[Any]) -> NDArray[np.float64]:
    """Numeric values of outcomes, each computed once; nan for those that have none."""
    try:
        worths: Mapping[Any, float | None] = {value: worth_of(value) for value in set(column)}
        found = list(map(worths.__getitem__, column))
    except TypeError:  # lists and objects
        found = list(map(worth_of, column))
    return np.array([np.nan if worth is None else worth for worth in found], float)


def _rounding(values: Sequence[float]) -> float:
    """Largest difference that rounding explains, for values with two decimals or more."""
    decimals = max((len(repr(value).partition(".")[2]) for value in values), default=1)
    return 0.5000001 * 10.0**-decimals if decimals > 1 else 1e-9


def row_numbers(flat: Flat, size: int) -> list[str]:
    """The number of each row within its file, as the question where no column has ids."""
    files = flat.get(FILE) or [""] * size
    counts: Counter[object] = Counter()
    numbers = []
    for file in files:
        counts[file] += 1
        numbers.append(str(counts[file]))
    return numbers


def repeat_rows(flat: Flat, often: Sequence[int]) -> Flat:
    """Repeat every row the given number of times."""
    return {
        name: list(chain.from_iterable(map(repeat, column, often))) for name, column in flat.items()
    }
