"""Choose among columns that could be the outcome, and remark on the others."""

from collections.abc import Callable, Sequence

from errbar.base.arguments import is_missing
from errbar.base.arrays import float_of
from errbar.base.remarks import mapping, some_of
from errbar.data.columns import (
    ANSWERS,
    PARTS,
    PREDICTIONS,
    REFERENCES,
    USUAL,
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
from errbar.data.readers.tables.wide_names import (
    is_prediction,
    paired_reference,
)
from errbar.errors import UnknownColumn

# May mean that a call succeeded rather than that an answer is right.
VAGUE = frozenset(
    map(plain_name, ("passed", "pass", "is_pass", "success", "succeeded", "is_success", "ok"))
)
_CLASSES = frozenset(
    map(plain_name, ("label", "labels", "class", "predicted_label", "predicted_class", "category"))
)
_IDS = frozenset(map(plain_name, ("question", *USUAL["question"])))


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


def refuse_confidence(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a `score` that is a classifier's confidence in a class."""
    if plain_name(outcome) != "score" or sample is None:
        return
    scores = [number for value in sample(outcome) if (number := worth_of(value)) is not None]
    if not scores or not all(0 <= score <= 1 for score in scores) or {*scores} <= {0.0, 1.0}:
        return
    has_ids = bool(named_like(present, _IDS))
    for name in named_like(present, _CLASSES):
        if plain_name(name) in PARTS and (has_ids or 0.0 in scores):
            continue  # the category of a question; the likeliest class has no probability of 0
        words = {str(value).strip().lower() for value in sample(name) if value is not None}
        if name == outcome or not words or any(map(is_outcome, words)) or len(words) > 50:
            continue
        if any(number_in(word) is not None for word in words):
            continue
        others = [column for column in present if column not in (name, outcome)]
        if plain_name(name) in REFERENCES and named_like(others, ANSWERS):
            continue  # a reference answer next to a scored answer
        anyway = mapping("outcome", outcome)
        confidence = mapping("confidence", outcome)
        shown = some_of(sorted(words), 4)
        raise UnknownColumn(
            f"{outcome!r} is next to {name!r} ({shown}) and between 0 and 1, like the probability "
            f"that a classifier gives to its class. No column says whether a row is right: add a "
            f"column 'correct' and use {confidence}; if {outcome!r} is the score of a row, use "
            f"{anyway}."
        )


_MAY_BE_OUTPUTS = frozenset({"result", "label", "value"})
_LARGE = 1000  # checksums and identifiers are larger, and most of them differ


def holds_outputs(name: str, values: Sequence[object]) -> bool:
    """Whether a `result` is rather what a program returned: one number, or large ones that differ.

    Examples
    --------
    >>> [holds_outputs("result", some) for some in ([42, 42], [81236, 9143], [1, 1], [3, 5])]
    [True, True, False, False]
    """
    if plain_name(name.rpartition(".")[2]) not in _MAY_BE_OUTPUTS:
        return False
    numbers = [worth_of(value) for value in values if value is not None]
    some = [number for number in numbers if number is not None]
    if not some or len(some) < len(numbers) or all(0 <= number <= 1 for number in some):
        return False
    return len({*some}) == 1 or (max(map(abs, some)) > _LARGE and 2 * len({*some}) > len(some))


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
_DOUBTFUL = frozenset({"label", "result", "verdict"})  # outcomes, or answers of a classifier


def refuse_reference(
    outcome: str, present: Sequence[str], sample: Callable[[str], Sequence[object]] | None
) -> None:
    """Raise an error if the guessed outcome is an answer or a reference answer."""
    name = plain_name(outcome)
    others = [column for column in present if column != outcome]
    if sample is not None and holds_outputs(outcome, sample(outcome)):
        some = list(dict.fromkeys(map(str, sample(outcome))))
        raise UnknownColumn(
            f"{outcome!r} looks like what a program returned ({some_of(some, 3)}) rather than "
            f"whether a row is right. Choose the outcome with {mapping('outcome')}; if "
            f"{outcome!r} is a reward, use {mapping('outcome', outcome)}."
        )
    if name in ("correct", "score") and sample is not None:
        _refuse_options(outcome, named_like(others, PREDICTIONS), sample)
    if name not in _DOUBTFUL:
        return
    answers = named_like(others, ANSWERS) if name in REFERENCES else []
    references = named_like(others, REFERENCES) if name in ANSWERS else []
    for other in (*answers, *references):
        sure = name in REFERENCES and plain_name(other) in PREDICTIONS
        if sure or (sample is not None and _share_values(sample(outcome), sample(other))):
            answer, reference = (other, outcome) if other in answers else (outcome, other)
            raise UnknownColumn(no_outcome(answer, reference))


def _refuse_options(outcome: str, predictions: Sequence[str], sample: Sampler) -> None:
    """Raise an error for the number of the right option beside that of the predicted one."""
    if not predictions or all(map(is_outcome, sample(outcome))):
        return
    for name in predictions:
        if _share_values(sample(outcome), sample(name)):
            raise UnknownColumn(no_outcome(name, outcome))


def refuse_answers(present: Sequence[str], advice: str = "") -> None:
    """Raise an error for a table with answers and references but no outcome."""
    references = named_like(present, REFERENCES)
    answers = [name for name in named_like(present, ANSWERS) if name not in references]
    predictions = list(filter(is_prediction, present))
    if not references and predictions:  # next to a prediction, an answer is the reference
        references = named_like(present, frozenset({"answer"}))
        answers = predictions
    if answers and references:
        raise UnknownColumn(no_outcome(answers[0], references[0]) + advice)
    refuse_paired_answers(present, advice)


def refuse_paired_answers(present: Sequence[str], advice: str = "") -> None:
    """Raise an error for predicted_decision next to actual_decision, which nobody compared."""
    for name in filter(lambda name: isinstance(name, str), present):
        given = paired_reference(name, present)
        if given is not None:
            raise UnknownColumn(no_outcome(name, given) + advice)


def no_outcome(answer: str, reference: str) -> str:
    """Message for a table with an answer and a reference but no outcome, with advice."""
    anyway = mapping("outcome")
    new = "is_correct" if plain_name(reference) == "correct" else "correct"
    return (
        f"no column says whether a row is right: {reference!r} looks like the reference answer and "
        f"{answer!r} like the answer that is compared with it. Add a column {new!r} that is 1 "
        f"where they agree, as in frame[{new!r}] = frame[{answer!r}] == frame[{reference!r}] "
        f"with pandas; if another column says it, name it with {anyway}."
    )


def _share_values(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether most values of each of two columns occur in the other."""
    first, second = set(map(plain_value, some)) - {""}, set(map(plain_value, others)) - {""}
    both = len(first & second)
    return both > 0 and 2 * both >= max(len(first), len(second))


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
