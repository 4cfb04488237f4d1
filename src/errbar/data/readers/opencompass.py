"""Results of OpenCompass with details: `results/<model>/<data set>.json`.

    {"accuracy (2 runs average)": 50.0, "G-Pass@2_0.5": 100.0, "details": [
        {"example_abbr": "sums_0", "pred": ["0", "1"], "answer": ["0", "0"],
         "correct": [true, false]}]}

For a single run, details are an object keyed by question number, with `predictions`, `references`
and `correct`. Results without details have no outcomes and are not recognised.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.readers.base import Glance, Reader, joined_runs_remark
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    name_of,
    number_or_none,
    numbers_or_none,
    object_of,
    require_list,
    require_object,
    texts_or_none,
)
from errbar.data.readers.log_names import FILES_ARE, runs_apart
from errbar.data.readers.logs import Claim, Log
from errbar.errors import InputError

_COLUMNS = ("question", "trial", "outcome", "status", "answer", "target")
_CORRECT = ("correct", "is_correct", "cascade_correct")
_REPEATED = re.compile(r'"details"\s*:\s*\[\s*\{[^{}]*"example_abbr"')
_ONCE = re.compile(r'"details"\s*:\s*\{\s*"type"\s*:\s*"(GEN|PPL)"')
_ACCURACY = re.compile(r"accuracy(?: \((\d{1,9}) runs average\))?")
_G_PASS = re.compile(r"m?G-Pass@\d{1,6}(?:_[\d.]+)?")


def _recognise(glance: Glance) -> str:
    if not glance.has("details"):
        return ""
    if _REPEATED.search(glance.text):
        return "a JSON document with details that have an example_abbr"
    once = _ONCE.search(glance.text)
    return f"a JSON document with details of the type {once[1]}" if once else ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    subjects = {path: _subject(path) for path in files}
    systems = runs_apart(subjects, choice.files)
    before: Counter[tuple[str, str]] = Counter()
    runs: dict[tuple[str, str], list[str]] = defaultdict(list)  # folders, named after a time
    claims: dict[tuple[str, str], list[Claim]] = {}  # only of single runs
    for path in files:
        result = object_of(path)
        system, task = systems[path], subjects[path][1]
        key = (system, task)
        again = before[key]
        runs[key].append(path.parent.parent.parent.name)
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        trials = [
            _add(columns, question, detail, again, where)
            for question, detail, where in _details(result, path)
        ]
        rows = sum(trials)
        log.read(path, rows)
        log.extend(system=[system] * rows, task=[task] * rows, **columns)
        if not trials:
            log.skip(path, "its details are empty")
        before[key] += max(trials, default=0)
        claims[key] = [] if key in claims else list(_claims(result, len(trials), *key))
    log.remarks += [
        joined_runs_remark(f"{system} on {task}", len(names), names)
        for (system, task), names in runs.items()
        if len(names) > 1
    ]
    log.claims = [claim for of_one in claims.values() for claim in of_one]
    return log


def _subject(path: Path) -> tuple[str, str]:
    """Model and data set in a path."""
    return path.resolve().parent.name, path.name.removesuffix(".gz").removesuffix(".json")


def _details(result: Mapping[str, Any], path: Path) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Questions with their details and positions."""
    details, whole = result.get("details"), str(path)
    if isinstance(details, list):
        for at, value in enumerate(details):
            where = f"{whole}, details[{at}]"
            detail = require_object(value, where)
            name = detail.get("example_abbr")
            if not isinstance(name, str):
                name = name_of(name, f"{where}.example_abbr")
            yield name, detail, where
        return
    for name, value in require_object(details, f"{path}, details").items():
        if name != "type":
            where = f"{whole}, details.{name}"
            yield name, require_object(value, where), where


def _add(
    columns: dict[str, list[Any]],
    question: str,
    detail: Mapping[str, Any],
    before: int,
    where: str,
) -> int:
    """Add the trials of a question; returns their number."""
    name = next((name for name in _CORRECT if name in detail), None)
    if name is None:
        raise InputError(
            f"{where}: no field says whether the answer is right; expected one of "
            f"{', '.join(_CORRECT)}."
        )
    marks = _listed(detail[name])
    if not marks:
        raise InputError(f"{where}.{name}: the list is empty.")
    answers = _of_each(detail, ("pred", "predictions"), len(marks), where)
    targets = _of_each(detail, ("answer", "references"), len(marks), where)
    outcomes = numbers_or_none(marks)
    size = len(outcomes)
    columns["question"] += [question] * size
    columns["trial"] += range(before, before + size)
    columns["outcome"] += outcomes
    columns["status"] += ["unscored" if outcome is None else "ok" for outcome in outcomes]
    columns["answer"] += texts_or_none(answers)
    columns["target"] += texts_or_none(targets)
    return size


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _of_each(detail: Mapping[str, Any], names: tuple[str, str], size: int, where: str) -> list[Any]:
    """Values under the first of these names that exists, one per trial."""
    name = names[0] if names[0] in detail else names[1]
    if name not in detail:
        return [None] * size
    found = detail[name]
    if isinstance(found, list) and len(found) == size:
        return found
    if size == 1:
        return [found]
    found = require_list(found, f"{where}.{name}")
    raise InputError(f"{where}: there are {len(found)} of {name!r} for {size} trials.")


def _claims(result: Mapping[str, Any], questions: int, system: str, task: str) -> Iterator[Claim]:
    """Stated accuracy and G-Pass@k, in per cent, and the number of trials per question."""
    for name, stated in result.items():
        value = number_or_none(stated)
        if value is None:
            continue
        accuracy = _ACCURACY.fullmatch(name)
        if accuracy:
            yield Claim(name, value / 100, "avg", system, task)
            if accuracy[1]:
                runs = int(accuracy[1])
                size = f"{runs} runs of {questions} questions"
                yield Claim(size, runs * questions, "rows", system, task)
        elif _G_PASS.fullmatch(name):
            yield Claim(name, value / 100, name.lower(), system, task)


READER = Reader(
    "opencompass", ("object",), _recognise, _read, chooses=(), files=FILES_ARE, keys=("details",)
)
