"""`errbar roc`: how well a confidence tells right answers from wrong ones."""

import click

import errbar
from errbar.cli import working
from errbar.cli.options import (
    BINS,
    PATHS,
    PLOT,
    READ,
    RESAMPLE,
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
@BINS
@RESAMPLE
@READ
@WRITE
@PLOT
def roc(
    paths: Paths,
    bins: int | None,
    level: float,
    resamples: int,
    rng: int,
    reading: Reading,
    writing: Writing,
) -> None:
    """How well the confidence at PATHS tells right answers from wrong ones: ROC-AUC."""
    method = errbar.Bootstrap(resamples, level)
    with working(f"errbar roc {shown(paths)}") as work:
        runs = runs_of(paths, reading, work)
        found = runs.roc(method=method, rng=rng, bins=bins)
        picture = runs.plot.roc(method=method, rng=rng, bins=bins) if writing.plot else None
    show(found, writing, picture)
