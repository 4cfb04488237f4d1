"""Equality of records of numbers, on every Python: nan equals nan.

Dataclasses compared their fields as tuples, where one nan equals itself, until Python 3.12, and
compare them one by one since Python 3.13, where a record with a nan no longer equals its copy.
"""

import math
from dataclasses import fields
from typing import Any


class EqualByValue:
    """Equality and hash of a dataclass by its fields; its decorator says `eq=False`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, eq=False)
    ... class Score(EqualByValue):
    ...     value: float
    >>> Score(float("nan")) == Score(math.nan), Score(0.5) == Score(0.25)
    (True, False)
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return _values(self) == _values(other)

    def __hash__(self) -> int:
        return hash(_values(self))


def _values(record: Any) -> tuple[Any, ...]:
    values = (getattr(record, field.name) for field in fields(record))
    return tuple(
        None if isinstance(value, float) and math.isnan(value) else value for value in values
    )
