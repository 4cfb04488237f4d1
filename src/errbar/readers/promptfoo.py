"""Outputs of promptfoo: JSON, or a result per line.

A repeat has a test index of its own, so the index does not say which question it is: tests with the
same description, variables and assertions are. A system is a provider, with a prompt if there are
several. A result that failed without being graded is an error.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.readers.base import (
    Choice,
    Glance,
    Log,
    Reader,
    claim_means_over_rows,
    pick,
    picked_remark,
)
from errbar.readers.documents import (
    lines,
    list_in,
    number_or_none,
    object_in,
    object_of,
    require_list,
    require_object,
    text_or_none,
)

_SUCCESS, _SCORE = "success", "score"
_ERROR = 2  # the reason of a failure that is no wrong answer
_INSIDE = re.compile(r'"results"\s*:\s*\{\s*"version"\s*:\s*\d')
_LONGEST = 60

_Rows = list[tuple[str, dict[str, Any]]]  # where a result stands, and the result


def _recognise(glance: Glance) -> str:
    if glance.shape == "object" and glance.has("results") and _INSIDE.search(glance.text):
        return "a JSON document with results that have a version"
    if glance.shape in ("lines", "object") and glance.has(
        "promptIdx", "testIdx", "provider", _SUCCESS
    ):
        return "its lines have promptIdx, testIdx, provider and success"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    trials: Counter[tuple[str, str, str]] = Counter()
    runs = [(path, *_results(path)) for path in files]
    rows = [row for _, results, _ in runs for _, row in results]
    scorers = list(dict.fromkeys([_SUCCESS, _SCORE, *(one for row in rows for one in _named(row))]))
    scorer = pick(choice.scorer, scorers, "score", str(files[0]))
    log.remarks += picked_remark(scorer, scorers, "the score", "scorer")
    systems = _systems(rows)
    questions = _questions(rows)
    claims: dict[tuple[str, str], list[Claim]] = {}
    for path, results, told in runs:
        task = text_or_none(object_in(told, "config").get("description")) or ""
        earlier = {key[:2] for key in trials}
        stated = {_by(row): systems[_by(row)] for _, row in results}
        for _, row in sorted(results, key=lambda one: _index(one[1])):
            key = (systems[_by(row)], task, questions[_test(row)])
            _add(log, row, key, scorer, trials[key])
            trials[key] += 1
        for system in dict.fromkeys(stated.values()):
            again = (system, task) in earlier
            claims[system, task] = (
                [] if again else list(_claims(told, stated, system, task, scorer))
            )
            if again:
                log.remarks.append(f"{path}: its results are further trials of {system}.")
    claim_means_over_rows(log, [claim for of_one in claims.values() for claim in of_one])
    return log


def _results(path: Path) -> tuple[_Rows, dict[str, Any]]:
    """Results, and the document that they stand in."""
    told: dict[str, Any] = {}
    if Glance(path).has("promptIdx"):
        rows = [(f"{path}, line {at}", row) for at, row in lines(path)]
    else:
        told = object_of(path)
        inside = require_object(told.get("results"), f"{path}, results")
        found = require_list(inside.get("results"), f"{path}, results.results")
        places = [f"{path}, results.results[{at}]" for at in range(len(found))]
        rows = [(at, require_object(one, at)) for at, one in zip(places, found, strict=True)]
    for place, row in rows:
        if not isinstance(row.get("testCase"), dict):
            require_object(row.get("vars"), f"{place}, vars")
    return rows, told


def _add(log: Log, row: Mapping[str, Any], key: tuple[str, str, str], scorer: str, at: int) -> None:
    value = row.get(scorer) if scorer in (_SUCCESS, _SCORE) else _named(row).get(scorer)
    outcome = number_or_none(value)
    log.add(
        system=key[0],
        task=key[1],
        question=key[2],
        trial=at,
        outcome=outcome,
        status="error" if _has_failed(row) else "unscored" if outcome is None else "ok",
        answer=text_or_none(object_in(row, "response").get("output")),
        cost=number_or_none(row.get("cost")),
    )


def _has_failed(row: Mapping[str, Any]) -> bool:
    """Whether a result has no grade, because something went wrong before."""
    if "failureReason" in row:
        return row["failureReason"] == _ERROR
    return bool(row.get("error")) and not row.get("gradingResult")


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    return object_in(row, "namedScores")


def _index(row: Mapping[str, Any]) -> int:
    index = row.get("testIdx")
    return index if isinstance(index, int) else 0


def _by(row: Mapping[str, Any]) -> tuple[str, str]:
    """The provider and the prompt of a result."""
    provider, prompt = row.get("provider"), row.get("prompt")
    named = provider if isinstance(provider, dict) else {"id": provider}
    asked = prompt if isinstance(prompt, dict) else {"raw": prompt}
    text = next((asked[key] for key in ("label", "display", "raw") if asked.get(key)), "")
    return str(named.get("label") or named.get("id") or ""), str(text)


def _systems(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], str]:
    """Names of providers, with their prompt where there is more than one."""
    found = list(dict.fromkeys(map(_by, rows)))
    prompts = list(dict.fromkeys(prompt for _, prompt in found))
    if len(prompts) < 2:
        return {one: one[0] for one in found}
    named = {
        prompt: prompt if len(prompt) <= _LONGEST else f"prompt {at + 1}: {prompt[:_LONGEST]}…"
        for at, prompt in enumerate(prompts)
    }
    return {(provider, prompt): f"{provider} ({named[prompt]})" for provider, prompt in found}


def _test(row: Mapping[str, Any]) -> str:
    """What makes a question, as text: results that have it in common are trials of one."""
    case = row.get("testCase")
    held = case if isinstance(case, dict) else {"vars": row.get("vars")}
    made_of = {key: held.get(key) for key in ("description", "vars", "assert")}
    return json.dumps(made_of, sort_keys=True, default=str)


def _questions(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Names of questions: their description or variables, numbered where that is not enough."""
    names: dict[str, str] = {}
    taken: Counter[str] = Counter()
    for row in sorted(rows, key=_index):
        test = _test(row)
        if test in names:
            continue
        made_of = json.loads(test)
        told = made_of["vars"] if isinstance(made_of["vars"], dict) else {}
        variables = ", ".join(f"{key}={text_or_none(value)}" for key, value in told.items())
        name = str(made_of["description"] or variables or "test")
        taken[name] += 1
        names[test] = name if taken[name] == 1 else f"{name} ({taken[name]})"
    return names


def _claims(
    told: Mapping[str, Any],
    stated: Mapping[tuple[str, str], str],
    system: str,
    task: str,
    scorer: str,
) -> Iterator[Claim]:
    """How many tests passed, and means of named scores, which leave errors out."""
    for prompt in list_in(object_in(told, "results"), "prompts"):
        metrics = prompt.get("metrics") if isinstance(prompt, dict) else None
        if not isinstance(metrics, dict) or stated.get(_by({**prompt, "prompt": prompt})) != system:
            continue
        counts = [metrics.get(f"test{kind}Count") for kind in ("Pass", "Fail", "Error")]
        numbers = [number_or_none(count) or 0.0 for count in counts]
        if scorer == _SUCCESS and sum(numbers) > 0:
            yield Claim("share of tests passed", numbers[0] / sum(numbers), "avg", system, task)
        total, rows = (
            number_or_none(object_in(metrics, key).get(scorer))
            for key in ("namedScores", "namedScoresCount")
        )
        if scorer not in (_SUCCESS, _SCORE) and total is not None and rows:
            yield Claim(f"mean {scorer}", total / rows, "avg", system, task, "missing")


READER = Reader("promptfoo", _recognise, _read)
