"""JSON parsing by msgspec, with the standard library as the fallback.

This is the only module that parses JSON. What msgspec refuses, such as NaN, is parsed by `json`,
so that the errors and the accepted syntax are those of `json.loads`.
"""

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

JSONDecodeError = json.JSONDecodeError
parse_next = json.JSONDecoder().raw_decode  # (text, start) -> (document, end)

Text = str | bytes | msgspec.Raw

_decode: Callable[[Text], Any] = msgspec.json.Decoder().decode
_split: Callable[[bytes], list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw]).decode
_decode_lines: Callable[[bytes], list[Any]] = msgspec.json.Decoder().decode_lines
_REFUSED = (msgspec.MsgspecError, ValueError, RecursionError)


def parse(text: Text, constant: Callable[[str], Any] | None = None) -> Any:
    """Return the value of a JSON document, with the errors of `json.loads`.

    Bytes are decoded as UTF-8. `constant` converts NaN, Infinity and -Infinity.
    """
    try:
        return _decode(text)
    except _REFUSED:
        decoded = text if isinstance(text, str) else bytes(text).decode("utf-8-sig")
    return json.loads(decoded, parse_constant=constant)


def parse_lines(raw: bytes) -> list[Any] | None:
    """Return the values of newline-delimited documents; None if msgspec refuses any of them."""
    try:
        return _decode_lines(raw)
    except _REFUSED:
        return None


def parse_elements(raw: bytes) -> Iterator[Any] | None:
    """Iterate over the elements of an array, parsing each on demand; None if it is no array.

    If an element is malformed, `parse` of the whole array gives the position of the error.
    """
    try:
        pieces = _split(raw)
    except _REFUSED:
        return None
    return map(parse, pieces)


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
