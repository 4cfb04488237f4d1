"""Totals in documents: refused where there is nothing else, compared with the rows beside them."""

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from errbar.base.remarks import Above, guess, some_of, warning
from errbar.data.columns import plain_name
from errbar.data.readers.documents import JsonObject
from errbar.data.readers.tables.counted_rows import are_counts
from errbar.data.readers.tables.surrounding_names import meaning_of
from errbar.errors import NoOutcomes
from errbar.kernels.urn import chance_of_one

# Names of aggregate scores: an object of these has no outcomes of questions.
_TOTALS = frozenset(
    {
        *("accuracy", "acc", "score", "mean", "avg", "average", "f1", "stderr", "std", "total"),
        *("precision", "recall", "exact_match", "em", "loss", "pass@1", "overall", "main_score"),
        *("count", "n", "num_samples", "success_rate", "win_rate", "pass_rate", "resolved_rate"),
    }
)
# Number of questions that something is the total of.
_QUESTIONS = re.compile(
    r"(n|num|number_of|total)_(questions|problems|tasks|examples|items|instances|cases|prompts)"
)
# Names of the share of rows that are right.
_SHARES = frozenset(
    map(plain_name, ("accuracy", "acc", "success_rate", "pass_rate", "solve_rate", "resolve_rate"))
)
_PASS_AT = re.compile(r"pass(?:@|_?at_?|_)(\d{1,4})", re.IGNORECASE)
_FEW = 10  # fewer shares between 0 and 1 than this are totals rather than outcomes


def hint_on(entries: Sequence[Mapping[str, Any]]) -> str:
    """What objects without outcomes may be, by their keys, and what to load instead; "" if unknown.

    Totals are nested as in `{"mercury": {"Easy_pass@1": 0.55}}` or `{"pass@1": {"complete": 40}}`.
    """
    keys = {str(key).lower() for entry in entries for key in entry}
    if "model_patch" in keys:
        return (
            " These are predictions of SWE-bench: load the report that its evaluation writes, with "
            "the ids that are resolved."
        )
    if any(isinstance(field, bool | list) for entry in entries for field in entry.values()):
        return ""  # totals have neither flags nor lists
    parts = {part for key in keys for part in (key, key.rpartition("_")[2])}
    if not parts.isdisjoint(_TOTALS) or any(map(_PASS_AT.fullmatch, parts)):
        return " If they are totals: an error bar needs every question; load the outcomes of these."
    return ""


def refuse_few_shares(
    inner: Sequence[Mapping[str, Any]], systems: float, questions: float, where: str
) -> None:
    """Raise an error for scores of systems on a few tasks, which look like outcomes."""
    shares = [share for each in inner for share in each.values() if isinstance(share, float)]
    if questions < _FEW and any(0 < share < 1 for share in shares):
        raise NoOutcomes(
            f"{where}: it contains {systems:.0f} x {questions:.0f} shares between 0 and 1, which "
            f"look like totals of tasks, and an error bar needs every question. If they are "
            f"outcomes, save a table with the columns system, question and outcome."
        )


def refuse_totals(value: JsonObject, where: str) -> None:
    """Raise an error for an object of a few aggregate scores."""
    shares = [
        number
        for number in value.values()
        if isinstance(number, float) and not isinstance(number, bool) and 0 < number < 1
    ]
    named = [key for key in value if str(key).lower() in _TOTALS]
    if named or (shares and len(value) < _FEW):
        raise NoOutcomes(
            f"{where}: it has only totals ({some_of(value, 6)}), and an error bar needs every "
            f"question. Load the file with the outcome of each question."
        )


def refuse_totals_of(value: Mapping[str, JsonObject], where: str) -> None:
    """Raise an error for an object of totals by task or by system, or by both."""
    entries = list(value.values())
    if all(isinstance(part, dict) for entry in entries for part in entry.values()):
        entries = [part for entry in entries for part in entry.values()]
    fields = {str(name).lower() for entry in entries for name in entry}
    sized = [name for name in fields if _QUESTIONS.fullmatch(name)]
    if sized and not any(are_counts(entry, {}) for entry in entries):
        raise NoOutcomes(
            f"{where}: it has only totals ({some_of(value, 6)}, with {some_of(sized)}), and an "
            f"error bar needs every question. Load the file with the outcome of each question."
        )
    if fields and fields <= _TOTALS and not any(are_counts(entry, {}) for entry in entries):
        whole = {name: score for entry in entries for name, score in entry.items()}
        refuse_totals(whole, where)


def compared_totals(value: JsonObject, records: Sequence[JsonObject], where: str) -> list[Above]:
    """Say what a share that a document states is of its rows; warn if they do not give it.

    The share may stand beside the rows or in an object beside them, as a number of at most 1 or in
    per cent. It may be that of all rows, of those with an outcome, or the mean over questions; of
    questions with several trials, the share that most, all or some of them solve. A pass@k is
    computed. Rows with weights, or of several systems or tasks, are not compared: whose share it
    is, is unknown.
    """
    parts = [value, *(entry for entry in value.values() if isinstance(entry, dict))]
    stated = {
        str(name): number
        for part in parts
        for name, number in part.items()
        if (plain_name(str(name)) in _SHARES or _PASS_AT.fullmatch(str(name)))
        and isinstance(number, int | float)
        and not isinstance(number, bool)
        and 0 <= number <= 100
    }
    found = _outcomes_by_question(records) if stated else {}
    remarks = []
    for name, number in stated.items() if found else ():
        ways = {column: _shares_of(name, *outcomes) for column, outcomes in found.items()}
        fits = [way for each in ways.values() for way, share in each if _is_rounded(share, number)]
        if "" in fits:
            continue
        shown = some_of(
            [f"{each[0][1]:.4g} ({column!r})" for column, each in ways.items() if each], 3
        )
        if not shown:  # a pass@k of more trials than there are
            continue
        if fits:
            remarks.append(
                guess(f"{where} states {name} {number:g}, {fits[0]}; its rows give {shown}")
            )
            continue
        remarks.append(
            warning(
                f"{where} states {name} {number:g}, but its {len(records)} rows give {shown}. The "
                f"rows are scored."
            )
        )
    return remarks


def compared_totals_by_key(
    objects: Mapping[str, JsonObject], lists: Mapping[str, tuple[str, Sequence[JsonObject]]]
) -> list[Above]:
    """`compared_totals` of each object with the name and the rows of its list."""
    return [
        remark
        for key, (_, rows) in lists.items()
        for remark in compared_totals(objects[key], rows, str(key))
    ]


def _outcomes_by_question(
    records: Sequence[JsonObject],
) -> dict[str, tuple[int, list[list[int]]]]:
    """The number of rows, and the outcomes of each question, by each column of right and wrong.

    None if rows have weights or are of several systems or tasks.
    """
    columns: dict[str | None, list[Any]] = {}  # by their meaning
    for name in dict.fromkeys(name for record in records for name in record):
        columns.setdefault(meaning_of(name), []).append(name)
    groups = [*columns.get("system", ()), *columns.get("task", ())]
    if "weight" in columns or any(len({str(row.get(n)) for row in records}) > 1 for n in groups):
        return {}
    found: dict[str, tuple[int, list[list[int]]]] = {}
    for name in columns.get("outcome", ()):
        by_question: dict[str, list[int]] = {}
        for at, record in enumerate(records):
            ids = [str(record.get(column)) for column in columns.get("question", ())] or [str(at)]
            if record.get(name) is not None:
                by_question.setdefault(ids[0], []).append(record[name])
        known = [outcome for outcomes in by_question.values() for outcome in outcomes]
        if known and all(isinstance(each, int) and each in (0, 1) for each in known):
            found[str(name)] = len(records), list(by_question.values())
    return found


def _shares_of(name: str, rows: int, questions: list[list[int]]) -> list[tuple[str, float]]:
    """What a number of this name may be of the outcomes, and its value; "" is the plain share."""
    trials, right = (np.array(list(map(size, questions))) for size in (len, sum))
    at = _PASS_AT.fullmatch(name)
    k = int(at[1]) if at is not None else 1
    if k != 1:
        few = not 1 <= k <= min(trials)
        return [] if few else [("", float(np.mean(chance_of_one(trials, right, [k]))))]
    plain = [right.sum() / rows, right.sum() / trials.sum(), np.mean(right / trials)]
    shares = [("", float(share)) for share in plain]
    if max(trials) > 1:
        shares += [
            ("the share of questions that most trials solve", float(np.mean(2 * right > trials))),
            ("the share of questions that some trial solves", float(np.mean(right > 0))),
            ("the share of questions that every trial solves", float(np.mean(right == trials))),
        ]
    return shares


def _is_rounded(share: float, number: float) -> bool:
    """Whether a number is a share, rounded to two decimals or more, or to whole per cent or finer.

    Examples
    --------
    >>> _is_rounded(2 / 3, 0.67), _is_rounded(2 / 3, 66.7), _is_rounded(2 / 3, 0.7)
    (True, True, False)
    """
    exponent = Decimal(repr(number)).as_tuple().exponent
    digits = -exponent if isinstance(exponent, int) else 0
    return any(
        math.isclose(share * scale, number, rel_tol=1e-9, abs_tol=0.5001 * 10.0**-decimals)
        for scale, decimals in ((1, max(digits, 2)), (100, max(digits, 0)))
        if scale > 1 or number <= 1
    )
