"""CSV output of promptfoo: a row per test with the results of each prompt and provider.

    n,[strong] Twice {{n}}?,Status,Score,Named Scores,Metric: exact,Grader Reason,Comment
    1,2,PASS,1.00,"{""exact"":1}",1.00,All assertions passed,

is written by 0.120 and later, with a group of columns per prompt and provider. Earlier versions,
and the web page up to 0.118, have a single column for each, which starts with the verdict:

    n,[strong] Twice {{n}}?
    1,"[PASS] (1.00, exact: 1.00)

    2

    Pass Reason: All assertions passed"

Scores have two decimals in both. In the earlier form the answer cannot be separated from the
reasons around it and is not read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.readers.base import Glance
from errbar.data.readers.exports import cells, value_of
from errbar.errors import InputError

_STATUS, _SCORE, _NAMED = "Status", "Score", "Named Scores"
_ASIDE = ("Grader Reason", "Comment")
_DESCRIPTION = "Description"
_OUTPUT = re.compile(r"\[([^\]]+)\] (.*)", re.DOTALL)
_NUMBER = r"-?\d+(?:\.\d+)?"
_VERDICT = re.compile(
    rf"\[(PASS|FAIL|ERROR)\](?: \(({_NUMBER})((?:, [^\n]+?: {_NUMBER})*)\)(?=\s|\Z))?"
)
_NAMED_SCORE = re.compile(rf", (.+?): ({_NUMBER})(?=, |\Z)")
_SOME_VERDICT = re.compile(r'(?:^|[,\n])"?\[(?:PASS|FAIL|ERROR)\] ')
_REASONS = {"PASS": 0, "FAIL": 1, "ERROR": 2}
_SHORT = "rows with fewer cells than columns, which do not say whose result is missing"
_EMPTY = "cells without a result"

CellResult = dict[str, Any]


class _Group(NamedTuple):
    """Columns of the results of one prompt and provider."""

    provider: str
    prompt: str
    at: int
    status: int | None = None  # None if the verdict is part of the output
    score: int | None = None
    named: int | None = None


def recognise_table(glance: Glance) -> str:
    """Reason a CSV file is recognised as promptfoo's; empty if it is not."""
    groups = _groups(glance.columns)
    if not groups:
        return ""
    if groups[0].status is not None:
        return "a CSV file with Status, Score and Named Scores after an output"
    if _SOME_VERDICT.search(glance.text):
        return "a CSV file whose cells begin with [PASS], [FAIL] or [ERROR]"
    return ""


def results_of_table(path: Path) -> Iterator[CellResult | str]:
    """Each result in the JSON form, or the reason it is left out."""
    found = cells(path)
    _, columns = next(found, (1, []))
    groups = _groups(columns)
    if not groups:
        raise InputError(f"{path}, line 1: no column has a name like '[provider] prompt'.")
    variables = _variables(columns, groups)
    for test, (line, row) in enumerate(found):
        where = f"{path}, line {line}"
        if len(row) > len(columns):
            raise InputError(f"{where}: there are {len(row)} cells, but {len(columns)} columns.")
        if len(row) < len(columns):
            for _ in range(max(1, len(row) - len(variables))):
                yield _SHORT
            continue
        values = {columns[at]: row[at] for at in variables}
        case = {"description": values.pop(_DESCRIPTION, None), "vars": values}
        for at, group in enumerate(groups):
            result = _result(row, group, where)
            if isinstance(result, dict):
                result["provider"] = group.provider
                result["prompt"] = {"label": group.prompt}
                result |= {"promptIdx": at, "testIdx": test, "testCase": case}
            yield result


def _groups(columns: Sequence[str]) -> list[_Group]:
    """Output columns followed by a status; if there are none, all that name a provider."""
    groups = []
    for at, name in enumerate(columns):
        if tuple(columns[at + 1 : at + 3]) == (_STATUS, _SCORE):
            named = at + 3 if tuple(columns[at + 3 : at + 4]) == (_NAMED,) else None
            groups.append(_Group(*_provider_and_prompt(name), at, at + 1, at + 2, named))
    return groups or [
        _Group(*_provider_and_prompt(name), at)
        for at, name in enumerate(columns)
        if _OUTPUT.fullmatch(name)
    ]


def _provider_and_prompt(name: str) -> tuple[str, str]:
    found = _OUTPUT.fullmatch(name)
    return (found.group(1), found.group(2)) if found else ("", name)


def _variables(columns: Sequence[str], groups: Sequence[_Group]) -> list[int]:
    """Columns of the test: those before the outputs, and in the earlier form all others."""
    if groups[0].status is not None:
        return list(range(groups[0].at))
    outputs = {group.at for group in groups}
    return [at for at, name in enumerate(columns) if at not in outputs and name not in _ASIDE]


def _result(row: Sequence[str], group: _Group, where: str) -> CellResult | str:
    """A verdict with its scores, or the reason there is none."""
    if group.status is None or group.score is None:
        return _verdict(row[group.at], where)
    status = row[group.status].strip()
    if not status:
        return _EMPTY
    if status not in _REASONS:
        raise InputError(f"{where}: a status is PASS, FAIL or ERROR; this is {status[:60]!r}.")
    named = value_of(row[group.named]) if group.named is not None else None
    return {
        "success": status == "PASS",
        "failureReason": _REASONS[status],
        "score": _number(row[group.score]),
        "namedScores": named if isinstance(named, Mapping) else {},
        "response": {"output": row[group.at]},
    }


def _verdict(cell: str, where: str) -> CellResult | str:
    if not cell.strip():
        return _EMPTY
    found = _VERDICT.match(cell)
    if not found:
        raise InputError(
            f"{where}: a result must start with [PASS], [FAIL] or [ERROR]; found {cell[:60]!r}."
        )
    word, score, named = found.groups()
    return {
        "success": word == "PASS",
        "failureReason": _REASONS[word],
        "score": _number(score or ""),
        "namedScores": {name: float(value) for name, value in _NAMED_SCORE.findall(named or "")},
    }


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
