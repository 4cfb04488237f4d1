"""JSON parsed into the fields that a reader uses.

A reader that needs a few fields of every record declares them as a `Part` and parses into its
`Shape`: the other fields are skipped, which takes half the time and a part of the memory. What
msgspec refuses is parsed by `documents` and converted, so that the errors are the same.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from errbar.data.readers.documents import (
    REFUSED,
    bytes_of,
    elements_in,
    lines_in_turn,
    parsed,
    parsed_batches,
)
from errbar.errors import InputError

# A field of type `Part | Other`, or `list[Part | Other] | OtherThanList`, accepts any JSON.
Scalar = None | bool | int | float | str
Other = Scalar | list[Any]
OtherThanList = Scalar | dict[str, Any]
T = TypeVar("T")
field = msgspec.field
UNSET = msgspec.UNSET  # the default of a field whose absence matters
UnsetType = msgspec.UnsetType
encoded = msgspec.json.Encoder(order="sorted").encode  # a value as JSON, equal for equal values


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
