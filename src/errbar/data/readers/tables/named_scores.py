"""Lists of scores with their names, as objects: `[{"name": "accuracy", "value": 1}, …]`.

Such a list holds what several scorers say of one response. Its entries are no trials.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from errbar.data.columns import SCORERS, SCORES, named_like, plain_name
from errbar.data.readers.tables.column_choice import names_in_parts
from errbar.data.readers.tables.derived_columns import Flat

_NAMES = SCORERS | {"name", "key", "type"}
_VALUES = frozenset({"value", "score", "rating", "grade", "result", "passed", "correct"})
_LOOKED_AT = 500  # rows inspected to classify a column


def with_named_scores(flat: Flat) -> Flat:
    """Columns of lists of named scores as columns of objects, with a score under each name.

    Examples
    --------
    >>> with_named_scores({"scores": [[{"name": "exact", "value": 1}]]})
    {'scores': [{'exact': 1}]}
    """
    found = {}
    for name in flat:
        if plain_name(str(name).rpartition(".")[2]) not in SCORES:
            continue
        keys = _keys_of(flat[name][:_LOOKED_AT])
        if keys is not None:
            found[name] = [_as_object(value, *keys) for value in flat[name]]
    return {**flat, **found} if found else flat


def _keys_of(lists: Sequence[Any]) -> tuple[str, str] | None:
    """The key of the name and that of the score, if every entry has both and names differ."""
    some = [value for value in lists if value is not None]
    if not some or not all(isinstance(value, list) for value in some):
        return None
    entries = [entry for value in some for entry in value]
    if not entries or not all(isinstance(entry, Mapping) for entry in entries):
        return None
    names, values = (named_like(entries[0], known) for known in (_NAMES, _VALUES))
    if not names or not values:
        return None
    name, score = names[0], values[0]
    if not all(isinstance(entry.get(name), str) and score in entry for entry in entries):
        return None
    apart = all(len({entry[name] for entry in value}) == len(value) for value in some)
    return (name, score) if apart else None


def _as_object(value: Any, name: str, score: str) -> dict[str, Any]:
    entries = value if isinstance(value, list) else []
    return {str(entry.get(name)): entry.get(score) for entry in entries}


def is_numbered(lists: Sequence[Sequence[Mapping[str, Any]]], keys: Collection[str]) -> bool:
    """Whether a field numbers or names the entries, as the turns of a conversation; not as trials.

    Its values differ within a list and are the same in all lists.
    """
    longest = max(lists, key=len)
    for key in keys:
        values = [str(entry.get(key)) for entry in longest]
        repeats = len(values) == 1 or len(set(values)) < len(values)
        if repeats or any(names_in_parts([key], meaning) for meaning in ("trial", "outcome")):
            continue
        if all(
            [str(entry.get(key)) for entry in entries] == values[: len(entries)]
            for entries in lists
        ):
            return len(lists) > 1
    return False
