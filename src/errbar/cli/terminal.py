"""Results on a terminal: tables that fit its width, with every id shown as text.

Only what prints on a terminal loads this module, and rich with it. A pipe gets plain text, whole.
"""

from collections.abc import Collection, Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from errbar.base.remarks import MARK
from errbar.base.tables import Table, each_printable, printable, wrapped

_GAP = 2  # between columns
_WIDEST_NOTE = 80
_KEPT_WHOLE, _WORD = (
    20,
    14,
)  # cells as wide as an interval fold last, words as long as a number never


def print_parts(parts: Iterable[Table | str]) -> None:
    """Tables and sentences, one under the other."""
    console = Console(markup=False, highlight=False, emoji=False)
    for at, part in enumerate(parts):
        if at:
            console.print()
        if isinstance(part, str):
            console.print(Text(printable(part)))
        else:
            _print_table(console, part)


def _print_table(console: Console, table: Table) -> None:
    for note in table.above:
        style = "yellow" if note.startswith(MARK) else ""
        for line in wrapped([note], min(console.width, _WIDEST_NOTE)):
            console.print(Text(line, style=style))
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
        console.print(Text(note, style="dim"))


def _print_rows(console: Console, columns: Sequence[Sequence[str]]) -> None:
    """Each row as a list, for a terminal that is too narrow for columns."""
    head, *rows = zip(*columns, strict=True)
    for row in rows:
        cells = (f"{name} {cell.strip()}" for name, cell in zip(head, row, strict=True))
        for line in wrapped([", ".join(cells)], console.width):
            console.print(Text(line))


def _grid(columns: Sequence[Sequence[str]], widths: Sequence[int], breaks: Collection[int]) -> Grid:
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
