"""Files that hold the same as another, which would count their trials twice.

Only files of equal size are looked into, first at both ends and then as a whole; of a file packed
by gzip the size is that of what it holds. Equal content alone does not make a copy: reports of one
question, or the outcomes of two systems, may be the same by right. A file is a copy if it is called
as the other is, a mark of copying aside, and lies in the same folder; if its name or its content
holds a moment or an id that no second run has; or if its folder has nothing that the other lacks.
"""

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from pathlib import Path

from errbar.errors import InputError
from errbar.remarks import Above, warning, way_to_say

_END = 1 << 16  # bytes at either end that are compared before the whole
_STEP = 1 << 20
_MOST_SHOWN = 3

# What file managers, browsers and people add to the name of a copy.
_COPY_MARK = re.compile(
    r"(?:[ _-]*\(\d+\)|[ _-]+(?:copy|kopie|copie|copia|backup|bak)(?:[ _-]*\(?\d*\)?)?)$"
    r"|^(?:copy|kopie|copie|copia|backup)[ _-]+(?:of[ _-]+)?",
    re.I,
)
_PACKED = (".gz", ".zst")
# A time of day to the second that is not midnight, or an id that is drawn at random.
_MOMENT = re.compile(
    rb"20\d\d-[01]\d-[0-3]\d[T _]{1,2}(?!00[:_-]00[:_-]00)[0-2]\d[:_-][0-5]\d[:_-][0-5]\d"
    rb"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    re.I,
)


@dataclass
class Copies:
    """Copies and what they are copies of, and files that are the same but may both count."""

    of: dict[Path, Path] = field(default_factory=dict)
    alike: list[tuple[Path, Path]] = field(default_factory=list)

    def reasons(self) -> dict[Path, str]:
        """Why every copy is not read."""
        return {copy: f"the same content as {first}" for copy, first in self.of.items()}

    def remarks(self) -> list[Above]:
        """What there is to say above the numbers."""
        said = []
        if self.of:
            keep = way_to_say("--repeats keep", "repeats='keep'")
            count = len(self.of)
            what = "1 file has" if count == 1 else f"{count} files have"
            said.append(
                warning(
                    f"{what} the same content as another and {'is' if count == 1 else 'are'} not "
                    f"counted again ({_pairs(self.of.items())}). If they are runs of their own, "
                    f"count them with {keep}."
                )
            )
        if self.alike:
            said.append(
                warning(
                    f"identical content: {_pairs(self.alike)}. Each is counted; if it is a copy, "
                    f"leave it out."
                )
            )
        return said


def copies_of_logs(files: Sequence[Path], every: Sequence[Path]) -> Copies:
    """Copies among logs of a harness; `every` file that was given says what a folder holds."""
    found = Copies()
    contents = _Contents(every)
    for alike in contents.equal(files):
        kept: list[Path] = []
        for file in alike:
            first = next((one for one in kept if contents.is_copy(file, one)), None)
            if first is not None:
                found.of[file] = first
                continue
            other = next((one for one in kept if _plain_name(one) != _plain_name(file)), None)
            if other is not None:
                found.alike.append((file, other))
            kept.append(file)
    return found


def copies_of_tables(files: Sequence[Path]) -> Copies:
    """Copies among tables: by name alone, as two systems may have the same outcomes."""
    found = Copies()
    contents = _Contents(files)
    for alike in contents.equal(files):
        kept: list[Path] = []
        for file in sorted(alike, key=lambda path: (len(path.name), path)):
            first = next((one for one in kept if _is_called_copy(file, one)), None)
            if first is not None:
                found.of[file] = first
                continue
            if kept and _has_records(kept[0]):
                found.alike.append((file, kept[0]))
            kept.append(file)
    return found


class _Contents:
    """Contents of files, worked out when they are first compared."""

    def __init__(self, every: Sequence[Path]) -> None:
        self.every = every
        self.size = cache(_size)
        self.ends = cache(_ends)
        self.digest = cache(_digest)
        self.is_subset = cache(self._is_subset)
        self.identifies = cache(_identifies)

    def equal(self, files: Sequence[Path]) -> Iterator[list[Path]]:
        """Groups of files with the same content."""
        groups = [list(files)]
        steps: tuple[Callable[[Path], object], ...] = (self.size, self.ends, self.digest)
        for step in steps:
            parts: list[list[Path]] = []
            for group in groups:
                by_value: dict[object, list[Path]] = {}
                for file in group:
                    by_value.setdefault(step(file), []).append(file)
                parts += [part for part in by_value.values() if len(part) > 1]
            groups = parts
        yield from (group for group in groups if self.size(group[0]))

    def is_copy(self, file: Path, other: Path) -> bool:
        """Whether one of two files of equal content is a copy of the other."""
        if _is_called_copy(file, other) or self.identifies(other):
            return True
        if _plain_name(file) != _plain_name(other):
            return False
        roots = _roots(file, other)
        return roots is not None and (self.is_subset(*roots) or self.is_subset(*roots[::-1]))

    def _is_subset(self, folder: Path, other: Path) -> bool:
        """Whether all that is in a folder is in the other too."""
        inside = self._inside()
        theirs = inside.get(other, {})
        return all(
            name in theirs
            and self.size(theirs[name]) == self.size(mine)
            and self.digest(theirs[name]) == self.digest(mine)
            for name, mine in inside.get(folder, {}).items()
        )

    def _inside(self) -> Mapping[Path, Mapping[Path, Path]]:
        """The files of every folder, by their place in it."""
        if not hasattr(self, "_folders"):
            self._folders: dict[Path, dict[Path, Path]] = {}
            for file in self.every:
                for folder in file.parents:
                    self._folders.setdefault(folder, {})[file.relative_to(folder)] = file
        return self._folders


def _roots(file: Path, other: Path) -> tuple[Path, Path] | None:
    """The topmost folders that differ, where all below is called the same."""
    first, second = file.parent, other.parent
    while first.name == second.name and first.parent != first and second.parent != second:
        first, second = first.parent, second.parent
    return (first, second) if first != second else None


def _plain_name(file: Path) -> str:
    """The name without marks of copying and packing."""
    name = file.name
    while name.lower().endswith(_PACKED):
        name = name[: name.rindex(".")]
    stem, point, ending = name.rpartition(".")
    if not point:
        stem, ending = name, ""
    return f"{_COPY_MARK.sub('', stem)}{point}{ending}"


def _is_called_copy(file: Path, other: Path) -> bool:
    return file.parent.resolve() == other.parent.resolve() and _plain_name(file) == _plain_name(
        other
    )


def _identifies(file: Path) -> bool:
    """Whether a name or the beginning of a file has a moment or an id of one run."""
    return bool(_MOMENT.search(file.name.encode()) or _MOMENT.search(_ends(file)[0]))


def _has_records(file: Path) -> bool:
    """Whether a table has more than a line: single outcomes are often the same."""
    head = _ends(file)[0]
    return b"\0" in head or max(head.count(b"\n"), head.count(b"{")) > 2


def _size(file: Path) -> int:
    """Bytes of what a file holds; of a file of gzip modulo 2^32, as it says in its last bytes."""
    try:
        if file.suffix.lower() != ".gz":
            return file.stat().st_size
        with file.open("rb") as packed:
            packed.seek(-4, 2)
            return int.from_bytes(packed.read(4), "little")
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error}.") from error


def _ends(file: Path) -> tuple[bytes, bytes]:
    """The first bytes and, of a file that is not packed, the last."""
    try:
        if file.suffix.lower() == ".gz":
            with gzip.open(file, "rb") as packed:
                return packed.read(_END), b""
        with file.open("rb") as whole:
            return whole.read(_END), b""
    except (OSError, EOFError, zlib.error):
        return b"", b""  # what is broken is said where it is read


def _digest(file: Path) -> bytes:
    sum_of = blake2b(digest_size=16)
    try:
        with gzip.open(file, "rb") if file.suffix.lower() == ".gz" else file.open("rb") as whole:
            while part := whole.read(_STEP):
                sum_of.update(part)
    except (OSError, EOFError, zlib.error):
        sum_of.update(str(file).encode())  # equal to no other
    return sum_of.digest()


def _pairs(pairs: object) -> str:
    each = list(pairs)  # type: ignore[call-overload]
    shown = "; ".join(f"{copy} = {first}" for copy, first in each[:_MOST_SHOWN])
    more = len(each) - _MOST_SHOWN
    return f"{shown}; and {more} more" if more > 0 else shown
