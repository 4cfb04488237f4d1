"""Reports of SWE-bench: `<model>.<run id>.json` of a run, or `report.json` of an instance.

    {"total_instances": 3, "resolved_instances": 1, …, "resolved_ids": ["a__b-1"],
     "unresolved_ids": […], "empty_patch_ids": […], "error_ids": […], "incomplete_ids": […]}

    logs/run_evaluation/<run id>/<model>/<instance>/report.json:
    {"a__b-1": {"patch_exists": true, "patch_successfully_applied": true, "resolved": true}}

Runs of a model are its trials. If a run has both kinds of reports, its own report counts and those
of instances are only compared with it. An instance that was run but has no `report.json` ended in
an error. Reports of instances in other layouts, such as `<instance>/<time>/report.json`, are one
system per folder of instances; several reports of an instance are trials. Submissions to the
leaderboard are read by `swe_bench_submissions`.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from errbar.base.remarks import counted, guess, setting, some_of, warning
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice, FilesAre
from errbar.data.readers.documents import is_whole, object_of
from errbar.data.readers.finding import resolved_folders
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.swe_bench_runs import (
    Instance,
    InstanceRun,
    Place,
    contradictions,
    folder_run,
    instances_in,
    place_of,
    read_report,
    repositories_of,
)
from errbar.data.readers.swe_bench_submissions import (
    Submission,
    add_submissions,
    is_lists,
    read_details,
    read_lists,
    recognise_submission,
    submission_of,
)
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError

_LOGS = "logs"  # the folder of reports in a submission, which names no system
_COUNTS = ("total_instances", "submitted_instances", "resolved_instances")
_SIGNS = ("patch_exists", "patch_successfully_applied", "resolved")
_QUOTED = tuple(f'"{key}"' for key in _SIGNS)

_Reports = dict[Path, list[tuple[Place, Instance]]]  # reports of instances by parent folder


def _recognise(glance: Glance) -> str:
    if glance.has(*_COUNTS):
        return f"a JSON document with {', '.join(_COUNTS)}"
    signs = _QUOTED[0] in glance.text and all(sign in glance.text for sign in _QUOTED)
    if signs and glance.keys and not glance.keys & {*_SIGNS, *_COUNTS}:
        return f"a JSON document of instances with {', '.join(_SIGNS)}"
    return recognise_submission(glance)


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    totals: list[tuple[Path, dict[str, object]]] = []
    kinds: dict[str, dict[str, list[tuple[Place, Instance]]]]
    kinds = {"run": {}, "submission": {}, "other": {}}
    submissions: dict[Path, Submission] = {}
    folders = resolved_folders()
    for file in files:
        whole = object_of(file)
        if "total_instances" in whole:
            totals.append((file, whole))
        elif is_lists(whole) or _are_details(whole):
            folder = submission_of(file)
            submission = submissions.setdefault(folder, Submission(folder))
            (read_lists if is_lists(whole) else read_details)(submission, file, whole, log)
        else:
            place = place_of(folders.real_path(file), list(whole))
            log.read(file, len(whole))
            instances = kinds[place.kind].setdefault(place.folder, [])
            instances += [(place, instance) for instance in instances_in(file, whole)]
    reports = {
        kind: {Path(folder + os.sep): instances for folder, instances in found.items()}
        for kind, found in kinds.items()
    }
    _add_runs(totals, reports["run"], log)
    for folder, instances in reports["submission"].items():
        submission = submissions.setdefault(folder.parent, Submission(folder.parent))
        submission.logs = folder_run(folder, instances, log, is_run=False)
    add_submissions(list(submissions.values()), log)
    _add_others(reports["other"], choice.files, log)
    return log


def _are_details(whole: dict[str, object]) -> bool:
    """Whether the document has details of a submission: resolved instances, without patches."""
    return bool(whole) and all(
        isinstance(instance, dict) and "patch_exists" not in instance and "api_calls" in instance
        for instance in whole.values()
    )


def _add_runs(totals: Sequence[tuple[Path, dict[str, object]]], trees: _Reports, log: Log) -> None:
    """Add runs of the harness, from their reports and those of their instances."""
    runs: dict[tuple[str, str], InstanceRun] = {}
    for folder, instances in trees.items():
        tree = folder_run(folder, instances, log, is_run=True)
        key = (tree.model, tree.run)
        if key in runs:
            raise InputError(
                f"{folder}: {runs[key].path} is the same run of the same model; load only one of "
                f"them."
            )
        runs[key] = tree
    known = {".".join(key): key for key in runs}
    reports: dict[tuple[str, str], InstanceRun] = {}
    for file, whole in totals:
        report = read_report(file, whole, known)
        key = (report.model, report.run)
        if key in reports:
            raise InputError(
                f"{file}: {reports[key].path} is a report of the same run of the same model; load "
                f"only one of them."
            )
        log.read(file, len(report.names) + report.counts["elsewhere"])
        log.leave_out(file, "submitted ids that are in no other list", report.counts["elsewhere"])
        log.remarks += contradictions(report)
        if key in runs:
            log.remarks.append(_compare_reports(report, runs.pop(key), log))
        reports[key] = report
    models: dict[str, list[InstanceRun]] = {}
    for run in (*reports.values(), *runs.values()):
        models.setdefault(run.model, []).append(run)
        if not run.is_report:
            first = next(iter(run.files.values()))
            log.add_absent(
                first, "instances that were run and have no report", run.counts["without"]
            )
    for model, each in models.items():
        _add(log, model, each)


def _compare_reports(report: InstanceRun, tree: InstanceRun, log: Log) -> str:
    """Compare the report of a run with those of its instances, which are not counted again."""
    differing = [
        name
        for name, (outcome, _) in tree.judged.items()
        if outcome is not None and outcome != (report.judged.get(name, (None, ""))[0] or 0.0)
    ]
    for file in tree.files.values():
        log.leave_out(file, "instances that the report of their run has too")
    subject = f"{report.model} {report.run}"
    own = f"{counted(len(tree.judged), 'instance')} also in folders of their own"
    if differing:
        differ = "differs" if len(differing) == 1 else "differ"
        return warning(
            f"{subject}: {own}, of which {len(differing)} {differ} from {report.path.name}, which "
            f"is the one counted: {some_of(differing)}."
        )
    return f"{subject}: {own}, which agree with {report.path.name}."


def _add(log: Log, model: str, runs: Sequence[InstanceRun]) -> None:
    """Add the rows of a model.

    A report names every instance of its data set. Without one, instances of other runs of the
    model are missing.
    """
    several = len(runs) > 1
    instances = dict.fromkeys(chain(*(run.names for run in runs))) if several else ()
    for run in runs:
        run.counts["absent"] = absent = len(instances) - len(run.names) if several else 0
        if not run.is_report:
            first = next(iter(run.files.values()))
            log.add_absent(first, "instances of other runs of the model that are missing", absent)
        names, outcomes, statuses = run.names, run.outcomes, run.statuses
        if several:
            judged = run.judged
            shown = judged if absent and run.is_report else instances
            names = [name for name in instances if name in shown]
            found = [judged.get(name, (None, "missing")) for name in names]
            outcomes = [outcome for outcome, _ in found]
            statuses = [status for _, status in found]
        log.extend(
            system=[model] * len(names),
            question=names,
            trial=[run.run] * len(names),
            outcome=outcomes,
            status=statuses,
            repo=repositories_of(names),
        )
        log.remarks += _remarks(run)
    log.claims += _claims(model, runs)


def _remarks(run: InstanceRun) -> Iterator[str]:
    subject, counts = f"{run.model} {run.run}", run.counts
    if counts["empty_patch_ids"]:
        empty = counts["empty_patch_ids"]
        patches = "1 empty patch counts" if empty == 1 else f"{empty} empty patches count"
        yield f"{subject}: {patches} as wrong, as in SWE-bench."
    if counts["infra"]:
        yield (
            f"{subject}: {counts['infra']} instances were not resolved, probably because of "
            "infrastructure failures; SWE-bench counts them as wrong, "
            f"{setting('errors', 'missing')} leaves them out."
        )
    if counts["absent"] and run.is_report:
        absent = counts["absent"]
        yield (
            f"{subject}: {absent} instances of other runs are not named in this report, and "
            "do not count as part of this run."
        )
    if run.is_report and "." in run.model:
        yield f"{subject}: the name of the file was split at its last point into model and run."


def _claims(model: str, runs: Sequence[InstanceRun]) -> Iterator[Claim]:
    """Counts stated in reports, and the resolved share if all runs have the same instances."""
    if not all(run.is_report for run in runs):
        return
    of = f", sum of {len(runs)} runs" if len(runs) > 1 else ""
    for key, metric in (("total_instances", "rows"), ("resolved_instances", "right")):
        values = [run.stated.get(key) for run in runs]
        stated = [n for n in values if is_whole(n)]
        if len(stated) == len(runs):
            yield Claim(f"{key}{of}", sum(stated), metric, model)
    if len(runs) == 1 or all(run.judged.keys() == runs[0].judged.keys() for run in runs[1:]):
        shares = [
            right / total
            for run in runs
            if is_whole(right := run.stated.get("resolved_instances"))
            and is_whole(total := run.stated.get("total_instances"))
            and total == len(run.names)
        ]
        if shares and len(shares) == len(runs):
            name = f"resolved_instances / total_instances, mean of {len(runs)} runs"
            yield Claim(name, sum(shares) / len(shares), "avg", model)


def _add_others(reports: _Reports, files_are: FilesAre | None, log: Log) -> None:
    """Add reports of instances in other layouts: a system per folder of instances."""
    if not reports:
        return
    folders = list(reports)
    above = [folder.parent if folder.name == _LOGS else folder for folder in folders]
    places = above if len(set(above)) == len(above) else folders
    names = systems_of([place / "x" for place in places], "x")
    if files_are == "trials":
        alike = Counter(folder.name for folder in folders)
        alone = len(folders) == len(alike)
        names = ["" if alone and len(folders) > 1 else folder.name for folder in folders]
    elif len(folders) > 1:
        text = f"Systems: named after the {len(folders)} folders that hold instances"
        log.remarks.append(guess(text, option="--files trials", argument="files='trials'"))
    trials: Counter[tuple[str, str]] = Counter()
    for folder, system in zip(folders, names, strict=True):
        found = sorted(reports[folder], key=lambda each: (each[0].below, each[1].file))
        repos = repositories_of([instance.name for _, instance in found])
        for (_, instance), repo in zip(found, repos, strict=True):
            trials[system, instance.name] += 1
            log.add(
                system=system,
                question=instance.name,
                trial=trials[system, instance.name],
                outcome=instance.judged[0],
                status=instance.judged[1],
                repo=repo,
            )
    often = sum(n > 1 for n in trials.values())
    if often:
        log.remarks.append(
            guess(
                f"Trials: {often} instances have several reports, which are trials of them",
                option="--rows questions",
                argument="rows='questions'",
            )
        )


READER = Reader(
    "swe_bench",
    ("object",),
    _recognise,
    _read,
    beside=(
        *("*.log", "*.diff", "*.sh", "test_output.txt*", "Dockerfile", "image_name*.txt"),
        *("resolved_by_*.json", "metadata.yaml", "README.md", "all_preds.jsonl", "*.traj"),
    ),
    chooses=("files",),
    files=("systems", "trials"),
)
