"""Files below a path: finding them, their kind by suffix, their content as bytes and lines.

Compressed files are decompressed within size limits; standard input becomes a temporary file.
"""

import gzip
import io
import os
import sys
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path, PurePath

from errbar.base.files import directory_until_exit
from errbar.data.engines.duckdb import literal_path, own_engine
from errbar.data.readers.folders import ResolvedFolders, resolved_folders, resolved_once
from errbar.errors import InputError, NotThere

Paths = str | Path | Sequence[str | Path]

CSV, JSON, PARQUET, ARROW, EXCEL, ARRAY = "CSV", "JSON", "Parquet", "Arrow", "Excel", "NumPy"
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
}
COMPRESSED = (".gz", ".zst")
_PICKLED = (".pkl", ".pickle", ".joblib", ".pt", ".pth")
_PACKED = (".bz2", ".xz", ".lzma", ".zip", ".7z", ".tar", ".tgz", ".lz4", ".br")
_LARGEST = 1 << 32  # bytes of a document
_MOST_PACKED = 1000  # largest compression ratio
_STEP = 1 << 20
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # which only Windows has
_BATCH = 1 << 17  # bytes of lines that are parsed together: twice as fast as one by one


def find_files(paths: Paths) -> list[Path]:
    """Expand paths, patterns and directories into files, in order; hidden files are left out."""
    return find_all_files(paths)[0]


def find_all_files(paths: Paths) -> tuple[list[Path], dict[Path, str]]:
    """Files of paths, patterns and directories; and what is there but not read, with the reasons.

    Files of operating systems and tools (.git, .DS_Store, ._results.csv) are left out.
    """
    each = [paths] if isinstance(paths, str | Path) else paths
    real = resolved_folders()
    unread: dict[Path, str] = {}
    every = [found for path in each for found in _files_of(path, real, unread)]
    kept = dict(reversed(every))
    if len(kept) < len(every):  # a file that is given twice by one path is no link
        again = {file: kept[place] for place, file in every if file != kept[place]}
        unread |= {link: f"the same file as {file}, by a link" for link, file in again.items()}
    reasons = sorted(unread.items())
    named = {file: reason for file, reason in reasons if file.name[0] != "." or kind_of(file)}
    return list(reversed(kept.values())), named


def _files_of(
    path: str | Path, real: ResolvedFolders, unread: dict[Path, str]
) -> list[tuple[str, Path]]:
    """Files of a path or pattern, each with its path after links are resolved."""
    text = os.path.expanduser(path)
    if not text:
        raise InputError("a path is empty; for the current directory write '.'.")
    place = Path(text)
    try:
        place.stat()
    except FileNotFoundError:
        pass  # perhaps a pattern
    except (OSError, ValueError) as error:  # too long, not permitted, a null byte
        raise InputError(f"{text} cannot be read: {getattr(error, 'strerror', error)}.") from error
    if place.is_dir():
        return real.files_under(place, unread)
    if place.is_file():
        return [(real.real_path(place), place)]
    if any(letter in text for letter in "*?["):
        anchor = Path(place.anchor) if place.is_absolute() else Path()
        pattern = str(place.relative_to(anchor)) if place.is_absolute() else text
        found = [
            file
            for path in sorted(anchor.glob(pattern))
            for file in (
                real.files_under(path, unread) if path.is_dir() else [(real.real_path(path), path)]
            )
        ]
        if found:
            return found
        raise InputError(f"{text}: no file matches this pattern.")
    raise InputError(f"{text}: there is no such file or directory.")


def kind_of(file: PurePath) -> str | None:
    """Kind of a file, by its suffix."""
    _, point, suffixes = file.name.lstrip(".").partition(".")
    return _kind_of_suffixes(suffixes) if point else None


def is_lines_by_name(file: PurePath) -> bool:
    """Whether a suffix is that of a JSON-lines file."""
    name = f"{file.name.lower()}."
    return ".jsonl." in name or ".ndjson." in name


@lru_cache(maxsize=1024)  # thousands of files have the same suffix
def _kind_of_suffixes(suffixes: str) -> str | None:
    parts = suffixes.lower().split(".")
    while parts and f".{parts[-1]}" in COMPRESSED:
        parts.pop()
    return _KINDS.get(f".{parts[-1]}") if parts else None


def why_not_read(file: Path) -> str:
    """Why a file that is not a log of a harness is not read as a table either."""
    if file.suffix.lower() in _PICKLED:
        return "a pickle can run any code when it is opened; save the data as Parquet or CSV"
    packed = [suffix for suffix in file.suffixes[-2:] if suffix.lower() in _PACKED]
    if packed:
        return f"errbar does not unpack {packed[0]}; unpack it first (.gz and .zst are read)"
    return f"neither a log of a known harness nor a table; tables end in {', '.join(_KINDS)}"


class _SmallFiles(dict[Path, bytes]):
    """Contents of files that were read whole: opening 100,000 small files twice is slow."""

    left = 1 << 28  # bytes that may still be kept


_KEPT: ContextVar[_SmallFiles | None] = ContextVar("small_files", default=None)


@contextmanager
def opened_once() -> Iterator[None]:
    """Keep small files between being recognised and being read, and folders that are resolved."""
    token = _KEPT.set(_SmallFiles())
    try:
        with resolved_once():
            yield
    finally:
        _KEPT.reset(token)


def whole_file(path: Path) -> bytes | None:
    """The content of a small file that was read already."""
    kept = _KEPT.get()
    return None if kept is None else kept.get(path)


def size_of(path: Path) -> int:
    """Bytes of a file, compressed if it is; 0 if it is not there."""
    small = whole_file(path)
    if small is not None:
        return len(small)
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def is_single_line(path: Path) -> bool:
    """Whether a file that was read already has a single line."""
    small = whole_file(path)
    return small is not None and small.find(b"\n", 0, len(small) - 1) < 0


def head_of(path: Path, most: int) -> bytes:
    """The first bytes of a file, decompressed."""
    kept = _KEPT.get()
    if kept is not None and (whole := kept.get(path)) is not None:
        return whole
    try:
        if path.name.endswith(".gz") and path.suffix:
            with gzip.open(path, "rb") as packed:
                return packed.read(most)
        head, is_whole = _first_bytes(path, most)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if kept is not None and is_whole and len(head) < kept.left:
        kept[path] = head
        kept.left -= len(head)
    return head


def _first_bytes(path: Path, most: int) -> tuple[bytes, bool]:
    """The first bytes of a file, and whether they are all; os.open takes half the time of open."""
    file = os.open(path, _READ)
    try:
        head = os.read(file, most)
        # a pipe may give less than it has, and has no size
        return head, 0 < len(head) < most and os.fstat(file).st_size == len(head)
    finally:
        os.close(file)


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
            if path.name.endswith(".gz"):
                most = min(_LARGEST, max(_STEP, size * _MOST_PACKED))
                with gzip.open(file, "rb") as packed:
                    raw = _unpacked(packed, most)
            else:
                raw = file.readall() if size <= most else b""
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if max(size, len(raw)) > most:
        raise InputError(f"{path}: a JSON document of more than {most:,} bytes is too large.")
    return raw


def _unpacked(packed: gzip.GzipFile, most: int) -> bytes:
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


def begins_as_array(file: Path) -> bool:
    """Whether an uncompressed file starts with a JSON array."""
    return _begin_of(file).startswith(b"[")


def begins_as_document(file: Path) -> bool:
    """Whether an uncompressed file starts with a JSON array or object."""
    return _begin_of(file).startswith((b"[", b"{"))


def _begin_of(file: Path) -> bytes:
    """The first bytes of an uncompressed file that are not blank; empty if it cannot be read."""
    if _is_compressed(file):
        return b""
    begin = whole_file(file)
    try:
        if begin is None:
            with open(file, "rb", buffering=0) as content:
                begin = content.read(1024)
    except OSError:
        return b""
    return begin[:1024].removeprefix(BOM_UTF8).lstrip()


def _is_compressed(file: Path) -> bool:
    return file.name.lower().endswith(COMPRESSED)


def begins_with_mark(file: Path) -> bool:
    """Whether a file starts with the byte order mark of UTF-8, as Windows writes it."""
    return next(raw_lines(file), b"").startswith(BOM_UTF8)


def raw_text(file: Path) -> bytes:
    """Whole content of a file, without splitting lines, which is slow if there is only one."""
    if _is_compressed(file):
        return b"".join(raw_lines(file))
    small = whole_file(file)
    try:
        return file.read_bytes() if small is None else small
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error}.") from error


def raw_lines(file: Path) -> Iterator[bytes]:
    """Lines as bytes."""
    if not _is_compressed(file):
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
