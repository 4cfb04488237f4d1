"""What a cell of the column `winner` means: the first system, the second, a tie, or a grade."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errbar.base.arrays import float_of
from errbar.base.remarks import Above, guess, some_of, way_to_say
from errbar.errors import InputError

FIRST, TIE, SECOND = 1.0, 0.5, 0.0
_NOUNS = (
    *("model", "assistant", "system", "agent", "player", "candidate", "option", "response"),
    *("answer", "output", "completion", "text"),
)
_SIDES = {
    side: (*alone, *(f"{noun} {mark}" for noun in _NOUNS for mark in marks))
    for side, alone, marks in (
        (FIRST, ("a", "left", "first"), "a1"),
        (SECOND, ("b", "right", "second"), "b2"),
    )
}
_TIES = (
    *("tie", "ties", "tied", "draw", "equal", "same", "both", "c", "no preference", "neither"),
    *("both good", "both are good", "equally good", "even"),
)
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
_COMPARED = re.compile(r"(?:model |assistant )?([ab])\s*(>>|>|=|<<|<)\s*([ab])")
_BRACKETS = re.compile(r"\[+\s*(.*?)\s*\]+")  # as in [[A]]
_WINS = re.compile(r"(.+?) (?:is )?(?:wins|won|win|better|preferred)|([ab]) ?\++")  # A wins, A++
_SPACES = re.compile(r"[\s_\-]+")


@dataclass(frozen=True)
class Words:
    """Words that the user has given a meaning: the options of `prefer`."""

    first: Sequence[str] = ()
    second: Sequence[str] = ()
    tie: Sequence[str] = ()

    def meaning(self, word: str) -> float | None:
        """The result that a word means, if the user has defined it."""
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
    text = _SPACES.sub(" ", str(value).strip().lower())
    inside = _BRACKETS.fullmatch(text)
    text = inside[1] if inside else text
    wins = _WINS.fullmatch(text)
    return (wins[1] or wins[2]) if wins else text


def side_of(value: Any) -> str:
    """The side that a cell prefers: "first", "second", "tie", or "" if it is no such word."""
    word = plain_word(value)
    if word in _TIES:
        return "tie"
    sides = {FIRST: "first", SECOND: "second"}
    return next((sides[side] for side, words in _SIDES.items() if word in words), "")


def results_of(
    cells: Sequence[Any],
    first: Sequence[str],
    second: Sequence[str],
    name: str,
    words: Words,
    *,
    zero_ties: bool = False,
) -> tuple[list[float | None], list[Above]]:
    """Results of the first system from 0 to 1, None where a game has no verdict, and remarks.

    With `zero_ties`, among the numbers 1 and 2 a 0 is a tie, as in AlpacaEval.
    """
    numbers = graded_between(cells, name, words) if words else _preferences(cells, name, zero_ties)
    if numbers is not None:
        return numbers
    numbered = {} if words else _meanings_of_numbers(cells)
    known: dict[tuple[str, str, str], float | None] = {}
    found: list[float | None] = []
    unknown: Counter[str] = Counter()
    ambiguous: Counter[str] = Counter()
    both_bad = 0
    for cell, left, right in zip(cells, first, second, strict=True):
        text = "" if cell is None else str(cell).strip()
        key = (text, left, right)
        if key not in known:
            known[key] = numbered.get(plain_word(text), _result(text, left, right, words))
        result = known[key]
        if result is not None and math.isnan(result):
            unknown[text] += 1
        ambiguous[text] += not words and _is_ambiguous(text, left, right)
        both_bad += plain_word(text) in _BOTH_BAD
        found.append(result)
    if unknown:
        raise InputError(_unknown_words(unknown, len(cells), name))
    if +ambiguous:
        raise InputError(_ambiguous_words(+ambiguous, len(cells), name))
    remarks = []
    if numbered:
        remarks.append(_by_number(name))
    if both_bad:
        rows = f"{both_bad} of {len(cells)} games"
        remarks.append(guess(f"{rows} are 'both bad': counted as ties"))
    return found, remarks


def _meanings_of_numbers(cells: Sequence[Any]) -> dict[str, float]:
    """Meanings of the numbers of the systems, 1 and 2, where other cells are words as tie."""
    present = {plain_word(cell) for cell in cells if cell is not None}
    return {"1": FIRST, "2": SECOND} if "2" in present and "0" not in present else {}


def _is_ambiguous(text: str, first: str, second: str) -> bool:
    """Whether a word names one system but the side of the other, as A where B plays against A."""
    if first == second or text not in (first, second):
        return False
    side = _MEANINGS.get(plain_word(text))
    return side is not None and side != (FIRST if text == first else SECOND)


def graded_between(
    cells: Sequence[Any], name: str, words: Words
) -> tuple[list[float | None], list[Above]] | None:
    """Results on a scale of numbers; None unless the user named its two ends.

    With -3 for the first system and 3 for the second, 0 is a tie and -1 is two thirds of a win.
    """
    if len(words.first) != 1 or len(words.second) != 1:
        return None
    numbers = _numbers_in(cells, words)
    try:
        best, worst = float(words.first[0]), float(words.second[0])
    except ValueError:
        return None
    present = {number for number in numbers or () if number is not None}
    low, high = sorted((best, worst))
    if numbers is None or low == high or not all(low <= number <= high for number in present):
        return None
    found = [
        (TIE if cell is not None and str(cell).strip() in words.tie else None)
        if number is None
        else (number - worst) / (best - worst)
        for cell, number in zip(cells, numbers, strict=True)
    ]
    grades = sorted(present - {best, worst, (best + worst) / 2})
    shown = ", ".join(f"{number:g}" for number in grades[:3])
    return found, [guess(f"{name}: {shown} are grades between a win and a loss")] if grades else []


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
        return _by_name(word, first, second)
    if compared[2] == "=":
        return TIE
    return FIRST if (compared[1] == "a") == (">" in compared[2]) else SECOND


def _by_name(word: str, first: str, second: str) -> float:
    """The result of a word that is the name of a system, spelled differently; nan for others."""
    sides = plain_word(first), plain_word(second)
    if sides[0] == sides[1] or word not in sides:
        return math.nan
    return FIRST if word == sides[0] else SECOND


def _numbers_in(cells: Sequence[Any], words: Words | None = None) -> list[float | None] | None:
    """Cells as numbers, None for an empty cell or a tie; None in all if a cell is another word."""
    numbers: list[float | None] = []
    for cell in cells:
        blank = cell is None or plain_word(cell) in _NOTHING
        if blank or (words is not None and str(cell).strip() in words.tie):
            numbers.append(None)
            continue
        try:
            number = float_of(cell)
        except (TypeError, ValueError):
            return None
        numbers.append(None if math.isnan(number) else number)
    return numbers


def _by_number(name: str) -> Above:
    return guess(
        f"{name}: 1 means that the first system is preferred, 2 the second",
        option="--first 2 --second 1",
        argument="first_wins=['2'], second_wins=['1']",
    )


def _preferences(
    cells: Sequence[Any], name: str, zero_ties: bool
) -> tuple[list[float | None], list[Above]] | None:
    """Results of numeric cells; None if they are not numbers.

    From 1 to 2 as in AlpacaEval: 1 the first is preferred, 2 the second, 1.5 a tie.
    """
    numbers = _numbers_in(cells)
    present = {number for number in numbers or () if number is not None}
    if numbers is None or not present:
        return None
    if present <= {0.0, 1.0, 2.0} and {0.0, 2.0} <= present and not zero_ties:
        by_one, by_zero = (
            way_to_say(
                f"--first {first} --second {second} --tie {tie}",
                f"first_wins=['{first}'], second_wins=['{second}'], ties_are=['{tie}']",
            )
            for first, second, tie in ((1, 2, 0), (0, 1, 2))
        )
        raise InputError(
            f"the column {name!r} has 0, 1 and 2: of these, 0 or 2 may be a tie. Say which: "
            f"{by_one} or {by_zero}."
        )
    if all((zero_ties and number == 0) or 1 <= number <= 2 for number in present) and any(
        number > 1 for number in present
    ):
        graded = [None if n is None else TIE if n == 0 else 2.0 - n for n in numbers]
        return graded, [_by_number(name)]
    if present <= {-1.0, 0.0, 1.0} and -1.0 in present:
        signs = [None if n is None else (n + 1.0) / 2.0 for n in numbers]
        remark = guess(
            f"{name}: 1 means that the first system is preferred, -1 the second, 0 a tie",
            option="--first -1 --second 1",
            argument="first_wins=['-1'], second_wins=['1']",
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


def _ambiguous_words(words: Mapping[str, int], rows: int, name: str) -> str:
    shown = ", ".join(f"{word!r} ({n})" for word, n in Counter(words).most_common(4))
    sides = way_to_say("--first A --second B", "first_wins=['A'], second_wins=['B']")
    return (
        f"the column {name!r} says {shown} in {sum(words.values())} of {rows} rows, which is the "
        f"name of one system and the side of the other. If these are sides, say so with {sides}; "
        f"if they are names, rename the systems."
    )
