"""Reports: results as one self-contained HTML file.

- `contents`: what a report says; `rendering`: the page; `panels`: costs and noise.
- `boards`: pages of games and of leaderboard audits.
- `templates`: how text is written.

The report is `page.html`, with its leaderboard; pages of games are `games.html`, those of audits
`board.html`. All of them have `shell.html` around them, bars and remarks of `parts.html`, the looks
of `page.css` and the script `page.js`.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from errbar.analysis.score import Errors
from errbar.page.contents import Contents, ReportSettings, Section, contents_of
from errbar.page.rendering import embedded, render
from errbar.page.templates import write_page
from errbar.results.estimate import Estimand
from errbar.results.timeline import Timeline
from errbar.runs import Runs
from errbar.verbs import loaded

__all__ = [
    "Contents", "ReportSettings", "Section", "contents_of", "embedded", "render", "report",
    "write_report",
]  # fmt: skip


def report(
    data: Any,
    path: str | Path = "report.html",
    *metrics: str,
    estimand: Estimand | str = Estimand.POPULATION,
    level: float = 0.95,
    baseline: str | None = None,
    errors: Errors = "fail",
    bounds: tuple[float, float] | None = None,
    largest_cluster: int | None = None,
    title: str = "",
    command: str = "",
    history: Any = None,
    **options: Any,
) -> Path:
    """Write a report as one HTML file that needs no other file, and return its path.

    Parameters
    ----------
    data
        Anything that `load` takes.
    path
        The file to write, which ends in .html.
    *metrics
        Metrics by name; by default those that suit the data.
    estimand, level, errors, bounds, largest_cluster
        As in `Runs.score`; curves and past runs assume that no cluster is larger than those
        observed.
    baseline
        The system with which all others are compared; by default all pairs are compared.
    title
        The title of the page; by default a summary of the data.
    command
        The command that makes the same page, to be shown on it.
    history
        Past runs, to be shown over time: anything that `errbar.history` takes, or its result.
    **options
        Keywords of `load`.
    """
    from errbar.past_runs import history as past_runs  # noqa: PLC0415  not always needed

    runs, _ = loaded(data, report, options)
    settings = ReportSettings(
        metrics=metrics,
        estimand=Estimand(estimand),
        level=level,
        errors=errors,
        bounds=bounds,
        largest_cluster=largest_cluster,
        baseline=baseline,
        title=title,
        command=command,
    )
    if history is not None:
        if not isinstance(history, Timeline):
            intervals = settings.keywords | {"errors": settings.one_way}
            intervals.pop("largest_cluster", None)
            history = past_runs(history, *metrics, **intervals, short="drop")
        settings = replace(settings, history=history)
    return write_report(runs, path, settings)


def write_report(runs: Runs, path: str | Path, settings: ReportSettings) -> Path:
    """Write the report of runs to an HTML file atomically, and return its path."""
    return write_page(path, lambda: render(contents_of(runs, settings)), kind="report")
