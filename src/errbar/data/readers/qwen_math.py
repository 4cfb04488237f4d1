"""Outputs of the Qwen2.5-Math evaluation: a line per question, with a list of its predictions.

    {"idx": 0, "gt": "420", "pred": ["420", "42"], "score": [true, false],
     "pred_score": [[3.5], [-1.2]]}

`pred_score`, the score of each prediction by a reward model, is the confidence. Answers are those
extracted and normalised by the evaluation itself.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.readers.base import Reader, has_keys, joined_runs_remark
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    is_whole,
    lines,
    name_of,
    number_or_none,
    numbers_or_none,
    object_of,
    require_list,
    text_or_none,
    texts_or_none,
)
from errbar.data.readers.log_names import FILES_ARE, log_systems
from errbar.data.readers.logs import Claim, Log, flat, spread

_NAME = re.compile(r"(?P<before>.*)_seed-?\d+(?P<after>_t[\d.]+_s-?\d+_e-?\d+)")
_FOLDER = "math_eval"  # folder between the model and the data sets
_EXTRA = ("level", "type", "subject")


class _Question(NamedTuple):
    """The fields of a line that are used; prompts and responses are dropped."""

    marks: list[Any]  # score of every prediction, None if missing
    answers: list[Any]
    sure: list[Any]  # scores of a reward model
    target: str | None
    extra: dict[str, str | None]


@dataclass
class _OutputFile:
    """One output."""

    path: Path
    system: str
    task: str
    settings: str  # settings of the run, without its seed
    questions: dict[str, _Question]
    predictions: int  # predictions of all lines
    again: int  # lines of questions that occur again later

    @property
    def most(self) -> int:
        return max((len(question.marks) for question in self.questions.values()), default=0)


_recognise = has_keys(("its lines have idx, gt, pred and score", "idx", "gt", "pred", "score"))


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    opened = [_file(path) for path in files]
    systems, remarks = log_systems({file.path: file.system for file in opened}, choice.files)
    log.remarks += remarks
    for file in opened:
        if len(opened) > 1 and not (file.system or file.settings):
            file.task = ""  # its name is that of the system
        file.system = systems[file.path]
    settings: dict[tuple[str, str], set[str]] = {}
    for file in opened:
        settings.setdefault((file.system, file.task), set()).add(file.settings)
    keys = []
    for file in opened:
        apart = len(settings[file.system, file.task]) > 1
        system = f"{file.system} ({file.settings})".strip() if apart else file.system
        keys.append((system, file.task))
    often = Counter(keys)
    before: Counter[tuple[str, str]] = Counter()
    steps = 0
    for file, key in zip(opened, keys, strict=True):
        log.read(file.path, file.predictions)
        if file.again:
            kept = sum(len(question.marks) for question in file.questions.values())
            log.leave_out(
                file.path,
                "lines of a question that occurs again later",
                file.predictions - kept,
            )
            log.remarks.append(
                f"{file.path.name}: {file.again} lines are of questions that occur again later, "
                f"and are left out."
            )
        steps += _add(log, file, key, before[key])
        before[key] += file.most
        if often[key] == 1:
            log.claims += _claims(file, key)
    for key, runs in often.items():
        if runs > 1:
            mine = [file.path.name for file, of in zip(opened, keys, strict=True) if of == key]
            log.remarks.append(joined_runs_remark(" on ".join(filter(None, key)), runs, mine))
    if steps:
        log.remarks.append(
            f"{steps} predictions have a score for each of several steps; the last one is used."
        )
    return log


def _file(path: Path) -> _OutputFile:
    questions: dict[str, _Question] = {}
    predictions = again = 0
    for at, row in lines(path):
        idx = row.get("idx")
        name = str(idx) if is_whole(idx) else name_of(idx, f"{path}, line {at}, idx")
        found = _question(row, path, at)
        predictions += len(found.marks)
        again += name in questions
        questions[name] = found
    place = path.resolve()
    stem = place.name.removesuffix(".gz").removesuffix(".jsonl")
    named = _NAME.fullmatch(stem)
    task = place.parent.name if named else stem
    holder = place.parent.parent
    system = holder.parent.name if named and holder.name == _FOLDER else ""
    settings = named["before"] + named["after"] if named else ""
    return _OutputFile(path, system, task, settings, questions, predictions, again)


def _question(row: dict[str, Any], path: Path, at: int) -> _Question:
    marks, answers, sure = row.get("score"), row.get("pred"), row.get("pred_score")
    if not isinstance(marks, list):
        marks = _list_or_none(marks, path, at, "score")
    if not isinstance(answers, list):
        answers = _list_or_none(answers, path, at, "pred")
    if not isinstance(sure, list):
        sure = _list_or_none(sure, path, at, "pred_score")
    if len(answers) > len(marks):
        marks = marks + [None] * (len(answers) - len(marks))
    extra = {name: text_or_none(row[name]) for name in _EXTRA if name in row}
    return _Question(marks, answers, sure, text_or_none(row.get("gt")), extra)


def _list_or_none(value: Any, path: Path, at: int, key: str) -> list[Any]:
    return [] if value is None else require_list(value, f"{path}, line {at}, {key}")


def _add(log: Log, file: _OutputFile, key: tuple[str, str], before: int) -> int:
    """Add the predictions of every question; returns how many have several reward-model scores."""
    questions = list(file.questions.values())
    without = sum(not question.marks for question in questions)
    if without:
        log.add_absent(file.path, "questions without predictions", without)
    sizes = [len(question.marks) or 1 for question in questions]
    rows = sum(sizes)
    outcomes = numbers_or_none(flat(question.marks or [None] for question in questions))
    statuses = ["ok"] * rows
    if None in outcomes:
        lacks = spread(
            ["unscored" if question.marks else "missing" for question in questions], sizes
        )
        statuses = [
            lack if outcome is None else "ok" for lack, outcome in zip(lacks, outcomes, strict=True)
        ]
    sure = [question.sure[:size] for question, size in zip(questions, sizes, strict=True)]
    steps = sum(isinstance(each, list) and len(each) > 1 for each in flat(sure))
    extra = dict.fromkeys(name for question in questions for name in question.extra)
    log.extend(
        system=[key[0]] * rows,
        task=[key[1]] * rows,
        question=spread(file.questions, sizes),
        trial=flat(range(before, before + size) for size in sizes),
        outcome=outcomes,
        status=statuses,
        answer=texts_or_none(_pad_entries([question.answers for question in questions], sizes)),
        target=spread([question.target for question in questions], sizes),
        confidence=numbers_or_none(list(map(_last, _pad_entries(sure, sizes))))
        if any(sure)
        else [None] * rows,
        **{
            name: spread([question.extra.get(name) for question in questions], sizes)
            for name in extra
        },
    )
    return steps


def _pad_entries(lists: Sequence[list[Any]], sizes: Sequence[int]) -> list[Any]:
    """Entries of lists, each cut or filled with None to its size."""
    return flat(
        each if len(each) == size else each[:size] + [None] * (size - len(each))
        for each, size in zip(lists, sizes, strict=True)
    )


def _last(scores: Any) -> Any:
    """The last of several step scores."""
    if isinstance(scores, list):
        return scores[-1] if scores else None
    return scores


def _claims(file: _OutputFile, key: tuple[str, str]) -> Iterator[Claim]:
    """Number of questions and accuracy of first predictions, stated in the file of metrics."""
    beside = file.path.with_name(f"{file.path.stem}_metrics.json")
    if not beside.is_file():
        return
    stated = object_of(beside)
    samples, accuracy = (number_or_none(stated.get(name)) for name in ("num_samples", "acc"))
    if samples is not None:
        yield Claim("num_samples", samples, "questions", *key)
    if accuracy is not None and file.most == 1:
        yield Claim("acc", accuracy / 100, "avg", *key, digits=3)


READER = Reader(
    "qwen_math",
    ("lines", "object"),
    _recognise,
    _read,
    beside=("*_metrics.json",),
    chooses=("files",),
    files=FILES_ARE,
    keys=("gt",),
)
