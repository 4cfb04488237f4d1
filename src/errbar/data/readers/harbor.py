"""Jobs of Harbor: `jobs/<job>/<trial>/result.json`, and `jobs/<job>/result.json` of the job.

    {"id": "…", "task_name": "hello", "trial_name": "hello__x1", "source": "terminal-bench",
     "agent_info": {"name": "terminus-2", "version": "2.0", "model_info": {"name": "m"}},
     "verifier_result": {"rewards": {"reward": 1.0}}, "agent_result": {"cost_usd": 0.1, …},
     "exception_info": null, …}

    {"id": "…", "n_total_trials": 2, "stats": {"n_completed_trials": 2, "evals": {
        "terminus-2__m__terminal-bench": {"n_trials": 2, "metrics": [{"mean": 0.5}], …}}}}

Trials are the attempts at a task. A verifier gives one or more rewards, among which `scorer`
chooses. Harbor counts a trial without a reward as 0. A trial that ended in an exception but was
verified keeps its reward; an agent that ran out of time or context has the status `limit`. A trial
with neither reward nor exception was not scored. The format is that of 0.25.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from pathlib import Path
from typing import Any

from errbar.base.remarks import about, setting, warning
from errbar.data.outcome_words import number_in
from errbar.data.readers.base import Reader, has_keys
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import is_whole, list_in, number_or_none, object_in
from errbar.data.readers.harbor_trials import HarborTrial, Job, find_jobs, name_trials
from errbar.data.readers.logs import Claim, Log, pick, picked_remark

_USUAL = "reward"
_CANCELLED = "CancelledError"
_LIMITS = (
    *("AgentTimeoutError", "ContextWindowExceededError", "OutputTokenExceededError"),
    *("ContextLengthExceededError", "OutputLengthExceededError"),
)
_REFUSALS = ("AgentSafetyRefusalError", "ContentPolicyViolationError")
_TRIAL = ("task_name", "trial_name", "trial_uri", "task_checksum")

_recognise = has_keys(
    (f"a JSON document with {', '.join(_TRIAL)}", *_TRIAL),
    ("a JSON document with n_total_trials and stats", "n_total_trials", "stats", "started_at"),
)


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    jobs = find_jobs(files, log)
    scorers = _scorers(jobs, choice.scorer, log)
    for job in jobs:
        log.remarks += _contradictions(job, scorers)
    for system, trials in name_trials(jobs, choice.files, log).items():
        for task in dict.fromkeys(trial.task for _, trial in trials):
            part = [(job, trial) for job, trial in trials if trial.task == task]
            _add(log, system, part, scorers[task])
    return log


def _scorers(jobs: Sequence[Job], name: str | None, log: Log) -> dict[str, str]:
    """The reward to use in each data set: the chosen one, else "reward", else the first."""
    found: dict[str, dict[str, None]] = {}
    for job in jobs:
        for trial in job.trials:
            found.setdefault(trial.task, {}).update(dict.fromkeys(trial.rewards or ()))
    scorers = {}
    for task, names in found.items():
        keys = sorted(names, key=lambda key: key != _USUAL)
        where = f"{jobs[0].folder}, {task}" if task else str(jobs[0].folder)
        scorers[task] = reward = pick(name, keys, "reward", where) if keys or name else ""
        if _USUAL in keys or name is not None:
            log.remarks += [
                about("", text) for text in picked_remark(reward, keys, "reward", "scorer")
            ]
        elif len(keys) > 1:
            choose = setting("scorer", keys[1])
            log.remarks.append(
                warning(
                    f"{f'{task}: t' if task else 'T'}rials have the rewards {', '.join(keys)}; "
                    f"using {reward!r} (choose with {choose})."
                )
            )
    return scorers


def _add(log: Log, system: str, trials: Sequence[tuple[Job, HarborTrial]], scorer: str) -> None:
    """The rows of a system on a data set."""
    often = Counter((trial.question, trial.name) for _, trial in trials)
    exceptions: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    attempts: Counter[str] = Counter()
    for job, trial in trials:
        outcome, status = _judgement(trial, scorer)
        counts[status] += 1
        counts["graded"] += outcome is not None and trial.exception is not None
        if trial.exception:
            exceptions[trial.exception] += 1
        attempts[trial.question] += 1
        shared = often[trial.question, trial.name] > 1
        log.add(
            system=system,
            task=trial.task,
            question=trial.question,
            trial=f"{job.label}: {trial.name}" if shared else trial.name,
            outcome=outcome,
            status=status,
            cost=trial.cost,
            input_tokens=trial.input_tokens,
            output_tokens=trial.output_tokens,
            seconds=trial.seconds,
            exception=trial.exception,
        )
    if exceptions:
        listed = ", ".join(f"{name} {n}" for name, n in exceptions.items())
        log.remarks.append(
            f"{system}: trials that ended in an exception: {listed}. {counts['graded']} of the "
            f"{exceptions.total()} still have a reward, which counts; Harbor counts the others as "
            f"0."
        )
    if counts["unscored"]:
        log.remarks.append(
            warning(
                f"{system}: {counts['unscored']} trials have neither a reward nor an exception: "
                f"they are not scored. Harbor counts them as 0."
            )
        )
    elif len(set(attempts.values())) == 1:
        log.claims += _claims(system, trials, scorer)
    else:
        log.remarks.append(
            f"{system}: tasks have {min(attempts.values())} to {max(attempts.values())} trials; "
            "Harbor's mean is over trials, avg is over tasks."
        )


def _judgement(trial: HarborTrial, scorer: str) -> tuple[float | None, str]:
    """Outcome and status; Harbor doubts a reward after exceptions that are not the agent's."""
    late = (trial.exception or "").endswith(("TimeoutError", "Timeout"))
    failed = "timeout" if late else "error"
    if trial.rewards is None:
        return None, failed if trial.exception else "unscored"
    reward = number_or_none(trial.rewards.get(scorer))
    if reward is None:
        return None, failed  # other rewards are there: Harbor counts this one as 0
    if reward or trial.exception is None or trial.exception in _REFUSALS:
        return reward, "ok"
    return reward, "limit" if trial.exception in _LIMITS else failed


def _contradictions(job: Job, scorers: Mapping[str, str]) -> Iterator[str]:
    """Numbers that a job states and that its trials contradict."""
    stats = job.stats
    where = job.file or job.folder
    waiting = [(key, stats.get(key)) for key in ("n_pending_trials", "n_running_trials")]
    open_ = [f"{key} {n}" for key, n in waiting if is_whole(n) and n > 0]
    if open_:
        yield warning(f"{where}: the job is not finished ({', '.join(open_)}).")
    retries = stats.get("n_retries")
    if is_whole(retries) and retries > 0:
        yield f"{where}: {retries} trials were run again after an exception; the last run counts."
    mine = {
        "n_completed_trials": len(job.trials),
        "n_trials": len(job.trials),
        "n_errored_trials": sum(trial.is_own for trial in job.trials),
        "n_errors": sum(trial.is_own for trial in job.trials),
        "n_cancelled_trials": sum(trial.exception == _CANCELLED for trial in job.trials),
        "cost_usd": sum(trial.cost or 0.0 for trial in job.trials),
        "n_input_tokens": sum(trial.input_tokens or 0.0 for trial in job.trials),
        "n_output_tokens": sum(trial.output_tokens or 0.0 for trial in job.trials),
    }
    stated = [(key, number_or_none(stats.get(key)), n, "") for key, n in mine.items()]
    for key, entry in object_in(stats, "evals").items():
        part = entry if isinstance(entry, dict) else {}
        trials = [trial for trial in job.trials if trial.key == key]
        if not trials:
            yield warning(
                f"{where}: the job states scores of {key}, but none of its trials is in the data."
            )
            continue
        scorer = scorers[trials[0].task]
        counted = [number_or_none((trial.rewards or {}).get(scorer)) or 0.0 for trial in trials]
        mean = _mean(job, part, trials, scorer)
        stated.append(("mean", mean, sum(counted) / len(counted), f" of {key}"))
        errors = number_or_none(part.get("n_errors"))
        stated.append(("n_errors", errors, sum(trial.is_own for trial in trials), f" of {key}"))
        stated += [(what, n, own, f" of {key}") for what, n, own in _groups(part, trials)]
    for key, claim, n, subject in stated:
        if claim is not None and not isclose(claim, n, rel_tol=1e-9, abs_tol=1e-9):
            yield warning(
                f"{where}: the job states {key}{subject} {claim:.6g}; its trials give {n:.6g}."
            )


def _groups(
    part: Mapping[str, Any], trials: Sequence[HarborTrial]
) -> Iterator[tuple[str, float | None, int]]:
    """Numbers of trials by reward and by exception: as stated, and as counted."""
    graded = number_or_none(part.get("n_trials"))
    yield "n_trials", graded, sum(bool(trial.rewards) for trial in trials)
    for scorer, by_value in object_in(part, "reward_stats").items():
        rewards = [number_or_none((trial.rewards or {}).get(scorer)) for trial in trials]
        for value, names in by_value.items() if isinstance(by_value, dict) else ():
            if isinstance(names, list):
                own = sum(reward == number_in(value) for reward in rewards if reward is not None)
                yield f"trials with {scorer} {value}", float(len(names)), own
    for exception, names in object_in(part, "exception_stats").items():
        if isinstance(names, list):
            own = sum(trial.exception == exception for trial in trials)
            yield f"trials with {exception}", float(len(names)), own


def _mean(
    job: Job, part: Mapping[str, Any], trials: Sequence[HarborTrial], scorer: str
) -> float | None:
    """The mean stated by a job, in which trials without a reward count as 0.

    With a single reward it is called "mean". With several, means have the names of the rewards,
    unless the job was configured otherwise.
    """
    metrics = [metric for metric in list_in(part, "metrics") if isinstance(metric, dict)]
    if len({key for trial in trials for key in trial.rewards or ()}) <= 1:
        return next(
            (number_or_none(metric["mean"]) for metric in metrics if "mean" in metric), None
        )
    usual = len(metrics) == 1 and job.averages
    return number_or_none(metrics[0].get(scorer)) if usual else None


def _claims(system: str, trials: Sequence[tuple[Job, HarborTrial]], scorer: str) -> Iterator[Claim]:
    """Totals stated by jobs: mean reward, trials with reward 1, and pass@k of a single job."""
    task = trials[0][1].task
    parts: dict[Path, tuple[Job, list[HarborTrial]]] = {}
    for job, trial in trials:
        parts.setdefault(job.folder, (job, []))[1].append(trial)
    of = f" of {len(parts)} jobs" if len(parts) > 1 else ""
    stated = [
        (job, mine, object_in(object_in(job.stats, "evals"), mine[0].key))
        for job, mine in parts.values()
    ]
    means = [(_mean(job, part, mine, scorer), len(mine)) for job, mine, part in stated]
    known = [mean * n for mean, n in means if mean is not None]
    if len(known) == len(parts):
        yield Claim(f"mean{of}", sum(known) / len(trials), "avg", system, task)
    rewards = [object_in(object_in(part, "reward_stats"), scorer) for _, _, part in stated]
    if all(rewards):
        ones = sum(len(list_in(group, key)) for group in rewards for key in ("1", "1.0"))
        yield Claim(f"trials with {scorer} 1{of}", ones, "right", system, task)
    job, _, part = stated[0]
    if of:
        return
    total = number_or_none(job.stated.get("n_total_trials"))
    if total is not None and len(object_in(job.stats, "evals")) == 1:
        yield Claim("n_total_trials", total, "rows", system, task)
    for k, value in object_in(part, "pass_at_k").items():
        number = number_or_none(value)
        if number is not None and k.isdecimal() and int(k):
            yield Claim(f"pass_at_k {k}", number, f"pass@{k}", system, task)


READER = Reader(
    "harbor",
    ("object",),
    _recognise,
    _read,
    beside=(
        *("config.json", "lock.json", "*.log", "*.txt", "*.cast", "*.pane", "reward.json"),
        *("ctrf.json", "trajectory.json", "manifest.json", "metadata.yaml"),
    ),
    chooses=("scorer", "files"),
    files=("systems", "trials"),
    keys=("trial_uri", "n_total_trials"),
)
