"""Read JSON documents and JSON lines, whole or only the fields that a reader uses.

This is the only module that parses JSON, with msgspec. What msgspec refuses, such as NaN, is parsed
by `json`, so that the errors and the accepted syntax are those of `json.loads`.

A reader that needs a few fields of every record declares them as a `Part` and parses into its
`Shape`: the other fields are skipped, which takes half the time and a part of the memory.
"""

import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeGuard, TypeVar

import msgspec

from errbar.data.readers.file_content import batches_of_lines, bytes_of
from errbar.errors import InputError

JsonObject = Mapping[str, Any]
JSONDecodeError = json.JSONDecodeError
parse_next = json.JSONDecoder().raw_decode  # (text, start) -> (document, end)

Text = str | bytes | msgspec.Raw

_decode: Callable[[Text], Any] = msgspec.json.Decoder().decode
_split: Callable[[bytes], list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_lines: Callable[[bytes], list[Any]] = msgspec.json.Decoder().decode_lines
REFUSED = (msgspec.MsgspecError, ValueError, RecursionError)

_NUMBERS = (float, int)  # bool is a subclass of int
_MOST = sys.float_info.max
T = TypeVar("T")
_as_text = json.JSONEncoder(ensure_ascii=False, default=str).encode

# A field of type `Part | Other`, or `list[Part | Other] | OtherThanList`, accepts any JSON.
Scalar = None | bool | int | float | str
Other = Scalar | list[Any]
OtherThanList = Scalar | dict[str, Any]
field = msgspec.field
UNSET = msgspec.UNSET  # the default of a field whose absence matters
UnsetType = msgspec.UnsetType
entries_in = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode  # values as they are written
encoded = msgspec.json.Encoder(order="sorted").encode  # a value as JSON, equal for equal values

# The start of a nonempty array, and the separator or end after an element.
_BEGIN = re.compile(r"[ \t\n\r]*\[[ \t\n\r]*(?!\])(?=.)", re.DOTALL)
_BETWEEN = re.compile(r"[ \t\n\r]*([,\]])[ \t\n\r]*")


def parse(text: Text, constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value of a JSON document, with the errors of `json.loads`.

    Bytes are decoded as UTF-8. `constant` converts NaN, Infinity and -Infinity.
    """
    try:
        return _decode(text)
    except REFUSED:
        decoded = text if isinstance(text, str) else bytes(text).decode("utf-8-sig")
    return json.loads(decoded, parse_constant=constant)


def parse_lines(raw: bytes) -> list[Any] | None:
    """Return the values of newline-delimited documents; None if msgspec refuses any of them."""
    try:
        return _decode_lines(raw)
    except REFUSED:
        return None


def parse_elements(raw: bytes) -> Iterator[Any] | None:
    """Iterate over the elements of an array, parsing each on demand; None if it is no array.

    If an element is malformed, `parse` of the whole array gives the position of the error.
    """
    try:
        pieces = _split(raw)
    except REFUSED:
        return None
    return map(parse, pieces)


def document(path: Path) -> Any:
    """Read a file as one JSON document."""
    return parsed(bytes_of(path), str(path))


def elements(path: Path) -> Iterator[Any]:
    """Iterate over the elements of a JSON array in a file, one at a time."""
    return elements_in(bytes_of(path), str(path))


def elements_in(raw: bytes, where: str) -> Iterator[Any]:
    """Iterate over the elements of a JSON array, one at a time."""
    parts = parse_elements(raw)
    if parts is None:
        yield from _elements_as_json(raw, where)
        return
    try:
        yield from parts
    except (ValueError, RecursionError) as error:
        parsed(raw, where)  # raises an error with the position
        raise InputError(f"{where}: this is not a JSON array.") from error


def _elements_as_json(raw: bytes, where: str) -> Iterator[Any]:
    """Elements of an array with values that only `json` can parse, up to the first error."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = ""
    begin = _BEGIN.match(text)
    if begin is None:  # empty, not an array, or invalid
        yield from require_list(parsed(raw, where), where)
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
        parsed(text.encode(), where)  # raises an error with the position
        raise InputError(f"{where}: this is not a JSON array.")


def object_of(path: Path) -> dict[str, Any]:
    """Read a file as one JSON object."""
    return require_object(document(path), str(path))


def lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON-lines file, with their line numbers."""
    for at, batch, values in parsed_batches(path, _decode_lines):
        yield from enumerate(values, at) if values else lines_in_turn(batch, at, path)


def parsed_batches(
    path: Path, decode_lines: Callable[[bytes], list[T]]
) -> Iterator[tuple[int, bytes, list[T]]]:
    """Batches of lines, the number of the first, and the values, one object on each line.

    There are no values if the lines must be parsed one by one.
    """
    at = 1  # number of the next line
    for batch in batches_of_lines(path):
        size = batch.count(b"\n") + (not batch.endswith(b"\n"))
        values: list[T] = []
        # then every line is an object: within a document no brace follows another without a comma
        if batch.startswith(b"{") and batch.count(b"}\n{") == size - 1:
            try:
                values = decode_lines(batch)
            except REFUSED:
                values = []
        yield at, batch, values if len(values) == size else []
        at += size


def lines_in_turn(batch: bytes, first: int, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of lines parsed one by one, the first of this number."""
    for at, raw in enumerate(io.BytesIO(batch), start=first):
        try:
            value = parse(raw)
        except (ValueError, RecursionError):
            value = None
        if type(value) is dict:
            yield at, value
        elif raw.strip():
            where = f"{path}, line {at}"
            yield at, require_object(parsed(raw, where), where)


@contextmanager
def named_errors(where: str) -> Iterator[None]:
    """Turn errors of parsing JSON into errors that name the place."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: this is not UTF-8 text (byte {error.start}).") from error
    except JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{where}: this is not valid JSON; {error.msg} at {place}.") from error
    except RecursionError as error:
        raise InputError(f"{where}: the JSON is nested too deeply.") from error
    except ValueError as error:  # an integer with thousands of digits
        raise InputError(f"{where}: {error}.") from error


def parsed(raw: bytes, where: str) -> Any:
    """Parse a JSON document; an error has the position in the file."""
    with named_errors(where):
        return parse(raw)


# Fields accept anything but for the objects and arrays that contain them.
_MISMATCH = re.compile(
    r"Expected `(?P<expected>object|array)(?: \| null)?`, got `(?P<value>\w+)`"
    r"(?: - at `\$(?P<place>.*)`)?"
)


class Part(msgspec.Struct, gc=False):
    """The fields of an object that a reader uses, with their defaults; others are not kept."""


class Shape(Generic[T]):
    """The type that a document, an element or a line is parsed into."""

    def __init__(self, kind: Any) -> None:  # a type, or a union of types
        self.kind = kind
        self._single = msgspec.json.Decoder(kind)
        self._list = msgspec.json.Decoder(list[kind])

    def decode(self, raw: bytes) -> T:
        """The value of a document."""
        _require_utf8(raw)
        return self._single.decode(raw)

    def decode_lines(self, raw: bytes) -> list[T]:
        """The values of lines."""
        _require_utf8(raw)
        return self._single.decode_lines(raw)

    def decode_list(self, raw: bytes) -> list[T]:
        """The elements of an array."""
        _require_utf8(raw)
        return self._list.decode(raw)

    def of(self, value: Any, where: str) -> T:
        """The parts of a value that is parsed already."""
        try:
            return msgspec.convert(value, self.kind)
        except msgspec.ValidationError as error:
            found = _MISMATCH.fullmatch(str(error))
            if found is None:
                raise InputError(f"{where}: {error}.") from error
            place = ", ".join(filter(None, (where, (found["place"] or "").lstrip("."))))
            raise InputError(
                f"{place}: expected an {found['expected']}, found {found['value']}."
            ) from error


def _require_utf8(raw: bytes) -> None:
    """Raise an error for bytes that are no text; msgspec does not look at what it skips."""
    if not raw.isascii():
        raw.decode("utf-8")


def document_as(path: Path, shape: Shape[T]) -> T:
    """Read a file as one JSON document of a shape."""
    return parsed_as(bytes_of(path), shape, str(path))


def parsed_as(raw: bytes, shape: Shape[T], where: str) -> T:
    """Parse a JSON document of a shape."""
    try:
        return shape.decode(raw)
    except REFUSED:
        return shape.of(parsed(raw, where), where)


def elements_as(raw: bytes, shape: Shape[T], where: str) -> list[T]:
    """The elements of a JSON array in a shape."""
    try:
        return shape.decode_list(raw)
    except REFUSED:
        each = enumerate(elements_in(raw, where))
        return [shape.of(value, f"{where}, element {at}") for at, value in each]


def lines_as(path: Path, shape: Shape[T]) -> Iterator[list[tuple[int, T]]]:
    """The objects of a JSON-lines file in a shape, with their line numbers, in batches."""
    for at, batch, values in parsed_batches(path, shape.decode_lines):
        if values:
            yield list(enumerate(values, at))
        else:
            rows = lines_in_turn(batch, at, path)
            yield [(line, shape.of(row, f"{path}, line {line}")) for line, row in rows]


def require_object(value: Any, where: str) -> dict[str, Any]:
    """The value, which must be a JSON object."""
    if not isinstance(value, dict):
        raise InputError(f"{where}: expected an object, found {in_short(value)}.")
    return value


def require_list(value: Any, where: str) -> list[Any]:
    """The value, which must be a JSON array."""
    if not isinstance(value, list):
        raise InputError(f"{where}: expected an array, found {in_short(value)}.")
    return value


def require_key(value: Mapping[str, Any], key: str, where: str) -> Any:
    """The value under a required key."""
    if value.get(key) is None:
        raise InputError(f"{where}: there is no {key!r}.")
    return value[key]


def object_in(whole: Mapping[str, Any], key: str) -> dict[str, Any]:
    """An object inside another object; empty if there is none."""
    part = whole.get(key)
    return part if isinstance(part, dict) else {}


def list_in(whole: Mapping[str, Any], key: str) -> list[Any]:
    """An array inside an object; empty if there is none."""
    part = whole.get(key)
    return part if isinstance(part, list) else []


def name_of(value: Any, where: str) -> str:
    """A question id as text: strings unchanged, integers in decimal."""
    if isinstance(value, str):
        return value
    if is_whole(value):
        return str(value)
    raise InputError(f"{where}: an id must be text or an integer; found {in_short(value)}.")


def names_of(values: Sequence[Any], where: str) -> list[str]:
    """Apply `name_of` to all values; fast if all are text already."""
    try:
        "".join(values)  # a TypeError unless all are text; a third of the time of a check of types
    except TypeError:
        return [name_of(value, where) for value in values]
    return list(values)


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether the value is an integer and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def number_or_none(value: Any) -> float | None:
    """A number or truth value as a float; None for anything else, nan and infinity."""
    if isinstance(value, _NUMBERS) and -_MOST <= value <= _MOST:
        return float(value)
    return None


def truth_or_none(value: Any, where: str) -> float | None:
    """True and 1 as 1, false and 0 as 0, null as None; raises an error for anything else."""
    if value is None:
        return None
    if isinstance(value, _NUMBERS) and value in (0, 1):
        return float(value)
    raise InputError(f"{where}: expected true or false, found {in_short(value)}.")


def text_or_none(value: Any) -> str | None:
    """An answer or target as text: strings unchanged, other values as JSON."""
    if value is None or isinstance(value, str):
        return value
    return str(value) if is_whole(value) else _as_text(value)


def numbers_or_none(values: Sequence[Any]) -> list[float | None]:
    """Apply `number_or_none` to all values; fast if all have the same type."""
    kinds = set(map(type, values))
    if kinds == {type(None)}:
        return list(values)
    if kinds <= {bool} or (kinds == {float} and all(map(math.isfinite, values))):
        return list(map(float, values))
    if kinds == {int} and min(values) >= -_MOST and max(values) <= _MOST:
        return list(map(float, values))
    return list(map(number_or_none, values))


def texts_or_none(values: Sequence[Any]) -> list[str | None]:
    """Apply `text_or_none` to all values; fast if all are text or missing."""
    if set(map(type, values)) <= {str, type(None)}:
        return list(values)
    return list(map(text_or_none, values))


def in_short(value: Any) -> str:
    """A value for a message: text of at most 60 letters, or the size of an object or array."""
    if isinstance(value, dict | list):
        return f"an {'object' if isinstance(value, dict) else 'array'} of {len(value)}"
    text = json.dumps(value, default=str)
    return text if len(text) <= 60 else f"{text[:57]}…"
