"""Records exported by platforms: a JSON array, JSON lines, a page of an API, or a CSV file.

Cells of a CSV file stay text, so that ids such as 007 or 1.50 are kept; only JSON objects, lists
and quoted strings are parsed.
"""

import csv
import gzip
import hashlib
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any

from errbar.base.remarks import guess, warning
from errbar.data.readers.base import Glance
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    document,
    lines,
    list_in,
    number_or_none,
    parse,
    require_list,
    require_object,
    text_or_none,
)
from errbar.data.readers.logs import Log
from errbar.errors import InputError

_LONGEST_CELL = 1 << 27  # characters; Python's limit of 131,072 is too small for some answers
_LONGEST_NAME = 80
_GOOD = frozenset({"true", "yes", "y", "pass", "passed", "correct", "right"})
_BAD = frozenset({"false", "no", "n", "fail", "failed", "incorrect", "wrong"})
_NONE: frozenset[str] = frozenset()
_WORDS = {"true": 1.0, "false": 0.0}
_TRUTHS = (0.0, 1.0)  # by truth value


def records(path: Path, *pages: str) -> Iterator[dict[str, Any]]:
    """The records of a file.

    `pages` are the keys under which an object contains its records; an object without any of them
    is a record itself.
    """
    glance = Glance(path)
    if glance.shape == "lines":
        for _, row in lines(path):
            yield row
        return
    if not glance.shape:
        yield from _rows_of_csv(path)
        return
    whole, place = document(path), str(path)
    if isinstance(whole, dict):
        page = next((key for key in pages if isinstance(whole.get(key), list)), None)
        if page is None:
            yield whole
            return
        whole, place = list_in(whole, page), f"{place}, {page}"
    for at, row in enumerate(require_list(whole, place)):
        yield row if type(row) is dict else require_object(row, f"{place}[{at}]")


def _rows_of_csv(path: Path) -> Iterator[dict[str, Any]]:
    found = cells(path)
    _, names = next(found, (1, []))
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(f"{path}, line 1: two columns are named {twice!r}; rename one.")
    for at, row in found:
        if len(row) != len(names):
            raise InputError(
                f"{path}, line {at}: there are {len(row)} cells, but {len(names)} columns."
            )
        yield {name: value_of(cell) for name, cell in zip(names, row, strict=True)}


def cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows of a CSV file except blank ones, including the header, with their last line numbers."""
    csv.field_size_limit(max(_LONGEST_CELL, csv.field_size_limit()))
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for row in reader:
                if row:
                    yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: this is not UTF-8 text (byte {error.start}).") from error
    except csv.Error as error:
        raise InputError(
            f"{path}, line {reader.line_num}: this is not valid CSV; {error}."
        ) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def value_of(cell: str) -> Any:
    """Value of a cell: None if empty, a JSON object, list or string, else the text."""
    word = cell.strip()
    if word[:1] not in ("{", "[", '"'):
        return cell if word else None
    try:
        value = parse(word)
    except (ValueError, RecursionError):
        return cell
    return None if value == "" else value


def score_of(value: Any) -> float | None:
    """A number or truth value, possibly as text; None for anything else."""
    if isinstance(value, str):
        word = value.strip().lower()
        if word in _WORDS:
            return _WORDS[word]
        try:
            return number_or_none(float(word))
        except ValueError:
            return None
    return number_or_none(value)


def first_of(record: Mapping[str, Any], *names: str) -> Any:
    """The value under the first of these names that has one."""
    for name in names:
        value = record.get(name)
        if value is not None:
            return value
    return None


def is_error(value: Any) -> bool:
    """Whether an `error` field is set; tables may have nan where it is not."""
    return bool(value) and not isinstance(value, float)


def part_of(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object inside a record, which a table may have flattened into columns `name.key`."""
    whole = record.get(name)
    if isinstance(whole, dict):
        return whole
    start = f"{name}."
    if start not in "\n".join(record):
        return {}
    return {
        key.removeprefix(start): value
        for key, value in record.items()
        if key.startswith(start) and value is not None
    }


def short_name(value: Any) -> str:
    """Short name of a question: its text; of a long one, the start and a digest."""
    text = text_or_none(value) or ""
    if len(text) <= _LONGEST_NAME:
        return text
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{text[:_LONGEST_NAME]}… ({mark})"


def label_value(label: str) -> float | None:
    """Outcome meant by a label; None if it is not one of the known words."""
    word = label.strip().lower()
    return 1.0 if word in _GOOD else 0.0 if word in _BAD else None


class NamedScores:
    """Scores of a trial by name; repeated scores are averaged."""

    __slots__ = ("_values", "has_repeats", "labels")

    def __init__(self) -> None:
        self._values: dict[str, list[float | None]] = {}
        self.labels = _NONE  # names of scores given as words
        self.has_repeats = False  # whether a score has several values

    def add(self, name: str, value: Any) -> None:
        """Add a value: a number, a truth value, or a label."""
        number = _TRUTHS[value] if type(value) is bool else score_of(value)
        if number is None and type(value) is str:
            number = label_value(value)
            self.labels |= {name}
        known = self._values.get(name)
        if known is None:
            self._values[name] = [number]
        else:
            known.append(number)
            self.has_repeats = True

    def fill(self, other: "NamedScores") -> None:
        """Copy the scores of `other` whose names are missing here."""
        for name in other.names:
            if name not in self._values:
                self._values[name] = other._values[name]
                self.labels |= other.labels & {name}
                self.has_repeats |= other.has_repeats

    @property
    def names(self) -> Iterable[str]:
        """Names in order of first appearance."""
        return self._values

    def several(self, name: str) -> bool:
        """Whether the values of a score differ."""
        return len(self._values.get(name, ())) > 1 and len(set(self._numbers(name))) > 1

    def of(self, name: str) -> float | None:
        """Mean of the numeric values; None if there are none."""
        values = self._values.get(name, ())
        if len(values) == 1:
            return values[0]
        numbers = self._numbers(name)
        return math.fsum(numbers) / len(numbers) if numbers else None

    def _numbers(self, name: str) -> list[float]:
        return [value for value in self._values.get(name, ()) if value is not None]


@dataclass(slots=True)
class ExportedTrial:
    """A record that is a trial, and its scores."""

    path: Path
    record: Mapping[str, Any]
    scores: NamedScores = field(default_factory=NamedScores)


def choose_score(
    log: Log,
    scores: Sequence[NamedScores],
    choice: Choice,
    where: str,
    *,
    platform: str,
    kind: str = "score",
    nothing: str = "No trial has a score.",
) -> str:
    """Name of the score that is used, with remarks in the log; empty if no trial has one."""
    names = _score_names(scores)
    name = log.choose_scorer(choice.scorer, names, kind, where) if names else ""
    log.remarks += _remarks_on_scores(scores, name, platform)
    if not names:
        log.remarks.append(nothing)
    return name


def _score_names(each: Iterable[NamedScores]) -> list[str]:
    """Names of scores, the most frequent first."""
    often: Counter[str] = Counter(chain.from_iterable(scores.names for scores in each))
    return [name for name, _ in often.most_common()]


def _remarks_on_scores(each: Sequence[NamedScores], name: str, platform: str) -> Iterator[str]:
    """Remarks on scores that are words, or that have several values."""
    repeats = any(map(attrgetter("has_repeats"), each))
    differ = sum(map(methodcaller("several", name), each)) if repeats else 0
    if differ:
        yield warning(
            f"{differ} trials have several values of {name!r} that differ; using their mean, as "
            f"{platform} does."
        )
    if name in chain.from_iterable(map(attrgetter("labels"), each)):
        yield guess(
            f"Outcomes: {name!r} has words; true, yes, pass, correct and the like are right, "
            f"false, no, fail and incorrect are wrong, and other words are missing scores",
            option="--map outcome=COLUMN and --right WORD, which read a table,",
            argument="outcome='COLUMN' and right='WORD', which read a table,",
        )
