"""Tables of totals: a row for each system and task, with an accuracy. They have no questions.

A task is an id where rows are right or wrong. Where every system has one row per task and the
outcome is a share, the rows sum up questions that are not there, and no error bar can be made.
"""

from typing import Any

from errbar.data.column_names import named_like, plain_name
from errbar.data.engine import quoted
from errbar.data.outcomes import USUAL, Columns
from errbar.errors import NoOutcomes
from errbar.remarks import Above, warning, way_to_say

TASKS = frozenset(map(plain_name, ("task", *USUAL["task"])))
# Names of a share of many questions.
_SHARES = frozenset(
    map(
        plain_name,
        (
            *("accuracy", "acc", "pass@1", "pass_at_1", "em", "exact_match", "f1", "f1_score"),
            *("pass_rate", "success_rate", "solve_rate", "win_rate"),
        ),
    )
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
_FEW = 20  # tasks with a score between 0 and 1 each


def refuse_summary(rows: Any, columns: Columns) -> None:
    """Refuse rows that are totals of tasks."""
    question = columns["question"]
    if "question" not in columns.guessed or plain_name(question) not in TASKS:
        return
    keys = ", ".join(quoted(columns[one]) for one in ("system", "question") if one in columns)
    outcome = f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    number, apart, shares, tasks = rows.aggregate(
        f"count(*), count(DISTINCT ({keys},)), "
        f"count(*) FILTER ({outcome} NOT IN (0, 1)), count(DISTINCT {quoted(question)})"
    ).fetchall()[0]
    if number > apart or 2 * shares <= number:
        return
    sizes = named_like([name for name in rows.columns if name != columns["outcome"]], _SIZES)
    if plain_name(columns["outcome"]) in _SHARES or sizes or tasks < _FEW:
        _refuse(columns["outcome"], question)


def _refuse(outcome: str, question: str) -> None:
    anyway = way_to_say(f"--map question={question}", f"question={question!r}")
    raise NoOutcomes(
        f"it holds only totals: {outcome!r} of each {question!r}, one row each, and no questions "
        f"to make an error bar from. Give the file with the outcome of each question; if every "
        f"{question!r} is a question, say {anyway}."
    )


def counts_of_tasks(columns: Columns) -> list[Above]:
    """What there is to say of counts by task, which may be of questions instead of trials."""
    question = columns["question"]
    if "question" not in columns.guessed or plain_name(question) not in TASKS:
        return []
    return [
        warning(
            f"every {question!r} is taken as a question, and {columns['trials']!r} as its trials. "
            f"If it is a task of so many questions, these are totals, and have no error bar."
        )
    ]
