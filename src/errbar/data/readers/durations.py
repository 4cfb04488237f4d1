"""Durations of trials in seconds."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from errbar.data.readers.documents import numbers_or_none

_MILLISECONDS = 1000.0


def seconds_of(milliseconds: Sequence[Any]) -> list[float | None]:
    """Milliseconds as seconds; None where there is no number.

    Examples
    --------
    >>> seconds_of([1500, None])
    [1.5, None]
    """
    numbers = numbers_or_none(milliseconds)
    return [None if number is None else number / _MILLISECONDS for number in numbers]


def seconds_between(start: Any, end: Any) -> float | None:
    """Seconds between two times in ISO 8601; None if either is missing.

    Examples
    --------
    >>> seconds_between("2026-01-02T03:04:05Z", "2026-01-02T03:05:05.5Z")
    60.5
    """
    try:
        found = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    except (TypeError, ValueError):
        return None
    return found.total_seconds()
