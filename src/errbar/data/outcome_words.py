"""Words for right and wrong in outcome columns: PASS, C, ✓, success, 100%; names of points.

All engines use the same table of words. Plain truth values need no remark; for all other words
errbar reports the number of rows with each, since a word may have another meaning in the data.
"""

import math
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from errbar.base.arguments import is_missing
from errbar.base.remarks import Above, guess, mapping, some_of, way_to_say
from errbar.data.columns import plain_name
from errbar.errors import WrongType

NOTHING = (
    *("", "null", "none", "nil", "nan", "na", "n/a", "n.a.", "<na>", "-", "–", "—", "--", "---"),
    *("missing", "undefined", "#n/a", "#na", "#div/0!", "#value!", "#ref!", "#name?", "#num!"),
)
# Instead of an outcome: no answer was given, or none could be graded.
UNANSWERED = (
    *("not_attempted", "not attempted", "unanswered", "no_answer", "no answer", "abstained"),
    *("error", "errored", "timeout", "timed out", "exception", "crashed", "skipped", "skip"),
    *("runtime error", "runtime_error"),
)
NO_OUTCOME = (*NOTHING, *UNANSWERED)
_VERDICTS = (  # of judges of programs, beside "accepted"
    *("wrong answer", "time limit exceeded", "memory limit exceeded", "output limit exceeded"),
    *("presentation error", "compilation error", "compile error"),
)
TRUTH: Mapping[str, float] = MappingProxyType({"true": 1.0, "false": 0.0})
_RIGHT = (
    *("yes", "y", "t", "pass", "passed", "passes", "c", "correct", "right", "ok"),
    *("success", "successful", "succeeded", "solved", "resolved", "accepted"),
    "hit",
    *("✓", "✔", "✔️", "✅", "☑", "○", "◯", "〇", "👍", "thumbs up", "thumbs_up", "[pass]"),
    *("wahr", "vrai", "verdadero", "verdadeiro", "vero", "ja", "oui", "sí", "sim", "да", "истина"),
    *("richtig", "korrekt", "correcto", "correto", "corretto", "верно", "正确", "对", "正解", "是"),
)
_WRONG = (
    *("no", "n", "f", "fail", "failed", "fails", "i", "incorrect", "wrong"),
    *("failure", "unsuccessful", "unsolved", "unresolved", "rejected"),
    "miss",
    *("✗", "✘", "✕", "×", "❌", "☒", "👎", "thumbs down", "thumbs_down", "[fail]"),
    *("falsch", "faux", "falso", "nein", "non", "não", "нет", "ложь", "inkorrekt", "incorrecto"),
    *("incorreto", "неверно", "错误", "错", "不正解", "否"),
    *_VERDICTS,
    *(verdict.replace(" ", "_") for verdict in _VERDICTS),
)
_MARKED = {  # words followed by a mark of the same meaning
    f"{word} {mark}": worth
    for words, marks, worth in (
        (("pass", "passed", "correct", "right", "yes", "true", "success"), "✓✔✅", 1.0),
        (("fail", "failed", "incorrect", "wrong", "no", "false", "failure"), "✗✘❌", 0.0),
    )
    for word in words
    for mark in marks
}
WORDS: Mapping[str, float] = MappingProxyType(
    {**TRUTH, **dict.fromkeys(_RIGHT, 1.0), **dict.fromkeys(_WRONG, 0.0), **_MARKED}
)
MARKS = frozenset("✓✔✅☑○◯〇👍✗✘✕×❌☒👎")  # their meaning stays the same if text follows
_MOST_SHOWN = 12
_MOST = 1 + 1e-9  # rounding: a cosine similarity may be 1.0000000000000002


def number_in(text: str) -> float | None:
    """Parse a number, which may be a percentage; None if the text is not a number.

    Examples
    --------
    >>> number_in("0.5"), number_in(" 85 %"), number_in("PASS")
    (0.5, 0.85, None)
    """
    plain = text.strip()
    if plain[:1].isalpha() and plain[0] not in "iInN":  # inf, nan; an exception takes longer
        return None
    try:
        if plain.endswith("%"):
            return float(plain[:-1]) / 100.0
        return float(plain)
    except ValueError:
        return None


def distinct(values: Sequence[Any]) -> Sequence[Any]:
    """Distinct values if all but null have the same type, since 1 equals true; else all values."""
    if len({*map(type, values)} - {type(None)}) > 1:
        return values
    try:
        return list(dict.fromkeys(values))
    except TypeError:  # lists and objects
        return values


# A member of an enumeration as Python prints it; a single letter may be a grade.
_MEMBER = re.compile(r"[a-z_]\w*\.(\w{2,})")


def known_word(word: str) -> str:
    """The word for an outcome in a text: a mark that it begins with, or a member after its class.

    Examples
    --------
    >>> known_word("✗ wrong unit"), known_word("wrong"), known_word("status.solved")
    ('✗', 'wrong', 'solved')
    """
    if word in WORDS:
        return word
    if word[:1] in MARKS:
        return word[0]
    member = _MEMBER.fullmatch(word)
    known = member is not None and (member[1] in WORDS or member[1] in NO_OUTCOME)
    return member[1] if member is not None and known else word


def right_word(values: Iterable[object]) -> str:
    """The option that names the first known word for right among the values."""
    words = (str(value) for value in values)
    word = next((word for word in words if WORDS.get(known_word(word.strip().lower()))), "WORD")
    return way_to_say(f"--right {shlex.quote(word)}", f"right={[word]!r}")


def is_outcome(value: object) -> bool:
    """Whether a value can be an outcome between 0 and 1: a truth value, a share, or a word."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return 0 <= value <= _MOST or is_missing(value)
    if not isinstance(value, str):
        return False
    word = known_word(value.strip().lower())
    if word in NO_OUTCOME or word in WORDS:
        return True
    number = number_in(word)
    return number is not None and 0 <= number <= _MOST


_FRACTION = re.compile(r"\s*\d+\s*(/|of|out of)\s*\d+\s*")  # 3/5
_GROUPED = re.compile(r"\s*[-+]?\d{1,3}(?:[,. '\u00a0\u202f]\d{3})+(?:[.,]\d+)?\s*")  # 1,000


def words_remark(counts: Mapping[str, int], worths: Mapping[str, float]) -> list[Above]:
    """Remark with the number of rows per word; empty if all are plain truth values."""
    if worths is WORDS and not counts.keys() - {*TRUTH, *NOTHING}:
        return []
    parts = []
    for name, worth in (("right", 1.0), ("wrong", 0.0)):
        mine = [f"{word} {n}" for word, n in counts.items() if worths.get(word, math.nan) == worth]
        if mine:
            parts.append(f"{name}: {some_of(mine, _MOST_SHOWN)}")
    without = [word for word in counts if word in UNANSWERED and word not in worths]
    if without:
        parts.append(
            f"no outcome: {some_of([f'{word} {counts[word]}' for word in without], _MOST_SHOWN)}"
        )
    if not parts:
        return []
    return [
        guess(
            f"Outcomes are words ({'; '.join(parts)})",
            option="--right WORD",
            argument="right=[...]",
        )
    ]


def refuse_right(right: Sequence[str], counts: Mapping[str, int], column: str) -> NoReturn:
    """Raise an error if a word given as right occurs in no row."""
    words = ", ".join(map(repr, right))
    shown = some_of([f"{_short(word)} ({n})" for word, n in counts.items()], _MOST_SHOWN)
    raise WrongType(
        f"no row of column {column!r:.80} is {words}, which was given as right; the column has: "
        f"{shown}."
    )


def refuse_words(counts: Mapping[str, int], column: str, beside: Sequence[str] = ()) -> None:
    """Raise an error that lists the words that are neither right nor wrong.

    Words of an answer are right where they agree with a reference, which may stand `beside` it.
    """
    shown = some_of([f"{_short(word)} ({n})" for word, n in counts.items()], _MOST_SHOWN)
    right = way_to_say("--right WORD", "right=['WORD']")
    other = mapping("outcome")
    advice = (
        f"Say which words are right with {right} (all others are then wrong), or take another "
        f"column with {other}."
    )
    if beside:
        advice = (
            f"They look like answers, and {beside[0]!r:.80} like the reference. errbar does not "
            f"grade answers: add a column that is 1 where the two agree and 0 where they do not, "
            f"and take it with {other}."
        )
    elif all(map(_FRACTION.fullmatch, counts)):
        advice = (
            f"They look like counts of right trials out of all: write them as two columns, "
            f"successes and trials, or as shares, or take another column with {other}."
        )
    elif all(map(_GROUPED.fullmatch, counts)):
        advice = f"Write the numbers without separators, or take another column with {other}."
    rows = sum(counts.values())
    neither = f"{rows} rows of the column {column!r:.80} are neither"
    if rows == 1:
        neither = f"1 row of the column {column!r:.80} is neither"
    raise WrongType(
        f"outcome must be a number, or a word for right or wrong; {neither}: {shown}. {advice}"
    )


def refuse_grades(counts: Mapping[str, int], column: str) -> None:
    """Raise an error for single letters that do not mean right and wrong, such as grades A to F."""
    letters = {word for word in counts if len(word) == 1 and word.isalpha()}
    if letters & {"c", "i"} and letters & {"f", "t", "y", "n"}:
        refuse_words({word: n for word, n in counts.items() if word in letters}, column)


def _short(word: str) -> str:
    return repr(word) if len(word) <= 60 else f"{word[:57]!r}…"


def in_order(counts: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Sort words by decreasing frequency."""
    return dict(sorted(counts, key=lambda item: (-item[1], item[0])))


# Names of columns of points.
MAXIMA = frozenset(
    map(
        plain_name,
        (
            *("max", "maximum", "maxscore", "out_of", "total", "total_points", "points_total"),
            *("total_marks", "possible", "full_marks", "full_score"),
        ),
    )
)
# Points of an answer, where a column has their maximum.
EARNED = frozenset(
    map(
        plain_name,
        (
            *("points", "pts", "points_earned", "earned_points", "earned", "points_awarded"),
            *("awarded_points", "awarded", "points_scored", "marks_obtained", "marks", "obtained"),
            *("score_points", "raw_score", "score_raw", "score_obtained"),
        ),
    )
)
_LIMIT = re.compile(r"max(?:imum)?|possible|available|attainable|achievable")
_POINTS = re.compile(r"scores?|points?|pts|marks?|grades?|rewards?|ratings?|punkte")


def is_maximum(name: str) -> bool:
    """Whether a name is that of the most points that a row can have.

    Examples
    --------
    >>> [is_maximum(name) for name in ("max_score", "marks_available", "max_tokens", "total_score")]
    [True, True, False, False]
    """
    words = words_of(name)
    most = [word for word in words if _LIMIT.fullmatch(word)]
    return plain_name(name) in MAXIMA or bool(
        most and is_points(name) and len(most) + sum(map(is_points, words)) == len(words)
    )


def is_points(name: str) -> bool:
    """Whether a word of a name means points, as mark and score do."""
    return any(map(_POINTS.fullmatch, words_of(name)))


FREQUENCIES = frozenset(
    map(
        plain_name,
        (
            *("count", "counts", "freq", "frequency", "occurrences", "multiplicity", "n", "num"),
            *("n_rows", "times", "n_occurrences"),
        ),
    )
)


def words_of(name: str) -> list[str]:
    """The words of a name in lower case.

    Examples
    --------
    >>> words_of("maxScore"), words_of("Note (1-5)")
    (['max', 'score'], ['note'])
    """
    return re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
