"""Results of LiveCodeBench: `…_eval_all.json`, an array with an object for each problem.

    [{"question_id": "1873_A", "platform": "codeforces", "difficulty": "easy",
      "contest_date": "2023-08-21T00:00:00", "graded_list": [true, false], "pass@1": 0.5,
      "metadata": ["{…}", "{\\"error_code\\": -3, …}"]}]

The gradings of a problem are its trials. A program that is too slow is wrong, since the time limit
is part of the problem; if the test runner failed, the status is `error`. The file of outputs, which
has no gradings, is skipped; the file of metrics states pass@k.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.readers.base import Choice, Reader, has_keys
from errbar.data.readers.documents import (
    document,
    elements,
    list_in,
    name_of,
    number_or_none,
    object_in,
    parse,
    require_key,
    require_list,
    require_object,
    truth_or_none,
)
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import name_systems
from errbar.errors import InputError

_ALL = "_eval_all.json"
_RUNNER_FAILED = -5
_SIMPLE = (str, int)
_PROPERTIES = ("platform", "difficulty", "contest_id", "contest_date")
_COLUMNS = ("question", "trial", "outcome", "status", *_PROPERTIES)

_recognise = has_keys(
    (
        "an array of problems with question_id, contest_date and difficulty",
        "question_id",
        "contest_date",
        "difficulty",
    )
)


class _Problem(NamedTuple):
    """The fields of a problem that are used; the texts are dropped."""

    question: str
    marks: list[float | None]  # grade of every sample, None if not graded
    failed: list[int]  # samples whose test runner failed
    properties: list[str | int | None]  # values of _PROPERTIES
    stated: float | None  # pass@1
    is_graded: bool


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    read = {file: list(_problems(file)) for file in files}
    graded = [file for file, found in read.items() if any(problem.is_graded for problem in found)]
    if not graded:
        raise InputError(
            f"{files[0]}: no problem has a graded_list; these are outputs that were not graded. "
            f"LiveCodeBench writes the gradings to a file that ends in {_ALL}."
        )
    for file, found in read.items():
        if not any(problem.is_graded for problem in found):
            log.skip(file, "outputs without gradings")
    naming = name_systems(graded, _ALL, files_are=choice.files)
    log.remarks += naming.remarks
    often = Counter(naming.systems)
    before: Counter[str] = Counter()  # trials of a system in earlier files
    for file, system in zip(graded, naming.systems, strict=True):
        problems = read[file]
        _add(log, file, problems, system, before[system])
        before[system] += max(len(problem.marks) for problem in problems)
        failed = sum(len(problem.failed) for problem in problems)
        if failed:
            log.remarks.append(
                f"{system}: for {failed} samples the test runner failed, which LiveCodeBench "
                f"counts as wrong."
            )
        if often[system] == 1:
            log.claims += _claims(file, problems, system)
    return log


def _problems(file: Path) -> Iterator[_Problem]:
    place = str(file)
    for at, element in enumerate(elements(file)):
        where = f"{place}, problem {at}"
        problem = require_object(element, where)
        graded = problem.get("graded_list", [])
        marks: list[float | None]
        if isinstance(graded, list) and set(map(type, graded)) <= {bool}:
            marks = list(map(float, graded))
        else:
            listed = require_list(graded, f"{where}, graded_list")
            marks = [truth_or_none(mark, f"{where}, graded_list") for mark in listed]
        failed = _failed(list_in(problem, "metadata"), marks)
        samples = max(len(list_in(problem, "code_list")), len(list_in(problem, "output_list")))
        if samples > len(marks):
            marks += [None] * (samples - len(marks))
        yield _Problem(
            _question(problem, where),
            marks,
            failed,
            [
                value if isinstance(value, _SIMPLE) else None
                for value in map(problem.get, _PROPERTIES)
            ],
            number_or_none(problem.get("pass@1")),
            "graded_list" in problem,
        )


def _add(log: Log, file: Path, problems: Sequence[_Problem], system: str, before: int) -> None:
    """Add a row per sample, or one for a problem without samples."""
    log.read(file, sum(len(problem.marks) for problem in problems))
    columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
    for problem in problems:
        if not problem.marks:
            log.make_up(file, "problems without samples")
        marks = problem.marks or [None]
        size = len(marks)
        statuses = ["ok"] * size
        if None in marks:
            lacks = "unscored" if problem.marks else "missing"
            statuses = [lacks if mark is None else "ok" for mark in marks]
        for trial in problem.failed:
            statuses[trial] = "error"
        columns["question"] += [problem.question] * size
        columns["trial"] += range(before, before + size)
        columns["outcome"] += marks
        columns["status"] += statuses
        for name, value in zip(_PROPERTIES, problem.properties, strict=True):
            columns[name] += [value] * size
    properties = {
        name: column for name, column in columns.items() if name not in _PROPERTIES or any(column)
    }
    log.extend(system=[system] * len(columns["question"]), **properties)


def _question(problem: Mapping[str, Any], where: str) -> str:
    """Question id; some scenarios have several questions per problem."""
    if problem.get("id") is not None:
        return name_of(problem["id"], where)
    question = name_of(require_key(problem, "question_id", where), where)
    test = problem.get("test_id")
    return question if test is None else f"{question}/{name_of(test, where)}"


def _failed(notes: Sequence[Any], marks: Sequence[float | None]) -> list[int]:
    """Samples whose test runner failed, by their metadata."""
    try:
        if "error_code" not in "".join(notes):  # a tenth of the time of a look into each
            return []
    except TypeError:
        pass  # metadata that are not text
    return [
        trial
        for trial, (note, mark) in enumerate(zip(notes, marks, strict=False))
        if mark == 0 and _code(note) == _RUNNER_FAILED
    ]


def _code(note: Any) -> Any:
    """Error code in the metadata of a sample, a JSON string within JSON."""
    if isinstance(note, str):
        if "error_code" not in note:
            return None
        try:
            note = parse(note)
        except (ValueError, RecursionError):
            return None
    return note.get("error_code") if isinstance(note, dict) else None


def _claims(file: Path, problems: Sequence[_Problem], system: str) -> Iterator[Claim]:
    """Scores stated in the file of metrics, and the mean of those stated per problem."""
    numbers = [problem.stated for problem in problems if problem.stated is not None]
    if len(numbers) == len(problems):
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
        elif name == "detail" and isinstance(value, dict) and object_in(value, "pass@1"):
            yield Claim("problems in detail", len(value["pass@1"]), "questions", system)


READER = Reader(
    "livecodebench",
    ("array",),
    _recognise,
    _read,
    beside=("*_eval.json",),
    chooses=("files",),
    files=("systems", "trials"),
)
