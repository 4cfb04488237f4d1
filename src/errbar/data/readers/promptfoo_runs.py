"""Read files of promptfoo into results; a result in several files is counted once."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import warning
from errbar.data.readers.base import Glance
from errbar.data.readers.documents import (
    lines,
    list_in,
    number_or_none,
    object_in,
    object_of,
    require_list,
    require_object,
)
from errbar.data.readers.logs import Log
from errbar.data.readers.promptfoo_table import results_of_table

_AGAIN = "results that are also in another file"


class ProviderPrompt(NamedTuple):
    """The provider and prompt of a result; providers with equal names are numbered."""

    provider: str
    prompt: str
    rank: int = 0


class PromptResult(NamedTuple):
    """One result with its provider and prompt."""

    row: dict[str, Any]
    of: ProviderPrompt

    def test(self) -> int:
        """Index of its test; 0 in versions without one."""
        index = self.row.get("testIdx")
        return index if isinstance(index, int) else 0

    @property
    def answer(self) -> str:
        """The answer as in a CSV file, without the escape mark for spreadsheets."""
        output = object_in(self.row, "response").get("output")
        text = output if isinstance(output, str) else json.dumps(output, separators=(",", ":"))
        return "" if output is None else text.removeprefix("'")


@dataclass
class PromptfooRun:
    """One file."""

    path: Path
    document: dict[str, Any] = field(default_factory=dict)  # document that contains the results
    results: list[PromptResult] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    size: int = 0  # results in the file

    @cached_property
    def is_table(self) -> bool:
        """Whether it is a CSV file."""
        return not Glance(self.path).shape

    @property
    def summary(self) -> dict[str, Any]:
        """The part of the document with prompts and totals."""
        return object_in(self.document, "results") or self.document

    def prompts(self) -> list[tuple[ProviderPrompt, dict[str, Any]]]:
        """Prompts of providers, with the stated totals of their results."""
        head = object_in(object_in(self.summary, "table"), "head")
        stated = list_in(self.summary, "prompts") or list_in(head, "prompts")
        rows = [{**prompt, "prompt": prompt} for prompt in stated if isinstance(prompt, dict)]
        for at, row in enumerate(rows):
            row["promptIdx"] = at
        return [(result.of, result.row["prompt"]) for result in _results(rows)]

    def total(self) -> float | None:
        """Stated number of results."""
        stats = object_in(self.summary, "stats")
        counts = [number_or_none(stats.get(key)) for key in ("successes", "failures", "errors")]
        return None if counts[0] is None else sum(count or 0.0 for count in counts)


def read_runs(files: Sequence[Path], log: Log) -> list[PromptfooRun]:
    """Results of each file, without those that are in an earlier file."""
    runs = [_run(path) for path in files]
    _count_once(runs, log)
    for run in runs:
        log.read(run.path, run.size)
        for reason, n in run.left_out.items():
            log.leave_out(run.path, reason, n)
        if run.total() not in (None, run.size):
            log.remarks.append(
                warning(
                    f"{run.path.name}: its totals state {run.total():.0f} results, but it has "
                    f"{run.size}."
                )
            )
    return runs


def _run(path: Path) -> PromptfooRun:
    run, glance = PromptfooRun(path), Glance(path)
    if run.is_table:
        found = list(results_of_table(path))
        run.size = len(found)
        run.left_out.update(result for result in found if isinstance(result, str))
        run.results = _results([result for result in found if not isinstance(result, str)])
        return run
    if glance.has("promptIdx"):
        rows = []
        for line, row in lines(path):
            _require_test(row, f"{path}, line {line}")
            rows.append(row)
    else:
        run.document = object_of(path)
        inside, where = run.document.get("results"), f"{path}, results"
        if not isinstance(inside, list):
            inside, where = require_object(inside, where).get("results"), f"{where}.results"
        rows = require_list(inside, where)
        for at, row in enumerate(rows):
            if type(row) is not dict or not isinstance(row.get("testCase"), dict):
                place = f"{where}[{at}]"
                _require_test(require_object(row, place), place)
    run.size = len(rows)
    run.results = _results(rows)
    return run


def _require_test(row: Mapping[str, Any], where: str) -> None:
    """Raise an error for a result without its test."""
    if not isinstance(row.get("testCase"), dict):
        require_object(row.get("vars"), f"{where}, vars")


def _results(rows: Sequence[dict[str, Any]]) -> list[PromptResult]:
    """Results by provider; equal names and prompts in different columns are separate systems."""
    keys = [(*_name_and_prompt(row), _column(row)) for row in rows]
    columns: dict[tuple[str, str], list[int]] = {}
    for name, prompt, column in sorted(set(keys)):
        columns.setdefault((name, prompt), []).append(column)
    asked = {
        (*name, column): ProviderPrompt(*name, rank)
        for name, found in columns.items()
        for rank, column in enumerate(found)
    }
    return [PromptResult(row, asked[key]) for row, key in zip(rows, keys, strict=True)]


def _column(row: Mapping[str, Any]) -> int:
    index = row.get("promptIdx")
    return index if isinstance(index, int) else 0


def _name_and_prompt(row: Mapping[str, Any]) -> tuple[str, str]:
    provider, prompt = row.get("provider"), row.get("prompt")
    named = provider if isinstance(provider, dict) else {"id": provider}
    asked = prompt if isinstance(prompt, dict) else {"raw": prompt}
    text = asked.get("label") or asked.get("display") or asked.get("raw") or ""
    name = str(named.get("label") or named.get("id") or "")
    return name, str(text).removeprefix(f"[{name}] ")  # early versions prefix the name


def _count_once(runs: Sequence[PromptfooRun], log: Log) -> None:
    """Leave out duplicates, by result id, else by all fields of a CSV file."""
    seen: set[tuple[str, str]] = set()
    known: dict[str, Path] = {}  # fingerprints of documents and lines
    for run in sorted(runs, key=lambda run: run.is_table):
        if run.is_table:
            answered = any("response" in result.row for result in run.results)
            same = known.get(_look(run.results, answered))
            if same is not None:
                log.remarks.append(_same_evaluation(run.path.name, same.name))
                run.left_out[_AGAIN] += len(run.results)
                run.results = []
        elif any(other.is_table for other in runs):
            known |= {_look(run.results, answers): run.path for answers in (True, False)}
        fresh = []
        for result in run.results:
            name = _id(result.row, run)
            if name is not None and name in seen:
                run.left_out[_AGAIN] += 1
                continue
            if name is not None:
                seen.add(name)
            fresh.append(result)
        run.results = fresh


def _same_evaluation(table: str, other: str) -> str:
    return warning(
        f"{table} has the same results as {other}, so both are read as one evaluation, counted "
        f"once. If it is another run, export it in the format of {other} and load that."
    )


def _look(results: Sequence[PromptResult], answers: bool) -> str:
    """Fingerprint shared by a CSV file and a JSON document of the same evaluation."""
    return json.dumps(
        sorted(
            (
                result.test(),
                result.of,
                result.row.get("success") is True,
                result.answer if answers else "",
            )
            for result in results
        )
    )


def _id(row: Mapping[str, Any], run: PromptfooRun) -> tuple[str, str] | None:
    """Id of a result in all files of its evaluation; None if it has none."""
    if isinstance(row.get("id"), str):
        return "id", row["id"]
    whole = run.document.get("evalId")
    if isinstance(whole, str) and "promptIdx" in row and "testIdx" in row:
        return whole, f"{row['promptIdx']}, {row['testIdx']}"
    return None
