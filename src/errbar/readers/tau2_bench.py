"""Results of τ²-bench: one JSON document, or a folder with a file for each simulation.

    {"info": {"num_trials": 4, "user_info": {…}, "agent_info": {"llm": "…"},
              "environment_info": {"domain_name": "…"}}, "tasks": [{"id": "0"}], "simulations": [
        {"id": "…", "task_id": "0", "trial": 0, "termination_reason": "user_stop",
         "reward_info": {"reward": 1.0}}]}

A folder has the same document without simulations, and these in `simulations/`. Why a simulation
ended is its status, unless the agent itself went wrong; the reward that τ²-bench gives stays the
outcome. τ²-bench leaves out those that ended in an `infrastructure_error`, and counts all others.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.data.naming import systems_of
from errbar.errors import InputError
from errbar.readers.base import Choice, Glance, Log, Reader
from errbar.readers.documents import (
    name_of,
    number_or_none,
    object_in,
    object_of,
    require_list,
    require_object,
)
from errbar.readers.tau_bench import outcome_of, scorer_of_rewards, trial_of

_STATUSES = {
    "user_stop": "ok",
    "agent_stop": "ok",
    "max_steps": "limit",
    "too_many_errors": "limit",
    "context_window_exceeded": "limit",
    "agent_error": "ok",
    "timeout": "timeout",
    "user_error": "error",
    "unexpected_error": "error",
    "infrastructure_error": "error",
}
_STOPS = ("user_stop", "agent_stop")
_INFRASTRUCTURE = "infrastructure_error"
_NOT_TOLD = "for no reason that is told"
_FOLDER = "simulations"


@dataclass
class _Run:
    """One document, with the simulations of its folder."""

    path: Path
    info: Mapping[str, Any]
    tasks: int
    simulations: list[dict[str, Any]] = field(default_factory=list)
    again: int = 0  # simulations that lie in the folder and are in the document too

    @property
    def domain(self) -> str:
        return str(object_in(self.info, "environment_info").get("domain_name") or "")

    @property
    def system(self) -> str:
        """The model of the agent, and that of the simulated user if it is another one."""
        agent, user = object_in(self.info, "agent_info"), object_in(self.info, "user_info")
        model = agent.get("llm") or agent.get("implementation") or self.path.stem
        other = user.get("llm")
        return f"{model} (user {other})" if other not in (None, model) else str(model)

    @property
    def expected(self) -> int:
        trials = self.info.get("num_trials")
        return self.tasks * trials if isinstance(trials, int) else self.tasks


def _recognise(glance: Glance) -> str:
    if glance.shape != "object":
        return ""
    if glance.has("info") and all(f'"{one}"' in glance.text for one in ("user_info", "agent_info")):
        return "a JSON document with info of a user and an agent"
    if glance.has("id", "task_id", "start_time", "termination_reason"):
        return "a simulation with task_id, start_time and termination_reason"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = _runs(files)
    simulations = [one for run in runs for one in run.simulations]
    if not simulations:
        raise InputError(
            f"{runs[0].path}: the run has {runs[0].tasks} tasks, but no simulation; there is "
            f"nothing to score."
        )
    scorer = scorer_of_rewards(map(_reward, simulations), choice, str(files[0]), log)
    often = Counter((run.system, run.domain) for run in runs)
    apart = systems_of([run.path for run in runs], "results.json")
    for run, name in zip(runs, apart, strict=True):
        alone = often[run.system, run.domain] == 1
        _add(log, run, run.system if alone else f"{run.system} ({name})", scorer)
    return log


def _runs(files: Sequence[Path]) -> list[_Run]:
    """Documents, each with the simulations that lie in the folder beside it."""
    read = {file: object_of(file) for file in files}
    runs = {file: _run(file, whole) for file, whole in read.items() if "info" in whole}
    owners = {run.path.parent: run for run in reversed(runs.values())}
    inside = {id(run): {str(one.get("id")) for one in run.simulations} for run in runs.values()}
    for file, whole in read.items():
        if file in runs:
            continue
        home = file.parent.parent if file.parent.name == _FOLDER else file.parent
        run = owners.setdefault(home, _Run(file, {}, 0))
        if whole.get("id") is not None and str(whole["id"]) in inside.get(id(run), ()):
            run.again += 1
        else:
            run.simulations.append(whole)
    return list({id(run): run for run in (*runs.values(), *owners.values())}.values())


def _run(file: Path, whole: Mapping[str, Any]) -> _Run:
    where = f"{file}, simulations"
    simulations = require_list(whole.get("simulations") or [], where)
    return _Run(
        file,
        require_object(whole["info"], f"{file}, info"),
        len(require_list(whole.get("tasks") or [], f"{file}, tasks")),
        [require_object(one, f"{where}, {at}") for at, one in enumerate(simulations)],
    )


def _add(log: Log, run: _Run, system: str, scorer: str) -> None:
    numbered = any(one.get("trial") is None for one in run.simulations)
    seen: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    nameless = 0
    for at, one in enumerate(run.simulations):
        where = f"{run.path}, simulation {at}"
        told = one.get("task_id")
        nameless += told is None
        question = f"#{at}" if told is None else name_of(told, f"{where}, task_id")
        reason = one.get("termination_reason")
        reasons[_NOT_TOLD if reason is None else str(reason)] += 1
        outcome = outcome_of(_reward(one), scorer)
        status = _STATUSES.get(str(reason), "ok")
        log.add(
            system=system,
            task=run.domain,
            question=question,
            trial=seen[question] if numbered else trial_of(one.get("trial"), f"{where}, trial"),
            outcome=outcome,
            status="unscored" if status in ("ok", "limit") and outcome is None else status,
            ended_by=None if reason is None else str(reason),
            cost=number_or_none(one.get("agent_cost")),
        )
        seen[question] += 1
    log.remarks += _remarks(run, system, reasons, nameless, numbered)


def _remarks(
    run: _Run, system: str, reasons: Counter[str], nameless: int, numbered: bool
) -> Iterator[str]:
    there = len(run.simulations)
    if nameless:
        yield (
            f"{system}: {nameless} of {there} simulations do not say which task they are of; each "
            f"is taken as a question of its own, numbered by order."
        )
    if numbered and there:
        yield f"{system}: not every simulation has a trial; trials are numbered by order."
    if there < run.expected:
        yield f"{system}: {run.expected} simulations were to be run, {there} are there."
    if run.again:
        yield f"{system}: {run.again} simulations are in the folder too, and counted once."
    ends = ", ".join(f"{reason} {n}" for reason, n in reasons.items() if reason not in _STOPS)
    if ends:
        yield f"{system}: simulations that ended in another way than by a stop: {ends}."
    if reasons[_INFRASTRUCTURE]:
        yield (
            f"{system}: τ²-bench leaves out what ended in an {_INFRASTRUCTURE}, as does "
            f"errors='missing', and counts all else."
        )


def _reward(simulation: Mapping[str, Any]) -> Any:
    return object_in(simulation, "reward_info").get("reward")


READER = Reader("tau2_bench", _recognise, _read)
