"""Logs that are being written: whatever reads them sees whole lines only.

A file of lines that ends in half a line is copied without it, with the files beside it, to the same
place below a directory that is there for a while.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from errbar.data.files import find_files
from errbar.data.whole import directory_for_a_while
from errbar.errors import InputError, NotThere

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


@contextmanager
def whole_lines(paths: Sequence[str]) -> Iterator[WholeLines]:
    """The same paths, or others whose files have no half line at their ends."""
    found = {path: _files(path) for path in paths}
    ends = {file: _ends(file) for each in found.values() for file in each}
    if not any(whole for whole, _ in ends.values()):
        raise NotThere(f"{paths[0]}: there is no whole line yet.")
    halves = [file for file, (whole, size) in ends.items() if whole < size]
    if not halves:
        yield WholeLines(list(paths))
        return
    with directory_for_a_while() as place:
        for file, (whole, _) in ends.items():
            _copy(file, _below(place, file), whole)
        read = [
            str(_below(place, Path(one)))
            for path, each in found.items()
            for one in ([path] if Path(path).exists() else each)
        ]
        remarks = (f"The last line of {file} is not whole and left out." for file in halves)
        yield WholeLines(read, str(place), tuple(remarks))


def sizes_of(paths: Sequence[str]) -> dict[Path, int]:
    """How large each file is by now; they differ from look to look while a log grows."""
    return {file: file.stat().st_size for path in paths for file in _files(path)}


def _files(path: str) -> list[Path]:
    try:
        return find_files(path, of_any_kind=True)
    except InputError as error:
        raise NotThere(str(error)) from error


def _ends(file: Path) -> tuple[int, int]:
    """Where the last whole line of a file ends, and where the file does.

    An object that can be read is whole; of a row of cells nobody knows until the line ends.
    """
    suffix = file.suffix.lower()
    if suffix not in (*_OBJECTS, *_ROWS):
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
    return (size if suffix in _OBJECTS and _is_object(half) else size - len(half)), size


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return not text.strip()


def _copy(file: Path, target: Path, size: int) -> None:
    """The beginning of a file."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with file.open("rb") as source, target.open("wb") as copy:
        while size > 0 and (part := source.read(min(_STEP, size))):
            copy.write(part)
            size -= len(part)


def _below(place: Path, file: Path) -> Path:
    return place.joinpath(*file.resolve().parts[1:])
