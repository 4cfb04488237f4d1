"""JSON as logs hold it: whole documents or one on each line, and what must be in them."""

import gzip
import json
import math
import os
import re
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from errbar.base.json_text import JSONDecodeError, parse, parse_elements, parse_next
from errbar.errors import InputError

_LARGEST = 1 << 32  # bytes of one document
_MOST_PACKED = 1000  # times that a compressed one may grow
_STEP = 1 << 20
_NUMBERS = (float, int)  # and truth values, which are whole numbers to Python
_MOST = sys.float_info.max
_as_text = json.JSONEncoder(ensure_ascii=False, default=str).encode

# An array that is not empty begins, and what stands between its parts or after the last one.
_BEGIN = re.compile(r"[ \t\n\r]*\[[ \t\n\r]*(?!\])(?=.)", re.DOTALL)
_BETWEEN = re.compile(r"[ \t\n\r]*([,\]])[ \t\n\r]*")


def document(path: Path) -> Any:
    """A file that is one JSON document."""
    return parsed(_bytes_of(path), str(path))


def elements(path: Path) -> Iterator[Any]:
    """The parts of a file that is one JSON array, of which only one is held at a time."""
    raw = _bytes_of(path)
    parts = parse_elements(raw)
    if parts is None:
        yield from _elements_as_json(raw, path)
        return
    try:
        yield from parts
    except (ValueError, RecursionError) as error:
        parsed(raw, str(path))  # says where it is broken
        raise InputError(f"{path}: it is not one JSON array.") from error


def _elements_as_json(raw: bytes, path: Path) -> Iterator[Any]:
    """The parts of an array with values that only `json` reads, up to where it is broken."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    begin = _BEGIN.match(text)
    if begin is None:  # it is empty, no array, or broken
        yield from require_list(parsed(raw, str(path)), str(path))
        return
    del raw
    place, mark = begin.end(), ","
    while mark == ",":
        try:
            value, place = parse_next(text, place)
        except (ValueError, RecursionError):
            break
        yield value
        found = _BETWEEN.match(text, place)
        if found is None:
            break
        place, mark = found.end(), found[1]
    if mark != "]" or place != len(text):
        parsed(text.encode(), str(path))  # says where it is broken
        raise InputError(f"{path}: it is not one JSON array.")


def _bytes_of(path: Path) -> bytes:
    most = _LARGEST
    try:
        with open(path, "rb", buffering=0) as file:  # a buffer takes a third of a small file's time
            size = os.fstat(file.fileno()).st_size
            if path.name.endswith(".gz"):
                most = min(_LARGEST, max(_STEP, size * _MOST_PACKED))
                with gzip.open(file, "rb") as packed:
                    raw = _unpacked(packed, most)
            else:
                raw = file.readall() if size <= most else b""
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    if max(size, len(raw)) > most:
        raise InputError(f"{path}: a JSON document of more than {most:,} bytes is too large.")
    return raw


def _unpacked(packed: gzip.GzipFile, most: int) -> bytes:
    """What a compressed file holds, or somewhat more than so many bytes of it."""
    parts, size = [], 0
    while size <= most and (part := packed.read(_STEP)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def object_of(path: Path) -> dict[str, Any]:
    """A file that is one object of JSON."""
    return require_object(document(path), str(path))


def lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file with one on each line, and the number of the line."""
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as file:
            for at, raw in enumerate(file, start=1):
                try:
                    value = parse(raw)
                except (ValueError, RecursionError):
                    value = None
                if type(value) is dict:
                    yield at, value
                elif raw.strip():
                    where = f"{path}, line {at}"
                    yield at, require_object(parsed(raw, where), where)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error


def parsed(raw: bytes, where: str) -> Any:
    """A JSON document; an error says where in the file it breaks off."""
    try:
        return parse(raw)
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: it is not text in UTF-8 (byte {error.start}).") from error
    except JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{where}: it is not JSON; {error.msg} at {place}.") from error
    except RecursionError as error:
        raise InputError(f"{where}: its parts are nested too deeply.") from error
    except ValueError as error:  # of a whole number with thousands of digits
        raise InputError(f"{where}: {error}.") from error


def require_object(value: Any, where: str) -> dict[str, Any]:
    """An object of JSON."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: an object is expected; this is {_short(value)}.")
    return value


def require_list(value: Any, where: str) -> list[Any]:
    """An array of JSON."""
    if not isinstance(value, list):
        raise InputError(f"{where}: an array is expected; this is {_short(value)}.")
    return value


def require_key(value: Mapping[str, Any], key: str, where: str) -> Any:
    """What stands under a key, which must be there."""
    if value.get(key) is None:
        raise InputError(f"{where}: there is no {key!r}.")
    return value[key]


def object_in(whole: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object inside another; empty if there is none."""
    part = whole.get(key)
    return part if isinstance(part, dict) else {}


def list_in(whole: Mapping[str, Any], key: str) -> list[Any]:
    """An array inside an object; empty if there is none."""
    part = whole.get(key)
    return part if isinstance(part, list) else []


def name_of(value: Any, where: str) -> str:
    """The id of a question: text as it is, whole numbers as they are written."""
    if isinstance(value, str):
        return value
    if is_whole(value):
        return str(value)
    raise InputError(f"{where}: an id is text or a whole number; this is {_short(value)}.")


def names_of(values: Sequence[Any], where: str) -> list[str]:
    """The ids of questions, as `name_of` has each; what is text already is taken at once."""
    if set(map(type, values)) <= {str}:
        return list(values)
    return [name_of(value, where) for value in values]


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether it is a whole number, which a truth value is not."""
    return isinstance(value, int) and not isinstance(value, bool)


def number_or_none(value: Any) -> float | None:
    """A number or truth value as a float; None for anything else, nan and infinity."""
    if isinstance(value, _NUMBERS) and -_MOST <= value <= _MOST:
        return float(value)
    return None


def truth_or_none(value: Any, where: str) -> float | None:
    """True and 1 as 1, false and 0 as 0, nothing as None; refused if it is anything else."""
    if value is None:
        return None
    if isinstance(value, _NUMBERS) and value in (0, 1):
        return float(value)
    raise InputError(f"{where}: true or false is expected; this is {_short(value)}.")


def text_or_none(value: Any) -> str | None:
    """An answer or a target as text: what is not text as it would stand in JSON."""
    if value is None or isinstance(value, str):
        return value
    return str(value) if is_whole(value) else _as_text(value)


def numbers_or_none(values: Sequence[Any]) -> list[float | None]:
    """Each as a number, as `number_or_none` has it; what is of one type is turned at once."""
    kinds = set(map(type, values))
    if kinds <= {bool} or (kinds == {float} and all(map(math.isfinite, values))):
        return list(map(float, values))
    if kinds == {int} and min(values) >= -_MOST and max(values) <= _MOST:
        return list(map(float, values))
    return list(map(number_or_none, values))


def texts_or_none(values: Sequence[Any]) -> list[str | None]:
    """Each as text, as `text_or_none` has it; what is text already is taken at once."""
    if set(map(type, values)) <= {str}:
        return list(values)
    return list(map(text_or_none, values))


def _short(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"an {'object' if isinstance(value, dict) else 'array'} of {len(value)}"
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"
