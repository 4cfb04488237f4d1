"""Exports of Langfuse: experiments, runs of data sets, traces and scores, alone or together.

Records are in an array, on lines, in CSV, or in the `data` of a page of the API:

    {"id": "…", "traceId": "t1", "experimentName": "base", "experimentItemId": "q1",
     "output": "…", "level": "DEFAULT", "scores": [{"name": "exact", "dataType": "BOOLEAN", …}]}
    {"id": "…", "datasetRunName": "base", "datasetItemId": "q1", "traceId": "t1"}
    {"id": "t1", "timestamp": "…", "name": "…", "input": …, "scores": […]}
    {"id": "…", "traceId": "t1", "name": "exact", "dataType": "NUMERIC", "value": 1}

These are items of an experiment (version 5 of the SDK), items of a data set run, which may be in
the `datasetRunItems` of a run (version 3), traces, and scores. The web page exports traces with a
column of lists per score (the batch export of Langfuse 3). Records are joined by trace: trials are
the items if there are any, else the traces, else any records with scores. Scores of a whole run or
session are left out.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above, guess, warning
from errbar.data.readers import exports
from errbar.data.readers.base import JSON, Glance, Reader, occurrences
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import list_in, object_in, text_or_none, texts_or_none
from errbar.data.readers.exports import ExportedTrial, NamedScores
from errbar.data.readers.logs import Log
from errbar.data.readers.tables.naming import name_systems

_PAGES = ("data",)
_SIGNS = {
    "items of experiments": ("traceId", "experimentName", "experimentItemId"),
    "items of runs": ("traceId", "datasetItemId"),
    "runs with datasetRunItems": ("datasetRunItems", "datasetId"),
    "scores of traces": ("id", "name", "dataType", "source", "timestamp"),
    "traces": ("id", "timestamp", "name", "userId", "sessionId", "tags"),
    "a trace with its scores": ("trace", "observations", "scores"),
}
# Columns of exported traces other than scores.
_OF_TRACES = frozenset(
    {
        *("id", "projectId", "externalId", "timestamp", "name"),
        *("userId", "sessionId", "release", "version", "environment"),
        *("tags", "bookmarked", "public", "input", "output"),
        *("metadata", "latency", "usage", "inputCost", "outputCost"),
        *("totalCost", "level", "errorCount", "warningCount", "defaultCount"),
        *("debugCount", "observationCount", "inputTokens", "outputTokens", "totalTokens"),
        *("comments", "createdAt", "updatedAt", "htmlPath", "observations"),
        *("scores",),
    }
)
_RUNS = ("experimentName", "datasetRunName", "experimentId", "datasetRunId")
_ITEMS = ("experimentItemId", "datasetItemId")
_TASKS = ("datasetName", "experimentDatasetId")
_FIELDS = (*_RUNS, *_ITEMS, *_TASKS, "output", "expectedOutput", "totalCost")
_NUMERIC = ("NUMERIC", "BOOLEAN")  # types of scores whose value is a number
_WHOLE = "scores of a whole run or session"
_UNKNOWN = "records that are not items, traces or scores"
_AGAIN = "duplicate records"
_NOWHERE = "scores of traces that are in no other file"


@dataclass(slots=True)
class _TraceTrial(ExportedTrial):
    """An item of a run, or a trace."""

    trace: str = ""
    values: tuple[Any, ...] = ()  # of _FIELDS, looked up while the record is in the cache


@dataclass
class _LoggedRecords:
    """All records in the files, by kind."""

    items: list[_TraceTrial] = field(default_factory=list)
    traces: dict[str, _TraceTrial] = field(default_factory=dict)
    scores: list[tuple[Path, str, Mapping[str, Any]]] = field(default_factory=list)
    seen: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # ids


def _recognise(glance: Glance) -> str:
    keys = glance.record_keys(*_PAGES)
    for what, signs in _SIGNS.items():
        if keys.issuperset(signs):
            return f"{what}, with {', '.join(signs[:3])}"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log, found = Log(), _LoggedRecords()
    for path in files:
        log.read(path, 0)
        for whole in exports.records(path, *_PAGES):
            if "datasetRunItems" in whole or "trace" in whole:
                for part in _expand(whole):
                    _sort(part, path, found, log)
            else:
                _sort(whole, path, found, log)
    trials = _join(found, log)
    scores = [trial.scores for trial in trials]
    scorer = exports.choose_score(log, scores, choice, str(files[0]), platform="Langfuse")
    values = _values(trials)
    systems = _systems(trials, _first(values, _RUNS), choice, log)
    questions = _questions(trials, _first(values, _ITEMS), log)
    tasks = [str(task or "") for task in _first(values, _TASKS)]
    outcomes = [trial.scores.of(scorer) for trial in trials]
    log.extend(
        system=systems,
        task=tasks,
        question=questions,
        trial=occurrences(zip(systems, tasks, questions, strict=True)),
        outcome=outcomes,
        status=["ok"] * len(trials)
        if None not in outcomes
        else [
            "ok" if outcome is not None else "error" if _failed(trial.record) else "unscored"
            for trial, outcome in zip(trials, outcomes, strict=True)
        ],
        answer=texts_or_none(values["output"]),
        target=texts_or_none(values["expectedOutput"]),
        cost=[None if cost is None else exports.score_of(cost) for cost in values["totalCost"]],
    )
    return log


def _values(trials: Sequence[_TraceTrial]) -> dict[str, list[Any]]:
    """Fields of all records by name."""
    rows = [trial.values for trial in trials]
    columns = map(list, zip(*rows, strict=True)) if rows else ([] for _ in _FIELDS)
    return dict(zip(_FIELDS, columns, strict=True))


def _first(values: Mapping[str, list[Any]], names: Sequence[str]) -> list[Any]:
    """The first of several fields that is not None, for every record."""
    found = values[names[0]]
    for name in names[1:]:
        if None in found:
            pairs = zip(found, values[name], strict=True)
            found = [other if value is None else value for value, other in pairs]
    return found


def _failed(record: Mapping[str, Any]) -> bool:
    return str(record.get("level") or "").upper() == "ERROR"


def _expand(record: dict[str, Any]) -> Sequence[dict[str, Any]]:
    """The items of a run, a trace with its scores, or the record itself."""
    if isinstance(record.get("datasetRunItems"), list):
        run = {"datasetRunName": record.get("name"), "datasetName": record.get("datasetName")}
        items = record["datasetRunItems"]
        return [{**run, **item} if isinstance(item, dict) else {} for item in items]
    if isinstance(record.get("trace"), dict):
        return ({**record["trace"], "scores": list_in(record, "scores")},)
    return (record,)


def _sort(record: Mapping[str, Any], path: Path, found: _LoggedRecords, log: Log) -> None:
    """Sort a record by kind, with the scores inside it."""
    kind = _kind(record)
    if not kind:
        log.read(path, 1)
        log.leave_out(path, _UNKNOWN)
        return
    name = record.get("id")
    if type(name) is not str:
        name = text_or_none(name)
    if name is not None:
        seen = found.seen[kind]
        if name in seen:
            log.read(path, 1)
            log.leave_out(path, _AGAIN)
            return
        seen.add(name)
    if kind == "score":
        found.scores.append((path, _trace_of(record), record))
        return
    trace = name if kind == "trace" else record.get("traceId")
    if type(trace) is not str:
        trace = str(text_or_none(trace) or "")
    scores = NamedScores()
    trial = _TraceTrial(path, record, scores, trace, tuple(map(record.get, _FIELDS)))
    inner = record.get("scores")
    for score in inner if type(inner) is list else ():
        if type(score) is dict:
            _give(scores, score)
    if kind == "trace":
        _add_columns(record, scores)
        found.traces[trace] = trial
    else:
        found.items.append(trial)


def _add_columns(trace: Mapping[str, Any], scores: NamedScores) -> None:
    """Add the scores of an exported trace, which are columns of lists."""
    for column, values in trace.items():
        if column not in _OF_TRACES and isinstance(values, list):
            for value in values:
                scores.add(column, value)


def _kind(record: Mapping[str, Any]) -> str:
    if "experimentItemId" in record or ("datasetItemId" in record and "traceId" in record):
        return "item"
    if "name" in record and ("value" in record or "stringValue" in record):
        return "score"
    return "trace" if record.get("id") is not None and "timestamp" in record else ""


def _trace_of(score: Mapping[str, Any]) -> str:
    """The trace of a score; version 3 of scores has it in the subject."""
    subject = object_in(score, "subject")
    inside = subject.get("id") if subject.get("kind") == "trace" else subject.get("traceId")
    return str(exports.first_of(score, "traceId") or inside or "")


def _give(scores: NamedScores, score: Mapping[str, Any]) -> None:
    """Add a score as a number, or as the label of a categorical score, whose number is a rank."""
    get = score.get
    name, kind, value = get("name"), get("dataType") or "NUMERIC", get("value")
    if kind not in _NUMERIC and str(kind).upper() not in _NUMERIC:
        value = exports.first_of(score, "stringValue", "value")
    scores.add(
        name if type(name) is str else str(name), get("stringValue") if value is None else value
    )


def _join(found: _LoggedRecords, log: Log) -> list[_TraceTrial]:
    """Trials with the scores of their traces."""
    trials = found.items or list(found.traces.values())
    by_trace: dict[str, list[_TraceTrial]] = {}
    for trial in trials if found.scores or (found.items and found.traces) else ():
        by_trace.setdefault(trial.trace, []).append(trial)
    alone = not trials
    for path, trace, score in found.scores:
        if trace and alone and trace not in by_trace:
            record = {"id": trace, "name": score.get("traceName")}
            nothing = (None,) * len(_FIELDS)
            trials.append(_TraceTrial(path, record, trace=trace, values=nothing))
            by_trace[trace] = [trials[-1]]
        fits = [trial for trial in by_trace.get(trace, ()) if trace and _fits(score, trial.record)]
        for trial in fits:
            _give(trial.scores, score)
        if not fits:
            log.read(path, 1)
            log.leave_out(path, _NOWHERE if trace else _WHOLE)
    if found.items:
        _add_traces(found, by_trace, log)
    for path, group in groupby(trials, key=attrgetter("path")):
        log.read(path, len(list(group)))
    return trials


def _fits(score: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    """Whether a score belongs to an item, which may be one of several observations of a trace."""
    pair = (score.get("observationId"), item.get("observationId"))
    return None in pair or pair[0] == pair[1]


def _add_traces(found: _LoggedRecords, by_trace: Mapping[str, list[_TraceTrial]], log: Log) -> None:
    """Add fields of traces to the items that belong to them."""
    for name, trace in found.traces.items():
        for trial in by_trace.get(name, ()):
            trial.record = {**trace.record, **trial.record}
            trial.values = tuple(map(trial.record.get, _FIELDS))
            trial.scores.fill(trace.scores)
        if name not in by_trace:
            log.read(trace.path, 1)
            log.leave_out(trace.path, "traces that are not items of a run")


def _systems(
    trials: Sequence[_TraceTrial], runs: Sequence[Any], choice: Choice, log: Log
) -> list[str]:
    """Systems are runs; for traces the model in their metadata, or else the file or trace name.

    With files='systems', traces that are in no run are of the system that their file is.
    """
    if None not in runs:
        return list(map(str, runs))
    by_model = choice.files is None
    found = [
        str(run) if run is not None else _model_of(trial.record) if by_model else None
        for run, trial in zip(runs, trials, strict=True)
    ]
    if any(run is None and system for run, system in zip(runs, found, strict=True)):
        log.remarks.append(_guessed("the model in the metadata of traces that are in no run"))
    unnamed = [trial for trial, system in zip(trials, found, strict=True) if system is None]
    items = sum("datasetItemId" in trial.record for trial in unnamed)
    if items:
        log.remarks.append(
            warning(
                f"{items} items do not name their run, as in the export of the web page; if they "
                f"are from several runs, export each run separately, or use the API."
            )
        )
    own = list(dict.fromkeys(trial.path for trial in unnamed))
    naming = name_systems(own, files_are=choice.files)
    log.remarks += naming.remarks
    by_file = dict(zip(own, naming.systems, strict=True))
    if len(own) == 1 and by_model:
        log.remarks.append(_guessed("the names of traces, which are in no run"))
        names = [text_or_none(trial.record.get("name")) or "" for trial in trials]
    else:
        names = [by_file.get(trial.path, "") if len(own) > 1 else "" for trial in trials]
    return [name if system is None else system for name, system in zip(names, found, strict=True)]


def _guessed(systems: str) -> Above:
    return guess(f"Systems: {systems}", option="--files systems", argument="files='systems'")


def _model_of(trace: Mapping[str, Any]) -> str | None:
    model = object_in(trace, "metadata").get("model")
    return model if isinstance(model, str) else None


def _questions(trials: Sequence[_TraceTrial], items: Sequence[Any], log: Log) -> list[str]:
    """Questions are data set items; for traces their input, or else each trace."""
    if None not in items:
        return list(map(str, items))
    inputs = [
        None if item is not None else trial.record.get("input")
        for trial, item in zip(trials, items, strict=True)
    ]
    found = [
        str(item) if item is not None else exports.short_name(text) or trial.trace
        for trial, item, text in zip(trials, items, inputs, strict=True)
    ]
    if any(text is not None for text in inputs):
        log.remarks.append(
            guess(
                "Questions: the inputs of traces, which are items of no data set",
                option="--rows questions",
                argument="rows='questions'",
            )
        )
    without = sum(item is None and text is None for item, text in zip(items, inputs, strict=True))
    if without:
        log.remarks.append(f"{without} traces without an input are a question each.")
    return found


READER = Reader(
    "langfuse",
    (*JSON, ""),
    _recognise,
    _read,
    files=("systems", "trials"),
    keys=("data", "traceId", "datasetRunItems", "dataType", "sessionId", "observations"),
)
