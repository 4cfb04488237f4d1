"""`load`: outcomes from files, DataFrames, Spark tables, records, arrays or counts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from errbar.base.arguments import require_choice, require_text, texts
from errbar.base.remarks import Above, guess
from errbar.data.counts import Counts
from errbar.data.engines.duckdb import plain_errors
from errbar.data.readers.choices import (
    Choice,
    FilesAre,
    HowToRead,
    KeysAre,
    ReadRequest,
    Regrade,
    RepeatsAre,
    RowsAre,
)
from errbar.data.readers.logs import Origin
from errbar.data.readers.tables.column_documents import are_columns
from errbar.data.readers.tables.containers import (
    are_labels,
    are_numbers,
    are_pairs,
    are_records,
    are_rows_of_trials,
    are_words,
    from_other_library,
    hold_text,
    is_document,
    nested_by_keys,
    numbered_remark,
    numbers_in,
    of_one_length,
    plain_container,
    refuse_rows_without_names,
    refuse_words,
    require_no_columns,
)
from errbar.data.readers.tables.frames import (
    are_numbered,
    has_index,
    indexed_alike,
    plain_document,
    plain_series,
    refuse_tallies,
    rows_in,
    values_in,
    with_flat_columns,
    with_index,
)
from errbar.data.readers.tables.json_objects import keys_of_lists
from errbar.data.sources.arrays import CountsSource, is_list, source_in_memory
from errbar.data.sources.joined import JoinedSource, with_checked_ids
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import InputError, NotThere, WrongType
from errbar.runs import Runs

if TYPE_CHECKING:
    from errbar.analysis.corrections import Correction


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
    labels: Any = None,
    label: str | None = None,
    correction: "Correction" = "ppi++",
    connection: Any = None,
    spark: Any = None,
    **columns: str | None,
) -> Runs:
    """Load outcomes from files, a DataFrame, records, an array or counts.

    The format of a log is detected. Every result states how the data were interpreted.

    Parameters
    ----------
    data
        A path, a glob pattern, a directory, or a list of them; a DataFrame of any library;
        records; an array of questions x trials; counts; or a dict of any of these by system.
    repeats
        A trial that occurs twice is refused ("refuse"), kept ("keep"), or replaced ("last").
    reader, scorer, filter, signal
        The harness of the logs, detected by default; the score, filter or confidence to use.
    regrade
        A function `(response, target, doc) -> outcome` for logs of responses without grades.
    files, rows, keys
        Files without a system column are "systems", "questions", "trials", "tasks" or "parts"; rows
        of an id "trials" or "questions"; keys of lists of outcomes "systems" or "questions".
    right
        Words that mean right, if outcomes are words.
    labels, label, correction
        Trusted labels, by which a judge's scores are corrected: data, or the column or scorer that
        has them; and how they correct: "ppi++", "ppi", or "labels" for those alone.
    connection, spark
        The DuckDB connection, or the Spark session, that reads the files.
    **columns
        Columns by meaning, as in `question="task_id"`; None means that there is no such column.

    Examples
    --------
    >>> print(load([[1, 0, 1, 1], [0, 0, 1, 0]]).score("pass@2")[0])
    pass@2: 0.75 ± 0.24, 95% CI 0.11 to 0.99
    """
    how = _how_to_read(columns, right, rows, files, repeats, keys)
    choice = Choice(scorer, filter, regrade, signal, files)
    read = partial(_read, data, reader, connection, spark)
    if labels is None and label is None:
        return read(how, choice)
    trusted = None if labels is None else partial(_read, labels, None, connection, None)
    return _corrected(read, how, choice, trusted, label, correction)


def _corrected(*judged: Any) -> Runs:
    from errbar.judges import judged_runs  # noqa: PLC0415  22 modules that others do without

    return judged_runs(*judged)


def _read(
    data: Any, reader: str | None, connection: Any, spark: Any, how: HowToRead, choice: Choice
) -> Runs:
    require_text(reader=reader, filter=choice.filter)
    if spark is not None:
        return Runs(_from_spark(data, how, reader, choice, spark))
    return _load(data, how, reader, choice, connection)


def _how_to_read(
    columns: Mapping[str, str | None],
    right: str | Sequence[str],
    rows: RowsAre | None,
    files: FilesAre | None,
    repeats: RepeatsAre,
    keys: KeysAre | None,
) -> HowToRead:
    """The options of reading, if their values are known."""
    require_choice(repeats, "repeats", get_args(RepeatsAre))
    chosen = {"files": (files, FilesAre), "rows": (rows, RowsAre), "keys": (keys, KeysAre)}
    for name, (value, known) in chosen.items():
        if value is not None:
            require_choice(value, name, get_args(known))
    words = texts(right, "right")
    named = {meaning: None if name is None else str(name) for meaning, name in columns.items()}
    return HowToRead(named, words, rows, files, repeats, keys)


def _load(data: Any, how: HowToRead, reader: str | None, choice: Choice, connection: Any) -> Runs:
    from errbar.data.readers.paths import read_paths, require_no_choice  # noqa: PLC0415  loads DuckDB

    request = ReadRequest(how, reader, choice, connection)
    if isinstance(data, str | Path):
        return Runs(read_paths(data, request))
    data = plain_container(data)
    if isinstance(data, Runs):
        return data
    if how.keys is not None and not _are_paths(data) and not isinstance(data, Mapping):
        raise InputError(f"keys= says what the keys of a dict are; {type(data).__name__} has none.")
    if _are_paths(data, how.right):
        refuse_words(data)
        return Runs(read_paths(data, request))
    if _are_named_paths(data, how.right):
        parts = {}
        for name, paths in data.items():
            with plain_errors(str(name)):
                parts[str(name)] = read_paths(paths, request)
        return Runs(JoinedSource.by_name(parts))
    require_no_choice(request)
    return Runs(_from_memory(data, request))


def _are_paths(data: Any, right: Sequence[str] = ()) -> bool:
    """Whether the data are a path or a list of paths, and not words for right and wrong."""
    if isinstance(data, str | Path):
        return True
    some = isinstance(data, list | tuple) and len(data) > 0
    return (
        some and all(isinstance(path, str | Path) for path in data) and not are_words(data, right)
    )


def _are_named_paths(data: Any, right: Sequence[str]) -> bool:
    if not isinstance(data, Mapping) or not data or are_words([*data.values()], right):
        return False
    if is_document(data) or are_labels(data):
        return False
    return all(_are_paths(paths, right) for paths in data.values())


def _from_spark(
    data: Any, how: HowToRead, reader: str | None, choice: Choice, session: Any
) -> Source:
    from errbar.data.engines.spark import read_with_spark  # noqa: PLC0415  an extra
    from errbar.data.readers.paths import require_no_choice  # noqa: PLC0415  loads DuckDB

    if reader is not None:
        raise InputError(
            f"reader={reader!r} is for logs of harnesses, but Spark reads only tables. Convert the "
            f"log first: errbar convert LOG outcomes.parquet."
        )
    require_no_choice(ReadRequest(how, reader, choice))
    paths = [data] if isinstance(data, str | Path) else data if _are_paths(data) else []
    frame, named, remarks = read_with_spark([str(path) for path in paths], how, session)
    origin = Origin(remarks=(named.remark(), *remarks))
    return TableSource(
        frame=frame, columns=named, allow_repeats=how.repeats == "keep", origin=origin
    )


def _from_memory(data: Any, request: ReadRequest) -> Source:
    how = request.how
    data = plain_container(data)
    if isinstance(data, Runs):
        return data.source
    if _are_paths(data, how.right):
        from errbar.data.readers.paths import read_paths  # noqa: PLC0415  loads DuckDB

        return read_paths(data, request)
    if is_list(data) and len(data) and not are_numbers(data):
        return _from_list(data, how)
    if isinstance(data, Mapping) and data:
        return _from_mapping(data, request)
    if isinstance(data, Source | Counts | Mapping | np.ndarray | Sequence):
        require_no_columns(data, how)
        return _from_numbers(data)
    return _from_frame(data, how)


def _from_list(data: Sequence[Any], how: HowToRead) -> Source:
    """Load records, words, pairs of an id and an outcome, or numbers."""
    if are_records(data):
        from errbar.data.readers.tables.derived_columns import columns_of  # noqa: PLC0415

        return _from_columns(columns_of(data), how)
    if are_words(data, how.right):
        remark = guess(f"Questions: the {len(data)} entries of the list, one trial of each")
        return _from_columns({"outcome": list(data)}, how, remark)
    if are_rows_of_trials(data, how.right):
        remark = guess(f"Matrix: {len(data)} rows are questions, their entries are trials")
        flat: dict[str, list[Any]] = {
            "question": list(range(len(data))),
            "outcome": [list(row) for row in data],
        }
        return _from_columns(flat, how, remark)
    if are_pairs(data):
        ids, outcomes = (list(column) for column in zip(*data, strict=True))
        remark = guess("Pairs: the first of each is the id of a question, the second an outcome")
        return _from_columns({"question": ids, "outcome": outcomes}, how, remark)
    if any(isinstance(entry, str | Path) for entry in data):
        kinds = ", ".join(dict.fromkeys(type(entry).__name__ for entry in data))
        raise WrongType(
            f"the entries of a list must all be paths, records or outcomes; these are {kinds}. "
            f"Give systems by name, as in load({{'a': frame, 'b': 'b.csv'}})."
        )
    refuse_rows_without_names(data)
    require_no_columns(data, how)
    return _from_numbers(data)


def _from_columns(flat: dict[str, list[Any]], how: HowToRead, *remark: Above) -> Source:
    from errbar.data.readers.tables.frames import read_columns  # noqa: PLC0415  loads DuckDB

    source = read_columns(flat, how)
    remarks = (*source.origin.remarks, *remark)
    return source.with_origin(replace(source.origin, remarks=remarks))


def _from_numbers(data: Any) -> Source:
    """Load data without columns: arrays and counts."""
    if isinstance(data, Source):
        return data
    if isinstance(data, Counts):
        return CountsSource({("", ""): data})
    if isinstance(data, Mapping):
        raise InputError("the dict is empty; give at least one system, as in {'mine': matrix}.")
    if isinstance(data, list | tuple) and not data:
        raise InputError("the list is empty; there is nothing to score.")
    return source_in_memory(numbers_in(data) if is_list(data) else np.asarray(data))


def _from_mapping(data: Mapping[Any, Any], request: ReadRequest) -> Source:
    """Load systems by name, the columns of a table, or outcomes by id."""
    if len({str(name) for name in data}) < len(data):
        raise InputError("two systems have the same name; rename one.")
    how = request.how
    if any(isinstance(name, tuple) for name in data):
        return _from_mapping(nested_by_keys(data), request)
    entries = {str(name): plain_series(plain_container(value)) for name, value in data.items()}
    values = list(entries.values())
    if all(isinstance(value, Counts) for value in values):
        require_no_columns(data, how)
        return CountsSource({(name, ""): counts for name, counts in entries.items()})
    if all(is_list(value) and not are_records(value) and not hold_text(value) for value in values):
        return _from_lists(entries, how)
    plain = all(isinstance(value, bool | int | float | str | Mapping | None) for value in values)
    if plain or is_document(entries):
        from errbar.data.readers.tables.derived_columns import columns_of  # noqa: PLC0415
        from errbar.data.readers.tables.json_documents import records_in  # noqa: PLC0415

        document = records_in(plain_document(entries), "the data", how.keys)
        return _from_columns(columns_of(document.records), how, *document.remarks)
    parts = {name: _from_memory(v, request) for name, v in indexed_alike(entries).items()}
    return with_checked_ids(JoinedSource.by_name(parts))


def _from_lists(lists: Mapping[str, Sequence[Any]], how: HowToRead) -> Source:
    """Load columns of a table, matrices of systems, or outcomes of systems or questions."""
    columns = {n: e.tolist() if isinstance(e, np.ndarray) else [*e] for n, e in lists.items()}
    nested = any(is_list(entry) for column in columns.values() for entry in column)
    if are_columns(columns) or (how.assignment and not nested):
        return _from_columns(of_one_length(columns), how)
    if nested:
        require_no_columns(lists, how)
        return source_in_memory({name: numbers_in(outcomes) for name, outcomes in lists.items()})
    keys, remark = keys_of_lists(columns, how.keys)
    flat: dict[str, list[Any]]
    if keys == "systems" and not any(
        isinstance(entry, str) for column in columns.values() for entry in column
    ):
        require_no_columns(lists, how)
        source = source_in_memory({name: numbers_in(outcomes) for name, outcomes in lists.items()})
        return source.with_origin(Origin(remarks=tuple(remark)))
    if keys == "questions":
        flat = {"question": list(columns), "outcome": list(columns.values())}
        return _from_columns(flat, how, *remark)
    rows = [
        (name, at, outcome) for name, column in columns.items() for at, outcome in enumerate(column)
    ]
    names = ("system", "question", "outcome")
    flat = {name: list(part) for name, part in zip(names, zip(*rows, strict=True), strict=True)}
    return _from_columns(flat, how, *remark)


def _from_frame(data: Any, how: HowToRead) -> Source:
    import narwhals.stable.v2 as nw  # noqa: PLC0415  loaded when first needed
    from narwhals.exceptions import DuplicateError  # noqa: PLC0415

    data = with_flat_columns(data, how)
    try:
        frame = nw.from_native(data, allow_series=True)
    except TypeError as error:
        converted = from_other_library(data)
        if converted is not None:
            return _from_list(converted, how)
        raise WrongType(
            f"outcomes are given as a path, a DataFrame (pandas, polars, pyarrow, DuckDB, Spark, "
            f"Ibis, Dask), records, an array or counts; got {type(data).__name__}."
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
    if are_numbered(frame) and not how.assignment:
        rows = rows_in(frame)
        if not has_index(data):
            return _from_list(rows, how)
        remark = numbered_remark(list(map(str, data.index)), len(frame.columns))
        return _from_columns({"question": data.index.tolist(), "outcome": rows}, how, remark)
    if frame.implementation.is_pandas():
        table = with_index(data, how) if has_index(data) else data
        if not len(table):
            raise NotThere("the data have no rows; there is nothing to score.")
        with np.errstate(invalid="ignore"):  # pandas 3.0 casts infinities to whole numbers
            frame = nw.from_native(table.convert_dtypes())
    from errbar.data.readers.tables.frames import read_frame  # noqa: PLC0415  loads DuckDB

    return read_frame(frame.lazy(), how)
