"""Texts of a column of outcomes that are no plain number, and the number that each stands for.

Most columns have few of them: true and false, PASS and FAIL, nothing. A look at those that occur
makes an expression with a case for each, where the words that might occur need a hundred: DuckDB
takes 35 ms to plan those, for every query, and 1 ms to plan these.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from errbar.data.engine import quoted, text_literal
from errbar.data.outcome_words import NOTHING, WORDS, in_order

LONGEST = 400  # letters of a number or a word
_MOST = 50  # texts that an expression has a case for


class UnusualText(NamedTuple):
    """A text, how many rows have it, and how DuckDB reads it."""

    text: str
    rows: int
    word: str  # in small letters, without spaces around it
    number: float | None
    share: float | None  # without a sign of per cent, divided by 100

    @property
    def worth(self) -> float | None:
        """The number, None for nothing, and infinity for whatever is neither."""
        if self.word in WORDS:
            return WORDS[self.word]
        if self.word in NOTHING:
            return None
        value = self.share if self.word.endswith("%") else self.number
        return math.inf if value is None else value

    @property
    def is_strange(self) -> bool:
        """Whether it is neither a number nor a word for right, wrong or nothing."""
        return self.worth is not None and math.isinf(self.worth)


def unusual_texts(rows: Any, name: str) -> list[UnusualText] | None:
    """The texts of a column that are no finite numbers; None if they are many or long."""
    finite = f"length(text) <= {LONGEST} AND isfinite(TRY_CAST(text AS DOUBLE))"
    found = (
        rows.project(f"left({quoted(name)}, {LONGEST + 1}) AS text")
        .filter(f"text IS NOT NULL AND NOT coalesce({finite}, false)")
        .aggregate("text, count(*) AS n", "text")
        .limit(_MOST + 1)
        .project("text, n, lower(trim(text)) AS word")
        .project(
            "text, n, word, TRY_CAST(word AS DOUBLE), TRY_CAST(rtrim(word, '% ') AS DOUBLE) / 100"
        )
        .fetchall()
    )
    texts = [UnusualText(*row) for row in found]
    plain = all(len(one.text) <= LONGEST and "\0" not in one.text for one in texts)
    return texts if plain and len(texts) <= _MOST else None


def number_by_text(name: str, texts: Sequence[UnusualText]) -> str:
    """A column as numbers, where these are all of its texts that are no finite numbers."""
    column = quoted(name)
    # DuckDB has a CSV reader do a bare TRY_CAST, and the reader refuses what it cannot cast.
    cases = [f"WHEN {column} = '1' THEN 1", f"WHEN {column} = '0' THEN 0"]
    cases += [
        f"WHEN {column} = {text_literal(one.text)} THEN {_literal(one.worth)}" for one in texts
    ]
    return f"CASE {' '.join(cases)} ELSE TRY_CAST({column} AS DOUBLE) END"


def _literal(number: float | None) -> str:
    return "NULL" if number is None else f"'{number!r}'::DOUBLE"


def counted_words(texts: Sequence[UnusualText]) -> dict[str, int]:
    """How many rows have each word that is no number."""
    counts: dict[str, int] = {}
    for one in texts:
        if one.number is None and not one.word.endswith("%") and one.word not in NOTHING:
            counts[one.word] = counts.get(one.word, 0) + one.rows
    return in_order(counts.items())
