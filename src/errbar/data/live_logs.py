"""Read logs that are still being written: readers see complete lines only.

A file that ends in an incomplete line is copied without that line, together with the files next to
it, into a temporary directory with the same structure. A file that ends in a complete line is read
in place; a check afterwards detects whether it was written to in the meantime.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from errbar.base.files import temporary_directory
from errbar.data.readers.documents import parse
from errbar.data.readers.finding import find_files
from errbar.errors import ErrbarError, InputError, NotThere

_OBJECTS, _ROWS = (".jsonl", ".ndjson"), (".csv", ".tsv")
_STEP = 1 << 16


class WholeLines(NamedTuple):
    """Paths to read, the directory of the copies if there are any, and remarks."""

    paths: list[str]
    place: str = ""
    remarks: tuple[str, ...] = ()

    def with_own_paths(self, text: str) -> str:
        """A message with the user's paths in place of those of the copies."""
        return text.replace(self.place, "") if self.place else text


class ChangedWhileRead(Exception):
    """Files changed while they were read, so the result must be discarded."""


@contextmanager
def whole_lines(paths: Sequence[str]) -> Iterator[WholeLines]:
    """The paths themselves if all files end in complete lines, else copies that do."""
    before = _marks(paths)
    ends = [_ends(file) for path in paths for file in _files(path)]
    if any(whole < size for whole, size in ends) or not any(size for _, size in ends):
        with copied_lines(paths) as copies:
            yield copies
        return
    try:
        yield WholeLines(list(paths))
    except ErrbarError as error:
        if _marks(paths) != before:
            raise ChangedWhileRead from error
        raise
    if _marks(paths) != before:
        raise ChangedWhileRead


@contextmanager
def copied_lines(paths: Sequence[str]) -> Iterator[WholeLines]:
    """Copy the files, each cut after its last complete line."""
    found = {path: _files(path) for path in paths}
    files = dict.fromkeys(file for each in found.values() for file in each)
    with temporary_directory() as place:
        ends = {file: _copy(file, _path_of_copy(place, file)) for file in files}
        if not any(whole for whole, _ in ends.values()):
            raise NotThere(f"{paths[0]}: there is no complete line yet.")
        read = [
            str(_path_of_copy(place, Path(file_name)))
            for path, each in found.items()
            for file_name in ([path] if Path(path).exists() else each)
        ]
        halves = (file for file, (whole, size) in ends.items() if whole < size)
        remarks = (f"The last line of {file} is incomplete and was left out." for file in halves)
        yield WholeLines(read, str(place), tuple(remarks))


def sizes_of(paths: Sequence[str]) -> dict[Path, int]:
    """Current size of each file, to detect whether a log is growing."""
    return {file: file.stat().st_size for path in paths for file in _files(path)}


def _marks(paths: Sequence[str]) -> dict[Path, tuple[int, int, int]]:
    """Fingerprints of the files (inode, size, time), which change when a file does."""
    files = (file for path in paths for file in _files(path) if _has_lines(file))
    known = ((file, file.stat()) for file in files)
    return {file: (stat.st_ino, stat.st_size, stat.st_mtime_ns) for file, stat in known}


def _files(path: str) -> list[Path]:
    try:
        return find_files(path)
    except InputError as error:
        raise NotThere(str(error)) from error


def _has_lines(file: Path) -> bool:
    return file.suffix.lower() in (*_OBJECTS, *_ROWS)


def _ends(file: Path) -> tuple[int, int]:
    """End of the last complete line of a file, and end of the file.

    A JSON object that parses is complete even without a line break; a row of cells is not.
    """
    if not _has_lines(file):
        size = file.stat().st_size
        return size, size
    rest = b""
    with file.open("rb") as lines:
        at = size = lines.seek(0, os.SEEK_END)
        while at and b"\n" not in rest:
            step = min(_STEP, at)
            at -= step
            lines.seek(at)
            rest = lines.read(step) + rest
    half = rest.rpartition(b"\n")[2]
    is_whole = file.suffix.lower() in _OBJECTS and _is_object(half)
    return (size if is_whole else size - len(half)), size


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(parse(text), dict)
    except (ValueError, RecursionError):
        return not text.strip()


def _copy(file: Path, target: Path) -> tuple[int, int]:
    """Copy a file up to its last complete line; return the ends of that line and of the file.

    Both are taken from the copy, since the file itself may have grown.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    whole, size = _ends(target)
    os.truncate(target, whole)
    return whole, size


def _path_of_copy(place: Path, file: Path) -> Path:
    """Path of the copy of a file; a link keeps its own name."""
    return place.joinpath(*Path(os.path.abspath(file)).parts[1:])
