"""Results of the aider benchmark: `<run>/…/<exercise>/.aider.results.json`, one per exercise.

    {"testdir": "…/python/exercises/practice/bowling", "testcase": "bowling", "model": "gpt-4o",
     "edit_format": "diff", "tests_outcomes": [false, true], "cost": 0.01, …}
    {"exception": "…"}

A second try follows a failed first one and sees what failed, so the tries of an exercise are not
trials: the outcome is whether one of the first two passed (`pass_rate_2`, as on the leaderboard),
or the first alone (`pass_rate_1`). Runs of the same model and edit format are trials. An exercise
that ended in an exception counts as not passed, as in aider.
"""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    list_in,
    number_or_none,
    object_of,
    text_or_none,
    truth_or_none,
)
from errbar.data.readers.finding import ResolvedFolders, resolved_folders
from errbar.data.readers.logs import Log

_NAME = ".aider.results.json"
_SIGNS = ("testcase", "model", "tests_outcomes")
_USUAL = 2  # tries that the leaderboard counts
_PRACTICE = os.sep.join(("", "exercises", "practice"))  # path between the language and the exercise


class _Result(NamedTuple):
    """The result of an exercise."""

    path: Path
    whole: Mapping[str, Any]
    run: str  # its folder
    language: str
    exercise: str
    outcomes: list[float | None]  # whether the tests passed, per try

    def passed(self, tries: int) -> float | None:
        """Whether one of the first tries passed; None if unknown."""
        counted = self.outcomes[:tries]
        if 1.0 in counted:
            return 1.0
        return None if None in counted or not counted else 0.0


def _recognise(glance: Glance) -> str:
    if glance.has(*_SIGNS):
        return f"a JSON document with {', '.join(_SIGNS)}"
    if glance.path.name.endswith(_NAME) and any(map(glance.has, (*_SIGNS, "exception"))):
        return f"a JSON document called {_NAME}"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    folders = resolved_folders()
    results = [_result(file, folders) for file in files]
    tries = max([1, *(len(result.outcomes) for result in results)])
    usual = min(_USUAL, tries)
    rates = [usual, *(n for n in range(1, tries + 1) if n != usual)]
    names = [f"pass_rate_{n}" for n in rates]
    scorer = log.choose_scorer(choice.scorer, names, "scorer", str(files[0]), called="outcome")
    counted = rates[names.index(scorer)]
    for result, system in zip(results, _systems(results, choice), strict=True):
        outcome = result.passed(counted)
        failed = "error" if "exception" in result.whole else "unscored"
        log.read(result.path, 1)
        log.add_trial(
            system=system,
            task=result.language,
            question=result.exercise,
            outcome=outcome,
            status=failed if outcome is None else "ok",
            cost=number_or_none(result.whole.get("cost")),
        )
    log.remark_on_repeats("runs of one model and edit format; {} exercises were run again")
    return log


def _result(file: Path, folders: ResolvedFolders) -> _Result:
    """Parse a file; exercises of the same name may be in several languages."""
    whole = object_of(file)
    folder, _ = os.path.split(folders.real_path(file))
    run, name = os.path.split(folder)
    language = ""
    if run.endswith(_PRACTICE):
        run, language = os.path.split(run.removesuffix(_PRACTICE))
    exercise = text_or_none(whole.get("testcase")) or name
    return _Result(file, whole, run, language, exercise, _outcomes(file, whole))


def _outcomes(file: Path, whole: Mapping[str, Any]) -> list[float | None]:
    """Whether the tests passed, per try."""
    tries = list_in(whole, "tests_outcomes")
    if {*map(type, tries)} == {bool}:
        return list(map(float, tries))
    where = f"{file}, tests_outcomes"
    return [truth_or_none(passed, f"{where}, {at}") for at, passed in enumerate(tries)]


def _systems(results: Sequence[_Result], choice: Choice) -> list[str]:
    """Systems are models, with the edit format if there are several; or runs, if chosen.

    An exercise that ended in an exception names no model and gets that of its run.
    """
    if choice.files == "systems":
        return [os.path.basename(result.run) for result in results]
    stated = [_stated_pair(result.whole) for result in results]
    runs: dict[str, tuple[str, str]] = {}
    for result, pair in zip(results, stated, strict=True):
        if pair is not None:
            runs.setdefault(result.run, pair)
    pairs = [
        pair or runs.get(result.run, ("", "")) for result, pair in zip(results, stated, strict=True)
    ]
    formats = Counter(model for model, _ in set(pairs))
    return [f"{model} ({form})" if formats[model] > 1 else model for model, form in pairs]


def _stated_pair(whole: Mapping[str, Any]) -> tuple[str, str] | None:
    """The model and the edit format that a file names; None if it names no model."""
    model = text_or_none(whole.get("model"))
    return None if model is None else (model, str(whole.get("edit_format") or ""))


READER = Reader(
    "aider",
    ("object",),
    _recognise,
    _read,
    files=("systems", "trials"),
    keys=("testcase", "model", "tests_outcomes", "exception"),
)
