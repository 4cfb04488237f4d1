"""The contents of a report: its verdicts, and its results section by section."""

import math
import platform
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from importlib.metadata import version
from typing import Any, Literal, TypeVar

import numpy as np

from errbar import __version__
from errbar.analysis.alignment import Alignment, align, group_by_task
from errbar.analysis.board_audit import audit_of
from errbar.analysis.bracket import bracket_rows, pair_policy
from errbar.analysis.curves import risk_bands, roc_bands
from errbar.analysis.evaluate import results_of
from errbar.analysis.items import FEWEST
from errbar.analysis.methods import SEEN
from errbar.analysis.ranked import classes_of, ranked_by_system
from errbar.analysis.readings import rows_without_result
from errbar.analysis.rewards import rewards_of
from errbar.analysis.scaling import can_be_scaled
from errbar.analysis.score import Errors, fewest_trials, slices_by_subject, usual_metrics
from errbar.base.arrays import Array
from errbar.base.remarks import below
from errbar.data.queries.named_questions import NamedQuestions
from errbar.data.queries.questions import Slice
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import ErrbarError
from errbar.judges import JudgedRuns
from errbar.page.templates import day_text
from errbar.results.base import Result
from errbar.results.comparisons import Comparisons
from errbar.results.estimate import Band, Estimand, Subject
from errbar.results.leaderboard import Leaderboard
from errbar.results.pictures.questions import Questions
from errbar.results.scores import Scores
from errbar.results.timeline import Timeline
from errbar.runs import Runs

R = TypeVar("R", bound=Result)

_MOST_RESAMPLED = 200_000  # rows, for curves with bands: a few seconds
_MOST_SCALED = 6  # systems and tasks whose scaling is shown, a second each
_PACKAGES = ("numpy", "scipy", "duckdb", "narwhals")


@dataclass(frozen=True, kw_only=True)
class ReportSettings:
    """Settings of a report."""

    metrics: tuple[str, ...] = ()  # default metrics if empty
    estimand: Estimand = Estimand.POPULATION
    level: float = 0.95
    baseline: str | None = None
    errors: Errors = "fail"
    bounds: tuple[float, float] | None = None  # bounds of rewards; guessed if None
    largest_cluster: int | None = None  # questions in it; that of the largest observed if None
    title: str = ""
    command: str = ""  # the command that makes the report, to be shown
    history: Timeline | None = None  # past runs to be shown

    @property
    def one_way(self) -> Literal["fail", "missing"]:
        """The policy for failed rows where they cannot be counted both ways."""
        return "fail" if self.errors == "bracket" else self.errors

    @property
    def keywords(self) -> dict[str, Any]:
        """The settings as keywords of methods of `Runs`."""
        keywords = {"estimand": self.estimand, "level": self.level, "errors": self.errors}
        sizes = {} if self.largest_cluster is None else {"largest_cluster": self.largest_cluster}
        return {**keywords, "bounds": self.bounds, **sizes}


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
    warnings: tuple[str, ...]  # on rows without a result
    sections: tuple[Section, ...]
    questions: tuple[Questions, ...]
    settings: ReportSettings
    bands: dict[str, list[Band]] = field(default_factory=dict)  # curves of the confidence, by kind
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
                section.name: {"rows": _rows(section), "notes": section.result.notes()}
                for section in self.sections
                if section.result is not None
            },
            "questions": [questions.record() for questions in self.questions],
        }


def contents_of(runs: Runs, settings: ReportSettings) -> Contents:
    """Compute the contents of a report, as far as the data allow."""
    slices = runs.source.slices(())
    metrics = settings.metrics or usual_metrics(slices)
    scores = bracket_rows(runs.score(*metrics, **settings.keywords, short="drop"))
    sections = [Section("scores", "Scores", (), scores)]
    if isinstance(runs, JudgedRuns):
        agreed = partial(runs.agreement, settings.level)
        sections.append(_section("agreement", "The judge and the labels", agreed)[1])
    if settings.history is not None:
        sections.append(Section("history", "History", (), settings.history))
    sections += _curve(runs, slices, settings)
    sections += _scaling(runs, slices, settings)
    sections += _noise_and_cost(runs, slices, settings)
    board = compared = None
    if len({part.key[0] for part in slices}) > 1:
        board, ranks = _section("ranks", "Ranks", lambda: _board(runs, metrics[0], settings))
        pair = partial(runs.compare, metrics[0], baseline=settings.baseline, short="drop")
        compared, pairs = _section("comparisons", "Comparisons", partial(pair, **settings.keywords))
        sections += [ranks, pairs]
        sections += _order(runs, board, compared, settings)
    sections += _items(runs, slices, settings)
    bands: dict[str, list[Band]] = {}
    if isinstance(runs.source, TableSource) and "confidence" in runs.source.columns:
        sections.append(_section("selective", "Selective prediction", runs.selective)[1])
        sections.append(_section("roc", "ROC", runs.roc)[1])
        calibration, own = _section("calibration", "Calibration", runs.calibration)
        sections.append(own)
        bands = _bands(runs, slices)
        bands["calibration"] = [row.band() for row in calibration or ()]
    verdicts = _verdicts(scores, board, compared, settings.baseline) or _reason_unranked(sections)
    on_failures = compared.on_failures() if compared else []
    verdicts += [("", note) for note in on_failures[1:]]
    if settings.history is not None:
        verdicts.append(settings.history.conclusion()[:2])
    failed = rows_without_result(runs.source, slices_by_subject(slices), settings.errors)
    inspection = runs.inspect()
    sections.append(Section("quality", "The data", (), inspection))
    versions = {"errbar": __version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in _PACKAGES}
    return Contents(
        title=settings.title or inspection.title(),
        facts=tuple(inspection.facts()),
        verdicts=tuple(verdicts),
        warnings=(*below(failed), *on_failures[:1]),
        sections=tuple(sections),
        questions=tuple(questions_of(runs.source, settings.errors)),
        settings=settings,
        bands=bands,
        day=day_text(date.today()),
        versions=versions,
    )


def _bands(runs: Runs, slices: Sequence[Slice]) -> dict[str, list[Band]]:
    """Return risk over coverage, and ROC curves, unless there are too many rows to resample."""
    if sum(part.rows for part in slices) > _MOST_RESAMPLED:
        return {}
    try:
        ranked, _ = ranked_by_system(runs.source, None)
    except ErrbarError:
        return {}  # the sections say why
    data = {Subject(key[0], key[1]): rows for key, rows in ranked.items()}
    classes, _ = classes_of(data)
    risks = {of: rows.predictions() for of, rows in data.items()}
    return {"risk": risk_bands(risks, SEEN, 0), "roc": roc_bands(classes, SEEN, 0)}


def questions_of(source: Source, errors: Errors) -> list[Questions]:
    """Return the questions of every task, with right trials or mean rewards."""
    return [
        _right(task, each, errors)
        if all(named.slice.is_binary for named in each.values())
        else _rewards(task, each, source, errors)
        for task, each in group_by_task(source.named()).items()
    ]


def _right(task: str, systems: dict[str, NamedQuestions], errors: Errors) -> Questions:
    aligned = align(named.questions for named in systems.values())
    trials, right = np.zeros((2, len(systems), len(aligned.place)), dtype=np.int64)
    for row, (named, at) in enumerate(zip(systems.values(), aligned.places, strict=True)):
        part = named.slice
        trials[row, at] = part.scored if errors == "missing" else part.trials
        right[row, at] = part.right
    return _questions(task, aligned, systems, trials=trials.tolist(), right=right.tolist())


def _rewards(
    task: str, systems: dict[str, NamedQuestions], source: Source, errors: Errors
) -> Questions:
    aligned = align(named.questions for named in systems.values())
    shape = len(systems), len(aligned.place)
    trials, means, variances = np.zeros(shape, dtype=np.int64), *np.zeros((2, *shape))
    low, high = math.inf, -math.inf
    for row, named in enumerate(systems.values()):
        try:
            found = rewards_of(
                results_of(source, named.slice), "missing" if errors == "missing" else "wrong"
            )
        except ErrbarError:
            continue  # the scores say why
        at = aligned.at(found.questions)
        trials[row, at], means[row, at] = found.trials, found.values
        if found.noise is not None:
            variances[row, at] = np.nan_to_num(found.noise * (found.trials - 1))
        low, high = min(low, *found.extremes[0]), max(high, *found.extremes[1])
    return _questions(
        task,
        aligned,
        systems,
        trials=trials.tolist(),
        means=_few_digits(means),
        variances=_few_digits(variances) if variances.any() else None,
        reach=(0.0, max(high, 1.0)) if low >= 0.0 else (low, high),
    )


def _questions(
    task: str, aligned: Alignment[str], systems: dict[str, NamedQuestions], **values: Any
) -> Questions:
    """Return the questions of a task with the values of each."""
    ids, clusters = tuple(aligned.ids), _clusters(aligned, systems)
    return Questions(task=task, names=ids, clusters=clusters, systems=tuple(systems), **values)


def _rows(section: Section) -> list[dict[str, Any]]:
    """Return the records of a section; those of questions, which are many, with few digits."""
    rows: list[dict[str, Any]] = [] if section.result is None else section.result.to_dicts()
    if section.name != "items":
        return rows
    return [
        {name: _short(cell) if isinstance(cell, float) else cell for name, cell in row.items()}
        for row in rows
    ]


def _few_digits(values: Array) -> list[list[float]]:
    return [[_short(value) for value in row] for row in values.tolist()]


def _short(value: float) -> float:
    """Return a number with four significant digits, which is more than the page shows."""
    return float(f"{value:.4g}")


def _clusters(aligned: Alignment[str], systems: dict[str, NamedQuestions]) -> tuple[str, ...]:
    """Return the cluster of each question; nothing if there are none."""
    names = [""] * len(aligned.place)
    for named, at in zip(systems.values(), aligned.places, strict=True):
        for place, cluster in zip(at.tolist(), named.clusters, strict=True):
            names[place] = cluster
    return tuple(names) if any(names) else ()


def _curve(runs: Runs, slices: Sequence[Slice], settings: ReportSettings) -> list[Section]:
    if not any(part.is_binary and fewest_trials(part) > 1 for part in slices):
        return []
    sections = []
    for family, name in (("pass@k", "curve-one"), ("pass^k", "curve-all")):
        curve = partial(_curve_of, runs, family, settings)
        sections.append(_section(name, f"{family} over k", curve)[1])
    return sections


def _curve_of(runs: Runs, family: str, settings: ReportSettings) -> Scores:
    options = {name: settings.keywords[name] for name in ("estimand", "level", "errors")}
    return bracket_rows(runs.curve(family, **options))


def _scaling(runs: Runs, slices: Sequence[Slice], settings: ReportSettings) -> list[Section]:
    """Return the scaling with the number of trials, for a few systems with enough trials."""
    if not 0 < sum(map(can_be_scaled, slices)) <= _MOST_SCALED:
        return []
    scaled = partial(runs.scaling, errors=settings.one_way, level=settings.level)
    return [_section("scaling", "Many more trials", scaled)[1]]


def _noise_and_cost(runs: Runs, slices: Sequence[Slice], settings: ReportSettings) -> list[Section]:
    """Return the sources of noise, and the costs."""
    sections = []
    options: dict[str, Any] = {"errors": settings.one_way, "level": settings.level}
    if any(fewest_trials(part) > 1 for part in slices):
        apart = partial(runs.noise, **options, bounds=settings.bounds)
        sections.append(_section("noise", "Where the uncertainty comes from", apart)[1])
    if isinstance(runs.source, TableSource) and "cost" in runs.source.columns:
        sections.append(_section("cost", "Cost", partial(runs.cost, **options))[1])
    return sections


def _items(runs: Runs, slices: Sequence[Slice], settings: ReportSettings) -> list[Section]:
    """Return the analysis of questions, if there are enough systems to find suspect ones."""
    systems = Counter(part.key[1] for part in slices if part.is_binary)
    if max(systems.values(), default=0) < FEWEST:
        return []
    items = partial(runs.items, level=settings.level, errors=settings.one_way)
    return [_section("items", "Questions that look wrong", items)[1]]


def _section(name: str, title: str, compute: Callable[[], R]) -> tuple[R | None, Section]:
    """Return a result and its section, or a section with the reason why there is none."""
    try:
        result = compute()
    except ErrbarError as error:
        return None, Section(name, title, (str(error),))
    return result, Section(name, title, (), result)


def _board(runs: Runs, metric: str, settings: ReportSettings) -> Leaderboard:
    covers = Estimand.POPULATION if settings.estimand is Estimand.RERUN else settings.estimand
    return runs.rank(metric, **{**settings.keywords, "estimand": covers}, short="drop")


def _order(
    runs: Runs, board: Leaderboard | None, compared: Comparisons | None, settings: ReportSettings
) -> list[Section]:
    """Return the audit of a leaderboard of means: not with failed trials both ways, or labels."""
    if board is None or settings.errors == "bracket" or isinstance(runs, JudgedRuns):
        return []
    policy = pair_policy(settings.errors, "drop", None)
    audited = partial(audit_of, runs.source, policy, board, compared)
    return [_section("order", "What moves the order", audited)[1]]


def _verdicts(
    scores: Scores,
    board: Leaderboard | None,
    compared: Comparisons | None,
    baseline: str | None,
) -> list[tuple[str, str]]:
    """Return the conclusions in sentences, each with its claim first."""
    one_task = compared is not None and len({row.task for row in compared}) == 1
    if compared and one_task and len(compared) <= (3 if baseline else 1):
        return [row.headline() for row in compared]
    verdicts = []
    if board is not None:
        verdicts.append(board.headline())
    if compared is not None:
        leaders = [row.system for row in board[:2]] if board and len(board.tasks) == 1 else []
        verdicts += [
            (row.sentence()[0], ", assuming no rare failures.")
            for row in compared
            if {row.first, row.second} == set(leaders) and row.called_probable
        ]
        verdicts.append(("", f"{compared.tally(baseline)}{_basis(board, compared)}"))
    if board is None and len({estimate.system for estimate in scores}) == 1:
        known = scores.only(metric=str(scores[0].metric))
        verdicts += [row.headline() for row in known if not math.isnan(row.mean)][:3]
    return verdicts


def _reason_unranked(sections: Sequence[Section]) -> list[tuple[str, str]]:
    """Return the reason why systems are not ranked."""
    reasons = [part.words[0] for part in sections if part.name == "ranks" and part.words]
    if not reasons:
        return []
    return [("Systems are not compared", "."), ("", f"{reasons[0][:1].upper()}{reasons[0][1:]}")]


def _basis(board: Leaderboard | None, compared: Comparisons) -> str:
    """Return the reason why pairs and ranks may disagree: they use different questions."""
    most = max((row.questions for row in compared), default=0)
    if board is None or len(board.tasks) > 1 or most <= board.questions:
        return ""
    return (
        f" Pairs are compared on up to {most} questions, ranks rest on the {board.questions} that "
        f"all systems have."
    )
