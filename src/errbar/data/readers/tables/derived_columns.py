"""Columns made of others: of records and of nested objects, and what repeats or follows from them.

In a wide table, the mean of columns and the difference of two follow from others.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice, permutations, repeat
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errbar.base.remarks import some_of
from errbar.data.queries.expressions import FILE
from errbar.data.readers.tables.competing_outcomes import worth_of
from errbar.errors import InputError

Flat = dict[str, list[Any]]

_LOOKED_AT = 500  # rows inspected to classify a column
_BATCH = 1024  # records converted to columns at a time
_MOST_PARTS = 2_000  # most columns made of nested objects
_DEEPEST = 4
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


@lru_cache(maxsize=1024)
def fields_of(names: tuple[str, ...], kinds: tuple[type, ...]) -> frozenset[tuple[str, str]]:
    """The fields of a record that are not null, and which of them are nested."""
    return frozenset(
        (name, "nested" if issubclass(kind, dict | list) else "")
        for name, kind in zip(names, kinds, strict=True)
        if kind is not type(None)
    )


def columns_of(records: Iterable[Mapping[str, Any]]) -> Flat:
    """Convert records to columns; missing fields are None."""
    flat: Flat = {}
    rows = 0
    remaining = iter(records)
    while batch := list(islice(remaining, _BATCH)):
        for key, values in columns_of_batch(batch).items():
            name = str(key)
            if name not in flat:
                flat[name] = [None] * rows
            if len(flat[name]) > rows:
                raise InputError(f"two fields are named {name!r}, as number and text; rename one.")
            flat[name].extend(values)
        rows += len(batch)
        for column in flat.values():
            if len(column) < rows:
                column.extend([None] * (rows - len(column)))
    return flat


def columns_of_batch(batch: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Convert by column, three times as fast as by record if all have the same keys."""
    names = dict.fromkeys(batch[0])
    if {*map(type, batch)} == {dict} and sum(map(len, batch)) == len(names) * len(batch):
        try:
            return {name: list(map(itemgetter(name), batch)) for name in names}
        except KeyError:
            pass  # equally many keys, but different ones
    names = dict.fromkeys(name for record in batch for name in record)
    return {name: [record.get(name) for record in batch] for name in names}


def flatten_objects(flat: Flat) -> Flat:
    """Turn nested objects into columns such as scores.accuracy."""
    for _ in range(_DEEPEST):
        nested = [name for name, column in flat.items() if holds(column, dict)]
        if not nested:
            break
        parts: Flat = {}
        for name, column in flat.items():
            if name not in nested:
                parts[name] = column
                continue
            objects = column
            if {*map(type, column)} != {dict}:
                objects = [value if isinstance(value, dict) else {} for value in column]
            if len({*chain.from_iterable(objects)}) + len(parts) > _MOST_PARTS:
                parts[name] = column
                continue
            for key, values in columns_of_batch(objects).items():
                parts[f"{name}.{key}"] = values
        if parts.keys() == flat.keys():
            break
        flat = parts
    return flat


def holds(column: Sequence[Any], kind: type) -> bool:
    """Whether the first values that are not null are of a type."""
    some = [value for value in column[:_LOOKED_AT] if value is not None]
    return bool(some) and all(isinstance(value, kind) for value in some)
