"""Text that is not UTF-8: UTF-16 with its byte order mark, and that of Windows.

Windows writes both: PowerShell redirects output as UTF-16, and Python opens files in the code page
of the system unless told otherwise. Nothing in a file tells its code page; Windows-1252, which
covers Western languages, is a guess, and is said to be one.
"""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from pathlib import Path
from typing import NamedTuple

UTF16, WINDOWS = "UTF-16", "Windows-1252"
MARKS_OF_UTF16 = (BOM_UTF16_LE, BOM_UTF16_BE)
_STEP = 1 << 20


class DecodedText(NamedTuple):
    """The text of a file, and the encoding that it has."""

    text: str
    encoding: str


def decode(raw: bytes) -> DecodedText | None:
    """The text in bytes that are not UTF-8; None if they are of another encoding, or damaged.

    Examples
    --------
    >>> decode("é".encode("cp1252")), decode("é".encode("utf-16"))
    (DecodedText(text='é', encoding='Windows-1252'), DecodedText(text='é', encoding='UTF-16'))
    >>> decode("é,".encode("utf-16-le")), decode("é".encode() + b"\\xff")
    (None, None)
    """
    encoding = UTF16 if raw.startswith(MARKS_OF_UTF16) else WINDOWS
    if encoding == WINDOWS and (b"\0" in raw or not raw.decode(errors="ignore").isascii()):
        return None  # perhaps UTF-16 without its mark, or damaged UTF-8
    try:
        return DecodedText(raw.decode("utf-16" if encoding == UTF16 else "cp1252"), encoding)
    except UnicodeDecodeError:
        return None


def is_utf8(raw: bytes) -> bool:
    """Whether bytes are UTF-8."""
    try:
        return raw.isascii() or raw.decode() is not None
    except UnicodeDecodeError:
        return False


def is_utf8_file(path: Path) -> bool:
    """Whether a file is UTF-8, or cannot be read, which raises an error later."""
    decoder = getincrementaldecoder("utf-8")()
    try:
        with open(path, "rb", buffering=0) as file:
            while part := file.read(_STEP):
                if decoder.getstate()[0] or not part.isascii():  # ASCII takes a tenth of the time
                    decoder.decode(part)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    except OSError:
        return True
    return True
