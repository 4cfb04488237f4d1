"""Which column names the questions, where none has a usual name for an id.

A column that is called an id of something (`scenario_id`, `puzzleId`) names the questions if the
systems share its values. A text that was asked (`prompt`, `input`) names them unless it is the same
in all rows, or is one of a few short names that come back again and again: `direct` and `cot` are
styles of prompting. Last comes what a question may be about (`image`, `url`), if no system has the
same value twice.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from errbar.data.column_names import TRIAL_NUMBERS, named_like, plain_name

Sample = Callable[[str], Sequence[object]]  # some values of a column

# The text that was asked, which names a question too.
ASKED = ("prompt", "input", "inputs", "question_text", "instruction", "query", "text")
_CALLED_ID = re.compile(
    r"(?:.*[\s_\-.](?i:id|idx|key|uuid|guid)|.+[a-z](?:Id|ID|Idx|Key))", re.DOTALL
)
# Ids of what is no question: a run, a call, a person, what is compared.
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
_FEW, _OFTEN = 10, 5  # short texts that are so few and come back so often are no questions


def other_id(
    lower: Mapping[str, str], taken: set[str], system: str | None, index: str, sample: Sample
) -> str | None:
    """What names a question where no column has a usual name for an id; None if nothing does."""
    free = [name for name in reversed(list(lower.values())) if name not in taken]
    called = [name for name in free if _is_called_id(name)]
    for name in (*called, *named_like(free, _NOUNS)):
        if _is_shared(sample(name), system, sample):
            return name
    asked = [lower.get(plain_name(name)) or "" for name in (index, *ASKED)]
    for name in asked:
        if name in free and (name == index or not _is_label(sample(name))):
            return name
    subjects = (name for name in named_like(free, _SUBJECTS))
    return next((name for name in subjects if _tells_apart(name, free, system, sample)), None)


def is_task_id(named: Mapping[str, str], sample: Sample) -> bool:
    """Whether a column that is called a task tells the rows of a system apart, as an id does."""
    if "task" not in named:
        return False
    systems = sample(named["system"]) if "system" in named else [""] * len(sample(named["task"]))
    pairs = list(zip(systems, sample(named["task"]), strict=True))
    return 2 * len(set(map(str, pairs))) > len(pairs)


def _is_called_id(name: str) -> bool:
    """Whether a column is called the id of something that may be a question.

    Examples
    --------
    >>> [_is_called_id(name) for name in ("scenario_id", "puzzleId", "run_id", "valid", "traceId")]
    [True, True, False, False, False]
    """
    if _CALLED_ID.fullmatch(name.strip()) is None or plain_name(name) in TRIAL_NUMBERS:
        return False
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.strip()).lower()
    return not any(map(_OTHER_IDS.fullmatch, list(re.split(r"[\s_\-.]+", words))[:-1]))


def _is_shared(values: Sequence[object], system: str | None, sample: Sample) -> bool:
    """Whether there are several values, and half of them at least are shared by systems."""
    if len(set(map(str, values))) < 2:
        return False
    by_system: dict[str, set[str]] = {}
    for name, value in zip(sample(system) if system else values, values, strict=False):
        by_system.setdefault(str(name) if system else "", set()).add(str(value))
    first, *others = sorted(by_system.values(), key=len, reverse=True)
    return all(2 * len(first & other) >= len(other) for other in others)


def _is_label(values: Sequence[object]) -> bool:
    """Whether a text is the same in all rows, or one of a few short names that come back."""
    texts = [str(value).strip() for value in values if value is not None]
    distinct = set(texts)
    if len(distinct) < 2:
        return len(texts) > 1
    short = all(len(text.split()) < 3 for text in distinct)
    return short and len(distinct) <= _FEW and len(texts) >= _OFTEN * len(distinct)


def _tells_apart(name: str, free: Sequence[str], system: str | None, sample: Sample) -> bool:
    """Whether no system has the same value twice, or not twice in the same trial."""
    keys = [name, *([system] if system else [])]
    for trial in (None, *named_like(free, TRIAL_NUMBERS)):
        rows = list(_rows([*keys, *([trial] if trial else [])], sample))
        if len(rows) > 1 and len(set(rows)) == len(rows):
            return len(set(map(str, sample(name)))) > 1
    return False


def _rows(names: Sequence[str], sample: Sample) -> Iterator[tuple[str, ...]]:
    return zip(*(map(str, sample(name)) for name in names), strict=True)
