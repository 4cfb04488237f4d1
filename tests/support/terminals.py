"""The command in a process of its own, on terminals that are not there."""

import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path
from typing import Any

import errbar

HOME = str(Path(errbar.__file__).parents[1])
STYLES = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Screen:
    """A terminal of some width, and all that was ever written to it."""

    columns: int = 100
    written: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self._inside, self.outside = pty.openpty()
        ioctl(self.outside, termios.TIOCSWINSZ, struct.pack("HHHH", 24, self.columns, 0, 0))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                some = os.read(self._inside, 1 << 16)
            except OSError:  # the last process that could write has gone
                return
            self.written += some

    def text(self) -> str:
        """Everything, once nobody writes any more."""
        os.close(self.outside)
        self._reader.join(timeout=20)
        os.close(self._inside)
        return self.written.decode().replace("\r\n", "\n")


def start(
    arguments: Sequence[str], environment: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """`python -m errbar`, with what is written to pipes unless told otherwise."""
    plain = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    return subprocess.Popen(
        [sys.executable, "-m", "errbar", *arguments],
        env={**plain, "PYTHONPATH": HOME, "TERM": "xterm-256color", **(environment or {})},
        text=True,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def shown(*arguments: str, columns: int = 100, **environment: str) -> str:
    """What stands on a terminal after the command, styles and all."""
    screen = Screen(columns)
    process = start(arguments, environment, stdout=screen.outside)
    _, said = process.communicate(timeout=60)
    text = screen.text()
    assert (process.returncode, said) == (0, "")
    return text


def plain(text: str) -> str:
    """Without styles."""
    return STYLES.sub("", text)
