"""Results of τ²-bench: one JSON document, or a folder with a file for each simulation.

    {"info": {"num_trials": 4, "user_info": {…}, "agent_info": {"llm": "…"},
              "environment_info": {"domain_name": "…"}}, "tasks": [{"id": "0"}], "simulations": [
        {"id": "…", "task_id": "0", "trial": 0, "termination_reason": "user_stop",
         "reward_info": {"reward": 1.0}}]}

A folder has the same document as `results.json`, with a `simulation_index` instead of simulations,
and the simulations in `simulations/<id>.json`; they are read together, even if only the document is
loaded. A simulation in several files is counted once. The status is the reason a simulation ended,
unless the agent itself failed; the reward given by τ²-bench stays the outcome. τ²-bench leaves out
simulations that ended in an `infrastructure_error` or, in later versions, a
`context_window_exceeded`, and counts all others.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from errbar.base.remarks import guess, setting, warning
from errbar.data.readers.base import Glance, Reader, occurrences
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import name_of
from errbar.data.readers.logs import Claim, Log
from errbar.data.readers.tables.naming import systems_of
from errbar.data.readers.tau2_runs import Simulation, SimulationRun, read_runs
from errbar.data.readers.tau_bench import outcome_of, scorer_of_rewards, trial_of
from errbar.errors import InputError

_STATUSES = {
    "user_stop": "ok",
    "agent_stop": "ok",
    "max_steps": "limit",
    "too_many_errors": "limit",
    "context_window_exceeded": "error",
    "agent_error": "ok",
    "timeout": "timeout",
    "user_error": "error",
    "unexpected_error": "error",
    "infrastructure_error": "error",
}
_STOPS = ("user_stop", "agent_stop")
_LEFT_OUT = ("infrastructure_error", "context_window_exceeded")  # reasons that τ²-bench leaves out
_UNKNOWN_REASON = "for an unknown reason"


def _recognise(glance: Glance) -> str:
    if glance.has("info") and all(f'"{key}"' in glance.text for key in ("user_info", "agent_info")):
        return "a JSON document with info of a user and an agent"
    if glance.has("id", "task_id", "start_time", "termination_reason"):
        return "a simulation with task_id, start_time and termination_reason"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = read_runs(files, log)
    simulations = [simulation for run in runs for simulation in run.simulations]
    if not simulations:
        raise InputError(
            f"{runs[0].path}: the run has {runs[0].tasks} tasks, but no simulation; there is "
            f"nothing to score."
        )
    rewards = (simulation.reward for simulation in simulations)
    scorer = scorer_of_rewards(rewards, choice, str(files[0]), log)
    earlier: Counter[tuple[str, str]] = Counter()  # trials of earlier runs
    for run, system in zip(runs, _systems(runs, choice, log), strict=True):
        key = (system, run.domain)
        alone = not earlier[key]
        earlier[key] += _add(log, run, system, scorer, earlier[key])
        if alone and run.index:
            log.claims += _claims(run, system, scorer)
        elif not alone:
            log.claims = [claim for claim in log.claims if (claim.system, claim.task) != key]
    return log


def _systems(runs: Sequence[SimulationRun], choice: Choice, log: Log) -> list[str]:
    """Systems are models; runs of a model with different settings get different names."""
    often = Counter((run.system, run.domain) for run in runs)
    settings: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        settings.setdefault((run.system, run.domain), set()).add(run.settings)
    apart = systems_of([run.path for run in runs], "results.json")
    names, joined = [], Counter[str]()
    for run, name in zip(runs, apart, strict=True):
        key = (run.system, run.domain)
        are_trials = choice.files == "trials" or (choice.files is None and len(settings[key]) == 1)
        names.append(run.system if often[key] == 1 or are_trials else f"{run.system} ({name})")
        joined[run.system] += often[key] > 1 and are_trials
    log.remarks += [
        guess(
            f"Systems: {n} files are runs of {system} with the same settings, and trials of it",
            option="--files systems",
            argument="files='systems'",
        )
        for system, n in joined.items()
        if n
    ]
    return names


def _add(log: Log, run: SimulationRun, system: str, scorer: str, earlier: int) -> int:
    """Add the rows of a run, numbered after earlier runs; returns its number of trials."""
    simulations, size = run.simulations, len(run.simulations)
    numbered = any(simulation.trial is None for simulation in simulations)
    tasks = [simulation.task for simulation in simulations]
    nameless = tasks.count(None)
    questions = [
        task if type(task) is str else _question(simulations[at], at)
        for at, task in enumerate(tasks)
    ]
    trials = (
        occurrences(questions)
        if numbered
        else [
            trial if type(trial) is int else trial_of(trial, f"{simulations[at].where}, trial")
            for at, trial in enumerate([simulation.trial for simulation in simulations])
        ]
    )
    ends = [simulation.reason for simulation in simulations]
    statuses = {reason: _STATUSES.get(str(reason), "ok") for reason in set(ends)}
    outcomes = [outcome_of(simulation.reward, scorer) for simulation in simulations]
    log.extend(
        system=[system] * size,
        task=[run.domain] * size,
        question=questions,
        trial=[earlier + trial for trial in trials],
        outcome=outcomes,
        status=[
            "unscored"
            if outcome is None and statuses[reason] in ("ok", "limit")
            else statuses[reason]
            for outcome, reason in zip(outcomes, ends, strict=True)
        ],
        ended_by=ends,
        cost=[simulation.cost for simulation in simulations],
        seconds=[simulation.seconds for simulation in simulations],
    )
    reasons = Counter(_UNKNOWN_REASON if reason is None else reason for reason in ends)
    log.remarks += _remarks(run, system, reasons, nameless, numbered)
    return max(trials, default=-1) + 1


def _question(simulation: Simulation, at: int) -> str:
    """The task of a simulation; its number if it does not name one."""
    if simulation.task is None:
        return f"#{at}"
    return name_of(simulation.task, f"{simulation.where}, task_id")


def _claims(run: SimulationRun, system: str, scorer: str) -> Iterator[Claim]:
    """Totals stated in the index of a folder."""
    yield Claim("simulations in the index", len(run.index), "rows", system, run.domain)
    outcomes = [outcome_of(simulation.reward, scorer) for simulation in run.index]
    if scorer == "success":
        right = sum(outcome or 0.0 for outcome in outcomes)
        yield Claim("rewards of 1 in the index", right, "right", system, run.domain)


def _remarks(
    run: SimulationRun, system: str, reasons: Counter[str], nameless: int, numbered: bool
) -> Iterator[str]:
    there = len(run.simulations)
    if nameless:
        yield warning(
            f"{system}: {nameless} of {there} simulations do not name their task; each is read as "
            f"a separate question, numbered by order."
        )
    if numbered and there:
        yield (
            f"{system}: trials are numbered by order, since not every simulation has a trial "
            f"number."
        )
    if there + run.elsewhere < run.expected:
        yield warning(f"{system}: {run.expected} simulations were planned, {there} are in the log.")
    if run.from_index:
        yield warning(
            f"{system}: {run.from_index} simulations are in the index of {run.path.name} and not "
            f"in its folder; their rewards are those of the index."
        )
    if run.not_in_index:
        yield warning(
            f"{system}: {run.not_in_index} simulations in the folder are not in the index of "
            f"{run.path.name}; τ²-bench refuses such a folder."
        )
    ends = ", ".join(f"{reason} {n}" for reason, n in reasons.items() if reason not in _STOPS)
    if ends:
        yield f"{system}: simulations that ended in another way than by a stop: {ends}."
    for reason in _LEFT_OUT:
        if reasons[reason]:
            yield (
                f"{system}: τ²-bench leaves out what ended in an {reason}, as does "
                f"{setting('errors', 'missing')}, and counts all else."
            )


READER = Reader(
    "tau2_bench",
    ("object",),
    _recognise,
    _read,
    files=("systems", "trials"),
    keys=("info", "termination_reason"),
)
