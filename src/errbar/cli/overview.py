"""`errbar overview`, or `errbar PATHS`: what was read, the scores, and who is better."""

import click

from errbar.cli import working
from errbar.cli.options import PATHS, READ, WRITE, Paths, Reading, Writing, runs_of, shown
from errbar.cli.output import show


@click.command()
@PATHS
@READ
@WRITE
def overview(paths: Paths, reading: Reading, writing: Writing) -> None:
    """What is at PATHS, its scores, and who is better; the same as errbar PATHS."""
    with working(f"errbar {shown(paths)}") as work:
        found = runs_of(paths, reading, work).overview()
    show(found, writing)
