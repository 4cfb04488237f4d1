"""What a cell of the column `winner` means: the first system, the second, a tie, or a grade."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errbar.base.remarks import Above, guess, some_of, way_to_say
from errbar.errors import InputError

FIRST, TIE, SECOND = 1.0, 0.5, 0.0
_SIDES = {
    FIRST: ("a", "model a", "assistant a", "system a", "left", "first", "model 1", "response a"),
    SECOND: ("b", "model b", "assistant b", "system b", "right", "second", "model 2", "response b"),
}
_TIES = ("tie", "ties", "tied", "draw", "equal", "same", "both", "c", "no preference", "neither")
_BOTH_BAD = ("tie (bothbad)", "bothbad", "both bad", "tie (both bad)", "both are bad")
_NOTHING = (
    "",
    "none",
    "null",
    "nan",
    "n/a",
    "na",
    "error",
    "invalid",
    "unknown",
    "skip",
    "skipped",
)
_COMPARED = re.compile(r"\[*\s*(?:model |assistant )?([ab])\s*(>>|>|=|<<|<)\s*([ab])\s*\]*")
_SPACES = re.compile(r"[\s_\-]+")


@dataclass(frozen=True)
class Words:
    """Words that the user has given a meaning: the options of `prefer`."""

    first: Sequence[str] = ()
    second: Sequence[str] = ()
    tie: Sequence[str] = ()

    def meaning(self, word: str) -> float | None:
        """The result that a word stands for, if the user said so."""
        for words, result in ((self.first, FIRST), (self.second, SECOND), (self.tie, TIE)):
            if word in words:
                return result
        return None

    def __bool__(self) -> bool:
        return bool(self.first or self.second or self.tie)


def plain_word(value: Any) -> str:
    """A cell as lower-case text, words separated by single spaces."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _SPACES.sub(" ", str(value).strip().lower())


def side_of(value: Any) -> str:
    """The side that a cell prefers: "first", "second", "tie", or "" if it is no such word."""
    word = plain_word(value)
    if word in _TIES:
        return "tie"
    sides = {FIRST: "first", SECOND: "second"}
    return next((sides[side] for side, words in _SIDES.items() if word in words), "")


def results_of(
    cells: Sequence[Any], first: Sequence[str], second: Sequence[str], name: str, words: Words
) -> tuple[list[float | None], list[Above]]:
    """Results of the first system from 0 to 1, None where a game has no verdict, and remarks."""
    numbers = None if words else _preferences(cells, name)
    if numbers is not None:
        return numbers
    known: dict[tuple[str, str, str], float | None] = {}
    found: list[float | None] = []
    unknown: Counter[str] = Counter()
    both_bad = 0
    for cell, left, right in zip(cells, first, second, strict=True):
        text = "" if cell is None else str(cell).strip()
        key = (text, left, right)
        if key not in known:
            known[key] = _result(text, left, right, words)
        result = known[key]
        if result is not None and math.isnan(result):
            unknown[text] += 1
        both_bad += plain_word(text) in _BOTH_BAD
        found.append(result)
    if unknown:
        raise InputError(_unknown_words(unknown, len(cells), name))
    remarks = []
    if both_bad:
        rows = f"{both_bad} of {len(cells)} games"
        remarks.append(guess(f"{rows} are 'both bad': counted as ties"))
    return found, remarks


_MEANINGS: Mapping[str, float | None] = {
    **dict.fromkeys(_NOTHING),
    **{word: result for result, names in _SIDES.items() for word in names},
    **dict.fromkeys((*_TIES, *_BOTH_BAD), TIE),
}


def _result(text: str, first: str, second: str, words: Words) -> float | None:
    """The result of a cell; None if there is none, nan if the word is unknown."""
    found = words.meaning(text)
    if found is not None:
        return found
    if first != second and text in (first, second):
        return FIRST if text == first else SECOND
    word = plain_word(text)
    if word in _MEANINGS:
        return _MEANINGS[word]
    compared = _COMPARED.fullmatch(word)
    if not compared or compared[1] == compared[3]:
        return math.nan
    if compared[2] == "=":
        return TIE
    return FIRST if (compared[1] == "a") == (">" in compared[2]) else SECOND


def _preferences(cells: Sequence[Any], name: str) -> tuple[list[float | None], list[Above]] | None:
    """Results of numeric cells; None if they are not numbers.

    From 1 to 2 as in AlpacaEval: 1 the first is preferred, 2 the second, 0 and 1.5 a tie.
    """
    numbers: list[float | None] = []
    for cell in cells:
        if cell is None or plain_word(cell) in _NOTHING:
            numbers.append(None)
            continue
        try:
            number = float(cell)
        except (TypeError, ValueError):
            return None
        numbers.append(None if math.isnan(number) else number)
    present = {number for number in numbers if number is not None}
    if not present:
        return None
    if all(number == 0 or 1 <= number <= 2 for number in present) and any(
        number > 1 for number in present
    ):
        graded = [None if n is None else TIE if n == 0 else 2.0 - n for n in numbers]
        remark = guess(f"{name}: 1 means that the first system is preferred, 2 the second")
        return graded, [remark]
    if present <= {-1.0, 0.0, 1.0} and -1.0 in present:
        signs = [None if n is None else (n + 1.0) / 2.0 for n in numbers]
        remark = guess(
            f"{name}: 1 means that the first system is preferred, -1 the second, 0 a tie"
        )
        return signs, [remark]
    shown = some_of(f"{number:g}" for number in sorted(present))
    first, second = sorted(present)[-1], sorted(present)[0]
    raise InputError(
        f"the column {name!r} has numbers ({shown}), which may count wins of the first system or "
        f"number the winner. Say which: "
        + way_to_say(
            f"--first {first:g} --second {second:g}",
            f"first_wins=['{first:g}'], second_wins=['{second:g}']",
        )
        + ", or the other way round."
    )


def _unknown_words(unknown: Mapping[str, int], rows: int, name: str) -> str:
    shown = ", ".join(f"{word!r} ({n})" for word, n in Counter(unknown).most_common(8))
    how = way_to_say(
        "--first WORD, --second WORD and --tie WORD",
        "first_wins=[...], second_wins=[...] and ties_are=[...]",
    )
    return (
        f"the column {name!r} has words in {sum(unknown.values())} of {rows} rows that name no "
        f"winner: {shown}. Say what they mean with {how}."
    )
