"""Output items of the OpenAI Evals API: the answers to the items of a data source.

    {"object": "list", "data": [{"object": "eval.run.output_item", "id": "outputitem_1",
      "run_id": "evalrun_1", "eval_id": "eval_1", "datasource_item_id": 5, "status": "pass",
      "results": [{"name": "String check-…", "passed": true, "score": 1.0}],
      "sample": {"model": "gpt-4o", "error": null, "output": […], …}}], "has_more": false}

If the run object (`eval.run`) is loaded too, its counts are checked. Items of a run are questions;
runs are systems, named after their models if these differ.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import guess, warning
from errbar.data.readers import documents
from errbar.data.readers.base import Glance
from errbar.data.readers.choices import Choice
from errbar.data.readers.logs import Claim, Log
from errbar.errors import InputError

_ITEM = ("datasource_item_id", "results", "status")
_OF_ITEM = re.compile(r'"object"\s*:\s*"eval\.run\.output_item"')
_OF_RUN = re.compile(r'"object"\s*:\s*"eval\.run"')
_ID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")  # suffix of a grader name
_RIGHT, _WRONG = ("pass", "passed"), ("fail", "failed")
_ERRORS = ("error", "errored", "canceled")
_USUAL = "status"


class _Item(NamedTuple):
    """The fields of an output item that are used."""

    where: str
    question: str
    status: str | None
    failed: bool
    results: dict[str, tuple[Any, Any]]  # passed and score, by the name of the grader
    answer: str | None


@dataclass
class _ApiRun:
    """The items of a run, and its object if that was loaded."""

    run: str
    task: str = ""
    models: Counter[str] = field(default_factory=Counter)
    items: list[_Item] = field(default_factory=list)
    record: Mapping[str, Any] = field(default_factory=dict)
    has_end: bool = False  # whether the last page was loaded


def kind_of_export(glance: Glance) -> str:
    """Kind of export in a file; empty if it is no export."""
    if glance.has(*_ITEM) or (glance.has("object", "data") and _OF_ITEM.search(glance.text)):
        return "output items"
    if glance.has("result_counts") and _OF_RUN.search(glance.text):
        return "a run"
    return ""


def read_exports(log: Log, files: Sequence[Path], choice: Choice) -> None:
    """Fill a log with the items of all runs in these files."""
    runs: dict[str, _ApiRun] = {}
    seen: set[str] = set()
    for file in files:
        _take(log, file, runs, seen)
    filled = [run for run in runs.values() if run.items]
    if not filled:
        raise InputError(
            f"{files[0]}: a run of the Evals API has only totals, and an error bar needs every "
            f"item; load the list of its output items too (client.evals.runs.output_items.list)."
        )
    found = _scorers(filled)
    scorer = log.choose_scorer(choice.scorer, found, "scorer", str(files[0]))
    systems = _systems(filled, choice, log)
    alike = Counter((system, run.task) for run, system in zip(filled, systems, strict=True))
    for run, system in zip(filled, systems, strict=True):
        _add(log, run, system, scorer)
        if scorer == _USUAL and alike[system, run.task] == 1:
            log.claims += _claims(run, system)
        if not run.has_end:
            log.remarks.append(
                warning(f"{run.run}: there are more output items than were loaded (has_more).")
            )


def _take(log: Log, file: Path, runs: dict[str, _ApiRun], seen: set[str]) -> None:
    """Add the items and runs of a file; duplicate items are left out."""
    count = 0
    for where, value, page in _objects(file):
        if "result_counts" in value:
            name = documents.name_of(documents.require_key(value, "id", where), f"{where}, id")
            runs.setdefault(name, _ApiRun(name)).record = value
            continue
        count += 1
        name = documents.name_of(documents.require_key(value, "run_id", where), f"{where}, run_id")
        run = runs.setdefault(name, _ApiRun(name))
        run.task = documents.text_or_none(value.get("eval_id")) or run.task
        run.has_end = run.has_end or not page.get("has_more")
        item = documents.text_or_none(value.get("id"))
        if item in seen:
            log.leave_out(file, "output items that were read before")
            continue
        if item is not None:
            seen.add(item)
        model = documents.object_in(value, "sample").get("model")
        run.models[model if isinstance(model, str) else ""] += 1
        run.items.append(_item(value, where))
    log.read(file, count)


def _item(value: Mapping[str, Any], where: str) -> _Item:
    question = documents.name_of(documents.require_key(value, "datasource_item_id", where), where)
    status, sample = (
        documents.text_or_none(value.get("status")),
        documents.object_in(value, "sample"),
    )
    output = [
        message for message in documents.list_in(sample, "output") if isinstance(message, dict)
    ]
    graded = [result for result in documents.list_in(value, "results") if isinstance(result, dict)]
    return _Item(
        where,
        question,
        status,
        failed=status in _ERRORS or bool(sample.get("error")),
        results={_grader(result): (result.get("passed"), result.get("score")) for result in graded},
        answer=documents.text_or_none(output[-1].get("content")) if output else None,
    )


def _grader(result: Mapping[str, Any]) -> str:
    """Name of a grader without the id that the API appends."""
    return _ID.sub("", documents.text_or_none(result.get("name")) or "grader")


def _objects(file: Path) -> Iterator[tuple[str, dict[str, Any], Mapping[str, Any]]]:
    """Items and runs in any layout: an API list, an array, or JSON lines; and the list itself."""
    if Glance(file).shape == "lines":
        wholes: Iterator[tuple[str, Any]] = (
            (f"{file}, line {at}", row) for at, row in documents.lines(file)
        )
    else:
        wholes = iter([(str(file), documents.document(file))])
    for where, whole in wholes:
        page: Mapping[str, Any] = whole if isinstance(whole, dict) else {}
        parts = page.get("data") if page.get("object") == "list" else whole
        if isinstance(parts, dict):
            yield where, parts, {}
            continue
        for at, item in enumerate(documents.require_list(parts, f"{where}, data")):
            yield f"{where}, item {at}", documents.require_object(item, f"{where}, item {at}"), page


def _scorers(runs: Sequence[_ApiRun]) -> list[str]:
    names = dict.fromkeys(name for run in runs for item in run.items for name in item.results)
    return [_USUAL, *names, *(f"{name}/score" for name in names)]


def _systems(runs: Sequence[_ApiRun], choice: Choice, log: Log) -> list[str]:
    """Systems are models, with the run where a model has several runs of an eval."""
    models = [next(iter(run.models)) if len(run.models) == 1 else "" for run in runs]
    alike = Counter(zip(models, (run.task for run in runs), strict=True))
    several = any(n > 1 for n in alike.values())
    if several and choice.files == "trials":
        text = "Runs of one model are read as its trials"
        log.remarks.append(guess(text, option="--files systems", argument="files='systems'"))
        return [model or run.run for run, model in zip(runs, models, strict=True)]
    if several:
        text = "Systems: the runs, since some share a model"
        log.remarks.append(guess(text, option="--files trials", argument="files='trials'"))
    names = []
    for run, model in zip(runs, models, strict=True):
        alone = alike[model, run.task] == 1
        names.append(f"{model} ({run.run})" if model and not alone else model or run.run)
    return names


def _add(log: Log, run: _ApiRun, system: str, scorer: str) -> None:
    """Add a row per item; repeated source items are further trials."""
    without_result: Counter[str] = Counter()
    for item in run.items:
        outcome, status = _judgement(item, scorer)
        without_result[str(item.status)] += status == "unscored"
        log.add_trial(
            system=system,
            task=run.task,
            question=item.question,
            outcome=outcome,
            status=status,
            answer=item.answer,
        )
    for status_text, n in without_result.items():
        if n:
            log.remarks.append(
                f"{system}: {n} items of status {status_text!r} have no {scorer!r} and thus no "
                f"result."
            )


def _judgement(item: _Item, scorer: str) -> tuple[float | None, str]:
    """Outcome and status of an item; a failed item may still have been graded."""
    if scorer == _USUAL:
        known = item.status in _RIGHT or item.status in _WRONG
        value = float(item.status in _RIGHT) if known else None
    elif scorer in item.results:
        value = documents.truth_or_none(item.results[scorer][0], f"{item.where}, {scorer}")
    else:
        value = documents.number_or_none(
            item.results.get(scorer.removesuffix("/score"), (None, None))[1]
        )
    lost = "error" if item.failed else "unscored"
    return value, "ok" if value is not None else lost


def _claims(run: _ApiRun, system: str) -> Iterator[Claim]:
    counts = documents.object_in(run.record, "result_counts")
    for name, metric in (("total", "rows"), ("passed", "right"), ("errored", "failed")):
        if documents.is_whole(counts.get(name)):
            yield Claim(f"result_counts.{name}", counts[name], metric, system, run.task)
    parts = ("passed", "failed", "errored")
    if all(documents.is_whole(counts.get(name)) for name in parts):
        total = sum(counts[name] for name in parts)
        yield Claim(f"result_counts.{' + '.join(parts)}", total, "rows", system, run.task)
