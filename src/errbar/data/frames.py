"""DataFrames that need a look before they are tables: with an index, or with numbered columns."""

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw

from errbar.data.outcomes import find_columns, names_in_parts
from errbar.data.reading import HowToRead
from errbar.errors import InputError, UnknownColumn


def has_index(data: Any) -> bool:
    """Whether rows of pandas have names that say more than their place."""
    index = getattr(data, "index", None)
    if index is None or not hasattr(index, "names"):
        return False
    plain = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return not plain or any(name is not None for name in index.names)


def indexed_alike(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Tables of pandas by name, all with an index if one has it: by it their rows are paired."""
    are_frames = {name: hasattr(data, "set_axis") for name, data in tables.items()}
    if not any(are_frames[name] and has_index(data) for name, data in tables.items()):
        return dict(tables)
    return {
        name: data if not are_frames[name] or has_index(data) else data.set_axis(list(data.index))
        for name, data in tables.items()
    }


def refuse_tallies(data: Any) -> None:
    """Refuse a table whose columns are outcomes and whose cells say how often each occurs."""
    name = getattr(getattr(data, "columns", None), "name", None)
    if name is not None and names_in_parts([name], "outcome"):
        raise InputError(
            f"the columns are the values of {name!r}, as in a table of how often each occurs; give "
            f"the rows that were counted, or the columns 'trials' and 'correct'."
        )


def with_index(frame: Any, how: HowToRead) -> Any:
    """A table of pandas with its index as columns; an unnamed one only if there is no other id."""
    if any(name is not None for name in frame.index.names):
        return frame.reset_index()
    try:
        find_columns(map(str, frame.columns), how.told)
    except UnknownColumn:
        return frame if "index" in frame.columns else frame.reset_index()
    return frame


def are_numbered(frame: Any) -> bool:
    """Whether the columns have no names but numbers, as those of a matrix: they are trials."""
    if not isinstance(frame, nw.DataFrame) or len(frame.columns) < 2:
        return False
    names = [str(name).removeprefix("column_") for name in frame.columns]
    kinds = frame.schema.values()
    return names == [str(at) for at in range(len(names))] and all(
        kind.is_numeric() or kind == nw.Boolean for kind in kinds
    )


def rows_in(frame: nw.DataFrame[Any]) -> list[list[Any]]:
    """The rows of a table; nothing is None."""
    columns = [values_in(frame.get_column(name)) for name in frame.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def values_in(column: nw.Series[Any]) -> list[Any]:
    """The values of a column; nothing is None."""
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return [None if null is True else value for value, null in pairs]
