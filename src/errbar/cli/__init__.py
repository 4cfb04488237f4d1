"""The command `errbar`: group and builders of options, progress on stderr, signals.

Every command is a function that parses options, calls one function and prints. The
group imports a command on first use, and a command imports little but click before it runs, so
that help is fast.
"""

import importlib
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import wraps
from typing import Any

import click

from errbar import __version__
from errbar.base.files import remove_unfinished
from errbar.base.remarks import on_command_line
from errbar.base.tables import printable
from errbar.cli.endings import (
    FORCE,
    OutputPath,
    Terminated,
    ended_early,
    one_line_errors,
    say_ended,
)

COMMANDS = (
    *("overview", "score", "curve", "compare", "rank", "gate", "plan", "monitor"),
    *("selective", "roc", "report", "convert", "inspect", "metrics", "demo"),
)
_BESIDE = {
    "curve": "score",
    "roc": "selective",
    "inspect": "overview",
}  # commands in the module of another

_SILENT, _BETWEEN = 1.0, 0.2  # seconds before the first line, and between lines
# DuckDB stops within a second or never: 2.0 hung in 7 of 41 trials when interrupted while writing.
_PATIENCE = 2.0
_USUAL_WIDTH = 80


class Work:
    """A command at work, and the engine that it uses."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.began = time.monotonic()
        self.on_terminal = sys.stderr.isatty()
        self.engine: Any = None
        self.ended_by = 0  # the signal that asked the command to end

    def connection(self) -> Any:
        """Return the DuckDB connection whose progress is shown."""
        if self.engine is not None:
            return self.engine
        from errbar.data.engines.duckdb import (  # noqa: PLC0415  not always needed
            engine_with_progress,
            own_engine,
        )

        self.engine = engine_with_progress() if self.on_terminal else own_engine()
        return self.engine

    def interrupt(self, number: int) -> None:
        """Interrupt the engine after a signal."""
        self.ended_by = number
        if self.engine is not None:
            self.engine.interrupt()

    def line(self) -> str:
        """Return the elapsed time, with the progress of the current query if it is known."""
        seconds = f"{printable(self.words)}: {time.monotonic() - self.began:.0f} s"
        share = getattr(self.engine, "query_progress", lambda: -1.0)()  # newer DuckDB has it
        return f"{seconds}, {share:.0f} %" if share >= 0 else seconds


@contextmanager
def working(words: str) -> Iterator[Work]:
    """Show progress on a terminal, and react to Ctrl-C at once, while a command works."""
    work = Work(words)
    signals, wake = socket.socketpair()
    done, finish = socket.socketpair()
    wake.setblocking(False)
    watcher = threading.Thread(target=_watch, args=(work, signals, done), daemon=True)
    before = signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    watcher.start()
    try:
        yield work
    except Exception as error:
        _end(watcher, finish)
        if work.ended_by == signal.SIGINT:  # the engine reports it as an error
            raise KeyboardInterrupt from error
        if work.ended_by:
            raise Terminated(work.ended_by) from error
        raise
    finally:
        signal.set_wakeup_fd(before)
        _end(watcher, finish)
        for end in (signals, wake, done):
            end.close()


def _end(watcher: threading.Thread, finish: socket.socket) -> None:
    finish.close()
    watcher.join()


def _watch(work: Work, signals: socket.socket, done: socket.socket) -> None:
    line = ""
    wait = _SILENT if work.on_terminal else None
    ready: list[socket.socket] = []
    while done not in ready:
        ready, _, _ = select.select([signals, done], [], [], wait)
        if signals in ready and (number := _ending_signal(signals.recv(4096))):
            work.interrupt(number)
            wait = _PATIENCE
        elif not ready and work.ended_by:
            _end_at_once(line, work.ended_by)
        elif not ready:
            line = _shown(work.line(), line)
            wait = _BETWEEN
    _clear(line)


def _ending_signal(received: bytes) -> int:
    """The number of a signal that ends the process; 0 for others, such as a resized window."""
    ending = {getattr(signal, name, 0) for name in ("SIGINT", "SIGTERM", "SIGHUP")}
    return next((number for number in received if number in ending), 0)


def _end_at_once(line: str, number: int) -> None:
    """End the process if its main thread does not respond."""
    _clear(line)
    remove_unfinished()
    os._exit(say_ended(number))


def _clear(line: str) -> None:
    if line:
        _shown("", line)
        _shown("", "")


def _shown(line: str, last: str) -> str:
    """Overwrite the last line on the terminal, cut to its width, and return the new one."""
    width = os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
    line = line[1 - width :]  # the end of the line changes
    sys.stderr.write(f"\r{line:<{len(last)}}")
    sys.stderr.flush()
    return line


Command = Callable[..., None]
Options = Callable[[Command], Command]


def options_of(*options: Options) -> Options:
    """Return several options as one decorator."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def bundle(name: str, kind: type[Any], *options: Options) -> Options:
    """Return a decorator that adds options and passes them to the command as one value.

    Parameters
    ----------
    name
        The parameter of the command that receives the value.
    kind
        A dataclass with a field per option.
    *options
        The options.
    """

    def add(command: Command) -> Command:
        @wraps(command)
        def bundled(**values: Any) -> None:
            own = {
                field.name: values.pop(field.name) for field in fields(kind) if field.name in values
            }
            command(**values, **{name: kind(**own)})

        return options_of(*options)(bundled)

    return add


def choice(flag: str, *values: str, text: str, default: str | None = None) -> Options:
    """Return an option that takes one of several values; `text` is its help."""
    return click.option(
        flag,
        type=click.Choice(values),
        default=default,
        show_default=default is not None,
        help=text,
    )


def number(
    flag: str, kind: type[float] | type[int], text: str, *, default: float | None = None
) -> Options:
    """Return an option that takes a number; `text` is its help."""
    return click.option(
        flag, type=kind, default=default, show_default=default is not None, help=text
    )


def page(name: str) -> Options:
    """Return the options of a command that writes an HTML page."""
    output = click.option(
        "-o",
        "--output",
        type=OutputPath(dir_okay=False),
        default=name,
        show_default=True,
        help="The HTML file to write.",
    )
    return options_of(output, FORCE)


class _Commands(click.Group):
    """The group of commands, which turns errors into one line on stderr."""

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with one_line_errors(None), ended_early():
            return super().make_context(*arguments, **more)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*COMMANDS, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command from the module of its name."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"errbar.cli.{_BESIDE.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Run `overview` if a path is given in place of a command."""
        if self.get_command(ctx, args[0]) is None and _is_path(args[0]):
            return "overview", self.get_command(ctx, "overview"), args
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        with one_line_errors(ctx), ended_early(), on_command_line():
            return super().invoke(ctx)


def _is_path(text: str) -> bool:
    """Whether a word looks like a path rather than a misspelt command."""
    return text == "-" or any(mark in text for mark in "/\\.*") or os.path.exists(text)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="errbar")
@click.option("--debug", is_flag=True, help="Show the traceback of an error.")
def main(debug: bool) -> None:
    """Compute scores with confidence intervals from raw evaluation logs.

    errbar PATHS shows which system is better, all scores, and what was read.

    \b
    Examples:
      errbar logs/
      errbar compare logs/ -m pass@8
      errbar report logs/
    """
    del debug  # read by the group when an error is shown
