"""Read paths: logs of harnesses and tables. Every file is either read or reported as skipped."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from errbar.base.remarks import mapping, setting, some_of, warning, way_to_say
from errbar.data.columns import USUAL
from errbar.data.engines.duckdb import plain_errors, table_of
from errbar.data.queries.expressions import Columns
from errbar.data.readers.archive import unpack
from errbar.data.readers.base import Match, Reader, find_readers, paused_collector, refuse_totals
from errbar.data.readers.choices import Choice, FilesAre, ReadRequest
from errbar.data.readers.copies import Copies, copies_of_logs, copies_of_tables
from errbar.data.readers.file_content import standard_input
from errbar.data.readers.file_formats import (
    ARRAY,
    CSV,
    ENDINGS,
    kind_of,
    seldom_tables,
    why_not_read,
)
from errbar.data.readers.finding import PathsOrGlobs, find_all_files, hidden_in, opened_once
from errbar.data.readers.logs import (
    COMPANION,
    Accounts,
    Origin,
    last_rows,
    rows_as_questions,
    skipped_in_words,
)
from errbar.data.readers.tables.file_roles import describes_data_set
from errbar.data.readers.tables.matrix_files import arrays_in, read_matrix
from errbar.data.readers.tables.naming import name_systems
from errbar.data.readers.tables.summaries import why_no_rows
from errbar.data.readers.tables.table_files import read_tables
from errbar.data.sources.arrays import MatrixSource, array_source, matrix_of
from errbar.data.sources.joined import JoinedSource
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import ErrbarError, InputError, NoOutcomes, NotThere, UnknownColumn

# Errors raised when a log deviates from the format of its harness.
_UNFORESEEN = (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)
_BESIDE_LOGS = "not a log, while other files are"
_ELSEWHERE = f"{_BESIDE_LOGS}; pass its path to read it as a table"
_SELDOM_READ = "not read next to other tables; pass its path to read it"
_NEITHER = f"{_BESIDE_LOGS}, and no table by its ending"


class _Skips(Accounts):
    """Accounts of skipped files, with remarks on copies."""

    def __init__(self) -> None:
        super().__init__()
        self.copies: dict[Path, str] = {}  # reason for skipping each copy, stated in the remarks
        self.remarks: list[str] = []

    def leave_out(self, copies: Copies) -> None:
        """Skip copies of other files."""
        self.copies |= copies.reasons()
        for file, reason in copies.reasons().items():
            self.of(file).skipped = reason
        self.remarks += copies.remarks()


def read_paths(paths: PathsOrGlobs, request: ReadRequest) -> Source:
    """Read logs and tables at paths: one source, or several combined under system names."""
    # reading makes no cycles of objects; a grading function may
    regrades = request.choice.regrade is not None
    with opened_once(), nullcontext() if regrades else paused_collector():
        return _read_paths(paths, request)


def _read_paths(paths: PathsOrGlobs, request: ReadRequest) -> Source:
    names = [paths] if isinstance(paths, str | Path) else list(paths)
    names = [standard_input() if str(name) == "-" else unpack(name) for name in names]
    files, unread = find_all_files(names)
    by_name = {file for name in names for file in [Path(name)] if file.is_file()}
    accounts = _Skips()
    for file, reason in unread.items():
        accounts.of(file).skipped = reason
    if request.how.assignment:
        return _read_mapped(files, by_name, request, accounts, _first_path(paths))
    known = find_readers(files, request.reader)
    sources: list[Source] = [
        _from_log(match, request, _first_path(paths))
        for match in _without_copies(known.found, files, request, accounts)
    ]
    tables = known.others
    if known.totals and not sources and not any(map(kind_of, tables)):
        refuse_totals(list(known.totals))
    for file, reason in (dict.fromkeys(known.companions, COMPANION) | dict(known.totals)).items():
        accounts.of(file).skipped = reason
    if sources:
        tables = [file for file in known.others if file in by_name]
        for file in known.others:
            if file not in by_name:
                accounts.of(file).skipped = _ELSEWHERE if kind_of(file) else _NEITHER
    if tables or not sources:
        if not sources:
            require_no_choice(request)
        try:
            sources += _tables(
                tables, by_name, request, accounts, _first_path(paths), named=bool(sources)
            )
        except (UnknownColumn, NoOutcomes):
            if known.totals and not sources and by_name.isdisjoint(tables):
                refuse_totals(list(known.totals))
            raise
    return _combine_sources(sources, accounts)


def _without_copies(
    found: Sequence[Match], files: Sequence[Path], request: ReadRequest, accounts: "_Skips"
) -> Iterator[Match]:
    """Drop log files that are copies of others."""
    for match in found:
        if request.how.repeats == "keep" or len(match.files) == 1:
            yield match
            continue
        copies = copies_of_logs(match.files, files)
        accounts.leave_out(copies)
        yield replace(match, files=tuple(file for file in match.files if file not in copies.of))


def _read_mapped(
    files: list[Path], by_name: set[Path], request: ReadRequest, accounts: "_Skips", where: str
) -> Source:
    """Read tables with mapped columns; logs of a harness have no columns to map."""
    if request.reader is not None:
        raise InputError(_nothing_to_map(request.how.assignment, request.reader, where))
    require_no_choice(request)
    try:
        return _combine_sources(_tables(files, by_name, request, accounts, where), accounts)
    except InputError as error:
        logs = find_readers(files).found
        if not logs:
            raise
        message = _not_mapped(error, request.how.assignment, logs[0].reader.name, where)
        raise type(error)(message) from error


def _tables(
    files: Sequence[Path],
    by_name: set[Path],
    request: ReadRequest,
    accounts: "_Skips",
    where: str,
    *,
    named: bool = False,
) -> list[Source]:
    """Read tables and matrices; other files are skipped, or rejected if passed by name."""
    kinds: dict[Path, str] = {}
    for file in files:
        described, kind = describes_data_set(file), kind_of(file)
        if kind and not described:
            kinds[file] = kind
            continue
        reason = "describes a saved data set" if described else why_not_read(file)
        if file in by_name:
            raise InputError(f"{file}: {reason}.")
        accounts.of(file).skipped = reason
    if not kinds:
        reasons = {file.name: accounts.of(file).skipped for file in files}
        packed = [name for name, reason in reasons.items() if not reason.startswith("neither")]
        why = f" There are: {some_of(list(reasons), 3)}." if reasons else ""
        why = f" {packed[0]}: {reasons[packed[0]]}." if packed else f"{why}{hidden_in(where)}"
        endings = ", ".join(ENDINGS)
        raise InputError(f"{where}: found neither a log of a harness nor a table ({endings}).{why}")
    known = _with_rows(list(kinds), by_name, accounts)
    if request.how.repeats != "keep":
        copies = copies_of_tables(known)
        accounts.leave_out(copies)
        known = [file for file in known if file not in copies.of]
    matrices: dict[Path, Any] = {}
    tables = []
    for file in known:
        array = arrays_in(file) if kinds[file] == ARRAY else None
        if kinds[file] == CSV and not request.how.assignment:
            array = read_matrix(file)
        if array is None:
            tables.append(file)
        else:
            matrices[file] = array
    sources: list[Source] = []
    if matrices:
        sources += _matrices(matrices, accounts, request, named=len(known) > 1 or named)
    if tables:
        named = named or bool(matrices)
        found = read_tables(tables, request.how, request.connection, asked=by_name, named=named)
        for file, reason in found.skipped.items():
            accounts.of(file).skipped = reason
        sources += [source.at(where) for source in found.sources]
    return sources


def _with_rows(files: Sequence[Path], by_name: set[Path], accounts: Accounts) -> list[Path]:
    """Skip files without rows, and settings; raises an error if no file has rows."""
    reasons = {file: reason for file in files if (reason := why_no_rows(file))}
    if len(reasons) == len(files):
        seldom = seldom_tables(files, by_name)
        first = next(file for file in files if file not in seldom)
        raise NotThere(f"{first}: {reasons[first]}; there is nothing to score.")
    others = [file for file in files if file not in reasons]
    reasons |= dict.fromkeys(seldom_tables(others, by_name), _SELDOM_READ)
    for file, reason in reasons.items():
        accounts.of(file).skipped = reason
    return [file for file in files if file not in reasons]


def _matrices(
    matrices: Mapping[Path, Any], accounts: "_Skips", request: ReadRequest, *, named: bool
) -> list[Source]:
    files = list(matrices)
    for file in files:
        accounts.of(file)
    _require_no_words(request, "a matrix")
    if not named:
        with plain_errors(str(files[0])):
            return [array_source(matrices[files[0]])]
    naming = name_systems(files, files_are=request.how.files)
    if request.how.files == "trials":
        grouped: dict[str, list[Any]] = {}
        for name, file in zip(naming.systems, files, strict=True):
            grouped.setdefault(name, []).append(matrix_of(matrices[file], str(file)))
        with plain_errors(str(files[0])):
            whole = {name: np.concatenate(some, axis=1) for name, some in grouped.items()}
        return [replace(MatrixSource(whole), origin=Origin(remarks=tuple(naming.remarks)))]
    parts = {}
    for name, file in zip(naming.systems, files, strict=True):
        with plain_errors(str(file)):
            parts[name] = array_source(matrices[file])
    joined = JoinedSource.by_name(parts)
    remarks = (*naming.remarks, *joined.origin.remarks)
    return [replace(joined, origin=replace(joined.origin, remarks=remarks))]


def _combine_sources(sources: Sequence[Source], accounts: "_Skips") -> Source:
    """Combine sources into one, with the accounts of all files."""
    whole = sources[0] if len(sources) == 1 else JoinedSource.of_all(sources)
    skipped = Accounts(accounts)
    for file, account in whole.origin.accounts.items():
        skipped[file] = account
    unsaid = {COMPANION, *accounts.copies.values()}
    reasons = {file: why for file, why in accounts.skipped.items() if why not in unsaid}
    remarks = [*accounts.remarks, *(warning(text) for text in skipped_in_words(reasons))]
    origin = replace(whole.origin, remarks=(*whole.origin.remarks, *remarks), accounts=skipped)
    return whole.with_origin(origin)


def _require_no_words(request: ReadRequest, what: str, *, is_log: bool = False) -> None:
    """Raise an error for options that apply only to tables of outcomes."""
    how = request.how
    of_rows = None if is_log else how.rows
    for name, value in (("right", how.right), ("rows", of_rows), ("keys", how.keys)):
        if value:
            option = way_to_say(f"--{name}", f"{name}=")
            raise InputError(f"{option} is for tables of outcomes; this is {what}.")


def _from_log(found: Match, request: ReadRequest, where: str) -> Source:
    """Read the log of a harness."""
    _require_choices(found.reader, request.choice, where)
    _require_role(request.how.files, found.reader)
    _require_no_words(request, f"a log of {found.reader.name}", is_log=True)
    try:
        log = found.reader.read(found.files, request.choice)
    except ErrbarError:
        raise
    except _UNFORESEEN as error:
        raise InputError(
            f"{_faulty_file(found, request) or where}: it looks like a log of {found.reader.name} "
            f"({found.why}), but deviates from its format: {type(error).__name__}, {error}."
        ) from error
    if not len(log):
        why = " ".join(log.accounts.in_words())
        raise NotThere(
            f"{where}: the log of {found.reader.name} has no row to score. {why}".strip()
        )
    log.accounts.require_closed(found.files, len(log))
    named = {name: name for name in log.columns if name in USUAL}
    remarks, claims, kept = log.remarks, log.claims, log.columns
    if request.how.repeats == "last":
        kept, lost = last_rows(kept)
        remarks = [*remarks, *lost]
    if request.how.rows == "questions":
        kept, split = rows_as_questions(kept)
        remarks, claims = [*remarks, *split], [] if split else claims
    remarks = [*remarks, *log.accounts.in_words()]
    origin = Origin(
        found.reader.name, found.why, tuple(claims), tuple(remarks), accounts=log.accounts
    )
    columns = Columns(named, frozenset())
    keep = request.how.repeats == "keep"
    return TableSource(
        frame=table_of(kept), columns=columns, allow_repeats=keep, where=where, origin=origin
    )


def _faulty_file(found: Match, request: ReadRequest) -> Path | None:
    """The first file that cannot be read by itself either, if there is one."""
    for file in found.files:
        try:
            found.reader.read((file,), request.choice)
        except ErrbarError:
            continue
        except _UNFORESEEN:
            return file
    return None


def _require_role(files: FilesAre | None, reader: Reader) -> None:
    """Raise an error for a role that files cannot have in the logs of a harness."""
    if files is None or files in reader.files:
        return
    option = setting("files", files)
    known = " or ".join(setting("files", role) for role in reader.files)
    instead = f"; they take {known}" if known else ""
    apart = ""
    if files == "tasks":
        apart = (
            f" To read every file as a task all the same, convert each file to a table with "
            f"errbar convert, and load the tables with {option}."
        )
    raise InputError(
        f"{option} does not apply to logs of {reader.name}, which say themselves of which task and "
        f"system they are{instead}.{apart}"
    )


def _not_mapped(
    error: InputError, assignment: Mapping[str, str | None], reader: str, where: str
) -> str:
    """Error for a log that could not be read as a table with the mapped columns."""
    if isinstance(error, UnknownColumn):
        return f"{error} It is a log of {reader}, whose columns are known without a mapping."
    return _nothing_to_map(assignment, reader, where)


def _nothing_to_map(assignment: Mapping[str, str | None], reader: str, where: str) -> str:
    meaning, column = next(iter(assignment.items()))
    return (
        f"{where}: {meaning}={column!r} maps a column of a table, but this is a log of {reader}, "
        f"whose columns are known. Leave the mapping out, or convert the log to a table and map "
        f"that: errbar convert {where} outcomes.csv."
    )


def _require_choices(reader: Reader, choice: Choice, where: str) -> None:
    """Raise an error for a choice that does not apply to the logs of a harness."""
    for what in ("scorer", "filter", "signal"):
        name = getattr(choice, what)
        if name is not None and what not in reader.chooses:
            raise InputError(
                f"{where}: there is no {what} {name!r}; logs of {reader.name} have none to "
                f"choose from."
            )
    if choice.regrade is not None and "regrade" not in reader.chooses:
        raise InputError(f"{where}: the reader of {reader.name} has no responses to regrade.")


def _first_path(paths: PathsOrGlobs) -> str:
    """The first path, for messages."""
    return str(paths) if isinstance(paths, str | Path) else str(paths[0])


def require_no_choice(request: ReadRequest) -> None:
    """Raise an error for choices that apply only to logs of harnesses."""
    choice = request.choice
    if choice.regrade is not None:
        raise InputError("regrade is for logs of harnesses with responses; this is not one.")
    for name in ("scorer", "filter", "signal"):
        chosen = getattr(choice, name)
        if chosen is not None:
            instead = mapping("outcome")
            raise InputError(
                f"{setting(name, chosen)} chooses among the scores in a log of a harness; this is "
                f"read as a table. Say which column to score with {instead}."
            )
