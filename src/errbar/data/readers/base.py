"""Readers of logs: what a reader is, and how the reader of each file is found.

Every module of this package with a `READER` is a reader; there is no other registry. A reader
recognises files by their content, not only by name, and returns a `Log`.
"""

import csv
import gc
import importlib
import io
import math
import pkgutil
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache, cached_property, lru_cache
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, SupportsFloat

from errbar.base.remarks import Above, guess, some_of
from errbar.data import readers
from errbar.data.readers.choices import Choice, FilesAre, Regrade
from errbar.data.readers.documents import REFUSED, entries_in, parse
from errbar.data.readers.file_formats import is_lines_by_name
from errbar.data.readers.finding import head_of
from errbar.data.readers.logs import Log
from errbar.errors import InputError, InternalError

JSON = ("object", "array", "lines")  # shapes of JSON files
_HEAD = 1 << 16  # bytes of a file used to recognise it
_QUOTED = re.compile(r'"(\w+)(?=")')  # all words in quotes


@dataclass(frozen=True)
class Reader:
    """Reader of the logs of a harness."""

    name: str  # name for --reader
    shapes: tuple[str, ...]  # possible shapes of its files, as in Glance.shape
    find_signs: Callable[["Glance"], str]  # reason a file of such a shape is one of its logs, or ""
    read: Callable[[Sequence[Path], Choice], Log]
    beside: tuple[str, ...] = ()  # patterns of files next to its logs that add nothing
    chooses: tuple[str, ...] = ("scorer",)  # fields of Choice that apply to its logs
    files: tuple[FilesAre, ...] = ()  # what its files may be said to be
    only_totals: bool = False  # files without questions, skipped next to other logs
    keys: tuple[str, ...] = ()  # one of these is a top-level key of each of its JSON files

    def recognise(self, glance: "Glance") -> str:
        """Reason a file is one of its logs; empty if it is not."""
        return self.find_signs(glance) if glance.shape in self.shapes else ""


@contextmanager
def paused_collector() -> Iterator[None]:
    """Suspend the cyclic garbage collector, if it is enabled."""
    was_enabled = gc.isenabled()
    if was_enabled:
        gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Glance:
    """The beginning of a file: its shape, and the keys or columns that are seen there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.head = head_of(path, _HEAD)  # the first bytes, decompressed if the file is compressed
        self.text = self.head.decode("utf-8", "replace").removeprefix("\ufeff")
        self._seen: set[str] = set()  # keys that were looked for until `_all` is known
        self._unseen: Iterator[str] = iter(())
        self._all: frozenset[str] | None = None  # all keys that can be seen
        self.shape = self._shape()  # "object", "array" or "lines" of JSON; "" for anything else

    def _shape(self) -> str:
        text = self.text.lstrip()
        if not text.startswith(("{", "[")):
            return ""
        if text.startswith("["):
            self._unseen = _keys(text)
            return "array"
        first, _, rest = text.partition("\n")
        self._all = _keys_in(first) if first.rstrip().endswith("}") else None
        in_first_line = self._all is not None
        if self._all is None and len(self.head) < _HEAD:
            self._all = _keys_in(text)
        if self._all is None:
            self._unseen = _keys(text)
        if not in_first_line:
            return "object"
        return "lines" if rest.lstrip().startswith("{") or is_lines_by_name(self.path) else "object"

    @property
    def keys(self) -> frozenset[str]:
        """Top-level keys of the document, or of the first element or line, as far as visible."""
        if self._all is None:
            self._all = frozenset(self._seen.union(self._unseen))
        return self._all

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Column names of a CSV file; empty for a JSON file."""
        if self.shape:
            return ()
        try:
            return tuple(next(csv.reader(io.StringIO(self.text, newline="")), ()))
        except csv.Error:
            return ()

    @property
    def possible_keys(self) -> frozenset[str]:
        """A superset of `keys` that takes no parsing of a long document that was cut off."""
        return self._quoted if self._all is None and self.shape == "object" else self.keys

    @cached_property
    def _quoted(self) -> frozenset[str]:
        return frozenset(_QUOTED.findall(self.text))

    def record_keys(self, *pages: str) -> frozenset[str]:
        """Keys of the first record of a CSV file, array, lines, or a list under one of `keys`."""
        page = None
        if self.shape == "object" and not self.keys.isdisjoint(pages):
            page = next(key for key in pages if key in self.keys)
        if page is None:
            return self.keys or frozenset(self.columns)
        start = re.search(rf'"{page}"\s*:\s*\[', self.text)
        return frozenset(_keys(self.text[start.end() :])) if start else self.keys

    def has(self, *keys: str) -> bool:
        """Whether all keys are present; searches the text only as far as needed."""
        if self._all is not None:
            return self._all.issuperset(keys)
        text, seen = self.text, self._seen
        for name in keys:  # a loop takes half the time of all()
            if f'"{name}"' not in text:
                return False
        lacking = set(keys) - seen
        while lacking and (key := next(self._unseen, None)) is not None:
            seen.add(key)
            lacking.discard(key)
        return not lacking


def has_keys(*rules: tuple[str, ...]) -> Callable[[Glance], str]:
    """A way to recognise files: each rule is the reason to give, and the keys that it needs."""

    def _recognise(glance: Glance) -> str:
        for why, *keys in rules:  # a loop takes half the time of next()
            if glance.has(*keys):
                return why
        return ""

    return _recognise


_FEW = 64
_set_of = lru_cache(maxsize=1024)(frozenset[str])  # thousands of files have the same few keys


def _keys_in(text: str) -> frozenset[str] | None:
    """The keys of the object that a text is; None if it is not one."""
    try:
        keys = tuple(entries_in(text))
        return _set_of(keys) if len(keys) <= _FEW else frozenset(keys)
    except REFUSED:
        pass  # no object, or one with values that only `json` accepts
    try:
        value = parse(text)
    except (ValueError, RecursionError):
        return None
    return frozenset(value) if isinstance(value, dict) else None


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


def joined_runs_remark(subject: str, runs: int, names: Sequence[str] = ()) -> Above:
    """Guess that several runs of a system are its trials.

    Examples
    --------
    >>> joined_runs_remark("gpt on gsm8k", 2, ["a.json", "b.json"])
    "gpt on gsm8k: 2 runs (a.json, b.json) are read as trials of one system \
(files='systems' to change)."
    """
    shown = f" ({some_of(names)})" if names else ""
    text = f"{subject}: {runs} runs{shown} are read as trials of one system"
    return guess(text, option="--files systems", argument="files='systems'")


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


@dataclass(frozen=True)
class Match:
    """A reader, the files it recognises, and the reason."""

    reader: Reader
    files: tuple[Path, ...]
    why: str


class RecognisedFiles(NamedTuple):
    """Files by reader, and the files that no reader recognises."""

    found: list[Match]
    companions: list[Path]  # files next to logs that add nothing
    others: list[Path]
    totals: Mapping[Path, str]  # files with totals only, and the reason


@cache
def every_reader() -> dict[str, Reader]:
    """All readers by name: the modules of this package with a `READER`."""
    names = sorted(module.name for module in pkgutil.iter_modules(readers.__path__))
    modules = (importlib.import_module(f"{readers.__name__}.{name}") for name in names)
    known = [module.READER for module in modules if hasattr(module, "READER")]
    known.sort(key=lambda reader: reader.only_totals)  # last, so that other readers come first
    return {reader.name: reader for reader in known}


def require_reader(name: str) -> Reader:
    """The reader with this name."""
    known = every_reader()
    if name not in known:
        raise InputError(f"there is no reader {name!r}; there are: {', '.join(known)}.")
    return known[name]


class _Candidates:
    """Readers that may know a file, by its shape and keys.

    Thirty readers would look at every file that is of none; nearly all are ruled out at once.
    """

    def __init__(self, known: Sequence[Reader]) -> None:
        self._known = known
        self._found = lru_cache(maxsize=1024)(self._of)

    def of(self, glance: Glance) -> list[Reader]:
        """The readers whose signs are worth a look, in order."""
        return self._found(glance.shape, glance.possible_keys if glance.shape else None)

    def _of(self, shape: str, keys: frozenset[str] | None) -> list[Reader]:
        return [
            reader
            for reader in self._known
            if shape in reader.shapes
            and (keys is None or not reader.keys or not keys.isdisjoint(reader.keys))
        ]


def find_readers(files: Sequence[Path], name: str | None = None) -> RecognisedFiles:
    """Group files by the reader that recognises them.

    A reader chosen by name gets the files it recognises, or all files if it recognises none.
    """
    known = list(every_reader().values())
    if name is not None:
        chosen = require_reader(name)
        known = [reader for reader in known if reader is chosen or reader.only_totals]
    whys: dict[str, dict[Path, str]] = {}
    others: list[Path] = []
    totals: dict[Path, str] = {}
    candidates = _Candidates(known)
    for file in files:
        glance = Glance(file)
        for reader in candidates.of(glance):
            why = reader.find_signs(glance)
            if why and reader.only_totals:
                totals[file] = why
            elif why:
                whys.setdefault(reader.name, {})[file] = why
            if why:
                break
        else:
            others.append(file)
    if name is not None and not whys:
        return RecognisedFiles([Match(chosen, tuple(files), "as asked")], [], [], {})
    found = [
        Match(reader, tuple(whys[reader.name]), next(iter(whys[reader.name].values())))
        for reader in known
        if reader.name in whys
    ]
    patterns = [pattern for match in found for pattern in match.reader.beside]
    companions = [
        file
        for file in ((*others, *totals) if patterns else ())
        if any(fnmatch(file.name, pattern) for pattern in patterns)
    ]
    beside = set(companions)
    return RecognisedFiles(
        found,
        companions,
        [file for file in others if file not in beside],
        {file: why for file, why in totals.items() if file not in beside},
    )


def refuse_totals(files: Sequence[Path]) -> NoReturn:
    """Raise an error for files that contain only totals, with advice on what to load instead."""
    refusing = next(reader for reader in every_reader().values() if reader.only_totals)
    refusing.read(files, Choice())
    raise InternalError(f"{files[0]} was not refused.")
