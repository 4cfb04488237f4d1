"""What the name of a column in a wide table says: a trial, a system, or a summary of other columns.

A column is a trial if its name is a word for trials with a number (`run_2`), a name of an outcome
with one of several consecutive numbers (`correct_1`, `correct_2`), or both (`acc_seed1`). What
stands before the word for trials, if it is not the name of an outcome, is the system
(`gpt_run1`, `qwen_run1`).
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from errbar.data.columns import (
    MEASURES,
    PREDICTIONS,
    PROPERTIES,
    REFERENCES,
    RESPONSES,
    SCORERS,
    TOTALS,
    TRIAL_NUMBERS,
    USUAL,
    is_flag,
    plain_name,
)
from errbar.data.outcome_words import words_of

_REPEATS = (
    r"trial|run|attempt|sample|epoch|seed|rep|repeat|repetition|try|rollout|gen|generation|iter"
    r"|iteration|round|draw|replicate"
)
# Columns with these names and a number are trials of one system, not systems.
TRIAL_NAME = re.compile(
    rf"({_REPEATS}|answer|response|resp|output|completion|outcome|correct|score|result|reward|r|t|k)"
    r"[\s_.#-]*\d+"
    r"|(trial|run|attempt|sample|seed|rep|repeat|repetition|rollout|try)[\s_.-]+[a-z]",
    re.IGNORECASE,
)
_REPEAT = re.compile(
    rf"(?:(?P<before>.+?)[\s_./:-]+)?(?:{_REPEATS})s?[\s_.#=-]*\d+(?:[\s_./:-]+(?P<after>.+))?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?P<stem>.+?)[\s_.,/:#-]*(?P<number>\d+)")
# Scores of one answer by several raters are numbered as well.
_RATED = frozenset(
    ("rating", "grade", "label", "verdict", "judgescore", "overallscore", "finalscore")
)
_OUTCOMES = frozenset(map(plain_name, ("outcome", *USUAL["outcome"]))) - _RATED
# Summaries of the other columns of a row, and texts.
_SUMMARIES = frozenset(
    map(
        plain_name,
        (
            *("best", "worst", "any", "max", "min", "majority", "final", "notes", "note"),
            *("comment", "diff", "difference", "delta", "Δ", "change", "gain", "improvement"),
            *("uplift", "lift", "agree", "agrees", "disagree", "same", "match", "both"),
            *("either", "neither", "none", "all_correct", "any_correct", "all_right"),
            *("num_correct", "n_correct", "count_correct", "exit_code", "returncode"),
            *("return_code", "exit_status", "timestamp", "ts", "created", "truncated"),
            *("terminated", "done", "cached", "parsed", "valid", "value", "format_ok"),
            *("format_compliance", "void", "tamper", "verified", "ready", "median", "range"),
            *("spread", "best_of", "oracle", "vote", "votes", "majority_vote"),
        ),
    )
)
_NO_SYSTEMS = PROPERTIES | MEASURES | TOTALS | REFERENCES | PREDICTIONS | _SUMMARIES
# A column whose last word is one of these measures something else: train_loss, gpt_latency.
_MEASURED = frozenset(
    (
        *("loss", "latency", "duration", "seconds", "tokens", "logprob", "logprobs", "prob"),
        *("probs", "calls", "turns", "steps", "asked", "processed", "retries", "iterations"),
        *("compactions", "words", "chars", "length", "len", "size", "count", "number"),
    )
)
_GRADERS = frozenset(
    ("human", "humans", "expert", "crowd", "manual", "llm", "auto", "automatic", "grader")
)
_COUNTS = frozenset(("num", "count", "size", "total", "number"))  # in a name: set_size_amb
# A column whose last word is one of these measures what stands before: safety_score.
# A column whose first word is one of these is a setting, or a measure of a whole run.
_SETTINGS = frozenset(("param", "params", "hparam", "hparams", "config", "metric", "metrics"))
# A column with one of these words marks what went wrong, or what a run did.
_FAULTS = re.compile(
    r"wrong|errors?|fail(?:ed|s|ure|ures)?|timeouts?|timed|duplicates?|missing|invalid|unsafe"
    r"|obsolete|abstained|abstentions?|escalated?|refus(?:ed|al)|violat(?:ed|ion|ions)|hallucinat(?:ed|ion|ions)|retried"
)
# A column with one of these words says what happened in a run: compiled, used_tool, tests_passed.
_EVENTS = re.compile(
    r"compiled|compiles|parsed|parses|parsable|executed|executes|executable|runnable|ran|used"
    r"|uses|called|answered|cited|responded|completed|finished|submitted|extracted|returned|found"
    r"|built|builds|applied|detected|flagged|triggered|recovered|loaded|attempted|clicked|invoked|skipped|available"
)
# With a verdict behind it, one of these is a step that a response passed: syntax_ok, build_passed.
STEPS = frozenset(
    (
        *("compile", "compilation", "build", "lint", "parse", "parsing", "syntax", "schema"),
        *("format", "json", "type", "typecheck", "execution", "import", "install", "regex"),
    )
)
_TESTS = frozenset(("test", "tests", "unit", "hidden", "public", "private", "visible"))
_PASSED = re.compile(r"ok|valid|pass(?:ed|es|ing)?|success|succeeded|correct|match(?:ed|es)?")
_QUANTITIES = frozenset(
    ("score", "rate", "rating", "ratio", "index", "level", "flag", "percentage")
)
_AT = re.compile(r"[a-z]+(_?at_?|@)\d+|p[\W_](vs|val|adj)([\W_].*)?", re.I)  # pass@5, p_vs_normal


class Trials(NamedTuple):
    """The system and the trial of every column; the system is empty if there is only one."""

    systems: list[str]
    trials: list[str]


def is_no_system(name: str) -> bool:
    """Whether a name is that of a property, a flag, a total or a measure, not of a system.

    Examples
    --------
    >>> [is_no_system(name) for name in ("delta", "is_hard", "pass@5", "gpt-4o")]
    [True, True, True, False]
    >>> [is_no_system(name) for name in ("used_tool", "p_vs_exponential", "p_1", "gpt_passed")]
    [True, True, False, False]
    """
    inside = name.rpartition(".")[2]  # checks.format_ok
    is_inside = inside != name and not {plain_name(inside), stem_of(inside)} & _OUTCOMES
    if is_event(inside) or (is_inside and is_flag(inside)):
        return True
    plain = plain_name(name)
    if plain in _NO_SYSTEMS | TRIAL_NUMBERS or _AT.fullmatch(name.strip()):
        return True
    last = _last_word(name)
    words = _words(name)
    if any(map(_FAULTS.fullmatch, words)) or _begins_with_response(name):
        return True
    if (
        (len(words) > 1 and words[0] in _SETTINGS)
        or last in _MEASURED
        or _COUNTS & {*_words(name)[:-1]}
        or (last in _QUANTITIES and plain.removesuffix(last) in _NO_SYSTEMS)
    ):
        return True
    return is_flag(name) and stem_of(name) not in _OUTCOMES


def is_event(name: str) -> bool:
    """Whether the words of a name say what happened in a run, or which step it passed."""
    words = _words(name) if name else [""]
    if any(map(_EVENTS.fullmatch, words)) or (words[0] == "valid" and words[-1] in STEPS):
        return True
    return words[0] in STEPS | _TESTS and _PASSED.fullmatch(words[-1]) is not None


def _begins_with_response(name: str) -> bool:
    """Whether a name is that of a property of a response, such as final_answer_verified."""
    words = _words(name)
    starts = ("".join(words[:at]) for at in range(2, len(words)))
    return any(start in RESPONSES for start in starts)


def are_measures(names: Sequence[str]) -> bool:
    """Whether all names end in the word for a quantity, and not all in the same one.

    Examples
    --------
    >>> are_measures(["fact_inclusion_rate", "tone_score"]), are_measures(["a_score", "b_score"])
    (True, False)
    """
    ends = {_last_word(name) for name in names}
    return len(ends) > 1 and ends <= _QUANTITIES


def _last_word(name: str) -> str:
    return _words(name)[-1]


def _words(name: str) -> list[str]:
    return re.split(r"[\s_./:-]+", name.strip().lower())


def trials_in(names: Sequence[str]) -> Trials | None:
    """Read the names of columns as trials of one or several systems; None if they are not.

    Examples
    --------
    >>> trials_in(["pass_1", "pass_2"])
    Trials(systems=['', ''], trials=['pass_1', 'pass_2'])
    >>> trials_in(["gpt_seed1", "gpt_seed2", "qwen_seed1", "qwen_seed2"]).systems
    ['gpt', 'gpt', 'qwen', 'qwen']
    >>> trials_in(["pass_1", "pass_5", "pass_10"]) is None
    True
    """
    whole = [name.strip() for name in names]
    single = [""] * len(whole)
    if all(map(TRIAL_NAME.fullmatch, whole)):
        return Trials(single, list(names))
    found = [_REPEAT.fullmatch(name) for name in whole]
    if all(found):
        systems = [_system_of(match["before"], match["after"]) for match in found if match]
        if len(set(systems)) == 1:
            return Trials(single, list(names))
        return Trials(systems, list(names)) if len(set(systems)) < len(systems) else None
    numbers = [_NUMBERED.fullmatch(name) for name in whole]
    stems = {plain_name(match["stem"]) for match in numbers if match}
    counted = sorted(int(match["number"]) for match in numbers if match)
    if len(stems) == 1 and stems <= _OUTCOMES and len(counted) == len(whole):
        start = counted[0]
        if start in (0, 1) and counted == list(range(start, start + len(counted))):
            return Trials(single, list(names))
    return None


def stem_of(name: str) -> str:
    """A normalized name without the number at its end; empty if there is none."""
    match = _NUMBERED.fullmatch(name.strip())
    return plain_name(match["stem"]) if match else ""


def _system_of(before: str | None, after: str | None) -> str:
    """The words around the number of a trial that are not the name of an outcome."""
    words = [word for word in (before, after) if word and plain_name(word) not in _OUTCOMES]
    return "_".join(words)


_ANSWERS = RESPONSES | PREDICTIONS | {"answer", "answers"}


def is_answer(name: str) -> bool:
    """Whether a name is that of a column of answers, without the name of a system."""
    return plain_name(name) in _ANSWERS


def is_answer_of(name: str) -> bool:
    """Whether the first or last word of a name marks a column of answers: qwen_answer."""
    words = re.split(r"[\s_]+", name.strip())
    ends = {plain_name(words[0]), plain_name(words[-1])}
    return len(words) > 1 and bool(ends & _ANSWERS)


def is_rater(name: str) -> bool:
    """Whether a name is that of somebody who grades answers, or of what they said.

    Examples
    --------
    >>> [is_rater(name) for name in ("judge_2", "human_correct", "gpt4_judge", "gpt4_correct")]
    [True, True, True, False]
    """
    words = _words(name)
    return stem_of(name) in SCORERS or bool({words[0], words[-1]} & (SCORERS | _GRADERS))


def is_response_beside(name: str, wide: Sequence[str]) -> bool:
    """Whether a name is that of one response (email_output), and not of a system's (gpt_output).

    Examples
    --------
    >>> is_response_beside("email_output", ["tone", "style"])
    True
    >>> is_response_beside("gpt_output", ["gpt_correct", "qwen_correct"])
    False
    """
    before, _, last = name.strip().lower().rpartition("_")
    return last in RESPONSES and not any(other.lower().startswith(before) for other in wide)


class Grid(NamedTuple):
    """Columns of several measures of several systems, one for each pair."""

    systems: list[str]
    measures: list[str]
    first: list[str]  # the columns of the first measure


def measures_by_system(names: Sequence[str], every: Sequence[str]) -> Grid | None:
    """The systems and measures in names such as gpt_accuracy, gpt_f1, qwen_accuracy, qwen_f1.

    There is a single measure if only one of them is among `names` for every system.

    Some of them must be known measures: zero_gpt, zero_qwen, cot_gpt, cot_qwen are four systems.

    Examples
    --------
    >>> names = ["gpt_f1", "gpt_em", "qwen_f1", "qwen_em"]
    >>> measures_by_system(names, names)
    Grid(systems=['gpt', 'qwen'], measures=['f1', 'em'], first=['gpt_f1', 'qwen_f1'])
    >>> measures_by_system(["a_cot", "b_cot"], ["a_cot", "a_zero", "b_cot", "b_zero"]) is None
    True
    """
    ends: dict[str, dict[str, str]] = {}  # what follows each beginning of a name, and the name
    for name in every:
        for between in re.finditer(r"[\s_./:-]+", name.strip()):
            if between.start() and between.end() < len(name):
                before, after = name[: between.start()], name[between.end() :]
                ends.setdefault(before, {})[after] = name
    for before, mine in ends.items():
        alike = [other for other in ends if len(mine.keys() & ends[other].keys()) > 1]
        shared = [end for end in mine if all(end in ends[other] for other in alike)]
        inside = {ends[other][end] for other in alike for end in shared}
        if len(alike) < 2 or len(shared) < 2 or not {*names} <= inside:
            continue
        used = [end for end in shared if {ends[other][end] for other in alike} <= {*names}]
        if any(map(_is_measure, used)) and (len(used) > 1 or len(names) > len(alike)):
            measures = shared if len(used) > 1 else used
            return Grid(alike, measures, [ends[other][used[0]] for other in alike])
        beside = [other for other in alike if {*ends[other].values()} & {*names}]
        if len(beside) > 1 and any(map(_is_measure, beside)) and before == beside[0]:
            return Grid(shared, beside, [mine[end] for end in shared])
    return None


def _is_measure(name: str) -> bool:
    return plain_name(name) in MEASURES | _OUTCOMES or _AT.fullmatch(name) is not None


def differ_by_number(names: Sequence[str]) -> list[str]:
    """Names that differ from another only by the number at the end."""
    stems: dict[str, list[str]] = {}
    for name in names:
        found = _NUMBERED.fullmatch(name.strip())
        if found:
            stems.setdefault(found["stem"].lower(), []).append(name)
    return [name for alike in stems.values() if len(alike) > 1 for name in alike]


_PREDICTED = re.compile(r"(?:(?:predicted|pred|model)[\s_-]+|pred\w*\.)(?P<what>.+)", re.IGNORECASE)
# The first and the last word of the name of a true class, such as correct_option.
_GIVEN = ("actual", "true", "gold", "golden", "expected", "target", "reference", "correct", "right")
KINDS = frozenset(
    (
        *("label", "labels", "class", "answer", "value", "category", "option", "choice", "letter"),
        "key",
    )
)


def is_true_class(name: str) -> bool:
    """Whether a name is that of the true class, also by its first and last words.

    Examples
    --------
    >>> [is_true_class(name) for name in ("gold", "correct_option", "correct", "answer")]
    [True, True, False, False]
    """
    words = words_of(name)
    given = len(words) > 1 and words[0] in _GIVEN and words[-1] in KINDS
    return given or plain_name(name) in REFERENCES


def paired_reference(name: str, names: Iterable[str]) -> str | None:
    """The reference that a prediction is named after: actual_decision for predicted_decision.

    Examples
    --------
    >>> paired_reference("predicted.fees", ["actual.fees", "predicted.fees"])
    'actual.fees'
    """
    found = _PREDICTED.fullmatch(name.strip()) if isinstance(name, str) else None
    if found is None:
        return None
    plain = {_without_points(other): other for other in names if isinstance(other, str)}
    given = (plain.get(_without_points(f"{word} {found['what']}")) for word in _GIVEN)
    return next(filter(None, given), None)


def _without_points(name: str) -> str:
    """A normalized name without the points between the keys of nested objects."""
    return plain_name(name.replace(".", " "))


def is_prediction(name: str) -> bool:
    """Whether a name is that of a column of predictions, of one system or of several.

    Examples
    --------
    >>> [is_prediction(name) for name in ("y_pred", "pred_bert", "bert_prediction", "answer")]
    [True, True, True, False]
    """
    if not isinstance(name, str):
        return False
    words = re.split(r"[\s_]+", name.strip())
    ends = {plain_name(words[0]), plain_name(words[-1])} if len(words) > 1 else set()
    last = plain_name(words[-1])
    measured = last in _MEASURED or last in PROPERTIES or last in _QUANTITIES
    return plain_name(name) in PREDICTIONS or (bool(ends & PREDICTIONS) and not measured)
