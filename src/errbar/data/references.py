"""Reference answers that look like outcomes: a `label` beside a `prediction`.

A label of 0 or 1 is an outcome where it grades a row, and a reference answer where a prediction
stands beside it. It is a reference if that column is called a prediction, or holds the same few
values. Then no column says whether a row is right, and that is said instead of scoring the label.
"""

from collections.abc import Callable, Sequence

from errbar.data.column_names import ANSWERS, PREDICTIONS, REFERENCES, named_like, plain_name
from errbar.errors import UnknownColumn
from errbar.remarks import way_to_say

_TRUTHS = {"true": "1", "false": "0"}
_DOUBTFUL = frozenset({"label", "result", "verdict"})  # outcomes, or answers of a classifier


def refuse_reference(
    outcome: str, present: Sequence[str], sample: Callable[[str], Sequence[object]] | None
) -> None:
    """Refuse an outcome that was guessed and is an answer, or what answers are compared with."""
    name = plain_name(outcome)
    if name not in _DOUBTFUL:
        return
    others = [column for column in present if column != outcome]
    answers = named_like(others, ANSWERS) if name in REFERENCES else []
    references = named_like(others, REFERENCES) if name in ANSWERS else []
    for other in (*answers, *references):
        sure = name in REFERENCES and plain_name(other) in PREDICTIONS
        if sure or (sample is not None and _share_values(sample(outcome), sample(other))):
            answer, reference = (other, outcome) if other in answers else (outcome, other)
            raise UnknownColumn(no_outcome(answer, reference))


def refuse_answers(present: Sequence[str]) -> None:
    """Refuse a table that has answers and references, and no outcome."""
    references = named_like(present, REFERENCES)
    answers = [name for name in named_like(present, ANSWERS) if name not in references]
    if answers and references:
        raise UnknownColumn(no_outcome(answers[0], references[0]))


def no_outcome(answer: str, reference: str) -> str:
    """Why nothing is scored where an answer stands beside a reference, and what to do."""
    anyway = way_to_say("--map outcome=COLUMN", "outcome='COLUMN'")
    return (
        f"no column says whether a row is right: {reference!r} looks like the reference answer and "
        f"{answer!r} like the answer that is compared with it. Add a column 'correct' that is 1 "
        f"where they agree, or say which column is the outcome with {anyway}."
    )


def _share_values(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether most of the values of each of two columns occur in the other."""
    first, second = set(map(_plain, some)) - {""}, set(map(_plain, others)) - {""}
    both = len(first & second)
    return both > 0 and 2 * both >= max(len(first), len(second))


def _plain(value: object) -> str:
    text = "" if value is None else str(value).strip().lower()
    return _TRUTHS.get(text, text.removesuffix(".0"))
