"""Compare files: find copies, and files with different questions."""

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import blake2b
from io import BufferedIOBase
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import Above, setting, warning
from errbar.data.columns import ROW
from errbar.data.engines.duckdb import quoted
from errbar.data.queries.expressions import Columns

_HEAD = 1 << 12  # bytes compared first
_STEP = 1 << 20
_MOST_SHOWN = 2

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
        if self.alike:
            remarks.append(
                warning(
                    f"identical content: {_pairs(self.alike)}. Each is counted; if it is a copy, "
                    f"leave it out."
                )
            )
        return remarks


def copies_of_logs(files: Sequence[Path], every: Sequence[Path]) -> Copies:
    """Find copies among logs of a harness; `every` has all files, for the contents of folders."""
    found = Copies()
    contents = _Contents(every)
    groups = list(contents.equal(files))
    all_alike = sum(map(len, groups)) == len(files)  # single reports often are
    for group in groups:
        kept: list[Path] = []
        for file in group:
            first = next((earlier for earlier in kept if contents.is_copy(file, earlier)), None)
            if first is not None:
                found.of[file] = first
                continue
            if kept and (
                all_alike
                or _plain_name(kept[0]) != _plain_name(file)
                or contents.is_in_equal_folder(file, kept[0])
            ):
                found.alike.append((file, kept[0]))
            kept.append(file)
    return found


def copies_of_tables(files: Sequence[Path]) -> Copies:
    """Find copies among tables, by name only, since two systems may have equal outcomes."""
    found = Copies()
    contents = _Contents(files)
    for alike in contents.equal(files):
        kept: list[Path] = []
        for file in sorted(alike, key=lambda path: (len(path.name), path)):
            first = next((earlier for earlier in kept if _is_called_copy(file, earlier)), None)
            if first is not None:
                found.of[file] = first
                continue
            if kept and _has_records(kept[0]):
                found.alike.append((file, kept[0]))
            kept.append(file)
    return found


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
        steps: tuple[Callable[[Path], object], ...] = (self.size, self.head, self.digest)
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
        theirs = inside.get(other, {})
        return all(
            name in theirs
            and self.size(theirs[name]) == self.size(mine)
            and self.digest(theirs[name]) == self.digest(mine)
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
    try:
        if file.suffix.lower() != ".gz":
            return file.stat().st_size
        with file.open("rb") as packed:
            packed.seek(-4, 2)
            return int.from_bytes(packed.read(4), "little")
    except OSError:
        return 0  # an invalid file raises an error when it is read


def _head(file: Path) -> bytes:
    try:
        with _opened(file) as whole:
            return whole.read(_HEAD)
    except (OSError, EOFError, zlib.error):
        return b""  # an invalid file raises an error when it is read


def _opened(file: Path) -> BufferedIOBase:
    return gzip.open(file, "rb") if file.suffix.lower() == ".gz" else file.open("rb")


def _digest(file: Path) -> bytes:
    sum_of = blake2b(digest_size=16)
    try:
        with _opened(file) as whole:
            while part := whole.read(_STEP):
                sum_of.update(part)
    except (OSError, EOFError, zlib.error):
        sum_of.update(str(file).encode())  # equal to no other
    return sum_of.digest()


def _pairs(pairs: Iterable[tuple[Path, Path]]) -> str:
    each = list(pairs)
    shown = "; ".join(f"{copy} = {first}" for copy, first in each[:_MOST_SHOWN])
    more = len(each) - _MOST_SHOWN
    return f"{shown}; and {more} more" if more > 0 else shown


_BENCHMARKS = re.compile(
    r"(?:gsm8?k|gsm_?plus|math(?:_?\d+)?|aime(?:_?\d+)?|mmlu(?:[-_]?(?:pro|redux))?|arc(?:[-_]?"
    r"(?:easy|challenge|e|c))?|hellaswag|winogrande|truthfulqa|piqa|boolq|openbookqa|commonsenseqa|"
    r"triviaqa|nq|squad|drop|bbh|gpqa(?:[-_]?diamond)?|human_?eval(?:plus)?|mbpp(?:plus)?|ifeval|"
    r"musr|race|copa|rte|cb|wic|wsc|sciq|siqa|mgsm|xnli|lambada|ceval|cmmlu|agieval|hotpotqa)",
    re.I,
)
_LANGUAGE = re.compile(
    r"ar|bg|bn|cs|da|de|el|en|es|et|fa|fi|fr|he|hi|hr|hu|id|it|ja|ko|lt|lv|ms|nl|no|pl|pt|ro|ru|sk|"
    r"sl|sv|sw|ta|te|th|tr|uk|ur|vi|zh",
    re.I,
)


def question_sets_remark(rows: Any, columns: Columns) -> list[Above]:
    """Warning if files read as systems share no question, or may be tasks or parts of a run."""
    systems = _systems(rows, columns)
    names = [system.name for system in systems]
    if len(names) < 2:
        return []
    shared = _shared_questions(rows, columns)
    tasks = setting("files", "tasks")
    if shared == 0:
        parts = setting("files", "parts")
        return [
            warning(
                f"no question is in two of the {len(names)} files, which are read as systems, so "
                f"they cannot be compared. If they are parts of one run, such as a resumed one, "
                f"join them with {parts}; if they are tasks, use {tasks}."
            )
        ]
    counts = {system.questions for system in systems}
    counted = all(system.is_counted for system in systems) and len(counts) == len(names)
    if counted or are_named_as_tasks(names):
        sizes = ", ".join(f"{system.name} {system.questions}" for system in systems[:4])
        return [
            warning(
                f"files may be tasks, not systems ({sizes} questions): questions with the same id "
                f"are compared as the same question. If they are tasks, use {tasks}."
            )
        ]
    return [*_grid(names), *_resumed(names)]


def _grid(names: Sequence[str]) -> list[Above]:
    """Warning if every folder has files of the same names, so that either may be the task."""
    pairs = [name.rpartition("/")[::2] for name in names]
    folders, lasts = ({pair[at] for pair in pairs} for at in (0, 1))
    if min(len(folders), len(lasts)) < 2 or len(names) < len(folders) * len(lasts):
        return []
    tasks = setting("files", "tasks")
    (folder, *_), (last, *_) = sorted(folders), sorted(lasts)
    return [
        warning(
            f"each of {len(folders)} folders has the same {len(lasts)} files ({folder}/{last} …), "
            f"and each file is read as a system: questions with the same id are compared as the "
            f"same question. If folders are systems and files tasks, use {tasks}; if folders are "
            f"tasks, load one folder at a time."
        )
    ]


def _resumed(names: Sequence[str]) -> list[Above]:
    """Warning if a file is named as the rest or the repetition of another."""
    for name in names:
        first = _REST.sub("", name)
        if first != name and first in names:
            parts, last = setting("files", "parts"), setting("repeats", "last")
            return [
                warning(
                    f"{name} is named as a continuation of {first}, and both are read as systems. "
                    f"If they are parts of one run, join them with {parts}, and with {last} if the "
                    f"later row of a question counts."
                )
            ]
    return []


_REST = re.compile(
    r"[\s_.-]+(?:resumed?|restart(?:ed)?|cont(?:inued?)?|continuation|rest|remaining|retr(?:y|ied)"
    r"|retries|rerun|redo|append(?:ed)?|part[\s_-]?2)\d*$",
    re.IGNORECASE,
)


def are_named_as_tasks(names: Sequence[str]) -> bool:
    """Whether all names, or files in folders, are those of benchmarks or languages."""
    names = [name.rpartition("/")[2] for name in names]
    return any(all(map(known.fullmatch, names)) for known in (_BENCHMARKS, _LANGUAGE))


class _SystemFile(NamedTuple):
    """A file that is read as a system."""

    name: str
    questions: int
    is_counted: bool  # ids are consecutive, as in numbered rows


def _systems(rows: Any, columns: Columns) -> list[_SystemFile]:
    system, question = quoted(columns["system"]), _question(columns)
    number = f"try_cast({quoted(columns['question'])} AS BIGINT)"
    span = f"max({number}) - min({number}) + 1 = count(DISTINCT {question})"
    whole = f"coalesce({span} AND count({number}) = count(*), false)"
    each = f"{system}, count(DISTINCT {question}), {whole}"
    found = rows.aggregate(each, system).order("1").fetchall()
    return [_SystemFile(str(name), count, counted) for name, count, counted in found]


def _shared_questions(rows: Any, columns: Columns) -> int:
    """Number of questions shared by two or more systems."""
    system, question = quoted(columns["system"]), _question(columns)
    ((shared,),) = rows.query(
        "rows",
        f"SELECT count(*) FROM (SELECT {question} FROM rows GROUP BY ALL "
        f"HAVING count(DISTINCT {system}) > 1)",
    ).fetchall()
    return int(shared)


def _question(columns: Columns) -> str:
    names = [columns[meaning] for meaning in ("task", "question") if meaning in columns.named]
    return f"concat_ws('/', {', '.join(map(quoted, names))})"


def has_ids(columns: Columns) -> bool:
    """Whether questions have ids other than row numbers."""
    return columns["question"] != ROW
