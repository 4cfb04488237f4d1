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
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

from errbar.errors import InputError, UnknownColumn

REQUIRED = ("question", "outcome")

# The names that harnesses give to each column, the likeliest first.
USUAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "system": ("model", "model_name", "model_id", "agent", "method", "run"),
        "task": ("dataset", "benchmark", "task_name", "subset"),
        "question": (
            *("question_id", "problem_id", "task_id", "instance_id", "sample_id", "item_id"),
            *("doc_id", "prompt_id", "qid", "item", "problem", "id"),
        ),
        "trial": ("epoch", "attempt", "repeat", "trial_id", "sample", "completion_id", "seed"),
        "outcome": (
            *("correct", "is_correct", "passed", "pass", "success", "resolved", "score"),
            *("reward", "label", "grade", "acc", "accuracy"),
        ),
        "status": ("state",),
        "confidence": ("conf", "certainty", "probability", "prob"),
        "cluster": ("group", "participant_id", "participant"),
        "weight": ("weights",),
        "answer": ("predicted_answer", "extracted_answer"),
        "target": ("expected_answer", "gold"),
        "cost": ("cost_usd",),
    }
)

# The same for a table of counts, a row per question instead of one per trial.
USUAL_COUNTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **{meaning: USUAL[meaning] for meaning in ("system", "task", "question", "cluster")},
        "weight": USUAL["weight"],
        "trials": ("n", "n_trials", "num_trials", "num_samples"),
        "correct": ("c", "n_correct", "num_correct"),
    }
)

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

    def __getitem__(self, meaning: str) -> str:
        return self.named[meaning]

    def __contains__(self, meaning: str) -> bool:
        return meaning in self.named

    def describe(self) -> str:
        """The same in words; empty where every column has its own name.

        Examples
        --------
        >>> find_columns(["task_id", "passed"]).describe()
        'question is task_id, outcome is passed (guessed)'
        >>> find_columns(["question", "trial", "outcome", "Who"]).describe()
        "no column for system, so that all rows are of one; not used: 'Who'"
        """
        told = [f"{m} is {n}" for m, n in self.named.items() if m not in self.guessed and m != n]
        guessed = [f"{meaning} is {self.named[meaning]}" for meaning in self._in_order()]
        said = []
        if told:
            said.append(", ".join(told))
        if guessed:
            said.append(f"{', '.join(guessed)} (guessed)")
        if self.beside:
            said.append("no column for system, so that all rows are of one")
            said.append(f"not used: {_some(self.beside, 8)}")
        return "; ".join(said)

    def _in_order(self) -> list[str]:
        return [meaning for meaning in self.named if meaning in self.guessed]


def are_counts(names: Iterable[str], told: Mapping[str, str | None]) -> bool:
    """Whether a table has a row per question, with its trials and how many were right."""
    if {"trials", "correct"} & set(told):
        return True
    lower = {str(name).lower() for name in names}
    has = [{meaning, *USUAL_COUNTS[meaning]} & lower for meaning in ("trials", "correct")]
    return all(has) and not told.get("outcome") and not {"outcome", "trial"} & lower


def find_columns(
    names: Iterable[str],
    told: Mapping[str, str | None] | None = None,
    usual_names: Mapping[str, tuple[str, ...]] = USUAL,
) -> Columns:
    """Which column holds what: as told, by its own name, or by a usual one.

    What is told to be None is not looked for.

    Examples
    --------
    >>> find_columns(["task_id", "passed"], {"question": "task_id"})["outcome"]
    'passed'
    """
    present = list(names)
    named: dict[str, str] = {}
    guessed: set[str] = set()
    for meaning, name in (told or {}).items():
        if meaning not in usual_names:
            require_meaning(meaning)
            raise UnknownColumn(f"{meaning} has no place beside the other columns that are told.")
        if name is None:
            continue
        if name in named.values():
            raise UnknownColumn(f"the column {name!r} is told to be two things.")
        if name not in present:
            raise UnknownColumn(_unknown(name, present, "the data have no column"))
        named[meaning] = name
    taken = set(named.values())
    unwanted = {meaning for meaning, name in (told or {}).items() if name is None}
    for meaning in usual_names:
        if (
            meaning not in named
            and meaning not in unwanted
            and meaning in present
            and meaning not in taken
        ):
            named[meaning] = meaning
            taken.add(meaning)
    lower = {name.lower(): name for name in reversed(present) if isinstance(name, str)}
    for meaning, usual in usual_names.items():
        if meaning in named or meaning in unwanted:
            continue
        free = (lower[name] for name in (meaning, *usual) if name in lower)
        found = next((name for name in free if name not in taken), None)
        if found is not None:
            named[meaning] = found
            guessed.add(meaning)
            taken.add(found)
    required = REQUIRED if usual_names is USUAL else ("question", "trials", "correct")
    lacking = [meaning for meaning in required if meaning not in named]
    if lacking:
        shown = _some(present)
        raise UnknownColumn(
            f"no column of the data looks like {' or '.join(lacking)}; there are: {shown}. Say "
            f"which it is, as in load(data, {lacking[0]}='...') or --map {lacking[0]}=..."
        )
    ordered = {meaning: named[meaning] for meaning in usual_names if meaning in named}
    pooled = "system" not in {*named, *unwanted}
    beside = tuple(name for name in present if pooled and name not in taken)
    return Columns(MappingProxyType(ordered), frozenset(guessed), beside)


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
            f"another column, or none: status=None."
        )
