"""Convert relations of any common shape to a table of outcomes or counts, with remarks.

What DuckDB holds is flat, or is made so (`records`). Then words become numbers, rows without
an id are numbered, and files that name no system are told apart.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from errbar.base.remarks import Above, guess, warning
from errbar.data.columns import ROW, USUAL, USUAL_COUNTS
from errbar.data.engines.duckdb import quoted, store_columns, text_literal
from errbar.data.engines.flat_files import Relation, union_of_rows
from errbar.data.queries.expressions import FILE, Columns
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.finding import size_of_all
from errbar.data.readers.logs import unchecked
from errbar.data.readers.tables.column_choice import find_columns
from errbar.data.readers.tables.conditions import (
    pooled_conditions,
    purposeful_columns,
    varied_columns,
    with_conditions,
)
from errbar.data.readers.tables.counted_rows import (
    are_counts,
    as_shares,
    counted_outcomes,
    counts_of_single_rows,
    frequencies,
    refuse_row_options,
)
from errbar.data.readers.tables.directions import lower_is_better
from errbar.data.readers.tables.episode_steps import last_steps
from errbar.data.readers.tables.file_names import (
    COUNTED,
    FileNames,
    free_name,
    named_by_file,
    with_column,
    with_file_names,
)
from errbar.data.readers.tables.first_look import look_once, texts_of_outcome, why_too_large
from errbar.data.readers.tables.flagged_rows import flagged_rows, other_outcomes
from errbar.data.readers.tables.grouped_rows import grouped_rows
from errbar.data.readers.tables.id_check import with_checked_id
from errbar.data.readers.tables.nested_names import hides_names
from errbar.data.readers.tables.outcome_text import numbers_of_text, with_numbers
from errbar.data.readers.tables.question_files import QuestionFiles, with_questions
from errbar.data.readers.tables.records import tidy
from errbar.data.readers.tables.repeated_ids import (
    broken_off,
    last_rows,
    refuse_scorers_in_rows,
    retried_remark,
    rows_as_questions,
    single_trials,
    stopped_at_success,
    with_parts,
)
from errbar.data.readers.tables.stated_shares import scores_beside_counts, stated_ratio
from errbar.data.readers.tables.statuses import with_usual_statuses
from errbar.data.readers.tables.stray_lines import header_remark, without_headers, without_notes
from errbar.data.readers.tables.summaries import without_totals
from errbar.data.readers.tables.system_names import names_remark, uneven_systems
from errbar.data.readers.tables.total_tables import (
    counts_of_tasks,
    means_of_runs,
    refuse_summary,
)
from errbar.errors import UnknownColumn

LARGE = 1 << 30  # bytes; larger files are not scanned again
_NO_QUESTIONS = QuestionFiles()


@dataclass(frozen=True)
class RowSet:
    """A relation of rows or counts with its column meanings and remarks."""

    rows: Any
    columns: Columns
    files: tuple[Path, ...]
    remarks: tuple[Above, ...] = ()
    by_file: bool = False  # whether systems are named after files
    originals: tuple[Any, ...] = ()  # original rows of the files
    left_out: tuple[tuple[str, Any], ...] = ()  # rows that are no outcomes, with the reason

    @property
    def are_counts(self) -> bool:
        """Whether a row is a question with its numbers of trials and of correct trials."""
        return "correct" in self.columns


def shape(
    engine: Any,
    relation: Relation,
    how: HowToRead,
    naming: FileNames | None,
    questions: QuestionFiles = _NO_QUESTIONS,
) -> RowSet:
    """Convert a relation to outcomes; `naming` applies to rows without a system."""
    relation, columns, remarks = _with_columns(engine, relation, how)
    looked = relation.rows.head()
    rows, columns = with_questions(relation, columns, questions)
    relation = replace(relation, rows=rows)
    are_large = size_of_all(relation.files) > LARGE
    texts = texts_of_outcome(relation.rows, columns) if not are_large else None
    words = None if texts is None else {text.word for text in texts}
    rows, left_out = without_headers(relation.rows, columns, words)
    if left_out and texts is not None:
        texts = texts_of_outcome(rows, columns)
    remarks = [*remarks, *header_remark(left_out)]
    by_file = naming is not None and "system" not in {*columns.named, *how.assignment}
    if columns["question"] == ROW:
        uneven = uneven_systems(rows, columns) if not are_large else []
        remarks = [*remarks, *uneven]
        keys = [meaning for meaning in ("system", "task") if meaning in columns]
        keys = [columns[meaning] for meaning in keys if not (uneven and meaning == "system")]
        rows = _number_rows(rows, keys, relation, naming if by_file else None)
    if "correct" in columns:
        refuse_row_options(how)
        remarks += [*counts_of_tasks(rows, columns), *counts_of_single_rows(rows, columns)]
        remarks += scores_beside_counts(rows, columns)
        rows = with_numbers(rows, [columns[meaning] for meaning in COUNTED])
    else:
        rows, notes = numbers_of_text(rows, columns, looked, how.right, texts, are_large=are_large)
        remarks += lower_is_better(columns, relation.names, how.right, are_words=bool(notes))
        remarks += notes
    if naming is not None and by_file:
        rows, columns = named_by_file(rows, columns, relation, naming)
    elif naming is not None and how.files == "systems" and "system" not in how.assignment:
        rows = with_file_names(rows, columns, relation, naming)
    if "outcome" in columns and how.repeats == "last":
        rows, notes = last_rows(rows, columns, purposeful_columns(rows, columns))
        remarks += notes
    too_large = why_too_large(relation)
    if too_large and "outcome" in columns:
        remarks.append(unchecked(too_large))
    elif "outcome" in columns:
        rows, columns, lost, notes = _mend_rows(rows, columns, how, by_file=by_file)
        left_out += lost
        remarks += notes
    if how.rows == "questions":
        rows, columns = rows_as_questions(rows, columns)
        remarks.append(
            guess(
                "Every row is a separate question, and rows with the same id are a cluster",
                option="--rows trials",
                argument="rows='trials'",
            )
        )
    originals = (relation.rows,)
    return RowSet(rows, columns, relation.files, tuple(remarks), by_file, originals, left_out)


def _with_columns(
    engine: Any, relation: Relation, how: HowToRead
) -> tuple[Relation, Columns, list[Above]]:
    """The relation, made flat if it is not, and what its columns mean."""
    columns = _flat_columns(relation, how.assignment)
    if columns is not None:
        return relation, columns, []
    relation, remarks = _flat(engine, relation, how.assignment)
    return relation, _find(relation, how.assignment, scored=True), remarks


def _mend_rows(
    rows: Any, columns: Columns, how: HowToRead, *, by_file: bool
) -> tuple[Any, Columns, tuple[tuple[str, Any], ...], list[Above]]:
    """Rows with known statuses and complete ids, without totals; the totals; and remarks."""
    steps: tuple[tuple[str, Any], ...] = ()
    stepped: list[Above] = []
    if how.rows is None and how.repeats == "refuse":
        rows, columns, steps, stepped = last_steps(rows, columns, how.assignment)
    rows, statuses = with_usual_statuses(rows, columns, how.assignment)
    look_once(rows, columns)
    rows, lost, notes = without_notes(rows, columns)
    found = without_totals(rows, columns, by_file=by_file)
    rows, remarks = found.rows, [*stepped, *statuses, *notes, *found.remarks]
    refuse_summary(rows, columns)
    rows, columns, counted = counted_outcomes(rows, columns)
    remarks = [*remarks, *counted]
    rows, shares = as_shares(rows, columns)
    remarks = [*remarks, *shares]
    if how.rows is None and how.repeats != "keep":
        columns, checked = with_checked_id(rows, columns, how.assignment)
        remarks = [*remarks, *names_remark(rows, columns), *checked, *retried_remark(rows, columns)]
        refuse_scorers_in_rows(rows, columns)
        varied, before = varied_columns(rows, columns), columns
        rows, columns, conditions = with_conditions(rows, columns, how.assignment, varied)
        rows, columns, parts = with_parts(rows, columns)
        if conditions or parts or columns is not before:
            varied = varied_columns(rows, columns)
        remarks = [*remarks, *conditions, *parts, *pooled_conditions(rows, columns, varied)]
        remarks += grouped_rows(rows, columns)
    remarks += [
        *(other_outcomes(rows, columns) if not shares else []),
        *(frequencies(rows, columns) if not counted else []),
        *flagged_rows(rows, columns),
        *means_of_runs(rows, columns),
        *stated_ratio(rows, columns),
        *(stopped_at_success(rows, columns) if how.rows is None else []),
        *(single_trials(rows, columns) if how.rows is None else []),
        *(broken_off(rows, columns) if how.rows is None else []),
    ]
    return rows, columns, (*steps, *lost, *found.left_out.items()), remarks


def concatenate(parts: Sequence[RowSet]) -> RowSet:
    """Concatenate relations of the same kind."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if len({tuple(part.columns.named.items()) for part in parts}) > 1:
        parts = [_by_meaning(part) for part in parts]
    rows = union_of_rows([part.rows for part in parts])
    files = tuple(file for part in parts for file in part.files)
    remarks = tuple(dict.fromkeys(remark for part in parts for remark in part.remarks))
    named = {meaning: name for part in parts for meaning, name in part.columns.named.items()}
    order = USUAL_COUNTS if first.are_counts else USUAL
    columns = replace(
        parts[0].columns,
        named=MappingProxyType({meaning: named[meaning] for meaning in order if meaning in named}),
        guessed=frozenset().union(*(part.columns.guessed for part in parts)),
        beside=() if "system" in named else parts[0].columns.beside,
    )
    originals = tuple(rows for part in parts for rows in part.originals)
    left_out = tuple(some for part in parts for some in part.left_out)
    by_file = any(part.by_file for part in parts)
    return RowSet(rows, columns, files, remarks, by_file, originals, left_out)


def with_common_id(parts: Sequence[RowSet], how: HowToRead) -> RowSet:
    """Concatenate relations, and check the id that systems of different files are paired by."""
    whole = concatenate(parts)
    if len(parts) < 2 or whole.are_counts or how.rows is not None:
        return whole
    columns, remarks = with_checked_id(whole.rows, whole.columns, how.assignment)
    return replace(whole, columns=columns, remarks=(*whole.remarks, *remarks))


def _by_meaning(part: RowSet) -> RowSet:
    """Rename every column to its meaning."""
    meanings = {name: meaning for meaning, name in part.columns.named.items()}
    shown = []
    for name in part.rows.columns:
        new = meanings.get(name, name)
        if name not in meanings and name in part.columns.named:
            new = f"{name} (not used)"
        shown.append(f"{quoted(name)} AS {quoted(new)}")
    text = f"{_some(part.files)}: {part.columns.describe()}"
    remark = guess(text, option="--map", argument="...")
    return replace(
        part,
        rows=part.rows.project(", ".join(shown)),
        columns=replace(
            part.columns,
            named=MappingProxyType({meaning: meaning for meaning in meanings.values()}),
        ),
        remarks=(*part.remarks, remark),
    )


def _some(files: Sequence[Path]) -> str:
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"{files[0].name}{more}"


def _find(
    relation: Relation, assignment: Mapping[str, str | None], *, scored: bool = False
) -> Columns:
    names, looked = relation.names, relation.rows.head()

    def sample(name: str) -> list[Any]:
        return looked.get(name, [])

    usual = USUAL_COUNTS if are_counts(names, assignment, sample) else USUAL
    return find_columns(names, assignment, usual, sample=sample, scored=scored)


def _flat_columns(relation: Relation, assignment: Mapping[str, str | None]) -> Columns | None:
    """Column meanings; None if outcomes are in lists, in objects, or in a column per system."""
    looked = relation.rows.head()
    try:
        columns = _find(relation, assignment)
    except UnknownColumn:
        return None
    if "outcome" in columns and any(map(_is_structure, _hashable(looked[columns["outcome"]]))):
        return None
    keys = {
        name: {str(key) for value in looked[name] if isinstance(value, dict) for key in value}
        for name in relation.names
        if dict in {*map(type, looked[name])}
    }
    return None if hides_names(keys, columns, assignment) else columns


def _hashable(values: Collection[Any]) -> Collection[Any]:
    """The values that differ; all of them if some are lists or objects."""
    try:
        return {*values}
    except TypeError:
        return values


def _is_structure(value: Any) -> bool:
    if isinstance(value, str):
        return value.lstrip().startswith(("[", "{")) and not value.lstrip().lower().startswith(
            ("[pass]", "[fail]")
        )
    return isinstance(value, list | dict)


def _flat(
    engine: Any, relation: Relation, assignment: Mapping[str, str | None]
) -> tuple[Relation, list[Above]]:
    """Flatten the rows in memory to one per trial."""
    names = relation.rows.columns
    columns = list(zip(*relation.rows.fetchall(), strict=True)) or [()] * len(names)
    found = tidy(
        {name: list(column) for name, column in zip(names, columns, strict=True)}, assignment
    )
    return replace(relation, rows=store_columns(engine, found.flat)), found.remarks


def _number_rows(
    rows: Any, names: Sequence[str], relation: Relation, naming: FileNames | None
) -> Any:
    """Number the rows of each group and file, unless files are parts of a table."""
    numbered = rows.project(f"*, row_number() OVER () AS {quoted(ROW)}")
    keys = list(map(quoted, names))
    if not relation.apart:
        return _index_within(numbered, keys) if keys else numbered
    source = quoted(FILE)
    if naming is not None and len({naming[file] for file in relation.files}) < len(relation.files):
        cases = " ".join(
            f"WHEN {text_literal(str(file))} THEN {text_literal('/'.join(naming[file]))}"
            for file in relation.files
        )
        source = f"CASE {source} {cases} END"
    return _index_within(numbered, [source, *keys])


def _index_within(rows: Any, keys: Sequence[str]) -> Any:
    within = f"row_number() OVER (PARTITION BY {', '.join(keys)} ORDER BY {quoted(ROW)})"
    return rows.project(f"* REPLACE ({within} AS {quoted(ROW)})")


def without_scores(rows: Any, columns: Columns) -> dict[Path, int]:
    """Files without any outcome and with rows that no status explains: their numbers of rows."""
    unsaid = (
        f"count(*) FILTER ({_lacks_reason(columns['status'])})"
        if "status" in columns
        else "count(*)"
    )
    counted = rows.aggregate(
        f"{quoted(FILE)}, count(*) AS n, count({quoted(columns['outcome'])}) AS scored, "
        f"{unsaid} AS unsaid",
        quoted(FILE),
    )
    return {Path(path): n for path, n, scored, left in counted.fetchall() if left and not scored}


def _lacks_reason(status: str) -> str:
    """SQL: whether a status gives no reason for a missing outcome."""
    return f"({quoted(status)} IS NULL OR {quoted(status)} = 'ok')"


def as_unscored(shaped: RowSet, files: Mapping[Path, int]) -> RowSet:
    """Mark the rows of these files as never scored."""
    listed = ", ".join(text_literal(str(file)) for file in files)
    mine = f"{quoted(FILE)} IN ({listed})"
    if "status" in shaped.columns:
        name = quoted(shaped.columns["status"])
        unsaid = _lacks_reason(shaped.columns["status"])
        value = f"CASE WHEN {mine} AND {unsaid} THEN 'unscored' ELSE {name} END"
        rows = shaped.rows.project(f"* REPLACE ({value} AS {name})")
        columns = shaped.columns
    else:
        status = free_name("status", shaped.rows.columns)
        rows = shaped.rows.project(f"*, CASE WHEN {mine} THEN 'unscored' END AS {quoted(status)}")
        columns = with_column(shaped.columns, "status", status)
    remarks = [
        warning(f"{file.name}: none of its {n} rows has an outcome; it was never scored.")
        for file, n in files.items()
    ]
    return replace(shaped, rows=rows, columns=columns, remarks=(*shaped.remarks, *remarks))
