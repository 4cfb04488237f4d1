"""What most checks of a table need, computed in one scan each: samples, texts and totals."""

from errbar.data.columns import ROW
from errbar.data.engines.duckdb import ALL_ROWS, Query, distinct_rows, numbers_in
from errbar.data.queries.expressions import Columns
from errbar.data.readers.tables.competing_outcomes import free_columns
from errbar.data.readers.tables.conditions import condition_candidates
from errbar.data.readers.tables.id_check import are_sentences, other_ids
from errbar.data.readers.tables.outcome_text import UnusualText, unusual_texts
from errbar.data.readers.tables.repeated_ids import attempts, number_of_questions, numbered_rows
from errbar.data.readers.tables.summaries import doubtful_ids


def texts_of_outcome(rows: Query, columns: Columns) -> list[UnusualText] | None:
    """Texts of the outcome that are not numbers; None if there are many, or none can be."""
    is_text = "outcome" in columns and rows.schema[columns["outcome"]] == "VARCHAR"
    return unusual_texts(rows, columns["outcome"]) if is_text else None


def look_once(rows: Query, columns: Columns) -> None:
    """Compute in a single scan the totals that most of the checks of a table need."""
    wanted = [ALL_ROWS, numbers_in(columns["outcome"])]
    if columns["question"] != ROW:
        wanted.append(doubtful_ids(rows, columns))
        has_trials, has_more = "trial" in columns, bool(condition_candidates(rows, columns))
        if has_trials or has_more:
            wanted.append(number_of_questions(columns))
        if has_trials:
            wanted += [numbered_rows(rows, columns), *attempts(columns)]
        _, texts = other_ids(free_columns(rows.columns, columns))
        wanted += map(are_sentences, texts)
    if "system" in columns:
        wanted.append(distinct_rows([columns["system"]]))
    rows.totals(*wanted)
