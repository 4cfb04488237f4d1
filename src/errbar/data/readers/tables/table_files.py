"""Read outcomes from files other than logs of a harness: tables, JSON documents, matrices.

Flat tables are streamed by DuckDB. Nested data, and formats that DuckDB cannot read, are read here
and copied into it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw

from errbar.base.remarks import Above, way_to_say
from errbar.data.engines.duckdb import (
    ALL_ROWS,
    own_engine,
    plain_errors,
    store_columns,
    text_literal,
)
from errbar.data.engines.flat_files import Relation, relations_of
from errbar.data.queries.expressions import BY_VALUES, FILE
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.documents import parse
from errbar.data.readers.file_content import (
    begins_as_array,
    begins_with_mark,
    encoding_remarks,
    is_single_line,
    text_lines,
)
from errbar.data.readers.file_formats import (
    CSV,
    JSON,
    PARQUET,
    YAML,
    is_lines_by_name,
    kind_of,
)
from errbar.data.readers.finding import encoding_of, size_of_all
from errbar.data.readers.json_files import value_of_file
from errbar.data.readers.logs import Accounts, Origin
from errbar.data.readers.tables.compared_files import (
    has_ids,
    question_sets_remark,
    reasons_without_files,
    scored_again,
)
from errbar.data.readers.tables.derived_columns import columns_of, fields_of
from errbar.data.readers.tables.file_names import FileNames
from errbar.data.readers.tables.file_roles import settings_among
from errbar.data.readers.tables.json_documents import records_in
from errbar.data.readers.tables.json_objects import Document
from errbar.data.readers.tables.naming import name_systems
from errbar.data.readers.tables.other_formats import IN_COLUMNS, columns_in, yaml_document
from errbar.data.readers.tables.question_files import QuestionFiles, question_files
from errbar.data.readers.tables.records import tidy
from errbar.data.readers.tables.reshaping import (
    LARGE,
    RowSet,
    as_unscored,
    shape,
    with_common_id,
    without_scores,
)
from errbar.data.readers.tables.split_files import (
    may_be_pieces,
    questions_in_two,
    repeated_in_parts,
    sorted_files,
    whole_of,
)
from errbar.data.readers.tables.system_names import only_about, same_system_remark
from errbar.data.sources.tables import CountsTableSource, Source, TableSource
from errbar.errors import InputError, MissingExtra, NoOutcomes, NotThere, UnknownColumn

_NO_IDS = "it has no question ids, while other files do; pass its path to read it"
_NO_NAME = "no column is called an outcome, while other files have one; pass its path to read it"
_LOOKED_AT = 20  # lines of a JSON file that are checked for nesting


class Tables(NamedTuple):
    """Outcomes of files, and the reasons for skipped files."""

    sources: list[Source]
    skipped: dict[Path, str]


def read_tables(
    files: Sequence[Path],
    how: HowToRead,
    connection: Any = None,
    *,
    asked: Collection[Path] = (),
    named: bool = False,
) -> Tables:
    """Read files; rows are combined, and so are counts.

    A file without outcomes is an error if it was passed by name (`asked`) or if no file has any;
    otherwise it is skipped. With `named`, a system is named after its file even if there is only
    one.
    """
    if how.repeats == "last" and not {*files} <= {*asked}:  # a later file counts
        files = sorted_files(files)
    with plain_errors(*map(str, files)):
        return _read_tables(files, how, connection or own_engine(), asked=asked, named=named)


def _read_tables(
    files: Sequence[Path], how: HowToRead, engine: Any, *, asked: Collection[Path], named: bool
) -> Tables:
    apart = len(files) > 1
    skipped: dict[Path, InputError] = {}
    flags: dict[Path, tuple[str, ...]] = {}
    found = _relations(engine, files, how, skipped, flags, apart=apart)
    questions = question_files([relation for relation, _ in found], how)
    naming, notes = _naming(found, how, questions, named=named)
    parts: list[RowSet] = []
    for relation, remarks in found:
        try:
            with plain_errors(str(relation.files[0])):
                part = shape(engine, relation, how, naming, questions)
        except (UnknownColumn, NoOutcomes) as error:
            skipped |= dict.fromkeys(relation.files, error)
            continue
        parts.append(replace(part, remarks=(*remarks, *part.remarks)))
    with_ids = [part for part in parts if has_ids(part.columns)]  # a summary has none
    by_name = [part for part in parts if BY_VALUES not in part.columns.guessed]
    for kept, reason in ((with_ids, _NO_IDS), (by_name, _NO_NAME)):
        lost = [part for part in parts if kept and part not in kept if not {*part.files} & {*asked}]
        skipped |= {file: InputError(reason) for part in lost for file in part.files}
        parts = [part for part in parts if part not in lost]
    unasked = {file: keys for file, keys in flags.items() if file not in asked}
    for file, reason in (settings_among(unasked, parts) | scored_again(parts, asked)).items():
        skipped[file] = InputError(reason)
    refused = next((error for file, error in skipped.items() if file in asked or not parts), None)
    if refused is not None:
        raise refused
    if skipped:  # system names depend on which files are read
        rest = [file for file in files if file not in skipped]
        again = _read_tables(rest, how, engine, asked=(), named=named)
        return again._replace(skipped={**again.skipped, **reasons_without_files(skipped)})
    kinds = [[part for part in parts if part.are_counts is counts] for counts in (False, True)]
    wholes = [with_common_id(some, how) for some in kinds if some]
    if any(_are_pieces(whole, how) for whole in wholes):
        return _read_tables(files, replace(how, pieces=True), engine, asked=asked, named=named)
    own = [file for part in parts if part.by_file for file in part.files]
    notes = only_about(own, naming, notes)
    remarks_of_files = [
        notes if whole.by_file or (naming is None and "system" not in whole.columns) else []
        for whole in wholes
    ]
    pairs = zip(wholes, remarks_of_files, strict=True)
    return Tables([_source(whole, how, remarks, apart=apart) for whole, remarks in pairs], {})


def _on_files(whole: RowSet, how: HowToRead, remarks: list[Above], *, apart: bool) -> list[Above]:
    """Remarks on what the files are: systems, parts, or trials of a system that they name."""
    if whole.by_file:
        if apart and how.rows is None:
            remarks = [*remarks, *repeated_in_parts(whole.rows, whole.columns, whole.files)]
        if how.files is None and has_ids(whole.columns):
            remarks = [*remarks, *question_sets_remark(whole.rows, whole.columns)]
        return remarks
    if apart and not (whole.are_counts or how.files or how.repeats != "refuse"):
        return [*remarks, *same_system_remark(whole.rows, whole.columns)]
    return remarks


def _are_pieces(shaped: RowSet, how: HowToRead) -> bool:
    """Whether files are numbered as pieces of one table, and no question is in two of them."""
    if not shaped.by_file or how.pieces or how.files or not may_be_pieces(shaped.files):
        return False
    groups = {file: str(whole_of(file, pieces=True)) for file in shaped.files}
    return has_ids(shaped.columns) and not questions_in_two(shaped.rows, shaped.columns, groups)


def _source(shaped: RowSet, how: HowToRead, remarks: list[Above], *, apart: bool) -> Source:
    remarks = _on_files(shaped, how, remarks, apart=apart)
    are_large = size_of_all(shaped.files) > LARGE
    if apart and not shaped.are_counts and not are_large:
        never = without_scores(shaped.rows, shaped.columns)
        if never and len(never) < len(shaped.files):
            shaped = as_unscored(shaped, never)
    columns = shaped.columns
    origin = Origin(
        remarks=(columns.remark(), *remarks, *shaped.remarks),
        accounts=Accounts() if are_large else _accounts(shaped, apart=apart),
    )
    kind = CountsTableSource if shaped.are_counts else TableSource
    return kind(
        frame=nw.from_native(shaped.rows.relation).lazy(),
        columns=columns,
        allow_repeats=how.repeats == "keep",
        where=str(shaped.files[0]),
        origin=origin,
    )


def _accounts(shaped: RowSet, *, apart: bool) -> Accounts:
    """Number of rows of every file."""
    accounts = Accounts()
    of_path = {str(file): accounts.of(file) for file in shaped.files}
    for original in shaped.originals:
        if not apart:
            accounts.of(shaped.files[0]).rows += original.totals(ALL_ROWS)[0]
            continue
        for path, rows in original.aggregate(f'"{FILE}", count(*)', f'"{FILE}"').fetchall():
            of_path[path].rows += rows
    for reason, some in shaped.left_out:
        place = f'"{FILE}"' if apart else text_literal(str(shaped.files[0]))
        for path, rows in some.aggregate(f"{place} AS path, count(*)", "path").fetchall():
            of_path[path].left_out[reason] += rows
    return accounts


_Found = list[tuple[Relation, tuple[Above, ...]]]


def _relations(
    engine: Any,
    files: Sequence[Path],
    how: HowToRead,
    skipped: dict[Path, InputError],
    flags: dict[Path, tuple[str, ...]],
    *,
    apart: bool,
) -> _Found:
    """Relations of all files, with remarks on those that are not plain tables.

    Documents without outcomes are added to `skipped`, the keys of possible settings to `flags`.
    """
    kinds: dict[str, list[Path]] = {}
    nested: list[_JsonRecords] = []
    found: _Found = []
    for file in files:
        kind, recoded = kind_of(file), bool(encoding_of(file))
        is_flat = kind == JSON and _are_flat_lines(file, how.assignment)
        if is_flat or (kind in (CSV, PARQUET) and not recoded):
            kinds.setdefault(str(kind), []).append(file)
        elif kind in (JSON, YAML):
            try:
                nested.append(_read_json(file, str(kind), how))
                if nested[-1].document.flags:
                    flags[file] = nested[-1].document.flags
            except (NoOutcomes, MissingExtra) as error:
                skipped[file] = error
        elif recoded or kind in IN_COLUMNS:
            try:
                flat, remarks = columns_in(file, str(kind), how)
                found.append((_in_memory(engine, flat, [file], apart=apart), remarks))
            except (NotThere, NoOutcomes) as error:
                skipped[file] = error
        else:
            raise InputError(f"{file}: errbar cannot read this kind of table.")
    if how.keys and not nested:
        raise InputError(
            f"{way_to_say('--keys', 'keys=')} says what the keys of a JSON document are; this is a "
            f"table."
        )
    for kind, some in kinds.items():
        found += [(each, each.remarks) for each in relations_of(engine, kind, some, apart=apart)]
    return [*found, *_combine_records(engine, nested, how, skipped, apart=apart)]


class _JsonRecords(NamedTuple):
    """The records of a JSON file."""

    file: Path
    document: Document


def _read_json(file: Path, kind: str, how: HowToRead) -> _JsonRecords:
    """Read a JSON file that is not a flat table."""
    value = yaml_document(file) if kind == YAML else value_of_file(file)
    document = records_in(value, str(file), how.keys)
    remarks = [*encoding_remarks([file]), *document.remarks]
    return _JsonRecords(file, document._replace(remarks=remarks))


def _combine_records(
    engine: Any,
    nested: Sequence[_JsonRecords],
    how: HowToRead,
    skipped: dict[Path, InputError],
    *,
    apart: bool,
) -> _Found:
    """Combine files with the same record structure into relations."""
    groups: dict[tuple[frozenset[tuple[str, str]], bool], list[_JsonRecords]] = {}
    for each in nested:
        records = each.document.records
        shapes = [
            fields_of(tuple(record), tuple(map(type, record.values())))
            for record in records[:_LOOKED_AT]
        ]
        shape = shapes[0] if len(shapes) == 1 else frozenset[tuple[str, str]]().union(*shapes)
        groups.setdefault((shape, len(records) == 1), []).append(each)
    found: _Found = []
    for group in groups.values():
        files = tuple(file for file, _ in group)
        rows: Iterable[Mapping[str, Any]] = chain.from_iterable(each.records for _, each in group)
        if apart:
            rows = ({**row, FILE: str(file)} for file, each in group for row in each.records)
        try:
            with plain_errors(str(files[0])):
                named = all(each.named for _, each in group)
                made = tidy(columns_of(rows), how.assignment, named=named)
        except (UnknownColumn, NoOutcomes) as error:
            skipped.update(dict.fromkeys(files, error))
            continue
        remarks = dict.fromkeys(remark for _, each in group for remark in each.remarks)
        relation = Relation(store_columns(engine, made.flat), files, apart)
        found.append((relation, (*remarks, *made.remarks)))
    return found


def _in_memory(
    engine: Any, flat: dict[str, list[Any]], files: Sequence[Path], *, apart: bool
) -> Relation:
    rows = len(next(iter(flat.values()), []))
    if not rows:
        raise NotThere(f"{files[0]} is empty.")
    if apart:
        flat = {**flat, FILE: [str(files[0])] * rows}
    return Relation(store_columns(engine, flat), tuple(files), apart)


def _are_flat_lines(file: Path, assignment: Mapping[str, str | None]) -> bool:
    """Whether every line is a flat object with a question and an outcome."""
    is_document = is_single_line(file) and not is_lines_by_name(file)
    if is_document or encoding_of(file) or begins_as_array(file) or begins_with_mark(file):
        return False
    records: list[dict[str, Any]] = []
    for line in text_lines(file):
        if not line.strip():
            continue
        try:
            record = parse(line)
        except (ValueError, RecursionError):
            if not records:
                # over several lines, or invalid, which raises an error when it is read
                return False
            break
        if not isinstance(record, dict):
            return False
        records.append(record)
        if len(records) == _LOOKED_AT:
            break
    if len(records) == 1 and not is_lines_by_name(file):
        return False
    try:
        made = tidy(columns_of(records), assignment)
    except (UnknownColumn, InputError):
        return is_lines_by_name(file) and not any(
            isinstance(value, dict | list) for record in records for value in record.values()
        )
    return (
        not made.remarks
        and made.columns.named.keys() >= {"question"}
        and all(name in records[0] or "." not in name for name in made.columns.named.values())
    )


def _naming(
    found: _Found, how: HowToRead, questions: QuestionFiles, *, named: bool
) -> tuple[FileNames | None, list[Above]]:
    """Names of systems by file, if there are several files or a name is required."""
    files = [file for relation, _ in found for file in relation.files]
    if len(files) < 2 and not named:
        return None, []
    wholes = [questions.wholes.get(file, file) for file in files]
    distinct = list(dict.fromkeys(wholes))
    if len(distinct) == 1 and not named:
        return None, [*questions.remarks]
    files_are = None if how.files == "questions" else how.files
    naming = name_systems(distinct, files_are=files_are, pieces=how.pieces)
    tasks = naming.tasks or [""] * len(distinct)
    each = zip(naming.systems, naming.trials, tasks, strict=True)
    names = dict(zip(distinct, each, strict=True))
    by_file = {file: names[whole] for file, whole in zip(files, wholes, strict=True)}
    return by_file, [*questions.remarks, *naming.remarks]
