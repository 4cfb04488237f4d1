"""Results of Terminal-Bench: `results.json` of a run, and of each of its trials.

    {"results": [{"task_id": "hello", "trial_name": "hello.1-of-2.run", "is_resolved": true,
                  "failure_mode": "unset"}, …], "accuracy": 0.5, "pass_at_k": {"1": 0.5}}

`is_resolved` is null where the tests could not be run: a failure of the infrastructure, which
Terminal-Bench counts as wrong. An agent that ran out of time is tested all the same, and keeps its
result. `run_metadata.json` beside it names agent, model and data set.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.data.naming import systems_of
from errbar.data.origin import Claim
from errbar.readers.base import Choice, Glance, Log, Reader
from errbar.readers.documents import (
    name_of,
    number_or_none,
    object_in,
    object_of,
    require_key,
    require_list,
    require_object,
    truth_or_none,
)

_METADATA = "run_metadata.json"
_LIMITS = ("agent_timeout", "context_length_exceeded", "output_length_exceeded")
_ERRORS = ("unknown", "unknown_agent_error", "agent_installation_failed", "parse_error")
_NO_FAILURE = ("unset", "none", "None")


@dataclass
class _Run:
    """A run by its own file, or by the files of its trials."""

    path: Path
    trials: list[dict[str, Any]]
    stated: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def system(self) -> str:
        """Agent and model, where the metadata name them."""
        told = [self.metadata.get(key) for key in ("agent_name", "model_name")]
        return " · ".join(str(one) for one in told if one)

    @property
    def task(self) -> str:
        told = [self.metadata.get(key) for key in ("dataset_name", "dataset_version")]
        return " ".join(str(one) for one in told if one)


def _recognise(glance: Glance) -> str:
    if glance.shape != "object" or '"is_resolved"' not in glance.text:
        return ""
    if glance.has("results") and '"trial_name"' in glance.text:
        return "a JSON document with results that have trial_name and is_resolved"
    if glance.has("task_id", "trial_name", "is_resolved"):
        return "a trial with task_id, trial_name and is_resolved"
    return ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    runs = _runs(files, log)
    often = Counter((run.system, run.task) for run in runs)
    folders = systems_of([run.path for run in runs], "results.json")
    for run, folder in zip(runs, folders, strict=True):
        system = run.system
        if not system or often[system, run.task] > 1:
            system = f"{system} ({folder})" if system else folder
        _add(log, run, system)
    return log


def _runs(files: Sequence[Path], log: Log) -> list[_Run]:
    """Runs; trials that a run of a folder above them tells of are not counted again."""
    read = {file: object_of(file) for file in files}
    runs = {
        file.parent: _Run(file, _trials(file, whole), whole, _metadata(file.parent))
        for file, whole in read.items()
        if "results" in whole
    }
    told = {folder: {_identity(one) for one in run.trials} for folder, run in runs.items()}
    again = 0
    for file, whole in read.items():
        if "results" in whole:
            continue
        # <run>/<task>/<trial>/results.json
        home = next((one for one in file.parents if one in told), file.parent.parent.parent)
        run = runs.setdefault(home, _Run(home / file.name, [], {}, _metadata(home)))
        if _identity(whole) in told.get(home, ()):
            again += 1
        else:
            run.trials.append(whole)
    if again:
        log.remarks.append(f"{again} trials have a file of their own too, and are counted once.")
    return list(runs.values())


def _identity(trial: Mapping[str, Any]) -> tuple[str, str]:
    return str(trial.get("task_id")), str(trial.get("trial_name"))


def _trials(file: Path, whole: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = require_list(whole["results"], f"{file}, results")
    return [require_object(one, f"{file}, trial {at}") for at, one in enumerate(found)]


def _metadata(folder: Path) -> Mapping[str, Any]:
    file = folder / _METADATA
    return object_of(file) if file.is_file() else {}


def _add(log: Log, run: _Run, system: str) -> None:
    failures: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    for at, one in enumerate(run.trials):
        where = f"{run.path}, trial {at}"
        question = name_of(require_key(one, "task_id", where), f"{where}, task_id")
        resolved = truth_or_none(one.get("is_resolved"), f"{where}, is_resolved")
        failure = str(one.get("failure_mode") or "unset")
        status = _status(resolved, failure)
        if status != "ok":
            failures["no failure told" if failure in _NO_FAILURE else failure] += 1
        log.add(
            system=system,
            task=run.task,
            question=question,
            trial=name_of(one.get("trial_name", trials[question]), f"{where}, trial_name"),
            outcome=resolved,
            status=status,
            failure=None if failure in _NO_FAILURE else failure,
        )
        trials[question] += 1
    if failures:
        said = ", ".join(f"{failure} {n}" for failure, n in failures.items())
        log.remarks.append(
            f"{system}: trials that did not run to their end: {said}. Terminal-Bench counts those "
            f"without a result as wrong."
        )
    if len(set(trials.values())) > 1:
        log.remarks.append(
            f"{system}: tasks have {min(trials.values())} to {max(trials.values())} trials; the "
            f"accuracy of Terminal-Bench is a mean of trials, avg one of tasks."
        )
    log.claims += _claims(run, system, len(set(trials.values())) == 1)


def _status(resolved: float | None, failure: str) -> str:
    if resolved is None:
        return "timeout" if failure == "test_timeout" else "error"
    if resolved:
        return "ok"
    return "limit" if failure in _LIMITS else "error" if failure in _ERRORS else "ok"


def _claims(run: _Run, system: str, balanced: bool) -> Iterator[Claim]:
    """The accuracy, where tasks weigh the same, and pass@k of tasks with k trials."""
    accuracy = number_or_none(run.stated.get("accuracy"))
    if accuracy is not None and balanced:
        yield Claim("accuracy", accuracy, "avg", system, run.task)
    for k, value in object_in(run.stated, "pass_at_k").items():
        number = number_or_none(value)
        if number is not None and k.isdecimal() and int(k):
            yield Claim(f"pass_at_k {k}", number, f"pass@{k}", system, run.task)


READER = Reader(
    "terminal_bench", _recognise, _read, beside=(_METADATA, "*.log", "*.cast"), chooses=()
)
