"""Extract records from JSON documents of any common shape.

    [{"id": 1, "correct": true}, …]             {"results": [{"id": 1, "correct": true}, …]}
    {"q1": true, "q2": false}                   {"q1": {"correct": true}, …}
    {"q1": [true, false], …}                    {"q1": {"successes": 4, "trials": 5}, …}
    {"gpt": {"q1": true, …}, "qwen": {…}}       {"gpt": [{"id": 1, "correct": true}, …], …}
    {"columns": ["id", …], "data": [[1, …], …]} {"id": {"0": 1, …}, "correct": {"0": true, …}}

The last two are tables written by pandas, MLflow and Weights & Biases.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from errbar.base.remarks import guess, some_of
from errbar.data.outcome_words import is_outcome
from errbar.data.readers.choices import KeysAre
from errbar.data.readers.documents import JsonObject, in_short
from errbar.data.readers.tables.column_documents import fit_names, table_in
from errbar.data.readers.tables.compared_files import are_named_as_tasks
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.data.readers.tables.document_totals import (
    compared_totals,
    hint_on,
    refuse_totals,
    refuse_totals_of,
)
from errbar.data.readers.tables.json_objects import (
    Document,
    are_alike,
    are_lists_of_runs,
    has_outcome,
    is_list_of_outcomes,
    key_of,
    keys_of_lists,
    keys_remark,
    names_rows,
    nests_outcomes,
    only_by_id,
    only_with_rows,
    rows_by_key,
    trials_by_key,
    unwrap,
)
from errbar.data.readers.tables.keyed_records import share_no_question
from errbar.data.readers.tables.listed_outcomes import lists_beside_means
from errbar.data.readers.tables.nested_keys import (
    lists_by_task,
    nests_objects,
    of_three_levels,
    of_two_levels,
)
from errbar.data.readers.tables.single_rows import is_record, without_parts
from errbar.data.readers.tables.surrounding_names import (
    LOOKED_AT,
    is_unnamed_row,
    meaning_of,
    named_after,
    names_systems,
    of_question,
    with_names,
)
from errbar.data.readers.tables.verdict_lists import verdicts_in
from errbar.errors import NoOutcomes

_SPLITS = frozenset({"train", "test", "dev", "val", "valid", "validation", "eval", "holdout"})


def records_in(value: Any, where: str, keys: KeysAre | None = None) -> Document:
    """Records of a document; raises an error that describes an unknown shape."""
    if isinstance(value, list):
        return _of_list(value, where)
    if (
        isinstance(value, dict)
        and 0 < len(value) <= _FEW
        and _is_flat_record(tuple(value), tuple(map(type, value.values())))
    ):
        return Document([value], [])
    if isinstance(value, dict) and value:
        return _of_object(dict(unwrap(value)), where, keys)
    raise NoOutcomes(f"{where}: it contains {in_short(value)} and no outcomes.")


_FEW = 64
_SCALARS = frozenset({str, int, float, bool, type(None)})


@lru_cache(maxsize=1024)  # thousands of files have records with the same fields
def _is_flat_record(names: tuple[Any, ...], kinds: tuple[type, ...]) -> bool:
    """Whether an object is a record by the names and types of its fields, which have no others."""
    if not _SCALARS.issuperset(kinds) or "task" in map(meaning_of, names):
        return False  # whether a task is a question depends on its name
    return is_record({name: kind() for name, kind in zip(names, kinds, strict=True)})


def _of_list(values: list[Any], where: str) -> Document:
    if not values:
        raise NoOutcomes(f"{where}: it is an empty list; there is nothing to score.")
    if {*map(type, values)} == {dict} or all(isinstance(value, dict) for value in values):
        return Document(values, [])
    names, *rows = values
    if _are_names(names) and fit_names(names, rows):
        records = [dict(zip(names, row, strict=True)) for row in rows]
        return Document(records, [guess("Rows: the lists below the first, which names columns")])
    if all(is_outcome(value) or (isinstance(value, list) and value) for value in values):
        records = [{"question": str(at + 1), "outcome": value} for at, value in enumerate(values)]
        return Document(records, [guess("Questions: the entries of the list")])
    strange = next(at for at, value in enumerate(values) if not isinstance(value, dict))
    raise NoOutcomes(
        f"{where}: entry {strange + 1} of the list is {in_short(values[strange])}; expected a list "
        f'of objects, as in [{{"id": 1, "correct": true}}].'
    )


def _are_names(names: Any) -> bool:
    """Whether a list has the names of columns, one of them for an outcome."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return False
    return any(meaning_of(name) == "outcome" for name in names)


def _of_object(value: dict[str, Any], where: str, keys: KeysAre | None) -> Document:
    table = table_in(value, where)
    if table is not None:
        return table
    whole = without_parts(value)
    if len(whole) < len(value) or is_record(value):
        return Document([whole], [])
    lists = {
        key: entry
        for key, entry in value.items()
        if isinstance(entry, list) and entry and all(isinstance(each, dict) for each in entry)
    }
    scored = {key: rows for key, rows in lists.items() if any(map(has_outcome, rows[:LOOKED_AT]))}
    if len(scored) == 1:
        return _of_one_list(value, *next(iter(scored.items())), where)
    if len(scored) > 1:
        return trials_by_key(scored, keys) or _by_system(scored, keys)
    for key, rows in lists.items() if len(lists) == 1 else ():
        if names_rows(key) or are_lists_of_runs(rows):
            return _of_one_list(value, key, rows, where)
    return _by_key(value, where, keys)


def _by_key(value: dict[str, Any], where: str, keys: KeysAre | None) -> Document:
    """Outcomes, or objects with outcomes, keyed by question id or by system."""
    listed_ids = verdicts_in(value, where)
    rows = listed_ids or rows_by_key(value, keys)
    if rows is not None:
        return rows._replace(records=with_names(value, rows.records)) if listed_ids else rows
    holder = only_with_rows(value) or (only_by_id(value) if len(value) > 1 else None)
    if holder is not None:
        found = _of_object(value[holder], f"{where}, {holder}", keys)
        return found._replace(records=with_names(value, found.records))
    if all(isinstance(entry, dict) for entry in value.values()):
        return _of_objects(value, where, keys)
    if all(is_outcome(entry) or is_list_of_outcomes(entry) for entry in value.values()):
        refuse_totals(value, where)
        if any(isinstance(entry, list) for entry in value.values()):
            return _of_lists(value, keys)
        records = [{"question": str(key), "outcome": outcome} for key, outcome in value.items()]
        return Document(records, [guess("Questions: the keys of the document")], tuple(value))
    text = f"{where}: errbar finds no outcomes of questions in it; it is an object with "
    text += f"{_keys_of(value)}. It reads lists of objects, and objects of outcomes by question."
    return _by_structure(value, where, keys, text)


def _of_lists(value: Mapping[str, Any], keys_are: KeysAre | None) -> Document:
    """Lists of outcomes by key: trials per question, or questions per system."""
    keys, text = keys_of_lists(value, keys_are)
    if keys == "questions":
        records = [{"question": str(key), "outcome": outcomes} for key, outcomes in value.items()]
        return Document(records, text)
    records = [
        {"system": str(key), "question": str(at + 1), "outcome": outcome}
        for key, outcomes in value.items()
        for at, outcome in enumerate(outcomes if isinstance(outcomes, list) else [outcomes])
    ]
    return Document(records, text)


def _of_one_list(
    value: JsonObject, key: str, records: Sequence[JsonObject], where: str
) -> Document:
    """The only list with outcomes; names next to it apply to all its rows."""
    named = with_names(value, of_question(value, key, named_after(key, records)))
    remarks = [guess(f"Rows: the list under {key!r}"), *compared_totals(value, records, where)]
    return Document(named, remarks)


def _by_system(lists: Mapping[str, Sequence[JsonObject]], keys: KeysAre | None) -> Document:
    """Lists of rows by system; by task, if the rows name the system or share no question."""
    records = [{"system": key, **row} for key, rows in lists.items() for row in rows]
    names = {name for rows in lists.values() for row in rows[:LOOKED_AT] for name in row}
    named = any(meaning_of(name) == "system" for name in names)
    if names_systems(lists):
        return Document([row for rows in lists.values() for row in rows], [])
    if named or {key.lower() for key in lists} <= _SPLITS or are_named_as_tasks(list(lists)):
        records = [{"task": key, **row} for key, rows in lists.items() for row in rows]
        return Document(records, [keys_remark("task", "the keys of the document", lists)])
    if keys is None and share_no_question(lists):
        records = [{"task": key, **row} for key, rows in lists.items() for row in rows]
        text = f"Tasks: the keys of the document ({some_of(lists, 6)}), as no two share a question"
        return Document(records, [guess(text, option="--keys systems", argument="keys='systems'")])
    return Document(records, [keys_remark("system", "the keys of the document", lists)])


def _of_objects(
    value: Mapping[str, Mapping[str, Any]], where: str, keys: KeysAre | None
) -> Document:
    """Objects keyed by question id or by system."""
    inner = list(value.values())
    if lists := lists_beside_means(value):
        return _of_lists(lists, keys)
    if all(map(has_outcome, inner[:LOOKED_AT])) and not all(map(_holds_records, inner)):
        refuse_totals_of(value, where)
        records = [{**key_of(key, entry), **entry} for key, entry in value.items()]
        flags = () if any(are_counts(entry, {}) for entry in inner) else tuple(value)
        return Document(records, [guess("Questions: the keys of the document")], flags)
    by_task = lists_by_task(value, where)
    if by_task is not None:
        return by_task
    if all(map(nests_objects, inner)):
        return of_three_levels(value, where)
    if not all(entry and nests_outcomes(entry) for entry in inner):
        hint, first = hint_on(inner), next(iter(value))
        text = f"{where}: errbar finds no outcomes in it; it is an object of objects with "
        text += f"{_keys_of(inner[0])} under {first!r}.{hint}"
        return _by_structure({} if hint else value, where, keys, text)
    return of_two_levels(value, where, keys)


def _by_structure(value: JsonObject, where: str, keys: KeysAre | None, otherwise: str) -> Document:
    """Rows of a document in which no field is called an outcome; an error if there are none.

    Which field is the outcome is then asked as of any table.
    """
    found = _alike_in(value, where, keys)
    if found is None and not is_unnamed_row(value):
        raise NoOutcomes(otherwise)
    found = found or Document([value], [])
    return found._replace(named=False)


def _alike_in(value: JsonObject, where: str, keys: KeysAre | None) -> Document | None:
    """Objects that are alike: in a list, in a list per key, under ids, or under ids per system."""
    lists = {key: rows for key, rows in value.items() if isinstance(rows, list) and are_alike(rows)}
    if len(lists) == 1:
        return _of_one_list(value, *next(iter(lists.items())), where)
    if len(lists) == len(value) > 0 and are_alike([row for rows in lists.values() for row in rows]):
        return trials_by_key(lists, keys) or _by_system(lists, keys)
    objects = {key: entry for key, entry in value.items() if isinstance(entry, dict) and entry}
    return _alike_objects(objects, where, keys, others=len(value) - len(objects), beside=value)


def _alike_objects(
    objects: Mapping[str, JsonObject],
    where: str,
    keys: KeysAre | None,
    *,
    others: int,
    beside: JsonObject,
) -> Document | None:
    """Objects that are alike by their keys, or rows inside of one or of each of them."""
    inside = {key: _alike_in(entry, f"{where}, {key}", keys) for key, entry in objects.items()}
    found = {key: each for key, each in inside.items() if each is not None}
    if len(found) == len(objects) > 1 and not others and all(map(_lists_rows, objects.values())):
        return _by_system({key: each.records for key, each in found.items()}, keys)
    if objects and not others:
        if are_alike([*objects.values()]):
            records = [{**key_of(key, entry), **entry} for key, entry in objects.items()]
            return Document(records, [guess("Questions: the keys of the document")])
        if all(are_alike([*entry.values()]) for entry in objects.values()):
            return of_two_levels(objects, where, keys)
    if len(found) != 1:
        return None
    (only,) = found.values()
    return only._replace(records=with_names(beside, only.records))


def _lists_rows(value: JsonObject) -> bool:
    return any(isinstance(entry, list) and names_rows(str(key)) for key, entry in value.items())


def _holds_records(entry: Mapping[str, Any]) -> bool:
    """Whether every entry of an object is a record with an outcome."""
    return len(entry) > 1 and all(
        isinstance(value, dict) and any(meaning_of(name) == "outcome" for name in value)
        for value in entry.values()
    )


def _keys_of(value: JsonObject) -> str:
    return f"the keys {some_of([repr(key) for key in value], 6)}" if value else "no keys"
