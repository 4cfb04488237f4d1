"""Confidence signals that a run saves for the items of a questionnaire.

Older runs save one number per item, `evidence_counts`, the number of quotes the model found. Later
runs save several under `item_signals`, among them the same count as `llm_evidence_count`. One of
them ranks the items. Only its order matters, so a signal that is lower for surer items is negated.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from errbar.base.remarks import Above, guess, setting, some_of
from errbar.errors import InputError

USUAL_SIGNAL = "llm_evidence_count"
_OLDER = "evidence_counts"  # the same count in older runs
_SIGNALS = "item_signals"

# Entropy, the spread over repeated answers, and the share of them that declined.
_LOWER_IS_SURER = ("token_pe", "consistency_score_std", "consistency_na_rate")

# Defaults for missing values: no evidence, no similarity, and the middle of a scale from 1 to 5.
# Other signals have no default.
_IF_ABSENT = {
    USUAL_SIGNAL: 0.0,
    "keyword_evidence_count": 0.0,
    "retrieval_reference_count": 0.0,
    "retrieval_similarity_mean": 0.0,
    "retrieval_similarity_max": 0.0,
    "verbalized_confidence": 3.0,
}


@dataclass(frozen=True, slots=True)
class Signal:
    """The signal that ranks the items, and whether lower values are surer."""

    name: str
    lower_is_surer: bool = False

    @classmethod
    def parse(cls, text: str | None) -> Self:
        """Parse a signal name; `-name` means that lower is surer, the default for some signals.

        Examples
        --------
        >>> Signal.parse("token_pe")
        Signal(name='token_pe', lower_is_surer=True)
        >>> Signal.parse("-surprise")
        Signal(name='surprise', lower_is_surer=True)
        """
        name = (text or USUAL_SIGNAL).removeprefix("-")
        if name == _OLDER:
            name = USUAL_SIGNAL
        return cls(name, name in _LOWER_IS_SURER or (text or "").startswith("-"))

    @property
    def if_absent(self) -> float | None:
        """Default for a missing value; None if there is none."""
        return _IF_ABSENT.get(self.name)

    def confidence(self, row: Mapping[str, Any], item: str, where: str) -> float | None:
        """Signal of an item as a number; None if it was not saved."""
        signals = _object(row, _SIGNALS, where).get(item) or {}
        if not isinstance(signals, dict):
            place = f"{where}.{_SIGNALS}[{item!r}]"
            raise InputError(f"{place} must be an object; got {shown(signals)}.")
        if self.name in signals:
            value = number(signals[self.name], f"{where}.{_SIGNALS}[{item!r}].{self.name}")
        elif self.name == USUAL_SIGNAL:
            value = number_of(_object(row, _OLDER, where), item, f"{where}.{_OLDER}")
        else:
            value = None
        return value

    def ranked(self, values: Sequence[float | None]) -> Sequence[float | None]:
        """Values with the sign that makes higher mean surer."""
        return [-value if value else value for value in values] if self.lower_is_surer else values

    def values(self, row: Mapping[str, Any], items: list[str], where: str) -> Iterable[Any]:
        """Signals of all items of a participant as saved, not validated."""
        if self.name == USUAL_SIGNAL and not (_SIGNALS in row and _object(row, _SIGNALS, where)):
            counts = row.get(_OLDER)
            if type(counts) is not dict:
                counts = _object(row, _OLDER, where)
            return counts.values() if list(counts) == items else map(counts.get, items)
        return [self.confidence(row, item, where) for item in items]

    def remark(self, found: tuple[str, ...]) -> Above:
        """Guess that says which signal is used and which others exist."""
        others = [name for name in found if name != self.name]
        also = f" (also: {some_of(others, 20)})" if others else ""
        surer = ", where lower is surer" if self.lower_is_surer else ""
        reversed_ = self.name if self.lower_is_surer else f"-{self.name}"
        other = others[0] if others else reversed_
        return guess(
            f"Confidence: {self.name}{surer}{also}",
            option=f"--signal {other}",
            argument=f"signal={other!r}",
        )

    def not_there(self, found: tuple[str, ...]) -> str:
        """Message for a missing signal, with advice."""
        saved = f"{self.name} in {_SIGNALS}"
        saved += f" or {_OLDER}" if self.name == USUAL_SIGNAL else ""
        if found:
            other = setting("signal", found[0])
            advice = f"There are: {', '.join(found)}; choose one, for example {other}."
        else:
            advice = "Runs that save a signal can be."
        return (
            f"No participant has {saved}, so the confidence of the system is unknown and its "
            f"answers cannot be ranked. {advice}"
        )


def note_signals(row: Mapping[str, Any], known: dict[str, None]) -> None:
    """Add the names of a participant's numeric signals to `known`."""
    signals, counts = row.get(_SIGNALS), row.get(_OLDER)
    if signals is None and USUAL_SIGNAL in known:
        return
    for values in signals.values() if isinstance(signals, dict) else ():
        if isinstance(values, dict):
            known |= dict.fromkeys(name for name, value in values.items() if _is_number(value))
    if USUAL_SIGNAL not in known and isinstance(counts, dict):
        known |= dict.fromkeys([USUAL_SIGNAL] if any(map(_is_number, counts.values())) else [])


def number(value: Any, where: str) -> float | None:
    """Validate a finite number or null."""
    if value is None:
        return None
    if not _is_number(value):
        raise InputError(f"{where} must be a number or null; got {shown(value)}.")
    return float(value)


def numbers(values: Sequence[Any]) -> list[float | None] | None:
    """Apply `number` to all values at once; None if one of them is not a number."""
    kinds = set(map(type, values))
    if not kinds <= {int, float, type(None)}:
        return None
    try:
        if type(None) in kinds:
            found = [None if value is None else float(value) for value in values]
        else:
            found = list(map(float, values))
    except OverflowError:
        return None
    finite = float not in kinds or all(value is None or math.isfinite(value) for value in found)
    return found if finite else None


def number_of(part: Mapping[str, Any], item: str, where: str) -> float | None:
    """The number of an item; its position is formatted only for an error."""
    value: Any = part.get(item)
    return float(value) if _is_number(value) else number(value, f"{where}[{item!r}]")


def shown(value: Any) -> str:
    """A value for a message."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer too large for a float
        return False


def _object(row: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """An optional object."""
    value = row.get(key)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{where}.{key} must be an object; got {shown(value)}.")
    return value
