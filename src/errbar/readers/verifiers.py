"""Evaluations of verifiers: `results.jsonl` before version 0.2, `traces.jsonl` since.

A row of results is a rollout: an `example_id`, a reward and one number for each metric; the file
`metadata.json` beside says of which model and environment, and their means. A row of traces is an
episode: a task and the trace of each agent in it, of which those count that are trained (the others
are judges and users). Both give a failed rollout a reward of 0; here it also has a status.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.readers.base import (
    Choice,
    Glance,
    Log,
    Reader,
    claim_means_over_rows,
    pick,
    picked_remark,
)
from errbar.readers.documents import (
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

_REWARD = "reward"
_NO_METRICS = frozenset(
    {"example_id", _REWARD, "generation_ms", "scoring_ms", "total_ms", "is_completed"}
    | {"is_truncated", "advantage"}
)
_LIMITS = frozenset({"max_turns", "max_input_tokens", "max_output_tokens", "max_total_tokens"})


@dataclass
class _Rollout:
    """One trial."""

    system: str
    task: str
    question: str
    scores: dict[str, Any]
    status: str  # empty if it came to an end
    target: str | None = None
    environment: str | None = None


@dataclass
class _Run:
    """One file."""

    path: Path
    rollouts: list[_Rollout]
    means: dict[str, Any] = field(default_factory=dict)  # what the log says of its scores


def _recognise(glance: Glance) -> str:
    if glance.shape not in ("lines", "object"):
        return ""
    if glance.has("example_id", "prompt", "completion", _REWARD):
        return "its lines have example_id, prompt, completion and reward"
    if glance.has("env", "task", "traces", "ok"):
        return "its lines have env, task, traces and ok"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = [_run(path, log) for path in files]
    found = (name for run in runs for one in run.rollouts for name in one.scores)
    scorers = list(dict.fromkeys([_REWARD, *found]))
    scorer = pick(choice.scorer, scorers, "score", str(files[0]))
    log.remarks += picked_remark(scorer, scorers, "the score", "scorer")
    trials: Counter[tuple[str, str, str]] = Counter()
    claims: list[Claim] = []
    for run in runs:
        earlier = {key[:2] for key in trials}
        for one in run.rollouts:
            key = (one.system, one.task, one.question)
            outcome = number_or_none(one.scores.get(scorer))
            log.add(
                system=one.system,
                task=one.task,
                question=one.question,
                trial=trials[key],
                outcome=outcome,
                status=one.status or ("unscored" if outcome is None else "ok"),
                target=one.target,
                environment=one.environment,
            )
            trials[key] += 1
        again = sorted({(one.system, one.task) for one in run.rollouts} & earlier)
        if again:
            claims = [one for one in claims if (one.system, one.task) not in again]
            log.remarks.append(
                f"{run.path}: there were rollouts of {again[0][0]} on {again[0][1]} before; these "
                f"are further trials."
            )
        else:
            claims += _claims(run, scorer)
    claim_means_over_rows(log, claims)
    return log


def _run(path: Path, log: Log) -> _Run:
    rows = list(lines(path))
    if rows and "traces" in rows[0][1]:
        return _Run(path, list(_of_traces(path, rows, log)))
    beside = path.with_name("metadata.json")
    told = object_of(beside) if beside.is_file() else {}
    means = {**object_in(told, "avg_metrics"), _REWARD: told.get("avg_reward")}
    environment, _, model = path.resolve().parent.parent.name.partition("--")
    return _Run(
        path,
        [
            _Rollout(
                str(told.get("model") or model.replace("--", "/")),
                str(told.get("env_id") or environment),
                name_of(row.get("example_id"), f"{path}, line {at}, example_id"),
                _scores(row),
                _status(row),
                text_or_none(row.get("answer")),
                text_or_none(row.get("task")),
            )
            for at, row in rows
        ],
        means,
    )


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


def _of_traces(
    path: Path, rows: Sequence[tuple[int, dict[str, Any]]], log: Log
) -> Iterator[_Rollout]:
    """Traces of the agents that count; an episode without any is a failed rollout."""
    traces = [_traces(row, f"{path}, line {at}") for at, row in rows]
    trained = any(_is_trained(trace) for of_one in traces for trace in of_one)
    kept = [[one for one in of_one if _is_trained(one) or not trained] for of_one in traces]
    left = sum(map(len, traces)) - sum(map(len, kept))
    if left:
        log.remarks.append(f"{path.name}: {left} traces are of agents that are not scored.")
    roles = {_role(trace) for of_one in kept for trace in of_one}
    systems = list(dict.fromkeys(_model(one, roles) for of_one in kept for one in of_one))
    for (at, row), of_one in zip(rows, kept, strict=True):
        where = f"{path}, line {at}"
        env, task = require_object(row.get("env"), f"{where}, env"), _task(row, where)
        for trace in of_one:
            yield _Rollout(
                _model(trace, roles),
                str(env.get("id") or ""),
                _question(task, f"{where}, task"),
                _rewards(trace),
                _ending(trace),
                text_or_none(object_in(task, "data").get("answer")),
            )
        if not of_one:
            yield _Rollout(
                systems[0] if len(systems) == 1 else "",
                str(env.get("id") or ""),
                _question(task, f"{where}, task"),
                {},
                "timeout" if row.get("is_timeout") is True else "error",
            )


def _traces(row: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    found = require_list(row.get("traces"), f"{where}, traces")
    return [require_object(one, f"{where}, traces") for one in found]


def _is_trained(trace: Mapping[str, Any]) -> bool:
    return object_in(trace, "agent").get("trainable") is not False


def _role(trace: Mapping[str, Any]) -> str:
    return str(object_in(trace, "agent").get("name") or "")


def _model(trace: Mapping[str, Any], roles: set[str]) -> str:
    """The model of an agent, and the part that it plays if there is more than one."""
    model = str(object_in(object_in(trace, "agent"), "config").get("model") or "")
    return f"{model} ({_role(trace)})".strip() if len(roles) > 1 else model


def _task(row: Mapping[str, Any], where: str) -> dict[str, Any]:
    return require_object(require_key(row, "task", where), f"{where}, task")


def _question(task: Mapping[str, Any], where: str) -> str:
    """The id of a task, its number, or the key that its content makes."""
    data = object_in(task, "data")
    names = (data.get("id"), data.get("idx"), task.get("key"), task.get("hash"))
    return name_of(next((one for one in names if one is not None), None), where)


def _rewards(trace: Mapping[str, Any]) -> dict[str, Any]:
    """The sum of the weighted rewards, each of them, and the metrics."""
    found: dict[str, Any] = {}
    total = None
    for name, reward in object_in(trace, "rewards").items():
        parts = reward if isinstance(reward, dict) else {"score": reward}
        score, weight = number_or_none(parts.get("score")), number_or_none(parts.get("weight", 1.0))
        found[name] = score
        if score is not None and weight is not None:
            total = (total or 0.0) + score * weight
    return {**found, **object_in(trace, "metrics"), _REWARD: total}


def _ending(trace: Mapping[str, Any]) -> str:
    if trace.get("is_timeout") is True:
        return "timeout"
    if trace.get("ok") is not True:
        return "error"
    return "limit" if trace.get("stop_condition") in _LIMITS else ""


def _claims(run: _Run, scorer: str) -> Iterator[Claim]:
    mean = number_or_none(run.means.get(scorer))
    if mean is not None and run.rollouts:
        name = "avg_reward" if scorer == _REWARD else f"avg_metrics {scorer}"
        yield Claim(name, mean, "avg", run.rollouts[0].system, run.rollouts[0].task)


READER = Reader("verifiers", _recognise, _read, beside=("metadata.json", "*.toml", "*.log"))
