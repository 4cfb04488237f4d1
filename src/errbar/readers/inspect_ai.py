"""Logs of inspect_ai: `.eval` archives of any version, and `.json`.

The summaries of an archive say all that is needed, and are small beside its samples; samples are
read only where summaries lack. A run that crashed has neither header nor summaries of its own, but
a journal of both. A score is C, P, I or N, a number, a word for one, or several of these by name.
"""

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.data.origin import Claim
from errbar.errors import InputError
from errbar.readers.archive import Archive
from errbar.readers.base import Choice, Glance, Log, Reader, pick, picked_remark
from errbar.readers.documents import (
    document,
    name_of,
    number_or_none,
    require_key,
    require_list,
    require_object,
)

_GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_SETTINGS = ("task_args", "model_args", "model_generate_config", "task_version")
_OWN = frozenset({"system", "task", "question", "trial", "outcome", "status", "answer", "target"})


@dataclass
class _Run:
    """One log."""

    path: Path
    eval: Mapping[str, Any]
    status: str
    results: Mapping[str, Any]
    samples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def model(self) -> str:
        return str(self.eval.get("model") or "")

    @property
    def task(self) -> str:
        return str(self.eval.get("task") or "")

    @property
    def identity(self) -> tuple[str, str]:
        """The same for a run and for its retries."""
        return str(self.eval.get("task_id") or self.path), self.model

    @property
    def goodness(self) -> tuple[bool, int, str]:
        """Of the logs of one run that which counts: finished, then fullest, then latest."""
        return self.status == "success", len(self.samples), str(self.eval.get("created") or "")

    def settings(self) -> dict[str, str]:
        """What a run was told, by name."""
        found: dict[str, str] = {}
        for kind in _SETTINGS:
            value = self.eval.get(kind)
            if isinstance(value, Mapping):
                found |= {str(key): json.dumps(one, default=str) for key, one in value.items()}
            elif value is not None:
                found[kind] = json.dumps(value, default=str)
        return found


def _recognise(glance: Glance) -> str:
    if glance.head.startswith(b"PK\x03\x04") and b"_journal/start.json" in glance.head:
        return "a zip archive with _journal/start.json"
    if glance.path.suffix == ".eval" and glance.head.startswith(b"PK"):
        return "a zip archive that ends in .eval"
    if glance.shape == "object" and glance.has("version", "status", "eval"):
        return "a JSON document with version, status and eval"
    return ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    runs = _without_retries([_run(path) for path in files], log)
    names = _systems(runs)
    scorers = list(dict.fromkeys(name for run in runs for name in _scorers(run)))
    if not scorers:
        _say_what_went_wrong(runs, log)
        scorer = ""
    else:
        scorer = pick(choice.scorer, scorers, "scorer", str(files[0]))
        log.remarks += picked_remark(scorer, scorers, "the scorer", "scorer")
    before: Counter[tuple[str, str]] = Counter()
    strange: Counter[str] = Counter()
    for run, system in zip(runs, names, strict=True):
        key = (system, run.task)
        _add(log, run, system, scorer, before[key], strange)
        before[key] += max((_epoch(sample) for sample in run.samples), default=0)
        _say_what_is_odd(run, log)
        log.claims += _claims(run, system, scorer)
    if strange:
        value, n = strange.most_common(1)[0]
        log.remarks.append(
            f"{strange.total()} rows have a score that is no number, such as {value} ({n} times); "
            f"they have no result."
        )
    return log


def _run(path: Path) -> _Run:
    with path.open("rb") as file:
        packed = file.read(2) == b"PK"
    return _archived(path) if packed else _whole(path)


def _whole(path: Path) -> _Run:
    log = require_object(document(path), str(path))
    samples = require_list(log.get("samples") or [], f"{path}, samples")
    return _Run(
        path,
        require_object(require_key(log, "eval", str(path)), f"{path}, eval"),
        str(log.get("status")),
        log.get("results") or {},
        [require_object(one, f"{path}, samples") for one in samples],
    )


def _archived(path: Path) -> _Run:
    with Archive(path) as archive:
        name = next((n for n in ("header.json", "_journal/start.json") if n in archive), None)
        if name is None:
            raise InputError(f"{path}: it has neither header.json nor _journal/start.json.")
        header = require_object(archive.document(name), f"{path}, {name}")
        return _Run(
            path,
            require_object(require_key(header, "eval", f"{path}, {name}"), f"{path}, {name}"),
            str(header.get("status", "unfinished")),
            header.get("results") or {},
            list(_samples(archive)),
        )


def _samples(archive: Archive) -> Iterator[dict[str, Any]]:
    """Summaries of samples, and the samples that no summary tells of."""
    known = ["summaries.json"] if "summaries.json" in archive else []
    told = set()
    for name in known or archive.names("_journal/summaries/"):
        where = f"{archive.path}, {name}"
        for one in require_list(archive.document(name), where):
            sample = require_object(one, where)
            told.add(f"samples/{sample.get('id')}_epoch_{sample.get('epoch')}.json")
            yield sample
    if len(told) >= len(archive.names("samples/")):
        return
    for name in archive.names("samples/"):
        if name not in told:
            yield require_object(archive.document(name), f"{archive.path}, {name}")


def _without_retries(runs: Sequence[_Run], log: Log) -> list[_Run]:
    """Of the logs of one run that which counts; the others are named."""
    best: dict[tuple[str, str], _Run] = {}
    for run in runs:
        held = best.get(run.identity)
        if held is None or run.goodness > held.goodness:
            best[run.identity] = run
    kept = set(map(id, best.values()))
    for run in runs:
        if id(run) not in kept:
            chosen = best[run.identity]
            log.remarks.append(
                f"{run.path.name} ({run.status}) is of the same run as {chosen.path.name} "
                f"({chosen.status}), and left out."
            )
    return [run for run in runs if id(run) in kept]


def _systems(runs: Sequence[_Run]) -> list[str]:
    """The model, and what tells runs of it apart if they were told different things."""
    names = []
    for run in runs:
        alike = [one for one in runs if (one.model, one.task) == (run.model, run.task)]
        told = [one.settings() for one in alike]
        mine = run.settings()
        apart = sorted(
            key
            for key in {key for one in told for key in one}
            if len({one.get(key) for one in told}) > 1
        )
        said = ", ".join(f"{key}={mine.get(key, 'none')}" for key in apart)
        names.append(f"{run.model} ({said})" if said else run.model)
    return names


def _scorers(run: _Run) -> Iterator[str]:
    """Names of scores, those of parts as scorer/part."""
    for sample in run.samples:
        for name, score in _scores(sample).items():
            value = score.get("value")
            if isinstance(value, dict):
                yield from (f"{name}/{key}" for key in value)
            elif isinstance(value, list):
                yield from (f"{name}/{at}" for at in range(len(value)))
            else:
                yield name


def _scores(sample: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    scores = sample.get("scores")
    if scores is None and isinstance(sample.get("score"), dict):
        scores = {"score": sample["score"]}  # logs of 2024 had one score
    found = scores if isinstance(scores, dict) else {}
    return {name: one for name, one in found.items() if isinstance(one, dict)}


def _add(log: Log, run: _Run, system: str, scorer: str, before: int, strange: Counter[str]) -> None:
    """The rows of a run; of samples with one id and epoch the last counts."""
    where = str(run.path)
    last = {(name_of(one.get("id"), where), _epoch(one)): one for one in run.samples}
    if len(last) < len(run.samples):
        log.remarks.append(
            f"{run.path.name}: {len(run.samples) - len(last)} samples occur again later, and are "
            f"left out."
        )
    for (question, epoch), sample in last.items():
        value, answer = _value(sample, scorer)
        outcome = _number(value)
        if outcome is None and value is not None and not _is_nan(value):
            strange[json.dumps(value, default=str)[:60]] += 1
        extra = sample.get("metadata")
        log.add(
            system=system,
            task=run.task,
            question=question,
            trial=before + epoch,
            outcome=outcome,
            status=_status(sample, outcome),
            answer=None if answer is None else str(answer),
            target=_target(sample.get("target")),
            **_scalars(extra if isinstance(extra, dict) else {}),
        )


def _epoch(sample: Mapping[str, Any]) -> int:
    epoch = sample.get("epoch")
    return epoch if isinstance(epoch, int) and not isinstance(epoch, bool) else 1


def _value(sample: Mapping[str, Any], scorer: str) -> tuple[Any, Any]:
    """What a scorer, or a part of one, says of a sample, and the answer that it saw."""
    scores = _scores(sample)
    score = scores.get(scorer)
    if score is not None:
        return score.get("value"), score.get("answer")
    name, _, part = scorer.rpartition("/")
    score = scores.get(name, {})
    value = score.get("value")
    if isinstance(value, dict):
        return value.get(part), score.get("answer")
    if isinstance(value, list) and part.isdecimal() and int(part) < len(value):
        return value[int(part)], score.get("answer")
    return None, None


def _number(value: Any) -> float | None:
    if not isinstance(value, str):
        return number_or_none(value)
    known = _GRADES.get(value, _WORDS.get(value.lower()))
    if known is not None:
        return known
    try:
        return number_or_none(float(value))
    except ValueError:
        return None


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _status(sample: Mapping[str, Any], outcome: float | None) -> str:
    if sample.get("error"):
        return "error"
    if sample.get("limit"):
        return "limit"
    if sample.get("completed") is False:
        return "missing"
    return "unscored" if outcome is None else "ok"


def _target(target: Any) -> str | None:
    if isinstance(target, list):
        return str(target[0]) if len(target) == 1 else json.dumps(target, default=str)
    return None if target is None else str(target)


def _scalars(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What the data set says of a question in one word or number, to group by."""
    return {
        f"metadata.{key}" if key in _OWN else str(key): value
        for key, value in metadata.items()
        if isinstance(value, str | int | float | bool)
    }


def _claims(run: _Run, system: str, scorer: str) -> Iterator[Claim]:
    """Accuracies and means that the header states for the scorer that is scored."""
    for score in run.results.get("scores") or []:
        if score.get("name") not in (scorer, scorer.rpartition("/")[2]):
            continue
        reducer = score.get("reducer") or "mean"
        k = reducer.removeprefix("pass_at_")
        metric = "avg" if reducer == "mean" else f"pass@{k}" if k.isdecimal() else ""
        for name in ("accuracy", "mean"):
            value = ((score.get("metrics") or {}).get(name) or {}).get("value")
            if metric and isinstance(value, int | float):
                said = name if reducer == "mean" else f"{name} ({reducer})"
                yield Claim(said, value, metric, system, run.task, "missing")


def _say_what_went_wrong(runs: Sequence[_Run], log: Log) -> None:
    if not any(run.samples for run in runs):
        raise InputError(
            f"{runs[0].path}: the log has no samples, only a header (status {runs[0].status!r}); "
            f"there is nothing to score."
        )
    log.remarks.append("No sample has a score; every row is without a result.")


def _say_what_is_odd(run: _Run, log: Log) -> None:
    """What a reader of the numbers should know of the run."""
    size = run.results.get("total_samples")
    failed = sum(bool(sample.get("error")) for sample in run.samples)
    name = run.path.name
    if run.status != "success":
        there = f"{len(run.samples)} samples are there"
        log.remarks.append(f"{name}: the run ended as {run.status!r}; {there}.")
    elif run.samples and failed == len(run.samples):
        log.remarks.append(f"{name}: the log says success, but EVERY sample ended in an error.")
    if isinstance(size, int) and size != len(run.samples):
        log.remarks.append(f"{name}: {size} samples were to be run, {len(run.samples)} are there.")


READER = Reader("inspect_ai", _recognise, _read, beside=("logs.json", "eval-set.json", ".*"))
