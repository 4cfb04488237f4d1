"""Objects whose keys name systems, tasks, questions and trials, at two or three levels.

{"gpt": {"q1": true, …}, "qwen": {…}}       {"q1": {"gpt": true, "qwen": false}, …}
{"gpt": {"math": {"q1": true, …}}, …}       {"math": {"gpt": {"q1": true, …}}, …}
{"gpt": {"q1": {"run_1": true, …}}, …}      {"gpt": {"math": [[true, false], …]}, …}
"""

from collections.abc import Mapping
from typing import Any

from errbar.base.remarks import guess, setting, some_of, warning, way_to_say
from errbar.data.readers.choices import KeysAre
from errbar.data.readers.tables.compared_files import are_named_as_tasks
from errbar.data.readers.tables.document_totals import refuse_few_shares, refuse_totals
from errbar.data.readers.tables.json_objects import (
    Document,
    has_outcome,
    is_list_of_outcomes,
    key_of,
    nests_outcomes,
    number_trials,
)
from errbar.errors import NoOutcomes


def of_two_levels(
    value: Mapping[str, Mapping[str, Any]], where: str, keys: KeysAre | None
) -> Document:
    """Outcomes or records by system and question, whichever of them has the outer keys."""
    inner = list(value.values())
    often = sum(map(len, inner)) / len(inner)
    if often == len(value) and keys is None:
        choose = [
            way_to_say(f"--keys {meaning}", f"keys={meaning!r}")
            for meaning in ("systems", "questions")
        ]
        raise NoOutcomes(
            f"{where}: it has {len(value)} keys with as many keys in each, so errbar cannot "
            f"tell which are systems and which are questions. Choose what the outer keys are with "
            f"{choose[0]} or {choose[1]}."
        )
    are_systems = keys == "systems" if keys else often > len(value)
    outer, within = ("system", "question") if are_systems else ("question", "system")
    refuse_few_shares(inner, min(often, len(value)), max(often, len(value)), where)
    records = [
        {outer: str(key), within: str(name), **_as_fields(outcome)}
        if not (isinstance(outcome, dict) and "question" in outcome)
        else {"system": str(system), **key_of(name_of, outcome), **outcome}
        for key, outcomes in value.items()
        for name, outcome in outcomes.items()
        for system, name_of in [(key, name) if are_systems else (name, key)]
    ]
    text = f"{outer}s are the {len(value)} outer keys, {within}s the inner ones"
    other = "questions" if are_systems else "systems"
    remark = guess(
        f"Two levels of keys: {text}", option=f"--keys {other}", argument=f"keys={other!r}"
    )
    return Document(records, [remark])


def lists_by_task(value: Mapping[str, Mapping[str, Any]], where: str) -> Document | None:
    """Lists of outcomes, or of lists of trials, by system and task; None if no keys name tasks.

    The keys next to lists of lists are tasks whatever their names, because a question has one list.
    """
    lists = [outcomes for entry in value.values() for outcomes in entry.values()]
    if not all(is_list_of_outcomes(outcomes) or _is_matrix(outcomes) for outcomes in lists):
        return None
    names = list(dict.fromkeys(str(name) for entry in value.values() for name in entry))
    are_tasks = are_named_as_tasks(names) or are_named_as_tasks(list(map(str, value)))
    if not are_tasks and not (lists and all(map(_is_matrix, lists))):
        return None
    by_place = {
        key: {
            name: {str(at + 1): outcome for at, outcome in enumerate(outcomes)}
            for name, outcomes in entry.items()
        }
        for key, entry in value.items()
    }
    return _by_system_and_task(by_place, where)


def _is_matrix(value: Any) -> bool:
    """Whether a value is a list of lists of outcomes."""
    return isinstance(value, list) and bool(value) and all(map(is_list_of_outcomes, value))


def nests_objects(entry: Mapping[str, Any]) -> bool:
    """Whether an object has objects with outcomes by id, and these are not records."""
    parts = list(entry.values())
    return bool(parts) and all(
        isinstance(part, dict) and part and not has_outcome(part) and nests_outcomes(part)
        for part in parts
    )


def of_three_levels(value: Mapping[str, Mapping[str, Any]], where: str) -> Document:
    """Outcomes by system, task and question; or by system, question and trial."""
    parts = list(dict.fromkeys(str(part) for entry in value.values() for part in entry))
    last = [name for entry in value.values() for outcomes in entry.values() for name in outcomes]
    if number_trials(last, of=parts) and not are_named_as_tasks(list(value)):
        return _of_trials(value, where)
    return _by_system_and_task(value, where)


def _by_system_and_task(value: Mapping[str, Mapping[str, Any]], where: str) -> Document:
    """Outcomes by system, task and question; by task and system, if the outer keys are tasks."""
    _refuse_totals(value, where)
    parts = list(dict.fromkeys(str(part) for entry in value.values() for part in entry))
    outer, middle = ("task", "system") if are_named_as_tasks(list(value)) else ("system", "task")
    records = [
        {outer: str(key), middle: str(part), "question": str(name), **_as_fields(outcome)}
        for key, parts in value.items()
        for part, outcomes in parts.items()
        for name, outcome in outcomes.items()
    ]
    text = f"{outer}s are the outer keys ({some_of(value, 6)}), "
    text += f"{middle}s the next ({some_of(parts, 6)})"
    return Document(records, [warning(f"Three levels of keys: {text}, and questions the last.")])


def _refuse_totals(value: Mapping[str, Mapping[str, Any]], where: str) -> None:
    for outcomes in (outcomes for parts in value.values() for outcomes in parts.values()):
        refuse_totals(outcomes, where)


def _of_trials(value: Mapping[str, Mapping[str, Any]], where: str) -> Document:
    """Outcomes by system, question and trial."""
    _refuse_totals(value, where)
    records = [
        {"system": str(key), "question": str(part), "trial": str(name), **_as_fields(outcome)}
        for key, parts in value.items()
        for part, outcomes in parts.items()
        for name, outcome in outcomes.items()
    ]
    apart = setting("rows", "questions")
    text = f"Three levels of keys: systems are the outer keys ({some_of(value, 6)}), questions the "
    text += f"next, and the last number the trials. If these are questions, use {apart}."
    return Document(records, [warning(text)])


def _as_fields(outcome: Any) -> dict[str, Any]:
    return dict(outcome) if isinstance(outcome, dict) else {"outcome": outcome}
