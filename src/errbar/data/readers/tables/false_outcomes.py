"""Columns that look like outcomes but are none: confidences, outputs, references, errors.

To guess one of them would give wrong numbers, so it is refused, with advice on what to name. Where
no outcome is recognised, columns that may be it are listed.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from errbar.base.remarks import mapping, some_of, way_to_say
from errbar.data.columns import (
    ANSWERS,
    PARTS,
    PREDICTIONS,
    REFERENCES,
    TRIAL_NUMBERS,
    USUAL,
    WRONG_FLAGS,
    Sampler,
    list_names,
    named_like,
    plain_name,
)
from errbar.data.outcome_words import (
    distinct,
    is_outcome,
    number_in,
)
from errbar.data.readers.tables.competing_outcomes import (
    are_right_or_wrong,
    plain_value,
    worth_of,
)
from errbar.data.readers.tables.counted_rows import refuse_tallies
from errbar.data.readers.tables.flagged_rows import ERROR_TEXTS, graded_scores, is_filled
from errbar.data.readers.tables.graded_classes import refuse_classes
from errbar.data.readers.tables.wide_names import (
    is_prediction,
    paired_reference,
)
from errbar.errors import InputError, UnknownColumn

_TRIALS = TRIAL_NUMBERS | frozenset(map(plain_name, USUAL["trial"]))
_CLASSES = frozenset(
    map(plain_name, ("label", "labels", "class", "predicted_label", "predicted_class", "category"))
)
_IDS = frozenset(map(plain_name, ("question", *USUAL["question"])))


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


def wrong_flags(present: Sequence[str]) -> str:
    """Advice on columns that mark what is wrong; empty if there are none."""
    names = named_like(present, WRONG_FLAGS)
    if not names:
        return ""
    right = way_to_say("--right 0 --right false", "right=['0', 'false']")
    return f" If {names[0]!r} marks what is wrong, use {mapping('outcome', names[0])} and {right}."


def possible_outcomes(present: Sequence[str], sample: Sampler | None) -> dict[str, list[str]]:
    """Columns without a known name that may be the outcome, the likeliest first, by their kind."""
    if sample is None:
        return {}
    present = [name for name in present if plain_name(name) not in _TRIALS]
    binary = [name for name in present if _are_verdicts(sample(name))]
    shares = [name for name in present if name not in binary and _are_shares(sample(name))]
    empty = [name for name in present if not any(map(is_filled, sample(name)))]
    empty = [name for name in empty if _SCORED.search(name)]
    words = [name for name in present if name not in binary and _are_classes(sample(name))]
    grades = graded_scores({name: sample(name) for name in present})
    right = way_to_say("--right WORD", "right='WORD'")
    kinds = {
        "Columns with only right and wrong values": binary,
        "Columns of ratings or scores": grades,
        "Columns of numbers between 0 and 1": shares,
        f"Columns of words, of which {right} says which are right": words,
        "Columns without any value": empty,
    }
    return {kind: names for kind, names in kinds.items() if names}


def advice_on(kinds: Mapping[str, Sequence[str]]) -> str:
    """Sentences that list columns by kind; empty if there are none."""
    return "".join(f" {kind}: {list_names(names, 6)}." for kind, names in kinds.items())


_THRESHOLD = re.compile(r"(^|[\s_.-])threshold$", re.IGNORECASE)
_DIRECTIONS = frozenset(map(plain_name, ("is_lower_better", "lower_is_better", "minimize")))
_FEWEST_THRESHOLDS = 2  # one is the bar of a metric, which its own score is compared with


def refuse_outcome(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a column that was guessed and is no outcome, by what is next to it."""
    for refuse in (
        *(refuse_reference, refuse_confidence, _refuse_own_scales, refuse_tallies, refuse_classes),
        _refuse_of_errors,
    ):
        refuse(outcome, present, sample)


def _refuse_of_errors(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a column that only says which rows have an error.

    It is filled only where there is one, or it is an `ok` that is true where there is none. What
    the other rows achieved is in another column.
    """
    values = sample(outcome) if sample else ()
    for name in named_like(present, ERROR_TEXTS):
        errors = sample(name) if sample else ()
        if len(errors) != len(values) or name == outcome:
            continue
        filled = list(map(is_filled, values))
        failed = list(map(is_filled, errors))
        returned = plain_name(outcome) == "ok" and [worth_of(value) for value in values] == [
            float(not is_failed) for is_failed in failed
        ]
        if returned and values:
            raise InputError(
                f"{outcome!r} is true where {name!r} is empty, so it says that a call returned, "
                f"not that the answer is right. Choose the outcome with {mapping('outcome')}. "
                f"There are: {list_names(present, 12)}."
            )
        if filled == failed and 0 < sum(filled) < len(filled) / 2:
            raise InputError(
                f"{outcome!r} has a value only in rows with something in {name!r}, "
                f"{sum(filled)} of {len(filled)}, where it says that they failed. The outcomes of "
                f"the others are elsewhere; choose them with {mapping('outcome')}, such as "
                f"{mapping('outcome', 'scores.accuracy')} for those inside objects. There are: "
                f"{list_names(present, 12)}."
            )


def _refuse_own_scales(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a score that every question has on a scale of its own.

    The signs are thresholds that vary from row to row, several of them, as of medals, or a column
    that says of some rows that lower is better.
    """
    if sample is None or plain_name(outcome.rpartition(".")[2]) != "score":
        return
    varying = [
        name
        for name in filter(_THRESHOLD.search, present)
        if len({worth_of(value) for value in sample(name) if is_filled(value)}) > 1
    ]
    lower = [
        name
        for name in named_like(present, _DIRECTIONS)
        if len({worth_of(value) for value in sample(name) if is_filled(value)}) > 1
    ]
    if len(varying) < _FEWEST_THRESHOLDS and not lower:
        return
    signs = lower or varying
    binary = [name for name in present if name not in lower and _are_verdicts(sample(name))]
    advice = (
        f" Columns with only right and wrong values: {list_names(binary, 6)}." if binary else ""
    )
    raise InputError(
        f"{outcome!r} is on a scale of its own in every row, by {list_names(signs, 3)} next to it, "
        f"so its mean says nothing. Choose the outcome with {mapping('outcome')}; to average it "
        f"all the same, {mapping('outcome', outcome)}.{advice}"
    )


def _are_verdicts(values: Sequence[object]) -> bool:
    """Whether values are right and wrong, both of them."""
    return are_right_or_wrong(values) and len(set(map(str, values))) > 1


_MOST_CLASSES = 10  # words of a column of verdicts
_SCORED = re.compile(r"score|rating|grade|correct|pass|verdict|winner|reward|label", re.IGNORECASE)


def _are_classes(values: Sequence[object]) -> bool:
    """Whether a few words recur, of which some mean right and others nothing that is known."""
    words = {
        text: text.strip().lower()
        for text in distinct(values)
        if isinstance(text, str) and is_filled(text)
    }
    some = [words[text] for text in values if isinstance(text, str) and text in words]
    worth = {word: worth_of(word) for word in {*some}}
    has_both = None in worth.values() and any(
        value == 1.0 and number_in(word) is None for word, value in worth.items()
    )
    return has_both and 2 < len(worth) <= _MOST_CLASSES and 2 * len(worth) <= len(some)


def _are_shares(values: Sequence[object]) -> bool:
    """Whether there are several numbers, and all are between 0 and 1."""
    some = {worth_of(value) for value in distinct(values) if is_filled(value)}
    return len(some) > 1 and all(worth is not None and 0 <= worth <= 1 for worth in some)
