"""Which column of a table is the question, the outcome, the system, the trial.

The id is the column that the user names; else `question`, unless it holds the text of questions
and another column is called an id; else a usual name for an id; the unnamed index of a data frame;
the text that was asked; the id of a question inside an object. Where there is none of these, every
row is a question.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from errbar.base.remarks import way_to_say
from errbar.data.columns import (
    INDEX,
    ROW,
    SCORERS,
    TRIAL_NUMBERS,
    USUAL,
    Sample,
    are_whole_numbers,
    list_names,
    named_like,
    plain_name,
    require_meaning,
    unknown_name,
)
from errbar.data.queries.expressions import Columns
from errbar.data.readers.tables.competing_outcomes import (
    best_outcome,
    refuse_answers,
    refuse_confidence,
    refuse_reference,
)
from errbar.data.readers.tables.counted_rows import refuse_tallies
from errbar.data.readers.tables.system_names import names_system
from errbar.errors import UnknownColumn

REQUIRED = ("question", "outcome")


_NESTED = ("system", "task", "trial", "outcome")  # are looked for inside other columns, too


def find_columns(
    names: Iterable[str],
    assignment: Mapping[str, str | None] | None = None,
    usual_names: Mapping[str, tuple[str, ...]] = USUAL,
    sample: Sample | None = None,
) -> Columns:
    """Find the column of each meaning: as mapped, by its exact name, or by a known one.

    A meaning mapped to None is left out. A `sample` of the values distinguishes ids from question
    texts, and allows every row to be a question if there are no ids.

    Examples
    --------
    >>> find_columns(["task_id", "passed"], {"question": "task_id"})["outcome"]
    'passed'
    """
    present = list(names)
    named = _as_assigned(present, assignment or {}, usual_names)
    used = set(named.values())
    unwanted = {meaning for meaning, name in (assignment or {}).items() if name is None}
    lower = {plain_name(name): name for name in reversed(present) if isinstance(name, str)}
    guessed: set[str] = set()
    meanings = [meaning for meaning in usual_names if meaning not in {*named, *unwanted}]
    if "question" in meanings and sample is not None:
        found = _id_beside_text(lower, used, sample)
        if found is not None:
            named["question"] = found
            guessed.add("question")
    for meaning in meanings:
        if meaning not in named and meaning in present and meaning not in used:
            named[meaning] = meaning
    used = set(named.values())
    for meaning in meanings:
        if meaning in named:
            continue
        free = [name for name in _usual(lower, meaning, usual_names) if name not in used]
        found = _likeliest(meaning, free, present, sample)
        if meaning == "system":
            found = found or _called_after_model(present, used, sample)
        if found is None and meaning == "question" and sample is not None:
            found = _unusual_id(named, guessed, present, lower, sample)
        if found is not None:
            named[meaning] = found
            guessed.add(meaning)
            used.add(found)
    if usual_names is USUAL and sample is not None:
        _number_trials(named, guessed, present, sample, unwanted)
        used = set(named.values())
    _require_all(named, present, usual_names)
    if "outcome" in guessed:
        refuse_reference(named["outcome"], present, sample)
        refuse_confidence(named["outcome"], present, sample)
        refuse_tallies(named["outcome"], present, sample)
    ordered = {meaning: named[meaning] for meaning in usual_names if meaning in named}
    unused = tuple(name for name in present if name not in used)
    beside = unused if "system" not in {*named, *unwanted} else ()
    also = _other_outcomes(present, used, lower) if "outcome" in guessed else ()
    unused = tuple(name for name in unused if name not in also)
    return Columns(MappingProxyType(ordered), frozenset(guessed), beside, also, unused)


def _called_after_model(
    present: Sequence[str], used: set[str], sample: Sample | None
) -> str | None:
    """The first column that is called after a model and has names that are not all different."""
    for name in present:
        if not isinstance(name, str) or name in used or not names_system(name):
            continue
        values = sample(name) if sample is not None else ()
        texts = [value for value in values if isinstance(value, str) and value.strip()]
        different = len(texts) > 1 and len(set(texts)) == len(texts)
        if texts and not different and not _is_prose(texts):
            return name
    return None


def _unusual_id(
    named: dict[str, str],
    guessed: set[str],
    present: Sequence[str],
    lower: Mapping[str, str],
    sample: Sample,
) -> str:
    """What names a question where no usual column does; the number of its row if nothing does.

    A column that was guessed to be the task, but is an id, is no longer the task.
    """
    used = set(named.values())
    inside = [name for name in _parts_named(present, "question") if name.endswith("_id")]
    inside += [name for name in present if _ID_INSIDE.fullmatch(str(name))]
    found = other_id(lower, used, named.get("system"), INDEX, sample)
    found = found or next((name for name in inside if name not in used), ROW)
    if found == ROW and is_task_id(named, sample):
        found = named.pop("task")
        guessed.discard("task")
    return found


def _likeliest(
    meaning: str, free: Sequence[str], present: Sequence[str], sample: Sample | None
) -> str | None:
    """Most likely column of a meaning, among columns and parts of nested columns."""
    if meaning == "outcome" and sample is not None:
        free = best_outcome(free, sample)
    found = next(iter(free), None)
    if found is None and meaning == "outcome" and named_like(present, SCORERS):
        found = next(iter(named_like(present, frozenset({"value"}))), None)
    if found is None and meaning in _NESTED:
        found = next(iter(_parts_named(present, meaning)), None)
    return found


def _require_all(
    named: Mapping[str, str], present: list[str], usual_names: Mapping[str, tuple[str, ...]]
) -> None:
    """Raise an error if a required column is missing."""
    required = REQUIRED if usual_names is USUAL else ("question", "trials", "correct")
    lacking = [meaning for meaning in required if meaning not in named]
    if lacking and named.get("question") in (ROW, *ASKED):
        lacking = ["question", *lacking]
    if lacking == ["outcome"]:
        refuse_answers(present)
    if lacking:
        map_it = way_to_say(f"--map {lacking[0]}=COLUMN", f"{lacking[0]}='COLUMN'")
        raise UnknownColumn(
            f"no column of the data looks like {' or '.join(lacking)}; there are: "
            f"{list_names(present)}. Say which it is with {map_it}."
        )


def _plain_names(meaning: str, usual_names: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {plain_name(name) for name in (meaning, *usual_names[meaning])}


def _usual(
    lower: Mapping[str, str], meaning: str, usual_names: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Columns with a known name for a meaning, the most likely first."""
    names = (plain_name(name) for name in (meaning, *usual_names[meaning]))
    return [lower[name] for name in names if name in lower]


def _number_trials(
    named: dict[str, str],
    guessed: set[str],
    present: Sequence[str],
    sample: Sample,
    unwanted: set[str],
) -> None:
    """Use a column of integers, such as `run`, as the trial if it makes rows unique."""
    if {"trial"} & (named.keys() | unwanted) or named.get("question", ROW) == ROW:
        return
    system = named.get("system") if "system" in guessed else None
    is_free = {name for name in present if name == system or name not in named.values()}
    for name in named_like(present, TRIAL_NUMBERS):
        if name not in is_free or not are_whole_numbers(sample(name)):
            continue
        keys = [
            named[meaning]
            for meaning in ("system", "task", "question")
            if named.get(meaning, name) != name
        ]
        rows = list(zip(*(map(str, sample(key)) for key in (*keys, name)), strict=True))
        if len(set(rows)) < len(rows):
            continue
        if name == system:
            del named["system"]
            guessed.discard("system")
        named["trial"] = name
        guessed.add("trial")
        return


def _as_assigned(
    present: list[str],
    assignment: Mapping[str, str | None],
    usual_names: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    named: dict[str, str] = {}
    for meaning, name in assignment.items():
        if meaning not in usual_names:
            require_meaning(meaning)
            raise UnknownColumn(f"{meaning} cannot be combined with the other mapped columns.")
        if name is None:
            continue
        if name not in present and meaning in present and "," in name:
            named[meaning] = meaning  # a list of columns that were melted into one
            continue
        if name in named.values():
            raise UnknownColumn(f"the column {name!r} is mapped to two meanings.")
        if name not in present:
            raise UnknownColumn(unknown_name(name, present, "the data have no column"))
        named[meaning] = name
    return named


def _id_beside_text(lower: Mapping[str, str], used: set[str], sample: Sample) -> str | None:
    """The id column, if `question` has the text of the question."""
    text = lower.get("question")
    if text is None or text in used:
        return None
    ids = (name for name in _usual(lower, "question", USUAL) if plain_name(name) != "problem")
    found = next((name for name in ids if name not in {*used, text}), None)
    if found is None or (lower.get("questionid") != found and not _is_prose(sample(text))):
        return None
    return None if _is_prose(sample(found)) else found


def _is_prose(values: Sequence[object]) -> bool:
    """Whether most values are sentences rather than ids."""
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    return 2 * sum(len(text.split()) > 2 for text in texts) > len(texts)


def _parts_named(present: Iterable[str], meaning: str) -> list[str]:
    """Nested columns whose last name is a known one, such as scores.accuracy, in order."""
    parts = [name for name in present if isinstance(name, str) and "." in name]
    last = {name: plain_name(name.rpartition(".")[2]) for name in parts}
    usual = [plain_name(name) for name in (meaning, *USUAL[meaning])]
    found = [name for wanted_name in usual for name in parts if last[name] == wanted_name]
    if found or meaning != "outcome":
        return found
    scores = [name for name in parts if name.lower().startswith(("score.", "scores."))]
    return scores if len(scores) == 1 else [name for name in parts if last[name] == "value"]


def names_in_parts(keys: Iterable[object], meaning: str) -> bool:
    """Whether a nested object has a known key for a meaning."""
    usual = _plain_names(meaning, USUAL)
    return any(plain_name(str(key)) in usual for key in keys)


def _other_outcomes(
    present: Sequence[str], used: set[str], lower: Mapping[str, str]
) -> tuple[str, ...]:
    """Other columns that could be the outcome."""
    usual = _usual(lower, "outcome", USUAL)
    usual += _parts_named(present, "outcome")
    return tuple(name for name in dict.fromkeys(usual) if name not in used)


# The index of a data frame that was written to a file and read again.
INDICES = ("unnamed:0", "unnamed:0.1", "level0")
# The text of a question, which can serve as its id.
ASKED = ("prompt", "input", "inputs", "question_text", "instruction", "query", "text")
_CALLED_ID = re.compile(
    r"(?:.*[\s_\-.](?i:id|idx|key|uuid|guid)|.+[a-z](?:Id|ID|Idx|Key))", re.DOTALL
)
# The id in an object that is a question, such as sample.id.
_ID_INSIDE = re.compile(
    r"(?:.*\.)?(question|problem|item|example|instance|sample|doc|document|prompt|test|test_?case"
    r"|case|task|input|row|record|datapoint|data_?point)\._?(id|idx|uid|uuid|key)",
    re.IGNORECASE,
)
# Ids of something other than a question: a run, a call, a person, a model.
_OTHER_IDS = re.compile(
    r"(run|session|request|response|trace|span|call|job|batch|worker|thread|message|user|annotator"
    r"|rater|judge|grader|participant|subject|experiment|model|agent|system|log|eval|evaluation"
    r"|generation|completion|attempt|trial|rollout|sample|seed|epoch|config|group|cluster|parent"
    r"|account|org|project|dataset|benchmark|commit|hash|api)s?"
)
_NOUNS = frozenset(
    map(plain_name, ("scenario", "puzzle", "exercise", "instance", "challenge", "test_case"))
)
_SUBJECTS = frozenset(
    map(
        plain_name,
        (
            *("image", "img", "image_path", "image_file", "picture", "video", "audio", "clip"),
            *("file", "filename", "file_name", "filepath", "file_path", "path", "url", "link"),
            *("document", "doc", "passage", "sentence", "statement", "claim", "utterance"),
        ),
    )
)
_FEW, _OFTEN = 10, 5  # few short texts that repeat often are labels, not questions


def other_id(
    lower: Mapping[str, str], used: set[str], system: str | None, index: str, sample: Sample
) -> str | None:
    """The id column if none has a known name; None if there is none."""
    free = [name for name in reversed(list(lower.values())) if name not in used]
    called = [name for name in free if is_called_id(name)]
    for name in (*called, *named_like(free, _NOUNS)):
        if _is_shared(sample(name), system, sample):
            return name
    names = [lower.get(plain_name(name)) or "" for name in (index, *INDICES, *ASKED)]
    for name in names:
        is_index = name == index or plain_name(name) in INDICES
        if name in free and (is_index or not _is_label(sample(name))):
            return name
    subjects = (name for name in named_like(free, _SUBJECTS))
    return next((name for name in subjects if _tells_apart(name, free, system, sample)), None)


def is_task_id(named: Mapping[str, str], sample: Sample) -> bool:
    """Whether a column named task is unique within a system, as an id is."""
    if "task" not in named:
        return False
    systems = sample(named["system"]) if "system" in named else [""] * len(sample(named["task"]))
    pairs = list(zip(systems, sample(named["task"]), strict=True))
    return 2 * len(set(map(str, pairs))) > len(pairs)


def is_called_id(name: str) -> bool:
    """Whether a column name is that of an id of a possible question.

    Examples
    --------
    >>> [is_called_id(name) for name in ("scenario_id", "puzzleId", "run_id", "valid", "traceId")]
    [True, True, False, False, False]
    """
    if _CALLED_ID.fullmatch(name.strip()) is None or plain_name(name) in TRIAL_NUMBERS:
        return False
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip()).lower()
    return not any(map(_OTHER_IDS.fullmatch, list(re.split(r"[\s_\-.]+", words))[:-1]))


def _is_shared(values: Sequence[object], system: str | None, sample: Sample) -> bool:
    """Whether there are several values, at least half of them shared by systems."""
    if len(set(map(str, values))) < 2:
        return False
    by_system: dict[str, set[str]] = {}
    for name, value in zip(sample(system) if system else values, values, strict=False):
        by_system.setdefault(str(name) if system else "", set()).add(str(value))
    first, *others = sorted(by_system.values(), key=len, reverse=True)
    return all(2 * len(first & other) >= len(other) for other in others)


def _is_label(values: Sequence[object]) -> bool:
    """Whether a text is constant, or one of a few short repeated labels."""
    texts = [str(value).strip() for value in values if value is not None]
    distinct = set(texts)
    if len(distinct) < 2:
        return len(texts) > 1
    short = all(len(text.split()) < 3 for text in distinct)
    return short and len(distinct) <= _FEW and len(texts) >= _OFTEN * len(distinct)


def _tells_apart(name: str, free: Sequence[str], system: str | None, sample: Sample) -> bool:
    """Whether values are unique within each system, or within each trial."""
    keys = [name, *([system] if system else [])]
    for trial in (None, *named_like(free, TRIAL_NUMBERS)):
        rows = list(_rows([*keys, *([trial] if trial else [])], sample))
        if len(rows) > 1 and len(set(rows)) == len(rows):
            return len(set(map(str, sample(name)))) > 1
    return False


def _rows(names: Sequence[str], sample: Sample) -> Iterator[tuple[str, ...]]:
    return zip(*(map(str, sample(name)) for name in names), strict=True)
