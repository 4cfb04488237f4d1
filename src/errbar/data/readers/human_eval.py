"""Results of human-eval, a line for each sample, and of MultiPL-E, a file for each problem.

    {"task_id": "HumanEval/0", "completion": "…", "result": "timed out", "passed": false}

    {"name": "HumanEval_0_has_close_elements", "language": "go", "results": [
        {"status": "OK", "exit_code": 0, "program": "…"}, {"status": "SyntaxError", …}]}

The former is `samples.jsonl_results.jsonl`; samples of a problem are its trials, in file order
unless there is a `completion_id`. The harness prints pass@k only if every problem has k samples,
and otherwise omits it without notice.

MultiPL-E, the same problems in other languages, writes `<experiment>/<problem>.results.json`. A
program is right if its status is OK and its exit code 0. The name of the experiment has the data
set, the language, the model and its settings: `humaneval-go-incoder-0.8-reworded`.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.readers.base import Glance, Reader, has_keys
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    is_whole,
    lines,
    name_of,
    object_of,
    require_key,
    require_list,
    require_object,
    truth_or_none,
)
from errbar.data.readers.file_formats import is_lines_by_name
from errbar.data.readers.logs import Log
from errbar.data.readers.tables.naming import data_set_of, name_systems, systems_of
from errbar.errors import InputError

_ENDINGS = (".jsonl_results.jsonl", "_results.jsonl")

_EXPERIMENT = re.compile(r"(?P<task>[a-z]+-[a-z+#]+)-(?P<system>.+-[\d.]+-\w+)")

_is_samples = has_keys(
    (
        "lines with task_id, completion, result and passed",
        *("task_id", "completion", "result", "passed"),
    )
)


def _recognise(glance: Glance) -> str:
    if glance.shape == "lines":
        return _is_samples(glance)
    is_of_programs = '"exit_code"' in glance.text and '"status"' in glance.text
    if is_of_programs and glance.has("name", "language", "results"):
        return "a JSON document with name, language and results that have an exit_code"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    others = [file for file in files if not is_lines_by_name(file)]
    experiments = [file for file in others if Glance(file).shape == "object"]
    apart = set(experiments)
    _add_samples(log, [file for file in files if file not in apart], choice)
    _add_programs(log, experiments, choice)
    return log


def _add_samples(log: Log, files: Sequence[Path], choice: Choice) -> None:
    """Add the samples of human-eval."""
    naming = name_systems(files, *_ENDINGS, files_are=choice.files)
    log.remarks += naming.remarks
    counts: dict[str, defaultdict[str, int]] = {}  # samples of each problem, by system
    late: defaultdict[str, int] = defaultdict(int)
    for file, system in zip(files, naming.systems, strict=True):
        goes_on = system in counts  # sample ids are unique only within a file
        samples = counts.setdefault(system, defaultdict(int))
        rows = 0
        for at, sample in lines(file):
            question = sample.get("task_id")
            if not isinstance(question, str):
                where = f"{file}, line {at}"
                question = name_of(require_key(sample, "task_id", where), where)
            passed = sample.get("passed")
            if passed is not True and passed is not False:
                passed = truth_or_none(passed, f"{file}, line {at}, passed")
            status = _status(sample, passed)
            if status == "limit":
                late[system] += 1
            number = sample.get("completion_id")
            log.add(
                system=system,
                task=data_set_of(question),
                question=question,
                trial=number if is_whole(number) and not goes_on else samples[question],
                outcome=None if passed is None else float(passed),
                status=status,
            )
            samples[question] += 1
            rows += 1
        log.read(file, rows)
    for system, samples in counts.items():
        log.remarks += _remarks(system, samples, late[system])


def _add_programs(log: Log, files: Sequence[Path], choice: Choice) -> None:
    """Add the programs of MultiPL-E; a folder is an experiment."""
    if files and choice.files not in (None, "systems"):
        raise InputError(
            f"{files[0]}: a file of MultiPL-E is a problem, and its folder is a system; they are "
            f"not {choice.files}."
        )
    by_folder = _experiments(list(dict.fromkeys(file.absolute().parent for file in files)))
    if len(by_folder) > 1:
        log.remarks.append(f"Systems are the experiments that the {len(by_folder)} folders name.")
    late = 0
    for file in files:
        system, task = by_folder[file.absolute().parent]
        whole, where = object_of(file), str(file)
        question = name_of(require_key(whole, "name", where), where)
        programs = require_list(require_key(whole, "results", where), f"{where}, results")
        log.read(file, len(programs))
        for at, program in enumerate(programs):
            place = f"{where}, results, {at}"
            status = require_key(require_object(program, place), "status", place)
            is_right = status == "OK" and program.get("exit_code") == 0
            late += status == "Timeout"
            log.add(
                system=system,
                task=task,
                question=question,
                trial=at,
                outcome=float(is_right),
                status="limit" if status == "Timeout" else "ok",
            )
    if late:
        log.remarks.append(f"{late} programs timed out and count as wrong.")


def _experiments(folders: Sequence[Path]) -> dict[Path, tuple[str, str]]:
    """System and task of each experiment."""
    named = {folder: _EXPERIMENT.fullmatch(folder.name) for folder in folders}
    found = {folder: (match["system"], match["task"]) for folder, match in named.items() if match}
    if len(set(found.values())) == len(folders):
        return found
    names = systems_of([folder / "-" for folder in folders], "-")
    return {folder: (name, "") for folder, name in zip(folders, names, strict=True)}


def _status(sample: Mapping[str, Any], passed: float | None) -> str:
    if not passed and sample.get("result") == "timed out":
        return "limit"  # a program that does not finish is wrong
    return "unscored" if passed is None else "ok"


def _remarks(system: str, samples: Mapping[str, int], late: int) -> list[str]:
    remarks = []
    most, fewest = max(samples.values(), default=0), min(samples.values(), default=0)
    if fewest < most:
        few = sum(n < most for n in samples.values())
        remarks.append(
            f"{system}: {few} of {len(samples)} problems have fewer than {most} samples, one has "
            f"{fewest}; human-eval leaves out pass@k for k > {fewest} and does not say so."
        )
    if late:
        remarks.append(f"{system}: {late} samples timed out and count as wrong.")
    return remarks


READER = Reader(
    "human_eval",
    ("lines", "object"),
    _recognise,
    _read,
    chooses=("files",),
    files=("systems", "trials", "parts"),
    keys=("completion", "language"),
)
