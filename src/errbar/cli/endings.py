"""Ends that come early, as exit codes: Ctrl-C, and a reader that has left."""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click
from click.exceptions import Exit

# What a shell makes of a process that a signal ended: 128 and the number of the signal. A reader
# that left got less than all, so it is no success; in `errbar score logs | head` nobody minds.
INTERRUPTED, READER_LEFT = 130, 141


@contextmanager
def ended_early() -> Iterator[None]:
    """One line for Ctrl-C, silence for a reader that has left."""
    try:
        yield
    except KeyboardInterrupt:
        say_interrupted()
        raise Exit(INTERRUPTED) from None
    except BrokenPipeError:
        if not _reader_left():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python complains later
        raise Exit(READER_LEFT) from None


def say_interrupted() -> None:
    """The one line."""
    click.echo("Interrupted.", err=True)


def _reader_left() -> bool:
    """Whether it is stdout that is broken, and not a socket to some engine."""
    stdout = select.poll()
    stdout.register(sys.stdout.fileno(), 0)
    return bool(stdout.poll(0))
