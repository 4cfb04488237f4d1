"""`errbar rank`: who ranks where."""

from collections.abc import Sequence
from typing import Literal

import click

from errbar.cli import working
from errbar.cli.options import (
    DECIDE,
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
from errbar.errors import InputError


def weights_in(
    _: click.Context, __: click.Parameter, texts: Sequence[str]
) -> dict[str, float] | None:
    """Weights of tasks, each written as gsm8k=2."""
    weights = {}
    for text in texts:
        task, _equals, number = text.rpartition("=")
        try:
            weights[task] = float(number)
        except ValueError:
            raise InputError(
                f"--weight {text!r} must be written task=number, as gsm8k=2."
            ) from None
    return weights or None


@click.command()
@PATHS
@click.option("-m", "--metric", default="avg", show_default=True, help="What systems rank by.")
@click.option(
    "--weight",
    "weights",
    multiple=True,
    callback=weights_in,
    metavar="TASK=NUMBER",
    help="Of a task in the average of several; may be repeated. All alike if none.",
)
@DECIDE
@READ
@WRITE
@PLOT
def rank(
    paths: Paths,
    metric: str,
    weights: dict[str, float] | None,
    systems: tuple[str, ...],
    estimand: str,
    errors: Literal["fail", "missing"],
    short: Literal["error", "drop"],
    level: float,
    reading: Reading,
    writing: Writing,
) -> None:
    """Rank the systems at PATHS, with the ranks that each may have."""
    with working(f"errbar rank {shown(paths)}") as work:
        found = runs_of(paths, reading, work).rank(
            metric,
            systems=systems or None,
            weights=weights,
            estimand=estimand,
            level=level,
            errors=errors,
            short=short,
        )
    show(found, writing)
