"""Name the system, the trial and the task of every row after its file."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from errbar.data.columns import USUAL
from errbar.data.engines.duckdb import quoted, text_literal, text_of
from errbar.data.engines.flat_files import Relation
from errbar.data.queries.expressions import FILE, HIDDEN, TRIAL_NUMBER, Columns
from errbar.data.readers.finding import resolved_folders
from errbar.data.readers.tables.column_choice import find_columns
from errbar.errors import UnknownColumn

FileNames = Mapping[Path, tuple[str, str, str]]  # system, trial and task of each file
COUNTED = ("trials", "correct")  # columns of a table of counts


def named_by_file(
    rows: Any, columns: Columns, relation: Relation, naming: FileNames
) -> tuple[Any, Columns]:
    """Add the system of its file to every row, and the trial if files are trials."""
    system, trial = free_name("system", rows.columns), columns.named.get("trial")
    added = with_column(columns, "system", system)
    if not relation.apart:
        name = naming[relation.files[0]][0]
        return rows.project(f"*, {text_literal(name)} AS {quoted(system)}"), added
    values = ", ".join(
        f"({', '.join(map(text_literal, (str(file), *naming[file])))})" for file in relation.files
    )
    files = f"(VALUES {values}) AS errbar_files(path, system, trial, task)"
    own = "rows.*"
    if trial is not None and any(naming[file][1] for file in relation.files):
        trial_name = f"concat_ws('/', nullif(errbar_files.trial, ''), rows.{quoted(trial)})"
        number = f" EXCLUDE ({quoted(TRIAL_NUMBER)})" if TRIAL_NUMBER in rows.columns else ""
        own = f"rows.*{number} REPLACE ({trial_name} AS {quoted(trial)})"
    more = f"errbar_files.system AS {quoted(system)}"
    if "task" not in columns and any(naming[file][2] for file in relation.files):
        task = free_name("task", rows.columns)
        more, added = (
            f"{more}, errbar_files.task AS {quoted(task)}",
            with_column(added, "task", task),
        )
    rows = rows.query(
        "rows",
        f"SELECT {own}, {more} FROM rows JOIN {files} ON rows.{quoted(FILE)} = errbar_files.path",
    )
    return rows, added


def with_file_names(rows: Any, columns: Columns, relation: Relation, naming: FileNames) -> Any:
    """Add the name of its file to the system of every row, as in gpt/monday."""
    if not relation.apart:
        return rows
    pairs = ", ".join(
        f"({text_literal(str(file))}, {text_literal(naming[file][0])})" for file in relation.files
    )
    system = quoted(columns["system"])
    name = f"concat_ws('/', nullif({text_of(columns['system'])}, ''), errbar_files.name)"
    return rows.query(
        "rows",
        f"SELECT rows.* REPLACE ({name} AS {system}) FROM rows JOIN (VALUES {pairs}) AS "
        f"errbar_files(path, name) ON rows.{quoted(FILE)} = errbar_files.path",
    )


def free_name(name: str, used: Sequence[str]) -> str:
    """A name for a new column that no column has."""
    lower = {column.lower() for column in used}
    return name if name not in lower else f"errbar {name}"


def with_column(columns: Columns, meaning: str, name: str) -> Columns:
    """The columns with a new one that has this meaning."""
    named = {**columns.named, meaning: name}
    ordered = {meaning: named[meaning] for meaning in (*USUAL, *COUNTED) if meaning in named}
    return replace(columns, named=MappingProxyType(ordered), beside=())


def folders_of_questions(relations: Sequence[Relation]) -> dict[Path, Path]:
    """Folder of each file in relations with as many rows as files, if the rows are its questions.

    That is the nearest folder with several files, all of other questions; or the one above it, if
    all files of a folder are of one question.
    """
    folders: dict[Path, Path] = {}
    for relation in relations:
        if relation.apart and len(relation.files) > 2:
            head = relation.rows.limit(len(relation.files) + 1)
            rows = head.aggregate("count(*)").fetchall()
            if rows[0][0] == len(relation.files):
                folders |= _grouped(_ids_by_file(head, relation.files))
    return folders


def _ids_by_file(rows: Any, files: Sequence[Path]) -> dict[Path, str]:
    """Question id of each file; empty if there is no column of ids."""
    names = [name for name in rows.columns if name not in HIDDEN]

    def sample(name: str) -> list[Any]:
        found = rows.project(quoted(name)).fetchall() if name in rows.columns else []
        return [value for (value,) in found]

    try:  # the outcome may be inside an object
        columns = find_columns(dict.fromkeys([*names, "outcome"]), sample=sample)
    except UnknownColumn:
        return {}
    question = columns["question"]
    if question not in rows.columns:  # every row is a question
        return {}
    pairs = rows.project(f"{quoted(FILE)}, {text_of(question)}").fetchall()
    by_text = {str(file): file for file in files}
    return {by_text[file]: str(id_) for file, id_ in pairs}


def _grouped(ids: Mapping[Path, str]) -> dict[Path, Path]:
    """Folder of each file; empty if a folder has two files of a question among others."""
    real = resolved_folders()
    own = {file: real.folder_of(file) for file in ids}
    found, rest = dict(own), own
    while len(rest) > 1:
        often = Counter(rest.values())
        several = {file: folder for file, folder in rest.items() if often[folder] > 1}
        of_questions = _folders_of_questions(several, ids)
        if len(of_questions) < len(several):
            return {}
        found |= of_questions
        above = {file: folder.parent for file, folder in rest.items() if file not in several}
        rest = {file: folder for file, folder in above.items() if folder != rest[file]}
    return found


def _folders_of_questions(
    folders: Mapping[Path, Path], ids: Mapping[Path, str]
) -> Mapping[Path, Path]:
    """The folders, if their files are of other questions, or those above if of one each."""
    if _are_different(folders, ids):
        return folders
    of_folder = {folder: ids[file] for file, folder in folders.items()}
    parents = {folder: folder.parent for folder in of_folder}
    of_one = all(ids[file] == of_folder[folder] for file, folder in folders.items())
    if not of_one or len(set(of_folder.values())) == 1 or not _are_different(parents, of_folder):
        return {}
    return {file: folder.parent for file, folder in folders.items()}


def _are_different(folders: Mapping[Path, Path], ids: Mapping[Path, str]) -> bool:
    """Whether no two entries of a folder have the same id."""
    return len({(folder, ids[file]) for file, folder in folders.items()}) == len(folders)
