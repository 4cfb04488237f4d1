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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.readers.base import Reader, has_keys
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    UNSET,
    Part,
    Shape,
    document,
    elements_as,
    field,
    name_of,
    number_or_none,
    object_in,
    parse,
    require_key,
    require_list,
    truth_or_none,
)
from errbar.data.readers.file_content import bytes_of
from errbar.data.readers.logs import Claim, Log, flat, spread
from errbar.data.readers.tables.naming import name_systems
from errbar.errors import InputError

_ALL = "_eval_all.json"
_RUNNER_FAILED = -5
_SIMPLE = (str, int)
_BOOL = {bool}
_PROPERTIES = ("platform", "difficulty", "contest_id", "contest_date")

_recognise = has_keys(
    (
        "an array of problems with question_id, contest_date and difficulty",
        "question_id",
        "contest_date",
        "difficulty",
    )
)


class _Entry(Part):
    """The fields of a problem in a file; of the texts only their number is used."""

    id: Any = None
    question_id: Any = None
    test_id: Any = None
    graded_list: Any = UNSET
    metadata: Any = None
    code_list: Any = None
    output_list: Any = None
    pass_at_1: Any = field(name="pass@1", default=None)
    platform: Any = None
    difficulty: Any = None
    contest_id: Any = None
    contest_date: Any = None


_SHAPE: Shape[_Entry] = Shape(_Entry)


class _Problem(NamedTuple):
    """A problem and its grades."""

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
    subjects = list(zip(naming.systems, naming.tasks or [""] * len(graded), strict=True))
    often = Counter(subjects)
    before: Counter[tuple[str, str]] = Counter()  # trials in earlier files
    for file, subject in zip(graded, subjects, strict=True):
        problems, system = read[file], subject[0]
        _add(log, file, problems, subject, before[subject])
        before[subject] += max(len(problem.marks) for problem in problems)
        failed = sum(len(problem.failed) for problem in problems)
        if failed:
            log.remarks.append(
                f"{system}: for {failed} samples the test runner failed, which LiveCodeBench "
                f"counts as wrong."
            )
        if often[subject] == 1:
            log.claims += _claims(file, problems, subject)
    return log


def _problems(file: Path) -> Iterator[_Problem]:
    place = str(file)
    for at, entry in enumerate(elements_as(bytes_of(file), _SHAPE, place)):
        graded = [] if entry.graded_list is UNSET else entry.graded_list
        marks: list[float | None]
        if type(graded) is list and set(map(type, graded)) <= _BOOL:
            marks = list(map(float, graded))
        else:
            where = f"{place}, problem {at}, graded_list"
            marks = [truth_or_none(mark, where) for mark in require_list(graded, where)]
        failed = _failed_samples(entry.metadata, marks) if isinstance(entry.metadata, list) else []
        samples = max(_length(entry.code_list), _length(entry.output_list))
        if samples > len(marks):
            marks += [None] * (samples - len(marks))
        properties = [entry.platform, entry.difficulty, entry.contest_id, entry.contest_date]
        question = entry.question_id
        if entry.id is not None or entry.test_id is not None or type(question) is not str:
            question = _question(entry, f"{place}, problem {at}")
        yield _Problem(
            question,
            marks,
            failed,
            [value if isinstance(value, _SIMPLE) else None for value in properties],
            number_or_none(entry.pass_at_1),
            entry.graded_list is not UNSET,
        )


def _length(part: Any) -> int:
    return len(part) if type(part) is list else 0


def _add(
    log: Log, file: Path, problems: Sequence[_Problem], subject: tuple[str, str], before: int
) -> None:
    """Add a row per sample, or one for a problem without samples."""
    sizes = [len(problem.marks) for problem in problems]
    log.read(file, sum(sizes))
    if not all(sizes):
        log.add_absent(file, "problems without samples", sizes.count(0))
    outcomes = flat([problem.marks or [None] for problem in problems])
    statuses = ["ok"] * len(outcomes)
    if None in outcomes or any(problem.failed for problem in problems):
        statuses = flat(map(_statuses, problems))
    sizes = [size or 1 for size in sizes]
    values = zip(*(problem.properties for problem in problems), strict=True)
    properties = {
        name: spread(column, sizes)
        for name, column in zip(_PROPERTIES, values, strict=True)
        if any(column)
    }
    log.extend(
        system=[subject[0]] * len(outcomes),
        task=[subject[1]] * len(outcomes),
        question=spread([problem.question for problem in problems], sizes),
        trial=flat([range(before, before + size) for size in sizes]),
        outcome=outcomes,
        status=statuses,
        **properties,
    )


def _statuses(problem: _Problem) -> list[str]:
    if not problem.marks:
        return ["missing"]
    statuses = ["unscored" if mark is None else "ok" for mark in problem.marks]
    for trial in problem.failed:
        statuses[trial] = "error"
    return statuses


def _question(entry: _Entry, where: str) -> str:
    """Question id; some scenarios have several questions per problem."""
    if entry.id is not None:
        return name_of(entry.id, where)
    id_ = require_key({"question_id": entry.question_id}, "question_id", where)
    question = name_of(id_, where)
    return question if entry.test_id is None else f"{question}/{name_of(entry.test_id, where)}"


def _failed_samples(notes: Sequence[Any], marks: Sequence[float | None]) -> list[int]:
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


def _claims(file: Path, problems: Sequence[_Problem], subject: tuple[str, str]) -> Iterator[Claim]:
    """Scores stated in the file of metrics, and the mean of those stated per problem."""
    numbers = [problem.stated for problem in problems if problem.stated is not None]
    if len(numbers) == len(problems):
        mean = sum(numbers) / len(numbers)
        yield Claim("pass@1 (mean of the problems)", mean, "pass@1", *subject)
    beside = file.with_name(file.name.replace(_ALL, "_eval.json"))
    if beside == file or not beside.is_file():
        return
    first = next(iter(require_list(document(beside), str(beside))), None)
    for name, value in first.items() if isinstance(first, dict) else ():
        number = number_or_none(value)
        if number is not None and re.fullmatch(r"pass@[1-9]\d*", name):
            yield Claim(name, number, name, *subject)
        elif name == "detail" and isinstance(value, dict) and object_in(value, "pass@1"):
            yield Claim("problems in detail", len(value["pass@1"]), "questions", *subject)


READER = Reader(
    "livecodebench",
    ("array",),
    _recognise,
    _read,
    beside=("*_eval.json",),
    chooses=("files",),
    files=("systems", "trials", "tasks"),
    keys=("contest_date",),
)
