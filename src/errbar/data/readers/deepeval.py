"""Test runs of deepeval: `test_run_<time>.json`, or the latest run in its hidden folder.

Cases of one name are trials of one question; cases that deepeval numbered itself (`test_case_0`,
`test_case_1` …) are distinguished by their input. A case is right if it passed all its metrics.
With a metric name as the scorer, only its success counts; `name/score` is its number.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess
from errbar.data.readers.base import Glance, Reader, occurrences
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    Other,
    OtherThanList,
    Part,
    Shape,
    document_as,
    list_in,
    number_or_none,
    numbers_or_none,
    text_or_none,
    texts_or_none,
)
from errbar.data.readers.log_names import FILES_ARE, log_systems
from errbar.data.readers.logs import Claim, Log
from errbar.errors import InputError

_SUCCESS = "success"
_NUMBERED = re.compile(r"(?:conversational_)?test_case_\d+")
_LATEST = "testRunData"
_SCORES = "metricsScores"


def _recognise(glance: Glance) -> str:
    if glance.has("testCases"):
        totals = {"metricsScores", "testPassed", "testFile"} & glance.keys
        if totals or '"metricsData"' in glance.text:  # totals come after the cases
            return "a JSON document with testCases and their results"
    if glance.has(_LATEST):
        return f"a JSON document with {_LATEST}"
    return ""


class _Metric(Part):
    """Result of a metric for a case."""

    name: Any = None
    success: Any = None
    score: Any = None
    error: Any = None


class _Case(Part, rename="camel"):
    """The fields of a case that are used."""

    name: Any = None
    input: Any = None
    scenario: Any = None
    turns: Any = None
    success: Any = None
    metrics_data: list[_Metric | Other] | OtherThanList = None
    actual_output: Any = None
    expected_output: Any = None
    evaluation_cost: Any = None

    @property
    def is_numbered(self) -> bool:
        """Whether deepeval made up the name."""
        name = self.name
        return type(name) is str and "test_case_" in name and bool(_NUMBERED.fullmatch(name))

    def question(self) -> str:
        """The name that a person gave, or else the input."""
        name = str(self.name or "")
        if name and not self.is_numbered:
            return name
        return text_or_none(self.input or self.scenario or self.turns) or name

    def results(self) -> list[_Metric]:
        """Results of the metrics."""
        found = self.metrics_data
        return [part for part in found if type(part) is _Metric] if type(found) is list else []

    def metrics(self) -> dict[str, _Metric]:
        """Results by metric; a repeated metric name gets a suffix, as in name (2)."""
        found: dict[str, _Metric] = {}
        for metric in self.results():
            plain = name = str(metric.name)
            at = 1
            while name in found:
                at += 1
                name = f"{plain} ({at})"
            found[name] = metric
        return found


class _RunFile(Part, rename="camel"):
    """A run, or the file of the latest run."""

    test_cases: list[_Case] | None = None
    conversational_test_cases: list[_Case] | None = None
    hyperparameters: Any = None
    identifier: Any = None
    dataset_alias: Any = None
    test_file: Any = None
    test_passed: Any = None
    test_failed: Any = None
    metrics_scores: Any = None
    test_run_data: "_RunFile | None" = None


_SHAPE: Shape[_RunFile] = Shape(_RunFile)


class _TestRun(NamedTuple):
    """One file."""

    system: str
    task: str
    cases: list[_Case]
    questions: list[str]
    stated: _RunFile  # totals of all cases and of each metric


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = {path: _run(path) for path in files}
    systems, remarks = log_systems({path: run.system for path, run in runs.items()}, choice.files)
    runs = {path: run._replace(system=systems[path]) for path, run in runs.items()}
    log.remarks += remarks
    metrics = _metric_names([case for run in runs.values() for case in run.cases])
    scorers = list(dict.fromkeys([_SUCCESS, *metrics, *(f"{metric}/score" for metric in metrics)]))
    scorer = log.choose_scorer(choice.scorer, scorers, "metric", str(files[0]), called="score")
    trials: dict[tuple[str, str], Counter[str]] = {}  # of each question
    claims: dict[tuple[str, str], list[Claim]] = {}
    for path, run in runs.items():
        if not run.cases:
            passed, failed = _tests(run)
            note = f", though it says that {passed + failed:g} were run" if passed + failed else ""
            log.skip(path, f"it has no test cases{note}")
            continue
        log.read(path, len(run.cases))
        subject = (run.system, run.task)
        _add(log, run, scorer, trials.setdefault(subject, Counter()))
        if subject in claims:
            log.remarks.append(
                guess(
                    f"Trials: {path}: its cases are read as further trials of the previous run",
                    option="--files systems",
                    argument="files='systems'",
                )
            )
        claims[subject] = [] if subject in claims else list(_claims(run, scorer))
    log.claim_means_over_rows([claim for of_one in claims.values() for claim in of_one])
    unnamed = sum(case.is_numbered for run in runs.values() for case in run.cases)
    if unnamed:
        log.remarks.append(
            f"{unnamed} cases have no name; those with the same input are trials of one question."
        )
    return log


def _metric_names(cases: Sequence[_Case]) -> dict[str, None]:
    """Names of metrics in their order; most cases have the same metrics."""
    each = ((case, tuple([metric.name for metric in case.results()])) for case in cases)
    different = {str(names): case for case, names in each}
    return dict.fromkeys(name for case in different.values() for name in case.metrics())


def _run(path: Path) -> _TestRun:
    run = document_as(path, _SHAPE)
    run = run.test_run_data or run
    settings = run.hyperparameters if isinstance(run.hyperparameters, dict) else {}
    model = settings.get("model") or run.identifier
    cases = [*(run.test_cases or ()), *(run.conversational_test_cases or ())]
    questions = [case.question() for case in cases]
    if not all(questions):
        raise InputError(f"{path}: a case has neither a name nor an input.")
    task = str(run.dataset_alias or run.test_file or "")
    return _TestRun(str(model or ""), task, cases, questions, run)


def _add(log: Log, run: _TestRun, scorer: str, trials: Counter[str]) -> None:
    """Add a row per case, with trials numbered after earlier ones."""
    size = len(run.cases)
    before = dict(trials)
    numbers = [
        at + before.get(question, 0)
        for at, question in zip(occurrences(run.questions), run.questions, strict=True)
    ]
    trials.update(run.questions)
    outcomes, failed = _judgements(run.cases, scorer)
    log.extend(
        system=[run.system] * size,
        task=[run.task] * size,
        question=run.questions,
        trial=numbers,
        outcome=outcomes,
        status=[
            "error" if error else "unscored" if outcome is None else "ok"
            for outcome, error in zip(outcomes, failed, strict=True)
        ],
        answer=texts_or_none([case.actual_output for case in run.cases]),
        target=texts_or_none([case.expected_output for case in run.cases]),
        cost=numbers_or_none([case.evaluation_cost for case in run.cases]),
    )


def _judgements(cases: Sequence[_Case], scorer: str) -> tuple[list[float | None], list[bool]]:
    """Outcomes by all metrics, or by one, and whether a metric ended in an error."""
    if scorer == _SUCCESS:
        outcomes = numbers_or_none([case.success for case in cases])
        return outcomes, [any(metric.error for metric in case.results()) for case in cases]
    values, failed = [], []
    for case in cases:
        metrics = case.metrics()
        whole = scorer in metrics
        entry = metrics.get(scorer if whole else scorer.removesuffix("/score"))
        values.append(entry and (entry.success if whole else entry.score))
        failed.append(entry is not None and bool(entry.error))
    return numbers_or_none(values), failed


def _claims(run: _TestRun, scorer: str) -> Iterator[Claim]:
    """Stated numbers of cases and of passes; errors are failures, except for a single metric."""
    subject = (run.system, run.task)
    passed, failed = _tests(run)
    if passed + failed > 0:
        if scorer == _SUCCESS:
            yield Claim("share of tests passed", passed / (passed + failed), "avg", *subject)
            yield Claim("testPassed", passed, "right", *subject)
        yield Claim("testPassed and testFailed", passed + failed, "rows", *subject)
    for score in list_in({_SCORES: run.stated.metrics_scores}, _SCORES):
        if isinstance(score, dict) and score.get("metric") == scorer:
            passes, fails = (number_or_none(score.get(key)) or 0.0 for key in ("passes", "fails"))
            if passes + fails > 0:
                share = passes / (passes + fails)
                yield Claim(f"share passed of {scorer}", share, "avg", *subject, "missing")
                yield Claim(f"passes of {scorer}", passes, "right", *subject)


def _tests(run: _TestRun) -> tuple[float, float]:
    """Stated numbers of passed and failed tests; None if one is missing."""
    passed, failed = numbers_or_none([run.stated.test_passed, run.stated.test_failed])
    return (0.0, 0.0) if passed is None or failed is None else (passed, failed)


READER = Reader(
    "deepeval",
    ("lines", "object"),
    _recognise,
    _read,
    chooses=("scorer", "files"),
    files=FILES_ARE,
    keys=("testCases", "testRunData"),
)
