"""Rows that another column marks as failed or excluded, while they have an outcome that counts."""

from typing import Any

from errbar.base.remarks import Above, warning
from errbar.data.columns import named_like, plain_name
from errbar.data.engines.duckdb import quoted, text_literal, text_of
from errbar.data.queries.expressions import Columns
from errbar.data.readers.tables.competing_outcomes import free_columns

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
