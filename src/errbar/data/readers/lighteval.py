"""Logs of lighteval: `details_*.parquet` with their `results_*.json`.

A row of details is one question with all its responses and the value of every metric. Lighteval
does not store which responses are right, only how many: n times avg@n, or pass@k with k = 1. That
many of the n trials, the first ones, are marked right; no metric depends on which. `regrade` grades
the responses themselves.

For multiple choice, answer and confidence are as in logs of lm-evaluation-harness: the likeliest
choice and its probability, normalized over the choices.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from glob import escape
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from errbar.base.remarks import about
from errbar.data.engines.duckdb import own_engine, plain_errors, require_shallow
from errbar.data.readers.base import Glance, Reader, joined_runs_remark, regraded
from errbar.data.readers.choices import Choice
from errbar.data.readers.documents import list_in, name_of, number_or_none, object_in, object_of
from errbar.data.readers.likelihoods import are_graded, choice_likelihoods, likeliest
from errbar.data.readers.log_names import FILES_ARE, runs_apart
from errbar.data.readers.logs import Claim, Log, pick, picked_remark
from errbar.errors import InputError

_MOST_FOOTER = 1 << 22  # bytes of the footer of a Parquet file, which has the schema
_STAMP = re.compile(r"_(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.(?:parquet|json)$")
_RESPONSES = ("text", "logprobs")
_DOC = ("id", "task_name", "choices", "gold_index")
# default metrics, if none counts right responses
_USUAL = ("acc", "em", "exact_match", "extractive_match")


@dataclass(frozen=True)
class _Details:
    """The details of one task in one run."""

    path: Path
    results: Mapping[str, Any]
    engine: DuckDBPyConnection  # shared by all files: starting one takes longer than reading a few
    is_whole: bool  # whether questions and responses are read in full, to regrade
    label: str = ""  # name of the system, if it is not that of the model

    @property
    def system(self) -> str:
        """Model name in the results, or else in the directories."""
        if self.label:
            return self.label
        general = object_in(self.results, "config_general")
        name = general.get("model_name") or object_in(general, "model_config").get("model_name")
        parts = self.path.absolute().parts[:-2]
        at = len(parts) - parts[::-1].index("details") if "details" in parts else len(parts) - 1
        return str(name or "/".join(parts[at:]))

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The rows, with the columns that are used."""
        with plain_errors(str(self.path)):
            require_shallow(self.engine, self.path)
            table = self.engine.read_parquet(escape(str(self.path)))
            kinds = dict(zip(table.columns, table.types, strict=True))
            for name in ("doc", "metric", "model_response"):
                if name not in kinds or kinds[name].id != "struct":
                    raise InputError(f"{self.path}: there is no struct column {name!r}.")
            parts = ["doc" if self.is_whole else _some_of_doc(kinds["doc"]), "metric"]
            known = dict(kinds["model_response"].children)
            for name in _RESPONSES:
                field = f"model_response.{name}"
                if name == "text" and name in known and not self.is_whole:
                    field = _if_alone(field, known[name])  # of several, the right one is unknown
                parts += [f"{field} AS {name}"] if name in known else []
            found = table.project(", ".join(parts))
            names = found.columns
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    @property
    def task(self) -> str:
        """Task named by the first question, or else by the file."""
        name = object_in(self.rows[0], "doc").get("task_name") if self.rows else None
        return str(name or self.task_in_name)

    @property
    def task_in_name(self) -> str:
        """Task in the name of the file."""
        return _STAMP.sub("", self.path.name).removeprefix("details_")

    @property
    def metrics(self) -> list[str]:
        """Metrics with one number per question; those that count right responses come first."""
        found: dict[str, None] = {}
        for row in self.rows:
            metrics = object_in(row, "metric")
            if not found.keys() >= metrics.keys():
                numbers = (key for key in metrics if number_or_none(metrics[key]) is not None)
                found.update(dict.fromkeys(numbers))
        return sorted(found, key=lambda name: (not _trials(name), name not in _USUAL))

    def means(self) -> Mapping[str, Any]:
        """Metrics of the task that are means over its questions, with their values."""
        config = object_in(object_in(self.results, "config_tasks"), self.task)
        others = {
            metric.get("metric_name")
            for metric in list_in(config, "metrics")
            if isinstance(metric, dict) and metric.get("corpus_level_fn") not in ("mean", None)
        }
        totals = object_in(object_in(self.results, "results"), self.task)
        return {name: value for name, value in totals.items() if name not in others}


def _some_of_doc(kind: Any) -> str:
    """SQL for the fields of a question that are used."""
    parts = [f"{name} := doc.{name}" for name, _ in kind.children if name in _DOC]
    return f"struct_pack({', '.join(parts)}) AS doc" if parts else "doc"


def _if_alone(part: str, kind: Any) -> str:
    """SQL for a list if it has a single element, else null."""
    return f"CASE WHEN len({part}) = 1 THEN {part} END" if kind.id == "list" else part


def _settings(metric: str) -> tuple[str, dict[str, int]]:
    """Parse a metric name with settings, such as pass@k:k=1&n=8."""
    name, _, options = metric.partition(":")
    pairs = [part.partition("=") for part in options.split("&")]
    return name, {key: int(value) for key, _, value in pairs if value.isdecimal()}


def _trials(metric: str) -> int:
    """Number of responses if the metric is the share of right responses; else 0."""
    name, options = _settings(metric)
    if name == "avg@n" or (name == "pass@k" and options.get("k") == 1):
        return options.get("n", 0)
    return 0


def _recognise(glance: Glance) -> str:
    if glance.head.startswith(b"PAR1"):
        names = _footer(glance.path)
        if all(name in names for name in (b"model_response", b"gold_index", b"metric")):
            return "Parquet with doc, metric and model_response"
    if glance.shape == "object" and glance.has("config_general", "results"):
        return "a JSON document with config_general and results"
    return ""


def _footer(path: Path) -> bytes:
    """Footer of a Parquet file, which has its schema."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        long = min(int.from_bytes(file.read(4), "little"), _MOST_FOOTER)
        file.seek(max(0, size - 8 - long))
        return file.read(long)


def _read(files: Sequence[Path], choice: Choice) -> Log:
    with own_engine() as engine:
        return _read_by(engine, files, choice)


def _read_by(engine: DuckDBPyConnection, files: Sequence[Path], choice: Choice) -> Log:
    log = Log()
    metrics: dict[str, None] = {}
    before: Counter[tuple[str, str]] = Counter()
    claims: dict[tuple[str, str], list[list[Claim]]] = {}  # of each run
    every = list(_details(files, engine, choice.regrade is not None, log))
    subjects = {details.path: (details.system, details.task_in_name) for details in every}
    systems = runs_apart(subjects, choice.files)
    for entry in every:
        details = replace(entry, label=systems[entry.path])
        if not details.rows:
            log.skip(details.path, "it has no rows")
            continue
        key = (details.system, details.task)
        metrics |= dict.fromkeys(details.metrics)
        of_run = claims.setdefault(key, [])
        if choice.regrade is not None:
            before[key] += _regrade(log, details, before[key], choice)
            of_run.append([])
            continue
        metric = _metric(log, details, choice)
        if metric:
            n = _grade(log, details, metric, before[key])
            before[key] += n
            of_run.append(list(_claims(details, metric, n)))
    if choice.scorer is not None and metrics:
        pick(choice.scorer, list(metrics), "metric", str(files[0]))
    for (system, task), runs in claims.items():
        if len(runs) == 1:
            log.claims += runs[0]
        elif runs:
            log.remarks.append(joined_runs_remark(f"{system} on {task}", len(runs)))
    log.remarks = list(dict.fromkeys(log.remarks))
    return log


def _details(
    files: Sequence[Path], engine: DuckDBPyConnection, is_whole: bool, log: Log
) -> Iterator[_Details]:
    """Details files, each with the results of the same run."""
    documents = {file: object_of(file) for file in files if Glance(file).shape == "object"}
    details = [file for file in files if file not in documents]
    if not details:
        raise InputError(
            f"{next(iter(documents))}: there are totals, but no details to score. Run "
            f"lighteval with --save-details."
        )
    named: dict[str, list[Path]] = {}
    for file in documents:
        named.setdefault(file.name, []).append(file)
    place = {file.absolute(): file for file in documents}
    used = set()
    for file in details:
        stamp = _STAMP.search(file.name)
        name = f"results_{stamp[1]}.json" if stamp else ""
        beside, alike = _beside(file, name), named.get(name, [])
        own = place.get(beside, beside) if beside else alike[0] if len(alike) == 1 else None
        if own is not None and own not in documents:
            documents[own] = object_of(own)
        used.add(own)
        yield _Details(file, documents[own] if own else {}, engine, is_whole)
    for file in place.values():
        log.read(file, 0)
        if file not in used:
            log.skip(file, "there are no details of its run")


def _beside(file: Path, name: str) -> Path | None:
    """Path of the results: in a parallel tree, `results` instead of `details`."""
    parts = list(file.absolute().parts[:-2])
    if not name or "details" not in parts:
        return None
    parts[len(parts) - 1 - parts[::-1].index("details")] = "results"
    path = Path(*parts, name)
    return path if path.is_file() else None


def _metric(log: Log, details: _Details, choice: Choice) -> str:
    """The chosen metric, or the default; "" if the task lacks it."""
    found, task = details.metrics, details.task
    if not found or (choice.scorer is not None and choice.scorer not in found):
        fault = f"no metric {choice.scorer!r}" if choice.scorer else "no metric in numbers"
        log.remarks.append(f"{task}: there is {fault}; {len(details.rows)} rows are left out.")
        log.read(details.path, len(details.rows))
        log.leave_out(details.path, "of a task without the metric", len(details.rows))
        return ""
    metric = choice.scorer or found[0]
    log.remarks += [about(task, text) for text in picked_remark(metric, found, "metric", "scorer")]
    return metric


def _grade(log: Log, details: _Details, metric: str, before: int) -> int:
    """Add rows as graded by the harness; returns the largest number of trials of a question."""
    values = [number_or_none(object_in(row, "metric").get(metric)) for row in details.rows]
    n = _trials(metric)
    rights = [None if value is None else value * n for value in values]
    whole = all(right is None or abs(right - round(right)) < 1e-6 for right in rights)
    log.read(details.path, len(values) * n if n > 1 and whole else len(values))
    if n > 1 and whole:
        _expand(log, details, rights, n, before)
        log.remarks.append(
            f"{details.task}: lighteval does not store which responses are right, only how many: "
            f"of {n} trials the first {metric} · {n} are marked right."
        )
        return n
    targets = [_target(row) for row in details.rows]
    columns: dict[str, list[Any]] = {"answer": [_only(row.get("text")) for row in details.rows]}
    likelihoods = [choice_likelihoods(row.get("logprobs")) for row in details.rows]
    if any(likelihoods):
        targets = [object_in(row, "doc").get("gold_index") for row in details.rows]
        columns = likeliest(likelihoods)
        if not are_graded(columns["answer"], targets, values):
            columns = {}
            text = "the likeliest choice is not always what was graded; no confidence."
            log.remarks.append(f"{details.task}: {text}")
    size = len(values)
    log.extend(
        system=[details.system] * size,
        task=[details.task] * size,
        question=_questions(details),
        trial=[before + 1] * size,
        outcome=values,
        status=["unscored" if value is None else "ok" for value in values],
        target=[None if target is None else str(target) for target in targets],
        **columns,
    )
    return 1


def _expand(
    log: Log, details: _Details, rights: Sequence[float | None], n: int, before: int
) -> None:
    """Add a row per response, the right ones first."""
    for question, row, right in zip(_questions(details), details.rows, rights, strict=True):
        for at in range(n):
            log.add(
                system=details.system,
                task=details.task,
                question=question,
                trial=before + at + 1,
                outcome=None if right is None else float(at < round(right)),
                status="unscored" if right is None else "ok",
                target=_target(row),
            )


def _regrade(log: Log, details: _Details, before: int, choice: Choice) -> int:
    """Add a row per response, graded by the user's function."""
    most = 0
    if choice.regrade is None or not any(row.get("text") for row in details.rows):
        text = f"there are no responses to grade; {len(details.rows)} rows are left out."
        log.remarks.append(f"{details.task}: {text}")
        log.read(details.path, len(details.rows))
        log.leave_out(details.path, "without responses to grade", len(details.rows))
        return 0
    log.read(details.path, sum(len(row.get("text") or ()) for row in details.rows))
    for question, row in zip(_questions(details), details.rows, strict=True):
        where = f"{details.path}, id {question}"
        texts, target = row.get("text") or [None], _target(row)
        if not row.get("text"):
            log.add_absent(details.path, "questions without responses")
        most = max(most, len(texts))
        for at, text in enumerate(texts):
            there = text is not None
            outcome = regraded(choice.regrade, text, target, row["doc"], where) if there else None
            log.add(
                system=details.system,
                task=details.task,
                question=question,
                trial=before + at + 1,
                outcome=outcome,
                status="ok" if outcome is not None else "unscored" if there else "missing",
                answer=text,
                target=target,
            )
    return most


def _questions(details: _Details) -> list[str]:
    return [
        name_of(object_in(row, "doc").get("id"), f"{details.path}, row {at}")
        for at, row in enumerate(details.rows, start=1)
    ]


def _target(row: Mapping[str, Any]) -> str | None:
    """The right choice of a multiple-choice question; else the only reference."""
    doc = object_in(row, "doc")
    choices, gold = doc.get("choices"), doc.get("gold_index")
    if isinstance(gold, list) and len(gold) == 1:
        gold = gold[0]
    if isinstance(choices, list) and isinstance(gold, int) and 0 <= gold < len(choices):
        return str(choices[gold])
    return None


def _only(texts: Any) -> str | None:
    return str(texts[0]) if isinstance(texts, list) and len(texts) == 1 else None


def _claims(details: _Details, metric: str, n: int) -> Iterator[Claim]:
    """Stated number of questions and means; for counts of right responses also pass@k."""
    config = object_in(object_in(details.results, "config_tasks"), details.task)
    docs = number_or_none(config.get("effective_num_docs"))
    if docs is not None and docs > 0:  # -1 means unknown
        yield Claim("effective_num_docs", docs, "questions", details.system, details.task)
    for name, value in details.means().items():
        kind, config = _settings(name)
        number = number_or_none(value)
        if number is None:
            continue
        if n > 1 and kind == "pass@k" and config.get("n") == n and 1 <= config.get("k", 0) <= n:
            yield Claim(name, number, f"pass@{config['k']}", details.system, details.task)
        elif name == metric or (n > 1 and _trials(name) == n):
            yield Claim(name, number, "avg", details.system, details.task)


READER = Reader(
    "lighteval",
    ("object", ""),
    _recognise,
    _read,
    chooses=("scorer", "regrade"),
    files=FILES_ARE,
    keys=("config_general",),
)
