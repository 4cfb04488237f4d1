"""Reports: the contents, section by section, and one self-contained HTML file.

Text from the logs is escaped by the template, and inserted as text by the script. The content
security policy of the page allows its own script only, by its digest.
"""

import base64
import hashlib
import json
import math
import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
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
from errbar.base.tables import percent
from errbar.data.queries.slices import Named, Slice
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import ErrbarError, InputError
from errbar.results.base import Result
from errbar.results.comparison import Comparison, Comparisons
from errbar.results.estimate import Estimand
from errbar.results.leaderboard import Leaderboard
from errbar.results.pictures.forest import Axis
from errbar.results.pictures.questions import Questions
from errbar.results.pictures.vega import with_interval
from errbar.results.scores import Scores
from errbar.runs import Runs

_UNSAFE = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}

R = TypeVar("R", bound=Result)

_PACKAGES = ("numpy", "scipy", "duckdb", "narwhals")
_PALETTE, _GOLDEN_ANGLE = 10, 137.5  # colours by hand; the hues of further ones, in degrees
_METHOD = "Method: "


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
    """A section: a title, sentences, and a result."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    result: Result | None = None


@dataclass(frozen=True, kw_only=True)
class Contents:
    """The contents of a report."""

    title: str
    facts: tuple[tuple[str, str], ...]  # a number, and what it counts
    verdicts: tuple[tuple[str, str], ...]  # the claim, and the numbers behind it
    sections: tuple[Section, ...]
    questions: tuple[Questions, ...]
    settings: ReportSettings
    day: str = ""
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def tasks(self) -> list[str]:
        """The tasks that have scores."""
        return list(dict.fromkeys(estimate.task for estimate in self.result("scores")))

    def result(self, name: str) -> Any:
        """The result of a section; None if there is none."""
        return next((part.result for part in self.sections if part.name == name), None)

    def record(self) -> dict[str, Any]:
        """Return all numbers of the report, for the data of the page."""
        return {
            "title": self.title,
            "date": self.day,
            "versions": self.versions,
            "command": self.settings.command,
            "verdicts": ["".join(verdict) for verdict in self.verdicts],
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
    sections = [Section("scores", "Scores", (), scores)]
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
    sections.append(Section("quality", "The data", (), inspection))
    versions = {"errbar": __version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in _PACKAGES}
    return Contents(
        title=settings.title or inspection.title(),
        facts=tuple(inspection.facts()),
        verdicts=tuple(_verdicts(scores, board, compared, settings.baseline)),
        sections=tuple(sections),
        questions=tuple(questions_of(runs.source)),
        settings=settings,
        day=f"{date.today():%-d %B %Y}",
        versions=versions,
    )


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


def _curve(runs: Runs, slices: Sequence[Slice], settings: ReportSettings) -> list[Section]:
    if not any(part.is_binary and fewest_trials(part) > 1 for part in slices):
        return []
    found = []
    for family, name in (("pass@k", "curve-one"), ("pass^k", "curve-all")):
        curve = partial(
            runs.curve,
            family,
            estimand=settings.estimand,
            level=settings.level,
            errors=settings.errors,
        )
        found.append(_section(name, f"{family} over k", curve)[1])
    return found


def _section(name: str, title: str, compute: Callable[[], R]) -> tuple[R | None, Section]:
    """Return a result and its section, or a section with the reason why there is none."""
    try:
        result = compute()
    except ErrbarError as error:
        return None, Section(name, title, (f"Nothing to show: {error}",))
    return result, Section(name, title, (), result)


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


def _verdicts(
    scores: Scores,
    board: Leaderboard | None,
    compared: Comparisons | None,
    baseline: str | None,
) -> list[tuple[str, str]]:
    """Return the conclusions in sentences, each with its claim first."""
    if compared is not None and (len(compared) == 1 or (baseline and len(compared) <= 3)):
        return [row.headline() for row in compared]
    found = []
    if board is not None:
        found.append(board.headline())
    if compared is not None:
        leaders = [row.system for row in board[:2]] if board and len(board.tasks) == 1 else []
        found += [
            row.headline()
            for row in compared
            if {row.one, row.other} == set(leaders) and (row.better or row.probably_better)
        ]
        found.append(("", f"{compared.tally(baseline)}{_basis(board, compared)}"))
    if board is None:
        known = [estimate for estimate in scores if not math.isnan(estimate.mean)]
        found += [(str(estimate), ".") for estimate in known[:3]]
    return found


def _basis(board: Leaderboard | None, compared: Comparisons) -> str:
    """Return why pairs and ranks may disagree: they rest on different questions."""
    most = max((row.questions for row in compared), default=0)
    if board is None or len(board.tasks) > 1 or most <= board.questions:
        return ""
    return (
        f" Pairs are compared on up to {most} questions, ranks rest on the {board.questions} that "
        f"all systems have."
    )


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
    environment = jinja.Environment(
        autoescape=True,
        undefined=jinja.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
    )
    template = environment.from_string(_file("page.html"))
    script, colours = _file("page.js"), _colours(contents)
    text: str = template.render(
        contents=contents,
        axis_of=Axis.of,
        number_of=with_interval,
        colours=colours,
        grouped=partial(_grouped, order=list(colours)),
        covers=contents.settings.estimand.words,
        level=percent(contents.settings.level).replace(" ", ""),
        notes=_notes(contents),
        style=_file("page.css"),
        script=script,
        digest=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=embedded(contents.record()),
        looks=embedded({"colours": colours, "curves": _curve_points(contents)}),
    )
    return text


def _grouped(rows: Iterable[Any], order: Sequence[str]) -> dict[tuple[str, str], list[Any]]:
    """Return estimates or comparisons by task and metric, with systems in the given order."""
    found: dict[tuple[str, str], list[Any]] = {}
    for row in rows:
        found.setdefault((row.task, str(row.metric)), []).append(row)
    place = {system: at for at, system in enumerate(order)}
    for group in found.values():
        group.sort(key=lambda row: _place(row, place))
    return found


def _place(row: Any, place: dict[str, int]) -> tuple[int | bool, ...]:
    """Return where a row is shown: comparisons by their verdict first."""
    if not isinstance(row, Comparison):
        return (place[row.system],)
    return not row.better, not row.probably_better, place[row.leader], place[row.trailer]


def _colours(contents: Contents) -> dict[str, str]:
    """Return the colour of each system as CSS, the best system first."""
    board = contents.result("ranks")
    names = [row.system for row in board or ()]
    names += [estimate.system for estimate in contents.result("scores")]
    found = {}
    for at, name in enumerate(dict.fromkeys(names)):
        hue = round(at * _GOLDEN_ANGLE) % 360
        found[name] = f"var(--s{at})" if at < _PALETTE else f"oklch(var(--tone) .11 {hue})"
    return found


def _notes(contents: Contents) -> dict[str, list[str]]:
    """Return notes by section, each only where it first appears; `above` and `methods` gather."""
    found: dict[str, list[str]] = {"above": [], "methods": []}
    seen: set[str] = set()
    data = contents.result("quality")
    checks = {str(agreement) for agreement in data.agreements}
    for section in sorted(contents.sections, key=lambda part: part.result is not data):
        notes = [] if section.result is None else section.result.notes()
        found["above"] += above(notes)
        own = [note for note in below(notes) if note not in seen | checks]
        seen |= set(own)
        methods = [note for note in own if note.startswith(_METHOD)]
        found["methods"] += [f"{section.title}: {note.removeprefix(_METHOD)}" for note in methods]
        found[section.name] = [note for note in own if note not in methods]
    return {name: list(dict.fromkeys(notes)) for name, notes in found.items()}


def _curve_points(contents: Contents) -> list[dict[str, Any]]:
    """Return the points of the curves, with their numbers as text."""
    return [
        {
            "system": estimate.system,
            "task": estimate.task,
            "family": name,
            "metric": str(estimate.metric),
            "k": estimate.metric.k,
            "value": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "text": "{0} [{3}, {4}]".format(*estimate.digits()),
        }
        for name in ("curve-one", "curve-all")
        for estimate in contents.result(name) or ()
    ]


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


def _file(name: str) -> str:
    return resources.files("errbar.page").joinpath(name).read_text(encoding="utf-8")


def _jinja() -> Any:
    try:
        import jinja2  # noqa: PLC0415  an extra
    except ImportError as error:
        raise InputError("reports need the extra: pip install 'errbar[report]'.") from error
    return jinja2
