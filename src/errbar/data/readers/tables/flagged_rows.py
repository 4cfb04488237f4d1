"""What other columns say of rows and outcomes.

Rows may be marked as failed or excluded while they have an outcome that counts. An outcome may by
its name mark what is wrong, and other columns may be the outcome as well. Without an outcome,
columns that may be it are listed.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.remarks import Above, mapping, some_of, warning, way_to_say
from errbar.data.columns import (
    ANSWERS,
    LOWER_IS_BETTER,
    MEASURES,
    PROPERTIES,
    REFERENCES,
    WRONG_FLAGS,
    Sampler,
    list_names,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import quoted, text_literal, text_of
from errbar.data.outcome_words import FREQUENCIES, MAXIMA, NOTHING, distinct, number_in
from errbar.data.queries.expressions import Columns
from errbar.data.readers.tables.competing_outcomes import (
    LISTS,
    are_right_or_wrong,
    free_columns,
    refuse_confidence,
    refuse_reference,
    worth_of,
)
from errbar.data.readers.tables.counted_rows import refuse_tallies
from errbar.data.readers.tables.graded_classes import refuse_classes
from errbar.data.readers.tables.outcome_text import number_expression
from errbar.data.readers.tables.score_columns import scored_columns
from errbar.errors import InputError

# Columns with the text of an error, empty where there was none.
_ERRORS = frozenset(
    map(
        plain_name,
        ("error", "errors", "error_message", "err", "exception", "error_msg", "traceback"),
    )
)
# Columns that take rows out of an evaluation, and those that keep them in it.
_OUT = frozenset(
    map(
        plain_name,
        (
            *("exclude", "excluded", "skip", "skipped", "ignore", "ignored", "invalid", "discard"),
            *("discarded", "dropped", "filtered_out", "is_excluded", "is_invalid", "is_skipped"),
        ),
    )
)
_IN = frozenset(
    map(plain_name, ("include", "included", "valid", "is_valid", "keep", "is_included", "usable"))
)
_NO_VERSIONS = (PROPERTIES | REFERENCES | ANSWERS | MAXIMA | FREQUENCIES) | frozenset(
    {"id", "index", "option", "type", "text", "reason", "by", "at", "min", "range", "ids"}
)
_FAULT = re.compile(
    r"fail|error|timeout|timed_out|empty|invalid|missing|skipped|wrong|violat"
    r"|^(?:num|n|number_of)_|_(?:count|calls|tokens|steps|turns|seconds|ms|usd|cost|latency)$",
    re.IGNORECASE,
)
_NUMBERS_LISTED = re.compile(r"VARCHAR$|(DOUBLE|FLOAT|[A-Z]*INT(EGER)?|BOOLEAN)\[\]$")
_SHOWN = 3
_NO = ("", "false", "0", "0.0", "no", "n", "none", "null", "nan", "[]", "{}", "f", "ok")
_YES = ("true", "1", "1.0", "yes", "y", "t", "x", "✓")


def flagged_rows(rows: Any, columns: Columns) -> list[Above]:
    """Warnings with the mean with and without such rows, if they change it."""
    free = free_columns(rows.columns, columns)
    value = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    remarks = []
    for names, words, negated in ((_ERRORS, _NO, True), (_OUT, _YES, False), (_IN, _NO[1:], False)):
        listed = ", ".join(map(text_literal, words))
        for name in named_like(free, names):
            marked = f"lower(trim({text_of(name)})) {'NOT ' if negated else ''}IN ({listed})"
            number, scored, least, most, mean, rest = rows.aggregate(
                f"count({value}) FILTER ({marked}), count({value}), min({value}) FILTER ({marked}),"
                f" max({value}) FILTER ({marked}), avg({value}), avg({value}) FILTER (NOT {marked})"
            ).fetchall()[0]
            failed = least == most == 0  # an error that was graded has other outcomes too
            if 0 < number < scored and mean != rest and (failed or not negated):
                what = "with something in" if negated else "marked by"
                remarks.append(
                    warning(
                        f"{number} of {scored} scored rows are {what} {name!r}, and their outcomes "
                        f"count (mean of all rows {mean:.4g}, {rest:.4g} without them). If they "
                        f"have no result, empty their outcomes; if they do not belong to the "
                        f"evaluation, delete them."
                    )
                )
    return remarks


_ATTACKS = re.compile(
    r"attacks?|attacked|attacker|jailbreaks?|jailbreaking|adversarial|injections?|injected|exploits?"
    r"|redteam|redteaming|poison|poisoned|backdoor|trojan|malicious|payload|asr"
)
_TROUBLES = frozenset({"error", "errors", "fault", "faults", "failure", "bug", "bugs", "noise"})
# Outcomes that may be those of an attack.
_OF_ATTACKS = frozenset(
    map(
        plain_name,
        (
            *("success", "is_success", "succeeded", "hit", "is_hit", "match", "is_match", "score"),
            *("judge_score", "final_score", "overall_score", "rating", "result", "verdict"),
            *("label", "grade", "reward", "solved", "is_solved"),
        ),
    )
)


def other_outcomes(rows: Any, columns: Columns) -> list[Above]:
    """Remark on other columns that could be the outcome and disagree, with their means."""
    if "outcome" not in columns.guessed:
        return []
    name = columns["outcome"]
    kinds = rows.schema
    free = free_columns(rows.columns, columns)
    group = name.rpartition(".")[0]
    others = [column for column in columns.also if column in free]
    inside = [column for column in free if group and column.startswith(f"{group}.")]
    others += [name for name in inside if not _is_beside(name.rpartition(".")[2])]
    others += [*filter(_is_measure, free), *(o for o in free if _is_variant(o, name))]
    others += _on_its_scale(rows.head(), name, free)
    lists = [column for column in named_like(free, LISTS) if _NUMBERS_LISTED.match(kinds[column])]
    found = []
    for column in dict.fromkeys([*others, *lists]):
        number = number_expression(rows, column, kinds[column])
        if column in lists:  # the mean over the trials that it lists
            number = f"list_avg(TRY_CAST({quoted(column)} AS DOUBLE[]))"
        if number is None:
            continue
        both = f"{quoted(name)} IS NOT NULL AND {number} IS NOT NULL"
        own = f"CAST({quoted(name)} AS DOUBLE)"
        strange, differ, mine, mean = rows.aggregate(
            f"count(*) FILTER (isinf({number})), "
            f"count(*) FILTER ({both} AND abs({own} - {number}) > 1e-6), avg({own}), avg({number})"
        ).fetchall()[0]
        if not strange and differ and mean is not None and mine is not None:
            found.append((column, differ, mine, mean))
    if not found or not math.isfinite(found[0][2]):
        return []
    each = (
        f"{column!r} has mean {mean:.4g} and differs in {differ:,} rows"
        for column, differ, _, mean in found
    )
    listed = some_of(each, _SHOWN, "; ")
    choose = mapping("outcome", found[0][0])
    return [
        warning(
            f"The outcome is {name!r} (mean of all rows {found[0][2]:.4g}), and other columns "
            f"could be it: {listed}. Choose another with {choose}."
        )
    ]


def _is_measure(column: str) -> bool:
    """Whether a name is that of a measure, or ends in one.

    Examples
    --------
    >>> [_is_measure(name) for name in ("f1", "execution_accuracy", "token_f1", "accuracy_note")]
    [True, True, True, False]
    """
    ends = [plain_name(column), plain_name(re.split(r"[\s_.-]+", column.strip())[-1])]
    return any(end in MEASURES for end in ends) and not _FAULT.search(column)


def _on_its_scale(looked: Mapping[str, Sequence[Any]], name: str, free: Sequence[str]) -> list[str]:
    """Columns of numbers with the maximum of a graded outcome, of which a rubric has several."""
    highest = max(filter(None, map(worth_of, looked.get(name, []))), default=0)
    found = []
    for column in free if highest > 1 else ():
        values = [worth_of(value) for value in looked.get(column, []) if value is not None]
        numbers = [value for value in values if value is not None and value >= 0]
        if len(numbers) == len(values) > 0 and max(numbers) == highest:
            found.append(column)
    found = [column for column in found if plain_name(column) not in _NO_VERSIONS]
    return found if len(found) > 1 else []


def _is_beside(part: str) -> bool:
    """Whether a field next to an outcome is no version of it: a text, a count, what went wrong."""
    return plain_name(part) in _NO_VERSIONS or _FAULT.search(part) is not None


def _is_variant(column: str, outcome: str) -> bool:
    """Whether a column is another version of the outcome, such as acc_norm beside acc.

    Examples
    --------
    >>> [_is_variant(name, "acc") for name in ("acc_norm", "acc_stderr", "accent", "acc")]
    [True, False, False, False]
    """
    version = re.fullmatch(rf"{re.escape(outcome)}[_\W]+(\w+)", column, re.IGNORECASE)
    return version is not None and not {plain_name(version[1]), plain_name(column)} & _NO_VERSIONS


def lower_is_better(
    columns: Columns, names: Sequence[str], right: Sequence[str], *, are_words: bool
) -> list[Above]:
    """Warning on an outcome by whose name lower values are better, such as wer or failed.

    The other `names` of columns say whether rows are of attacks, whose success is a failure.
    """
    name = columns["outcome"]
    plain = plain_name(name.rpartition(".")[2])
    words = {other: re.findall(r"[A-Za-z]+", other.lower().replace("_", " ")) for other in names}
    attacks = [other for other in names if any(map(_ATTACKS.fullmatch, words[other]))]
    attacks = [other for other in attacks if not _TROUBLES & set(words[other])]
    if not right and attacks and plain in _OF_ATTACKS and "outcome" in columns.guessed:
        fails = "no" if are_words else "0"
        turn = way_to_say(f"--right {fails} --right false", f"right=['{fails}', 'false']")
        return [
            warning(
                f"by {attacks[0]!r}, rows are of attacks, and a higher {name!r} counts as better. "
                f"If it says that an attack succeeded, lower is better: {turn} counts attacks "
                f"that failed as right."
            )
        ]
    if plain in WRONG_FLAGS and not (are_words or right):
        turn = way_to_say("--right 0 --right false", "right=['0', 'false']")
        return [
            warning(
                f"1 and true count as right, but by its name {name!r} marks what is wrong: {turn} "
                f"counts the others as right."
            )
        ]
    if plain not in LOWER_IS_BETTER:
        return []
    return [
        warning(
            f"a higher {name!r} counts as better, but by its name lower is better: read "
            f"comparisons and ranks the other way round, or load a column such as 1 - {name}."
        )
    ]


def wrong_flags(present: Sequence[str]) -> str:
    """Advice on columns that mark what is wrong; empty if there are none."""
    names = named_like(present, WRONG_FLAGS)
    if not names:
        return ""
    right = way_to_say("--right 0 --right false", "right=['0', 'false']")
    return f" If {names[0]!r} marks what is wrong, use {mapping('outcome', names[0])} and {right}."


def possible_outcomes(present: Sequence[str], sample: Sampler | None) -> dict[str, list[str]]:
    """Columns without a known name that may be the outcome, the likeliest first, by their kind."""
    if sample is None:
        return {}
    binary = [name for name in present if _are_verdicts(sample(name))]
    shares = [name for name in present if name not in binary and _are_shares(sample(name))]
    empty = [name for name in present if not any(map(is_filled, sample(name)))]
    empty = [name for name in empty if _SCORED.search(name)]
    words = [name for name in present if name not in binary and _are_classes(sample(name))]
    grades = graded_scores({name: sample(name) for name in present})
    right = way_to_say("--right WORD", "right='WORD'")
    kinds = {
        "Columns with only right and wrong values": binary,
        "Columns of ratings or scores": grades,
        "Columns of numbers between 0 and 1": shares,
        f"Columns of words, of which {right} says which are right": words,
        "Columns without any value": empty,
    }
    return {kind: names for kind, names in kinds.items() if names}


def advice_on(kinds: Mapping[str, Sequence[str]]) -> str:
    """Sentences that list columns by kind; empty if there are none."""
    return "".join(f" {kind}: {list_names(names, 6)}." for kind, names in kinds.items())


_THRESHOLD = re.compile(r"(^|[\s_.-])threshold$", re.IGNORECASE)
_DIRECTIONS = frozenset(map(plain_name, ("is_lower_better", "lower_is_better", "minimize")))
_FEWEST_THRESHOLDS = 2  # one is the bar of a metric, which its own score is compared with


def refuse_outcome(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a column that was guessed and is no outcome, by what is next to it."""
    for refuse in (
        *(refuse_reference, refuse_confidence, _refuse_own_scales, refuse_tallies, refuse_classes),
        _refuse_of_errors,
    ):
        refuse(outcome, present, sample)


def _refuse_of_errors(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a column that only says which rows have an error.

    It is filled only where there is one, or it is an `ok` that is true where there is none. What
    the other rows achieved is in another column.
    """
    values = sample(outcome) if sample else ()
    for name in named_like(present, _ERRORS):
        errors = sample(name) if sample else ()
        if len(errors) != len(values) or name == outcome:
            continue
        filled = list(map(is_filled, values))
        failed = list(map(is_filled, errors))
        returned = plain_name(outcome) == "ok" and [worth_of(value) for value in values] == [
            float(not is_failed) for is_failed in failed
        ]
        if returned and values:
            raise InputError(
                f"{outcome!r} is true where {name!r} is empty, so it says that a call returned, "
                f"not that the answer is right. Choose the outcome with {mapping('outcome')}. "
                f"There are: {list_names(present, 12)}."
            )
        if filled == failed and 0 < sum(filled) < len(filled) / 2:
            raise InputError(
                f"{outcome!r} has a value only in rows with something in {name!r}, "
                f"{sum(filled)} of {len(filled)}, where it says that they failed. The outcomes of "
                f"the others are elsewhere; choose them with {mapping('outcome')}, such as "
                f"{mapping('outcome', 'scores.accuracy')} for those inside objects. There are: "
                f"{list_names(present, 12)}."
            )


def _refuse_own_scales(outcome: str, present: Sequence[str], sample: Sampler | None) -> None:
    """Raise an error for a score that every question has on a scale of its own.

    The signs are thresholds that vary from row to row, several of them, as of medals, or a column
    that says of some rows that lower is better.
    """
    if sample is None or plain_name(outcome.rpartition(".")[2]) != "score":
        return
    varying = [
        name
        for name in filter(_THRESHOLD.search, present)
        if len({worth_of(value) for value in sample(name) if is_filled(value)}) > 1
    ]
    lower = [
        name
        for name in named_like(present, _DIRECTIONS)
        if len({worth_of(value) for value in sample(name) if is_filled(value)}) > 1
    ]
    if len(varying) < _FEWEST_THRESHOLDS and not lower:
        return
    signs = lower or varying
    binary = [name for name in present if name not in lower and _are_verdicts(sample(name))]
    advice = (
        f" Columns with only right and wrong values: {list_names(binary, 6)}." if binary else ""
    )
    raise InputError(
        f"{outcome!r} is on a scale of its own in every row, by {list_names(signs, 3)} next to it, "
        f"so its mean says nothing. Choose the outcome with {mapping('outcome')}; to average it "
        f"all the same, {mapping('outcome', outcome)}.{advice}"
    )


def _are_verdicts(values: Sequence[object]) -> bool:
    """Whether values are right and wrong, both of them."""
    return are_right_or_wrong(values) and len(set(map(str, values))) > 1


_MOST_CLASSES = 10  # words of a column of verdicts
_SCORED = re.compile(r"score|rating|grade|correct|pass|verdict|winner|reward|label", re.IGNORECASE)


def is_filled(value: object) -> bool:
    """Whether a value is not null, and no text that stands for nothing, such as n/a."""
    return value is not None and str(value).strip().lower() not in NOTHING


def graded_scores(flat: Mapping[str, Sequence[object]]) -> list[str]:
    """Columns of scores, of which some are above 1."""
    found = scored_columns(flat, lambda name: flat[name])
    return [name for name in found if max(filter(None, map(worth_of, flat[name])), default=0) > 1]


def _are_classes(values: Sequence[object]) -> bool:
    """Whether a few words recur, of which some mean right and others nothing that is known."""
    words = {
        text: text.strip().lower()
        for text in distinct(values)
        if isinstance(text, str) and is_filled(text)
    }
    some = [words[text] for text in values if isinstance(text, str) and text in words]
    worth = {word: worth_of(word) for word in {*some}}
    has_both = None in worth.values() and any(
        value == 1.0 and number_in(word) is None for word, value in worth.items()
    )
    return has_both and 2 < len(worth) <= _MOST_CLASSES and 2 * len(worth) <= len(some)


def _are_shares(values: Sequence[object]) -> bool:
    """Whether there are several numbers, and all are between 0 and 1."""
    some = {worth_of(value) for value in distinct(values) if is_filled(value)}
    return len(some) > 1 and all(worth is not None and 0 <= worth <= 1 for worth in some)
