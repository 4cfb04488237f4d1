"""JSON documents that hold a table by its columns, or as lists below the names of columns.

    {"columns": ["id", …], "data": [[1, …], …]}     {"id": {"0": 1, …}, "correct": {"0": true, …}}
    {"id": [1, …], "correct": [true, …]}

These are written by pandas, MLflow and Weights & Biases.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.remarks import guess
from errbar.data.columns import REFERENCES, RESPONSES, USUAL, named_like, plain_name
from errbar.data.outcome_words import is_outcome
from errbar.data.readers.tables.competing_outcomes import lists_outcomes
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.data.readers.tables.json_objects import Document
from errbar.data.readers.tables.surrounding_names import meaning_of, with_names
from errbar.data.readers.tables.wide_names import is_prediction
from errbar.errors import InputError

_NESTED = (list, dict)
_LOOKED_AT = 200
_FEWEST_IDS = 3  # distinct values needed for ids


def table_in(value: Mapping[str, Any], where: str) -> Document | None:
    """A table stored by column, or with separate column names and rows."""
    if value and not any(isinstance(entry, _NESTED) for entry in value.values()):
        return None
    names, rows = value.get("columns"), value.get("data")
    if isinstance(names, list) and isinstance(rows, list) and fit_names(names, rows):
        if len(set(map(str, names))) < len(names):
            raise InputError(f"{where}: two of its columns have the same name; rename one.")
        records = [dict(zip(map(str, names), row, strict=True)) for row in rows]
        return Document(records, [guess("Rows: the lists under 'data', named by 'columns'")])
    if all(isinstance(column, list) for column in value.values()) and are_columns(value):
        records = rows_of_columns(value)
    elif _are_columns_by_row(value):
        index = next(iter(value.values()))
        records = [{name: column[at] for name, column in value.items()} for at in index]
    else:
        lists = {name: column for name, column in value.items() if isinstance(column, list)}
        others = [entry for entry in value.values() if not isinstance(entry, list)]
        if not lists or any(isinstance(entry, dict) for entry in others) or not are_columns(lists):
            return None
        records = [dict(record) for record in with_names(value, rows_of_columns(lists))]
    return Document(records, [guess("Rows: the entries of the columns in the document")])


def fit_names(names: Sequence[Any], rows: Sequence[Any]) -> bool:
    """Whether there are rows and each is a list with a value per column."""
    fits = (isinstance(row, list) and len(row) == len(names) for row in rows)
    return bool(names and rows) and all(fits)


def _are_columns_by_row(value: Mapping[str, Any]) -> bool:
    """Whether a document is a table of columns keyed by row, with an id and an outcome."""
    columns = list(value.values())
    if not all(isinstance(column, dict) and column for column in columns):
        return False
    meanings = {meaning_of(name) for name in value}
    alike = all(column.keys() == columns[0].keys() for column in columns)
    return alike and {"question", "outcome"} <= meanings


def are_columns(lists: Mapping[str, Sequence[Any]]) -> bool:
    """Whether lists are the columns of a table: equal lengths and known names.

    Examples
    --------
    >>> are_columns({"trials": [4, 4], "correct": [1, 3]})
    True
    >>> are_columns({"gpt": [1, 0], "qwen": [0, 0]})
    False
    """
    if len({len(column) for column in lists.values()}) != 1 or not len(next(iter(lists.values()))):
        return False
    if are_counts(lists, {}):
        return True
    if any(_is_called(name, "outcome") and _holds_outcomes(lists[name]) for name in lists):
        return True
    if named_like(lists, RESPONSES | REFERENCES) and any(
        is_prediction(name) or lists_outcomes(name, entries) for name, entries in lists.items()
    ):
        return True
    return len(lists) > 1 and any(
        _is_called(name, "question") and _holds_ids(lists[name]) for name in lists
    )


def rows_of_columns(columns: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """A record per entry of the columns; a list of `scores` has the `score` of each."""
    names = [
        name[:-1] if meaning_of(name) is None and meaning_of(name[:-1]) == "outcome" else name
        for name in columns
    ]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _is_called(name: str, meaning: str) -> bool:
    return plain_name(str(name)) in map(plain_name, (meaning, *USUAL[meaning]))


def _holds_outcomes(column: Sequence[Any]) -> bool:
    """Whether the values can be outcomes, unlike ids, answers and records."""
    return all(
        is_outcome(value) if isinstance(value, str) else not isinstance(value, Mapping)
        for value in column[:_LOOKED_AT]
    )


def _holds_ids(column: Sequence[Any]) -> bool:
    """Whether the values are row ids: distinct, or words that mean neither right nor wrong."""
    if any(isinstance(value, Mapping | list) for value in column[:_LOOKED_AT]):
        return False
    some = [str(value) for value in column[:_LOOKED_AT]]
    distinct = len(some) >= _FEWEST_IDS and len(set(some)) == len(some)
    return distinct or not all(map(is_outcome, column[:_LOOKED_AT]))
