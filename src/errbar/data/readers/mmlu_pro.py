"""Results of MMLU-Pro: `<subject>_result.json`, an array of questions with predictions.

    [{"question_id": 70, "question": "…", "options": ["…", …], "answer": "I", "answer_index": 8,
      "category": "business", "src": "…", "pred": "I", "model_outputs": "…"}]

    <subject>_summary.json:
    {"business": {"corr": 1.0, "wrong": 0.0, "acc": 1.0}, "total": {…}}

An answer is right if `pred` equals `answer`; there is no other field for it. If no answer was found
in the text, `pred` is null. MMLU-Pro then guesses an option at random, always with the seed 12345,
and so counts some of these as right; here they are wrong unless the scorer is `guess`.
"""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import isclose
from operator import attrgetter
from pathlib import Path
from typing import Any

from errbar.base.remarks import guess, setting, warning
from errbar.data.readers.base import Glance, Reader, occurrences
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    UNSET,
    Part,
    Shape,
    document,
    document_as,
    name_of,
    number_or_none,
    object_in,
    require_key,
    require_object,
    text_or_none,
)
from errbar.data.readers.log_names import FILES_ARE, runs_apart
from errbar.data.readers.logs import Claim, Log, pick
from errbar.data.readers.tables.naming import systems_of
from errbar.data.readers.tables.repeat_numbers import repeats_of
from errbar.errors import InputError

_SCORERS = ["pred", "guess"]
_SEED = 12345  # seed of MMLU-Pro's guesses
_SIGNS = ("question_id", "options", "answer", "category", "pred")
_COUNTS = re.compile(r'"corr"\s*:.*"wrong"\s*:', re.DOTALL)
_ENDINGS = ("_result.json", "_results.json", ".json")


class _Prediction(Part):
    """A question and its prediction; `_file` makes the fields that are not text into text."""

    question_id: Any = None
    category: Any = None
    pred: Any = UNSET
    answer: Any = None
    answer_index: Any = None
    options: Any = None
    scored: bool = True  # whether there is a field for a prediction, even if it is empty

    @property
    def lucky(self) -> bool:
        """Whether the guess of MMLU-Pro would be right."""
        options, index, answer = self.options, self.answer_index, self.answer
        if not options or type(options) is not list:
            return False
        if type(index) is not int and len(answer) == 1:
            index = ord(answer.upper()) - ord("A")
        return _guessed_option(len(options)) == index


_SHAPE: Shape[list[_Prediction] | dict[str, Any]] = Shape(
    list[_Prediction] | dict[str, Any]
)  # results, or their summary


@dataclass
class _SubjectFile:
    """A file of results; if it has the single subject in its name, its folder is the system."""

    path: Path
    rows: list[_Prediction]
    system: str = ""
    subjects: set[str] = field(default_factory=set)

    @property
    def stem(self) -> str:
        name = self.path.name.removesuffix(".gz")
        ending = next((suffix for suffix in _ENDINGS if name.endswith(suffix)), "")
        return name.removesuffix(ending)

    @property
    def is_of_folder(self) -> bool:
        return len(self.subjects) == 1 and _plain(self.stem) == _plain(next(iter(self.subjects)))


def _plain(subject: str) -> str:
    return subject.replace("_", " ").strip().lower()


def _recognise(glance: Glance) -> str:
    if glance.shape == "array" and glance.has(*_SIGNS):
        return f"an array of questions with {', '.join(_SIGNS)}"
    if glance.shape == "object" and glance.has("total") and _COUNTS.search(glance.text):
        return "a JSON document with corr and wrong of each subject"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    results: list[_SubjectFile] = []
    summaries: dict[Path, dict[str, Any]] = {}
    for file in files:
        whole = document_as(file, _SHAPE)
        if isinstance(whole, list):
            log.read(file, len(whole))
            results.append(_file(file, whole))
        else:
            summaries[file.resolve()] = whole
            log.read(file, 0)
    if not results:
        raise InputError(
            f"{files[0]}: a summary of MMLU-Pro has only totals, and an error bar needs every "
            f"question; load the files that end in _result.json too."
        )
    scorer = pick(choice.scorer, _SCORERS, "scorer", str(results[0].path))
    _name(results, choice, log)
    starts: Counter[tuple[str, str]] = Counter()
    for result in results:
        if result.rows:
            _add(log, result, scorer, starts)
    log.remarks += _remarks(results, scorer)
    log.claims += _claims(results, summaries)
    log.remarks += _totals(results, summaries, scorer)
    used = {path for result in results for path in _beside(result, summaries)}
    for file in files:
        if file.resolve() in summaries.keys() - used:
            log.skip(file, "a summary without results")
    return log


def _file(path: Path, rows: list[_Prediction]) -> _SubjectFile:
    for at, row in enumerate(rows):
        question, answer, pred = row.question_id, row.answer, row.pred
        if type(question) is int:
            row.question_id = str(question)
        elif type(question) is not str:
            row.question_id = _required(question, "question_id", f"{path}, question {at}")
        if not answer or type(answer) is not str:
            row.answer = text_or_none(answer) or ""
            if answer is None:
                raise InputError(f"{path}, question {at}: there is no 'answer'.")
        if type(row.category) is not str:
            row.category = str(row.category or "")
        if not pred or type(pred) is not str:
            row.scored = pred is not UNSET
            row.pred = text_or_none(pred) or None if row.scored else None
    return _SubjectFile(path, rows, subjects=set(map(attrgetter("category"), rows)))


def _required(value: Any, key: str, where: str) -> str:
    return name_of(require_key({key: value}, key, where), f"{where}, {key}")


@cache
def _guessed_option(options: int) -> int:
    """The option that MMLU-Pro guesses, which depends only on the number of options."""
    return random.Random(_SEED).randint(0, options - 1)


def _name(files: Sequence[_SubjectFile], choice: Choice, log: Log) -> None:
    """Systems are folders with one file per subject, or else files."""
    folders = list(dict.fromkeys(file.path.resolve().parent for file in files if file.is_of_folder))
    models = [folder.parent.parent if folder.parent.name == "CoT" else folder for folder in folders]
    alone = [file for file in files if not file.is_of_folder]
    found = [
        *systems_of(models),
        *(
            name.removeprefix("model_outputs_")
            for name in systems_of([file.path for file in alone], *_ENDINGS)
        ),
    ]
    names = iter(repeats_of(found) if choice.files == "trials" else found)
    of_folder = dict(zip(folders, names))  # noqa: B905  the names of files follow
    for file in files:
        if file.is_of_folder:
            file.system = of_folder[file.path.resolve().parent]
    for file, name in zip(alone, names, strict=True):
        file.system = name
    subjects = {file.path: (file.system, *sorted(file.subjects)) for file in files}
    systems = runs_apart(subjects, choice.files, *_ENDINGS)
    for file in files:
        file.system = systems[file.path]
    if len(folders) + len(alone) > 1 and choice.files is None:
        what = "folders" if not alone else "files" if not folders else "folders and files"
        text = f"Systems: named after the {what}, since they do not name a model"
        log.remarks.append(guess(text, option="--files trials", argument="files='trials'"))


def _add(log: Log, file: _SubjectFile, scorer: str, starts: Counter[tuple[str, str]]) -> None:
    """Add a row per question; repeated questions are further trials."""
    questions, subjects, preds, answers, scored = (
        list(map(attrgetter(name), file.rows))
        for name in ("question_id", "category", "pred", "answer", "scored")
    )
    trials = occurrences(zip(subjects, questions, strict=True))
    most: dict[str, int] = {}
    for subject, trial in set(zip(subjects, trials, strict=True)):
        most[subject] = max(most.get(subject, 0), trial + 1)
    begins = {subject: starts[file.system, subject] for subject in dict.fromkeys(subjects)}
    outcomes = [float(_is_right(row, scorer)) for row in file.rows]
    log.extend(
        system=[file.system] * len(questions),
        task=subjects,
        question=questions,
        trial=[begins[subject] + trial for subject, trial in zip(subjects, trials, strict=True)]
        if any(begins.values())
        else trials,
        outcome=[
            outcome if known else None for outcome, known in zip(outcomes, scored, strict=True)
        ],
        status=["ok" if known else "unscored" for known in scored],
        answer=preds,
        target=answers,
    )
    again = sum(map(bool, trials))
    if again:
        log.remarks.append(
            warning(
                f"{file.path.name}: {again} rows repeat a question_id and are read as its trials; "
                f"with {setting('rows', 'questions')} each row is a question."
            )
        )
    further = [subject for subject, begin in begins.items() if begin]
    if further:
        text = f"{file.path.name}: read as further trials of {file.system} on {further[0]}"
        log.remarks.append(guess(text, option="--files systems", argument="files='systems'"))
    for subject, n in most.items():
        starts[file.system, subject] += n


def _remarks(files: Iterable[_SubjectFile], scorer: str) -> Iterator[str]:
    """Remarks on the number of missing answers per system, and on how guessing would score them."""
    systems: dict[str, list[_Prediction]] = {}
    for file in files:
        systems.setdefault(file.system, []).extend(file.rows)
    for system, rows in systems.items():
        unscored = sum(not row.scored for row in rows)
        if unscored:
            yield f"{system}: {unscored} rows have no 'pred' and thus no result."
        scored = [row for row in rows if row.scored]
        lost = [row for row in scored if not row.pred]
        if not lost:
            continue
        right = sum(row.pred == row.answer for row in scored)
        lucky = sum(row.lucky for row in lost)
        ways = {
            "pred": f"wrong (acc {right / len(scored):.4f})",
            "guess": f"guessed at random, as MMLU-Pro does, which makes {lucky} of them right "
            f"(acc {(right + lucky) / len(scored):.4f})",
        }
        other = "guess" if scorer == "pred" else "pred"
        yield warning(
            f"{system}: no answer was found in {len(lost)} of {len(scored)} responses. They are "
            f"{ways[scorer]}; with {setting('scorer', other)} they are "
            f"{ways[other]}."
        )


def _beside(file: _SubjectFile, summaries: Mapping[Path, Any]) -> list[Path]:
    """Summaries of a file: that with its name, and that of its folder."""
    place = file.path.resolve().parent
    names = [f"{file.stem}_summary.json", *(["summary.json"] if file.is_of_folder else [])]
    return [path for name in names if (path := place / name) in summaries or path.is_file()]


def _claims(
    files: Iterable[_SubjectFile], summaries: Mapping[Path, Mapping[str, Any]]
) -> list[Claim]:
    """Scores stated in summaries for the subjects that were read."""
    claims: dict[Claim, None] = {}
    read: dict[Path, Mapping[str, Any]] = dict(summaries)
    for file in files:
        for path in _beside(file, summaries):
            if path not in read:
                read[path] = require_object(document(path), str(path))
            for subject in sorted(file.subjects):
                counts = read[path].get(subject)
                if isinstance(counts, dict):
                    claims.update(dict.fromkeys(_stated(counts, file.system, subject)))
    return list(claims)


def _totals(
    files: Iterable[_SubjectFile], summaries: Mapping[Path, Mapping[str, Any]], scorer: str
) -> Iterator[str]:
    """Remarks on the totals stated over all subjects, which are separate tasks here."""
    of_summary: dict[Path, list[_SubjectFile]] = {}
    for file in files:
        for path in _beside(file, summaries):
            of_summary.setdefault(path, []).append(file)
    for path, mine in of_summary.items():
        counts = object_in(summaries.get(path, {}), "total")
        stated = [number_or_none(counts.get(name)) for name in ("corr", "wrong")]
        rows = [row for file in mine for row in file.rows]
        if None in stated:
            continue
        right = sum(_is_right(row, scorer) for row in rows)
        share = number_or_none(counts.get("acc", counts.get("accu")))
        same = stated == [right, len(rows) - right]
        if rows and share is not None and not isclose(share, right / len(rows), abs_tol=1e-6):
            yield warning(
                f"{mine[0].system}, all subjects: {path.name} says acc {share:.6g}, errbar gets "
                f"{right / len(rows):.6g}: NOT THE SAME."
            )
        if same and len({row.category for row in rows}) < 2:
            continue  # the same as the numbers of the only subject
        text = (
            f"{mine[0].system}, all subjects: {path.name} says corr {stated[0]:g} and wrong "
            f"{stated[1]:g}, errbar gets {right} and {len(rows) - right}"
        )
        yield f"{text}: the same." if same else warning(f"{text}: NOT THE SAME.")


def _is_right(row: _Prediction, scorer: str) -> bool:
    return row.pred == row.answer if row.pred or scorer == "pred" else row.lucky


def _stated(counts: Mapping[str, Any], system: str, subject: str) -> Iterator[Claim]:
    right, wrong = number_or_none(counts.get("corr")), number_or_none(counts.get("wrong"))
    share = number_or_none(counts.get("acc", counts.get("accu")))
    if right is not None:
        yield Claim("corr", right, "right", system, subject)
    if right is not None and wrong is not None:
        yield Claim("corr + wrong", right + wrong, "rows", system, subject)
    if share is not None:
        yield Claim("acc", share, "avg", system, subject)


READER = Reader(
    "mmlu_pro", ("array", "object"), _recognise, _read, files=FILES_ARE, keys=("options", "total")
)
