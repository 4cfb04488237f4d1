"""The command on simulated terminals, in this process or in another."""

import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path
from typing import Any
from unittest.mock import patch

import errbar
from errbar.cli import main

HOME = str(Path(errbar.__file__).parents[1])
STYLES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Screen:
    """A terminal of some width, and everything that was written to it."""

    columns: int = 100
    written: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        inside, self.outside = pty.openpty()
        ioctl(self.outside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, self.columns, 0, 0))
        self._reader = threading.Thread(target=self._read, args=(inside,), daemon=True)
        self._reader.start()

    def _read(self, inside: int) -> None:
        """Read to the end; only then is the descriptor free for another terminal."""
        while True:
            try:
                some = os.read(inside, 1 << 16)
            except OSError:  # the last process that could write has gone
                break
            self.written += some
        os.close(inside)

    def text(self) -> str:
        """Everything that was written, after the last writer has closed it."""
        os.close(self.outside)
        self._reader.join(timeout=60)
        text = self.written.decode().replace("\r\n", "\n")
        assert not self._reader.is_alive(), f"a process still holds the terminal, after: {text!r}"
        return text


def start(
    arguments: Sequence[str], environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """Start `python -m errbar`, by default with its output in pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "errbar", *arguments],
        env={**_surroundings(environment or {}), "PYTHONPATH": HOME},
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def _surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables of the environment, without those by which a user turns colours on or off."""
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    return {**plain, "TERM": "xterm-256color", **environment}


def shown(*arguments: str, columns: int = 100, **environment: str) -> str:
    """What a terminal shows after the command, with styles."""
    screen, said, code = Screen(columns), io.StringIO(), None
    with (
        patch.dict(os.environ, _surroundings(environment), clear=True),
        _stdout_at(screen.outside),
        redirect_stderr(said),
    ):
        try:
            main(list(arguments))
        except SystemExit as ended:
            code = ended.code
    text = screen.text()
    assert (code, said.getvalue()) == (0, "")
    return text


@contextmanager
def _stdout_at(descriptor: int) -> Iterator[None]:
    """Redirect standard output to a descriptor, so that its terminal gives the width."""
    before = os.dup(1)
    try:
        os.dup2(descriptor, 1)
        with open(1, "w", encoding="utf-8", closefd=False) as out, redirect_stdout(out):
            yield
    finally:
        os.dup2(before, 1)
        os.close(before)


def shown_by_a_process(*arguments: str, columns: int = 100, **environment: str) -> str:
    """What `python -m errbar` shows."""
    screen = Screen(columns)
    process = start(arguments, environment, stdout=screen.outside)
    _, said = process.communicate(timeout=60)
    text = screen.text()
    assert (process.returncode, said) == (0, "")
    return text


def plain(text: str) -> str:
    """Text without styles."""
    return STYLES.sub("", text)
