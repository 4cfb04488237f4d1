"""Results of OpenCompass with details: `results/<model>/<data set>.json`.

    {"accuracy (2 runs average)": 50.0, "G-Pass@2_0.5": 100.0, "details": [
        {"example_abbr": "sums_0", "pred": ["0", "1"], "answer": ["0", "0"],
         "correct": [true, false]}]}

Run once, details are an object by the number of the question, with `predictions`, `references` and
`correct`. Results without details hold no outcomes, and are not recognised.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.errors import InputError
from errbar.readers.base import Choice, Glance, Log, Reader
from errbar.readers.documents import (
    name_of,
    number_or_none,
    object_of,
    require_list,
    require_object,
    text_or_none,
)

_CORRECT = ("correct", "is_correct", "cascade_correct")
_REPEATED = re.compile(r'"details"\s*:\s*\[\s*\{[^{}]*"example_abbr"')
_ONCE = re.compile(r'"details"\s*:\s*\{\s*"type"\s*:\s*"(GEN|PPL)"')
_ACCURACY = re.compile(r"accuracy(?: \((\d{1,9}) runs average\))?")
_G_PASS = re.compile(r"m?G-Pass@\d{1,6}(?:_[\d.]+)?")


def _recognise(glance: Glance) -> str:
    if glance.shape != "object" or not glance.has("details"):
        return ""
    if _REPEATED.search(glance.text):
        return "a JSON document with details that have an example_abbr"
    once = _ONCE.search(glance.text)
    return f"a JSON document with details of the type {once[1]}" if once else ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    before: Counter[tuple[str, str]] = Counter()
    claims: dict[tuple[str, str], list[Claim]] = {}  # none of what was run more than once
    for path in files:
        result = object_of(path)
        system, task = (
            path.resolve().parent.name,
            path.name.removesuffix(".gz").removesuffix(".json"),
        )
        key = (system, task)
        again = before[key]
        if again:
            log.remarks.append(
                f"{path} is of {system} on {task} once more; its trials are numbered on from "
                f"{again}."
            )
        trials = [
            _add(log, key, question, detail, again, where)
            for question, detail, where in _details(result, path)
        ]
        log.read(path, sum(trials))
        if not trials:
            log.skip(path, "its details are empty")
        before[key] += max(trials, default=0)
        claims[key] = [] if key in claims else list(_claims(result, len(trials), *key))
    log.claims = [claim for of_one in claims.values() for claim in of_one]
    return log


def _details(result: Mapping[str, Any], path: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Questions, what was written of each, and where."""
    details = result.get("details")
    if isinstance(details, list):
        for at, one in enumerate(details):
            where = f"{path}, details[{at}]"
            detail = require_object(one, where)
            yield name_of(detail.get("example_abbr"), f"{where}.example_abbr"), detail, where
        return
    for name, one in require_object(details, f"{path}, details").items():
        if name != "type":
            yield name, require_object(one, f"{path}, details.{name}"), f"{path}, details.{name}"


def _add(
    log: Log,
    key: tuple[str, str],
    question: str,
    detail: Mapping[str, Any],
    before: int,
    where: str,
) -> int:
    """The trials of a question; how many there are."""
    name = next((name for name in _CORRECT if name in detail), None)
    if name is None:
        raise InputError(
            f"{where}: nothing says whether the answer is right; there is none of "
            f"{', '.join(_CORRECT)}."
        )
    marks = _listed(detail[name])
    if not marks:
        raise InputError(f"{where}.{name}: the list is empty.")
    answers = _of_each(detail, ("pred", "predictions"), len(marks), where)
    targets = _of_each(detail, ("answer", "references"), len(marks), where)
    for trial, mark in enumerate(marks):
        outcome = number_or_none(mark)
        log.add(
            system=key[0],
            task=key[1],
            question=question,
            trial=before + trial,
            outcome=outcome,
            status="unscored" if outcome is None else "ok",
            answer=text_or_none(answers[trial]),
            target=text_or_none(targets[trial]),
        )
    return len(marks)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _of_each(detail: Mapping[str, Any], names: Sequence[str], size: int, where: str) -> list[Any]:
    """What stands under the first of these names that is there, for every trial."""
    name = next((name for name in names if name in detail), None)
    if name is None:
        return [None] * size
    if size == 1 and not (isinstance(detail[name], list) and len(detail[name]) == 1):
        return [detail[name]]
    found = require_list(detail[name], f"{where}.{name}")
    if len(found) != size:
        raise InputError(f"{where}: there are {len(found)} of {name!r} for {size} trials.")
    return found


def _claims(result: Mapping[str, Any], questions: int, system: str, task: str) -> Iterator[Claim]:
    """Accuracy and G-Pass@k, which are in per cent, and how often each question was asked."""
    for name, stated in result.items():
        value = number_or_none(stated)
        if value is None:
            continue
        accuracy = _ACCURACY.fullmatch(name)
        if accuracy:
            yield Claim(name, value / 100, "avg", system, task)
            if accuracy[1]:
                runs = int(accuracy[1])
                yield Claim(f"{runs} runs", runs * questions, "rows", system, task)
        elif _G_PASS.fullmatch(name):
            yield Claim(name, value / 100, name.lower(), system, task)


READER = Reader("opencompass", _recognise, _read, chooses=())
