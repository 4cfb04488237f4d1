"""Results of Terminal-Bench: `results.json` of a run and of its trials.

    {"results": [{"task_id": "hello", "trial_name": "hello.1-of-2.run", "is_resolved": true,
                  "failure_mode": "unset"}, …], "accuracy": 0.5, "pass_at_k": {"1": 0.5}}

`is_resolved` is null if the tests could not be run, a failure of the infrastructure that
Terminal-Bench counts as wrong. An agent that ran out of time is still tested and keeps its result.
`run_metadata.json` names agent, model and data set; `terminal_bench_runs` decides which runs are
trials of the same system.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import comb, isclose
from pathlib import Path
from typing import Any

from errbar.base.remarks import some_of, warning
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    UNSET,
    is_whole,
    list_in,
    name_of,
    number_or_none,
    object_in,
    require_key,
    truth_or_none,
)
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.terminal_bench_runs import (
    METADATA,
    TerminalRun,
    TerminalTrial,
    find_runs,
    group_runs,
)

_LIMITS = ("agent_timeout", "context_length_exceeded", "output_length_exceeded")
_ERRORS = ("unknown", "unknown_agent_error", "agent_installation_failed", "parse_error")
_COLUMNS = ("system", "task", "question", "trial", "outcome", "status", "failure")
_NO_FAILURE = ("unset", "none", "None")


def _recognise(glance: Glance) -> str:
    if '"is_resolved"' not in glance.text:
        return ""
    if glance.has("results") and '"trial_name"' in glance.text:
        return "a JSON document with results that have trial_name and is_resolved"
    if glance.has("task_id", "trial_name", "is_resolved"):
        return "a trial with task_id, trial_name and is_resolved"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = find_runs(files, log)
    failures: dict[str, Counter[str]] = {}
    for system, group in group_runs(runs, choice.files, log).items():
        own = failures.setdefault(system, Counter())
        for task in dict.fromkeys(run.task for run in group):
            own += _add(log, system, [run for run in group if run.task == task])
    log.remarks += _on_failures(failures)
    return log


def _on_failures(failures: Mapping[str, Counter[str]]) -> list[str]:
    """Remark on how the trials of each system failed, and how Terminal-Bench counts them."""
    listed = [
        f"{system} ({', '.join(f'{failure} {n}' for failure, n in own.items())})"
        for system, own in failures.items()
        if own
    ]
    if not listed:
        return []
    return [
        f"Trials that did not finish: {some_of(listed)}.",
        "Terminal-Bench counts trials without a result as wrong.",
    ]


def _add(log: Log, system: str, runs: Sequence[TerminalRun]) -> Counter[str]:
    """Add the rows of a system on a data set, whose runs are trials; return its failures."""
    failures: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    prefixed = len(runs) > 1 and _share_names(runs)
    for run in runs:
        own: dict[str, list[bool]] = {}
        path, rows = str(run.path), []
        for at, trial in enumerate(run.trials):
            question, resolved = trial.task_id, trial.is_resolved
            if type(question) is not str:
                where = f"{path}, trial {at}"
                require_key({"task_id": question}, "task_id", where)
                question = name_of(question, f"{where}, task_id")
            if type(resolved) is bool:
                resolved = float(resolved)
            else:
                resolved = truth_or_none(resolved, f"{path}, trial {at}, is_resolved")
            failure = str(trial.failure_mode or "unset")
            status = "ok" if resolved else _status(resolved, failure)
            if status != "ok":
                failures["no failure told" if failure in _NO_FAILURE else failure] += 1
            name = trial.trial_name
            if name is UNSET:
                name = trials[question]
            if type(name) is not str:
                name = name_of(name, f"{path}, trial {at}, trial_name")
            name = f"{run.label}: {name}" if prefixed else name
            reason = None if failure in _NO_FAILURE else failure
            rows.append((system, run.task, question, name, resolved, status, reason))
            trials[question] += 1
            own.setdefault(question, []).append(bool(resolved))
        if rows:
            log.extend(**dict(zip(_COLUMNS, zip(*rows, strict=True), strict=True)))
        log.remarks += _contradictions(run, own)
    balanced = len(set(trials.values())) == 1
    if trials and not balanced:
        log.remarks.append(
            f"{system}: tasks have {min(trials.values())} to {max(trials.values())} trials; the "
            f"accuracy of Terminal-Bench is a mean of trials, avg one of tasks."
        )
    log.claims += _claims(system, runs, balanced)
    return failures


def _share_names(runs: Sequence[TerminalRun]) -> bool:
    """Whether runs share trial names."""
    names = Counter(
        (trial.task_id, trial.trial_name) if _is_named(trial) else ()
        for run in runs
        for trial in run.trials
    )
    return any(n > 1 for n in names.values())


def _is_named(trial: TerminalTrial) -> bool:
    return isinstance(trial.task_id, str) and isinstance(trial.trial_name, str)


def _status(resolved: float | None, failure: str) -> str:
    if resolved is None:
        return "timeout" if failure == "test_timeout" else "error"
    if resolved:
        return "ok"
    return "limit" if failure in _LIMITS else "error" if failure in _ERRORS else "ok"


def _contradictions(run: TerminalRun, own: Mapping[str, Sequence[bool]]) -> Iterator[str]:
    """Remarks on totals stated by a run or its metadata that disagree with its trials."""
    every = [outcome for each in own.values() for outcome in each]
    if not every:
        return
    right = sum(every)
    counted = {
        "n_resolved": right,
        "n_unresolved": len(every) - right,
        "resolved_ids": right,
        "unresolved_ids": len(every) - right,
    }
    found: dict[str, tuple[float, float]] = {}
    for key, count in counted.items():
        stated = _count(run.stated, key)
        if stated is not None:
            found[f"{key} {stated}"] = (stated, count)
    for origin, source in (("", run.stated), (f" ({METADATA})", run.metadata)):
        accuracy = number_or_none(source.get("accuracy"))
        if accuracy is not None:
            found[f"accuracy {accuracy:.6g}{origin}"] = (accuracy, right / len(every))
        for k, value in _pass_at_k(source):
            each = [
                1 - comb(len(outcomes) - sum(outcomes), k) / comb(len(outcomes), k)
                for outcomes in own.values()
                if len(outcomes) >= k
            ]
            if each:
                found[f"pass_at_k {k}: {value:.6g}{origin}"] = (value, sum(each) / len(each))
    for what, (claimed, counted_value) in found.items():
        if not isclose(claimed, counted_value, abs_tol=1e-9):
            yield warning(
                f"{run.path}: the run states {what}; its trials give {counted_value:.6g}."
            )


def _count(document: Mapping[str, Any], key: str) -> int | None:
    """A count, or the length of a list of ids."""
    value = document.get(key)
    if isinstance(value, list):
        return len(list_in(document, key))
    return value if is_whole(value) else None


def _pass_at_k(document: Mapping[str, Any]) -> Iterator[tuple[int, float]]:
    for k, value in object_in(document, "pass_at_k").items():
        number = number_or_none(value)
        if number is not None and k.isdecimal() and 0 < int(k) <= 10_000:
            yield int(k), number


def _claims(system: str, runs: Sequence[TerminalRun], balanced: bool) -> Iterator[Claim]:
    """Stated scores of all runs: mean accuracy, sums of counts, or pass@k of a single run.

    Accuracy is a mean over trials, which equals the mean over tasks if these have equally many.
    """
    task, of = runs[0].task, f" of {len(runs)} runs" if len(runs) > 1 else ""
    accuracies = [number_or_none(run.stated.get("accuracy")) for run in runs]
    known = [accuracy for accuracy in accuracies if accuracy is not None]
    alike = len({len(run.trials) for run in runs}) == 1
    if len(known) == len(runs) and balanced and alike:
        name = f"accuracy, mean{of}" if of else "accuracy"
        yield Claim(name, sum(known) / len(known), "avg", system, task)
    counts = {
        key: [_count(run.stated, key) for run in runs]
        for key in ("n_resolved", "n_unresolved", "resolved_ids")
    }
    sums = {key: sum(n for n in each if n) for key, each in counts.items() if None not in each}
    for key in ("n_resolved", "resolved_ids"):
        if key in sums:
            yield Claim(f"{key}{of}", sums[key], "right", system, task)
    if {"n_resolved", "n_unresolved"} <= sums.keys():
        total = sums["n_resolved"] + sums["n_unresolved"]
        yield Claim(f"n_resolved + n_unresolved{of}", total, "rows", system, task)
    if len(runs) == 1:
        for k, value in _pass_at_k(runs[0].stated):
            yield Claim(f"pass_at_k {k}", value, f"pass@{k}", system, task)


_BESIDE = (f"*{METADATA}", "*.log", "*.cast", "tb.lock")
READER = Reader(
    *("terminal_bench", ("object",), _recognise, _read, _BESIDE),
    chooses=("files",),
    files=("systems", "trials"),
    keys=("results", "task_id"),
)
