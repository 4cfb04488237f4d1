"""Files of trusted labels: which column has them, and words that mean right in them.

Words that the user gave as right may be those of the judge, of the labels, or of both.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from errbar.base.remarks import way_to_say
from errbar.data.columns import plain_name
from errbar.data.readers.base import Choice
from errbar.data.readers.tables.naming import HowToRead
from errbar.errors import InputError, UnknownColumn, WrongType

T = TypeVar("T")
ReadLabelled = Callable[[HowToRead, Choice], T]
_LABELS = frozenset(
    (
        *("label", "labels", "human", "humanlabel", "humanscore", "humanrating", "goldlabel"),
        *("trusted", "trustedlabel", "expert", "expertlabel"),
    )
)


def read_beside_labels(
    judged: ReadLabelled[T],
    labels: ReadLabelled[T],
    how: HowToRead,
    choice: Choice,
    label: str | None,
) -> tuple[T, T]:
    """The judge's outcomes, and the labels, in the column or by the scorer `label` if given."""
    outcomes, known = _read_with_words(lambda own: judged(own, choice), how)
    found, also = _read_with_words(
        lambda own: _labels(labels, own, label), HowToRead({}, how.right)
    )
    if how.right and not known and not also:
        judged(how, choice)  # which says that no row has the word
    return outcomes, found


def _read_with_words(read: Callable[[HowToRead], T], how: HowToRead) -> tuple[T, bool]:
    """What is read, and whether the words given as right occur in it."""
    try:
        return read(how), True
    except WrongType:
        if not how.right:
            raise
        return read(replace(how, right=())), False


def _labels(read: ReadLabelled[T], how: HowToRead, label: str | None) -> T:
    if label is None:
        try:
            return read(how, Choice())
        except UnknownColumn as error:
            chosen = way_to_say("--label COLUMN", "label='COLUMN'")
            raise UnknownColumn(f"{error} A column of the labels is named by {chosen}.") from error
    try:
        return read(replace(how, assignment={"outcome": label}), Choice())
    except WrongType:
        raise
    except InputError as error:
        try:
            return read(how, Choice(scorer=label))
        except InputError:
            raise error from None


def require_one_label(outcome: str, others: Iterable[str]) -> None:
    """Refuse labels in a table that has another column of this name."""
    likely = [name for name in others if plain_name(name) in _LABELS]
    if outcome and likely and plain_name(outcome) not in _LABELS:
        chosen = way_to_say(f"--label {likely[0]}", f"label={likely[0]!r}")
        raise InputError(
            f"two columns of the labels could have them: {outcome!r} and {likely[0]!r}. Choose "
            f"one: {chosen}, or {way_to_say(f'--label {outcome}', f'label={outcome!r}')}."
        )
