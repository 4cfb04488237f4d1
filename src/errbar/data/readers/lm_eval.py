"""Logs of lm-evaluation-harness and lmms-eval: samples with the results of their run.

A line of samples is one question under one filter, with the value of every metric. However many
responses a question has, it is graded once, after the filter has reduced them to one answer; to use
every response as a trial, pass `regrade`, a function that grades one.

For multiple choice, the answer is the choice with the largest log-likelihood and the confidence is
its probability, normalized over the choices. This is what `acc` grades; other metrics choose by
other numbers and get neither.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errbar.base.remarks import about, guess, some_of, warning
from errbar.data.readers.base import JSON, Glance, Reader, regraded
from errbar.data.readers.choices import Choice, FilesAre, Regrade
from errbar.data.readers.documents import number_or_none, object_in, require_list
from errbar.data.readers.likelihoods import are_graded, likeliest
from errbar.data.readers.lm_eval_samples import Samples, holds_results, samples_of
from errbar.data.readers.logs import Claim, Log, pick, picked_remark
from errbar.errors import InputError

_LINES = (
    ("doc_id", "doc", "target", "resps", "filtered_resps"),
    ("doc_id", "doc_hash", "target", "filtered_resps"),  # lmms-eval
)
_SHOWN = 3


@dataclass
class _LogReading:
    """The log being filled, and remarks on its tasks."""

    choice: Choice
    log: Log = field(default_factory=Log)
    filters: list[str] = field(default_factory=list)
    tasks_by_remark: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    counted: Counter[str] = field(default_factory=Counter)
    left_out: dict[str, list[tuple[Samples, int]]] = field(default_factory=dict)  # by reason

    def say(self, task: str, text: str, n: int = 0) -> None:
        """Add a remark; equal remarks on several tasks are merged and their counts added."""
        self.tasks_by_remark[text].append(task)
        self.counted[text] += n

    def leave_out(self, samples: Samples, why: str) -> None:
        """Leave out samples and count them."""
        n = len(samples.columns(["doc_id"])["doc_id"])
        self.log.read(samples.path, n)
        self.left_out.setdefault(why, []).append((samples, n))

    def close(self) -> None:
        """Give an account of the samples that are left out, with the tasks of each reason."""
        for why, some in self.left_out.items():
            reason = f"{why} ({_shown([samples.task for samples, _ in some])})"
            for samples, n in some:
                self.log.leave_out(samples.path, reason, n)

    def remarks(self) -> Iterator[str]:
        """The merged remarks."""
        for text, tasks in self.tasks_by_remark.items():
            remark = type(text)(text.replace("{n}", str(self.counted[text])))
            yield about(_shown(tasks), remark)


@dataclass(frozen=True)
class _SystemRun:
    """Samples with their system, the index of their run, and the number of its runs."""

    samples: Samples
    system: str
    at: int
    of: int

    @property
    def task(self) -> str:
        return self.samples.task


def _recognise(glance: Glance) -> str:
    if glance.shape in ("lines", "array") and any(glance.has(*keys) for keys in _LINES):
        return "samples with doc_id and filtered_resps"
    if glance.path.name.startswith("samples_") and glance.text.startswith('{"doc_id":'):
        return "samples in its name, and doc_id in its first line"
    return "a JSON document with results and configs" if holds_results(glance) else ""


def _read(files: Sequence[Path], choice: Choice) -> Log:
    every, unused = samples_of(files)
    if not every:
        raise InputError(
            f"{unused[0]}: there are totals, but no samples to score. Run lm_eval "
            f"with --log_samples."
        )
    metrics = list(dict.fromkeys(name for samples in every for name in samples.metrics))
    if choice.scorer is not None and metrics:
        pick(choice.scorer, metrics, "metric", str(every[0].path))
    reading = _LogReading(choice)
    for file in files:
        reading.log.read(file, 0)
    for file in unused:
        reading.log.skip(file, "there are no samples of its run")
    for empty in every:
        if not empty.first:
            reading.log.skip(empty.path, "it has no samples")
    for run in _runs([samples for samples in every if samples.first], choice.files):
        if run.of > 1 and not run.at:
            what = "parts of one run" if choice.files == "parts" else "trials of one system"
            remark = guess(
                f"{run.of} runs of {run.system} are read as {what}",
                option="--files systems or parts",
                argument="files='systems' or 'parts'",
            )
            reading.say(run.task, remark)
        if choice.regrade is None:
            _grade(reading, run)
        elif run.samples.repeats:
            _regrade(reading, run, choice.regrade)
        else:
            reading.leave_out(run.samples, "there are log-likelihoods, no responses to grade")
    if choice.filter is not None and reading.filters:
        pick(choice.filter, list(dict.fromkeys(reading.filters)), "filter", str(every[0].path))
    reading.close()
    reading.log.remarks += [*reading.remarks(), *_without_samples(every)]
    return reading.log


def _runs(every: Sequence[Samples], files: FilesAre | None) -> list[_SystemRun]:
    """Runs by system: the model, with the settings in which its runs differ."""
    settings_of_runs = [samples.settings() for samples in every]
    alike: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for samples, own in zip(every, settings_of_runs, strict=True):
        alike[samples.model, samples.task].append(own)
    apart = {
        key: {
            name
            for name in {name for settings in group for name in settings}
            if len({settings.get(name) for settings in group}) > 1
        }
        for key, group in alike.items()
    }
    keys = []
    for samples, own in zip(every, settings_of_runs, strict=True):
        names = apart[samples.model, samples.task]
        label = ", ".join(f"{name}={value}" for name, value in own.items() if name in names)
        keys.append((f"{samples.model} ({label})" if label else samples.model, samples.task))
    often = Counter(keys)
    if files == "systems":
        keys = [
            (f"{key[0]} ({samples.path.stem})" if often[key] > 1 else key[0], key[1])
            for samples, key in zip(every, keys, strict=True)
        ]
        often = Counter(keys)
    seen: Counter[tuple[str, str]] = Counter()
    runs = []
    for samples, key in zip(every, keys, strict=True):
        at = 0 if files == "parts" else seen[key]
        runs.append(_SystemRun(samples, key[0], at, often[key]))
        seen[key] += 1
    return runs


def _grade(reading: _LogReading, run: _SystemRun) -> None:
    """Add a row per question, as graded by the harness."""
    samples, task = run.samples, run.task
    metric = _metric(reading, run)
    if not metric:
        return
    sure = samples.is_multiple_choice and metric == "acc"
    keys = ["doc_id", "filter", "target", metric] + ["filtered_resps"] * (not sure)
    found = samples.columns(keys, ["filtered_resps"] * sure)
    questions = samples.questions(found["doc_id"])
    filter_name, kept = _choose_filter(reading, run, metric, questions, found["filter"])
    reading.log.read(samples.path, len(questions))
    if len(kept) < len(questions):
        others = len(questions) - len(kept)
        reading.log.leave_out(samples.path, "samples under another filter", others)
    values = samples.values([found[metric][at] for at in kept])
    outcomes = [number_or_none(value) for value in values]
    not_numbers = sum(not isinstance(value, bool | int | float | None) for value in values)
    if not_numbers:
        text = f"{{n}} values of {metric!r} are not numbers and give no result."
        reading.say(task, text, not_numbers)
    targets = [found["target"][at] for at in kept]
    answers = [found["filtered_resps"][at] for at in kept]
    columns: dict[str, list[Any]]
    if not sure:
        columns = {"answer": [_answer(answer) for answer in answers]}
    else:
        columns = likeliest(answers)
        if not are_graded(columns["answer"], targets, outcomes):
            columns = {}
            reading.say(task, "the likeliest choice is not always what was graded; no confidence.")
    if samples.repeats > 1:
        text = f"{samples.repeats} responses to a question are graded once, after the filter"
        how = (
            "to have each as a trial, grade them in Python: load(…, regrade=f), where "
            "f(response, target, doc) -> outcome"
        )
        reading.say(task, f"{text} {filter_name!r}; {how}.")
    reading.log.extend(
        system=[run.system] * len(kept),
        task=[task] * len(kept),
        question=[questions[at] for at in kept],
        trial=[run.at + 1] * len(kept),
        outcome=outcomes,
        status=["unscored" if outcome is None else "ok" for outcome in outcomes],
        target=[_text(target) for target in targets],
        **columns,
    )
    reading.log.claims += _claims(reading, run, metric, filter_name, len(kept))


def _metric(reading: _LogReading, run: _SystemRun) -> str:
    """The requested metric, or the default; "" if the task does not have it."""
    name, found = reading.choice.scorer, run.samples.metrics
    if not found:
        reading.leave_out(run.samples, "no metric is a number for each sample")
        return ""
    if name is not None and name not in found:
        reading.leave_out(run.samples, f"there is no metric {name!r}")
        return ""
    metric = name or found[0]
    for text in picked_remark(metric, found, "metric", "scorer"):
        reading.say(run.task, text)
    if object_in(object_in(run.samples.results, "higher_is_better"), run.task).get(metric) is False:
        lower = f"the metric {metric!r} is better when lower, and here the higher value wins."
        reading.say(run.task, warning(lower))
    return metric


def _choose_filter(
    reading: _LogReading,
    run: _SystemRun,
    metric: str,
    questions: Sequence[str],
    filters: Sequence[Any],
) -> tuple[str, list[int]]:
    """The chosen filter, or the first, and the positions of its samples.

    Old samples do not name the filter; there each question is repeated once per filter, in order.
    """
    chosen = reading.choice.filter
    names = list(map(str, filters))
    if None in filters:
        known = [
            total.partition(",")[2]
            for total in run.samples.totals
            if total.startswith(f"{metric},")
        ]
        seen: Counter[str] = Counter()
        for at, question in enumerate(questions):
            n = seen[question]
            names[at] = known[n] if n < len(known) else f"filter {n + 1}"
            seen[question] += 1
    found = list(dict.fromkeys(names))
    reading.filters += found
    choice = chosen if chosen in found else found[0]
    for text in picked_remark(choice, found, "filter", "filter"):
        reading.say(run.task, text)
    return choice, [at for at, name in enumerate(names) if name == choice]


def _claims(
    reading: _LogReading, run: _SystemRun, metric: str, filter_name: str, rows: int
) -> Iterator[Claim]:
    """Stated mean over all questions, if all are present and there is a single run."""
    size, totals = run.samples.planned, run.samples.totals
    number = number_or_none(size)
    if number is not None and run.of == 1:
        yield Claim("n-samples", number, "questions", run.system, run.task)
    name = next((key for key in (f"{metric},{filter_name}", metric) if key in totals), "")
    value = number_or_none(totals.get(name))
    if size is not None and size != rows:
        text = (
            f"{size} questions were run, but the log has samples of {rows}; its totals are of "
            "all questions"
        )
        reading.say(run.task, warning(f"{text}, and not compared."))
    elif value is not None and run.of == 1 and run.samples.aggregation(metric) == "mean":
        yield Claim(name, value, "avg", run.system, run.task)


def _regrade(reading: _LogReading, run: _SystemRun, grade: Regrade) -> None:
    """A row for every response, as the function that was given grades it."""
    samples, before = run.samples, len(reading.log)
    found = samples.columns(["doc_id", "target", "doc", "resps"])
    seen: set[str] = set()
    rows = zip(*(found[key] for key in ("target", "doc", "resps")), strict=True)
    for question, (target, doc, requests) in zip(
        samples.questions(found["doc_id"]), rows, strict=True
    ):
        where = f"{samples.path}, doc_id {question}"
        if len(require_list(requests, f"{where}, resps")) != 1:
            raise InputError(f"{where}: {len(requests)} requests are one answer; no regrading.")
        responses = require_list(requests[0], f"{where}, resps")
        reading.log.read(samples.path, len(responses))
        if question in seen:
            reason = "the same responses under another filter"
            reading.log.leave_out(samples.path, reason, len(responses))
            continue
        seen.add(question)
        for at, response in enumerate(responses):
            outcome = regraded(grade, response, target, doc, where)
            reading.log.add(
                system=run.system,
                task=run.task,
                question=question,
                trial=run.at * samples.repeats + at + 1,
                outcome=outcome,
                status="unscored" if outcome is None else "ok",
                answer=_text(response),
                target=_text(target),
            )
    text = "{n} responses were regraded, so the totals in the log do not apply."
    reading.say(run.task, text, len(reading.log) - before)


def _without_samples(every: Sequence[Samples]) -> Iterator[str]:
    """Remark on totals without samples."""
    known = {(id(samples.results), samples.task) for samples in every}
    lacking = []
    for results in {id(samples.results): samples.results for samples in every}.values():
        groups = {*object_in(results, "groups")}
        groups |= {name for name, tasks in object_in(results, "group_subtasks").items() if tasks}
        names = [name for name in object_in(results, "results") if name not in groups]
        lacking += [name for name in names if (id(results), name) not in known]
    if lacking:
        yield f"{_shown(lacking)}: not read, because there are totals but no samples."


def _answer(filtered: Any) -> str | None:
    """Answer left by the filter."""
    alone = isinstance(filtered, list) and len(filtered) == 1
    return _text(filtered[0] if alone else filtered)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _shown(tasks: Sequence[str]) -> str:
    return some_of(list(dict.fromkeys(tasks)), _SHOWN)


READER = Reader(
    "lm_eval",
    JSON,
    _recognise,
    _read,
    chooses=("scorer", "filter", "regrade"),
    files=("systems", "trials", "parts"),
    keys=("doc_id", "configs"),
)
