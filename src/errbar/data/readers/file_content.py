"""Content of files as bytes and lines.

Compressed files are decompressed within size limits; standard input becomes a temporary file.
"""

import gzip
import io
import os
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from errbar.base.files import directory_until_exit
from errbar.base.remarks import Above, some_of, warning
from errbar.data.engines.duckdb import literal_path, own_engine
from errbar.data.readers.file_formats import WINDOWS
from errbar.data.readers.finding import encoding_of, is_compressed, whole_file
from errbar.errors import InputError, NotThere

_LARGEST = 1 << 32  # bytes of a document
_MOST_PACKED = 1000  # largest compression ratio
_STEP = 1 << 20
_BATCH = 1 << 17  # bytes of lines that are parsed together: twice as fast as one by one


def bytes_of(path: Path) -> bytes:
    """The content of a file, decompressed, within the size limits."""
    small = whole_file(path)
    if small is not None:
        return small
    most = _LARGEST
    try:
        # buffering takes a third of the time for a small file
        with open(path, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            if path.suffix.lower() == ".gz":
                most = min(_LARGEST, max(_STEP, size * _MOST_PACKED))
                with gzip.open(file, "rb") as packed:
                    raw = _decompress(packed, most)
            else:
                raw = file.readall() if size <= most else b""
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    _require_size(path, max(size, len(raw)), most)
    return raw


def _require_size(path: Path, size: int, most: int) -> None:
    if size > most:
        raise InputError(f"{path}: a document of more than {most:,} bytes is too large.")


def _decompress(packed: gzip.GzipFile, most: int) -> bytes:
    """Decompress data, stopping a little after `most` bytes."""
    parts, size = [], 0
    while size <= most and (part := packed.read(_STEP)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def batches_of_lines(path: Path) -> Iterator[bytes]:
    """The content of a file in pieces of whole lines, some of them at a time."""
    small = whole_file(path)
    if small is not None:
        yield small
        return
    parts: list[bytes] = []
    try:
        with (
            open(path, "rb", buffering=0) as file,
            gzip.open(file, "rb") if path.suffix == ".gz" else nullcontext(file) as content,
        ):
            while part := content.read(_BATCH):
                end = part.rfind(b"\n") + 1
                if end:
                    yield b"".join((*parts, part[:end]))
                    parts.clear()
                parts.append(part[end:])
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if any(parts):
        yield b"".join(parts)


_SAVE = "Save it as UTF-8 (in Excel: CSV UTF-8; in PowerShell: -Encoding utf8), or convert it:"
LONGEST_LINE = 1 << 24  # bytes; with longer lines DuckDB reads a file in a single thread


def text_lines(file: Path) -> Iterator[str]:
    """Lines of a text file, which must have at least one that is not blank."""
    blank = True
    before = 0  # bytes of earlier lines
    for at, raw in enumerate(raw_lines(file), start=1):
        if at == 1 and raw.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise InputError(f"{file} is UTF-16 text. {_SAVE} iconv -f UTF-16 -t UTF-8.")
        if b"\0" in raw:
            place = before + raw.index(b"\0")
            raise InputError(
                f"{file}, line {at}: this is not UTF-8 text (byte {place} is 0), but perhaps "
                f"UTF-16. {_SAVE} iconv -f UTF-16 -t UTF-8."
            )
        try:
            line = raw.decode().removeprefix("\ufeff")  # three times as fast as utf-8-sig
        except UnicodeDecodeError as error:
            place = before + error.start
            raise InputError(
                f"{file}, line {at}: this is not UTF-8 text (byte {place}), but perhaps that of "
                f"Windows. {_SAVE} iconv -f CP1252 -t UTF-8."
            ) from error
        before += len(raw)
        blank = blank and not line.strip()
        yield line
    if blank:
        raise NotThere(f"{file} is empty.")


def require_no_hole(file: Path) -> None:
    """Refuse a large text file with a hole, which is all zeros and would be read for hours."""
    size = file.stat().st_size
    if size <= LONGEST_LINE or not hasattr(os, "SEEK_HOLE"):
        return
    try:
        with open(file, "rb", buffering=0) as content:
            hole = os.lseek(content.fileno(), 0, os.SEEK_HOLE)
    except OSError:  # this file system knows of no holes
        return
    if hole < size:
        raise InputError(
            f"{file}: from byte {hole:,} on nothing was written, so this is not text; the file may "
            f"be damaged. Copy it again."
        )


def begins_as_array(file: Path) -> bool:
    """Whether an uncompressed file starts with a JSON array."""
    return _begin_of(file).startswith(b"[")


def begins_as_document(file: Path) -> bool:
    """Whether an uncompressed file starts with a JSON array or object."""
    return _begin_of(file).startswith((b"[", b"{"))


def _begin_of(file: Path) -> bytes:
    """The first bytes of an uncompressed file that are not blank; empty if it cannot be read."""
    begin = whole_file(file)
    if begin is None and is_compressed(file):
        return b""
    try:
        if begin is None:
            with open(file, "rb", buffering=0) as content:
                begin = content.read(1024)
    except OSError:
        return b""
    return begin[:1024].removeprefix(BOM_UTF8).lstrip()


def is_single_line(path: Path) -> bool:
    """Whether a file that was read already has a single line."""
    small = whole_file(path)
    return small is not None and small.find(b"\n", 0, len(small) - 1) < 0


def begins_with_mark(file: Path) -> bool:
    """Whether a file starts with the byte order mark of UTF-8, as Windows writes it."""
    return next(raw_lines(file), b"").startswith(BOM_UTF8)


def raw_text(file: Path) -> bytes:
    """Whole content of a file, without splitting lines, which is slow if there is only one."""
    small = whole_file(file)
    if small is not None or file.suffix.lower() != ".zst":
        return bytes_of(file) if small is None else small
    parts, size = [], 0
    for line in raw_lines(file):
        size += len(line)
        _require_size(file, size, _LARGEST)
        parts.append(line)
    return b"".join(parts)


def raw_lines(file: Path) -> Iterator[bytes]:
    """Lines as bytes."""
    small = whole_file(file)
    if small is not None:
        yield from io.BytesIO(small)
        return
    suffix = file.suffix.lower()
    if suffix == ".zst":
        yield from _raw_lines_of_zst(file)
        return
    opened = gzip.open if suffix == ".gz" else open
    try:
        with opened(file, "rb") as lines:
            while line := lines.readline(LONGEST_LINE):
                yield line
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{file} cannot be read: {error}.") from error


def _raw_lines_of_zst(file: Path) -> Iterator[bytes]:
    """Lines of a zstd file, read by DuckDB: Python cannot read zstd before 3.14."""
    lines = own_engine().execute(
        "SELECT line FROM read_csv(?, header=false, auto_detect=false, sep='\x1f', quote='', "
        "columns={'line': 'VARCHAR'}, max_line_size=?)",
        [literal_path(file), LONGEST_LINE],
    )
    while some := lines.fetchmany(1000):
        for (line,) in some:
            yield f"{line}\n".encode()


def encoding_remarks(files: Sequence[Path]) -> list[Above]:
    """Warning on files whose encoding was guessed."""
    guessed = [file.name for file in files if encoding_of(file) == WINDOWS]
    if not guessed:
        return []
    return [
        warning(
            f"{some_of(guessed, 3)}: not UTF-8, and read as Windows-1252. If letters look wrong, "
            f"save it as UTF-8."
        )
    ]


_PARQUET, _ZIP, _ARROW = b"PAR1", b"PK\x03\x04", b"ARROW1"


def standard_input() -> Path:
    """Write standard input to a temporary file whose suffix tells its kind."""
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("-: standard input is empty; pipe a file into it, or pass a path.")
    content = sys.stdin.buffer.read()
    file = directory_until_exit() / f"stdin{_ending(content)}"
    file.write_bytes(content)
    return file


def _ending(content: bytes) -> str:
    if content.startswith(b"\x1f\x8b"):
        raise InputError(
            "-: standard input is compressed; decompress it first, for example with gunzip -c."
        )
    for start, ending in ((_PARQUET, ".parquet"), (_ZIP, ".xlsx"), (_ARROW, ".arrow")):
        if content.startswith(start):
            return ending
    text = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    return ".json" if text.startswith((b"{", b"[")) else ".csv"
