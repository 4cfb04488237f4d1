"""What a reader is: a name, how its logs are recognised, and how they become outcomes.

A module of this package that has a `READER` is a reader; nothing else lists them. A reader looks
at what is in a file, not at its name alone, and gives a column of values for each column of the
outcomes table that it knows.
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

from errbar.base.json_text import parse, paused_collector
from errbar.base.remarks import Above, guess, way_to_say
from errbar.data.columns import FAILED, UNSCORED
from errbar.data.provenance import TALLIES, Accounts, Claim
from errbar.data.readers.tables.naming import FilesAre
from errbar.errors import InputError

_HEAD = 1 << 16  # bytes of a file that are looked at to recognise it
_BATCH = 1024  # rows that wait until they are moved into columns, column by column


Regrade = Callable[[Any, Any, Any], float | bool | None]  # of a response, the target and the doc


@dataclass(frozen=True)
class Choice:
    """What to take from a log that holds more than one score of a row; None for the usual."""

    scorer: str | None = None
    filter: str | None = None
    regrade: Regrade | None = None  # grades every response of a log anew
    signal: str | None = None  # which signal of an item is its confidence
    files: FilesAre | None = None  # what files of unnamed systems are


@dataclass
class Log:
    """Outcomes as columns of equal length, where they are from, and what there is to say of them.

    A reader says how many trials every file holds (`read`), and what became of those that are not
    in the table (`leave_out`), so that nothing is lost without a word.
    """

    claims: list[Claim] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    accounts: Accounts = field(default_factory=Accounts)
    _columns: dict[str, list[Any]] = field(default_factory=dict)
    _waiting: list[dict[str, Any]] = field(default_factory=list)
    _rows: int = 0  # in the columns; others are waiting

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The rows so far, by column."""
        if self._waiting:
            self._store()
        return self._columns

    def add(self, **values: Any) -> None:
        """One row; a column that it lacks, or that earlier rows lacked, is empty there."""
        waiting = self._waiting
        waiting.append(values)
        if len(waiting) == _BATCH:
            self._store()

    def _store(self) -> None:
        """Move the rows that wait into the columns: by column that is twice as fast as by row."""
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
        """A file was read, or a part of it, that holds so many trials."""
        self.accounts.of(path).rows += trials

    def leave_out(self, path: Path, reason: str, trials: int = 1) -> None:
        """Trials of a file that are not in the table, as in "without a task id"."""
        self.accounts.of(path).left_out[reason] += trials

    def make_up(self, path: Path, reason: str, trials: int = 1) -> None:
        """Rows in the table that no file holds, as in "instances that were never run"."""
        self.accounts.of(path).added[reason] += trials

    def skip(self, path: Path, reason: str) -> None:
        """A file that is not read, as in "it holds only totals"."""
        self.accounts.of(path).skipped = reason

    def extend(self, **columns: Sequence[Any]) -> None:
        """Many rows, a column of each; what they lack, or earlier rows lacked, is empty there."""
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

    def __len__(self) -> int:
        return self._rows + len(self._waiting)


@dataclass(frozen=True)
class Reader:
    """A harness, or a way of writing logs."""

    name: str  # as in --reader
    recognise: Callable[["Glance"], str]  # why a file is one of its logs; empty if it is not
    read_files: Callable[[Sequence[Path], Choice], Log]
    beside: tuple[str, ...] = ()  # names of files that lie beside its logs and say nothing new
    chooses: tuple[str, ...] = ("scorer",)  # which fields of a choice its logs leave
    only_totals: bool = False  # its files have no questions: skipped beside those of other readers

    def read(self, files: Sequence[Path], choice: Choice) -> Log:
        """The outcomes in these files; a function that grades may make cycles."""
        with nullcontext() if choice.regrade is not None else paused_collector():
            return self.read_files(files, choice)


@dataclass(frozen=True)
class Glance:
    """The beginning of a file; each part of it is worked out when it is first asked for."""

    path: Path

    @cached_property
    def head(self) -> bytes:
        """Its first bytes, unpacked if the file is compressed by gzip."""
        try:
            if self.path.suffix == ".gz":
                with gzip.open(self.path, "rb") as packed:
                    return packed.read(_HEAD)
            with open(self.path, "rb", buffering=0) as file:
                return file.read(_HEAD)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.path} cannot be read: {error}.") from error

    @cached_property
    def shape(self) -> str:
        """What the file holds: "object", "array", "lines" of JSON, or something else: ""."""
        text = self.text.lstrip()
        if not text.startswith(("{", "[")):
            return ""
        if text.startswith("["):
            return "array"
        first, _, rest = text.partition("\n")
        if not first.rstrip().endswith("}") or not _is_json(first):
            return "object"
        return "lines" if rest.lstrip().startswith("{") or self.is_lines_by_name else "object"

    @property
    def is_lines_by_name(self) -> bool:
        """Whether its name says that every line is a document."""
        return any(suffix in (".jsonl", ".ndjson") for suffix in self.path.suffixes)

    @cached_property
    def text(self) -> str:
        """The first bytes as text."""
        return self.head.decode("utf-8-sig", errors="replace")

    @cached_property
    def keys(self) -> frozenset[str]:
        """Keys of the document, or of the first one in an array or of the lines, as far as seen."""
        self._seen.update(self._unseen)
        return frozenset(self._seen)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """What the first row of a CSV file names; nothing if the file holds JSON."""
        if self.shape:
            return ()
        try:
            return tuple(next(csv.reader(io.StringIO(self.text, newline="")), ()))
        except csv.Error:
            return ()

    def record_keys(self, *pages: str) -> frozenset[str]:
        """What the first record has: of a CSV file, an array, lines, or a list under such a key."""
        page = next((key for key in pages if key in self.keys), None)
        if self.shape != "object" or page is None:
            return self.keys or frozenset(self.columns)
        start = re.search(rf'"{page}"\s*:\s*\[', self.text)
        return frozenset(_keys(self.text[start.end() :])) if start else self.keys

    def has(self, *keys: str) -> bool:
        """Whether all of these keys are there; the text is searched no further than for them."""
        text, seen = self.text, self._seen
        if not all(f'"{key}"' in text for key in keys):
            return False
        lacking = set(keys) - seen
        while lacking and (key := next(self._unseen, None)) is not None:
            seen.add(key)
            lacking.discard(key)
        return not lacking

    @cached_property
    def _seen(self) -> set[str]:
        return set()

    @cached_property
    def _unseen(self) -> Iterator[str]:
        return _keys(self.text) if self.shape else iter(())


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except (ValueError, RecursionError):
        return False
    return True


# Text that is cut short ends with the file: else each quote in it would be tried anew.
_TOKEN = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)(?:"\s*(:?)|\\?\Z)|[{}\[\]]', re.DOTALL)


def _keys(text: str) -> Iterator[str]:
    """Keys of the first object that is not inside another, though the text may be cut short."""
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
    """How often each key stood there before: the index of a trial among those of its question.

    Examples
    --------
    >>> occurrences(["q1", "q2", "q1"])
    [0, 0, 1]
    """
    counters: defaultdict[Hashable, Iterator[int]] = defaultdict(count)
    return list(map(next, map(counters.__getitem__, keys)))


def pick(asked: str | None, found: Sequence[str], what: str, where: str) -> str:
    """The one that was asked for, or the first; refused if it is not there."""
    if not found:
        raise InputError(f"{where}: there is no {what}.")
    if asked is None:
        return found[0]
    if asked not in found:
        raise InputError(f"{where}: there is no {what} {asked!r}; there are: {', '.join(found)}.")
    return asked


def picked_remark(taken: str, found: Sequence[str], what: str, option: str) -> list[Above]:
    """Which of several scores is used, if there was a choice; it decides the number.

    Examples
    --------
    >>> picked_remark("plus", ["plus", "base"], "scorer", "scorer")
    ["using scorer 'plus' (also: base; choose with scorer=)."]
    """
    others = [name for name in found if name != taken]
    if not others:
        return []
    choose = way_to_say(f"--{option}", f"{option}=")
    return [guess(f"using {what} {taken!r} (also: {', '.join(others)}; choose with {choose})")]


def joined_runs_remark(
    whose: str, runs: int, names: Sequence[str] = (), *, can_choose: bool = False
) -> Above:
    """That several runs of one system are taken as its trials; `can_choose` if files= parts them.

    Examples
    --------
    >>> joined_runs_remark("gpt on gsm8k", 2, ["a.json", "b.json"])
    'Trials: gpt on gsm8k: 2 runs (a.json, b.json) are taken as trials of one system.'
    """
    shown = f" ({some_of(names)})" if names else ""
    text = f"Trials: {whose}: {runs} runs{shown} are taken as trials of one system"
    if can_choose:
        return guess(text, option="--files systems", argument="files='systems'")
    return guess(text)


def some_of(names: Sequence[str], most: int = 5) -> str:
    """The first of many names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def claim_means_over_rows(log: Log, claims: Sequence[Claim]) -> None:
    """Claims of a harness that averages over rows, not over questions.

    The two are the same where every question has as many rows that count; a claim of other rows is
    only told of. Rows that nobody graded never count. What is counted, and no mean, is a claim as
    it is.
    """
    held = {(claim.system, claim.task): (Counter[str](), Counter[str]()) for claim in claims}
    columns = [log.columns.get(name, []) for name in ("system", "task", "question", "status")]
    for system, task, question, status in zip(*columns, strict=True) if held else ():
        if (system, task) in held and status != UNSCORED:
            every, ended = held[system, task]
            every[question] += 1
            ended[question] += status not in FAILED
    for claim in claims:
        if claim.metric in TALLIES:
            log.claims.append(claim)
            continue
        every, ended = held[claim.system, claim.task]
        counts = ended if claim.errors == "missing" else every
        if len(set(counts.values())) == 1 and 0 not in counts.values():
            log.claims.append(claim)
        else:
            whose = " · ".join(part for part in (claim.system, claim.task) if part)
            log.remarks.append(
                f"{whose}: the log says {claim.name} {claim.value:.4g}; that is a mean over rows, "
                f"and questions have different numbers of them.".removeprefix(": ")
            )


def regraded(grade: Regrade, response: Any, target: Any, doc: Any, where: str) -> float | None:
    """What a function that grades makes of a response; whatever goes wrong says where."""
    try:
        value = grade(response, target, doc)
        if value is None:
            return None
        number = float(value) if isinstance(value, SupportsFloat) else math.nan
    except Exception as error:
        raise InputError(f"{where}: regrade ended in {type(error).__name__}: {error}.") from error
    if not math.isfinite(number):
        raise InputError(f"{where}: regrade gives a number, True, False or None; got {value!r}.")
    return number
