"""Base classes of readers: a reader recognises the logs of a harness and reads their outcomes.

Every module of this package with a `READER` is a reader; there is no other registry. A reader
recognises files by their content, not only by name, and fills columns of the outcomes table.
"""

import csv
import gzip
import io
import math
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from operator import itemgetter
from pathlib import Path
from typing import Any, SupportsFloat

from errbar.base.remarks import Above, guess, way_to_say
from errbar.data.columns import FAILED, UNSCORED
from errbar.data.provenance import TALLIES, Accounts, Claim
from errbar.data.readers.documents import parse, paused_collector
from errbar.data.readers.tables.naming import FilesAre
from errbar.errors import InputError

JSON = ("object", "array", "lines")  # shapes of JSON files
_LINES = frozenset({".jsonl", ".ndjson"})
_HEAD = 1 << 16  # bytes of a file used to recognise it
_BATCH = 1024  # rows that are buffered before they are moved into columns


Regrade = Callable[[Any, Any, Any], float | bool | None]  # arguments: response, target, doc


@dataclass(frozen=True)
class Choice:
    """Choices among several scores of a log; None means the default."""

    scorer: str | None = None
    filter: str | None = None
    regrade: Regrade | None = None  # function that grades every response again
    signal: str | None = None  # signal used as the confidence of an item
    files: FilesAre | None = None  # role of files that do not name their system


@dataclass
class Log:
    """Outcomes as columns of equal length, with stated scores, remarks, and accounts of files.

    A reader records the number of trials of every file (`read`) and of those that are not in the
    table (`leave_out`), so that nothing is dropped silently.
    """

    claims: list[Claim] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    accounts: Accounts = field(default_factory=Accounts)
    _columns: dict[str, list[Any]] = field(default_factory=dict)
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _rows: int = 0  # rows in the columns, without the buffered ones

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The rows so far, by column."""
        if self._waiting:
            self._store()
        return self._columns

    def add(self, **values: Any) -> None:
        """Add a row; missing columns are filled with None."""
        waiting = self._waiting
        waiting.append(values)
        if len(waiting) == _BATCH:
            self._store()

    def _store(self) -> None:
        """Move the buffered rows into the columns; batches are twice as fast as single rows."""
        waiting = self._waiting
        names = dict.fromkeys(waiting[0])
        try:
            found = {name: list(map(itemgetter(name), waiting)) for name in names}
            alike = sum(map(len, waiting)) == len(names) * len(waiting)
        except KeyError:
            alike = False
        if not alike:
            names = dict.fromkeys(name for row in waiting for name in row)
            found = {name: [row.get(name) for row in waiting] for name in names}
        self._extend(found, len(waiting))
        waiting.clear()

    def read(self, path: Path, trials: int) -> None:
        """Record that a file, or a part of it, with so many trials was read."""
        self.accounts.of(path).rows += trials

    def leave_out(self, path: Path, reason: str, trials: int = 1) -> None:
        """Record trials of a file that are not in the table, for example "without a task id"."""
        self.accounts.of(path).left_out[reason] += trials

    def make_up(self, path: Path, reason: str, trials: int = 1) -> None:
        """Record rows that are in no file, for example "instances that were never run"."""
        self.accounts.of(path).added[reason] += trials

    def skip(self, path: Path, reason: str) -> None:
        """Record a file that is not read, for example "it contains only totals"."""
        self.accounts.of(path).skipped = reason

    def extend(self, **columns: Sequence[Any]) -> None:
        """Add many rows by column; missing columns are filled with None."""
        if self._waiting:
            self._store()
        self._extend(columns, len(next(iter(columns.values()))))

    def _extend(self, columns: Mapping[str, Sequence[Any]], more: int) -> None:
        for name in columns:
            if name not in self._columns:
                self._columns[name] = [None] * self._rows
        for name, column in self._columns.items():
            column.extend(columns[name] if name in columns else [None] * more)
        self._rows += more

    def choose_scorer(
        self, name: str | None, found: Sequence[str], what: str, where: str, *, called: str = ""
    ) -> str:
        """Pick one of the scores in a log, and remark on it if there are others.

        `what` is a score in the words of the harness; `called` is its word in the remark, if that
        is another.
        """
        scorer = pick(name, found, what, where)
        self.remarks += picked_remark(scorer, found, called or what, "scorer")
        return scorer

    def claim_means_over_rows(self, claims: Sequence[Claim]) -> None:
        """Add claims of a harness that averages over rows instead of questions.

        Both means are equal if all questions have equally many graded rows; otherwise the claim
        only becomes a remark. Claims of totals are added unchanged.
        """
        rows_by_question = {
            (claim.system, claim.task): (Counter[str](), Counter[str]()) for claim in claims
        }
        columns = [self.columns.get(name, []) for name in ("system", "task", "question", "status")]
        for system, task, question, status in (
            zip(*columns, strict=True) if rows_by_question else ()
        ):
            if (system, task) in rows_by_question and status != UNSCORED:
                every, ended = rows_by_question[system, task]
                every[question] += 1
                ended[question] += status not in FAILED
        for claim in claims:
            if claim.metric in TALLIES:
                self.claims.append(claim)
                continue
            every, ended = rows_by_question[claim.system, claim.task]
            counts = ended if claim.errors == "missing" else every
            if len(set(counts.values())) == 1 and 0 not in counts.values():
                self.claims.append(claim)
            else:
                whose = " · ".join(part for part in (claim.system, claim.task) if part)
                self.remarks.append(
                    f"{whose}: the log states {claim.name} {claim.value:.4g}, which is a mean over "
                    f"rows, while questions have different numbers of them.".removeprefix(": ")
                )

    def __len__(self) -> int:
        return self._rows + len(self._waiting)


@dataclass(frozen=True)
class Reader:
    """Reader of the logs of a harness."""

    name: str  # name for --reader
    shapes: tuple[str, ...]  # possible shapes of its files, as in Glance.shape
    find_signs: Callable[["Glance"], str]  # reason a file of such a shape is one of its logs, or ""
    read_files: Callable[[Sequence[Path], Choice], Log]
    beside: tuple[str, ...] = ()  # patterns of files next to its logs that add nothing
    chooses: tuple[str, ...] = ("scorer",)  # fields of Choice that apply to its logs
    files: tuple[FilesAre, ...] = ()  # what its files may be said to be
    only_totals: bool = False  # files without questions, skipped next to other logs

    def recognise(self, glance: "Glance") -> str:
        """Reason a file is one of its logs; empty if it is not."""
        return self.find_signs(glance) if glance.shape in self.shapes else ""

    def read(self, files: Sequence[Path], choice: Choice) -> Log:
        """Read files; the garbage collector is paused unless a grading function runs."""
        with nullcontext() if choice.regrade is not None else paused_collector():
            return self.read_files(files, choice)


class Glance:
    """The beginning of a file: its shape, and the keys or columns that are seen there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.head = _head_of(path)  # the first bytes, decompressed if the file is compressed
        self.text = self.head.decode("utf-8", "replace").removeprefix("\ufeff")
        self._seen: set[str] = set()  # keys
        self._unseen: Iterator[str] = iter(())
        self.shape = self._shape()  # "object", "array" or "lines" of JSON; "" for anything else

    def _shape(self) -> str:
        text = self.text.lstrip()
        if not text.startswith(("{", "[")):
            return ""
        self._unseen = _keys(text)
        if text.startswith("["):
            return "array"
        first, _, rest = text.partition("\n")
        document = _object_in(first) if first.rstrip().endswith("}") else None
        if document is None:
            return "object"
        self._unseen = iter(document)
        return "lines" if rest.lstrip().startswith("{") or self.is_lines_by_name else "object"

    @property
    def is_lines_by_name(self) -> bool:
        """Whether the suffix is that of a JSON-lines file."""
        return self.path.suffix in _LINES or not _LINES.isdisjoint(self.path.suffixes)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Top-level keys of the document, or of the first element or line, as far as visible."""
        self._seen.update(self._unseen)
        return frozenset(self._seen)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Column names of a CSV file; empty for a JSON file."""
        if self.shape:
            return ()
        try:
            return tuple(next(csv.reader(io.StringIO(self.text, newline="")), ()))
        except csv.Error:
            return ()

    def record_keys(self, *pages: str) -> frozenset[str]:
        """Keys of the first record of a CSV file, array, lines, or a list under one of `keys`."""
        page = next((key for key in pages if key in self.keys), None)
        if self.shape != "object" or page is None:
            return self.keys or frozenset(self.columns)
        start = re.search(rf'"{page}"\s*:\s*\[', self.text)
        return frozenset(_keys(self.text[start.end() :])) if start else self.keys

    def has(self, *keys: str) -> bool:
        """Whether all keys are present; searches the text only as far as needed."""
        text, seen = self.text, self._seen
        for wanted in keys:  # a loop takes half the time of all()
            if f'"{wanted}"' not in text:
                return False
        lacking = set(keys) - seen
        while lacking and (key := next(self._unseen, None)) is not None:
            seen.add(key)
            lacking.discard(key)
        return not lacking


def has_keys(*rules: tuple[str, ...]) -> Callable[[Glance], str]:
    """A way to recognise files: each rule is the reason to give, and the keys that it needs."""

    def _recognise(glance: Glance) -> str:
        return next((why for why, *keys in rules if glance.has(*keys)), "")

    return _recognise


def _head_of(path: Path) -> bytes:
    try:
        if path.name.endswith(".gz") and path.suffix:
            with gzip.open(path, "rb") as packed:
                return packed.read(_HEAD)
        with open(path, "rb", buffering=0) as file:
            return file.read(_HEAD)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def _object_in(text: str) -> dict[str, Any] | None:
    """The object that a text is; None if it is not one."""
    try:
        value = parse(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


# An unterminated string matches up to the end; else every quote in it would be tried again.
_TOKEN = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"\s*(:?)|\\?\Z)|[{}\[\]]', re.DOTALL)


def _keys(text: str) -> Iterator[str]:
    """Keys of the first top-level object; the text may be truncated."""
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark == "{" or (mark == "[" and depth):
            depth += 1
        elif mark in ("}", "]"):
            depth -= 1
            if depth <= 0:
                return
        elif depth == 1 and token.group(2):
            yield token.group(1)


def occurrences(keys: Iterable[Hashable]) -> list[int]:
    """Number of earlier occurrences of each key: the index of a trial within its question.

    Examples
    --------
    >>> occurrences(["q1", "q2", "q1"])
    [0, 0, 1]
    """
    counters: defaultdict[Hashable, Iterator[int]] = defaultdict(count)
    return list(map(next, map(counters.__getitem__, keys)))


def pick(name: str | None, found: Sequence[str], what: str, where: str) -> str:
    """The requested name, or the first by default; raises an error if it does not exist."""
    if not found:
        raise InputError(f"{where}: there is no {what}.")
    if name is None:
        return found[0]
    if name not in found:
        raise InputError(f"{where}: there is no {what} {name!r}; there are: {', '.join(found)}.")
    return name


def picked_remark(choice: str, found: Sequence[str], what: str, option: str) -> list[Above]:
    """Guess that says which of several scores is used; None if there is only one.

    Examples
    --------
    >>> picked_remark("plus", ["plus", "base"], "scorer", "scorer")
    ["using scorer 'plus' (also: base; choose with scorer=)."]
    """
    others = [name for name in found if name != choice]
    if not others:
        return []
    choose = way_to_say(f"--{option}", f"{option}=")
    return [guess(f"using {what} {choice!r} (also: {', '.join(others)}; choose with {choose})")]


def joined_runs_remark(
    whose: str, runs: int, names: Sequence[str] = (), *, can_choose: bool = False
) -> Above:
    """Guess that several runs of a system are its trials; `can_choose` if --files can split them.

    Examples
    --------
    >>> joined_runs_remark("gpt on gsm8k", 2, ["a.json", "b.json"])
    'Trials: gpt on gsm8k: 2 runs (a.json, b.json) are read as trials of one system.'
    """
    shown = f" ({some_of(names)})" if names else ""
    text = f"Trials: {whose}: {runs} runs{shown} are read as trials of one system"
    if can_choose:
        return guess(text, option="--files systems", argument="files='systems'")
    return guess(text)


def some_of(names: Sequence[str], most: int = 5) -> str:
    """Join the first names and say how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def regraded(grade: Regrade, response: Any, target: Any, doc: Any, where: str) -> float | None:
    """Grade a response with a user's function; an error names the place in the log."""
    try:
        value = grade(response, target, doc)
        if value is None:
            return None
        number = float(value) if isinstance(value, SupportsFloat) else math.nan
    except Exception as error:
        raise InputError(f"{where}: regrade raised {type(error).__name__}: {error}.") from error
    if not math.isfinite(number):
        raise InputError(
            f"{where}: regrade must return a number, True, False or None; got {value!r}."
        )
    return number
