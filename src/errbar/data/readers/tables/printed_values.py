"""Lists and objects that are stored as text: as JSON, or as Python and NumPy print them."""

import re
from ast import literal_eval
from typing import Any

import numpy as np

from errbar.data.readers.documents import parse
from errbar.data.readers.tables.derived_columns import Flat


def parse_columns(flat: Flat) -> Flat:
    """Parse columns of JSON text; leave others unchanged."""
    return {name: _from_text(column) for name, column in flat.items()}


_ARRAY = re.compile(r"\s*\[\s*-?[\d.]+([eE][-+]?\d+)?(\s+-?[\d.]+([eE][-+]?\d+)?)*\s*\]\s*")
_NUMBERS = re.compile(r"(?<=[\d.])\s+(?=[-\d.])")  # between the numbers of [1 0 1]


def _from_text(column: list[Any]) -> list[Any]:
    filled = (value for value in column if value is not None and (type(value) is not str or value))
    first = next(filled, None)
    if isinstance(first, np.ndarray):
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in column]
    if not isinstance(first, str) or not first.lstrip().startswith(("[", "{")):
        return column
    return [_json_in(value) for value in column]


def _json_in(value: Any) -> Any:
    """Parse JSON, or a list or object as Python or NumPy prints it; keep other text."""
    if not isinstance(value, str):
        return value
    text = _NUMBERS.sub(", ", value) if _ARRAY.fullmatch(value) else value
    for read in (parse, literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list | dict) else value
    return value
