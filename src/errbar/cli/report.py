"""`errbar report`: write a report as one HTML page."""

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
from click.core import ParameterSource

import errbar
from errbar.base.tables import printable
from errbar.cli import options
from errbar.cli.help import command_on_paths
from errbar.cli.io import loaded_outcomes, page_output
from errbar.cli.options import Keywords, Paths, ReadOptions, bundle


@dataclass(frozen=True, kw_only=True)
class ReportOptions(Keywords):
    """What the page shows: keywords of `errbar.report`."""

    baseline: str | None
    title: str
    history: str | None
    estimand: str
    errors: Literal["fail", "missing", "bracket"]
    level: float
    bounds: tuple[float, float] | None
    largest_cluster: int | None


REPORT = bundle(
    "showing",
    ReportOptions,
    options.BASELINE,
    click.option("--title", default="", help="The title of the page."),
    click.option(
        "--history",
        type=click.Path(exists=True),
        help="Past runs, to be shown over time: a folder with a log or folder per run.",
    ),
    options.ESTIMAND,
    options.ERRORS_OR_BOTH,
    options.LEVEL,
    options.BOUNDS,
    options.LARGEST_CLUSTER,
)
# options that change no number
_MADE_BY = frozenset({"output", "force", "engine", "master", "remote"})


@command_on_paths
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=lambda _, __, lists: options.names_in(lists),
    help="A metric, or a comma-separated list of metrics; may be repeated. By default, those that "
    "suit the data.",
)
@REPORT
@page_output("report.html")
@options.READ
def report(
    paths: Paths,
    metrics: tuple[str, ...],
    showing: ReportOptions,
    output: str,
    reading: ReadOptions,
) -> None:
    """Write a report as one HTML page.

    The page has all results of the data at PATHS, and needs no other file.

    \b
    Examples:
      errbar report logs/ -o report.html
      errbar report logs/ -m pass@8 --baseline old -o page.html
      errbar report runs/v1.9.csv --history runs/ -o release.html
    """
    # A report is sent to others: it names no folder of the machine that made it.
    *shown, page_shown = map(_without_folder, (*paths, output))
    replaces = Path(output).is_file() and Path(output).stat().st_size > 0
    command = ["errbar", "report", *shown, *_given_options(click.get_current_context())]
    command += ["-o", page_shown, *["--force"] * replaces]
    with loaded_outcomes("report", paths, reading) as runs:
        target = errbar.report(
            runs,
            output,
            *metrics,
            command=shlex.join(command),
            **showing.keywords(),
        )
    size = target.stat().st_size / 1e6
    click.echo(printable(f"{target}: {size:.1f} MB, a single file that works on its own."))


def _given_options(context: click.Context) -> list[str]:
    """Return the options that affect numbers or contents, as words of a command."""
    words = []
    for parameter in context.command.params:
        name = parameter.name or ""
        is_given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if isinstance(parameter, click.Option) and is_given and name not in _MADE_BY:
            value = context.params[name]
            for each in value if parameter.multiple else [value]:
                parts = each if parameter.nargs > 1 else [each]
                words += [
                    parameter.opts[0],
                    *(
                        _without_folder(f"{part:.15g}" if isinstance(part, float) else str(part))
                        for part in parts
                    ),
                ]
    return words


def _without_folder(path: str) -> str:
    return Path(path).name if Path(path).is_absolute() else path
