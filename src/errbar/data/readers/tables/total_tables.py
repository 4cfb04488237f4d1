"""Tables that have only totals: a score or counts of each task, category or system."""

from collections.abc import Sequence
from typing import Any, NoReturn

from errbar.base.remarks import Above, mapping, warning
from errbar.data.columns import (
    ANSWERS,
    COUNTERS,
    PARTS,
    RESPONSES,
    ROW,
    SCORERS,
    STEPS,
    USUAL,
    named_like,
    plain_name,
)
from errbar.data.engines.duckdb import ALL_ROWS, quoted, text_of
from errbar.data.queries.expressions import FILE, HIDDEN, ID_BY_VALUES, Columns
from errbar.data.readers.tables.id_names import ASKED
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
OUTCOMES = frozenset(
    map(plain_name, ("correct", "is_correct", "score", "reward", "label", "grade", "rating"))
)


def refuse_summary(rows: Any, columns: Columns) -> None:
    """Raise an error for rows that are totals of tasks."""
    question = columns["question"]
    if question == ROW:
        _refuse_single_row(rows, columns)
        _refuse_measures(rows, columns)
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
    if rows.totals(ALL_ROWS)[0] == 1 and plain_name(columns["outcome"]) not in OUTCOMES:
        outcome, choose = columns["outcome"], mapping("question")
        raise NoOutcomes(
            f"it has one row, without the id or the text of a question, and {outcome!r} may be "
            f"that of a whole run. Load the outcome of each question; if the row is a question, "
            f"say which column names it with {choose}."
        )


def _refuse_measures(rows: Any, columns: Columns) -> None:
    """Raise an error for a row per metric, as of a whole run: no system has two of one metric."""
    names = [name for name in rows.columns if name not in {columns["outcome"], ROW}]
    for name in named_like(names, SCORERS):
        keys = [columns[meaning] for meaning in ("system", "task", "trial") if meaning in columns]
        keys = [*keys, name, *([FILE] if FILE in names else [])]
        number, apart, different = rows.aggregate(
            f"count(*), count(DISTINCT row({', '.join(map(text_of, keys))})), "
            f"count(DISTINCT {text_of(name)})"
        ).fetchall()[0]
        if number == apart and different > 1:
            raise NoOutcomes(
                f"no column has ids of questions, and every row has another {name!r}, so these are "
                f"totals of several measures, and an error bar needs every question. Load the "
                f"outcome of each question; if every {name!r} is a question, use "
                f"{mapping('question', name)}."
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
    free = [name for name in rows.columns if name not in {outcome, ROW, *HIDDEN}]
    is_mean, sizes = plain_name(outcome) in _MEANS, named_like(free, _SIZES)
    if columns["question"] != ROW and ID_BY_VALUES not in columns.guessed:
        ends = plain_name(outcome.rpartition("_")[2]) in _MEANS  # human_accuracy
        return _means_by_id(rows, columns, free) if is_mean or ends else []
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


def _means_by_id(rows: Any, columns: Columns, free: Sequence[str]) -> list[Above]:
    """Warning on an accuracy between 0 and 1 of ids, which one answer has seldom."""
    outcome, question = columns["outcome"], columns["question"]
    texts = [*free, question]
    asked = [name for name in texts if plain_name(name) in map(plain_name, ASKED)]
    if "outcome" not in columns.guessed or asked or named_like(texts, RESPONSES | ANSWERS):
        return []
    value = f"CAST({quoted(outcome)} AS DOUBLE)"
    number, shares = rows.aggregate(
        f"count(*), count(*) FILTER ({value} > 0 AND {value} < 1)"
    ).fetchall()[0]
    if 2 * shares <= number:
        return []
    return [
        warning(
            f"{outcome!r} is a share in {shares} of {number} rows. If a row is the mean of a "
            f"{question!r} with many questions, these are totals, which have no error bar: load "
            f"the outcome of each question."
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
