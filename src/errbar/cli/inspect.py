"""`errbar inspect`: the contents of the logs."""

import click

from errbar.cli import options
from errbar.cli.options import Paths, ReadOptions, WriteOptions
from errbar.cli.output import show


@click.command()
@options.PATHS
@options.READ_WRITE_PLOT
def inspect(paths: Paths, reading: ReadOptions, writing: WriteOptions) -> None:
    """Show the contents of the data at PATHS.

    These are systems, tasks, questions, trials and statuses, and how the data were interpreted.
    """
    with options.opened("inspect", paths, reading) as runs:
        found = runs.inspect()
    show(found, writing)
