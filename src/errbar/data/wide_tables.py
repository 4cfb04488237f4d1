"""Wide tables: a column for each system, or for each trial → a row for each outcome."""

import re
from collections.abc import Sequence
from typing import Any

from errbar.data.outcome_words import NOTHING, is_outcome
from errbar.data.outcomes import INDEX, ROW, Columns
from errbar.data.rows import HIDDEN
from errbar.errors import InputError
from errbar.remarks import Above, guess, warning, way_to_say

Flat = dict[str, list[Any]]

_LOOKED_AT = 500  # rows that say what a column holds
# Columns of these names with a number are trials of one system, not systems.
_TRIAL_NAME = re.compile(
    r"(trial|run|attempt|sample|epoch|seed|rep|repeat|repetition|try|rollout|r|t)[\s_.-]*\d+",
    re.IGNORECASE,
)
# Objects of these names hold the scores of one response, a key for each metric.
METRICS = frozenset(
    {
        *("score", "scores", "metric", "metrics", "grade", "grades", "grading", "graders"),
        *("eval", "evals", "evaluation", "evaluations", "feedback", "judge", "judges"),
        *("judgment", "judgments", "judgement", "judgements", "rewards", "scorers"),
    }
)
_RESPONSE = frozenset(
    {
        *("response", "responses", "output", "outputs", "prediction", "predictions", "pred"),
        *("completion", "generation", "generated_text", "model_output", "model_response"),
        *("model_answer", "actual_output"),
    }
)


def melted(flat: Flat, columns: Columns) -> tuple[Flat, Above] | None:
    """A row for each question and system of a table that has a column for each system.

    `columns` says what the other columns hold.
    """
    taken = set(columns.named.values())
    wide = [
        name
        for name, column in flat.items()
        if name not in taken | HIDDEN and _is_wide(column[:_LOOKED_AT], column)
    ]
    rows = len(flat[wide[0]]) if wide else 0
    if len(wide) < 2 or (columns["question"] == ROW and rows < 2):
        return None
    kept = {name: column for name, column in flat.items() if name not in wide}
    meaning = _meaning_of(wide, columns, rows)
    if meaning == "system":
        _refuse_metrics(wide, flat)
    if columns["question"] == ROW and meaning != "question":
        kept["question"] = [str(at + 1) for at in range(rows)]
    found = {name: column * len(wide) for name, column in kept.items()}
    found[meaning] = [name for name in wide for _ in range(rows)]
    found["outcome"] = [value for name in wide for value in flat[name]]
    unused = [name for name in kept if name not in taken | HIDDEN | {"question"}]
    said = f"; not used: {listed(unused)}" if unused else ""
    doubtful = [name for name in unused if _may_be_wide(flat[name])]
    if doubtful:
        return found, warning(
            f"wide table: {len(wide)} columns are {meaning}s ({listed(wide)}). Not used, though "
            f"most of what they hold are outcomes: {listed(doubtful)}."
        )
    if columns["question"] == ROW and meaning != "question":
        said += "; no column names the questions, so every row is one"
    return found, guess(
        f"Wide table: {len(wide)} columns are {meaning}s ({listed(wide)}){said}",
        option="--map outcome=COLUMN",
        argument="outcome=...",
    )


def _meaning_of(wide: Sequence[str], columns: Columns, rows: int) -> str:
    """What the columns of a wide table are: trials, systems, or questions of systems in rows."""
    if all(_TRIAL_NAME.fullmatch(name.strip()) for name in wide):
        return "trial"
    if "system" in columns:
        if columns["question"] == ROW:
            return "question"
        raise InputError(
            f"there is a column for each of {listed(wide)}, and {columns['system']!r} names "
            f"systems too; say which column is the outcome with "
            f"{way_to_say('--map outcome=COLUMN', 'outcome=COLUMN')}."
        )
    if columns["question"] == INDEX and len(wide) > rows:
        raise InputError(
            f"the table has {rows} rows and {len(wide)} columns of outcomes, and nothing says "
            f"which of them are systems. Name the first column question or system."
        )
    return "system"


def _refuse_metrics(wide: Sequence[str], flat: Flat) -> None:
    """Refuse columns that score one response of a row: those are no systems."""
    map_it = way_to_say("--map outcome=COLUMN", "outcome='COLUMN'")
    parents = {name.partition(".")[0].lower() for name in wide if "." in name}
    if parents & METRICS:
        raise InputError(
            f"every row has {len(wide)} scores ({listed(wide)}); say which of them is the outcome "
            f"with {map_it}."
        )
    response = next((name for name in flat if name.lower() in _RESPONSE), None)
    if response is not None:
        raise InputError(
            f"every row has one {response!r}, so that {listed(wide)} may be scores of it rather "
            f"than systems. Say which of them is the outcome with {map_it}; if they are systems, "
            f"leave out the column {response!r}."
        )


def _is_wide(sample: Sequence[Any], column: Sequence[Any]) -> bool:
    """Whether a column holds outcomes of 0 to 1 and something else than nothing."""
    if not all(map(is_outcome, sample)):
        return False
    return all(map(is_outcome, column)) and any(
        value is not None and str(value).strip().lower() not in NOTHING for value in column
    )


def _may_be_wide(column: Sequence[Any]) -> bool:
    """Whether most values of a column are outcomes of 0 to 1, though not all."""
    some = [one for one in column if one is not None and str(one).strip().lower() not in NOTHING]
    return 2 * sum(map(is_outcome, some)) > len(some)


def listed(names: Sequence[str]) -> str:
    """Names in words, the first of many."""
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
