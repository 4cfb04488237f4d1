"""What is written in and around pictures: titles, intervals in words, and names that fit."""

import textwrap
from collections.abc import Iterable, Sequence

from errbar.estimate import Interval
from errbar.tables import percent, printable, supported

_LONGEST, _TAIL = 42, 18  # letters of a name that are shown, and how many of them are its last
_LINE = 104  # letters of a line above a picture


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names by what is shown of them: on one line, not too long, and no two alike.

    Examples
    --------
    >>> short_names(["small", "x" * 60])["x" * 60]
    'xxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxx'
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        text = printable(name)
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - _TAIL - 1]}…{text[-_TAIL:]}"
        unique, number = text, 1
        while unique in taken:
            number += 1
            unique = f"{text} ({number})"
        taken.add(unique)
        found[name] = unique
    return found


def covering(intervals: Sequence[tuple[str, Interval]], noun: str = "intervals") -> list[str]:
    """What intervals are for, each with what it is of; of which, where they are not all alike."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for of, one in intervals:
        kinds.setdefault((percent(one.level), one.covers.words), []).append(of)
    if len(kinds) == 1:
        ((level, words),) = kinds
        return [f"{level} {noun}, for {words}"]
    return [
        f"{', '.join(dict.fromkeys(of))}: {level} {noun}, for {words}"
        for (level, words), of in kinds.items()
    ]


def lines(sentences: Iterable[str]) -> list[str]:
    """Sentences on lines that are not too long."""
    return [
        line for one in sentences if one for line in textwrap.wrap(printable(one), _LINE) or [""]
    ]


def with_ends(value: float, sd: float, interval: Interval) -> str:
    """A number with its interval, to the digits that are known."""
    known = sd if sd == sd else (interval.high - interval.low) / 4  # noqa: PLR0124  not nan
    value_text, low, high = (supported(x, known) for x in (value, interval.low, interval.high))
    return f"{value_text} [{low}, {high}]".replace("-", "−")
