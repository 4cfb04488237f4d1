"""Results of τ-bench: an array with an object for each trial of each task.

    [{"task_id": 0, "reward": 1.0, "info": {…}, "traj": […], "trial": 0},
     {"task_id": 1, "reward": 0.0, "info": {"error": "…"}, "traj": [], "trial": 0}]

A trial that ended in an error has the reward 0 and the error under `info`. τ-bench counts it as a
failure of the agent, although most of these are connection failures; `errors` decides here.

Every domain (airline, retail) numbers its tasks from 0. The domain is in the heading of the policy
that the agent was given, or in the name of the file; files of several domains are several tasks of
errbar. Trials with the same `task_id` whose `info.task` differs are never the same question.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess, setting, warning
from errbar.data.readers.base import Reader, has_keys
from errbar.data.readers.choices import Choice
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
_POLICY = re.compile(r"\s*#+\s*(\w+) agent policy", re.IGNORECASE)
_DOMAIN = re.compile(r"[-_. ]*(?<![a-z])(airline|retail)(?![a-z])", re.IGNORECASE)

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
    description: str  # of the task, empty if the trial has none
    domain: str  # by the policy of the agent


class _RunSubject(NamedTuple):
    """The system and the task of a file."""

    system: str
    task: str

    def name(self, file: Path) -> str:
        return " · ".join(filter(None, self)) or file.name


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    found = [list(_trials(file)) for file in files]
    rewards = [trial.reward for trials in found for trial in trials]
    scorer = scorer_of_rewards(rewards, choice, str(files[0]), log)
    subjects = _subjects_of(files, found, choice, log)
    found = _with_distinct_ids(found, [subject.task for subject in subjects], log)
    counts: dict[_RunSubject, Counter[str]] = {}  # trials of each question
    for file, subject, trials in zip(files, subjects, found, strict=True):
        log.read(file, len(trials))
        goes_on = subject in counts
        seen = counts.setdefault(subject, Counter())
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
                system=subject.system,
                task=subject.task,
                question=trial.question,
                trial=number,
                outcome=outcome,
                status="error" if trial.error else "unscored" if outcome is None else "ok",
                ended_by=trial.ended_by,
            )
            seen[trial.question] += 1
        if unnumbered:
            log.remarks.append(
                f"{subject.name(file)}: trials are numbered by order, since not every row has a "
                f"trial number."
            )
        if broken:
            error, often = broken.most_common(1)[0]
            which = "the error is"
            if often < broken.total():
                which = f"{often} of {broken.total()} errors are"
            log.remarks.append(
                f"{subject.name(file)}: {which} {error!r}; τ-bench gives it the reward 0, "
                f"{setting('errors', 'missing')} leaves such trials out."
            )
    return log


def _subjects_of(
    files: Sequence[Path], found: Sequence[Sequence[_EpisodeTrial]], choice: Choice, log: Log
) -> list[_RunSubject]:
    """System and task of each file; files of several domains are several tasks."""
    naming = name_systems(files, files_are=choice.files)
    log.remarks += naming.remarks
    domains = [_domain_of(file, trials) for file, trials in zip(files, found, strict=True)]
    if naming.tasks or len(set(domains)) == 1:
        return list(map(_RunSubject, naming.systems, naming.tasks or [""] * len(files)))
    names = ", ".join(dict.fromkeys(filter(None, domains)))
    log.remarks.append(
        guess(
            f"Tasks: {names}, by the policy in each file or by its name",
            option="--files tasks",
            argument="files='tasks'",
        )
    )
    short = [_DOMAIN.sub("", system).strip("-_. ") for system in naming.systems]
    subjects = list(map(_RunSubject, short, domains))
    if all(short) and len(set(subjects)) == len(files):
        return subjects
    return list(map(_RunSubject, naming.systems, domains))


def _domain_of(file: Path, trials: Sequence[_EpisodeTrial]) -> str:
    """Domain of a file, empty if it is unknown."""
    domains = Counter(trial.domain for trial in trials if trial.domain)
    if domains:
        return domains.most_common(1)[0][0]
    names = {word.lower() for word in _DOMAIN.findall(file.name)}
    return names.pop() if len(names) == 1 else ""


def _with_distinct_ids(
    found: Sequence[Sequence[_EpisodeTrial]], tasks: Sequence[str], log: Log
) -> list[list[_EpisodeTrial]]:
    """The trials, with another id for questions whose id already has another description.

    A trial without a description is taken to be of the version that most trials of its file are.
    """
    versions: dict[tuple[str, str], list[str]] = {}
    numbers: list[list[int | None]] = []
    for trials, task in zip(found, tasks, strict=True):
        of_file: list[int | None] = []
        for trial in trials:
            known = versions.setdefault((task, trial.question), [])
            if trial.description and trial.description not in known:
                known.append(trial.description)
            of_file.append(known.index(trial.description) if trial.description else None)
        numbers.append(of_file)
    differing = sum(len(known) > 1 for known in versions.values())
    if not differing:
        return list(map(list, found))
    log.remarks.append(
        warning(
            f"{differing} of {len(versions)} task ids have different tasks in info.task, such as "
            f"those of two domains or versions of τ-bench: they are different questions, named "
            f"with the version in brackets as in '0 (2)', and are not paired."
        )
    )
    apart = []
    for trials, of_file in zip(found, numbers, strict=True):
        usual = Counter(at for at in of_file if at is not None).most_common(1)
        default = usual[0][0] if usual else 0
        apart.append(
            [
                trial._replace(question=f"{trial.question} ({at + 1})") if at else trial
                for trial, number in zip(trials, of_file, strict=True)
                for at in [default if number is None else number]
            ]
        )
    return apart


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
            _description(info.get("task")),
            _domain(element.get("traj")),
        )


def _description(task: Any) -> str:
    """What identifies a task: its instruction to the user, or else all its fields."""
    if isinstance(task, dict):
        instruction = task.get("instruction")
        return instruction if isinstance(instruction, str) else repr(sorted(task.items()))
    return ""


def _domain(messages: Any) -> str:
    """Domain in the heading of the policy, which is the first message."""
    first = messages[0] if isinstance(messages, list) and messages else None
    policy = first.get("content") if isinstance(first, dict) else None
    heading = _POLICY.match(policy) if isinstance(policy, str) else None
    return heading[1].lower() if heading else ""


def scorer_of_rewards(rewards: Iterable[Any], choice: Choice, where: str, log: Log) -> str:
    """Success or the reward itself; there is a choice only if some reward is neither 0 nor 1.

    A success is a reward of 1. Forks of the benchmark add bonuses and penalties to it; if no reward
    is 1 any more, the rewards themselves are the default.
    """
    found = [reward for reward in map(number_or_none, rewards) if reward is not None]
    graded = [reward for reward in found if reward not in (0.0, 1.0)]
    successes = sum(_is_success(reward) for reward in found)
    scorers = ["success", "reward"] if successes or not graded else ["reward", "success"]
    if len(graded) > len(found) - len(graded):
        log.remarks.append(
            warning(
                f"{len(graded)} of {len(found)} rewards are neither 0 nor 1: the mean is "
                f"{sum(found) / len(found):.4g} of the rewards ({setting('scorer', 'reward')}), "
                f"and {successes / len(found):.4g} if only a reward of 1 is a success "
                f"({setting('scorer', 'success')})."
            )
        )
    known = scorers if graded else ["success"]
    return log.choose_scorer(choice.scorer, known, "scorer", where)


def _is_success(reward: float) -> bool:
    return abs(reward - 1.0) <= _NEAR


def outcome_of(reward: Any, scorer: str) -> float | None:
    """The reward, or whether it is 1; None if it is not a number."""
    number = number_or_none(reward)
    if number is None or scorer == "reward":
        return number
    return float(_is_success(number))


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
    keys=("traj",),
)
