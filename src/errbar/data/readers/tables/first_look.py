"""What most checks of a table need, computed in one scan each: samples, texts and totals."""

from errbar.data.columns import ROW
from errbar.data.engines.duckdb import ALL_ROWS, Query, distinct_rows, numbers_in
from errbar.data.engines.flat_files import Relation
from errbar.data.queries.expressions import Columns
from errbar.data.readers.file_formats import PARQUET, kind_of
from errbar.data.readers.finding import size_of_all
from errbar.data.readers.tables.competing_outcomes import free_columns
from errbar.data.readers.tables.conditions import condition_candidates
from errbar.data.readers.tables.id_check import are_sentences, other_ids
from errbar.data.readers.tables.outcome_text import UnusualText, unusual_texts
from errbar.data.readers.tables.repeated_ids import attempts, number_of_questions, numbered_rows
from errbar.data.readers.tables.summaries import doubtful_ids

# Larger files were not edited by hand, and have no totals. To group ten million rows by question,
# as the checks do, takes as long as to score them.
_WRITTEN_BY_HAND = 1 << 28  # bytes
_MOST_ROWS = 10_000_000  # of Parquet, which is ten times as dense as text, and says its length


def why_too_large(relation: Relation) -> str:
    """Reason a table is not checked any further; empty if it is."""
    if size_of_all(relation.files) > _WRITTEN_BY_HAND:
        return f"The files have more than {_WRITTEN_BY_HAND >> 20} MB"
    if all(kind_of(file) == PARQUET for file in relation.files) and (
        relation.rows.totals(ALL_ROWS)[0] > _MOST_ROWS
    ):
        return f"The table has more than {_MOST_ROWS:,} rows"
    return ""


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
        if not has_trials or "system" in columns:  # else no check asks for them
            _, texts = other_ids(free_columns(rows.columns, columns))
            wanted += map(are_sentences, texts)
    if "system" in columns:
        wanted.append(distinct_rows([columns["system"]]))
    rows.totals(*wanted)
