"""Input and output of commands: outcomes loaded from paths, results printed or written to files.

The ending of a file says what is written to it; a command refuses one that it does not write before
it does any work.

A terminal and a pipe get the same lines. Only a terminal has a width, to which tables are fitted,
and colours, which rich prints; it is imported only then.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from errbar.base.files import atomic_file
from errbar.base.narrow_tables import page_of_width
from errbar.base.remarks import MARK, above, below, marked
from errbar.base.tables import Detail, Line, in_percent, page, plain, printable
from errbar.cli.options import READ, Command, Options, Paths, ReadOptions, bundle, options_of
from errbar.cli.work import Work, working
from errbar.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from errbar.results.base import Result
    from errbar.results.pictures.picture import Picture
    from errbar.runs import Runs


OUTPUTS, FORCED = "errbar.outputs", "errbar.force"  # keys of click.Context.meta

Style = Literal["table", "json", "csv", "raw-csv", "markdown", "latex"]

_STYLES: dict[str, Style] = {
    ".txt": "table",
    ".json": "json",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
}
_PAGES = (".html", ".htm")


class OutputPath(click.Path):
    """The path of a file that a command writes; `require_writable` checks those of a command.

    Parameters
    ----------
    endings
        The endings that it may have, or none at all; () if the writer checks them.
    """

    def __init__(self, *endings: str, folder: bool = False) -> None:
        super().__init__(dir_okay=folder)
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check the ending, and keep the path for the check of what exists."""
        path = str(super().convert(value, param, ctx))
        ending = Path(path).suffix.lower()
        if self.endings and ending and ending not in self.endings:
            raise InputError(_no_such_ending(path, self.endings, param, ctx))
        if ctx is not None:
            ctx.meta.setdefault(OUTPUTS, []).append(path)
        return path


def _no_such_ending(
    path: str,
    endings: Sequence[str],
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> str:
    """Return what an option writes, and, for a page, what writes one."""
    option = param.opts[-1] if param is not None else "it"
    *first, last = endings
    known = f"{', '.join(first)} or {last}" if first else last
    text = f"{path}: {option} writes a file that ends in {known}"
    if Path(path).suffix.lower() not in _PAGES:
        return f"{text}."
    others = [] if ctx is None else [each for each in ctx.command.params if each is not param]
    pages = (each.opts[-1] for each in others if set(_PAGES) & set(_endings_of(each)))
    return f"{text}; {next(pages, 'errbar report')} writes a page."


def _endings_of(param: click.Parameter) -> Sequence[str]:
    return param.type.endings if isinstance(param.type, OutputPath) else ()


def output_file(flag: str, text: str, *endings: str) -> Options:
    """Return an option that names a file which the command writes; `text` is its help."""
    return click.option(flag, type=OutputPath(*endings), metavar="FILE", help=text)


def page_file(flag: str, text: str) -> Options:
    """Return an option that names an HTML page which the command writes as well."""
    return output_file(flag, text, *_PAGES)


def _set_force(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[FORCED] = value


FORCE = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_set_force,
    help="Replace files that exist already, but never an input.",
)


def page_output(name: str) -> Options:
    """Return the options of a command that writes an HTML page."""
    output = click.option(
        "-o",
        "--output",
        type=OutputPath(*_PAGES),
        default=name,
        show_default=True,
        help="The HTML file to write.",
    )
    return options_of(output, FORCE)


@dataclass(frozen=True, kw_only=True)
class WriteOptions:
    """How a result is written: the options of `WRITE` and `PLOT`."""

    asked: Style | None = None  # by --format
    output: str | None = None
    plot: str | None = None
    percent: bool = False
    detail: Literal["table", "explained"] | None = None

    def __post_init__(self) -> None:
        ending = _style_of(self.output)
        if self.asked and ending not in (None, "table", self.asked.removeprefix("raw-")):
            raise InputError(
                f"{self.output} ends like a file of --format {ending}, but --format is "
                f"{self.asked}; change one of them, or omit --format."
            )

    @property
    def style(self) -> Style:
        """The format: that of --format, else that of the ending of the file."""
        return self.asked or _style_of(self.output) or "table"


def _style_of(path: str | None) -> Style | None:
    """Return the format that the ending of a file stands for."""
    return None if path is None else _STYLES.get(Path(path).suffix.lower())


WRITE = bundle(
    "writing",
    WriteOptions,
    click.option(
        "--format",
        "asked",
        type=click.Choice(["table", "json", "csv", "raw-csv", "markdown", "latex"]),
        help="The format of the output; by default that of the ending of --output, else table. "
        "raw-csv does not escape control characters and formulas.",
    ),
    click.option(
        "-o",
        "--output",
        type=OutputPath(*_STYLES),
        help=f"Write the output to this file, which ends in {', '.join(_STYLES)}.",
    ),
    FORCE,
    click.option("--percent", is_flag=True, help="Show scores in percent."),
    click.option("-q", "--quiet", "detail", flag_value="table", help="Print only the table."),
    click.option("--explain", "detail", flag_value="explained", help="Also print the method."),
)


def _drawable(_: click.Context, __: click.Parameter, path: str | None) -> str | None:
    """Refuse a file name that cannot be drawn before any work is done."""
    if path is not None:
        from errbar.results.pictures.picture import require_suffix  # noqa: PLC0415  --help must not wait

        require_suffix(path)
    return path


PLOT = click.option(
    "--plot",
    type=OutputPath(),
    callback=_drawable,
    help="Also draw a picture, to a file that ends in .svg, .png, .html or .json.",
)

READ_WRITE_PLOT = options_of(READ, WRITE, PLOT)


@contextmanager
def loaded_outcomes(command: str, paths: Sequence[str], reading: ReadOptions) -> Iterator["Runs"]:
    """Load the outcomes at paths, and show progress while a command uses them."""
    with working(f"errbar {command} {paths_text(paths)}") as work:
        yield runs_of(paths, reading, work)


def runs_of(paths: Sequence[str], reading: ReadOptions, work: Work) -> "Runs":
    """Load the outcomes at paths with the chosen engine."""
    from errbar.loading import load  # noqa: PLC0415  --help must not wait

    session = None
    if reading.engine == "spark":
        from errbar.data.engines.spark import spark_session  # noqa: PLC0415  an extra

        session = spark_session(reading.master, reading.remote)
    elif reading.master or reading.remote:
        raise InputError("--master and --spark-remote need --engine spark.")
    keywords = {**keywords_of(reading), **columns_in(reading.mapping)}
    require_writable(paths)
    runs = load(
        list(paths) if len(paths) > 1 else paths[0],
        connection=work.connection() if session is None else None,
        spark=session,
        **keywords,
    )
    accounts = runs.source.origin.accounts
    require_writable(file for file, account in accounts.items() if not account.skipped)
    return runs


def keywords_of(reading: ReadOptions) -> dict[str, Any]:
    """Return the keywords of `load` that say how outcomes are read, without the columns."""
    return {
        "repeats": reading.repeats,
        "reader": reading.reader,
        "scorer": reading.scorer,
        "filter": reading.filter,
        "signal": reading.signal,
        "files": reading.files,
        "rows": reading.rows,
        "keys": reading.keys,
        "right": reading.right,
        "labels": reading.labels,
        "label": reading.label,
        "correction": reading.correction,
    }


def paths_text(paths: Sequence[str]) -> str:
    """Return the paths as a message shows them."""
    return paths[0] if len(paths) == 1 else f"{paths[0]} …"


def columns_in(mapping: Sequence[str]) -> dict[str, str | None]:
    """Return columns by meaning, from texts such as question=task_id, or cluster= for none."""
    from errbar.data.columns import require_meaning  # noqa: PLC0415  --help must not wait
    from errbar.data.readers.tables.column_choice import REQUIRED  # noqa: PLC0415

    columns: dict[str, str | None] = {}
    for text in mapping:
        meaning, equals, name = text.partition("=")
        if not equals or not meaning or (not name and meaning in REQUIRED):
            raise InputError(
                f"--map {text!r} must be written meaning=column, as in question=task_id."
            )
        if meaning in columns:
            raise InputError(f"--map gives two columns for {meaning}.")
        require_meaning(meaning)
        columns[meaning] = name or None
    return columns


def require_writable(inputs: Iterable[str | Path]) -> None:
    """Refuse to write to an input, and, without --force, to a file that is not empty."""
    meta = click.get_current_context().meta
    existing = {path: os.stat(path) for path in meta.get(OUTPUTS, ()) if os.path.isfile(path)}
    if not existing:
        return
    for read in filter(None, map(_stat, inputs)):
        for path, found in existing.items():
            if os.path.samestat(read, found):
                raise InputError(f"{path} is one of the files to read; write to another file.")
    for path, found in existing.items():
        if found.st_size and not meta.get(FORCED):
            raise InputError(f"{path} exists already; write to another file, or pass --force.")


def _stat(path: str | Path) -> os.stat_result | None:
    """Status of a file; None for a pattern, and for a path that reading will refuse."""
    try:
        return os.stat(os.path.expanduser(path))
    except (OSError, ValueError):
        return None


def shows_result(question: Callable[..., "Result"]) -> Command:
    """Turn a function of loaded outcomes and options into a command that shows its result.

    The command has the options of reading and writing too.
    """

    @wraps(question)
    def command(paths: Paths, reading: ReadOptions, writing: WriteOptions, **keywords: Any) -> None:
        name = question.__name__.replace("_", "-")
        with loaded_outcomes(name, paths, reading) as runs:
            result = question(runs, **keywords)
        show(result, writing)

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
    return plain(page(result.parts(), detail))


def show(result: "Result", writing: WriteOptions, picture: "Picture | None" = None) -> None:
    """Print or write a result, fitted to a terminal if there is one, and draw its picture."""
    detail = Detail(writing.detail or Detail.USUAL)
    with in_percent() if writing.percent else nullcontext():
        if writing.style == "table" and not writing.output and sys.stdout.isatty():
            print_lines(page_of_width(result.parts(), width_of_terminal(), detail))
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
