"""Output of results: in a text format, to a file, or as tables on a terminal.

Tables are fitted to the width of a terminal with rich, which is imported only then. A pipe
receives plain text that is not cut.
"""

import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from errbar.base.files import atomic_file
from errbar.base.remarks import MARK, above, below
from errbar.base.tables import Table, each_printable, printable, wrapped
from errbar.cli import Command
from errbar.cli.options import READ_WRITE_PLOT, Paths, ReadOptions, WriteOptions, opened

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as Grid

    from errbar.results.base import Result
    from errbar.results.pictures.vega import Picture

_GAP = 2  # between columns
_WIDEST_NOTE = 80
# Cells up to the width of an interval are folded last, words up to the width of a number never.
_INTERVAL_WIDTH, _NUMBER_WIDTH = 20, 14


def shows_result(question: Callable[..., "Result"]) -> Command:
    """Turn a function of loaded outcomes and options into a command that shows its result.

    The command has the options of reading and writing too.
    """

    @wraps(question)
    def command(paths: Paths, reading: ReadOptions, writing: WriteOptions, **keywords: Any) -> None:
        with opened(question.__name__, paths, reading) as runs:
            found = question(runs, **keywords)
        show(found, writing)

    return READ_WRITE_PLOT(command)


def export(result: "Result", style: str) -> str:
    """Return a result as text in a format; "table" is plain text."""
    exports: dict[str, Callable[[], str]] = {
        "json": result.to_json,
        "csv": result.to_csv,
        "raw-csv": partial(result.to_csv, raw=True),
        "markdown": result.to_markdown,
        "latex": result.to_latex,
    }
    return exports.get(style, result.__str__)()


def show(result: "Result", writing: WriteOptions, picture: "Picture | None" = None) -> None:
    """Print or write a result, fitted to a terminal if there is one, and draw its picture."""
    if writing.style == "table" and not writing.output and sys.stdout.isatty():
        print_parts(result.parts())
    else:
        put(export(result, writing.style), writing)
    if writing.style.endswith("csv"):  # a format without notes
        notes = result.notes()
        tell([*above(notes), *below(notes)])
    if writing.plot:
        (picture or result.plot()).save(writing.plot)


def tell(notes: Iterable[str]) -> None:
    """Print notes on stderr."""
    for note in notes:
        click.echo(printable(note), err=True)


def put(text: str, writing: WriteOptions) -> None:
    """Print text, or write it to the output file."""
    if writing.output:
        save(text, writing.output)
    else:
        click.echo(text, nl=False, color=True)  # or click removes escape sequences from ids
        click.echo()  # separately: with PYTHONUNBUFFERED, a short write is no error


def save(text: str, path: str) -> None:
    """Write a file atomically."""
    with atomic_file(path) as beside:
        beside.write_text(f"{text}\n", encoding="utf-8")


def print_parts(parts: Iterable[Table | str]) -> None:
    """Print tables and sentences below each other."""
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
    """Print each row as a list, on a terminal that is too narrow for columns."""
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
    """Return the width of each column, or None if numbers would have to be folded.

    The widest column shrinks first: long ids are folded, then intervals between their ends.
    """
    from rich.cells import cell_len  # noqa: PLC0415  only terminals need it

    widths = [max(map(cell_len, column)) for column in columns]
    intervals = [min(width, _INTERVAL_WIDTH) for width in widths]
    words = [
        max(
            min(cell_len(word), _NUMBER_WIDTH) for cell in column for word in (cell.split() or [""])
        )
        for column in columns
    ]
    for least in (intervals, words):
        while sum(widths) > room:
            wide = [at for at, width in enumerate(widths) if width > least[at]]
            if not wide:
                break
            widths[max(wide, key=widths.__getitem__)] -= 1
    return widths if sum(widths) <= room else None
