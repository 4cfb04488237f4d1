"""Runs of SWE-bench: parse reports of runs, and find reports of single instances.

The id of an instance is the key inside its report, never a folder name. Folders only tell the run
and the system, and which instances were started but have no report.
"""

import os
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import filterfalse
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import warning
from errbar.data.readers.documents import (
    is_whole,
    names_of,
    require_list,
    require_object,
    truth_or_none,
)
from errbar.data.readers.logs import Log
from errbar.errors import InputError

Graded = tuple[float | None, str]  # outcome and status

# Outcome and status by list of a report, the strongest first.
_LISTS: dict[str, Graded] = {
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
class InstanceRun:
    """Outcome of each instance in a run of a model, as columns."""

    model: str
    run: str
    path: Path
    names: list[str] = field(default_factory=list)
    outcomes: list[float | None] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)  # counts of special cases, for remarks
    is_report: bool = False
    stated: Mapping[str, Any] = field(default_factory=dict)  # totals stated by the report
    files: dict[str, Path] = field(default_factory=dict)  # reports of instances

    def add(self, names: Sequence[str], judged: Graded) -> None:
        """Add instances with the same outcome and status."""
        self.names += names
        self.outcomes += [judged[0]] * len(names)
        self.statuses += [judged[1]] * len(names)

    @cached_property
    def judged(self) -> dict[str, Graded]:
        """Outcome and status by instance, when all have been added."""
        pairs = zip(self.outcomes, self.statuses, strict=True)
        return dict(zip(self.names, pairs, strict=True))


class Instance(NamedTuple):
    """One instance in a report of instances."""

    name: str
    judged: Graded
    infra: bool  # whether an infrastructure failure is the likely reason
    file: Path


class Place(NamedTuple):
    """Location of the report of an instance relative to the folder of the instance."""

    folder: str
    below: tuple[str, ...]
    kind: str  # run: of the harness; submission: <submission>/logs; other
    parent: str  # name of the folder with the report


def read_report(
    file: Path, whole: Mapping[str, Any], known: Mapping[str, tuple[str, str]]
) -> InstanceRun:
    """Parse the report of a run; the file name has model and run, split with the known folders."""
    stem = file.name.removesuffix(".gz").removesuffix(".json")
    model, _, name = stem.rpartition(".")
    model, name = known.get(stem, (model or stem, name))
    run = InstanceRun(model, name, file, is_report=True, stated=whole)
    seen: set[str] = set()
    for key, meaning in _LISTS.items():
        where = f"{file}, {key}"
        names = names_of(require_list(whole.get(key) or [], where), where)
        run.counts[key] = len(names)
        if key in _ONLY_ONCE:
            run.add(names, meaning)
            seen.update(names)
            _require_once(seen, run)
        elif names != run.names and not seen.issuperset(names):
            run.add(list(dict.fromkeys(filterfalse(seen.__contains__, names))), meaning)
            seen.update(names)
    _mark_infrastructure(run, whole)
    submitted = require_list(whole.get("submitted_ids") or [], f"{file}, submitted_ids")
    run.counts["submitted_ids"] = len(submitted)
    if submitted != whole.get("completed_ids"):  # these are all judged
        instances = names_of(submitted, f"{file}, submitted_ids")
        run.counts["elsewhere"] = len(set(filterfalse(seen.__contains__, instances)))
    return run


def _mark_infrastructure(run: InstanceRun, whole: Mapping[str, Any]) -> None:
    """Instances that failed likely because of the infrastructure ended in an error."""
    where = f"{run.path}, infra_failure_ids"
    lost = require_list(whole.get("infra_failure_ids") or [], where)
    places = {name: at for at, name in enumerate(run.names)} if lost else {}
    for instance in names_of(lost, where):
        at = places.get(instance)
        if at is not None and (run.outcomes[at], run.statuses[at]) == (0.0, "ok"):
            run.statuses[at] = "error"
            run.counts["infra"] += 1


def _require_once(seen: set[str], run: InstanceRun) -> None:
    """Raise an error for an instance in two mutually exclusive lists."""
    if len(seen) == len(run.names):
        return
    twice = next(name for name, often in Counter(run.names).items() if often > 1)
    raise InputError(f"{run.path}: {twice!r} is in two lists that exclude each other.")


def contradictions(run: InstanceRun) -> Iterator[str]:
    """Remarks on counts of a report that disagree with its lists."""
    stated = {"total_instances": len(run.names) + run.counts["elsewhere"]}
    for what in ("submitted", "completed", "resolved", "unresolved", "empty_patch", "error"):
        if isinstance(run.stated.get(f"{what}_ids"), list):
            stated[f"{what}_instances"] = run.counts[f"{what}_ids"]
    for what in ("infra_failure", "ambiguous_failure"):
        names = run.stated.get(f"{what}_ids")
        if isinstance(names, list):
            stated[f"{what}_instances"] = len(names)
    for key, count in stated.items():
        value = run.stated.get(key)
        if is_whole(value) and value != count:
            yield warning(f"{run.path}: the report states {key} {value}; its lists give {count}.")


def instances_in(file: Path, whole: Mapping[str, Any]) -> Iterator[Instance]:
    """Instances in a report, usually a single one."""
    for instance, entry in whole.items():
        where = f"{file}, {instance}"
        part = require_object(entry, where)
        resolved = truth_or_none(part.get("resolved"), f"{where}, resolved")
        infra = resolved == 0 and part.get("infra_failure") is True
        status = "unscored" if resolved is None else "error" if infra else "ok"
        yield Instance(instance, (resolved, status), infra, file)


def repositories_of(instances: Sequence[str]) -> list[str]:
    """Repository of each instance, with shared strings, since there are few.

    Reports list the instances of a repository one after the other, so each repository is taken
    from its first instance and checked for the others at once; lists in another order are read
    instance by instance.
    """
    found: list[str] = []
    for _ in range(16 + len(instances) // 64):
        if len(found) == len(instances):
            return found
        prefix, mark, _ = instances[len(found)].rpartition("-")
        end = bisect_left(instances, f"{prefix}.", len(found))  # "." is the sign after "-"
        alike = "\n".join(instances[len(found) : end])
        size = end - len(found)
        if not mark or not size or not _all_begin(alike, f"{prefix}-", size):
            break
        found += [prefix.replace("__", "/")] * size
    prefixes = [instance.rpartition("-")[0] for instance in instances[len(found) :]]
    spelled = {prefix: prefix.replace("__", "/") for prefix in set(prefixes)}
    return found + list(map(spelled.__getitem__, prefixes))


def _all_begin(lines: str, start: str, size: int) -> bool:
    """Whether all lines begin with this text and have no hyphen after it."""
    return (
        lines.startswith(start)
        and lines.count("\n") == lines.count(f"\n{start}") == size - 1
        and lines.count("-") == size * start.count("-")
    )


def place_of(path: str, names: Sequence[str]) -> Place:
    """Location of a report with a resolved path, from the folder named after its instance."""
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
    """Kind of the instances in a folder, by its parent folders."""
    *_, highest, higher, _, last = ("", "", "", *folder.split(os.sep))
    if last == "logs":
        return "submission"
    is_run = higher == "run_evaluation" or (highest, higher) == ("logs", "evaluation")
    return "run" if is_run else "other"


def folder_run(
    folder: Path, reports: Sequence[tuple[Place, Instance]], log: Log, *, is_run: bool
) -> InstanceRun:
    """Run made of the reports of its instances, which are in sibling folders.

    A sibling folder without a report is an instance that ended in an error; in layouts other than
    that of the harness, only if it contains files of the harness.
    """
    run = InstanceRun(folder.name, folder.parent.name, folder)
    for _, report in reports:
        if report.name in run.files:
            log.leave_out(report.file, "second reports of one instance in one run")
            continue
        run.add([report.name], report.judged)
        run.files[report.name] = report.file
        run.counts["infra"] += report.infra
    begun = {place.parent for place, _ in reports} | run.files.keys()
    for name in sorted(os.listdir(folder)):
        other = folder / name if name not in begun else None
        if other is None or not other.is_dir():
            continue
        if is_run or any((other / artifact).is_file() for artifact in _ARTIFACTS):
            run.add([name], (None, "error"))
            run.counts["without"] += 1
    return run
