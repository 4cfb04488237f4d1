"""Outputs of the Qwen2.5-Math evaluation: a line per question, with a list of its predictions.

    {"idx": 0, "gt": "420", "pred": ["420", "42"], "score": [true, false],
     "pred_score": [[3.5], [-1.2]]}

`pred_score` is what a reward model gave each prediction, and the confidence here. Answers are those
that the evaluation itself took out of the texts and normalised.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.readers.base import Choice, Glance, Log, Reader
from errbar.readers.documents import (
    lines,
    name_of,
    number_or_none,
    object_of,
    require_list,
    text_or_none,
)

_NAME = re.compile(r"(?P<before>.*)_seed-?\d+(?P<after>_t[\d.]+_s-?\d+_e-?\d+)")
_FOLDER = "math_eval"  # lies between the model and the data sets
_EXTRA = ("level", "type", "subject")


@dataclass
class _File:
    """One output."""

    path: Path
    system: str
    task: str
    settings: str  # what a run was told, but for its seed
    rows: dict[str, tuple[int, dict[str, Any]]]
    again: int  # questions that occur again later

    @property
    def most(self) -> int:
        return max((len(row["score"]) for _, row in self.rows.values()), default=0)


def _recognise(glance: Glance) -> str:
    if glance.shape in ("lines", "object") and glance.has("idx", "gt", "pred", "score"):
        return "its lines have idx, gt, pred and score"
    return ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    opened = [_file(path) for path in files]
    before: Counter[tuple[str, str]] = Counter()
    steps = 0
    for file in opened:
        alike = [one for one in opened if (one.system, one.task) == (file.system, file.task)]
        apart = len({one.settings for one in alike}) > 1
        system = f"{file.system} ({file.settings})".strip() if apart else file.system
        key = (system, file.task)
        for question, (at, row) in file.rows.items():
            steps += _add(log, file, key, question, at, row, before[key])
        if before[key]:
            log.remarks.append(f"{file.path.name}: its trials are numbered on from {before[key]}.")
        before[key] += file.most
        if file.again:
            log.remarks.append(
                f"{file.path.name}: {file.again} lines are of questions that occur again later, "
                f"and are left out."
            )
        _claim(log, file, key)
    if steps:
        log.remarks.append(
            f"{steps} predictions have a score for each of several steps; the last is taken."
        )
    return log


def _file(path: Path) -> _File:
    rows: dict[str, tuple[int, dict[str, Any]]] = {}
    again = 0
    for at, row in lines(path):
        where = f"{path}, line {at}"
        question = name_of(row.get("idx"), f"{where}, idx")
        require_list(row.get("score"), f"{where}, score")
        again += question in rows
        rows[question] = at, row
    place = path.resolve()
    stem = place.name.removesuffix(".gz").removesuffix(".jsonl")
    named = _NAME.fullmatch(stem)
    task = place.parent.name if named else stem
    holder = place.parent.parent
    system = holder.parent.name if named and holder.name == _FOLDER else ""
    return _File(path, system, task, named["before"] + named["after"] if named else "", rows, again)


def _add(
    log: Log,
    file: _File,
    key: tuple[str, str],
    question: str,
    at: int,
    row: dict[str, Any],
    before: int,
) -> int:
    """The predictions of a question; how many of them have more than one score of a model."""
    where = f"{file.path}, line {at}"
    answers = require_list(row.get("pred") or [], f"{where}, pred")
    sure = require_list(row.get("pred_score") or [], f"{where}, pred_score")
    steps = 0
    for trial, score in enumerate(row["score"]):
        outcome = number_or_none(score)
        of_steps = sure[trial] if trial < len(sure) else None
        if isinstance(of_steps, list):
            steps += len(of_steps) > 1
            of_steps = of_steps[-1] if of_steps else None
        log.add(
            system=key[0],
            task=key[1],
            question=question,
            trial=before + trial,
            outcome=outcome,
            status="unscored" if outcome is None else "ok",
            answer=text_or_none(answers[trial]) if trial < len(answers) else None,
            target=text_or_none(row.get("gt")),
            confidence=number_or_none(of_steps),
            **{name: text_or_none(row[name]) for name in _EXTRA if name in row},
        )
    return steps


def _claim(log: Log, file: _File, key: tuple[str, str]) -> None:
    """The accuracy in the file of metrics beside; it is that of the first prediction alone."""
    beside = file.path.with_name(f"{file.path.stem}_metrics.json")
    if file.most != 1 or not beside.is_file():
        return
    accuracy = number_or_none(object_of(beside).get("acc"))
    if accuracy is not None:
        log.claims.append(Claim("acc", accuracy / 100, "avg", *key, digits=3))


READER = Reader("qwen_math", _recognise, _read, beside=("*_metrics.json",), chooses=())
