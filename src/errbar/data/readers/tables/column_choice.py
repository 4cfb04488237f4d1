"""Which column of a table is the question, the outcome, the system, the trial.

The id of a question is the first of these that a table has:

- the column that the user names;
- `question`, unless it holds the text of questions and another column is called an id;
- a column with a usual name for an id;
- the unnamed index of a data frame;
- the text that was asked;
- the id of a question inside an object.

Without any of them, every row is a question.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from errbar.base.remarks import mapping
from errbar.data.columns import (
    INDEX,
    ROW,
    SCORERS,
    SETTINGS,
    TRIAL_NUMBERS,
    USUAL,
    Sampler,
    are_whole_numbers,
    list_names,
    named_like,
    plain_name,
    require_meaning,
    unknown_name,
)
from errbar.data.outcome_words import right_word
from errbar.data.queries.expressions import BY_VALUES, FILE, ID_BY_VALUES, Columns
from errbar.data.readers.tables.competing_outcomes import (
    are_fractions,
    are_names,
    are_right_or_wrong,
    best_outcome,
    unusual_outcome,
    worth_of,
)
from errbar.data.readers.tables.false_outcomes import (
    advice_on,
    holds_outputs,
    possible_outcomes,
    refuse_answers,
    refuse_outcome,
    wrong_flags,
)
from errbar.data.readers.tables.id_names import (
    ASKED,
    ID_INSIDE,
    id_beside_text,
    is_called_id,
    is_id_inside,
    is_name_of_id,
    is_prose,
    is_task_id,
    named_trials,
    other_id,
    sample_id,
    seldom_outcomes,
    shared_id,
)
from errbar.data.readers.tables.nested_names import parts_named, ranked_names
from errbar.data.readers.tables.score_columns import is_graded_score, only_scores
from errbar.data.readers.tables.system_names import (
    called_after_model,
    is_judge,
    names_system,
    one_row_each,
)
from errbar.data.readers.tables.wide_names import is_prediction
from errbar.errors import UnknownColumn

REQUIRED = ("question", "outcome")
_FEWEST_NAMES, _FEWEST_UNNAMED = 3, 10  # rows of labels, and rows without ids, if not totals
_NESTED = ("system", "task", "trial", "outcome")  # are looked for inside other columns, too


def find_columns(
    names: Iterable[str],
    assignment: Mapping[str, str | None] | None = None,
    usual_names: Mapping[str, tuple[str, ...]] = USUAL,
    sample: Sampler | None = None,
    *,
    scored: bool = False,
) -> Columns:
    """Find the column of each meaning: as mapped, by its exact name, or by a known one.

    None leaves a meaning out, a `sample` tells ids from texts, and `scored` takes the only scores.

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
    chosen = _ColumnChoice(named)
    meanings = [meaning for meaning in usual_names if meaning not in {*named, *unwanted}]
    if "question" in meanings and sample is not None:
        found = id_beside_text(lower, used, _usual(lower, "question", USUAL), sample)
        if found is not None:
            chosen.guess("question", found)
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
            found = found or called_after_model(present, used, sample)
            found = None if found and _varies_by_question(found, lower, present, sample) else found
        if found is None and meaning == "question" and sample is not None:
            found = _unusual_id(chosen, present, lower, sample)
        if found is not None:
            chosen.guess(meaning, found)
            used.add(found)
    if usual_names is USUAL and sample is not None:
        _number_trials(chosen, present, sample, unwanted)
        _take_unusual_outcome(chosen, present, sample, may="outcome" not in unwanted, scored=scored)
        _drop_misnomers(chosen, present, sample)
        used = set(named.values())
    _require_all(named, present, usual_names, sample)
    if "outcome" in chosen.guessed:
        refuse_outcome(named["outcome"], present, sample)
    ordered = {meaning: named[meaning] for meaning in usual_names if meaning in named}
    unused = tuple(name for name in present if name not in used)
    beside = unused if "system" not in {*named, *unwanted} else ()
    also = _other_outcomes(present, used, lower, sample) if "outcome" in chosen.guessed else ()
    unused = tuple(name for name in unused if name not in also)
    return Columns(MappingProxyType(ordered), frozenset(chosen.guessed), beside, also, unused)


@dataclass
class _ColumnChoice:
    """Columns by meaning as far as they are chosen, and the meanings that were guessed."""

    named: dict[str, str]
    guessed: set[str] = field(default_factory=set)

    def guess(self, meaning: str, name: str) -> None:
        """Give a column a meaning."""
        self.named[meaning] = name
        self.guessed.add(meaning)

    def drop(self, meaning: str) -> None:
        """Take a meaning from its column."""
        del self.named[meaning]
        self.guessed.discard(meaning)


def _take_unusual_outcome(
    chosen: _ColumnChoice, present: Sequence[str], sample: Sampler, *, may: bool, scored: bool
) -> None:
    """Without a usual outcome, use a verdict in a status, lists of outcomes, or the only scores."""
    named = chosen.named
    if "outcome" in named or not may:
        return
    found = unusual_outcome(present, sample)
    rows = max((len(sample(name)) for name in present), default=0)
    if scored and not found and (named.get("question", ROW) != ROW or rows >= _FEWEST_UNNAMED):
        found = only_scores([name for name in present if name not in named.values()], sample)
        chosen.guessed |= {BY_VALUES} if found else set()
    if found is None or found in {name for meaning, name in named.items() if meaning != "status"}:
        return
    if named.get("status") == found:
        chosen.drop("status")
    chosen.guess("outcome", found)


def _drop_misnomers(chosen: _ColumnChoice, present: Sequence[str], sample: Sampler) -> None:
    """Take no name of a question for its task, and no judge for the system.

    Names beside shares are rather of data sets whose totals these are.
    """
    named = chosen.named
    question, outcomes = named.get("question", ROW), sample(named.get("outcome", ""))
    if "task" in chosen.guessed and is_name_of_id(named["task"], question, sample):
        shares = sum(0 < (worth_of(value) or 0) < 1 for value in outcomes)
        if 2 * shares <= len(outcomes):
            chosen.drop("task")
    if "system" in chosen.guessed and is_judge(named["system"], present, sample):
        chosen.drop("system")


_SELDOM_SYSTEMS = frozenset({"method", "run"})


def _varies_by_question(
    name: str, lower: Mapping[str, str], present: Sequence[str], sample: Sampler | None
) -> bool:
    """Whether `method` tells how each question was solved, and no system: no question has two."""
    if sample is None or plain_name(name) not in _SELDOM_SYSTEMS:
        return False
    values = list(map(str, sample(name)))
    ids = [*_usual(lower, "question", USUAL), *filter(is_called_id, map(str, present))]
    for column in dict.fromkeys(ids):
        if column != name and not is_prose(sample(column)):
            rows = list(map(str, sample(column)))
            return 1 < len(set(values)) < len(values) and len(set(rows)) == len(rows)
    return False


def _unusual_id(
    chosen: _ColumnChoice, present: Sequence[str], lower: Mapping[str, str], sample: Sampler
) -> str:
    """The id of a question where no column has a usual name for it, at last the row number.

    A column that was guessed to be the task, but is an id, is no longer the task.
    """
    named = chosen.named
    used = set(named.values())
    inside = [name for name in parts_named(present, "question") if is_id_inside(name)]
    inside += [name for name in present if ID_INSIDE.fullmatch(str(name))]
    found = other_id(lower, used, named.get("system"), INDEX, sample)
    found = found or next((name for name in inside if name not in used), None)
    if found is None and (found := shared_id(lower, used, named.get("system"), sample)):
        chosen.guessed.add(ID_BY_VALUES)
    found = found or ROW
    if found == ROW and is_task_id(named, present, sample):
        found = named["task"]
        chosen.drop("task")
    if found == ROW and (found := named_trials(present, sample) or ROW) == named.get("trial"):
        chosen.drop("trial")
    return found if found != ROW else sample_id(named, present, sample) or ROW


def _likeliest(
    meaning: str, free: Sequence[str], present: Sequence[str], sample: Sampler | None
) -> str | None:
    """Most likely column of a meaning, among columns and parts of nested columns."""
    if meaning == "system" and sample is not None:  # but a model may be called 1.5
        free = [name for name in free if names_system(name) or not are_fractions(sample(name))]
    if meaning == "outcome" and sample is not None:
        if any(map(is_prediction, present)):  # a label beside a prediction is the reference
            free = [name for name in free if plain_name(name) != "label"]
        others = [*free[1:], *seldom_outcomes(present)]
        free = [name for name in free if not _names_rows(name, sample(name), others, sample)]
        free = [name for name in free if not holds_outputs(name, sample(name))] or free
        free = [name for name in free if not is_graded_score(name, present, sample)]
        free = best_outcome(free, sample)
    found = next(iter(free), None)
    if found is None and meaning == "outcome" and named_like(present, SCORERS):
        found = next(iter(named_like(present, frozenset({"value"}))), None)
    if found is None and meaning in _NESTED:
        found = next(iter(parts_named(present, meaning)), None)
    if found is None and meaning == "outcome" and sample is not None:
        verdicts = seldom_outcomes(present)
        if len(verdicts) == 1 and are_right_or_wrong(sample(verdicts[0])):
            found = verdicts[0]
    return found


def _names_rows(name: str, values: Sequence[Any], others: Sequence[str], sample: Sampler) -> bool:
    """Whether `label` names or classifies rows: no verdicts, and unique or beside verdicts."""
    if plain_name(name) != "label" or not are_names(values):
        return False
    apart = len(set(map(str, values))) == len(values) >= _FEWEST_NAMES
    others = [other for other in others if other != name and plain_name(other) != "ok"]
    return apart or any(are_right_or_wrong(sample(other)) for other in others)


def _require_all(
    named: Mapping[str, str],
    present: list[str],
    usual_names: Mapping[str, tuple[str, ...]],
    sample: Sampler | None,
) -> None:
    """Raise an error if a required column is missing."""
    required = REQUIRED if usual_names is USUAL else ("question", "trials", "correct")
    lacking = [meaning for meaning in required if meaning not in named]
    if lacking and named.get("question") in (ROW, *ASKED):
        lacking = ["question", *lacking]
    kinds = possible_outcomes(present, sample) if "outcome" in lacking else {}
    advice = advice_on(kinds)
    if lacking == ["outcome"]:
        refuse_answers(present, advice)
    if lacking:
        from errbar.data.games import refuse_games  # noqa: PLC0415  only for the message

        refuse_games(present)
        # Without ids, rows can be questions; without outcomes, there is nothing to score.
        needed = "outcome" if "outcome" in lacking and sample is not None else lacking[0]
        kind, (first, *_) = next(iter(kinds.items()), ("", ["COLUMN"]))
        map_it = f"{'for example with' if kind else 'with'} {mapping(needed, first)}"
        if sample is not None and ("right=" in kind or "--right" in kind):
            map_it += f" and {right_word(sample(first))}"
        raise UnknownColumn(
            f"no column of the data looks like {' or '.join(lacking)}; there are: "
            f"{list_names(present)}. Say which it is, {map_it}."
            f"{advice}{wrong_flags(present)}{one_row_each(named.get('system'), sample)}"
        )


def _usual(
    lower: Mapping[str, str], meaning: str, usual_names: Mapping[str, tuple[str, ...]]
) -> list[str]:
    """Columns with a known name for a meaning, the most likely first."""
    ranks = ranked_names(meaning, usual_names[meaning])
    return [lower[name] for name in sorted(ranks.keys() & lower.keys(), key=ranks.__getitem__)]


def _number_trials(
    chosen: _ColumnChoice, present: Sequence[str], sample: Sampler, unwanted: set[str]
) -> None:
    """Use a column of integers, such as `run`, as the trial if it makes rows unique."""
    named = chosen.named
    if {"trial"} & (named.keys() | unwanted) or named.get("question", ROW) == ROW:
        return
    system = named.get("system") if "system" in chosen.guessed else None
    is_free = {name for name in present if name == system or name not in named.values()}
    files = [FILE] if len({*sample(FILE)}) > 1 else []  # which file a row is of
    for name in named_like(present, TRIAL_NUMBERS):
        if name not in is_free or not are_whole_numbers(sample(name)):
            continue
        keys = [
            named[meaning]
            for meaning in ("system", "task", "question")
            if named.get(meaning, name) != name
        ]
        if name == system:  # settings name the systems if runs do not
            keys += named_like(sorted(is_free - {name}), SETTINGS)
        rows = list(zip(*(map(str, sample(key)) for key in (*keys, name, *files)), strict=True))
        if len(set(rows)) < len(rows):
            continue
        if name == system:
            chosen.drop("system")
        chosen.guess("trial", name)
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


def _other_outcomes(
    present: Sequence[str], used: set[str], lower: Mapping[str, str], sample: Sampler | None
) -> tuple[str, ...]:
    """Other columns that could be the outcome; not names, as of models in `label`."""
    usual = _usual(lower, "outcome", USUAL)
    usual += parts_named(present, "outcome")
    # `ok` next to an outcome says that a call returned.
    others = [name for name in dict.fromkeys(usual) if name not in used and name != lower.get("ok")]
    return tuple(name for name in others if sample is None or not are_names(sample(name)))
