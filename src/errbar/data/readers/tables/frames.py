"""Read outcomes from DataFrames and records in memory, in place or through DuckDB."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from errbar.base.remarks import Above, way_to_say
from errbar.data.columns import (
    CHECKPOINTS,
    MEASURES,
    PARTS,
    ROW,
    SCORERS,
    SETTINGS,
    STATUSES,
    TOTALS,
    USUAL,
    USUAL_COUNTS,
    VERSIONS,
    are_whole_numbers,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import own_engine, store_columns
from errbar.data.engines.flat_files import Relation
from errbar.data.queries.expressions import Columns, Frame, column_lists, column_of, require_order
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.logs import Origin, unchecked
from errbar.data.readers.tables.column_choice import find_columns
from errbar.data.readers.tables.containers import plain_container
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.data.readers.tables.id_names import INDICES
from errbar.data.readers.tables.nested_names import names_in_parts
from errbar.data.readers.tables.records import tidy
from errbar.data.readers.tables.reshaping import RowSet, shape
from errbar.data.readers.tables.statuses import USUAL_STATUSES, with_usual_statuses_in
from errbar.data.readers.tables.total_tables import TASKS
from errbar.data.sources.tables import CountsTableSource, Source, TableSource
from errbar.errors import InputError, NotThere, UnknownColumn


def has_index(data: Any) -> bool:
    """Whether a pandas index has labels other than row numbers."""
    index = getattr(data, "index", None)
    if index is None or not hasattr(index, "names"):
        return False
    plain = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return not plain or any(name is not None for name in index.names)


def indexed_alike(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Add the index of pandas tables as columns to all, if any has one, to pair their rows."""
    are_frames = {name: hasattr(data, "set_axis") for name, data in tables.items()}
    if not any(are_frames[name] and has_index(data) for name, data in tables.items()):
        return dict(tables)
    return {
        name: data if not are_frames[name] or has_index(data) else data.set_axis(list(data.index))
        for name, data in tables.items()
    }


def with_flat_columns(data: Any, how: HowToRead) -> Any:
    """A pandas table with one level of column names, as texts unless they number the trials."""
    data = _flat_columns(data)
    columns = getattr(data, "columns", None) if hasattr(data, "set_axis") else None
    if columns is None or all(isinstance(name, str) for name in columns):
        return data
    if not how.assignment and all(are_whole_numbers([name]) for name in columns):
        return data
    return data.set_axis([str(name) for name in columns], axis=1)


def _flat_columns(data: Any) -> Any:
    """A pandas table without levels of columns: those of systems and trials become rows."""
    # A table of Spark Connect seems to have any attribute; its columns are a list without levels.
    columns = getattr(data, "columns", None) if hasattr(data, "set_axis") else None
    if columns is None or getattr(columns, "nlevels", 1) < 2:
        return data
    plain = [label for label in data if not any(str(part) for part in label[1:])]
    if plain and len(plain) < len(columns):
        return _flat_columns(data.set_index(plain).rename_axis([str(name[0]) for name in plain]))
    levels = [columns.get_level_values(at) for at in range(columns.nlevels)]
    varied = [level for level in levels if len(set(level)) > 1] or levels[-1:]
    if len(varied) == 1:
        return data.set_axis(varied[0], axis=1)
    measured = [level for level in varied if _are_measures(level)]
    numbered = [level for level in varied if are_whole_numbers(list(level))]
    if len(varied) > 2 or len(measured) > 1 or len(measured) == len(numbered) == 0:
        raise InputError(
            f"the columns have several levels, as {columns[0]!r:.80}, and nothing says what they "
            f"are. Give one level, or a row for each system with columns of their own."
        )
    measure = measured[0] if measured else None
    apart = [level for level in varied if level is not measure]
    named = [
        "trial" if any(level is number for number in numbered) else "system" for level in apart
    ]
    rows: dict[tuple[Any, ...], dict[str, list[Any]]] = {}
    for at, name in enumerate(measure if measure is not None else ["outcome"] * len(columns)):
        row = rows.setdefault(tuple(level[at] for level in apart), {})
        row[str(name)] = data.iloc[:, at].tolist()
    return _stack(data, named, rows)


def _are_measures(level: Any) -> bool:
    """Whether labels of columns are names of outcomes or of other measures."""
    labels = list(map(str, level))
    return names_in_parts(labels, "outcome") or bool(named_like(labels, MEASURES))


def _stack(
    data: Any, named: Sequence[str], rows: Mapping[tuple[Any, ...], Mapping[str, list[Any]]]
) -> Any:
    """Stack tables of equal height, with their labels in columns and the index as the id."""
    index = data.index
    flat: dict[str, list[Any]] = {}
    for at, name in enumerate(index.names):
        flat[str(name or "index")] = index.get_level_values(at).tolist() * len(rows)
    for at, name in enumerate(named):
        flat[name] = [labels[at] for labels in rows for _ in range(len(data))]
    for name in dict.fromkeys(name for row in rows.values() for name in row):
        nothing = [None] * len(data)
        flat[name] = [value for row in rows.values() for value in row.get(name, nothing)]
    return type(data)(flat)


def refuse_tallies(data: Any) -> None:
    """Raise an error for a contingency table: columns are outcomes, cells are counts."""
    name = getattr(getattr(data, "columns", None), "name", None)
    if name is not None and names_in_parts([name], "outcome"):
        raise InputError(
            f"the columns are the values of {name!r}, as in a contingency table; pass "
            f"the rows that were counted, or the columns 'trials' and 'correct'."
        )


def with_index(frame: Any, how: HowToRead) -> Any:
    """Add the index of a pandas table as columns; an unnamed index only if there is no other id."""
    if any(name is not None for name in frame.index.names):
        return frame.reset_index()
    if frame.index.nlevels > 1:
        frame = _with_keys(frame, how)
    try:
        find_columns(map(str, frame.columns), how.assignment)
    except UnknownColumn:
        return frame if "index" in frame.columns else frame.reset_index()
    return frame


def _with_keys(frame: Any, how: HowToRead) -> Any:
    """Turn the outer levels of an unnamed index, such as the keys of pandas.concat, into columns.

    A level of names is the system, unless a column or the user says which that is.
    """
    names = list(map(str, frame.columns))
    known = "system" in how.assignment or names_in_parts(names, "system")
    for level in range(frame.index.nlevels - 1):
        values = frame.index.get_level_values(level)
        is_system = not known and not are_whole_numbers(values.unique().tolist())
        label = "system" if is_system else f"level_{level}"
        if label not in frame.columns:
            frame = frame.assign(**{label: values})
            known = known or is_system
    return frame.droplevel(list(range(frame.index.nlevels - 1)))


def are_numbered(frame: Any) -> bool:
    """Whether the columns are numbered, as in a matrix of trials."""
    if not isinstance(frame, nw.DataFrame) or len(frame.columns) < 2:
        return False
    names = [str(name).removeprefix("column_") for name in frame.columns]
    kinds = frame.schema.values()
    return names == [str(at) for at in range(len(names))] and all(
        kind.is_numeric() or kind == nw.Boolean for kind in kinds
    )


def rows_in(frame: nw.DataFrame[Any]) -> list[list[Any]]:
    """The rows of a table; nulls are None."""
    columns = [values_in(frame.get_column(name)) for name in frame.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def values_in(column: nw.Series[Any]) -> list[Any]:
    """The values of a column; nulls are None."""
    pairs = zip(column.to_list(), column.is_null().to_list(), strict=True)
    return [None if null is True else value for value, null in pairs]


_LOOKED_AT = 1000  # rows inspected to classify a column
_LOOKED_INTO = 100_000  # rows searched for conditions, whatever the column names
_PLAINEST = 2  # columns of a table that has nothing but an id and an outcome
_LOOKED_THROUGH = 1_000_000  # rows searched for totals and restarting ids


def read_columns(flat: dict[str, list[Any]], how: HowToRead) -> Source:
    """Read columns of any common shape."""
    return _source(*_convert(flat, how), how)


def _convert(flat: dict[str, list[Any]], how: HowToRead) -> tuple[RowSet, tuple[Above, ...]]:
    """Convert columns to outcomes, with remarks."""
    if not any(flat.values()):
        raise NotThere("the data have no row; there is nothing to score.")
    engine = own_engine()
    found = tidy(flat, how.assignment)
    relation = Relation(store_columns(engine, found.flat), (Path("data"),), apart=False)
    shaped = shape(engine, relation, how, None)
    return shaped, (*found.remarks, *shaped.remarks)


def _source(shaped: RowSet, notes: tuple[Above, ...], how: HowToRead) -> Source:
    remarks = (shaped.columns.remark(), *notes)
    kind = CountsTableSource if shaped.are_counts else TableSource
    return kind(
        frame=nw.from_native(shaped.rows.relation).lazy(),
        columns=shaped.columns,
        allow_repeats=how.repeats == "keep",
        origin=Origin(remarks=remarks),
    )


def read_frame(frame: Frame, how: HowToRead) -> Source:
    """Read a DataFrame; it stays in place if it is flat and its outcomes are numbers."""
    kinds = frame.collect_schema()
    names = kinds.names()
    if frame.implementation.is_polars() and nw.Object in kinds.values():
        return read_columns(column_lists(frame), how)  # polars casts no Python objects
    far = frame.implementation.is_spark_like()
    sample = None if far else lambda name: _sample(frame, name) if name in names else []
    counts = are_counts(names, how.assignment, sample)
    try:
        columns = find_columns(
            names, how.assignment, USUAL_COUNTS if counts else USUAL, sample=sample
        )
    except UnknownColumn:
        if far or not names:
            raise
        return read_columns(column_lists(frame), how)
    if how.rows == "questions" or columns["question"] == ROW:
        require_order(frame, f"give them unique ids and leave out {way_to_say('--rows', 'rows=')}")
    if not far and not (_is_plain(columns, kinds, how) and _is_tidy(frame, columns)):
        return read_columns(column_lists(frame), how)
    looked = not far and _needs_a_look(frame, columns, how)
    if looked:
        shaped, notes = _convert(column_lists(frame), how)
        if notes or shaped.left_out or shaped.columns.named != columns.named:
            return _source(shaped, notes, how)
    remarks = [columns.remark()]
    if not counts and (far or _rows_in(frame) > _LOOKED_THROUGH):
        frame, statuses = with_usual_statuses_in(frame, columns, how.assignment)
        remarks += statuses
    if far and not counts:
        remarks.append(unchecked("The table is in Spark"))
    elif not looked and not counts and _rows_in(frame) > _LOOKED_INTO and len(names) > _PLAINEST:
        remarks.append(unchecked(f"The table has more than {_LOOKED_INTO:,} rows"))
    origin = Origin(remarks=tuple(remarks))
    kind = CountsTableSource if counts else TableSource
    keep = how.repeats == "keep"
    return kind(frame=frame, columns=columns, allow_repeats=keep, origin=origin)


def _is_plain(columns: Columns, kinds: Any, how: HowToRead) -> bool:
    """Whether the rows need no conversion."""
    if how.rows == "questions" or how.right or columns["question"] == ROW:
        return False
    if any(kinds[name].is_nested() for name in columns.named.values()):  # such as lists for ids
        return False
    kind = kinds[columns.named.get("outcome", columns["question"])]
    return "outcome" not in columns or kind.is_numeric() or kind == nw.Boolean


def _needs_a_look(frame: Frame, columns: Columns, how: HowToRead) -> bool:
    """Whether other columns may show that rows are not trials; checking copies all rows."""
    if "outcome" not in columns:
        return False
    free = [name for name in frame.collect_schema().names() if name not in columns.named.values()]
    known = PARTS | VERSIONS | SCORERS | SETTINGS | CHECKPOINTS
    apart = how.rows is None and bool(named_like(free, known))
    id_ = plain_name(columns["question"])
    doubtful = free or "trial" in columns or id_ in {*TASKS, *INDICES, "index"}
    most = _LOOKED_THROUGH if apart else _LOOKED_INTO if doubtful else 0
    return most > 0 and _rows_in(frame) <= most


def _rows_in(frame: Frame) -> int:
    return int(column_lists(frame.select(nw.len().alias("n")))["n"][0])


def _is_tidy(frame: Frame, columns: Columns) -> bool:
    """Whether no id is a word for a total, and every status is known."""
    kinds = frame.collect_schema()
    texts = [columns["question"], *([columns["status"]] if "status" in columns else [])]
    texts = [name for name in texts if not kinds[name].is_numeric()]
    if not texts or "outcome" not in columns or _rows_in(frame) > _LOOKED_THROUGH:
        return True
    words = [TOTALS, USUAL_STATUSES.keys() - set(STATUSES)]
    return not any(
        plain_name(str(value)) in known or (at and str(value) not in STATUSES)
        for at, (name, known) in enumerate(zip(texts, words, strict=False))
        for value in _distinct(frame, name)
    )


def _distinct(frame: Frame, name: str) -> list[Any]:
    texts = frame.select(column_of(frame, name).cast(nw.String).alias("value")).unique()
    return [value for value in column_lists(texts)["value"] if isinstance(value, str)]


def _sample(frame: Frame, name: str) -> list[Any]:
    return column_lists(frame.select(column_of(frame, name).alias("value")).head(_LOOKED_AT))[
        "value"
    ]


def arrow_columns(file: Path) -> dict[str, list[Any]]:
    """Columns of an Arrow IPC file or stream, or of a Feather file."""
    try:
        import pyarrow as pa  # noqa: PLC0415  an extra
        from pyarrow import feather, ipc  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"{file}: reading Arrow files needs pyarrow: pip install 'errbar[arrow]'."
        ) from error
    try:
        with pa.memory_map(str(file)) as mapped:
            try:
                table = ipc.open_stream(mapped).read_all()
            except pa.ArrowInvalid:
                table = feather.read_table(str(file))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{file}: this Arrow file cannot be read ({error}).") from error
    found: dict[str, list[Any]] = table.to_pydict()
    return found


def plain_document(value: Any) -> Any:
    """Return nested dicts with the arrays and series inside them as lists, or as dicts by index."""
    if isinstance(value, Mapping):
        return {name: plain_document(entry) for name, entry in value.items()}
    if hasattr(value, "to_list") and hasattr(value, "dtype") and has_index(value):
        if value.index.is_unique:
            return dict(zip(map(str, value.index), value.to_list(), strict=True))
        raise InputError(
            "a series in the dict has labels that repeat; give rows with names, as in "
            "[{'system': 'a', 'task': 'math', 'id': 'q1', 'correct': 1}]."
        )
    found = plain_container(value)
    return found.tolist() if isinstance(found, np.ndarray) else found


def plain_series(value: Any) -> Any:
    """Return a series of a DataFrame without an index as a list, other values unchanged."""
    is_series = hasattr(value, "to_list") and hasattr(value, "dtype") and not has_index(value)
    return value.to_list() if is_series else value
