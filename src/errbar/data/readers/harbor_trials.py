"""Find the trials and jobs of Harbor and account for every file."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess, some_of, warning
from errbar.data.readers.choices import FilesAre
from errbar.data.readers.documents import (
    list_in,
    name_of,
    number_or_none,
    object_in,
    object_of,
    require_key,
    require_object,
    text_or_none,
)
from errbar.data.readers.durations import seconds_between
from errbar.data.readers.log_names import tell_apart
from errbar.data.readers.logs import Log
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError

RESULT = "result.json"
CONFIG = "config.json"


class HarborTrial(NamedTuple):
    """One attempt at a task."""

    id: str
    name: str
    question: str
    task: str  # the data set
    agent: str  # agent and model
    is_named: bool  # whether both are known
    settings: Mapping[str, Any]  # version and arguments of the agent
    rewards: Mapping[str, Any] | None
    exception: str | None  # exception of the trial, or of its first failed step
    is_own: bool  # whether it is the trial's own: a job counts only these
    cost: float | None
    input_tokens: float | None
    output_tokens: float | None
    seconds: float | None
    regrades: str  # id of the trial that it regrades
    key: str  # the job's key of agent, model and data set
    file: Path


@dataclass
class Job:
    """A folder of trials, and the totals in its own file."""

    folder: Path
    trials: list[HarborTrial] = field(default_factory=list)
    stated: Mapping[str, Any] = field(default_factory=dict)
    file: Path | None = None
    label: str = ""

    @property
    def stats(self) -> dict[str, Any]:
        """The totals of the job."""
        return object_in(self.stated, "stats")

    @property
    def averages(self) -> bool:
        """Whether its metric is the mean, the default."""
        config = self.folder / CONFIG
        metrics = list_in(object_of(config), "metrics") if config.is_file() else []
        return all(
            isinstance(metric, dict) and metric.get("type", "mean") == "mean" for metric in metrics
        )


def find_jobs(files: Sequence[Path], log: Log) -> list[Job]:
    """Find jobs and their trials; each trial is counted once, by its latest grade."""
    jobs: dict[str, Job] = {}  # by folder
    single: list[HarborTrial] = []
    for file in files:
        whole = object_of(file)
        if "task_name" in whole:
            single.append(_trial(whole, file, str(file)))
            log.read(file, 1)
            continue
        job = jobs[os.path.dirname(file)] = Job(file.parent, stated=whole, file=file)
        results = list_in(whole, "trial_results")
        log.read(file, len(results))
        for at, value in enumerate(results):
            where = f"{file}, trial {at}"
            job.trials.append(_trial(require_object(value, where), file, where))
    homes: dict[str, str] = {}  # cache by the parent folder of trials
    for trial in single:
        folder = os.path.dirname(trial.file)
        above = os.path.dirname(folder)
        if above not in homes:
            homes[above] = next((each for each in _folders_above(folder) if each in jobs), above)
        home = folder if folder in jobs else homes[above]
        if home not in jobs:
            jobs[home] = Job(Path(home))
        jobs[home].trials.append(trial)
    _count_once(list(jobs.values()), log)
    for job in jobs.values():
        if job.file is not None and not job.trials:
            log.skip(job.file, "it has only totals of a job whose trials are missing")
    found = [job for job in jobs.values() if job.trials]
    if not found:
        first = next(iter(jobs.values()))
        raise InputError(
            f"{first.file}: it has only totals of a job. Load the folder of the job, in which "
            f"every trial has its own {RESULT}."
        )
    for job, label in zip(found, systems_of([job.folder / "x" for job in found], "x"), strict=True):
        job.label = label
    return found


def _folders_above(folder: str) -> Iterator[str]:
    """The parents of a folder, the nearest first."""
    while (above := os.path.dirname(folder)) != folder:
        yield above
        folder = above


def _count_once(jobs: Sequence[Job], log: Log) -> None:
    """Leave out duplicate trials, and trials regraded by another."""
    seen: dict[str, Path] = {}
    copies: list[Path] = []
    every = [trial for job in jobs for trial in job.trials]
    regraded = {trial.regrades for trial in every if trial.regrades} & {trial.id for trial in every}
    for job in jobs:
        kept = []
        for candidate in sorted(job.trials, key=lambda trial: trial.file == job.file):
            if candidate.id in regraded:
                log.leave_out(candidate.file, "trials that were regraded")
            elif candidate.id in seen:
                log.leave_out(candidate.file, "trials that are also in another file")
                if candidate.file != job.file:
                    copies.append(candidate.file)
            else:
                seen[candidate.id] = candidate.file
                kept.append(candidate)
        job.trials = kept
    if copies:
        shown = some_of([str(file) for file in copies], 3)
        log.remarks.append(
            warning(
                f"{len(copies)} trials are copies of others by their ids, and left out: {shown}."
            )
        )
    if regraded:
        log.remarks.append(
            warning(
                f"{len(regraded)} trials were regraded; the later grade counts. "
                f"Load the jobs one by one to have the earlier."
            )
        )


def _trial(whole: Mapping[str, Any], file: Path, where: str) -> HarborTrial:
    info = object_in(whole, "agent_info")
    config = object_in(whole, "config")
    agent_config = object_in(config, "agent")
    settings = {**object_in(agent_config, "kwargs"), "version": info.get("version")}
    name = name_of(require_key(whole, "trial_name", where), f"{where}, trial_name")
    agent = text_or_none(info.get("name")) or ""
    model = object_in(info, "model_info")
    called = text_or_none(model.get("name")) or ""
    provider = text_or_none(model.get("provider")) or ""
    whole_model = f"{provider}/{called}" if provider and called else provider or called
    whole_model = whole_model or text_or_none(agent_config.get("model_name")) or ""
    rewards = object_in(whole, "verifier_result").get("rewards")
    if rewards is not None:
        rewards = require_object(rewards, f"{where}, verifier_result, rewards")
    own = text_or_none(object_in(whole, "exception_info").get("exception_type"))
    steps = [step for step in list_in(whole, "step_results") if isinstance(step, dict)]
    of_steps = [object_in(step, "exception_info").get("exception_type") for step in steps]
    source = text_or_none(whole.get("source")) or ""
    usage = _usage(whole, steps)
    return HarborTrial(
        id=text_or_none(whole.get("id")) or f"{file} {name}",
        name=name,
        question=name_of(require_key(whole, "task_name", where), f"{where}, task_name"),
        task=source,
        agent=" · ".join(filter(None, (agent, whole_model))),
        is_named=bool(agent and whole_model),
        settings=settings,
        rewards=rewards,
        exception=own
        or next((text_or_none(exception) for exception in of_steps if exception), None),
        is_own=own is not None,
        cost=_total(usage, "cost_usd"),
        input_tokens=_total(usage, "n_input_tokens"),
        output_tokens=_total(usage, "n_output_tokens"),
        seconds=seconds_between(whole.get("started_at"), whole.get("finished_at")),
        regrades=text_or_none(object_in(config, "source_trial").get("trial_id")) or "",
        key="__".join(filter(None, (agent, called, source or "adhoc"))),
        file=file,
    )


def _usage(whole: Mapping[str, Any], steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Resource usage of the agent, from the trial or else from its steps."""
    of_trial = whole.get("agent_result")
    if isinstance(of_trial, dict):
        return [of_trial]
    return [object_in(step, "agent_result") for step in steps]


def _total(usage: Sequence[Mapping[str, Any]], key: str) -> float | None:
    if len(usage) == 1:
        return number_or_none(usage[0].get(key))
    known = [n for part in usage if (n := number_or_none(part.get(key))) is not None]
    return sum(known) if known else None


def name_trials(
    jobs: Sequence[Job], files_are: FilesAre | None, log: Log
) -> dict[str, list[tuple[Job, HarborTrial]]]:
    """Trials by system: agent and model, plus differing settings where names clash."""
    agents: dict[str, list[tuple[Job, HarborTrial]]] = {}
    every = [trial for job in jobs for trial in job.trials]
    for job in jobs:
        for trial in job.trials:
            agents.setdefault(trial.agent, []).append((job, trial))
    systems: dict[str, list[tuple[Job, HarborTrial]]] = {}
    for agent, trials in agents.items():
        settings = tell_apart([trial.settings for _, trial in trials])
        for (job, trial), setting in zip(trials, settings, strict=True):
            by_job = files_are == "systems" or (files_are is None and not trial.is_named)
            apart = job.label if by_job and len(jobs) > 1 else ""
            more = ", ".join(part for part in (setting, apart) if part)
            name = f"{agent} ({more})" if agent and more else agent or more or job.label
            systems.setdefault(name, []).append((job, trial))
    _remark_on_joined(systems, log)
    if files_are is None and len(jobs) > 1 and not all(trial.is_named for trial in every):
        log.remarks.append(
            guess(
                "Systems: trials that name no model are separated by job",
                option="--files trials",
                argument="files='trials'",
            )
        )
    return systems


def _remark_on_joined(systems: Mapping[str, Sequence[tuple[Job, HarborTrial]]], log: Log) -> None:
    for system, trials in systems.items():
        tasks: dict[str, dict[str, None]] = {}
        for job, trial in trials:
            tasks.setdefault(trial.task, {})[job.label] = None
        for task, labels in tasks.items():
            if len(labels) > 1:
                subject = " · ".join(part for part in (system, task) if part)
                log.remarks.append(
                    guess(
                        f"Trials: {subject}: those of {len(labels)} jobs "
                        f"({some_of(list(labels))}) are joined",
                        option="--files systems",
                        argument="files='systems'",
                    )
                )
