"""Output of results: in a text format, to a file, or as tables on a terminal.

A terminal and a pipe get the same lines. Only a terminal has a width, to which tables are fitted,
and colours, which rich prints; it is imported only then.
"""

import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from errbar.base.files import atomic_file
from errbar.base.layout import Detail, Line, page, plain
from errbar.base.remarks import MARK, above, below, marked
from errbar.base.tables import in_percent, printable
from errbar.cli import Command
from errbar.cli.options import READ_WRITE_PLOT, Paths, ReadOptions, WriteOptions, opened

if TYPE_CHECKING:
    from rich.console import Console

    from errbar.results.base import Result
    from errbar.results.pictures.vega import Picture


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


def export(result: "Result", style: str, detail: Detail = Detail.USUAL) -> str:
    """Return a result as text in a format; "table" is plain text."""
    exports: dict[str, Callable[[], str]] = {
        "json": result.to_json,
        "csv": result.to_csv,
        "raw-csv": partial(result.to_csv, raw=True),
        "markdown": result.to_markdown,
        "latex": result.to_latex,
    }
    if style in exports:
        return exports[style]()
    return plain(page(result.parts(), detail=detail))


def show(result: "Result", writing: WriteOptions, picture: "Picture | None" = None) -> None:
    """Print or write a result, fitted to a terminal if there is one, and draw its picture."""
    detail = Detail(writing.detail or Detail.USUAL)
    with in_percent() if writing.percent else nullcontext():
        if writing.style == "table" and not writing.output and sys.stdout.isatty():
            print_lines(page(result.parts(), width_of_terminal(), detail))
        else:
            put(export(result, writing.style, detail), writing)
    notes = result.notes()
    if writing.style.endswith("csv"):  # a format without notes
        tell([*above(notes), *below(notes)])
    elif detail is Detail.TABLE:
        tell(note for note in marked(notes) if note.startswith(MARK))
    if writing.plot:
        (picture or result.plot()).save(writing.plot)


def width_of_terminal() -> int:
    """Return the number of columns of the terminal, or what COLUMNS says."""
    return shutil.get_terminal_size().columns


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


def print_lines(lines: Iterable[Line], console: "Console | None" = None) -> None:
    """Print styled lines on a terminal, by default on standard output."""
    from rich.console import Console  # noqa: PLC0415  only terminals need it
    from rich.text import Text  # noqa: PLC0415

    screen = console or Console(markup=False, highlight=False, emoji=False)
    for line in lines:
        text = Text.assemble(*((piece, tone.value) for piece, tone in line))
        text.rstrip()
        screen.print(text, soft_wrap=True)
