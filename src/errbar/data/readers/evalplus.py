"""Results of EvalPlus: `…_eval_results.json`, as it writes them now and up to 0.2.0.

    {"date": "…", "hash": "…", "eval": {"HumanEval/0": [
        {"task_id": "HumanEval/0", "solution": "…", "base_status": "pass", "plus_status": "fail"}]}}

    {"eval": {"HumanEval/0": {"nfiles": 2, "base": [["success", […]], ["failed", […]]], "plus": …}}}

Samples of a task are its trials. For `plus` the tests of the original benchmark and the added ones
must pass, for `base` only the former; EvalPlus reports both. A run of `base` alone has no `plus`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    number_or_none,
    object_of,
    require_key,
    require_list,
    require_object,
)
from errbar.data.readers.log_names import names_within_tasks
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import data_set_of
from errbar.errors import InputError

_ENDINGS = ("eval_results.json",)
_PASSED, _FAILED, _LATE = ("pass", "success"), ("fail", "failed"), ("timeout", "timed out")
_KNOWN = frozenset({*_PASSED, *_FAILED, *_LATE})
_SIGNS = re.compile(r'"(base_status|plus_status|nfiles|files)"\s*:')


_Sample = tuple[str | None, str | None]  # status of the base and plus tests; None if not run


class _Results(NamedTuple):
    """One file."""

    tasks: dict[str, list[_Sample]]
    stated: Any  # pass@k
    files: float | None  # number of samples stated by older logs


def _recognise(glance: Glance) -> str:
    if glance.has("eval") and not glance.has("version"):
        sign = _SIGNS.search(glance.text)
        return f"a JSON document with eval and {sign.group(1)}" if sign else ""
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    found = [_results(file) for file in files]
    has_plus = any(
        plus for evaluation in found for each in evaluation.tasks.values() for _, plus in each
    )
    scorers = ["plus", "base"] if has_plus else ["base"]
    scorer = log.choose_scorer(choice.scorer, scorers, "scorer", str(files[0]))
    data_sets = {
        file: ", ".join(dict.fromkeys(map(data_set_of, evaluation.tasks)))
        for file, evaluation in zip(files, found, strict=True)
    }
    naming = names_within_tasks(data_sets, choice.files, *_ENDINGS)
    log.remarks += naming.remarks
    subjects = list(zip(naming.systems, data_sets.values(), strict=True))
    often = Counter(subjects)
    before: Counter[tuple[str, str]] = Counter()  # trials of a system in earlier files
    statuses: Counter[str] = Counter()
    for file, evaluation, subject in zip(files, found, subjects, strict=True):
        statuses += _add(log, file, evaluation, subject[0], scorer, before[subject])
        before[subject] += max(map(len, evaluation.tasks.values()), default=0)
        if often[subject] == 1:
            log.claims += _claims(evaluation, scorer, subject[0])
    if statuses["limit"]:
        log.remarks.append(f"{statuses['limit']} samples timed out and count as wrong.")
    if statuses["unscored"]:
        log.remarks.append(
            f"{statuses['unscored']} samples were not run on the tests of {scorer!r}; they have no "
            f"result."
        )
    return log


def _add(
    log: Log, file: Path, results: _Results, system: str, scorer: str, before: int
) -> Counter[str]:
    """Add a row per sample, or one for a task without samples; returns counts per status."""
    statuses: Counter[str] = Counter()
    log.read(file, sum(map(len, results.tasks.values())))
    for question, samples in results.tasks.items():
        task = _task(question, scorer)
        if not samples:
            log.add_absent(file, "tasks without samples")
        judged = [_judgement(sample, scorer) for sample in samples] or [(None, "missing")]
        outcomes, found = zip(*judged, strict=True)
        size = len(judged)
        statuses.update(found)
        log.extend(
            system=[system] * size,
            task=[task] * size,
            question=[question] * size,
            trial=range(before, before + size),
            outcome=outcomes,
            status=found,
        )
    return statuses


def _task(question: str, scorer: str) -> str:
    return data_set_of(question) + "+" * (scorer == "plus")


def _results(file: Path) -> _Results:
    where = str(file)
    whole = object_of(file)
    tasks = require_object(require_key(whole, "eval", where), f"{where}, eval")
    found = {question: list(_samples(task, where, question)) for question, task in tasks.items()}
    files = [
        number_or_none(task.get("nfiles")) for task in tasks.values() if isinstance(task, dict)
    ]
    counts = [n for n in files if n is not None]
    return _Results(
        found, whole.get("pass_at_k"), sum(counts) if len(counts) == len(tasks) else None
    )


def _samples(entry: Any, file: str, question: str) -> Iterator[_Sample]:
    """Samples in any of the layouts, including that of a fork that numbers them."""
    if isinstance(entry, list):
        for at, sample in enumerate(entry):
            if not isinstance(sample, dict):
                require_object(sample, f"{file}, {question}, sample {at}")
            yield _sample(sample.get("base_status"), sample.get("plus_status"), file, question, at)
        return
    where = f"{file}, {question}"
    by_name = require_object(entry, where)
    if "base" not in by_name:
        for name, value in by_name.items():
            if not name.isdecimal():
                raise InputError(f"{where}: expected samples, found {name!r}.")
            yield from _samples(value, file, f"{question}, sample {name}")
        return
    base = require_list(by_name["base"], f"{where}, base")
    plus = require_list(by_name.get("plus") or [[None]] * len(base), f"{where}, plus")
    if len(base) != len(plus):
        raise InputError(f"{where}: {len(base)} samples have base tests, {len(plus)} plus tests.")
    for at, pair in enumerate(zip(base, plus, strict=True)):
        place = f"{where}, sample {at}"
        first, second = ((require_list(results, place) or [None])[0] for results in pair)
        yield _sample(first, second, file, question, at)


def _sample(base: Any, plus: Any, file: str, question: str, at: int) -> _Sample:
    for status in (base, plus):
        if status is not None and not (isinstance(status, str) and status in _KNOWN):
            raise InputError(
                f"{file}, {question}, sample {at}: a status is pass, fail or timeout; this is "
                f"{status!r}."
            )
    return base, plus


@cache
def _judgement(sample: _Sample, scorer: str) -> tuple[float | None, str]:
    """Outcome and status; `plus` requires both kinds of tests, as in EvalPlus."""
    judgements = sample if scorer == "plus" else sample[:1]
    if any(verdict in _FAILED for verdict in judgements):
        return 0.0, "ok"
    if any(verdict in _LATE for verdict in judgements):
        return 0.0, "limit"  # a program that does not finish is wrong
    return (None, "unscored") if None in judgements else (1.0, "ok")


def _claims(results: _Results, scorer: str, system: str) -> Iterator[Claim]:
    """Pass@k and the number of samples stated for a data set."""
    names = {_task(question, scorer) for question in results.tasks}
    if len(names) != 1:
        return
    task = names.pop()
    stated = results.stated.get(scorer) if isinstance(results.stated, Mapping) else None
    for name, value in stated.items() if isinstance(stated, Mapping) else ():
        number = number_or_none(value)
        if number is not None and re.fullmatch(r"pass@[1-9]\d*", name):
            yield Claim(f"{name} ({scorer})", number, name, system, task)
    if results.files is not None:
        yield Claim("nfiles", results.files, "rows", system, task)


READER = Reader(
    "evalplus",
    ("object",),
    _recognise,
    _read,
    chooses=("scorer", "files"),
    files=("systems", "trials"),
    keys=("eval",),
)
