"""JSON objects that are one row: with an id, with a response, in sections, or a sum with its parts.

{"task_id": "t1", "passed": true}     {"task": {"task_id": "t1"}, "result": {"success": true}}
"""

from operator import and_

from errbar.data.columns import RESPONSES, plain_name
from errbar.data.outcome_words import is_maximum
from errbar.data.readers.documents import JsonObject
from errbar.data.readers.tables.compared_files import are_named_as_tasks
from errbar.data.readers.tables.competing_outcomes import lists_outcomes
from errbar.data.readers.tables.json_objects import has_outcome, names_rows
from errbar.data.readers.tables.surrounding_names import meaning_of, names_question


def without_parts(value: JsonObject) -> JsonObject:
    """A document without the lists of points of which it has the sum in an object beside them.

    As in {"checkpoints": [{"total": 2, "result": 1}, …], "final_score": {"total": 5, "result": 3}};
    a list that is called results or questions has rows.
    """
    sums = [set(entry) for entry in value.values() if isinstance(entry, dict)]
    parts = {
        key
        for key, rows in value.items()
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
        if not names_rows(str(key)) and all(set(row) in sums and _are_points(row) for row in rows)
    }
    return {key: entry for key, entry in value.items() if key not in parts} if parts else value


def _are_points(row: JsonObject) -> bool:
    """Whether an object has only an outcome and its maximum."""
    others = [name for name in row if meaning_of(name) != "outcome"]
    return 0 < len(others) < len(row) and len(list(filter(is_maximum, others))) == len(others)


def is_record(value: JsonObject) -> bool:
    """Whether an object is a single row: outcomes with an id, or with the response.

    A task with the number of a trial, or with a list of trials, is an id as well.
    """
    names = {
        meaning_of(name) or "": entry
        for name, entry in value.items()
        if isinstance(entry, str | int)
    }
    lists_trials = any(
        isinstance(entry, list) and entry and lists_outcomes(name, entry)
        for name, entry in value.items()
    )
    is_task = "task" in names and ("trial" in names or lists_trials)
    is_benchmark = is_task and are_named_as_tasks([str(names["task"])])
    if not (lists_trials or has_outcome(value)):
        return False
    if (is_task and not is_benchmark) or _is_in_sections(value):
        return True
    return any(
        isinstance(entry, str | int) and (names_question(name) or plain_name(name) in RESPONSES)
        for name, entry in value.items()
    )


def _is_in_sections(value: JsonObject) -> bool:
    """Whether sections of an object are one row, with the id in one and the verdict in another.

    Rows by id are alike, or one of them has both.
    """
    sections = [entry for entry in value.values() if isinstance(entry, dict)]
    if len({frozenset(section) for section in sections}) < len(sections):
        return False
    ids, verdicts = list(map(_has_id, sections)), list(map(_has_zero_or_one, sections))
    return any(ids) and any(verdicts) and not any(map(and_, ids, verdicts))


def _has_id(section: JsonObject) -> bool:
    return any(
        isinstance(entry, str | int) and names_question(name) and plain_name(name) != "id"
        for name, entry in section.items()
    )


def _has_zero_or_one(section: JsonObject) -> bool:
    return any(meaning_of(name) == "outcome" and entry in (0, 1) for name, entry in section.items())
