"""Numbers of right trials and of all, from two other columns: a share, a sum, or the wrong ones."""

import re
from collections.abc import Mapping
from typing import Any

from errbar.base.remarks import Above, guess, mapping
from errbar.data.columns import SURE_TRIALS, USUAL, are_whole_numbers, named_like, plain_name
from errbar.data.outcome_words import WORDS, words_of
from errbar.data.readers.tables.competing_outcomes import worth_of
from errbar.data.readers.tables.counted_rows import COUNTS, are_at_most
from errbar.data.readers.tables.id_names import is_called_id

_IDS = frozenset(
    map(plain_name, ("question", "question_id", "q", "qid", "problem", "id", "instance"))
)
_SYSTEMS = frozenset(map(plain_name, ("system", *USUAL["system"])))
_SHARES = frozenset(
    map(
        plain_name,
        (
            *("pass_rate", "success_rate", "solve_rate", "correct_rate", "pass_fraction"),
            *("fraction_correct", "fraction_passed", "frac_correct", "share_correct", "pass_ratio"),
        ),
    )
)
# May be of something else: a mean of rewards, the share of a file of some size.
_MEANS = frozenset({"mean", "avg", "average", "fraction", "share", "proportion"})
_NEAR = 0.1  # of a whole number of trials
_GROUP_SIZES = frozenset({"count", "size"})
_NUMBER_OF = SURE_TRIALS | _GROUP_SIZES
_COUNT_WORDS = re.compile(r"(?:n|num|number|of|count|counts|total)")
_CORRECT = "n_correct"
_TRIALS = "n_trials"
_ROUNDED = 0.005  # of a share with two decimals


def with_right_trials(
    flat: Mapping[str, list[Any]], assignment: Mapping[str, str | None]
) -> tuple[dict[str, list[Any]], Above] | None:
    """Columns with the numbers of right trials and of trials, if others tell both.

    They are the share of right trials and their number, or the numbers of right and of wrong ones.
    Rows must have ids of questions: a share of `n` without one is the total of `n` questions.
    """
    ids = [name for name in flat if plain_name(name) in _IDS or is_called_id(name)]
    if {"outcome", "trials", "correct"} & {*assignment} or not ids:
        return None
    rows = list(map(str, flat[ids[0]]))
    for name in named_like(flat, _SYSTEMS)[:1]:
        rows = [f"{at} {system}" for at, system in zip(rows, flat[name], strict=True)]
    if 2 * len({*rows}) < len(rows):
        return None
    return _by_share(flat) or _by_sum(flat) or _by_verdicts(flat)


def _by_share(flat: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], Above] | None:
    """The number of right trials, from the share of them and the number of trials."""
    shares, trials = named_like(flat, _SHARES | _MEANS), named_like(flat, _NUMBER_OF)
    if len(shares) != 1 or not trials or named_like(flat, COUNTS[1]):
        return None
    sure = plain_name(shares[0]) in _SHARES and plain_name(trials[0]) in SURE_TRIALS
    pairs = [
        (worth_of(share), worth_of(number))
        for share, number in zip(flat[shares[0]], flat[trials[0]], strict=True)
    ]
    right: list[int] = []
    for share, number in pairs:
        if share is None or number is None or not 0 <= share <= 1 <= number or number % 1:
            return None
        most = _ROUNDED * number if sure else min(_ROUNDED * number, _NEAR)
        if abs(share * number - round(share * number)) > most + 1e-6:
            return None
        right.append(round(share * number))
    text = f"Counts: {shares[0]!r} of {trials[0]!r} trials, rounded to whole ones"
    change = mapping("outcome", shares[0])
    remark = guess(text, option=change, argument=change)
    return _with_counts(flat, (shares[0], trials[0]), right, flat[trials[0]]), remark


def _by_sum(flat: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], Above] | None:
    """The sum and the count of outcomes, as pandas names them, if all sums can be of 0 and 1."""
    sums, trials = named_like(flat, frozenset({"sum"})), named_like(flat, _GROUP_SIZES)
    if len(sums) != 1 or len(trials) != 1 or not are_at_most(flat[sums[0]], flat[trials[0]]):
        return None
    if any((worth_of(value) or 0) < 0 for value in flat[sums[0]]):
        return None
    text = f"Counts: {sums[0]!r} right ones of {trials[0]!r} trials"
    change = mapping("outcome", sums[0])
    remark = guess(text, option=change, argument=change)
    return _with_counts(flat, (sums[0], trials[0]), flat[sums[0]], flat[trials[0]]), remark


def _with_counts(
    flat: Mapping[str, list[Any]], used: tuple[str, str], right: list[Any], trials: list[Any]
) -> dict[str, list[Any]]:
    """The columns with two counts in place of those that they come from."""
    others = {name: column for name, column in flat.items() if name not in used}
    return {**others, _CORRECT: right, _TRIALS: trials}


def _by_verdicts(flat: Mapping[str, list[Any]]) -> tuple[dict[str, list[Any]], Above] | None:
    """The numbers of right trials and of all, from those of right and wrong ones.

    Their sum must be the same in every row, since other trials may be counted elsewhere.
    """
    counted = {name: _verdict_in(name) for name in flat if are_whole_numbers(flat[name])}
    right, wrong = ([name for name in counted if counted[name] == worth] for worth in (1.0, 0.0))
    if len(right) != 1 or len(wrong) != 1:
        return None
    pairs = zip(flat[right[0]], flat[wrong[0]], strict=True)
    sums = [(worth_of(some) or 0) + (worth_of(other) or 0) for some, other in pairs]
    if len({*sums}) != 1 or sums[0] < 2:
        return None
    text = f"Counts: {right[0]!r} right and {wrong[0]!r} wrong ones of {sums[0]:g} trials per row"
    remark = guess(text, option="--map outcome=COLUMN", argument="outcome='COLUMN'")
    all_trials = [int(sums[0])] * len(sums)
    return _with_counts(flat, (right[0], wrong[0]), flat[right[0]], all_trials), remark


def with_tallies(
    flat: Mapping[str, list[Any]], assignment: Mapping[str, str | None]
) -> tuple[dict[str, list[Any]], Above] | None:
    """The numbers of right and wrong trials in one object, `{"solved": 3, "unsolved": 1}`."""
    groups = {name.rpartition(".")[0] for name in flat if "." in name}
    for group in groups if not {"outcome", "trials", "correct"} & {*assignment} else ():
        inside = {name: flat[name] for name in flat if name.rpartition(".")[0] == group}
        if (found := _by_verdicts(inside)) is not None:
            others = {name: column for name, column in flat.items() if name not in inside}
            counted, remark = found
            return {**others, _CORRECT: counted[_CORRECT], _TRIALS: counted[_TRIALS]}, remark
    return None


def _verdict_in(name: str) -> float | None:
    """What the word in the name of a count means: 1 in n_right, 0 in False or wrong_count."""
    last = name.rpartition(".")[2]
    words = [word for word in words_of(last) if not _COUNT_WORDS.fullmatch(word)]
    return WORDS.get(words[0]) if len(words) == 1 else None
