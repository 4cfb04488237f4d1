"""Work that may take long: how far it has come, on stderr, and Ctrl-C passed on to the engine.

An engine works without Python for minutes, and Python hears of Ctrl-C only when it comes back. So
a thread watches: the interpreter writes each signal to a socket as it arrives, and the thread stops
the engine. If that is of no use, it ends the process. The same thread shows progress, if stderr is
a terminal and a second has passed.
"""

import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from errbar.cli.endings import INTERRUPTED, say_interrupted
from errbar.data.whole import remove_unfinished
from errbar.tables import printable

_SILENT, _BETWEEN = 1.0, 0.2  # seconds before the first line, and from line to line
# DuckDB stops within a second. Or never: 2.0 hung in 7 of 41 trials when stopped while it wrote.
_PATIENCE = 2.0
_USUAL_WIDTH = 80


class Work:
    """What a command is at, and the engine that does it."""

    def __init__(self, words: str) -> None:
        self.words = printable(words)
        self.began = time.monotonic()
        self.on_terminal = sys.stderr.isatty()
        self.engine: Any = None
        self.interrupted = False

    def connection(self) -> Any:
        """The DuckDB connection that is watched."""
        if self.engine is not None:
            return self.engine
        import duckdb  # noqa: PLC0415  not all work needs it

        engine = duckdb.connect()
        if self.on_terminal:
            engine.execute("SET enable_progress_bar = true")
            engine.execute("SET enable_progress_bar_print = false")
        self.engine = engine
        return engine

    def interrupt(self) -> None:
        """Stop the engine where it is."""
        self.interrupted = True
        if self.engine is not None:
            self.engine.interrupt()

    def line(self) -> str:
        """How far it has come; the engine may know its share of what it is doing now."""
        seconds = f"{self.words}: {time.monotonic() - self.began:.0f} s"
        share = getattr(self.engine, "query_progress", lambda: -1.0)()  # newer DuckDB has it
        return f"{seconds}, {share:.0f} %" if share >= 0 else seconds


@contextmanager
def working(words: str) -> Iterator[Work]:
    """A stretch of work in which Ctrl-C is prompt, and a terminal shows that something happens."""
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
        if work.interrupted:  # which the engine took for an error of its own
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.set_wakeup_fd(before)
        _end(watcher, finish)
        for one in (signals, wake, done):
            one.close()


def _end(watcher: threading.Thread, finish: socket.socket) -> None:
    finish.close()
    watcher.join()


def _watch(work: Work, signals: socket.socket, done: socket.socket) -> None:
    line = ""
    wait = _SILENT if work.on_terminal else None
    ready: list[socket.socket] = []
    while done not in ready:
        ready, _, _ = select.select([signals, done], [], [], wait)
        if signals in ready and signal.SIGINT in signals.recv(4096):
            work.interrupt()
            wait = _PATIENCE
        elif not ready and work.interrupted:
            _end_at_once(line)
        elif not ready:
            line = _shown(work.line(), line)
            wait = _BETWEEN
    _clear(line)


def _end_at_once(line: str) -> None:
    """End a process whose main thread does not come back."""
    _clear(line)
    remove_unfinished()
    say_interrupted()
    os._exit(INTERRUPTED)


def _clear(line: str) -> None:
    if line:
        _shown("", line)
        _shown("", "")


def _shown(line: str, last: str) -> str:
    """The line in the place of the last one, as much of it as fits."""
    width = os.get_terminal_size(sys.stderr.fileno()).columns or _USUAL_WIDTH
    line = line[1 - width :]  # the end is what changes
    sys.stderr.write(f"\r{line:<{len(last)}}")
    sys.stderr.flush()
    return line
