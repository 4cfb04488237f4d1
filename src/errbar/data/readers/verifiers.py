"""Evaluations of verifiers: `results.jsonl` before version 0.2, `traces.jsonl` since.

A row of results is a rollout: an `example_id`, a reward and one number per metric; `metadata.json`
has the model, the environment and the means. A row of traces is an episode: a task and the trace of
each agent in it, of which only those of trained agents count (the others are judges and users).
Both versions give a failed rollout a reward of 0; here it also has a status.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess
from errbar.data.readers.base import Reader, has_keys
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import (
    is_whole,
    lines,
    name_of,
    number_or_none,
    object_in,
    object_of,
    require_key,
    require_list,
    require_object,
    text_or_none,
)
from errbar.data.readers.durations import seconds_of
from errbar.data.readers.log_names import FILES_ARE, log_systems
from errbar.data.readers.logs import Claim, Log

_REWARD = "reward"
_NO_METRICS = frozenset(
    {"example_id", _REWARD, "generation_ms", "scoring_ms", "total_ms", "is_completed"}
    | {"is_truncated", "advantage"}
)
_LIMITS = frozenset({"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens"})


class _Rollout(NamedTuple):
    """A trial; its messages are dropped."""

    system: str
    task: str
    question: str
    scores: dict[str, Any]
    status: str  # empty if it finished
    target: str | None = None
    environment: str | None = None
    seconds: float | None = None


@dataclass
class _RolloutRun:
    """One file."""

    path: Path
    rollouts: list[_Rollout]
    stated: Mapping[str, Any] = field(default_factory=dict)  # metadata of the log


_recognise = has_keys(
    (
        "its lines have example_id, prompt, completion and reward",
        *("example_id", "prompt", "completion", _REWARD),
    ),
    ("its lines have env, task, traces and ok", "env", "task", "traces", "ok"),
)


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = _named([_run(path, log) for path in files], choice, log)
    found = (name for run in runs for rollout in run.rollouts for name in rollout.scores)
    scorers = list(dict.fromkeys([_REWARD, *found]))
    scorer = log.choose_scorer(choice.scorer, scorers, "score", str(files[0]))
    claims: dict[tuple[str, str], list[Claim]] = {}  # none of what was run more than once
    for run in runs:
        for rollout in run.rollouts:
            outcome = number_or_none(rollout.scores.get(scorer))
            log.add_trial(
                system=rollout.system,
                task=rollout.task,
                question=rollout.question,
                outcome=outcome,
                status=rollout.status or ("unscored" if outcome is None else "ok"),
                target=rollout.target,
                environment=rollout.environment,
                seconds=rollout.seconds,
            )
        subjects = dict.fromkeys((rollout.system, rollout.task) for rollout in run.rollouts)
        again = sorted(subjects.keys() & claims.keys())
        claims |= {subject: [] for subject in subjects}
        if again:
            log.remarks.append(
                guess(
                    f"Trials: {run.path}: there were rollouts of {again[0][0] or 'the system'} on "
                    f"{again[0][1]} before; these are read as further trials",
                    option="--files systems",
                    argument="files='systems'",
                )
            )
        elif subjects:
            claims[next(iter(subjects))] = list(_claims(run, scorer))
    log.claim_means_over_rows([claim for of_one in claims.values() for claim in of_one])
    return log


def _named(runs: Sequence[_RolloutRun], choice: Choice, log: Log) -> list[_RolloutRun]:
    """Runs with the systems that their files have, unless a run has several."""
    each = {run.path: {rollout.system for rollout in run.rollouts} for run in runs}
    known = {path: next(iter(systems)) for path, systems in each.items() if len(systems) == 1}
    systems, remarks = log_systems(known, choice.files, "results.jsonl", "traces.jsonl")
    log.remarks += remarks
    return [
        replace(
            run, rollouts=[rollout._replace(system=systems[run.path]) for rollout in run.rollouts]
        )
        if systems.get(run.path, known.get(run.path)) != known.get(run.path)
        else run
        for run in runs
    ]


def _run(path: Path, log: Log) -> _RolloutRun:
    beside = path.with_name("metadata.json")
    document = object_of(beside) if beside.is_file() else {}
    environment, _, model = path.resolve().parent.parent.name.partition("--")
    system = str(document.get("model") or model.replace("--", "/"))
    task = str(document.get("env_id") or environment)
    rollouts: list[_Rollout] = []
    episodes: list[_Episode] = []
    for at, row in lines(path):
        if "traces" in row or episodes:
            episodes.append(_episode(row, f"{path}, line {at}"))
            continue
        question = row.get("example_id")
        if not is_whole(question):
            question = name_of(question, f"{path}, line {at}, example_id")
        rollouts.append(
            _Rollout(
                system,
                task,
                str(question),
                _scores(row),
                _status(row),
                text_or_none(row.get("answer")),
                text_or_none(row.get("task")),
                seconds_of([row.get("total_ms")])[0],
            )
        )
    log.read(path, len(rollouts))
    if episodes:
        return _RolloutRun(path, [*rollouts, *_of_traces(path, episodes, log)])
    if not rollouts:
        log.skip(path, "it has no rollouts")
    return _RolloutRun(path, rollouts, document)


def _scores(row: Mapping[str, Any]) -> dict[str, Any]:
    """The reward and the metrics of a rollout, which stand beside it or under `metrics`."""
    beside = {
        name: value
        for name, value in row.items()
        if name not in _NO_METRICS and number_or_none(value) is not None
    }
    return {_REWARD: row.get(_REWARD), **beside, **object_in(row, "metrics")}


def _status(row: Mapping[str, Any]) -> str:
    if row.get("error"):
        return "error"
    return "limit" if row.get("is_truncated") is True else ""


class _Trace(NamedTuple):
    """The trace of an agent in an episode."""

    is_trained: bool
    role: str
    model: str
    scores: dict[str, Any]
    status: str


class _Episode(NamedTuple):
    """A row of traces."""

    environment: str
    question: str
    target: str | None
    is_timeout: bool
    traces: list[_Trace]


def _episode(row: Mapping[str, Any], where: str) -> _Episode:
    traces = []
    for value in require_list(row.get("traces"), f"{where}, traces"):
        trace = require_object(value, f"{where}, traces")
        agent = object_in(trace, "agent")
        traces.append(
            _Trace(
                agent.get("trainable") is not False,
                str(agent.get("name") or ""),
                str(object_in(agent, "config").get("model") or ""),
                _rewards(trace),
                _ending(trace),
            )
        )
    env = require_object(row.get("env"), f"{where}, env")
    task = _task(row, where)
    return _Episode(
        str(env.get("id") or ""),
        _question(task, f"{where}, task"),
        text_or_none(object_in(task, "data").get("answer")),
        row.get("is_timeout") is True,
        traces,
    )


def _of_traces(path: Path, episodes: Sequence[_Episode], log: Log) -> Iterator[_Rollout]:
    """Traces of the agents that count; an episode without any is a failed rollout."""
    log.read(path, sum(len(episode.traces) for episode in episodes))
    trained = any(trace.is_trained for episode in episodes for trace in episode.traces)
    kept = [
        [trace for trace in each.traces if trace.is_trained or not trained] for each in episodes
    ]
    left = sum(len(episode.traces) for episode in episodes) - sum(map(len, kept))
    if left:
        log.leave_out(path, "traces of agents that are not scored", left)
    roles = {trace.role for of_one in kept for trace in of_one}

    def system(trace: _Trace) -> str:
        """The model of an agent, and the part that it plays if there is more than one."""
        return f"{trace.model} ({trace.role})".strip() if len(roles) > 1 else trace.model

    systems = {system(trace) for of_one in kept for trace in of_one}
    for episode, traces in zip(episodes, kept, strict=True):
        for trace in traces:
            yield _Rollout(
                system(trace),
                episode.environment,
                episode.question,
                trace.scores,
                trace.status,
                episode.target,
            )
        if not traces:
            log.add_absent(path, "episodes without a trace to score")
            yield _Rollout(
                next(iter(systems)) if len(systems) == 1 else "",
                episode.environment,
                episode.question,
                {},
                "timeout" if episode.is_timeout else "error",
            )


def _task(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    return require_object(require_key(row, "task", where), f"{where}, task")


def _question(task: Mapping[str, Any], where: str) -> str:
    """The id of a task, its number, or the key that its content makes."""
    data = object_in(task, "data")
    names = (data.get("id"), data.get("idx"), task.get("key"), task.get("hash"))
    return name_of(next((name for name in names if name is not None), None), where)


def _rewards(trace: Mapping[str, Any]) -> dict[str, Any]:
    """The sum of the weighted rewards if all are there, each of them, and the metrics."""
    found: dict[str, Any] = {}
    parts: list[float | None] = []
    for name, reward in object_in(trace, "rewards").items():
        rewards = reward if isinstance(reward, dict) else {"score": reward}
        score, weight = (
            number_or_none(rewards.get("score")),
            number_or_none(rewards.get("weight", 1.0)),
        )
        found[name] = score
        parts.append(None if score is None or weight is None else score * weight)
    known = [part for part in parts if part is not None]
    total = sum(known) if known and len(known) == len(parts) else None
    return {**found, **object_in(trace, "metrics"), _REWARD: total}


def _ending(trace: Mapping[str, Any]) -> str:
    if trace.get("is_timeout") is True:
        return "timeout"
    if trace.get("ok") is not True:
        return "error"
    return "limit" if trace.get("stop_condition") in _LIMITS else ""


def _claims(run: _RolloutRun, scorer: str) -> Iterator[Claim]:
    """The mean of a score, and how many questions and rollouts there are."""
    subject = (run.rollouts[0].system, run.rollouts[0].task)
    means = {**object_in(run.stated, "avg_metrics"), _REWARD: run.stated.get("avg_reward")}
    mean = number_or_none(means.get(scorer))
    if mean is not None:
        name = "avg_reward" if scorer == _REWARD else f"avg_metrics {scorer}"
        yield Claim(name, mean, "avg", *subject)
    examples, each = (
        number_or_none(run.stated.get(key)) for key in ("num_examples", "rollouts_per_example")
    )
    if examples and examples > 0:  # -1 stands for all
        yield Claim("num_examples", examples, "questions", *subject)
        if each and each > 0:
            name = "num_examples times rollouts_per_example"
            yield Claim(name, examples * each, "rows", *subject)


READER = Reader(
    "verifiers",
    ("lines", "object"),
    _recognise,
    _read,
    beside=("metadata.json", "*.toml", "*.log"),
    chooses=("scorer", "files"),
    files=FILES_ARE,
    keys=("example_id", "traces"),
)
