"""Name the system, the trial and the task of every row after its file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from errbar.data.columns import USUAL
from errbar.data.engines.duckdb import quoted, store_columns, text_literal, text_of
from errbar.data.engines.flat_files import Relation
from errbar.data.queries.expressions import FILE, TRIAL_NUMBER, Columns

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
    paths = list(map(str, relation.files))
    systems, trials, tasks = zip(*(naming[file] for file in relation.files), strict=True)
    # a list of thousands of files in every query would take longer to parse than the files
    stored = store_columns(
        rows.engine, {"path": paths, "system": systems, "trial": trials, "task": tasks}
    )
    own = "rows.*"
    if trial is not None and any(trials):
        trial_name = f"concat_ws('/', nullif(errbar_files.trial, ''), rows.{quoted(trial)})"
        number = f" EXCLUDE ({quoted(TRIAL_NUMBER)})" if TRIAL_NUMBER in rows.columns else ""
        own = f"rows.*{number} REPLACE ({trial_name} AS {quoted(trial)})"
    more = f"errbar_files.system AS {quoted(system)}"
    if "task" not in columns and any(tasks):
        task = free_name("task", rows.columns)
        more, added = (
            f"{more}, errbar_files.task AS {quoted(task)}",
            with_column(added, "task", task),
        )
    rows = rows.query(
        "rows",
        f"SELECT {own}, {more} FROM rows JOIN ({stored.text}) AS errbar_files "
        f"ON rows.{quoted(FILE)} = errbar_files.path",
    )
    return rows, added


def with_file_names(rows: Any, columns: Columns, relation: Relation, naming: FileNames) -> Any:
    """Add the name of its file to the system of every row, as in gpt/monday."""
    if not relation.apart:
        return rows
    names = [naming[file][0] for file in relation.files]
    stored = store_columns(rows.engine, {"path": list(map(str, relation.files)), "name": names})
    system = quoted(columns["system"])
    name = f"concat_ws('/', nullif({text_of(columns['system'])}, ''), errbar_files.name)"
    return rows.query(
        "rows",
        f"SELECT rows.* REPLACE ({name} AS {system}) FROM rows JOIN ({stored.text}) AS "
        f"errbar_files ON rows.{quoted(FILE)} = errbar_files.path",
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
