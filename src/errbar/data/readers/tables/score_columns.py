"""Columns of scores whose names are not known: by a word for a score and by their values."""

import re
from collections.abc import Iterable, Sequence

from errbar.data.columns import (
    LOWER_IS_BETTER,
    MEASURES,
    PROPERTIES,
    REFERENCES,
    TRIAL_NUMBERS,
    WRONG_FLAGS,
    Sampler,
    is_flag,
    plain_name,
)
from errbar.data.outcome_words import NO_OUTCOME, WORDS, distinct, known_word, words_of
from errbar.data.queries.expressions import HIDDEN
from errbar.data.readers.tables.competing_outcomes import are_names, worth_of
from errbar.data.readers.tables.id_names import is_called_id
from errbar.data.readers.tables.wide_names import is_event, is_no_system, is_true_class

# Words for a score, of which one in `_NO_SCORES` in the same name makes it something else.
_SCORED = re.compile(
    r"scor(?:es?|ed|ing)|rat(?:ings?|ed)|stars|grad(?:es?|ed|ing)|marks?|points|pts|correct(?:ness)?"
    r"|right|acc(?:uracy|urate)?|pass(?:ed)?|success(?:ful)?|solved|rewards?|verdict|judge?ments?"
    r"|assess(?:ed|ment)|percent(?:age)?|pct|prozent|feedback|thumbs?|quality|eval(?:uation)?|outcome|result|punkte?|nota?"
    r"|bewertung|puntos|puntuación|points?|得分|分数|评分|点数|점수|оценка|балл"
)
_OF_SCORES = frozenset(  # a score_cost is one of costs, but a score_max is none
    (
        *("threshold", "cutoff", "weight", "std", "stderr", "se", "sd", "var", "variance", "n"),
        *("count", "rank", "confidence", "prob", "probability", "ci", "lower", "upper", "error"),
        *("max", "maximum", "possible", "available", "min", "minimum", "num", "number", "avg"),
        *("index", "version", "type", "delta", "diff", "gain", "previous", "old", "before"),
        *("retrieval", "search", "embedding", "complexity", "popularity", "mean", "average", "id"),
        *("cpu", "gpu", "memory", "mem", "ram", "vram", "disk", "utilization", "usage", "load"),
    )
)
_NO_SCORES = _OF_SCORES | PROPERTIES | LOWER_IS_BETTER | WRONG_FLAGS | REFERENCES
# Words that say no more than yes or no: what of, the name of their column has to say.
_TRUTHS_SAID = frozenset(
    (
        *("true", "false", "yes", "no", "y", "n", "t", "f", "ok", "c", "i", "ja", "nein", "oui"),
        *("non", "sí", "sim", "não", "да", "нет", "是", "否", "wahr", "falsch", "vrai", "faux"),
        *("verdadero", "falso", "verdadeiro", "vero", "hit", "miss", "对", "错"),
    )
)
_RATES = frozenset(("rate", "value", "norm", "normalized", "raw", "at"))  # of what is before them
# Words that are no part of another noun, as those in eval_round and result_chars are.
_IN_FRONT = frozenset(
    ("score", "scores", "rating", "correct", "accuracy", "passed", "solved", "thumbs", "nota")
)
_LEAST, _MOST_POINTS = -10, 100
_MOST_GRADES = 11  # of a scale of ratings, such as 1 to 5 or 0 to 10


def scored_columns(names: Iterable[str], sample: Sampler) -> list[str]:
    """Columns that are the outcome by their values and a word of their name, or by verdicts alone.

    Numbers and truth values need a word for a score in the name, and no word for anything else, or
    the few values of a column that has one; verdicts, such as correct and incorrect, need none.

    Examples
    --------
    >>> values = {"soft_score": [0.5, 1], "max_score": [2, 2], "choice": ["right", "wrong"]}
    >>> scored_columns(values, values.__getitem__)
    ['soft_score', 'choice']
    """
    free = [name for name in names if isinstance(name, str) and _may_be_scored(name)]
    worths = {name: _worths(sample(name)) for name in free}
    found = [name for name in free if worths[name] and _is_named_score(name)]
    grids = [worths[name] for name in found if 1 < len(worths[name]) <= _MOST_GRADES]
    return [
        name
        for name in free
        if name in found
        or (worths[name] in grids and not (is_flag(name) or is_event(name)))
        or _are_judged(sample(name), worths[name], name)
    ]


def _may_be_scored(name: str) -> bool:
    """Whether no word of a name says that a column is something else than scores."""
    words = words_of(name)
    not_scores = _OF_SCORES if words[:1] in (["score"], ["rating"]) else _NO_SCORES
    known = bool({*words, plain_name(name)} & not_scores) or plain_name(name) in TRIAL_NUMBERS
    return bool(words) and name not in HIDDEN and not (known or is_called_id(name))


def _is_named_score(name: str) -> bool:
    """Whether a name is that of a score: its noun, which is the last word, or a word in front.

    Examples
    --------
    >>> [_is_named_score(name) for name in ("judge_result", "result_chars", "score_of_judge")]
    [True, False, True]
    >>> [_is_named_score(name) for name in ("is_correct_strict", "correct_option", "pass_rate")]
    [True, False, True]
    """
    if is_event(name) or is_true_class(name):
        return False
    words = words_of(name)
    if words[0] in ("is", "was"):
        words = words[1:]
    elif is_flag(name):
        return False
    noun = next((word for word in reversed(words) if word not in _RATES), "")
    named = _SCORED.fullmatch(noun) or (words and words[0] in _IN_FRONT)
    return bool(named) or bool({noun, plain_name(name)} & MEASURES)


def _worths(values: Sequence[object]) -> set[float]:
    """Numbers of values, from -10 to 100 points; empty if one of them is no outcome."""
    texts = {str(value).strip().lower() for value in distinct(values) if value is not None}
    worths = {worth_of(text.replace(",", ".")) for text in texts - {*NO_OUTCOME}}
    some = {worth for worth in worths if worth is not None and _LEAST <= worth <= _MOST_POINTS}
    return some if some == worths else set()


def _are_judged(values: Sequence[object], worths: set[float], name: str) -> bool:
    """Whether values are words of verdicts that say more than yes and no."""
    if worths != {0.0, 1.0} or is_no_system(name):
        return False
    said = {known_word(str(value).strip().lower()) for value in distinct(values)}
    return bool(said & WORDS.keys() - _TRUTHS_SAID)


def only_scores(names: Iterable[str], sample: Sampler) -> str | None:
    """The first column of scores, if there is one, or if all of them are equal."""
    found = scored_columns(names, sample)
    alike = {tuple(map(worth_of, sample(name))) for name in found}
    return found[0] if len(alike) == 1 else None


def is_graded_score(name: str, present: Sequence[str], sample: Sampler) -> bool:
    """Whether a `grade` has only letters, A to F, next to the scores that they are given for."""
    if plain_name(name) != "grade":
        return False
    letters = {str(value).strip().upper()[:1] for value in sample(name)}
    few = letters <= {*"ABCDEF"} and are_names(sample(name))
    return few and bool(scored_columns([other for other in present if other != name], sample))
