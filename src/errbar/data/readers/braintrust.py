"""Exports of Braintrust: the spans of experiments, and results returned by an evaluation.

    {"id": "…", "span_id": "a", "root_span_id": "a", "is_root": true, "experiment_id": "…",
     "input": …, "output": …, "expected": …, "error": null, "scores": {"exact": 1},
     "metadata": {…}, "origin": {"object_type": "dataset", "id": "…"}}
    {"summary": {"experiment_name": "…", "scores": {…}}, "results": [{"input": …, "scores": {…}}]}
    {"input": …, "output": …, "expected": …, "scores": {"exact": 1}, "tags": null, "exc_info": null}

The first are events of an experiment from the API (`ExperimentEvent` in the SDK 0.48.1), in
an array, on lines, in the `events` or `data` of a page, or in CSV with `scores` as one column of
JSON or as a column `scores.exact` for each; the second is an `EvalResultWithSummary`, and the third
one of its `results` by itself, in an array or on lines (SDK 0.47.0). The root of a trace is a
trial, or its evaluation span where the export has no root; spans inside it are left out. A question
is a record of a data set if every trial has one, else an input, which is also how Braintrust groups
trials; trials of the same question are its repeats.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar.base.remarks import guess
from errbar.data.readers import exports
from errbar.data.readers.base import JSON, Glance, Reader, occurrences
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    number_or_none,
    object_in,
    object_of,
    text_or_none,
    texts_or_none,
)
from errbar.data.readers.exports import ExportedTrial
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import name_systems, systems_of

_PAGES = ("events", "data", "objects")
_SPAN = ("span_id", "root_span_id")
_RESULTS = "results"
_RESULT = ("input", "output", "expected", "scores")  # of `EvalResult`, as are the next
_OF_RESULT = ("exc_info", "origin", "tags", "classifications")
_SCORES_OBJECT = re.compile(r'"scores"\s*:\s*\{')
_INSIDE = "spans inside a trial"
_AGAIN = "duplicate spans"


@dataclass(slots=True)
class _SpanTrial(ExportedTrial):
    """A root span, or a result."""

    experiment: str = ""  # its id
    name: str = ""  # of the experiment


def _recognise(glance: Glance) -> str:
    if "scores" not in glance.text:
        return ""
    if glance.shape == "object" and glance.has("summary", _RESULTS):
        signs = ('"experiment_name"', '"scores"')
        return "a summary of an experiment, and results" if _all_in(signs, glance.text) else ""
    keys = glance.record_keys(*_PAGES)
    scored = "scores" in keys or any(key.startswith("scores.") for key in keys)
    if scored and keys.issuperset(_SPAN):
        return "spans with span_id, root_span_id and scores"
    if scored and keys.issuperset(("input", "output", "expected", "experiment_id")):
        return "events with experiment_id, input, output, expected and scores"
    if keys.issuperset(_RESULT) and not keys.isdisjoint(_OF_RESULT):
        has_scores = _SCORES_OBJECT.search(glance.text) is not None
        return "results with input, output, expected and scores" if has_scores else ""
    return ""


def _all_in(signs: Iterable[str], text: str) -> bool:
    return all(sign in text for sign in signs)


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    stated: dict[Path, Mapping[str, Any]] = {}
    trials = [trial for path in files for trial in _trials(path, stated, log)]
    trials = _counted_once(trials, log)
    scores = [trial.scores for trial in trials]
    scorer = exports.choose_score(log, scores, choice, str(files[0]), platform="Braintrust")
    systems = _systems(trials, choice, log)
    origins = [_origin(trial.record) for trial in trials]
    by_record = None not in origins
    if not by_record:
        log.remarks.append(
            guess(
                "Questions: the inputs; trials with the same input are repeats",
                option="--rows questions",
                argument="rows='questions'",
            )
        )
    _add(log, trials, systems, origins if by_record else [None] * len(trials), scorer)
    if stated:
        claims = {trial.path: system for trial, system in zip(trials, systems, strict=True)}
        _claim(log, stated, claims, scorer)
    return log


def _add(
    log: Log,
    trials: Sequence[_SpanTrial],
    systems: Sequence[str],
    origins: Sequence[str | None],
    scorer: str,
) -> None:
    """Add a row per trial; a question is a record of a data set, or else an input."""
    found = [trial.record for trial in trials]
    questions = [
        exports.short_name(record.get("input")) if origin is None else origin
        for record, origin in zip(found, origins, strict=True)
    ]
    outcomes = [trial.scores.of(scorer) for trial in trials]
    log.extend(
        system=systems,
        task=[""] * len(trials),
        question=questions,
        trial=occurrences(zip(systems, questions, strict=True)),
        outcome=outcomes,
        status=[
            "error"
            if exports.is_error(record.get("error"))
            else "unscored"
            if outcome is None
            else "ok"
            for record, outcome in zip(found, outcomes, strict=True)
        ],
        answer=texts_or_none([record.get("output") for record in found]),
        target=texts_or_none([record.get("expected") for record in found]),
        cost=[
            exports.score_of(exports.part_of(record, "metrics").get("estimated_cost"))
            for record in found
        ],
    )


def _trials(path: Path, stated: dict[Path, Mapping[str, Any]], log: Log) -> list[_SpanTrial]:
    """Roots of traces, and evaluation spans without a root; other spans belong to a trial."""
    log.read(path, 0)
    glance = Glance(path)
    name = ""
    if glance.shape == "object" and glance.has("summary", _RESULTS):
        stated[path] = object_in(object_of(path), "summary")
        name = text_or_none(stated[path].get("experiment_name")) or ""
    found = list(exports.records(path, *(_RESULTS,) if path in stated else _PAGES))
    log.read(path, len(found))
    are_roots = list(map(_is_root, found))
    roots = {
        str(span["root_span_id"])
        for span, is_root in zip(found, are_roots, strict=True)
        if is_root and "root_span_id" in span
    }
    kept = []
    for record, is_root in zip(found, are_roots, strict=True):
        if not is_root:
            evaluation = exports.part_of(record, "span_attributes").get("type") == "eval"
            if not evaluation or str(record.get("root_span_id")) in roots:
                log.leave_out(path, _INSIDE)
                continue
        trial = _SpanTrial(
            path,
            record,
            experiment=str(record.get("experiment_id") or ""),
            name=str(exports.first_of(record, "experiment_name", "experiment") or name),
        )
        for key, value in exports.part_of(record, "scores").items():
            trial.scores.add(key, value)
        kept.append(trial)
    return kept


def _is_root(record: Mapping[str, Any]) -> bool:
    """Whether a record is a root span; a record without span fields is not."""
    if record.get("is_root") is not None:
        return exports.score_of(record["is_root"]) == 1.0
    if record.get("span_parents"):
        return False
    return record.get("span_id") == record.get("root_span_id")


def _counted_once(trials: Sequence[_SpanTrial], log: Log) -> list[_SpanTrial]:
    seen: set[tuple[str, str]] = set()
    kept = []
    for trial in trials:
        name = text_or_none(trial.record.get("id"))
        if name is not None and (trial.experiment, name) in seen:
            log.leave_out(trial.path, _AGAIN)
            continue
        if name is not None:
            seen.add((trial.experiment, name))
        kept.append(trial)
    return kept


def _origin(record: Mapping[str, Any]) -> str | None:
    """The data set record of a trial."""
    inside = exports.part_of(record, "origin").get("id")
    name = inside if inside is not None else record.get("dataset_record_id")
    return None if name is None else str(name)


def _systems(trials: Sequence[_SpanTrial], choice: Choice, log: Log) -> list[str]:
    """Systems are experiment names; else files, if each has one experiment; else ids.

    With files='systems' or files='trials' they are the files, whatever these name.
    """
    files = list(dict.fromkeys(trial.path for trial in trials))
    if choice.files is not None:
        naming = name_systems(files, files_are=choice.files)
        log.remarks += naming.remarks
        by_file = dict(zip(files, naming.systems, strict=True))
        return [by_file[trial.path] if len(files) > 1 else "" for trial in trials]
    places: dict[str, set[Path]] = {}
    for trial in trials:
        places.setdefault(trial.experiment, set()).add(trial.path)
    apart = len(places) == len(files) and all(len(paths) == 1 for paths in places.values())
    if not any(trial.experiment or trial.name for trial in trials):
        models = [exports.part_of(trial.record, "metadata").get("model") for trial in trials]
        if all(isinstance(model, str) for model in models):
            log.remarks.append(
                guess(
                    "Systems: the model in the metadata of spans",
                    option="--files systems",
                    argument="files='systems'",
                )
            )
            return [str(model) for model in models]
        naming = name_systems(files, files_are=choice.files)
        log.remarks += naming.remarks
        by_file = dict(zip(files, naming.systems, strict=True))
        return [by_file[trial.path] if len(files) > 1 else "" for trial in trials]
    names = dict(zip(files, systems_of(files), strict=True))
    use_files = apart and len(files) > 1 and not all(trial.name for trial in trials)
    if use_files:
        log.remarks.append(
            guess(
                "Systems: named after the files, each of which has an experiment",
                option="--files trials",
                argument="files='trials'",
            )
        )
    return [
        trial.name or (names[trial.path] if use_files else trial.experiment) for trial in trials
    ]


def _claim(
    log: Log, stated: Mapping[Path, Mapping[str, Any]], systems: Mapping[Path, str], scorer: str
) -> None:
    """Add the mean scores stated in a summary, over the trials that have the score."""
    claims, often = [], Counter(systems.values())
    for path, summary in stated.items():
        score = object_in(object_in(summary, "scores"), scorer).get("score")
        number = number_or_none(score)
        if number is not None and often[systems.get(path, "")] == 1:
            claims.append(Claim(f"mean {scorer}", number, "avg", systems[path], "", "missing"))
    log.claim_means_over_rows(claims)


READER = Reader("braintrust", (*JSON, ""), _recognise, _read, files=("systems", "trials"))
