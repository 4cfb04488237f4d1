"""Tables that DuckDB cannot read: Arrow, Excel, SQLite, JUnit, CSV that is not UTF-8; YAML.

A sheet of a workbook and a table of a database are read alike (`workbooks`). A JUnit report, as
pytest writes it, has a row per test case: a failure is wrong, and a skipped test has no outcome.
"""

import csv
import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from errbar.base.remarks import Above
from errbar.data.columns import plain_name
from errbar.data.engines.duckdb import quoted
from errbar.data.engines.flat_files import dialect_of
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.file_content import encoding_remarks, raw_text, text_lines
from errbar.data.readers.file_formats import (
    ARROW,
    CSV,
    EXCEL,
    JUNIT,
    MARKDOWN,
    SQLITE,
)
from errbar.data.readers.finding import head_of
from errbar.data.readers.tables.frames import arrow_columns
from errbar.data.readers.tables.markdown_tables import markdown_tables
from errbar.data.readers.tables.nested_names import names_in_parts
from errbar.data.readers.tables.workbooks import sheet_columns, sheets_in
from errbar.errors import InputError, MissingExtra, NoOutcomes

IN_COLUMNS = (ARROW, EXCEL, SQLITE, JUNIT, MARKDOWN)
_MAGIC = b"SQLite format 3\0"
_MOST_VALUES = 1_000_000  # in a YAML document that has aliases
_SUITES = ("testsuites", "testsuite")


def columns_in(
    file: Path, kind: str, how: HowToRead
) -> tuple[dict[str, list[Any]], tuple[Above, ...]]:
    """Columns of a file that is read into memory whole, with remarks on its sheets or tables."""
    if kind == CSV:
        return columns_of_csv(file), tuple(encoding_remarks([file]))
    if kind == ARROW:
        return arrow_columns(file), ()
    if kind == JUNIT:
        return junit_columns(file), ()
    if kind == MARKDOWN:
        return sheet_columns(file, markdown_tables(file), how, "table")
    tables = sheets_in(file) if kind == EXCEL else database_tables(file)
    return sheet_columns(file, tables, how, "sheet" if kind == EXCEL else "table")


def columns_of_csv(file: Path) -> dict[str, list[str | None]]:
    """Columns of a CSV file that DuckDB cannot read from disk, since it is not UTF-8 there."""
    dialect = dialect_of(file)
    above = dialect.above + dialect.lines - 1
    lines = csv.reader(islice(text_lines(file), above, None), delimiter=dialect.mark)
    width = len(dialect.names)
    columns: dict[str, list[str | None]] = {name: [] for name in dialect.names}
    try:
        next(lines, None)
        for cells in lines:
            if not any(cells):
                continue
            if len(cells) != width and not (dialect.has_notes and len(cells) == 1):
                place = f"{file}, line {above + lines.line_num}"
                raise InputError(f"{place}: it has {len(cells)} cells, and the header {width}.")
            for at, column in enumerate(columns.values()):
                column.append((cells[at] if at < len(cells) else "") or None)
    except csv.Error as error:
        raise InputError(f"{file}, line {above + lines.line_num}: {error}.") from error
    return columns


def yaml_document(file: Path) -> Any:
    """The document in a YAML file."""
    try:
        import yaml  # noqa: PLC0415  an extra
    except ImportError as error:
        raise MissingExtra(
            f"{file}: reading YAML needs PyYAML: pip install 'errbar[yaml]'."
        ) from error
    raw = raw_text(file)
    try:
        document = yaml.safe_load(raw)
        values = _values_in(document, {})
    except (yaml.YAMLError, ValueError) as error:
        text = " ".join(str(error).split())
        raise InputError(f"{file}: this is no valid YAML ({text:.200}).") from error
    except RecursionError as error:
        raise InputError(f"{file}: the YAML is nested too deeply.") from error
    if values > max(len(raw), _MOST_VALUES):
        raise InputError(f"{file}: its aliases (*NAME) stand for too many values.")
    return document


def _values_in(part: Any, known: dict[int, float]) -> float:
    """Number of values in part of a document, those of aliases each time; a cycle has no end."""
    if not isinstance(part, dict | list):
        return 1
    if id(part) not in known:
        known[id(part)] = math.inf
        inner = part.values() if isinstance(part, dict) else part
        known[id(part)] = 1 + sum(_values_in(each, known) for each in inner)
    return known[id(part)]


def database_tables(file: Path) -> dict[str, dict[str, list[Any]]]:
    """Columns of each table of an SQLite database that has rows."""
    if not head_of(file, len(_MAGIC)).startswith(_MAGIC):
        raise NoOutcomes(f"{file}: this is not a SQLite database.")
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as base:
            listed = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
            names = [name for (name,) in base.execute(listed) if not name.startswith("sqlite_")]
            tables = {name: _table(base, name) for name in names}
    except sqlite3.Error as error:
        raise InputError(f"{file}: this SQLite database cannot be read ({error}).") from error
    tables = {name: columns for name, columns in tables.items() if any(columns.values())}
    if not tables:
        raise NoOutcomes(f"{file}: no table of this SQLite database has rows.")
    return {name: _with_systems(name, columns, tables) for name, columns in tables.items()}


def _with_systems(
    name: str, columns: dict[str, list[Any]], tables: Mapping[str, dict[str, list[Any]]]
) -> dict[str, list[Any]]:
    """Columns of a table, with those that name its systems in the table that its ids refer to.

    Its `run_id` refers to the `run_id` of another table, or to the `id` of one called runs; the
    model there is called runs.model. The model in a table of questions has written them.
    """
    if names_in_parts(columns, "system"):
        return columns
    keys = [key for key in columns if not names_in_parts([key], "question")]
    for other, there in tables.items():
        named = [column for column in there if names_in_parts([column], "system")]
        singular = f"{plain_name(other.removesuffix('s'))}id"
        for key in keys if other != name and named else ():
            own = key if key in there else "id" if plain_name(key) == singular else ""
            places = {value: at for at, value in enumerate(there.get(own, []))}
            if own and len(places) == len(there[own]) and places.keys() >= {*columns[key]}:
                rows = [places[value] for value in columns[key]]
                found = {
                    f"{other}.{column}": [there[column][at] for at in rows] for column in named
                }
                return {**columns, **found}
    return columns


def _table(base: sqlite3.Connection, name: str) -> dict[str, list[Any]]:
    found = base.execute(f"SELECT * FROM {quoted(name)}")
    rows = found.fetchall()
    names = [column[0] for column in found.description]
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def junit_columns(file: Path) -> dict[str, list[Any]]:
    """A row per test case of a JUnit report."""
    try:
        root = ElementTree.fromstring(raw_text(file))
    except ElementTree.ParseError as error:
        raise InputError(f"{file}: this is not valid XML ({error}).") from error
    if root.tag not in _SUITES:
        raise NoOutcomes(
            f"{file}: of XML files errbar reads JUnit reports; this one begins with <{root.tag}>."
        )
    cases = [_case(suite, case) for suite in root.iter("testsuite") for case in suite]
    rows = [row for row in cases if row]
    if not rows:
        raise NoOutcomes(f"{file}: this JUnit report has no test case.")
    suites = {row["task"] for row in rows}
    names = [name for name in rows[0] if name != "task" or len(suites) > 1]
    return {name: [row[name] for row in rows] for name in names}


def _case(suite: Any, case: Any) -> Mapping[str, Any]:
    """The row of an element of a suite; empty if it is no test case."""
    if case.tag != "testcase":
        return {}
    kinds = {part.tag for part in case}
    outcome: int | None = 0 if "failure" in kinds else 1
    status = "ok"
    if "error" in kinds and "failure" not in kinds:
        outcome, status = None, "error"
    elif "skipped" in kinds:
        outcome, status = None, "unscored"
    place, name = case.get("classname"), case.get("name", "")
    return {
        "task": suite.get("name", ""),
        "question": f"{place}::{name}" if place else name,
        "outcome": outcome,
        "status": status,
    }
