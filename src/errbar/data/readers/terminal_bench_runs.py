"""Group files of Terminal-Bench into runs, and runs into systems.

With metadata, runs of the same agent, model and data set are trials of one system. Without, the
files of a folder are runs of the system that the folder is named after, unless the files have names
of their own; folders named by a time or a number are separate systems.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above, guess, setting, some_of, warning
from errbar.data.readers.choices import FilesAre
from errbar.data.readers.documents import (
    UNSET,
    Part,
    Shape,
    UnsetType,
    document_as,
    object_in,
    object_of,
)
from errbar.data.readers.log_names import tell_apart
from errbar.data.readers.logs import Log
from errbar.data.readers.tables.naming import systems_of, without_time

METADATA = "run_metadata.json"
RESULTS = "results.json"
_NUMBERED = re.compile(r"(?:run|trial|attempt|try|repeat|rep|seed|results?)?[-_. ]*\(?\d*\)?", re.I)


class TerminalTrial(Part):
    """The fields of a trial that are used."""

    id: Any = None
    task_id: Any = None
    trial_name: Any = UNSET
    is_resolved: Any = None
    failure_mode: Any = None

    @property
    def identity(self) -> tuple[str, str]:
        """Key that a trial has both in the file of its run and in its own file."""
        return str(self.task_id), str(None if self.trial_name is UNSET else self.trial_name)


class _ResultsFile(TerminalTrial):
    """A run with its trials, or a trial; and what a run states."""

    results: list[TerminalTrial] | UnsetType = UNSET
    n_resolved: Any = None
    n_unresolved: Any = None
    resolved_ids: Any = None
    unresolved_ids: Any = None
    accuracy: Any = None
    pass_at_k: Any = None


_SHAPE: Shape[_ResultsFile] = Shape(_ResultsFile)
_OF_TRIAL = ("id", "task_id", "trial_name", "is_resolved", "failure_mode")
_STATED = (
    *("id", "n_resolved", "n_unresolved", "resolved_ids", "unresolved_ids"),
    *("accuracy", "pass_at_k"),
)


@dataclass
class TerminalRun:
    """A run, from its own file or from the files of its trials."""

    path: Path
    trials: list[TerminalTrial]
    stated: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""  # unique label of the run
    trials_by_file: Counter[Path] = field(default_factory=Counter)  # number of its trials per file

    @property
    def agent(self) -> str:
        """Agent and model in the metadata."""
        names = [self.metadata.get(key) for key in ("agent_name", "model_name")]
        return " · ".join(str(part) for part in names if part)

    @property
    def is_named(self) -> bool:
        """Whether the metadata name both agent and model."""
        return all(self.metadata.get(key) for key in ("agent_name", "model_name"))

    @property
    def task(self) -> str:
        """The data set and its version."""
        names = [self.metadata.get(key) for key in ("dataset_name", "dataset_version")]
        return " ".join(str(part) for part in names if part)


def find_runs(files: Sequence[Path], log: Log) -> list[TerminalRun]:
    """Find runs; trials that are in the file of their run, and copies of runs, are counted once."""
    read = {file: document_as(file, _SHAPE) for file in files}
    runs: list[TerminalRun] = []
    homes: dict[Path, list[TerminalRun]] = {}
    for file, whole in read.items():
        if whole.results is not UNSET:
            stated = {name: getattr(whole, name) for name in _STATED}
            run = TerminalRun(file, whole.results, stated, _metadata(file))
            run.trials_by_file[file] = len(run.trials)
            log.read(file, len(run.trials))
            homes.setdefault(file.parent, []).append(run)
            runs.append(run)
    singles = [file for file, whole in read.items() if whole.results is UNSET]
    documents = {
        home: {trial.identity for run in trials for trial in run.trials}
        for home, trials in (homes.items() if singles else ())
    }
    apart: dict[Path, TerminalRun] = {}  # runs by the files of their trials
    for file in singles:
        trial = TerminalTrial(*(getattr(read[file], name) for name in _OF_TRIAL))
        log.read(file, 1)
        # <run>/<task>/<trial>/results.json
        home = next(
            (folder for folder in file.parents if folder in homes), file.parent.parent.parent
        )
        if trial.identity in documents.get(home, ()):
            log.leave_out(file, "trials that are also in the file of their run")
            continue
        place = home / RESULTS
        trials = homes.get(home, [])
        run = (
            trials[0]
            if len(trials) == 1
            else apart.setdefault(home, TerminalRun(place, [], {}, _metadata(place)))
        )
        run.trials.append(trial)
        run.trials_by_file[file] += 1
    runs = _without_copies([*runs, *apart.values()], log)
    for run, label in zip(runs, systems_of([run.path for run in runs], RESULTS), strict=True):
        run.label = label
    return runs


def _without_copies(runs: Sequence[TerminalRun], log: Log) -> list[TerminalRun]:
    """Drop runs that are copies of others, by their unique ids."""
    seen: dict[str, list[TerminalRun]] = {}
    kept: list[TerminalRun] = []
    for run in runs:
        run_id = run.stated.get("id") or (run.trials[0].id if run.trials else None)
        copies = seen.setdefault(str(run_id), [])
        first = (
            next((earlier for earlier in copies if earlier.trials == run.trials), None)
            if run_id
            else None
        )
        if first is None:
            copies.append(run)
            kept.append(run)
            continue
        for file, n in run.trials_by_file.items():
            log.leave_out(file, "trials of a copy of another run", n)
        log.remarks.append(
            warning(f"{run.path} is a copy of {first.path}: the run is counted once.")
        )
    return kept


def _metadata(file: Path) -> Mapping[str, Any]:
    """Metadata of a file, such as x_run_metadata.json for x_results.json, or of its folder."""
    name = file.name.removesuffix(".gz")
    own = file.with_name(f"{name.removesuffix(RESULTS)}{METADATA}")
    found = next(
        (candidate for candidate in (own, file.with_name(METADATA)) if candidate.is_file()), None
    )
    return object_of(found) if found else {}


def group_runs(
    runs: Sequence[TerminalRun], files_are: FilesAre | None, log: Log
) -> dict[str, list[TerminalRun]]:
    """Group runs by system."""
    groups: dict[str, list[TerminalRun]] = {}
    if files_are == "systems":
        for run in runs:
            name = f"{run.agent} ({run.label})" if run.agent and len(runs) > 1 else run.agent
            groups.setdefault(name or run.label, []).append(run)
        return groups
    for name, group in _by_metadata([run for run in runs if run.agent]).items():
        groups.setdefault(name, []).extend(group)
    for name, group in _by_folder([run for run in runs if not run.agent], files_are, log).items():
        groups.setdefault(name, []).extend(group)
    alone = len(groups) == 1
    for name, group in groups.items():
        for task, often in Counter(run.task for run in group).items():
            if often > 1 and alone and not group[0].agent and files_are is None:
                log.remarks.append(_unnamed_runs([run for run in group if run.task == task], name))
            elif often > 1:
                of = "agent, model and data set" if group[0].agent else "folder"
                subject = f"{name}, {task}" if task else name
                log.remarks.append(
                    guess(
                        f"{subject}: {often} runs of one {of} are read as trials of one system",
                        option="--files systems",
                        argument="files='systems'",
                    )
                )
    return groups


def _unnamed_runs(runs: Sequence[TerminalRun], folder: str) -> Above:
    """Warn that runs without an agent in a single folder may be of several agents."""
    apart = setting("files", "systems")
    shares = [
        sum(bool(trial.is_resolved) for trial in run.trials) / len(run.trials)
        for run in runs
        if run.trials
    ]
    spread = f" (from {min(shares):.4g} to {max(shares):.4g} resolved)" if shares else ""
    return warning(
        f"{len(runs)} runs{spread} name no agent and are in one folder, {folder}: they are read "
        f"as trials of one system. If they are of several agents, put each agent in a separate "
        f"folder, or read each run as a system with {apart}."
    )


def _by_metadata(runs: Sequence[TerminalRun]) -> dict[str, list[TerminalRun]]:
    """By agent and model, and by the arguments of the agent where these differ.

    If the agent or the model is not named, runs in differently named folders stay separate.
    """
    agents: dict[str, list[TerminalRun]] = {}
    for run in runs:
        agents.setdefault(run.agent, []).append(run)
    groups: dict[str, list[TerminalRun]] = {}
    for agent, group in agents.items():
        settings = tell_apart([object_in(run.metadata, "agent_kwargs") for run in group])
        folders = {_named_folder(run): None for run in group if not run.is_named}
        names = systems_of([folder / RESULTS for folder in folders], RESULTS)
        labels = dict(zip(folders, names, strict=True))
        for run, label in zip(group, settings, strict=True):
            folder = labels[_named_folder(run)] if len(labels) > 1 and not run.is_named else ""
            more = ", ".join(part for part in (label, folder) if part)
            groups.setdefault(f"{agent} ({more})" if more else agent, []).append(run)
    return groups


def _is_run(folder: Path) -> bool:
    """Whether a folder name is only a time or a run number, such as run1_2025-08-10."""
    return bool(_NUMBERED.fullmatch(without_time(folder.name)))


def _named_folder(run: TerminalRun) -> Path:
    """The nearest parent folder that is not named by a time or a number."""
    folder = run.path.resolve().parent
    return next(
        (candidate for candidate in (folder, *folder.parents) if not _is_run(candidate)), folder
    )


def _by_folder(
    runs: Sequence[TerminalRun], files_are: FilesAre | None, log: Log
) -> dict[str, list[TerminalRun]]:
    """Group runs without an agent by folder, or by file if files have names of their own."""
    places: dict[Path, list[TerminalRun]] = {}
    timed: list[TerminalRun] = []
    for run in runs:
        own = without_time(run.path.name.removesuffix(".gz").removesuffix(RESULTS))
        folder = run.path.resolve().parent
        if not _NUMBERED.fullmatch(own):
            places.setdefault(folder / own, []).append(run)
            continue
        if _is_run(folder):
            timed.append(run)
            if files_are == "trials":
                folder = _named_folder(run)
        places.setdefault(folder, []).append(run)
    if len(timed) > 1 and files_are != "trials":
        join = setting("files", "trials")
        log.remarks.append(
            warning(
                f"{len(timed)} runs name no agent, and their folders are named by a time or number "
                f"({some_of([run.label for run in timed])}): each folder is read as a separate "
                f"system. If they repeat one run, join them with {join}."
            )
        )
    names = systems_of([place / RESULTS for place in places], RESULTS)
    return dict(zip(names, places.values(), strict=True))
