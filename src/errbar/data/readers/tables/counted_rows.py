"""Tables that count: successes of a question, how often an outcome occurred, points of a total."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import duckdb

from errbar.base.remarks import Above, guess, mapping, mappings, warning, way_to_say
from errbar.data.columns import (
    ROW,
    SURE_TRIALS,
    USUAL,
    USUAL_COUNTS,
    Sampler,
    are_whole_numbers,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import quoted, text_of
from errbar.data.outcome_words import (
    EARNED,
    FREQUENCIES,
    is_maximum,
    is_points,
)
from errbar.data.queries.expressions import Columns
from errbar.data.readers.choices import HowToRead
from errbar.data.readers.tables.competing_outcomes import free_columns, worth_of
from errbar.errors import InputError, UnknownColumn

_FAILURES = frozenset(
    ("fail", "failed", "fails", "failures", "incorrect", "wrong", "nfailed", "numfailed")
)
# Points that a question is worth; they weigh it if an answer is right or wrong.
_WORTHS = frozenset({"points", "marks", "importance", "worth"})
_NO_WEIGHTS = frozenset({"decay", "model", "path", "file", "body", "kg", "lbs", "net", "lora"})
_OUTCOMES = frozenset(map(plain_name, ("outcome", *USUAL["outcome"])))
_MOST_ROWS = 10_000_000  # rows that counts are written out to
_COPY = "errbar copy"
_GRADED = EARNED | {"result"}
_NUMBERS = frozenset({"passed", "pass", "passes", "correct", "solved", "success", "succeeded"})
COUNTS = [
    frozenset(map(plain_name, (meaning, *USUAL_COUNTS[meaning])))
    for meaning in ("trials", "correct")
]


def are_counts(
    names: Iterable[str], assignment: Mapping[str, str | None], sample: Sampler | None = None
) -> bool:
    """Whether a table has a row per question with its numbers of trials and correct trials.

    A `sample` of the values distinguishes a total of trials from other totals.
    """
    if {"trials", "correct"} & set(assignment):
        return True
    lower = {plain_name(str(name)): str(name) for name in names}
    has = [names_of_count.intersection(lower) for names_of_count in COUNTS]
    if not all(has) or assignment.get("outcome") or {"outcome", "trial"} & lower.keys():
        return False
    right = lower[min(has[1])]
    if sample is not None:
        _refuse_few_counts(right, lower[min(has[0])], sample)
    if sample is not None and (
        any(map(_is_truth, sample(right))) or _are_apart(sample(right), sample(lower[min(has[0])]))
    ):
        return False
    if sample is None or has[0] & SURE_TRIALS:
        return sample is None or not _are_value_counts(lower, sample(right))
    if any(
        str(value).strip().lower() not in ("", "0", "1", "0.0", "1.0") for value in sample(right)
    ):
        return are_at_most(sample(right), sample(lower[min(has[0])]))
    if has[0] != {"total"}:  # attempts beside an outcome of 0 or 1 are no trials of that row
        return plain_name(right) not in _OUTCOMES
    map_it = mapping("outcome", right)
    counts = mappings(trials="total", correct=right)
    raise UnknownColumn(
        f"'total' may be the number of trials of each row, or something else. If {right!r} is the "
        f"outcome of a row, use {map_it}; if it is how many of 'total' were right, use {counts}."
    )


def _refuse_few_counts(right: str, trials: str, sample: Sampler) -> None:
    """Raise an error if most rows have neither count, as beside the totals of other rows."""
    pairs = list(zip(sample(right), sample(trials), strict=True))
    known = sum(worth_of(value) is not None for pair in pairs for value in pair) / 2
    if known > 0 and 2 * known < len(pairs):
        raise UnknownColumn(
            f"only {known:.0f} of {len(pairs)} rows have counts in {right!r} and {trials!r}, as "
            f"totals of the others. Keep the rows of one kind, or choose the outcome of the others "
            f"with {mapping('outcome')}."
        )


def _are_apart(some: Sequence[object], others: Sequence[object]) -> bool:
    """Whether most rows that have the first value lack the second, as beside a line of totals."""
    rows = zip(some, others, strict=True)
    there = [worth_of(other) is not None for value, other in rows if worth_of(value) is not None]
    return len(there) > 2 * sum(there)


def are_at_most(some: Sequence[object], limits: Sequence[object]) -> bool:
    """Whether whole numbers are at most those of another column, as counts of a part are."""
    if not (are_whole_numbers(some) and are_whole_numbers(limits)):
        return False
    pairs = [(worth_of(value), worth_of(most)) for value, most in zip(some, limits, strict=True)]
    return all(value <= most for value, most in pairs if value is not None and most is not None)


def _are_value_counts(lower: Mapping[str, str], values: Sequence[object]) -> bool:
    """Whether rows say how often an outcome of 0 or 1 occurred: they name no question."""
    if lower.keys() & {plain_name(name) for name in ("question", *USUAL["question"])}:
        return False
    return all(str(value).strip().lower() in ("0", "1", "0.0", "1.0") for value in values)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool) or str(value).strip().lower() in ("true", "false")


def refuse_tallies(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a count of successes beside a count of failures, such as passed, failed.

    The number of trials is their sum, perhaps with others such as skipped; no column has it.
    """
    failures = [name for name in named_like(present, _FAILURES) if name != outcome]
    if sample is None or not failures or not are_whole_numbers(sample(outcome)):
        return
    failures = [name for name in failures if are_whole_numbers(sample(name))]
    columns = [sample(name) for name in (outcome, *failures)]
    counts = [float(str(value)) for column in columns for value in column if value is not None]
    if not failures or max(counts) <= 1 or min(counts) < 0:
        return
    passes = [name for name in named_like(present, COUNTS[1]) if name != outcome]
    if passes and all(worth_of(value) in (None, 0, 1) for value in sample(outcome)):
        return  # a reward beside the tests that passed and failed
    raise UnknownColumn(
        f"{outcome!r} and {failures[0]!r} look like the trials of a question that succeeded and "
        f"failed. Add a column with the number of trials and use {mapping('trials')} and "
        f"{mapping('correct', outcome)}; if {outcome!r} is the score of a row, use "
        f"{mapping('outcome', outcome)}."
    )


def counted_outcomes(rows: Any, columns: Columns) -> tuple[Any, Columns, list[Above]]:
    """A row per outcome, where each row says how often its outcome occurred.

    Every outcome is right or wrong, and occurs once for each system, or once for each question of
    which some have several. Without ids, every occurrence is a question of its own.
    """
    names = named_like(free_columns(rows.columns, columns), FREQUENCIES)
    if not names or {"trial", "weight"} & columns.named.keys():
        return rows, columns, []
    named = columns["question"] != ROW
    keys = [text_of(columns[name]) for name in ("system", "task") if name in columns]
    keys += [text_of(columns["question"])] if named else []
    outcome, often = f"CAST({quoted(columns['outcome'])} AS DOUBLE)", quoted(names[0])
    number = f"TRY_CAST({often} AS DOUBLE)"
    strange, all_rows, apart, ids, most, total, right = rows.aggregate(
        f"count(*) FILTER ({outcome} IS NULL OR {outcome} NOT IN (0, 1) OR {number} IS NULL OR "
        f"{number} < 0 OR {number} <> floor({number})), count(*), "
        f"count(DISTINCT row({', '.join([*keys, outcome])})), "
        f"count(DISTINCT row({', '.join([*keys, repr('')])})), max({number}), sum({number}), "
        f"sum({number} * {outcome})"
    ).fetchall()[0]
    if strange or apart < all_rows or ids == all_rows or most < 2 or total > _MOST_ROWS:
        return rows, columns, []
    text = f"concat_ws('/', {', '.join([*keys, outcome])}, {quoted(_COPY)} + 1)"
    made = rows.query(
        "rows", f"SELECT *, unnest(range(CAST({number} AS BIGINT))) AS {quoted(_COPY)} FROM rows"
    )
    message = (
        f"every row has an outcome and says in {names[0]!r} how often it occurred: {right:.0f} "
    )
    message += f"of {total:.0f} are right"
    if named:
        made = made.project(f"* EXCLUDE ({quoted(_COPY)})")
        text = f"Counted rows: {message}, and these are trials"
        how = guess(text, option="--rows questions", argument="rows='questions'")
        return made, columns, [how]
    made = made.project(f"* EXCLUDE ({quoted(_COPY)}) REPLACE ({text} AS {quoted(ROW)})")
    message += ". Each is read as a question with one trial, since no column names questions. If "
    message += (
        "questions were tried several times, intervals are too narrow; load one row per trial"
    )
    return made, columns, [warning(f"{message}.")]


def frequencies(rows: Any, columns: Columns) -> list[Above]:
    """Remark on a column that may be the frequency of a row, or the weight of its question."""
    if "weight" in columns:
        return []
    free = free_columns(rows.columns, columns)
    weights = [name for name in free if _is_weight(name)]
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    for name in (*named_like(free, FREQUENCIES), *weights):
        often = f"TRY_CAST({quoted(name)} AS DOUBLE)"
        odd = f"{often} IS NULL OR {often} < 0"
        odd += "" if name in weights else f" OR {often} <> floor({often})"
        question = text_of(columns["question"])
        strange, least, most, mean, weighted, pairs, ids = rows.aggregate(
            f"count(*) FILTER ({odd}), min({often}), max({often}), avg({outcome}), "
            f"sum({outcome} * {often}) / nullif(sum({often}) FILTER ({outcome} IS NOT NULL), 0), "
            f"count(DISTINCT row({question}, {often})), count(DISTINCT {question})"
        ).fetchall()[0]
        if strange or least == most or None in (mean, weighted) or math.isclose(mean, weighted):
            continue
        how = f"{mapping('weight', name)} weighs by it"
        if pairs > ids:  # a question has one weight
            how = "load every row as often"
        what = "is the weight of a question" if name in weights else "says how often a row occurred"
        return [
            warning(
                f"{name!r} ({least:g} to {most:g}) is not used: if it {what}, {how} (mean of all "
                f"rows {weighted:.4g} instead of {mean:.4g})."
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
    is_worth = is_maximum(name) and plain_name(name) not in ("total", "possible")
    return (
        is_worth
        or plain_name(name) in _WORTHS
        or bool(
            words and {words[0], words[-1]} & {"weight", "weighting"} and not {*words} & _NO_WEIGHTS
        )
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


def as_shares(rows: Any, columns: Columns) -> tuple[Any, list[Above]]:
    """Divide scores by the column with their maximum."""
    name = columns["outcome"]
    group, _, last = name.rpartition(".")
    named = is_points(last) or plain_name(last) in _GRADED | (_NUMBERS if group else frozenset())
    if "outcome" not in columns.guessed or not named:
        return rows, []
    inside = [most for most in free_columns(rows.columns, columns) if most.startswith(f"{group}.")]
    parts = {most: most.removeprefix(f"{group}.") for most in inside if group}
    nested = [most for most, part in parts.items() if is_maximum(part)]
    for most in [*nested, *filter(is_maximum, free_columns(rows.columns, columns))]:
        number = quoted(most)  # perhaps a text with a decimal comma
        number = f"replace({number}, ',', '.')" if rows.schema[most] == "VARCHAR" else number
        limit, outcome = f"TRY_CAST({number} AS DOUBLE)", f"CAST({quoted(name)} AS DOUBLE)"
        outside = f"{limit} IS NULL OR {limit} <= 0 OR {outcome} > {limit} OR {outcome} < 0"
        strange, largest, best, mean, share = rows.aggregate(
            f"count(*) FILTER ({outcome} IS NOT NULL AND ({outside})), max({limit}), "
            f"max({outcome}), avg({outcome}), avg({outcome} / {limit})"
        ).fetchall()[0]
        if strange or share is None or largest == 1:
            continue
        if plain_name(parts.get(most, most)) == "total" and best <= 1 < largest:
            text = f"{name!r} is at most 1 and is taken as it is (mean {mean:.4g}). If {most!r} is "
            text += f"its maximum, divide it first (mean of all rows {share:.4g})."
            return rows, [warning(text)]  # it may be a number of something else, as of tokens
        anyway = mapping("outcome", name)
        remark = warning(
            f"The outcome is {name!r} divided by {most!r} (mean of all rows {share:.4g}); {anyway} "
            f"takes {name!r} as it is (mean {mean:.4g})."
        )
        return rows.project(f"* REPLACE ({outcome} / {limit} AS {quoted(name)})"), [remark]
    return rows, []


def refuse_row_options(how: HowToRead) -> None:
    """Raise an error for options that do not apply to a table of counts."""
    for is_set, option, argument in (
        (how.rows == "questions", "--rows", "rows="),
        (how.right, "--right", "right="),
    ):
        if is_set:
            way = way_to_say(option, argument)
            raise InputError(f"{way} is for rows of outcomes; this is a table of counts.")
