"""`errbar overview`, or `errbar PATHS`: what was read, the scores, and which system is better."""

import click

from errbar.cli import options, working
from errbar.cli.options import Paths, ReadOptions, WriteOptions, runs_of, shown
from errbar.cli.output import show


@click.command()
@options.PATHS
@options.READ
@options.WRITE
def overview(paths: Paths, reading: ReadOptions, writing: WriteOptions) -> None:
    """Show what was read, scores and comparisons.

    The same as errbar PATHS.
    """
    with working(f"errbar {shown(paths)}") as work:
        show(runs_of(paths, reading, work).overview(), writing)
