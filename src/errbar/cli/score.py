"""`errbar score`: every metric that was asked for, of every system."""

from typing import Literal

import click

from errbar.cli import working
from errbar.cli.options import (
    METRICS,
    PATHS,
    PLOT,
    POLICY,
    READ,
    WRITE,
    Paths,
    Reading,
    Writing,
    runs_of,
    shown,
)
from errbar.cli.output import show


@click.command()
@PATHS
@METRICS
@click.option(
    "--audit",
    is_flag=True,
    help="Try the intervals on simulated data like these, and say how many hold.",
)
@click.option(
    "--questions-in-all", type=int, help="How many there are, if those asked are a sample of them."
)
@POLICY
@READ
@WRITE
@PLOT
def score(
    paths: Paths,
    metrics: tuple[str, ...],
    audit: bool,
    questions_in_all: int | None,
    errors: Literal["fail", "missing", "bracket"],
    short: Literal["error", "drop", "posterior"],
    by: tuple[str, ...],
    estimand: str | None,
    method: Literal["calibrated", "documented"],
    level: float,
    reading: Reading,
    writing: Writing,
) -> None:
    """Score the outcomes at PATHS: logs of a harness, or CSV, JSON lines and Parquet.

    A path is a file, a pattern or a directory. The harness is found by what is in the files.
    """
    with working(f"errbar score {shown(paths)}") as work:
        found = runs_of(paths, reading, work).score(
            *metrics,
            errors=errors,
            short=short,
            estimand=estimand,
            method=method,
            level=level,
            questions_in_all=questions_in_all,
            audit=audit,
            by=by,
        )
    show(found, writing)
