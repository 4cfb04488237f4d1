"""Copies among files: the same content under another name or in another folder."""

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from io import BufferedIOBase
from pathlib import Path

from errbar.base.remarks import Above, setting, some_of, warning
from errbar.data.readers.documents import parse
from errbar.data.readers.finding import size_of, whole_file

_HEAD = 1 << 12  # bytes compared first
_STEP = 1 << 20
_MOST_SHOWN = 2
_SHORT = 256  # bytes; files with the outcome of one question are often equal by chance

# Marks that file managers, browsers and people add to the name of a copy.
_COPY_MARK = re.compile(
    r"(?:[ _-]*\(\d+\)|[ _-]+(?:copy|kopie|copie|copia|backup|bak)(?:[ _-]*\(?\d*\)?)?)$"
    r"|^(?:copy|kopie|copie|copia|backup)[ _-]+(?:of[ _-]+)?",
    re.I,
)
_PACKED = (".gz", ".zst")
# A time of day to the second other than midnight, or a random id.
_MOMENT = re.compile(
    rb"20\d\d-[01]\d-[0-3]\d[T _]{1,2}(?!00[:_-]00[:_-]00)[0-2]\d[:_-][0-5]\d[:_-][0-5]\d"
    rb"|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    re.I,
)


@dataclass
class Copies:
    """Copies with their originals, and identical files that may both count."""

    of: dict[Path, Path] = field(default_factory=dict)
    alike: list[tuple[Path, Path]] = field(default_factory=list)

    def reasons(self) -> dict[Path, str]:
        """Reason for skipping each copy."""
        return {copy: f"the same content as {first}" for copy, first in self.of.items()}

    def remarks(self) -> list[Above]:
        """Remarks to be printed above the results."""
        remarks = []
        if self.of:
            keep = setting("repeats", "keep")
            count = len(self.of)
            what = "1 file has" if count == 1 else f"{count} files have"
            remarks.append(
                warning(
                    f"{what} the same content as another and {'is' if count == 1 else 'are'} not "
                    f"counted again ({_pairs(self.of.items())}). If they are separate runs, count "
                    f"them with {keep}."
                )
            )
        alike = [pair for pair in self.alike if not _is_short(pair[0])]
        if alike:
            remarks.append(
                warning(
                    f"Identical content: {_pairs(alike)}. Each is counted; if it is a copy, "
                    f"leave it out."
                )
            )
        return remarks


def _is_short(file: Path) -> bool:
    """Whether a file is a small object or a number, which are often equal by chance."""
    content = whole_file(file) or b""
    try:
        return len(content) < _SHORT and isinstance(parse(content), dict | float | int)
    except ValueError:
        return False


def copies_of_logs(files: Sequence[Path], every: Sequence[Path]) -> Copies:
    """Find copies among logs of a harness; `every` has all files, for the contents of folders."""
    found = Copies()
    contents = _Contents(every)
    groups = list(contents.equal(files))
    all_alike = sum(map(len, groups)) == len(files)  # single reports often are
    for group in groups:
        kept = _KeptFiles()
        for file in group:
            first = next(
                (earlier for earlier in kept.like(file) if contents.is_copy(file, earlier)), None
            )
            if first is not None:
                found.of[file] = first
                continue
            if kept.first is not None and (
                all_alike
                or _plain_name(kept.first) != _plain_name(file)
                or contents.is_in_equal_folder(file, kept.first)
            ):
                found.alike.append((file, kept.first))
            kept.add(file)
    return found


class _KeptFiles:
    """Files of equal content that count, by what a copy of them would be called.

    A copy has the name of its original in a folder of the same name, or there is a moment in the
    content or in the name of the original; to try all pairs would take forever.
    """

    def __init__(self) -> None:
        self.first: Path | None = None
        self._order: dict[Path, int] = {}
        self._dated: dict[str, Path] = {}
        self._places: dict[tuple[str, str], list[Path]] = {}

    def add(self, file: Path) -> None:
        """Count a file."""
        self.first = self.first or file
        self._order[file] = len(self._order)
        name = _plain_name(file)
        if _MOMENT.search(file.name.encode()):
            self._dated.setdefault(name, file)
        self._places.setdefault((name, _plain_name(file.parent)), []).append(file)

    def like(self, file: Path) -> list[Path]:
        """Files of which another may be a copy, in the order in which they were added."""
        name = _plain_name(file)
        found = {*self._places.get((name, _plain_name(file.parent)), ())}
        found |= {other for other in (self.first, self._dated.get(name)) if other is not None}
        return sorted(found, key=self._order.__getitem__)


def copies_of_tables(files: Sequence[Path]) -> Copies:
    """Find copies among tables, by name only, since two systems may have equal outcomes."""
    found = Copies()
    folder_of = cache(os.path.realpath)
    contents = _Contents(files)
    for alike in contents.equal(files):
        kept: dict[tuple[str, str], Path] = {}  # by name without marks of copies, and folder
        have_records = _has_records(alike[0])
        for file in sorted(alike, key=_length_and_place):
            place = (_plain_name(file), folder_of(os.path.dirname(file)))
            if place in kept:
                found.of[file] = kept[place]
                continue
            if kept and have_records:
                found.alike.append((file, next(iter(kept.values()))))
            kept[place] = file
    return found


def _length_and_place(file: Path) -> tuple[int, str]:
    """Order by the length of the name, then that of Path, whose comparison takes ten times."""
    return len(file.name), os.path.normcase(file).replace(os.sep, "\0")


class _Contents:
    """Contents of files, read when they are first compared."""

    def __init__(self, every: Sequence[Path]) -> None:
        self.every = every
        self._folders: dict[Path, dict[Path, Path]] = {}
        self.size = cache(_size)
        self.head = cache(_head)
        self.digest = cache(_digest)
        self.is_subset = cache(self._is_subset)

    def equal(self, files: Sequence[Path]) -> Iterator[list[Path]]:
        """Groups of files with equal content."""
        groups = [list(files)]
        # sizes and heads are at hand; to look them up in a cache takes longer
        steps: tuple[Callable[[Path], object], ...] = (_size, _head, self.digest)
        for step in steps:
            parts: list[list[Path]] = []
            for group in groups:
                by_value: dict[object, list[Path]] = {}
                for file in group:
                    by_value.setdefault(step(file), []).append(file)
                parts += [part for part in by_value.values() if len(part) > 1]
            groups = parts
        yield from (group for group in groups if self.size(group[0]))

    def is_copy(self, file: Path, original: Path) -> bool:
        """Whether one of two files with equal content is a copy of the other."""
        if _is_called_copy(file, original) or _MOMENT.search(self.head(original)):
            return True
        if _plain_name(file) != _plain_name(original):
            return False
        if _MOMENT.search(original.name.encode()):
            return True
        roots = _roots(file, original)
        if roots is None or len({_plain_name(folder) for folder in roots}) > 1:
            return False
        return self.is_subset(*roots) or self.is_subset(*roots[::-1])

    def is_in_equal_folder(self, file: Path, other: Path) -> bool:
        """Whether the folders of two files have several files, all of them equal."""
        roots = _roots(file, other)
        if roots is None or len(self._inside().get(roots[0], {})) < 2:
            return False
        return self.is_subset(*roots) or self.is_subset(*roots[::-1])

    def _is_subset(self, folder: Path, other: Path) -> bool:
        """Whether all files of a folder are in the other too."""
        inside = self._inside()
        other_entries = inside.get(other, {})
        return all(
            name in other_entries
            and self.size(other_entries[name]) == self.size(mine)
            and self.digest(other_entries[name]) == self.digest(mine)
            for name, mine in inside.get(folder, {}).items()
        )

    def _inside(self) -> Mapping[Path, Mapping[Path, Path]]:
        """Files of every folder by relative path."""
        if not self._folders:
            for file in self.every:
                for folder in file.parents:
                    self._folders.setdefault(folder, {})[file.relative_to(folder)] = file
        return self._folders


def _roots(file: Path, other: Path) -> tuple[Path, Path] | None:
    """Topmost folders that differ, if all names below are equal."""
    first, second = file.parent, other.parent
    while first.name == second.name and first.parent != first and second.parent != second:
        first, second = first.parent, second.parent
    return (first, second) if first != second else None


def _plain_name(file: Path) -> str:
    """File name without marks of copies and compression."""
    name = file.name
    while name.lower().endswith(_PACKED):
        name = name[: name.rindex(".")]
    stem, point, ending = name.rpartition(".")
    if not point:
        stem, ending = name, ""
    return f"{_COPY_MARK.sub('', stem)}{point}{ending}"


def _is_called_copy(file: Path, original: Path) -> bool:
    alike = _plain_name(file) == _plain_name(original)
    return alike and file.parent.resolve() == original.parent.resolve()


def _has_records(file: Path) -> bool:
    """Whether a table has several lines, since single outcomes are often equal."""
    head = _head(file)
    return b"\0" in head or max(head.count(b"\n"), head.count(b"{")) > 2


def _size(file: Path) -> int:
    """Uncompressed size of a file; for gzip modulo 2^32, from its last bytes."""
    small = whole_file(file)
    if small is not None:
        return len(small)
    if not file.name.lower().endswith(".gz"):
        return size_of(file)
    try:
        with file.open("rb") as packed:
            packed.seek(-4, 2)
            return int.from_bytes(packed.read(4), "little")
    except OSError:
        return 0  # an invalid file raises an error when it is read


def _head(file: Path) -> bytes:
    small = whole_file(file)
    if small is not None:
        return small[:_HEAD]
    try:
        with _opened(file) as whole:
            return whole.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return b""  # an invalid file raises an error when it is read


def _opened(file: Path) -> BufferedIOBase:
    return gzip.open(file, "rb") if file.suffix.lower() == ".gz" else file.open("rb")


def _digest(file: Path) -> bytes:
    sum_of = blake2b(whole_file(file) or b"", digest_size=16)
    if whole_file(file) is not None:
        return sum_of.digest()
    try:
        with _opened(file) as whole:
            while part := whole.read(_STEP):
                sum_of.update(part)
    except (OSError, EOFError, zlib.error):
        sum_of.update(str(file).encode())  # equal to no other
    return sum_of.digest()


def _pairs(pairs: Iterable[tuple[Path, Path]]) -> str:
    return some_of((f"{copy} = {first}" for copy, first in pairs), _MOST_SHOWN, "; ")
