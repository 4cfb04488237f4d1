"""Results of τ-bench: an array with an object for each trial of each task.

    [{"task_id": 0, "reward": 1.0, "info": {…}, "traj": […], "trial": 0},
     {"task_id": 1, "reward": 0.0, "info": {"error": "…"}, "traj": [], "trial": 0}]

A trial that ended in an error has the reward 0 and the error under `info`. τ-bench counts it as a
failure of the agent, although most of these are connection failures; `errors` decides here.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import setting
from errbar.data.readers.base import Choice, Reader, has_keys
from errbar.data.readers.documents import (
    elements,
    is_whole,
    name_of,
    number_or_none,
    object_in,
    require_object,
)
from errbar.data.readers.logs import Log
from errbar.data.readers.tables.naming import name_systems
from errbar.errors import InputError

_NEAR = 1e-6  # tolerance around 1 for a success, as in τ-bench
_SHOWN = 60

_recognise = has_keys(
    ("an array of trials with task_id, reward, info and traj", "task_id", "reward", "info", "traj")
)


class _EpisodeTrial(NamedTuple):
    """The fields of a trial that are used; the conversation itself is dropped."""

    question: str
    trial: Any
    reward: Any
    error: str
    ended_by: str | None


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    found = [list(_trials(file)) for file in files]
    rewards = [trial.reward for trials in found for trial in trials]
    scorer = scorer_of_rewards(rewards, choice, str(files[0]), log)
    naming = name_systems(files, files_are=choice.files)
    log.remarks += naming.remarks
    subjects = zip(naming.systems, naming.tasks or [""] * len(files), strict=True)
    counts: dict[tuple[str, str], Counter[str]] = {}  # trials of each question
    for file, subject, trials in zip(files, subjects, found, strict=True):
        log.read(file, len(trials))
        goes_on = subject in counts
        seen = counts.setdefault(subject, Counter())
        system, task = subject
        unnumbered = any(trial.trial is None for trial in trials)
        broken = Counter(trial.error for trial in trials if trial.error)
        for at, trial in enumerate(trials):
            number = seen[trial.question]
            if not unnumbered and not goes_on:
                number = trial.trial
                if not is_whole(number):
                    number = trial_of(number, f"{file}, row {at}, trial")
            outcome = outcome_of(trial.reward, scorer)
            log.add(
                system=system,
                task=task,
                question=trial.question,
                trial=number,
                outcome=outcome,
                status="error" if trial.error else "unscored" if outcome is None else "ok",
                ended_by=trial.ended_by,
            )
            seen[trial.question] += 1
        if unnumbered:
            log.remarks.append(
                f"{system}: trials are numbered by order, since not every row has a trial number."
            )
        if broken:
            error, often = broken.most_common(1)[0]
            log.remarks.append(
                f"{system}: {broken.total()} of {len(trials)} trials broke off in an error, such "
                f"as {error!r} ({often} times); τ-bench counts them with the reward 0, "
                f"{setting('errors', 'missing')} leaves them out."
            )
    return log


def _trials(file: Path) -> Iterator[_EpisodeTrial]:
    for at, element in enumerate(elements(file)):
        if not isinstance(element, dict):
            require_object(element, f"{file}, row {at}")
        question = element.get("task_id")
        if not is_whole(question):
            question = name_of(question, f"{file}, row {at}, task_id")
        info = object_in(element, "info")
        error, source = info.get("error"), info.get("source")
        yield _EpisodeTrial(
            str(question)
            if is_whole(question)
            else name_of(question, f"{file}, row {at}, task_id"),
            element.get("trial"),
            element.get("reward"),
            str(error)[:_SHOWN] if error else "",
            source if isinstance(source, str) else None,
        )


def scorer_of_rewards(rewards: Iterable[Any], choice: Choice, where: str, log: Log) -> str:
    """Success or the reward itself; there is a choice only if some reward is neither 0 nor 1."""
    parts = [reward for reward in map(number_or_none, rewards) if reward not in (None, 0.0, 1.0)]
    scorers = ["success", "reward"] if parts else ["success"]
    return log.choose_scorer(choice.scorer, scorers, "scorer", where)


def outcome_of(reward: Any, scorer: str) -> float | None:
    """The reward, or whether it is 1; None if it is not a number."""
    number = number_or_none(reward)
    if number is None or scorer == "reward":
        return number
    return float(abs(number - 1.0) <= _NEAR)


def trial_of(number: Any, where: str) -> int:
    """Validate a trial number."""
    if is_whole(number):
        return number
    raise InputError(f"{where}: expected a trial number, found {str(number)[:_SHOWN]!r}.")


READER = Reader(
    "tau_bench",
    ("array",),
    _recognise,
    _read,
    chooses=("scorer", "files"),
    files=("systems", "trials", "tasks"),
)
