"""`errbar PATHS` and `errbar inspect`: which system is better, and what the data are."""

from typing import TYPE_CHECKING, Literal

import click

from errbar.cli import options, working
from errbar.cli.io import runs_of, show, shown, shows_result
from errbar.cli.options import Paths, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from errbar.results.base import Result
    from errbar.runs import Runs


@click.command()
@options.PATHS
@options.ERRORS
@options.BOUNDS
@options.READ_WRITE_PLOT
def overview(
    paths: Paths,
    errors: Literal["fail", "missing"],
    bounds: tuple[float, float] | None,
    reading: ReadOptions,
    writing: WriteOptions,
) -> None:
    """Show which system is better, all scores, and what was read.

    errbar PATHS without a command is the same.

    \b
    Examples:
      errbar logs/
      errbar logs/ --explain
    """
    with working(f"errbar {shown(paths)}") as work:
        found = runs_of(paths, reading, work).overview(errors=errors, bounds=bounds)
    show(found, writing)


@click.command()
@options.PATHS
@shows_result
def inspect(runs: "Runs") -> "Result":
    """Show the contents of the data at PATHS.

    These are systems, tasks, questions, trials and statuses, and how the data were interpreted.

    \b
    Examples:
      errbar inspect logs/
    """
    return runs.inspect()
