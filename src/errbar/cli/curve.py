"""`errbar curve`: a metric at many k."""

import click

from errbar.cli import options
from errbar.cli.options import Paths, ReadOptions, ScoreOptions, WriteOptions
from errbar.cli.output import show


@click.command()
@options.PATHS
@click.option(
    "-m", "--metric", default="pass@k", show_default=True, help="A metric with the letter k."
)
@click.option("-k", "ks", multiple=True, type=int, help="A value of k; may be repeated.")
@options.SCORE
@options.READ_WRITE_PLOT
def curve(
    paths: Paths,
    metric: str,
    ks: tuple[int, ...],
    scoring: ScoreOptions,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Compute a metric at many k."""
    with options.opened("curve", paths, reading) as runs:
        found = runs.curve(metric, ks or None, **scoring.keywords())
    show(found, writing)
