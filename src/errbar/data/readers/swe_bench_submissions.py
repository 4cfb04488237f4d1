"""Submissions to the SWE-bench leaderboard, as in its repository of experiments.

In `evaluation/<benchmark>/<submission>/`:

    results/results.json: {"no_generation": ["a__b-1"], "no_logs": [], "resolved": ["a__b-2", …]}
    results/resolved_by_repo.json: {"a/b": {"resolved": 1, "total": 9}, …}
    logs/<instance>/report.json, as of a run
    per_instance_details.json: {"a__b-1": {"resolved": true, "cost": 0.1, "api_calls": 9}, …}

`results.json` does not name the instances that were run and not resolved. Their number is known if
`resolved_by_repo.json` or the benchmark gives the total number of instances; their ids are known if
other files name them. Instances that no file names are resolved by no submission, so they are
interchangeable: they get numbers, the same for all submissions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.base.remarks import some_of, warning
from errbar.data.readers.base import Glance
from errbar.data.readers.documents import (
    is_whole,
    name_of,
    number_or_none,
    object_of,
    require_list,
    require_object,
    truth_or_none,
)
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.swe_bench_runs import Graded, InstanceRun
from errbar.data.readers.tables.naming import systems_of
from errbar.errors import InputError

# Outcome and status by list of results.json, the strongest first.
LISTS: dict[str, Graded] = {
    "resolved": (1.0, "ok"),
    "no_generation": (0.0, "ok"),
    "no_logs": (None, "error"),
    "install_fail": (None, "error"),
    "reset_failed": (None, "error"),
    "test_timeout": (None, "timeout"),
    "test_errored": (None, "error"),
    "no_apply": (0.0, "ok"),
    "applied": (0.0, "ok"),
    "with_logs": (0.0, "ok"),
    "generated": (0.0, "ok"),
}
_WHOLE = ("applied", "with_logs", "generated")  # lists that include unresolved instances
_BY_REPO = "resolved_by_repo.json"
_SIZES = {"lite": 300, "verified": 500, "bash-only": 500, "test": 2294, "multilingual": 300}
_BENCHMARKS = (*_SIZES, "multimodal")
_TELLING = frozenset(
    {"no_generation", "no_logs", "generated"}
)  # of which one is in every results.json
_DETAILS = ('"api_calls"', '"cost"', '"resolved"')
_NOT_NAMED = "instances that were not resolved, which results.json does not name"


@dataclass
class Submission:
    """Contents of the files of a submission."""

    folder: Path
    lists: Path | None = None
    listed: dict[str, Graded] = field(default_factory=dict)
    stated: Counter[str] = field(default_factory=Counter)  # lengths of the lists
    is_whole: bool = False  # whether all instances that were run are named
    details: dict[str, tuple[Graded, float | None, float | None]] = field(default_factory=dict)
    logs: InstanceRun | None = None
    totals: Mapping[str, int] = field(default_factory=dict)  # instances of each repository
    system: str = ""

    @property
    def task(self) -> str:
        """The benchmark, if the parent folder is named after one."""
        name = self.folder.parent.name
        return name if name in _BENCHMARKS else ""

    @property
    def named(self) -> set[str]:
        """Instances named in any of its files."""
        return {*self.listed, *self.details, *(self.logs.judged if self.logs else ())}


def recognise_submission(glance: Glance) -> str:
    """Reason a file is recognised as part of a submission; empty if it is not."""
    possible = glance.possible_keys
    if not _TELLING.isdisjoint(possible) and _TELLING & glance.keys and glance.keys <= LISTS.keys():
        return "a JSON document with lists of instances: " + ", ".join(sorted(glance.keys))
    if _DETAILS[0] not in glance.text or not all(sign in glance.text for sign in _DETAILS):
        return ""
    if glance.keys and all("__" in key for key in glance.keys):
        return "a JSON document of instances with resolved, cost and api_calls"
    return ""


def submission_of(file: Path) -> Path:
    """Folder of the submission that a file belongs to."""
    folder = file.resolve().parent
    return folder.parent if folder.name in ("results", "logs") else folder


def is_lists(whole: Mapping[str, Any]) -> bool:
    """Whether a document is a results.json."""
    return bool(whole) and whole.keys() <= LISTS.keys()


def read_lists(submission: Submission, file: Path, whole: Mapping[str, Any], log: Log) -> None:
    """Read the lists of a results.json, and the totals next to it, if any."""
    if submission.lists is not None:
        raise InputError(
            f"{file}: {submission.lists} is of the same submission; load only one of them."
        )
    submission.lists = file
    for key, meaning in LISTS.items():
        for instance in require_list(whole.get(key) or [], f"{file}, {key}"):
            submission.listed.setdefault(name_of(instance, f"{file}, {key}"), meaning)
            submission.stated[key] += 1
    submission.is_whole = any(whole.get(key) for key in _WHOLE)
    log.read(file, len(submission.listed))
    beside = file.with_name(_BY_REPO)
    if beside.is_file():
        submission.totals = {
            repo: total
            for repo, entry in object_of(beside).items()
            if is_whole(total := require_object(entry, f"{beside}, {repo}").get("total"))
        }


def read_details(submission: Submission, file: Path, whole: Mapping[str, Any], log: Log) -> None:
    """Read per_instance_details.json."""
    if submission.details:
        raise InputError(
            f"{file}: there are two files of details of one submission; load only one of them."
        )
    for instance, entry in whole.items():
        where = f"{file}, {instance}"
        part = require_object(entry, where)
        resolved = truth_or_none(part.get("resolved"), f"{where}, resolved")
        status = "unscored" if resolved is None else "ok"
        cost, calls = (number_or_none(part.get(key)) for key in ("cost", "api_calls"))
        submission.details[instance] = ((resolved, status), cost, calls)
    log.read(file, len(submission.details))


def add_submissions(submissions: Sequence[Submission], log: Log) -> None:
    """Add rows of submissions; those of the same benchmark share its instances."""
    name_submissions(submissions)
    for task in dict.fromkeys(submission.task for submission in submissions):
        mine = [submission for submission in submissions if submission.task == task]
        lacking = [submission for submission in mine if _lacks_names(submission)]
        known = (
            sorted({name for submission in mine for name in submission.named}) if lacking else []
        )
        unnamed = _substitute_ids(task, lacking, known, log) if lacking else []
        for submission in mine:
            _add(submission, [*known, *unnamed] if submission in lacking else [], log)


def name_submissions(submissions: Sequence[Submission]) -> None:
    """Name systems after their folders, with more of the path where names clash."""
    names = Counter((submission.folder.name, submission.task) for submission in submissions)
    paths = systems_of([submission.folder / "x" for submission in submissions], "x")
    for submission, path in zip(submissions, paths, strict=True):
        alone = names[submission.folder.name, submission.task] == 1
        submission.system = submission.folder.name if alone else path


def _lacks_names(submission: Submission) -> bool:
    """Whether unresolved instances are not named.

    Logs name them if there are logs of all resolved instances.
    """
    if submission.is_whole or submission.details or submission.lists is None:
        return False
    logged = submission.logs.judged if submission.logs else {}
    return any(name not in logged for name, entry in submission.listed.items() if entry[0] == 1)


def _substitute_ids(
    task: str, lacking: Sequence[Submission], known: Sequence[str], log: Log
) -> list[str]:
    """Make up ids for instances that no file names."""
    totals = {
        submission.system: sum(submission.totals.values())
        for submission in lacking
        if submission.totals
    }
    without = [
        submission
        for submission in lacking
        if not submission.totals and not totals and task not in _SIZES
    ]
    if without:
        raise InputError(
            f"{without[0].lists}: it lists {_listed(without[0])}, but not the instances that were "
            f"run and not resolved, and the number of instances is unknown, so the resolved share "
            f"is too. Load the logs too (<submission>/logs/<instance>/"
            f"report.json), add {_BY_REPO} next to it, or keep the folder evaluation/<benchmark>/ "
            f"above "
            f"it, with benchmark one of {', '.join(_SIZES)}."
        )
    by_repo = next((submission.totals for submission in lacking if submission.totals), {})
    total = sum(by_repo.values()) or _SIZES[task]
    other = next((name for name, n in totals.items() if n != total), None)
    if other is not None:
        raise InputError(
            f"{lacking[0].lists}: submissions differ in how many instances there are: {total}, and "
            f"{totals[other]} for {other}. Load those of one benchmark at a time."
        )
    found = Counter(_repo(name) for name in known)
    if (
        by_repo
        and all(found[repo] <= n for repo, n in by_repo.items())
        and found.keys() <= by_repo.keys()
    ):
        names = [
            f"{repo.replace('/', '__')}-not named {at + 1}"
            for repo, n in by_repo.items()
            for at in range(n - found[repo])
        ]
    else:
        names = [f"not named {at + 1}" for at in range(total - len(known))]
    if len(known) > total:
        raise InputError(
            f"{lacking[0].lists}: there are {total} instances in all, and files name {len(known)}."
        )
    source = _BY_REPO if by_repo else f"the folder {task!r}"
    log.remarks.append(
        warning(
            f"Instances: {total} in all, by {source}; results.json lists {_listed(lacking[0])}, so "
            f"the others count as not resolved"
            + (f", of which {len(names)} are named by no file and only numbered" if names else "")
            + ". To score the instances that were run, load the logs of the submission instead of "
            "its results.json."
        )
    )
    return names


def _listed(submission: Submission) -> str:
    return ", ".join(f"{n} {key}" for key, n in submission.stated.items())


def _repo(instance: str) -> str:
    return instance.rpartition("-")[0].replace("__", "/")


def _add(submission: Submission, universe: Sequence[str], log: Log) -> None:
    judged = dict(submission.listed)
    if submission.logs is not None:
        judged = _with_logs(submission, submission.logs, judged, log)
    if submission.details:
        judged = _with_details(submission, judged, log)
    more = [name for name in universe if name not in judged]
    if submission.lists is not None:
        log.add_absent(submission.lists, _NOT_NAMED, len(more))
    judged |= dict.fromkeys(more, (0.0, "ok"))
    for instance, (outcome, status) in judged.items():
        _, cost, calls = submission.details.get(instance, (None, None, None))
        log.add(
            system=submission.system,
            task=submission.task,
            question=instance,
            trial=1,
            outcome=outcome,
            status=status,
            repo=_repo(instance),
            **({"cost": cost, "api_calls": calls} if submission.details else {}),
        )
    log.claims += _claims(submission)


def _with_logs(
    submission: Submission, logs: InstanceRun, judged: Mapping[str, Graded], log: Log
) -> dict[str, Graded]:
    """Merge outcomes of the lists and the logs; the lists take precedence."""
    if submission.lists is None:
        first = next(iter(logs.files.values()))
        log.add_absent(first, "instances that ended without a report", logs.counts["without"])
        size = _SIZES.get(submission.task, 0)
        if not submission.details and len(logs.judged) < size:
            right = sum(outcome == 1 for outcome, _ in logs.judged.values())
            log.remarks.append(
                warning(
                    f"{submission.system}: {len(logs.judged)} of the {size} instances of "
                    f"{submission.task!r} have logs, and only these are scored ({right} are "
                    f"resolved); SWE-bench counts the others as not resolved, which gives "
                    f"{right / size:.4g}."
                )
            )
        return dict(logs.judged)
    merged, other = dict(judged), []
    added = 0
    for instance, entry in logs.judged.items():
        if instance in judged:
            if instance in logs.files:
                log.leave_out(logs.files[instance], "instances that results.json lists too")
            if entry[0] is not None and entry[0] != (judged[instance][0] or 0.0):
                other.append(instance)
            continue
        added += instance not in logs.files
        if entry[0] == 1:
            other.append(instance)
        merged[instance] = (0.0, "ok") if entry[0] == 1 else entry
    log.add_absent(submission.lists, "instances that ended without a report", added)
    if other:
        log.remarks.append(
            warning(
                f"{submission.system}: the reports of {len(other)} instances disagree with "
                f"results.json, which is used: {some_of(other)}. By the reports "
                f"{sum(each == (1.0, 'ok') for each in logs.judged.values())} are resolved, by "
                f"results.json {submission.stated['resolved']}."
            )
        )
    return merged


def _with_details(
    submission: Submission, judged: Mapping[str, Graded], log: Log
) -> dict[str, Graded]:
    """Use the outcomes of the details, which name every instance; compare the other files."""
    found = {name: entry for name, (entry, _, _) in submission.details.items()}
    rest = {name: entry for name, entry in judged.items() if name not in found}
    again = len(judged) - len(rest)
    if again:
        logged = submission.logs.files.values() if submission.logs else ()
        source = submission.lists or next(iter(logged))
        log.leave_out(source, "instances that per_instance_details.json has too", again)
    other = [
        name
        for name, (outcome, _) in judged.items()
        if name in found and outcome is not None and outcome != found[name][0]
    ]
    if other:
        log.remarks.append(
            warning(
                f"{submission.system}: other files disagree with per_instance_details.json, which "
                f"is used, about {len(other)} instances: {some_of(other)}."
            )
        )
    return {**found, **rest}


def _claims(submission: Submission) -> Iterator[Claim]:
    if submission.lists is not None:
        yield Claim(
            "resolved (results.json)",
            submission.stated["resolved"],
            "right",
            submission.system,
            submission.task,
        )
    total = sum(submission.totals.values())
    if total:
        yield Claim(f"total ({_BY_REPO})", total, "rows", submission.system, submission.task)
