"""Results of BigCodeBench: `…_eval_results.json` and `…_pass_at_k.json`.

    {"date": "…", "eval": {"BigCodeBench/0": [
        {"task_id": "BigCodeBench/0", "solution": "…", "status": "pass", "details": {}}]}}

    {"pass@1": 0.5, "model": "…", "split": "instruct", "subset": "hard", "calibrated": true,
     "gt_pass_rate": 0.99, "failed_tasks": ["BigCodeBench/3"]}

Samples of a task are its trials. The second file states pass@k and the tasks whose reference
solution failed in the test environment; BigCodeBench scores these like all others.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess, some_of, warning
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    list_in,
    number_or_none,
    object_of,
    require_list,
    require_object,
    text_or_none,
)
from errbar.data.readers.log_names import runs_apart
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import name_systems
from errbar.errors import InputError

_RESULTS, _TOTALS = "eval_results.json", "pass_at_k.json"
_JUDGED: dict[str, tuple[float, str]] = {
    "pass": (1.0, "ok"),
    "fail": (0.0, "ok"),
    "timeout": (0.0, "limit"),  # a program that does not finish is wrong
}
_UNJUDGED = (None, "unscored")
_STATED = ("gt_pass_rate", "failed_tasks", "calibrated")
_SAMPLES = re.compile(r'"eval"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[')
# <model>--bigcodebench[-hard]-<split>--<backend>-<temperature>-<samples>-sanitized_calibrated
_NAME = re.compile(
    r"(?P<model>.+?)--bigcodebench(?P<subset>-hard)?-(?P<split>complete|instruct)(?:--(?P<how>.*))?"
)


_Statuses = dict[str, list[str | None]]  # of the samples of each task


class _EvalResults(NamedTuple):
    """A file of results, with the details in its name or in the totals file, and its tasks."""

    path: Path
    model: str  # empty if unknown
    task: str
    how: str  # backend, temperature, number of samples
    tasks: _Statuses
    totals: Mapping[str, Any]


def _recognise(glance: Glance) -> str:
    if glance.has(*_STATED):
        return f"a JSON document with {', '.join(_STATED)}"
    text = glance.text
    if not glance.has("eval") or not _SAMPLES.search(text):
        return ""
    if '"base_status"' in text or not ('"status"' in text and '"solution"' in text):
        return ""
    return "a JSON document with eval, whose samples have solution and status"


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    results: dict[Path, _Statuses] = {}
    totals: dict[Path, Mapping[str, Any]] = {}
    for path in files:
        whole = object_of(path)
        if "eval" in whole:
            results[path] = _statuses(path, whole["eval"])
        else:
            totals[path] = whole
    if not results:
        raise InputError(
            f"{files[0]}: this file of BigCodeBench has only totals, and an error bar needs every "
            f"sample; load the {_RESULTS} file too."
        )
    opened = [_opened(path, tasks, totals) for path, tasks in results.items()]
    used = {_beside(path) for path in results}
    for path in totals:
        if path in used:
            log.read(path, 0)
        else:
            log.skip(path, f"it has only totals, and there is no {_RESULTS} next to it")
    systems = _systems(opened, choice, log)
    runs = Counter((system, file.task) for file, system in zip(opened, systems, strict=True))
    starts: Counter[tuple[str, str]] = Counter()
    for file, system in zip(opened, systems, strict=True):
        _add(log, file, system, starts)
        if runs[system, file.task] == 1:
            log.claims += _claims(file, system)
    for (system, task), n in runs.items():
        if n > 1:
            text = (
                f"{system} · {task}: {n} files are read as runs of one system, with their samples "
                f"as trials; the pass@k that each states is not checked"
            )
            log.remarks.append(guess(text, option="--files systems", argument="files='systems'"))
    return log


def _statuses(path: Path, entry: Any) -> _Statuses:
    """Status of every sample of each task; solutions are dropped."""
    tasks = require_object(entry, f"{path}, eval")
    found: _Statuses = {}
    for question, samples in tasks.items():
        where = f"{path}, {question}"
        found[question] = []
        for at, value in enumerate(require_list(samples, where)):
            sample = (
                value if isinstance(value, dict) else require_object(value, f"{where}, sample {at}")
            )
            status = sample.get("status")
            if status is not None and (not isinstance(status, str) or status not in _JUDGED):
                raise InputError(
                    f"{where}, sample {at}: a status is pass, fail or timeout; this is {status!r}."
                )
            found[question].append(status)
    return found


def _beside(path: Path) -> Path:
    """Path of the totals of a file of results."""
    return path.with_name(path.name.replace(_RESULTS, _TOTALS))


def _opened(path: Path, tasks: _Statuses, totals: Mapping[Path, Mapping[str, Any]]) -> _EvalResults:
    beside = _beside(path)
    totals_beside = totals.get(beside)
    if totals_beside is None:
        totals_beside = object_of(beside) if beside != path and beside.is_file() else {}
    named = _NAME.fullmatch(path.name.removesuffix(f"_{_RESULTS}"))
    if named:
        model, how, split = named["model"], named["how"] or "", named["split"]
        is_hard = named["subset"] is not None
    else:
        model, how, split = "", "", text_or_none(totals_beside.get("split")) or ""
        is_hard = totals_beside.get("subset") == "hard"
    name = "BigCodeBench-Hard" if is_hard else "BigCodeBench"
    task = f"{name} ({split})" if split else name
    return _EvalResults(path, model, task, how, tasks, totals_beside)


def _systems(files: Sequence[_EvalResults], choice: Choice, log: Log) -> list[str]:
    """Systems are the models in the file names, with the settings where these differ."""
    if not all(file.model for file in files):
        naming = name_systems([file.path for file in files], _RESULTS, files_are=choice.files)
        log.remarks += naming.remarks
        return naming.systems
    ways: dict[tuple[str, str], set[str]] = {}
    for file in files:
        ways.setdefault((file.model, file.task), set()).add(file.how)
    apart = [f"{file.model} ({file.how})" for file in files]
    alike = [len(ways[file.model, file.task]) == 1 for file in files]
    named = [
        file.model if same else name for file, same, name in zip(files, alike, apart, strict=True)
    ]
    subjects = {file.path: (system, file.task) for file, system in zip(files, named, strict=True)}
    return list(runs_apart(subjects, choice.files, _RESULTS).values())


def _add(log: Log, file: _EvalResults, system: str, starts: Counter[tuple[str, str]]) -> None:
    """Add a row per sample; trials of further files of a system and task are numbered on."""
    log.read(file.path, sum(map(len, file.tasks.values())))
    start = starts[system, file.task]
    broken = {task for task in list_in(file.totals, "failed_tasks") if isinstance(task, str)}
    columns: dict[str, list[Any]] = {"question": [], "trial": []}
    columns |= {"reference": []} if broken else {}
    judged: list[tuple[float | None, str]] = []
    for question, samples in file.tasks.items():
        if not samples:
            log.add_absent(file.path, "tasks without a sample")
        size = len(samples) or 1
        judged += [_JUDGED[mark] if mark else _UNJUDGED for mark in samples] or [(None, "missing")]
        columns["question"] += [question] * size
        columns["trial"] += range(start, start + size)
        if broken:
            columns["reference"] += ["failed" if question in broken else "passed"] * size
    columns["outcome"] = [outcome for outcome, _ in judged]
    columns["status"] = [status for _, status in judged]
    counts = Counter(columns["status"])
    counts["broken"] = columns.get("reference", []).count("failed")
    log.extend(system=[system] * len(judged), task=[file.task] * len(judged), **columns)
    starts[system, file.task] += max(map(len, file.tasks.values()), default=0)
    log.remarks += _remarks(file, system, broken, counts)


def _remarks(
    file: _EvalResults, system: str, broken: set[str], counts: Mapping[str, int]
) -> Iterator[str]:
    if counts.get("limit"):
        yield f"{system}: {counts['limit']} samples timed out and count as wrong."
    if counts.get("unscored"):
        yield f"{system}: {counts['unscored']} samples have no status and thus no result."
    if counts.get("broken"):
        names = some_of(sorted(broken))
        yield warning(
            f"{system} · {file.task}: a reference solution failed for {len(broken)} of the tasks "
            f"in the test environment ({names}), so {counts['broken']} samples may be wrong "
            f"through no fault of the model. BigCodeBench scores them, and so does errbar; the "
            f"column 'reference' marks them."
        )
    if file.totals.get("calibrated") is False:
        yield f"{system}: the run is not calibrated; the BigCodeBench leaderboard is."


def _claims(file: _EvalResults, system: str) -> Iterator[Claim]:
    for name, value in file.totals.items():
        number = number_or_none(value)
        if number is not None and re.fullmatch(r"pass@[1-9]\d*", name):
            yield Claim(name, number, name, system, file.task)


READER = Reader(
    "bigcodebench",
    ("object",),
    _recognise,
    _read,
    chooses=(),
    files=("systems", "trials"),
    keys=("gt_pass_rate", "eval"),
)
