"""Which column has the ids of questions, if none has a known name for them.

In order: a column called an id whose values the systems share, the unnamed index of a data frame,
the text that was asked, the subject of a question such as an image.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from errbar.data.columns import (
    COUNTERS,
    SCORERS,
    SETTINGS,
    TRIAL_NUMBERS,
    USUAL,
    Sampler,
    are_whole_numbers,
    named_like,
    plain_name,
)
from errbar.data.outcome_words import is_outcome, words_of
from errbar.data.queries.expressions import FILE
from errbar.data.readers.tables.wide_names import STEPS, TRIAL_NAME, is_no_system

# The index of a data frame that was written to a file and read again.
INDICES = ("unnamed:0", "unnamed:0.1", "level0")
# The text of a question, which can serve as its id.
ASKED = (
    *("prompt", "input", "inputs", "user_input", "question_text", "instruction", "query", "text"),
    *("goal", "behavior", "behaviour"),
)
_CALLED_ID = re.compile(
    r"(?:.*[\s_\-.](?i:id|idx|key|uuid|guid)|.+[a-z](?:Id|ID|Idx|Key)"
    r"|(?i:(?:seg|segment|sent|sentence|doc|utt|item|case|query|img|image|prompt|problem|question"
    r"|task|test|sample|example|instance)id)"
    r"|(?i:question|problem|task|puzzle|item|case|example|instance|test|scenario|prompt)"
    r"[\s_\-.](?i:hex|hash|slug|code|label|no|nr))",
    re.DOTALL,
)
# The id in an object that is a question, such as sample.id.
ID_INSIDE = re.compile(
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
_OF_QUESTIONS = frozenset({"question", "problem", "task", "case", "item", "scenario", "puzzle"})
_NOUNS = frozenset(
    map(plain_name, ("scenario", "puzzle", "exercise", "instance", "challenge", "test_case"))
)
_EVALS = frozenset(map(plain_name, ("eval", "eval_name", "eval_id", "evaluation")))
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
_TRIALS = TRIAL_NUMBERS | frozenset(map(plain_name, ("trial", *USUAL["trial"])))
# Number the trials of a question; without any other id, the questions.
_SAMPLES = frozenset(
    map(
        plain_name,
        ("sample", "sample_idx", "sample_index", "sample_no", "sample_num", "sample_number"),
    )
)
_MAY_NUMBER_QUESTIONS = _SAMPLES | frozenset(
    map(plain_name, ("generation", "response_id", "response_idx", "completion_id", "round", "run"))
)
_CALLED_TASK = frozenset(map(plain_name, ("task", "task_name")))
_RUN_IDS = frozenset(map(plain_name, ("run_id", "trial_id", "attempt_id", "rollout_id")))
# Ids of a call if they are unique, and of a question if each occurs as often, as in every system.
_REQUESTS = frozenset(map(plain_name, ("request_id", "req_id", "message_id", "ticket_id")))
_VERDICTS = frozenset({"correct", "passed", "solved", "resolved", "success"})
_SELDOM_OUTCOMES = frozenset(
    map(
        plain_name,
        (
            *("verified", "pass_fail", "pass/fail", "judge", "judgement", "judgment"),
            *("evaluation", "assessment"),
            *("score_binarized", "score_binary", "binary_score", "binarized_score"),
        ),
    )
)
_COUNTED = frozenset({"num", "n", "number", "total", "count", "all", "any", "is", "not", "has"})
_FEW, _OFTEN = 10, 5  # few short texts that repeat often are labels, not questions


def other_id(
    lower: Mapping[str, str], used: set[str], system: str | None, index: str, sample: Sampler
) -> str | None:
    """The id column if none has a known name; None if there is none."""
    free = [name for name in reversed(list(lower.values())) if name not in used]
    asked = [name for name in named_like(free, _REQUESTS) if _occurs_under_each(name, free, sample)]
    called = [*asked, *(name for name in free if is_called_id(name))]
    for name in (*called, *named_like(free, _NOUNS)):
        if _is_shared(sample(name), system, sample):
            return name
    for name in named_like(free, _EVALS):  # of questions if there are more than rows of each
        values = sample(name)
        if len(set(map(str, values))) ** 2 > len(values) and _is_shared(values, system, sample):
            return name
    names = [lower.get(plain_name(name)) or "" for name in (index, *INDICES, *ASKED)]
    for name in names:
        is_index = name == index or plain_name(name) in INDICES
        if name in free and (is_index or not _is_label(sample(name))):
            return name
    return subject_id(free, system, sample)


def shared_id(
    lower: Mapping[str, str], used: set[str], system: str | None, sample: Sampler
) -> str | None:
    """The first column that has the same values in every system or file, each of them once.

    Settings, measurements and counters of runs, fractions, objects, and what may be an outcome do
    not name questions.
    """
    system = system or FILE
    if len({*map(str, sample(system))}) < 2:
        return None
    for name in reversed([name for name in lower.values() if name not in used]):
        if is_no_system(name) or plain_name(name) in SETTINGS | COUNTERS | _TRIALS | SCORERS:
            continue
        values = sample(name)
        if any(value is None or isinstance(value, float | dict | list) for value in values):
            continue
        if any(str(value).startswith(("{", "[")) for value in values):
            continue
        if all(map(is_outcome, values)):
            continue
        by_system: dict[str, list[str]] = {}
        for own, value in _rows([system, name], sample):
            by_system.setdefault(own, []).append(value)
        first, *others = map(sorted, by_system.values())
        if len({*first}) == len(first) > 2 and all(other == first for other in others):
            return name
    return None


def subject_id(free: Sequence[str], system: str | None, sample: Sampler) -> str | None:
    """The column of subjects, such as images, if each is the subject of one question."""
    subjects = (name for name in named_like(free, _SUBJECTS))
    return next((name for name in subjects if _tells_apart(name, free, system, sample)), None)


def is_task_id(named: Mapping[str, str], present: Sequence[str], sample: Sampler) -> bool:
    """Whether a column named task has the ids of questions.

    It is unique within a system, or numbered trials are unique within a task, also if the number
    is in the id of a run; or it is called a task, and there are more tasks than rows of each.
    """
    if "task" not in named:
        return False
    task, system = named["task"], named.get("system")
    keys = [task, *([system] if system else [])]
    keys += [name for name in named_like(present, SETTINGS) if name not in keys]
    rows = list(_rows(keys, sample))
    different = len(set(rows))
    if 2 * different > len(rows):
        return True
    tasks = len({row[0] for row in rows})
    others = [name for meaning, name in named.items() if meaning != "trial"]
    numbers = [name for name in named_like(present, _TRIALS) if name not in others]
    for name in numbers:
        values = sample(name)
        few = plain_name(name) not in _MAY_NUMBER_QUESTIONS or len(set(map(str, values))) <= tasks
        if few and are_whole_numbers(values):
            trials = list(_rows([*keys, name], sample))
            return len(set(trials)) == len(trials)
    parts = [task, *([system] if system else [])]
    if any(_number_in_id(name, parts, sample) for name in named_like(present, _RUN_IDS)):
        return True
    return plain_name(task) in _CALLED_TASK and tasks * different > len(rows) and tasks >= _FEW


def _number_in_id(name: str, parts: Sequence[str], sample: Sampler) -> bool:
    """Whether an id is made of the task, the system and a number: `sort-list/gpt/2`."""
    seen = set()
    for text, *values in _rows([name, *parts], sample):
        left = text
        for value in sorted(values, key=len, reverse=True):
            if value not in left:
                return False
            left = left.replace(value, "", 1)
        if not left.strip(" -_./:#").isdecimal():
            return False
        seen.add(text)
    return len(seen) == len(sample(name)) > 1


def named_trials(present: Sequence[str], sample: Sampler) -> str | None:
    """A column called trial with many names in it, as experiments call their questions."""
    for name in named_like(present, frozenset({"trial", "trialid"})):
        values = [str(value) for value in sample(name)]
        numbered = any(TRIAL_NAME.fullmatch(value) or value.isdecimal() for value in values)
        different = len(set(values))
        if not numbered and different >= _FEW and different * different > len(values):
            return name
    return None


def sample_id(named: Mapping[str, str], present: Sequence[str], sample: Sampler) -> str | None:
    """A column that numbers samples, if it is unique within a system and task, as an id is."""
    keys = [named[meaning] for meaning in ("system", "task") if meaning in named]
    for name in named_like(present, _SAMPLES):
        rows = list(_rows([*keys, name], sample))
        is_unique = name not in named.values() and len(set(rows)) == len(rows) > 1
        if is_unique and _is_shared(sample(name), named.get("system"), sample):
            return name
    return None


def is_called_id(name: str) -> bool:
    """Whether a column name is that of an id of a possible question.

    Examples
    --------
    >>> [is_called_id(name) for name in ("scenario_id", "puzzleId", "SEGID", "run_id", "VALID")]
    [True, True, True, False, False]
    >>> is_called_id("user_task_id"), is_called_id("user_id")
    (True, False)
    """
    if _CALLED_ID.fullmatch(name.strip()) is None or plain_name(name) in TRIAL_NUMBERS:
        return False
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip()).lower()
    *before, noun = re.split(r"[\s_\-.]+", words)[:-1] or [""]
    return noun in _OF_QUESTIONS or not any(map(_OTHER_IDS.fullmatch, [*before, noun]))


def is_verdict(name: str) -> bool:
    """Whether the last word of a name says that something is right.

    Examples
    --------
    >>> [is_verdict(name) for name in ("gpt_correct", "num_correct", "build_passed")]
    [True, False, False]
    """
    words = re.split(r"[\s_\-]+", name.strip().lower()) if isinstance(name, str) else []
    return len(words) > 1 and words[-1] in _VERDICTS and words[0] not in _COUNTED | STEPS


def seldom_outcomes(names: Sequence[str]) -> list[str]:
    """Columns that are the outcome if no other is, such as davinci_correct or verified."""
    return [name for name in names if is_verdict(name)] or named_like(names, _SELDOM_OUTCOMES)


def is_id_inside(name: str) -> bool:
    """Whether a known id is that of a question even inside an object that does not say so.

    Examples
    --------
    >>> [is_id_inside(name) for name in ("meta.task_id", "meta.qid", "meta.id", "run.name")]
    [True, True, False, False]
    """
    last = name.rpartition(".")[2].lower()
    return last.endswith(("_id", "qid", "_idx"))


def is_name_of_id(name: str, question: str, sample: Sampler) -> bool:
    """Whether a column has the name of what another has the id of, as task_name beside task_id."""
    (*noun, last), (*other, _) = words_of(name) or [""], words_of(question) or [""]
    if last != "name" or not noun or {*noun} != {*other}:
        return False
    names, ids, pairs = ({*_rows(some, sample)} for some in ([name], [question], [name, question]))
    return len(names) == len(ids) == len(pairs) > 1


def is_prose(values: Sequence[object]) -> bool:
    """Whether most values are sentences rather than ids."""
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    return 2 * sum(len(text.split()) > 2 for text in texts) > len(texts)


def _is_shared(values: Sequence[object], system: str | None, sample: Sampler) -> bool:
    """Whether there are several values, at least half of them shared by systems."""
    if len(set(map(str, values))) < 2:
        return False
    by_system: dict[str, set[str]] = {}
    for name, value in zip(sample(system) if system else values, values, strict=False):
        by_system.setdefault(str(name) if system else "", set()).add(str(value))
    first, *others = sorted(by_system.values(), key=len, reverse=True)
    return all(2 * len(first & other) >= len(other) for other in others)


def _occurs_under_each(name: str, free: Sequence[str], sample: Sampler) -> bool:
    """Whether every id occurs once under each of several values of a column, as of versions."""
    values = sample(name)
    often = {*Counter(map(str, values)).values()}
    if len(often) != 1 or often == {1} or None in values:
        return False
    for other in [other for other in free if not all(map(is_outcome, sample(other)))]:
        pairs = {*_rows([name, other], sample)}
        if len(pairs) == len(values) and len({*map(str, sample(other))}) in often:
            return True
    return False


def _is_label(values: Sequence[object]) -> bool:
    """Whether a text is constant, or one of a few short repeated labels."""
    texts = [str(value).strip() for value in values if value is not None]
    distinct = set(texts)
    if len(distinct) < 2:
        return len(texts) > 1
    short = all(len(text.split()) < 3 for text in distinct)
    return short and len(distinct) <= _FEW and len(texts) >= _OFTEN * len(distinct)


def _tells_apart(name: str, free: Sequence[str], system: str | None, sample: Sampler) -> bool:
    """Whether values are unique within each system, or within each trial."""
    keys = [name, *([system] if system else [])]
    for trial in (None, *named_like(free, TRIAL_NUMBERS)):
        rows = list(_rows([*keys, *([trial] if trial else [])], sample))
        if len(rows) > 1 and len(set(rows)) == len(rows):
            return len(set(map(str, sample(name)))) > 1
    return False


def _rows(names: Sequence[str], sample: Sampler) -> Iterator[tuple[str, ...]]:
    return zip(*(map(str, sample(name)) for name in names), strict=True)


_TEXTS = ("question", "problem")  # may be the id, or the text


def id_beside_text(
    lower: Mapping[str, str], used: Collection[str], usual: Sequence[str], sample: Sampler
) -> str | None:
    """The id column, if `question` or `problem` has the text of the question."""
    text = next((lower[name] for name in _TEXTS if name in lower), None)
    if text is None or text in used:
        return None
    free = [name for name in lower.values() if name not in {*used, text}]
    ids = [name for name in usual if name in free]
    ids = [name for name in ids if plain_name(name) not in _TEXTS and not is_prose(sample(name))]
    if not _has_gaps(sample(text)):
        ids = [name for name in ids if not _has_gaps(sample(name))]
    different = {name: len({*map(str, sample(name))}) for name in (text, *ids)}
    if different[text] == 1:  # one question about several images, documents, …
        ids = [name for name in ids if different[name] > 1]
        return ids[0] if ids else subject_id(free, None, sample)
    if plain_name(text) == "problem" and (rows := len(sample(text))) > different[text]:
        ids = [name for name in ids if different[name] < rows]  # others name rows
    if ids and (lower.get("questionid") == ids[0] or is_prose(sample(text))):
        return ids[0]
    return None


def _has_gaps(values: Sequence[object]) -> bool:
    return any(value is None or not str(value).strip() for value in values)
