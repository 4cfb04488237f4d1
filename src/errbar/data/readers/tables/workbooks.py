"""Excel workbooks with several sheets: one per system, or one with outcomes beside notes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import Above, guess, some_of, warning, way_to_say
from errbar.data.columns import ROW
from errbar.data.readers.choices import FilesAre, HowToRead
from errbar.data.readers.tables.compared_files import are_named_as_tasks
from errbar.data.readers.tables.records import tidy
from errbar.data.readers.tables.repeat_numbers import may_repeat
from errbar.errors import InputError, UnknownColumn

_MEANINGS: Mapping[FilesAre, str] = {"systems": "system", "trials": "trial", "tasks": "task"}
_TITLES = 10  # rows in which the names of columns may begin, below a title


class _Sheet(NamedTuple):
    """The columns of a sheet with outcomes, and which meanings they have."""

    flat: dict[str, list[Any]]
    meanings: frozenset[str]
    has_ids: bool


def sheet_columns(
    file: Path, sheets: Mapping[str, dict[str, list[Any]]], how: HowToRead, called: str
) -> tuple[dict[str, list[Any]], tuple[Above, ...]]:
    """Columns of the sheets that have outcomes, with the name of the sheet if there are several.

    A sheet is a system; if the rows name their systems, it is a task. Tables of a database are
    read like sheets of a workbook; `called` is the word for one.
    """
    if len(sheets) == 1:
        return next(iter(sheets.values())), ()
    found = {name: sheet for name, flat in sheets.items() if (sheet := _sheet(flat, how))}
    if any(sheet.has_ids for sheet in found.values()):  # a summary has no ids
        found = {name: sheet for name, sheet in found.items() if sheet.has_ids}
    if not found:
        raise InputError(
            f"{file}: none of its {len(sheets)} {called}s ({some_of(list(sheets), 6)}) has a "
            f"question and an outcome; save the one to score as a separate file."
        )
    left = [name for name in sheets if name not in found]
    unread = (
        f"; not read, since they have no outcomes of questions: {some_of(left, 6)}" if left else ""
    )
    if len(found) == 1:
        ((name, only),) = found.items()
        return only.flat, (guess(f"{file.name}: the {called} {name!r}{unread}"),)
    named = any("system" in sheet.meanings for sheet in found.values())
    meaning = "task" if named and how.files is None else _MEANINGS.get(how.files or "systems")
    flat = _join_sheets({name: sheet.flat for name, sheet in found.items()}, meaning)
    text = f"{file.name}: {len(found)} {called}s are"
    return flat, (_remark(text, list(found), meaning, unread),)


def sheets_in(file: Path) -> dict[str, dict[str, list[Any]]]:
    """Columns of each sheet of a workbook that has rows.

    The names of the columns are in the first row with as many cells as any of the first rows has.
    """
    try:
        import openpyxl  # noqa: PLC0415  an extra
    except ImportError as error:
        raise InputError(
            f"{file}: reading Excel needs openpyxl: pip install 'errbar[excel]'."
        ) from error
    try:
        book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        sheets = {sheet.title: list(sheet.iter_rows(values_only=True)) for sheet in book}
        book.close()
    except Exception as error:  # zip, XML and openpyxl raise errors of many types
        raise InputError(f"{file}: this Excel workbook cannot be read ({error}).") from error
    filled = {name: _sheet_columns(rows) for name, rows in sheets.items()}
    filled = {name: columns for name, columns in filled.items() if any(columns.values())}
    if not filled:
        raise InputError(f"{file}: no sheet has rows below the column names.")
    return filled


def _sheet_columns(rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Columns of a sheet, without empty rows and without a title above the names."""
    rows = [row for row in rows if any(cell not in (None, "") for cell in row)]
    widths = [sum(cell not in (None, "") for cell in row) for row in rows[:_TITLES]]
    if not rows:
        return {}
    is_titled = widths[0] == 1 < max(widths)
    head, *body = rows[widths.index(max(widths)) :] if is_titled else rows
    names = [str(name) if name not in (None, "") else "" for name in head]
    kept = [at for at, name in enumerate(names) if name]
    return {names[at]: [_plain(row[at]) for row in body] for at in kept}


def _plain(cell: Any) -> Any:
    """Convert whole floats to integers: Excel stores all numbers as floats."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def _sheet(flat: dict[str, list[Any]], how: HowToRead) -> _Sheet | None:
    """A sheet with outcomes; None if it has none."""
    try:
        columns = tidy(flat, how.assignment).columns
    except (UnknownColumn, InputError):
        return None
    return _Sheet(flat, frozenset(columns.named), columns["question"] != ROW)


def _join_sheets(
    sheets: Mapping[str, dict[str, list[Any]]], meaning: str | None
) -> dict[str, list[Any]]:
    """The rows of all sheets, with the name of the sheet as a column, unless there is one."""
    names = dict.fromkeys(name for flat in sheets.values() for name in flat)
    sizes = {sheet: len(next(iter(flat.values()), [])) for sheet, flat in sheets.items()}
    found = {
        name: [
            value
            for sheet, flat in sheets.items()
            for value in flat.get(name, [None] * sizes[sheet])
        ]
        for name in names
    }
    if meaning is not None and meaning not in found:
        found[meaning] = [sheet for sheet, size in sizes.items() for _ in range(size)]
    return found


_KINDS = ("systems", "trials", "tasks", "parts")  # what sheets may be


def _remark(text: str, names: list[str], meaning: str | None, unread: str) -> Above:
    """Remark that sheets are systems, tasks or trials; a warning if their names leave a doubt."""
    what = f"{meaning}s" if meaning else "parts of one table"
    text = f"{text} {what} ({some_of(names, 6)}){unread}"
    if meaning == "system" and (may_repeat(names) or are_named_as_tasks(names)):
        other = way_to_say("--files trials or --files tasks", "files='trials' or files='tasks'")
        return warning(f"{text}. If they are trials or tasks, use {other}.")
    *others, last = [kind for kind in _KINDS if kind != (what if meaning else "parts")]
    quoted = ", ".join(map(repr, others))
    return guess(
        text,
        option=f"--files {', '.join(others)} or {last}",
        argument=f"files={quoted} or {last!r}",
    )
