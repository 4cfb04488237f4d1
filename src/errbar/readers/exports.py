"""Exports of platforms: records in an array, on lines, in a page of an API, or in a CSV file.

A cell of a CSV file is text as it is written; only objects and lists in JSON are parsed, so that an
id of 007 or 1.50 stays one.
"""

import csv
import gzip
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.errors import InputError
from errbar.readers.base import Glance
from errbar.readers.documents import (
    document,
    lines,
    list_in,
    number_or_none,
    require_list,
    require_object,
)

_LONGEST_CELL = 1 << 27  # characters; Python's own limit is 131,072, and answers may be longer
_WORDS = {"true": 1.0, "false": 0.0}


def records(path: Path, *pages: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each record stands, and the record.

    `pages` are the keys under which an object holds its records; without one of them an object is
    a record itself.
    """
    glance = Glance(path)
    if glance.shape == "lines":
        for at, row in lines(path):
            yield f"{path}, line {at}", row
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
        yield f"{place}[{at}]", require_object(row, f"{place}[{at}]")


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
    """What a cell holds: nothing, an object or a list, else text as it is written."""
    word = cell.strip()
    if word[:1] in ("{", "["):
        try:
            return json.loads(word)
        except (ValueError, RecursionError):
            return cell
    return cell if word else None


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


def first_of(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value under the first of these names that has one."""
    return next((record[name] for name in names if record.get(name) is not None), None)
