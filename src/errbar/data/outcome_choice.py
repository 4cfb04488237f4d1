"""Which of several columns is the outcome, by how much their names say and by what they hold.

`success` and `passed` may say that a call went through, where `correct`, `accuracy` or `score`
beside them say whether the answer was right. They are the outcome only if nothing more specific is
there, or if they follow from it as a threshold does: `passed` where `score` is 0.5 and more.
"""

from collections.abc import Callable, Sequence

from errbar.data.column_names import ANSWERS, REFERENCES, named_like, plain_name
from errbar.data.outcome_words import NOTHING, WORDS, is_outcome, number_in
from errbar.errors import UnknownColumn
from errbar.remarks import way_to_say

Sample = Callable[[str], Sequence[object]]  # some values of a column

# May say that a call went through rather than that an answer was right.
VAGUE = frozenset(
    map(plain_name, ("passed", "pass", "is_pass", "success", "succeeded", "is_success"))
)
_CLASSES = frozenset(
    map(plain_name, ("label", "labels", "class", "predicted_label", "predicted_class", "category"))
)


def best_outcome(candidates: Sequence[str], sample: Sample) -> list[str]:
    """The columns that may be the outcome, the likeliest first."""
    if len(candidates) < 2 or plain_name(candidates[0]) not in VAGUE:
        return list(candidates)
    vague = candidates[0]
    for name in candidates[1:]:
        if plain_name(name) in VAGUE or not _holds_outcomes(sample(name)):
            continue
        if not _is_threshold(sample(vague), sample(name)):
            return [name, *(other for other in candidates if other != name)]
    return list(candidates)


def refuse_confidence(outcome: str, present: Sequence[str], sample: Sample | None) -> None:
    """Refuse a `score` that says how sure a classifier is of the class beside it."""
    if plain_name(outcome) != "score" or sample is None:
        return
    scores = [number for value in sample(outcome) if (number := worth_of(value)) is not None]
    if not scores or not all(0 <= one <= 1 for one in scores) or {*scores} <= {0.0, 1.0}:
        return
    for name in named_like(present, _CLASSES):
        words = {str(value).strip().lower() for value in sample(name) if value is not None}
        if name == outcome or not words or any(map(is_outcome, words)) or len(words) > 50:
            continue
        if any(number_in(word) is not None for word in words):
            continue
        others = [other for other in present if other not in (name, outcome)]
        if plain_name(name) in REFERENCES and named_like(others, ANSWERS):
            continue  # a reference answer beside an answer that is scored
        anyway = way_to_say(f"--map outcome={outcome}", f"outcome={outcome!r}")
        confidence = way_to_say(f"--map confidence={outcome}", f"confidence={outcome!r}")
        shown = ", ".join(sorted(words)[:4])
        raise UnknownColumn(
            f"{outcome!r} stands beside {name!r} ({shown}) and lies between 0 and 1, as the "
            f"probability that a classifier gives to its class. No column says whether a row is "
            f"right: add a column 'correct' and say {confidence}; if {outcome!r} does say how good "
            f"a row is, say {anyway}."
        )


def worth_of(value: object) -> float | None:
    """The number that an outcome stands for; None if it stands for none."""
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return None if value != value else float(value)  # noqa: PLR0124  NaN is nothing
    word = str(value).strip().lower()
    return WORDS[word] if word in WORDS else number_in(word)


def _holds_outcomes(values: Sequence[object]) -> bool:
    some = [one for one in values if one is not None and str(one).strip().lower() not in NOTHING]
    return bool(some) and all(map(is_outcome, some))


def _is_threshold(vague: Sequence[object], specific: Sequence[object]) -> bool:
    """Whether one column is 1 exactly where another reaches some number, and is 0 somewhere."""
    pairs = [(worth_of(one), worth_of(other)) for one, other in zip(vague, specific, strict=True)]
    some = [(one, other) for one, other in pairs if one is not None and other is not None]
    reached = [other for one, other in some if one == 1]
    failed = [other for one, other in some if one == 0]
    if not reached or not failed:
        return len({other for _, other in some}) < 2  # neither tells rows apart
    return min(reached) > max(failed)
