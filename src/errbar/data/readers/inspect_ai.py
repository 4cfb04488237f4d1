"""Logs of inspect_ai: `.eval` archives of any version, and `.json`.

A log is one run of one task by one model. Of a run and its retries only the best log counts. Runs
with different settings are different systems; runs with equal settings are further trials.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from errbar.base.remarks import Above, about, guess, some_of
from errbar.data.columns import USUAL
from errbar.data.readers.base import Glance, Reader
from errbar.data.readers.choices import Choice, FilesAre
from errbar.data.readers.documents import name_of, number_or_none, object_in
from errbar.data.readers.inspect_runs import (
    USAGE,
    InspectRun,
    LoggedSample,
    cut_setting,
    is_nan,
    number_in,
    oddities,
    read_run,
    scorers_in,
    usage_of,
    value_of,
)
from errbar.data.readers.logs import Claim, Log, pick, picked_remark
from errbar.errors import InputError

_OWN = frozenset({*USUAL, "answer", "target", "cost", *USAGE})
_PLAIN = (str, int, float)  # bool is a subclass of int
_MOST_EXTRA = 100  # most columns made of metadata
_SHOWN = 5


@dataclass(frozen=True)
class _Selection:
    """A run with its system and scorer."""

    run: InspectRun
    system: str
    scorer: str
    is_scored: bool  # whether any sample of the run has a score

    @property
    def key(self) -> tuple[str, str]:
        return self.system, self.run.task


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
    every = [read_run(path) for path in files]
    runs = _without_retries(every, log)
    if not runs:
        first = every[0]
        raise InputError(
            f"{first.path}: the log has no samples, only a header (status {first.status!r}); there "
            f"is nothing to score."
        )
    chosen = _choose_scorers(runs, choice, log)
    logs = Counter(selection.key for selection in chosen)
    rows = _Rows(log, go_on=choice.files != "parts")
    for selection in chosen:
        log.remarks += oddities(selection.run)
        met = rows.add(selection)
        if logs[selection.key] == 1:
            log.claims += _claims(selection, met)
    log.remarks += [*_several_logs_remark(logs, choice), *rows.remarks()]
    return log


def _without_retries(runs: Sequence[InspectRun], log: Log) -> list[InspectRun]:
    """Keep the best log of each run; skip retries and logs without samples."""
    best: dict[tuple[str, str], InspectRun] = {}
    for run in runs:
        earlier = best.get(run.identity)
        if earlier is None or run.goodness > earlier.goodness:
            best[run.identity] = run
    kept = []
    for run in runs:
        chosen = best[run.identity]
        log.read(run.path, len(run.samples))
        if not run.samples:
            lack = f"; {run.expected} samples planned, 0 in the log" if run.expected else ""
            log.skip(run.path, f"it has only a header (status {run.status!r}){lack}")
        elif run is not chosen:
            log.leave_out(run.path, "samples of a run that has a better log", len(run.samples))
            log.remarks.append(
                f"{run.path.name} ({run.status}) is of the same run as {chosen.path.name} "
                f"({chosen.status}), and left out."
            )
        else:
            kept.append(run)
    return kept


def _choose_scorers(runs: Sequence[InspectRun], choice: Choice, log: Log) -> list[_Selection]:
    """Each run with the chosen scorer, or the first of its task."""
    has = {run: scorers_in(run.samples) for run in runs}
    found: dict[str, dict[str, None]] = {run.task: {} for run in runs}
    for run, names in has.items():
        first = [run.headline()] if run.headline() in names else []
        found[run.task] |= dict.fromkeys([*first, *names])
    every = list(dict.fromkeys(name for names in found.values() for name in names))
    if not every:
        log.remarks.append("No sample has a score, so no row has a result.")
    elif choice.scorer is not None:
        pick(choice.scorer, every, "scorer", str(runs[0].path))
    scorers = {task: choice.scorer or next(iter(names), "") for task, names in found.items()}
    log.remarks += _on_scorers(scorers, found)
    kept, lost = [], []
    for run in runs:
        if not has[run] or scorers[run.task] in has[run]:
            kept.append(run)
        else:
            lost.append(f"{run.path.name} ({', '.join(has[run][:_SHOWN])})")
            log.leave_out(run.path, "samples of a log without the scorer", len(run.samples))
    if lost:
        log.remarks.append(f"{len(lost)} logs lack the scorer and are left out: {some_of(lost)}.")
    return [
        _Selection(run, system, scorers[run.task], bool(has[run]))
        for run, system in zip(kept, _systems(kept, choice.files), strict=True)
    ]


def _on_scorers(scorers: Mapping[str, str], found: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Remarks on the choice of scorers, once for all tasks with the same choice."""
    tasks: dict[Above, list[str]] = {}
    for task, names in found.items():
        if scorers[task] in names:
            for remark in picked_remark(scorers[task], list(names), "scorer", "scorer"):
                tasks.setdefault(remark, []).append(task)
    for remark, alike in tasks.items():
        yield about("" if len(alike) == len(scorers) else some_of(alike), remark)


def _systems(runs: Sequence[InspectRun], files: FilesAre | None) -> list[str]:
    """Systems are models, with the settings in which their runs differ."""
    of_model = Counter((run.model, run.task) for run in runs)
    settings_of_runs = [run.settings() if of_model[run.model, run.task] > 1 else {} for run in runs]
    alike: dict[tuple[str, str], list[dict[str, str]]] = {}
    for run, own in zip(runs, settings_of_runs, strict=True):
        alike.setdefault((run.model, run.task), []).append(own)
    apart = {
        key: [
            name
            for name in dict.fromkeys(name for settings in group for name in sorted(settings))
            if len({settings.get(name) for settings in group}) > 1
        ]
        for key, group in alike.items()
    }
    names = []
    for run, own in zip(runs, settings_of_runs, strict=True):
        differing = [
            f"{name}={cut_setting(own.get(name, 'none'))}" for name in apart[run.model, run.task]
        ]
        names.append(f"{run.model} ({', '.join(differing)})" if differing else run.model)
    often = Counter(zip(names, (run.task for run in runs), strict=True))
    return [
        f"{name} ({run.path.stem})" if files == "systems" and often[name, run.task] > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


@dataclass
class _SpecialCases:
    """Counts of special cases among the rows of a run."""

    strange: int = 0  # scores that are not numbers
    scored_errors: int = 0
    without: int = 0  # rows without a result, apart from errors


@dataclass
class _Rows:
    """Add samples to a log as rows, and count special cases."""

    log: Log
    go_on: bool = True  # whether the trials of further logs of a run are further trials
    ended: Counter[tuple[str, str]] = field(default_factory=Counter)  # trials of earlier runs
    spelled: dict[str, str] = field(default_factory=dict)  # columns of the metadata
    columns: dict[str, str | None] = field(default_factory=dict)  # columns by original key
    strange: Counter[str] = field(default_factory=Counter)
    scored_errors: int = 0

    def add(self, selection: _Selection) -> _SpecialCases:
        """Add the rows of a run; returns the counts of its special cases."""
        met = _SpecialCases()
        run, before = selection.run, self.ended[selection.key] if self.go_on else 0
        never = not selection.is_scored and not all(sample.error for sample in run.samples)
        once = self._once(run)
        outcomes, statuses, answers = [], [], []
        for sample in once.values():
            value, answer = value_of(sample, selection.scorer)
            outcome = number_in(value)
            status = "unscored" if never else _status(sample, outcome)
            if outcome is None:
                met.without += status != "error"
                if value is not None and not is_nan(value):
                    met.strange += 1
                    self.strange[json.dumps(value, default=str)[:60]] += 1
            elif sample.error:
                met.scored_errors += 1
            outcomes.append(outcome)
            statuses.append(status)
            answers.append(None if answer is None else str(answer))
        extra = [self._extra(sample.metadata) for sample in once.values()]
        names = dict.fromkeys(chain.from_iterable(extra))
        self.log.extend(
            system=[selection.system] * len(once),
            task=[run.task] * len(once),
            question=[question for question, _ in once],
            trial=[before + epoch for _, epoch in once],
            outcome=outcomes,
            status=statuses,
            answer=answers,
            target=[_target(sample.target) for sample in once.values()],
            **usage_of(list(once.values())),
            **{name: [found.get(name) for found in extra] for name in names},
        )
        self.ended[selection.key] += max((epoch for _, epoch in once), default=0)
        self.scored_errors += met.scored_errors
        return met

    def _once(self, run: InspectRun) -> dict[tuple[str, int], LoggedSample]:
        """Samples without duplicates; of equal id and epoch the last one counts."""
        last = {}
        for at, sample in enumerate(run.samples, start=1):
            name, epoch = sample.id, sample.epoch
            if type(name) is int:
                name = str(name)
            elif type(name) is not str:
                name = name_of(name, f"{run.path}, sample {at}")
            if type(epoch) is not int or not 0 <= epoch < 1 << 31:
                raise InputError(
                    f"{run.path}, sample {at}: an epoch must be an integer; found "
                    f"{str(epoch)[:60]!r}."
                )
            last[name, epoch] = sample
        again = len(run.samples) - len(last)
        if again:
            self.log.leave_out(run.path, "samples that occur again later", again)
        return last

    def _extra(self, metadata: Any) -> dict[str, Any]:
        """Metadata of a question that are words or numbers, as columns to group by."""
        found: dict[str, Any] = {}
        for key, value in metadata.items() if isinstance(metadata, dict) else ():
            if isinstance(value, _PLAIN):
                column = self.columns[key] if key in self.columns else self._column(key)
                if column is not None:
                    found[column] = value
        return found

    def _column(self, key: str) -> str | None:
        """The column of a key; keys that differ only in case share a column."""
        plain = key.lower()
        if plain not in self.spelled:
            if len(self.spelled) == _MOST_EXTRA or not key.strip() or not key.isprintable():
                self.columns[key] = None
                return None
            self.spelled[plain] = f"metadata.{key}" if plain in _OWN else key
        column = self.columns[key] = self.spelled[plain]
        return column

    def remarks(self) -> Iterator[str]:
        """Remarks on the special cases."""
        if self.strange:
            value, n = self.strange.most_common(1)[0]
            yield (
                f"{self.strange.total()} rows have a score that is not a number, such as {value} "
                f"({n} times); they have no result, while inspect_ai counts them as 0."
            )
        if self.scored_errors:
            yield (
                f"{self.scored_errors} samples ended in an error but were scored; their scores "
                f"count, as in inspect_ai."
            )
        left = sum(column is None for column in self.columns.values())
        if left:
            yield f"{left} names in the metadata are left out of the columns."


def _status(sample: LoggedSample, outcome: float | None) -> str:
    if sample.error and outcome is None:
        return "error"
    if sample.limit:
        return "limit"
    if outcome is not None:
        return "ok"
    return "missing" if sample.completed is False else "unscored"


def _target(target: Any) -> str | None:
    if isinstance(target, list):
        return str(target[0]) if len(target) == 1 else json.dumps(target, default=str)
    return None if target is None else str(target)


def _claims(selection: _Selection, met: _SpecialCases) -> Iterator[Claim]:
    """Number of samples and scores stated in the header.

    Incomplete samples are those that ended in an error. The number is compared only if exactly
    these have no result.
    """
    total, completed = (
        number_or_none(selection.run.results.get(key))
        for key in ("total_samples", "completed_samples")
    )
    if total is not None:
        total -= selection.run.stopped
        yield Claim("total_samples", total, "rows", *selection.key)
        if completed is not None and not met.scored_errors and not met.without:
            yield Claim("samples not completed", total - completed, "failed", *selection.key)
    if not met.strange:
        yield from _scores(selection)


def _scores(selection: _Selection) -> Iterator[Claim]:
    """Accuracies and means stated in the header."""
    name, _, part = selection.scorer.rpartition("/")
    candidates = [(selection.scorer, selection.scorer), (name, part)]
    stated = [
        score
        for score in selection.run.stated()
        if (score.get("scorer") or score.get("name"), score.get("name")) in candidates
    ]
    reducers = {score.get("reducer") for score in stated}
    for score in stated:
        reducer = score.get("reducer")
        if reducer is None and len(reducers) > 1:
            continue  # epochs are not reduced, but counted as separate questions
        metric = _metric(str(reducer or "mean"))
        graded = number_or_none(score.get("scored_samples"))
        if metric and graded is not None:
            name = "scored_samples" if reducer in (None, "mean") else f"scored_samples ({reducer})"
            yield Claim(name, graded, "graded questions", *selection.key)
        metrics = object_in(score, "metrics")
        for statistic in ("accuracy", "mean"):
            value = number_or_none(object_in(metrics, statistic).get("value"))
            if metric and value is not None:
                shown = statistic if reducer in (None, "mean") else f"{statistic} ({reducer})"
                yield Claim(shown, value, metric, *selection.key, "missing")


def _metric(reducer: str) -> str:
    """The metric of errbar for a reducer of epochs; empty if there is none."""
    if reducer == "mean":
        return "avg"
    for start, metric in (("pass_at_", "pass@"), ("pass_k_", "pass^")):
        k = reducer.removeprefix(start)
        if k != reducer and k.isdecimal() and int(k):
            return f"{metric}{int(k)}"
    return ""


def _several_logs_remark(logs: Mapping[tuple[str, str], int], choice: Choice) -> Iterator[Above]:
    """Remark on several logs of the same system and task."""
    several = [(key, n) for key, n in logs.items() if n > 1]
    if several:
        (system, task), n = several[0]
        how = "their trials are numbered across logs, and what each log states is not compared"
        yield guess(
            f"{sum(n for _, n in several)} logs are of a system and task that others are of too, "
            f"as {n} of {system} on {task}: {'parts of a run' if choice.files == 'parts' else how}",
            option="--files systems or parts",
            argument="files='systems' or 'parts'",
        )


READER = Reader(
    "inspect_ai",
    ("object", ""),
    _recognise,
    _read,
    beside=("logs.json", "eval-set.json", "listing.json", ".*"),
    files=("systems", "trials", "parts"),
    keys=("eval",),
)
