"""Tables that have only totals: a score or counts of each task, category or system."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from errbar.base.remarks import Above, mapping, mappings, warning
from errbar.data.columns import (
    ANSWERS,
    COUNTERS,
    PARTS,
    RESPONSES,
    ROW,
    STEPS,
    USUAL,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import ALL_ROWS, quoted, text_of
from errbar.data.queries.expressions import HIDDEN, ID_BY_VALUES, Columns
from errbar.data.readers.tables.wide_names import differ_by_number
from errbar.errors import NoOutcomes

TASKS = frozenset(map(plain_name, ("task", *USUAL["task"])))
# Names of aggregate shares.
_SHARES = frozenset(
    map(
        plain_name,
        (
            *("accuracy", "acc", "pass@1", "pass_at_1", "em", "exact_match", "f1", "f1_score"),
            *("pass_rate", "success_rate", "solve_rate", "win_rate"),
        ),
    )
)
# Names of shares that are seldom of a single question.
_MEANS = frozenset(
    map(plain_name, ("accuracy", "acc", "pass_rate", "success_rate", "solve_rate", "win_rate"))
)
_SIZES = frozenset(
    map(
        plain_name,
        (
            *("n", "num_samples", "n_samples", "num_questions", "n_questions", "count", "size"),
            *("stderr", "std_err", "se", "sem", "std", "ci", "ci_low", "ci_high", "n_examples"),
        ),
    )
)
_FEW = 20  # tasks with a score between 0 and 1
_LOOKED_AT, _MOST_NUMBERS = 200, 40  # rows and columns in which a ratio is looked for
_ROUNDED, _SURE, _FEWEST = 6e-4, 0.1, 3  # of a share, of its product with n, and rows
_RIGHT_OR_WRONG = frozenset({"0", "1", "0.0", "1.0", "true", "false", "", "none"})
# Number of questions, not of tests, points or steps of one question.
_WHOLE = re.compile(
    r"(.*[\s_-])?(n|num|number|total|count)([\s_-]+(of[\s_-]+)?)?"
    r"(questions?|problems?|samples?|examples?|items?|tasks?|cases|instances|rows)?",
    re.IGNORECASE,
)
_OUTCOMES = frozenset(
    map(plain_name, ("correct", "is_correct", "score", "reward", "label", "grade", "rating"))
)


def refuse_summary(rows: Any, columns: Columns) -> None:
    """Raise an error for rows that are totals of tasks."""
    question = columns["question"]
    if question == ROW:
        _refuse_single_row(rows, columns)
        _refuse_leaderboard(rows, columns)
        _refuse_summary_of_parts(rows, columns)
        _refuse_rows_of_runs(rows, columns)
        return
    _refuse_single_total(rows, columns)
    if "question" not in columns.guessed or plain_name(question) not in TASKS:
        return
    keys = ", ".join(
        quoted(columns[meaning]) for meaning in ("system", "question") if meaning in columns
    )
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    number, apart, shares, tasks = rows.aggregate(
        f"count(*), count(DISTINCT row({keys})), "
        f"count(*) FILTER ({outcome} NOT IN (0, 1)), count(DISTINCT {quoted(question)})"
    ).fetchall()[0]
    if number > apart or 2 * shares <= number:
        return
    sizes = named_like([name for name in rows.columns if name != columns["outcome"]], _SIZES)
    few = tasks < _FEW and not _are_numbered(rows, question)
    if plain_name(columns["outcome"]) in _SHARES or sizes or few:
        _refuse(columns["outcome"], question)


def _are_numbered(rows: Any, name: str) -> bool:
    """Whether all values differ only by their numbers, as t01, t02, which name no data sets."""
    found = rows.project(f"{text_of(name)} AS name").distinct().limit(_FEW).fetchall()
    names = [str(value) for (value,) in found]
    return len(differ_by_number(names)) == len(names)


def _refuse_single_row(rows: Any, columns: Columns) -> None:
    """Raise an error for one row without an id or a response, such as a record of a run."""
    free = [name for name in rows.columns if name not in {columns["outcome"], ROW, *HIDDEN}]
    if "outcome" not in columns.guessed or named_like(free, RESPONSES | ANSWERS) or not free:
        return
    if rows.totals(ALL_ROWS)[0] == 1 and plain_name(columns["outcome"]) not in _OUTCOMES:
        outcome, choose = columns["outcome"], mapping("question")
        raise NoOutcomes(
            f"it has one row, without the id or the text of a question, and {outcome!r} may be "
            f"that of a whole run. Load the outcome of each question; if the row is a question, "
            f"say which column names it with {choose}."
        )


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


def _refuse_leaderboard(rows: Any, columns: Columns) -> None:
    """Raise an error for one row for each of several systems, with a share."""
    if "system" not in columns:
        return
    system, outcome = columns["system"], f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    number, systems, shares = rows.aggregate(
        f"count(*), count(DISTINCT {text_of(system)}), count(*) FILTER ({outcome} NOT IN (0, 1))"
    ).fetchall()[0]
    if 1 < number == systems and 2 * shares > number:
        _refuse(columns["outcome"], system)


def _refuse_single_total(rows: Any, columns: Columns) -> None:
    """Raise an error for one row for each system, if its outcome is a share by name and value."""
    outcome = columns["outcome"]
    if "question" not in columns.guessed or plain_name(outcome) not in _SHARES:
        return
    value = f"CAST({quoted(outcome)} AS DOUBLE)"
    names = [text_of(columns["system"])] if "system" in columns else ["1"]
    number, systems, shares = rows.aggregate(
        f"count(*), count(DISTINCT {names[0]}), count(*) FILTER ({value} > 0 AND {value} < 1)"
    ).fetchall()[0]
    if number == systems == shares:
        _refuse(outcome, columns["question"])


def means_of_runs(rows: Any, columns: Columns) -> list[Above]:
    """Warning on shares without an id of a question, which may be means of whole runs."""
    outcome = columns["outcome"]
    if columns["question"] != ROW and ID_BY_VALUES not in columns.guessed:
        return []
    free = [name for name in rows.columns if name not in {outcome, ROW, *HIDDEN}]
    is_mean, sizes = plain_name(outcome) in _MEANS, named_like(free, _SIZES)
    if not is_mean and not sizes:
        return []
    value = f"CAST({quoted(outcome)} AS DOUBLE)"
    inside = f"{value} > 0 AND {value} < 1" if is_mean else f"{value} NOT IN (0, 1)"
    number, shares = rows.aggregate(f"count(*), count(*) FILTER ({inside})").fetchall()[0]
    if 2 * shares <= number:
        return []
    beside = "" if is_mean else f", next to {sizes[0]!r}"
    ids = "has ids of questions" if columns["question"] == ROW else "is called an id of questions"
    return [
        warning(
            f"No column {ids}, and {outcome!r} is a share in {shares} of {number} "
            f"rows{beside}. Every row is read as a question; if it is the mean of a run, these are "
            f"totals, and the interval holds for new runs only. Load the outcome of each question."
        )
    ]


def _refuse_summary_of_parts(rows: Any, columns: Columns) -> None:
    """Raise an error for a row per category with its share and its number of questions."""
    outcome = columns["outcome"]
    names = [name for name in rows.columns if name not in {outcome, ROW, *HIDDEN}]
    sizes = named_like(names, _SIZES)
    parts = [name for name in named_like(names, PARTS) if name not in sizes]
    is_mean = plain_name(outcome) in _MEANS or (sizes and plain_name(outcome) in _SHARES)
    if not is_mean or not parts:
        return
    number, apart, shares = rows.aggregate(
        f"count(*), count(DISTINCT {text_of(parts[0])}), "
        f"count(*) FILTER (CAST({quoted(outcome)} AS DOUBLE) NOT IN (0, 1))"
    ).fetchall()[0]
    if number == apart and 2 * shares > number:
        _refuse(outcome, parts[0])


def _refuse_rows_of_runs(rows: Any, columns: Columns) -> None:
    """Raise an error for a row per step of a run, or for shares by seed, fold, layer and the like.

    The number is unique within a system, and no column has ids of questions.
    """
    outcome = columns["outcome"]
    free = [name for name in rows.columns if name not in {outcome, ROW, *HIDDEN}]
    systems = [columns["system"]] if "system" in columns else []
    value = f"CAST({quoted(outcome)} AS DOUBLE)"
    for name in [name for name in named_like(free, COUNTERS) if name not in systems]:
        keys = ", ".join(map(text_of, [*systems, name]))
        number, apart, shares = rows.aggregate(
            f"count(*), count(DISTINCT row({keys})), count(*) FILTER ({value} NOT IN (0, 1))"
        ).fetchall()[0]
        if number > apart or number < 2:
            continue
        if plain_name(name) in STEPS:
            refuse_steps(name)
        if 2 * shares > number and plain_name(outcome) in _MEANS:
            _refuse(outcome, name)


def refuse_steps(name: str) -> NoReturn:
    """Raise an error for rows that are steps of a run instead of questions."""
    raise NoOutcomes(
        f"no column has ids of questions, and {name!r} numbers the rows, so they look like the "
        f"steps or repeats of a run. Load the outcome of each question; if every {name!r} is a "
        f"question, use {mapping('question', name)}."
    )


def _refuse(outcome: str, question: str) -> None:
    raise NoOutcomes(
        f"it has only totals, the {outcome!r} of each {question!r}, and an error bar needs every "
        f"question. Load the file with the outcome of each question; if every {question!r} is a "
        f"question, use {mapping('question', question)}."
    )


def counts_of_tasks(rows: Any, columns: Columns) -> list[Above]:
    """Warning on counts by task or by system, which may count questions instead of trials."""
    question = columns["question"]
    if question == ROW:
        return _counts_of_parts(rows, columns)
    if "question" not in columns.guessed or plain_name(question) not in TASKS:
        return []
    return [
        warning(
            f"Every {question!r} is read as a question, and {columns['trials']!r} as its number "
            f"of trials. If it is a task with that many questions, these are totals and have no "
            f"error bar."
        )
    ]


def scores_beside_counts(rows: Any, columns: Columns) -> list[Above]:
    """Warning on a score beside counts of trials that is not their share."""
    free = [name for name in rows.columns if name not in {*columns.named.values(), *HIDDEN}]
    looked, part, whole = rows.head(), columns["correct"], columns["trials"]
    for name in [name for name in named_like(free, _OUTCOMES) if name in looked]:
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


def _counts_of_parts(rows: Any, columns: Columns) -> list[Above]:
    """Warning if counts have one row for each system, or for each part of a benchmark."""
    systems = [columns["system"]] if "system" in columns else []
    free = [name for name in rows.columns if name not in {*columns.named.values(), *HIDDEN}]
    for name in [*named_like(free, PARTS), *systems]:
        keys = ", ".join(map(text_of, dict.fromkeys([*systems, name])))
        number, apart = rows.aggregate(f"count(*), count(DISTINCT row({keys}))").fetchall()[0]
        if number == apart:
            return [
                warning(
                    f"There is one row for each {name!r}, and it is read as one question with "
                    f"{columns['trials']!r} trials. If it counts questions, these are totals: load "
                    f"the file with the outcome of each question."
                )
            ]
    return []
