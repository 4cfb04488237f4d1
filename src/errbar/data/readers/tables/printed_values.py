"""Numbers, lists and objects that are stored as text.

Numbers may have a decimal comma or a percent sign; lists and objects are JSON, or as Python and
NumPy print them.
"""

import json
import re
from ast import literal_eval
from typing import Any

import numpy as np

from errbar.base.remarks import Above, guess, mapping, warning
from errbar.data.columns import plain_name
from errbar.data.engines.duckdb import quoted
from errbar.data.outcome_words import is_outcome
from errbar.data.readers.documents import parse
from errbar.errors import InputError

_OUTCOME_OR_ANSWER = frozenset({"result"})


def parse_columns(flat: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Parse columns of JSON text; leave others unchanged."""
    return {name: _from_text(column) for name, column in flat.items()}


_ARRAY = re.compile(r"\s*\[\s*-?[\d.]+([eE][-+]?\d+)?(\s+-?[\d.]+([eE][-+]?\d+)?)*\s*\]\s*")
_NUMBERS = re.compile(r"(?<=[\d.])\s+(?=[-\d.])")  # between the numbers of [1 0 1]


def _from_text(column: list[Any]) -> list[Any]:
    filled = (value for value in column if value is not None and (type(value) is not str or value))
    first = next(filled, None)
    if isinstance(first, np.ndarray):
        return [value.tolist() if isinstance(value, np.ndarray) else value for value in column]
    if not isinstance(first, str) or not first.lstrip().startswith(("[", "{")):
        return column
    return [_json_in(value) for value in column]


def _json_in(value: Any) -> Any:
    """Parse JSON, or a list or object as Python or NumPy prints it; keep other text."""
    if not isinstance(value, str):
        return value
    text = _NUMBERS.sub(", ", value) if _ARRAY.fullmatch(value) else value
    for read in (parse, literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list | dict) else value
    return value


def answers_as_text(flat: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Turn lists under `result` into text if they are answers, as of an agent.

    The entries of lists of outcomes are trials. A `result` may as well be what was answered, and is
    if an entry is no outcome from 0 to 1.
    """
    found = {
        name: [json.dumps(value) if isinstance(value, list) else value for value in column]
        for name, column in flat.items()
        if plain_name(name.rpartition(".")[2]) in _OUTCOME_OR_ANSWER and _are_answers(column)
    }
    return flat | found


def _are_answers(column: list[Any]) -> bool:
    """Whether lists have plain entries, of which some are no outcomes."""
    if not all(value is None or isinstance(value, list) for value in column):
        return False
    entries = [entry for value in column for entry in value or ()]
    plain = not any(isinstance(entry, list | dict) for entry in entries)
    return plain and not all(map(is_outcome, entries))


def number_in_text(rows: Any, column: str, meaning: str) -> tuple[list[str], list[Above]]:
    """SQL for a column of numbers that were read as text, and remarks.

    Other text is refused as a cost. A confidence in words stays as it is, since only rankings need
    it, and so does a weight, whose question is named where weights are checked.
    """
    name = quoted(column)
    text = f"nullif(trim({name}), '')"
    number = f"TRY_CAST({text} AS DOUBLE)"
    share = (
        f"CASE WHEN ends_with({text}, '%') THEN TRY_CAST(rtrim({text}, '% ') AS DOUBLE) / 100 END"
    )
    strange = f"{text} IS NOT NULL AND {number} IS NULL"
    found, words, shares, numbers = rows.aggregate(
        f"any_value({name}) FILTER ({strange}), count(*) FILTER ({strange} AND {share} IS NULL), "
        f"count({share}), count({number})"
    ).fetchall()[0]
    if found is None:
        return [f"CAST({text} AS DOUBLE) AS {name}"], []
    if meaning in ("weight", "confidence") and not words and not numbers:
        confidences = guess(f"Confidences: {shares} of them are percentages")
        weights = guess(f"Weights: {shares} of them are percentages")
        return [f"{share} AS {name}"], [weights if meaning == "weight" else confidences]
    if meaning == "weight":
        return [], []
    if meaning == "confidence":
        return [], [
            warning(
                f"The confidence in column {column!r} must be a number; found {found!r}. Scores do "
                f"not need it; rankings by confidence, as of selective and roc, do."
            )
        ]
    raise InputError(
        f"the {meaning} in column {column!r} must be a number; found {found!r}. Write it "
        f"as a number, or leave the column out: {mapping(meaning, '')}."
    )


def with_decimal_points(rows: Any, name: str, words: str) -> tuple[Any, list[Above]]:
    """Replace decimal commas by points; 1,000 may be a thousand and is left unchanged."""
    text = f"trim({quoted(name)})"
    has_comma = f"regexp_full_match({text}, '[-+]?[0-9]*,[0-9]+ ?%?')"
    is_sure = f"NOT regexp_full_match({text}, '[-+]?[1-9][0-9]{{0,2}},[0-9]{{3}}')"
    point = f"TRY_CAST({text} AS DOUBLE) IS NOT NULL AND contains({text}, '.')"
    conditions = (has_comma, f"{has_comma} AND {is_sure}", point)
    counts = ", ".join(f"count(*) FILTER ({condition})" for condition in conditions)
    commas, sure, points = rows.aggregate(counts).fetchall()[0]
    if not sure or points:
        return rows, []
    value = f"CASE WHEN {has_comma} THEN replace({text}, ',', '.') ELSE {quoted(name)} END"
    remark = guess(f"{words}: {commas} of them are written with a decimal comma")
    return rows.project(f"* REPLACE ({value} AS {quoted(name)})"), [remark]
