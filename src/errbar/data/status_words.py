"""Words for the status of a row, as people write them: OK, Timed Out, completed, exception."""

from types import MappingProxyType
from typing import Any

from errbar.data.column_names import plain_name
from errbar.data.engine import quoted, text_literal
from errbar.data.outcomes import STATUSES

_WRITTEN = {
    "ok": (
        *("ok", "okay", "success", "succeeded", "successful", "completed", "complete", "done"),
        *("finished", "passed", "pass", "scored", "graded", "valid", "normal", "stop", "200"),
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
    "unscored": ("unscored", "not scored", "ungraded", "not graded", "unevaluated", "pending"),
}
USUAL_STATUSES = MappingProxyType(
    {plain_name(word): status for status, words in _WRITTEN.items() for word in words}
)


def with_usual_statuses(rows: Any, name: str) -> Any:
    """Statuses by errbar's own words, where all that occur are usual; others as they are."""
    text = f"CAST({quoted(name)} AS VARCHAR)"
    found = [word for (word,) in rows.project(f"{text} AS word").distinct().fetchall() if word]
    if not set(found) - set(STATUSES):
        return rows
    cases = " ".join(
        f"WHEN {text} = {text_literal(word)} THEN {text_literal(USUAL_STATUSES[plain_name(word)])}"
        for word in found
        if plain_name(word) in USUAL_STATUSES
    )
    return (
        rows.project(f"* REPLACE (CASE {cases} ELSE {text} END AS {quoted(name)})")
        if cases
        else rows
    )
