"""A command at work: progress, time limit, signals, errors as one line on stderr, exit codes.

Small exit codes belong to verdicts (0 fine, 1 a gate failed, 3 inconclusive) and to wrong usage or
input (2). Faults that are neither have the codes of sysexits.h, so that no script mistakes a full
disk or a bug for a regression.
"""

import os
import select
import signal
import socket
import sys
import textwrap
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import StringIO
from types import FrameType
from typing import IO, Any

import click
from click.exceptions import Exit

from errbar import __version__
from errbar.base.files import remove_unfinished
from errbar.base.tables import printable
from errbar.errors import ErrbarError, InternalError, NotEnoughMemory

USAGE = 2
INTERNAL, NO_MEMORY, NO_OUTPUT = 70, 71, 74  # EX_SOFTWARE, EX_OSERR and EX_IOERR
# The exit codes that a shell gives to a process ended by a signal: 128 plus its number. A closed
# pipe is no success, because the output was incomplete; `errbar score logs | head` ignores it.
PIPE_CLOSED = 141
_ENDED_BY = {
    "SIGINT": "Interrupted.",
    "SIGTERM": "Terminated.",
    "SIGHUP": "Hung up.",
    "SIGALRM": "Time limit reached.",
}
_USUAL_WIDTH = 80  # of a terminal that does not say its own
_SILENT, _BETWEEN = 1.0, 0.2  # seconds before the first line, and between lines
# DuckDB stops within a second or never: 2.0 hung in 7 of 41 trials when interrupted while writing.
_PATIENCE = 2.0


class Work:
    """A command at work, and the engine that it uses."""

    most_seconds = 24 * 3600.0  # a day; a score of 100,000,000 rows takes less than a minute

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
        return f"{seconds}, {share:.0f}%" if share >= 0 else seconds


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
        if work.ended_by:  # the engine reports it as an error
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
    wait = _SILENT if work.on_terminal else work.most_seconds
    ready: list[socket.socket] = []
    while done not in ready:
        left = _PATIENCE if work.ended_by else work.began + work.most_seconds - time.monotonic()
        ready, _, _ = select.select([signals, done], [], [], max(min(wait, left), 0.0))
        if signals in ready and (number := _ending_signal(signals.recv(4096))):
            work.interrupt(number)
            wait = _PATIENCE
        elif not ready and work.ended_by:
            _end_at_once(line, work.ended_by)
        elif not ready and left <= wait:
            work.interrupt(signal.SIGALRM)
        elif not ready:
            line = _overwrite_line(work.line(), line)
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
        _overwrite_line("", line)
        _overwrite_line("", "")


def _overwrite_line(line: str, last: str) -> str:
    """Overwrite the last line on the terminal, cut to its width, and return the new one."""
    width = os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
    line = line[1 - width :]  # the end of the line changes
    sys.stderr.write(f"\r{line:<{len(last)}}")
    sys.stderr.flush()
    return line


class Terminated(BaseException):
    """A signal asked the process to end; temporary files are removed on the way out.

    Ctrl-C raises it too: Python remembers a KeyboardInterrupt in code that is made from text, such
    as that of a dataclass while its module is imported, and then ends by the signal in spite of an
    exit code.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def say_ended(number: int) -> int:
    """Print the line for a command that a signal ended, and return its exit code."""
    with suppress(OSError):  # the terminal may be gone
        click.echo(_ENDED_BY[signal.Signals(number).name], err=True)
    return 128 + number


@contextmanager
def ended_early() -> Iterator[None]:
    """Exit with one line after a signal, and silently if the reader of a pipe has gone."""
    try:
        with _signals_raised():
            yield
    except KeyboardInterrupt:  # raised by a handler that is not errbar's
        raise Exit(say_ended(signal.SIGINT)) from None
    except Terminated as ended:
        remove_unfinished()
        raise Exit(say_ended(ended.number)) from None
    except BrokenPipeError:
        if not _pipe_is_closed():
            raise
        _discard_output()
        raise Exit(PIPE_CLOSED) from None


@contextmanager
def _signals_raised() -> Iterator[None]:
    """Turn signals that would end the process at once into an exception, unless ignored."""
    replaced = {}
    for name in _ENDED_BY:
        number = getattr(signal, name, None)
        usual = (signal.SIG_DFL, signal.default_int_handler)
        if number is not None and signal.getsignal(number) in usual:
            with suppress(ValueError):  # not in the main thread
                replaced[number] = signal.signal(number, _raise_terminated)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def _raise_terminated(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)  # a second signal must not stop the removal of files
    raise Terminated(number)


def _pipe_is_closed() -> bool:
    """Whether stdout is closed, rather than the socket of an engine."""
    stdout = select.poll()
    stdout.register(sys.stdout.fileno(), 0)
    return bool(stdout.poll(0))


def _discard_output() -> None:
    """Send what is left of the output nowhere, or Python complains when it exits."""
    with suppress(OSError, ValueError):  # a test may replace stdout by what has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Refusal(click.ClickException):
    """An error: one line on stderr, and the exit code of its kind."""

    def __init__(self, message: str, exit_code: int) -> None:
        super().__init__(printable(" ".join(message.split())))
        vars(self)["exit_code"] = exit_code  # of the class in click

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the message; a terminal gets whole words on every line."""
        out = file or sys.stderr
        text = f"Error: {self.format_message()}"
        if out.isatty():
            width = min(os.get_terminal_size(out.fileno()).columns or _USUAL_WIDTH, _USUAL_WIDTH)
            text = textwrap.fill(text, width, subsequent_indent=" " * 7, break_on_hyphens=False)
        _print_error(f"{text}\n", out)


class _Misuse(click.UsageError):
    """A wrong use of the command, shown as click shows it, but for the colour."""

    def __init__(self, error: click.UsageError) -> None:
        super().__init__(error.message, error.ctx)
        self.error = error

    def show(self, file: IO[Any] | None = None) -> None:
        """Print the usage and the message."""
        text = StringIO()
        self.error.show(text)
        _print_error(text.getvalue(), file or sys.stderr)


def _print_error(text: str, out: IO[Any]) -> None:
    """Print a message; the word "Error" is red on a terminal."""
    before, word, after = text.partition("Error:")
    if (
        word
        and out.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    ):
        word = click.style(word, fg="red", bold=True)
    click.echo(f"{before}{word}{after}", file=out, nl=False)


@contextmanager
def one_line_errors(context: click.Context | None) -> Iterator[None]:
    """Turn every error into one line on stderr, after its traceback with --debug."""
    try:
        yield
    except click.UsageError as error:
        raise _Misuse(error) from error
    except (click.ClickException, click.Abort, Exit):
        raise
    except Exception as error:
        if context is not None and context.params.get("debug"):
            traceback.print_exception(error)
        raise _Refusal(*_in_words(error)) from error


def _in_words(error: Exception) -> tuple[str, int]:
    """Message and exit code of an error."""
    if isinstance(error, NotEnoughMemory):
        return f"there is not enough memory: {error}", NO_MEMORY
    if isinstance(error, ErrbarError):
        return str(error), INTERNAL if isinstance(error, InternalError) else USAGE
    if isinstance(error, MemoryError):
        return "there is not enough memory.", NO_MEMORY
    if isinstance(error, OSError):
        _discard_output()
        where = f"{error.filename}: " if error.filename else "the output cannot be written: "
        return f"{where}{error.strerror or error}.", NO_OUTPUT
    return (
        f"this is a bug in errbar {__version__}, not in your data: {type(error).__name__}: "
        f"{error}. Please report it with the command and what errbar --debug prints for it.",
        INTERNAL,
    )
