"""How a command ends: exit codes, signals, errors as one line on stderr, and files to write.

Small codes belong to verdicts (0 fine, 1 a gate failed, 3 inconclusive) and to wrong usage or
input (2). Faults that are neither have the codes of sysexits.h, so that no script mistakes a full
disk or a bug for a regression.
"""

import os
import select
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import click
from click.exceptions import Exit

from errbar import __version__
from errbar.base.files import remove_unfinished
from errbar.base.tables import printable
from errbar.errors import ErrbarError, InputError, InternalError

USAGE = 2
INTERNAL, NO_MEMORY, NO_OUTPUT = 70, 71, 74  # EX_SOFTWARE, EX_OSERR and EX_IOERR
# The exit codes that a shell gives to a process ended by a signal: 128 plus its number. A closed
# pipe is no success, because the output was incomplete; `errbar score logs | head` ignores it.
INTERRUPTED, PIPE_CLOSED = 130, 141
_ENDED_BY = {"SIGTERM": "Terminated.", "SIGHUP": "Hung up."}  # Windows has no SIGHUP


class Terminated(BaseException):
    """A signal asked the process to end; temporary files are removed on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def say_ended(number: int) -> int:
    """Print the line for a command that a signal ended, and return its exit code."""
    with suppress(OSError):  # the terminal may be gone
        click.echo(_ENDED_BY.get(signal.Signals(number).name, "Interrupted."), err=True)
    return 128 + number


@contextmanager
def ended_early() -> Iterator[None]:
    """Exit with one line after a signal, and silently if the reader of a pipe has gone."""
    try:
        with _signals_raised():
            yield
    except KeyboardInterrupt:
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
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            with suppress(ValueError):  # not in the main thread
                replaced[number] = signal.signal(number, _terminated)
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)


def _terminated(number: int, _: FrameType | None) -> None:
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


@contextmanager
def one_line_errors(context: click.Context | None) -> Iterator[None]:
    """Turn every error into one line on stderr, after its traceback with --debug."""
    try:
        yield
    except (click.ClickException, click.Abort, Exit):
        raise
    except Exception as error:
        if context is not None and context.params.get("debug"):
            traceback.print_exception(error)
        raise _Refusal(*_in_words(error)) from error


def _in_words(error: Exception) -> tuple[str, int]:
    """Message and exit code of an error."""
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


_OUTPUTS, _FORCE = "errbar.outputs", "errbar.force"


class OutputPath(click.Path):
    """The path of a file that a command writes; `require_writable` checks those of a command."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Keep the path for the check."""
        path = super().convert(value, param, ctx)
        if ctx is not None:
            ctx.meta.setdefault(_OUTPUTS, []).append(path)
        return path


def _set_force(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[_FORCE] = value


FORCE = click.option(
    "--force",
    is_flag=True,
    expose_value=False,
    callback=_set_force,
    help="Replace files that exist already; never one that is read.",
)


def require_writable(inputs: Iterable[str | Path]) -> None:
    """Refuse to write to an input, and, without --force, to a file that is not empty."""
    meta = click.get_current_context().meta
    existing = {path: os.stat(path) for path in meta.get(_OUTPUTS, ()) if os.path.isfile(path)}
    if not existing:
        return
    for read in filter(None, map(_stat, inputs)):
        for path, found in existing.items():
            if os.path.samestat(read, found):
                raise InputError(f"{path} is one of the files that are read; write to another.")
    for path, found in existing.items():
        if found.st_size and not meta.get(_FORCE):
            raise InputError(f"{path} exists already; write to another file, or pass --force.")


def _stat(path: str | Path) -> os.stat_result | None:
    """Status of a file; None for a pattern, and for a path that reading will refuse."""
    try:
        return os.stat(os.path.expanduser(path))
    except (OSError, ValueError):
        return None
