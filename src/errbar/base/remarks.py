"""What is said of the data, and where: a remark that decides a number stands above it.

Most remarks are plain text and stand under a table. A `guess` says how the data were read, with the
option that reads them otherwise; a `warning` is a guess that changes numbers, and is marked. Both
are text, so they travel wherever remarks do, and `above` tells them from the rest.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

MARK = "⚠"

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


class Above(str):
    """A remark that is printed above the numbers that it decides."""

    __slots__ = ()


@contextmanager
def on_command_line() -> Iterator[None]:
    """While it lasts, remarks speak of options instead of arguments."""
    token = _on_command_line.set(True)
    try:
        yield
    finally:
        _on_command_line.reset(token)


def guess(text: str, *, option: str = "", argument: str = "") -> Above:
    """How the data were read, and what reads them otherwise.

    Examples
    --------
    >>> guess("Systems: named after the files", option="--files trials", argument="files='trials'")
    "Systems: named after the files (files='trials' to change)."
    """
    other = way_to_say(option, argument)
    return Above(f"{text}{f' ({other} to change)' if other else ''}.")


def warning(text: str) -> Above:
    """A guess that changes numbers; the text says both readings and how to choose."""
    return Above(f"{MARK} {text}")


def about(subject: str, remark: str) -> str:
    """A remark with what it is about before it; one of its kind still.

    Examples
    --------
    >>> about("gsm8k", warning("a row is lost."))
    '⚠ gsm8k: a row is lost.'
    """
    if not subject:
        return remark
    marked = remark.startswith(MARK)
    text = f"{subject}: {remark.removeprefix(MARK).lstrip()}"
    return warning(text) if marked else type(remark)(text)


def way_to_say(option: str, argument: str) -> str:
    """The option on a command line, the argument elsewhere."""
    return option if _on_command_line.get() else argument


def setting(name: str, value: str) -> str:
    """A setting by the option on a command line, by the argument elsewhere.

    Examples
    --------
    >>> setting("errors", "missing")
    "errors='missing'"
    """
    return way_to_say(f"--{name} {value}", f"{name}={value!r}")


def mapping(meaning: str, column: str = "COLUMN") -> str:
    """How to say which column means something.

    Examples
    --------
    >>> mapping("cluster")
    "cluster='COLUMN'"
    """
    return way_to_say(f"--map {meaning}={column}", f"{meaning}={column!r}")


def mean_in_brackets(of: str, mean: float | None) -> str:
    """What the mean is under a reading, to stand behind it; nothing where there is no mean."""
    return "" if mean is None else f" (mean of all {of} {mean:.4g})"


def above(remarks: Iterable[str]) -> list[str]:
    """Those that stand above the numbers, warnings first."""
    found = [one for one in remarks if isinstance(one, Above)]
    return sorted(dict.fromkeys(found), key=lambda one: not one.startswith(MARK))


def below(remarks: Iterable[str]) -> list[str]:
    """Those that stand under the numbers."""
    return [one for one in remarks if not isinstance(one, Above)]
