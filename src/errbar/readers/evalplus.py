"""Results of EvalPlus: `…_eval_results.json`, as it writes them now and up to 0.2.0.

    {"date": "…", "hash": "…", "eval": {"HumanEval/0": [
        {"task_id": "HumanEval/0", "solution": "…", "base_status": "pass", "plus_status": "fail"}]}}

    {"eval": {"HumanEval/0": {"nfiles": 2, "base": [["success", […]], ["failed", […]]], "plus": …}}}

Samples of a task are its trials. `plus` asks that the tests of the original benchmark pass and the
added ones too, `base` only the former; EvalPlus reports both. A run of `base` alone has no `plus`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.naming import data_set_of, systems_of
from errbar.data.origin import Claim
from errbar.errors import InputError
from errbar.readers.base import Choice, Glance, Log, Reader, pick, picked_remark
from errbar.readers.documents import (
    number_or_none,
    object_of,
    require_key,
    require_list,
    require_object,
)

_ENDINGS = ("eval_results.json",)
_PASSED, _FAILED, _LATE = ("pass", "success"), ("fail", "failed"), ("timeout", "timed out")
_KNOWN = (*_PASSED, *_FAILED, *_LATE)
_SIGNS = re.compile(r'"(base_status|plus_status|nfiles|files)"\s*:')


class _Sample(NamedTuple):
    """What the tests of a sample said; None where they were not run."""

    base: str | None
    plus: str | None


def _recognise(glance: Glance) -> str:
    if glance.shape == "object" and glance.has("eval") and not glance.has("version"):
        sign = _SIGNS.search(glance.text)
        return f"a JSON document with eval and {sign.group(1)}" if sign else ""
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    found = [_tasks(file) for file in files]
    samples = [one for tasks, _ in found for each in tasks.values() for one in each]
    scorers = ["plus", "base"] if any(one.plus is not None for one in samples) else ["base"]
    scorer = pick(choice.scorer, scorers, "scorer", str(files[0]))
    log.remarks += picked_remark(scorer, scorers, "the scorer", "scorer")
    statuses: Counter[str] = Counter()
    for (tasks, said), system in zip(found, systems_of(files, *_ENDINGS), strict=True):
        for question, each in tasks.items():
            task = data_set_of(question) + "+" * (scorer == "plus")
            for trial, sample in enumerate(each or [None]):
                outcome, status = _judged(sample, scorer) if sample else (None, "missing")
                statuses[status] += 1
                log.add(
                    system=system,
                    task=task,
                    question=question,
                    trial=trial,
                    outcome=outcome,
                    status=status,
                )
        names = {data_set_of(question) + "+" * (scorer == "plus") for question in tasks}
        if len(names) == 1:
            log.claims += _claims(said, scorer, system, names.pop())
    if statuses["limit"]:
        log.remarks.append(f"{statuses['limit']} samples timed out, and are wrong.")
    if statuses["unscored"]:
        log.remarks.append(
            f"{statuses['unscored']} samples were not run on the tests of {scorer!r}; they have no "
            f"result."
        )
    return log


def _tasks(file: Path) -> tuple[dict[str, list[_Sample]], Any]:
    """The samples of every task, and the pass@k that the log states."""
    where = str(file)
    whole = object_of(file)
    tasks = require_object(require_key(whole, "eval", where), f"{where}, eval")
    found = {
        question: list(_samples(one, f"{where}, {question}")) for question, one in tasks.items()
    }
    return found, whole.get("pass_at_k")


def _samples(told: Any, where: str) -> Iterator[_Sample]:
    """Samples in any of the layouts, and in that of a fork which numbers them."""
    if isinstance(told, list):
        for at, one in enumerate(told):
            place = f"{where}, sample {at}"
            sample = require_object(one, place)
            yield _Sample(
                _status(sample.get("base_status"), place), _status(sample.get("plus_status"), place)
            )
        return
    by_name = require_object(told, where)
    if "base" not in by_name:
        for name, one in by_name.items():
            if not name.isdecimal():
                raise InputError(f"{where}: samples are expected; there is {name!r}.")
            yield from _samples(one, f"{where}, sample {name}")
        return
    base = require_list(by_name["base"], f"{where}, base")
    plus = require_list(by_name.get("plus") or [[None]] * len(base), f"{where}, plus")
    if len(base) != len(plus):
        raise InputError(f"{where}: {len(base)} samples have base tests, {len(plus)} plus tests.")
    for at, pair in enumerate(zip(base, plus, strict=True)):
        place = f"{where}, sample {at}"
        yield _Sample(*(_status((require_list(one, place) or [None])[0], place) for one in pair))


def _status(told: Any, where: str) -> str | None:
    if told is None or told in _KNOWN:
        return told
    raise InputError(f"{where}: a status is pass, fail or timeout; this is {told!r}.")


def _judged(sample: _Sample, scorer: str) -> tuple[float | None, str]:
    """Outcome and status: plus asks for both kinds of tests, as EvalPlus does."""
    said = [sample.base, sample.plus] if scorer == "plus" else [sample.base]
    if any(one in _FAILED for one in said):
        return 0.0, "ok"
    if any(one in _LATE for one in said):
        return 0.0, "limit"  # a program that never ends is a wrong one
    return (None, "unscored") if None in said else (1.0, "ok")


def _claims(said: Any, scorer: str, system: str, task: str) -> Iterator[Claim]:
    stated = said.get(scorer) if isinstance(said, Mapping) else None
    for name, value in stated.items() if isinstance(stated, Mapping) else ():
        number = number_or_none(value)
        if number is not None and re.fullmatch(r"pass@[1-9]\d*", name):
            yield Claim(f"{name} ({scorer})", number, name, system, task)


READER = Reader("evalplus", _recognise, _read)
