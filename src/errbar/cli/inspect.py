"""`errbar inspect`: what is in the logs."""

import click

from errbar.cli import working
from errbar.cli.options import PATHS, PLOT, READ, WRITE, Paths, Reading, Writing, runs_of, shown
from errbar.cli.output import show


@click.command()
@PATHS
@READ
@WRITE
@PLOT
def inspect(paths: Paths, reading: Reading, writing: Writing) -> None:
    """What is at PATHS: systems, tasks, questions, trials, statuses, and what was guessed."""
    with working(f"errbar inspect {shown(paths)}") as work:
        found = runs_of(paths, reading, work).inspect()
    show(found, writing)
