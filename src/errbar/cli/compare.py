"""`errbar compare`: which system is better."""

from typing import Literal

import click

from errbar.cli import working
from errbar.cli.options import (
    BASELINE,
    DECIDE,
    METRICS,
    PATHS,
    PLOT,
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
@BASELINE
@click.option("--margin", type=float, help="A difference that would not matter.")
@click.option(
    "--adjust",
    type=click.Choice(["holm", "none"]),
    default="holm",
    show_default=True,
    help="For the number of comparisons.",
)
@DECIDE
@READ
@WRITE
@PLOT
def compare(
    paths: Paths,
    metrics: tuple[str, ...],
    baseline: str | None,
    margin: float | None,
    adjust: Literal["holm", "none"],
    systems: tuple[str, ...],
    estimand: str,
    errors: Literal["fail", "missing"],
    short: Literal["error", "drop"],
    level: float,
    reading: Reading,
    writing: Writing,
) -> None:
    """Which system is better, question by question, for the outcomes at PATHS."""
    with working(f"errbar compare {shown(paths)}") as work:
        found = runs_of(paths, reading, work).compare(
            *metrics,
            systems=systems or None,
            baseline=baseline,
            margin=margin,
            estimand=estimand,
            level=level,
            adjust=adjust,
            errors=errors,
            short=short,
        )
    show(found, writing)
