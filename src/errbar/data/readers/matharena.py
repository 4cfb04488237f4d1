"""Outputs of MathArena: `outputs/<competition>/<model>/<problem>.json`, a document per problem.

    {"idx": 1, "problem": "…", "gold_answer": "70", "types": ["Algebra"], "N": 4,
     "cost": {"cost": 0.2, …}, "pass_at_1": 0.75, "answers": ["70", "70", "7", "70"],
     "correct": [true, true, false, true], "detailed_costs": [{"cost": 0.05, …}, …]}

Positions in the lists are trials. The question id is the file name: older versions count `idx` from
0, newer ones from 1. Pending gradings have no result.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    is_whole,
    list_in,
    name_of,
    number_or_none,
    numbers_or_none,
    object_of,
    require_key,
    require_list,
    text_or_none,
)
from errbar.data.readers.log_names import FILES_ARE, runs_apart
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError

_TOP = "outputs"
_TO_DO = "TODO"  # prefix of a pending grading
_PROBLEM = ("idx", "problem", "gold_answer")


class _Subject(NamedTuple):
    system: str
    task: str


@dataclass
class _StatedTotals:
    """Totals stated for a model and a competition, and counts of special cases."""

    trials: Counter[str] = field(default_factory=Counter)  # trials of each problem so far
    means: list[float | None] = field(default_factory=list)  # pass_at_1 of each file
    rows: int | None = 0  # N of all files; None if one does not state it
    counts: Counter[str] = field(default_factory=Counter)


def _recognise(glance: Glance) -> str:
    if glance.has(*_PROBLEM):
        more = next((key for key in ("correct", "messages") if glance.has(key)), "")
        return f"a JSON document with {', '.join(_PROBLEM)} and {more}" if more else ""
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    totals: dict[_Subject, _StatedTotals] = {}
    folders = _subjects_of({os.path.dirname(file): None for file in files}, choice)
    for subject in folders.values():
        totals.setdefault(subject, _StatedTotals())
    for file in files:
        subject = folders[os.path.dirname(file)]
        _add(log, file, object_of(file), subject, totals[subject])
    if not all(_TOP in Path(folder).resolve().parts for folder in folders):
        above = f"Systems and tasks: the two folders above each file, since none is named {_TOP!r}"
        log.remarks.append(guess(above, option="--files systems", argument="files='systems'"))
    for subject, total in totals.items():
        log.claims += _claims(subject, total)
        log.remarks += _remarks(subject, total)
    return log


def _subjects_of(folders: Iterable[str], choice: Choice) -> dict[str, _Subject]:
    """Model and competition of each folder; with files='systems', each folder is a system."""
    found = {folder: _subject_of(Path(folder)) for folder in folders}
    if choice.files != "systems":
        return found
    if not all(_TOP in Path(folder).resolve().parts for folder in found):
        names = systems_of([Path(folder, "x") for folder in found], "x")
        return {folder: _Subject(name, "") for folder, name in zip(found, names, strict=True)}
    subjects = {Path(folder, "x"): subject for folder, subject in found.items()}
    systems = runs_apart(subjects, choice.files, "x")
    return {
        folder: _Subject(system, subject.task)
        for (folder, subject), system in zip(found.items(), systems.values(), strict=True)
    }


def _subject_of(folder: Path) -> _Subject:
    """Model and competition in a path.

    Models have a provider before their name, and newer competitions a family before theirs:
    outputs/aime/aime_2025/openai/gpt-5.
    """
    parts = folder.resolve().parts
    if _TOP not in parts:
        return _Subject(parts[-1], parts[-2] if len(parts) > 2 else "")
    below = parts[len(parts) - parts[::-1].index(_TOP) :]
    split = len(below) - (2 if len(below) > 2 else 1)
    return _Subject("/".join(below[max(split, 0) :]), "/".join(below[: max(split, 0)]))


def _add(
    log: Log, file: Path, whole: Mapping[str, Any], subject: _Subject, totals: _StatedTotals
) -> None:
    """Add a row per trial of a problem; trials of further files are numbered on."""
    where = str(file)
    correct = require_list(require_key(whole, "correct", where), f"{where}, correct")
    answers = require_list(whole.get("answers") or [], f"{where}, answers")
    types = [kind for kind in list_in(whole, "types") if isinstance(kind, str)]
    question = _question(file, whole, totals)
    trials = max(len(correct), len(answers))
    log.read(file, trials)
    if not trials:
        log.add_absent(file, "problems without a trial")
    rows = max(trials, 1)
    start = totals.trials[question]
    totals.trials[question] += rows
    totals.counts["again"] += start > 0
    outcomes = _pad(_outcomes(correct, where), rows)
    ungraded = "unscored" if trials else "missing"
    statuses = [ungraded if outcome is None else "ok" for outcome in outcomes]
    totals.counts.update(statuses)
    log.extend(
        system=[subject.system] * rows,
        task=[subject.task] * rows,
        question=[question] * rows,
        trial=range(start, start + rows),
        outcome=outcomes,
        status=statuses,
        answer=_pad(list(map(_answer, answers)), rows),
        target=[text_or_none(whole.get("gold_answer"))] * rows,
        cost=_pad(list(map(_cost, list_in(whole, "detailed_costs"))), rows),
        type=[", ".join(types) or None] * rows,
    )
    totals.counts["by hand"] += sum(by is True for by in list_in(whole, "manual_overwrite"))
    totals.means.append(number_or_none(whole.get("pass_at_1")))
    stated = whole.get("N")
    totals.rows = totals.rows + stated if totals.rows is not None and is_whole(stated) else None


def _question(file: Path, whole: Mapping[str, Any], totals: _StatedTotals) -> str:
    index = name_of(whole["idx"], f"{file}, idx") if whole.get("idx") is not None else None
    stem = file.name.partition(".")[0]
    if not stem.isdecimal():
        return index if index is not None else stem
    totals.counts["other idx"] += index is not None and index != stem
    return stem


def _answer(value: Any) -> str | None:
    """The answer; None where MathArena found none and wrote "None"."""
    return None if value == "None" else text_or_none(value)


def _cost(value: Any) -> float | None:
    return number_or_none(value.get("cost")) if isinstance(value, dict) else None


def _pad(values: list[Any], rows: int) -> list[Any]:
    """Pad values with None to the number of rows."""
    return values[:rows] + [None] * (rows - len(values))


def _outcomes(correct: Sequence[Any], where: str) -> list[float | None]:
    """Outcomes: true or false, or a share of points; None for a pending grading."""
    outcomes = numbers_or_none(correct)
    for at, value in enumerate(correct) if None in outcomes else ():
        to_do = value is None or (isinstance(value, str) and value.startswith(_TO_DO))
        if outcomes[at] is None and not to_do:
            raise InputError(
                f"{where}, correct, {at}: true, false or a share of points is expected; "
                f"got {value!r}."
            )
    return outcomes


def _claims(subject: _Subject, totals: _StatedTotals) -> Iterator[Claim]:
    """Sums and means of the stated scores; a mean over files is a mean over problems."""
    if totals.rows is not None and not totals.counts["missing"]:
        yield Claim("N (sum of the problems)", totals.rows, "rows", subject.system, subject.task)
    means = [mean for mean in totals.means if mean is not None]
    if len(means) == len(totals.means) and not totals.counts["again"]:
        mean = sum(means) / len(means)
        yield Claim("pass_at_1 (mean of the problems)", mean, "avg", subject.system, subject.task)


def _remarks(subject: _Subject, totals: _StatedTotals) -> Iterator[str]:
    name, counts = " · ".join(part for part in subject if part), totals.counts
    if counts["again"]:
        yield guess(
            f"{name}: {counts['again']} files repeat a problem of another file and are read as "
            f"its further trials",
            option="--files systems",
            argument="files='systems'",
        )
    if counts["unscored"]:
        yield f"{name}: {counts['unscored']} trials are not graded yet and have no result."
    if counts["by hand"]:
        yield f"{name}: {counts['by hand']} gradings were set by hand."
    if counts["other idx"]:
        yield (
            f"{name}: in {counts['other idx']} files 'idx' differs from the number in the file "
            "name, which is used."
        )


READER = Reader(
    "matharena", ("object",), _recognise, _read, chooses=(), files=FILES_ARE, keys=("gold_answer",)
)
