"""Logs of OpenAI evals: records of `oaieval`, and output items of the Evals API.

    {"spec": {"completion_fns": ["gpt-4"], "eval_name": "x.dev.v0", "run_id": "…", …}}
    {"run_id": "…", "event_id": 1, "sample_id": "x.dev.0", "type": "match",
     "data": {"correct": true, "expected": "15", "picked": "15"}}
    {"final_report": {"accuracy": 0.5}}

The events of a sample belong to one answer. `match` says whether it is right; `metrics` has named
numbers. A sample without the event that is scored has no result. The output items are read by
`openai_output_items`.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import about, guess, warning
from errbar.data.readers.base import JSON, Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    lines,
    name_of,
    number_or_none,
    object_in,
    text_or_none,
    truth_or_none,
)
from errbar.data.readers.logs import Claim, Log, pick, picked_remark
from errbar.data.readers.openai_output_items import kind_of_export, read_exports
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError

_EVENT = ("run_id", "event_id", "sample_id", "type", "data")
# Scores in order of preference; other metrics follow in file order.
_FIRST = ("match", "accuracy", "score", "correct", "is_correct", "success", "is_success")


class _Score(NamedTuple):
    value: float | None
    answer: str | None = None
    target: str | None = None


@dataclass
class _Answers:
    scores: dict[str, list[_Score]] = field(default_factory=dict)
    failed: bool = False  # an error was recorded


@dataclass
class _EvalRun:
    """One run: its system and task, its samples, and the scores it states."""

    path: Path
    run: str
    system: str = ""
    task: str = ""
    samples: dict[str, _Answers] = field(default_factory=dict)
    report: Mapping[str, Any] | None = None


def _recognise(glance: Glance) -> str:
    if glance.shape in ("lines", "object"):
        if glance.has("spec") and '"eval_name"' in glance.text:
            return "its first line has the spec of an eval"
        if glance.has(*_EVENT):
            return f"its lines have {', '.join(_EVENT)}"
    export = kind_of_export(glance)
    return f"{export} of the OpenAI Evals API" if export else ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    exports = {file for file in files if kind_of_export(Glance(file))}
    if exports:
        read_exports(log, [file for file in files if file in exports], choice)
    records = [file for file in files if file not in exports]
    if records:
        _read_records(log, records, choice)
    return log


def _read_records(log: Log, files: Sequence[Path], choice: Choice) -> None:
    runs = [run for file in files for run in _runs(file)]
    _name(runs)
    found = _scorers(runs)
    where = str(files[0])
    if choice.scorer is not None:
        names = dict.fromkeys(name for each in found.values() for name in each)
        pick(choice.scorer, list(names), "scorer", where)
    scorers = {
        task: choice.scorer or pick(None, each, f"score of a sample of {task}", where)
        for task, each in found.items()
    }
    for task, each in found.items():
        remarks = picked_remark(scorers[task], each, "scorer", "scorer")
        log.remarks += [about(task if len(found) > 1 else "", text) for text in remarks]
    for file in files:
        log.read(file, 0)
    again = Counter((run.system, run.task) for run in runs)
    by_subject: dict[tuple[str, str], list[_EvalRun]] = {}
    for run in runs:
        apart = again[run.system, run.task] > 1 and choice.files == "systems"
        system = f"{run.system} ({run.run})" if apart else run.system
        by_subject.setdefault((system, run.task), []).append(run)
    for (system, task), group in by_subject.items():
        _add(log, system, task, group, scorers[task])
        _claim(log, system, task, group, scorers[task])


def _runs(file: Path) -> Iterator[_EvalRun]:
    """Runs in a file by id; a file with a single run may lack ids."""
    runs: dict[str, _EvalRun] = {}
    latest = ""
    for at, row in lines(file):
        where = f"{file}, line {at}"
        spec = object_in(row, "spec")
        run_id = text_or_none(row.get("run_id") or spec.get("run_id")) or latest
        latest = run_id
        run = runs.setdefault(run_id, _EvalRun(file, run_id))
        if "spec" in row:
            run.system = _system(spec)
            run.task = text_or_none(spec.get("eval_name") or spec.get("base_eval")) or ""
        elif "final_report" in row:
            run.report = object_in(row, "final_report")
        elif "type" in row:
            _take(run, row, where)
        else:
            raise InputError(f"{where}: expected a spec, a final_report or an event.")
    yield from runs.values()


def _system(spec: Mapping[str, Any]) -> str:
    """System under test: completion functions, or models in older logs."""
    named = spec.get("completion_fns") or spec.get("model_names") or spec.get("model_name")
    if isinstance(named, dict):
        named = next((name for name in named.values() if name), None)
    if isinstance(named, list):
        return ", ".join(str(text_or_none(name)) for name in named)
    return text_or_none(named) or ""


def _take(run: _EvalRun, event: Mapping[str, Any], where: str) -> None:
    """Add the scores of an event to its sample."""
    if event.get("sample_id") is None:
        raise InputError(f"{where}: the event belongs to no sample; there is no 'sample_id'.")
    sample = run.samples.setdefault(name_of(event["sample_id"], f"{where}, sample_id"), _Answers())
    data, kind = object_in(event, "data"), event["type"]
    if kind == "error":
        sample.failed = True
    elif kind == "match":
        right = truth_or_none(data.get("correct"), f"{where}, correct")
        answer = text_or_none(data.get("picked") or data.get("sampled"))
        score = _Score(right, answer, text_or_none(data.get("expected")))
        sample.scores.setdefault("match", []).append(score)
    elif kind == "metrics":
        for name, value in data.items():
            number = number_or_none(value)
            if number is not None or value is None:
                sample.scores.setdefault(name, []).append(_Score(number))


def _name(runs: Sequence[_EvalRun]) -> None:
    """Name runs without a spec after their file."""
    nameless = [run for run in runs if not run.system]
    files = list(dict.fromkeys(run.path for run in nameless))
    names = dict(zip(files, systems_of(files), strict=True))
    for run in nameless:
        run.system = names[run.path]


def _scorers(runs: Sequence[_EvalRun]) -> dict[str, list[str]]:
    """Names of scores with at least one value, by task, the preferred one first."""
    there: dict[str, dict[str, None]] = {}
    for run in runs:
        mine = there.setdefault(run.task, {})
        for sample in run.samples.values():
            for name, scores in sample.scores.items():
                if name not in mine and any(score.value is not None for score in scores):
                    mine[name] = None
    return {
        task: [
            *(scorer for scorer in _FIRST if scorer in mine),
            *(scorer for scorer in mine if scorer not in _FIRST),
        ]
        for task, mine in there.items()
    }


def _add(log: Log, system: str, task: str, runs: Sequence[_EvalRun], scorer: str) -> None:
    """Add a row per score of a sample, or one for a sample without scores."""
    start = several = unscored = 0
    for run in runs:
        most = 1
        for question, sample in run.samples.items():
            scores = sample.scores.get(scorer, [])
            log.read(run.path, max(len(scores), 1))
            most = max(most, len(scores))
            several += len(scores) > 1
            for at, score in enumerate(scores or [_Score(None)]):
                lost = "error" if sample.failed else "unscored"
                unscored += score.value is None and not sample.failed
                log.add(
                    system=system,
                    task=task,
                    question=question,
                    trial=start + at,
                    outcome=score.value,
                    status="ok" if score.value is not None else lost,
                    answer=score.answer,
                    target=score.target,
                )
        start += most
        if run.report is None:
            log.remarks.append(
                f"{run.path.name}: there is no final report, so the run may be incomplete."
            )
    subject = f"{system} · {task}"
    if several:
        log.remarks.append(
            warning(
                f"{subject}: {several} samples have several {scorer!r} scores, which are read as "
                f"trials of the sample. If they are checks of a single answer, the error bar is "
                f"wrong."
            )
        )
    if unscored:
        log.remarks.append(f"{subject}: {unscored} samples have no {scorer!r}, and so no result.")
    if len(runs) > 1:
        text = f"{subject}: {len(runs)} runs ({runs[0].run} …) are read as trials of one system"
        log.remarks.append(guess(text, option="--files systems", argument="files='systems'"))


def _claim(log: Log, system: str, task: str, runs: Sequence[_EvalRun], scorer: str) -> None:
    """Add the scores stated in final reports, which are means over events.

    These equal the mean over samples if all samples have equally many events.
    """
    name = "accuracy" if scorer == "match" else scorer
    stated = [number_or_none(run.report.get(name)) for run in runs if run.report is not None]
    numbers = [number for number in stated if number is not None]
    if len(numbers) < len(runs):
        return
    of = f", mean of {len(runs)} runs" if len(runs) > 1 else ""
    mean = sum(numbers) / len(numbers)
    known = [_results_by_sample(run, scorer) for run in runs]
    if len({n for counts in known for n in counts.values()}) == 1 and all(
        counts.keys() == known[0].keys() for counts in known
    ):
        log.claims.append(Claim(f"{name}{of}", mean, "avg", system, task, errors="missing"))
    else:
        log.remarks.append(
            f"{system} · {task}: the log states {name}{of} {mean:.4g}, which is a mean over "
            f"events, "
            f"while samples have different numbers of them."
        )


def _results_by_sample(run: _EvalRun, scorer: str) -> dict[str, int]:
    """Number of results of each sample that has any."""
    scores = {name: sample.scores.get(scorer, []) for name, sample in run.samples.items()}
    counts = {
        name: sum(sample.value is not None for sample in each) for name, each in scores.items()
    }
    return {name: n for name, n in counts.items() if n}


READER = Reader(
    "openai_evals",
    JSON,
    _recognise,
    _read,
    files=("systems", "trials"),
    keys=("spec", "event_id", "datasource_item_id", "object", "result_counts"),
)
