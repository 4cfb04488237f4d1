"""`errbar inspect`: the contents of the logs."""

from typing import TYPE_CHECKING

import click

from errbar.cli import options
from errbar.cli.output import shows_result

if TYPE_CHECKING:
    from errbar.results.base import Result
    from errbar.runs import Runs


@click.command()
@options.PATHS
@shows_result
def inspect(runs: "Runs") -> "Result":
    """Show the contents of the data at PATHS.

    These are systems, tasks, questions, trials and statuses, and how the data were interpreted.
    """
    return runs.inspect()
