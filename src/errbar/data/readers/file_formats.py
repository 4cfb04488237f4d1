"""The kind of a file, by its suffix, and text that is not UTF-8.

Windows writes text that is not: PowerShell redirects output as UTF-16, with a byte order mark, and
Python opens files in the code page of the system unless told otherwise. Nothing in a file tells its
code page; Windows-1252, which covers Western languages, is a guess, and is said to be one.
"""

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, getincrementaldecoder
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path, PurePath
from typing import NamedTuple

from errbar.base.files import without_wrapping

CSV, JSON, PARQUET, ARROW, EXCEL, ARRAY = "CSV", "JSON", "Parquet", "Arrow", "Excel", "NumPy"
YAML, SQLITE, JUNIT, MARKDOWN = "YAML", "SQLite", "JUnit", "Markdown"
_SELDOM = (YAML, SQLITE, JUNIT, MARKDOWN)  # more often settings, caches and pages than outcomes
_KINDS = {
    ".csv": CSV,
    ".tsv": CSV,
    ".jsonl": JSON,
    ".ndjson": JSON,
    ".json": JSON,
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".arrow": ARROW,
    ".feather": ARROW,
    ".ipc": ARROW,
    ".xlsx": EXCEL,
    ".npy": ARRAY,
    ".npz": ARRAY,
    ".yaml": YAML,
    ".yml": YAML,
    ".sqlite": SQLITE,
    ".sqlite3": SQLITE,
    ".db": SQLITE,
    ".xml": JUNIT,
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
}
ENDINGS = tuple(_KINDS)
COMPRESSED = (".gz", ".zst")
_PICKLED = (".pkl", ".pickle", ".joblib", ".pt", ".pth")
_PACKED = (".bz2", ".xz", ".lzma", ".7z", ".tar", ".tgz", ".lz4", ".br")


def kind_of(file: PurePath) -> str | None:
    """Kind of a file, by its suffix."""
    name = file.name
    kind = _KINDS.get(name[name.rfind(".") :])
    if kind is not None and name[0] != ".":
        return kind
    _, point, suffixes = name.lstrip(".").partition(".")
    return _kind_of_suffixes(suffixes) if point else None


def is_lines_by_name(file: PurePath) -> bool:
    """Whether a suffix is that of a JSON-lines file."""
    name = f"{file.name.lower()}."
    return ".jsonl." in name or ".ndjson." in name


@lru_cache(maxsize=1024)  # thousands of files have the same suffix
def _kind_of_suffixes(suffixes: str) -> str | None:
    return _KINDS.get(os.path.splitext(without_wrapping(f"_.{suffixes}"))[1].lower())


def why_not_read(file: Path) -> str:
    """Why a file that is not a log of a harness is not read as a table either."""
    if file.suffix.lower() in _PICKLED:
        return "a pickle can run any code when it is opened; save the data as Parquet or CSV"
    if file.suffix.lower() == ".zip":
        return "a zip archive; pass its path to read the files in it"
    packed = [suffix for suffix in file.suffixes[-2:] if suffix.lower() in _PACKED]
    if packed:
        return f"errbar does not unpack {packed[0]}; unpack it first (.gz and .zst are read)"
    return f"neither a log of a known harness nor a table; tables end in {', '.join(ENDINGS)}"


def seldom_tables(files: Sequence[Path], named: Collection[Path]) -> list[Path]:
    """Files of kinds that seldom are tables, next to others, unless they are named."""
    found = [file for file in files if kind_of(file) in _SELDOM]
    return [file for file in found if file not in named] if len(found) < len(files) else []


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
