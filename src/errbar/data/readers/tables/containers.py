"""Python containers of outcomes as lists, dicts of columns and arrays of numbers.

Iterators are read to their end, records are dicts whatever class they are of, and what knows how to
become an array of NumPy or a list becomes one. What has no order, or no names where it needs some,
is refused.
"""

import io
import re
from collections import deque
from collections.abc import ItemsView, Iterator, Mapping, Sequence, Set, ValuesView
from dataclasses import asdict, is_dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from errbar.base.arguments import to_array
from errbar.base.remarks import Above, guess, some_of, warning
from errbar.data.columns import REFERENCES, named_like
from errbar.data.counts import Counts
from errbar.data.outcome_words import is_outcome
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.file_formats import kind_of
from errbar.data.readers.tables.wide_names import is_prediction
from errbar.data.sources.arrays import is_list
from errbar.errors import InputError, WrongType

_PAIR = 2
_FEWEST_WORDS = 3  # names without an ending that may be a list of outcomes
_CONVERSIONS = (
    "to_pylist",
    "to_list",
    "tolist",
)  # methods that turn a column or a tensor into a list


def plain_container(data: Any) -> Any:
    """Return a similar container of another kind as a list, a dict or an array."""
    _refuse_without_order(data)
    kind = type(data)  # a DataFrame may take any name for a column of its own
    is_reader = hasattr(kind, "read_all") and hasattr(kind, "schema")  # of Arrow's batches
    if is_reader or isinstance(data, Iterator | ValuesView | deque):
        data = data.read_all() if is_reader else list(data)
    if isinstance(data, np.generic):
        return data.item()
    if isinstance(data, ItemsView):
        return dict(data)
    if isinstance(data, np.ndarray):
        return _of_array(data)
    if isinstance(data, list | tuple):
        return _of_list(data)
    if hasattr(kind, "to_pylist") and not hasattr(kind, "columns"):
        return plain_container(data.to_pylist())
    return _of_named_dimensions(data)


def _of_named_dimensions(data: Any) -> Any:
    """A table of an array or data set of xarray whose dimensions have names; else the data."""
    kind = type(data)
    if not (hasattr(kind, "to_dataframe") and hasattr(kind, "dims")):
        return data
    if any(re.fullmatch(r"dim_\d+", str(name)) for name in data.dims):
        return data
    if hasattr(data, "data_vars"):
        return data.to_dataframe()
    return data.to_dataframe(name=str(data.name or "outcome"))


def _refuse_without_order(data: Any) -> None:
    if isinstance(data, io.IOBase):
        raise WrongType(
            "the data are an open file; pass its path instead, as in load('results.csv')."
        )
    if isinstance(data, Set) and not isinstance(data, ItemsView):
        raise WrongType(
            f"a {type(data).__name__} has no order and no repeated values; pass a list of "
            f"outcomes, "
            f"or a dict of outcomes by question."
        )


def _of_array(data: np.ndarray[Any, Any]) -> Any:
    """The fields of a structured array as columns; text and objects as lists."""
    if isinstance(data, np.ma.MaskedArray) and data.dtype.kind in "biuf":
        return np.ma.filled(data.astype(float), np.nan)
    if data.dtype.names is not None:
        flat = data.reshape(-1)
        return {name: flat[name].tolist() for name in data.dtype.names}
    if data.ndim and data.dtype.kind in "UO":
        return _of_list(data.tolist())
    return data


def _of_list(data: Sequence[Any]) -> Any:
    if data and all(map(_is_record, data)) and not isinstance(data[0], Counts):
        return [_as_record(row) for row in data]
    return data


def _is_record(row: Any) -> bool:
    is_instance = is_dataclass(row) and not isinstance(row, type)
    return is_instance or hasattr(row, "_asdict") or hasattr(row, "model_dump")


def _as_record(row: Any) -> dict[str, Any]:
    for convert in ("_asdict", "model_dump"):
        if hasattr(row, convert):
            return dict(getattr(row, convert)())
    return asdict(row)


def from_other_library(data: Any) -> Any:
    """A list or an array of what is no table, but knows how to be one of these; None if not."""
    for convert in _CONVERSIONS:
        if hasattr(data, convert):
            found = plain_container(getattr(data, convert)())
            return found if is_list(found) else None
    return to_array(data, "outcomes are numbers") if hasattr(data, "__array__") else None


def numbers_in(data: Any) -> Any:
    """Nested lists with None as NaN, and exact numbers as floats; anything else as it is."""
    if isinstance(data, np.ndarray):
        return plain_container(data)
    if is_list(data):
        return [numbers_in(entry) for entry in data]
    if data is None:
        return float("nan")
    if isinstance(data, Decimal | Fraction):
        return float(data)
    if isinstance(data, bool | int | float | str):
        return data
    convert = next((name for name in _CONVERSIONS if hasattr(data, name)), None)
    return data if convert is None else numbers_in(getattr(data, convert)())


def are_words(data: Any, right: Sequence[str] = ()) -> bool:
    """Whether a list holds words for right and wrong, none of which is the name of a file.

    Any word will do where it was said which of them are `right`.
    """
    if not isinstance(data, list | tuple) or not data or all(entry is None for entry in data):
        return False
    if not all(isinstance(entry, str) or entry is None for entry in data):
        return False
    known = all(map(is_outcome, data)) or not {*right}.isdisjoint(data)
    return known and not any(entry and _is_file(entry) for entry in set(data))


def _is_file(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # longer than any name of a file
        return False


def refuse_words(names: Any) -> None:
    """Refuse a list of words that name no file, with what to do if they are outcomes."""
    if not isinstance(names, list | tuple) or len(names) < _FEWEST_WORDS:
        return
    if all(str(name).lstrip().startswith("{") for name in names):
        raise InputError(
            "the list has texts of JSON objects; parse them first, as in "
            "load([json.loads(text) for text in texts])."
        )
    if all(str(name).isalnum() and not _is_file(str(name)) for name in names):
        shown = ", ".join(repr(str(name)) for name in dict.fromkeys(names))
        raise InputError(
            f"there are no files named {shown:.60}. If these are outcomes, say which of "
            f"them are right, as in load(data, right=['WORD'])."
        )


def are_rows_of_trials(data: Any, right: Sequence[str] = ()) -> bool:
    """Whether each row of a list holds outcomes that no matrix can hold: words, or uneven trials.

    Examples
    --------
    >>> are_rows_of_trials([["pass", "fail"]]), are_rows_of_trials([[1, 0], [1]])
    (True, True)
    >>> are_rows_of_trials([[1, 0], [1, 1]]), are_rows_of_trials([["q1", 1], [1]])
    (False, False)
    """
    if all(isinstance(row, list | tuple) and are_words(row, right) for row in data):
        return True
    if not all(map(is_list, data)) or len({len(row) for row in data}) < 2:
        return False
    numbers = (int, float, np.number, np.bool_)
    return all(value is None or isinstance(value, numbers) for row in data for value in row)


def are_pairs(data: Any) -> bool:
    """Whether rows are pairs of an id, which is text, and an outcome."""
    return all(
        isinstance(row, list | tuple)
        and len(row) == _PAIR
        and isinstance(row[0], str)
        and not is_list(row[1])
        and (not isinstance(row[1], str) or is_outcome(row[1]))
        for row in data
    )


def hold_text(rows: Sequence[Any]) -> bool:
    """Whether the rows of a list hold text, which no matrix does."""
    if are_numbers(rows):
        return False
    return any(is_list(row) and any(isinstance(value, str) for value in row) for row in rows)


def are_numbers(data: Any) -> bool:
    """Whether the data are an array of numbers; looking at each takes a thousand times as long."""
    return isinstance(data, np.ndarray) and data.dtype.kind in "biuf"


def refuse_rows_without_names(data: Sequence[Any]) -> None:
    """Refuse a list of tables, and rows of text without the names of columns."""
    tables = [entry for entry in data if hasattr(type(entry), "columns")]
    if tables:
        raise InputError(
            f"a list of {len(data)} tables does not name the system of each; pass them by name, "
            f"as in load({{'a': frame, 'b': other}}), or join them into one with a column 'system'."
        )
    if any(isinstance(entry, Counts) for entry in data):
        raise InputError(
            "a list of counts does not name the system of each; pass them by name, as in "
            "load({'a': counts})."
        )
    for row in data:
        if hold_text([row]):
            raise WrongType(
                f"a row of the list is {row!r:.60}, and its values have no names; pass rows with "
                f"names, as in [{{'id': 'q1', 'correct': 1}}], or a DataFrame."
            )


def are_records(data: Any) -> bool:
    """Whether there are entries, and all are records."""
    return len(data) > 0 and all(isinstance(record, Mapping) for record in data)


def nested_by_keys(data: Mapping[Any, Any]) -> dict[Any, Any]:
    """A dict with tuples of equal lengths for keys as a dict of dicts.

    Examples
    --------
    >>> nested_by_keys({("gpt", "q1"): 1, ("gpt", "q2"): 0, ("qwen", "q1"): 1})
    {'gpt': {'q1': 1, 'q2': 0}, 'qwen': {'q1': 1}}
    """
    lengths = {len(key) if isinstance(key, tuple) else 0 for key in data}
    if not lengths <= {2, 3} or len(lengths) > 1:
        raise InputError(
            f"keys of the dict are tuples, as {next(iter(data))!r:.60}, and nothing says what "
            f"their parts are; give rows with names, as in [{{'system': 'a', 'id': 'q1', "
            f"'correct': 1}}], or a dict of dicts."
        )
    found: dict[Any, Any] = {}
    for (*outer, last), value in data.items():
        inner = found
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return found


def numbered_remark(rows: Sequence[str], columns: int) -> Above:
    """That numbered columns are trials; marked if they may be questions of systems in few rows."""
    if len(rows) >= columns or all(any(map(str.isdigit, name)) for name in rows):
        return guess("Trials: the columns, which have numbers for names")
    return warning(
        f"The {columns} columns have numbers for names and are read as trials, and the rows "
        f"({some_of(rows, 6)}) as questions. If the rows are systems and the columns questions, "
        f"pass the transposed table, frame.T."
    )


def of_one_length(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The columns of a table, if their lengths are equal."""
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = some_of((f"{name!r} has {length}" for name, length in lengths.items()), 6)
        raise InputError(f"the columns of a table must have equal lengths; here {shown}.")
    return columns


def require_no_columns(data: Any, how: HowToRead) -> None:
    """Refuse options that apply only to tables."""
    if how.assignment:
        first = next(iter(how.assignment))
        raise InputError(
            f"{first}={how.assignment[first]!r} names a column of a table; "
            f"{type(data).__name__} has no columns."
        )
    for name, value in (("right", how.right), ("rows", how.rows)):
        if value:
            raise InputError(
                f"{name}= is for tables of outcomes; {type(data).__name__} of numbers is not one."
            )


def is_document(data: Mapping[Any, Any]) -> bool:
    """Whether a dict has a list of records and plain values beside it, as a JSON document has."""
    values = list(data.values())
    plain = [value for value in values if isinstance(value, bool | int | float | str | None)]
    texts = [value for value in plain if isinstance(value, str)]
    if not plain or any(kind_of(Path(text)) or _is_file(text) for text in texts):
        return False
    return any(is_list(value) and are_records(value) for value in values)


def are_labels(data: Mapping[Any, Any]) -> bool:
    """Whether a dict has equally many labels and predictions of a classifier, as columns."""
    if not named_like(data, REFERENCES) or not any(map(is_prediction, data)):
        return False
    return len({len(value) if is_list(value) else -1 for value in data.values()}) == 1
