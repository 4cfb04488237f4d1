"""JSON text to values: the only place that parses JSON, with the garbage collector paused."""

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

JSONDecodeError = json.JSONDecodeError
parse_next = json.JSONDecoder().raw_decode  # the document that begins at a position, and its end

Text = str | bytes | msgspec.Raw

_decode: Callable[[Text], Any] = msgspec.json.Decoder().decode
_split: Callable[[bytes], list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_lines: Callable[[bytes], list[Any]] = msgspec.json.Decoder().decode_lines
_REFUSED = (msgspec.MsgspecError, ValueError, RecursionError)


def parse(text: Text, constant: Callable[[str], Any] | None = None) -> Any:
    """The value of a JSON document; raises what `json.loads` raises.

    Bytes are text in UTF-8. `constant` says what NaN, Infinity and -Infinity become.
    """
    try:
        return _decode(text)
    except _REFUSED:
        whole = text if isinstance(text, str) else bytes(text).decode("utf-8-sig")
    return json.loads(whole, parse_constant=constant)


def parse_lines(raw: bytes) -> list[Any] | None:
    """The values of documents that stand one after the other; None if msgspec refuses any."""
    try:
        return _decode_lines(raw)
    except _REFUSED:
        return None


def parse_elements(raw: bytes) -> Iterator[Any] | None:
    """The elements of an array, each parsed when it is asked for; None if msgspec sees no array.

    Where an element is broken, `parse` of the whole array says at which place.
    """
    try:
        pieces = _split(raw)
    except _REFUSED:
        return None
    return map(parse, pieces)


@contextmanager
def paused_collector() -> Iterator[None]:
    """No search for cycles while it lasts, if there was one before."""
    searches = gc.isenabled()
    if searches:
        gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()
