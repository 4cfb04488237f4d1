"""The one table: a row is one trial of one question by one system.

| column | meaning |
|---|---|
| `system` | what is being compared: a model, a prompt, an agent |
| `task` | data set or benchmark |
| `question` | id, unique within its task; always text, so that 007 stays 007 |
| `trial` | index of the repeat |
| `outcome` | 0 or 1, a category, or a reward; nothing where there is none |
| `status` | ok, error, timeout, limit, unscored, abstained, missing: apart from the outcome |
| `confidence` | higher is surer; used to rank |
| `answer`, `target`, `cluster`, `weight`, `cost` | as their names say |

Only `question` and `outcome` must be there. A table that calls its columns otherwise is mapped;
names that are common are guessed, and every guess is shown.

Which column is the id: the one that is told; `question`, unless it holds the text of questions and
another column is called an id; a usual name for an id; the unnamed index of a data frame; the text
that was asked; the id of a question inside an object; and where there is nothing of the kind, every
row is a question of its own.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from errbar.data.column_names import TRIAL_NUMBERS, are_whole_numbers, named_like, plain_name
from errbar.data.outcome_choice import best_outcome, refuse_confidence
from errbar.data.question_ids import ASKED, is_task_id, other_id
from errbar.data.references import refuse_answers, refuse_reference
from errbar.errors import InputError, UnknownColumn
from errbar.remarks import Above, guess, way_to_say

REQUIRED = ("question", "outcome")

# The names that harnesses give to each column, the likeliest first.
USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "system": ("model", "model_name", "model_id", "agent", "method", "run"),
        "task": ("dataset", "benchmark", "task_name", "subset"),
        "question": (
            *("question_id", "problem_id", "task_id", "instance_id", "sample_id", "item_id"),
            *("example_id", "doc_id", "prompt_id", "case_id", "test_id", "qid", "uid"),
            *("problem_idx", "question_idx", "item", "problem", "id", "index", "idx"),
            *("test_name", "test", "case", "example", "key", "name"),
        ),
        "trial": (
            *("epoch", "attempt", "repeat", "repetition", "trial_id", "sample", "completion_id"),
            *("rollout", "seed", "idx_answer"),
        ),
        "outcome": (
            *("correct", "is_correct", "correctness", "passed", "pass", "is_pass", "success"),
            *("succeeded", "is_success", "resolved", "is_resolved", "solved", "score", "reward"),
            *("label", "grade", "verdict", "result", "acc", "accuracy", "exact_match", "em"),
            *("pass@1", "pass_at_1"),
        ),
        "status": ("state",),
        "confidence": ("conf", "certainty", "probability", "prob"),
        "cluster": ("group", "participant_id", "participant"),
        "weight": ("weights",),
        "answer": ("predicted_answer", "extracted_answer", "parsed_answer"),
        "target": ("expected_answer", "gold_answer", "gold"),
        "cost": ("cost_usd",),
    }
)

# The same for a table of counts, a row per question instead of one per trial.
USUAL_COUNTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{meaning: USUAL[meaning] for meaning in ("system", "task", "question", "cluster")},
        "weight": USUAL["weight"],
        "trials": ("n", "n_trials", "num_trials", "num_samples", "total"),
        "correct": (
            *("c", "n_correct", "num_correct", "successes", "n_success", "n_passed", "num_passed"),
            *("passed", "solved", "resolved"),
        ),
    }
)

INDEX = "(unnamed index)"  # what the first column of a CSV file is called that has no name
ROW = "errbar row"  # the number of a row, where nothing names the questions
_NESTED = ("system", "task", "trial", "outcome")  # are looked for inside other columns, too

Sample = Callable[[str], Sequence[object]]  # some values of a column

# A failed row has no result: the outcome, if any, was put there by the harness.
FAILED = ("error", "timeout", "missing", "failed")
UNSCORED = "unscored"  # never graded: missing under every policy, never a failure
NO_RESULT = (*FAILED, UNSCORED)
STATUSES = ("ok", "limit", "abstained", *NO_RESULT)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column of a table holds what, and which of them were guessed."""

    named: Mapping[str, str]
    guessed: frozenset[str]
    beside: tuple[str, ...] = ()  # not used, where no column says of which system a row is
    also: tuple[str, ...] = ()  # could be the outcome as well
    unused: tuple[str, ...] = ()  # mean nothing, where a column says of which system a row is

    def __getitem__(self, meaning: str) -> str:
        return self.named[meaning]

    def __contains__(self, meaning: str) -> bool:
        return meaning in self.named

    def describe(self) -> str:
        """The same in words.

        Examples
        --------
        >>> find_columns(["task_id", "passed", "model", "score"]).describe()
        'system = model, question = task_id, outcome = passed (or score)'
        >>> find_columns(["question", "outcome", "Who"]).describe()
        "question, outcome; no column names the system: all rows are of one (not used: 'Who')"
        """
        said = ", ".join(map(self._taken, self.named))
        if self.beside:
            said += "; no column names the system: all rows are of one"
            said += f" (not used: {_some(self.beside, 8)})"
        elif self.unused:
            said += f"; not used: {_some(self.unused, 8)}"
        return said

    def remark(self) -> Above:
        """The same as a guess that stands above the numbers."""
        return guess(f"Columns: {self.describe()}", option="--map", argument="outcome='…'")

    def _taken(self, meaning: str) -> str:
        name = self.named[meaning]
        if name == ROW:
            return "every row is a question, as no column names them"
        also = f" (or {', '.join(self.also[:4])})" if meaning == "outcome" and self.also else ""
        numbers = meaning == "trial" and bool(named_like([name], TRIAL_NUMBERS | {"epoch"}))
        if numbers and meaning in self.guessed and "system" not in self.named:
            systems = way_to_say(f"--map system={name}", f"system={name!r}")
            what = "epochs of training" if plain_name(name) == "epoch" else "systems"
            also = f" (if these are {what}: {systems})"
        return f"{meaning if name == meaning else f'{meaning} = {name}'}{also}"


def are_counts(
    names: Iterable[str], told: Mapping[str, str | None], sample: Sample | None = None
) -> bool:
    """Whether a table has a row per question, with its trials and how many were right.

    A `sample` of the values tells a total of trials from a total of something else.
    """
    if {"trials", "correct"} & set(told):
        return True
    lower = {plain_name(str(name)): str(name) for name in names}
    has = [_plain_names(meaning, USUAL_COUNTS) & lower.keys() for meaning in ("trials", "correct")]
    if not all(has) or told.get("outcome") or {"outcome", "trial"} & lower.keys():
        return False
    if sample is None or has[0] != {"total"}:
        return True
    right = lower[min(has[1])]
    if any(str(one).strip().lower() not in ("", "0", "1", "0.0", "1.0") for one in sample(right)):
        return not any(isinstance(one, bool) for one in sample(right))
    map_it = way_to_say(f"--map outcome={right}", f"outcome={right!r}")
    counts = way_to_say(
        f"--map trials=total --map correct={right}", f"trials='total', correct={right!r}"
    )
    raise UnknownColumn(
        f"'total' may be the number of trials of each row, or something else. If {right!r} is the "
        f"outcome of a row, say {map_it}; if it is how many of 'total' were right, say {counts}."
    )


def find_columns(
    names: Iterable[str],
    told: Mapping[str, str | None] | None = None,
    usual_names: Mapping[str, tuple[str, ...]] = USUAL,
    sample: Sample | None = None,
) -> Columns:
    """Which column holds what: as told, by its own name, or by a usual one.

    What is told to be None is not looked for. A `sample` of the values tells ids from the text of
    questions, and without any id lets every row be a question.

    Examples
    --------
    >>> find_columns(["task_id", "passed"], {"question": "task_id"})["outcome"]
    'passed'
    """
    present = list(names)
    named = _as_told(present, told or {}, usual_names)
    taken = set(named.values())
    unwanted = {meaning for meaning, name in (told or {}).items() if name is None}
    lower = {plain_name(name): name for name in reversed(present) if isinstance(name, str)}
    guessed: set[str] = set()
    wanted = [one for one in usual_names if one not in named and one not in unwanted]
    if "question" in wanted and sample is not None:
        found = _id_beside_text(lower, taken, sample)
        if found is not None:
            named["question"] = found
            guessed.add("question")
    for meaning in wanted:
        if meaning not in named and meaning in present and meaning not in taken:
            named[meaning] = meaning
    taken = set(named.values())
    for meaning in wanted:
        if meaning in named:
            continue
        free = [name for name in _usual(lower, meaning, usual_names) if name not in taken]
        found = _likeliest(meaning, free, present, sample)
        if found is None and meaning == "question" and sample is not None:
            found = other_id(lower, taken, named.get("system"), INDEX, sample)
            inside = [name for name in _parts_named(present, meaning) if name.endswith("_id")]
            found = found or next((name for name in inside if name not in taken), ROW)
            if found == ROW and is_task_id(named, sample):
                found = named.pop("task")
                guessed.discard("task")
        if found is not None:
            named[meaning] = found
            guessed.add(meaning)
            taken.add(found)
    if usual_names is USUAL and sample is not None:
        _number_trials(named, guessed, present, sample, unwanted)
        taken = set(named.values())
    _require_all(named, present, usual_names)
    if "outcome" in guessed:
        refuse_reference(named["outcome"], present, sample)
        refuse_confidence(named["outcome"], present, sample)
    ordered = {meaning: named[meaning] for meaning in usual_names if meaning in named}
    pooled = "system" not in {*named, *unwanted}
    unused = tuple(name for name in present if name not in taken)
    beside = unused if pooled else ()
    also = _other_outcomes(present, taken, lower) if "outcome" in guessed else ()
    unused = tuple(name for name in unused if name not in also)
    return Columns(MappingProxyType(ordered), frozenset(guessed), beside, also, unused)


def _likeliest(
    meaning: str, free: Sequence[str], present: Sequence[str], sample: Sample | None
) -> str | None:
    """The likeliest of the columns that are usual for a meaning, or of the parts of others."""
    if meaning == "outcome" and sample is not None:
        free = best_outcome(free, sample)
    found = next(iter(free), None)
    if found is None and meaning in _NESTED:
        found = next(iter(_parts_named(present, meaning)), None)
    return found


def _require_all(
    named: Mapping[str, str], present: list[str], usual_names: Mapping[str, tuple[str, ...]]
) -> None:
    """Refuse a table that lacks what every table must have."""
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
            f"{_some(present)}. Say which it is with {map_it}."
        )


def _plain_names(meaning: str, usual_names: Mapping[str, tuple[str, ...]]) -> set[str]:
    return {plain_name(name) for name in (meaning, *usual_names[meaning])}


def _usual(
    lower: Mapping[str, str], meaning: str, usual_names: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """The columns that are usual for a meaning, the likeliest first."""
    names = (plain_name(name) for name in (meaning, *usual_names[meaning]))
    return [lower[name] for name in names if name in lower]


def _number_trials(
    named: dict[str, str],
    guessed: set[str],
    present: Sequence[str],
    sample: Sample,
    unwanted: set[str],
) -> None:
    """Take a column of whole numbers for the trials that it tells apart, as `run` does."""
    if {"trial"} & (named.keys() | unwanted) or named.get("question", ROW) == ROW:
        return
    system = named.get("system") if "system" in guessed else None
    is_free = {name for name in present if name == system or name not in named.values()}
    for name in named_like(present, TRIAL_NUMBERS):
        if name not in is_free or not are_whole_numbers(sample(name)):
            continue
        keys = [
            named[one] for one in ("system", "task", "question") if named.get(one, name) != name
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


def _as_told(
    present: list[str],
    told: Mapping[str, str | None],
    usual_names: Mapping[str, tuple[str, ...]],
) -> dict[str, str]:
    named: dict[str, str] = {}
    for meaning, name in told.items():
        if meaning not in usual_names:
            require_meaning(meaning)
            raise UnknownColumn(f"{meaning} has no place beside the other columns that are told.")
        if name is None:
            continue
        if name not in present and meaning in present and "," in name:
            named[meaning] = meaning  # a list of columns, of which one was made
            continue
        if name in named.values():
            raise UnknownColumn(f"the column {name!r} is told to be two things.")
        if name not in present:
            raise UnknownColumn(_unknown(name, present, "the data have no column"))
        named[meaning] = name
    return named


def _id_beside_text(lower: Mapping[str, str], taken: set[str], sample: Sample) -> str | None:
    """The id, where `question` holds the text that was asked."""
    text = lower.get("question")
    if text is None or text in taken:
        return None
    ids = (name for name in _usual(lower, "question", USUAL) if plain_name(name) != "problem")
    found = next((name for name in ids if name not in {*taken, text}), None)
    if found is None or (lower.get("questionid") != found and not _is_prose(sample(text))):
        return None
    return None if _is_prose(sample(found)) else found


def _is_prose(values: Sequence[object]) -> bool:
    """Whether most of the values are sentences rather than ids."""
    texts = [value for value in values if isinstance(value, str) and value.strip()]
    return 2 * sum(len(text.split()) > 2 for text in texts) > len(texts)


def _parts_named(present: Iterable[str], meaning: str) -> list[str]:
    """Parts of a structure whose last name is a usual one, as in scores.accuracy, in that order."""
    parts = [name for name in present if isinstance(name, str) and "." in name]
    last = {name: plain_name(name.rpartition(".")[2]) for name in parts}
    usual = [plain_name(one) for one in (meaning, *USUAL[meaning])]
    found = [name for one in usual for name in parts if last[name] == one]
    if found or meaning != "outcome":
        return found
    scores = [name for name in parts if name.lower().startswith(("score.", "scores."))]
    return scores if len(scores) == 1 else [name for name in parts if last[name] == "value"]


def names_in_parts(keys: Iterable[object], meaning: str) -> bool:
    """Whether an object inside a row has a key that is usual for a meaning."""
    usual = _plain_names(meaning, USUAL)
    return any(plain_name(str(key)) in usual for key in keys)


def _other_outcomes(
    present: Sequence[str], taken: set[str], lower: Mapping[str, str]
) -> tuple[str, ...]:
    """Columns that could be the outcome as well as the one that was taken."""
    usual = _usual(lower, "outcome", USUAL)
    usual += _parts_named(present, "outcome")
    return tuple(name for name in dict.fromkeys(usual) if name not in taken)


def _unknown(name: object, known: list[str], sentence: str) -> str:
    close = get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{sentence} {name!r}.{hint} There are: {_some(known)}."


def _some(names: Sequence[str], most: int = 30) -> str:
    """Names in words, the first of many."""
    shown = ", ".join(
        repr(name) if len(repr(name)) <= 60 else f"{name!r:.59}…" for name in names[:most]
    )
    return f"{shown}{f' and {len(names) - most} more' * (len(names) > most)}" or "none"


def require_meaning(meaning: str) -> None:
    """Refuse what no column can mean."""
    known = list(dict.fromkeys([*USUAL, *USUAL_COUNTS]))
    if meaning not in known:
        raise UnknownColumn(_unknown(meaning, known, "no column can mean"))


def require_column(name: str, known: Iterable[str], use: str = "to group by") -> None:
    """Refuse a column that is not there."""
    present = list(known)
    if name not in present:
        raise UnknownColumn(_unknown(name, present, f"there is no column {use} named"))


def require_statuses(found: Iterable[str]) -> None:
    """Refuse a status that means nothing here."""
    strange = sorted(set(found) - set(STATUSES))
    if strange:
        raise InputError(
            f"status {strange[0]!r} is not known; it must be one of {', '.join(STATUSES)}. Map "
            f"another column, or none: {way_to_say('--map status=', 'status=None')}."
        )
