"""`errbar report`: build the page, and say where it is."""

import shlex
from pathlib import Path
from typing import Literal

import click

import errbar
from errbar.base.tables import printable
from errbar.cli import working
from errbar.cli.options import (
    BASELINE,
    ERRORS,
    ESTIMAND,
    LEVEL,
    PATHS,
    READ,
    Paths,
    Reading,
    names_in,
    runs_of,
    shown,
)


@click.command()
@PATHS
@click.option(
    "-m",
    "--metric",
    "metrics",
    multiple=True,
    callback=lambda _, __, lists: names_in(lists),
    help="A metric, or a comma list of them; may be repeated. Chosen by the data if none.",
)
@BASELINE
@click.option("--title", default="", help="Of the page.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    default="report.html",
    show_default=True,
    help="The page.",
)
@ESTIMAND
@ERRORS
@LEVEL
@READ
def report(
    paths: Paths,
    metrics: tuple[str, ...],
    baseline: str | None,
    title: str,
    output: str,
    estimand: str,
    errors: Literal["fail", "missing"],
    level: float,
    reading: Reading,
) -> None:
    """One page of everything at PATHS, to be sent to a colleague: it needs no other file."""
    command = ["errbar", "report", *paths, *(part for name in metrics for part in ("-m", name))]
    for option, value, usual in (
        ("--baseline", baseline, None),
        ("--title", title, ""),
        ("--estimand", estimand, "population"),
        ("--level", level, 0.95),
        ("--errors", errors, "fail"),
    ):
        if value != usual:
            command += [option, str(value)]
    command += [part for told in reading.mapping for part in ("--map", told)]
    with working(f"errbar report {shown(paths)}") as work:
        target = errbar.report(
            runs_of(paths, reading, work),
            output,
            *metrics,
            estimand=estimand,
            level=level,
            baseline=baseline,
            errors=errors,
            title=title,
            command=shlex.join([*command, "-o", Path(output).name]),
        )
    size = target.stat().st_size / 1e6
    click.echo(printable(f"{target}: {size:.1f} MB, one file that needs no other."))
