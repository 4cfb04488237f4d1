"""Names around a list of rows: the system and task of its object, the question, the settings."""

import re
from collections.abc import Callable, Mapping, Sequence

from errbar.data.columns import USUAL, USUAL_COUNTS, plain_name
from errbar.data.readers.documents import JsonObject
from errbar.data.readers.tables.id_names import ASKED, is_called_id
from errbar.data.readers.tables.system_names import names_system

LOOKED_AT = 200  # rows inspected to classify a list
_DEEPEST = 4  # levels of settings in which a model is looked for
# Words behind the name of a thing in that of its settings, as in model_config.
_OF_SETTINGS = re.compile(
    r"(?<=\w)[_\- ]?(config|info|settings|params|args|spec|card|details)$", re.I
)
_LONGEST_NAME = 200  # characters of a name; longer texts are prompts
_LISTS_OF = {
    **dict.fromkeys(("tasks", "benchmarks", "datasets", "subjects", "suites"), "task"),
    **dict.fromkeys(("models", "systems", "agents", "llms"), "system"),
}
_UNCLEAR = ("system", "run", "name")  # settings that seldom name a model
_MEANINGS = {
    plain_name(name): meaning
    for meaning, names in reversed([*USUAL.items(), ("trials", USUAL_COUNTS["trials"])])
    for name in (meaning, *names)
}
# Names of a list with the trials of one question.
TRIAL_LISTS = frozenset(
    map(plain_name, ({*USUAL_COUNTS["trials"]} - {"n", "total"}) | {"epochs", "seeds"})
)
_SAMPLE_IDS = frozenset(map(plain_name, ("sample_id", "sample", "generation_id", "completion_id")))
_Lists = dict[str, Sequence[JsonObject]]
ASKED_NAMES = frozenset(map(plain_name, ASKED))
_OTHER_NAMES = frozenset({"name", "key"})  # of a run, rather than of a question


def meaning_of(name: object) -> str | None:
    """Meaning of a known column name."""
    return _MEANINGS.get(plain_name(str(name)))


def is_unnamed_row(value: JsonObject) -> bool:
    """Whether an object is a row whose outcome has no known name: it has an id and a truth value.

    Examples
    --------
    >>> is_unnamed_row({"user_task_id": "t1", "utility": True}), is_unnamed_row({"done": True})
    (True, False)
    """
    has_id = any(is_called_id(str(name)) and isinstance(value[name], str | int) for name in value)
    return has_id and any(isinstance(field, bool) for field in value.values())


def with_numbered_trials(lists: Mapping[str, Sequence[JsonObject]]) -> _Lists:
    """Rows by key whose `sample_id` counts from 0 or 1 under every key, so that it is the trial.

    Examples
    --------
    >>> with_numbered_trials({"7": [{"sample_id": 0, "correct": True}]})
    {'7': [{'correct': True, 'trial': 0}]}
    """
    for name in {name for rows in lists.values() for row in rows[:1] for name in row}:
        numbers = [[row.get(name) for row in rows] for rows in lists.values()]
        counted = [[*range(at, at + len(each))] for each in numbers for at in (0, 1)]
        if plain_name(str(name)) in _SAMPLE_IDS and all(each in counted for each in numbers):
            return {
                key: [
                    {**{k: field for k, field in row.items() if k != name}, "trial": row[name]}
                    for row in rows
                ]
                for key, rows in lists.items()
            }
    return dict(lists)


def names_systems(lists: Mapping[str, Sequence[JsonObject]]) -> bool:
    """Whether keys repeat the name of the only system of their rows.

    Examples
    --------
    >>> names_systems({"a": [{"model": "a"}], "b": [{"model": "b"}, {"model": "b"}]})
    True
    """
    named = {
        key: {str(row[name]) for row in rows for name in row if meaning_of(name) == "system"}
        for key, rows in lists.items()
    }
    return all(names == {str(key)} for key, names in named.items())


def with_names(value: JsonObject, records: Sequence[JsonObject]) -> Sequence[JsonObject]:
    """Add the system and task of the enclosing object to records that lack them.

    A model in the settings, such as `config.model`, is the system if nothing else names it.
    """
    beside = {
        name: field
        for name, field in value.items()
        if isinstance(field, str) and meaning_of(name) in ("system", "task")
    }
    inside = {key for record in records[:LOOKED_AT] for key in record}
    if not any(meaning_of(name) == "system" or names_system(name) for name in (*beside, *inside)):
        beside |= _model_in_settings(value)
    if not beside:
        return records
    return [{**beside, **record} for record in records]


def named_after(key: str, records: Sequence[JsonObject]) -> Sequence[JsonObject]:
    """Records of a list called `tasks` or `models`, whose `name` is a task or a system."""
    meaning = _LISTS_OF.get(plain_name(key))
    known = {meaning_of(name) for record in records[:LOOKED_AT] for name in record}
    if meaning is None or meaning in known or not all("name" in record for record in records):
        return records
    return [
        {meaning if name == "name" else name: field for name, field in record.items()}
        for record in records
    ]


def _model_in_settings(value: JsonObject) -> dict[str, str]:
    """The name of the model in nested settings, by its path; {} if unclear.

    An agent or a method is a setting beside a model, as in columns of these names. Which of them is
    meant is unclear if they stand at one level.
    """
    (depth, model), (above, agent) = (_nearest(value, who) for who in (names_system, _names_agent))
    if depth == above < _DEEPEST and {*model.values()} != {*agent.values()}:
        return {}
    if model and agent:
        return {"model": next(iter(model.values())), **agent}
    return agent if depth == _DEEPEST else model


def _nearest(value: JsonObject, is_called: Callable[[str], bool]) -> tuple[int, dict[str, str]]:
    """The level nearest to the top with a name, and the only name there, by its path."""
    level = [(str(key), entry) for key, entry in value.items() if isinstance(entry, dict)]
    for depth in range(_DEEPEST):
        named: dict[str, str] = {}
        for path, entry in level:
            key, part = _OF_SETTINGS.sub("", path.rpartition(".")[2]), ""
            if isinstance(entry, dict):
                part = ".name" if "name" in entry else ".id"
            name = entry.get(part[1:]) if isinstance(entry, dict) else entry
            if is_called(key) and isinstance(name, str) and 0 < len(name) <= _LONGEST_NAME:
                called = filter(names_system, (path, path + part))
                named[next(called, key) if part else path] = name
        if named:
            is_clear = len(set(named.values())) == 1
            return depth, dict([next(iter(named.items()))]) if is_clear else {}
        level = [
            (f"{path}.{key}", entry)
            for path, settings in level
            if isinstance(settings, dict)
            for key, entry in settings.items()
        ]
    return _DEEPEST, {}


def _names_agent(key: str) -> bool:
    """Whether a setting names a system, but no model; `system` itself is more often a prompt."""
    is_system = meaning_of(key) == "system" and plain_name(key) not in _UNCLEAR
    return is_system and not names_system(key)


def names_question(name: str) -> bool:
    """Whether a field is called as the id of a question is."""
    return meaning_of(name) == "question" or is_called_id(name)


def of_question(value: JsonObject, key: str, records: Sequence[JsonObject]) -> Sequence[JsonObject]:
    """Rows of a list called `attempts` or `trials`, with the id of the object around it."""
    inside = {name for record in records[:LOOKED_AT] for name in record}
    if plain_name(key) not in TRIAL_LISTS or any(map(names_question, inside)):
        return records
    for name, entry in value.items():
        is_id = names_question(name) and plain_name(name) not in _OTHER_NAMES
        if isinstance(entry, str | int) and (is_id or plain_name(name) in ASKED_NAMES):
            return [{name: entry, **record} for record in records]
    return records
