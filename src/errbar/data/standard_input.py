"""What comes by standard input, as a file that lasts as long as the process."""

import atexit
import shutil
import sys
import tempfile
from pathlib import Path

from errbar.errors import InputError

_PARQUET, _ZIP, _ARROW = b"PAR1", b"PK\x03\x04", b"ARROW1"


def standard_input() -> Path:
    """A file with all that comes, whose ending says what it holds."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("-: nothing comes by standard input; pipe a file into it, or give a path.")
    content = sys.stdin.buffer.read()
    folder = Path(tempfile.mkdtemp(prefix="errbar-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = folder / f"stdin{_ending(content)}"
    file.write_bytes(content)
    return file


def _ending(content: bytes) -> str:
    if content.startswith(b"\x1f\x8b"):
        raise InputError("-: what comes is compressed; unpack it first, as with gunzip -c.")
    for start, ending in ((_PARQUET, ".parquet"), (_ZIP, ".xlsx"), (_ARROW, ".arrow")):
        if content.startswith(start):
            return ending
    text = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    return ".json" if text.startswith((b"{", b"[")) else ".csv"
