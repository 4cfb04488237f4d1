"""Words of statuses, as the statuses that errbar knows: ok, error, timeout, limit, unscored."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import narwhals.stable.v2 as nw

from errbar.base.remarks import Above, some_of, warning, way_to_say
from errbar.data.columns import STATUSES, plain_name
from errbar.data.engines.duckdb import quoted, text_literal
from errbar.data.queries.expressions import Columns, Frame, fetch, one_if, result_of, status_of

_WRITTEN = {
    "ok": (
        *("ok", "okay", "success", "succeeded", "successful", "completed", "complete", "done"),
        *("finished", "passed", "pass", "scored", "graded", "valid", "normal", "stop", "200"),
        *("correct", "incorrect", "right", "wrong", "solved", "unsolved", "resolved", "unresolved"),
    ),
    "error": ("error", "errored", "err", "exception", "crashed", "crash", "invalid"),
    "timeout": ("timeout", "timed out", "time out", "time limit", "deadline exceeded"),
    "limit": (
        *("limit", "max tokens", "token limit", "length", "truncated", "context limit"),
        *("message limit", "limit reached", "limit exceeded"),
    ),
    "missing": ("missing", "not found", "no result", "absent"),
    "failed": ("failed", "fail", "failure"),
    "abstained": ("abstained", "abstain", "abstention", "refused", "refusal", "no answer"),
    "unscored": (
        *("unscored", "not scored", "ungraded", "not graded", "unevaluated", "pending"),
        *("judge error", "judge failed", "grader error", "grading error", "scoring error"),
    ),
}
USUAL_STATUSES = MappingProxyType(
    {plain_name(word): status for status, words in _WRITTEN.items() for word in words}
)


def with_usual_statuses(
    rows: Any, columns: Columns, assignment: Collection[str]
) -> tuple[Any, list[Above]]:
    """Translate the statuses of rows in DuckDB by the rule of `_meanings_of_words`.

    A row whose outcome is above 0 is not missing: `not_found` may be what an answer says.
    """
    if "status" not in columns:
        return rows, []
    name, outcome = columns["status"], f"CAST({quoted(columns['outcome'])} AS DOUBLE)"
    text = f"CAST({quoted(name)} AS VARCHAR)"
    lost = f"count(*) - count({outcome})"
    found = rows.aggregate(f"{text} AS word, count(*) AS n, {lost} AS lost", text).fetchall()
    known, remarks = _meanings_of_words(found, columns, "status" in assignment)
    if not known:
        return rows, remarks
    absent = [word for word, status in known.items() if status == "missing"]
    given = f"{text} IN ({', '.join(map(text_literal, absent)) or 'NULL'}) AND {outcome} > 0"
    number, mean, rest = rows.aggregate(
        f"count(*) FILTER ({given}), avg({outcome}), "
        f"avg(CASE WHEN {given} THEN 0 ELSE {outcome} END)"
    ).fetchall()[0]
    cases = " ".join(
        f"WHEN {text} = {text_literal(word)} THEN "
        f"{'NULL' if status is None else text_literal(status)}"
        for word, status in known.items()
    )
    value = f"CASE WHEN {given} THEN NULL {cases} ELSE {text} END"
    rows = rows.project(f"* REPLACE ({value} AS {quoted(name)})")
    if number:
        remarks = [*remarks, _of_answers(name, absent, number, mean, rest)]
    return rows, remarks


def _of_answers(name: str, words: list[str], number: int, mean: float, rest: float) -> Above:
    """Warning on rows without a result by a word that may be that of an answer."""
    return warning(
        f"{number} rows are {some_of(words)} in {name!r} and have an outcome above 0, which counts "
        f"(mean of all rows {mean:.4g}, {rest:.4g} if these are wrong). If they have no result, "
        f"empty their outcomes."
    )


def with_usual_statuses_in(
    frame: Frame, columns: Columns, assignment: Collection[str]
) -> tuple[Frame, list[Above]]:
    """Translate the statuses of a table that stays where it is, such as in Spark, by that rule."""
    if "status" not in columns:
        return frame, []
    named = {meaning: name for meaning, name in columns.named.items() if meaning != "status"}
    outcome = result_of(frame, replace(columns, named=MappingProxyType(named)))
    status = status_of(frame, columns)
    words = frame.select(word=status, lost=one_if(outcome.is_null())).group_by("word")
    table = fetch(words.agg(nw.len().alias("n"), nw.col("lost").sum().alias("lost")))
    found = zip(*(table[name].tolist() for name in ("word", "n", "lost")), strict=True)
    known, remarks = _meanings_of_words(found, columns, "status" in assignment)
    if not known:
        return frame, []
    value = status
    for word, translation in known.items():
        value = nw.when(status == word).then(nw.lit(translation, nw.String)).otherwise(value)
    return frame.with_columns(value.alias(columns["status"])), remarks


def _meanings_of_words(
    counted: Iterable[tuple[Any, int, int]], columns: Columns, is_mapped: bool
) -> tuple[dict[str, str | None], list[Above]]:
    """What words of a status mean, given the rows of each word and those without an outcome.

    Unknown words mean nothing if every row with one has an outcome. Otherwise, and in a column that
    is mapped, they are kept, and are an error later.
    """
    found = {w: (int(n), int(lost)) for w, n, lost in counted if w and isinstance(w, str)}
    known = {word: USUAL_STATUSES.get(plain_name(word)) for word in set(found) - set(STATUSES)}
    strange = sorted(word for word, status in known.items() if status is None)
    can_go = not is_mapped and not any(found[word][1] for word in strange)
    known = {word: status for word, status in known.items() if status is not None or can_go}
    if not (strange and can_go):
        return known, []
    listed = some_of([f"{word!r} ({found[word][0]})" for word in strange], 4)
    ignore = way_to_say("--map status=", "status=None")
    return known, [
        warning(
            f"{columns['status']!r} has words that are no known status: {listed}. These rows count "
            f"by {columns['outcome']!r}, which all of them have; {ignore} leaves the column out."
        )
    ]
