"""Files beside the outcomes: those of trusted labels, and settings.

Of labels: which column has them, and words that mean right in them. Words that the user gave as
right may be those of the judge, of the labels, or of both.

Settings may look like outcomes: `{"do_sample": true, "stream": false}`. A document with a truth
value under each key may map question ids to outcomes. Next to other files it is treated as settings
if none of its keys is an id in them and either its file name is that of a settings file, or it has
fewer keys than they have rows and no key contains a number.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from errbar.base.remarks import setting
from errbar.data.columns import is_settings_file, plain_name
from errbar.data.engines.duckdb import quoted, text_literal
from errbar.data.queries.expressions import FILE
from errbar.data.readers.choices import Choice, HowToRead
from errbar.data.readers.tables.reshaping import RowSet
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
    """The data that are read, and whether the words given as right occur in them."""
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
            chosen = setting("label", "COLUMN")
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
        chosen = setting("label", likely[0])
        raise InputError(
            f"two columns of the labels could have them: {outcome!r} and {likely[0]!r}. Choose "
            f"one: {chosen}, or {setting('label', outcome)}."
        )


_REASON = (
    "none of its keys is a question id in the other files, as in a settings file; pass its path "
    "to read it"
)


def settings_among(flags: Mapping[Path, Sequence[str]], parts: Sequence[RowSet]) -> dict[Path, str]:
    """Documents that are settings of the other files, with the reason for skipping them."""
    return {
        file: _REASON
        for file, keys in flags.items()
        if _has_others(file, parts) and _are_settings(file, keys, parts)
    }


def _has_others(file: Path, parts: Sequence[RowSet]) -> bool:
    return any(other != file for part in parts for other in part.files)


def _are_settings(file: Path, keys: Sequence[str], parts: Sequence[RowSet]) -> bool:
    listed = ", ".join(text_literal(str(key)) for key in keys)
    rows = files = 0
    for part in parts:
        others = part.rows.filter(f"{quoted(FILE)} <> {text_literal(str(file))}")
        question = f"CAST({quoted(part.columns['question'])} AS VARCHAR)"
        number, shared = others.aggregate(
            f"count(*), count(*) FILTER ({question} IN ({listed}))"
        ).fetchall()[0]
        if shared:
            return False
        rows += number
        files += sum(other != file for other in part.files)
    if is_settings_file(file.name.partition(".")[0]):
        return True
    has_number = any(letter.isdigit() for key in keys for letter in str(key))
    return not has_number and len(keys) * files < rows


def describes_data_set(file: Path) -> bool:
    """Whether a file is metadata of a data set saved by Hugging Face datasets."""
    name = file.name
    if name == "dataset_dict.json":
        return True
    return name in ("dataset_info.json", "state.json") and any(file.parent.glob("*.arrow"))
