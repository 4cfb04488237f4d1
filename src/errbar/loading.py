"""Whatever holds outcomes → `Runs`: files, DataFrames of any kind, Spark tables, arrays, counts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from errbar.base.remarks import Above, guess
from errbar.data.counts import Counts
from errbar.data.engines.duckdb import plain_errors
from errbar.data.provenance import Origin
from errbar.data.readers.base import Choice, Regrade
from errbar.data.readers.tables.containers import (
    are_pairs,
    are_rows_of_words,
    are_words,
    from_other_library,
    hold_text,
    numbers_in,
    plain_container,
    refuse_rows_without_names,
    refuse_words,
)
from errbar.data.readers.tables.frames import (
    are_numbered,
    has_index,
    indexed_alike,
    refuse_tallies,
    rows_in,
    values_in,
    with_index,
)
from errbar.data.readers.tables.json_objects import are_columns, keys_of_lists
from errbar.data.readers.tables.naming import FilesAre, HowToRead, KeysAre, RepeatsAre, RowsAre
from errbar.data.sources.arrays import array_source, is_list, refuse_ids
from errbar.data.sources.joined import Joined
from errbar.data.sources.tables import CountsSource, MatrixSource, Source, TableSource
from errbar.errors import InputError, NotThere, WrongType
from errbar.runs import Runs

if TYPE_CHECKING:
    from errbar.data.readers.paths import Asked


def load(
    data: Any,
    *,
    repeats: RepeatsAre = "refuse",
    reader: str | None = None,
    scorer: str | None = None,
    filter: str | None = None,
    signal: str | None = None,
    regrade: Regrade | None = None,
    files: FilesAre | None = None,
    rows: RowsAre | None = None,
    keys: KeysAre | None = None,
    right: str | Sequence[str] = (),
    connection: Any = None,
    spark: Any = None,
    **columns: str | None,
) -> Runs:
    """Outcomes from paths, patterns, directories, a DataFrame, records, an array or counts.

    Logs of harnesses are recognised by what is in them. Every result says what was guessed.

    Parameters
    ----------
    data
        A path, a pattern, a directory, or a list of them; a DataFrame of any kind; records; an
        array of questions x trials; counts; or a dict of any of these by system.
    repeats
        A trial that occurs twice is refused, kept ("keep"), or replaced by its last row ("last").
    reader
        The harness that wrote the logs, as in "inspect_ai", where it is not recognised.
    scorer, filter, signal
        Which score, filter or confidence to take from a log that has several.
    regrade
        A function `(response, target, doc) -> outcome` for logs of responses without grades.
    files, rows, keys
        What files that name no system ("systems", "trials", "tasks", "parts"), rows with the same
        id ("trials", "questions") and keys of lists of outcomes ("systems", "questions") are.
    right
        Words that mean right, where outcomes are words.
    connection, spark
        The DuckDB connection, or the Spark session, that reads the files.
    **columns
        Columns by what they mean, as in `question="task_id"`; None where there is no such column.

    Examples
    --------
    >>> print(load([[1, 0, 1, 1], [0, 0, 1, 0]]).score("pass@2")[0])
    pass@2: 0.75 ± 0.30, 95 % interval 0.14 to 0.99
    """
    _require_known(repeats, files, rows, keys)
    words = (right,) if isinstance(right, str) else tuple(right)
    how = HowToRead(dict(columns), words, rows, files, repeats, keys)
    choice = Choice(scorer, filter, regrade, signal, files)
    if spark is not None:
        return Runs(_from_spark(data, how, reader, choice, spark))
    return _loaded(data, how, reader, choice, connection)


def _require_known(
    repeats: RepeatsAre, files: FilesAre | None, rows: RowsAre | None, keys: KeysAre | None
) -> None:
    for name, value, known in (
        ("repeats", repeats, ("refuse", "keep", "last")),
        ("files", files, (None, "systems", "trials", "tasks", "parts")),
        ("rows", rows, (None, "trials", "questions")),
        ("keys", keys, (None, "systems", "questions")),
    ):
        if value not in known:
            shown = " or ".join(repr(choice) for choice in known if choice is not None)
            raise InputError(f"{name} must be {shown}; got {value!r}.")


def _loaded(data: Any, how: HowToRead, reader: str | None, choice: Choice, connection: Any) -> Runs:
    from errbar.data.readers.paths import Asked, read_paths, require_no_choice  # noqa: PLC0415  loads DuckDB

    asked = Asked(how, reader, choice, connection)
    data = plain_container(data)
    if isinstance(data, Runs):
        return data
    if how.keys is not None and not _are_paths(data) and not isinstance(data, Mapping):
        raise InputError(f"keys= says what the keys of a dict are; {type(data).__name__} has none.")
    if _are_paths(data, how.right):
        refuse_words(data)
        return Runs(read_paths(data, asked))
    if _are_named_paths(data, how.right):
        parts = {}
        for name, paths in data.items():
            with plain_errors(str(name)):
                parts[str(name)] = read_paths(paths, asked)
        return Runs(Joined.by_name(parts))
    require_no_choice(asked)
    return Runs(_from_memory(data, asked))


def _are_paths(data: Any, right: Sequence[str] = ()) -> bool:
    """Whether it is a path or a list of paths, and no list of words for right and wrong."""
    if isinstance(data, str | Path):
        return True
    some = isinstance(data, list | tuple) and len(data) > 0
    return some and all(isinstance(one, str | Path) for one in data) and not are_words(data, right)


def _are_named_paths(data: Any, right: Sequence[str]) -> bool:
    if not isinstance(data, Mapping) or not data or are_words([*data.values()], right):
        return False
    return all(_are_paths(one, right) for one in data.values())


def _from_spark(
    data: Any, how: HowToRead, reader: str | None, choice: Choice, session: Any
) -> Source:
    from errbar.data.engines.spark import read_with_spark  # noqa: PLC0415  an extra
    from errbar.data.readers.paths import Asked, require_no_choice  # noqa: PLC0415  loads DuckDB

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
    data = plain_container(data)
    if isinstance(data, Runs):
        return data.source
    if _are_paths(data, how.right):
        from errbar.data.readers.paths import read_paths  # noqa: PLC0415  loads DuckDB

        return read_paths(data, asked)
    if is_list(data) and len(data):
        return _from_list(data, how)
    if isinstance(data, Mapping) and data:
        return _from_mapping(data, asked)
    if isinstance(data, Source | Counts | Mapping | np.ndarray | Sequence):
        _require_untold(data, how)
        return _from_numbers(data)
    return _from_frame(data, how)


def _from_list(data: Sequence[Any], how: HowToRead) -> Source:
    """Records, words, pairs of an id and an outcome, or numbers."""
    if _are_records(data):
        from errbar.data.readers.tables.records import columns_of  # noqa: PLC0415

        return _from_columns(columns_of(data), how)
    if are_words(data, how.right):
        said = guess(f"Questions: the {len(data)} entries of the list, one trial of each")
        return _from_columns({"outcome": list(data)}, how, said)
    if are_rows_of_words(data, how.right):
        said = guess(f"Matrix: {len(data)} rows are questions, their entries are trials")
        flat: dict[str, list[Any]] = {
            "question": list(range(len(data))),
            "outcome": [list(row) for row in data],
        }
        return _from_columns(flat, how, said)
    if are_pairs(data):
        ids, outcomes = (list(column) for column in zip(*data, strict=True))
        said = guess("Pairs: the first of each is the id of a question, the second an outcome")
        return _from_columns({"question": ids, "outcome": outcomes}, how, said)
    if any(isinstance(one, str | Path) for one in data):
        kinds = ", ".join(dict.fromkeys(type(one).__name__ for one in data))
        raise WrongType(
            f"a list holds paths, records or outcomes, all of one kind; this one holds {kinds}. "
            f"Give systems by name, as in load({{'a': frame, 'b': 'b.csv'}})."
        )
    refuse_rows_without_names(data)
    _require_untold(data, how)
    return _from_numbers(data)


def _from_columns(flat: dict[str, list[Any]], how: HowToRead, *said: Above) -> Source:
    from errbar.data.readers.tables.frames import read_columns  # noqa: PLC0415  loads DuckDB

    source = read_columns(flat, how)
    remarks = (*source.origin.remarks, *said)
    return source.with_origin(replace(source.origin, remarks=remarks))


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
    return _array_source(numbers_in(data) if is_list(data) else np.asarray(data))


def _array_source(data: Any) -> MatrixSource:
    """An array, or arrays by name, in none of which the first column holds ids."""
    source = array_source(data)
    for name, matrix in source.matrices.items():
        refuse_ids(
            matrix,
            name or "the matrix",
            "Give rows with names, as in [{'id': 0, 'correct': 1}], or leave that column out.",
        )
    return source


def _from_mapping(data: Mapping[Any, Any], asked: "Asked") -> Source:
    """Systems by name, the columns of a table, or outcomes by id."""
    if len({str(name) for name in data}) < len(data):
        raise InputError("two systems have the same name; rename one.")
    how = asked.how
    if all(isinstance(name, tuple) for name in data):
        raise InputError(
            f"the keys of the dict are tuples, as {next(iter(data))!r:.60}, and nothing says what "
            f"their parts are; give rows with names, as in [{{'system': 'a', 'id': 'q1', "
            f"'correct': 1}}], or a dict of dicts."
        )
    whole = {str(name): _plain(plain_container(one)) for name, one in data.items()}
    values = list(whole.values())
    if all(isinstance(one, Counts) for one in values):
        _require_untold(data, how)
        return CountsSource({(name, ""): counts for name, counts in whole.items()})
    if all(is_list(one) and not _are_records(one) and not hold_text(one) for one in values):
        return _from_lists(whole, how)
    if all(one is None or isinstance(one, bool | int | float | str | Mapping) for one in values):
        from errbar.data.readers.tables.json_documents import records_in  # noqa: PLC0415
        from errbar.data.readers.tables.records import columns_of  # noqa: PLC0415

        document = records_in(whole, "the data", how.keys)
        return _from_columns(columns_of(document.records), how, *document.remarks)
    return Joined.by_name(
        {name: _from_memory(one, asked) for name, one in indexed_alike(whole).items()}
    )


def _from_lists(lists: Mapping[str, Sequence[Any]], how: HowToRead) -> Source:
    """Columns of a table, matrices of systems, or outcomes of systems or questions."""
    columns = {name: _entries(one) for name, one in lists.items()}
    nested = any(is_list(entry) for column in columns.values() for entry in column)
    if are_columns(columns) or (how.told and not nested):
        return _from_columns(_of_one_length(columns), how)
    if nested:
        _require_untold(lists, how)
        return _array_source({name: numbers_in(one) for name, one in lists.items()})
    keys, said = keys_of_lists(columns, how.keys)
    flat: dict[str, list[Any]]
    if keys == "systems" and not any(
        isinstance(entry, str) for column in columns.values() for entry in column
    ):
        _require_untold(lists, how)
        source = _array_source({name: numbers_in(one) for name, one in lists.items()})
        return source.with_origin(Origin(remarks=tuple(said)))
    if keys == "questions":
        flat = {"question": list(columns), "outcome": list(columns.values())}
        return _from_columns(flat, how, *said)
    rows = [(name, at, one) for name, column in columns.items() for at, one in enumerate(column)]
    names = ("system", "question", "outcome")
    flat = {name: list(part) for name, part in zip(names, zip(*rows, strict=True), strict=True)}
    return _from_columns(flat, how, *said)


def _entries(column: Sequence[Any]) -> list[Any]:
    return list(column.tolist() if isinstance(column, np.ndarray) else column)


def _of_one_length(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r} has {length}" for name, length in list(lengths.items())[:6])
        raise InputError(f"columns of a table have one length; here {shown}.")
    return columns


def _plain(one: Any) -> Any:
    """A series of a data frame as a list, anything else as it is."""
    is_series = hasattr(one, "to_list") and hasattr(one, "dtype")
    return one.to_list() if is_series and not has_index(one) else one


def _are_records(data: Any) -> bool:
    return len(data) > 0 and all(isinstance(one, Mapping) for one in data)


def _require_untold(data: Any, how: HowToRead) -> None:
    """Refuse what can only be said of a table."""
    if how.told:
        first = next(iter(how.told))
        raise InputError(
            f"{first}={how.told[first]!r} names one of the columns of a table; "
            f"{type(data).__name__} has none."
        )
    for name, value in (("right", how.right), ("rows", how.rows)):
        if value:
            raise InputError(
                f"{name}= is for tables of outcomes; {type(data).__name__} of numbers is none."
            )


def _from_frame(data: Any, how: HowToRead) -> Source:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  loaded when first needed
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415

    try:
        frame = nw.from_native(data, allow_series=True)
    except TypeError as error:
        converted = from_other_library(data)
        if converted is not None:
            return _from_list(converted, how)
        raise WrongType(
            f"outcomes are given as a path, a DataFrame (pandas, polars, pyarrow, DuckDB, Spark), "
            f"records, an array or counts; got {type(data).__name__}."
        ) from error
    except DuplicateError as error:
        names = [str(name) for name in data.columns]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two columns are named {twice!r}; rename one.") from error
    if isinstance(frame, nw.Series):
        if not has_index(data):
            return _from_list(values_in(frame), how)
        return _from_frame(data.rename("outcome").to_frame(), how)
    if frame.implementation.is_pandas():
        refuse_tallies(data)
    if are_numbered(frame) and not how.told:
        rows = rows_in(frame)
        if not has_index(data):
            return _from_list(rows, how)
        said = guess("Trials: the columns, which have numbers for names")
        return _from_columns({"question": data.index.tolist(), "outcome": rows}, how, said)
    if frame.implementation.is_pandas():
        if has_index(data):
            frame = nw.from_native(with_index(data, how))
        if not len(nw.to_native(frame)):
            raise NotThere("the data have no row; there is nothing to score.")
        frame = nw.from_native(nw.to_native(frame).convert_dtypes())
    from errbar.data.readers.tables.frames import read_frame  # noqa: PLC0415  loads DuckDB

    return read_frame(frame.lazy(), how)
