"""Rows that state a share with its numbers of questions, which may be totals of these."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from errbar.base.remarks import Above, mapping, mappings, warning
from errbar.data.columns import ROW, named_like, plain_name
from errbar.data.queries.expressions import HIDDEN, Columns
from errbar.data.readers.tables.total_tables import OUTCOMES, TASKS
from errbar.errors import NoOutcomes

_LOOKED_AT, _MOST_NUMBERS = 200, 40  # rows and columns in which a ratio is looked for
_ROUNDED, _SURE, _FEWEST = 6e-4, 0.1, 3  # of a share, of its product with n, and rows
_RIGHT_OR_WRONG = frozenset({"0", "1", "0.0", "1.0", "true", "false", "", "none"})
# Number of questions, not of tests, points or steps of one question.
_WHOLE = re.compile(
    r"(.*[\s_-])?(n|num|number|total|count)([\s_-]+(of[\s_-]+)?)?"
    r"(questions?|problems?|samples?|examples?|items?|tasks?|cases|instances|rows)?",
    re.IGNORECASE,
)


def scores_beside_counts(rows: Any, columns: Columns) -> list[Above]:
    """Warning on a score beside counts of trials that is not their share."""
    free = [name for name in rows.columns if name not in {*columns.named.values(), *HIDDEN}]
    looked, part, whole = rows.head(), columns["correct"], columns["trials"]
    for name in [name for name in named_like(free, OUTCOMES) if name in looked]:
        some = {key: _numbers(looked[key][:_LOOKED_AT]) for key in (name, part, whole)}
        numbers = {key: found for key, found in some.items() if found is not None}
        if len(numbers) == len(some) and not _is_ratio(numbers, name, part, whole):
            return [
                warning(
                    f"{part!r} of {whole!r} are read as trials of one question, and {name!r}, "
                    f"which is not their share, is left out. If it is the outcome, use "
                    f"{mapping('outcome', name)}."
                )
            ]
    return []


def stated_ratio(rows: Any, columns: Columns) -> list[Above]:
    """Warning on rows that state a share with its counts; an error if only data sets have names.

    Where one column is the ratio of two others in every row, as accuracy is correct / total, a
    row is a total of that many questions, or of as many trials of one.
    """
    found = _ratio_in(rows.head(), columns["outcome"])
    if found is None:
        return _share_of_whole(rows.head(), columns["outcome"])
    share, part, whole = found
    text = f"{share!r} is {part!r} / {whole!r} in every row"
    counted = mappings(trials=whole, correct=part)
    of_tasks = "question" in columns.guessed and plain_name(columns["question"]) in TASKS
    if columns["question"] == ROW or of_tasks:
        raise NoOutcomes(
            f"it has only totals: {text}, and an error bar needs every question. Load the outcome "
            f"of each question; if a row is one question and these are its trials, use {counted}."
        )
    return [
        warning(
            f"{text}, so a row may be the total of as many questions, which has no error bar. Load "
            f"the outcome of each question; if these are trials of one question, use {counted}."
        )
    ]


def _share_of_whole(looked: Mapping[str, Sequence[Any]], outcome: str) -> list[Above]:
    """Warning on shares that are whole numbers times a number of questions, as 0.75 of n = 20."""
    shares = _numbers(looked.get(outcome, [])[:_LOOKED_AT])
    if shares is None or min(shares) < 0 or max(shares) > 1:
        return []
    for name in [name for name in looked if _WHOLE.fullmatch(name.strip())]:
        wholes = _numbers(looked[name][:_LOOKED_AT])
        if wholes is None or min(wholes) < 1:
            continue
        pairs = [pair for pair in zip(shares, wholes, strict=True) if 0 < pair[0] < 1 < pair[1]]
        known = [(share * n, n) for share, n in pairs if _ROUNDED * n < _SURE]
        if len(known) < _FEWEST:
            continue
        if all(abs(part - round(part)) <= _ROUNDED * n for part, n in known):
            return [
                warning(
                    f"{outcome!r} times {name!r} is a whole number in every row, so a row may be "
                    f"the total of as many questions, which has no error bar. Load the outcome of "
                    f"each question."
                )
            ]
    return []


def _ratio_in(looked: Mapping[str, Sequence[Any]], outcome: str) -> tuple[str, str, str] | None:
    """Names of a share, its numerator and its denominator, which counts questions; or None."""
    numbers = {
        name: found
        for name, values in looked.items()
        if name not in HIDDEN and (found := _numbers(values[:_LOOKED_AT])) is not None
    }
    wholes = [name for name in numbers if _WHOLE.fullmatch(name.strip())]
    wholes = [name for name in wholes if min(numbers[name]) >= 1 and max(numbers[name]) > 1]
    if len(numbers) > _MOST_NUMBERS or not wholes or not _holds_shares(looked.get(outcome, [])):
        return None
    for whole in wholes:
        parts = [name for name in numbers if name != whole and _are_parts(numbers, name, whole)]
        for part in parts:
            for share in numbers:
                if share not in (part, whole) and _is_ratio(numbers, share, part, whole):
                    return share, part, whole
    return None


def _holds_shares(values: Sequence[Any]) -> bool:
    """Whether the outcomes of rows are not all right or wrong, as those of questions may be."""
    return any(str(value).strip().lower() not in _RIGHT_OR_WRONG for value in values)


def _numbers(values: Sequence[Any]) -> list[float] | None:
    """The values as numbers; None if some are something else."""
    try:
        found = [float(value) for value in values if not isinstance(value, bool)]
    except (TypeError, ValueError):
        return None
    return found if len(found) == len(values) > 0 else None


def _are_parts(numbers: Mapping[str, list[float]], part: str, whole: str) -> bool:
    """Whether a column counts some of what another counts, in every row."""
    pairs = list(zip(numbers[part], numbers[whole], strict=True))
    return all(0 <= some <= every and some.is_integer() for some, every in pairs) and any(
        0 < some < every for some, every in pairs
    )


def _is_ratio(numbers: Mapping[str, list[float]], share: str, part: str, whole: str) -> bool:
    """Whether a column is the ratio of two others, or that in per cent, up to rounding."""
    ratios = [
        some / every for some, every in zip(numbers[part], numbers[whole], strict=True) if every
    ]
    found = numbers[share]
    return len(ratios) == len(found) and any(
        all(abs(value - scale * ratio) <= near for value, ratio in zip(found, ratios, strict=True))
        for scale, near in ((1, 6e-4), (100, 6e-2))
    )
