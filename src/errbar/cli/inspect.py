"""`errbar inspect`: the contents of the logs."""

import click

from errbar.cli import options
from errbar.cli.options import Paths, ReadOptions, WriteOptions
from errbar.cli.output import show


@click.command()
@options.PATHS
@options.READ_WRITE_PLOT
def inspect(paths: Paths, reading: ReadOptions, writing: WriteOptions) -> None:
    """Show what is at PATHS: systems, tasks, questions, trials, statuses and guesses."""
    with options.opened("inspect", paths, reading) as runs:
        found = runs.inspect()
    show(found, writing)
