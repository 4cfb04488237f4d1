"""Results as they were asked for: as text of some format, in a file, or on a terminal.

On a terminal, tables fit its width; only then is rich loaded. A pipe gets plain text, whole.
"""

import sys
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import click

from errbar.base.files import atomic_file
from errbar.base.remarks import MARK, above, below
from errbar.base.tables import (
    Table,
    each_printable,
    printable,
    wrapped,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from errbar.cli.options import Writing
    from errbar.results.base import Result
    from errbar.results.pictures.picture import Picture

_GAP = 2  # between columns
_WIDEST_NOTE = 80
# Cells as wide as an interval fold last, words as long as a number never.
_KEPT_WHOLE, _WORD = 20, 14


def written(result: "Result", style: str) -> str:
    """A result as text of a format; "table" is plain text."""
    exports = {
        "json": result.to_json,
        "csv": result.to_csv,
        "markdown": result.to_markdown,
        "latex": result.to_latex,
    }
    return exports.get(style, result.__str__)()


def show(result: "Result", writing: "Writing", picture: "Picture | None" = None) -> None:
    """A result as asked for; a table on a terminal is fitted to it. Then its picture."""
    if writing.style == "table" and not writing.output and sys.stdout.isatty():
        print_parts(result.parts())
    else:
        put(written(result, writing.style), writing)
    if writing.style == "csv":  # which has no place for them
        notes = result.notes()
        tell([*above(notes), *below(notes)])
    if writing.plot:
        (picture or result.plot()).save(writing.plot)


def tell(notes: Iterable[str]) -> None:
    """On stderr, what the output has no place for."""
    for note in notes:
        click.echo(printable(note), err=True)


def put(text: str, writing: "Writing") -> None:
    """Print, or write to the file that was asked for."""
    if writing.output:
        save(text, writing.output)
    else:
        click.echo(text, nl=False, color=True)  # else click takes colours out of ids
        click.echo()  # apart: where PYTHONUNBUFFERED is set, a text that is cut short is no error


def save(text: str, path: str) -> None:
    """Write a file whole or not at all."""
    with atomic_file(path) as beside:
        beside.write_text(f"{text}\n", encoding="utf-8")


def print_parts(parts: Iterable[Table | str]) -> None:
    """Tables and sentences, one under the other."""
    from rich.console import Console  # noqa: PLC0415  only terminals need it

    console = Console(markup=False, highlight=False, emoji=False)
    for at, part in enumerate(parts):
        if at:
            console.print()
        if isinstance(part, str):
            console.print(printable(part))
        else:
            _print_table(console, part)


def _print_table(console: "Console", table: Table) -> None:
    for note in table.above:
        style = "yellow" if note.startswith(MARK) else ""
        for line in wrapped([note], min(console.width, _WIDEST_NOTE)):
            console.print(line, style=style)
    if table.above:
        console.print()
    columns = [each_printable(column) for column in table.columns]
    widths = _widths(columns, console.width - _GAP * (len(columns) - 1))
    if widths is None:
        _print_rows(console, columns)
    else:
        console.print(_grid(columns, widths, table.breaks))
    console.print()
    for note in wrapped(table.notes, min(console.width, _WIDEST_NOTE)):
        console.print(note, style="dim")


def _print_rows(console: "Console", columns: Sequence[Sequence[str]]) -> None:
    """Each row as a list, for a terminal that is too narrow for columns."""
    head, *rows = zip(*columns, strict=True)
    for row in rows:
        cells = (f"{name} {cell.strip()}" for name, cell in zip(head, row, strict=True))
        for line in wrapped([", ".join(cells)], console.width):
            console.print(line)


def _grid(
    columns: Sequence[Sequence[str]], widths: Sequence[int], breaks: Collection[int]
) -> "Grid":
    from rich import box  # noqa: PLC0415  only terminals need it
    from rich.table import Table as Grid  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    grid = Grid(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, _GAP - 1, 0, 0),
        border_style="dim",
        header_style="bold cyan",
    )
    for (head, *_), width in zip(columns, widths, strict=True):
        grid.add_column(Text(head), width=width, overflow="fold")
    for at, row in enumerate(zip(*(column[1:] for column in columns), strict=True)):
        if at in breaks:
            grid.add_section()
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def _widths(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """How wide each column is, or None where numbers would have to be broken.

    The widest gives way first: long ids fold, then intervals between their ends.
    """
    from rich.cells import cell_len  # noqa: PLC0415  only terminals need it

    widths = [max(map(cell_len, column)) for column in columns]
    whole = [min(width, _KEPT_WHOLE) for width in widths]
    words = [
        max(min(cell_len(word), _WORD) for cell in column for word in (cell.split() or [""]))
        for column in columns
    ]
    for least in (whole, words):
        while sum(widths) > room:
            give = [at for at, width in enumerate(widths) if width > least[at]]
            if not give:
                break
            widths[max(give, key=widths.__getitem__)] -= 1
    return widths if sum(widths) <= room else None
