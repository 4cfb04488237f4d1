"""Read files of promptfoo into results; a result in several files is counted once."""

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from errbar.base.remarks import warning
from errbar.data.readers.base import Glance
from errbar.data.readers.documents import (
    UNSET,
    Other,
    Part,
    Shape,
    UnsetType,
    document_as,
    field,
    lines_as,
    number_or_none,
    object_in,
    require_list,
    require_object,
    text_or_none,
)
from errbar.data.readers.logs import Log
from errbar.data.readers.promptfoo_table import results_of_table

_AGAIN = "results that are also in another file"


class ProviderPrompt(NamedTuple):
    """The provider and prompt of a result; providers with equal names are numbered."""

    provider: str
    prompt: str
    rank: int = 0


class TestCase(Part):
    """The test of a result."""

    __test__ = False  # pytest collects classes of this name

    description: Any = None
    vars: Any = None
    assertions: Any = field(name="assert", default=UNSET)


class _Provider(Part):
    """The names of a provider."""

    id: Any = None
    label: Any = None


class _Prompt(Part):
    """The names of a prompt."""

    raw: Any = None
    label: Any = None
    display: Any = None


class _Response(Part):
    """The answer of a provider."""

    output: Any = None


class _TokenUsage(Part):
    """Tokens of a request."""

    prompt: Any = None
    completion: Any = None


class PromptRow(Part, rename="camel"):
    """The fields of a result that are used."""

    id: Any = None
    prompt_idx: Any = UNSET
    test_idx: Any = UNSET
    provider: _Provider | Other = None
    prompt: _Prompt | Other = None
    vars: Any = None
    test_case: TestCase | Other = None
    response: _Response | Other | UnsetType = UNSET
    success: Any = None
    score: Any = None
    named_scores: Any = None
    cost: Any = None
    latency_ms: Any = None
    token_usage: _TokenUsage | Other = None
    failure_reason: Any = UNSET
    grading_result: Any = None
    error: Any = None

    @property
    def tokens(self) -> tuple[Any, Any]:
        """Tokens that were read and written."""
        usage = self.token_usage
        return (usage.prompt, usage.completion) if type(usage) is _TokenUsage else (None, None)

    @property
    def output(self) -> Any:
        """The answer."""
        return self.response.output if type(self.response) is _Response else None


class _Summary(Part):
    """Results with their prompts and totals."""

    results: list[PromptRow] | None = None
    prompts: Any = None
    table: Any = None
    stats: Any = None


class _Output(_Summary, rename="camel"):
    """A document; its results are a list in version 1, and inside a summary later."""

    results: list[PromptRow] | _Summary | None = None  # type: ignore[assignment]
    eval_id: Any = None
    config: Any = None


_SHAPE_OF_ROW: Shape[PromptRow] = Shape(PromptRow)
_SHAPE: Shape[_Output] = Shape(_Output)


class PromptResult(NamedTuple):
    """One result with its provider and prompt."""

    row: PromptRow
    of: ProviderPrompt

    def test(self) -> int:
        """Index of its test; 0 in versions without one."""
        index = self.row.test_idx
        return index if isinstance(index, int) else 0

    @property
    def answer(self) -> str:
        """The answer as in a CSV file, without the escape mark for spreadsheets."""
        output = self.row.output
        text = output if isinstance(output, str) else json.dumps(output, separators=(",", ":"))
        return "" if output is None else text.removeprefix("'")


@dataclass
class PromptfooRun:
    """One file."""

    path: Path
    document: _Output = dataclasses.field(default_factory=_Output)  # it contains the results
    results: list[PromptResult] = dataclasses.field(default_factory=list)
    left_out: Counter[str] = dataclasses.field(default_factory=Counter)
    size: int = 0  # results in the file

    @cached_property
    def is_table(self) -> bool:
        """Whether it is a CSV file."""
        return not Glance(self.path).shape

    @property
    def task(self) -> str:
        """Description of the evaluation."""
        config = object_in({"config": self.document.config}, "config")
        return text_or_none(config.get("description")) or ""

    @property
    def summary(self) -> _Summary:
        """The part of the document with prompts and totals."""
        inside = self.document.results
        return inside if isinstance(inside, _Summary) else self.document

    def prompts(self) -> list[tuple[ProviderPrompt, dict[str, Any]]]:
        """Prompts of providers, with the stated totals of their results."""
        summary = self.summary
        head = object_in({"table": summary.table}, "table").get("head")
        inside = head.get("prompts") if isinstance(head, dict) else None
        stated = next(
            (part for part in (summary.prompts, inside) if part and isinstance(part, list)), []
        )
        prompts = [prompt for prompt in stated if isinstance(prompt, dict)]
        rows = [
            _SHAPE_OF_ROW.of({**prompt, "prompt": prompt, "promptIdx": at}, str(self.path))
            for at, prompt in enumerate(prompts)
        ]
        return list(zip([result.of for result in _results(rows)], prompts, strict=True))

    def total(self) -> float | None:
        """Stated number of results."""
        stats = object_in({"stats": self.summary.stats}, "stats")
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
        tabled = [result for result in found if not isinstance(result, str)]
        run.results = _results([_SHAPE_OF_ROW.of(result, str(path)) for result in tabled])
        return run
    if glance.has("promptIdx"):
        rows = []
        for batch in lines_as(path, _SHAPE_OF_ROW):
            for line, row in batch:
                if type(row.test_case) is not TestCase:
                    require_object(row.vars, f"{path}, line {line}, vars")
                rows.append(row)
    else:
        run.document = document_as(path, _SHAPE)
        inside, where = run.document.results, f"{path}, results"
        if isinstance(inside, _Summary):
            inside, where = inside.results, f"{where}.results"
        rows = require_list(inside, where)
        for at, row in enumerate(rows):
            if type(row.test_case) is not TestCase:
                require_object(row.vars, f"{where}[{at}], vars")
    run.size = len(rows)
    run.results = _results(rows)
    return run


def _results(rows: Sequence[PromptRow]) -> list[PromptResult]:
    """Results by provider; equal names and prompts in different columns are separate systems."""
    keys = [(*_name_and_prompt(row), _column(row)) for row in rows]
    columns: dict[tuple[str, str], list[int]] = {}
    for name, prompt, column in sorted(set(keys)):
        columns.setdefault((name, prompt), []).append(column)
    tests = {
        (*name, column): ProviderPrompt(*name, rank)
        for name, found in columns.items()
        for rank, column in enumerate(found)
    }
    return [PromptResult(row, tests[key]) for row, key in zip(rows, keys, strict=True)]


def _column(row: PromptRow) -> int:
    index = row.prompt_idx
    return index if isinstance(index, int) else 0


def _name_and_prompt(row: PromptRow) -> tuple[str, str]:
    provider, prompt = row.provider, row.prompt
    named = provider.label or provider.id if type(provider) is _Provider else provider
    text = prompt.label or prompt.display or prompt.raw if type(prompt) is _Prompt else prompt
    name = str(named or "")
    return name, str(text or "").removeprefix(f"[{name}] ")  # early versions prefix the name


def _count_once(runs: Sequence[PromptfooRun], log: Log) -> None:
    """Leave out duplicates, by result id, else by all fields of a CSV file."""
    seen: set[tuple[str, str]] = set()
    known: dict[str, Path] = {}  # fingerprints of documents and lines
    for run in sorted(runs, key=lambda run: run.is_table):
        if run.is_table:
            answered = any(result.row.response is not UNSET for result in run.results)
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
                result.row.success is True,
                result.answer if answers else "",
            )
            for result in results
        )
    )


def _id(row: PromptRow, run: PromptfooRun) -> tuple[str, str] | None:
    """Id of a result in all files of its evaluation; None if it has none."""
    if isinstance(row.id, str):
        return "id", row.id
    whole = run.document.eval_id
    if isinstance(whole, str) and row.prompt_idx is not UNSET and row.test_idx is not UNSET:
        return whole, f"{row.prompt_idx}, {row.test_idx}"
    return None
