"""Rows of JSON documents that stand beside what sums them up.

    {"gpt": {"accuracy": 0.55, "results": [rows]}, …}
    {"model": "gpt", "tasks": {"gsm8k": {"acc": 0.55, "samples": [rows]}, …}}

The rows are the data, and what is stated beside them is not scored.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from errbar.data.json_fields import LOOKED_AT, Record, has_outcome, listed, meaning_of, with_names
from errbar.remarks import Above, guess


class Document(NamedTuple):
    """The records of a document, and what was made of it."""

    records: Sequence[Record]
    remarks: list[Above]
    flags: tuple[str, ...] = ()  # the keys of a document that has an outcome under each


def rows_by_key(value: Record) -> Document | None:
    """Objects that have a list of rows each, by system or by task, perhaps under another key.

    What stands beside the rows, as their accuracy does, is not scored.
    """
    objects = {key: one for key, one in value.items() if isinstance(one, dict)}
    found = {key: rows for key, one in objects.items() if (rows := _only_scored_list(one))}
    if found and len(found) == len(value):
        return _with_keys("system", found, objects)
    for key, one in objects.items():
        inside = rows_by_key(one) if len(found) == 0 else None
        if inside is not None:
            names = {meaning_of(name) for name in value if isinstance(value[name], str)}
            if "system" in names or meaning_of(str(key).removesuffix("s")) == "task":
                parts = {name: _only_scored_list(part) or ("", []) for name, part in one.items()}
                inside = _with_keys("task", parts, one)
            return inside._replace(records=with_names(value, inside.records))
    return None


def _only_scored_list(value: Record) -> tuple[str, Sequence[Record]] | None:
    """The only list of rows with outcomes in an object, and its key."""
    lists = [
        (str(key), one)
        for key, one in value.items()
        if isinstance(one, list) and one and all(map(has_outcome, one[:LOOKED_AT]))
    ]
    return lists[0] if len(lists) == 1 else None


def _with_keys(
    meaning: str, lists: Mapping[str, tuple[str, Sequence[Record]]], objects: Mapping[str, Any]
) -> Document:
    """The rows of several lists, with the key of each; and what stands beside them."""
    records = [
        {meaning: str(key), **row}
        for key, (_, rows) in lists.items()
        for row in with_names(objects[key], rows)
    ]
    names = listed(list(dict.fromkeys(name for name, _ in lists.values())))
    beside = {
        name
        for one in objects.values()
        for name, number in one.items()
        if isinstance(number, int | float) and not isinstance(number, bool)
    }
    stated = f"; stated beside them and not scored: {listed(sorted(beside))}" if beside else ""
    said = f"Rows: the lists under {names!r}; {meaning}s are the keys ({listed(lists)}){stated}"
    return Document(records, [guess(said)])
