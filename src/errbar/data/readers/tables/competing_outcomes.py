"""Choose among columns that could be the outcome, and remark on the others."""

from collections.abc import Sequence

from errbar.base.arguments import is_missing
from errbar.base.arrays import float_of
from errbar.data.columns import (
    Sampler,
    named_like,
    plain_name,
)
from errbar.data.outcome_words import (
    EARNED,
    NO_OUTCOME,
    NOTHING,
    WORDS,
    is_maximum,
    is_outcome,
    known_word,
    number_in,
)
from errbar.data.queries.expressions import HIDDEN, Columns

# May mean that a call succeeded rather than that an answer is right.
VAGUE = frozenset(
    map(plain_name, ("passed", "pass", "is_pass", "success", "succeeded", "is_success", "ok"))
)


def best_outcome(candidates: Sequence[str], sample: Sampler) -> list[str]:
    """Candidates for the outcome, the most likely first."""
    if len(candidates) < 2 or plain_name(candidates[0]) not in VAGUE:
        return list(candidates)
    vague = candidates[0]
    for name in candidates[1:]:
        if plain_name(name) in VAGUE or not _holds_outcomes(sample(name)):
            continue
        if not _is_threshold(sample(vague), sample(name)):
            return [name, *(candidate for candidate in candidates if candidate != name)]
    return list(candidates)


# Words of a status that say whether an answer is right, and not whether a call returned.
_VERDICTS = frozenset(
    ("pass", "passed", "fail", "failed", "correct", "incorrect", "right", "wrong")
) | {"solved", "unsolved", "resolved", "unresolved"}
_STATES = frozenset({"status", "state", "outcome"})
_FEWEST_NUMBERED = 3  # entries that are numbers of trials, as in "trials": [1, 2, 3]
# Names of lists with an outcome for each trial.
LISTS = frozenset(
    map(
        plain_name,
        (
            *("scores", "rewards", "outcomes", "results", "successes", "passes", "graded_list"),
            *("correct_list", "is_correct_list", "correctness_list", "accuracies", "accs"),
            *("attempts", "trials", "rollouts", "runs", "grades", "graded", "verdicts", "corrects"),
            *(
                "is_corrects",
                "passed_list",
                "pass_list",
                "score_list",
                "reward_list",
                "results_list",
            ),
        ),
    )
)


def unusual_outcome(present: Sequence[str], sample: Sampler) -> str | None:
    """The outcome if no column has a known name for it: a verdict in a status, or lists."""
    for name in present:
        if not isinstance(name, str):
            continue
        if plain_name(name.rpartition(".")[2]) in _STATES:
            words = {str(value).strip().lower() for value in sample(name) if value is not None}
            words -= {*NO_OUTCOME}
            if words <= _VERDICTS and any(WORDS[word] == 1.0 for word in words):
                return name
        lists = [value for value in sample(name) if isinstance(value, list) and value]
        if lists and all(lists_outcomes(name, entries) for entries in lists):
            return name
    earned = named_like(present, EARNED) if any(map(is_maximum, map(str, present))) else []
    return next((name for name in earned if any(map(worth_of, sample(name)))), None)


def lists_outcomes(name: str, entries: Sequence[object]) -> bool:
    """Whether a list has the outcomes of trials, by its name, rather than their numbers."""
    if plain_name(name) not in LISTS or any(worth_of(entry) is None for entry in entries):
        return False
    are_numbers = list(entries) in [list(range(at, at + len(entries))) for at in (0, 1)]
    return len(entries) < _FEWEST_NUMBERED or not are_numbers


def worth_of(value: object) -> float | None:
    """Numeric value of an outcome; None if it has none."""
    if is_missing(value):
        return None
    if isinstance(value, bool | int | float):
        return float_of(value)
    word = known_word(str(value).strip().lower())
    return WORDS[word] if word in WORDS else number_in(word)


def _holds_outcomes(values: Sequence[object]) -> bool:
    some = [
        value for value in values if value is not None and str(value).strip().lower() not in NOTHING
    ]
    return bool(some) and all(map(is_outcome, some))


def are_fractions(values: Sequence[object]) -> bool:
    """Whether all values that are filled are numbers, and not all of them whole."""
    some = [number_in(str(value)) for value in values if value is not None]
    return None not in some and any(number % 1 for number in some if number is not None)


def are_names(values: Sequence[object]) -> bool:
    """Whether there are values, and all are texts that mean no outcome, as names do."""
    some = [value for value in values if value is not None and str(value).strip()]
    return bool(some) and all(
        isinstance(value, str) and worth_of(value) is None and value.strip().lower() not in NOTHING
        for value in some
    )


def _is_threshold(vague: Sequence[object], specific: Sequence[object]) -> bool:
    """Whether one column is 1 exactly where another reaches a threshold, and 0 elsewhere."""
    pairs = [(worth_of(flag), worth_of(score)) for flag, score in zip(vague, specific, strict=True)]
    some = [(flag, score) for flag, score in pairs if flag is not None and score is not None]
    reached = [score for flag, score in some if flag == 1]
    failed = [score for flag, score in some if flag == 0]
    if not reached or not failed:
        return len({score for _, score in some}) < 2  # both are constant
    return min(reached) > max(failed)


_TRUTHS = {"true": "1", "false": "0"}


def plain_value(value: object) -> str:
    """A value as text without case and outer spaces; true is 1, and 2.0 is 2."""
    text = "" if value is None else str(value).strip().lower()
    return _TRUTHS.get(text, text.removesuffix(".0"))


def free_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Columns without a meaning so far."""
    return [name for name in names if name not in {*columns.named.values(), *HIDDEN}]


def are_right_or_wrong(values: Sequence[object]) -> bool:
    """Whether there are values, and all are right or wrong."""
    some = {str(value).strip().lower() for value in values if value is not None} - {""}
    return bool(some) and {worth_of(text) for text in some} <= {0.0, 1.0}
