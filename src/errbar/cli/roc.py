"""`errbar roc`: how well the confidence separates right answers from wrong ones."""

import click

from errbar.cli import options
from errbar.cli.options import Paths, ReadOptions, ResampleOptions, WriteOptions
from errbar.cli.output import show


@click.command()
@options.PATHS
@options.RESAMPLE
@options.READ_WRITE_PLOT
def roc(
    paths: Paths, resampling: ResampleOptions, reading: ReadOptions, writing: WriteOptions
) -> None:
    """Compute ROC-AUC of the confidence at PATHS.

    It measures how well the confidence separates right answers from wrong ones.
    """
    with options.opened("roc", paths, reading) as runs:
        found = runs.roc(**resampling.keywords())
        picture = runs.plot.roc(**resampling.keywords()) if writing.plot else None
    show(found, writing, picture)
