"""Exports of LangSmith: rows of an experiment as a table, runs, and examples with their runs.

    {"inputs.question": "…", "outputs.answer": "…", "error": null, "reference.answer": "…",
     "feedback.correct": 1, "execution_time": 0.4, "example_id": "…", "id": "…"}
    {"id": "…", "run_type": "chain", "session_id": "…", "reference_example_id": "…",
     "parent_run_id": null, "error": null, "feedback_stats": {"correct": {"n": 1, "avg": 1.0}}}
    {"run": {…}, "example": {"id": "…"}, "evaluation_results": {"results": [{"key": "correct", …}]}}
    {"feedback_stats": {…}, "examples_with_runs": [{"id": "…", "runs": [{…}]}]}

The first is a row of `evaluate(…).to_pandas()`, the second a run of `list_runs`, the third a row of
`evaluate(…)` itself, and the last a result of `get_experiment_results`, all of SDK 0.14.17; in an
array, on lines or in CSV. A header such as "Example ID" is read as `example_id`. A run of an
example is a trial, and runs of one example by one experiment are its repeats; runs inside another,
and those of no example, are left out.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from errbar.data.readers import exports
from errbar.data.readers.base import JSON, Glance, Reader, occurrences
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import number_or_none, object_in, object_of, text_or_none
from errbar.data.readers.exports import NamedScores
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import name_systems

_PAGES = ("examples_with_runs", "runs", "results", "data")
_EXAMPLES = "examples_with_runs"
_SIGNS = {
    "rows of an experiment": ("example_id", "execution_time"),
    "runs of examples": ("run_type", "reference_example_id"),
    "runs with their evaluation": ("run", "example", "evaluation_results"),
    "examples with runs": ("runs", "inputs", "dataset_id"),
}
_NESTED = re.compile(r"(inputs|outputs|reference|feedback)\.", re.IGNORECASE)
_INSIDE = "runs inside another run"
_NO_EXAMPLE = "runs of no example"
_AGAIN = "duplicate runs"
_PartOf = Callable[[Mapping[str, Any], str], dict[str, Any]]  # an object in a run
_SESSIONS = ("session_name", "experiment_name", "experiment", "project_name", "session_id")


@dataclass(slots=True)
class _ExampleTrial:
    """A run of an example; only the fields needed for scores are kept."""

    path: Path
    example: str
    id: str | None
    session: Any
    failed: bool
    answer: str | None
    target: str | None
    cost: float | None
    scores: NamedScores


def _recognise(glance: Glance) -> str:
    text = glance.text.lower()
    if "example" not in text and "dataset_id" not in text and "dataset id" not in text:
        return ""
    keys = {_plain(key) for key in glance.record_keys(*_PAGES)}
    for what, signs in _SIGNS.items():
        if keys.issuperset(signs):
            return f"{what}, with {' and '.join(signs[:2])}"
    has_feedback = any(key.startswith("feedback.") for key in keys)
    return "rows with example_id and feedback" if has_feedback and "example_id" in keys else ""


@lru_cache(maxsize=1024)
def _plain(key: str) -> str:
    """Normalized column name: `example_id` for Example ID; feedback keeps its spelling."""
    if _NESTED.match(key):
        start, _, rest = key.partition(".")
        return f"{start.lower()}.{rest}"
    return key.strip().lower().replace(" ", "_")


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    trials = _counted_once([trial for path in files for trial in _trials(path, log)], log)
    scores = [trial.scores for trial in trials]
    scorer = exports.choose_score(
        log,
        scores,
        choice,
        str(files[0]),
        platform="LangSmith",
        kind="feedback",
        nothing="No run has feedback.",
    )
    systems, tasks = _subjects(trials, choice, log)
    outcomes = [trial.scores.of(scorer) for trial in trials]
    log.extend(
        system=systems,
        task=tasks,
        question=[trial.example for trial in trials],
        trial=occurrences(zip(systems, tasks, [trial.example for trial in trials], strict=True)),
        outcome=outcomes,
        status=[
            "error" if trial.failed else "unscored" if outcome is None else "ok"
            for trial, outcome in zip(trials, outcomes, strict=True)
        ],
        answer=[trial.answer for trial in trials],
        target=[trial.target for trial in trials],
        cost=[trial.cost for trial in trials],
    )
    for path in [path for path in files if _states_means(path)]:
        mine = {system for system, trial in zip(systems, trials, strict=True) if trial.path == path}
        log.claim_means_over_rows(list(_claims(path, mine, scorer)))
    return log


def _trials(path: Path, log: Log) -> list[_ExampleTrial]:
    kept = []
    count = 0
    plain: set[str] = set()  # keys that are spelled as they are read
    seen: set[str] = set()  # keys of runs
    part: _PartOf = object_in
    for record in exports.records(path, *_PAGES):
        if not plain.issuperset(record):
            plain.update(key for key in record if _plain(key) == key)
        alike = plain.issuperset(record)
        for run in _runs(record if alike else {_plain(key): record[key] for key in record}):
            count += 1
            if not seen.issuperset(run):
                seen.update(run)
                part = exports.part_of if any("." in key for key in seen) else object_in
            example = run.get("example_id")
            if example is None:
                example = run.get("reference_example_id")
            if run.get("parent_run_id") is not None:
                log.leave_out(path, _INSIDE)
            elif not isinstance(example, str | int):
                log.leave_out(path, _NO_EXAMPLE)
            else:
                kept.append(_trial(path, run, str(example), part))
    log.read(path, count)
    return kept


def _runs(record: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """The runs of a record, each with its example and feedback."""
    run, runs = record.get("run"), record.get("runs")
    if isinstance(run, dict):
        example, evaluated = object_in(record, "example"), object_in(record, "evaluation_results")
        # the record is not used again, and neither is its run
        run.setdefault("example_id", example.get("id"))
        run["evaluation"], run["reference"] = evaluated.get("results"), example.get("outputs")
        return (run,)
    if isinstance(runs, list):
        of_all = {"example_id": record.get("id"), "reference": record.get("outputs")}
        return [{**run, **of_all} if isinstance(run, dict) else of_all for run in runs]
    return (record,)


def _trial(path: Path, run: Mapping[str, Any], example: str, part: _PartOf) -> _ExampleTrial:
    get = run.get
    cost, error, name = get("total_cost"), get("error"), get("id")
    return _ExampleTrial(
        path,
        example,
        name if type(name) is str else text_or_none(exports.first_of(run, "id", "run_id")),
        exports.first_of(run, *_SESSIONS),
        (error is not None and exports.is_error(error)) or get("status") == "error",
        _text(part(run, "outputs")),
        _text(part(run, "reference")),
        None if cost is None else exports.score_of(cost),
        _scores(run, part),
    )


def _scores(run: Mapping[str, Any], part: _PartOf) -> NamedScores:
    """The feedback of a run, in columns, as results of evaluators, or as means."""
    scores = NamedScores()
    if part is not object_in or "feedback" in run:
        for name, value in part(run, "feedback").items():
            scores.add(name, value)
    results = run.get("evaluation")
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict):
            score = result.get("score")
            scores.add(str(result.get("key")), result.get("value") if score is None else score)
    if part is object_in and "feedback_stats" not in run:
        return scores
    for name, value in part(run, "feedback_stats").items():
        stats = value if isinstance(value, dict) else {}
        if number_or_none(stats.get("avg")) is not None:
            scores.add(name, stats["avg"])
        for label in object_in(stats, "values") if stats.get("avg") is None else ():
            scores.add(name, label)
    return scores


def _counted_once(trials: Sequence[_ExampleTrial], log: Log) -> list[_ExampleTrial]:
    seen: set[str] = set()
    kept = []
    for trial in trials:
        if trial.id is not None and trial.id in seen:
            log.leave_out(trial.path, _AGAIN)
            continue
        if trial.id is not None:
            seen.add(trial.id)
        kept.append(trial)
    return kept


def _subjects(
    trials: Sequence[_ExampleTrial], choice: Choice, log: Log
) -> tuple[list[str], list[str]]:
    """Systems are experiments, which are sessions; rows without one are named by file."""
    unnamed = [trial for trial in trials if trial.session is None]
    files = list(dict.fromkeys(trial.path for trial in unnamed))
    naming = name_systems(files, files_are=choice.files)
    log.remarks += naming.remarks
    by_file = dict(
        zip(files, zip(naming.systems, naming.tasks or [""] * len(files), strict=True), strict=True)
    )
    alone = len(by_file) == 1 and len(unnamed) == len(trials)
    systems = [
        "" if alone else by_file[trial.path][0] if trial.session is None else str(trial.session)
        for trial in trials
    ]
    tasks = [by_file[trial.path][1] if trial.path in by_file else "" for trial in trials]
    return systems, tasks


def _states_means(path: Path) -> bool:
    glance = Glance(path)
    return glance.shape == "object" and glance.has(_EXAMPLES)


def _claims(path: Path, systems: set[str], scorer: str) -> Iterator[Claim]:
    """Mean feedback stated by an experiment, over the runs that have it."""
    if len(systems) != 1:
        return
    stats = object_in(object_in(object_of(path), "feedback_stats"), scorer)
    number = number_or_none(stats.get("avg"))
    if number is not None:
        yield Claim(f"mean {scorer}", number, "avg", next(iter(systems)), "", "missing")
    graded = number_or_none(stats.get("n"))
    if graded is not None:
        yield Claim(f"runs with {scorer}", graded, "graded rows", next(iter(systems)))


def _text(parts: Any) -> str | None:
    """Output of a run as text: the only value, or all as JSON; None if empty."""
    if type(parts) is dict and len(parts) < 2:
        for value in parts.values():
            return value if type(value) is str else text_or_none(value)
        return None
    return text_or_none(parts)


READER = Reader("langsmith", (*JSON, ""), _recognise, _read, files=("systems", "trials", "tasks"))
