"""Results of τ-bench: an array with an object for each trial of each task.

    [{"task_id": 0, "reward": 1.0, "info": {…}, "traj": […], "trial": 0},
     {"task_id": 1, "reward": 0.0, "info": {"error": "…"}, "traj": [], "trial": 0}]

A trial that broke off has the reward 0 and its error under `info`. τ-bench counts it as a failure
of the agent, though most of these are failures of a connection: `errors` decides here.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from errbar.data.naming import systems_of
from errbar.errors import InputError
from errbar.readers.base import Choice, Glance, Log, Reader, pick, picked_remark
from errbar.readers.documents import (
    document,
    is_whole,
    name_of,
    number_or_none,
    object_in,
    require_list,
    require_object,
)

_NEAR = 1e-6  # a reward this near to 1 is a success, as τ-bench has it
_SHOWN = 60


def _recognise(glance: Glance) -> str:
    if glance.shape == "array" and glance.has("task_id", "reward", "info", "traj"):
        return "an array of trials with task_id, reward, info and traj"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    found = [_trials(file) for file in files]
    rewards = [one.get("reward") for trials in found for one in trials]
    scorer = scorer_of_rewards(rewards, choice, str(files[0]), log)
    for file, system, trials in zip(files, systems_of(files), found, strict=True):
        numbered = any(one.get("trial") is None for one in trials)
        seen: Counter[str] = Counter()
        broken: Counter[str] = Counter()
        for at, one in enumerate(trials):
            where = f"{file}, row {at}"
            question = name_of(one.get("task_id"), f"{where}, task_id")
            info = object_in(one, "info")
            outcome = outcome_of(one.get("reward"), scorer)
            error = info.get("error")
            if error:
                broken[str(error)[:_SHOWN]] += 1
            log.add(
                system=system,
                question=question,
                trial=seen[question] if numbered else trial_of(one["trial"], f"{where}, trial"),
                outcome=outcome,
                status="error" if error else "unscored" if outcome is None else "ok",
                ended_by=info.get("source") if isinstance(info.get("source"), str) else None,
            )
            seen[question] += 1
        if numbered:
            log.remarks.append(f"{system}: trials are numbered by order; not every row has one.")
        if broken:
            error, often = broken.most_common(1)[0]
            log.remarks.append(
                f"{system}: {broken.total()} of {len(trials)} trials broke off in an error, such "
                f"as {error!r} ({often} times); τ-bench counts them with the reward 0, "
                f"errors='missing' leaves them out."
            )
    return log


def _trials(file: Path) -> list[dict[str, Any]]:
    found = require_list(document(file), str(file))
    return [require_object(one, f"{file}, row {at}") for at, one in enumerate(found)]


def scorer_of_rewards(rewards: Iterable[Any], choice: Choice, where: str, log: Log) -> str:
    """Success or the reward itself; there is a choice only if some reward is a part of 1."""
    parts = [one for one in map(number_or_none, rewards) if one not in (None, 0.0, 1.0)]
    scorers = ["success", "reward"] if parts else ["success"]
    scorer = pick(choice.scorer, scorers, "scorer", where)
    log.remarks += picked_remark(scorer, scorers, "the scorer", "scorer")
    return scorer


def outcome_of(reward: Any, scorer: str) -> float | None:
    """The reward, or whether it is 1; None if it is no number."""
    number = number_or_none(reward)
    if number is None or scorer == "reward":
        return number
    return float(abs(number - 1.0) <= _NEAR)


def trial_of(told: Any, where: str) -> int:
    """The number of a trial."""
    if is_whole(told):
        return told
    raise InputError(f"{where}: the number of a trial is expected; this is {str(told)[:_SHOWN]!r}.")


READER = Reader("tau_bench", _recognise, _read)
