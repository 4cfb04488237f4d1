"""Columns of objects with a record for each system: `{"models": {"gpt": {"correct": true}, …}}`.

A row names its question, and the keys of the object are the same in every row.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.remarks import Above, guess, mapping, some_of, warning
from errbar.data.columns import (
    MEASURES,
    RESPONSES,
    SCORERS,
    SCORES,
    USUAL,
    named_like,
    plain_name,
)
from errbar.data.outcome_words import is_outcome
from errbar.data.readers.documents import JsonObject
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.data.readers.tables.derived_columns import Flat
from errbar.data.readers.tables.id_names import ASKED
from errbar.data.readers.tables.json_objects import has_outcome, has_verdict
from errbar.data.readers.tables.surrounding_names import meaning_of
from errbar.data.readers.tables.wide_names import TRIAL_NAME, differ_by_number, is_no_system

_LOOKED_AT = 500  # rows inspected to classify a column
_LABELS = ("label", "name", "title", "id", "key")
_FEWEST = 2
_ROUNDED = 0.021  # of a sum of probabilities with two decimals
_SYSTEMS = frozenset(map(plain_name, ("system", *USUAL["system"])))


def by_system(flat: Flat) -> tuple[Flat, Above] | None:
    """A row for each record in a column of objects, or in several; None if there are none."""
    for name, column in flat.items():
        keys = _systems_in(column[:_LOOKED_AT])
        if not keys or plain_name(name.rpartition(".")[2]) in SCORES:  # of several scorers
            continue
        others = [other for other in flat if other != name]
        taken = {*others, "system"}
        records = [
            (at, key, record if isinstance(record, dict) else {})
            for at, value in enumerate(column)
            for key, record in (value if isinstance(value, dict) else {}).items()
        ]
        found: Flat = {other: [flat[other][at] for at, _, _ in records] for other in others}
        for field in dict.fromkeys(field for _, _, record in records for field in record):
            place = f"{name}.{field}" if field in taken else str(field)
            found[place] = [record.get(field) for _, _, record in records]
        found["system"] = [str(key) for _, key, _ in records]
        text = f"Systems: the keys of {name!r} ({some_of(keys, 6)})"
        return found, guess(text, option="--map outcome=COLUMN", argument="outcome='COLUMN'")
    return _by_column(flat)


def role_of_keys(
    name: str, keys: Sequence[str], rows: int, question: str, others: Flat
) -> tuple[str, Above]:
    """Whether the keys of objects of outcomes are questions, systems or trials; and a remark.

    Beside ids, one in each row and more than there are keys, rows are the questions.
    """
    names = list(dict.fromkeys(keys))
    ids = others.get(question, [])
    apart = len({*map(str, ids)}) == rows > len(names) and 2 * len(keys) > rows * len(names)
    numbered = all(key.isdigit() or TRIAL_NAME.fullmatch(key) for key in names)
    named = named_like(others, _SYSTEMS) or (not numbered and differ_by_number(names))
    if not apart or named:
        text = f"Questions: the keys of {name!r}, of which there are {len(names)}"
        return "question", guess(text, option="--map outcome=COLUMN", argument="outcome='COLUMN'")
    role = "trial" if numbered else "system"
    text = f"{role.capitalize()}s are the keys of {name!r} ({some_of(names, 6)}), and questions"
    return role, warning(
        f"{text} the values of {question!r}. If each {question!r} is a system, use "
        f"{mapping('system', question)}."
    )


def _by_column(flat: Flat) -> tuple[Flat, Above] | None:
    """A row for each of several columns of records with the same outcome, which are systems.

    Where the row itself has a response, they are scores of that response.
    """
    wide = [name for name, column in flat.items() if has_records(column)]
    others = [name for name in flat if name not in wide]
    if len(wide) < _FEWEST or named_like(others, RESPONSES) or any(map(_is_no_system, wide)):
        return None
    outcomes = [_outcomes_in(flat[name][:_LOOKED_AT]) for name in wide]
    if not set.intersection(*outcomes):
        return None
    found: Flat = {name: flat[name] * len(wide) for name in others}
    records = [value if isinstance(value, dict) else {} for name in wide for value in flat[name]]
    for field in dict.fromkeys(field for record in records for field in record):
        place = f"record.{field}" if field in found else str(field)
        found[place] = [record.get(field) for record in records]
    found["system"] = [name for name in wide for _ in flat[name]]
    first = f"{wide[0]}.{min(outcomes[0])}"
    choose = mapping("outcome", first)
    return found, warning(
        f"{len(wide)} columns have a record of an outcome each, and are read as systems "
        f"({some_of(wide)}). If they are scores of one response, choose one, for example {choose}."
    )


def has_records(column: list[Any]) -> bool:
    """Whether a column has objects with the same outcome, or nothing in some rows."""
    some = [value for value in column[:_LOOKED_AT] if value is not None]
    return (
        bool(some) and all(isinstance(value, dict) for value in some) and bool(_outcomes_in(some))
    )


def _outcomes_in(column: list[Any]) -> set[str]:
    """Names of outcomes that every record has."""
    names = [{*map(str, value)} for value in column if isinstance(value, dict)]
    common = set.intersection(*names) if names else set()
    return {name for name in common if meaning_of(name) == "outcome"}


def _is_no_system(name: str) -> bool:
    plain = plain_name(name.rpartition(".")[2])
    return is_no_system(name) or bool(TRIAL_NAME.fullmatch(name)) or plain in _NO_SYSTEMS


_NO_SYSTEMS = SCORES | SCORERS | MEASURES


def _systems_in(column: list[Any]) -> list[str]:
    """The keys of objects that have a record with an outcome under each of several names."""
    some = [value for value in column if value is not None]
    if not some or not all(isinstance(value, dict) for value in some):
        return []
    keys = list(dict.fromkeys(str(key) for value in some for key in value))
    common = len(keys) >= _FEWEST and all(2 * len(value) > len(keys) for value in some)
    named = any(is_no_system(key) or TRIAL_NAME.fullmatch(key) for key in keys)
    if not common or named or plain_name(keys[0]) in ("system", "question"):
        return []
    records = [record for value in some for record in value.values() if record is not None]
    return keys if records and all(map(has_outcome, records)) else []


def share_no_question(lists: Mapping[str, Sequence[JsonObject]]) -> bool:
    """Whether rows have ids or texts of questions, none of which is in two of the lists."""
    names = dict.fromkeys(
        name
        for rows in lists.values()
        for name in rows[0]
        if meaning_of(name) == "question" or plain_name(str(name)) in map(plain_name, ASKED)
    )
    sets = [[{str(row.get(name)) for row in rows} for rows in lists.values()] for name in names]
    return bool(sets) and all(sum(map(len, each)) == len(set().union(*each)) for each in sets)


def with_labels(flat: Flat, name: str, lists: Sequence[Sequence[JsonObject]]) -> Above | None:
    """Make the label in lists of systems the system: `{"models": [{"label": "gpt", …}, …]}`.

    None if the name of the lists is not that of systems, or if the entries name them as such.
    """
    if "system" not in (meaning_of(name), meaning_of(name.removesuffix("s"))):
        return None
    entries = [entry for each in lists for entry in each]
    if any(meaning_of(key) == "system" for entry in entries for key in entry):
        return None
    for label in _LABELS:
        names = [[entry.get(label) for entry in each] for each in lists]
        if all(len({*each}) == len(each) and None not in each for each in names):
            flat["system"] = flat.pop(f"{name}.{label}" if f"{name}.{label}" in flat else label)
            text = f"Rows: the entries of the lists in {name!r}; systems are their {label!r}"
            return guess(text, option="--map system=COLUMN", argument="system='COLUMN'")
    return None


def as_trials(what: str) -> Above:
    """Guess that these are trials."""
    text = f"Trials: {what}"
    return guess(text, option="--rows questions", argument="rows='questions'")


def are_outcomes_by_id(column: Sequence[Any]) -> bool:
    """Whether objects contain outcomes or counts under keys that are not known column names."""
    known = {plain_name(name) for names in USUAL.values() for name in names} | USUAL.keys()
    for value in column[:_LOOKED_AT]:
        if not isinstance(value, dict) or not value:
            continue
        if any(plain_name(str(key)) in known for key in value):
            return False
        inner = list(value.values())
        counts = all(
            isinstance(entry, dict) and (are_counts(entry, {}) or has_verdict(entry))
            for entry in inner
        )
        if not counts and not (all(map(is_outcome, inner)) and len(inner) > 1):
            return False
    return any(isinstance(value, dict) and value for value in column[:_LOOKED_AT])


def are_distributions(column: Sequence[Any]) -> bool:
    """Whether objects have fractions that sum to 1, as the probabilities of classes do.

    Examples
    --------
    >>> are_distributions([{"yes": 0.9, "no": 0.1}, {"yes": 0.34, "no": 0.65}])
    True
    >>> are_distributions([{"q1": 1, "q2": 0}, {"q1": 0.5, "q2": 0.5}])
    False
    """
    sums, fractions = [], 0
    for value in column[:_LOOKED_AT]:
        if isinstance(value, dict) and all(
            isinstance(part, int | float) for part in value.values()
        ):
            sums.append(sum(value.values()))
            fractions += any(0 < part < 1 for part in value.values())
    return 2 * fractions > len(sums) > 0 and all(abs(total - 1) < _ROUNDED for total in sums)
