"""Runs of SWE-bench: what a report says of every instance, and where reports of one instance lie.

The id of an instance is the key inside its report, and never the name of a folder. Folders say only
which run and system it belongs to, and which instances a run began without a report to show for it.
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import warning
from errbar.data.readers.base import Log
from errbar.data.readers.documents import (
    is_whole,
    name_of,
    names_of,
    require_list,
    require_object,
    truth_or_none,
)
from errbar.errors import InputError

Judged = tuple[float | None, str]  # outcome and status

# What each list of a report says of an instance, the strongest first.
_LISTS: dict[str, Judged] = {
    "resolved_ids": (1.0, "ok"),
    "empty_patch_ids": (0.0, "ok"),
    "error_ids": (None, "error"),
    "unresolved_ids": (0.0, "ok"),
    "incomplete_ids": (None, "missing"),
    "completed_ids": (None, "unscored"),
}
_ONLY_ONCE = ("resolved_ids", "unresolved_ids", "empty_patch_ids", "error_ids", "incomplete_ids")
_ARTIFACTS = ("patch.diff", "run_instance.log", "eval.sh", "test_output.txt", "test_output.txt.gz")


@dataclass
class Run:
    """What a run of a model says of each instance."""

    model: str
    run: str
    path: Path
    judged: dict[str, Judged] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)  # of what there is to remark
    is_report: bool = False
    stated: Mapping[str, Any] = field(default_factory=dict)  # as the report counts them
    files: dict[str, Path] = field(default_factory=dict)  # of the reports of instances


class Instance(NamedTuple):
    """One instance in a report of instances."""

    name: str
    judged: Judged
    infra: bool  # not resolved likely for a failure of the infrastructure
    file: Path


class Place(NamedTuple):
    """Where the report of an instance lies: above the folder of the instance, and below it."""

    folder: str
    below: tuple[str, ...]
    kind: str  # run: of the harness; submission: <submission>/logs; other
    parent: str  # the name of the folder that holds the report itself


def read_report(file: Path, whole: Mapping[str, Any], known: Mapping[str, tuple[str, str]]) -> Run:
    """A run by its report; the name of the file is model and run, which known folders can tell."""
    stem = file.name.removesuffix(".gz").removesuffix(".json")
    model, _, name = stem.rpartition(".")
    model, name = known.get(stem, (model or stem, name))
    run = Run(model, name, file, is_report=True, stated=whole)
    listed: list[str] = []
    for key, meaning in _LISTS.items():
        where = f"{file}, {key}"
        names = names_of(require_list(whole.get(key) or [], where), where)
        unjudged = filterfalse(run.judged.__contains__, names) if run.judged else names
        run.judged |= dict.fromkeys(unjudged, meaning)
        run.counts[key] = len(names)
        if key in _ONLY_ONCE:
            listed += names
            _require_once(listed, run)
    for id_ in require_list(whole.get("infra_failure_ids") or [], f"{file}, infra_failure_ids"):
        instance = name_of(id_, f"{file}, infra_failure_ids")
        if run.judged.get(instance) == (0.0, "ok"):
            run.judged[instance] = (0.0, "error")
            run.counts["infra"] += 1
    submitted = require_list(whole.get("submitted_ids") or [], f"{file}, submitted_ids")
    run.counts["submitted_ids"] = len(submitted)
    asked = names_of(submitted, f"{file}, submitted_ids")
    run.counts["elsewhere"] = len(set(filterfalse(run.judged.__contains__, asked)))
    return run


def _require_once(listed: Sequence[str], run: Run) -> None:
    """Refuse an instance that stands twice in lists that exclude each other."""
    if len(listed) == len(run.judged):
        return
    twice = next(name for name, often in Counter(listed).items() if often > 1)
    raise InputError(f"{run.path}: {twice!r} stands in two lists that exclude each other.")


def contradictions(run: Run) -> Iterator[str]:
    """Counts of a report that are not those of its lists."""
    stated = {"total_instances": len(run.judged) + run.counts["elsewhere"]}
    for what in ("submitted", "completed", "resolved", "unresolved", "empty_patch", "error"):
        if isinstance(run.stated.get(f"{what}_ids"), list):
            stated[f"{what}_instances"] = run.counts[f"{what}_ids"]
    for key, mine in stated.items():
        said = run.stated.get(key)
        if is_whole(said) and said != mine:
            yield warning(f"{run.path}: the report states {key} {said}; its lists give {mine}.")


def instances_in(file: Path, whole: Mapping[str, Any]) -> Iterator[Instance]:
    """What a report of instances says; most are of one."""
    for instance, told in whole.items():
        where = f"{file}, {instance}"
        part = require_object(told, where)
        resolved = truth_or_none(part.get("resolved"), f"{where}, resolved")
        infra = resolved == 0 and part.get("infra_failure") is True
        status = "unscored" if resolved is None else "error" if infra else "ok"
        yield Instance(instance, (resolved, status), infra, file)


def repositories_of(instances: Sequence[str]) -> list[str]:
    """The repository of each instance; there are few, so that each is spelled out once."""
    prefixes = [instance.rpartition("-")[0] for instance in instances]
    spelled = {prefix: prefix.replace("__", "/") for prefix in set(prefixes)}
    return list(map(spelled.__getitem__, prefixes))


def place_of(path: str, names: Sequence[str]) -> Place:
    """Where a report lies, by the folder that is called as its instance; its path is resolved."""
    folder, _, name = path.rpartition(os.sep)
    above, _, parent = folder.rpartition(os.sep)
    if len(names) != 1:
        return Place(path, (), "other", parent)
    if parent == names[0]:
        return Place(above, (), _kind_of(above), parent)
    parts = folder.split(os.sep)
    if names[0] in parts[1:]:
        at = len(parts) - 1 - parts[::-1].index(names[0])
        return Place(os.sep.join(parts[:at]), tuple(parts[at + 1 :]), "other", parent)
    if names[0] in name:
        return Place(folder, (), "other", parent)
    return Place(above, (parent,), "other", parent)


def _kind_of(folder: str) -> str:
    """What the instances right below a folder are, by the folders above them."""
    *_, highest, higher, _, last = ("", "", "", *folder.split(os.sep))
    if last == "logs":
        return "submission"
    is_run = higher == "run_evaluation" or (highest, higher) == ("logs", "evaluation")
    return "run" if is_run else "other"


def folder_run(
    folder: Path, reports: Sequence[tuple[Place, Instance]], log: Log, *, is_run: bool
) -> Run:
    """A run by the reports of its instances, which lie in folders side by side.

    A folder beside them without a report is an instance that ended in an error; where the layout is
    not that of a run of the harness, only if the harness left something in it.
    """
    run = Run(folder.name, folder.parent.name, folder)
    for _, report in reports:
        if report.name in run.judged:
            log.leave_out(report.file, "second reports of one instance in one run")
            continue
        run.judged[report.name] = report.judged
        run.files[report.name] = report.file
        run.counts["infra"] += report.infra
    begun = {place.parent for place, _ in reports} | run.judged.keys()
    for name in sorted(os.listdir(folder)):
        other = folder / name if name not in begun else None
        if other is None or not other.is_dir():
            continue
        if is_run or any((other / artifact).is_file() for artifact in _ARTIFACTS):
            run.judged[name] = (None, "error")
            run.counts["without"] += 1
    return run
