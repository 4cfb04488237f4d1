"""Reports: the contents, section by section, and one self-contained HTML file.

Text from the logs is escaped by the template, and inserted as text by the script. The content
security policy of the page allows its own script only, by its digest.
"""

import base64
import hashlib
import json
import math
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from errbar import __version__
from errbar.analysis.alignment import align, by_task
from errbar.analysis.score import fewest_trials, usual_metrics
from errbar.base.files import atomic_file
from errbar.base.remarks import above, below
from errbar.base.tables import counted
from errbar.data.queries.slices import Named, Slice
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import ErrbarError, InputError
from errbar.results.base import Result
from errbar.results.comparison import Comparisons
from errbar.results.estimate import Estimand
from errbar.results.inspection import Inspection
from errbar.results.leaderboard import Leaderboard
from errbar.results.scores import Scores
from errbar.runs import Runs

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@dataclass(frozen=True, kw_only=True)
class Questions:
    """The questions of a task, with the trials and right trials of each system."""

    task: str
    names: tuple[str, ...]
    clusters: tuple[str, ...]  # empty if there are no clusters
    systems: tuple[str, ...]
    trials: list[list[int]]  # by system and question; 0 if there are none
    right: list[list[int]]

    def record(self) -> dict[str, Any]:
        """Return the record for the page; a common number of trials is stored once."""
        known = {n for each in self.trials for n in each}
        return {
            "task": self.task,
            "names": self.names,
            "clusters": self.clusters,
            "systems": self.systems,
            "trials": known.pop() if len(known) == 1 else self.trials,
            "right": self.right,
        }


def questions_of(source: Source, systems: Sequence[str] | None = None) -> list[Questions]:
    """Return the questions of every task with right-or-wrong outcomes."""
    binary = {key: named for key, named in source.named().items() if named.slice.is_binary}
    return [_task(task, each) for task, each in by_task(binary, systems).items()]


def _task(task: str, systems: dict[str, Named]) -> Questions:
    aligned = align(named.questions for named in systems.values())
    trials, right = np.zeros((2, len(systems), len(aligned.place)), dtype=np.int64)
    clusters = [""] * len(aligned.place)
    for row, (named, at) in enumerate(zip(systems.values(), aligned.places, strict=True)):
        trials[row, at], right[row, at] = named.slice.trials, named.slice.right
        for place, cluster in zip(at.tolist(), named.clusters, strict=True):
            clusters[place] = cluster
    return Questions(
        task=task,
        names=tuple(aligned.ids),
        clusters=tuple(clusters) if any(clusters) else (),
        systems=tuple(systems),
        trials=trials.tolist(),
        right=right.tolist(),
    )


R = TypeVar("R", bound=Result)

_PACKAGES = ("numpy", "scipy", "duckdb", "narwhals")
_MOST_DRAWN = 400  # rows


@dataclass(frozen=True, kw_only=True)
class ReportSettings:
    """Settings of a report."""

    metrics: tuple[str, ...] = ()  # if empty, chosen by the data
    estimand: Estimand = Estimand.POPULATION
    level: float = 0.95
    baseline: str | None = None
    errors: Literal["fail", "missing"] = "fail"
    title: str = ""
    command: str = ""  # the command that makes the report, to be shown


@dataclass(frozen=True)
class Section:
    """A section: a title, sentences, and a result with its picture."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    result: Result | Inspection | None = None
    picture: str = ""  # SVG


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The contents of a report."""

    title: str
    verdicts: tuple[str, ...]
    sections: tuple[Section, ...]
    questions: tuple[Questions, ...]
    settings: ReportSettings
    versions: dict[str, str] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Return all numbers of the report, for the data of the page."""
        return {
            "title": self.title,
            "versions": self.versions,
            "command": self.settings.command,
            "verdicts": list(self.verdicts),
            "results": {
                section.name: {"rows": section.result.to_dicts(), "notes": section.result.notes()}
                for section in self.sections
                if section.result is not None
            },
            "questions": [questions.record() for questions in self.questions],
        }


def contents_of(runs: Runs, settings: ReportSettings) -> Contents:
    """Compute the contents of a report, as far as the data allow."""
    slices = runs.source.slices(())
    metrics = settings.metrics or usual_metrics(slices)
    scores = runs.score(
        *metrics,
        estimand=settings.estimand,
        level=settings.level,
        errors=settings.errors,
        short="drop",
    )
    sections = [Section("scores", "Scores", (), scores, _picture(scores))]
    sections += _curve(runs, slices, settings)
    board = compared = None
    if len({part.key[0] for part in slices}) > 1:
        board, ranks = _section("ranks", "Ranks", lambda: _board(runs, metrics[0], settings))
        compared, pairs = _section(
            "comparisons", "Comparisons", lambda: _compared(runs, metrics[0], settings)
        )
        sections += [ranks, pairs]
    if isinstance(runs.source, TableSource) and "confidence" in runs.source.columns:
        sections.append(_section("selective", "Selective prediction", runs.selective)[1])
        sections.append(_section("roc", "ROC", runs.roc)[1])
    inspection = runs.inspect()
    sections.append(Section("quality", "The data", _quality(slices), inspection))
    versions = {"errbar": __version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in _PACKAGES}
    title = settings.title or _title(slices)
    return Contents(
        title=title,
        verdicts=tuple(_verdicts(scores, board, compared)),
        sections=tuple(sections),
        questions=tuple(questions_of(runs.source)),
        settings=settings,
        versions=versions,
    )


def _curve(runs: Runs, slices: Sequence[Slice], settings: ReportSettings) -> list[Section]:
    if not any(part.is_binary and fewest_trials(part) > 1 for part in slices):
        return []
    found = []
    for family, words in (
        (
            "pass@k",
            "The chance that at least one of k trials is correct: the score if the best could be "
            "picked.",
        ),
        ("pass^k", "The chance that all of k trials are correct: a measure of reliability."),
    ):
        curve = partial(
            runs.curve,
            family,
            estimand=settings.estimand,
            level=settings.level,
            errors=settings.errors,
        )
        name = "curve-one" if family == "pass@k" else "curve-all"
        found.append(_section(name, f"{family} over k", curve, words)[1])
    return found


def _section(
    name: str, title: str, compute: Callable[[], R], *words: str
) -> tuple[R | None, Section]:
    """Return a result and its section, or a section with the reason why there is none."""
    try:
        result = compute()
    except ErrbarError as error:
        return None, Section(name, title, (*words, f"Nothing to show: {error}"))
    return result, Section(name, title, words, result, _picture(result))


def _board(runs: Runs, metric: str, settings: ReportSettings) -> Leaderboard:
    covers = Estimand.POPULATION if settings.estimand is Estimand.RERUN else settings.estimand
    return runs.rank(
        metric, estimand=covers, level=settings.level, errors=settings.errors, short="drop"
    )


def _compared(runs: Runs, metric: str, settings: ReportSettings) -> Comparisons:
    return runs.compare(
        metric,
        baseline=settings.baseline,
        estimand=settings.estimand,
        level=settings.level,
        errors=settings.errors,
        short="drop",
    )


def _quality(slices: Sequence[Slice]) -> tuple[str, ...]:
    rows = sum(part.rows for part in slices)
    failed = sum(part.failed + part.ungraded for part in slices)
    if not failed:
        return (f"All {counted(rows, 'row')} have a result.",)
    return (f"{failed} of {counted(rows, 'row')} have no result.",)


def _title(slices: Sequence[Slice]) -> str:
    systems, tasks = ({part.key[at] for part in slices} for at in (0, 1))
    named = f" on {next(iter(tasks))}" if len(tasks) == 1 and "" not in tasks else ""
    if not named and len(tasks) > 1:
        named = f" on {counted(len(tasks), 'task')}"
    return f"{counted(len(systems), 'system')}{named}"


def _verdicts(scores: Scores, board: Leaderboard | None, compared: Comparisons | None) -> list[str]:
    """Return the conclusions in sentences."""
    found = []
    if board is not None:
        top = [row.system for row in board if row.best_rank == 1]
        first = board[0]
        found.append(
            f"{first.system} is the best by {board.metric}."
            if len(top) == 1
            else f"By {board.metric}, any of {', '.join(top[:8])}"
            f"{f' and {len(top) - 8} more' if len(top) > 8 else ''} may be the best."
        )
    if compared is not None:
        there = [row for row in compared if row.questions]
        decided = [row for row in there if row.better]
        careful = sum(bool(row.caution) for row in decided)
        found.append(
            f"{len(decided)} of {counted(len(there), 'pair')} of systems differ significantly"
            f"{f', {careful} of them with caution: see the comparisons' if careful else ''}."
        )
    if board is None:
        found += [str(estimate) for estimate in scores if not math.isnan(estimate.mean)][:3]
    return found


def _picture(result: Result) -> str:
    """Return a picture of a result as SVG; empty if it has too many rows."""
    return result.plot().svg() if len(result.to_dicts()) <= _MOST_DRAWN else ""


def write_report(runs: Runs, path: str | Path, settings: ReportSettings) -> Path:
    """Write the report of runs to an HTML file atomically, and return its path."""
    target = Path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report is an HTML file, as in report.html; got {path!r}.")
    text = render(contents_of(runs, settings))
    with atomic_file(target) as file:
        file.write_text(text, encoding="utf-8")
    return target


def render(contents: Contents) -> str:
    """Return the page as HTML."""
    jinja = _jinja()
    environment = jinja.Environment(autoescape=True, undefined=jinja.StrictUndefined)
    template = environment.from_string(_file("page.html"))
    script = _file("page.js")
    tables = [_table(section.result) for section in contents.sections]
    text: str = template.render(
        contents=contents,
        guesses=dict.fromkeys(note for table in tables if table for note in table["above"]),
        level=f"{100 * contents.settings.level:g} %",
        covers=contents.settings.estimand.words,
        tables=tables,
        style=_file("page.css"),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=embedded(contents.record()),
    )
    return text


def embedded(record: Any) -> str:
    """Return JSON that cannot close the script element that contains it."""
    text = json.dumps(_plain(record), ensure_ascii=False, separators=(",", ":"))
    return "".join(_UNSAFE.get(letter, letter) for letter in text) if _is_unsafe(text) else text


def _is_unsafe(text: str) -> bool:
    return any(letter in text for letter in _UNSAFE)


def _plain(value: Any) -> Any:
    """Return a copy of nested values, with null for numbers that are not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value


def _table(result: Any) -> dict[str, Any] | None:
    """Return heads, rows and notes of a result."""
    if result is None:
        return None
    heads, *rows = zip(*result.columns(), strict=True)
    notes = result.notes()
    return {"heads": heads, "rows": rows, "above": above(notes), "notes": below(notes)}


def _file(name: str) -> str:
    return resources.files("errbar.page").joinpath(name).read_text(encoding="utf-8")


def _jinja() -> Any:
    try:
        import jinja2  # noqa: PLC0415  an extra
    except ImportError as error:
        raise InputError("reports need the extra: pip install 'errbar[report]'.") from error
    return jinja2
