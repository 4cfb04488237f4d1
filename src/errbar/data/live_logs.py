"""Logs that are being written: whatever reads them sees whole lines only.

A file of lines that ends in half a line is copied without it, with the files beside it, to the same
place below a directory that is there for a while. One that ends in a whole line is read where it
is, and a look at it afterwards tells whether that still held while it was read.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from errbar.base.files import directory_for_a_while
from errbar.base.json_text import parse
from errbar.data.files import find_files
from errbar.errors import ErrbarError, InputError, NotThere

_OBJECTS, _ROWS = (".jsonl", ".ndjson"), (".csv", ".tsv")
_STEP = 1 << 16


class WholeLines(NamedTuple):
    """Paths to read, where they were copied to if they were, and what to say of it."""

    paths: list[str]
    place: str = ""
    remarks: tuple[str, ...] = ()

    def told(self, text: str) -> str:
        """A message with the paths that the user knows."""
        return text.replace(self.place, "") if self.place else text


class WrittenMeanwhile(Exception):
    """Files of lines were written to while they were read; whatever was read is worth nothing."""


@contextmanager
def whole_lines(paths: Sequence[str]) -> Iterator[WholeLines]:
    """The same paths while their files end in whole lines, or else copies that do."""
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
            raise WrittenMeanwhile from error
        raise
    if _marks(paths) != before:
        raise WrittenMeanwhile


@contextmanager
def copied_lines(paths: Sequence[str]) -> Iterator[WholeLines]:
    """Copies that nobody writes to, cut after their last whole lines."""
    found = {path: _files(path) for path in paths}
    files = dict.fromkeys(file for each in found.values() for file in each)
    with directory_for_a_while() as place:
        ends = {file: _copied(file, _below(place, file)) for file in files}
        if not any(whole for whole, _ in ends.values()):
            raise NotThere(f"{paths[0]}: there is no whole line yet.")
        read = [
            str(_below(place, Path(file_name)))
            for path, each in found.items()
            for file_name in ([path] if Path(path).exists() else each)
        ]
        halves = (file for file, (whole, size) in ends.items() if whole < size)
        remarks = (f"The last line of {file} is not whole and left out." for file in halves)
        yield WholeLines(read, str(place), tuple(remarks))


def sizes_of(paths: Sequence[str]) -> dict[Path, int]:
    """How large each file is by now; they differ from look to look while a log grows."""
    return {file: file.stat().st_size for path in paths for file in _files(path)}


def _marks(paths: Sequence[str]) -> dict[Path, tuple[int, int, int]]:
    """What differs after a file of lines was written to, or has come or gone."""
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
    """Where the last whole line of a file ends, and where the file does.

    An object that can be read is whole; of a row of cells nobody knows until the line ends.
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


def _copied(file: Path, target: Path) -> tuple[int, int]:
    """Copy a file up to the end of its last whole line; where that is, and where the file ended.

    The copy is looked at, not the file, which may have another end by now.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(file, target)
    whole, size = _ends(target)
    os.truncate(target, whole)
    return whole, size


def _below(place: Path, file: Path) -> Path:
    """Where the copy of a file is; a link keeps its own name."""
    return place.joinpath(*Path(os.path.abspath(file)).parts[1:])
