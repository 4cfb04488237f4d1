"""Objects of JSON documents: what their keys mean, and which rows are in them."""

from collections.abc import Mapping, Sequence
from typing import Any

from errbar.data.column_names import plain_name
from errbar.data.outcomes import USUAL, USUAL_COUNTS, are_counts

Record = Mapping[str, Any]

LOOKED_AT = 200  # rows that say what a list holds
_MEANINGS = {
    plain_name(name): meaning
    for meaning, names in reversed([*USUAL.items(), ("trials", USUAL_COUNTS["trials"])])
    for name in (meaning, *names)
}


def has_outcome(value: Any) -> bool:
    """Whether an object has a column of outcomes, or counts."""
    if not isinstance(value, dict):
        return False
    if are_counts(value, {}):
        return True
    for name, one in value.items():
        if meaning_of(name) == "outcome" and not isinstance(one, dict):
            return True
        if isinstance(one, dict) and any(meaning_of(part) == "outcome" for part in one):
            return True
    return False


def meaning_of(name: object) -> str | None:
    """What a usual name of a column means."""
    return _MEANINGS.get(plain_name(str(name)))


def with_names(value: Record, records: Sequence[Record]) -> Sequence[Record]:
    """Records with the system and the task that stand beside them, where they name none."""
    beside = {
        name: one
        for name, one in value.items()
        if isinstance(one, str) and meaning_of(name) in ("system", "task")
    }
    if not beside:
        return records
    return [{**beside, **record} for record in records]


def listed(names: Sequence[str] | Mapping[str, Any]) -> str:
    """The first of some names, and how many more there are."""
    shown = [str(name) for name in names]
    return ", ".join(shown[:6]) + (f" and {len(shown) - 6} more" if len(shown) > 6 else "")
