"""Classify objects inside JSON documents by their keys, and find the rows or lists in them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from errbar.base.remarks import Above, guess, some_of, warning, way_to_say
from errbar.data.columns import plain_name
from errbar.data.outcome_words import NO_OUTCOME, WORDS, is_outcome, number_in
from errbar.data.readers.choices import KeysAre
from errbar.data.readers.documents import JsonObject
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.data.readers.tables.document_totals import compared_totals_by_key
from errbar.data.readers.tables.id_names import is_verdict
from errbar.data.readers.tables.named_scores import counts_tests, is_about_tests
from errbar.data.readers.tables.surrounding_names import (
    ASKED_NAMES,
    LOOKED_AT,
    TRIAL_LISTS,
    meaning_of,
    with_names,
    with_numbered_trials,
)
from errbar.data.readers.tables.wide_names import TRIAL_NAME


def has_outcome(value: Any) -> bool:
    """Whether an object has a field for an outcome, or counts."""
    if not isinstance(value, dict):
        return False
    for name, field in value.items():
        if isinstance(field, dict):
            if any(meaning_of(part) == "outcome" for part in field):
                return True
        elif meaning_of(name) == "outcome" or (isinstance(field, bool) and is_verdict(str(name))):
            return True
    return are_counts(value, {}) or counts_tests(value)


def key_of(key: object, record: JsonObject) -> dict[str, str]:
    """The key of a record as its id; the text of a question is no id, and may repeat."""
    return {"question_id" if "question" in record else "question": str(key)}


class Document(NamedTuple):
    """Records of a document, with remarks."""

    records: Sequence[JsonObject]
    remarks: list[Above]
    flags: tuple[str, ...] = ()  # keys of a document with an outcome under each key
    named: bool = True  # whether the rows were found by a field with the name of an outcome


def are_alike(rows: Sequence[Any]) -> bool:
    """Whether objects have the same fields, as the rows of a table do, and one with a plain value.

    Rows may lack some fields, if all of them share at least half.

    Examples
    --------
    >>> are_alike([{"goal": "a", "done": True}, {"goal": "b", "done": False}, {"goal": "c"}])
    True
    >>> are_alike([{"q1": {}, "q2": {}}, {"q1": {}, "q2": {}}, {"q1": {}, "q2": {}}])
    False
    """
    some = [row for row in rows[:LOOKED_AT] if isinstance(row, dict)]
    if len(rows) < _FEWEST_ALIKE or len(some) < len(rows[:LOOKED_AT]):
        return False
    shared = set.intersection(*map(set, some))
    plain = [name for name in shared if not isinstance(some[0][name], dict | list)]
    every = set().union(*some)
    return bool(plain) and len(every) > 1 and 2 * len(shared) >= len(every)


def rows_by_key(value: JsonObject, keys: KeysAre | None = None) -> Document | None:
    """Objects that each have a list of rows, keyed by system, task or question, possibly nested.

    Values next to the rows, such as their accuracy, are not scored. Objects without rows beside
    several with rows, such as of a system that was not run, are left out and named.
    """
    objects = {key: entry for key, entry in value.items() if isinstance(entry, dict)}
    found = {key: rows for key, entry in objects.items() if (rows := _only_scored_list(entry))}
    if len(found) == 1 and plain_name(str(next(iter(found)))) in _CONTAINERS:
        return None
    rest = [key for key in value if key not in found]
    if found and (not rest or (len(found) > 1 and all(_has_no_rows(value[key]) for key in rest))):
        lists = {key: with_names(objects[key], rows) for key, (_, rows) in found.items()}
        are_trials = {plain_name(name) for name, _ in found.values()} <= TRIAL_LISTS
        trials = trials_by_key(lists, keys or ("questions" if are_trials else None))
        read = trials or _with_keys("system", found, objects)
        lost = [warning(f"Left out, since there are no rows in them: {some_of(rest, 6)}.")]
        return read._replace(remarks=[*read.remarks, *(lost if rest else [])])
    for key, entry in objects.items():
        inside = rows_by_key(entry, keys) if len(found) == 0 else None
        if inside is not None:
            names = {meaning_of(name) for name in value if isinstance(value[name], str)}
            if "system" in names or meaning_of(str(key).removesuffix("s")) == "task":
                parts = {name: _only_scored_list(part) or ("", []) for name, part in entry.items()}
                inside = _with_keys("task", parts, entry)
            return inside._replace(records=with_names(value, inside.records))
    return None


def _has_no_rows(value: Any) -> bool:
    return isinstance(value, dict) and not has_outcome(value) and not _holds_rows(value, 0)


def trials_by_key(
    lists: Mapping[str, Sequence[JsonObject]], keys_are: KeysAre | None = None
) -> Document | None:
    """Rows without an id of a question, keyed by question; None if the keys are systems."""
    lists = with_numbered_trials(lists)
    names = {plain_name(str(name)) for rows in lists.values() for row in rows for name in row}
    if any(meaning_of(name) in ("question", "system") for name in names) or names & ASKED_NAMES:
        return None
    keys, remarks = keys_of_lists(lists, keys_are)
    if keys == "systems":
        return None
    return Document([{"question": key, **row} for key in lists for row in lists[key]], remarks)


# Names of a list of rows, whatever its columns.
ROWS = frozenset(
    {"rows", "data", "records", "items", "samples", "examples", "results", "table", "entries"}
)
_CALLED_ROWS = re.compile(
    r"per[_-]\w+|(?:\w+[_-])?(?:rows|records|items|samples|examples|cases|tests|questions|problems"
    r"|results|entries|details)"
)


def names_rows(key: str) -> bool:
    """Whether the name of a list says that it has rows: results, per_case, test_cases."""
    return key.lower() in ROWS or _CALLED_ROWS.fullmatch(key.lower()) is not None


# Names of an object that holds them, and is no system.
_CONTAINERS = ROWS | {
    *("run", "runs", "output", "outputs", "eval", "evaluation", "evaluations", "report"),
    *("body", "payload", "content", "result", "experiment", "details", "log", "logs", "dataset"),
    "response",
}
_MOST_SECTIONS = 50  # objects of a document that is not keyed by question
_LISTS_OF_ROWS = ROWS | TRIAL_LISTS | _CONTAINERS
_DEEPEST, _FEWEST_ALIKE = 4, 3  # objects around a list of rows; that one can tell to be rows


def unwrap(value: JsonObject) -> JsonObject:
    """A document without objects that only hold another, such as {"results": {...}}."""
    inner = _inside(value)
    return {
        key: _inside(entry) if isinstance(entry, dict) else entry for key, entry in inner.items()
    }


def _inside(value: JsonObject) -> JsonObject:
    while len(value) == 1:
        ((key, entry),) = value.items()
        if plain_name(str(key)) not in _CONTAINERS or not isinstance(entry, dict) or not entry:
            break
        value = entry
    return value


def only_with_rows(value: JsonObject, depth: int = 0) -> str | None:
    """Key of the only object in a document that holds lists of rows, at any depth."""
    found = [
        str(key)
        for key, entry in value.items()
        if isinstance(entry, dict) and _holds_rows(entry, depth)
    ]
    return found[0] if len(found) == 1 else None


def _holds_rows(value: JsonObject, depth: int) -> bool:
    for key, entry in value.items():
        if isinstance(entry, list) and entry and all(isinstance(row, dict) for row in entry):
            if names_rows(str(key)) or any(map(has_outcome, entry[:LOOKED_AT])):
                return True
        elif isinstance(entry, dict) and depth < _DEEPEST and _holds_rows(entry, depth + 1):
            return True
    return False


def only_by_id(value: JsonObject) -> str | None:
    """Key of the only object with outcomes by id; of the only one with records or lists."""
    objects = {key: entry for key, entry in value.items() if isinstance(entry, dict)}
    if len(objects) > _MOST_SECTIONS:
        return None
    heads = {key: dict(islice(entry.items(), LOOKED_AT)) for key, entry in objects.items()}
    found = {key: head for key, head in heads.items() if head and nests_outcomes(head)}
    nested = [
        str(key)
        for key, head in found.items()
        if all(isinstance(part, dict | list) for part in head.values())
        and not any(map(meaning_of, head))  # whose keys are columns: a record, not ids
    ]
    alone = list(map(str, found)) if len(found) == len(objects) else []
    called = [str(key) for key, head in found.items() if key in ROWS and _are_verdicts(head)]
    return next((names[0] for names in (nested, alone, called) if len(names) == 1), None)


def _are_verdicts(head: JsonObject) -> bool:
    """Whether an object has right and wrong by name, and no shares, as totals are."""
    words = {str(value).strip().lower() for value in head.values()} - {*NO_OUTCOME}
    worths = {WORDS.get(word, number_in(word)) for word in words}
    return len(head) >= _FEWEST_IDS and worths == {0.0, 1.0}


def nests_outcomes(entry: JsonObject) -> bool:
    """Whether an object has outcomes by name, as numbers, lists, counts or records."""
    return all(
        is_outcome(value)
        or is_list_of_outcomes(value)
        or (isinstance(value, dict) and has_outcome(value))
        for value in entry.values()
    )


def is_list_of_outcomes(value: Any) -> bool:
    """Whether a value is a list of at least one outcome."""
    return isinstance(value, list) and bool(value) and all(map(is_outcome, value))


def are_lists_of_runs(rows: Sequence[Any]) -> bool:
    """Whether every object of a list has one list of rows, as in [{"model": …, "items": […]}]."""
    return all(isinstance(row, dict) and _only_scored_list(row) for row in rows)


def _only_scored_list(value: JsonObject) -> tuple[str, Sequence[JsonObject]] | None:
    """Key and value of the only list of rows with outcomes in an object."""
    lists = [
        (str(key), entry)
        for key, entry in value.items()
        if isinstance(entry, list) and entry and all(map(has_outcome, entry[:LOOKED_AT]))
    ]
    if (
        len(lists) == 1
        and is_about_tests(lists[0][0])
        and sum(map(is_about_tests, map(str, value))) > 1
    ):
        return None  # tests of one answer, beside their number
    if len(lists) != 1 or (has_verdict(value) and plain_name(lists[0][0]) not in _LISTS_OF_ROWS):
        return None
    return lists[0]


def has_verdict(value: JsonObject) -> bool:
    """Whether an object has a truth value for its outcome, and so is a row itself."""
    return any(
        isinstance(field, bool) and meaning_of(name) == "outcome" for name, field in value.items()
    )


def keys_remark(meaning: str, text: str, keys: Iterable[object], *, beside: str = "") -> Above:
    """Guess that keys are systems or tasks, with the option by which they are the other."""
    other = "task" if meaning == "system" else "system"
    begun = text if text.startswith("Rows") else f"{meaning.capitalize()}s: {text}"
    return guess(
        f"{begun} ({some_of(keys, 6)}){beside}",
        option=f"--map {other}={meaning}",
        argument=f"{other}={meaning!r}",
    )


def _with_keys(
    meaning: str, lists: Mapping[str, tuple[str, Sequence[JsonObject]]], objects: Mapping[str, Any]
) -> Document:
    """Rows of several lists with their keys, and a remark."""
    records = [
        {meaning: str(key), **row}
        for key, (_, rows) in lists.items()
        for row in with_names(objects[key], rows)
    ]
    names = some_of(dict.fromkeys(name for name, _ in lists.values()), 6)
    beside = {
        name
        for entry in objects.values()
        for name, number in entry.items()
        if isinstance(number, int | float) and not isinstance(number, bool)
    }
    stated = f"; stated next to them and not scored: {some_of(sorted(beside), 6)}" if beside else ""
    text = f"Rows: the lists under {names!r}; {meaning}s are the keys"
    remark = keys_remark(meaning, text, lists, beside=stated)
    return Document(records, [remark, *compared_totals_by_key(objects, lists)])


_PLAIN = 5  # with this many times more keys than outcomes per key, keys are questions
_FEWEST_IDS = 3  # distinct numbers needed for ids


def number_trials(keys: Sequence[Any], *, of: Sequence[str]) -> bool:
    """Whether keys number the trials of questions: run_1, run_2; or 0, 1, 2 of more questions.

    Examples
    --------
    >>> number_trials(["0", "1", "2"], of=["q1", "q2", "q3", "q4"])
    True
    """
    names = sorted({str(key) for key in keys})
    if all(map(TRIAL_NAME.fullmatch, names)):
        return True
    if not all(map(str.isdecimal, names)) or len(names) >= len(of):
        return False
    numbers = sorted(map(int, names))
    return numbers in [list(range(start, start + len(numbers))) for start in (0, 1)]


def keys_of_lists(
    lists: Mapping[str, Any], keys_are: KeysAre | None = None
) -> tuple[KeysAre, list[Above]]:
    """Role of the keys of lists of outcomes, with a remark."""
    number = len(lists)
    longest = max(len(entry) if hasattr(entry, "__len__") else 1 for entry in lists.values())
    keys = keys_are or ("questions" if number >= longest else "systems")
    other: KeysAre = "systems" if keys == "questions" else "questions"
    choose = way_to_say(f"--keys {other}", f"keys={other!r}")
    outcomes = f"{'up to ' * (not _are_alike(lists))}{longest} outcome{'s' * (longest > 1)}"
    known = some_of(lists, 6)
    if keys == "questions":
        text = f"Questions: the {number} keys ({known}), with {outcomes} of each as trials"
        otherwise = f"If the keys are systems and the outcomes questions, use {choose}."
    else:
        text = f"Systems: the {number} keys ({known}), with {outcomes} of each"
        otherwise = (
            f"The outcomes are questions, paired by position. If the keys are questions and the "
            f"outcomes trials, use {choose}."
        )
    if keys_are:
        return keys, [guess(text)]
    if number == 1 or longest == 1 or number >= _PLAIN * longest:
        return keys, [guess(text, option=f"--keys {other}", argument=f"keys={other!r}")]
    return keys, [warning(f"{text}. {otherwise}")]


def _are_alike(lists: Mapping[str, Any]) -> bool:
    return len({len(entry) if hasattr(entry, "__len__") else 1 for entry in lists.values()}) == 1
