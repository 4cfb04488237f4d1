"""Documents that list ids or rows by verdict: `{"passed": ["q1"], "failed": ["q2", "q3"]}`."""

import re
from collections.abc import Mapping
from typing import Any

from errbar.base.remarks import guess, some_of, warning
from errbar.data.outcome_words import WORDS
from errbar.data.readers.tables.json_objects import Document, has_outcome, has_verdict, keys_remark
from errbar.errors import NoOutcomes

_FAULTS = frozenset({"error", "errors", "errored", "timeout", "timeouts", "exception", "crashed"})
_PASSING = {"passing": 1.0, "successes": 1.0, "failing": 0.0, "failures": 0.0}
# Words beside the verdict in the name of a list: successful_tasks, resolved_ids.
_NOUNS = re.compile(
    r"(ids?|tasks?|instances?|questions?|problems?|tests?|cases?|items?|samples?|examples?|list"
    r"|names?|keys?|runs?)"
)


def verdicts_in(value: Mapping[str, Any], where: str) -> Document | None:
    """Lists by verdict in a document or in its objects, which are systems if several have them."""
    whole = ids_by_verdict(value, where)
    if whole is not None:
        return whole
    found = {
        str(key): document
        for key, entry in value.items()
        if isinstance(entry, dict) and not has_verdict(entry)
        if (document := ids_by_verdict(entry, where)) is not None
    }
    if len(found) < 2:
        return next(iter(found.values()), None)
    records = [{"system": key, **row} for key in found for row in found[key].records]
    said = dict.fromkeys(remark for document in found.values() for remark in document.remarks)
    return Document(records, [keys_remark("system", "the keys of the document", found), *said])


def ids_by_verdict(value: Mapping[str, Any], where: str) -> Document | None:
    """A row per id in lists of the right and of the wrong ones; None if there are no such lists.

    Ids in a list of errors have no outcome; an id in no list of these is not read.
    """
    rows = {str(key): entry for key, entry in value.items() if _are_rows(entry)}
    if rows:
        return _rows_by_verdict(rows)
    lists = {str(key): entry for key, entry in value.items() if _are_ids(entry)}
    worths = {key: worth for key in lists if (worth := _verdict(key)) is not None}
    if 1.0 not in worths.values():
        return None
    if len(worths) == 1 and len(lists) == 1:
        (name,) = worths
        raise NoOutcomes(
            f"{where}: it lists only the ids in {name!r}, and a score needs the others too. Add a "
            f"list of those that failed, or load a file with the outcome of each question."
        )
    if sorted(worths.values()) != [0.0, 1.0]:
        return None
    records = [
        {"question": str(name), "outcome": worth}
        for key, worth in worths.items()
        for name in lists[key]
    ]
    if not records:
        return None
    seen = {record["question"] for record in records}
    if len(seen) < len(records):
        raise NoOutcomes(f"{where}: some ids are in both of {' and '.join(map(repr, worths))}.")
    remarks = [
        guess(f"Outcomes: {' and '.join(f'{key!r} ({len(lists[key])} ids)' for key in worths)}")
    ]
    for key, names in lists.items():
        others = [str(name) for name in names if str(name) not in seen]
        if key in worths or not others:
            continue
        if _word(key) in _FAULTS:
            seen.update(others)
            records += [{"question": name, "outcome": None, "status": "error"} for name in others]
        else:
            text = (
                f"{len(others)} ids in {key!r} are not read, because no list of right or "
                "wrong ids has them"
            )
            remarks.append(warning(f"{text}: {some_of(others)}."))
    return Document(records, remarks)


def _rows_by_verdict(lists: Mapping[str, list[dict[str, Any]]]) -> Document | None:
    """The rows of a list of right and of a list of wrong ones; None if there are no such lists."""
    worths = {key: worth for key in lists if (worth := _verdict(key)) is not None}
    if sorted(worths.values()) != [0.0, 1.0]:
        return None
    records = [{**row, "outcome": worth} for key, worth in worths.items() for row in lists[key]]
    text = " and ".join(f"{key!r} ({len(lists[key])} rows)" for key in worths)
    return Document(records, [guess(f"Outcomes: the rows under {text}")])


def _are_rows(entry: Any) -> bool:
    """Whether a list has objects without outcomes."""
    return (
        isinstance(entry, list)
        and bool(entry)
        and all(isinstance(row, dict) and not has_outcome(row) for row in entry)
    )


def _are_ids(entry: Any) -> bool:
    """Whether a list has different ids."""
    return (
        isinstance(entry, list)
        and all(isinstance(name, str | int) and not isinstance(name, bool) for name in entry)
        and len(set(entry)) == len(entry)
    )


def _word(key: str) -> str:
    """The word in the name of a list that is no noun for questions; empty if there are several."""
    words = [word for word in re.split(r"[\s_-]+", key.lower()) if not _NOUNS.fullmatch(word)]
    return words[0] if len(words) == 1 else ""


def _verdict(key: str) -> float | None:
    """The outcome of the ids in a list, by the name of the list.

    Examples
    --------
    >>> _verdict("successful_tasks"), _verdict("failed"), _verdict("tags")
    (1.0, 0.0, None)
    """
    word = _word(key)
    return None if len(word) < 2 else _PASSING.get(word, WORDS.get(word))
