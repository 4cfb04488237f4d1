"""What a report says: one section after another, each with its result; and every question."""

import math
import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any, Literal, TypeVar

import numpy as np

from errbar import __version__
from errbar.analysis.score import fewest_trials, usual_metrics
from errbar.base.tables import counted
from errbar.data.queries.slices import Named, Slice
from errbar.data.sources.tables import Source, TableSource
from errbar.errors import ErrbarError
from errbar.results.base import Result
from errbar.results.comparison import Comparisons
from errbar.results.estimate import Estimand
from errbar.results.inspection import Inspection
from errbar.results.leaderboard import Leaderboard
from errbar.results.scores import Scores
from errbar.runs import Runs


@dataclass(frozen=True)
class Questions:
    """The questions of one task: trials and right ones of each system, in columns."""

    task: str
    names: tuple[str, ...]
    clusters: tuple[str, ...]  # empty where no question is in one
    systems: tuple[str, ...]
    trials: list[list[int]]  # of each system, by question; 0 where it has none
    right: list[list[int]]

    def record(self) -> dict[str, Any]:
        """What the page keeps; the same number of trials everywhere is kept once."""
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
    """Every task whose outcomes are right or wrong."""
    tasks: dict[str, dict[str, Named]] = {}
    for (system, task), named in source.named().items():
        if named.slice.is_binary and (systems is None or system in systems):
            tasks.setdefault(task, {})[system] = named
    return [_task(task, each) for task, each in tasks.items()]


def _task(task: str, systems: dict[str, Named]) -> Questions:
    clusters = {
        question: cluster
        for named in systems.values()
        for question, cluster in zip(named.questions, named.clusters, strict=True)
    }
    place = {name: at for at, name in enumerate(sorted(clusters))}
    trials, right = np.zeros((2, len(systems), len(place)), dtype=np.int64)
    for row, named in enumerate(systems.values()):
        at = [place[name] for name in named.questions]
        trials[row, at], right[row, at] = named.slice.trials, named.slice.right
    some = any(clusters.values())
    return Questions(
        task,
        tuple(place),
        tuple(clusters[name] for name in place) if some else (),
        tuple(systems),
        trials.tolist(),
        right.tolist(),
    )


R = TypeVar("R", bound=Result)

_PACKAGES = ("numpy", "scipy", "duckdb", "narwhals")
_MOST_DRAWN = 400  # rows


@dataclass(frozen=True)
class Asked:
    """What the report is to be about."""

    metrics: tuple[str, ...] = ()  # chosen by the data where none is named
    estimand: Estimand = Estimand.POPULATION
    level: float = 0.95
    baseline: str | None = None
    errors: Literal["fail", "missing"] = "fail"
    title: str = ""
    command: str = ""  # that made it, to be shown


@dataclass(frozen=True)
class Section:
    """A heading, some words, and a result with its picture."""

    name: str
    title: str
    words: tuple[str, ...] = ()
    result: Result | Inspection | None = None
    picture: str = ""  # SVG


@dataclass(frozen=True)
class Contents:
    """Everything in a report."""

    title: str
    verdicts: tuple[str, ...]
    sections: tuple[Section, ...]
    questions: tuple[Questions, ...]
    asked: Asked
    versions: dict[str, str] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """All numbers, as the page keeps them."""
        return {
            "title": self.title,
            "versions": self.versions,
            "command": self.asked.command,
            "verdicts": list(self.verdicts),
            "results": {
                one.name: {"rows": one.result.to_dicts(), "notes": one.result.notes()}
                for one in self.sections
                if one.result is not None
            },
            "questions": [one.record() for one in self.questions],
        }


def contents_of(runs: Runs, asked: Asked) -> Contents:
    """Everything that the data allow."""
    slices = runs.source.slices(())
    metrics = asked.metrics or usual_metrics(slices)
    scores = runs.score(
        *metrics, estimand=asked.estimand, level=asked.level, errors=asked.errors, short="drop"
    )
    sections = [Section("scores", "Scores", (), scores, _picture(scores))]
    sections += _curve(runs, slices, asked)
    board = compared = None
    if len({one.key[0] for one in slices}) > 1:
        board, ranks = _tried("ranks", "Ranks", lambda: _board(runs, metrics[0], asked))
        compared, pairs = _tried(
            "comparisons", "Comparisons", lambda: _compared(runs, metrics[0], asked)
        )
        sections += [ranks, pairs]
    if isinstance(runs.source, TableSource) and "confidence" in runs.source.columns:
        sections.append(_tried("selective", "Selective prediction", runs.selective)[1])
        sections.append(_tried("roc", "ROC", runs.roc)[1])
    inspection = runs.inspect()
    sections.append(Section("quality", "The data", _quality(slices), inspection))
    versions = {"errbar": __version__, "python": platform.python_version()}
    versions |= {name: version(name) for name in _PACKAGES}
    title = asked.title or _title(slices)
    return Contents(
        title,
        tuple(_verdicts(scores, board, compared)),
        tuple(sections),
        tuple(questions_of(runs.source)),
        asked,
        versions,
    )


def _curve(runs: Runs, slices: Sequence[Slice], asked: Asked) -> list[Section]:
    if not any(one.is_binary and fewest_trials(one) > 1 for one in slices):
        return []
    found = []
    for family, words in (
        (
            "pass@k",
            "The chance that at least one of k trials is right: what picking it would give.",
        ),
        ("pass^k", "The chance that all of k trials are right: how far one can rely on it."),
    ):
        curve = partial(
            runs.curve, family, estimand=asked.estimand, level=asked.level, errors=asked.errors
        )
        name = "curve-one" if family == "pass@k" else "curve-all"
        found.append(_tried(name, f"{family} over k", curve, words)[1])
    return found


def _tried(name: str, title: str, made: Callable[[], R], *words: str) -> tuple[R | None, Section]:
    """A result and its section, or why there is none."""
    try:
        result = made()
    except ErrbarError as error:
        return None, Section(name, title, (*words, f"There is nothing to show: {error}"))
    return result, Section(name, title, words, result, _picture(result))


def _board(runs: Runs, metric: str, asked: Asked) -> Leaderboard:
    covers = Estimand.POPULATION if asked.estimand is Estimand.RERUN else asked.estimand
    return runs.rank(metric, estimand=covers, level=asked.level, errors=asked.errors, short="drop")


def _compared(runs: Runs, metric: str, asked: Asked) -> Comparisons:
    return runs.compare(
        metric,
        baseline=asked.baseline,
        estimand=asked.estimand,
        level=asked.level,
        errors=asked.errors,
        short="drop",
    )


def _quality(slices: Sequence[Slice]) -> tuple[str, ...]:
    rows = sum(one.rows for one in slices)
    failed = sum(one.failed + one.ungraded for one in slices)
    if not failed:
        return (f"All {counted(rows, 'row')} have a result.",)
    return (f"{failed} of {counted(rows, 'row')} have no result.",)


def _title(slices: Sequence[Slice]) -> str:
    systems, tasks = ({one.key[at] for one in slices} for at in (0, 1))
    named = f" on {next(iter(tasks))}" if len(tasks) == 1 and "" not in tasks else ""
    if not named and len(tasks) > 1:
        named = f" on {counted(len(tasks), 'task')}"
    return f"{counted(len(systems), 'system')}{named}"


def _verdicts(scores: Scores, board: Leaderboard | None, compared: Comparisons | None) -> list[str]:
    """What the data say, in plain words."""
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
            f"{len(decided)} of {counted(len(there), 'pair')} of systems can be told apart"
            f"{f', {careful} of them with caution: see the comparisons' if careful else ''}."
        )
    if board is None:
        found += [str(one) for one in scores if not math.isnan(one.mean)][:3]
    return found


def _picture(result: Result) -> str:
    """A picture of a result, unless it would be longer than anyone looks at."""
    return result.plot().svg() if len(result.to_dicts()) <= _MOST_DRAWN else ""
