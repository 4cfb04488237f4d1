"""Whatever holds outcomes → `Runs`: files, DataFrames of any kind, Spark tables, arrays, counts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from errbar.data.arrays import array_source, is_list
from errbar.data.engine_errors import plain_errors
from errbar.data.joined import Joined
from errbar.data.naming import FilesAre
from errbar.data.origin import Origin
from errbar.data.outcomes import find_columns
from errbar.data.reading import HowToRead, RowsAre
from errbar.data.sources import CountsSource, Source, TableSource
from errbar.data.statistics import Counts
from errbar.errors import InputError, NotThere, UnknownColumn, WrongType
from errbar.readers.base import Choice, Regrade
from errbar.runs import Runs

if TYPE_CHECKING:
    from errbar.paths import Asked


def load(
    data: Any,
    *,
    repeats: Literal["refuse", "keep"] = "refuse",
    reader: str | None = None,
    scorer: str | None = None,
    filter: str | None = None,
    signal: str | None = None,
    regrade: Regrade | None = None,
    files: FilesAre | None = None,
    rows: RowsAre | None = None,
    right: str | Sequence[str] = (),
    connection: Any = None,
    spark: Any = None,
    **columns: str | None,
) -> Runs:
    """Outcomes from paths, patterns, directories, a DataFrame, records, an array or counts.

    Columns are named as in `load(data, question="task_id", outcome="passed")`; usual names are
    guessed, and every result says so. In `load({"a": "a.csv", "b": "b.csv"})` each is a system. A
    trial that occurs twice is refused unless `repeats="keep"`. `connection` is the DuckDB
    connection that reads files; `spark` is a session that reads them instead.

    Several files that name no system are one system each, or trials of one (`files="trials"`). Rows
    with the same id are trials of one question, or questions of their own (`rows="questions"`).
    Outcomes that are words are known if they are usual; `right` says which words are right.

    Logs of harnesses are recognised by what is in them; `reader` names one instead. `scorer`,
    `filter` and `signal` choose among the scores of a log that has several. `regrade` is a function
    `(response, target, doc) -> outcome` for logs that hold every response but not its grade.

    Examples
    --------
    >>> runs = load([[1, 0, 1, 1], [0, 0, 1, 0]])
    >>> print(runs.score("pass@1", "pass@2")[1])
    pass@2: 0.75 ± 0.30, 95 % interval 0.14 to 0.99
    """
    for name, value, known in (
        ("repeats", repeats, ("refuse", "keep")),
        ("files", files, (None, "systems", "trials")),
        ("rows", rows, (None, "trials", "questions")),
    ):
        if value not in known:
            shown = " or ".join(repr(one) for one in known if one is not None)
            raise InputError(f"{name} must be {shown}; got {value!r}.")
    words = (right,) if isinstance(right, str) else tuple(right)
    how = HowToRead(dict(columns), words, rows, files, repeats)
    choice = Choice(scorer, filter, regrade, signal, files)
    if spark is not None:
        return Runs(_from_spark(data, how, reader, choice, spark))
    from errbar.paths import Asked, read_paths, require_no_choice  # noqa: PLC0415  loads DuckDB

    asked = Asked(how, reader, choice, connection)
    if _are_paths(data):
        return Runs(read_paths(data, asked))
    if isinstance(data, Mapping) and data and all(map(_are_paths, data.values())):
        parts = {}
        for name, paths in data.items():
            with plain_errors(str(name)):
                parts[str(name)] = read_paths(paths, asked)
        return Runs(Joined.by_name(parts))
    require_no_choice(asked)
    return Runs(_from_memory(data, asked))


def _are_paths(data: Any) -> bool:
    if isinstance(data, str | Path):
        return True
    some = isinstance(data, list | tuple) and len(data) > 0
    return some and all(isinstance(one, str | Path) for one in data)


def _from_spark(
    data: Any, how: HowToRead, reader: str | None, choice: Choice, session: Any
) -> Source:
    from errbar.data.spark import read_with_spark  # noqa: PLC0415  an extra
    from errbar.paths import Asked, require_no_choice  # noqa: PLC0415  loads DuckDB

    if reader is not None:
        raise InputError(
            f"reader={reader!r} is for logs of harnesses, which errbar reads by itself, and "
            f"Spark reads tables. Convert the log first: errbar convert LOG outcomes.parquet."
        )
    require_no_choice(Asked(how, reader, choice))
    paths = [data] if isinstance(data, str | Path) else list(data)
    frame, found, remarks = read_with_spark([str(path) for path in paths], how, session)
    origin = Origin(remarks=(found.remark(), *remarks))
    return TableSource(frame, found, how.repeats == "keep", origin=origin)


def _from_memory(data: Any, asked: "Asked") -> Source:
    how = asked.how
    if _are_paths(data):
        from errbar.paths import read_paths  # noqa: PLC0415  loads DuckDB

        return read_paths(data, asked)
    if is_list(data) and _are_records(data):
        from errbar.data.memory import read_columns  # noqa: PLC0415  loads DuckDB
        from errbar.data.records import columns_of  # noqa: PLC0415

        return read_columns(columns_of(data), how)
    if is_list(data) and any(isinstance(one, str | Path) for one in data):
        kinds = ", ".join(dict.fromkeys(type(one).__name__ for one in data))
        raise WrongType(
            f"a list holds paths, records or outcomes, all of one kind; this one holds {kinds}. "
            f"Give systems by name, as in load({{'a': frame, 'b': 'b.csv'}})."
        )
    if isinstance(data, Mapping) and data:
        return _from_mapping(data, asked)
    if isinstance(data, Source | Counts | Mapping | np.ndarray | Sequence):
        _require_untold(data, how)
        return _from_numbers(data)
    return _from_frame(data, how)


def _from_numbers(data: Any) -> Source:
    """What has no columns: arrays and counts."""
    if isinstance(data, Source):
        return data
    if isinstance(data, Counts):
        return CountsSource({("", ""): data})
    if isinstance(data, Mapping):
        raise InputError("there is no system; give one at least, as in {'mine': matrix}.")
    if isinstance(data, list | tuple) and not data:
        raise InputError("the list is empty; there is nothing to score.")
    return array_source(data if is_list(data) else np.asarray(data))


def _from_mapping(data: Mapping[Any, Any], asked: "Asked") -> Source:
    """Systems by name, the columns of a table, or outcomes by id."""
    from errbar.data.memory import read_columns  # noqa: PLC0415  loads DuckDB

    if len({str(name) for name in data}) < len(data):
        raise InputError("two systems have the same name; rename one.")
    how = asked.how
    whole = {str(name): _plain(one) for name, one in data.items()}
    values = list(whole.values())
    if all(isinstance(one, Counts) for one in values):
        _require_untold(data, how)
        return CountsSource({(name, ""): counts for name, counts in whole.items()})
    if _are_columns(whole, how):
        return read_columns({name: list(one) for name, one in whole.items()}, how)
    if all(is_list(one) and not _are_records(one) for one in values):
        _require_untold(data, how)
        return array_source(whole)
    if all(isinstance(one, bool | int | float | Mapping) for one in values):
        from errbar.data.json_documents import records_in  # noqa: PLC0415
        from errbar.data.records import columns_of  # noqa: PLC0415

        return read_columns(columns_of(records_in(whole, "the data").records), how)
    return Joined.by_name({name: _from_memory(one, asked) for name, one in data.items()})


def _plain(one: Any) -> Any:
    """A series of a data frame as a list, anything else as it is."""
    is_series = hasattr(one, "to_list") and hasattr(one, "dtype")
    return one.to_list() if is_series and not _has_index(one) else one


def _has_index(data: Any) -> bool:
    """Whether rows of pandas have names that say more than their place."""
    index = getattr(data, "index", None)
    if index is None or not hasattr(index, "names"):
        return False
    return type(index).__name__ != "RangeIndex" or any(name is not None for name in index.names)


def _with_index(frame: Any, how: HowToRead) -> Any:
    """A table of pandas with its index as columns; an unnamed one only if there is no other id."""
    if any(name is not None for name in frame.index.names):
        return frame.reset_index()
    try:
        find_columns(map(str, frame.columns), how.told)
    except UnknownColumn:
        return frame if "index" in frame.columns else frame.reset_index()
    return frame


def _are_columns(data: Mapping[Any, Any], how: HowToRead) -> bool:
    """Whether it is a table by columns: lists of equal length, one of them called an outcome."""
    values = list(data.values())
    if not all(is_list(one) for one in values) or len({len(one) for one in values}) > 1:
        return False
    try:
        find_columns(map(str, data), how.told)
    except UnknownColumn:
        return False
    return True


def _are_records(data: Any) -> bool:
    return len(data) > 0 and all(isinstance(one, Mapping) for one in data)


def _require_untold(data: Any, how: HowToRead) -> None:
    if how.told:
        first = next(iter(how.told))
        raise InputError(
            f"{first}={how.told[first]!r} names one of the columns of a table; "
            f"{type(data).__name__} has none."
        )


def _from_frame(data: Any, how: HowToRead) -> Source:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  loaded when first needed
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415

    try:
        frame = nw.from_native(data, allow_series=True)
    except TypeError as error:
        raise WrongType(
            f"outcomes are given as a path, a DataFrame (pandas, polars, pyarrow, DuckDB, Spark), "
            f"records, an array or counts; got {type(data).__name__}."
        ) from error
    except DuplicateError as error:
        names = [str(name) for name in data.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns are named {twice!r}; rename one.") from error
    if isinstance(frame, nw.Series):
        if not _has_index(data):
            return array_source(frame.to_numpy())
        return _from_frame(data.rename("outcome").to_frame(), how)
    if frame.implementation.is_pandas():
        if _has_index(data):
            frame = nw.from_native(_with_index(data, how))
        if not len(nw.to_native(frame)):
            raise NotThere("the data have no row; there is nothing to score.")
        frame = nw.from_native(nw.to_native(frame).convert_dtypes())
    from errbar.data.memory import read_frame  # noqa: PLC0415  loads DuckDB

    return read_frame(frame.lazy(), how)
