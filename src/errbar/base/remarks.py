"""Remarks on the data, and whether they are printed above or below the numbers.

Most remarks are plain text and are printed below a table. A `guess` states how the data were
interpreted, with the option that changes the interpretation; a `warning` is a guess that affects
the numbers, and is marked. Both are strings of the class `Above`, so they are handled like other
remarks, and `above` separates them from the rest. A `Caution` is marked where a result is printed,
and an `Explanation` is printed on request only; elsewhere both are like plain text.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from itertools import starmap

MARK = "⚠"
GUESSED = "which is a guess"  # ends a condition on what was guessed
_ASSUMES = "assumes that no"  # begins an assumption on units that were not drawn
_MOST_NAMED = 3  # subjects of a remark

_on_command_line: ContextVar[bool] = ContextVar("on_command_line", default=False)


class Above(str):
    """A remark that is printed above the numbers, because it affects them."""

    __slots__ = ()


class Scale(Above):
    """The range of the outcomes; left out where their bounds are shown, guessed or given."""

    __slots__ = ()


class OnCommon(Above):
    """Scores on the questions that all systems have; left out where a column shows them."""

    __slots__ = ()


class GuessedBounds(Above):
    """A guess about the bounds of rewards."""

    __slots__ = ()


class Condition(str):
    """A condition that the user gave, shown in the last line of a result."""

    __slots__ = ()


class Caution(str):
    """A remark on data that are missing or doubtful."""

    __slots__ = ()


class Explanation(str):
    """A definition or a method."""

    __slots__ = ()


@contextmanager
def true_within(switch: ContextVar[bool]) -> Iterator[None]:
    """Set a context variable to true within this context."""
    token = switch.set(True)
    try:
        yield
    finally:
        switch.reset(token)


def on_command_line() -> AbstractContextManager[None]:
    """Name command-line options instead of Python arguments in messages, within this context."""
    return true_within(_on_command_line)


def guess(text: str, *, option: str = "", argument: str = "") -> Above:
    """Return a remark on how the data were interpreted, with the option that changes it.

    Examples
    --------
    >>> guess("Systems: named after the files", option="--files trials", argument="files='trials'")
    "Systems: named after the files (files='trials' to change)."
    """
    other = way_to_say(option, argument)
    return Above(f"{text}{f' ({other} to change)' if other else ''}.")


def warning(text: str) -> Above:
    """Return a marked remark, whose text gives both interpretations and how to choose."""
    return Above(f"{MARK} {text}")


def about(subject: str, remark: str) -> str:
    """Return a remark prefixed with its subject, and of the same class.

    Without a subject it is a sentence, which begins with a capital letter.

    Examples
    --------
    >>> about("gsm8k", warning("a row is lost."))
    '⚠ gsm8k: a row is lost.'
    >>> about("", warning("a row is lost."))
    '⚠ A row is lost.'
    """
    marked = remark.startswith(MARK)
    plain = remark.removeprefix(MARK).lstrip()
    text = f"{subject}: {plain}" if subject else f"{plain[:1].upper()}{plain[1:]}"
    return warning(text) if marked else type(remark)(text)


def way_to_say(option: str, argument: str) -> str:
    """Return the option on the command line, the argument in Python."""
    return option if _on_command_line.get() else argument


def setting(name: str, value: str) -> str:
    """Return how to write a setting on the command line, or in Python.

    Examples
    --------
    >>> setting("errors", "missing")
    "errors='missing'"
    """
    return way_to_say(f"--{name} {shlex.quote(str(value))}", f"{name}={value!r}")


def mapping(meaning: str, column: str = "COLUMN") -> str:
    """Return how to assign a column to a meaning, on the command line or in Python.

    Examples
    --------
    >>> mapping("cluster")
    "cluster='COLUMN'"
    """
    return way_to_say(f"--map {shlex.quote(f'{meaning}={column}')}", f"{meaning}={column!r}")


def mappings(**columns: str) -> str:
    """Return how to assign several columns.

    Examples
    --------
    >>> mappings(trials="n", correct="n_right")
    "trials='n', correct='n_right'"
    """
    return way_to_say(" ", ", ").join(starmap(mapping, columns.items()))


def join_parts(*parts: str) -> str:
    """Join the parts that are not empty.

    Examples
    --------
    >>> join_parts("no spread", "", "a single trial")
    'no spread; a single trial'
    """
    return "; ".join(filter(None, parts))


def have(number: int) -> str:
    """Return the verb after a number, as in "1 of 30 rows has" and "2 of 30 rows have".

    Examples
    --------
    >>> have(1), have(2)
    ('has', 'have')
    """
    return "has" if number == 1 else "have"


def counted(number: int, noun: str) -> str:
    """Return a count with its noun in the singular or plural.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def all_of(number: int, noun: str) -> str:
    """Return "all 3 rows", or "both rows"."""
    return f"both {noun}s" if number == 2 else f"all {counted(number, noun)}"


def mean_in_brackets(of: str, mean: float | None) -> str:
    """Return the mean under an interpretation in brackets; empty if there is no mean."""
    return "" if mean is None else f" (mean of all {of} {mean:.4g})"


def above(remarks: Iterable[str]) -> list[str]:
    """Return the remarks to print above the numbers, warnings first."""
    whole = list(remarks)
    tells_bounds = any(isinstance(remark, GuessedBounds | Condition) for remark in whole)
    found = [remark for remark in whole if isinstance(remark, Above)]
    found = [remark for remark in found if not (tells_bounds and isinstance(remark, Scale))]
    return sorted(dict.fromkeys(found), key=lambda remark: not remark.startswith(MARK))


def below(remarks: Iterable[str]) -> list[str]:
    """Return the remarks to print below the numbers."""
    return [remark for remark in remarks if not isinstance(remark, Above)]


def marked(remarks: Iterable[str]) -> list[str]:
    """Return the remarks to print above a table, warnings and cautions first, and marked."""
    notes = list(remarks)
    cautions = [warning(note) for note in notes if isinstance(note, Caution)]
    return merge_remarks(above([*notes, *cautions]))


def unmarked(remarks: Iterable[str]) -> list[str]:
    """Return the remarks to print below a table."""
    notes = [
        note for note in below(remarks) if not isinstance(note, Caution | Explanation | Condition)
    ]
    return merge_remarks(notes)


def add_conditions(footer: str, remarks: Iterable[str]) -> str:
    """Return the last line of a result with the conditions that the user gave.

    Examples
    --------
    >>> add_conditions("95% CI for 30 questions (.explain()).", [Condition("rewards from 0 to 5")])
    '95% CI for 30 questions; rewards from 0 to 5 (.explain()).'
    """
    given = dict.fromkeys(remark for remark in remarks if isinstance(remark, Condition))
    footer_text, before, option = footer.rpartition(" (")
    return (
        f"{'; '.join([footer_text, *given])}{before}{option}" if given and footer_text else footer
    )


def unless_stated(reason: str, remarks: Iterable[str]) -> str:
    """The reason without the condition on guessed bounds, if a remark states the guess."""
    if not any(isinstance(remark, GuessedBounds) for remark in remarks):
        return reason
    return join_parts(*(part for part in reason.split("; ") if not part.endswith(GUESSED)))


def as_remarks(subject: str, reason: str) -> list[str]:
    """Return the reason of an estimate as remarks; what it assumes of unseen units stands above.

    Examples
    --------
    >>> as_remarks("avg: ", "no trials; assumes that no cluster has more than 9 questions")
    ['avg: no trials.', 'avg: assumes that no cluster has more than 9 questions (largest_cluster to change).']
    """  # noqa: E501
    plain, assumes, rest = reason.partition(_ASSUMES)
    remarks = [f"{subject}{plain.removesuffix('; ')}."] if plain else []
    if not assumes:
        return remarks
    way = ("--largest-cluster", "largest_cluster") if rest.startswith(" cluster") else ("", "")
    return [*remarks, guess(f"{subject}{assumes}{rest}", option=way[0], argument=way[1])]


def explanations(remarks: Iterable[str]) -> list[str]:
    """Return the definitions and methods."""
    return [note for note in remarks if isinstance(note, Explanation)]


def merge_remarks(remarks: Iterable[str]) -> list[str]:
    """Merge remarks that say the same about different subjects.

    Examples
    --------
    >>> merge_remarks(["a: 2 rows are lost.", "b: 2 rows are lost.", "c: all is well."])
    ['a, b: 2 rows are lost.', 'c: all is well.']
    """
    subjects: dict[str, list[str]] = {}
    for remark in dict.fromkeys(remarks):
        subject, colon, rest = remark.removeprefix(f"{MARK} ").partition(": ")
        mark = f"{MARK} " if remark.startswith(MARK) else ""
        subjects.setdefault(f"{mark}\0{rest}" if colon else remark, []).append(subject)
    return [_of_all(text, names) for text, names in subjects.items()]


def _of_all(text: str, names: list[str]) -> str:
    mark, end, rest = text.partition("\0")
    if not end:
        return text
    return f"{mark}{some_of(names, _MOST_NAMED)}: {rest}"


def some_of(names: Iterable[object], most: int = 5, separator: str = ", ") -> str:
    """Join the first names and say how many more there are.

    Examples
    --------
    >>> some_of(["a", "b", "c"], 2), some_of(["a is 1", "b is 2", "c is 3"], 2, "; ")
    ('a, b and 1 more', 'a is 1; b is 2; and 1 more')
    """
    shown = list(map(str, names))
    more = f"{separator.strip(', ')} and {len(shown) - most} more" if len(shown) > most else ""
    return separator.join(shown[:most]) + more


def all_names(names: Sequence[object]) -> str:
    """Join all names by commas, the last one by "and".

    Examples
    --------
    >>> all_names(["a"]), all_names(["a", "b"]), all_names(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    *others, last = map(str, names)
    return f"{', '.join(others)} and {last}" if others else last
