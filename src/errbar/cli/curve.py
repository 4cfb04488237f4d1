"""`errbar curve`: a metric at many k."""

from typing import Literal

import click

from errbar.cli import working
from errbar.cli.options import (
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
@click.option("-m", "--metric", default="pass@k", show_default=True, help="With the letter k.")
@click.option("-k", "ks", multiple=True, type=int, help="A k; may be repeated.")
@POLICY
@READ
@WRITE
@PLOT
def curve(
    paths: Paths,
    metric: str,
    ks: tuple[int, ...],
    errors: Literal["fail", "missing", "bracket"],
    short: Literal["error", "drop", "posterior"],
    by: tuple[str, ...],
    estimand: str | None,
    method: Literal["calibrated", "documented"],
    level: float,
    reading: Reading,
    writing: Writing,
) -> None:
    """A metric at many k, for the outcomes at PATHS."""
    with working(f"errbar curve {shown(paths)}") as work:
        found = runs_of(paths, reading, work).curve(
            metric,
            ks or None,
            errors=errors,
            short=short,
            estimand=estimand,
            method=method,
            level=level,
            by=by,
        )
    show(found, writing)
