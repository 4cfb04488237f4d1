"""Reports of SWE-bench: `<model>.<run id>.json`, or `report.json` of each instance.

    {"total_instances": 3, "resolved_instances": 1, …, "resolved_ids": ["a__b-1"],
     "unresolved_ids": […], "empty_patch_ids": […], "error_ids": […], "incomplete_ids": […]}

    logs/run_evaluation/<run id>/<model>/<instance>/report.json:
    {"a__b-1": {"patch_exists": true, "patch_successfully_applied": true, "resolved": true}}

Run ids of a model are its trials. Where a run has both kinds the report counts, and the instances
are only held against it. An instance that was run and has no `report.json` ended in an error.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.errors import InputError
from errbar.readers.base import Choice, Glance, Log, Reader
from errbar.readers.documents import (
    name_of,
    object_of,
    require_list,
    require_object,
    truth_or_none,
)

# What each list of a report says of an instance, the strongest first.
_LISTS: dict[str, tuple[float | None, str]] = {
    "resolved_ids": (1.0, "ok"),
    "empty_patch_ids": (0.0, "ok"),
    "error_ids": (None, "error"),
    "unresolved_ids": (0.0, "ok"),
    "incomplete_ids": (None, "missing"),
    "completed_ids": (None, "unscored"),
}
_ONLY_ONCE = ("resolved_ids", "unresolved_ids", "empty_patch_ids", "error_ids", "incomplete_ids")
_COUNTS = ("total_instances", "submitted_instances", "resolved_instances")
_SIGNS = ("patch_exists", "patch_successfully_applied", "resolved")


@dataclass
class _Run:
    """What a run of a model says of each instance."""

    model: str
    run: str
    path: Path
    judged: dict[str, tuple[float | None, str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)  # of what there is to remark
    is_report: bool = False
    stated: tuple[int, int] | None = None  # resolved and total, as the report counts them


def _recognise(glance: Glance) -> str:
    if glance.shape != "object":
        return ""
    if glance.has(*_COUNTS):
        return f"a JSON document with {', '.join(_COUNTS)}"
    if len(glance.keys) == 1 and all(f'"{one}"' in glance.text for one in _SIGNS):
        return f"a JSON document of one instance with {', '.join(_SIGNS)}"
    return ""


def _read(files: Sequence[Path], _: Choice) -> Log:
    log = Log()
    read = {file: object_of(file) for file in files}
    trees = _trees({file: whole for file, whole in read.items() if "total_instances" not in whole})
    reports = [
        _report(file, whole, trees) for file, whole in read.items() if "total_instances" in whole
    ]
    known = {(report.model, report.run): report for report in reports}
    if len(known) < len(reports):
        raise InputError(f"{files[0]}: two reports are of one run of one model; give one of them.")
    for key, tree in trees.items():
        if key in known:
            log.remarks.append(_held_against(known[key], tree))
    runs = [*reports, *(tree for key, tree in trees.items() if key not in known)]
    for model in dict.fromkeys(run.model for run in runs):
        mine = [run for run in runs if run.model == model]
        _add(log, model, mine)
    return log


def _report(file: Path, whole: Mapping[str, Any], trees: Mapping[tuple[str, str], "_Run"]) -> _Run:
    """A run by its report."""
    stem = file.name.removesuffix(".gz").removesuffix(".json")
    model, _, name = stem.rpartition(".")
    model, name = next((key for key in trees if ".".join(key) == stem), (model or stem, name))
    run = _Run(model, name, file, is_report=True)
    listed: Counter[str] = Counter()
    for key, meaning in _LISTS.items():
        for one in require_list(whole.get(key) or [], f"{file}, {key}"):
            instance = name_of(one, f"{file}, {key}")
            run.judged.setdefault(instance, meaning)
            listed[instance] += key in _ONLY_ONCE
            run.counts[key] += 1
    twice = next((one for one, n in listed.items() if n > 1), None)
    if twice is not None:
        raise InputError(f"{file}: {twice!r} stands in two lists that exclude each other.")
    for one in require_list(whole.get("infra_failure_ids") or [], f"{file}, infra_failure_ids"):
        instance = name_of(one, f"{file}, infra_failure_ids")
        if run.judged.get(instance) == (0.0, "ok"):
            run.judged[instance] = (0.0, "error")
            run.counts["infra"] += 1
    for one in require_list(whole.get("submitted_ids") or [], f"{file}, submitted_ids"):
        run.counts["elsewhere"] += name_of(one, f"{file}, submitted_ids") not in run.judged
    resolved, total = whole.get("resolved_instances"), whole.get("total_instances")
    if isinstance(resolved, int) and isinstance(total, int) and total > 0:
        run.stated = (resolved, total)
    return run


def _trees(reports: Mapping[Path, Mapping[str, Any]]) -> dict[tuple[str, str], _Run]:
    """Runs by the reports of their instances; the folders say which run and model."""
    runs: dict[tuple[str, str], _Run] = {}
    for file, whole in reports.items():
        folder = file.resolve().parent.parent
        key = (folder.name, folder.parent.name)
        run = runs.setdefault(key, _Run(*key, folder))
        for instance, told in whole.items():
            where = f"{file}, {instance}"
            part = require_object(told, where)
            resolved = truth_or_none(part.get("resolved"), f"{where}, resolved")
            broken = resolved == 0 and part.get("infra_failure") is True
            run.counts["infra"] += broken
            status = "unscored" if resolved is None else "error" if broken else "ok"
            run.judged[instance] = (resolved, status)
    for run in runs.values():
        for folder in sorted(run.path.iterdir()):
            if folder.is_dir() and folder.name not in run.judged:
                run.judged[folder.name] = (None, "error")
                run.counts["error_ids"] += 1
    return runs


def _held_against(report: _Run, tree: _Run) -> str:
    """That a run was not counted twice, and whether its instances say the same."""
    other = [
        one
        for one, (outcome, _) in tree.judged.items()
        if outcome is not None and outcome != (report.judged.get(one, (None, ""))[0] or 0.0)
    ]
    said = f"{len(other)} say otherwise, as {other[0]}" if other else "they say the same"
    return (
        f"{report.model}, run {report.run}: {len(tree.judged)} instances have a folder of their "
        f"own, and are counted once, by {report.path.name}; {said}."
    )


def _add(log: Log, model: str, runs: Sequence[_Run]) -> None:
    """The rows of a model.

    A report names every instance of its data set. Without one, an instance that another run of the
    model has is missing.
    """
    instances = dict.fromkeys(one for run in runs for one in run.judged)
    for run in runs:
        absent = instances.keys() - run.judged.keys()
        run.counts["absent"] = len(absent)
        for instance in instances:
            if instance in absent and run.is_report:
                continue
            outcome, status = run.judged.get(instance, (None, "missing"))
            log.add(
                system=model,
                question=instance,
                trial=run.run,
                outcome=outcome,
                status=status,
                repo=instance.rpartition("-")[0].replace("__", "/"),
            )
        log.remarks += _remarks(run)
    log.claims += _claims(model, runs)


def _remarks(run: _Run) -> Iterator[str]:
    whose, counts = f"{run.model}, run {run.run}", run.counts
    if counts["empty_patch_ids"]:
        yield f"{whose}: {counts['empty_patch_ids']} empty patches are wrong, as in SWE-bench."
    if counts["infra"]:
        yield (
            f"{whose}: {counts['infra']} instances were not resolved likely for failures of the "
            f"infrastructure; SWE-bench counts them as wrong, errors='missing' leaves them out."
        )
    if counts["elsewhere"]:
        yield f"{whose}: {counts['elsewhere']} submitted ids are in no other list, and left out."
    if counts["absent"]:
        taken = "not of this run" if run.is_report else "missing"
        yield f"{whose}: {counts['absent']} instances of other runs are not named: {taken}."
    if run.is_report and "." in run.model:
        yield f"{whose}: the name of the file was parted at its last point into model and run."


def _claims(model: str, runs: Sequence[_Run]) -> Iterator[Claim]:
    """The share of resolved instances, if every run was of the same ones."""
    size = len(runs[0].judged)
    if all(run.judged.keys() == runs[0].judged.keys() for run in runs):
        shares = [run.stated[0] / size for run in runs if run.stated and run.stated[1] == size]
        if shares and len(shares) == len(runs):
            name = f"resolved_instances / total_instances, mean of {len(runs)} runs"
            yield Claim(name, sum(shares) / len(shares), "avg", model)


READER = Reader(
    "swe_bench",
    _recognise,
    _read,
    beside=("*.log", "*.diff", "*.sh", "test_output.txt", "Dockerfile"),
    chooses=(),
)
