"""Whatever holds outcomes → `Runs`: files, DataFrames of any kind, Spark tables, arrays, counts."""

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from errbar.data.engine_errors import plain_errors
from errbar.data.matrix import as_matrix
from errbar.data.origin import Origin
from errbar.data.outcomes import USUAL, USUAL_COUNTS, Columns, are_counts, find_columns
from errbar.data.sources import (
    CountsSource,
    CountsTableSource,
    MatrixSource,
    Source,
    TableSource,
)
from errbar.data.statistics import Counts
from errbar.errors import ErrbarError, InputError, NotThere, UnknownColumn, WrongType
from errbar.readers.base import Choice, Reader, Regrade
from errbar.readers.finding import find_reader
from errbar.runs import Runs

if TYPE_CHECKING:
    from errbar.data.files import Paths

_ARRAYS = (".npy", ".npz")
# What code meets that takes a log to be as its harness writes it.
_UNFORESEEN = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)


def load(
    data: Any,
    *,
    repeats: Literal["refuse", "keep"] = "refuse",
    reader: str | None = None,
    scorer: str | None = None,
    filter: str | None = None,
    regrade: Regrade | None = None,
    connection: Any = None,
    spark: Any = None,
    **columns: str | None,
) -> Runs:
    """Outcomes from paths, patterns, directories, a DataFrame, an array or counts.

    Columns are named as in `load(data, question="task_id", outcome="passed")`; usual names are
    guessed, and every result says so. A trial that occurs twice is refused unless
    `repeats="keep"`. `connection` is the DuckDB connection that reads files; `spark` is a session
    that reads them instead.

    Logs of harnesses are recognised by what is in them; `reader` names one instead. `scorer` and
    `filter` choose among the scores of a log that has several. `regrade` is a function
    `(response, target, doc) -> outcome` for logs that hold every response but not its grade.

    Examples
    --------
    >>> runs = load([[1, 0, 1, 1], [0, 0, 1, 0]])
    >>> print(runs.score("pass@1", "pass@2")[1])
    pass@2: 0.75 ± 0.30, 95 % interval 0.14 to 0.99
    """
    if repeats not in ("refuse", "keep"):
        raise InputError(f"repeats must be 'refuse' or 'keep'; got {repeats!r}.")
    told = dict(columns)
    keep = repeats == "keep"
    are_paths = _are_paths(data) and spark is None
    if reader:
        _require_log(reader, told, "" if not are_paths else _shown(data), spark)
    if are_paths and not told:
        log = _from_log(data, reader, Choice(scorer, filter, regrade))
        if log is not None:
            return Runs(replace(log, allow_repeats=keep))
    if regrade is not None:
        raise InputError("regrade is for logs of harnesses that hold responses; this is none.")
    for name, chosen in (("scorer", scorer), ("filter", filter)):
        if chosen is not None:
            raise InputError(
                f"{name}={chosen!r} chooses among the scores in a log of a harness; this is read "
                f"as a table. Say which column to score instead, as in outcome='...' or --map "
                f"outcome=..."
            )
    if spark is not None:
        from errbar.data.spark import read_with_spark  # noqa: PLC0415  an extra

        paths = [data] if isinstance(data, str | Path) else list(data)
        frame, found = read_with_spark([str(path) for path in paths], told, spark)
        return Runs(TableSource(frame, found, keep))
    if not are_paths:
        return Runs(_source(data, told, keep))
    try:
        return Runs(_from_paths(data, told, keep, connection))
    except InputError as error:
        whose = _whose_log(data) if told else None
        if whose is None:
            raise
        raise type(error)(_not_mapped(error, told, whose, _shown(data))) from error


def _are_paths(data: Any) -> bool:
    if isinstance(data, str | Path):
        return True
    some = isinstance(data, list | tuple) and len(data) > 0
    return some and all(isinstance(one, str | Path) for one in data)


def _source(data: Any, told: dict[str, str | None], keep: bool) -> Source:
    if told and isinstance(data, Source | Counts | Mapping | np.ndarray | Sequence):
        first = next(iter(told))
        raise InputError(
            f"{first}={told[first]!r} names one of the columns of a table; {type(data).__name__} "
            f"has none."
        )
    if isinstance(data, Source):
        return data
    if isinstance(data, Counts):
        return CountsSource({("", ""): data})
    if isinstance(data, Mapping):
        return _from_mapping(data)
    if isinstance(data, np.ndarray) or (_is_list(data) and len(data) and _is_list(data[0])):
        return _from_array(data, "")
    return _from_frame(data, told, keep)


def _from_log(paths: "Paths", asked: str | None, choice: Choice) -> TableSource | None:
    """Outcomes in the log of a harness; None if it is of none."""
    from errbar.data.files import find_files  # noqa: PLC0415  loads DuckDB
    from errbar.data.held import table_of  # noqa: PLC0415

    found = find_reader(find_files(paths, of_any_kind=True), asked)
    if found is None:
        return None
    _require_choices(found.reader, choice, _shown(paths))
    try:
        log = found.reader.read(found.files, choice)
    except ErrbarError:
        raise
    except _UNFORESEEN as error:
        raise InputError(
            f"{_shown(paths)}: it looks like a log of {found.reader.name} ({found.why}), but not "
            f"as that writes them: {type(error).__name__}, {error}."
        ) from error
    if not len(log):
        raise NotThere(f"{_shown(paths)}: the log of {found.reader.name} has no row to score.")
    if log.accounts:
        log.accounts.require_closed(found.files, len(log))
    for path, reason in found.skipped.items():
        log.skip(path, reason)
    named = {name: name for name in log.columns if name in USUAL}
    remarks = (*log.remarks, *found.remarks, *log.accounts.in_words())
    origin = Origin(found.reader.name, found.why, tuple(log.claims), remarks, accounts=log.accounts)
    columns = Columns(named, frozenset())
    return TableSource(table_of(log.columns), columns, where=_shown(paths), origin=origin)


def _whose_log(paths: "Paths") -> str | None:
    """The harness whose log it is, if any: then it is no table, whatever it was told to be."""
    from errbar.data.files import find_files  # noqa: PLC0415  loads DuckDB

    found = find_reader(find_files(paths, of_any_kind=True))
    return found.reader.name if found and not found.reader.only_totals else None


def _require_log(reader: str, told: Mapping[str, str | None], where: str, spark: Any) -> None:
    """Refuse a reader that is not there, or that would be told or given what it does not take."""
    find_reader((), reader)
    if spark is not None:
        raise InputError(
            f"reader={reader!r} is for logs of harnesses, which errbar reads by itself, and Spark "
            f"reads tables. Convert the log first: errbar convert LOG outcomes.parquet."
        )
    if where and told:
        raise InputError(_nothing_to_map(told, reader, where))


def _not_mapped(error: InputError, told: Mapping[str, str | None], reader: str, where: str) -> str:
    """Why a log could not be read as a table with these columns."""
    if isinstance(error, UnknownColumn):
        return (
            f"{error} It is a log of {reader}, whose reader knows what is what without a mapping."
        )
    return _nothing_to_map(told, reader, where)


def _nothing_to_map(told: Mapping[str, str | None], reader: str, where: str) -> str:
    meaning, column = next(iter(told.items()))
    return (
        f"{where}: {meaning}={column!r} names a column of a table, and this is a log of {reader}, "
        f"whose reader knows what is what in it: there is nothing to map. Leave the mapping out; "
        f"or make a table of the log and map that: errbar convert {where} outcomes.csv."
    )


def _require_choices(reader: Reader, choice: Choice, where: str) -> None:
    """Refuse a choice that the logs of a harness do not leave."""
    for what in ("scorer", "filter"):
        asked = getattr(choice, what)
        if asked is not None and what not in reader.chooses:
            raise InputError(
                f"{where}: there is no {what} {asked!r}; {reader.name} leaves none to choose."
            )
    if choice.regrade is not None and "regrade" not in reader.chooses:
        raise InputError(f"{where}: the reader of {reader.name} has no responses to regrade.")


def _shown(paths: "Paths") -> str:
    """What a message calls them."""
    return str(paths) if isinstance(paths, str | Path) else str(paths[0])


def _from_paths(paths: "Paths", told: dict[str, str | None], keep: bool, connection: Any) -> Source:
    from errbar.data.files import find_files, read_files, read_matrix  # noqa: PLC0415  loads DuckDB

    path = _shown(paths)
    files = find_files(paths)
    if any(file.suffix.lower() in _ARRAYS for file in files):
        if len(files) > 1:
            raise InputError(f"{path}: arrays are read one file at a time.")
        return _from_array_file(files[0])
    matrix = read_matrix(files[0]) if len(files) == 1 and not told else None
    if matrix is not None:
        return _from_array(matrix, "")
    frame, columns = read_files(files, told, connection)
    if "correct" in columns:
        return CountsTableSource(frame, columns, keep, path)
    return TableSource(frame, columns, keep, path)


def _from_frame(data: Any, told: dict[str, str | None], keep: bool) -> Source:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  loaded when first needed
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415

    try:
        frame = nw.from_native(data)
    except TypeError as error:
        raise WrongType(
            f"outcomes are given as a path, a DataFrame (pandas, polars, pyarrow, DuckDB, Spark), "
            f"an array or counts; got {type(data).__name__}."
        ) from error
    except DuplicateError as error:
        names = [str(name) for name in data.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns are named {twice!r}; rename one.") from error
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        raise WrongType(f"outcomes are a whole table; got a {type(data).__name__}.")
    names = frame.collect_schema().names()
    counts = are_counts(names, told)
    columns = find_columns(names, told, USUAL_COUNTS if counts else USUAL)
    if frame.implementation.is_pandas():
        if not len(nw.to_native(frame)):
            raise NotThere("the data have no row; there is nothing to score.")
        frame = nw.from_native(nw.to_native(frame).convert_dtypes())
    if counts:
        return CountsTableSource(frame.lazy(), columns, keep)
    return TableSource(frame.lazy(), columns, keep)


def _from_mapping(data: Mapping[Any, Any]) -> Source:
    if not data:
        raise InputError("there is no system; give one at least, as in {'mine': matrix}.")
    if len({str(name) for name in data}) < len(data):
        raise InputError("two systems have the same name; rename one.")
    if all(isinstance(one, Counts) for one in data.values()):
        return CountsSource({(str(name), ""): counts for name, counts in data.items()})
    return MatrixSource({str(name): _matrix(one, str(name)) for name, one in data.items()})


def _from_array(data: Any, name: str) -> Source:
    if _depth(data) == 3:
        return MatrixSource(
            {f"system {at + 1}": _matrix(one, f"system {at + 1}") for at, one in enumerate(data)}
        )
    return MatrixSource({name: _matrix(data, name or "the matrix")})


def _depth(data: Any) -> int:
    if isinstance(data, np.ndarray):
        return data.ndim
    return 1 + _depth(data[0]) if _is_list(data) and len(data) else int(_is_list(data))


def _is_list(data: Any) -> bool:
    return isinstance(data, Sequence | np.ndarray) and not isinstance(data, str | bytes)


def _from_array_file(file: Path) -> Source:
    with plain_errors(str(file)):
        try:
            with file.open("rb") as opened:
                loaded = np.load(opened, allow_pickle=False)
                arrays = (
                    loaded
                    if isinstance(loaded, np.ndarray)
                    else {name: loaded[name] for name in loaded.files}
                )
        except (ValueError, OSError, EOFError, BadZipFile, zlib.error, KeyError) as error:
            raise InputError(
                f"{file} holds no arrays of numbers that can be read; arrays of objects are never "
                f"unpickled."
            ) from error
        return _from_array(arrays, "") if isinstance(arrays, np.ndarray) else _from_mapping(arrays)


def _matrix(data: Any, name: str) -> NDArray[Any]:
    return as_matrix(data, name).astype(float)
