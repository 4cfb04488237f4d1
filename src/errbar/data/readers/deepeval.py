"""Test runs of deepeval: `test_run_<time>.json`, or the latest run in its hidden folder.

Cases of one name are trials of one question; cases that deepeval numbered itself (`test_case_0`,
`test_case_1` …) are distinguished by their input. A case is right if it passed all its metrics.
With a metric name as the scorer, only its success counts; `name/score` is its number.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess
from errbar.data.readers import documents
from errbar.data.readers.base import Choice, Glance, Reader
from errbar.data.readers.logs import Claim, Log
from errbar.errors import InputError

_SUCCESS = "success"
_CASES = ("testCases", "conversationalTestCases")
_NUMBERED = re.compile(r"(?:conversational_)?test_case_\d+")
_LATEST = "testRunData"


def _recognise(glance: Glance) -> str:
    if glance.has("testCases"):
        totals = {"metricsScores", "testPassed", "testFile"} & glance.keys
        if totals or '"metricsData"' in glance.text:  # totals come after the cases
            return "a JSON document with testCases and their results"
    if glance.has(_LATEST):
        return f"a JSON document with {_LATEST}"
    return ""


class _Metric(NamedTuple):
    """Result of a metric for a case."""

    success: Any
    score: Any
    failed: bool


class _Case(NamedTuple):
    """The fields of a case that are used."""

    question: str
    is_named: bool
    success: Any
    metrics: dict[str, _Metric]
    answer: str | None
    target: str | None
    cost: float | None


class _TestRun(NamedTuple):
    """One file."""

    system: str
    task: str
    cases: list[_Case]
    stated: Mapping[str, Any]  # totals of all cases and of each metric


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = {path: _run(path) for path in files}
    metrics = dict.fromkeys(
        metric for run in runs.values() for case in run.cases for metric in case.metrics
    )
    scorers = list(dict.fromkeys([_SUCCESS, *metrics, *(f"{metric}/score" for metric in metrics)]))
    scorer = log.choose_scorer(choice.scorer, scorers, "metric", str(files[0]), called="score")
    trials: dict[tuple[str, str], Counter[str]] = {}  # of each question
    claims: dict[tuple[str, str], list[Claim]] = {}
    for path, run in runs.items():
        if not run.cases:
            passed, failed = _tests(run)
            said = f", though it says that {passed + failed:g} were run" if passed + failed else ""
            log.skip(path, f"it has no test cases{said}")
            continue
        log.read(path, len(run.cases))
        whose = (run.system, run.task)
        _add(log, run, scorer, trials.setdefault(whose, Counter()))
        if whose in claims:
            log.remarks.append(
                guess(f"Trials: {path}: its cases are read as further trials of the previous run")
            )
        claims[whose] = [] if whose in claims else list(_claims(run, scorer))
    log.claim_means_over_rows([claim for of_one in claims.values() for claim in of_one])
    unnamed = sum(not case.is_named for run in runs.values() for case in run.cases)
    if unnamed:
        log.remarks.append(
            f"{unnamed} cases have no name; those with the same input are trials of one question."
        )
    return log


def _run(path: Path) -> _TestRun:
    document = documents.object_of(path)
    if _LATEST in document:
        document = documents.require_object(document[_LATEST], f"{path}, {_LATEST}")
    model = documents.object_in(document, "hyperparameters").get("model") or document.get(
        "identifier"
    )
    data_set = document.get("datasetAlias") or document.get("testFile")
    stated = {key: document.get(key) for key in ("testPassed", "testFailed", "metricsScores")}
    return _TestRun(str(model or ""), str(data_set or ""), list(_cases(path, document)), stated)


def _cases(path: Path, run: Mapping[str, Any]) -> Iterator[_Case]:
    """Cases of both kinds, single-turn and conversational."""
    for kind in _CASES:
        for at, value in enumerate(documents.require_list(run.get(kind) or [], f"{path}, {kind}")):
            case = (
                value
                if isinstance(value, dict)
                else documents.require_object(value, f"{path}, {kind}[{at}]")
            )
            name = str(case.get("name") or "")
            asked = documents.text_or_none(
                case.get("input") or case.get("scenario") or case.get("turns")
            )
            if not name and not asked:
                raise InputError(f"{path}: a case has neither a name nor an input.")
            numbered = "test_case_" in name and bool(_NUMBERED.fullmatch(name))
            yield _Case(
                asked if asked and (not name or numbered) else name,
                not numbered,
                case.get(_SUCCESS),
                _metrics(case),
                documents.text_or_none(case.get("actualOutput")),
                documents.text_or_none(case.get("expectedOutput")),
                documents.number_or_none(case.get("evaluationCost")),
            )


def _metrics(case: Mapping[str, Any]) -> dict[str, _Metric]:
    """Results of the metrics of a case; a repeated metric name gets a suffix, as in name (2)."""
    found: dict[str, _Metric] = {}
    for metric in documents.list_in(case, "metricsData"):
        if isinstance(metric, dict):
            plain = name = str(metric.get("name"))
            at = 1
            while name in found:
                at += 1
                name = f"{plain} ({at})"
            found[name] = _Metric(
                metric.get(_SUCCESS), metric.get("score"), bool(metric.get("error"))
            )
    return found


def _add(log: Log, run: _TestRun, scorer: str, trials: Counter[str]) -> None:
    """Add a row per case, with trials numbered after earlier ones."""
    size = len(run.cases)
    numbers = []
    for case in run.cases:
        numbers.append(trials[case.question])
        trials[case.question] += 1
    judged = [_judged(case, scorer) for case in run.cases]
    log.extend(
        system=[run.system] * size,
        task=[run.task] * size,
        question=[case.question for case in run.cases],
        trial=numbers,
        outcome=[outcome for outcome, _ in judged],
        status=[status for _, status in judged],
        answer=[case.answer for case in run.cases],
        target=[case.target for case in run.cases],
        cost=[case.cost for case in run.cases],
    )


def _judged(case: _Case, scorer: str) -> tuple[float | None, str]:
    """Outcome and status of a case by all its metrics, or by one."""
    if scorer == _SUCCESS:
        outcome = documents.number_or_none(case.success)
        failed = any(metric.failed for metric in case.metrics.values())
    else:
        whole = scorer in case.metrics
        entry = case.metrics.get(scorer if whole else scorer.removesuffix("/score"))
        outcome = documents.number_or_none(entry and (entry.success if whole else entry.score))
        failed = entry is not None and entry.failed
    return outcome, "error" if failed else "unscored" if outcome is None else "ok"


def _claims(run: _TestRun, scorer: str) -> Iterator[Claim]:
    """Stated numbers of cases and of passes; errors are failures, except for a single metric."""
    whose = (run.system, run.task)
    passed, failed = _tests(run)
    if passed + failed > 0:
        if scorer == _SUCCESS:
            yield Claim("share of tests passed", passed / (passed + failed), "avg", *whose)
            yield Claim("testPassed", passed, "right", *whose)
        yield Claim("testPassed and testFailed", passed + failed, "rows", *whose)
    for score in documents.list_in(run.stated, "metricsScores"):
        if isinstance(score, dict) and score.get("metric") == scorer:
            passes, fails = (
                documents.number_or_none(score.get(key)) or 0.0 for key in ("passes", "fails")
            )
            if passes + fails > 0:
                share = passes / (passes + fails)
                yield Claim(f"share passed of {scorer}", share, "avg", *whose, "missing")
                yield Claim(f"passes of {scorer}", passes, "right", *whose)


def _tests(run: _TestRun) -> tuple[float, float]:
    """Stated numbers of passed and failed tests; None if one is missing."""
    passed, failed = (
        documents.number_or_none(run.stated.get(key)) for key in ("testPassed", "testFailed")
    )
    return (0.0, 0.0) if passed is None or failed is None else (passed, failed)


READER = Reader("deepeval", ("lines", "object"), _recognise, _read)
