"""Lines of text files that may be compressed, each an error of ours if it cannot be read."""

import gzip
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from errbar.data.engine import literal_path, own_engine
from errbar.errors import InputError, NotThere

LONGEST_LINE = 1 << 24  # bytes; with a longer one DuckDB reads a file by one thread alone


def first_line(file: Path) -> str:
    """The first line that is not blank."""
    return next(line for line in text_lines(file) if line.strip())


def header_of(file: Path, above: int = 0) -> str:
    """The first line below those `above`, and what a quotation mark carries it on to."""
    head = ""
    for line in islice(text_lines(file), above, None):
        head += line
        if head.count('"') % 2 == 0 or len(head) > LONGEST_LINE:
            break
    return head


def text_lines(file: Path) -> Iterator[str]:
    """Lines of a text file; one at least that is not blank."""
    blank = True
    for at, raw in enumerate(raw_lines(file), start=1):
        if b"\0" in raw:
            raise InputError(f"{file} is not text in UTF-8.")
        try:
            line = raw.decode().removeprefix("\ufeff")  # thrice as fast as by utf-8-sig
        except UnicodeDecodeError as error:
            raise InputError(f"{file}, line {at}: it is not text in UTF-8.") from error
        blank = blank and not line.strip()
        yield line
    if blank:
        raise NotThere(f"{file} is empty.")


def begins_as_array(file: Path) -> bool:
    """Whether a file that is not compressed begins as a JSON array, which may be all of it."""
    if file.suffix.lower() in (".gz", ".zst"):
        return False
    try:
        with open(file, "rb", buffering=0) as begin:
            return begin.read(1024).removeprefix(BOM_UTF8).lstrip().startswith(b"[")
    except OSError:
        return False


def raw_text(file: Path) -> bytes:
    """All of a file; lines are not looked for, which takes long where there is only one."""
    if file.suffix.lower() in (".gz", ".zst"):
        return b"".join(raw_lines(file))
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error}.") from error


def raw_lines(file: Path) -> Iterator[bytes]:
    """Lines as bytes."""
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
    """By the engine: Python reads no zstd before 3.14."""
    lines = own_engine().execute(
        "SELECT line FROM read_csv(?, header=false, auto_detect=false, sep='\x1f', quote='', "
        "columns={'line': 'VARCHAR'}, max_line_size=?)",
        [literal_path(file), LONGEST_LINE],
    )
    while some := lines.fetchmany(1000):
        for (line,) in some:
            yield f"{line}\n".encode()
