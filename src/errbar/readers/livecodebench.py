"""Results of LiveCodeBench: `…_eval_all.json`, an array with an object for each problem.

    [{"question_id": "1873_A", "platform": "codeforces", "difficulty": "easy",
      "contest_date": "2023-08-21T00:00:00", "graded_list": [true, false], "pass@1": 0.5,
      "metadata": ["{…}", "{\\"error_code\\": -3, …}"]}]

The gradings of a problem are its trials. A program that is too slow is wrong, for the time limit
is a part of the problem; one whose test runner failed has the status `error`. The file of outputs
beside it (the same without gradings) is left out; that of metrics states pass@k.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from errbar.data.naming import systems_of
from errbar.data.origin import Claim
from errbar.errors import InputError
from errbar.readers.base import Choice, Glance, Log, Reader
from errbar.readers.documents import (
    document,
    list_in,
    name_of,
    number_or_none,
    require_key,
    require_list,
    require_object,
    truth_or_none,
)

_ALL = "_eval_all.json"
_RUNNER_FAILED = -5
_TOLD = ("platform", "difficulty", "contest_id", "contest_date")


def _recognise(glance: Glance) -> str:
    if glance.shape == "array" and glance.has("question_id", "contest_date", "difficulty"):
        return "an array of problems with question_id, contest_date and difficulty"
    return ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    read = {file: _problems(file) for file in files}
    graded = [file for file, found in read.items() if any("graded_list" in one for one in found)]
    if not graded:
        raise InputError(
            f"{files[0]}: no problem has a graded_list; these are outputs that were not graded. "
            f"LiveCodeBench writes the gradings to a file that ends in {_ALL}."
        )
    left = [file.name for file in files if file not in graded]
    if left:
        log.remarks.append(f"Outputs without gradings are not read: {', '.join(left)}.")
    for file, system in zip(graded, systems_of(graded, _ALL), strict=True):
        failed = 0
        for at, problem in enumerate(read[file]):
            failed += _add(log, problem, system, f"{file}, problem {at}")
        if failed:
            log.remarks.append(
                f"{system}: for {failed} samples the test runner failed, which LiveCodeBench "
                f"counts as wrong."
            )
        log.claims += _claims(file, read[file], system)
    return log


def _problems(file: Path) -> list[dict[str, Any]]:
    found = require_list(document(file), str(file))
    return [require_object(one, f"{file}, problem {at}") for at, one in enumerate(found)]


def _add(log: Log, problem: Mapping[str, Any], system: str, where: str) -> int:
    """A row for each grading; how many of them are no gradings but failures of the runner."""
    graded = require_list(problem.get("graded_list", []), f"{where}, graded_list")
    notes = list_in(problem, "metadata")
    told = {key: problem[key] for key in _TOLD if isinstance(problem.get(key), str | int)}
    failed = 0
    for trial, one in enumerate(graded or [None]):
        passed = truth_or_none(one, f"{where}, graded_list")
        broken = passed == 0 and trial < len(notes) and _code(notes[trial]) == _RUNNER_FAILED
        failed += broken
        status = "error" if broken else "ok" if passed is not None else "unscored"
        log.add(
            system=system,
            question=_question(problem, where),
            trial=trial,
            outcome=passed,
            status=status if graded else "missing",
            **told,
        )
    return failed


def _question(problem: Mapping[str, Any], where: str) -> str:
    """Its id; scenarios that ask of a problem several times have one for each."""
    if problem.get("id") is not None:
        return name_of(problem["id"], where)
    question = name_of(require_key(problem, "question_id", where), where)
    test = problem.get("test_id")
    return question if test is None else f"{question}/{name_of(test, where)}"


def _code(note: Any) -> Any:
    """The error code in what is noted of a sample, which is JSON within JSON."""
    try:
        told = json.loads(note) if isinstance(note, str) else note
    except (ValueError, RecursionError):
        return None
    return told.get("error_code") if isinstance(told, dict) else None


def _claims(file: Path, problems: Sequence[Mapping[str, Any]], system: str) -> Iterator[Claim]:
    """What the file of metrics states, and the mean of what each problem states."""
    stated = [number_or_none(one.get("pass@1")) for one in problems]
    numbers = [one for one in stated if one is not None]
    if len(numbers) == len(stated):
        mean = sum(numbers) / len(numbers)
        yield Claim("pass@1 (mean of the problems)", mean, "pass@1", system)
    beside = file.with_name(file.name.replace(_ALL, "_eval.json"))
    if beside == file or not beside.is_file():
        return
    first = next(iter(require_list(document(beside), str(beside))), None)
    for name, value in first.items() if isinstance(first, dict) else ():
        number = number_or_none(value)
        if number is not None and re.fullmatch(r"pass@[1-9]\d*", name):
            yield Claim(name, number, name, system)


READER = Reader("livecodebench", _recognise, _read, beside=("*_eval.json",), chooses=())
