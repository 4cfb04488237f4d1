"""Choose among columns that could be the outcome, and remark on the others."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import duckdb

from errbar.base.arguments import is_missing
from errbar.base.remarks import Above, mapping, warning, way_to_say
from errbar.data.columns import (
    ANSWERS,
    MEASURES,
    PREDICTIONS,
    PROPERTIES,
    REFERENCES,
    USUAL_COUNTS,
    Columns,
    Sample,
    are_whole_numbers,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import quoted
from errbar.data.expressions import HIDDEN
from errbar.data.outcome_words import NOTHING, WORDS, is_outcome, number_in
from errbar.data.readers.tables.outcome_text import number_expression
from errbar.errors import UnknownColumn

# May mean that a call succeeded rather than that an answer is right.
VAGUE = frozenset(
    map(plain_name, ("passed", "pass", "is_pass", "success", "succeeded", "is_success"))
)
_FAILURES = frozenset(
    ("fail", "failed", "fails", "failures", "incorrect", "wrong", "nfailed", "numfailed")
)
_CLASSES = frozenset(
    map(plain_name, ("label", "labels", "class", "predicted_label", "predicted_class", "category"))
)


def best_outcome(candidates: Sequence[str], sample: Sample) -> list[str]:
    """Candidates for the outcome, the most likely first."""
    if len(candidates) < 2 or plain_name(candidates[0]) not in VAGUE:
        return list(candidates)
    vague = candidates[0]
    for name in candidates[1:]:
        if plain_name(name) in VAGUE or not _holds_outcomes(sample(name)):
            continue
        if not _is_threshold(sample(vague), sample(name)):
            return [name, *(other for other in candidates if other != name)]
    return list(candidates)


def are_counts(
    names: Iterable[str], told: Mapping[str, str | None], sample: Sample | None = None
) -> bool:
    """Whether a table has a row per question with its numbers of trials and correct trials.

    A `sample` of the values distinguishes a total of trials from other totals.
    """
    if {"trials", "correct"} & set(told):
        return True
    lower = {plain_name(str(name)): str(name) for name in names}
    has = [
        {plain_name(name) for name in (meaning, *USUAL_COUNTS[meaning])} & lower.keys()
        for meaning in ("trials", "correct")
    ]
    if not all(has) or told.get("outcome") or {"outcome", "trial"} & lower.keys():
        return False
    right = lower[min(has[1])]
    if sample is not None and any(map(_is_truth, sample(right))):
        return False
    if sample is None or has[0] != {"total"}:
        return True
    if any(
        str(value).strip().lower() not in ("", "0", "1", "0.0", "1.0") for value in sample(right)
    ):
        return True
    map_it = mapping("outcome", right)
    counts = way_to_say(
        f"--map trials=total --map correct={right}", f"trials='total', correct={right!r}"
    )
    raise UnknownColumn(
        f"'total' may be the number of trials of each row, or something else. If {right!r} is the "
        f"outcome of a row, use {map_it}; if it is how many of 'total' were right, use {counts}."
    )


def _is_truth(value: object) -> bool:
    return isinstance(value, bool) or str(value).strip().lower() in ("true", "false")


def refuse_tallies(outcome: str, present: Sequence[str], sample: Sample | None) -> None:
    """Raise an error for a count of successes beside a count of failures, such as passed, failed.

    The number of trials is their sum, perhaps with others such as skipped; no column has it.
    """
    if sample is None or not are_whole_numbers(sample(outcome)):
        return
    failures = [name for name in named_like(present, _FAILURES) if name != outcome]
    failures = [name for name in failures if are_whole_numbers(sample(name))]
    columns = [sample(name) for name in (outcome, *failures)]
    counts = [float(str(value)) for column in columns for value in column if value is not None]
    if not failures or max(counts) <= 1 or min(counts) < 0:
        return
    raise UnknownColumn(
        f"{outcome!r} and {failures[0]!r} look like the trials of a question that succeeded and "
        f"failed. Add a column with the number of trials and use {mapping('trials')} and "
        f"{mapping('correct', outcome)}; if {outcome!r} is the score of a row, use "
        f"{mapping('outcome', outcome)}."
    )


def refuse_confidence(outcome: str, present: Sequence[str], sample: Sample | None) -> None:
    """Raise an error for a `score` that is a classifier's confidence in a class."""
    if plain_name(outcome) != "score" or sample is None:
        return
    scores = [number for value in sample(outcome) if (number := worth_of(value)) is not None]
    if not scores or not all(0 <= score <= 1 for score in scores) or {*scores} <= {0.0, 1.0}:
        return
    for name in named_like(present, _CLASSES):
        words = {str(value).strip().lower() for value in sample(name) if value is not None}
        if name == outcome or not words or any(map(is_outcome, words)) or len(words) > 50:
            continue
        if any(number_in(word) is not None for word in words):
            continue
        others = [other for other in present if other not in (name, outcome)]
        if plain_name(name) in REFERENCES and named_like(others, ANSWERS):
            continue  # a reference answer next to a scored answer
        anyway = mapping("outcome", outcome)
        confidence = mapping("confidence", outcome)
        shown = ", ".join(sorted(words)[:4])
        raise UnknownColumn(
            f"{outcome!r} is next to {name!r} ({shown}) and between 0 and 1, like the probability "
            f"that a classifier gives to its class. No column says whether a row is right: add a "
            f"column 'correct' and use {confidence}; if {outcome!r} is the score of a row, use "
            f"{anyway}."
        )


def worth_of(value: object) -> float | None:
    """Numeric value of an outcome; None if it has none."""
    if value is None:
        return None
    if isinstance(value, bool | int | float):
        return None if is_missing(value) else float(value)
    word = str(value).strip().lower()
    return WORDS[word] if word in WORDS else number_in(word)


def _holds_outcomes(values: Sequence[object]) -> bool:
    some = [
        value for value in values if value is not None and str(value).strip().lower() not in NOTHING
    ]
    return bool(some) and all(map(is_outcome, some))


def _is_threshold(vague: Sequence[object], specific: Sequence[object]) -> bool:
    """Whether one column is 1 exactly where another reaches a threshold, and 0 elsewhere."""
    pairs = [(worth_of(flag), worth_of(other)) for flag, other in zip(vague, specific, strict=True)]
    some = [(flag, other) for flag, other in pairs if flag is not None and other is not None]
    reached = [other for flag, other in some if flag == 1]
    failed = [other for flag, other in some if flag == 0]
    if not reached or not failed:
        return len({other for _, other in some}) < 2  # both are constant
    return min(reached) > max(failed)


_TRUTHS = {"true": "1", "false": "0"}
_DOUBTFUL = frozenset({"label", "result", "verdict"})  # outcomes, or answers of a classifier


def refuse_reference(
    outcome: str, present: Sequence[str], sample: Callable[[str], Sequence[object]] | None
) -> None:
    """Raise an error if the guessed outcome is an answer or a reference answer."""
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
    """Raise an error for a table with answers and references but no outcome."""
    references = named_like(present, REFERENCES)
    answers = [name for name in named_like(present, ANSWERS) if name not in references]
    if answers and references:
        raise UnknownColumn(no_outcome(answers[0], references[0]))


def no_outcome(answer: str, reference: str) -> str:
    """Message for a table with an answer and a reference but no outcome, with advice."""
    anyway = mapping("outcome")
    return (
        f"no column says whether a row is right: {reference!r} looks like the reference answer and "
        f"{answer!r} like the answer that is compared with it. Add a column 'correct' that is 1 "
        f"where they agree, or name the outcome column with {anyway}."
    )


def _share_values(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether most values of each of two columns occur in the other."""
    first, second = set(map(_plain, some)) - {""}, set(map(_plain, others)) - {""}
    both = len(first & second)
    return both > 0 and 2 * both >= max(len(first), len(second))


def _plain(value: object) -> str:
    text = "" if value is None else str(value).strip().lower()
    return _TRUTHS.get(text, text.removesuffix(".0"))


_MAXIMA = frozenset(
    map(
        plain_name,
        (
            *("max_score", "maxscore", "max", "maximum", "maximum_score", "max_points", "out_of"),
            *("total", "total_points", "points_possible", "possible", "full_marks", "full_score"),
            *("max_reward", "score_max", "possible_points", "max_marks", "max_grade"),
        ),
    )
)
_GRADED = frozenset(map(plain_name, ("score", "grade", "reward", "result", "points", "marks")))
_FREQUENCIES = frozenset(
    map(
        plain_name,
        (
            *("count", "counts", "freq", "frequency", "occurrences", "multiplicity", "n", "num"),
            *("n_rows", "times", "n_occurrences"),
        ),
    )
)
# Points that a question is worth; they weigh it if an answer is right or wrong.
_WORTHS = _MAXIMA - {"total", "possible"} | {"points", "marks", "importance", "worth"}
_NO_WEIGHTS = frozenset({"decay", "model", "path", "file", "body", "kg", "lbs", "net", "lora"})
_NO_VERSIONS = (PROPERTIES | REFERENCES | ANSWERS | _MAXIMA | _FREQUENCIES) | frozenset(
    {"id", "index", "option", "type", "text", "reason", "by", "at", "min", "range", "ids"}
)
_SHOWN = 3


def free_columns(names: Sequence[str], columns: Columns) -> list[str]:
    """Columns without a meaning so far."""
    return [name for name in names if name not in {*columns.named.values(), *HIDDEN}]


def as_shares(rows: Any, columns: Columns) -> tuple[Any, list[Above]]:
    """Divide scores by the column with their maximum."""
    name = columns["outcome"]
    if "outcome" not in columns.guessed or plain_name(name) not in _GRADED:
        return rows, []
    for most in named_like(free_columns(rows.columns, columns), _MAXIMA):
        limit, outcome = f"TRY_CAST({quoted(most)} AS DOUBLE)", f"CAST({quoted(name)} AS DOUBLE)"
        outside = f"{limit} IS NULL OR {limit} <= 0 OR {outcome} > {limit} OR {outcome} < 0"
        strange, largest, mean, share = rows.aggregate(
            f"count(*) FILTER ({outcome} IS NOT NULL AND ({outside})), max({limit}), "
            f"avg({outcome}), avg({outcome} / {limit})"
        ).fetchall()[0]
        if strange or share is None or largest == 1:
            continue
        anyway = mapping("outcome", name)
        said = warning(
            f"the outcome is {name!r} divided by {most!r} (mean of all rows {share:.4g}); {anyway} "
            f"takes {name!r} as it is (mean {mean:.4g})."
        )
        return rows.project(f"* REPLACE ({outcome} / {limit} AS {quoted(name)})"), [said]
    return rows, []


def other_outcomes(rows: Any, columns: Columns) -> list[Above]:
    """Remark on other columns that could be the outcome and disagree, with their means."""
    if "outcome" not in columns.guessed:
        return []
    name = columns["outcome"]
    kinds = dict(zip(rows.columns, map(str, rows.types), strict=True))
    free = free_columns(rows.columns, columns)
    group = name.rpartition(".")[0]
    others = [other for other in columns.also if other in free]
    others += [other for other in free if group and other.startswith(f"{group}.")]
    others += [*named_like(free, MEASURES), *(o for o in free if _is_variant(o, name))]
    found = []
    for other in dict.fromkeys(others):
        number = number_expression(rows, other, kinds[other])
        if number is None:
            continue
        both = f"{quoted(name)} IS NOT NULL AND {number} IS NOT NULL"
        strange, differ, mine, mean = rows.aggregate(
            f"count(*) FILTER (isinf({number})), "
            f"count(*) FILTER ({both} AND CAST({quoted(name)} AS DOUBLE) <> {number}), "
            f"avg(CAST({quoted(name)} AS DOUBLE)), avg({number})"
        ).fetchall()[0]
        if not strange and differ and mean is not None and mine is not None:
            found.append((other, differ, mine, mean))
    if not found or not math.isfinite(found[0][2]):
        return []
    listed = "; ".join(
        f"{other!r} has mean {mean:.4g} and differs in {differ} rows"
        for other, differ, _, mean in found[:_SHOWN]
    )
    more = f"; and {len(found) - _SHOWN} more columns" if len(found) > _SHOWN else ""
    choose = mapping("outcome", found[0][0])
    return [
        warning(
            f"the outcome is {name!r} (mean of all rows {found[0][2]:.4g}), and other columns "
            f"could be it: {listed}{more}. Choose another with {choose}."
        )
    ]


def _is_variant(other: str, outcome: str) -> bool:
    """Whether a column is another version of the outcome, such as acc_norm beside acc.

    Examples
    --------
    >>> [_is_variant(name, "acc") for name in ("acc_norm", "acc_stderr", "accent", "acc")]
    [True, False, False, False]
    """
    version = re.fullmatch(rf"{re.escape(outcome)}[_\W]+(\w+)", other, re.IGNORECASE)
    return version is not None and not {plain_name(version[1]), plain_name(other)} & _NO_VERSIONS


def frequencies(rows: Any, columns: Columns) -> list[Above]:
    """Remark on a column that may be the frequency of a row, or the weight of its question."""
    if "weight" in columns:
        return []
    free = free_columns(rows.columns, columns)
    weights = [name for name in free if _is_weight(name)]
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    for name in (*named_like(free, _FREQUENCIES), *weights):
        often = f"TRY_CAST({quoted(name)} AS DOUBLE)"
        odd = f"{often} IS NULL OR {often} < 0"
        odd += "" if name in weights else f" OR {often} <> floor({often})"
        strange, least, most, mean, weighted = rows.aggregate(
            f"count(*) FILTER ({odd}), min({often}), max({often}), avg({outcome}), "
            f"sum({outcome} * {often}) / nullif(sum({often}) FILTER ({outcome} IS NOT NULL), 0)"
        ).fetchall()[0]
        if strange or least == most or None in (mean, weighted) or math.isclose(mean, weighted):
            continue
        weight = mapping("weight", name)
        what = "is the weight of a question" if name in weights else "says how often a row occurred"
        return [
            warning(
                f"{name!r} ({least:g} to {most:g}) is not used: if it {what}, {weight} weighs by "
                f"it (mean of all rows {weighted:.4g} instead of {mean:.4g})."
            )
        ]
    return []


def _is_weight(name: str) -> bool:
    """Whether a name is that of the weight of a question, or of the points that it is worth.

    Examples
    --------
    >>> [_is_weight(name) for name in ("Weight (%)", "question_weight", "points", "weight_decay")]
    [True, True, True, False]
    """
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    return plain_name(name) in _WORTHS or bool(
        words and {words[0], words[-1]} & {"weight", "weighting"} and not {*words} & _NO_WEIGHTS
    )


def counts_of_single_rows(rows: Any, columns: Columns) -> list[Above]:
    """Remark on counts of which no question has more than one right of many."""
    trials, right = columns["trials"], columns["correct"]
    if not {"trials", "correct"} & columns.guessed and trials == "trials":
        return []
    number = f"TRY_CAST({quoted(right)} AS DOUBLE)"
    counts = f"max({number}), max(TRY_CAST({quoted(trials)} AS DOUBLE)), avg({number})"
    try:
        most, largest, mean = rows.aggregate(counts).fetchall()[0]
    except duckdb.Error:  # not a number; the error that names its question is raised by the query
        return []
    if most is None or most > 1 or largest is None or largest < 2:
        return []
    outcome = mapping("outcome", right)
    return [
        warning(
            f"{right!r} is 0 or 1 in every row and is read as the number of {trials!r} trials "
            f"that were right. If it is the outcome of a row, use {outcome} (mean {mean:.4g})."
        )
    ]
