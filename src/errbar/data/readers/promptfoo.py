"""Outputs of promptfoo: JSON of all versions, a result per line, or CSV.

    {"evalId": "…", "results": {"version": 3, "prompts": […], "results": [{"promptIdx": 0,
     "testIdx": 0, "provider": {"id": "…"}, "prompt": {…}, "vars": {…}, "response": {…},
     "success": true, "score": 1, "namedScores": {…}}], "stats": {…}}, "config": {…}}

The return value of `evaluate()` has `version` and `results` at the top level, as in version 1.

Repeats have different test indices, so a question is identified by the description, variables and
assertions of its test. Early versions and CSV files have no assertions. A system is a provider,
with the prompt if there are several. A result that failed without being graded is an error. An
evaluation that is present in several formats is counted once.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from errbar.base.remarks import guess, warning
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    UNSET,
    encoded,
    number_or_none,
    numbers_or_none,
    object_in,
    parse,
    text_or_none,
    texts_or_none,
)
from errbar.data.readers.durations import seconds_of
from errbar.data.readers.log_names import FILES_ARE, runs_apart
from errbar.data.readers.logs import TALLIES, Claim, Log
from errbar.data.readers.promptfoo_runs import (
    PromptfooRun,
    PromptResult,
    PromptRow,
    ProviderPrompt,
    TestCase,
    read_runs,
)
from errbar.data.readers.promptfoo_table import recognise_table

_SUCCESS, _SCORE = "success", "score"
_ERROR = 2  # failure reason of an error, as opposed to a wrong answer
_INSIDE = re.compile(r'"results"\s*:\s*\{\s*"version"\s*:\s*\d')
_AT_THE_TOP = ('"prompt"', '"success"', '"vars"')  # in addition to version and results
_LONGEST = 60
_SIMPLE = frozenset({str, int, float, bool, type(None)})
_written = json.JSONEncoder(sort_keys=True, default=str).encode


def _recognise(glance: Glance) -> str:
    if glance.shape == "object" and glance.has("results") and _INSIDE.search(glance.text):
        return "a JSON document with results that have a version"
    if glance.shape in ("lines", "object") and glance.has(
        "promptIdx", "testIdx", "provider", _SUCCESS
    ):
        return "its lines have promptIdx, testIdx, provider and success"
    if (
        glance.shape == "object"
        and glance.has("version", "results")
        and all(sign in glance.text for sign in _AT_THE_TOP)
    ):
        return "a JSON document with a version and results that have prompt, vars and success"
    return recognise_table(glance) if not glance.shape else ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    trials: Counter[tuple[str, str, str]] = Counter()
    runs = read_runs(files, log)
    results = [result for run in runs for result in run.results]
    names = chain.from_iterable(_named(result.row) for result in results)
    scorers = list(dict.fromkeys([_SUCCESS, _SCORE, *names]))
    scorer = log.choose_scorer(choice.scorer, scorers, "score", str(files[0]))
    by_run = _systems_of_runs(runs, _systems(results), choice)
    tests = {id(result.row): _test(result.row) for result in results}
    questions = _questions(results, tests)
    claims: dict[tuple[str, str], list[Claim]] = {}
    for run in runs:
        task = run.task
        systems = by_run[run.path]
        earlier = {key[:2] for key in trials}
        ordered = sorted(run.results, key=PromptResult.test)
        _add(
            log,
            ordered,
            [systems[result.of] for result in ordered],
            task,
            [questions[tests[id(result.row)]] for result in ordered],
            scorer,
            trials,
        )
        stated = dict(run.prompts())
        for test in dict.fromkeys(result.of for result in run.results):
            system = systems[test]
            again = (system, task) in earlier
            claims[system, task] = list(_claims(stated.get(test, {}), system, task, scorer))
            if again:
                claims[system, task] = []
                log.remarks.append(
                    guess(
                        f"Trials: {run.path}: its results are further trials of {system}",
                        option="--files systems",
                        argument="files='systems'",
                    )
                )
    each = [claim for of_one in claims.values() for claim in of_one]
    log.claim_means_over_rows([claim for claim in each if claim.metric not in TALLIES])
    log.claims += [claim for claim in each if claim.metric in TALLIES]
    log.remarks += _guesses(results, trials)
    return log


def _guesses(results: Sequence[PromptResult], trials: Mapping[Any, int]) -> Iterator[str]:
    bare = sum(
        type(result.row.test_case) is not TestCase or result.row.test_case.assertions is UNSET
        for result in results
    )
    if bare and any(n > 1 for n in trials.values()):
        yield guess(
            f"Questions: {bare} results do not include the assertions of their test; those with "
            f"the same variables are read as trials of one question",
            option="--rows questions",
            argument="rows='questions'",
        )
    numbered = {result.of[:2] for result in results if result.of.rank}
    for provider, _ in sorted(numbered):
        yield warning(
            f"Systems: {provider} occurs more than once for one prompt; each is a separate "
            f"system, numbered in the order of the columns. If they are the same, convert the log "
            f"with errbar convert, and give them one name in the column 'system'."
        )


def _add(
    log: Log,
    results: Sequence[PromptResult],
    systems: Sequence[str],
    task: str,
    questions: Sequence[str],
    scorer: str,
    trials: Counter[tuple[str, str, str]],
) -> None:
    """Add the results of a run, whose trials are numbered after those before."""
    numbers = []
    for key in zip(systems, repeat(task), questions):
        numbers.append(trials[key])
        trials[key] += 1
    rows = [result.row for result in results]
    if scorer in (_SUCCESS, _SCORE):
        outcomes = numbers_or_none([getattr(row, scorer) for row in rows])
    else:
        outcomes = numbers_or_none([_named(row).get(scorer) for row in rows])
    log.extend(
        system=systems,
        task=[task] * len(rows),
        question=questions,
        trial=numbers,
        outcome=outcomes,
        status=[
            "error" if _has_failed(row) else "unscored" if outcome is None else "ok"
            for row, outcome in zip(rows, outcomes, strict=True)
        ],
        answer=texts_or_none([row.output for row in rows]),
        cost=numbers_or_none([row.cost for row in rows]),
        input_tokens=numbers_or_none([row.tokens[0] for row in rows]),
        output_tokens=numbers_or_none([row.tokens[1] for row in rows]),
        seconds=seconds_of([row.latency_ms for row in rows]),
    )


def _has_failed(row: PromptRow) -> bool:
    """Whether a result was not graded because of an error."""
    if row.failure_reason is not UNSET:
        return bool(row.failure_reason == _ERROR)
    return bool(row.error) and not (row.grading_result or row.output)


def _named(row: PromptRow) -> dict[str, Any]:
    return row.named_scores if isinstance(row.named_scores, dict) else {}


def _systems(results: Sequence[PromptResult]) -> dict[ProviderPrompt, str]:
    """Systems are providers, with their prompt if there are several."""
    found = list(dict.fromkeys(result.of for result in results))
    prompts = list(dict.fromkeys(test.prompt for test in found))
    named = {
        prompt: prompt if len(prompt) <= _LONGEST else f"prompt {at + 1}: {prompt[:_LONGEST]}…"
        for at, prompt in enumerate(prompts)
    }
    several = {test[:2] for test in found if test.rank}
    return {
        test: test.provider
        + (f" #{test.rank + 1}" if test[:2] in several else "")
        + (f" ({named[test.prompt]})" if len(prompts) > 1 else "")
        for test in found
    }


def _systems_of_runs(
    runs: Sequence[PromptfooRun], named: Mapping[ProviderPrompt, str], choice: Choice
) -> dict[Path, dict[ProviderPrompt, str]]:
    """Systems of each run; with files='systems', those of several runs get the names of these."""
    found: dict[Path, dict[ProviderPrompt, str]] = {run.path: {} for run in runs}
    subjects: dict[ProviderPrompt, dict[Path, tuple[str, str]]] = {}
    for run in runs:
        for test in dict.fromkeys(result.of for result in run.results):
            subjects.setdefault(test, {})[run.path] = (named[test], run.task)
    for test, of_test in subjects.items():
        for path, system in runs_apart(of_test, choice.files).items():
            found[path][test] = system
    return found


def _test(row: PromptRow) -> bytes:
    """Key of a question as JSON; results with equal keys are trials of one question."""
    case = row.test_case
    if type(case) is not TestCase:
        case = TestCase(vars=row.vars, assertions=None)
    asserted = None if case.assertions is UNSET else case.assertions
    test = {"description": case.description, "vars": case.vars, "assert": asserted}
    try:
        return encoded(test)
    except (ValueError, OverflowError):  # half a character, or an integer of more than 64 bits
        return _written(test).encode()


def _questions(results: Sequence[PromptResult], tests: Mapping[int, bytes]) -> dict[bytes, str]:
    """Names of questions: the description or variables of the test, numbered if not unique."""
    names: dict[bytes, str] = {}
    uses: Counter[str] = Counter()
    for result in sorted(results, key=PromptResult.test):
        test = tests[id(result.row)]
        if test in names:
            continue
        name = _name(result.row, test)
        uses[name] += 1
        names[test] = name if uses[name] == 1 else f"{name} ({uses[name]})"
    return names


def _name(row: PromptRow, test: bytes) -> str:
    """Description of a test, or its listing in the order in which its key has them."""
    case = row.test_case
    if (
        type(case) is TestCase
        and isinstance(case.vars, dict)
        and _are_simple(case.description, case.vars)
    ):
        description, variables = case.description, case.vars
    else:
        made_of = parse(test)
        description, variables = made_of["description"], object_in(made_of, "vars")
    listing = ", ".join([f"{key}={text_or_none(variables[key])}" for key in sorted(variables)])
    return str(description or listing or "test")


def _are_simple(description: Any, variables: Mapping[str, Any]) -> bool:
    """Whether description and variables are the same after they were written and parsed."""
    return _SIMPLE.issuperset(map(type, (description, *variables.values())))


def _claims(prompt: Mapping[str, Any], system: str, task: str, scorer: str) -> Iterator[Claim]:
    """Stated numbers of passed and failed tests, and means of named scores without errors."""
    metrics = object_in(prompt, "metrics")
    counts = [metrics.get(f"test{kind}Count") for kind in ("Pass", "Fail", "Error")]
    numbers = [number_or_none(count) or 0.0 for count in counts]
    if scorer == _SUCCESS and sum(numbers) > 0:
        yield Claim("share of tests passed", numbers[0] / sum(numbers), "avg", system, task)
        yield Claim("tests passed", numbers[0], "right", system, task)
        yield Claim("results", sum(numbers), "rows", system, task)
        if counts[2] is not None:
            yield Claim("errors", numbers[2], "failed", system, task)
    total, rows = (
        number_or_none(object_in(metrics, key).get(scorer))
        for key in ("namedScores", "namedScoresCount")
    )
    if scorer not in (_SUCCESS, _SCORE) and total is not None and rows:
        yield Claim(f"mean {scorer}", total / rows, "avg", system, task, "missing")


READER = Reader(
    "promptfoo",
    ("lines", "object", ""),
    _recognise,
    _read,
    files=FILES_ARE,
    keys=("results", "promptIdx"),
)
