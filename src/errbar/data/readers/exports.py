"""Exports of platforms: records in an array, on lines, in a page of an API, or in a CSV file.

A cell of a CSV file is text as it is written; only objects, lists and quoted text in JSON are
parsed, so that an id of 007 or 1.50 stays one.
"""

import csv
import gzip
import hashlib
import math
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from errbar.base.json_text import parse
from errbar.base.remarks import guess, warning
from errbar.data.readers.base import Glance
from errbar.data.readers.documents import (
    document,
    lines,
    list_in,
    number_or_none,
    require_list,
    require_object,
    text_or_none,
)
from errbar.errors import InputError

_LONGEST_CELL = 1 << 27  # characters; Python's own limit is 131,072, and answers may be longer
_LONGEST_NAME = 80
_GOOD = frozenset({"true", "yes", "y", "pass", "passed", "correct", "right"})
_BAD = frozenset({"false", "no", "n", "fail", "failed", "incorrect", "wrong"})
_WORDS = {"true": 1.0, "false": 0.0}


def records(path: Path, *pages: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each record stands, and the record.

    `pages` are the keys under which an object holds its records; without one of them an object is
    a record itself.
    """
    glance = Glance(path)
    if glance.shape == "lines":
        place = str(path)
        for at, row in lines(path):
            yield f"{place}, line {at}", row
        return
    if not glance.shape:
        yield from _rows_of_csv(path)
        return
    whole, place = document(path), str(path)
    if isinstance(whole, dict):
        page = next((key for key in pages if isinstance(whole.get(key), list)), None)
        if page is None:
            yield place, whole
            return
        whole, place = list_in(whole, page), f"{place}, {page}"
    for at, row in enumerate(require_list(whole, place)):
        where = f"{place}[{at}]"
        yield where, require_object(row, where)


def _rows_of_csv(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    found = cells(path)
    _, names = next(found, (1, []))
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(f"{path}, line 1: two columns are named {twice!r}; rename one.")
    for at, row in found:
        where = f"{path}, line {at}"
        if len(row) != len(names):
            raise InputError(f"{where}: there are {len(row)} cells, but {len(names)} columns.")
        yield where, {name: value_of(cell) for name, cell in zip(names, row, strict=True)}


def cells(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Rows of a CSV file that are not blank, the first one included, and the line they end on."""
    csv.field_size_limit(max(_LONGEST_CELL, csv.field_size_limit()))
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for row in reader:
                if row:
                    yield reader.line_num, row
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: it is not text in UTF-8 (byte {error.start}).") from error
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: it is not CSV; {error}.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def value_of(cell: str) -> Any:
    """What a cell holds: nothing, an object, a list or text in JSON, else text as it is written."""
    word = cell.strip()
    if word[:1] not in ("{", "[", '"'):
        return cell if word else None
    try:
        value = parse(word)
    except (ValueError, RecursionError):
        return cell
    return None if value == "" else value


def score_of(value: Any) -> float | None:
    """A score: a number or a truth value, which may be written as text; None for anything else."""
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
    """Whether something is said under `error`; a table may have nan there for nothing."""
    return bool(value) and not isinstance(value, float)


def part_of(record: Mapping[str, Any], name: str) -> dict[str, Any]:
    """An object inside a record, which a table may have spread over columns: `name.key`."""
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
    """A name for whatever a question asks: its text, cut short and marked if it is long."""
    text = text_or_none(value) or ""
    if len(text) <= _LONGEST_NAME:
        return text
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{text[:_LONGEST_NAME]}… ({mark})"


def label_value(label: str) -> float | None:
    """What a label says of an answer, where it is one of the usual words; None if it is not."""
    word = label.strip().lower()
    return 1.0 if word in _GOOD else 0.0 if word in _BAD else None


class Scores:
    """The scores of a trial by name; one that is given several times is their mean."""

    __slots__ = ("_values", "labels")

    def __init__(self) -> None:
        self._values: dict[str, list[float | None]] = {}
        self.labels: set[str] = set()  # names whose values are words

    def add(self, name: str, value: Any) -> None:
        """One value: a number, a truth value, or a label."""
        number = score_of(value)
        if number is None and isinstance(value, str):
            number = label_value(value)
            self.labels.add(name)
        self._values.setdefault(name, []).append(number)

    def fill(self, other: "Scores") -> None:
        """Take from others the scores whose names are not here."""
        for name in other.names:
            if name not in self._values:
                self._values[name] = other._values[name]
                self.labels |= other.labels & {name}

    @property
    def names(self) -> Iterable[str]:
        """Names, in the order they came."""
        return self._values

    def several(self, name: str) -> bool:
        """Whether there are values that differ."""
        return len(self._values.get(name, ())) > 1 and len(set(self._numbers(name))) > 1

    def of(self, name: str) -> float | None:
        """The mean of the values that are numbers; None without one."""
        values = self._values.get(name, ())
        if len(values) == 1:
            return values[0]
        numbers = self._numbers(name)
        return math.fsum(numbers) / len(numbers) if numbers else None

    def _numbers(self, name: str) -> list[float]:
        return [value for value in self._values.get(name, ()) if value is not None]


def score_names(each: Iterable[Scores]) -> list[str]:
    """Names of scores, those that most trials have first."""
    often: Counter[str] = Counter(chain.from_iterable(scores.names for scores in each))
    return [name for name, _ in often.most_common()]


def remarks_on_scores(each: Sequence[Scores], name: str, platform: str) -> Iterator[str]:
    """What was taken for a number though it is none, or is more than one."""
    differ = sum(scores.several(name) for scores in each)
    if differ:
        yield warning(
            f"{differ} trials have several values of {name!r} that differ; their mean is taken, as "
            f"{platform} shows it."
        )
    if any(name in scores.labels for scores in each):
        yield guess(
            f"Outcomes: {name!r} is given in words; such as true, yes, pass and correct are right, "
            f"false, no, fail and incorrect are wrong, and others are no score"
        )
